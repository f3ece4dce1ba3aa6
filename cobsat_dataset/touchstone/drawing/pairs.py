"""Two pictures of one place: a desk with five differences, and a street twenty years apart."""

from __future__ import annotations

import math
from typing import Final

from cobsat.drawing.actions.stage import box, cloud, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear
from cobsat.drawing.svg import ellipse_d, num, path, shade

from .canvas import Canvas
from .things import figure, thing

__all__ = ["desk_a", "desk_b", "street_2005", "street_2025"]

_INK: Final = "#2d3142"


def desk_a() -> Canvas:
    """Draw the desk: three o'clock, blue mug, an apple, four books, the cat asleep."""
    return _desk(hour=3, mug="#2b78c5", apple=True, books=4, asleep=True)


def desk_b() -> Canvas:
    """Draw the same desk: six o'clock, red mug, no apple, three books, the cat awake."""
    return _desk(hour=6, mug="#d8433c", apple=False, books=3, asleep=False)


def _desk(*, hour: int, mug: str, apple: bool, books: int, asleep: bool) -> Canvas:
    canvas = Canvas(width=640, height=512)
    canvas.add(
        box(0, 0, 640, 400, linear(canvas, (0, "#dfe8dc"), (1, "#eef1e4"))),
        box(0, 396, 640, 116, linear(canvas, (0, "#c79a68"), (1, "#a87c4c"))),
        box(0, 388, 640, 10, "#ffffff"),
    )
    canvas.add(
        box(36, 40, 178, 150, "#ffffff", stroke="#b7b9a6", stroke_width=3),
        box(48, 52, 154, 126, linear(canvas, (0, "#9fd3f0"), (1, "#e3f3e6"))),
        cloud(104, 104, 70),
        path("M48 178V150Q90 120 130 148Q170 128 202 150V178Z", fill="#8fbf6b"),
        stroke("M125 52V178", "#ffffff", 7),
    )
    canvas.add(
        oval(320, 92, 46, 46, "#ffffff", stroke="#8a3c2c", stroke_width=7),
        *(
            oval(320 + 36 * math.cos(a), 92 + 36 * math.sin(a), 2.6, 2.6, _INK)
            for a in (k * math.tau / 12 for k in range(12))
        ),
    )
    a = math.tau * hour / 12 - math.pi / 2
    canvas.add(
        stroke(f"M320 92L{num(320 + 22 * math.cos(a))} {num(92 + 22 * math.sin(a))}", _INK, 6),
        stroke("M320 92V60", _INK, 3.6),
        oval(320, 92, 4, 4, _INK),
    )
    canvas.add(
        box(430, 142, 180, 13, "#9c6c45", stroke="#5a3a22", stroke_width=2),
        poly([(446, 155), (462, 155), (446, 176)], "#5a3a22"),
        poly([(594, 155), (578, 155), (594, 176)], "#5a3a22"),
    )
    for k in range(books):
        x, high = 452 + 32 * k, (78, 90, 70, 84)[k]
        color = ("#4f83c2", "#e9b22e", "#4b9a6b", "#b5546d")[k]
        canvas.add(
            box(x, 142 - high, 27, high, color, rx=2, stroke=shade(color, -0.45), stroke_width=2),
            box(x + 5, 142 - high + 14, 17, 7, shade(color, 0.6)),
            box(x + 5, 142 - high + 26, 17, 3, shade(color, 0.6)),
        )
    canvas.add(
        box(70, 310, 500, 20, "#b5804e", rx=3, stroke="#5a3a22", stroke_width=2.5),
        box(92, 330, 18, 136, "#9c6c45", stroke="#5a3a22", stroke_width=2),
        box(530, 330, 18, 136, "#9c6c45", stroke="#5a3a22", stroke_width=2),
        box(400, 330, 118, 60, "#a97747", stroke="#5a3a22", stroke_width=2),
        oval(459, 360, 6, 6, "#e0c070"),
    )
    canvas.add(
        glow(canvas, 206, 276, 74, "#fff0b0", 0.9),
        stroke("M126 308L112 250L154 194", "#3b4a55", 7),
        poly(
            [(148, 200), (168, 182), (218, 222), (174, 256)],
            "#e07a3f",
            stroke="#8a3c0c",
            stroke_width=2.5,
        ),
        oval(126, 308, 32, 7, "#3b4a55"),
    )
    canvas.add(
        box(236, 210, 132, 86, "#2d3142", rx=6),
        box(244, 218, 116, 68, linear(canvas, (0, "#bfe0f0"), (1, "#e9f5f7"))),
        stroke("M256 236h60M256 250h84M256 264h48", "#6d8fa3", 4),
        poly([(222, 310), (382, 310), (368, 294), (236, 294)], "#5d6a72"),
    )
    canvas.add(thing(canvas, "cup", mug, x=426, ground=311, height=54, seed=2))
    canvas.add(oval(496, 306, 40, 7, "#ffffff", stroke="#a9b3bd", stroke_width=2))
    if apple:
        canvas.add(thing(canvas, "apple", "#4fa33c", x=496, ground=306, height=46, seed=1))
    canvas.add(oval(250, 474, 150, 24, "#8c4a6a"), oval(250, 470, 144, 21, "#b46a8c"))
    cat = figure(
        canvas,
        "cat",
        x=250,
        ground=476,
        height=84 if asleep else 130,
        pose="sleep" if asleep else "sit",
        mood="asleep" if asleep else "calm",
        seed=7,
    )
    canvas.add(cat.back, cat.front, cat.top)
    return canvas


