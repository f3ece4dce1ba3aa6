"""The heads of the nine four-legged animals, by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from ..svg import Picture
from .coats import Coat
from .face import Mood
from .head import Head
from .heads_hoofed import cow, pig, sheep, zebra
from .heads_pawed import cat, dog, lion, monkey, tiger

DrawHead: TypeAlias = Callable[[Picture, Coat, Mood, float, random.Random], Head]

HEADS: Final[dict[str, DrawHead]] = {
    "zebra": zebra, "tiger": tiger, "sheep": sheep, "pig": pig, "monkey": monkey,
    "lion": lion, "dog": dog, "cow": cow, "cat": cat,
}  # fmt: skip
