"""Text that others wrote, made fit to be shown: no hidden characters, no unending lengths.

What cards share with other rooms is in `cobsat.card_parts`; here is what the report, the
leaderboard and their files need besides. Escaping for HTML, SVG and JSON is the writers' work
(`page.py`, `plots.py`).
"""

from __future__ import annotations

from typing import Final

from cobsat.card_parts import NOTHING, markdown_cell, shorten, visible

__all__ = ["LONGEST", "NOTHING", "SHORT", "markdown_cell", "shorten", "table_cell", "visible"]

LONGEST: Final = 2000
"""Characters of one text that the report keeps; the run folder has the whole."""

SHORT: Final = 80
"""Characters of what should be one word."""


def table_cell(text: object) -> str:
    """Return a text as a cell of a CSV table that no spreadsheet takes for a formula.

    >>> table_cell("=1+1"), table_cell("a-b")
    ("'=1+1", 'a-b')
    """
    line = " ".join(visible(str(text)).split())
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
