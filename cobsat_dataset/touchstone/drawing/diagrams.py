"""Pictures to solve problems with: a flow chart, a plot of land, a map, a recipe, balances."""

from __future__ import annotations

import math
import random
from typing import Final

from cobsat.drawing.actions.stage import box, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import linear, smooth_d
from cobsat.drawing.svg import ellipse_d, num, path, polygon_d, shade

from .canvas import Canvas
from .lettering import lettering
from .things import thing

__all__ = [
    "INGREDIENTS",
    "PLOT",
    "ROADS",
    "balances",
    "garden_plan",
    "parcel_flow",
    "recipe_card",
    "road_map",
]

_INK: Final = "#2d3142"

PLOT: Final = {"bottom": 12, "left": 9, "top": 7, "right": 5}
"""Lengths in metres that are written at the sides of the garden."""

ROADS: Final = {
    ("Alder", "Birch"): 4,
    ("Alder", "Cedar"): 7,
    ("Birch", "Cedar"): 2,
    ("Birch", "Dale"): 8,
    ("Cedar", "Dale"): 5,
    ("Cedar", "Elm"): 9,
    ("Dale", "Elm"): 3,
}
"""Kilometres of road from village to village."""

INGREDIENTS: Final = ("200 g flour", "300 ml milk", "2 eggs", "30 g butter", "1 pinch of salt")


def parcel_flow() -> Canvas:
    """Draw a flow chart: what to do when a parcel is late."""
    canvas = Canvas(width=640, height=720)
    canvas.add(box(0, 0, 640, 720, "#f4f6fb"))
    canvas.write("Parcel is late: what to do?", 320, 44, 26, weight=2.9, anchor="middle", fill=_INK)
    _box(canvas, 220, 98, ("Start",), "#cfe8d5", 60)
    _diamond(canvas, 220, 206, ("Late by more", "than 5 days?"))
    _box(canvas, 500, 206, ("Wait 2 more days",), "#ffe3b8")
    _diamond(canvas, 220, 356, ("Tracking says", "delivered?"))
    _box(canvas, 500, 356, ("Write to the shop",), "#ffd0c9")
    _box(canvas, 220, 478, ("Ask the neighbours",), "#ffe3b8")
    _diamond(canvas, 220, 580, ("Found it?",), 44)
    _box(canvas, 220, 682, ("Done",), "#cfe8d5", 60)
    _arrow(canvas, (220, 120), (220, 146))
    _arrow(canvas, (330, 206), (404, 206), "No", (366, 197))
    _arrow(canvas, (220, 266), (220, 296), "Yes", (243, 288))
    _arrow(canvas, (330, 356), (404, 356), "No", (366, 347))
    _arrow(canvas, (220, 416), (220, 456), "Yes", (243, 441))
    _arrow(canvas, (220, 500), (220, 536))
    _arrow(canvas, (220, 624), (220, 660), "Yes", (243, 648))
    canvas.add(stroke("M500 184V98H292", _INK, 2.6))
    _head(canvas, (282, 98), math.pi)
    canvas.add(stroke("M330 580H500V388", _INK, 2.6))
    _head(canvas, (500, 379), -math.pi / 2)
    canvas.write("No", 366, 571, 18, weight=2, anchor="middle", fill="#b23a48")
    return canvas


def _box(
    canvas: Canvas, x: float, y: float, lines: tuple[str, ...], fill: str, half: float = 96
) -> None:
    canvas.add(box(x - half, y - 22, 2 * half, 44, fill, rx=12, stroke=_INK, stroke_width=2.4))
    for k, text in enumerate(lines):
        canvas.write(text, x, y + 7 + 22 * k, 18, anchor="middle", fill=_INK)


def _diamond(canvas: Canvas, x: float, y: float, lines: tuple[str, ...], half: float = 60) -> None:
    corners = [(x - 110, y), (x, y - half), (x + 110, y), (x, y + half)]
    canvas.add(poly(corners, "#d6e0ff", stroke=_INK, stroke_width=2.4, stroke_linejoin="round"))
    for k, text in enumerate(lines):
        canvas.write(text, x, y + 7 + 22 * (k - (len(lines) - 1) / 2), 17, anchor="middle",
                     fill=_INK)  # fmt: skip


def _arrow(
    canvas: Canvas,
    start: tuple[float, float],
    end: tuple[float, float],
    word: str = "",
    at: tuple[float, float] = (0, 0),
) -> None:
    canvas.add(stroke(f"M{num(start[0])} {num(start[1])}L{num(end[0])} {num(end[1])}", _INK, 2.6))
    _head(canvas, end, math.atan2(end[1] - start[1], end[0] - start[0]))
    if word:
        color = "#2d7d46" if word == "Yes" else "#b23a48"
        canvas.write(word, *at, 18, weight=2, anchor="middle", fill=color)


