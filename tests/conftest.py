"""Fixtures that several rooms share, a real Chromium to look at pages among them."""

from __future__ import annotations

import csv
import gc
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cobsat import THEMES
from cobsat.layout import LABELS, stem
from PIL import Image

if TYPE_CHECKING:
    from real_browser import Browser

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # What a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the million objects that imports have left.

    Trainers, pipelines and our own retries after a lack of memory each call it: a quarter of the
    time of tests/models and tests/train went there.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def picture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """500 tiny pictures, no two alike, with descriptions that name both halves of the label."""
    folder = tmp_path_factory.mktemp("pictures")
    for number, label in enumerate(LABELS):
        path = folder / f"{stem(label)}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), (number % 256, number // 256, 77)).save(path)
    for theme in THEMES.values():
        table = folder / f"{theme.name}_{theme.object_kind}.csv"
        with open(table, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["image", "caption"])
            for label in LABELS:
                if label[0] == theme.name:
                    caption = f"A {label[2]}, {theme.text(label[1])}."
                    writer.writerow([f"{stem(label)}.png", caption])
    return folder


class Forks:
    """Runs commands through `fork_server.py`; `log` is what the last one printed."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(
        self,
        arguments: list[str],
        folder: Path,
        *,
        kill_after: float | None = None,
        kill_when_larger: tuple[str, int] | None = None,
        file_size: int | None = None,
    ) -> int:
        order = {
            "arguments": arguments,
            "folder": str(folder),
            "log": str(self._log),
            "kill_after": kill_after,
            "kill_when_larger": kill_when_larger,
            "file_size": file_size,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8")

    def close(self) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Real `cobsat` processes that start in milliseconds and can be killed."""
    server = Forks(tmp_path_factory.mktemp("forks") / "log")
    yield server
    server.close()


class Ranks:
    """Runs commands in several processes through `rank_server.py`; `logs` is what each printed."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("rank_server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.logs: list[str] = []

    def __call__(self, count: int, arguments: list[str], folder: Path) -> list[int]:
        order = {
            "processes": count,
            "arguments": arguments,
            "folder": str(folder),
            "log": str(self._log),
            "file_size": None,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        codes: list[int] = json.loads(self._server.stdout.readline())
        logs = (self._log.with_name(f"{self._log.name}.{rank}") for rank in range(count))
        self.logs = [log.read_text("utf-8") if log.exists() else "" for log in logs]
        return codes

    def close(self) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ranks]:
    """Real `cobsat` processes that share a run, as under torchrun."""
    server = Ranks(tmp_path_factory.mktemp("ranks") / "log")
    yield server
    server.close()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    found = found or shutil.which("google-chrome")
    if not found:
        pytest.skip("no chromium on this machine: install Debian's package chromium")
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """A running headless Chromium; tests open pages in it."""
    from real_browser import Browser  # half a second, which most tests need not spend

    running = Browser(chromium)
    yield running
    running.close()
