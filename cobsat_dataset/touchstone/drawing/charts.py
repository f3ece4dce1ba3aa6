"""Bar, line, pie and scatter charts, each drawn from one table of numbers.

The tables are public: what a question's annotation says of a chart is held to them by a test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cobsat.drawing.actions.stage import box, oval
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.svg import num, path

from .canvas import Canvas

__all__ = [
    "BREAD",
    "BUDGET",
    "COFFEE",
    "TOWNS",
    "Axis",
    "Chart",
    "bread_chart",
    "budget_chart",
    "coffee_chart",
    "towns_chart",
]

_INK: Final = "#2d3142"
_GRID: Final = "#d9dde4"
_LEFT, _TOP, _RIGHT, _BOTTOM = 84.0, 74.0, 612.0, 408.0


@dataclass(frozen=True)
class Axis:
    """A numbered axis: its name, its ends, and the step from tick to tick."""

    name: str
    low: int
    high: int
    step: int

    def ticks(self) -> range:
        """Return the numbers that are written along the axis."""
        return range(self.low, self.high + 1, self.step)

    def part(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Chart:
    """A chart's numbers.

    Attributes:
        title: Its heading.
        labels: What stands along the horizontal axis, or in the legend of a pie.
        series: Name → one number a label.
        y: The vertical axis; None for a pie.
        x_name: The name of the horizontal axis.
    """

    title: str
    labels: tuple[str, ...]
    series: dict[str, tuple[int, ...]]
    y: Axis | None = None
    x_name: str = ""


BREAD: Final = Chart(
    "Loaves sold last week",
    ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    {"Loaves": (0, 45, 40, 55, 75, 95, 30)},
    Axis("Loaves", 0, 100, 10),
    "Day",
)
TOWNS: Final = Chart(
    "Average temperature in two towns",
    ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    {
        "Northport": (-4, -2, 3, 8, 14, 18, 21, 20, 15, 9, 3, -2),
        "Southport": (24, 24, 22, 18, 14, 11, 10, 12, 14, 17, 20, 23),
    },
    Axis("Temperature in °C", -5, 25, 5),
    "Month",
)
BUDGET: Final = Chart(
    "Where 2,400 euros go each month",
    ("Rent", "Food", "Transport", "Savings", "Leisure", "Other"),
    {"Percent": (38, 22, 13, 12, 9, 6)},
)
COFFEE: Final = (
    (0, 9.0), (0, 8.5), (1, 8.0), (1, 8.5), (2, 7.5), (2, 8.0), (3, 7.0), (3, 6.5), (4, 6.5),
    (5, 5.5), (5, 9.0), (6, 5.0),
)  # fmt: skip
"""Cups of coffee a day and hours of sleep a night of twelve people."""

_PIE_COLORS: Final = ("#2f5d8a", "#e07a3f", "#7fb069", "#f2c14e", "#b5546d", "#8a8fa3")


def bread_chart() -> Canvas:
    """Draw a bar chart: one bar a day, the best day in another colour."""
    canvas, y = _frame(BREAD.title, BREAD.y, BREAD.x_name)
    values = BREAD.series["Loaves"]
    slot = (_RIGHT - _LEFT) / len(values)
    for k, (label, value) in enumerate(zip(BREAD.labels, values, strict=True)):
        x = _LEFT + slot * (k + 0.5)
        high = y.part(value) * (_BOTTOM - _TOP)
        if value:
            fill = "#c8553d" if value == max(values) else "#e0a458"
            canvas.add(box(x - slot * 0.32, _BOTTOM - high, slot * 0.64, high, fill, rx=2,
                           stroke="#7a4a22", stroke_width=1.4))  # fmt: skip
        canvas.write(label, x, _BOTTOM + 24, 17, anchor="middle", fill=_INK)
    return canvas


def towns_chart() -> Canvas:
    """Draw two lines over the months, with a legend."""
    canvas, y = _frame(TOWNS.title, TOWNS.y, TOWNS.x_name)
    slot = (_RIGHT - _LEFT) / len(TOWNS.labels)
    zero = _BOTTOM - y.part(0) * (_BOTTOM - _TOP)
    canvas.add(stroke(f"M{_LEFT} {num(zero)}H{_RIGHT}", "#8d93a5", 2))
    for k, label in enumerate(TOWNS.labels):
        canvas.write(label, _LEFT + slot * (k + 0.5), _BOTTOM + 24, 15, anchor="middle", fill=_INK)
    for name, color, square in (("Northport", "#2466a8", False), ("Southport", "#d1495b", True)):
        points = [
            (_LEFT + slot * (k + 0.5), _BOTTOM - y.part(v) * (_BOTTOM - _TOP))
            for k, v in enumerate(TOWNS.series[name])
        ]
        canvas.add(stroke("M" + "L".join(f"{num(px)} {num(py)}" for px, py in points), color, 3))
        canvas.add(*(_mark(px, py, color, square) for px, py in points))
    for name, x, color, square in (("Northport", 262, "#2466a8", False),
                                   ("Southport", 400, "#d1495b", True)):  # fmt: skip
        canvas.add(stroke(f"M{x} 60h26", color, 3), _mark(x + 13, 60, color, square))
        canvas.write(name, x + 34, 66, 16, fill=_INK)
    return canvas


def budget_chart() -> Canvas:
    """Draw a pie with its legend; the shares are written on the slices."""
    canvas = Canvas(width=640, height=480)
    canvas.add(box(0, 0, 640, 480, "#fbfaf7"))
    canvas.write(BUDGET.title, 320, 48, 25, weight=2.8, anchor="middle", fill=_INK)
    cx, cy, r, start = 230.0, 270.0, 172.0, -math.pi / 2
    shares = BUDGET.series["Percent"]
    for k, (label, share) in enumerate(zip(BUDGET.labels, shares, strict=True)):
        end = start + share / 100 * math.tau
        (x0, y0), (x1, y1) = ((cx + r * math.cos(a), cy + r * math.sin(a)) for a in (start, end))
        wide = 1 if share > 50 else 0
        canvas.add(path(f"M{cx} {cy}L{num(x0)} {num(y0)}A{r} {r} 0 {wide} 1 {num(x1)} {num(y1)}Z",
                        fill=_PIE_COLORS[k], stroke="#fbfaf7", stroke_width=3))  # fmt: skip
        middle = (start + end) / 2
        tx, ty = cx + r * 0.74 * math.cos(middle), cy + r * 0.74 * math.sin(middle)
        canvas.write(f"{share}%", tx, ty + 7, 19, weight=2.4, anchor="middle", fill="#ffffff")
        y = 152 + k * 44
        canvas.add(box(446, y - 20, 26, 26, _PIE_COLORS[k], rx=4))
        canvas.write(label, 484, y, 20, fill=_INK)
        start = end
    return canvas


def coffee_chart() -> Canvas:
    """Draw a scatter chart: one dot a person."""
    y = Axis("Hours of sleep a night", 4, 10, 1)
    x = Axis("Cups of coffee a day", 0, 7, 1)
    canvas, _ = _frame("Coffee and sleep of 12 people", y, x.name)
    for tick in x.ticks():
        px = _LEFT + x.part(tick) * (_RIGHT - _LEFT)
        canvas.add(stroke(f"M{num(px)} {_TOP}V{_BOTTOM}", _GRID, 1))
        canvas.write(str(tick), px, _BOTTOM + 24, 17, anchor="middle", fill=_INK)
    for cups, hours in COFFEE:
        px = _LEFT + x.part(cups) * (_RIGHT - _LEFT)
        py = _BOTTOM - y.part(hours) * (_BOTTOM - _TOP)
        canvas.add(oval(px, py, 8.5, 8.5, "#6f4e37", stroke="#ffffff", stroke_width=2))
    return canvas


def _frame(title: str, y: Axis | None, x_name: str) -> tuple[Canvas, Axis]:
    """Return a canvas with a title, a numbered vertical axis, and a named horizontal one."""
    if y is None:
        raise ValueError(f"the chart {title!r} must have a vertical axis, got None")
    canvas = Canvas(width=640, height=480)
    canvas.add(box(0, 0, 640, 480, "#fbfaf7"))
    canvas.add(box(_LEFT, _TOP, _RIGHT - _LEFT, _BOTTOM - _TOP, "#ffffff"))
    canvas.write(title, 320, 40, 25, weight=2.8, anchor="middle", fill=_INK)
    for tick in y.ticks():
        py = _BOTTOM - y.part(tick) * (_BOTTOM - _TOP)
        canvas.add(stroke(f"M{_LEFT} {num(py)}H{_RIGHT}", _GRID, 1.4))
        canvas.write(str(tick), _LEFT - 16, py + 6, 16, anchor="end", fill=_INK)
    canvas.add(stroke(f"M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}", _INK, 2.4))
    canvas.write(y.name, 30, (_TOP + _BOTTOM) / 2, 17, anchor="middle", rotate=-90, fill=_INK)
    canvas.write(x_name, (_LEFT + _RIGHT) / 2, 462, 17, anchor="middle", fill=_INK)
    return canvas, y


def _mark(x: float, y: float, color: str, square: bool) -> str:
    """Return a line's marker: a dot or a square."""
    if square:
        return box(x - 5.5, y - 5.5, 11, 11, color, stroke="#ffffff", stroke_width=1.5)
    return oval(x, y, 6, 6, color, stroke="#ffffff", stroke_width=1.5)
