"""Lines that follow a path: its outline as points, a seam inside it, spots along it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Final

from .geometry import Point, bounds, line, toward

_COMMAND: Final = re.compile(r"([MLCQZ])([^MLCQZ]*)")
_NUMBER: Final = re.compile(r"-?[\d.]+")


def trace(d: str, steps: int = 7) -> list[Point]:
    """Return the first subpath of a path as a polyline, without its closing point.

    A curve is cut into `steps` pieces at most, fewer where it is short.
    """
    points: list[Point] = []
    for command, text in _COMMAND.findall(d):
        numbers = [float(n) for n in _NUMBER.findall(text)]
        if command == "Z" or (command == "M" and points):
            break
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command in "ML":
            points += pairs
            continue
        size = 3 if command == "C" else 2
        for i in range(0, len(pairs), size):
            control = [points[-1], *pairs[i : i + size]]
            length = sum(math.dist(p, q) for p, q in itertools.pairwise(control))
            points += _bezier(control, max(2, min(steps, round(length / 7))))
    tidy = [
        p for p, q in zip(points, points[1:] + points[:1], strict=True) if math.dist(p, q) > 0.4
    ]
    return tidy or points


def _bezier(control: list[Point], steps: int) -> list[Point]:
    """Return points along a Bézier curve, without its start."""
    found = []
    for k in range(1, steps + 1):
        level = control
        while len(level) > 1:
            level = [toward(a, b, k / steps) for a, b in itertools.pairwise(level)]
        found.append(level[0])
    return found


def inset(points: Sequence[Point], depth: float) -> list[Point]:
    """Return the outline moved inwards; where the shape is too narrow there is nothing left."""
    ahead = [*points[1:], points[0]]
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(points, ahead, strict=True))
    side = 1.0 if area > 0 else -1.0
    edges = [(p, q) for p, q in zip(points, ahead, strict=True) if math.dist(p, q) > 1e-6]
    moved: list[Point] = []
    for i, (a, b) in enumerate(edges):
        before = edges[i - 1]
        n1, n2 = _normal(*before, side), _normal(a, b, side)
        k = 1 + n1[0] * n2[0] + n1[1] * n2[1]
        if k < 0.25:
            k = 0.25
        moved.append((a[0] + (n1[0] + n2[0]) / k * depth, a[1] + (n1[1] + n2[1]) / k * depth))
    return [
        p
        for p in moved
        if _within(p, edges) and all(_gap(p, a, b) > depth * 0.93 for a, b in edges)
    ]


def _normal(a: Point, b: Point, side: float) -> Point:
    length = math.dist(a, b)
    return (-(b[1] - a[1]) / length * side, (b[0] - a[0]) / length * side)


def _within(p: Point, edges: Sequence[tuple[Point, Point]]) -> bool:
    """Return whether a closed polyline runs around a point (even-odd)."""
    inside = False
    for a, b in edges:
        if (a[1] > p[1]) != (b[1] > p[1]):
            inside ^= p[0] < a[0] + (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1])
    return inside


def _gap(p: Point, a: Point, b: Point) -> float:
    """Return the distance from a point to a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy)
    return math.dist(p, toward(a, b, min(1.0, max(0.0, t))))


def seam(d: str, depth: float) -> str:
    """Return a closed line inside a path at a distance from it, or "" where none fits."""
    found = inset(trace(d), depth)
    if len(found) < 3:
        return ""
    x0, y0, x1, y1 = bounds(found)
    return line(*found) + "Z" if min(x1 - x0, y1 - y0) > depth * 0.8 else ""


def spacing(points: Sequence[Point], gap: float) -> float:
    """Return the step nearest to `gap` that goes evenly around a closed polyline."""
    total = sum(math.dist(p, q) for p, q in itertools.pairwise([*points, points[0]]))
    return total / max(1, round(total / gap))


def along(points: Sequence[Point], gap: float) -> list[Point]:
    """Return points at about equal steps around a closed polyline."""
    ring = [*points, points[0]]
    total = sum(math.dist(p, q) for p, q in itertools.pairwise(ring))
    count = max(1, round(total / gap))
    step, walked = total / count, 0.0
    found: list[Point] = []
    for p, q in itertools.pairwise(ring):
        length = math.dist(p, q)
        while length and len(found) < count and walked + length >= step * len(found):
            found.append(toward(p, q, (step * len(found) - walked) / length))
        walked += length
    return found


def extent(d: str) -> tuple[float, float]:
    """Return how wide and how high a path is."""
    x0, y0, x1, y1 = bounds(trace(d, 3))
    return x1 - x0, y1 - y0
