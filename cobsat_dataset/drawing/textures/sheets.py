"""Paper and sequins."""

from __future__ import annotations

import math
import random
from typing import Final

from ..objects.geometry import Matrix, Point, bounds, line, points_of, poly
from ..objects.outline import trace
from ..svg import Part, Picture, Shape, element, ellipse_d, num, path, shade
from .skin import Skin, Tile, dress, frame, largest, lightness, size

_SEQUINS: Final = (
    ("#f02c98", "pink"),
    ("#f5b915", "golden"),
    ("#12b9b4", "turquoise"),
    ("#a04cf0", "violet"),
    ("#ea2436", "ruby"),
    ("#d3dbe8", "silvery"),
)


def paper(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Pale sheets, crumpled and creased, ruled or squared, with a torn edge."""
    sheet = rng.choice(("#fdfcf6", "#fbfaf2", "#fefefb"))
    kind = rng.choice(("ruled", "ruled", "squared", "plain"))
    depth = 0.2 if kind == "plain" else 0.12
    crumple = Tile(picture, 168, 168, _crumple(rng, sheet, depth, 4))
    small = Tile(picture, 84, 84, _crumple(rng, sheet, depth, 2))
    lines = []
    for k in range(0, 100, 20):
        lines.append(element("rect", x=0, y=k, width=100, height=2.2, fill="#6f9fd8"))
        if kind == "squared":
            lines.append(element("rect", x=k, y=0, width=2.2, height=100, fill="#6f9fd8"))
    ruled = Tile(picture, 100, 100, "".join(lines))
    main = largest(shape)

    def finish(part: Part, fill: str) -> None:
        matrix = frame(part, 0)
        if kind != "plain" and size(part) > 16:
            picture.add(path(part.d, fill=ruled(matrix), opacity=0.8))
        if kind == "ruled" and part is main:
            clip = picture.define("clipPath", path(part.d))
            x0, y0, x1, y1 = bounds(points_of(part.d))
            x = x0 + (x1 - x0) * 0.2
            picture.add(
                element(
                    "rect", x=x, y=y0, width=2.4, height=y1 - y0, fill="#e2647a", clip_path=clip
                )
            )
        if size(part) > 50:
            picture.add(_torn(part, rng, sheet))

    def detail(part: Part, matrix: Matrix) -> str:
        return shade("#d8d3c4", (lightness(part.fill) - 0.62) * 1.3)

    dress(
        picture,
        shape,
        Skin(
            lambda part, matrix: (crumple if size(part) > 34 else small)(matrix),
            under=sheet,
            edge="#8d8a80",
            line="#8d8a80",
            edge_width=1.8,
            detail=detail,
            finish=finish,
            strength=0.8,
        ),
    )
    return {
        "ruled": "its ruled sheets are creased",
        "squared": "its squared sheets are creased",
        "plain": "its sheets are crumpled and creased",
    }[kind]


def _crumple(rng: random.Random, sheet: str, depth: float, n: int) -> str:
    """Facets of light and shadow that meet themselves at the edges of a tile of n by 42."""
    step = 42.0
    jitter = [[(rng.uniform(-15, 15), rng.uniform(-15, 15)) for _ in range(n)] for _ in range(n)]
    tones = [[(rng.uniform(0, 1), rng.uniform(0, 1)) for _ in range(n)] for _ in range(n)]

    def corner(i: int, j: int) -> Point:
        dx, dy = jitter[i % n][j % n]
        return (step * i + dx, step * j + dy)

    items, ridges, valleys = [], [], []
    for i in range(-1, n + 1):
        for j in range(-1, n + 1):
            a, b = corner(i, j), corner(i + 1, j)
            c, d = corner(i + 1, j + 1), corner(i, j + 1)
            for k, triangle in enumerate(((a, b, c), (a, c, d))):
                fill = shade(sheet, -depth * tones[i % n][j % n][k])
                items.append(path(poly(*triangle), fill=fill, stroke=fill, stroke_width=0.8))
            ridges.append(line(a, c))
            valleys.append(line(a, b))
    return "".join(
        (
            *items,
            path("".join(ridges), fill="none", stroke="#ffffff", stroke_width=1.8),
            path("".join(valleys), fill="none", stroke=shade(sheet, -0.4), stroke_width=0.8),
        )
    )


def _torn(part: Part, rng: random.Random, sheet: str) -> str:
    """A ragged pale fibre line along a part's outline."""
    ring = trace(part.d)
    ragged: list[Point] = []
    for p, q in zip(ring, ring[1:] + ring[:1], strict=True):
        length = math.dist(p, q)
        for k in range(max(1, round(length / 9))):
            t = k / max(1, round(length / 9))
            x, y = p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t
            ragged.append((x + rng.uniform(-2.4, 2.4), y + rng.uniform(-2.4, 2.4)))
    return path(
        poly(*ragged),
        fill="none",
        stroke=shade(sheet, 0.6),
        stroke_width=3.4,
        stroke_linejoin="round",
    )


def sequined(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Rows of shiny overlapping discs, and sparkles."""
    color, word = rng.choice(_SEQUINS)
    tile = Tile(picture, 120, 90, _discs(rng, color, 6, 6))
    small = Tile(picture, 40, 30, _discs(rng, color, 2, 2))
    flat = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    dress(
        picture,
        shape,
        Skin(
            lambda part, _: tile(flat) if size(part) > 34 else small(flat, 0.8),
            under=shade(color, -0.3),
            edge=shade(color, -0.65),
            line=shade(color, -0.72),
            strength=0.9,
        ),
    )
    spots = [p for part in shape.parts if part.role == "main" for p in trace(part.d, 3)]
    x0, y0, x1, y1 = bounds(trace(largest(shape).d))
    for _ in range(7):
        spots.append((rng.uniform(x0, x1), rng.uniform(y0, y1)))
    for x, y in rng.sample(spots, 6) + spots[-7:]:
        picture.add(_sparkle(x, y, rng.uniform(9, 26)))
    return f"its {word} discs glitter" if word != "pink" else "its rosy discs glitter"


def _discs(rng: random.Random, color: str, columns: int, rows: int) -> str:
    """Staggered rows of discs 20 apart, each row lapping over the one below."""
    step, rise, r = 20.0, 15.0, 11.6
    pick = [[rng.choice((0, 1, 1, 2, 2, 3)) for _ in range(columns)] for _ in range(rows)]
    grades = (
        (shade(color, -0.3), shade(color, 0.05)),
        (shade(color, -0.08), shade(color, 0.36)),
        (shade(color, 0.14), shade(color, 0.7)),
        (shade(color, 0.6), "#ffffff"),
    )
    items = [
        element("rect", x=-4, y=-4, width=step * columns + 8, height=rise * rows + 8, fill=color)
    ]
    for j in range(rows + 1, -2, -1):
        for i in range(-1, columns + 1):
            x, y = step * (i + (0.5 if j % 2 else 0)), rise * j
            body, glint = grades[pick[j % rows][i % columns]]
            items.append(
                element(
                    "circle", cx=x, cy=y, r=r, fill=body, stroke=shade(color, -0.55), stroke_width=1
                )
            )
            items.append(path(ellipse_d(x - 2.4, y - 1, 6, 5), fill=glint, opacity=0.85))
            items.append(element("circle", cx=x, cy=y - 6.5, r=1.6, fill=shade(color, -0.6)))
    return "".join(items)


def _sparkle(x: float, y: float, r: float) -> str:
    """A four-pointed star of light."""
    k = r * 0.1
    d = f"M{num(x)} {num(y - r)}"
    for dx, dy, mx, my in ((r, 0, k, -k), (0, r, k, k), (-r, 0, -k, k), (0, -r, -k, -k)):
        d += f"Q{num(x + mx)} {num(y + my)} {num(x + dx)} {num(y + dy)}"
    return path(d + "Z", fill="#ffffff", opacity=0.95)
