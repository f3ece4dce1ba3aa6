"""A car seen from the side: hatchback, saloon or van-like estate."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, Point, arc, curve, line, oval, place, poly, rounded

_GLASS = "#b9c3c9"
_DARK = "#3b3d42"


def car(rng: random.Random) -> Shape:
    """Draw a car with two doors in view, windows, lights and two wheels; it looks right."""
    kind = rng.choice(("hatchback", "hatchback", "saloon", "estate"))
    tall = rng.uniform(0.96, 1.08)
    wheel = rng.uniform(37, 41)
    belt, roof = -84.0 * tall, -146.0 * tall
    rear, front = -176.0, 178.0
    if kind == "hatchback":
        a, b, c, d = -160.0, -120.0, 24.0, 88.0
    elif kind == "saloon":
        a, b, c, d = -118.0, -66.0, 36.0, 94.0
    else:
        a, b, c, d = -168.0, -148.0, 44.0, 100.0
    back_x, front_x = -104.0, 108.0
    sill = -14.0

    cabin: list[Point] = [(a - 8, belt + 6), (b, roof), (c, roof), (d + 8, belt + 6)]
    boot = belt + (10 if kind == "saloon" else 2)
    lower: list[Point] = [
        (rear + 2, boot), (a, belt), (d, belt), (front - 22, belt + 24), (front, belt + 46),
        (front, sill), (rear, sill),
    ]  # fmt: skip
    lower_d = rounded(lower, [20, 2, 8, 26, 18, 14, 14])
    pillar = (b + c) / 2 - (2 if kind == "hatchback" else -6)
    w0, w1 = belt + 2, roof + 13
    rear_glass = [(a + 12, w0), (b + 8, w1), (pillar - 5, w1), (pillar - 5, w0)]
    front_glass = [(pillar + 7, w0), (pillar + 7, w1), (c - 4, w1), (d - 16, w0)]
    parts = [
        Part("chassis", poly((rear + 14, -24), (front - 12, -24), (front - 18, -4),
                             (rear + 20, -4)), "detail", fill="#4a4c51"),
        Part("cabin", rounded(cabin, [6, 34, 40, 6]), shade=0.05),
        Part("body", lower_d),
        Part("window", rounded(rear_glass, [5, 14, 4, 4]), "detail", fill=_GLASS),
        Part("window", rounded(front_glass, [4, 4, 16, 5]), "detail", fill=_GLASS),
    ]  # fmt: skip
    for glass in (rear_glass, front_glass):
        x0, x1 = glass[0][0], glass[3][0]
        mid = x0 + (x1 - x0) * 0.45
        glint = [(mid - 6, w0 - 6), (mid + 14, w1 + 6), (mid + 28, w1 + 6), (mid + 8, w0 - 6)]
        parts.append(Part("glint", poly(*glint), "detail", fill="#dfe5e8"))
    parts += [
        Part("shadow", rounded([(rear, sill - 20), (front, sill - 20), (front, sill),
                                (rear, sill)], [0, 0, 14, 14]), shade=-0.26),
        Part("shine", rounded([(rear + 18, belt + 9), (d + 6, belt + 9), (front - 36, belt + 28),
                               (rear + 12, belt + 16)], 4), shade=0.4),
        Part("door", curve([(pillar + 1, w0 + 2), (pillar + 1, sill - 14)], closed=False), "line",
             width=3.5),
        Part("door", line((d - 18, w0 + 4), (d - 12, belt + 40), (front_x - 46, sill - 14)),
             "line", width=3.5),
        Part("door", line((a + 14, w0 + 4), (a + 18, belt + 20), (back_x + 44, sill - 24)),
             "line", width=3.5),
        Part("handle", rounded([(pillar + 12, belt + 22), (pillar + 34, belt + 22),
                                (pillar + 34, belt + 28), (pillar + 12, belt + 28)], 3),
             "detail", fill="#70747a"),
        Part("handle", rounded([(pillar - 34, belt + 22), (pillar - 12, belt + 22),
                                (pillar - 12, belt + 28), (pillar - 34, belt + 28)], 3),
             "detail", fill="#70747a"),
        Part("mirror", rounded([(d - 26, belt - 14), (d - 8, belt - 12), (d - 6, belt + 4),
                                (d - 24, belt + 4)], 5), shade=-0.14),
        Part("headlight", rounded([(front - 34, belt + 34), (front - 3, belt + 48),
                                   (front, belt + 62), (front - 28, belt + 56)], 7),
             "detail", fill="#f4f1e4"),
        Part("taillight", rounded([(rear, boot + 12), (rear + 16, boot + 12),
                                   (rear + 14, boot + 38), (rear, boot + 38)], 4),
             "detail", fill="#8d8a8a"),
        Part("bumper", rounded([(front - 36, sill - 18), (front + 8, sill - 18),
                                (front + 8, sill - 4), (front - 36, sill - 4)], 6),
             "detail", fill="#6a6d73"),
        Part("bumper", rounded([(rear - 8, sill - 18), (rear + 30, sill - 18),
                                (rear + 30, sill - 4), (rear - 8, sill - 4)], 6),
             "detail", fill="#6a6d73"),
    ]  # fmt: skip
    for x in (back_x, front_x):
        parts += _wheel(x, wheel)
    facets: list[Facet] = [
        (cabin[0], cabin[1], (pillar, belt)),
        (cabin[1], (pillar, roof), (pillar, belt)),
        ((pillar, roof), cabin[2], (pillar, belt)),
        (cabin[2], cabin[3], (pillar, belt)),
        ((rear, boot), (a, belt), (back_x, sill)),
        ((rear, boot), (back_x, sill), (rear, sill)),
        ((a, belt), (pillar, belt), (back_x, sill)),
        ((pillar, belt), (pillar, sill), (back_x, sill)),
        ((pillar, belt), (front_x - 40, sill), (pillar, sill)),
        ((pillar, belt), (d, belt), (front_x - 40, sill)),
        ((d, belt), (front - 22, belt + 24), (front_x - 40, sill)),
        ((front - 22, belt + 24), (front, belt + 46), (front, sill), (front_x - 40, sill)),
    ]
    for x in (back_x, front_x):
        ring = arc(x, -2, wheel, wheel, -90, 270)[:-1]
        facets.append(tuple(ring[::4]))
    note = {"hatchback": "a small hatchback", "saloon": "a long saloon"}.get(kind, "a roomy estate")
    return place(Shape("car", tuple(parts), tuple(facets), 38, note), rng, width=425, height=270,
                 scale=(0.9, 1.02))  # fmt: skip


def _wheel(x: float, r: float) -> list[Part]:
    spokes = [
        Part("spoke", line((x, -2), end), "line", width=5)
        for end in arc(x, -2, r * 0.56, r * 0.56, -90, 270)[:-1:5]
    ]
    return [
        Part("arch", poly(*arc(x, -6, r + 8, r + 8, 180, 360), (x + r + 8, -13), (x - r - 8, -13)),
             "detail", fill="#2e3035"),
        Part("tyre", oval(x, -2, r), "detail", fill=_DARK),
        Part("rim", oval(x, -2, r * 0.62), "detail", fill="#c9ccd0"),
        *spokes,
        Part("hub", oval(x, -2, r * 0.18), "detail", fill="#82868c"),
    ]  # fmt: skip
