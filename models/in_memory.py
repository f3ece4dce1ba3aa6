"""Batches as large as a device's memory allows: one that does not fit is halved.

    room = InMemory()
    outputs = room.answer(items, model_answers, Output("error", reason="out_of_memory: …"))

What did not fit once is not tried again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from .vlm_generation import is_out_of_memory

__all__ = ["InMemory"]

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


class InMemory:
    """Remembers how large a batch may be.

    Args:
        largest: The most items of a batch; None for no limit but memory.
        forget: Gives back memory of what can be computed again, such as a cache.
    """

    def __init__(
        self, largest: int | None = None, forget: Callable[[], None] = lambda: None
    ) -> None:
        self.largest = largest
        self._forget = forget

    def answer(
        self,
        items: Sequence[_Item],
        answers: Callable[[Sequence[_Item]], list[_Answer]],
        too_large: _Answer,
    ) -> list[_Answer]:
        """Return an answer for each item; `too_large` for one that does not fit even alone."""
        given: list[_Answer] = []
        waiting = list(items)
        while waiting:
            part = waiting[: self.largest]
            fitting = _unless_out_of_memory(part, answers)
            if fitting is not None:
                given += fitting
                waiting = waiting[len(part) :]
                continue
            self._forget()
            gc.collect()
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            if len(part) > 1:
                self.largest = len(part) // 2
            else:
                given.append(too_large)
                waiting = waiting[1:]
        return given


def _unless_out_of_memory(
    batch: Sequence[_Item], answers: Callable[[Sequence[_Item]], list[_Answer]]
) -> list[_Answer] | None:
    # The error and the frames that it holds on to are gone when this returns.
    try:
        return answers(batch)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        return None
