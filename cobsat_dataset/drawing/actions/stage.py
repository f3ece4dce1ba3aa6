"""What every action needs: a backdrop, an animal fitted into the picture, and words for it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from ..animals import Anchors, animal_layers
from ..animals.curves import Frame, Point, smooth_d
from ..svg import SIZE, Picture, element, group, num, path


@dataclass(frozen=True)
class Actor:
    """An animal placed in the picture but not yet painted, so that things can go in between.

    Attributes:
        back: Its body.
        front: Its arms.
        top: Its hands, which lie before what it holds.
        anchors: Where its parts are, in picture units.
        facing: 1 when it faces right, -1 left.
        note: Article, coat and name: "a grey cat".
    """

    back: str
    front: str
    top: str
    anchors: Anchors
    facing: int
    note: str


def cast_animal(
    picture: Picture,
    name: str,
    rng: random.Random,
    *,
    pose: str,
    mood: str,
    arms: str = "down",
    x: float = 256,
    ground: float = 430,
    width: float = 360,
    height: float = 330,
) -> Actor:
    """Place an animal, as large as `width` and `height` allow."""
    layers = animal_layers(picture, name, rng, pose=pose, mood=mood, arms=arms)
    left, top, right, bottom = layers.anchors.box
    scale = min(width / (right - left), height / (bottom - top)) * rng.uniform(0.88, 1.0)
    flip = rng.random() < 0.5
    middle = (left + right) / 2 * scale
    frame = Frame(x + (middle if flip else -middle), ground, 0.0, scale, flip)
    note = layers.anchors.note
    words = f"{note} {name}" if note else name
    return Actor(
        group(layers.back, transform=frame.transform),
        group(layers.front, transform=frame.transform) if layers.front else "",
        group(layers.top, transform=frame.transform) if layers.top else "",
        layers.anchors.mapped(frame),
        -1 if flip else 1,
        f"a {words}",
    )


def gradient(picture: Picture, *stops: tuple[float, str], upright: bool = True) -> str:
    """Define a linear gradient over a shape, from top to bottom (or left to right)."""
    content = "".join(element("stop", offset=o, stop_color=c) for o, c in stops)
    return picture.define(
        "linearGradient", content, x1=0, y1=0, x2=0 if upright else 1, y2=1 if upright else 0
    )


def glow(picture: Picture, color: str, opacity: float = 1.0) -> str:
    """Define a radial gradient that fades from a colour to nothing."""
    stops = element("stop", offset=0, stop_color=color, stop_opacity=opacity)
    stops += element("stop", offset=1, stop_color=color, stop_opacity=0)
    return picture.define("radialGradient", stops)


def backdrop(picture: Picture, *stops: tuple[float, str]) -> None:
    """Paint the whole picture with a vertical gradient."""
    picture.add(element("rect", width=SIZE, height=SIZE, fill=gradient(picture, *stops)))


def box(x: float, y: float, width: float, height: float, fill: str, **more: object) -> str:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, fill=fill, **more)


def oval(x: float, y: float, rx: float, ry: float, fill: str, **more: object) -> str:
    """Return an ellipse."""
    return element("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=fill, **more)


def poly(points: Sequence[Point], fill: str, **more: object) -> str:
    """Return a polygon."""
    return element(
        "polygon", points=" ".join(f"{num(x)},{num(y)}" for x, y in points), fill=fill, **more
    )


def cloud(x: float, y: float, width: float, fill: str = "#ffffff", opacity: float = 1.0) -> str:
    """Return a cloud whose flat foot is centred at (x, y)."""
    w = width / 2
    d = (
        f"M{num(x - w)} {num(y)}a{num(w * 0.3)} {num(w * 0.3)} 0 0 1 {num(w * 0.3)} "
        f"{num(-w * 0.42)}a{num(w * 0.42)} {num(w * 0.42)} 0 0 1 {num(w * 0.76)} {num(-w * 0.18)}"
        f"a{num(w * 0.34)} {num(w * 0.34)} 0 0 1 {num(w * 0.58)} {num(w * 0.24)}"
        f"a{num(w * 0.22)} {num(w * 0.22)} 0 0 1 {num(w * 0.36)} {num(w * 0.36)}Z"
    )
    return path(d, fill=fill, fill_opacity=opacity if opacity < 1 else None)


def hill(y: float, rise: float, fill: str, phase: float) -> str:
    """Return rolling ground from `y` down to the bottom of the picture."""
    points = [(x, y + rise * math.sin(x / 95 + phase)) for x in range(-40, SIZE + 80, 40)]
    top = smooth_d(points, closed=False)
    return path(f"{top}L{SIZE + 40} {SIZE}L-40 {SIZE}Z", fill=fill)


def drop(x: float, y: float, size: float, fill: str, angle: float = 0.0) -> str:
    """Return a drop of water, its tip up."""
    d = f"M0 {num(-size)}C{num(size * 0.9)} {num(size * 0.1)} {num(size * 0.6)} {num(size)} 0 "
    d += f"{num(size)}C{num(-size * 0.6)} {num(size)} {num(-size * 0.9)} {num(size * 0.1)} 0 "
    d += f"{num(-size)}Z"
    return path(d, fill=fill, transform=Frame(x, y, angle).transform)


def one_of(rng: random.Random, *texts: str) -> str:
    """Choose one wording and make it a sentence."""
    text = rng.choice(texts)
    return text[0].upper() + text[1:] + "."
