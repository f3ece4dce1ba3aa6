"""How far a long command has come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final, TypeAlias

from .card_parts import visible

Advance: TypeAlias = Callable[[int], None]
"""Says that so many more are done."""

SECONDS_BETWEEN_LINES: Final = 10.0


@contextmanager
def progress(title: str, total: int, done: int = 0, *, shown: bool = True) -> Iterator[Advance]:
    """Show count, speed and time left on standard error; `done` were there before."""
    title = visible(title)
    if not shown:
        yield lambda count: None
    elif sys.stderr.isatty():
        with _bar(title, total, done) as advance:
            yield advance
    else:
        yield _lines(title, total, done)


@contextmanager
def _bar(title: str, total: int, done: int) -> Iterator[Advance]:
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[speed]}"),
        bars.TimeRemainingColumn(),
    )
    start, fresh = monotonic(), 0
    with bars.Progress(*columns, console=Console(stderr=True)) as display:
        task = display.add_task(title, total=total, completed=done, speed="")

        def advance(count: int) -> None:
            nonlocal fresh
            fresh += count
            speed = fresh / max(monotonic() - start, 1e-9)
            display.update(task, advance=count, speed=f"{speed:,.1f}/s")

        yield advance


def _lines(title: str, total: int, done: int) -> Advance:
    start = said = monotonic()
    before, now_done = done, done

    def advance(count: int) -> None:
        nonlocal now_done, said
        now_done += count
        now = monotonic()
        if now - said < SECONDS_BETWEEN_LINES:
            return
        said = now
        speed = (now_done - before) / max(now - start, 1e-9)
        left = f", {(total - now_done) / speed:,.0f} s left" if now_done < total else ""
        print(f"{title}: {now_done:,} of {total:,}, {speed:,.1f}/s{left}", file=sys.stderr)

    return advance
