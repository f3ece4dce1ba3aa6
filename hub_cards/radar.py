"""A radar of several runs as SVG text (TouchStone, Fig. 5): one axis a group of a chart's panel.

`radar_panel` draws it for a page whose style sheet gives the colours, `radar_svg` as a file that
stands alone. The functions are pure, and their bytes depend on nothing but the data.
"""

from __future__ import annotations

import math
from typing import Final

from .charts import Chart
from .plots import LIGHT, legend, num, percent, plain

WIDTH: Final = 460
HEIGHT: Final = 372
_RADIUS: Final = 138
_X, _Y = WIDTH / 2, 190
_RINGS: Final = 5
_STROKES: Final = """
  .ring{fill:none;stroke:#e4e7ea}.shape{fill:none;stroke-width:2;stroke-linejoin:round}
  .s0{stroke:#2f6f8f}.s1{stroke:#a9b4bd}.s2{stroke:#b7791f}.s3{stroke:#7b5ea7}.s4{stroke:#4d8b57}
  .s5{stroke:#b0546a}
"""
"""Of a file that stands alone; `leaderboard.css` gives the page's."""


def radar_panel(chart: Chart) -> str:
    """Return a radar as an SVG element for a page."""
    label = plain(f"{chart.title}. {_summary(chart)}")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{_drawn(chart)}</svg>'
    )


def radar_svg(chart: Chart) -> str:
    """Return a radar as the text of an SVG file."""
    keys, lines = legend(chart, WIDTH)
    head = 40 + 20 * lines
    height = head + HEIGHT + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{plain(chart.title)}">'
        f"<style>{LIGHT}{_STROKES}</style>"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
        f'<text class="title" x="16" y="26">{plain(chart.title)}</text>{keys}'
        f'<g transform="translate(0 {head})">{_drawn(chart)}</g>'
        f'<text class="muted" x="16" y="{height - 12}">{plain(chart.note)}</text></svg>\n'
    )


def _summary(chart: Chart) -> str:
    panel = chart.panels[0]
    return "; ".join(
        f"{group}, {series.label}: {percent(bar, chart.unit)}"
        for group, bars in zip(panel.groups, panel.bars, strict=True)
        for series, bar in zip(chart.series, bars, strict=True)
        if bar is not None
    )


def _drawn(chart: Chart) -> str:
    panel = chart.panels[0]
    count = len(panel.groups)
    parts = []
    for ring in range(1, _RINGS + 1):
        share = ring / _RINGS
        parts.append(f'<polygon class="ring" points="{_ring(count, share)}"/>')
        level = f"{chart.unit.full * share:.0f}"
        place = _at(_X + 4, _Y - _RADIUS * share + 12)
        parts.append(f'<text class="muted value" {place}>{level}</text>')
    for axis, group in enumerate(panel.groups):
        x, y = _point(axis, count, 1.0)
        parts.append(
            f'<line class="grid" x1="{num(_X)}" y1="{num(_Y)}" x2="{num(x)}" y2="{num(y)}"/>'
        )
        parts.append(_name(group, axis, count))
    for number, series in enumerate(chart.series):
        values = [bars[number] for bars in panel.bars]
        shares = [None if bar is None else bar.value for bar in values]
        known = [(axis, share) for axis, share in enumerate(shares) if share is not None]
        if len(known) == count:
            path = " ".join(_pair(*_point(axis, count, share)) for axis, share in known)
            parts.append(f'<polygon class="shape s{series.hue}" points="{path}"/>')
        for axis, share in known:
            x, y = _point(axis, count, share)
            bar = values[axis]
            assert bar is not None
            said = f"{panel.groups[axis]}, {series.label}: {percent(bar, chart.unit)}"
            parts.append(
                f'<circle class="h{series.hue}" cx="{num(x)}" cy="{num(y)}" '
                f'r="3.5"><title>{plain(said)}</title></circle>'
            )
    return "".join(parts)


def _point(axis: int, count: int, share: float) -> tuple[float, float]:
    angle = 2 * math.pi * axis / count - math.pi / 2
    return _X + _RADIUS * share * math.cos(angle), _Y + _RADIUS * share * math.sin(angle)


def _pair(x: float, y: float) -> str:
    return f"{num(x)},{num(y)}"


def _ring(count: int, share: float) -> str:
    return " ".join(_pair(*_point(axis, count, share)) for axis in range(count))


def _name(group: str, axis: int, count: int) -> str:
    x, y = _point(axis, count, 1.1)
    anchor = "middle" if abs(x - _X) < 1 else "start" if x > _X else "end"
    lift = 0 if y < _Y - _RADIUS else 8 if y > _Y else 4
    return f'<text text-anchor="{anchor}" {_at(x, y + lift)}>{plain(group)}</text>'


def _at(x: float, y: float) -> str:
    return f'x="{num(x)}" y="{num(y)}"'
