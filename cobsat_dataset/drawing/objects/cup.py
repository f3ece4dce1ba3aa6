"""A cup: a straight mug, or a round tea cup on its saucer."""

from __future__ import annotations

import itertools
import random

from ..svg import Part, Shape
from .geometry import Facet, arc, curve, oval, place, ribbon


def cup(rng: random.Random) -> Shape:
    """Draw a cup with an open rim and a handle at its side."""
    return _mug(rng) if rng.random() < 0.5 else _tea(rng)


def _mug(rng: random.Random) -> Shape:
    half = rng.uniform(92, 104)
    tall = rng.uniform(196, 220)
    foot = half * rng.uniform(0.84, 1.0)
    lip = rng.uniform(24, 32)
    side = [(-half, 0.0), (-half + (half - foot) * 0.4, tall * 0.5), (-foot, tall * 0.9)]
    low = arc(0, tall * 0.9, foot, lip + 4, 170, 10)
    body = [*side, *low, *[(-x, y) for x, y in side[::-1]], *arc(0, 0, half, lip, 0, 180)[1:-1]]
    grip = [
        (half - 8, 46), (half + 46, 40), (half + 80, 72), (half + 76, 122), (half + 40, 154),
        (foot - 4, 158),
    ]  # fmt: skip
    band = tall * rng.uniform(0.6, 0.7)
    stripe = [
        *arc(0, band, foot + (half - foot) * 0.4, lip, 180, 0),
        *arc(0, band + 26, foot + (half - foot) * 0.3, lip, 0, 180),
    ]
    facets: list[Facet] = []
    xs = [-1.0, -0.5, 0.0, 0.5, 1.0]
    for a, b in itertools.pairwise(xs):
        ya, yb = (lip * (1 - v * v) ** 0.5 for v in (a, b))
        facets.append(((half * a, ya), (half * b, yb), (foot * a, tall * 0.9 + ya)))
        facets.append(((half * b, yb), (foot * b, tall * 0.9 + yb), (foot * a, tall * 0.9 + ya)))
    facets.append(((-half, 0), (0, -lip), (half, 0)))
    facets.append(((-half, 0), (0, lip), (half, 0)))
    facets.append((grip[0], grip[1], grip[2], (half + 50, 82), (half + 30, 72), (half, 72)))
    facets.append((grip[2], grip[4], (half + 30, 128), (half + 50, 82)))
    facets.append((grip[4], grip[5], (foot + 4, 130), (half + 30, 128)))
    shape = Shape(
        "cup",
        (
            Part("handle", ribbon(grip, 27), shade=-0.12),
            Part("body", curve(body, tension=0.5)),
            Part("stripe", curve(stripe, tension=0.5), shade=-0.22),
            Part("rim", oval(0, 0, half, lip), shade=0.3),
            Part("inside", oval(0, 3, half - 9, lip - 6), shade=-0.4),
            Part("shine", curve([(-half + 22, 44), (-half + 38, 48), (-half + 40, tall * 0.55),
                                 (-half + 26, tall * 0.52)], tension=0.4), shade=0.5),
        ),
        tuple(facets),
        tall * 0.9 + lip + 4,
        rng.choice(("a sturdy mug with a big handle", "a tall mug with a round handle")),
    )  # fmt: skip
    return place(shape, rng, width=340, height=330)


def _tea(rng: random.Random) -> Shape:
    half = rng.uniform(122, 136)
    tall = rng.uniform(146, 166)
    lip = rng.uniform(28, 36)
    right = [(half, 0), (half * 0.95, tall * 0.4), (half * 0.7, tall * 0.78), (56, tall)]
    body = [
        *[(-x, y) for x, y in right], (-50, tall + 14), (0, tall + 22), (50, tall + 14),
        *right[::-1], *arc(0, 0, half, lip, 0, 180)[1:-1],
    ]  # fmt: skip
    grip = [
        (half - 10, 26), (half + 34, 16), (half + 62, 40), (half + 54, 80), (half + 20, 104),
        (half * 0.78, 106),
    ]  # fmt: skip
    plate = 46.0
    foot = tall + 12
    facets: list[Facet] = []
    xs = [-1.0, -0.5, 0.0, 0.5, 1.0]
    for a, b in itertools.pairwise(xs):
        top = [(half * v, lip * (1 - v * v) ** 0.5) for v in (a, b)]
        mid = [(half * 0.86 * v, tall * 0.55 + lip * 0.6 * (1 - v * v)) for v in (a, b)]
        low = [(54 * v, tall + 18 * (1 - v * v)) for v in (a, b)]
        facets += [(top[0], top[1], mid[1], mid[0]), (mid[0], mid[1], low[1], low[0])]
    facets += [((-half, 0), (0, -lip), (half, 0)), ((-half, 0), (0, lip), (half, 0))]
    facets.append((grip[0], grip[1], grip[2], (half + 28, 44), (half - 2, 48)))
    facets.append((grip[2], grip[3], grip[4], grip[5], (half - 6, 84), (half + 28, 72)))
    facets += [
        ((-178, foot), (-56, foot - 22), (0, foot + 14), (-110, foot + 36)),
        ((178, foot), (56, foot - 22), (0, foot + 14), (110, foot + 36)),
        ((-110, foot + 36), (0, foot + 14), (110, foot + 36), (0, foot + plate)),
    ]
    shape = Shape(
        "cup",
        (
            Part("saucer", oval(0, foot + 6, 178, plate), shade=-0.1),
            Part("saucer", oval(0, foot, 178, plate - 2), shade=0.14),
            Part("shadow", oval(0, foot + 4, 96, 24), shade=-0.3),
            Part("handle", ribbon(grip, 22), shade=-0.12),
            Part("body", curve(body, tension=0.75)),
            Part("rim", oval(0, 0, half, lip), shade=0.3),
            Part("inside", oval(0, 3, half - 9, lip - 7), shade=-0.4),
            Part("shine", curve([(-half + 24, 44), (-half + 40, 50), (-half + 56, tall * 0.62),
                                 (-half + 38, tall * 0.52)], tension=0.6), shade=0.5),
        ),
        tuple(facets),
        foot + plate + 6,
        "a round tea cup on a saucer",
    )  # fmt: skip
    return place(shape, rng, width=395, height=310)
