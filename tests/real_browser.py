"""A real Chromium that tests open pages in, driven by Playwright.

Playwright runs in a thread of its own: it keeps an event loop running in the thread that started
it, and tests that call `asyncio.run` share theirs with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Dialog, Page, Request, sync_playwright

PHONE = 600
"""A page narrower than this is shown as on a phone."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Browser:
    """One page at a time, and what it did that a page must not do."""

    def __init__(self, binary: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="browser")
        self._page: Page | None = None
        self._faults: list[tuple[str, str]] = []
        self._home = ""
        self._do(self._start, binary)

    def _do(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._thread.submit(work, *args, **kwargs).result()

    def _start(self, binary: str) -> None:
        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(
            executable_path=binary, args=["--disable-gpu", "--disable-quic"]
        )

    def open(
        self,
        page: str | Path,
        fragment: str = "",
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        **context: Any,
    ) -> None:
        """Open a file or a local address, and forget what other pages did.

        `context` is what Playwright's `new_context` takes besides.
        """
        served = str(page).startswith("http://")
        address = str(page) if served else Path(page).resolve().as_uri()
        self._home = address if served else address.rpartition("/")[0]
        options = {"viewport": {"width": width, "height": height}, "is_mobile": width < PHONE,
                   "color_scheme": "dark" if dark else "light", **context}  # fmt: skip
        self._do(self._open, f"{address}{fragment}", options)

    def _open(self, address: str, options: dict[str, Any]) -> None:
        if self._page:
            self._page.context.close()
        self._faults = []
        self._page = self._chromium.new_context(**options).new_page()
        self._page.on("pageerror", lambda error: self._faults.append(("error", str(error))))
        self._page.on("dialog", self._dialog)
        self._page.on("request", self._request)
        self._page.on(
            "console",
            lambda said: (
                said.type in ("error", "warning") and self._faults.append((said.type, said.text))
            ),
        )
        self._page.goto(address, wait_until="load")

    def _dialog(self, dialog: Dialog) -> None:
        self._faults.append(("dialog", dialog.message))
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        """A page asks for itself, and for what lies beside it; for nothing else."""
        own = request.url.startswith(self._home) or request.url.startswith("data:")
        if not own and not request.is_navigation_request():
            self._faults.append(("request", request.url))

    @property
    def page(self) -> Page:
        """Playwright's page, for work that is done by `do`."""
        assert self._page is not None
        return self._page

    def do(self, work: Callable[[Page], _T]) -> _T:
        """Return what work on Playwright's page gives; it is done in Playwright's thread."""
        return self._do(lambda: work(self.page))

    def run(self, script: str) -> Any:
        """Run a script in the page and return its value, or what its promise comes to."""
        return self.do(lambda page: page.evaluate(script))

    def until(self, script: str, wanted: Any = True, seconds: float = 20) -> None:
        """Wait until a script has a value.

        Playwright's own waiting evaluates in the page, where our policy forbids it.
        """
        ends = time.monotonic() + seconds
        while (got := self.run(script)) != wanted:
            assert time.monotonic() < ends, f"{script} must become {wanted!r}, got {got!r}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press one key, or several at once: `Control+1`."""
        self.do(lambda page: page.keyboard.press(key))

    def faults(self) -> list[tuple[str, str]]:
        """Return what a page must not do: throw, complain, open dialogs, or ask others."""
        self.do(lambda page: page.wait_for_timeout(50))
        return list(self._faults)

    def violations(self) -> str:
        """Return what axe finds that keeps people from using the page as it is now, or ""."""
        found = self.do(lambda page: Axe().run(page))
        return found.generate_report() if found.violations_count else ""

    def close(self) -> None:
        """End the browser."""
        self._do(self._stop)
        self._thread.shutdown()

    def _stop(self) -> None:
        self._chromium.close()
        self._playwright.stop()
