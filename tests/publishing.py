"""What the tests of `cobsat publish` share: how it is called, and what then lies on the Hub."""

from __future__ import annotations

import pytest
from cobsat.cli import main
from hub_server import HubServer

Capture = pytest.CaptureFixture[str]


def publish(*arguments: object) -> int:
    """Run `cobsat publish` and return its exit code."""
    return main(["publish", *map(str, arguments)])


def lines(capsys: Capture, *arguments: object) -> list[str]:
    """Run a command that must succeed, and return its output."""
    capsys.readouterr()
    assert publish(*arguments) == 0
    return capsys.readouterr().out.splitlines()


def refused(capsys: Capture, *arguments: object) -> str:
    """Run a command that must fail and return what it says: exit code 2, one line, no output."""
    capsys.readouterr()
    assert publish(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def on_hub(hub: HubServer, kind: str, name: str) -> dict[str, bytes]:
    """Return a repository's files, but for the one that the Hub makes."""
    files = hub.repos[kind, name].files
    return {path: blob.data for path, blob in files.items() if path != ".gitattributes"}
