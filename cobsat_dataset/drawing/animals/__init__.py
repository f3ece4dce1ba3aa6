"""The ten animals of Table 1, drawn from parts that a seed moves: pose, coat, proportions, mood.

    from cobsat.drawing.animals import add_animal
    anchors = add_animal(picture, "zebra", rng, pose="walk", x=256, ground=430)

An animal faces right (left with `flip`), stands with its feet on `ground` and is some 300 units
wide at scale 1 (a cat 260, a lion 370). The anchors that come back say where its mouth, eyes,
hands, back … are.
"""

from __future__ import annotations

import random
from typing import Final, cast

from ...spec import choose
from ..svg import Picture, element, group
from .bird import bird
from .curves import Frame
from .face import MOODS, Mood
from .front import upright
from .layers import Anchors, Layers
from .side import quadruped

__all__ = ["ANIMALS", "POSES", "Anchors", "add_animal", "animal_layers"]

ANIMALS: Final = (
    "zebra", "tiger", "sheep", "pig", "monkey", "lion", "dog", "cow", "cat", "bird",
)  # fmt: skip
POSES: Final = ("walk", "run", "swim", "fly", "sleep", "sit", "stand")
_GROUNDED: Final = ("walk", "sleep", "sit", "stand")


def animal_layers(
    picture: Picture,
    name: str,
    rng: random.Random,
    *,
    pose: str = "walk",
    mood: str | None = None,
    arms: str = "down",
) -> Layers:
    """Draw an animal in its own coordinates (feet at y = 0, facing right).

    Args:
        picture: Where gradients and clip paths are defined.
        name: One of the ten.
        rng: Moves coat, proportions and pose.
        pose: "walk", "run", "swim", "fly", "sleep" (lying) from the side; "sit", "stand" (on
            two legs) from the front.
        mood: Its face: "calm", "asleep", "sing", "read", "chew", "sip", "sad", "angry"; None
            is "asleep" for the pose "sleep", else "calm".
        arms: For "sit" and "stand": "down", "hold" (before the chest), "raise", "dine"
            (out and up, for a fork), "fists" (on the hips).
    """
    choose("animal", name, ANIMALS)
    choose("pose", pose, POSES)
    mood = choose("mood", mood or ("asleep" if pose == "sleep" else "calm"), MOODS)
    if name == "bird":
        return bird(picture, rng, pose, cast(Mood, mood), arms)
    if pose in ("sit", "stand"):
        return upright(picture, name, rng, pose, cast(Mood, mood), arms)
    return quadruped(picture, name, rng, pose, cast(Mood, mood))


def add_animal(
    picture: Picture,
    name: str,
    rng: random.Random,
    *,
    pose: str = "walk",
    x: float = 256,
    ground: float = 430,
    scale: float = 1.0,
    flip: bool = False,
    mood: str | None = None,
    shadow: bool = True,
) -> Anchors:
    """Paint a whole animal with its feet on `ground` and its middle at `x`.

    `shadow` lays a soft shadow on the ground under poses that stand or lie on it. See
    `animal_layers` for poses and moods.

    Returns:
        Where its parts are, in picture units.
    """
    layers = animal_layers(picture, name, rng, pose=pose, mood=mood)
    left, _, right, _ = layers.anchors.box
    middle = (left + right) / 2 * scale
    frame = Frame(x + (middle if flip else -middle), ground, 0.0, scale, flip)
    if shadow and pose in _GROUNDED:
        half = (right - left) / 2 * scale
        picture.add(
            element("ellipse", cx=x, cy=ground - 2 * scale, rx=half * 0.86, ry=12 * scale,
                    fill="#000000", fill_opacity=0.2)
        )  # fmt: skip
    picture.add(group(layers.back, layers.front, layers.top, transform=frame.transform))
    return layers.anchors.mapped(frame)
