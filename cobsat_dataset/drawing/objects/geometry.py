"""Paths, boxes and placement: what the ten objects are put together from.

Paths here use the absolute commands M, L, C, Q and Z alone, so that any affine map can be
applied to their numbers pair by pair.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ..svg import Part, Shape, num

Point: TypeAlias = tuple[float, float]
Facet: TypeAlias = tuple[Point, ...]
Matrix: TypeAlias = tuple[float, float, float, float, float, float]
"""a, b, c, d, e, f as SVG writes them: x' = ax + cy + e, y' = bx + dy + f."""
Projection: TypeAlias = Callable[[float, float, float], Point]

_PAIR: Final = re.compile(r"(-?[\d.]+)[ ,](-?[\d.]+)")
_KAPPA: Final = 0.5523


def pair(point: Point) -> str:
    """Write a point."""
    return f"{num(point[0])} {num(point[1])}"


def poly(*points: Point) -> str:
    """Return the path data of a closed polygon."""
    return "M" + "L".join(pair(p) for p in points) + "Z"


def line(*points: Point) -> str:
    """Return the path data of an open polyline."""
    return "M" + "L".join(pair(p) for p in points)


def curve(points: Sequence[Point], closed: bool = True, tension: float = 1.0) -> str:
    """Return a smooth curve through the points (Catmull-Rom); lower tension is straighter."""
    n = len(points)
    d = ["M" + pair(points[0])]
    for i in range(n if closed else n - 1):
        if closed:
            p0, p1, p2, p3 = (points[(i + k) % n] for k in (-1, 0, 1, 2))
        else:
            p0, p1, p2, p3 = (points[min(n - 1, max(0, i + k))] for k in (-1, 0, 1, 2))
        k = tension / 6
        c1 = (p1[0] + (p2[0] - p0[0]) * k, p1[1] + (p2[1] - p0[1]) * k)
        c2 = (p2[0] - (p3[0] - p1[0]) * k, p2[1] - (p3[1] - p1[1]) * k)
        d.append(f"C{pair(c1)} {pair(c2)} {pair(p2)}")
    return "".join(d) + ("Z" if closed else "")


def rounded(points: Sequence[Point], radius: float | Sequence[float]) -> str:
    """Return a polygon with rounded corners; `radius` for all, or one a corner."""
    n = len(points)
    d: list[str] = []
    for i, corner in enumerate(points):
        r = radius if isinstance(radius, (int, float)) else radius[i]
        ends = []
        for other in (points[i - 1], points[(i + 1) % n]):
            length = math.dist(corner, other) or 1.0
            t = min(0.5, r / length)
            ends.append(toward(corner, other, t))
        d.append(f"{'L' if d else 'M'}{pair(ends[0])}Q{pair(corner)} {pair(ends[1])}")
    return "".join(d) + "Z"


def oval(cx: float, cy: float, rx: float, ry: float | None = None, turn: float = 0.0) -> str:
    """Return an ellipse, turned by `turn` degrees, as four cubics."""
    ry = rx if ry is None else ry
    kx, ky = rx * _KAPPA, ry * _KAPPA
    d = (
        f"M{pair((-rx, 0))}C{pair((-rx, -ky))} {pair((-kx, -ry))} {pair((0, -ry))}"
        f"C{pair((kx, -ry))} {pair((rx, -ky))} {pair((rx, 0))}"
        f"C{pair((rx, ky))} {pair((kx, ry))} {pair((0, ry))}"
        f"C{pair((-kx, ry))} {pair((-rx, ky))} {pair((-rx, 0))}Z"
    )
    a = math.radians(turn)
    return move(d, (math.cos(a), math.sin(a), -math.sin(a), math.cos(a), cx, cy))


def arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> list[Point]:
    """Return points along an ellipse, degrees clockwise from +x, both ends included."""
    steps = max(2, round(abs(end - start) / 15))
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def ribbon(points: Sequence[Point], width: float) -> str:
    """Return a smooth band of a given width along a line: a handle, a strap."""
    left, right = [], []
    for i, p in enumerate(points):
        a, b = points[max(0, i - 1)], points[min(len(points) - 1, i + 1)]
        length = math.dist(a, b) or 1.0
        nx, ny = (b[1] - a[1]) / length * width / 2, -(b[0] - a[0]) / length * width / 2
        left.append((p[0] + nx, p[1] + ny))
        right.append((p[0] - nx, p[1] - ny))
    back = curve(right[::-1], closed=False)
    return curve(left, closed=False) + "L" + back[1:] + "Z"


def toward(a: Point, b: Point, t: float) -> Point:
    """Return the point that lies the fraction `t` of the way from a to b."""
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)


def apply(matrix: Matrix, point: Point) -> Point:
    """Map a point."""
    a, b, c, d, e, f = matrix
    x, y = point
    return (a * x + c * y + e, b * x + d * y + f)


def move(d: str, matrix: Matrix) -> str:
    """Map every point of a path."""
    return _PAIR.sub(lambda m: pair(apply(matrix, (float(m[1]), float(m[2])))), d)


def points_of(d: str) -> list[Point]:
    """Return every point that a path names, control points among them."""
    return [(float(m[1]), float(m[2])) for m in _PAIR.finditer(d)]


def bounds(points: Sequence[Point]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def camera(yaw: float, pitch: float) -> Projection:
    """Return a parallel projection: x right, y up, z to the viewer; angles in degrees.

    With a positive yaw the +x side of things is seen, with a positive pitch their top.
    """
    cy, sy = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    cp, sp = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))

    def project(x: float, y: float, z: float) -> Point:
        depth = x * sy + z * cy
        return (x * cy - z * sy, -y * cp + depth * sp)

    return project


def block(
    project: Projection,
    x: tuple[float, float],
    y: tuple[float, float],
    z: tuple[float, float],
) -> tuple[Facet, Facet, Facet]:
    """Return the front, right and top faces of a cuboid, each from its top left corner on.

    In the picture each runs top left, top right, bottom right, bottom left.
    """
    (x0, x1), (y0, y1), (z0, z1) = x, y, z
    front = (project(x0, y1, z1), project(x1, y1, z1), project(x1, y0, z1), project(x0, y0, z1))
    right = (project(x1, y1, z1), project(x1, y1, z0), project(x1, y0, z0), project(x1, y0, z1))
    top = (project(x0, y1, z0), project(x1, y1, z0), project(x1, y1, z1), project(x0, y1, z1))
    return front, right, top


def quad_parts(name: str, faces: tuple[Facet, Facet, Facet], tone: float = 0.0) -> list[Part]:
    """Return a cuboid's three faces as parts, lit from above and in front."""
    front, right, top = faces
    return [
        Part(f"{name} side", poly(*right), shade=tone - 0.2),
        Part(f"{name} top", poly(*top), shade=tone + 0.16),
        Part(f"{name} front", poly(*front), shade=tone),
    ]


