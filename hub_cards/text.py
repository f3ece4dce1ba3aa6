"""Text that others wrote, made fit to be shown: no hidden characters, no unending lengths.

Models, judges, servers and files fill many fields of a run. Escaping for HTML, SVG and JSON is the
writers' work (`page.py`, `plots.py`); here are the characters that no escaping makes harmless.
"""

from __future__ import annotations

from html import escape
from typing import Final

LONGEST: Final = 2000
"""Characters of one text that the report keeps; the run folder has the whole."""

NOTHING: Final = "\N{EN DASH}"
"""What stands in a table where there is no value."""

SHORT: Final = 80
"""Characters of what should be one word."""

_MARKDOWN: Final = frozenset("\\`*_{}[]()#+!|~$:@")

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


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return a text, or its beginning with a note of what is left out.

    >>> shorten("abcdef", 3)
    'abc… [3 more characters]'
    """
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [{len(text) - longest:,} more characters]"


def markdown_cell(text: object, longest: int = SHORT) -> str:
    r"""Return a text as a cell of a Markdown table: every sign that Markdown or HTML reads escaped.

    >>> print(markdown_cell("a|b\n<i> [x](y)"))
    a\|b &lt;i&gt; \[x\]\(y\)
    """
    line = " ".join(visible(shorten(str(text), longest)).split())
    return "".join(f"\\{c}" if c in _MARKDOWN else escape(c) for c in line) or NOTHING


def table_cell(text: object) -> str:
    """Return a text as a cell of a CSV table that no spreadsheet takes for a formula.

    >>> table_cell("=1+1"), table_cell("a-b")
    ("'=1+1", 'a-b')
    """
    line = " ".join(visible(str(text)).split())
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
