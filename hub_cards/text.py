"""Text that others wrote, made fit to be shown: no hidden characters, no unending lengths.

Models, judges, servers and files fill many fields of a run. Escaping for HTML, SVG and JSON is the
writers' work (`page.py`, `plots.py`); here are the characters that no escaping makes harmless.
"""

from __future__ import annotations

from typing import Final

LONGEST: Final = 2000
"""Characters of one text that the report keeps; the run folder has the whole."""

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_BIDI: Final = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C, 0x200E, 0x200F)
_TABLE: Final[dict[int, str]] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "\N{SYMBOL FOR DELETE}",
    **dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT),
    **dict.fromkeys(_BIDI, _REPLACEMENT),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    0xFEFF: _REPLACEMENT,
    **dict.fromkeys((0xFFFE, 0xFFFF), _REPLACEMENT),
}


def visible(text: object) -> str:
    r"""Return a text in which every control character and direction override is seen.

    Line ends and tabs stay; lone surrogates, which no file can hold, are replaced.

    >>> visible("a\x00b\u202ec")
    'a␀b�c'
    """
    cleaned = str(text).replace("\r\n", "\n").translate(_TABLE)
    return "".join(_REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in cleaned)


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return a text, or its beginning with a note of what is left out.

    >>> shorten("abcdef", 3)
    'abc… [3 more characters]'
    """
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [{len(text) - longest:,} more characters]"
