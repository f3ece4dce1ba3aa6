"""A box: an open one with its flaps out, a taped one, or one with a lid."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, block, camera, place, poly, quad_parts, toward


def box(rng: random.Random) -> Shape:
    """Draw a box with three faces in view."""
    kind = rng.choice(("open", "open", "taped", "lid"))
    pitch = rng.uniform(24, 32)
    view = camera(rng.uniform(28, 42), pitch)
    x, z = rng.uniform(100, 116), rng.uniform(84, 104)
    y = rng.uniform(128, 168)
    if kind == "lid":
        y *= 0.86
    faces = block(view, (-x, x), (0, y), (-z, z))
    front, right, top = faces
    parts: list[Part] = []
    facets: list[Facet] = []
    for face in (front, right):
        a, b, c, d = face
        m = toward(toward(a, b, 0.5), toward(d, c, 0.5), 0.5)
        facets += [(a, b, m), (b, c, m), (c, d, m), (d, a, m)]
    if kind == "open":
        parts, more = _flaps(rng, view, x, y, z, faces)
        facets += more
        note = "open with four flaps"
    else:
        parts = quad_parts("wall", faces)
        a, b, c, d = top
        if kind == "taped":
            m = toward(a, c, 0.5)
            facets += [(a, b, m), (b, c, m), (c, d, m), (d, a, m)]
            s, e = 0.42, 0.58
            strip = (toward(a, d, s), toward(b, c, s), toward(b, c, e), toward(a, d, e))
            drop = 0.24
            u, v = toward(right[0], right[1], 1 - e), toward(right[0], right[1], 1 - s)
            u2, v2 = toward(right[3], right[2], 1 - e), toward(right[3], right[2], 1 - s)
            tail = (u, v, toward(v, v2, drop), toward(u, u2, drop))
            parts.append(Part("seam", poly(toward(a, d, 0.5), toward(b, c, 0.5)), "line", width=3))
            parts.append(Part("tape", poly(*strip), "detail", fill="#d9d8d4"))
            parts.append(Part("tape", poly(*tail), "detail", fill="#c2c1bd"))
            note = "closed with a strip of tape"
        else:
            lid = block(view, (-x - 8, x + 8), (y - 6, y + 44), (-z - 8, z + 8))
            parts += quad_parts("lid", lid, 0.08)
            f, r, t = lid
            facets += [
                (f[0], f[1], f[2], f[3]), (r[0], r[1], r[2], r[3]),
                (t[0], t[1], t[2]), (t[0], t[2], t[3]),
            ]  # fmt: skip
            under = 0.07
            parts.insert(3, Part("shadow", poly(
                front[0], front[1], toward(front[1], front[2], under + 0.1),
                toward(front[0], front[3], under + 0.1)), shade=-0.3))  # fmt: skip
            note = "with a fitted lid"
    shape = Shape("box", tuple(parts), tuple(facets), 0, note)
    return place(shape, rng, width=370, height=350)


def _flaps(
    rng: random.Random,
    view: object,
    x: float,
    y: float,
    z: float,
    faces: tuple[Facet, Facet, Facet],
) -> tuple[list[Part], list[Facet]]:
    front, right, top = faces
    a, b, c, d = top
    out, drop = rng.uniform(34, 48), rng.uniform(10, 26)
    assert callable(view)
    lift = rng.uniform(40, 56)

    def corner(u: float, v: float, w: float) -> tuple[float, float]:
        p = view(u, v, w)
        return (float(p[0]), float(p[1]))

    back = (corner(-x + 8, y + lift, -z - 22), corner(x - 8, y + lift, -z - 22), b, a)
    left = (corner(-x - 36, y + lift * 0.7, -z + 8), a, d, corner(-x - 36, y + lift * 0.7, z - 8))
    near = (d, c, corner(x - 8, y - drop, z + out), corner(-x + 8, y - drop, z + out))
    side = (c, b, corner(x + out, y - drop, -z + 8), corner(x + out, y - drop, z - 8))
    deep = 0.6
    inner_left = (a, d, toward(d, front[3], deep), toward(a, corner(-x, 0, -z), deep))
    inner_back = (a, b, toward(b, right[2], deep), toward(a, corner(-x, 0, -z), deep))
    parts = [
        Part("flap", poly(*back), shade=0.06),
        Part("flap", poly(*left), shade=-0.08),
        Part("inside", poly(a, b, c, d), shade=-0.56),
        Part("inside", poly(*_clip_to_top(inner_back, top)), shade=-0.42),
        Part("inside", poly(*_clip_to_top(inner_left, top)), shade=-0.5),
        Part("wall side", poly(*right), shade=-0.2),
        Part("wall front", poly(*front), shade=0.0),
        Part("shadow", poly(front[0], front[1], toward(front[1], front[2], 0.42),
                            toward(front[0], front[3], 0.42)), shade=-0.2),
        Part("flap", poly(*side), shade=0.08),
        Part("flap", poly(*near), shade=0.2),
    ]  # fmt: skip
    return parts, [back, left, near, side, (a, b, c), (a, c, d)]


def _clip_to_top(wall: Facet, top: Facet) -> Facet:
    """Cut an inner wall (top edge first, then its foot) where the near edges hide it."""
    a, b, low_b, low_a = wall
    inside = _meet(a, low_a, top)
    other = top[2] if b in (top[1], top[3]) else b
    del low_b
    return (a, b, toward(b, other, 0.0), inside)


def _meet(start: tuple[float, float], end: tuple[float, float], top: Facet) -> tuple[float, float]:
    """Return where a line that starts in the opening leaves it, or its end."""
    best = 1.0
    for p, q in ((top[1], top[2]), (top[2], top[3])):
        rx, ry = end[0] - start[0], end[1] - start[1]
        sx, sy = q[0] - p[0], q[1] - p[1]
        cross = rx * sy - ry * sx
        if abs(cross) > 1e-9:
            t = ((p[0] - start[0]) * sy - (p[1] - start[1]) * sx) / cross
            if 0 < t < best:
                best = t
    return toward(start, end, best)
