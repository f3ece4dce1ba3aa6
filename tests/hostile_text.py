"""Hostile text from a seed, and the data classes that it fills: what the safety tests share.

    source = Hostile(7)
    filled(Prediction, source, id="color_i-2shot-test-0000", status="ok")

A text is made of pieces of several kinds; every kind comes up, because they are dealt like cards.
A data class is filled by the types of its fields, so that a new field is hostile by itself.
"""

from __future__ import annotations

import random
import re
import types
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = ["KINDS", "Hostile", "filled", "on_one_line", "poisoned", "spelt", "tame"]

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "markup": (
        "</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=2>",
        "<svg onload='window.hacked=3'>", "</td></table></p><iframe src=//e.vil></iframe>",
        "<style>*{display:none}</style>", "]]><x-evil/>", "&lt;b&gt; &#60;x-evil&#62;",
    ),
    "attribute": (
        "\"' onmouseover=window.hacked=4 x=\"", "' autofocus onfocus='window.hacked=5",
        "\\\"><x-evil y=`", "\" style=\"position:fixed\"",
    ),
    "link": (
        "[x](javascript:window.hacked=6)", "![y](http://e.vil/y.png)", "http://e.vil/",
        "<http://e.vil>", "www.e.vil", "me@e.vil", "[r]: http://e.vil", "javascript:alert(1)",
        "<a href=javascript:window.hacked=7>x</a>",
    ),
    "table": ("| a | b |\n|---|---|\n| c", "a|b|c|d|e|f", "\\|", "|---|", "`|`"),
    "markdown": (
        "# heading", "\n\n# heading\n\n- item\n\n1. item", "**bold** __it__ ~~s~~ `code`",
        "```\nfence\n```", "~~~", "> quote", "\\", "a\n===", "[^1]: note",
    ),
    "comment": ("<!--", "-->", "<!-- cobsat:begin -->", "<!-- cobsat:end -->", "# cobsat:end"),
    "metadata": (
        "\n---\nlicense: evil\n---\n", "a: b", "# c", "- d", "{e: f}", "&g *g", "!!python/object:x",
        "'", '"', "%YAML", "@h",
    ),
    "control": ("\x00", "\x07", "\x08\x08\x08", "\x0b\x0c", "a\rb", "\x7f", "\x85", "\x1a"),
    "terminal": (
        "\x1b[2J", "\x1b[31mred", "\x1b]0;title\x07", "\x1b]8;;http://e.vil\x1b\\x",
        "\x9b31m", "\x1b[1;1H", "\x1bP+q\x1b\\",
    ),
    "direction": ("\u202eesrever", "\u2066\u2069", "\u200f\u200e", "\u061c", "\u202d\u202c"),
    "invisible": ("a\u200bb", "\ufeff", "\u2060", "\u00ad", "\u180e", "\u115f"),
    "surrogate": ("\ud800", "\udfff", "\udcff", "\uffff"),
    "long": ("w" * 3000, "\u0301" * 200, "\ufdfa" * 150, "W_" * 400),
    "line": ("a\nb", "\r\n", "\u2028", "\u2029", "\n\n\n", "\t"),
    "template": ("{{ 7 * 7 }}", "{% raw %}", "${window.hacked=8}", "%(x)s %s", "{0} {x}", "{#"),
    "rich": ("[bold red]", "[/]", "[/x]", "[link=http://e.vil]x", ":smile:", "[@click=x]y"),
    "typst": ('#panic("x")', "$x$", "@ref <label>", "#[", "\\ /* // "),
    "mathtext": ("$\\frac{1}{$", "$x_$", "\\$", "$", "_^"),
    "formula": ('=HYPERLINK("http://e.vil")', "+1", "-1", "@SUM(A1)"),
}  # fmt: skip
"""Kind → pieces that some reader takes for more than text."""

_T = TypeVar("_T")
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)


