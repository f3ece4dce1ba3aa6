"""A bag: a satchel-like handbag with a flap, or a tote with two handles."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, curve, line, oval, place, poly, ribbon, rounded


def bag(rng: random.Random) -> Shape:
    """Draw a bag with handles; it stands on its base."""
    return _handbag(rng) if rng.random() < 0.6 else _tote(rng)


def _handbag(rng: random.Random) -> Shape:
    half = rng.uniform(124, 136)
    top = rng.uniform(96, 108)
    tall = rng.uniform(158, 178)
    rise = rng.uniform(104, 124)
    body = [(-top, -tall), (top, -tall), (half, 0), (-half, 0)]
    flap_low = -tall + tall * rng.uniform(0.5, 0.6)
    flap = [(-top - 4, -tall - 4), (top + 4, -tall - 4), (top + 12, flap_low - 16),
            (0, flap_low + 30), (-top - 12, flap_low - 16)]  # fmt: skip
    loop = [
        (-70, -tall + 16), (-70, -tall - rise * 0.6), (-40, -tall - rise), (0, -tall - rise - 6),
        (40, -tall - rise), (70, -tall - rise * 0.6), (70, -tall + 16),
    ]  # fmt: skip
    behind = [(x * 0.82, y - 12 if y < -tall else y) for x, y in loop]
    base = [(-half, -18), (half, -18), (half + 2, 0), (-half - 2, 0)]
    facets: list[Facet] = [
        (body[0], (0, -tall), (0, flap_low + 30), flap[4]),
        ((0, -tall), body[1], flap[2], (0, flap_low + 30)),
        (flap[4], (0, flap_low + 30), (-60, 0), body[3]),
        ((0, flap_low + 30), (0, 0), (-60, 0)),
        ((0, flap_low + 30), (60, 0), (0, 0)),
        (flap[2], body[2], (60, 0), (0, flap_low + 30)),
        (loop[0], loop[1], (-54, loop[1][1] + 4), (-54, -tall)),
        (loop[1], loop[3], (0, loop[3][1] + 16), (-54, loop[1][1] + 4)),
        (loop[3], loop[5], (54, loop[5][1] + 4), (0, loop[3][1] + 16)),
        (loop[5], loop[6], (54, -tall), (54, loop[5][1] + 4)),
    ]
    parts = (
        Part("strap", ribbon(behind, 14), shade=-0.36),
        Part("body", rounded(body, [18, 18, 26, 26])),
        Part("gusset", rounded([(-half, 0), (-top, -tall), (-top + 20, -tall + 6),
                                (-half + 30, 0)], [22, 8, 4, 4]), shade=-0.18),
        Part("gusset", rounded([(half, 0), (top, -tall), (top - 20, -tall + 6),
                                (half - 30, 0)], [22, 8, 4, 4]), shade=-0.18),
        Part("base", rounded(base, [2, 2, 16, 16]), shade=-0.28),
        Part("strap", ribbon(loop, 18), shade=-0.14),
        Part("shadow", curve([(-top - 10, flap_low - 8), (0, flap_low + 44),
                              (top + 10, flap_low - 8), (0, flap_low + 12)], tension=0.6),
             shade=-0.3),
        Part("flap", rounded(flap, [16, 16, 24, 70, 24]), shade=0.1),
        Part("ring", oval(-70, -tall + 14, 11), "detail", fill="#a9a9a6"),
        Part("ring", oval(70, -tall + 14, 11), "detail", fill="#a9a9a6"),
        Part("clasp", rounded([(-20, flap_low - 12), (20, flap_low - 12), (20, flap_low + 24),
                               (-20, flap_low + 24)], 7), "detail", fill="#b4b4b0"),
        Part("clasp", oval(0, flap_low + 6, 7), "detail", fill="#6f6f6c"),
        Part("shine", rounded([(-top + 24, -tall + 14), (-top + 78, -tall + 12),
                               (-top + 60, -tall + 26), (-top + 20, -tall + 30)], 6), shade=0.32),
    )  # fmt: skip
    shape = Shape("bag", parts, tuple(facets), 0, "a handbag with a flap and a clasp")
    return place(shape, rng, width=350, height=370)


def _tote(rng: random.Random) -> Shape:
    half = rng.uniform(112, 124)
    tall = rng.uniform(210, 230)
    rise = rng.uniform(90, 112)
    flare = rng.uniform(-10, 14)
    gusset = rng.uniform(34, 44)
    slope = gusset * 0.42
    a, b, c, d = (-half - flare, -tall), (half + flare, -tall), (half, 0.0), (-half, 0.0)
    e, f = (b[0] + gusset, -tall - slope), (c[0] + gusset, -slope)
    g = (a[0] + gusset, -tall - slope)
    front = [
        (-58.0, -tall + 34), (-58, -tall - rise * 0.5), (-34, -tall - rise),
        (34, -tall - rise), (58, -tall - rise * 0.5), (58, -tall + 34),
    ]  # fmt: skip
    behind = [(x + gusset, y - slope - 2) for x, y in front]
    facets: list[Facet] = [
        (a, (0, -tall), (-30, -tall * 0.45), (a[0] * 0.97, -tall * 0.5)),
        ((0, -tall), b, (b[0] * 0.97, -tall * 0.5), (-30, -tall * 0.45)),
        ((a[0] * 0.97, -tall * 0.5), (-30, -tall * 0.45), (-40, 0), d),
        ((-30, -tall * 0.45), (b[0] * 0.97, -tall * 0.5), (-40, 0)),
        ((b[0] * 0.97, -tall * 0.5), c, (-40, 0)),
        (b, e, (b[0] + gusset / 2, -tall * 0.55)),
        (e, f, (b[0] + gusset / 2, -tall * 0.55)),
        (b, (b[0] + gusset / 2, -tall * 0.55), f, c),
        (a, g, e, b),
        (front[0], front[1], (-44, front[1][1]), (-44, -tall)),
        (front[1], front[2], (-28, front[2][1] + 14), (-44, front[1][1])),
        (front[2], front[3], (28, front[3][1] + 14), (-28, front[2][1] + 14)),
        (front[3], front[4], (44, front[4][1]), (28, front[3][1] + 14)),
        (front[4], front[5], (44, -tall), (44, front[4][1])),
    ]
    fold = (b[0] + gusset / 2 - 4, -tall - slope / 2 + 30)
    parts = (
        Part("strap", ribbon(behind, 14), shade=-0.3),
        Part("inside", poly(a, g, e, b), shade=-0.5),
        Part("gusset", poly(b, e, f, c), shade=-0.28),
        Part("shadow", poly(b, fold, f, c), shade=-0.16),
        Part("body", rounded([a, b, c, d], [4, 4, 8, 12])),
        Part("hem", rounded([(a[0], -tall), (b[0], -tall), (b[0] - 1, -tall + 24),
                             (a[0] + 1, -tall + 24)], 4), shade=0.14),
        Part("strap", ribbon(front, 18), shade=-0.16),
        *[Part("stitch", line((x - 7, -tall + 18), (x + 7, -tall + 32)), "line", width=2.5)
          for x in (-58, 58)],
        *[Part("stitch", line((x + 7, -tall + 18), (x - 7, -tall + 32)), "line", width=2.5)
          for x in (-58, 58)],
        Part("fold", curve([(-half + 16, -14), (-half * 0.4, -34), (half * 0.3, -18)],
                           closed=False), "line", width=3),
        Part("fold", curve([(half * 0.2, -tall * 0.3), (half * 0.5, -tall * 0.42),
                            (half * 0.86, -tall * 0.4)], closed=False), "line", width=2.5),
    )  # fmt: skip
    shape = Shape("bag", parts, tuple(facets), 0, "a roomy tote with two handles")
    return place(shape, rng, width=345, height=380)
