"""What several styles share: placing an object, naming colours, lighting a polygon."""

from __future__ import annotations

import colorsys
import random
import re
from dataclasses import replace

from ..objects import build
from ..objects.geometry import move
from ..svg import SIZE, Part, Picture, Shape, num, path, shade
from ._geometry import bounds


def place(
    rng: random.Random,
    turn: float = 4.0,
    low: float = 0.9,
    high: float = 1.05,
    shift: float = 14.0,
    flip: bool = True,
    centre: tuple[float, float] = (256.0, 256.0),
) -> str:
    """Return a transform that turns, scales, moves and at times mirrors what stands at `centre`."""
    mirror = -1 if flip and rng.random() < 0.5 else 1
    scale = rng.uniform(low, high)
    stretch = rng.uniform(0.96, 1.04)
    x = SIZE / 2 + rng.uniform(-shift, shift)
    y = SIZE / 2 + rng.uniform(-shift, shift) * 0.6
    return (
        f"translate({num(x)} {num(y)}) rotate({num(rng.uniform(-turn, turn))}) "
        f"scale({num(mirror * scale * stretch)} {num(scale)}) "
        f"translate({num(-centre[0])} {num(-centre[1])})"
    )


def hsl(hue: float, saturation: float, lightness: float) -> str:
    """Return "#rrggbb" of a hue in degrees, saturation and lightness in 0..1."""
    r, g, b = colorsys.hls_to_rgb((hue % 360) / 360, lightness, saturation)
    return "#" + "".join(f"{round(c * 255):02x}" for c in (r, g, b))


def mix(a: str, b: str, amount: float) -> str:
    """Return the colour `amount` (0..1) of the way from one to another."""
    pairs = [(int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(p + (q - p) * amount):02x}" for p, q in pairs)


def neighbour(color: str, rng: random.Random, turn: float = 38.0) -> str:
    """Return a colour that lies beside another in hue."""
    r, g, b = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(r, g, b)
    return hsl(hue * 360 + rng.choice((-turn, turn)), saturation, lightness)


def blend(picture: Picture, first: str, last: str, **where: object) -> str:
    """Define a linear gradient of two colours; return its reference."""
    stops = f'<stop offset="0" stop-color="{first}"/><stop offset="1" stop-color="{last}"/>'
    return picture.define("linearGradient", stops, **where)


def sentence(text: str) -> str:
    """Return the text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def article(words: str) -> str:
    """Return the words with the article that fits."""
    return f"{'an' if words[:1].lower() in 'aeiou' else 'a'} {words}"


#: Colours an object may have in life, with the words for them; the first is the commonest.
NATURAL: dict[str, tuple[tuple[str, str], ...]] = {
    "leaf": (("green", "#4fa03a"), ("autumn orange", "#dd7a22"), ("deep green", "#2f8a4c")),
    "hat": (("brown", "#9a6237"), ("blue", "#3a64b0"), ("wine-red", "#a8324a")),
    "cup": (("blue", "#3b83c4"), ("red", "#d2463c"), ("teal", "#2b9c93")),
    "chair": (("brown", "#b0703a"), ("red", "#c8453b"), ("blue", "#3d79b8")),
    "car": (("red", "#d83a34"), ("blue", "#2f78c8"), ("yellow", "#eab42c")),
    "box": (("tan", "#c8935a"), ("blue", "#4a86bd"), ("ochre", "#d29b3c")),
    "book": (("blue", "#3465ad"), ("red", "#c03c3c"), ("green", "#3b8a57")),
    "ball": (("orange", "#e6802c"), ("red", "#dd443e"), ("blue", "#3583cf")),
    "bag": (("brown", "#ac6a3a"), ("pink", "#d9618b"), ("teal", "#2f938c")),
    "apple": (("red", "#d8352f"), ("green", "#7cb83a"), ("rosy", "#e0504a")),
}


def natural(object_: str, rng: random.Random) -> tuple[str, str]:
    """Return a colour that the object may have in life: its name and "#rrggbb"."""
    name, color = rng.choice(NATURAL[object_])
    return name, shade(color, rng.uniform(-0.06, 0.08))


def subject(
    object_: str,
    rng: random.Random,
    width: float = 380.0,
    height: float = 360.0,
    centre: tuple[float, float] = (256.0, 262.0),
) -> Shape:
    """Build an object and fit its silhouette into a frame of `width` by `height`."""
    shape = build(object_, rng)
    left, top, right, bottom = bounds(shape)
    scale = min(width / (right - left), height / (bottom - top)) * rng.uniform(0.94, 1.0)
    x = centre[0] - scale * (left + right) / 2
    y = centre[1] - scale * (top + bottom) / 2
    matrix = (scale, 0.0, 0.0, scale, x, y)
    parts = tuple(
        replace(part, d=move(part.d, matrix), width=part.width * scale) for part in shape.parts
    )
    facets = tuple(
        tuple((scale * px + x, scale * py + y) for px, py in facet) for facet in shape.facets
    )
    return replace(shape, parts=parts, facets=facets, ground=scale * shape.ground + y)


#: Parts that keep a colour of their own within an object, whatever the object's colour.
_ACCENTS = {
    ("apple", "leaflet"): "#5fa83c", ("apple", "stem"): "#6b4426", ("hat", "band"): "#3a3036",
    ("hat", "bow"): "#3a3036", ("cup", "inside"): "#5a3a24", ("ball", "panel"): "#f4efe2",
}  # fmt: skip


def tint(shape: Shape, part: Part, base: str) -> str:
    """Return the colour of a part, where the object has the colour `base`."""
    if part.role == "line":
        return shade(base, -0.5)
    accent = _ACCENTS.get((shape.name, part.name))
    if accent and (shape.name != "ball" or part.shade > 0):
        return accent
    return shade(base, part.shade) if part.role == "main" else part.fill


def glow(d: str, color: str, reach: float, strength: float, steps: int = 5) -> str:
    """Return a soft halo about an outline, and over it: strokes of one colour, ever wider."""
    each = 1 - (1 - strength) ** (1 / steps)
    strokes = (
        path(d, fill="none", stroke=color, stroke_width=2 * reach * (k + 1) / steps,
             stroke_linejoin="round", opacity=each)
        for k in range(steps)
    )  # fmt: skip
    return path(d, fill=color, opacity=strength) + "".join(strokes)


_TAG = re.compile(r"<(?:path|rect|circle|ellipse) [^>]*>")


def without_layers(svg: str) -> str:
    """Return the picture with each lone fill or stroke made transparent by itself.

    `opacity` makes a renderer paint the element on a layer of its own and blend that, which takes
    several times as long as painting with a transparent fill or stroke.
    """

    def cheaper(match: re.Match[str]) -> str:
        tag = match[0]
        strokes, fills = ' stroke="' in tag, ' fill="none"' not in tag
        if strokes and fills:
            return tag
        return tag.replace(" opacity=", " stroke-opacity=" if strokes else " fill-opacity=")

    return _TAG.sub(cheaper, svg)
