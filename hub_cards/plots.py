"""Bar charts with error bars as SVG text.

`panel_svg` draws one panel of a `Chart` for a page whose style sheet gives the colours;
`chart_svg` draws the whole with a title and a legend as a file that stands alone. The functions
are pure, and their bytes depend on nothing but the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from .charts import PERCENT, Bar, Chart, Panel, Unit
from .text import shorten, visible

WIDTH: Final = 460
PLOT_HEIGHT: Final = 184
_LEFT, _RIGHT, _TOP = 44, 8, 40
_LEVEL: Final = 28
"""Height of level names of groups below a panel."""
_SLANT, _STEEP = (32, 62), (45, 92)
"""Angle and height of turned names: of short ones, and of long ones."""
_LONGEST_NAME, _SHORT_NAME = 16, 13
_ROOM_FOR_A_NAME: Final = 82
_LETTER: Final = 6.8
"""Room for a name that stands level: at least, and for each of its letters."""
_TICKS: Final = {0.1: 5, 0.2: 4, 0.3: 3, 0.4: 4, 0.5: 5, 0.6: 3, 0.8: 4, 1.0: 5}

LIGHT: Final = """
  text{font:12px system-ui,sans-serif;fill:#23272b}.title{font-size:15px;font-weight:600}
  .panel-title{font-weight:600}.muted{fill:#656d76}.grid{stroke:#e4e7ea}.axis{stroke:#9aa3ab}
  .error{stroke:#23272b;stroke-width:1.2}.chance{stroke:#656d76;stroke-dasharray:4 3}
  .paper{fill:#fff}.value{font-size:10.5px;paint-order:stroke;stroke:#fff;stroke-width:3px}
  .h0{fill:#2f6f8f}.h1{fill:#a9b4bd}.h2{fill:#b7791f}.h3{fill:#7b5ea7}.h4{fill:#4d8b57}
  .h5{fill:#b0546a}
"""
"""Colours of a file that stands alone; `report.css` gives the page's."""


def percent(bar: Bar, unit: Unit = PERCENT) -> str:
    """Return a value with its 95% interval in words: "62.3% (59.3 to 65.3)"."""
    if bar.value is None:
        return "nothing to measure"
    said = f"{unit.write(bar.value)}{unit.sign}"
    if bar.interval is None:
        return said
    low, high = bar.interval
    return f"{said} ({unit.write(low)} to {unit.write(high)})"


def panel_height(chart: Chart) -> int:
    """Return the height of a chart's panels, the same for all."""
    turned = any(_is_narrow(panel) for panel in chart.panels)
    return _TOP + PLOT_HEIGHT + (_turn(chart)[1] if turned else _LEVEL)


def _turn(chart: Chart) -> tuple[int, int]:
    """Return how far names are turned where there is no room, and the height that they take."""
    names = (group for panel in chart.panels for group in panel.groups)
    return _STEEP if any(len(name) > _SHORT_NAME for name in names) else _SLANT


def _pitch(panel: Panel) -> float:
    return (WIDTH - _RIGHT - _LEFT) / max(1, len(panel.groups))


def _is_narrow(panel: Panel) -> bool:
    """Return whether a panel has no room for names that stand level."""
    longest = max((len(name) for name in panel.groups), default=0)
    return _pitch(panel) < max(_ROOM_FOR_A_NAME, _LETTER * min(longest, _LONGEST_NAME))


def panel_svg(chart: Chart, panel: Panel) -> str:
    """Return one panel as an SVG element for a page."""
    label = plain(f"{chart.title}: {panel.title}. {_summary(chart, panel)}")
    return (
        f'<svg viewBox="0 0 {WIDTH} {panel_height(chart)}" role="img" aria-label="{label}">'
        f"{_panel(chart, panel)}</svg>"
    )


def chart_svg(chart: Chart) -> str:
    """Return a whole chart as the text of an SVG file."""
    columns = min(2, len(chart.panels)) or 1
    rows = -(-len(chart.panels) // columns)
    keys, lines = legend(chart, columns * WIDTH)
    head = 40 + 20 * lines
    pitch = panel_height(chart) + 8
    width, height = columns * WIDTH + 16, head + rows * pitch + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{plain(chart.title)}">',
        f"<style>{LIGHT}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="16" y="26">{plain(chart.title)}</text>',
        keys,
    ]
    for number, panel in enumerate(chart.panels):
        x, y = 8 + number % columns * WIDTH, head + number // columns * pitch
        parts.append(f'<g transform="translate({x} {y})">{_panel(chart, panel)}</g>')
    note = f"{chart.note} Whiskers: 95% intervals."
    parts += [f'<text class="muted" x="16" y="{height - 12}">{plain(note)}</text>', "</svg>\n"]
    return "".join(parts)


def whisker_svg(bar: Bar, chance: float | None = None) -> str:
    """Return a value on a line from 0 to 1, with its interval and the chance level."""
    mark = band = ""
    if chance is not None:
        x = num(100 * chance)
        mark = f'<line class="chance-tick" x1="{x}" x2="{x}" y1="1" y2="13"/>'
    if bar.value is not None:
        low, high = bar.interval or (bar.value, bar.value)
        x = num(100 * bar.value)
        band = (
            f'<rect class="span" x="{num(100 * low)}" y="3" width="{num(100 * (high - low))}" '
            f'height="8"/><line class="dot" x1="{x}" x2="{x}" y1="2" y2="12"/>'
        )
    return (
        '<svg class="whisker" viewBox="-2 0 104 14" aria-hidden="true">'
        f'<line class="track" x1="0" x2="100" y1="7" y2="7"/>{mark}{band}</svg>'
    )


def _summary(chart: Chart, panel: Panel) -> str:
    said = []
    for group, bars in zip(panel.groups, panel.bars, strict=True):
        for series, bar in zip(chart.series, bars, strict=True):
            if bar is not None:
                said.append(f"{group}, {series.label}: {percent(bar, chart.unit)}")
    return "; ".join(said)


def _panel(chart: Chart, panel: Panel) -> str:
    top = chart.top
    height = PLOT_HEIGHT
    floor = _TOP + height
    right = WIDTH - _RIGHT
    parts = [f'<text class="panel-title" x="{_LEFT}" y="16">{_label(panel.title, 60)}</text>']
    ticks = _TICKS[top]
    for tick in range(ticks + 1):
        level = top * tick / ticks
        y = floor - height * level / top
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{num(y)}" y2="{num(y)}"/>')
        parts.append(
            f'<text class="muted" text-anchor="end" x="{_LEFT - 6}" y="{num(y + 4)}">'
            f"{chart.unit.full * level:.0f}{chart.unit.sign if tick == ticks else ''}</text>"
        )
    parts.append(
        f'<text class="muted" text-anchor="middle" '
        f'transform="translate(11 {num(_TOP + height / 2)}) rotate(-90)">'
        f"{_label(chart.y_label, 40)}</text>"
    )
    pitch, level = _pitch(panel), not _is_narrow(panel)
    for number, (group, bars) in enumerate(zip(panel.groups, panel.bars, strict=True)):
        left = _LEFT + pitch * number
        parts += _group(chart, group, bars, left, pitch, floor, height / top, level)
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{floor}" y2="{floor}"/>')
    if chart.chance is not None:
        chance = num(floor - height * chart.chance / top)
        parts.append(
            f'<line class="chance" x1="{_LEFT}" x2="{right}" y1="{chance}" y2="{chance}">'
            f"<title>chance: {100 * chart.chance:.0f}%</title></line>"
        )
    return "".join(parts)


def _group(
    chart: Chart,
    group: str,
    bars: Sequence[Bar | None],
    left: float,
    pitch: float,
    floor: float,
    scale: float,
    level: bool,
) -> list[str]:
    step = min(pitch * 0.82 / max(1, len(bars)), 34.0)
    start = left + (pitch - step * len(bars)) / 2
    parts = []
    for number, (series, bar) in enumerate(zip(chart.series, bars, strict=True)):
        if bar is None or bar.value is None:
            continue
        x, width = start + step * number, step * 0.88
        height = max(bar.value * scale, 1.0)
        box = f'x="{num(x)}" y="{num(floor - height)}" width="{num(width)}" height="{num(height)}"'
        if series.strength < 1:  # no grid shines through
            parts.append(f'<rect class="paper" {box}/>')
        parts.append(
            f'<rect class="h{series.hue}" fill-opacity="{series.strength}" {box}>'
            f"<title>{plain(f'{group}, {series.label}: {percent(bar, chart.unit)}')}</title></rect>"
        )
        low, high = bar.interval or (bar.value, bar.value)
        if high > low:
            parts.append(_whisker(x + width / 2, floor - high * scale, floor - low * scale, width))
        if step >= 20:
            said = f"{chart.unit.full * bar.value:.{1 if chart.top <= 0.1 else 0}f}"
            parts.append(
                f'<text class="muted value" text-anchor="middle" x="{num(x + width / 2)}" '
                f'y="{num(floor - max(high * scale, height) - 5)}">{said}</text>'
            )
    middle = left + pitch / 2
    longest = _LONGEST_NAME
    if level:
        longest = max(longest, int(pitch / 6.5))
        place = f'text-anchor="middle" x="{num(middle)}" y="{floor + 18}"'
    else:
        turned = f"translate({num(middle + 5)} {floor + 14}) rotate(-{_turn(chart)[0]})"
        place = f'text-anchor="end" transform="{turned}"'
    return [*parts, f"<text {place}>{_label(group, longest)}</text>"]


def _whisker(x: float, high: float, low: float, width: float) -> str:
    cap = min(4.0, width / 3)
    return (
        f'<path class="error" fill="none" d="M{num(x - cap)} {num(high)}h{num(2 * cap)}'
        f'M{num(x)} {num(high)}V{num(low)}M{num(x - cap)} {num(low)}h{num(2 * cap)}"/>'
    )


def legend(chart: Chart, width: int) -> tuple[str, int]:
    """Return a chart's keys as SVG, below a title, and how many lines they take."""
    x, line = 16, 0
    parts = []
    for series in chart.series:
        label = visible(shorten(series.label, 40))
        needed = 34 + 7 * len(label)
        if x > 16 and x + needed > width:
            x, line = 16, line + 1
        y = 40 + 20 * line
        parts.append(
            f'<rect class="h{series.hue}" fill-opacity="{series.strength}" x="{x}" y="{y}" '
            f'width="12" height="12"/><text x="{x + 18}" y="{y + 10}">{escape(label)}</text>'
        )
        x += needed
    if chart.chance is None:
        return "".join(parts), line + 1
    if x > 16 and x + 130 > width:
        x, line = 16, line + 1
    y = 46 + 20 * line
    parts.append(
        f'<line class="chance" x1="{x}" x2="{x + 22}" y1="{y}" y2="{y}"/>'
        f'<text x="{x + 28}" y="{y + 4}">chance ({100 * chart.chance:.0f}%)</text>'
    )
    return "".join(parts), line + 1


def _label(text: str, longest: int) -> str:
    cleaned = " ".join(visible(text).split())
    return escape(cleaned if len(cleaned) <= longest else f"{cleaned[: longest - 1]}…")


def plain(text: str) -> str:
    """Return a text for SVG: escaped, nothing hidden in it."""
    return escape(visible(text))


def num(value: float) -> str:
    """Return a coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
