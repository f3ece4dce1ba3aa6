"""Fixtures that several rooms share, and a real Chromium to look at pages.

Chromium is spoken to over its DevTools pipe, so that no package is needed beside the browser.
"""

from __future__ import annotations

import csv
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cobsat import THEMES
from cobsat.layout import LABELS, stem
from PIL import Image

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # What a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
def chromium():
    """The path of a Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    found = found or shutil.which("google-chrome")
    if not found:
        pytest.skip("no chromium on this machine: install Debian's package chromium")
    return found


@pytest.fixture(scope="session")
def browser(chromium, tmp_path_factory):
    """A running headless Chromium; tests open pages in it."""
    running = Browser(chromium, tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()


class Browser:
    """Speaks the DevTools protocol with a headless Chromium over a pipe (descriptors 3 and 4)."""

    def __init__(self, binary, profile):
        to_read, self._write = _high_pipe()
        self._read, to_write = _high_pipe()

        def inherit():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [binary, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=inherit,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._session = None
        self.events = []
        self._address = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Call a DevTools method and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self):
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError("chromium has ended")
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(raw)
        if "method" in message:
            self.events.append(message)
        return message

    def open(self, page, fragment="", width=1280, height=900, dark=False):
        """Open a file or a local address, and forget what other pages did."""
        self._address = page if str(page).startswith("http://") else Path(page).resolve().as_uri()
        self.call("Page.navigate", url="about:blank")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.events.clear()
        self.call("Page.navigate", url=f"{self._address}{fragment}")
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._next()

    def run(self, script):
        """Run a script in the page and return its value."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def press(self, key):
        """Press one key."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def faults(self):
        """Return what a page must not do: throw, complain, open dialogs, or ask others."""
        self.run("new Promise((done) => setTimeout(done, 50))")
        found = []
        for event in self.events:
            method, details = event["method"], event["params"]
            if method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append((method, json.dumps(details)[:500]))
            if method == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
                found.append((method, details["entry"]["text"]))
            if method == "Network.requestWillBeSent":
                url = details["request"]["url"]
                own = self._address.startswith("http://") and url.startswith(self._address)
                if not own and not url.startswith("data:") and details.get("type") != "Document":
                    found.append((method, url))
        return found

    def close(self):
        """End the browser."""
        try:
            self._session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            self._process.kill()
        self._process.wait(10)
        os.close(self._read)
        os.close(self._write)


def _high_pipe():
    """Return a pipe whose descriptors are clear of 3 and 4, and not inherited as they are."""
    made = []
    for end in os.pipe():
        made.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return made
