"""Hard materials: wood, plastic, metal and ceramic."""

from __future__ import annotations

import math
import random
from typing import Final

from ..objects.geometry import Matrix, line
from ..objects.outline import along, inset, seam, trace
from ..svg import Part, Picture, Shape, element, ellipse_d, group, num, path, shade
from .skin import Skin, Tile, dot, dress, largest, lightness, quarter, size, upright, wavy

_WOODS: Final = (
    ("light", "#e0b877", "#96612c"),
    ("honey-toned", "#d29a56", "#85501f"),
    ("warm", "#c4874a", "#74421a"),
)
_TOYS: Final = (
    ("#e5242c", "#ffcf1a", "#1f6fe0"),
    ("#1677e8", "#ff8a12", "#ffd51c"),
    ("#17a34b", "#ffcf1a", "#e5242c"),
    ("#ff7a14", "#1aa7a1", "#ffd51c"),
    ("#f2c90f", "#e5242c", "#1f6fe0"),
)


def wood(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Planks with wavy grain, rings and knots."""
    word, base, dark = rng.choice(_WOODS)
    width, board = 210, rng.choice((44, 52))
    boards = [_board(rng, base, dark, width, board, y=board * i) for i in range(3)]
    tile = Tile(picture, width, board * 3, "".join(boards))
    small = Tile(picture, width, board, _board(rng, base, dark, width, board, y=0, knots=False))

    def paint(part: Part, matrix: Matrix) -> str:
        cloth = tile if size(part) > 34 else small
        return cloth(quarter(matrix) if upright(part) else matrix)

    dress(
        picture,
        shape,
        Skin(paint, edge=shade(dark, -0.45), line=shade(dark, -0.35), under=shade(base, -0.05)),
    )
    return f"its {word} boards show grain and knots"


def _board(
    rng: random.Random,
    base: str,
    dark: str,
    width: float,
    board: float,
    y: float,
    knots: bool = True,
) -> str:
    """One board across a tile, its upper edge at y."""
    tint = shade(base, rng.uniform(-0.12, 0.14))
    items = [element("rect", x=-4, y=y - 2, width=width + 8, height=board + 4, fill=tint)]
    for k in range(5):
        items.append(
            path(
                wavy(rng, y + board * (k + 0.7) / 5.4, width, 2.6),
                fill="none",
                stroke=dark if k % 2 else shade(tint, -0.24),
                stroke_width=rng.uniform(1.2, 2.2),
                opacity=rng.uniform(0.55, 0.9),
            )
        )
    if knots:
        x = rng.uniform(26, width - 26)
        for r, tone in ((13, tint), (11, dark), (8.5, shade(tint, -0.1)), (5, dark)):
            items.append(path(ellipse_d(x, y + board / 2, r * 1.5, r * 0.8), fill=tone))
    items.append(element("rect", x=-4, y=y, width=width + 8, height=2.6, fill=shade(dark, -0.4)))
    items.append(
        element("rect", x=-4, y=y + 2.6, width=width + 8, height=1.6, fill=shade(tint, 0.3))
    )
    return "".join(items)


def plastic(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Saturated toy colours, thick rounded edges, hard highlights, a mould's seam."""
    first, second, third = rng.choice(_TOYS)
    others = {
        "lid",
        "flap",
        "handle",
        "strap",
        "band",
        "saucer",
        "spine",
        "leaflet",
        "stem",
        "tail",
        "seat",
        "hem",
        "cabin",
        "stripe",
        "slat",
        "back",
        "panel",
    }

    def color(part: Part) -> str:
        words = part.name.split()
        if words[0] == "panel":
            return second
        return second if words[0] in others else first

    def detail(part: Part, matrix: Matrix) -> str:
        light = lightness(part.fill)
        glass = {"window": "#bfe6fb", "glint": "#ffffff", "tyre": "#33353c", "arch": "#22242a"}
        return glass.get(part.name, third if light < 0.9 else "#ffffff")

    sheen = picture.define(
        "linearGradient",
        element("stop", offset=0, stop_color="#fff", stop_opacity=0.95)
        + element("stop", offset=0.42, stop_color="#fff", stop_opacity=0.55)
        + element("stop", offset=0.5, stop_color="#fff", stop_opacity=0),
        x1=0,
        y1=0,
        x2=1,
        y2=1,
    )
    main = largest(shape)

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        depth = min(15.0, least * 0.17)
        gloss = seam(part.d, depth)
        if gloss and least > 12:
            wide = min(9.0, max(2.4, least * 0.075))
            picture.add(
                path(
                    gloss,
                    fill="none",
                    stroke=sheen,
                    stroke_width=wide,
                    stroke_linejoin="round",
                    stroke_linecap="round",
                )
            )
        if part is main:
            _blots(picture, part)

    dress(
        picture,
        shape,
        Skin(
            lambda part, _: color(part),
            under=first,
            edge=shade(first, -0.5),
            line=shade(first, -0.55),
            edge_width=4.5,
            detail=detail,
            finish=finish,
            strength=1.1,
            gloss=1.5,
        ),
    )
    return "it is a shiny toy with hard glints"


def _blots(picture: Picture, part: Part) -> None:
    """Two hard reflections of a lamp, and the mould's round mark."""
    ring = inset(trace(part.d), size(part) * 0.25)
    if not ring:
        return
    x, y = min(ring, key=lambda p: p[0] + p[1])
    turn = f"rotate(-38 {num(x)} {num(y)})"
    r = size(part) * 0.075
    picture.add(
        path(ellipse_d(x, y, r * 1.7, r * 0.8), fill="#fff", opacity=0.92, transform=turn),
        path(
            ellipse_d(x + r * 2.2, y + r * 0.4, r * 0.5, r * 0.36),
            fill="#fff",
            opacity=0.9,
            transform=turn,
        ),
    )
    x, y = max(ring, key=lambda p: p[0] + p[1])
    picture.add(
        element(
            "circle",
            cx=x,
            cy=y,
            r=r * 0.7,
            fill="none",
            stroke="#000",
            stroke_width=1.6,
            opacity=0.35,
        )
    )


def metal(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Brushed plates with bands of reflection, and rivets along the edges."""
    warm = rng.choice(("#a3abb3", "#9fa8b3", "#a9acb0"))
    strokes = [element("rect", x=-4, y=-4, width=128, height=56, fill=warm)]
    for i in range(24):
        x, y = rng.uniform(0, 100), 2 * i + rng.uniform(0, 1)
        tone = shade(warm, rng.choice((-0.3, -0.16, 0.2, 0.4)))
        strokes.append(
            element(
                "rect", x=x, y=y, width=rng.uniform(20, 120 - x), height=0.9, fill=tone, opacity=0.6
            )
        )
    tile = Tile(picture, 120, 48, "".join(strokes))
    bands = (
        (0.0, 0.75),
        (0.13, -0.1),
        (0.24, 0.85),
        (0.34, 0.3),
        (0.48, -0.5),
        (0.56, -0.24),
        (0.68, 0.7),
        (0.8, 0.05),
        (1.0, -0.4),
    )
    slide = rng.uniform(-0.05, 0.05)
    stops = "".join(
        element(
            "stop",
            offset=min(1.0, max(0.0, at + slide)),
            stop_color="#ffffff" if v > 0 else "#14181d",
            stop_opacity=abs(v),
        )
        for at, v in bands
    )
    chrome = [
        picture.define("linearGradient", stops, x1=0, y1=0, x2=x, y2=y)
        for x, y in ((1, 0.3), (0.3, 1))
    ]
    ball = "".join(
        element(
            "stop",
            offset=at,
            stop_color="#ffffff" if v > 0 else "#14181d",
            stop_opacity=abs(v),
        )
        for at, v in (
            (0, 1),
            (0.14, 0.8),
            (0.36, 0.2),
            (0.62, -0.3),
            (0.78, -0.62),
            (0.84, -0.4),
            (0.93, 0.7),
            (1, 0.1),
        )
    )
    globe = picture.define("radialGradient", ball, cx=0.48, cy=0.48, r=0.55, fx=0.34, fy=0.3)
    knob = picture.define(
        "radialGradient",
        element("stop", offset=0, stop_color="#ffffff")
        + element("stop", offset=0.5, stop_color="#b4bbc2")
        + element("stop", offset=1, stop_color="#4a5058"),
        cx=0.35,
        cy=0.3,
        r=0.75,
    )

    def finish(part: Part, fill: str) -> None:
        round_ = part.name in ("sphere", "fruit")
        tall = upright(part)
        picture.add(
            path(part.d, fill=globe if round_ else chrome[0 if not tall else 1], opacity=0.8)
        )
        least = size(part)
        if least > 34 and part.name not in ("rim", "inside", "panel", "dimple"):
            ring = inset(trace(part.d), 11)
            if len(ring) > 2:
                for x, y in along(ring, 34):
                    picture.add(dot(x, y + 1, 5, "#2b3036"), dot(x, y, 4.4, knob))
                picture.add(
                    path(
                        line(*inset(trace(part.d), 20)) + "Z",
                        fill="none",
                        stroke="#2b3036",
                        stroke_width=1.4,
                        opacity=0.5,
                    )
                    if least > 80 and len(inset(trace(part.d), 20)) > 2
                    else ""
                )

    dress(
        picture,
        shape,
        Skin(
            lambda _, matrix: tile(matrix),
            under=warm,
            edge="#2c3138",
            line="#23282e",
            finish=finish,
            strength=0.8,
            gloss=1.0,
        ),
    )
    return "its brushed plates shine and are riveted"


def ceramic(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """White or pale glaze, painted ornaments, a border line, fine cracks and gloss."""
    glaze, ink = rng.choice(
        (
            ("#fbfcfa", "#1d46a8"),
            ("#f6f9fb", "#173a94"),
            ("#e3efe4", "#1f5a78"),
            ("#fbf8ef", "#2149a3"),
        )
    )
    motif = _ornament(ink, rng)
    cracks = "".join(
        path(
            f"M{num(x)} {num(y)}l{num(rng.uniform(-24, 24))} {num(rng.uniform(12, 26))}"
            f"l{num(rng.uniform(-20, 20))} {num(rng.uniform(8, 20))}",
            fill="none",
            stroke="#8d9aa0",
            stroke_width=0.8,
            opacity=0.5,
        )
        for x, y in ((rng.uniform(20, 110), rng.uniform(0, 90)) for _ in range(6))
    )
    base = element("rect", x=-4, y=-4, width=140, height=140, fill=glaze)
    tile = Tile(picture, 130, 130, base + cracks + motif)
    plain = Tile(picture, 131, 131, base + cracks)
    main = largest(shape)

    def paint(part: Part, matrix: Matrix) -> str:
        if size(part) < 46 or part.name in ("rim", "inside", "saucer"):
            return plain(matrix)
        return tile(matrix, 0.8 if part is main else 0.62)

    sheen = picture.define(
        "linearGradient",
        element("stop", offset=0, stop_color="#fff", stop_opacity=1)
        + element("stop", offset=1, stop_color="#fff", stop_opacity=0.35),
    )

    def finish(part: Part, fill: str) -> None:
        least = size(part)
        if least > 22:
            for depth, wide in ((min(9.0, least * 0.13), 3.4), (min(15.0, least * 0.22), 1.3)):
                rim = seam(part.d, depth)
                if rim:
                    picture.add(
                        path(
                            rim,
                            fill="none",
                            stroke=ink,
                            stroke_width=wide,
                            stroke_linejoin="round",
                            opacity=0.9,
                        )
                    )
        if least > 70 and part.name not in ("rim", "inside"):
            ring = inset(trace(part.d), least * 0.24)
            if ring:
                x, y = min(ring, key=lambda p: p[0] + p[1])
                r = least * 0.1
                picture.add(
                    path(
                        ellipse_d(x, y, r * 1.9, r * 0.85),
                        fill=sheen,
                        transform=f"rotate(-40 {num(x)} {num(y)})",
                    )
                )

    def detail(part: Part, matrix: Matrix) -> str:
        tone = lightness(part.fill)
        return shade(ink, 0.1) if tone < 0.4 else shade(ink, 0.62) if tone < 0.78 else glaze

    dress(
        picture,
        shape,
        Skin(
            paint,
            under=glaze,
            edge="#6f7f92",
            line=ink,
            edge_width=2.4,
            detail=detail,
            finish=finish,
            strength=0.6,
            gloss=1.2,
        ),
    )
    return "its glaze is painted with flowers and tendrils"


def _ornament(ink: str, rng: random.Random) -> str:
    """A flower in the middle of a tile of 130, tendrils around it, dots in the corners."""
    petals = rng.choice((6, 8))
    items = []
    for i in range(petals):
        a = 2 * math.pi * i / petals
        x, y = 65 + 19 * math.cos(a), 65 + 19 * math.sin(a)
        items.append(
            path(
                ellipse_d(x, y, 12, 7.4),
                fill=ink,
                opacity=0.92,
                transform=f"rotate({num(math.degrees(a))} {num(x)} {num(y)})",
            )
        )
        items.append(
            path(
                ellipse_d(x, y, 6, 2.6),
                fill="#ffffff",
                opacity=0.55,
                transform=f"rotate({num(math.degrees(a))} {num(x)} {num(y)})",
            )
        )
    items += [dot(65, 65, 8.5, ink), dot(65, 65, 5, "#ffffff"), dot(65, 65, 2.6, ink)]
    for sx, sy in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        curl = "M34 4C54 6 60 26 46 34C36 39 28 30 34 24M50 32C58 38 60 48 56 58"
        leaf = "M40 8C48 -2 58 0 62 8C54 14 46 14 40 8Z"
        items.append(
            group(
                path(curl, fill="none", stroke=ink, stroke_width=3, stroke_linecap="round"),
                path(leaf, fill=ink),
                transform=f"translate(65 65)scale({sx} {sy})",
            )
        )
        items.append(dot(65 + 56 * sx, 65 + 56 * sy, 4.5, ink))
    return "".join(items)
