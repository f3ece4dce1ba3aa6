"""Asks a model, and makes one answer an example of whatever it does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cobsat import Example
from cobsat.run_folder import is_disk_full
from cobsat.spec import choose

from .protocol import Model, Output

__all__ = ["Answer", "ask", "shorten"]

MAX_REASON: Final = 500


@dataclass(frozen=True)
class Answer:
    """An output with its example's id and time; `error` is what the model raised, if it did."""

    id: str
    output: Output
    seconds: float
    error: str | None = None


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
        reason = shorten(f"{type(error).__name__}: {error}")
        yield Answer(batch[0]["id"], Output("error", reason=reason), _since(start), reason)
        return
    if not isinstance(outputs, list) or len(outputs) != len(batch):
        got = len(outputs) if isinstance(outputs, list) else type(outputs).__name__
        raise ValueError(f"a model must give a list of {len(batch)} outputs, got {got}")
    seconds = _since(start) / len(batch)
    for example, output in zip(batch, outputs, strict=True):
        yield Answer(example["id"], _checked(output, example["output"]), seconds)


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
    if output.text is not None and not isinstance(output.text, str):
        raise ValueError(f"text of an Output must be a string, got {type(output.text).__name__}")
    try:
        json.dumps([output.usage, output.extra])
    except (TypeError, ValueError) as error:
        raise ValueError(f"usage and extra of an Output must be plain JSON: {error}") from error
    if output.status != "ok":
        reason = shorten(output.reason or "the model gave no reason")
        return replace(output, image=None, reason=reason)
    if kind == "description" and output.text is None:
        return replace(output, status="error", reason="the model gave no description")
    if kind == "image" and output.image is None:
        return replace(output, status="error", reason="the model gave no picture")
    return output


def shorten(text: str) -> str:
    """Return text on one line and of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_REASON else line[: MAX_REASON - 1] + "…"
