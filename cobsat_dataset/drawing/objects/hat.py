"""A hat: fedora, sun hat or top hat, seen from a little above."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, Point, arc, curve, line, oval, place, poly


def hat(rng: random.Random) -> Shape:
    """Draw a hat with a crown, a band and a brim."""
    kind = rng.choice(("fedora", "fedora", "sun", "top"))
    if kind == "fedora":
        shape = _fedora(rng)
    elif kind == "sun":
        shape = _sun(rng)
    else:
        shape = _top(rng)
    return place(shape, rng, width=400, height=330, tilt=7)


def _band(left: Point, right: Point, sag: float, high: float, slope: float) -> list[Point]:
    """A strip around the foot of the crown, its lower edge sagging by `sag`."""
    middle = (left[0] + right[0]) / 2
    half = (right[0] - left[0]) / 2
    low = arc(middle, left[1], half, sag, 180, 0)
    top = arc(middle, left[1] - high, half - slope, sag, 0, 180)
    return [*low, *top]


def _fedora(rng: random.Random) -> Shape:
    tall = rng.uniform(128, 150)
    dip = rng.uniform(14, 24)
    droop = rng.uniform(-6, 14)
    crown = [
        (-104, 0), (-100, -50), (-88, -tall + 18), (-58, -tall - 4), (-24, -tall + 4),
        (0, -tall + dip), (30, -tall), (62, -tall - 2), (90, -tall + 24), (100, -50), (104, 0),
        (60, 30), (0, 40), (-60, 30),
    ]  # fmt: skip
    brim = [
        (-178, 6 - droop), (-160, -16), (-110, -22), (0, -30), (110, -22), (160, -20),
        (180, -2 - droop), (166, 30), (110, 62), (0, 78), (-110, 66), (-164, 38),
    ]  # fmt: skip
    under = [(-164, 38), (-110, 48), (0, 60), (110, 46), (166, 30), (110, 62), (0, 78), (-110, 66)]
    band = _band((-105, -4), (105, -4), 40, 42, 4)
    facets: list[Facet] = [
        (crown[0], crown[2], crown[3], (-40, 34)),
        (crown[3], crown[5], (0, 40), (-40, 34)),
        (crown[5], crown[7], (40, 34), (0, 40)),
        (crown[7], crown[8], crown[10], (40, 34)),
        (crown[3], crown[4], crown[5]),
        (crown[5], crown[6], crown[7]),
        (brim[0], brim[1], (-104, -4), (-104, 6)),
        (brim[0], (-104, 6), (-60, 30), brim[10]),
        (brim[10], (-60, 30), (0, 40), brim[9]),
        (brim[9], (0, 40), (60, 30), brim[8]),
        (brim[8], (60, 30), (104, 6), brim[6]),
        (brim[6], (104, 6), (104, -4), brim[5]),
    ]
    return Shape(
        "hat",
        (
            Part("brim", curve(brim)),
            Part("shadow", curve(under, tension=0.7), shade=-0.22),
            Part("shadow", oval(10, 22, 118, 34), shade=-0.22),
            Part("crown", curve(crown, tension=0.85)),
            Part("shadow", curve([(-24, -tall + 6), (0, -tall + dip), (30, -tall + 2),
                                  (20, -tall + 46), (2, -tall + 74), (-12, -tall + 44)],
                                 tension=0.8), shade=-0.2),
            Part("band", poly(*band), shade=-0.5),
            Part("bow", poly((66, -12), (92, -24), (96, 6), (70, 18)), shade=-0.62),
            Part("crease", curve([(-44, -tall + 8), (-36, -tall + 42), (-38, -tall + 66)],
                                 closed=False), "line", width=4),
            Part("crease", curve([(52, -tall + 8), (46, -tall + 40), (50, -tall + 62)],
                                 closed=False), "line", width=4),
        ),
        facets=tuple(facets),
        ground=78,
        note=rng.choice(("a fedora with a pinched crown", "a fedora with a wide band")),
    )  # fmt: skip


def _sun(rng: random.Random) -> Shape:
    tall = rng.uniform(92, 112)
    half = rng.uniform(88, 98)
    brim = [
        (-190, 14), (-150, -24), (-70, -44), (0, -48), (70, -44), (150, -24), (190, 14),
        (160, 50), (110, 62), (56, 84), (0, 76), (-56, 86), (-112, 62), (-164, 52),
    ]  # fmt: skip
    crown = [
        (-half, 0), (-half + 4, -tall * 0.55), (-half * 0.62, -tall * 0.95), (0, -tall * 1.08),
        (half * 0.62, -tall * 0.95), (half - 4, -tall * 0.55), (half, 0), (half * 0.55, 24),
        (0, 32), (-half * 0.55, 24),
    ]  # fmt: skip
    band = _band((-half, 0), (half, 0), 32, 30, 1)
    facets: list[Facet] = [
        (crown[0], crown[2], (-30, 30)),
        (crown[2], crown[3], (-30, 30)),
        (crown[3], (30, 30), (-30, 30)),
        (crown[3], crown[4], (30, 30)),
        (crown[4], crown[6], (30, 30)),
        (brim[0], brim[2], crown[0]),
        (brim[0], crown[0], crown[9], brim[12]),
        (brim[12], crown[9], crown[8], brim[10]),
        (brim[10], crown[8], crown[7], brim[8]),
        (brim[8], crown[7], crown[6], brim[6]),
        (brim[6], crown[6], brim[4]),
    ]
    rings = [
        Part("stitch", line(*arc(0, 14 + i, half + 22 + 26 * i, 40 + 12 * i, 168, 12)), "line",
             width=2.5)
        for i in range(3)
    ]  # fmt: skip
    return Shape(
        "hat",
        (
            Part("brim", curve(brim)),
            Part("shadow", oval(6, 14, half + 20, 38), shade=-0.2),
            *rings,
            Part("crown", curve(crown)),
            Part("band", poly(*band), shade=-0.48),
            Part("tail", poly((half - 16, 14), (half + 6, 2), (half + 40, 44), (half + 26, 42),
                              (half + 20, 56)), shade=-0.56),
            Part("shine", oval(-half * 0.42, -tall * 0.62, 22, 13, -30), shade=0.34),
        ),
        tuple(facets),
        86,
        "a sun hat with a wide soft brim",
    )  # fmt: skip


def _top(rng: random.Random) -> Shape:
    tall = rng.uniform(168, 196)
    flare = rng.uniform(4, 14)
    half = 88.0
    body = [
        (-half, 0.0), (-half + 6, -tall * 0.5), (-half - flare, -tall),
        *arc(0, -tall, half + flare, 26, 180, 0)[1:-1],
        (half + flare, -tall), (half - 6, -tall * 0.5), (half, 0.0),
        *arc(0, 0, half, 30, 0, 180)[1:-1],
    ]  # fmt: skip
    brim = [
        (-168, -16), (-150, -26), (-90, -26), (0, -30), (90, -26), (150, -26), (168, -16),
        (152, 24), (90, 48), (0, 56), (-90, 48), (-152, 24),
    ]  # fmt: skip
    wide = half + flare
    facets: list[Facet] = [
        ((-wide, -tall), (-40, -tall + 22), (-36, 28), (-half, 0)),
        ((-40, -tall + 22), (40, -tall + 22), (0, -tall / 2)),
        ((-40, -tall + 22), (0, -tall / 2), (-36, 28)),
        ((40, -tall + 22), (36, 28), (0, -tall / 2)),
        ((-36, 28), (0, -tall / 2), (36, 28)),
        ((40, -tall + 22), (wide, -tall), (half, 0), (36, 28)),
        ((-wide, -tall), (0, -tall - 26), (wide, -tall), (40, -tall + 22), (-40, -tall + 22)),
        (brim[0], brim[2], (-half, 0), brim[11]),
        (brim[11], (-half, 0), (-36, 28), brim[9]),
        (brim[9], (-36, 28), (36, 28)),
        (brim[9], (36, 28), (half, 0), brim[7]),
        (brim[6], brim[4], (half, 0), brim[7]),
    ]
    return Shape(
        "hat",
        (
            Part("brim", curve(brim)),
            Part("shadow", oval(4, 10, 104, 34), shade=-0.26),
            Part("crown", curve(body, tension=0.6)),
            Part("lid", oval(0, -tall, wide, 26), shade=0.16),
            Part("band", poly(*_band((-half, -2), (half, -2), 30, 44, -1)), shade=-0.5),
            Part("shine", curve([(-half + 20, -tall + 44), (-half + 34, -tall + 46),
                                 (-half + 38, -56), (-half + 24, -60)], tension=0.5), shade=0.3),
        ),
        tuple(facets),
        56,
        "a tall top hat with a flat brim",
    )  # fmt: skip
