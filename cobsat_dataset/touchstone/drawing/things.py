"""The benchmark's objects and animals, put where a scene wants them and as large as it wants them.

picture.add(thing(picture, "apple", "#d8232a", x=100, ground=400, height=60))
cat = figure(picture, "cat", x=256, ground=430, height=200, pose="sit", mood="sad")
"""

from __future__ import annotations

import random

from cobsat.drawing.actions.stage import Actor
from cobsat.drawing.animals import animal_layers
from cobsat.drawing.animals.curves import Frame
from cobsat.drawing.objects import build
from cobsat.drawing.objects.geometry import bounds, points_of
from cobsat.drawing.objects.lighting import OVERLAYS, light, volume
from cobsat.drawing.svg import Part, Picture, Shape, group, path, shade

__all__ = ["clipped", "figure", "thing"]


def thing(
    picture: Picture,
    name: str,
    color: str,
    *,
    x: float,
    ground: float,
    height: float,
    seed: int = 0,
    flip: bool = False,
) -> str:
    """Return an object of Table 1 in a colour, its foot on `ground` and its middle at `x`."""
    shape = build(name, random.Random(seed))
    art = "".join(_part(picture, shape, part, color) for part in shape.parts)
    left, top, right, bottom = bounds([p for part in shape.parts for p in points_of(part.d)])
    k = height / (bottom - top)
    middle = (left + right) / 2
    across = -k if flip else k
    matrix = (across, 0, 0, k, x - across * middle, ground - k * bottom)
    return group(art, transform=f"matrix({' '.join(_precise(v) for v in matrix)})")


def _precise(value: float) -> str:
    """Write a number with four decimals at most: scales need more than places do."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _part(picture: Picture, shape: Shape, part: Part, color: str) -> str:
    if part.role == "line":
        return path(part.d, fill="none", stroke=shade(color, -0.6),
                    stroke_width=max(2.0, part.width), stroke_linecap="round",
                    stroke_linejoin="round")  # fmt: skip
    if part.name in OVERLAYS:
        tint = "#ffffff" if part.shade > 0 else shade(color, -0.8)
        return path(part.d, fill=tint, opacity=min(0.6, abs(part.shade) * 0.9))
    base = part.fill if part.role == "detail" else color
    kind = "flat" if part.role == "detail" else volume(shape, part)
    lift = 0.0 if part.role == "detail" else part.shade
    fill = light(picture, kind, lambda amount: (shade(base, lift + amount), 1.0))
    return path(part.d, fill=fill, stroke=shade(base, -0.55), stroke_width=2.4,
                stroke_linejoin="round")  # fmt: skip


def figure(
    picture: Picture,
    name: str,
    *,
    x: float,
    ground: float,
    height: float,
    pose: str = "sit",
    mood: str = "calm",
    arms: str = "down",
    seed: int = 0,
    flip: bool = False,
) -> Actor:
    """Return an animal in layers, so that things can go between its body and its hands."""
    layers = animal_layers(picture, name, random.Random(seed), pose=pose, mood=mood, arms=arms)
    left, top, right, bottom = layers.anchors.box
    scale = height / (bottom - top)
    middle = (left + right) / 2 * scale
    frame = Frame(x + (middle if flip else -middle), ground, 0.0, scale, flip)
    back, front, top_layer = (
        group(part, transform=frame.transform) if part else ""
        for part in (layers.back, layers.front, layers.top)
    )
    anchors = layers.anchors.mapped(frame)
    note = f"a {anchors.note} {name}".replace("  ", " ")
    return Actor(back, front, top_layer, anchors, -1 if flip else 1, note)


def clipped(picture: Picture, d: str, *elements: str) -> str:
    """Return elements cut to a path."""
    return group(*elements, clip_path=picture.define("clipPath", path(d)))
