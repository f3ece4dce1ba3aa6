"""What some bodies carry: a fleece, a mane, a collar (from the side)."""

from __future__ import annotations

import random

from ..svg import Picture, ellipse_d, path, shade
from .coats import Coat
from .curves import Point, Tube, lerp
from .head import wool_d
from .paint import solid, stroke


def fleece(
    picture: Picture, coat: Coat, body: Tube, neck: Tube, fill: str, rng: random.Random
) -> str:
    """Return a sheep's woolly body."""
    cx, cy = body.at(0.5)
    rx = abs(body.at(1.0)[0] - body.at(0.0)[0]) / 2 + 36
    ry = 46.0
    nx, ny = neck.at(0.5)
    outlines = [wool_d(cx, cy, rx, ry, 15, 22), wool_d(nx, ny, 30, 34, 10, 13)]
    curls = []
    for row, y in enumerate((-24, 0, 22)):
        for k in range(5):
            x = cx - 66 + 33 * k + (16 if row % 2 else 0) + rng.uniform(-4, 4)
            curls.append(f"M{x - 8:.1f} {cy + y:.1f}A8 8 0 0 0 {x + 8:.1f} {cy + y + 1:.1f}")
    lines = stroke("".join(curls), shade(coat.base, -0.2), 3)
    return solid(picture, outlines, fill, coat.line, overlays=[lines])


def upright_mane(picture: Picture, coat: Coat, neck: Tube) -> str:
    """Return a zebra's upright, banded mane along the top of its neck."""
    crest = Tube(tuple(neck.at(t, 0.98) for t in (0.05, 0.4, 0.75, 1.0)), (7, 14, 15, 13))
    bands = [path(crest.ring(t, t + 0.1), fill=coat.base) for t in (0.12, 0.34, 0.56, 0.78)]
    return solid(picture, [crest.d(8)], coat.mark, coat.line, overlays=bands)


def collar(picture: Picture, a: Point, b: Point) -> str:
    """Return a dog's red collar with its tag."""
    band = Tube((a, (lerp(a, b, 0.5)[0] + 5, lerp(a, b, 0.5)[1] + 5), b), (5, 6, 5))
    tag = lerp(a, b, 0.8)
    return (
        solid(picture, [band.d(5)], "#d8343c", "#8d1d26", 2)
        + solid(picture, [ellipse_d(tag[0] + 6, tag[1] + 13, 6.5)], "#f6c945", "#9c7415", 2)
    )  # fmt: skip
