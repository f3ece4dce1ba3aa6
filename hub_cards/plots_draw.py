"""Draws charts with matplotlib, one function a kind; nothing here knows of files or pages.

Every mark that shows a value has an id, `tip-N`; `Drawn.tips` says what it shows, in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .charts import Chart, Panel, Series, Value, statement
from .plots_style import DASHES, HUE_COLORS, INK, LINE, MARKS, PAPER, SOFT
from .plots_style import wrapped as wrap

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_NAMES_AT, _ASIDE = 1.07, 0.2
"""How far from a radar's middle its names begin; less aside than this they are centred."""
_SQUARE: Final = ("points", "radar")
_A = TypeVar("_A", bound="Artist")

__all__ = ["Drawn", "draw", "handle", "has_lines", "look"]

_LETTER: Final = 0.062
"""Inches that a letter of a label takes, at most about."""
_BOLD_LETTER: Final = 0.076
"""The same of a title's letter."""
_TICKS: Final = {0.1: 5, 0.2: 4, 0.3: 3, 0.4: 4, 0.5: 5, 0.6: 3, 0.8: 4, 1.0: 5}
_MOST_VALUES: Final = 2
"""Series beside whose marks the numbers stand; of more there is no room."""
_NAME: Final = 22
_SHORT_NAME: Final = 14
"""Letters of a group's name in one line; of one around a radar."""


@dataclass
class Drawn:
    """A figure, and what its marks show: by their ids."""

    figure: Figure
    tips: dict[str, str] = field(default_factory=dict)

    def tip(self, line: Line2D, text: str) -> None:
        """Give a mark an id, and keep what it shows."""
        name = f"tip-{len(self.tips)}"
        line.set_gid(name)
        self.tips[name] = text


def draw(chart: Chart, panels: Sequence[Panel], width: float, *, legend: bool) -> Drawn:
    """Draw some panels of a chart in a figure so many inches wide."""
    from matplotlib.figure import Figure

    columns = min(chart.columns, len(panels)) or 1
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)] or [()]
    heights = [_height(chart, row, width / columns) for row in rows]
    keys = list(_keys(chart)) if legend else []
    across = _keys_across(keys, width)
    room = 0.17 * math.ceil(len(keys) / across) + 0.1 if keys else 0.0
    figure = Figure(figsize=(width, sum(heights) + room), layout="constrained")
    drawn = Drawn(figure)
    polar = {"projection": "polar"} if chart.kind == "radar" else {}
    grid = figure.subplots(
        len(rows), columns, squeeze=False, height_ratios=heights, subplot_kw=polar
    )
    for line, row in enumerate(rows):
        for column, axes in enumerate(grid[line]):
            if column >= len(row):
                axes.remove()
                continue
            _panel(drawn, axes, chart, row, column, width / columns)
            if not (line + 1 == len(rows) or column >= len(rows[line + 1])):
                axes.set_xlabel("")  # the panel below has it
    if keys:
        figure.legend(
            [line for line, _ in keys], [label for _, label in keys],
            loc="outside lower center", ncols=across,
        )  # fmt: skip
    layout = figure.get_layout_engine()
    assert layout is not None
    for _ in range(2 if chart.kind in _SQUARE else 1):  # a square is fitted once its room is known
        layout.execute(figure)
    figure.set_layout_engine("none")  # not anew for each file
    return drawn


def _panel(
    drawn: Drawn, axes: Axes, chart: Chart, row: Sequence[Panel], column: int, width: float
) -> None:
    """Draw one panel of a row of them, without the names that the panel to the left has already."""
    panel = row[column]
    _KINDS[chart.kind](drawn, axes, chart, panel)
    title = wrap(panel.title, _title_letters(chart, row, width))
    axes.set_title(title, loc="center" if chart.kind == "radar" else "left")
    if chart.kind == "rows":  # lines as far apart as in the panel beside it
        axes.set_ylim(max(len(beside.groups) for beside in row) - 0.5, -0.5)
    alike = chart.kind == "rows" and panel.groups == row[column - 1].groups
    if column and (chart.kind == "lines" or alike):
        axes.set_ylabel("")
        axes.tick_params(labelleft=False)


