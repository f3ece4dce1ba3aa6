"""Progress: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from cobsat import progress as module
from cobsat.progress import progress


def clock(monkeypatch: pytest.MonkeyPatch, seconds: list[float]) -> None:
    times: Iterator[float] = iter(seconds)
    monkeypatch.setattr(module, "monotonic", lambda: next(times))


def test_a_long_command_says_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock(monkeypatch, [0, 4, 10, 15, 20])
    with progress("asking copy", 2_000, done=1_000) as advance:
        for _ in range(4):
            advance(100)
    assert capsys.readouterr().err == (
        "asking copy: 1,200 of 2,000, 20.0/s, 40 s left\n"
        "asking copy: 1,400 of 2,000, 20.0/s, 30 s left\n"
    )


def test_a_short_command_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("asking copy", 10) as advance:
        advance(10)
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("asking copy", 10, done=4) as advance:
        advance(6)
    assert "asking copy" in terminal.getvalue()
    assert "10/10" in terminal.getvalue()
