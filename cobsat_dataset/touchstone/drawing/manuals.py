"""Leaves of manuals: a chair that is put together, and a hat that is folded of paper."""

from __future__ import annotations

import math
from typing import Final

from cobsat.drawing.actions.stage import box, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.svg import group, num, path, shade

from .canvas import Canvas
from .things import figure

__all__ = [
    "chair_1", "chair_2", "chair_3", "chair_4", "hat_1", "hat_2", "hat_3", "hat_4",
]  # fmt: skip

_INK: Final = "#2d3142"


def _step(number: int, width: int = 512, height: int = 512) -> Canvas:
    """Return a leaf of a manual with the step's number."""
    canvas = Canvas(width=width, height=height)
    canvas.add(
        box(0, 0, width, height, "#fdfdfb"),
        box(10, 10, width - 20, height - 20, "none", stroke="#c9cdd6", stroke_width=3, rx=12),
        oval(58, 58, 32, 32, _INK),
    )
    canvas.write(str(number), 58, 70, 34, weight=4.4, anchor="middle", fill="#ffffff")
    return canvas


_WOOD: Final = "#e3bf8c"
_EDGE: Final = "#6f4a22"


def _panel(points: list[tuple[float, float]], tone: float = 0.0) -> str:
    return poly(points, shade(_WOOD, tone), stroke=_EDGE, stroke_width=3, stroke_linejoin="round")


def _seat(y: float) -> str:
    """Return a seat, seen from above and in front; its left front corner is (150, y)."""
    return (
        _panel([(150, y), (216, y - 70), (396, y - 70), (330, y)], 0.12)
        + _panel([(150, y), (330, y), (330, y + 18), (150, y + 18)])
        + _panel([(330, y), (396, y - 70), (396, y - 52), (330, y + 18)], -0.16)
    )


def _leg(x: float, y: float, length: float = 130) -> str:
    return _panel([(x, y), (x + 18, y), (x + 18, y + length), (x, y + length)], -0.04)


def _bolt(x: float, y: float) -> str:
    return oval(x, y, 6, 6, "#8d959c", stroke="#3b4046", stroke_width=2) + stroke(
        f"M{x - 3} {y}h6", "#3b4046", 2
    )


def _down(x: float, y: float, length: float = 40) -> str:
    """Return a red arrow that points down to (x, y)."""
    return stroke(f"M{num(x)} {num(y - length)}V{num(y - 12)}", "#d8343c", 6) + poly(
        [(x - 12, y - 15), (x + 12, y - 15), (x, y)], "#d8343c"
    )