def handle(series: Series, *, lines: bool) -> Line2D:
    """Return the key of a series: its mark, on its line where the chart has lines."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **look(series), linestyle=_dash(series) if lines else "none")


def look(series: Series) -> dict[str, Any]:
    """Return how a series' marks look, as matplotlib's settings of a line."""
    color = HUE_COLORS[series.hue]
    return {
        "color": color,
        "marker": MARKS[series.hue],
        "markeredgecolor": color,
        "markerfacecolor": PAPER if series.variant else color,
    }


def _dash(series: Series) -> Any:
    return DASHES[series.variant % len(DASHES)]


def has_lines(chart: Chart) -> bool:
    """Return whether lines join a chart's marks."""
    return chart.kind in ("lines", "radar")


def _height(chart: Chart, row: Sequence[Panel], width: float) -> float:
    """Return the inches that a row of panels takes from top to bottom."""
    if chart.kind == "rows":
        most = max((len(panel.groups) for panel in row), default=1)
        return 0.62 + max(most, 2) * _pitch(chart)
    if chart.kind == "lines":
        return max(1.25, 0.64 * width)
    if chart.kind == "radar":
        return min(_radar_height(panel, width) for panel in row)
    return width + 0.1


def _radar_height(panel: Panel, width: float) -> float:
    """Return the inches of a radar so flat that its names have room to both sides."""
    radius = 0.4 * width
    for number, name in enumerate(panel.groups):
        aside = abs(math.sin(2 * math.pi * number / len(panel.groups)))
        if aside > _ASIDE:
            letters = max(map(len, wrap(name, _SHORT_NAME).split("\n")))
            radius = min(radius, (width / 2 - _LETTER * letters - 0.06) / (_NAMES_AT * aside))
    return 2 * max(radius, 0.4) + (0.48 if panel.title else 0.28)


def _title_letters(chart: Chart, row: Sequence[Panel], width: float) -> int:
    """Return how many letters fit above a panel, from its axis on."""
    names = [name for panel in row for name in panel.groups] if chart.kind == "rows" else []
    beside = _LETTER * min(_NAME, max(map(len, names), default=0))
    return max(10, int((width - beside - 0.1) / _BOLD_LETTER))


def _pitch(chart: Chart) -> float:
    """Return the inches of one line of a chart of rows."""
    return max(0.24, 0.1 + 0.1 * len(chart.series))


def _keys(chart: Chart) -> Iterator[tuple[Line2D, str]]:
    from matplotlib.lines import Line2D

    for series in chart.series:
        yield handle(series, lines=has_lines(chart)), wrap(series.label, 44, 1)
    if chart.chance is not None:
        line = Line2D([], [], color=SOFT, linestyle=":", linewidth=1)
        yield line, f"chance ({100 * chart.chance:.0f}%)"


def _keys_across(keys: Sequence[tuple[Line2D, str]], width: float) -> int:
    longest = max((len(label) for _, label in keys), default=1)
    return max(1, min(len(keys), int(width / (0.5 + _LETTER * longest))))


def _scale(axis: Any, chart: Chart, ticks: dict[float, int]) -> None:
    count = ticks[chart.top]
    levels = [chart.top * tick / count for tick in range(count + 1)]
    axis.set_ticks(levels, [f"{chart.unit.full * level:.0f}" for level in levels])
    axis.grid(visible=True)


def _label(chart: Chart) -> str:
    return f"{chart.value_label} ({chart.unit.sign})" if chart.unit.sign else chart.value_label


