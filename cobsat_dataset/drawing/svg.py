"""A small vocabulary for writing SVG: numbers, colours, shapes, and what a picture is made of.

Every picture is 512 by 512 units, y down. Numbers are written with two decimals, so that the
same seed gives the same text, and with it the same bytes, on every machine.
"""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

SIZE: Final = 512

Role: TypeAlias = Literal["main", "detail", "line"]


@dataclass(frozen=True)
class Part:
    """One closed or open path of an object, back to front.

    Attributes:
        name: What it is: "body", "window", "wheel".
        d: Path data in picture units.
        role: "main" carries the colour, texture or style of the whole object; "detail" has a
            colour of its own (`fill`); "line" is an open stroke, drawn without a fill.
        shade: For "main": how much lighter (> 0) or darker (< 0) than the object, in -1..1.
        fill: For "detail": its natural colour, as "#rrggbb".
        width: For "line", and as the outline of the others: stroke width in units.
    """

    name: str
    d: str
    role: Role = "main"
    shade: float = 0.0
    fill: str = "#888888"
    width: float = 0.0


@dataclass(frozen=True)
class Shape:
    """An object as geometry, before any colour, texture or style is given to it.

    Attributes:
        name: "car".
        parts: Its parts, back to front. All "main" parts together are its silhouette.
        facets: The silhouette cut into some 8 to 20 straight-edged polygons, as folded paper
            would show it (for origami, and other faceted styles): ((x, y), …) each.
        ground: The y at which it stands.
        note: What the seed varied, in words fit for a description: "a small hatchback".
    """

    name: str
    parts: tuple[Part, ...]
    facets: tuple[tuple[tuple[float, float], ...], ...]
    ground: float
    note: str = ""


@dataclass
class Picture:
    """An SVG under construction: definitions, and elements in painting order."""

    defs: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)

    def define(self, kind: str, content: str, **attributes: object) -> str:
        """Add a definition (`linearGradient`, `pattern`, `filter`, `clipPath`) and name it.

        Returns:
            Its reference, `url(#…)`, for a `fill`, `filter` or `clip-path`.
        """
        name = f"d{len(self.defs)}"
        self.defs.append(f'<{kind} id="{name}"{attrs(attributes)}>{content}</{kind}>')
        return f"url(#{name})"

    def add(self, *elements: str) -> None:
        """Paint elements over what is there."""
        self.body.extend(elements)

    def svg(self) -> str:
        """Return the whole document."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">'
            f"<defs>{''.join(self.defs)}</defs>{''.join(self.body)}</svg>"
        )


def num(value: float) -> str:
    """Write a number with two decimals at most ("12", "3.5").

    >>> num(12.0), num(-0.001), num(3.456)
    ('12', '0', '3.46')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def attrs(attributes: dict[str, object]) -> str:
    """Write attributes: underscores become hyphens, numbers are shortened, None is left out.

    >>> attrs({"stroke_width": 2.0, "fill": "none", "filter": None})
    ' stroke-width="2" fill="none"'
    """
    words = []
    for name, value in attributes.items():
        if value is not None:
            text = num(value) if isinstance(value, (int, float)) else str(value)
            words.append(f' {name.rstrip("_").replace("_", "-")}="{text}"')
    return "".join(words)


def element(kind: str, content: str = "", /, **attributes: object) -> str:
    """Write one element: `element("circle", cx=1, cy=2, r=3, fill="red")`."""
    return f"<{kind}{attrs(attributes)}>{content}</{kind}>"


def path(d: str, **attributes: object) -> str:
    """Write a `path`; an opacity becomes that of its only paint, which needs no layer of its own.

    >>> path("M0 0h9v9z", fill="red", opacity=0.5)
    '<path d="M0 0h9v9z" fill="red" fill-opacity="0.5"></path>'
    """
    if "opacity" in attributes:
        filled, stroked = attributes.get("fill") != "none", "stroke" in attributes
        paint = "fill_opacity" if not stroked else "opacity" if filled else "stroke_opacity"
        attributes = {paint if k == "opacity" else k: v for k, v in attributes.items()}
    return element("path", d=d, **attributes)


def group(*elements: str, **attributes: object) -> str:
    """Write a `g` around elements."""
    return element("g", "".join(elements), **attributes)


def polygon_d(points: tuple[tuple[float, float], ...]) -> str:
    """Return the path data of a closed polygon."""
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + "Z"


def ellipse_d(cx: float, cy: float, rx: float, ry: float | None = None) -> str:
    """Return the path data of an ellipse."""
    ry = rx if ry is None else ry
    return (
        f"M{num(cx - rx)} {num(cy)}A{num(rx)} {num(ry)} 0 1 0 {num(cx + rx)} {num(cy)}"
        f"A{num(rx)} {num(ry)} 0 1 0 {num(cx - rx)} {num(cy)}Z"
    )


def shade(color: str, amount: float) -> str:
    """Return a colour made lighter (amount > 0, towards white) or darker (< 0, towards black).

    >>> shade("#808080", 0.5), shade("#808080", -0.5)
    ('#c0c0c0', '#404040')
    """
    end = 255 if amount > 0 else 0
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(c + (end - c) * min(1.0, abs(amount))) for c in channels]
    return "#" + "".join(f"{c:02x}" for c in mixed)


def vary(color: str, rng: random.Random, hue: float = 0.02, light: float = 0.05) -> str:
    """Return a colour moved a little in hue (a fraction of the circle) and lightness."""
    r, g, b = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    h, lightness, s = colorsys.rgb_to_hls(r, g, b)
    h = (h + rng.uniform(-hue, hue)) % 1.0
    lightness = min(1.0, max(0.0, lightness + rng.uniform(-light, light)))
    return "#" + "".join(f"{round(c * 255):02x}" for c in colorsys.hls_to_rgb(h, lightness, s))
