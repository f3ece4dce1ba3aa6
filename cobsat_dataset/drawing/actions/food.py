"""What is on the plate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..animals.curves import smooth_d
from ..animals.paint import stroke
from ..svg import ellipse_d, num, path, shade
from .stage import oval, poly


@dataclass(frozen=True)
class Food:
    """A dish.

    Attributes:
        words: "spaghetti with meatballs".
        color: Of a morsel of it.
        heap: Draws it on a plate whose middle is at (x, y).
    """

    words: str
    color: str
    heap: Callable[[float, float], str]

    def morsel(self, x: float, y: float, size: float) -> str:
        """Return one bite of it."""
        return oval(x, y, size, size * 0.8, self.color, stroke=shade(self.color, -0.4),
                    stroke_width=2.5)  # fmt: skip


def _spaghetti(x: float, y: float) -> str:
    mound = smooth_d([(x - 74, y), (x - 44, y - 36), (x, y - 54), (x + 44, y - 36), (x + 74, y),
                      (x, y + 10)])  # fmt: skip
    strands = "".join(
        f"M{num(x + dx)} {num(y + dy)}q16 -22 34 -2t34 -4"
        for dx, dy in ((-66, -4), (-50, -18), (-34, -32), (-10, -8), (-20, -22), (4, -2))
    )
    balls = [
        oval(x + dx, y + dy, 15, 14, "#8a4326", stroke="#5e2a15", stroke_width=2.4)
        for dx, dy in ((-22, -44), (18, -48), (2, -30))
    ]
    return (
        path(mound, fill="#f6d77a", stroke="#b98f2f", stroke_width=3)
        + stroke(strands, "#d9ab45", 3.4)
        + path(smooth_d([(x - 40, y - 30), (x, y - 52), (x + 40, y - 30), (x, y - 18)]),
               fill="#d8432f")
        + "".join(balls)
    )  # fmt: skip


def _pancakes(x: float, y: float) -> str:
    out = []
    for k in range(4):
        out.append(oval(x, y - 4 - 13 * k, 66 - 2 * k, 15, "#d79a4e", stroke="#99632a",
                        stroke_width=2.6))  # fmt: skip
        out.append(oval(x, y - 7 - 13 * k, 60 - 2 * k, 11, "#eec07a"))
    syrup = smooth_d(
        [
            (x - 46, y - 48),
            (x, y - 58),
            (x + 46, y - 48),
            (x + 50, y - 20),
            (x + 36, y - 34),
            (x + 8, y - 14),
            (x - 14, y - 36),
            (x - 42, y - 22),
        ]
    )
    out.append(path(syrup, fill="#8f4a1a", fill_opacity=0.9))
    out.append(path(f"M{num(x - 13)} {num(y - 54)}h26v-14h-26Z", fill="#fff0a0", stroke="#c9a640",
                    stroke_width=2.4))  # fmt: skip
    return "".join(out)


def _salad(x: float, y: float) -> str:
    out = []
    leaves = (
        (-48, -8, 26, "#5fae4a"),
        (46, -8, 27, "#6fbf55"),
        (-18, -26, 30, "#82cc62"),
        (22, -30, 28, "#58a446"),
        (0, -6, 32, "#74c259"),
    )
    for dx, dy, r, c in leaves:
        out.append(oval(x + dx, y + dy, r, r * 0.72, c, stroke="#3d7a34", stroke_width=2.6))
    for dx, dy in ((-34, -26), (4, -44), (38, -22), (-4, -12)):
        out.append(oval(x + dx, y + dy, 13, 12, "#e2463c", stroke="#9c241f", stroke_width=2.4))
    return "".join(out)


def _cake(x: float, y: float) -> str:
    body = poly([(x - 62, y - 62), (x + 62, y - 46), (x + 62, y), (x - 62, y + 2)], "#f3c98b",
                stroke="#9c6a35", stroke_width=3, stroke_linejoin="round")  # fmt: skip
    cream = poly(
        [(x - 62, y - 36), (x + 62, y - 28), (x + 62, y - 16), (x - 62, y - 22)], "#fff4f0"
    )
    top = path(f"M{num(x - 66)} {num(y - 66)}L{num(x + 66)} {num(y - 50)}v16q-12 12 -22 -2"
               f"q-12 14 -26 -2q-12 14 -28 -2q-14 12 -28 -4q-12 12 -28 -2Z", fill="#f08cae",
               stroke="#b9557a", stroke_width=2.6)  # fmt: skip
    berry = path(ellipse_d(x - 28, y - 76, 14), fill="#dc2f3c", stroke="#8f1722", stroke_width=2.4)
    return body + cream + top + berry


FOODS: Final = (
    Food("spaghetti with meatballs", "#e9b84e", _spaghetti),
    Food("pancakes with syrup", "#d79a4e", _pancakes),
    Food("a heap of salad", "#6fbf55", _salad),
    Food("a slice of cake", "#f08cae", _cake),
)
