"""Draw an animal doing something: the theme "action" of Table 1.

    from cobsat.drawing import draw
    draw("action", "sing", "lion", seed=0)

Each action is one function that paints its backdrop, the animal and what belongs to the action,
and returns the description.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ...spec import choose
from ..svg import Picture
from .feelings import angry, cry, sing
from .outdoors import fly, run, swim
from .resting import read, sleep
from .table import drink, eat

__all__ = ["ACTIONS", "compose"]

ACTIONS: Final[dict[str, Callable[[Picture, str, random.Random], str]]] = {
    "swim": swim, "sleep": sleep, "sing": sing, "run": run, "read": read, "fly": fly, "eat": eat,
    "drink": drink, "cry": cry, "angry": angry,
}  # fmt: skip


def compose(attribute: str, object_: str, rng: random.Random) -> tuple[str, str]:
    """Return the picture of an animal (`object_`) doing something, as SVG, and its description."""
    picture = Picture()
    description = ACTIONS[choose("action", attribute, ACTIONS)](picture, object_, rng)
    return picture.svg(), description
