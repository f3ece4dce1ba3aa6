"""How plots look: sizes, colours and marks, fit for a paper's one and two columns.

Colours can be told apart by the colour-blind, and marks in grey. `report.css` has the same colours
by name, for light and dark: `plots_svg.py` puts those names in where a plot stands on a page.
"""

from __future__ import annotations

import textwrap
from typing import Any, Final

from .text import visible

__all__ = [
    "COLUMN",
    "DASHES",
    "HUE_COLORS",
    "INK",
    "LINE",
    "MARKS",
    "NAMES",
    "PAPER",
    "RESOLUTION",
    "SOFT",
    "STYLE",
    "TWO_COLUMNS",
    "wrapped",
]

COLUMN: Final = 3.3
TWO_COLUMNS: Final = 7.0
"""Inches: the width of a paper's column, and of two."""
RESOLUTION: Final = 200
"""Dots an inch of a PNG."""

INK: Final = "#1d2125"
SOFT: Final = "#5d666f"
LINE: Final = "#e1e5e8"
PAPER: Final = "#ffffff"
HUE_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#a6518a", "#3a97cf", "#444b52")
MARKS: Final = ("o", "s", "^", "D", "v", "P")
DASHES: Final = ("-", (0, (4, 1.6)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)))
"""How the lines of a variant are dashed."""
NAMES: Final = {
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    LINE: "var(--line)",
    PAPER: "var(--paper)",
    **{color: f"var(--h{hue})" for hue, color in enumerate(HUE_COLORS)},
}
"""Colour of a file → its name in the page's style sheet."""

STYLE: Final[dict[str, Any]] = {
    "font.family": ["DejaVu Sans"],  # ships with matplotlib: the same everywhere
    "font.size": 8,
    "text.color": INK,
    "text.parse_math": False,  # a name with two dollars in it is a name
    "figure.facecolor": PAPER,
    "figure.constrained_layout.w_pad": 0.05,
    "figure.constrained_layout.h_pad": 0.04,
    "figure.constrained_layout.wspace": 0.03,
    "figure.constrained_layout.hspace": 0.04,
    "axes.facecolor": PAPER,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT,
    "axes.labelsize": 7.5,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 7,
    "xtick.major.size": 0,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 7,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.4,
    "lines.markeredgewidth": 1.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "cobsat",  # else ids are drawn anew each time
    "pdf.fonttype": 42,
}
"""Settings of matplotlib, upon its defaults and not upon the user's own."""


def wrapped(text: str, letters: int, lines: int = 2) -> str:
    """Return a label in lines of at most so many letters.

    What does not fit is left out of its middle: names of runs often differ at the end.

    >>> print(wrapped("a rather long name of a run", 14))
    a rather long
    name of a run
    >>> wrapped("checkpoint-of-a-long-name-7", 15, 1)
    'checkpo…-name-7'
    """
    plain = " ".join(visible(text).split())
    shown = plain
    for room in range(letters * lines, 2, -1):
        if len(plain) > room:
            shown = f"{plain[: room // 2]}…{plain[len(plain) - (room - 1) // 2 :]}"
        found = textwrap.wrap(shown, letters)
        if len(found) <= lines:
            return "\n".join(found)
    return "…"