def street_2005() -> Canvas:
    """Draw a street full of cars, without trees, its shops closed."""
    canvas = _houses("2005", dull=True)
    canvas.add(
        box(0, 316, 768, 196, linear(canvas, (0, "#6b6f78"), (1, "#55585f"))),
        box(0, 304, 768, 16, "#a9a9a6"),
        path("M0 408H768", fill="none", stroke="#ffffff", stroke_width=5, stroke_dasharray="44 34"),
        box(0, 496, 768, 16, "#a9a9a6"),
    )
    for x, y, color, seed, flip in (
        (110, 392, "#8b2f39", 1, False),
        (330, 392, "#39597f", 2, False),
        (560, 392, "#d9d9d4", 3, True),
        (190, 490, "#3f4a3c", 4, True),
        (420, 490, "#c9a13b", 5, False),
        (652, 490, "#24262d", 2, True),
    ):
        canvas.add(
            oval(x, y - 2, 94, 9, "#000000", fill_opacity=0.3),
            thing(canvas, "car", color, x=x, ground=y, height=82, seed=seed, flip=flip),
        )
        s = 1 if y < 400 else -1
        tail = x + 92 * s
        canvas.add(
            *(
                oval(tail + s * dx, y - 14 - dy, r, r * 0.8, "#b9b9b9", fill_opacity=0.75)
                for dx, dy, r in ((6, 0, 7), (17, 6, 10), (31, 14, 8))
            )
        )
    return canvas


def street_2025() -> Canvas:
    """Draw the same street with trees, a cycle path, a tram and a cafe, and no cars."""
    canvas = _houses("2025", dull=False)
    canvas.add(
        box(0, 316, 768, 60, linear(canvas, (0, "#d9cfbd"), (1, "#cabfaa"))),
        path(
            "".join(f"M{x} 318V376" for x in range(20, 768, 44)) + "M0 346H768",
            fill="none",
            stroke="#b9ad97",
            stroke_width=1.6,
        ),
        box(0, 376, 768, 52, "#5a9a7a"),
        box(0, 428, 768, 84, linear(canvas, (0, "#7d8088"), (1, "#6b6e76"))),
        stroke("M0 452H768M0 488H768", "#c9ccd2", 4),
        box(0, 374, 768, 4, "#ffffff"),
        box(0, 426, 768, 4, "#ffffff"),
    )
    for x in (192, 388, 762):
        canvas.add(
            box(x - 7, 236, 14, 116, "#7a5230"),
            path(
                "".join(
                    ellipse_d(x + dx, 206 + dy, r)
                    for dx, dy, r in ((-24, 10, 28), (24, 10, 28), (0, -22, 34), (0, 16, 28))
                ),
                fill="#5f9f45",
                stroke="#447a30",
                stroke_width=2,
            ),
            *(
                oval(x + dx, 200 + dy, 12, 9, "#7fbd60")
                for dx, dy in ((-24, 8), (16, -18), (26, 16))
            ),
            box(x - 24, 350, 48, 9, "#7a6a55", rx=4),
        )
    # The cafe: a parasol, a table with two cups, two chairs.
    canvas.add(
        stroke("M540 360V246", "#7a5230", 6),
        poly([(462, 262), (540, 214), (618, 262)], "#d8433c", stroke="#8d1d26", stroke_width=2.5),
        poly([(514, 262), (540, 214), (566, 262)], "#ffffff", stroke="#8d1d26", stroke_width=2),
        box(504, 318, 72, 7, "#f4efe4", stroke="#8a7a5a", stroke_width=1.5),
        stroke("M540 324V360M526 360H554", "#8a7a5a", 5),
        thing(canvas, "cup", "#ffffff", x=524, ground=318, height=17, seed=2),
        thing(canvas, "cup", "#ffffff", x=558, ground=318, height=17, seed=2),
        thing(canvas, "chair", "#4b8f6b", x=478, ground=362, height=62, seed=1),
        thing(canvas, "chair", "#4b8f6b", x=604, ground=362, height=62, seed=1, flip=True),
    )
    canvas.add(
        box(40, 338, 110, 8, "#8a5d3a", rx=3),
        box(40, 320, 110, 7, "#8a5d3a", rx=3),
        stroke("M52 322V362M138 322V362", "#3b3f45", 5),
    )
    _cyclist(canvas, 250, 424)
    canvas.add(stroke("M420 402h36l-10 -8m10 8l-10 8M640 402h36l-10 -8m10 8l-10 8", "#e9f5ee", 4))
    tram = linear(canvas, (0, "#f4d24a"), (1, "#d9b02a"))
    canvas.add(
        box(330, 392, 400, 92, tram, rx=16, stroke="#6b5510", stroke_width=3),
        box(330, 446, 400, 14, "#ffffff"),
        *(
            box(350 + 62 * k, 404, 48, 34, "#9fd0e3", rx=5, stroke="#6b5510", stroke_width=2)
            for k in range(6)
        ),
        box(336, 484, 388, 8, "#3b3f45"),
        stroke("M530 392L512 372H560", "#3b3f45", 4),
        oval(724, 470, 6, 6, "#fff6cf"),
    )
    canvas.write("LINE 4", 530, 478, 17, weight=2.4, anchor="middle", fill="#6b5510")
    return canvas


