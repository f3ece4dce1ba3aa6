"""Charts as a page shows them: panels and keys as SVG elements, the words beside them as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from .charts import Chart, caption
from .html_page import own
from .plots import key_svg, panel_svgs

__all__ = ["Drawing", "drawings"]


@dataclass(frozen=True)
class Drawing:
    """A chart on a page.

    Attributes:
        keys: What marks each series, and its name.
        panels: Its panels.
    """

    name: str
    title: str
    caption: str
    keys: tuple[tuple[Markup, str], ...]
    panels: tuple[Markup, ...]


def drawings(charts: Sequence[Chart], prefix: str = "plot") -> list[Drawing]:
    """Draw charts for a page.

    Args:
        charts: The charts.
        prefix: What all ids in them begin with: another for each group of charts of one page.
    """
    return [_drawing(chart, f"{prefix}-{number}") for number, chart in enumerate(charts)]


def _drawing(chart: Chart, prefix: str) -> Drawing:
    keys = tuple(
        (own(key_svg(chart, series, f"{prefix}-key{number}-")), series.label)
        for number, series in enumerate(chart.series)
    )
    panels = tuple(own(svg) for svg in panel_svgs(chart, prefix))
    return Drawing(chart.name, chart.title, caption(chart), keys, panels)