class Hostile:
    """Deals hostile texts; the same seed deals the same ones."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self._decks: dict[str, list[str]] = {}
        self._kinds: list[str] = []
        self.dealt: set[str] = set()

    def text(self, *, without: tuple[str, ...] = ()) -> str:
        """Return a text of two to four pieces, each of another kind, between plain words."""
        wanted = self.draw.randint(2, 4)
        pieces: list[str] = []
        while len(pieces) < wanted:
            kind = self._next_kind()
            if kind not in without:
                pieces.append(self._piece(kind))
        return f"q{self.draw.randrange(1000):03d} {self.draw.choice((' ', '', ' z ')).join(pieces)}"

    def name(self) -> str:
        """Return a text that a file of any file system here may be called."""
        text = self.text(without=("long", "surrogate"))
        return re.sub(r"[\x00/]", "", text)[:60].strip()

    def _next_kind(self) -> str:
        if not self._kinds:
            self._kinds = self.draw.sample(list(KINDS), len(KINDS))
        return self._kinds.pop()

    def _piece(self, kind: str) -> str:
        deck = self._decks.setdefault(kind, [])
        if not deck:
            deck += self.draw.sample(KINDS[kind], len(KINDS[kind]))
        self.dealt.add(kind)
        return deck.pop()

    def value(self, kind: Any) -> Any:
        """Return a hostile value of a type.

        Raises:
            TypeError: It is a type that nobody has thought of: think of it here.
        """
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            return self.value(next(a for a in arguments if a is not type(None)))
        if origin is Literal:
            return self.draw.choice(arguments)
        if origin in (tuple, list) and arguments:
            return origin(self.value(arguments[0]) for _ in range(2))
        if origin in (dict, Mapping):
            return {self.text(): self.value(arguments[1]) for _ in range(2)}
        simple = {
            str: self.text, bool: lambda: self.draw.random() < 0.5, int: lambda: 3,
            float: lambda: 0.5,
            Any: lambda: self.draw.choice((self.text(), [self.text()], {self.text(): self.text()})),
        }  # fmt: skip
        if kind not in simple:
            raise TypeError(f"a hostile value must be of a known type, got {kind!r}")
        return simple[kind]()


def filled(kind: type[_T], source: Hostile, **kept: Any) -> _T:
    """Return a data class of which every field is hostile, but for those that are given."""
    hints = get_type_hints(kind)
    given = {f.name: source.value(hints[f.name]) for f in fields(kind) if f.name not in kept}  # type: ignore[arg-type]
    return kind(**kept, **given)


def poisoned(data: Any, source: Hostile, keep: tuple[str, ...] = ()) -> Any:
    """Return plain data with every text in it hostile, and a hostile key in every object.

    Args:
        data: What JSON has.
        source: Deals the texts.
        keep: Keys whose values stay, because they say which way a program goes.
    """
    if isinstance(data, dict):
        of = {k: v if k in keep else poisoned(v, source, keep) for k, v in data.items()}
        return of | {source.text(): source.text()}
    if isinstance(data, list):
        return [poisoned(each, source, keep) for each in data]
    return source.text() if isinstance(data, str) else data


def tame(data: Any) -> Any:
    """Return the same shape with a harmless word in place of every hostile text."""
    if isinstance(data, dict):
        return {tame(k): tame(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(tame(each) for each in data)
    return "plain" if isinstance(data, str) and re.match(r"q\d{3} ", data) else data


def spelt(text: str) -> str:
    """Return a text as a page must show it, worked out by other means than the code under test."""
    text = text.replace("\r\n", "\n")
    text = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    text = re.sub("[\u2028\u2029]", "\n", text)

    def spell(found: re.Match[str]) -> str:
        code = ord(found[0])
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

    return _HIDDEN.sub(spell, text)


def on_one_line(text: str) -> str:
    """Return a text with every gap one space."""
    return " ".join(text.split())
