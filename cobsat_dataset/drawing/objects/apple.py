"""An apple: two shoulders, a dimple, a stem and a small side leaf."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, Point, curve, place, ribbon


def apple(rng: random.Random) -> Shape:
    """Draw a whole apple, rounder or taller as the seed says."""
    wide = rng.uniform(1.04, 1.16)
    tall = rng.uniform(0.94, 1.04)
    right: list[Point] = [
        (0, -96), (30, -116), (68, -124), (112, -104), (138, -58), (140, -4), (124, 54),
        (96, 104), (64, 134), (34, 140), (0, 130),
    ]  # fmt: skip
    right = [(x * wide, y * tall) for x, y in right]
    outline = [*right, *[(-x, y) for x, y in right[-2:0:-1]]]
    hook = rng.uniform(-14, 26)
    stem = [(0.0, -92.0), (4.0, -126.0), (hook, -168.0)]
    lean = rng.uniform(-16, 10)
    small = [
        (6, -128), (30, -160 + lean * 0.4), (70, -172 + lean), (112, -158 + lean * 1.4),
        (84, -132 + lean), (44, -122 + lean * 0.5),
    ]  # fmt: skip
    dark: list[Point] = [
        (26, 138),
        (64, 134),
        (96, 104),
        (124, 54),
        (140, -4),
        (136, -62),
        (116, -98),
    ]
    dark = [(x * wide, y * tall) for x, y in dark]
    dark += [(x * wide, y * tall) for x, y in ((116, -40), (106, 24), (78, 84))]
    ring = [right[0], right[2], right[4], right[6], right[8], right[10]]
    inner = [(0.0, -44.0), (32.0, -58.0), (66.0, -20.0), (56.0, 30.0), (30.0, 66.0), (0.0, 62.0)]
    facets: list[Facet] = []
    for side in (-1, 1):
        a = [(side * x, y) for x, y in ring]
        b = [(side * x, y) for x, y in inner]
        facets += [(a[i], a[i + 1], b[i + 1], b[i]) for i in range(5)]
        facets += [((0.0, 4.0), b[0], b[1], b[2]), ((0.0, 4.0), *b[2:])]
    facets.append((small[0], small[1], small[2], small[3]))
    facets.append((small[0], small[3], small[4], small[5]))
    shape = Shape(
        "apple",
        (
            Part("fruit", curve(outline)),
            Part("shadow", curve(dark, tension=0.8), shade=-0.16),
            Part("dimple", curve([(-52, -106), (0, -112), (52, -106), (0, -76)]), shade=-0.34),
            Part("shine", curve([(-104, -52), (-84, -86), (-58, -96), (-66, -62), (-88, 4)]),
                 shade=0.5),
            Part("stem", ribbon(stem, 13), "detail", fill="#5d5148"),
            Part("leaflet", curve(small, tension=0.9), shade=-0.26),
            Part("vein", curve([(8, -129), (52, -148 + lean), (100, -156 + lean * 1.3)],
                               closed=False), "line", width=3),
        ),
        tuple(facets),
        140,
        rng.choice(("round and fresh", "plump and fresh", "with a short stem")),
    )  # fmt: skip
    return place(shape, rng, width=345, height=370, tilt=8)
