"""Short words for what most pictures need: fills, strokes, boxes, shadows, places on a page."""

from __future__ import annotations

from collections.abc import Sequence

from ...drawing.backgrounds.kit import linear, radial
from ...drawing.objects.geometry import Point, curve
from ...drawing.svg import Picture, element, ellipse_d, group, num, path

__all__ = ["at", "blob", "box", "disc", "fade", "line", "mirrored", "oval", "shadow", "stroke"]


def box(
    x: float, y: float, width: float, height: float, fill: str, r: float = 0, **attributes: object
) -> str:
    """Paint a rectangle, with rounded corners if `r`."""
    return element(
        "rect", x=x, y=y, width=width, height=height, fill=fill, rx=r or None, **attributes
    )


def disc(x: float, y: float, r: float, fill: str, **attributes: object) -> str:
    """Paint a circle."""
    return element("circle", cx=x, cy=y, r=r, fill=fill, **attributes)


def oval(x: float, y: float, rx: float, ry: float, fill: str, turn: float = 0) -> str:
    """Paint an ellipse, turned by `turn` degrees."""
    where = f"rotate({num(turn)} {num(x)} {num(y)})" if turn else None
    return path(ellipse_d(x, y, rx, ry), fill=fill, transform=where)


def stroke(d: str, color: str, width: float, **attributes: object) -> str:
    """Paint an open line with round ends."""
    return path(
        d, fill="none", stroke=color, stroke_width=width, stroke_linecap="round",
        stroke_linejoin="round", **attributes,
    )  # fmt: skip


def line(points: Sequence[Point], color: str, width: float, **attributes: object) -> str:
    """Paint a smooth line through points."""
    return stroke(curve(points, closed=False), color, width, **attributes)


def blob(points: Sequence[Point], fill: str, **attributes: object) -> str:
    """Paint a closed smooth shape through points."""
    return path(curve(points), fill=fill, **attributes)


def at(x: float, y: float, scale: float, *elements: str, turn: float = 0) -> str:
    """Put elements with their origin at (x, y), larger by `scale`, turned by `turn` degrees."""
    rotate = f" rotate({num(turn)})" if turn else ""
    return group(*elements, transform=f"translate({num(x)} {num(y)}){rotate} scale({num(scale)})")


def mirrored(*elements: str, x: float = 0) -> str:
    """Return elements and their mirror image across the vertical line at `x`."""
    return group(*elements) + group(*elements, transform=f"matrix(-1 0 0 1 {num(2 * x)} 0)")


def fade(picture: Picture, *colors: str, across: bool = False) -> str:
    """Define an even gradient from the first colour (top, or left) to the last."""
    last = max(1, len(colors) - 1)
    return linear(
        picture, *((i / last, color) for i, color in enumerate(colors)),
        end=(1, 0) if across else (0, 1),
    )  # fmt: skip


def shadow(
    picture: Picture, x: float, y: float, rx: float, ry: float, strength: float = 0.4
) -> str:
    """Paint a soft dark patch, as under a thing that stands."""
    paint = radial(picture, (0, "#000000", strength), (0.6, "#000000", strength * 0.7),
                   (1, "#000000", 0))  # fmt: skip
    return path(ellipse_d(x, y, rx, ry), fill=paint)
