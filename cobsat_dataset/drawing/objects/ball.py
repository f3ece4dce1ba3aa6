"""A ball: beach ball, basketball or football, as panels and seams on a turned sphere."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..svg import Part, Shape
from .geometry import Facet, Point, line, oval, place, poly

_Vector: TypeAlias = tuple[float, float, float]
_Turn: TypeAlias = Callable[[_Vector], _Vector]
_R = 150.0


def ball(rng: random.Random) -> Shape:
    """Draw a ball whose panels or seams show how it is turned."""
    kind = rng.choice(("beach", "beach", "basket", "foot"))
    parts = [Part("sphere", oval(0, 0, _R))]
    if kind == "beach":
        parts += _beach(rng)
        note = "with wide curved panels"
    elif kind == "basket":
        parts += _basket(rng)
        note = "with curved seams like a basketball"
    else:
        parts += _foot(rng)
        note = "with five-sided patches like a football"
    parts.append(Part("shine", oval(-58, -74, 40, 22, -40), shade=0.5))
    steps = [2 * math.pi * i / 9 for i in range(10)]
    ring = [(_R * math.sin(t), -_R * math.cos(t)) for t in steps]
    inner = [(x * 0.5, y * 0.5) for x, y in ring]
    facets: list[Facet] = [
        facet
        for i in range(len(ring) - 1)
        for facet in (
            (inner[i], ring[i], ring[i + 1], inner[i + 1]),
            ((0.0, 0.0), inner[i], inner[i + 1]),
        )
    ]
    shape = Shape("ball", tuple(parts), tuple(facets), _R, note)
    return place(shape, rng, width=335, height=335)


def _turned(axis: float, lean: float, spin: float) -> _Turn:
    """Turn a vector: about z by spin, towards the viewer by lean, in the picture by axis."""

    def turn(v: _Vector) -> _Vector:
        x, y, z = v
        c, s = math.cos(spin), math.sin(spin)
        x, z = x * c - z * s, x * s + z * c
        c, s = math.cos(lean), math.sin(lean)
        y, z = y * c - z * s, y * s + z * c
        c, s = math.cos(axis), math.sin(axis)
        return (x * c - y * s, x * s + y * c, z)

    return turn


def _flat(v: _Vector) -> Point:
    """Project a visible point of the unit sphere."""
    return (v[0] * _R, v[1] * _R)


def _patch(ring: Sequence[_Vector], tone: float) -> list[Part]:
    """Return what is visible of a patch of the sphere: cut at the limb, and closed along it."""
    seen: list[_Vector] = []
    for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
        if a[2] >= 0:
            seen.append(a)
        if (a[2] >= 0) != (b[2] >= 0):
            t = a[2] / (a[2] - b[2])
            x, y = a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t
            k = math.hypot(x, y)
            seen.append((x / k, y / k, 0.0))
    points: list[Point] = []
    for a, b in zip(seen, [*seen[1:], *seen[:1]], strict=True):
        points.append(_flat(a))
        if a[2] == b[2] == 0:
            start, end = math.atan2(a[1], a[0]), math.atan2(b[1], b[0])
            sweep = (end - start + math.pi) % (2 * math.pi) - math.pi
            for n in range(1, 8):
                turn = start + sweep * n / 8
                points.append((_R * math.cos(turn), _R * math.sin(turn)))
    return [Part("panel", poly(*points), shade=tone)] if len(points) > 2 else []


def _seams(track: Sequence[_Vector], width: float) -> list[Part]:
    """Return the visible runs of a line on the sphere."""
    parts, run = [], []
    for v in [*track, (0.0, 0.0, -1.0)]:
        if v[2] >= 0:
            run.append(_flat(v))
        else:
            if len(run) > 1:
                parts.append(Part("seam", line(*run), "line", width=width))
            run = []
    return parts


def _beach(rng: random.Random) -> list[Part]:
    panels = 8
    turn = _turned(rng.uniform(-0.7, 0.7), rng.uniform(-1.0, -0.7), rng.uniform(0, 1))
    cap = 0.2

    def meridian(phi: float) -> list[_Vector]:
        steps = [cap + (math.pi - 2 * cap) * i / 14 for i in range(15)]
        return [
            turn((math.sin(t) * math.cos(phi), -math.cos(t), math.sin(t) * math.sin(phi)))
            for t in steps
        ]

    parts = []
    for i in range(panels):
        a, b = (meridian(2 * math.pi * (i + k) / panels) for k in (0, 1))
        parts += _patch([*a, *b[::-1]], 0.26 if i % 2 else -0.12)
        parts += _seams(a, 3.5)
    ring = [
        turn((math.sin(cap) * math.cos(p), -math.cos(cap), math.sin(cap) * math.sin(p)))
        for p in (2 * math.pi * i / 16 for i in range(16))
    ]
    parts += _patch(ring, -0.2)
    return parts


def _basket(rng: random.Random) -> list[Part]:
    turn = _turned(rng.uniform(-0.5, 0.5), rng.uniform(0.1, 0.35), rng.uniform(-0.35, 0.35))
    circle = [2 * math.pi * i / 60 for i in range(61)]
    parts = _seams([turn((math.cos(a), 0.0, math.sin(a))) for a in circle], 6)
    parts += _seams([turn((0.0, math.cos(a), math.sin(a))) for a in circle], 6)
    for side in (-1, 1):
        tilted = [(side * 0.72, 0.69 * math.cos(a), 0.69 * math.sin(a)) for a in circle]
        parts += _seams([turn(v) for v in tilted], 6)
    return parts


def _foot(rng: random.Random) -> list[Part]:
    """Patches at the twelve corners of an icosahedron, seams along its edges."""
    g = (1 + math.sqrt(5)) / 2
    corners = [v for s in (-1, 1) for t in (-g, g) for v in ((0.0, s, t), (s, t, 0.0), (t, 0.0, s))]
    turn = _turned(rng.uniform(0, 3), rng.uniform(0, 3), rng.uniform(0, 3))

    def spot(a: _Vector, b: _Vector, t: float) -> _Vector:
        x, y, z = (p + (q - p) * t for p, q in zip(a, b, strict=True))
        k = math.sqrt(x * x + y * y + z * z)
        return turn((x / k, y / k, z / k))

    parts: list[Part] = []
    for i, a in enumerate(corners):
        near = [b for b in corners if 0 < math.dist(a, b) < 2.1]
        rim = [spot(a, b, 0.34) for b in near]
        for b in near:
            if corners.index(b) > i:
                parts += _seams([spot(a, b, 0.34 + 0.32 * k / 4) for k in range(5)], 4)
        heart = spot(a, a, 0)
        if heart[2] < -0.3 or not any(v[2] > 0 for v in rim):
            continue
        across = (rim[0][0] - heart[0], rim[0][1] - heart[1], rim[0][2] - heart[2])
        beside = (
            heart[1] * across[2] - heart[2] * across[1],
            heart[2] * across[0] - heart[0] * across[2],
            heart[0] * across[1] - heart[1] * across[0],
        )

        def bearing(v: _Vector, u: _Vector = across, w: _Vector = beside) -> float:
            return math.atan2(
                sum(p * q for p, q in zip(v, w, strict=True)),
                sum(p * q for p, q in zip(v, u, strict=True)),
            )

        parts += _patch(sorted(rim, key=bearing), -0.42)
    return parts
