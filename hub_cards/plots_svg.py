"""What is done to an SVG that matplotlib wrote: words for who does not see it, a page's colours.

A file of its own keeps its looks. On a page, colours become the style sheet's names, so that it
follows light and dark; ids become the page's own, so that none is there twice; and no `style` is
left, which the page's content security policy would not let in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from .plots_style import NAMES
from .text import visible

__all__ = ["inline", "standalone"]

_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_REFERENCE: Final = re.compile(r"^(?:url\()?#([^)]+)\)?$")
_LONG: Final = re.compile(r"(\d+\.\d{2})\d+")
_KEPT: Final = frozenset(
    ("clip-path", "d", "height", "points", "text-anchor", "transform", "width", "x", "y")
)


def standalone(svg: bytes, title: str, description: str, tips: Mapping[str, str]) -> str:
    """Return a plot as a file of its own that says what it shows."""
    root = _read(svg, tips)
    root.set("role", "img")
    for number, (tag, text) in enumerate((("title", title), ("desc", description))):
        _say(root, tag, text, number)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def inline(svg: bytes, description: str, tips: Mapping[str, str], prefix: str) -> str:
    """Return a plot as an element of a page, every id in it beginning with `prefix`."""
    root = _read(svg, tips)
    size = root.get("viewBox", "")
    used = {name for element in root.iter() for name in _references(element)}
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        _rewrite(element, used, prefix)
    root.attrib.clear()
    root.set("viewBox", size)
    root.set("stroke-linejoin", "round")
    if description:
        root.set("role", "img")
        root.set("aria-label", visible(description))
    else:
        root.set("aria-hidden", "true")
    return ElementTree.tostring(root, encoding="unicode")


def _read(svg: bytes, tips: Mapping[str, str]) -> Element:
    """Return a plot's root, without its style sheet and metadata, its marks with words."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - matplotlib wrote it
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
            elif child.get("id") in tips:
                _say(child, "title", tips[str(child.get("id"))], 0)
    root.set("stroke-linejoin", "round")
    for element in root.iter():  # what only laid the text out
        element.text = element.text if element.text and element.text.strip() else None
        element.tail = None
    return root


def _say(element: Element, tag: str, text: str, place: int) -> None:
    words = Element(f"{{{_SVG}}}{tag}")
    words.text = visible(text)
    element.insert(place, words)


def _references(element: Element) -> Iterator[str]:
    for name, value in element.attrib.items():
        if name in ("clip-path", f"{{{_XLINK}}}href"):
            found = _REFERENCE.match(value)
            if found:
                yield found[1]


def _rewrite(element: Element, used: set[str], prefix: str) -> None:
    """Turn one element's attributes into those of a page."""
    given = dict(element.attrib)
    element.attrib.clear()
    for name, value in _presented(given.pop("style", "")):
        element.set(name, NAMES.get(value, value))
    for name, value in given.items():
        if name == "id" and value in used:
            element.set("id", prefix + value)
        elif name == f"{{{_XLINK}}}href":
            element.set("href", value.replace("#", f"#{prefix}", 1))
        elif name == "clip-path":
            element.set(name, value.replace("#", f"#{prefix}", 1))
        elif name == "transform" and value.startswith("rotate(-0 "):
            continue  # nothing is turned
        elif name in _KEPT:
            element.set(name, _LONG.sub(r"\1", value).replace("\n", " ").strip())


def _presented(style: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a `style` as attributes; fonts are the page's."""
    for part in style.split(";"):
        name, colon, value = part.partition(":")
        if colon and name.strip() != "font-family":
            yield name.strip(), value.strip()
