"""A leaf: three kinds, each with a midrib, side veins and a stem."""

from __future__ import annotations

import itertools
import random

from ..svg import Part, Shape
from .geometry import Facet, Point, curve, line, place, ribbon, toward


def leaf(rng: random.Random) -> Shape:
    """Draw a pointed, a lobed or a five-fingered leaf, stem down and leaning."""
    kind = rng.choice(("pointed", "pointed", "lobed", "maple"))
    shape = _maple(rng) if kind == "maple" else _feathered(rng, kind)
    return place(shape, rng, width=385, height=400, tilt=38, scale=(0.9, 1.04))


def _feathered(rng: random.Random, kind: str) -> Shape:
    """A leaf whose side veins leave one midrib: y runs from the tip (0) to the base (300)."""
    half = rng.uniform(82, 104)
    belly = rng.uniform(0.52, 0.62)
    bend = rng.uniform(-14, 14)

    def middle(t: float) -> Point:
        return (bend * (4 * t * (1 - t)), 300 * t)

    def breadth(t: float) -> float:
        rise = t / belly if t < belly else (1 - t) / (1 - belly)
        return half * float(max(0.0, rise) ** (0.85 if t < belly else 0.62))

    right: list[Point] = []
    if kind == "lobed":
        lobes = 4
        for i in range(lobes):
            t0, t1 = 0.06 + 0.9 * i / lobes, 0.06 + 0.9 * (i + 1) / lobes
            for share, wide in ((0.02, 0.52), (0.3, 1.0), (0.62, 1.12), (0.88, 0.95)):
                t = t0 + (t1 - t0) * share
                right.append((middle(t)[0] + breadth((t0 + t1) / 2) * wide, 300 * t - 6))
        right = [*right[:-1], (middle(0.98)[0] + 10, 296)]
    else:
        teeth = 22
        for i in range(1, teeth):
            t = i / teeth
            right.append((middle(t)[0] + breadth(t) + (2.5 if i % 2 else -2.5), 300 * t))
    left = [(2 * middle(p[1] / 300)[0] - p[0], p[1] + 3) for p in right]
    tip, base = (0.0, 0.0), (0.0, 300.0)
    tension = 1.0 if kind == "lobed" else 0.6
    outline = curve([tip, *right, base, *left[::-1]], tension=tension)
    rib = [middle(i / 6) for i in range(7)]
    half_d = curve([tip, *right, base], closed=False, tension=tension)
    half_d += "L" + curve(rib[::-1], closed=False)[1:] + "Z"
    stem_end = (rng.uniform(-22, 22), rng.uniform(352, 378))
    stem = [(0.0, 284.0), (stem_end[0] * 0.2, 326.0), stem_end]

    veins = []
    count = rng.randint(5, 6)
    for i in range(count):
        t = 0.2 + 0.66 * i / (count - 1)
        start = middle(t)
        for side in (-1, 1):
            goal_t = t - 0.13
            reach = breadth(goal_t) * (0.8 if kind == "lobed" else 0.82)
            goal = (middle(goal_t)[0] + side * reach, 300 * goal_t)
            knee = (toward(start, goal, 0.55)[0], toward(start, goal, 0.55)[1] + 7)
            veins.append(Part("vein", curve([start, knee, goal], closed=False), "line", width=4))

    levels = [0.0, 0.18, 0.36, 0.54, 0.72, 0.88, 1.0]
    facets: list[Facet] = [((-5, 296), (5, 296), (stem_end[0] + 4, 352), (stem_end[0] - 4, 352))]
    for t0, t1 in itertools.pairwise(levels):
        for side in (-1, 1):
            a, b = middle(t0), middle(t1)
            facets.append(
                (
                    a,
                    (a[0] + side * breadth(t0) * 0.94, a[1]),
                    (b[0] + side * breadth(t1) * 0.94, b[1]),
                    b,
                )
            )
    note = "oval with a pointed tip" if kind == "pointed" else "with rounded lobes"
    return Shape(
        "leaf",
        (
            Part("stem", ribbon(stem, 12), shade=-0.3),
            Part("blade", outline),
            Part("shadow", half_d, shade=-0.16),
            *veins,
            Part("midrib", curve([*rib, (0, 312)], closed=False), "line", width=6),
        ),
        tuple(facets),
        380,
        note,
    )


def _maple(rng: random.Random) -> Shape:
    """A maple leaf: five pointed fingers around the end of the stem."""
    long = rng.uniform(0.94, 1.06)
    right: list[Point] = [
        (0, -190 * long),
        (16, -152),
        (38, -158),
        (34, -118),
        (30, -78),
        (62, -108),
        (72, -136),
        (94, -120),
        (128, -134 * long),
        (126, -96),
        (154, -82),
        (132, -62),
        (104, -34),
        (76, -8),
        (112, -4),
        (152 * long, 10),
        (120, 28),
        (112, 46),
        (70, 46),
        (30, 44),
    ]
    base = (0.0, 40.0)
    outline = [*right, base, *[(-x, y) for x, y in right[:0:-1]]]
    stem = [(0.0, 30.0), (rng.uniform(-8, 8), 84.0), (rng.uniform(-24, 24), 140.0)]
    tips = [(0.0, -160.0), (112.0, -110.0), (124.0, 12.0), (-112.0, -110.0), (-124.0, 12.0)]
    veins = [Part("midrib", line(base, tip), "line", width=5) for tip in tips]
    for share in (0.42, 0.66):
        for tip in tips:
            start = toward(base, tip, share)
            dx, dy = (tip[0] - base[0]) * 0.22, (tip[1] - base[1]) * 0.22
            for side in (-1, 1):
                turned = (dx * 0.72 - side * dy * 0.62, dy * 0.72 + side * dx * 0.62)
                goal = (start[0] + turned[0] * 0.85, start[1] + turned[1] * 0.85)
                veins.append(Part("vein", line(start, goal), "line", width=3))
    facets: list[Facet] = [((-5, 34), (5, 34), (stem[2][0] + 4, 140), (stem[2][0] - 4, 140))]
    for ends in ((0, 2, 4), (4, 6, 8), (8, 10, 13), (13, 15), (15, 17, 19)):
        for side in (-1, 1):
            facets.append(((0.0, 30.0), *((side * right[i][0], right[i][1]) for i in ends)))
    half = [*right, base]
    return Shape(
        "leaf",
        (
            Part("stem", ribbon(stem, 11), shade=-0.3),
            Part("blade", curve(outline, tension=0.35)),
            Part("shadow", curve([*half], tension=0.35), shade=-0.14),
            *veins,
        ),
        tuple(facets),
        140,
        "with five pointed fingers",
    )