def _rows(drawn: Drawn, axes: Axes, chart: Chart, panel: Panel) -> None:
    """Draw a line for each group and on it a mark for each series, with a stem from nought."""
    count = len(chart.series)
    step = min(0.8 / max(1, count), 0.3)
    for number, series in enumerate(chart.series):
        marks = list(_marks(panel.values, number))
        places = [group + step * (number - (count - 1) / 2) for group, _ in marks]
        color = HUE_COLORS[series.hue]
        tops = [_known(value) for _, value in marks]
        _out(axes.hlines(places, 0, tops, color=color, linewidth=0.8, alpha=0.35))
        _whiskers(axes, series, marks, places, level=True)
        for (group, value), x, y in zip(marks, tops, places, strict=True):
            _mark(drawn, axes, x, y, series, statement(chart, panel, group, number))
            if count <= _MOST_VALUES:
                said = f"{chart.unit.full * x:.{1 if chart.top <= 0.1 else 0}f}"
                high = value.interval[1] if value.interval else x
                _out(axes.text(high + 0.015 * chart.top, y, said, fontsize=6, color=SOFT,
                               va="center_baseline"))  # fmt: skip
    axes.set_yticks(range(len(panel.groups)), [wrap(name, _NAME) for name in panel.groups])
    axes.spines["left"].set_visible(False)
    room = 1.09 if count <= _MOST_VALUES else 1.02  # for the number of what is highest
    edges = [edge + 0.5 for edge in range(len(panel.groups))]
    _out(axes.hlines(edges, 0, room * chart.top, color=LINE, linewidth=0.5, zorder=0))
    _scale(axes.xaxis, chart, _TICKS)
    axes.set_xlim(0, room * chart.top)
    axes.set_xlabel(_label(chart))
    if chart.chance is not None:
        _out(axes.axvline(chart.chance, color=SOFT, linestyle=":", linewidth=1))


def _lines(drawn: Drawn, axes: Axes, chart: Chart, panel: Panel) -> None:
    """Draw a line for each series through its marks, a little apart, so that no whisker is hid."""
    count = len(chart.series)
    step = min(0.07, 0.3 / max(1, count))
    for number, series in enumerate(chart.series):
        marks = list(_marks(panel.values, number))
        places = [group + step * (number - (count - 1) / 2) for group, _ in marks]
        heights = [_known(value) for _, value in marks]
        _out(*axes.plot(places, heights, color=HUE_COLORS[series.hue], linestyle=_dash(series)))
        _whiskers(axes, series, marks, places, level=False)
        for (group, _), x, y in zip(marks, places, heights, strict=True):
            _mark(drawn, axes, x, y, series, statement(chart, panel, group, number))
    axes.set_xticks(range(len(panel.groups)), [wrap(name, 10, 1) for name in panel.groups])
    axes.set_xlim(-0.4, len(panel.groups) - 0.6)
    _scale(axes.yaxis, chart, _TICKS)
    axes.set_ylim(0, chart.top)
    axes.set_ylabel(_label(chart))
    axes.set_xlabel(chart.group_label)
    if chart.chance is not None:
        _out(axes.axhline(chart.chance, color=SOFT, linestyle=":", linewidth=1))


def _points(drawn: Drawn, axes: Axes, chart: Chart, panel: Panel) -> None:
    """Draw a mark for each group and series, and the line on which both values are the same."""
    _out(*axes.plot([0, chart.top], [0, chart.top], color=SOFT, linewidth=0.8, linestyle="--"))
    for number, series in enumerate(chart.series):
        upwards, across = dict(_marks(panel.values, number)), dict(_marks(panel.across, number))
        marks = [(group, upwards[group], across[group]) for group in upwards if group in across]
        xs = [_known(place) for *_, place in marks]
        ys = [_known(value) for _, value, _ in marks]
        faint: dict[str, Any] = {"color": HUE_COLORS[series.hue], "linewidth": 0.7, "alpha": 0.45}
        ends = [place.interval or (x, x) for (*_, place), x in zip(marks, xs, strict=True)]
        _out(axes.hlines(ys, [low for low, _ in ends], [high for _, high in ends], **faint))
        ends = [value.interval or (y, y) for (_, value, _), y in zip(marks, ys, strict=True)]
        _out(axes.vlines(xs, [low for low, _ in ends], [high for _, high in ends], **faint))
        for (group, *_), x, y in zip(marks, xs, ys, strict=True):
            _mark(drawn, axes, x, y, series, statement(chart, panel, group, number))
    for axis, label in ((axes.xaxis, chart.group_label), (axes.yaxis, chart.value_label)):
        _scale(axis, chart, _TICKS)
        axis.set_label_text(wrap(f"{label} ({chart.unit.sign})", 44))
    axes.set_xlim(0, chart.top)
    axes.set_ylim(0, chart.top)
    axes.set_aspect("equal")


