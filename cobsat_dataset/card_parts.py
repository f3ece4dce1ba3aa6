"""What cards are made of: metadata, tables, and text of others made fit to be shown.

Every room that writes a card writes it with these: the dataset cards here, the cards of converted
and of tuned models, and those of `hub_cards`. Models, judges, servers and files fill many fields;
escaping for HTML, SVG and JSON is their writers' work, here are Markdown and the characters that no
escaping makes harmless. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from huggingface_hub import CardData

__all__ = [
    "NOTHING",
    "fenced",
    "front_matter",
    "markdown_cell",
    "shorten",
    "shown_value",
    "table",
    "table_again",
    "visible",
]

NOTHING: Final = "\N{EN DASH}"
"""What stands in a table where there is no value."""

_LONGEST: Final = 2000
_SHORT: Final = 80
"""Characters of what should be one word."""

_MARKDOWN: Final = frozenset("\\`*_{}[]()#+!|~$:@")

_WWW: Final = re.compile(r"(?i)(www)\.")
"""What Markdown makes a link of, without any sign."""

_BAR: Final = re.compile(r"(?<!\\)\|")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")

_HIDDEN: Final = (
    *(code for code in range(0x20) if chr(code) not in "\n\t"),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # direction
    *(0xFEFF, 0xFFFE, 0xFFFF),
)
_TABLE: Final[dict[int, str]] = {
    **{code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _HIDDEN},
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
}


def visible(text: object) -> str:
    r"""Return a text in which every control character and direction mark is spelt out.

    Line ends and tabs stay; lone surrogates, which no file can hold, are replaced.

    >>> print(visible("a\x00b\u202ec"))
    a\x00b\u202ec
    """
    return str(text).replace("\r\n", "\n").translate(_TABLE)


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Return a text, or its beginning with a note of what is left out.

    >>> shorten("abcdef", 3)
    'abc… [3 more characters]'
    """
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [{len(text) - longest:,} more characters]"


def markdown_cell(text: object, longest: int = _SHORT) -> str:
    r"""Return a text as a cell of a Markdown table: every sign that Markdown or HTML reads escaped.

    >>> print(markdown_cell("a|b\n<i> [x](y)"))
    a\|b &lt;i&gt; \[x\]\(y\)
    """
    line = " ".join(visible(shorten(str(text), longest)).split())
    escaped = "".join(f"\\{c}" if c in _MARKDOWN else escape(c) for c in line)
    return _WWW.sub(r"\1\.", escaped) or NOTHING


def shown_value(value: object) -> str:
    """Return a value of a record as a cell: a path of this machine is cut to its last part.

    >>> shown_value("/home/me/tuned"), shown_value(0.05)
    ('tuned', '0.05')
    """
    text = str(value)
    is_path = isinstance(value, str | Path) and Path(text).is_absolute()
    return markdown_cell(Path(text).name if is_path else text)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return a Markdown table as lines.

    Args:
        heads: The head of each column, as Markdown.
        rows: Cells, as Markdown: `markdown_cell` has escaped what others wrote.
        numbers: How many columns, the last ones, hold numbers.

    Raises:
        ValueError: A row has not as many cells as there are heads.

    >>> table(["task", "score"], [["color", "0.5"]], numbers=1)
    ['| task | score |', '|---|---:|', '| color | 0.5 |']
    """
    for row in rows:
        if len(row) != len(heads):
            raise ValueError(f"a row must have {len(heads)} cells, got {len(row)}: {row}")
    rule = "---|" * (len(heads) - numbers) + "---:|" * numbers
    return [_row(heads), f"|{rule}", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table_again(markdown: str) -> Iterator[str]:
    r"""Yield the lines of a Markdown table that a file holds, each cell escaped anew.

    Other lines are kept as plain text.

    >>> list(table_again("| a_b | c\\|d |\n|---|--:|\n[x](y)"))
    ['| a\\_b | c\\|d |', '|---|--:|', '\\[x\\]\\(y\\)']
    """
    for line in (line.strip() for line in markdown.splitlines()):
        if not line.startswith("|"):
            yield markdown_cell(line, _LONGEST) if line else ""
            continue
        cells = [cell.strip() for cell in _BAR.split(line.removeprefix("|").removesuffix("|"))]
        if all(set(cell) <= set("-:") and "-" in cell for cell in cells):
            yield f"|{'|'.join(cells)}|"
        else:
            plain = (unescape(_ESCAPED.sub(r"\1", cell)) for cell in cells)
            yield _row([markdown_cell(cell, 400) for cell in plain])


def front_matter(data: CardData) -> str:
    """Return a card's metadata between their rules, an empty line after them."""
    return f"---\n{data.to_yaml()}\n---\n\n"


def fenced(command: str, language: str = "bash") -> list[str]:
    """Return a block of code as lines; nothing in it ends the block, or a part of a card.

    >>> fenced("ls `pwd` <!-- x")
    ['```bash', 'ls `pwd` < !-- x', '```']
    """
    safe = visible(command).replace("```", "'''").replace("<!--", "< !--")
    return [f"```{language}", safe, "```"]
