"""Pictures that tell a story in turn: a plant that grows, a monkey that thinks."""

from __future__ import annotations

import math
from typing import Final

from cobsat.drawing.actions.stage import box, cloud, oval, poly
from cobsat.drawing.animals.curves import lerp
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import linear
from cobsat.drawing.svg import ellipse_d, group, num, path, shade

from .canvas import Canvas
from .things import figure, thing

__all__ = [
    "monkey_1", "monkey_2", "monkey_3", "tomato_1", "tomato_2", "tomato_3", "tomato_4",
]  # fmt: skip

_INK: Final = "#2d3142"
_DAYS: Final = ("Day 1", "Day 8", "Day 30", "Day 75")


def _windowsill(day: str) -> Canvas:
    """Return a sunny windowsill with a flower pot and a label of the day."""
    canvas = Canvas(width=512, height=512)
    canvas.add(
        box(0, 0, 512, 512, "#f2e4cf"),
        box(
            60,
            30,
            392,
            366,
            linear(canvas, (0, "#a9d8f2"), (1, "#eef8ee")),
            stroke="#ffffff",
            stroke_width=16,
        ),
        stroke("M256 30V396", "#ffffff", 12),
        oval(372, 104, 34, 34, "#ffd84a"),
        cloud(164, 120, 110, "#ffffff", 0.9),
        box(20, 396, 472, 30, "#ffffff", rx=4, stroke="#cdbb9c", stroke_width=2),
        box(20, 426, 472, 8, "#cdbb9c"),
    )
    pot = linear(canvas, (0, "#d0714a"), (0.4, "#e58b62"), (1, "#a9502d"), end=(1, 0))
    canvas.add(
        oval(256, 398, 96, 9, "#8a6d4b", fill_opacity=0.4),
        poly(
            [(180, 300), (332, 300), (312, 396), (200, 396)],
            pot,
            stroke="#7d3a1e",
            stroke_width=2.5,
        ),
        box(170, 280, 172, 26, pot, rx=4, stroke="#7d3a1e", stroke_width=2.5),
        oval(256, 281, 80, 9, "#4a3020"),
    )
    canvas.add(box(24, 446, 116, 46, "#2d3142", rx=10))
    canvas.write(day, 82, 477, 24, weight=2.8, anchor="middle", fill="#ffffff")
    return canvas


def _leaf(x: float, y: float, length: float, angle: float) -> str:
    """Return a leaf that grows from (x, y)."""
    w = length * 0.3
    return group(
        path(
            f"M0 0C{num(length * 0.3)} {num(-w)} {num(length * 0.7)} {num(-w)} {num(length)} 0"
            f"C{num(length * 0.7)} {num(w)} {num(length * 0.3)} {num(w)} 0 0Z",
            fill="#5fa744",
            stroke="#356b26",
            stroke_width=2,
        ),
        stroke(f"M4 0H{num(length * 0.85)}", "#356b26", 1.6),
        transform=f"translate({num(x)} {num(y)}) rotate({num(angle)})",
    )


def _tomato(x: float, y: float, r: float, color: str) -> str:
    return (
        oval(x, y, r, r * 0.9, color, stroke=shade(color, -0.45), stroke_width=2)
        + oval(x - r * 0.35, y - r * 0.35, r * 0.22, r * 0.16, "#ffffff", fill_opacity=0.7)
        + path(
            f"M{x} {y - r * 0.9}l{-r * 0.5} {r * 0.3}M{x} {y - r * 0.9}l{r * 0.5} {r * 0.3}M{x} "
            f"{y - r * 0.9}v{-r * 0.4}",
            fill="none",
            stroke="#356b26",
            stroke_width=3.4,
            stroke_linecap="round",
        )
    )


def tomato_1() -> Canvas:
    """Draw a pot into which a seed is laid, a packet of seeds beside it."""
    canvas = _windowsill(_DAYS[0])
    canvas.add(
        box(366, 292, 84, 106, "#fffaf0", rx=3, stroke="#b59a80", stroke_width=2.5),
        box(366, 292, 84, 20, "#4f9a4c"),
        _tomato(408, 352, 22, "#d8232a"),
    )
    canvas.write("Tomato", 408, 390, 16, weight=1.9, anchor="middle", fill=_INK)
    canvas.add(
        *(
            oval(x, y, 5.5, 4, "#ead9a4", stroke="#a58a4a", stroke_width=1.4)
            for x, y in ((238, 279), (256, 277), (274, 280))
        )
    )
    return canvas