def _head(canvas: Canvas, tip: tuple[float, float], angle: float) -> None:
    """Paint an arrow's head that ends at `tip`."""
    back = [(tip[0] - 12 * math.cos(angle + s * 0.45), tip[1] - 12 * math.sin(angle + s * 0.45))
            for s in (-1, 1)]  # fmt: skip
    canvas.add(poly([tip, *back], _INK))


def garden_plan() -> Canvas:
    """Draw an L-shaped garden from above, four of its six sides with their lengths."""
    canvas = Canvas(width=640, height=512)
    canvas.add(box(0, 0, 640, 512, "#f3ead8"))
    canvas.write("My new garden", 320, 42, 26, weight=2.9, anchor="middle", fill=_INK)
    unit, x0, y1 = 36.0, 106.0, 436.0
    width, height = PLOT["bottom"] * unit, PLOT["left"] * unit
    step_x, step_y = PLOT["top"] * unit, PLOT["right"] * unit
    y0 = y1 - height
    corners = (
        (x0, y0), (x0 + step_x, y0), (x0 + step_x, y1 - step_y), (x0 + width, y1 - step_y),
        (x0 + width, y1), (x0, y1),
    )  # fmt: skip
    lawn = linear(canvas, (0, "#a9d18e"), (1, "#7cb668"))
    canvas.add(path(polygon_d(corners), fill=lawn, stroke="#4d6b3a", stroke_width=5,
                    stroke_linejoin="round"))  # fmt: skip
    rng = random.Random(3)
    blades = []
    for _ in range(90):
        px, py = rng.uniform(x0 + 12, x0 + width - 12), rng.uniform(y0 + 16, y1 - 10)
        if px < x0 + step_x - 12 or py > y1 - step_y + 16:
            blades.append(f"M{num(px)} {num(py)}l-3 -8M{num(px)} {num(py)}l3 -8")
    canvas.add(path("".join(blades), fill="none", stroke="#5f9a4c", stroke_width=1.6))
    for px, py, r in ((172, 190, 34), (478, 372, 28)):
        canvas.add(oval(px + 5, py + 6, r, r, "#4d6b3a", fill_opacity=0.35))
        canvas.add(
            path(
                "".join(
                    ellipse_d(px + r * 0.5 * math.cos(a), py + r * 0.5 * math.sin(a), r * 0.56)
                    for a in (0, 1.26, 2.51, 3.77, 5.03)
                ),
                fill="#3f7d3a",
            ),
            oval(px - 6, py - 7, r * 0.34, r * 0.34, "#64a557"),
        )
    for (ax, ay), (bx, by) in ((corners[1], corners[2]), (corners[2], corners[3])):
        canvas.write(
            "?",
            (ax + bx) / 2 + (18 if ax == bx else 0),
            (ay + by) / 2 - (12 if ay == by else -8),
            24,
            anchor="middle",
            fill="#b23a48",
        )
    canvas.write(f"{PLOT['top']} m", x0 + step_x / 2, y0 - 14, 22, anchor="middle", fill=_INK)
    canvas.write(f"{PLOT['left']} m", x0 - 16, (y0 + y1) / 2 + 8, 22, anchor="end", fill=_INK)
    canvas.write(f"{PLOT['bottom']} m", x0 + width / 2, y1 + 34, 22, anchor="middle", fill=_INK)
    canvas.write(f"{PLOT['right']} m", x0 + width + 14, y1 - step_y / 2 + 8, 22, fill=_INK)
    canvas.add(stroke("".join(
        f"M{num(x)} {num(y + dy)}h{dx * 14}v{num(-dy)}" for x, y, dx, dy in
        ((x0, y0, 1, 14), (x0, y1, 1, -14), (x0 + width, y1, -1, -14))), "#4d6b3a", 2))  # fmt: skip
    canvas.write("All corners are right angles.", 320, 496, 17, anchor="middle", fill="#5a5f73")
    return canvas


_VILLAGES: Final = {
    "Alder": (88, 262),
    "Birch": (236, 132),
    "Cedar": (290, 330),
    "Dale": (462, 186),
    "Elm": (556, 350),
}


