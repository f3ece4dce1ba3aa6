"""Soft materials: wicker, leather, lace and denim."""

from __future__ import annotations

import math
import random
from typing import Final

from ..objects.geometry import Matrix, poly
from ..objects.outline import along, inset, seam, spacing, trace
from ..svg import Part, Picture, Shape, element, ellipse_d, num, path, shade
from .skin import Skin, Tile, dot, dress, largest, lightness, size

_STRAWS: Final = (("#e2b56c", "#7a4d1e"), ("#d6a05a", "#6a3d16"), ("#e8ca90", "#86602c"))
_HIDES: Final = (("#70381b", "russet"), ("#54291a", "dark"), ("#7b3820", "chestnut"))
_GROUNDS: Final = ("#3b2340", "#1f2c46", "#47202c", "#1e3a38", "#2b2b33")


def wicker(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Strands that pass over and under stakes, and a wrapped rim."""
    straw, dark = rng.choice(_STRAWS)
    step, row = 22.0, 11.0
    strand = picture.define(
        "linearGradient",
        element("stop", offset=0, stop_color=shade(straw, -0.35))
        + element("stop", offset=0.35, stop_color=shade(straw, 0.35))
        + element("stop", offset=1, stop_color=shade(straw, -0.4)),
        x1=0,
        y1=0,
        x2=0,
        y2=1,
    )
    content = [element("rect", x=-4, y=-4, width=2 * step + 8, height=4 * row + 8, fill=dark)]
    for i in range(3):
        content.append(
            element("rect", x=step * i - 4, y=0, width=8, height=4 * row, fill=shade(straw, -0.2))
        )
    for r in range(4):
        for i in range(-1, 3):
            if (r + i) % 2 == 0:
                content.append(
                    element(
                        "rect",
                        x=step * i - step * 0.86,
                        y=row * r + 0.7,
                        width=step * 1.72,
                        height=row - 1.4,
                        rx=6,
                        fill=strand,
                        stroke=dark,
                        stroke_width=1,
                    )
                )
    tile = Tile(picture, 2 * step, 4 * row, "".join(content))

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        wide = 10.0 if least > 60 else 6.0 if least > 24 else 3.4
        picture.add(
            path(
                part.d, fill="none", stroke=dark, stroke_width=wide + 2.5, stroke_linejoin="round"
            ),
            path(
                part.d,
                fill="none",
                stroke=shade(straw, 0.12),
                stroke_width=wide,
                stroke_linejoin="round",
                stroke_dasharray=f"{num(wide * 0.72)} {num(wide * 0.2)}",
            ),
        )

    dress(
        picture,
        shape,
        Skin(
            lambda part, matrix: tile(matrix, 1.0 if size(part) > 44 else 0.8),
            under=dark,
            edge=dark,
            line=shade(dark, -0.2),
            finish=finish,
        ),
    )
    return rng.choice(("its strands run over and under", "the strands cross over and under"))


def leather(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """A pebbled brown hide with pale stitches along the seams, and studs."""
    hide, word = rng.choice(_HIDES)
    content = [element("rect", x=-4, y=-4, width=72, height=72, fill=hide)]
    for i in range(6):
        for j in range(6):
            x, y = 10.6 * i + rng.uniform(0, 8), 10.6 * j + rng.uniform(0, 8)
            r = rng.uniform(3.2, 5)
            content.append(
                path(
                    ellipse_d(x, y, r * 1.2, r),
                    fill=shade(hide, rng.uniform(0.02, 0.13)),
                    stroke=shade(hide, -0.34),
                    stroke_width=1,
                    opacity=0.75,
                )
            )
    tile = Tile(picture, 64, 64, "".join(content))
    thread = rng.choice(("#f0dcae", "#e9cf9a", "#f3e7cd"))
    main = largest(shape)

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        if least < 14 or part.name in ("rim", "inside", "dimple"):
            return
        depth = min(11.0, least * 0.2)
        d = seam(part.d, depth)
        if d:
            wide = 4.0 if least > 40 else 2.2
            picture.add(
                path(d, fill="none", stroke=shade(hide, -0.5), stroke_width=wide + 2.4),
                path(
                    d,
                    fill="none",
                    stroke=thread,
                    stroke_width=wide,
                    stroke_linecap="round",
                    stroke_dasharray="10 8" if least > 40 else "5 5",
                ),
            )
        if shape.name != "bag" and (part is main or least > 84):
            ring = inset(trace(part.d), 24)
            for x, y in along(ring, 300)[:4] if len(ring) > 3 else ():
                picture.add(
                    dot(x, y + 1.5, 8, shade(hide, -0.6)),
                    dot(x, y, 6.6, "#c9a253"),
                    dot(x - 2, y - 2, 2.2, "#f6e6b6"),
                )

    def detail(part: Part, matrix: Matrix) -> str:
        if part.name in ("clasp", "ring", "hub", "handle"):
            return "#c9a253"
        tone = lightness(part.fill)
        return shade(hide, -0.6 if tone < 0.4 else -0.3) if tone < 0.7 else "#d9b98a"

    dress(
        picture,
        shape,
        Skin(
            lambda _, matrix: tile(matrix),
            under=hide,
            edge=shade(hide, -0.62),
            line=shade(hide, -0.5),
            detail=detail,
            finish=finish,
            strength=1.2,
        ),
    )
    return f"the {word} hide is sewn with pale thread"


def lace(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """An openwork net with flowers; the dark ground shows through, the edge is scalloped."""
    ground = rng.choice(_GROUNDS)
    white = rng.choice(("#ffffff", "#fbf4e4", "#fff8f2"))
    petals = rng.choice((5, 6, 8))
    flower = []
    for i in range(petals):
        a = 2 * math.pi * i / petals
        x, y = 36 + 13 * math.cos(a), 36 + 13 * math.sin(a)
        flower.append(
            path(
                ellipse_d(x, y, 9, 6),
                fill=white,
                fill_opacity=0.9,
                stroke=white,
                stroke_width=2,
                transform=f"rotate({num(math.degrees(a))} {num(x)} {num(y)})",
            )
        )
        flower.append(dot(x, y, 2.4, ground))
    flower += [dot(36, 36, 6, white), dot(36, 36, 2.8, ground)]
    small = []
    for cx, cy in ((0, 0), (72, 0), (0, 72), (72, 72)):
        small.append(dot(cx, cy, 10, white))
        for i in range(6):
            a = math.pi * i / 3
            small.append(dot(cx + 6 * math.cos(a), cy + 6 * math.sin(a), 2.3, ground))
    step = 14.4
    net = path(
        "".join(f"M{num(step * k)} -4l80 80M{num(step * k)} 76l80 -80" for k in range(-6, 6)),
        fill="none",
        stroke=white,
        stroke_width=2,
        opacity=0.9,
    )
    small_net = Tile(
        picture,
        12,
        12,
        path(
            "M-2 -2L14 14M14 -2L-2 14M-2 10L2 14M10 -2L14 2",
            fill="none",
            stroke=white,
            stroke_width=1.8,
        ),
    )
    tile = Tile(picture, 72, 72, net + "".join(flower) + "".join(small))

    def paint(part: Part, matrix: Matrix) -> str:
        least = size(part)
        return tile(matrix, 1.0 if least > 100 else 0.7) if least > 34 else small_net(matrix)

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        if least > 52 and part.name not in ("rim", "inside", "lid", "shadow"):
            r = 8.5 if least > 90 else 6.0
            ring = trace(part.d)
            gap = spacing(ring, r * 1.75)
            for wide, color in ((2 * r, white), (0.84 * r, ground)):
                picture.add(
                    path(
                        poly(*ring),
                        fill="none",
                        stroke=color,
                        stroke_width=wide,
                        stroke_linecap="round",
                        stroke_dasharray=f"0.01 {gap:.4f}",
                    )
                )
        d = seam(part.d, min(12.0, least * 0.2))
        if d and least > 40:
            picture.add(path(d, fill="none", stroke=white, stroke_width=2.6))

    def detail(part: Part, matrix: Matrix) -> str:
        return ground if lightness(part.fill) < 0.5 else tile(matrix, 0.5)

    dress(
        picture,
        shape,
        Skin(
            paint,
            edge=white,
            line=white,
            edge_width=3,
            detail=detail,
            finish=finish,
            under=ground,
            strength=0.5,
            trim=ground,
        ),
    )
    return "light shows through its net of flowers, and its edge is scalloped"


def denim(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Blue twill with golden double stitches, copper rivets and a pocket."""
    base = rng.choice(("#4670ab", "#3b65a3", "#5179b4", "#3a619c"))
    content = [element("rect", x=-4, y=-4, width=68, height=68, fill=base)]
    for k in range(-60, 68, 6):
        content.append(path(f"M{k - 4} 64l68 -68", stroke=shade(base, 0.3), stroke_width=1.9))
    content += [
        element(
            "rect",
            x=rng.uniform(0, 58),
            y=rng.uniform(0, 56),
            width=1.2,
            height=rng.uniform(3, 8),
            fill=shade(base, rng.choice((0.6, -0.4))),
            opacity=0.7,
        )
        for _ in range(36)
    ]
    tile = Tile(picture, 60, 60, "".join(content))
    thread = rng.choice(("#f0a63a", "#e89a2c", "#f4b552"))
    main = largest(shape)

    def stitch(d: str, wide: float, dash: str) -> None:
        picture.add(
            path(d, fill="none", stroke=shade(base, -0.45), stroke_width=wide + 2, opacity=0.7),
            path(d, fill="none", stroke=thread, stroke_width=wide, stroke_dasharray=dash),
        )

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        if least < 14 or part.name in ("rim", "inside", "dimple"):
            return
        depths = (7.0, 14.0) if least > 60 else (min(6.0, least * 0.22),)
        for depth in depths:
            d = seam(part.d, depth)
            if d:
                stitch(d, 3.2 if least > 60 else 2.0, "8 4" if least > 40 else "5 3")
        ring = inset(trace(part.d), 21)
        if least > 84 and len(ring) > 3:
            for x, y in along(ring, 240)[:5]:
                picture.add(
                    dot(x, y, 6.2, "#7a3f1c"),
                    dot(x, y, 4.6, "#d08a52"),
                    dot(x - 1.4, y - 1.4, 1.7, "#f7d3a8"),
                )
        if part is main and least > 110:
            _pocket(part)

    def _pocket(part: Part) -> None:
        points = trace(part.d)
        x = sum(p[0] for p in points) / len(points)
        y = sum(p[1] for p in points) / len(points)
        k = size(part) * 0.24
        pocket = [
            (x - k, y - k),
            (x + k, y - k),
            (x + k, y + k * 0.7),
            (x, y + k * 1.15),
            (x - k, y + k * 0.7),
        ]
        picture.add(
            path(poly(*pocket), fill=shade(base, -0.12), opacity=0.55),
            path(poly(*pocket), fill="none", stroke=shade(base, -0.5), stroke_width=2.4),
        )
        for depth in (4.5, 9.5):
            stitch(seam(poly(*pocket), depth), 2.4, "7 4")
        arch = (
            f"M{num(x - k + 10)} {num(y)}Q{num(x - k / 2)} {num(y - k * 0.1)} {num(x)} "
            f"{num(y + k * 0.35)}Q{num(x + k / 2)} {num(y - k * 0.1)} {num(x + k - 10)} {num(y)}"
        )
        stitch(arch, 2.4, "7 4")

    def detail(part: Part, matrix: Matrix) -> str:
        if part.name in ("clasp", "ring", "hub"):
            return "#c98349"
        tone = lightness(part.fill)
        return "#22304d" if tone < 0.4 else shade(base, 0.45) if tone < 0.85 else shade(base, 0.75)

    dress(
        picture,
        shape,
        Skin(
            lambda _, matrix: tile(matrix),
            under=base,
            edge=shade(base, -0.55),
            line=thread,
            edge_width=3.2,
            detail=detail,
            finish=finish,
        ),
    )
    return "its twill is sewn with double golden stitches"
