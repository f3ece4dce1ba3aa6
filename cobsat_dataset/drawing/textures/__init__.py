"""The theme texture: one of ten objects made of one of ten materials.

    svg, description = compose("wicker", "box", random.Random(0))

Each material is a function in `hard`, `soft` or `sheets` that dresses a shape and says in
words what is seen of it; its pattern follows the faces of the object.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from ..objects import build
from ..objects.scene import backdrop, clause
from ..svg import Picture, Shape
from . import hard, sheets, soft

__all__ = ["compose"]

_MATERIALS: Final[dict[str, tuple[Callable[[Picture, Shape, random.Random], str], str]]] = {
    "wood": (hard.wood, "light"),
    "wicker": (soft.wicker, "light"),
    "sequined": (sheets.sequined, "dark"),
    "plastic": (hard.plastic, "light"),
    "paper": (sheets.paper, "slate"),
    "metal": (hard.metal, "light"),
    "leather": (soft.leather, "light"),
    "lace": (soft.lace, "dark"),
    "denim": (soft.denim, "light"),
    "ceramic": (hard.ceramic, "middle"),
}
"""How each material is drawn, and the lightness of the backdrop on which it stands out."""

_ADJECTIVES: Final = {"wood": "wooden"}


def compose(attribute: str, object_: str, rng: random.Random) -> tuple[str, str]:
    """Return the SVG text and the description of an object of a material."""
    material, tone = _MATERIALS[attribute]
    shape = build(object_, rng)
    picture = Picture()
    setting = backdrop(picture, shape, rng, tone, street=object_ == "car")
    words = material(picture, shape, rng)
    return picture.svg(), _describe(attribute, object_, shape.note, words, setting, rng)


def _describe(
    attribute: str, object_: str, note: str, words: str, setting: str, rng: random.Random
) -> str:
    adjective = _ADJECTIVES.get(attribute, attribute)
    named = f"A {adjective} {object_}"
    if attribute != "sequined" and rng.random() < 0.4:
        named = f"{'An' if object_ == 'apple' else 'A'} {object_} made of {attribute}"
    return rng.choice(
        (
            f"{named}, {note}, {setting}; {words}.",
            f"{named} {setting}. It {clause(note)}, and {words}.",
        )
    )