def road_map() -> Canvas:
    """Draw five villages, the roads between them, a river and woods."""
    canvas = Canvas(width=640, height=480)
    canvas.add(box(0, 0, 640, 480, linear(canvas, (0, "#e9f0d3"), (1, "#d7e5b8"))))
    river = smooth_d([(372, -10), (360, 60), (392, 130), (372, 220), (398, 300), (376, 390),
                      (410, 500)])  # fmt: skip
    canvas.add(stroke(river, "#7fb7d9", 22), stroke(river, "#a8d3ec", 13))
    rng = random.Random(8)
    for cx, cy in ((110, 110), (150, 396), (520, 88), (470, 420), (66, 366)):
        for _ in range(6):
            x, y = cx + rng.uniform(-46, 46), cy + rng.uniform(-26, 26)
            canvas.add(box(x - 2.5, y, 5, 10, "#7a5a3a"),
                       poly([(x - 13, y + 3), (x, y - 30), (x + 13, y + 3)], "#5c8f4d",
                            stroke="#416b37", stroke_width=1.5))  # fmt: skip
    lines = {pair: tuple(_VILLAGES[name] for name in pair) for pair in ROADS}
    for (ax, ay), (bx, by) in lines.values():
        canvas.add(stroke(f"M{ax} {ay}L{bx} {by}", "#8a6d4b", 12))
    for (ax, ay), (bx, by) in lines.values():
        canvas.add(stroke(f"M{ax} {ay}L{bx} {by}", "#f8edd2", 7))
    for pair, ((ax, ay), (bx, by)) in lines.items():
        # Elm's road to Cedar and Dale's to Birch would have their signs in the river.
        t = 0.7 if pair == ("Cedar", "Elm") else 0.42 if pair == ("Birch", "Dale") else 0.5
        t = 0.44 if pair == ("Cedar", "Dale") else t
        x, y = ax + (bx - ax) * t, ay + (by - ay) * t
        canvas.add(box(x - 30, y - 15, 60, 30, "#ffffff", rx=8, stroke="#8a6d4b", stroke_width=2))
        canvas.write(f"{ROADS[pair]} km", x, y + 7, 18, anchor="middle", fill=_INK)
    for k, (name, (x, y)) in enumerate(_VILLAGES.items()):
        wall = ("#d9694a", "#4f83c2", "#c9a13b", "#8d6bb0", "#4b9a86")[k]
        canvas.add(oval(x, y + 14, 44, 14, "#6f8f4f", fill_opacity=0.6))
        for dx, s in ((-20, 0.8), (16, 1.0)):
            canvas.add(
                box(
                    x + dx - 15 * s,
                    y - 14 * s,
                    30 * s,
                    28 * s,
                    "#fdf6e6",
                    stroke="#5a4632",
                    stroke_width=1.8,
                ),
                poly(
                    [
                        (x + dx - 20 * s, y - 13 * s),
                        (x + dx, y - 34 * s),
                        (x + dx + 20 * s, y - 13 * s),
                    ],
                    wall,
                    stroke="#5a4632",
                    stroke_width=1.8,
                    stroke_linejoin="round",
                ),
                box(x + dx - 4.5 * s, y - 1 * s, 9 * s, 15 * s, shade(wall, -0.35)),
            )
        canvas.add(lettering(name, x, y + 48, 21, weight=8, anchor="middle", fill="#e0ebc6"))
        canvas.write(name, x, y + 48, 21, weight=2.5, anchor="middle", fill=_INK)
    return canvas


def recipe_card() -> Canvas:
    """Draw a recipe card with a stack of pancakes, what goes in, and three steps."""
    canvas = Canvas(width=640, height=560)
    canvas.add(box(0, 0, 640, 560, "#c9a77c"))
    canvas.add(
        box(26, 24, 588, 512, "#6f4e2f", rx=14, fill_opacity=0.4, transform="translate(5 7)"),
        box(26, 24, 588, 512, "#fffaf0", rx=14, stroke="#b98d5a", stroke_width=2),
    )
    canvas.write("Grandma's pancakes", 60, 84, 33, weight=3.4, fill="#8c3b2a")
    canvas.write("For 4 people · 25 minutes", 60, 118, 19, fill="#6b5b4b")
    canvas.add(stroke("M60 136H580", "#e0c9a3", 2.4))
    for k, item in enumerate(INGREDIENTS):
        y = 178 + 36 * k
        canvas.add(oval(68, y - 7, 5, 5, "#8c3b2a"))
        canvas.write(item, 86, y, 21, fill=_INK)
    steps = ("1. Whisk flour, milk, eggs and salt.", "2. Let the batter rest for 10 minutes.",
             "3. Fry 8 thin pancakes in butter.")  # fmt: skip
    canvas.add(stroke("M60 362H580", "#e0c9a3", 2.4))
    for k, text in enumerate(steps):
        canvas.write(text, 60, 406 + 44 * k, 21, fill=_INK)
    _pancakes(canvas, 450, 322)
    return canvas


