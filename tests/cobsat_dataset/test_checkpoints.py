"""Whether a checkpoint is here or can be fetched, said before the libraries try for a minute."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cobsat.checkpoints import check_checkpoint
from huggingface_hub import constants

NAME = "acme/nothing"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no leave to go on the network."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def hub_at(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE
    assert template.startswith(constants.ENDPOINT)
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        address + template.removeprefix(constants.ENDPOINT),
    )
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def asked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was asked of a Hub that answers, and has nothing."""
    paths: list[str] = []

    class Empty(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            paths.append(self.path)
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with serving(Empty) as address:
        hub_at(address, monkeypatch)
        yield paths


def test_offline_what_is_not_here_is_told_as_such(cache: Path) -> None:
    with pytest.raises(FileNotFoundError) as told:
        check_checkpoint(NAME)
    assert str(told.value) == (
        "checkpoint must be here when HF_HUB_OFFLINE=1, got 'acme/nothing': no folder here has "
        "that name, it was not downloaded before: name its folder, or unset HF_HUB_OFFLINE"
    )


def test_what_was_downloaded_before_is_here(cache: Path) -> None:
    home = cache / "models--acme--nothing"
    (home / "snapshots" / "abc").mkdir(parents=True)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("abc")
    (home / "snapshots" / "abc" / "adapter_config.json").touch()
    assert check_checkpoint(NAME, file="adapter_config.json") == NAME
    assert check_checkpoint(NAME, "abc", file="adapter_config.json") == NAME
    for revision, file in ((None, "config.json"), ("v2", "adapter_config.json")):
        with pytest.raises(FileNotFoundError, match="HF_HUB_OFFLINE=1"):
            check_checkpoint(NAME, revision, file=file)


def test_a_folder_is_taken_whatever_it_is_called(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(cache)
    Path(NAME).mkdir(parents=True)
    assert check_checkpoint(NAME) == NAME
    assert check_checkpoint(str(cache / NAME)) == str(cache / NAME)


@pytest.mark.parametrize("name", ["acme/", "a--b", "acme/no name"])
def test_what_is_no_name_is_left_to_what_loads_it(cache: Path, name: str) -> None:
    assert check_checkpoint(name) == name


def test_the_hub_itself_says_what_it_does_not_have(asked: list[str]) -> None:
    assert check_checkpoint(NAME, "v1.5") == NAME
    assert asked == ["/acme/nothing/resolve/v1.5/config.json"]


def test_a_hub_that_cannot_be_reached_is_told_in_one_line(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:  # bound and not listening: refuses, and no one else has it
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        hub_at(address, monkeypatch)
        with pytest.raises(ConnectionError) as told:
            check_checkpoint(NAME)
    message = str(told.value)
    assert message.startswith("checkpoint must be here where there is no network, got 'acme/no")
    assert f"{address} cannot be reached (ConnectError: " in message
    assert message.endswith("HF_HUB_OFFLINE=1 uses what is here without asking")
    assert "\n" not in message


def test_a_hub_that_hangs_up_is_asked_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    class HangUp(BaseHTTPRequestHandler):
        def handle(self) -> None:
            calls.append(1)

    with serving(HangUp) as address:
        hub_at(address, monkeypatch)
        with pytest.raises(ConnectionError, match="cannot be reached"):
            check_checkpoint(NAME)
    assert calls == [1]