def place(
    shape: Shape,
    rng: random.Random,
    width: float = 340.0,
    height: float = 330.0,
    tilt: float = 0.0,
    scale: tuple[float, float] = (0.86, 1.04),
) -> Shape:
    """Fit a shape into the middle of the picture; the seed flips, scales, turns and moves it.

    Args:
        shape: In any units; only its proportions matter.
        rng: Where the variation comes from.
        width: The most that it may be wide, before scaling by 0.86 to 1.04.
        height: The most that it may be high, likewise.
        tilt: The most that it may be turned, in degrees.
        scale: The least and the most of the seed's scaling.
    """
    flip = -1.0 if rng.random() < 0.5 else 1.0
    angle = math.radians(rng.uniform(-tilt, tilt))
    turn = (math.cos(angle) * flip, math.sin(angle) * flip, -math.sin(angle), math.cos(angle))
    points = [q for part in shape.parts for q in points_of(part.d)]
    turned = [apply((*turn, 0.0, 0.0), q) for q in points]
    x0, y0, x1, y1 = bounds(turned)
    k = min(width / (x1 - x0), height / (y1 - y0)) * rng.uniform(*scale)
    middle = 256 + rng.uniform(-16, 16)
    ground = 258 + k * (y1 - y0) / 2 + rng.uniform(-10, 14)
    a, b, c, d = (k * v for v in turn)
    matrix = (a, b, c, d, middle - k * (x0 + x1) / 2, ground - k * y1)
    return replace(
        shape,
        parts=tuple(
            replace(part, d=move(part.d, matrix), width=part.width * k) for part in shape.parts
        ),
        facets=tuple(tuple(apply(matrix, q) for q in facet) for facet in shape.facets),
        ground=ground,
    )