def _pancakes(canvas: Canvas, x: float, y: float) -> None:
    """Paint a plate with six pancakes, butter and syrup; its middle is at x, its foot at y."""
    canvas.add(oval(x, y, 132, 20, "#b7c3cf"), oval(x, y - 5, 132, 20, "#eef3f7"),
               oval(x, y - 7, 96, 13, "#d7e0e8"))  # fmt: skip
    for k in range(6):
        cy, shift = y - 18 - 17 * k, (0, 4, -3, 3, -4, 1)[k]
        canvas.add(box(x - 88 + shift, cy - 9, 176, 18, "#b36b2c", rx=9),
                   oval(x + shift, cy - 6, 88, 15, "#e2a85a" if k < 5 else "#d99a48"))  # fmt: skip
    top = y - 110
    syrup = (
        f"M{x - 60} {top}C{x - 50} {top - 14} {x + 60} {top - 14} {x + 66} {top}"
        f"C{x + 84} {top + 6} {x + 82} {top + 62} {x + 72} {top + 62}"
        f"C{x + 62} {top + 62} {x + 66} {top + 24} {x + 50} {top + 14}"
        f"C{x + 20} {top + 20} {x - 6} {top + 18} {x - 16} {top + 16}"
        f"C{x - 24} {top + 30} {x - 20} {top + 84} {x - 30} {top + 84}"
        f"C{x - 42} {top + 84} {x - 34} {top + 30} {x - 46} {top + 14}"
        f"C{x - 60} {top + 12} {x - 66} {top + 6} {x - 60} {top}Z"
    )
    canvas.add(path(syrup, fill="#7a3b10", opacity=0.85))
    canvas.add(
        poly(
            [(x - 20, top - 10), (x + 4, top - 20), (x + 26, top - 10), (x, top + 1)],
            "#fff1a8",
            stroke="#d8b648",
            stroke_width=1.6,
        ),
        poly([(x - 20, top - 10), (x, top + 1), (x, top + 11), (x - 20, top)], "#f5dc74"),
        poly([(x + 26, top - 10), (x, top + 1), (x, top + 11), (x + 26, top)], "#e9cb5c"),
    )


def balances() -> Canvas:
    """Draw three balances: two are level, of the third only its load is shown."""
    canvas = Canvas(width=640, height=640)
    canvas.add(box(0, 0, 640, 640, linear(canvas, (0, "#eaf4f4"), (1, "#d5e6e8"))))
    loads = (
        ("A", [("box", 1)], [("apple", 3)]),
        ("B", [("ball", 2)], [("box", 1), ("apple", 1)]),
        ("C", [("ball", 1), ("apple", 1)], [("box", 1)]),
    )
    for k, (name, left, right) in enumerate(loads):
        foot = 204 + 208 * k
        canvas.add(oval(46, foot - 96, 24, 24, "#2f5d8a"))
        canvas.write(name, 46, foot - 87, 25, weight=3, anchor="middle", fill="#ffffff")
        _balance(canvas, foot, left, right, unknown=name == "C")
    return canvas


def _balance(
    canvas: Canvas,
    foot: float,
    left: list[tuple[str, int]],
    right: list[tuple[str, int]],
    *,
    unknown: bool,
) -> None:
    """Paint a level balance with its loads, or one whose middle hides behind a question mark."""
    beam = foot - 34
    canvas.add(
        box(244, foot - 10, 168, 10, "#5b4a3a", rx=4),
        poly(
            [(328, beam - 6), (352, foot - 10), (304, foot - 10)],
            "#8a6d4b",
            stroke="#5b4a3a",
            stroke_width=2,
        ),
        box(112, beam - 8, 432, 9, "#b88a4a", rx=4, stroke="#5b4a3a", stroke_width=2),
    )
    for x, load in ((184, left), (472, right)):
        canvas.add(
            poly(
                [(x - 98, beam - 22), (x + 98, beam - 22), (x + 82, beam - 8), (x - 82, beam - 8)],
                "#d9dee4",
                stroke="#5b6470",
                stroke_width=2,
            )
        )
        items = [name for name, count in load for _ in range(count)]
        sizes = {"box": (76.0, "#c89257"), "apple": (50.0, "#d8232a"), "ball": (70.0, "#2b78c5")}
        gap = {1: 0.0, 2: 78.0, 3: 58.0}[len(items)]
        for k, name in enumerate(items):
            height, color = sizes[name]
            px = x + gap * (k - (len(items) - 1) / 2)
            canvas.add(thing(canvas, name, color, x=px, ground=beam - 21, height=height,
                             seed={"box": 2, "apple": 1, "ball": 4}[name]))  # fmt: skip
    if unknown:
        canvas.add(oval(328, beam - 40, 34, 34, "#ffffff", stroke="#b23a48", stroke_width=4))
        canvas.write("?", 328, beam - 27, 38, weight=5, anchor="middle", fill="#b23a48")
    else:
        canvas.add(oval(328, beam - 40, 24, 24, "#ffffff", stroke="#2d7d46", stroke_width=3))
        canvas.write("=", 328, beam - 31, 28, weight=3.5, anchor="middle", fill="#2d7d46")
