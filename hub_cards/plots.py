"""Charts as pictures: SVG, PNG and PDF files for a paper, and SVG elements for a page.

matplotlib draws (`plots_draw.py`), in a style of our own (`plots_style.py`), without its global
state and whatever the user's settings are. The same chart gives the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from cobsat.spec import choose

from .charts import Chart, Panel, Series, caption, described
from .files import write_bytes, write_text
from .plots_draw import Drawn, draw, handle, has_lines
from .plots_style import COLUMN, RESOLUTION, STYLE, TWO_COLUMNS
from .plots_svg import inline, standalone
from .text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "DEFAULT_FORMATS",
    "FORMATS",
    "Format",
    "Order",
    "chart_files",
    "chart_inches",
    "formats_of",
    "key_svg",
    "panel_svgs",
    "write_plots",
]

Format: TypeAlias = Literal["svg", "png", "pdf"]
FORMATS: Final[tuple[Format, ...]] = ("svg", "png", "pdf")
DEFAULT_FORMATS: Final[tuple[Format, ...]] = ("svg", "png")
PAGE_WIDTH: Final = 4.3
"""Inches of a picture on a page, which shows it as wide as there is room."""
SMALL_COLUMNS: Final = 3
"""Small panels beside each other in one picture on a page."""


_NAMES: Final = (
    r"accuracy|fig\d-[a-z-]+|textual-visual|object-attribute|samples|best-of-k"
    r"|radar|categories|subtasks"
)
"""What charts are called."""


@dataclass(frozen=True)
class Order:
    """What a report is to write, and where.

    Attributes:
        page: The page.
        plots: The folder of its plots.
        formats: Their formats.
        document: The typeset document, if one is wanted.
    """

    page: Path
    plots: Path
    formats: Sequence[Format] = DEFAULT_FORMATS
    document: Path | None = None


def formats_of(names: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats of these names, each once; the usual ones where none is named.

    Raises:
        ValueError: There is no such format.
    """
    chosen = [choose("plots", name, FORMATS) for name in names]
    return tuple(form for form in FORMATS if form in chosen) or DEFAULT_FORMATS


def chart_files(chart: Chart, formats: Sequence[Format] = ("svg",)) -> dict[Format, bytes]:
    """Return a whole chart, with its legend, as the bytes of one file a format.

    A chart of one panel is as wide as a paper's column, of several as two.
    """
    return {form: _chart_file(chart, form) for form in formats}


@lru_cache(maxsize=128)  # of its plots, its page and its document, a report draws each chart once
def _chart_file(chart: Chart, form: Format) -> bytes:
    with _styled():
        drawn = draw(chart, chart.panels, chart_inches(chart), legend=True)
        return _saved(chart, drawn, form)


def chart_inches(chart: Chart) -> float:
    """Return how wide a chart's files are."""
    return COLUMN if len(chart.panels) == 1 else TWO_COLUMNS


def panel_svgs(chart: Chart, prefix: str) -> list[str]:
    """Return a chart's panels as SVG elements for a page, small ones several in one.

    Args:
        chart: The chart.
        prefix: What all ids in them begin with.
    """
    many = chart.columns > SMALL_COLUMNS
    groups = chart.rows() if many else [(panel,) for panel in chart.panels]
    across = replace(chart, columns=SMALL_COLUMNS) if many else chart
    return [
        _panels_svg(across, panels, f"{prefix}-{number}") for number, panels in enumerate(groups)
    ]


def _panels_svg(chart: Chart, panels: tuple[Panel, ...], prefix: str) -> str:
    words = " ".join(described(chart, panel) for panel in panels)
    svg, tips = _panels_drawn(chart, panels)
    return inline(svg, words, tips, f"{prefix}-")


@lru_cache(maxsize=128)
def _panels_drawn(chart: Chart, panels: tuple[Panel, ...]) -> tuple[bytes, dict[str, str]]:
    with _styled():
        drawn = draw(chart, panels, PAGE_WIDTH, legend=False)
        return _svg(drawn.figure), drawn.tips


def key_svg(chart: Chart, series: Series, prefix: str) -> str:
    """Return what marks a series in a legend, as an SVG element for a page."""
    return inline(_key_drawn(has_lines(chart), series.hue, series.variant), "", {}, prefix)


@lru_cache(maxsize=128)
def _key_drawn(lines: bool, hue: int, variant: int) -> bytes:
    from matplotlib.figure import Figure

    with _styled():
        figure = Figure(figsize=(0.36, 0.18))
        figure.patch.set_visible(False)
        line = handle(Series("", hue, variant), lines=lines)
        line.set_data([0.08, 0.5, 0.92], [0.5, 0.5, 0.5])
        line.set_markevery([1])
        line.set_transform(figure.transFigure)
        figure.add_artist(line)
        return _svg(figure)


def write_plots(
    folder: Path, judge: str, charts: Sequence[Chart], formats: Sequence[Format]
) -> list[Path]:
    """Write charts into a folder as `JUDGE-NAME.svg`, …, and their captions in one file.

    A plot of that judge that an earlier report left there and this one has not is removed.

    Returns:
        The files' paths.
    """
    written: list[Path] = []
    lines = []
    for chart in charts if formats else ():
        for form, data in chart_files(chart, formats).items():
            written.append(folder / f"{judge}-{chart.name}.{form}")
            write_bytes(written[-1], data)
        lines.append(visible(f"{judge}-{chart.name}: {chart.title}. {caption(chart)}\n"))
    if lines:
        written.append(folder / f"{judge}-captions.txt")
        write_text(written[-1], "\n".join(lines))
    ours = re.compile(rf"{re.escape(judge)}-({_NAMES})\.({'|'.join(FORMATS)})")
    for path in folder.glob("*") if written else ():
        if path not in written and ours.fullmatch(path.name):
            path.unlink()
    return written


def _saved(chart: Chart, drawn: Drawn, form: Format) -> bytes:
    if form == "svg":
        words = " ".join([caption(chart), *(described(chart, panel) for panel in chart.panels)])
        text = standalone(_svg(drawn.figure), chart.title, words, drawn.tips)
        return text.encode("utf-8", errors="replace")
    named = {"Title": chart.title}
    nothing: dict[str, Any] = (
        {"Software": None} if form == "png" else {"Creator": None, "Producer": None,
                                                  "CreationDate": None}
    )  # fmt: skip
    data = io.BytesIO()
    drawn.figure.savefig(data, format=form, dpi=RESOLUTION, metadata={**named, **nothing})
    return data.getvalue()


def _svg(figure: Figure) -> bytes:
    data = io.BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(data, format="svg", metadata=nothing)
    return data.getvalue()


@contextmanager
def _styled() -> Iterator[None]:
    """Set our style for a while; a sign that the font lacks is a box, without a warning."""
    import matplotlib.style

    with matplotlib.style.context(STYLE, after_reset=True), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield
