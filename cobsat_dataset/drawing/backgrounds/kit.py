"""What the scenes have in common: gradients, hills, clouds, rocks, and the scene itself."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..svg import SIZE, Picture, element, ellipse_d, num, path, polygon_d

Point = tuple[float, float]


@dataclass
class Scene:
    """A painted background, and how an animal is put into it.

    Attributes:
        place: Where the animal is, as a description says it: "on the beach".
        seen: What else is seen, as a noun phrase: "a striped parasol and a blue sea".
        halo: Colour of the soft patch of light or shade behind the animal.
        halo_opacity: How strong that is, in 0..1.
        rim: Colour of the thin shine around the animal, as a rule that of the halo.
        deep: The halo's and the rim's colour for a pale animal, where the others are light.
        ground: The y on which the animal stands.
        tint: A colour laid faintly over the animal, for the light of the place, or None.
        helmet: Whether the animal wears a glass bubble on its head.
        front: Elements painted over the animal.
    """

    place: str
    seen: str
    halo: str
    halo_opacity: float = 0.75
    rim: str | None = None
    deep: str | None = None
    helmet: bool = False
    ground: float = 440.0
    tint: str | None = None
    tint_opacity: float = 0.15
    front: list[str] = field(default_factory=list)


def _stops(stops: Sequence[tuple[float, str] | tuple[float, str, float]]) -> str:
    return "".join(
        element(
            "stop",
            offset=stop[0],
            stop_color=stop[1],
            stop_opacity=stop[2] if len(stop) == 3 else None,
        )
        for stop in stops
    )


def linear(
    picture: Picture,
    *stops: tuple[float, str] | tuple[float, str, float],
    start: Point = (0, 0),
    end: Point = (0, 1),
) -> str:
    """Define a gradient along a line in the shape's own unit box; a stop may add an opacity."""
    return picture.define(
        "linearGradient", _stops(stops), x1=start[0], y1=start[1], x2=end[0], y2=end[1]
    )


def radial(
    picture: Picture,
    *stops: tuple[float, str] | tuple[float, str, float],
    center: Point = (0.5, 0.5),
    radius: float = 0.5,
) -> str:
    """Define a gradient from a centre outwards in the shape's own unit box."""
    return picture.define("radialGradient", _stops(stops), cx=center[0], cy=center[1], r=radius)


def band(top: float, bottom: float, fill: str, **attributes: object) -> str:
    """Paint the whole width from `top` to `bottom`."""
    return element("rect", x=0, y=top, width=SIZE, height=bottom - top, fill=fill, **attributes)


def glow(picture: Picture, x: float, y: float, r: float, color: str, opacity: float = 1) -> str:
    """Paint a round light that fades to nothing at radius `r`."""
    paint = radial(picture, (0, color, opacity), (0.35, color, opacity * 0.45), (1, color, 0))
    return element("circle", cx=x, cy=y, r=r, fill=paint)


def smooth_d(points: Sequence[Point]) -> str:
    """Return an open path through the points without corners (quadratics through midpoints)."""
    words = [f"M{num(points[0][0])} {num(points[0][1])}"]
    for here, there in itertools.pairwise(points[1:]):
        mid = ((here[0] + there[0]) / 2, (here[1] + there[1]) / 2)
        words.append(f"Q{num(here[0])} {num(here[1])} {num(mid[0])} {num(mid[1])}")
    words.append(f"L{num(points[-1][0])} {num(points[-1][1])}")
    return "".join(words)


def hills_d(rng: random.Random, y: float, height: float, count: int = 4) -> str:
    """Return rolling hills from edge to edge around `y`, closed at the bottom."""
    step = (SIZE + 120) / count
    points = [
        (-60 + i * step + rng.uniform(-0.2, 0.2) * step,
         y + (height if i % 2 else -height) * rng.uniform(0.4, 1.0))
        for i in range(count + 1)
    ]  # fmt: skip
    points = [(-80.0, y), *points, (SIZE + 80.0, y)]
    return f"{smooth_d(points)}L{SIZE + 80} {SIZE}L-80 {SIZE}Z"


def ridge_d(rng: random.Random, y: float, height: float, count: int = 8) -> str:
    """Return a jagged ridge from edge to edge: peaks up to `height` above `y`."""
    step = (SIZE + 80) / (2 * count)
    points = [
        (-40 + i * step + rng.uniform(-0.3, 0.3) * step,
         y - (height * rng.uniform(0.55, 1.0) if i % 2 else height * rng.uniform(0.0, 0.35)))
        for i in range(2 * count + 1)
    ]  # fmt: skip
    return polygon_d(((-40, SIZE), *points, (SIZE + 40, SIZE)))


def cloud(x: float, y: float, size: float, fill: str, opacity: float = 1.0) -> str:
    """Paint a cloud with a flat foot; `size` is its width."""
    s = size / 100
    d = "".join(
        ellipse_d(x + dx * s, y + dy * s, rx * s, ry * s)
        for dx, dy, rx, ry in ((-26, 0, 24, 14), (0, -12, 27, 24), (26, -3, 24, 17), (0, 4, 44, 10))
    )
    return path(d, fill=fill, opacity=opacity)


def star_d(x: float, y: float, r: float, arms: int = 5, inner: float = 0.45) -> str:
    """Return a star with `arms` points, one of them up."""
    points = []
    for i in range(2 * arms):
        angle = -math.pi / 2 + i * math.pi / arms
        radius = r if i % 2 == 0 else r * inner
        points.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return polygon_d(tuple(points))


def rock(
    rng: random.Random, x: float, y: float, width: float, height: float, color: str, light: str
) -> str:
    """Paint a faceted rock that stands at `y`: its body, and the side that takes the light."""
    half = width / 2
    top = [
        (x - half, y),
        (x - half * rng.uniform(0.75, 0.95), y - height * rng.uniform(0.4, 0.6)),
        (x - half * rng.uniform(0.2, 0.45), y - height * rng.uniform(0.85, 1.0)),
        (x + half * rng.uniform(0.2, 0.45), y - height * rng.uniform(0.8, 1.0)),
        (x + half * rng.uniform(0.75, 0.95), y - height * rng.uniform(0.35, 0.55)),
        (x + half, y),
    ]
    middle = (x + half * rng.uniform(-0.1, 0.2), y - height * rng.uniform(0.45, 0.6))
    lit = (top[1], top[2], top[3], middle)
    return path(polygon_d(tuple(top)), fill=color) + path(polygon_d(lit), fill=light)


def scatter(
    rng: random.Random, count: int, x: tuple[float, float], y: tuple[float, float]
) -> list[Point]:
    """Return points spread over a box."""
    return [(rng.uniform(*x), rng.uniform(*y)) for _ in range(count)]


def dots(
    points: Sequence[Point], radius: tuple[float, float], rng: random.Random, **attributes: object
) -> str:
    """Paint small discs as one path."""
    d = "".join(ellipse_d(x, y, rng.uniform(*radius)) for x, y in points)
    return path(d, **attributes)


def side(rng: random.Random) -> int:
    """Return -1 or 1: on which side of the picture something stands."""
    return rng.choice((-1, 1))