def _cyclist(canvas: Canvas, x: float, foot: float) -> None:
    """Paint a person with a helmet on a bicycle, riding to the right."""
    y = foot - 22
    canvas.add(
        *(
            path(ellipse_d(x + dx, y, 22), fill="none", stroke="#22262a", stroke_width=4.5)
            for dx in (-34, 34)
        ),
        stroke(
            f"M{x - 34} {y}L{x - 14} {y - 34}H{x + 22}L{x + 34} {y}M{x - 34} {y}H{x - 4}"
            f"L{x + 22} {y - 34}M{x - 4} {y}L{x - 16} {y - 42}M{x + 22} {y - 34}L{x + 20} "
            f"{y - 46}L{x + 32} {y - 48}",
            "#c8281f",
            4.5,
        ),
        stroke(f"M{x - 14} {y - 48}L{x + 6} {y - 28}L{x - 2} {y + 2}", "#2f4f7f", 11),
        stroke(f"M{x - 14} {y - 50}L{x + 4} {y - 84}", "#e9b22e", 20),
        stroke(f"M{x + 4} {y - 78}L{x + 16} {y - 58}L{x + 28} {y - 50}", "#e9b22e", 9),
        oval(x + 12, y - 104, 13, 14, "#d9a27a"),
        path(f"M{x - 3} {y - 106}A15 15 0 0 1 {x + 27} {y - 106}Z", fill="#2466a8"),
        box(x - 26, y - 46, 22, 6, "#22262a", rx=3),
    )


def _houses(year: str, *, dull: bool) -> Canvas:
    """Return the street's four houses under the sky, and the year on a sign."""
    canvas = Canvas(width=768, height=512)
    canvas.add(
        box(
            0,
            0,
            768,
            320,
            linear(
                canvas, (0, "#a9b0b5" if dull else "#8fcaf0"), (1, "#d3d3cf" if dull else "#eef7ee")
            ),
        )
    )
    if not dull:
        canvas.add(oval(690, 56, 28, 28, "#ffd84a"), cloud(240, 44, 90))
    walls = (
        ("#a39a8c", "#9a9288", "#a69d93", "#979089")
        if dull
        else ("#f0d3a8", "#dfe8ee", "#f3c9b5", "#d9e3c4")
    )
    shops = (("BOOKS", False), ("BAKERY", False), ("CAFE", True), ("BIKES", True))
    for k, (wall, (name, new)) in enumerate(zip(walls, shops, strict=True)):
        x, top = 192 * k, (74, 96, 62, 90)[k]
        roof = "#6b4a42" if dull else "#b3523c"
        canvas.add(
            box(x, top, 192, 250, wall, stroke=shade(wall, -0.4), stroke_width=2),
            poly(
                [(x, top + 3), (x + 22, top - 34), (x + 170, top - 34), (x + 192, top + 3)],
                roof,
                stroke=shade(roof, -0.4),
                stroke_width=2,
            ),
        )
        canvas.add(
            *(
                box(
                    x + 22 + 56 * j,
                    top + 18 + 58 * i,
                    34,
                    42,
                    "#7f8c94" if dull else "#bfe0f0",
                    rx=2,
                    stroke="#ffffff",
                    stroke_width=3.5,
                )
                for j in range(3)
                for i in range(2)
                if top + 18 + 58 * i < 180
            )
        )
        sign = "#4a4d55" if dull else ("#2f5d8a", "#a3602f", "#8c3050", "#2d7d5a")[k]
        canvas.add(
            box(x + 12, 216, 168, 26, sign, rx=3),
            box(
                x + 20,
                246,
                104,
                68,
                "#5d6166" if dull and new else "#f7e9bd",
                stroke="#4a4d55",
                stroke_width=2.5,
            ),
            box(x + 134, 246, 40, 70, shade(sign, -0.25)),
        )
        if dull and new:
            canvas.add(
                stroke(
                    "".join(f"M{x + 22} {252 + 12 * j}H{x + 122}" for j in range(6)), "#7c8187", 4
                )
            )
        else:
            canvas.write(name, x + 96, 235, 17, weight=2.4, anchor="middle", fill="#ffffff")
    canvas.add(box(16, 14, 92, 38, "#ffffff", rx=6, stroke=_INK, stroke_width=3))
    canvas.write(year, 62, 42, 24, weight=3, anchor="middle", fill=_INK)
    return canvas
