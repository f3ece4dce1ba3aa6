"""What a material is to an object: a paint that follows each part, and how its edges end."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..objects.geometry import Matrix, Point, points_of
from ..objects.lighting import OVERLAYS, film, light, volume
from ..objects.outline import extent
from ..svg import Part, Picture, Shape, element, num, path

_HINGES: Final = ("panel",)
"""Names of parts whose paint is turned from one to the next."""


@dataclass
class Skin:
    """A material ready to be laid over a shape's parts.

    Attributes:
        paint: From a part and the frame of its face to the fill.
        edge: The colour of outlines.
        line: The colour of lines.
        edge_width: The width of outlines.
        detail: The fill of details; by default `paint`, lighter or darker by their own fill.
        finish: What is painted over a main part: seams, rivets, rims.
        under: The colour laid under a part first; paints may have holes, and tiles fine gaps.
        strength: How strongly light and shadow show.
        gloss: How strongly highlights show.
        trim: A colour laid beside lines, where the paint would swallow them.
    """

    paint: Callable[[Part, Matrix], str]
    under: str
    edge: str
    line: str
    edge_width: float = 3.0
    detail: Callable[[Part, Matrix], str] | None = None
    finish: Callable[[Part, str], None] | None = None
    strength: float = 1.0
    gloss: float = 0.4
    trim: str | None = None


def dress(picture: Picture, shape: Shape, skin: Skin) -> None:
    """Paint a shape in a material, back to front."""
    for index, part in enumerate(shape.parts):
        if part.role == "line":
            if skin.trim:
                picture.add(
                    path(part.d, fill="none", stroke=skin.trim, stroke_width=part.width + 7)
                )
            picture.add(
                path(
                    part.d,
                    fill="none",
                    stroke=skin.line,
                    stroke_width=max(1.8, part.width),
                    stroke_linecap="round",
                    stroke_linejoin="round",
                    opacity=0.8,
                )
            )
        elif part.name in OVERLAYS:
            color, opacity = film(
                part.shade * (1.4 * skin.strength if part.shade < 0 else skin.gloss)
            )
            picture.add(path(part.d, fill=color, opacity=min(0.6, opacity)))
        elif part.role == "detail":
            _detail(picture, part, skin)
        else:
            matrix = frame(part, index)
            picture.add(path(part.d, fill=skin.under))
            fill = skin.paint(part, matrix)
            picture.add(path(part.d, fill=fill))
            tone = 0.9 * part.shade * skin.strength
            cover = light(
                picture,
                volume(shape, part),
                lambda amount, tone=tone: film(tone + amount * 0.85 * skin.strength),  # type: ignore[misc]
            )
            picture.add(
                path(
                    part.d,
                    fill=cover,
                    stroke=skin.edge,
                    stroke_width=skin.edge_width,
                    stroke_linejoin="round",
                )
            )
            if skin.finish:
                skin.finish(part, fill)
    if shape.name == "ball":
        cover = light(picture, "sphere", lambda amount: film(min(0.0, amount) * 0.9))
        picture.add(path(shape.parts[0].d, fill=cover))


def _detail(picture: Picture, part: Part, skin: Skin) -> None:
    matrix = frame(part, 0)
    if skin.detail:
        picture.add(path(part.d, fill=skin.under), path(part.d, fill=skin.detail(part, matrix)))
        tone = 0.0
    else:
        picture.add(path(part.d, fill=skin.under), path(part.d, fill=skin.paint(part, matrix)))
        tone = (lightness(part.fill) - 0.62) * 1.1
    color, opacity = film(tone)
    picture.add(
        path(
            part.d,
            fill=color,
            fill_opacity=opacity,
            stroke=skin.edge,
            stroke_width=min(2.0, skin.edge_width),
            stroke_linejoin="round",
        )
    )


def lightness(color: str) -> float:
    """Return how light a colour is, 0 to 1."""
    return sum(int(color[i : i + 2], 16) for i in (1, 3, 5)) / 765


def frame(part: Part, index: int) -> Matrix:
    """Return the map from a flat cloth to a part: a face's own directions, or the picture's.

    A part of four corners is a face: its paint starts in its first corner and runs along its
    sides. "panel" parts are turned against one another, as a ball's patches are.
    """
    points = points_of(part.d)
    if len(points) == 4 and "C" not in part.d and "Q" not in part.d:
        a, b, _, d = points
        u, v = _unit(a, b), _unit(a, d)
        if abs(u[0] * v[1] - u[1] * v[0]) > 0.25:
            return (*u, *v, *a)
    angle = math.radians(50 * index) if part.name in _HINGES else 0.0
    x, y = points[0]
    return (math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle), x, y)


def _unit(a: Point, b: Point) -> Point:
    length = math.dist(a, b) or 1.0
    return ((b[0] - a[0]) / length, (b[1] - a[1]) / length)


def upright(part: Part) -> bool:
    """Return whether a part is a face that is longer down than across."""
    points = points_of(part.d)
    if len(points) == 4:
        return math.dist(points[0], points[3]) > 1.3 * math.dist(points[0], points[1])
    width, height = extent(part.d)
    return height > 1.6 * width


def quarter(matrix: Matrix) -> Matrix:
    """Turn a cloth by a quarter: what ran across runs down."""
    a, b, c, d, e, f = matrix
    return (c, d, -a, -b, e, f)


class Tile:
    """A repeated motif, defined once and used in many frames."""

    def __init__(self, picture: Picture, width: float, height: float, content: str) -> None:
        self._picture = picture
        self._known: dict[Matrix, str] = {}
        url = picture.define(
            "pattern", content, width=width, height=height, patternUnits="userSpaceOnUse"
        )
        self._base = url[5:-1]

    def __call__(self, matrix: Matrix, scale: float = 1.0) -> str:
        """Return the paint in a frame."""
        a, b, c, d, e, f = matrix
        scaled = (a * scale, b * scale, c * scale, d * scale, e, f)
        if scaled not in self._known:
            words = " ".join(num(v) if i > 3 else f"{v:.3f}" for i, v in enumerate(scaled))
            self._known[scaled] = self._picture.define(
                "pattern",
                "",
                **{"xlink:href": f"#{self._base}", "patternTransform": f"matrix({words})"},
            )
        return self._known[scaled]


def wavy(rng: random.Random, y: float, width: float, sway: float, steps: int = 4) -> str:
    """Return a wavy line across a tile that meets itself at the tile's edges."""
    lift = [rng.uniform(-sway, sway) for _ in range(steps)]
    lift.append(lift[0])
    d = [f"M0 {num(y + lift[0])}"]
    step = width / steps
    for i in range(steps):
        x = step * i
        d.append(
            f"C{num(x + step / 2)} {num(y + lift[i])} {num(x + step / 2)} {num(y + lift[i + 1])} "
            f"{num(x + step)} {num(y + lift[i + 1])}"
        )
    return "".join(d)


def largest(shape: Shape) -> Part:
    """Return the main part that covers the most."""
    mains = [p for p in shape.parts if p.role == "main" and p.name not in OVERLAYS]
    return max(mains, key=lambda p: extent(p.d)[0] * extent(p.d)[1])


def size(part: Part) -> float:
    """Return a part's lesser extent."""
    return min(extent(part.d))


def dot(x: float, y: float, r: float, fill: str) -> str:
    """Write a circle."""
    return element("circle", cx=x, cy=y, r=r, fill=fill)
