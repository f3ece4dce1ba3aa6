"""The theme color: one of ten objects in one of ten colours, on a quiet neutral ground.

    svg, description = compose("red", "car", random.Random(0))

Each colour is a ramp from its shade to its light that keeps the colour's name: yellow darkens
to amber, not to brown; orange to vermilion; pink to rose. Details are grey.
"""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass
from typing import Final

from .objects import build
from .objects.lighting import OVERLAYS, light, volume
from .objects.scene import backdrop, clause
from .svg import Part, Picture, Shape, path, shade


@dataclass(frozen=True)
class _Ramp:
    """A colour with its shade and its light.

    Attributes:
        dark: What it darkens towards.
        base: The colour.
        bright: What it lightens towards.
        hue: How far the seed may move the hue, as a fraction of the circle.
        backdrop: The lightness of the background on which it stands out.
        words: Wordings of its tint in descriptions.
    """

    dark: str
    base: str
    bright: str
    hue: float
    backdrop: str
    words: tuple[str, ...]


_RAMPS: Final[dict[str, _Ramp]] = {
    "yellow": _Ramp("#b07400", "#f8d21c", "#fff8b8", 0.010, "light", ("bright", "sunny", "warm")),
    "white": _Ramp("#8e99a8", "#f8f8f6", "#ffffff", 0.02, "middle", ("clean", "bright", "plain")),
    "red": _Ramp("#5c0810", "#d8232a", "#ff8d80", 0.007, "light", ("bright", "deep", "vivid")),
    "purple": _Ramp("#2f0f54", "#7f3cb8", "#cfa4f2", 0.014, "light", ("deep", "rich", "vivid")),
    "pink": _Ramp("#c03a78", "#f78ab8", "#ffe0ec", 0.012, "light", ("soft", "sweet", "bright")),
    "orange": _Ramp("#b23c00", "#f9861a", "#ffd39a", 0.007, "light", ("bright", "vivid", "warm")),
    "green": _Ramp("#0c4a22", "#389c45", "#b4e6a6", 0.030, "light", ("fresh", "deep", "lush")),
    "brown": _Ramp("#2e1509", "#7c4a28", "#c2926a", 0.004, "light", ("dark", "warm", "rich")),
    "blue": _Ramp("#0c2566", "#2b68d2", "#a8cdfb", 0.018, "light", ("bright", "deep", "strong")),
    "black": _Ramp("#050507", "#232429", "#666b74", 0.02, "light", ("glossy", "deep", "sleek")),
}


def compose(attribute: str, object_: str, rng: random.Random) -> tuple[str, str]:
    """Return the SVG text and the description of an object in a colour."""
    shape = build(object_, rng)
    ramp = _shift(_RAMPS[attribute], rng)
    picture = Picture()
    setting = backdrop(picture, shape, rng, ramp.backdrop, street=object_ == "car")
    for part in shape.parts:
        _paint(picture, shape, part, attribute, ramp)
    if object_ == "ball":
        _round(picture, shape, attribute)
    return picture.svg(), _describe(attribute, object_, shape, ramp, setting, rng)


def _shift(ramp: _Ramp, rng: random.Random) -> _Ramp:
    """Move the whole ramp a little in hue and lightness."""
    hue, lift = rng.uniform(-ramp.hue, ramp.hue), rng.uniform(-0.02, 0.02)

    def moved(color: str) -> str:
        r, g, b = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
        h, lightness, s = colorsys.rgb_to_hls(r, g, b)
        lightness = min(1.0, max(0.0, lightness + lift))
        channels = colorsys.hls_to_rgb((h + hue) % 1.0, lightness, s)
        return "#" + "".join(f"{round(c * 255):02x}" for c in channels)

    return _Ramp(
        moved(ramp.dark), moved(ramp.base), moved(ramp.bright), ramp.hue, ramp.backdrop, ramp.words
    )


def _tone(ramp: _Ramp, amount: float) -> str:
    """Return the colour at an amount of light, -1 (its shade) to 1 (its light)."""
    goal = ramp.bright if amount > 0 else ramp.dark
    t = min(1.0, abs(amount) * 1.15)
    mixed = [
        round(int(ramp.base[i : i + 2], 16) * (1 - t) + int(goal[i : i + 2], 16) * t)
        for i in (1, 3, 5)
    ]
    return "#" + "".join(f"{c:02x}" for c in mixed)


def _paint(picture: Picture, shape: Shape, part: Part, attribute: str, ramp: _Ramp) -> None:
    edge = _tone(ramp, 0.55 if attribute == "black" else -0.8)
    if part.role == "line":
        picture.add(
            path(part.d, fill="none", stroke=edge, stroke_width=max(1.6, part.width),
                 stroke_linecap="round", stroke_linejoin="round",
                 opacity=0.85)
        )  # fmt: skip
    elif part.role == "detail":
        fill = light(picture, "flat", lambda amount: (shade(part.fill, amount), 1.0))
        picture.add(path(part.d, fill=fill, stroke=shade(part.fill, -0.4), stroke_width=1.5))
    elif part.name in OVERLAYS:
        dark = part.shade < 0
        strength = abs(part.shade) * (1.3 if dark else 0.4 if attribute == "black" else 0.9)
        color = _tone(ramp, -1) if dark else "#ffffff"
        picture.add(path(part.d, fill=color, opacity=strength))
    else:
        kind = volume(shape, part)
        fill = light(picture, kind, lambda amount: (_tone(ramp, part.shade + amount), 1.0))
        picture.add(path(part.d, fill=fill, stroke=edge, stroke_width=2.2, stroke_linejoin="round"))


def _round(picture: Picture, shape: Shape, attribute: str) -> None:
    """Lay shadow over a ball's panels, so that they bend with it."""
    strength = 0.34 if attribute in ("white", "yellow", "pink") else 0.5
    film = light(
        picture,
        "sphere",
        lambda amount: ("#ffffff", 0.0) if amount > 0 else ("#181018", -amount * strength),
    )
    picture.add(path(shape.parts[0].d, fill=film))


def _describe(
    attribute: str, object_: str, shape: Shape, ramp: _Ramp, setting: str, rng: random.Random
) -> str:
    word = rng.choice(ramp.words)
    article = "An" if attribute == "orange" else "A"
    detail = shape.note
    return rng.choice(
        (
            f"{article} {attribute} {object_}, {detail}, {setting}. Its tint is {word}.",
            f"{article} {attribute} {object_} {setting}: {detail}, in a {word} tone.",
            f"The picture shows {article.lower()} {attribute} {object_} {setting}. "
            f"It {clause(detail)}, and its tone is {word}.",
        )
    )
