"""Style futuristic: an object of chrome and glass, projected above a glowing platform.

Dark space with rings of a head-up display, panels that shade from steel to neon, circuit traces
within the silhouette, and a rim of light around it.
"""

from __future__ import annotations

import math
import random

from ..svg import Part, Picture, Shape, element, group, num, path, shade
from ._geometry import bounds, inside
from ._geometry import flatten as flat
from ._scene import glow, hsl, mix, sentence, subject

_LIGHTS = (
    (188, 318, "cyan and magenta"), (205, 275, "blue and violet"), (165, 200, "teal and blue"),
    (300, 190, "violet and cyan"), (28, 190, "amber and cyan"),
)  # fmt: skip


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object of the future; return SVG and description."""
    first, second, lights = rng.choice(_LIGHTS)
    neon, accent = hsl(first, 1.0, 0.6), hsl(second, 0.95, 0.62)
    shape = subject(object_, rng, 340, 310, (256, 236))
    picture = Picture()
    # Amber light stands out from night blue, not from its own dark, which is olive.
    _space(picture, 215 if first == 28 else first, neon, accent, rng)
    _rings(picture, neon, accent, rng)
    _platform(picture, shape, neon, accent)
    solid = "".join(p.d for p in shape.parts if p.role != "line" and p.name != "shine")
    main = "".join(p.d for p in shape.parts if p.role == "main" and p.name != "shine")
    picture.add(
        glow(solid, neon, 15, 0.85),
        path(solid, fill="none", stroke="#ffffff", stroke_width=7, stroke_linejoin="round"),
    )  # fmt: skip
    _panels(picture, shape, first, neon, accent)
    _circuits(picture, shape, main, neon, accent, rng)
    _display(picture, neon, accent, rng)
    description = sentence(
        rng.choice(
            (
                f"a futuristic {object_} of chrome panels floats over a glowing platform, ringed "
                f"by {lights} displays.",
                f"a {object_} in futuristic design: dark glass, circuit lines and {lights} neon "
                f"light.",
                f"{lights} light outlines a futuristic {object_} with circuits on its metal skin, "
                f"in front of a dark display.",
            )
        )
    )
    return picture.svg(), description


def _space(picture: Picture, hue: float, neon: str, accent: str, rng: random.Random) -> None:
    deep = hsl(hue + 30, 0.7, 0.045)
    glow = picture.define(
        "radialGradient",
        f'<stop offset="0" stop-color="{hsl(hue + 20, 0.75, 0.26)}"/>'
        f'<stop offset="0.55" stop-color="{hsl(hue + 30, 0.7, 0.12)}"/>'
        f'<stop offset="1" stop-color="{deep}"/>',
        cx=0.5, cy=0.46, r=0.72,
    )  # fmt: skip
    picture.add(element("rect", width=512, height=512, fill=glow))
    # Light strips converge towards the middle, as in a corridor or a tunnel of speed.
    strips = []
    for _ in range(10):
        angle = rng.uniform(0, math.tau)
        near, far = rng.uniform(230, 280), rng.uniform(330, 420)
        c, s = math.cos(angle), math.sin(angle)
        strips.append(
            f"M{num(256 + c * near)} {num(240 + s * near)}L{num(256 + c * far)} "
            f"{num(240 + s * far)}"
        )
    for color, part in ((neon, strips[:6]), (accent, strips[6:])):
        picture.add(path("".join(part), stroke=color, stroke_width=3, opacity=0.55,
                         stroke_linecap="round", fill="none"))  # fmt: skip


def _rings(picture: Picture, neon: str, accent: str, rng: random.Random) -> None:
    """Draw the rings of the display behind the object."""
    turn = rng.uniform(0, 360)
    spin = f"rotate({num(turn)} 256 240)"
    back = f"rotate({num(-1.7 * turn)} 256 240)"

    def ring(radius: float, width: float, dashes: str, color: str, opacity: float, t: str) -> str:
        return element("circle", cx=256, cy=240, r=radius, fill="none", stroke=color,
                       stroke_width=width, stroke_dasharray=dashes, opacity=opacity,
                       transform=t)  # fmt: skip

    picture.add(
        ring(214, 8, "70 98", neon, 0.4, spin),
        ring(194, 5, "190 60 40 116", accent, 0.9, spin),
        ring(228, 3, "240 120 60 57", neon, 0.85, back),
    )


def _platform(picture: Picture, shape: Shape, neon: str, accent: str) -> None:
    """Set a glowing disc below, and a cone of light that carries the object."""
    left, _, right, bottom = bounds(shape)
    y = min(462.0, bottom + 48)
    half = max(120.0, (right - left) * 0.5)
    beam = picture.define(
        "linearGradient",
        f'<stop offset="0" stop-color="{neon}" stop-opacity="0"/>'
        f'<stop offset="1" stop-color="{neon}" stop-opacity="0.5"/>',
        x1=0, y1=0, x2=0, y2=1,
    )  # fmt: skip
    disc = picture.define(
        "radialGradient",
        f'<stop offset="0" stop-color="#fff" stop-opacity="0.95"/>'
        f'<stop offset="0.35" stop-color="{neon}" stop-opacity="0.8"/>'
        f'<stop offset="1" stop-color="{neon}" stop-opacity="0"/>',
    )
    picture.add(
        path(
            f"M{num(256 - half * 0.7)} {num(y)}L{num(256 - half * 1.15)} {num(y - 200)}"
            f"H{num(256 + half * 1.15)}L{num(256 + half * 0.7)} {num(y)}Z",
            fill=beam,
        ),
        element("ellipse", cx=256, cy=y, rx=half * 1.2, ry=26, fill=disc),
        element("ellipse", cx=256, cy=y, rx=half * 0.92, ry=17, fill="none", stroke="#fff",
                stroke_width=2.5),
        element("ellipse", cx=256, cy=y + 5, rx=half * 1.14, ry=25, fill="none", stroke=neon,
                stroke_width=4),
        element("ellipse", cx=256, cy=y + 10, rx=half * 1.34, ry=32, fill="none", stroke=accent,
                stroke_width=2, stroke_dasharray="30 12"),
    )  # fmt: skip


def _panels(picture: Picture, shape: Shape, hue: float, neon: str, accent: str) -> None:
    left, top, right, bottom = bounds(shape)
    where = {"gradientUnits": "userSpaceOnUse", "x1": left, "y1": top, "x2": (left + right) / 2,
             "y2": bottom}  # fmt: skip
    steel, night = hsl(hue + 15, 0.28, 0.62), hsl(hue + 25, 0.6, 0.13)
    bands = ((0, steel), (0.24, "#f2fbff"), (0.34, steel), (0.5, night), (0.64, hsl(hue, 0.6, 0.3)),
             (0.8, steel), (1, night))  # fmt: skip
    chrome = picture.define(
        "linearGradient",
        "".join(f'<stop offset="{num(at)}" stop-color="{color}"/>' for at, color in bands),
        **where,
    )
    for part in shape.parts:
        picture.add(*_panel(part, chrome, hue, neon, accent))


def _panel(part: Part, chrome: str, hue: float, neon: str, accent: str) -> list[str]:
    if part.role == "line":
        return [path(part.d, fill="none", stroke=neon, stroke_width=max(2.0, part.width * 0.6),
                     stroke_linecap="round", opacity=0.95)]  # fmt: skip
    if part.name == "shine":
        return [path(part.d, fill="#fff", opacity=0.75)]
    if part.name == "shadow":
        return [path(part.d, fill=hsl(hue + 25, 0.8, 0.06), opacity=0.5)]
    if part.role == "detail":
        dark = sum(int(part.fill[i : i + 2], 16) for i in (1, 3, 5)) < 300
        fill = hsl(hue + 25, 0.7, 0.1) if dark else mix(part.fill, accent, 0.7)
        return [path(part.d, fill=fill, stroke=accent if dark else "#fff", stroke_width=2.2)]
    out = [path(part.d, fill=chrome)]
    if abs(part.shade) > 0.03:
        tone = "#ffffff" if part.shade > 0 else shade(hsl(hue + 25, 0.8, 0.2), -0.5)
        out.append(path(part.d, fill=tone, opacity=min(0.75, abs(part.shade) * 1.6)))
    out.append(path(part.d, fill="none", stroke=neon, stroke_width=2.6, stroke_linejoin="round"))
    return out


def _circuits(
    picture: Picture, shape: Shape, main: str, neon: str, accent: str, rng: random.Random
) -> None:
    """Run circuit traces over the object: straight, at 45 degrees, with a pad at each end."""
    left, top, right, bottom = bounds(shape)
    outlines = [
        line for p in shape.parts if p.role == "main" and p.name != "shine" for line in flat(p.d)
    ]
    clip = picture.define("clipPath", path(main))
    traces: dict[str, list[str]] = {neon: [], accent: []}
    pads: dict[str, list[str]] = {neon: [], accent: []}
    for _ in range(60):
        x, y = rng.uniform(left, right), rng.uniform(top, bottom)
        color = rng.choice((neon, neon, accent))
        steps = [(x, y)]
        heading = rng.choice((0, 2, 4, 6))
        for bend in (0, rng.choice((-1, 1)), 0):
            heading += bend if len(steps) == 2 else 0
            length = rng.uniform(18, 44)
            x += length * math.cos(heading * math.pi / 4)
            y += length * math.sin(heading * math.pi / 4)
            steps.append((x, y))
            heading -= bend if len(steps) == 3 else 0
        if not (inside(outlines, *steps[0]) and inside(outlines, x, y)):
            continue
        traces[color].append(
            "M" + "L".join(f"{num(round(a, 1))} {num(round(b, 1))}" for a, b in steps)
        )
        pads[color] += [
            f"M{num(round(a, 1))} {num(round(b, 1))}h0.01" for a, b in (steps[0], steps[-1])
        ]
        if len(traces[neon]) + len(traces[accent]) >= 10:
            break
    marks = []
    for color in (neon, accent):
        d, dots = "".join(traces[color]), "".join(pads[color])
        if not d:
            continue
        marks.append(path(d, fill="none", stroke=color, stroke_width=6, opacity=0.35))
        marks.append(path(d, fill="none", stroke=color, stroke_width=2.2))
        marks.append(path(dots, stroke=color, stroke_width=9, stroke_linecap="round", fill="none"))
        marks.append(path(dots, stroke="#fff", stroke_width=4, stroke_linecap="round", fill="none"))
    picture.add(group(*marks, clip_path=clip))


def _display(picture: Picture, neon: str, accent: str, rng: random.Random) -> None:
    """Put brackets in the corners and small gauges at the sides, as a display shows them."""
    corners = "".join(
        f"M{num(256 + sx * 232)} {num(256 + sy * 190)}V{num(256 + sy * 232)}H{num(256 + sx * 190)}"
        for sx in (-1, 1)
        for sy in (-1, 1)
    )
    picture.add(path(corners, fill="none", stroke=neon, stroke_width=4, opacity=0.9))
    side = rng.choice((34, 398))
    for k in range(5):
        y, length, color = 54 + k * 13, rng.uniform(18, 76), (neon, accent)[k % 2]
        picture.add(
            element("rect", x=side, y=y, width=80, height=6, fill=neon, opacity=0.18),
            element("rect", x=side, y=y, width=length, height=6, fill=color, opacity=0.85),
        )
