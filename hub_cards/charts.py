"""What a chart shows, as plain data: values by group and series, in panels that share their axes.

`overview.py` and `figures.py` make charts of runs, `leaderboard_charts.py` those of a leaderboard,
and `plots.py` draws them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

__all__ = [
    "CHANCE",
    "CHANCE_HALF",
    "HUES",
    "PERCENT",
    "Chart",
    "Kind",
    "Panel",
    "Series",
    "Unit",
    "Value",
    "caption",
    "described",
    "series_of",
    "written",
]

HUES: Final = 6
"""Colours that tell series apart; a seventh series takes the first again, drawn otherwise."""
CHANCE: Final = 0.01
"""Accuracy of an answer drawn uniformly from the theme's ten objects and ten attributes."""
CHANCE_HALF: Final = 0.1
"""The same for one half of the answer."""
_TOPS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)

Kind: TypeAlias = Literal["rows", "lines", "points", "radar"]
"""How a chart is drawn.

- rows: a line a group, a mark a series, values to the right;
- lines: groups from left to right in their order, values upwards;
- points: a mark a group, at a value across and a value upwards;
- radar: an axis a group, values outwards.
"""


class Value(Protocol):
    """What a mark shows: a share of the axis's full length, and its 95% interval."""

    @property
    def value(self) -> float | None: ...  # noqa: D102
    @property
    def interval(self) -> tuple[float, float] | None: ...  # noqa: D102


@dataclass(frozen=True)
class Unit:
    """How values are written: what 1 stands for, with so many decimals."""

    full: float = 100
    decimals: int = 1
    sign: str = "%"

    def write(self, value: float) -> str:
        """Return a value as a reader sees it, without the sign."""
        return f"{self.full * value:.{self.decimals}f}"


PERCENT: Final = Unit()


@dataclass(frozen=True)
class Series:
    """What marks of one look stand for.

    Attributes:
        label: Its name.
        hue: Its colour and shape, from 0 to `HUES` - 1.
        variant: How that is drawn: 0 filled and solid, from 1 on hollow and dashed.
    """

    label: str
    hue: int
    variant: int = 0


@dataclass(frozen=True)
class Panel:
    """Values by group and series: `values[group][series]`, None where there is none.

    Attributes:
        across: In a chart of points, where each value stands from left to right.
    """

    title: str
    groups: tuple[str, ...]
    values: tuple[tuple[Value | None, ...], ...]
    across: tuple[tuple[Value | None, ...], ...] = ()


@dataclass(frozen=True)
class Chart:
    """Panels that share axes, series and a chance level, if there is one.

    Attributes:
        name: What its files are called.
        note: What it shows, in a sentence or two.
        value_label: What the values are.
        group_label: What the groups are; of points, what stands from left to right.
        columns: Panels beside each other where there is room.
    """

    name: str
    title: str
    note: str
    kind: Kind
    value_label: str
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    chance: float | None = None
    unit: Unit = PERCENT
    group_label: str = ""
    columns: int = 2

    def rows(self) -> list[tuple[Panel, ...]]:
        """Return the panels as they stand, some beside each other."""
        starts = range(0, len(self.panels), self.columns)
        return [self.panels[start : start + self.columns] for start in starts]

    @property
    def top(self) -> float:
        """The upper end of the values' axis, the same in all panels."""
        highest = self.chance or 0.0
        for panel in self.panels:
            for values in (*panel.values, *panel.across):
                for value in values:
                    if value is not None and value.value is not None:
                        highest = max(highest, (value.interval or (0.0, value.value))[1])
        return next((top for top in _TOPS if highest <= top), 1.0)


def series_of(number: int, label: str) -> Series:
    """Return the series of the run at a place among the runs."""
    return Series(label, number % HUES, number // HUES)


def written(value: Value, unit: Unit = PERCENT) -> str:
    """Return a value with its 95% interval in words: "62.3% (59.3 to 65.3)"."""
    if value.value is None:
        return "nothing to measure"
    said = f"{unit.write(value.value)}{unit.sign}"
    if value.interval is None:
        return said
    low, high = value.interval
    return f"{said} ({unit.write(low)} to {unit.write(high)})"


def described(chart: Chart, panel: Panel) -> str:
    """Return a panel in words, every value of it: what stands in place of the picture."""
    title = f"{chart.title}: {panel.title}" if panel.title else chart.title
    return f"{title}. {'; '.join(_statements(chart, panel))}"


def caption(chart: Chart) -> str:
    """Return what a reader must be told about a chart, in one paragraph."""
    whiskers = " Whiskers: 95% intervals." if chart.kind != "radar" else ""
    chance = "" if chart.chance is None else f" Dotted: chance, {100 * chart.chance:.0f}%."
    return f"{chart.note}{whiskers}{chance}"


def statement(chart: Chart, panel: Panel, group: int, series: int) -> str:
    """Return one mark in words: its group, its series, its value."""
    value = panel.values[group][series]
    assert value is not None
    said = f"{panel.groups[group]}, {chart.series[series].label}: {written(value, chart.unit)}"
    across = panel.across[group][series] if panel.across else None
    if across is None:
        return said
    return f"{said}; {chart.group_label} {written(across, chart.unit)}"


def _statements(chart: Chart, panel: Panel) -> Iterator[str]:
    for group, values in enumerate(panel.values):
        for series, value in enumerate(values):
            if value is not None:
                yield statement(chart, panel, group, series)
