"""What stands behind and under an object: quiet walls, floors and shadows, never a colour."""

from __future__ import annotations

import random
from typing import Final

from ..svg import Picture, Shape, element, ellipse_d, num, path, shade
from .geometry import bounds, points_of

TONES: Final[dict[str, tuple[str, ...]]] = {
    "light": ("#e9e7e3", "#e4e8ea", "#ecebe9", "#e6e4e8", "#e8e9e4"),
    "middle": ("#98a3ab", "#9aa0a0", "#a39f9c", "#8f9ba6"),
    "slate": ("#66737f", "#6b7176", "#70707c", "#5f7078"),
    "dark": ("#3d3548", "#2c3a4a", "#43343a", "#2f3d3b", "#38363f"),
}
"""Backdrops by lightness; all near grey."""


def backdrop(
    picture: Picture, shape: Shape, rng: random.Random, tone: str = "light", street: bool = False
) -> str:
    """Paint a background and a contact shadow; return it in words for a description.

    Args:
        picture: What to paint on.
        shape: What will stand in front.
        rng: Where the variation comes from.
        tone: One of `TONES`.
        street: Whether a road with house fronts is among the settings.
    """
    wall = rng.choice(TONES[tone])
    horizon = min(470.0, shape.ground - rng.uniform(36, 70))
    kinds = ["studio", "room", "circle", "window", "stripes", "table"]
    kind = "street" if street and rng.random() < 0.6 else rng.choice(kinds)
    top, low = shade(wall, 0.18), shade(wall, -0.1)
    sky = _fade(picture, top, low)
    picture.add(_rect(0, 0, 512, 512, sky))
    floor = _fade(picture, shade(wall, -0.16), shade(wall, -0.04))
    words = {"light": "pale", "middle": "grey", "slate": "slate-grey", "dark": "dark"}[tone]
    if kind == "studio":
        glow = picture.define(
            "radialGradient",
            element("stop", offset=0, stop_color="#ffffff", stop_opacity=0.5)
            + element("stop", offset=1, stop_color="#ffffff", stop_opacity=0),
            cx=0.5, cy=0.45, r=0.55,
        )  # fmt: skip
        picture.add(_rect(0, 0, 512, 512, glow))
        setting = f"before a plain {words} backdrop"
    elif kind == "circle":
        cx, cy, r = 256 + rng.uniform(-50, 50), 236 + rng.uniform(-30, 30), rng.uniform(170, 205)
        picture.add(path(ellipse_d(cx, cy, r), fill=shade(wall, 0.32)))
        picture.add(_rect(0, horizon, 512, 512 - horizon, floor))
        setting = f"before a {words} wall with a large round patch"
    elif kind == "stripes":
        step = rng.choice((36, 44, 56))
        for x in range(rng.randint(-20, 0), 512, step):
            picture.add(_rect(x, 0, step / 2, horizon, shade(wall, 0.14)))
        picture.add(_rect(0, horizon, 512, 512 - horizon, floor))
        setting = f"before a {words} striped wall"
    elif kind == "window":
        shift = rng.uniform(30, 120)
        for i in range(2):
            for j in range(2):
                u, v = shift + i * 92 + j * 26, 40 + j * 104
                pane = f"M{num(u)} {num(v)}h82l24 94h-82z"
                picture.add(path(pane, fill=shade(wall, 0.4), opacity=0.75))
        picture.add(_rect(0, horizon, 512, 512 - horizon, floor))
        setting = f"by a {words} wall on which light from a window falls"
    elif kind == "table":
        picture.add(_rect(0, horizon, 512, 512 - horizon, floor))
        edge = min(500.0, shape.ground + rng.uniform(26, 46))
        picture.add(_rect(0, edge, 512, 512 - edge, shade(wall, -0.34)))
        setting = f"on a {words} table"
    elif kind == "street":
        x = rng.randint(-40, 0)
        while x < 512:
            wide, high = rng.randint(50, 96), rng.randint(70, 190)
            house = shade(wall, -rng.uniform(0.06, 0.16))
            picture.add(_rect(x, horizon - high, wide, high, house))
            for u in range(x + 12, x + wide - 14, 24):
                for v in range(int(horizon) - high + 14, int(horizon) - 24, 34):
                    picture.add(_rect(u, v, 11, 16, shade(wall, 0.3)))
            x += wide + rng.choice((0, 8, 22))
        road = shade(wall, -0.42)
        picture.add(_rect(0, horizon, 512, 512 - horizon, road))
        picture.add(_rect(0, horizon, 512, 8, shade(wall, -0.22)))
        lane = min(492.0, shape.ground + 34)
        for u in range(rng.randint(-60, 0), 512, 96):
            picture.add(_rect(u, lane, 56, 8, shade(wall, 0.3)))
        setting = f"on a road before {words} houses"
    else:
        picture.add(_rect(0, horizon, 512, 512 - horizon, floor))
        picture.add(_rect(0, horizon - 14, 512, 14, shade(wall, 0.34)))
        picture.add(_rect(0, horizon - 2, 512, 3, shade(wall, -0.28)))
        setting = f"on the floor of a {words} room"
    _contact(picture, shape, 0.5 if tone == "dark" else 0.34)
    return setting


def clause(note: str) -> str:
    """Turn a shape's note into a sentence's end.

    >>> clause("with a slatted back"), clause("a small hatchback")
    ('has a slatted back', 'is a small hatchback')
    """
    return f"has {note[5:]}" if note.startswith("with ") else f"is {note}"


def _contact(picture: Picture, shape: Shape, opacity: float) -> None:
    """Paint the soft shadow on the ground under the shape."""
    left, _, right, bottom = bounds([p for part in shape.parts for p in points_of(part.d)])
    low = [
        p[0] for part in shape.parts for p in points_of(part.d) if p[1] > bottom - 46
    ] or [left, right]  # fmt: skip
    x0, x1 = min(low), max(low)
    middle = (x0 + x1) / 2 + 10
    half = max((x1 - x0) / 2, (right - left) * 0.22) + 18
    soft = picture.define(
        "radialGradient",
        element("stop", offset=0, stop_color="#16141c", stop_opacity=opacity)
        + element("stop", offset=0.55, stop_color="#16141c", stop_opacity=opacity * 0.7)
        + element("stop", offset=1, stop_color="#16141c", stop_opacity=0),
    )
    picture.add(path(ellipse_d(middle, shape.ground - 4, half * 1.12, 24), fill=soft))


def _fade(picture: Picture, top: str, low: str) -> str:
    stops = element("stop", offset=0, stop_color=top) + element("stop", offset=1, stop_color=low)
    return picture.define("linearGradient", stops, x1=0, y1=0, x2=0, y2=1)


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return element("rect", x=x, y=y, width=width, height=height, fill=fill)
