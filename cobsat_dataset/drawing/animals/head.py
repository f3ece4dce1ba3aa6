"""What a drawn head is, and the pieces that several heads share.

A head is drawn in its own coordinates: (0, 0) is its middle, y points down, and it is about a
hundred units wide.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..svg import Picture, num, path
from .curves import Point, smooth_d
from .paint import solid


@dataclass(frozen=True)
class Head:
    """A drawn head, and where its parts are, in its own coordinates."""

    svg: str
    mouth: Point
    eyes: tuple[Point, Point]
    eye_radius: float
    ears: tuple[Point, Point]
    top: float
    chin: float
    half_width: float


def mirror(points: list[Point]) -> list[Point]:
    """Return points mirrored left to right."""
    return [(-x, y) for x, y in points]


def wool_d(cx: float, cy: float, rx: float, ry: float, bumps: int, size: float) -> str:
    """Return a cloud's outline: bumps around an ellipse."""
    words = []
    for k in range(bumps + 1):
        a = 2 * math.pi * k / bumps
        x, y = cx + rx * math.cos(a), cy + ry * math.sin(a)
        words.append(
            f"M{num(x)} {num(y)}" if k == 0 else f"A{num(size)} {num(size)} 0 0 1 {num(x)} {num(y)}"
        )
    return "".join(words) + "Z"


def two_ears(
    picture: Picture, points: list[Point], inner: list[Point], fill: str, line: str, skin: str
) -> str:
    """Return two ears, mirrored, with their inner sides."""
    out = []
    for shape, hollow in ((points, inner), (mirror(points), mirror(inner))):
        out.append(solid(picture, [smooth_d(shape)], fill, line))
        out.append(path(smooth_d(hollow), fill=skin))
    return "".join(out)


def make_head(
    parts: list[str],
    mouth_at: Point,
    eye_at: tuple[Point, Point],
    r: float,
    ears: Point,
    top: float,
    chin: float,
    half: float,
) -> Head:
    """Join a head's parts; `ears` is the right ear's tip, `half` half of its width."""
    return Head("".join(parts), mouth_at, eye_at, r, ((-ears[0], ears[1]), ears), top, chin, half)


def flip_d(d: str) -> str:
    """Return path data of `x y` pairs mirrored left to right."""
    return re.sub(r"(-?[\d.]+) (-?[\d.]+)", lambda m: f"{num(-float(m[1]))} {m[2]}", d)