def chair_1() -> Canvas:
    """Draw the chair's parts: a seat, a back, four legs, eight screws, a key."""
    canvas = _step(1)
    canvas.add(
        group(_seat(190), transform="translate(-76 20)"),
        _panel([(340, 90), (476, 90), (476, 240), (340, 240)], 0.08),
        *(
            _panel(
                [
                    (360 + 34 * k, 106),
                    (376 + 34 * k, 106),
                    (376 + 34 * k, 224),
                    (360 + 34 * k, 224),
                ],
                0.8,
            )
            for k in range(3)
        ),
    )
    canvas.add(*(_leg(84 + 46 * k, 300) for k in range(4)))
    canvas.add(
        *(_bolt(320 + 34 * (k % 4), 312 + 34 * (k // 4)) for k in range(8)),
        stroke("M320 404H398V432", "#5d6a72", 9),
    )
    for text, x, y in (
        ("1 seat", 150, 264),
        ("1 back", 408, 268),
        ("4 legs", 162, 462),
        ("8 screws", 372, 386),
        ("1 key", 360, 462),
    ):
        canvas.write(text, x, y, 20, weight=2.2, anchor="middle", fill=_INK)
    return canvas


def chair_2() -> Canvas:
    """Draw how the four legs go onto the upturned seat."""
    canvas = _step(2)
    canvas.add(_leg(222, 168), _leg(362, 168), _seat(370), _leg(160, 236), _leg(302, 236))
    canvas.add(
        *(_down(x, y, 56) for x, y in ((231, 160), (371, 160), (169, 228), (311, 228))),
        *(_bolt(x, y) for x, y in ((169, 340), (311, 340), (231, 272), (371, 272))),
    )
    canvas.write("4 screws, seat upside down", 256, 452, 21, weight=2.3, anchor="middle", fill=_INK)
    return canvas


def _standing(canvas: Canvas, back: float | None) -> None:
    """Paint the chair on its legs; its back sits `back` above its place, None for no back yet."""
    canvas.add(oval(272, 436, 150, 16, "#c9cdd6"), _leg(222, 270, 120), _leg(374, 270, 120))
    if back is not None:
        y = 246 - back
        canvas.add(
            _panel([(216, y - 160), (396, y - 160), (396, y), (216, y)], 0.08),
            *(
                _panel(
                    [
                        (240 + 48 * k, y - 140),
                        (264 + 48 * k, y - 140),
                        (264 + 48 * k, y - 22),
                        (240 + 48 * k, y - 22),
                    ],
                    0.75,
                )
                for k in range(3)
            ),
        )
    canvas.add(_seat(308), _leg(156, 326, 110), _leg(308, 326, 110))


def chair_3() -> Canvas:
    """Draw the chair turned over, and the back that comes down onto it."""
    canvas = _step(3)
    _standing(canvas, 26)
    canvas.add(
        _down(190, 240, 90),
        _down(424, 240, 90),
        _bolt(236, 236),
        _bolt(376, 236),
        _bolt(270, 236),
        _bolt(342, 236),
    )
    canvas.write("4 screws", 256, 482, 21, weight=2.3, anchor="middle", fill=_INK)
    return canvas


def chair_4() -> Canvas:
    """Draw the chair done, a red cushion on it and a green tick."""
    canvas = _step(4)
    _standing(canvas, 0)
    canvas.add(
        path(
            "M166 296Q170 280 222 238Q232 232 250 232H370Q386 232 380 244L336 290Q328 298 316 "
            "298H180Q166 300 166 296Z",
            fill="#d8433c",
            stroke="#8d1d26",
            stroke_width=3,
        ),
        stroke("M404 76L424 98L466 46", "#2d9a4c", 12),
    )
    canvas.write("Done!", 256, 482, 23, weight=2.8, anchor="middle", fill="#2d7d46")
    return canvas


_PAPER: Final = "#fff3cf"
_BACK: Final = "#8fc0e8"


def _sheet(points: list[tuple[float, float]], fill: str) -> str:
    return poly(points, fill, stroke="#4a5568", stroke_width=3, stroke_linejoin="round")


def _bend(d: str, tip: tuple[float, float], angle: float) -> str:
    """Return a curved red arrow that ends at `tip`, pointing to `angle` degrees."""
    a = math.radians(angle)
    wings = [
        (tip[0] - 18 * math.cos(a + s * 0.5), tip[1] - 18 * math.sin(a + s * 0.5)) for s in (-1, 1)
    ]
    return stroke(d, "#d8343c", 6) + poly([tip, *wings], "#d8343c")


def _dashed(d: str) -> str:
    return path(d, fill="none", stroke="#4a5568", stroke_width=2.6, stroke_dasharray="10 8")


def hat_1() -> Canvas:
    """Draw a sheet of paper that is folded in half from the top to the bottom."""
    canvas = _step(1)
    canvas.add(
        _sheet([(136, 110), (376, 110), (376, 410), (136, 410)], _PAPER),
        _dashed("M136 260H376"),
        _bend("M400 130C456 190 456 320 408 384", (398, 396), 130),
    )
    canvas.write("Fold in half.", 256, 464, 24, weight=2.5, anchor="middle", fill=_INK)
    return canvas


def hat_2() -> Canvas:
    """Draw the folded sheet, whose two upper corners go to the middle."""
    canvas = _step(2)
    canvas.add(
        _sheet([(106, 170), (406, 170), (406, 380), (106, 380)], _PAPER),
        stroke("M106 170H406", "#4a5568", 6),
        _dashed("M256 170V380M256 170L106 320M256 170L406 320"),
        _bend("M112 150C150 110 214 130 238 186", (244, 202), 68),
        _bend("M400 150C362 110 298 130 274 186", (268, 202), 112),
    )
    canvas.write("Corners to the middle.", 256, 464, 24, weight=2.5, anchor="middle", fill=_INK)
    return canvas


def hat_3() -> Canvas:
    """Draw the pointed sheet, whose lower strip is folded up at both sides."""
    canvas = _step(3)
    canvas.add(
        _sheet([(106, 320), (406, 320), (406, 384), (106, 384)], _PAPER),
        _sheet([(256, 150), (106, 320), (256, 320)], _PAPER),
        _sheet([(256, 150), (406, 320), (256, 320)], shade(_PAPER, -0.06)),
        _dashed("M106 322H406"),
        _bend("M150 404C110 404 92 350 116 300", (124, 286), -60),
        _bend("M362 404C402 404 420 350 396 300", (388, 286), -120),
    )
    canvas.write("Strips up, front and back.", 256, 464, 24, weight=2.5, anchor="middle", fill=_INK)
    return canvas


def hat_4() -> Canvas:
    """Draw the finished hat on the head of a cat."""
    canvas = _step(4)
    cat = figure(canvas, "cat", x=256, ground=440, height=250, seed=5)
    (x, y), half = cat.anchors.head_top, cat.anchors.head_radius * 1.25
    canvas.add(
        cat.back,
        cat.front,
        cat.top,
        _sheet([(x, y - 104), (x - half, y + 16), (x + half, y + 16)], _PAPER),
        stroke(f"M{num(x)} {num(y - 104)}V{num(y + 4)}", "#4a5568", 2.4),
        _sheet(
            [
                (x - half * 0.86, y),
                (x + half * 0.86, y),
                (x + half * 1.12, y + 34),
                (x - half * 1.12, y + 34),
            ],
            _BACK,
        ),
    )
    canvas.write("Open it. Done!", 256, 478, 24, weight=2.5, anchor="middle", fill=_INK)
    return canvas
