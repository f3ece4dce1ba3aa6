"""What a page, a card or a drawing is made of: its elements, their attributes, and its addresses.

Two pages of the same runs, one with hostile words and one with plain ones, must be made of the same
things: whatever only the hostile one has, words have made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

ADDRESSES = (
    "href", "src", "srcset", "action", "formaction", "data", "poster",
    "{http://www.w3.org/1999/xlink}href",
)  # fmt: skip
IN_THE_BROWSER = """(() => {
  const found = { parts: [], addresses: [] };
  for (const element of document.querySelectorAll("*")) {
    found.parts.push(element.localName);
    for (const { name, value } of element.attributes) {
      found.parts.push(`${element.localName} ${name}`);
      if (ADDRESSES.includes(name)) found.addresses.push(value.slice(0, 60));
    }
  }
  return found;
})()""".replace("ADDRESSES", repr(list(ADDRESSES)))
MARKDOWN = MarkdownIt("gfm-like", {"html": True, "linkify": False}).disable("linkify")
"""As the Hub reads cards, HTML and all; bare addresses, which it makes links of, are looked for."""


@dataclass
class Made:
    """What something is made of."""

    parts: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)

    def add(self, tag: str, attributes: dict[str, Any]) -> None:
        self.parts |= {tag, *(f"{tag} {name}" for name in attributes)}
        self.hosts |= {origin(v or "") for n, v in attributes.items() if n in ADDRESSES}

    def and_of(self, other: Made) -> Made:
        """Return what both are made of."""
        return Made(self.parts | other.parts, self.hosts | other.hosts)

    def foreign(self, plain: Made) -> set[str]:
        """Return what this has that a plain one has not."""
        geometry = {"text transform"}  # a longer label is turned, or moved
        return (self.parts - plain.parts - geometry) | (self.hosts - plain.hosts)


def origin(address: str) -> str:
    """Return where an address leads: a scheme and a host, or "here"."""
    parts = urlsplit(address)
    return f"{parts.scheme}:{parts.netloc}" if parts.scheme or parts.netloc else "here"


def in_browser(browser: Any) -> Made:
    """Return what the page that a browser shows is made of now."""
    found = browser.run(IN_THE_BROWSER)
    return Made(set(found["parts"]), {origin(address) for address in found["addresses"]})


class _Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.made = Made()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.made.add(tag, dict(attrs))

    def handle_comment(self, data: str) -> None:
        self.made.parts.add(f"<!--{data}-->")


def in_drawing(svg: bytes) -> Made:
    """Return what a drawing is made of; it must be XML."""
    made = Made()
    for element in ElementTree.fromstring(svg).iter():
        made.add(element.tag, element.attrib)
    return made


@dataclass
class Card:
    """A card as its readers see it.

    Attributes:
        data: Its metadata.
        made: What its text is made of, once it is HTML.
        ragged: Lines of its tables that have more or fewer cells than their heads.
        text: What can be read in it.
    """

    data: dict[str, Any]
    made: Made
    ragged: list[str]
    text: str


def read_card(source: str) -> Card:
    """Read a card by a parser of YAML and one of Markdown."""
    assert source.startswith("---\n")
    front, rest = source[4:].split("\n---\n", 1)
    tokens = MARKDOWN.parse(rest)
    parser = _Parts()
    parser.feed(MARKDOWN.render(rest))
    parser.close()
    unfenced = re.sub(r"(?ms)^```.*?^```", "", rest)
    bare = re.sub(r"\]\([^)]*\)|`[^`]*`", "", unfenced)
    found = re.findall(r"(?i)(?<!\\)(?:https?:|www\.|\w@)[\w/]", bare)
    assert not found, f"GitHub makes links of {found}"
    return Card(yaml.safe_load(front), parser.made, list(_ragged(unfenced)), _text(tokens))


def _ragged(text: str) -> Iterator[str]:
    """Yield lines of tables that do not fit; a parser would fill or cut them without a word."""
    wanted = None
    for line in text.splitlines():
        count = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        if wanted is not None and count is not None and count != wanted:
            yield line
        wanted = wanted if wanted is not None and count is not None else count


def _text(tokens: list[Token]) -> str:
    flat = [part for token in tokens for part in (token, *(token.children or []))]
    kinds = ("text", "text_special", "code_inline", "fence", "softbreak")
    return "".join(t.content or "\n" for t in flat if t.type in kinds)
