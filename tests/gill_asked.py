"""What the tests of GILL under test ask, and look at."""

from __future__ import annotations

from typing import Any

from cobsat import Example
from cobsat.models.gill.adapter import GILL
from cobsat.models.gill.prompts import Prompt, format_prompt
from cobsat.models.rounds import user_turns
from torch import Tensor

FAST: dict[str, Any] = {"tiny": True, "steps": 1}
"""Options of a model whose pictures take a moment."""


def prompt_of(model: GILL, row: Example, *replies: Any) -> Prompt:
    turns = user_turns(row["messages"], row["followup"])[: 1 + len(replies)]
    words = model._system.words
    return format_prompt(
        turns,
        replies,
        model._system.vocabulary,
        lambda text: words.encode(text, add_special_tokens=False),
    )


def seen(model: GILL, row: Example) -> list[Tensor]:
    parts = row["messages"][-1]["content"]
    opened = [model._seen._opened.open(p["image"]) for p in parts if p["image"] is not None]
    return [model._system.read(picture) for picture in opened]
