"""Asks a model, and makes one answer an example of whatever it does.

`answers` is what the runner calls: batches for most models, a stream for those that answer as they
finish.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from cobsat import Example
from cobsat.run_folder import is_disk_full
from cobsat.spec import choose

from .protocol import Finished, Model, Output, Streams, kind_of
from .spending import Spending

__all__ = ["Answer", "answers", "ask", "shorten"]

MAX_REASON: Final = 500


@dataclass(frozen=True)
class Answer:
    """An output with its example's id and time; `error` is what the model raised, if it did."""

    id: str
    output: Output
    seconds: float
    error: str | None = None


def answers(
    model: Model, rows: Iterator[Example], batch_size: int, spending: Spending
) -> Iterator[Iterable[Answer]]:
    """Yield answers to examples, some at a time, until there are no more or no money is left.

    Whoever takes them counts them in `spending` before the next are asked for.
    """
    if isinstance(model, Streams):
        yield from _stream(model, rows, spending)
        return
    while batch := list(islice(rows, min(batch_size, spending.room()))):
        yield ask(model, batch)


def _stream(model: Streams, rows: Iterator[Example], spending: Spending) -> Iterator[list[Answer]]:
    """Let a model take examples as it likes; again from the start where money held it back."""
    under_way: dict[str, Example] = {}
    more = True

    def affordable() -> Iterator[Example]:
        nonlocal more
        while spending.room(len(under_way)):
            row = next(rows, None)
            if row is None:
                more = False
                return
            under_way[row["id"]] = row
            yield row

    while more and spending.room():
        with closing(_generator(model.stream(affordable()))) as finished:
            for some in finished:
                yield [_answer(one, under_way.pop(one[0])) for one in some]
        if under_way:
            raise ValueError(f"a model must answer all that it took, left {', '.join(under_way)}")


def _generator(finished: Iterator[list[Finished]]) -> Generator[list[Finished], None, None]:
    yield from finished  # an iterator that is no generator has no close()


def _answer(finished: Finished, example: Example) -> Answer:
    name, result, seconds = finished
    if isinstance(result, Exception):
        return _failed(name, result, seconds)
    return _given(example, result, seconds)


def _given(example: Example, output: Output, seconds: float) -> Answer:
    checked = _checked(output, example["output"])
    return Answer(example["id"], checked, seconds, checked.reason if checked.raised else None)


def _failed(name: str, error: Exception, seconds: float) -> Answer:
    """Return the answer of an example that raised; a full disk is no failure of a model."""
    if is_disk_full(error):
        raise error
    reason = shorten(f"{type(error).__name__}: {error}")
    return Answer(name, Output("error", reason=reason), seconds, reason)


def ask(model: Model, batch: Sequence[Example]) -> Iterator[Answer]:
    """Yield an answer for each example; a batch that raises is tried again one by one."""
    start = time.perf_counter()
    try:
        outputs = model.predict(batch)
    except Exception as error:  # whatever a model raises costs its example, not the run
        if is_disk_full(error):
            raise
        if len(batch) > 1:
            for example in batch:
                yield from ask(model, [example])
            return
        yield _failed(batch[0]["id"], error, _since(start))
        return
    if not isinstance(outputs, list) or len(outputs) != len(batch):
        got = len(outputs) if isinstance(outputs, list) else type(outputs).__name__
        raise ValueError(f"a model must give a list of {len(batch)} outputs, got {got}")
    seconds = _since(start) / len(batch)
    for example, output in zip(batch, outputs, strict=True):
        yield _given(example, output, seconds)


def _since(start: float) -> float:
    return time.perf_counter() - start


def _checked(output: Output, kind: str) -> Output:
    """Return an output, or an error in place of one that lacks what was asked for.

    Raises:
        ValueError: The adapter breaks its contract.
    """
    if not isinstance(output, Output):
        raise ValueError(f"a model must give Outputs, got {type(output).__name__}")
    choose("status of an Output", output.status, ("ok", "error", "blocked"))
    if output.raised and output.status != "error":
        raise ValueError(f"status of an Output that raised must be 'error', got {output.status!r}")
    if output.text is not None and not isinstance(output.text, str):
        raise ValueError(f"text of an Output must be a string, got {type(output.text).__name__}")
    try:
        json.dumps([output.usage, output.extra])
    except (TypeError, ValueError) as error:
        raise ValueError(f"usage and extra of an Output must be plain JSON: {error}") from error
    if output.status != "ok":
        reason = shorten(output.reason or "the model gave no reason")
        return replace(output, image=None, reason=reason)
    if kind_of(kind) == "description" and output.text is None:
        return replace(output, status="error", reason=f"the model gave no {kind}")
    if kind == "image" and output.image is None:
        return replace(output, status="error", reason="the model gave no picture")
    return output


def shorten(text: str) -> str:
    """Return text on one line and of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1] + "…"
