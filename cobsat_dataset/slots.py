"""How many calls to run at once: found out by trying, as TCP finds a line's capacity.

From a few calls at once it doubles each round trip until the server has had enough (429, 503, a
timeout); then it halves, and grows by one each round trip. Models and judges behind a server share
this.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

__all__ = ["Slots"]

FIRST: Final = 8
"""Calls at once before anything is known."""


class Slots:
    """Slots for calls within one event loop.

    Attributes:
        limit: How many calls may run at once now; its whole part counts.

    Args:
        most: The most calls at once.
        clock: Seconds that only grow.
    """

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self.limit = float(min(FIRST, most))
        self._most = most
        self._clock = clock
        self._busy = 0
        self._doubling = True
        self._halved_at = -1.0
        self._paused_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a slot and hold it; gives the time at which it was had."""
        await self._free()
        self._busy += 1
        try:
            yield self._clock()
        finally:
            self._busy -= 1
            self._wake()

    def succeeded(self) -> None:
        """Say that a call went well: one more may, or a round trip from now one more."""
        self.limit = min(self._most, self.limit + (1 if self._doubling else 1 / self.limit))
        self._wake()

    def overloaded(self, began: float) -> None:
        """Say that the server had too much of a call that began then.

        The calls of one burst fail together: only one of them halves the limit.
        """
        self._doubling = False
        if began > self._halved_at:
            self._halved_at = self._clock()
            self.limit = max(1.0, self.limit / 2)

    def pause(self, seconds: float) -> None:
        """Begin no call for a while."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    async def _free(self) -> None:
        while True:
            pause = self._paused_until - self._clock()
            if pause > 0:
                await asyncio.sleep(pause)
            elif self._busy < int(self.limit):
                return
            else:
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                await turn

    def _wake(self) -> None:
        room = int(self.limit) - self._busy
        while self._waiting and room > 0:
            turn = self._waiting.popleft()
            if not turn.done():  # a cancelled call waits no more
                turn.set_result(None)
                room -= 1
