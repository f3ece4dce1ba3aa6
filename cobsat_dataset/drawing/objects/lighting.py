"""How light falls on an object's parts, whatever they are painted with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from ..svg import Part, Picture, Shape, element

Volume: TypeAlias = Literal["flat", "sphere", "cylinder"]
Paint: TypeAlias = Callable[[float], tuple[str, float]]
"""From an amount of light (-1 dark to 1 bright) to a colour and its opacity."""

OVERLAYS: Final = ("shadow", "shine")
"""Names of main parts that only darken or lighten what lies under them."""

_VOLUMES: Final[dict[tuple[str, str], Volume]] = {
    ("ball", "sphere"): "sphere",
    ("apple", "fruit"): "sphere",
    ("cup", "body"): "cylinder",
    ("cup", "stripe"): "cylinder",
    ("cup", "saucer"): "cylinder",
    ("hat", "crown"): "cylinder",
    ("hat", "band"): "cylinder",
}

_STOPS: Final[dict[Volume, tuple[tuple[float, float], ...]]] = {
    "flat": ((0.0, 0.14), (1.0, -0.14)),
    "sphere": ((0.0, 0.34), (0.35, 0.12), (0.7, -0.1), (1.0, -0.4)),
    "cylinder": ((0.0, -0.2), (0.26, 0.22), (0.55, 0.0), (1.0, -0.32)),
}


def volume(shape: Shape, part: Part) -> Volume:
    """Return what kind of body a part is, as far as light goes."""
    return _VOLUMES.get((shape.name, part.name), "flat")


def light(picture: Picture, kind: Volume, paint: Paint, strength: float = 1.0) -> str:
    """Define the gradient of light over a part of this kind, from the upper left."""
    stops = []
    for offset, amount in _STOPS[kind]:
        color, opacity = paint(amount * strength)
        stops.append(
            element(
                "stop",
                offset=offset,
                stop_color=color,
                stop_opacity=None if opacity >= 1 else opacity,
            )
        )
    if kind == "sphere":
        return picture.define(
            "radialGradient", "".join(stops), cx=0.42, cy=0.4, r=0.62, fx=0.32, fy=0.28
        )
    ends = (0.0, 0.1, 1.0, 0.0) if kind == "cylinder" else (0.2, 0.0, 0.8, 1.0)
    x1, y1, x2, y2 = ends
    return picture.define("linearGradient", "".join(stops), x1=x1, y1=y1, x2=x2, y2=y2)


def film(amount: float) -> tuple[str, float]:
    """Return light as a film of white or shadow as a film of dark, to lay over any paint."""
    return ("#ffffff", min(1.0, amount)) if amount > 0 else ("#1a1420", min(1.0, -amount))
