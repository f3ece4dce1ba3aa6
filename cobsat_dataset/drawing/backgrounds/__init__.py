"""Theme `background`: an animal in one of ten places, and what makes the place known at a glance.

Each place is a function that paints a whole scene into a picture and says how an animal stands
in it; the animal itself is `cobsat.drawing.animals`'. Adding a place: one function and one line
in `SCENES`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Final

from ..animals import Anchors, add_animal
from ..svg import Picture, element, ellipse_d, group, path
from .built import gym, park
from .cosmos import helmet, space
from .kit import Scene, radial
from .land import beach, cave, desert, volcano
from .water import glacier, seafloor, waterfall

__all__ = ["SCENES", "compose"]

SCENES: Final[dict[str, Callable[[Picture, random.Random], Scene]]] = {
    "beach": beach,
    "desert": desert,
    "glacier": glacier,
    "volcano": volcano,
    "park": park,
    "gym": gym,
    "waterfall": waterfall,
    "space": space,
    "cave": cave,
    "seafloor": seafloor,
}
_PALE: Final = ("zebra", "sheep", "cow")
_SITTERS: Final = ("tiger", "pig", "monkey", "lion", "dog", "cat")


def compose(attribute: str, object_: str, rng: random.Random) -> tuple[str, str]:
    """Return the SVG and the description of an animal in a place."""
    picture = Picture()
    scene = SCENES[attribute](picture, rng)
    x = rng.uniform(238, 274)
    scale = rng.uniform(0.92, 1.04)
    pose = "sit" if object_ in _SITTERS and rng.random() < 0.3 else "walk"
    ground = scene.ground - rng.uniform(0, 8)
    flip = rng.random() < 0.5
    halo, rim = scene.halo, scene.rim or scene.halo
    if object_ in _PALE and scene.deep:
        halo = rim = scene.deep

    patch = radial(
        picture,
        (0, halo, scene.halo_opacity * 0.8),
        (0.6, halo, scene.halo_opacity * 0.5),
        (1, halo, 0),
    )
    shadow = radial(picture, (0, "#000000", 0.55), (0.6, "#000000", 0.4), (1, "#000000", 0))
    picture.add(
        path(ellipse_d(x, ground - 120, 190, 160), fill=patch),
        path(ellipse_d(x, ground, 160 * scale, 20), fill=shadow),
    )
    painted = len(picture.body)
    anchors = add_animal(
        picture, object_, rng, pose=pose, x=x, ground=ground, scale=scale, flip=flip, shadow=False
    )
    animal = picture.body[painted:]
    del picture.body[painted:]
    picture.add(group(*animal, filter=_outline(picture, scene, rim)))
    if scene.helmet:
        picture.add(_helmet(picture, anchors))
    picture.add(*scene.front)
    return picture.svg(), _description(scene, object_, anchors.note, pose, rng)


def _outline(picture: Picture, scene: Scene, rim: str) -> str:
    """Define a filter that gives the animal a thin shine around it and the light of the place."""
    steps = [
        element("feGaussianBlur", in_="SourceAlpha", stdDeviation=5),
        element("feComponentTransfer", element("feFuncA", type="linear", slope=2.4), result="edge"),
        element("feFlood", flood_color=rim, flood_opacity=0.9),
        element("feComposite", in2="edge", operator="in", result="shine"),
    ]
    layers = ["shine", "SourceGraphic"]
    if scene.tint:
        steps += [
            element("feFlood", flood_color=scene.tint, flood_opacity=scene.tint_opacity),
            element("feComposite", in2="SourceAlpha", operator="in", result="tint"),
        ]
        layers.append("tint")
    merge = element("feMerge", "".join(element("feMergeNode", in_=name) for name in layers))
    return picture.define(
        "filter", "".join(steps) + merge, x="-10%", y="-10%", width="120%", height="120%",
        color_interpolation_filters="sRGB",
    )  # fmt: skip


def _helmet(picture: Picture, anchors: Anchors) -> str:
    """Paint a glass bubble that holds the head with its ears and muzzle."""
    (x, y), ends = anchors.head, (*anchors.ears, anchors.mouth, anchors.head_top)
    reach = max(math.dist((x, y), end) for end in ends)
    return helmet(picture, x, y, max(anchors.head_radius, reach) * 1.12)


def _description(scene: Scene, animal: str, coat: str, pose: str, rng: random.Random) -> str:
    animal = f"{coat} {animal}".strip()
    article = "An" if animal[0] in "aeiou" else "A"
    stands = rng.choice(
        ("stands", "is standing", "walks") if pose == "walk" else ("sits", "is sitting")
    )
    return rng.choice(
        (
            f"{article} {animal} {stands} {scene.place}, with {scene.seen}.",
            f"{article} {animal} {stands} {scene.place}; around it are {scene.seen}.",
            f"The picture shows {article.lower()} {animal} {scene.place}. "
            f"Behind it are {scene.seen}.",
        )
    )
