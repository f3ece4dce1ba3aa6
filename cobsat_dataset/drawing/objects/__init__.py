"""The ten objects of Table 1 as geometry: `build("car", rng)`.

What a seed varies is inside each object's own file: kind, proportions, pose. Parts named
"shadow" and "shine" lie within the silhouette and only say where it is darker or lighter.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ..svg import Shape
from .apple import apple
from .bag import bag
from .ball import ball
from .book import book
from .box import box
from .car import car
from .chair import chair
from .cup import cup
from .hat import hat
from .leaf import leaf

__all__ = ["OBJECTS", "build"]

OBJECTS: Final[dict[str, Callable[[random.Random], Shape]]] = {
    "leaf": leaf,
    "hat": hat,
    "cup": cup,
    "chair": chair,
    "car": car,
    "box": box,
    "book": book,
    "ball": ball,
    "bag": bag,
    "apple": apple,
}


def build(name: str, rng: random.Random) -> Shape:
    """Draw one object's geometry; it fills about 300 to 360 units of the middle.

    >>> build("car", random.Random(0)).name
    'car'
    """
    return OBJECTS[name](rng)