def tomato_2() -> Canvas:
    """Draw a seedling with two small leaves, and a watering can."""
    canvas = _windowsill(_DAYS[1])
    canvas.add(
        stroke("M256 280C256 262 254 250 256 234", "#6fae4f", 6),
        _leaf(256, 236, 42, -28),
        _leaf(256, 236, 42, -152),
    )
    canvas.add(
        path("M372 330H448L440 396H380Z", fill="#4f83c2", stroke="#2b4a75", stroke_width=2.5),
        path("M448 342C484 340 482 384 444 384", fill="none", stroke="#2b4a75", stroke_width=8),
        path(
            "M376 372L340 322L348 316L384 350Z", fill="#4f83c2", stroke="#2b4a75", stroke_width=2.5
        ),
        poly([(332, 326), (352, 308), (344, 304), (326, 320)], "#3a6499"),
        oval(410, 330, 38, 6, "#2b4a75"),
    )
    return canvas


def _vine(canvas: Canvas, height: float) -> None:
    """Paint a stake, and a stem with leaves along it."""
    top = 280 - height
    canvas.add(
        box(268, top - 14, 8, height + 20, "#b98552", stroke="#7d512b", stroke_width=1.5),
        stroke(
            f"M256 282C250 {num(280 - height * 0.4)} 264 {num(280 - height * 0.7)} 256 {num(top)}",
            "#4f8a3a",
            9,
        ),
    )
    for k in range(int(height // 30)):
        y = 262 - 30 * k
        size = 72 - k * 5
        canvas.add(_leaf(256, y, size, -18 - 4 * k), _leaf(256, y - 12, size, -162 + 4 * k))
    canvas.add(
        stroke(f"M248 {num(280 - height * 0.45)}h32M248 {num(280 - height * 0.8)}h32", "#c9a13b", 3)
    )


def tomato_3() -> Canvas:
    """Draw a plant tied to a stake, with four yellow flowers."""
    canvas = _windowsill(_DAYS[2])
    _vine(canvas, 150)
    for x, y in ((206, 224), (312, 196), (214, 162), (294, 140)):
        canvas.add(
            path(
                "".join(
                    ellipse_d(x + 10 * math.cos(a), y + 10 * math.sin(a), 6.5)
                    for a in (0.3, 1.56, 2.81, 4.07, 5.33)
                ),
                fill="#ffd93d",
                stroke="#b58a12",
                stroke_width=1.4,
            ),
            oval(x, y, 5, 5, "#e08a1f"),
        )
    return canvas


def tomato_4() -> Canvas:
    """Draw the tall plant with five red tomatoes and one green."""
    canvas = _windowsill(_DAYS[3])
    _vine(canvas, 214)
    for x, y, color in (
        (200, 238, "#d8232a"),
        (318, 246, "#d8232a"),
        (194, 170, "#d8232a"),
        (316, 176, "#d8232a"),
        (222, 112, "#d8232a"),
        (298, 108, "#7fb54a"),
    ):
        canvas.add(_tomato(x, y, 21, color))
    return canvas


def _meadow() -> Canvas:
    """Return a meadow with a tree; an apple hangs high up at (352, 166) until it is picked."""
    canvas = Canvas(width=512, height=512)
    canvas.add(
        box(0, 0, 512, 512, linear(canvas, (0, "#9fd6f2"), (1, "#e9f7ee"))),
        cloud(96, 92, 120, "#ffffff", 0.9),
        path("M-10 400Q240 370 522 400V512H-10Z", fill="#9bcb6c"),
        path("M-10 450Q240 430 522 452V512H-10Z", fill="#86ba58"),
    )
    canvas.add(
        path(
            "M428 420C440 340 428 260 434 180H474C474 260 472 340 494 420Z",
            fill="#8a5d3a",
            stroke="#5a3a22",
            stroke_width=3,
        ),
        stroke("M440 200C410 160 380 140 346 136", "#8a5d3a", 15),
    )
    crown = "".join(
        ellipse_d(x, y, r)
        for x, y, r in (
            (430, 70, 66),
            (490, 110, 60),
            (380, 90, 48),
            (452, 20, 60),
            (400, 30, 50),
            (510, 40, 50),
            (352, 112, 30),
        )
    )
    canvas.add(
        path(crown, fill="#5f9f45"),
        *(oval(x, y, 16, 12, "#7ab85c") for x, y in ((400, 60), (450, 40), (480, 96), (376, 96))),
    )
    return canvas


def _apple(canvas: Canvas, x: float, ground: float) -> str:
    return thing(canvas, "apple", "#d8232a", x=x, ground=ground, height=44, seed=1)


def monkey_1() -> Canvas:
    """Draw a monkey that looks up at an apple it cannot reach; three boxes lie about."""
    canvas = _meadow()
    canvas.add(stroke("M346 136V150", "#5a3a22", 3), _apple(canvas, 346, 192))
    for x, y in ((66, 452), (160, 488), (430, 498)):
        canvas.add(_carton(canvas, x - 44, y - 62))
    monkey = figure(
        canvas, "monkey", x=316, ground=452, height=180, pose="stand", mood="sad", seed=1
    )
    canvas.add(
        oval(316, 452, 60, 10, "#3f6a2c", fill_opacity=0.4), monkey.back, monkey.front, monkey.top
    )
    _thought(canvas, monkey.anchors.head_top)
    return canvas


def _thought(canvas: Canvas, head: tuple[float, float]) -> None:
    """Paint a bubble in which the monkey thinks of an apple and a question mark."""
    x, y = head
    canvas.add(
        oval(x - 62, y - 2, 6, 6, "#ffffff"),
        oval(x - 78, y - 18, 9, 9, "#ffffff"),
        path(
            ellipse_d(x - 120, y - 62, 56, 38)
            + ellipse_d(x - 160, y - 50, 34, 26)
            + ellipse_d(x - 84, y - 52, 32, 26),
            fill="#ffffff",
        ),
        _apple(canvas, x - 142, y - 40),
    )
    canvas.write("?", x - 96, y - 44, 42, weight=5, anchor="middle", fill="#b3323a")


def monkey_2() -> Canvas:
    """Draw the monkey that carries the third box to a stack of two."""
    canvas = _meadow()
    canvas.add(stroke("M346 136V150", "#5a3a22", 3), _apple(canvas, 346, 192))
    _stack(canvas, 2)
    monkey = figure(
        canvas, "monkey", x=150, ground=462, height=180, pose="stand", arms="hold", seed=1
    )
    a = monkey.anchors
    middle = lerp(a.hands[0], a.hands[1], 0.5)
    canvas.add(
        oval(150, 462, 60, 10, "#3f6a2c", fill_opacity=0.4),
        monkey.back,
        _carton(canvas, middle[0] - 44, middle[1] - 34),
        monkey.front,
        monkey.top,
    )
    canvas.add(stroke("M62 380h-30M56 410h-38M64 440h-28", "#ffffff", 4))
    return canvas


def _carton(canvas: Canvas, x: float, y: float, size: float = 1.0) -> str:
    """Return a closed cardboard box whose upper left corner is at (x, y)."""
    fill = linear(canvas, (0, "#e0b27c"), (1, "#c08c53"))
    return group(
        box(0, 0, 88, 62, fill, stroke="#6f4a22", stroke_width=3, stroke_linejoin="round"),
        box(36, 0, 16, 62, "#f0d3a8"),
        stroke("M10 48h14M10 40h14", "#6f4a22", 2.4),
        transform=f"translate({num(x)} {num(y)}) scale({num(size)})",
    )


def _stack(canvas: Canvas, count: int) -> float:
    """Paint closed boxes under the apple, one on the other; return the y of their top."""
    for k in range(count):
        top = 462 - 62 * (k + 1)
        canvas.add(_carton(canvas, 296, top))
    return 462.0 - 62 * count


def monkey_3() -> Canvas:
    """Draw the monkey on a stack of three boxes, the apple in its hand; it laughs."""
    canvas = _meadow()
    canvas.add(oval(340, 464, 70, 9, "#3f6a2c", fill_opacity=0.4))
    top = _stack(canvas, 3)
    monkey = figure(
        canvas,
        "monkey",
        x=340,
        ground=top + 2,
        height=150,
        pose="stand",
        mood="sing",
        arms="raise",
        seed=1,
    )
    x, y = min(monkey.anchors.hands)
    canvas.add(
        monkey.back,
        monkey.front,
        _apple(canvas, x, y + 4),
        monkey.top,
        stroke(
            f"M{num(x - 40)} {num(y - 30)}l-14 -10M{num(x - 24)} {num(y - 52)}l-8 -16"
            f"M{num(x - 46)} {num(y - 4)}h-16",
            "#f2b01e",
            5,
        ),
    )
    return canvas
