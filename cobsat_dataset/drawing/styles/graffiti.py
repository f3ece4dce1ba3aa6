"""Style graffiti: spray paint on a wall.

A halo of overspray, a heavy black outline with a bright rim, a fill that fades through vivid
colours, drips, splatter, sparkles and tag-like strokes, all over courses of brick.
"""

from __future__ import annotations

import math
import random

from ..svg import Part, Picture, Shape, element, num, path, shade
from ._geometry import Line, bounds, flatten, line_d, smooth_d, spans
from ._scene import sentence, subject

_PALETTES = (
    (("#ff2e93", "#ff8a1f", "#ffe14a"), "#23d5ff", "pink and orange", "cyan"),
    (("#12d6ff", "#2a7bff", "#8b3dff"), "#ff3fb4", "cyan and violet", "pink"),
    (("#c8ff2e", "#2fd65a", "#0fa6b8"), "#ff4fd0", "lime and green", "magenta"),
    (("#ffe23d", "#ff9d1f", "#ff3d3d"), "#3df0c8", "yellow and red", "turquoise"),
    (("#ff6bd6", "#a64bff", "#3f5bff"), "#d8ff3d", "pink and blue", "lime"),
)


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Spray an object on a wall; return SVG and description."""
    colors, rim, colors_name, rim_name = rng.choice(_PALETTES)
    shape = subject(object_, rng, 340, 310, (256, 246))
    picture = Picture()
    wall_name = _wall(picture, rng)
    silhouette = "".join(p.d for p in shape.parts if p.role == "main" and p.name != "shine")
    solid = "".join(p.d for p in shape.parts if p.role != "line" and p.name != "shine")
    blur = picture.define(
        "filter", element("feGaussianBlur", stdDeviation=13), x=0, y=0, width=512, height=512,
        filterUnits="userSpaceOnUse",
    )  # fmt: skip
    picture.add(
        path(solid, fill=rim, stroke=rim, stroke_width=66, stroke_linejoin="round", filter=blur,
             opacity=0.75)
    )  # fmt: skip
    _swoosh(picture, shape, rim, colors, rng)
    _cloud(picture, shape, colors, rng)
    picture.add(
        path(solid, fill="#fff", stroke="#fff", stroke_width=33, stroke_linejoin="round"),
        path(solid, fill="#101014", stroke="#101014", stroke_width=21, stroke_linejoin="round"),
    )
    _drips(picture, shape, rim, colors[2], rng)
    _fill(picture, shape, silhouette, colors, rng)
    _sparkles(picture, shape, rng)
    _splatter(picture, [*colors, rim], rng)
    description = sentence(
        rng.choice(
            (
                f"a {object_} sprayed as graffiti in {colors_name} on {wall_name}, with a thick "
                f"outline and dripping paint.",
                f"street graffiti of a {object_}: {colors_name} paint, a {rim_name} halo and drips "
                f"on {wall_name}.",
                f"{colors_name} graffiti on {wall_name} shows a {object_} with bold contours and "
                f"splatter.",
            )
        )
    )
    return picture.svg(), description


def _wall(picture: Picture, rng: random.Random) -> str:
    """Paint courses of brick in one of a few colours; return their name."""
    brick, mortar, name = rng.choice(
        (("#8f4f3d", "#a3786a", "a brick wall"), ("#7d7f86", "#686a71", "a grey brick wall"),
         ("#b8aea2", "#9d9489", "a pale brick wall"), ("#5a4a52", "#493c43", "a dark brick wall"))
    )  # fmt: skip
    picture.add(element("rect", width=512, height=512, fill=mortar))
    height, width = 32, 84
    tones: dict[str, list[str]] = {}
    offset = rng.uniform(0, width)
    for row in range(17):
        x = -width + (offset + (row % 2) * width / 2) % width
        while x < 512:
            tone = shade(brick, rng.choice((-0.07, 0.0, 0.06)))
            tones.setdefault(tone, []).append(
                f"M{num(x + 2)} {row * height + 2}h{width - 4}v{height - 4}h{4 - width}z"
            )
            x += width
    for tone, pieces in tones.items():
        picture.add(path("".join(pieces), fill=tone))
    light = picture.define(
        "radialGradient",
        '<stop offset="0.45" stop-color="#000" stop-opacity="0"/>'
        '<stop offset="1" stop-color="#000" stop-opacity="0.5"/>',
        cx=0.5, cy=0.45, r=0.78,
    )  # fmt: skip
    picture.add(element("rect", width=512, height=512, fill=light))
    return name


def _swoosh(
    picture: Picture, shape: Shape, rim: str, colors: tuple[str, ...], rng: random.Random
) -> None:
    """Throw a tag under the object: a sweeping line with loops, and an arrow at its end."""
    _, _, _, bottom = bounds(shape)
    side = rng.choice((1, -1))
    y = min(456.0, bottom + 16)
    points: Line = []
    for k in range(60):
        t = k / 59
        x = 256 + side * (-214 + 400 * t + 34 * math.sin(t * 19))
        points.append((x, y + 22 * math.cos(t * 19) * (1 - 0.6 * t) - 60 * t * t))
    tip = points[-1]
    arrow = (
        f"M{num(tip[0] - side * 34)} {num(tip[1] - 14)}L{num(tip[0] + side * 12)} {num(tip[1] - 8)}"
        f"L{num(tip[0] - side * 14)} {num(tip[1] + 30)}"
    )
    d = smooth_d(points) + arrow
    for color, width in (("#101014", 19), (rng.choice(colors), 11), ("#ffffff", 2.5)):
        picture.add(path(d, fill="none", stroke=color, stroke_width=width, stroke_linecap="round",
                         stroke_linejoin="round"))  # fmt: skip
    crown_x, crown_y = 256 - side * rng.uniform(150, 180), rng.uniform(70, 110)
    crown = f"M{num(crown_x - 36)} {num(crown_y + 30)}l-6 -44l22 20l20 -34l20 34l22 -20l-6 44z"
    picture.add(
        path(crown, fill="none", stroke="#101014", stroke_width=13, stroke_linejoin="round")
    )
    picture.add(path(crown, fill="none", stroke=rim, stroke_width=7, stroke_linejoin="round"))


def _cloud(picture: Picture, shape: Shape, colors: tuple[str, ...], rng: random.Random) -> None:
    """Spray soft puffs behind the object."""
    left, top, right, bottom = bounds(shape)
    fills = [
        picture.define(
            "radialGradient",
            f'<stop offset="0" stop-color="{c}" stop-opacity="0.85"/>'
            f'<stop offset="0.6" stop-color="{c}" stop-opacity="0.4"/>'
            f'<stop offset="1" stop-color="{c}" stop-opacity="0"/>',
        )
        for c in colors[:2]
    ]
    for k in range(6):
        x = rng.uniform(left, right)
        y = rng.uniform(top, bottom)
        radius = rng.uniform(60, 100)
        picture.add(element("circle", cx=x, cy=y, r=radius, fill=fills[k % 2]))


def _fill(
    picture: Picture, shape: Shape, silhouette: str, colors: tuple[str, ...], rng: random.Random
) -> None:
    left, top, right, bottom = bounds(shape)
    lean = rng.uniform(-0.4, 0.4) * (right - left)
    x, y = (left + right) / 2, (bottom - top)
    stops = "".join(
        f'<stop offset="{num(at)}" stop-color="{color}"/>'
        for at, color in zip((0.05, 0.5, 0.95), colors, strict=True)
    )
    fill = picture.define(
        "linearGradient", stops, gradientUnits="userSpaceOnUse", x1=x - lean, y1=top, x2=x + lean,
        y2=top + y,
    )  # fmt: skip
    for part in shape.parts:
        picture.add(*_part(part, fill))


def _part(part: Part, fill: str) -> list[str]:
    if part.role == "line":
        return [path(part.d, fill="none", stroke="#101014", stroke_width=max(5.0, part.width),
                     stroke_linecap="round", stroke_linejoin="round")]  # fmt: skip
    if part.name == "shine":
        return [path(part.d, fill="#fff", opacity=0.92)]
    if part.name == "shadow":
        return [path(part.d, fill="#2a0a4a", opacity=0.34)]
    out = [path(part.d, fill=fill if part.role == "main" else part.fill)]
    if part.role == "main" and abs(part.shade) > 0.03:
        out.append(path(part.d, fill="#fff" if part.shade > 0 else "#2a0a4a",
                        opacity=min(0.7, abs(part.shade) * 1.5)))  # fmt: skip
    out.append(path(part.d, fill="none", stroke="#101014", stroke_width=5.5,
                    stroke_linejoin="round"))  # fmt: skip
    return out


def _drips(picture: Picture, shape: Shape, rim: str, color: str, rng: random.Random) -> None:
    """Let paint run down from the lower edge of the object."""
    left, _, right, _ = bounds(shape)
    outlines = [flatten(p.d) for p in shape.parts if p.role != "line"]
    count = rng.randint(6, 8)
    for k in range(count):
        x = left + (right - left) * (k + rng.uniform(0.25, 0.75)) / count
        low = 0.0
        for outline in outlines:
            swapped = [[(y, x) for x, y in line] for line in outline]
            low = max([low, *(end for _, end in spans(swapped, x))])
        if low == 0.0:
            continue
        length = rng.uniform(24, 78)
        width = rng.uniform(6, 10)
        paint = rng.choice(("#101014", "#101014", rim, color))
        drop = f"M{num(x)} {num(low)}v{num(length)}"
        picture.add(
            path(drop, fill="none", stroke=paint, stroke_width=width, stroke_linecap="round"),
            element("circle", cx=x, cy=low + length, r=width * 0.78, fill=paint),
        )


def _sparkles(picture: Picture, shape: Shape, rng: random.Random) -> None:
    left, top, right, _ = bounds(shape)
    side = rng.choice((left + 26, right - 26))
    for x, y, size in ((side, top + 22, 30), (side - 34, top + 60, 15)):
        star = [
            (x + r * math.cos(a), y + r * math.sin(a))
            for k in range(8)
            for r, a in ((size if k % 2 == 0 else size * 0.2, math.pi * k / 4),)
        ]
        picture.add(
            path(line_d(star, closed=True), fill="#fff", stroke="#101014", stroke_width=2.5)
        )


def _splatter(picture: Picture, colors: list[str], rng: random.Random) -> None:
    for color in colors:
        x, y = rng.uniform(60, 452), rng.uniform(60, 452)
        dots = "".join(
            f"M{num(x + rng.gauss(0, 90))} {num(y + rng.gauss(0, 90))}h0.01" for _ in range(9)
        )
        for width, part in ((7, dots[: len(dots) // 3]), (3.5, dots)):
            end = part.rfind("h0.01") + 5
            picture.add(path(part[:end], fill="none", stroke=color, stroke_width=width,
                             stroke_linecap="round"))  # fmt: skip