def _marks(values: Sequence[Sequence[Value | None]], series: int) -> Iterator[tuple[int, Value]]:
    """Yield what a series has a value for, by the group's number."""
    for group, of_group in enumerate(values):
        value = of_group[series]
        if value is not None and value.value is not None:
            yield group, value


def _known(value: Value) -> float:
    assert value.value is not None
    return value.value


def _mark(drawn: Drawn, axes: Axes, x: float, y: float, series: Series, text: str) -> None:
    (mark,) = axes.plot([x], [y], **look(series), linestyle="none", clip_on=False, zorder=3)
    drawn.tip(_out(mark), text)


def _whiskers(
    axes: Axes,
    series: Series,
    marks: Sequence[tuple[int, Value]],
    places: Sequence[float],
    *,
    level: bool,
) -> None:
    """Draw the intervals of a series, lying level or standing, each with its two ends."""
    ends = [
        (place, *value.interval)
        for (_, value), place in zip(marks, places, strict=True)
        if value.interval is not None
    ]
    at, low, high = ([end[part] for end in ends] for part in range(3))
    color = HUE_COLORS[series.hue]
    bars = (axes.hlines if level else axes.vlines)(at, low, high, color=color, linewidth=1.0)
    bars.set_linestyle(_dash(series))
    xs, ys = ([*low, *high], at * 2)
    caps = axes.plot(*((xs, ys) if level else (ys, xs)), color=color, linestyle="none",
                     marker="|" if level else "_", markersize=3.6)  # fmt: skip
    _out(bars, *caps)


def _out(artist: _A, *others: Artist) -> _A:
    """Take what is within the axes out of the layout, which then need not measure it."""
    artists: tuple[Artist, ...] = (artist, *others)
    for one in artists:
        one.set_in_layout(False)
    return artist


def _radar(drawn: Drawn, axes: Any, chart: Chart, panel: Panel) -> None:
    """Draw an axis for each group, names around them, and a closed line for each series."""
    count = len(panel.groups)
    angles = [2 * math.pi * number / count for number in range(count)]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.spines["polar"].set_color(LINE)
    axes.set_ylim(0, 1)
    axes.set_xticks(angles, [])
    axes.set_rgrids([0.25, 0.5, 0.75, 1.0], [])
    for level in (0.5, 1.0):  # between the first two axes, where no mark is
        axes.text(math.pi / count, level, f"{chart.unit.full * level:,.0f}", fontsize=6, color=SOFT,
                  ha="center", va="center", zorder=1.5,
                  bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.8})  # fmt: skip
    for angle, name in zip(angles, panel.groups, strict=True):
        side, up = math.sin(angle), math.cos(angle)
        axes.text(angle, _NAMES_AT, wrap(name, _SHORT_NAME), fontsize=7.5, color=INK,
                  ha="center" if abs(side) < _ASIDE else "left" if side > 0 else "right",
                  va="bottom" if up > 0.8 else "top" if up < -0.3 else "center")  # fmt: skip
    for number, series in enumerate(chart.series):
        marks = [(group, _known(value)) for group, value in _marks(panel.values, number)]
        if len(marks) == count:
            closed = [*marks, marks[0]]
            _out(*axes.plot([angles[group] for group, _ in closed], [r for _, r in closed],
                            color=HUE_COLORS[series.hue], linestyle=_dash(series)))  # fmt: skip
        for group, radius in marks:
            _mark(drawn, axes, angles[group], radius, series,
                  statement(chart, panel, group, number))  # fmt: skip


_KINDS: Final = {"rows": _rows, "lines": _lines, "points": _points, "radar": _radar}
