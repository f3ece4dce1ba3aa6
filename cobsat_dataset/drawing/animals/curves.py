"""Curves that an animal is built of: smooth outlines, and tubes along a spine with a width.

A tube knows its own coordinates (along and across), so that stripes and patches follow the body
in every pose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..svg import num

Point: TypeAlias = tuple[float, float]


def pt(point: Point) -> str:
    """Write a point with one decimal: a tenth of a unit is a tenth of a pixel."""
    return f"{num(round(point[0], 1))} {num(round(point[1], 1))}"


def lerp(a: Point, b: Point, t: float) -> Point:
    """Return the point a fraction `t` of the way from `a` to `b`."""
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def smooth_d(points: Sequence[Point], closed: bool = True) -> str:
    """Return the path data of a smooth (Catmull-Rom) curve through the points."""
    n = len(points)
    words = [f"M{pt(points[0])}"]
    for i in range(n if closed else n - 1):
        if closed:
            p0, p1, p2, p3 = (points[(i + k) % n] for k in (-1, 0, 1, 2))
        else:
            p0, p1, p2, p3 = (points[min(n - 1, max(0, i + k))] for k in (-1, 0, 1, 2))
        c1 = (p1[0] + (p2[0] - p0[0]) / 6, p1[1] + (p2[1] - p0[1]) / 6)
        c2 = (p2[0] - (p3[0] - p1[0]) / 6, p2[1] - (p3[1] - p1[1]) / 6)
        words.append(f"C{pt(c1)} {pt(c2)} {pt(p2)}")
    return "".join(words) + ("Z" if closed else "")


def _spline(values: Sequence[float], t: float) -> tuple[float, float]:
    """Return the Catmull-Rom curve through evenly spaced values at `t` in 0..1, and its slope."""
    n = len(values) - 1
    position = min(max(t, 0.0), 1.0) * n
    i = min(int(position), n - 1)
    u = position - i
    p1, p2 = values[i], values[i + 1]
    p0 = values[i - 1] if i else 2 * p1 - p2
    p3 = values[i + 2] if i + 2 <= n else 2 * p2 - p1
    b, c, d = p2 - p0, 2 * p0 - 5 * p1 + 4 * p2 - p3, 3 * p1 - p0 - 3 * p2 + p3
    return 0.5 * (2 * p1 + u * (b + u * (c + u * d))), 0.5 * (b + u * (2 * c + u * 3 * d))


@dataclass(frozen=True)
class Tube:
    """A band of varying width along a spine, with round ends.

    Attributes:
        spine: Points along its middle.
        widths: Half of its width at each of them.
    """

    spine: tuple[Point, ...]
    widths: tuple[float, ...]

    def at(self, t: float, s: float = 0.0) -> Point:
        """Return the point at `t` (0..1 along) and `s` (-1..1 across; 1 is left of the way)."""
        x, dx = _spline([p[0] for p in self.spine], t)
        y, dy = _spline([p[1] for p in self.spine], t)
        length = math.hypot(dx, dy) or 1.0
        w = _spline(self.widths, t)[0] * s
        return x + dy / length * w, y - dx / length * w

    def outline(self, samples: int = 9) -> list[Point]:
        """Return points around the tube."""
        ts = [i / (samples - 1) for i in range(samples)]
        return [
            *(self.at(t, 1) for t in ts),
            *self._cap(1.0),
            *(self.at(t, -1) for t in reversed(ts)),
            *self._cap(0.0),
        ]

    def _cap(self, t: float) -> list[Point]:
        left, right = self.at(t, 1), self.at(t, -1)
        first, last = (left, right) if t else (right, left)
        centre = lerp(first, last, 0.5)
        radius = math.hypot(first[0] - centre[0], first[1] - centre[1])
        start = math.atan2(first[1] - centre[1], first[0] - centre[0])
        turns = (math.pi * k / 4 for k in (1, 2, 3))
        return [
            (centre[0] + radius * math.cos(start + a), centre[1] + radius * math.sin(start + a))
            for a in turns
        ]

    def d(self, samples: int = 9) -> str:
        """Return its outline as path data."""
        return smooth_d(self.outline(samples))

    def stripe(self, t: float, width: float, s0: float, s1: float, bend: float = 0.0) -> str:
        """Return a stripe across, from `s0` (broad) to `s1` (a point); `bend` shifts its end.

        `width` and `bend` are fractions of the tube's length.
        """
        mid = s0 + (s1 - s0) * 0.5
        points = [
            self.at(t - width / 2, s0),
            self.at(t - width * 0.36 + bend * 0.4, mid),
            self.at(t + bend, s1),
            self.at(t + width * 0.36 + bend * 0.4, mid),
            self.at(t + width / 2, s0),
        ]
        a, b, c, d, e = (pt(p) for p in points)
        return f"M{a}Q{b} {c}Q{d} {e}Z"

    def ring(self, t0: float, t1: float) -> str:
        """Return the piece of the tube between two places along it."""
        ts = [t0 + (t1 - t0) * k / 3 for k in range(4)]
        points = [*(self.at(t, 1.1) for t in ts), *(self.at(t, -1.1) for t in reversed(ts))]
        return "M" + "L".join(pt(p) for p in points) + "Z"

    def blob(self, t: float, s: float, along: float, across: float, wobble: float = 0.0) -> str:
        """Return a rounded, level patch around a place; `wobble` makes it uneven."""
        cx, cy = self.at(t, s)
        length = math.dist(self.spine[0], self.spine[-1])
        rx, ry = along * length, across * _spline(self.widths, t)[0]
        points = []
        for k in range(9):
            a = 2 * math.pi * k / 9
            r = 1 + wobble * math.sin(2.7 * k + 9 * t)
            points.append((cx + rx * r * math.cos(a), cy + ry * r * math.sin(a)))
        return smooth_d(points)


@dataclass(frozen=True)
class Frame:
    """Where a part's own coordinates lie in the surrounding ones: turned, scaled, moved."""

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    scale: float = 1.0
    flip: bool = False

    def map(self, point: Point) -> Point:
        """Return a point of the part in the surrounding coordinates."""
        a = math.radians(self.angle)
        px, py = point[0] * self.scale, point[1] * self.scale
        x, y = px * math.cos(a) - py * math.sin(a), px * math.sin(a) + py * math.cos(a)
        return self.x + (-x if self.flip else x), self.y + y

    @property
    def transform(self) -> str:
        """Return the same as an SVG transform."""
        words = [f"translate({pt((self.x, self.y))})"]
        if self.flip:
            words.append("scale(-1 1)")
        if self.angle:
            words.append(f"rotate({num(self.angle)})")
        if self.scale != 1.0:
            words.append(f"scale({num(self.scale)})")
        return "".join(words)
