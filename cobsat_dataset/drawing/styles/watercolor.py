"""Style watercolor: transparent washes on white paper.

A wash is the same outline laid several times by an unsteady hand, thin in the middle and dark
where pigment gathered at its edge; pools, blooms, gaps of bare paper, splashes and a loose
background wash do the rest.
"""

from __future__ import annotations

import math
import random

from ..svg import Part, Picture, Shape, element, group, num, path, shade
from ._geometry import Line, Point, bounds, flatten, resample, smooth_d, thin, wobble
from ._scene import article, hsl, mix, natural, neighbour, sentence, subject, tint

_PAPER = "#fdfcf8"


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Paint an object in watercolor; return SVG and description."""
    name, base = natural(object_, rng)
    base = mix(base, "#ffffff", 0.08)
    shape = subject(object_, rng, 370, 340, (256, 252))
    picture = Picture()
    picture.add(element("rect", width=512, height=512, fill=_PAPER))
    wash, wash_name = rng.choice(
        ((hsl(rng.uniform(195, 215), 0.6, 0.72), "pale blue"), (hsl(48, 0.8, 0.76), "soft yellow"),
         (hsl(150, 0.35, 0.74), "pale mint"), (hsl(rng.uniform(255, 285), 0.45, 0.78), "lilac"),
         (hsl(345, 0.6, 0.82), "rosy"))
    )  # fmt: skip
    painted = _background(shape, wash, rng) + _shadow(shape, rng)
    painted += _bleeding(picture, shape, base, rng)
    for part in shape.parts:
        painted += _part(shape, part, base, rng)
    painted += _splashes(shape, [base, base, wash], rng)
    picture.add(*painted)
    _pigment(picture, shape, base, rng)
    description = sentence(
        rng.choice(
            (
                f"a watercolor of {article(name)} {object_}: soft washes with dark edges on a "
                f"{wash_name} ground and bare paper.",
                f"{article(name)} {object_} is painted in watercolor, its pigment bleeding into a "
                f"{wash_name} wash.",
                f"a loose watercolor painting shows {article(name)} {object_}, with splashes and "
                f"blooms over {wash_name} washes.",
            )
        )
    )
    return picture.svg(), description


def _blob(
    x: float, y: float, rx: float, ry: float, rough: float, rng: random.Random, count: int = 18
) -> Line:
    """Return a closed irregular ring about a point."""
    phase, lobes = rng.uniform(0, math.tau), rng.choice((2, 3))
    ring = []
    for k in range(count):
        angle = math.tau * k / count
        reach = 1 + rough * (0.5 * math.sin(lobes * angle + phase) + rng.uniform(-0.5, 0.5))
        ring.append((x + rx * reach * math.cos(angle), y + ry * reach * math.sin(angle)))
    return [*ring, ring[0]]


def _background(shape: Shape, color: str, rng: random.Random) -> list[str]:
    """Lay two or three loose washes behind the object, pigment gathered at their edges."""
    left, top, right, bottom = bounds(shape)
    x, y = (left + right) / 2, (top + bottom) / 2
    out = []
    for k in range(3):
        dx, dy = rng.uniform(-70, 70), rng.uniform(-50, 40)
        ring = _blob(x + dx, y + dy, rng.uniform(150, 215), rng.uniform(110, 165), 0.3, rng)
        tone = shade(color, rng.uniform(-0.06, 0.1))
        d = smooth_d(ring, closed=True)
        out.append(path(d, fill=tone, opacity=0.34 - 0.05 * k))
        out.append(path(d, fill="none", stroke=shade(tone, -0.12), stroke_width=2.5, opacity=0.4))
    return out


def _shadow(shape: Shape, rng: random.Random) -> list[str]:
    left, _, right, bottom = bounds(shape)
    ring = _blob((left + right) / 2 + 8, bottom - 2, (right - left) * 0.52, 17, 0.16, rng)
    d = smooth_d(ring, closed=True)
    return [path(d, fill="#6f7aa0", opacity=0.34),
            path(d, fill="none", stroke="#4c567e", stroke_width=2, opacity=0.3)]  # fmt: skip


def _ragged(outline: list[Line], rng: random.Random, amount: float) -> str:
    """Return the outlines as the edge of a wash: slow drift, and a fine crinkle on top."""
    out = []
    for line in outline:
        slow = wobble(line, rng, amount, 26)
        fine = thin(resample(slow, 15), 9)
        fine = [(x + rng.gauss(0, amount * 0.3), y + rng.gauss(0, amount * 0.3)) for x, y in fine]
        out.append(smooth_d([*fine[:-1], fine[0]], closed=True))
    return "".join(out)


def _part(shape: Shape, part: Part, base: str, rng: random.Random) -> list[str]:
    color = tint(shape, part, base)
    outline = flatten(part.d)
    if part.role == "line":
        d = "".join(smooth_d(wobble(line, rng, 0.8)) for line in outline)
        return [path(d, fill="none", stroke=shade(color, -0.05), stroke_width=max(2.0, part.width),
                     stroke_linecap="round", opacity=0.5)]  # fmt: skip
    if part.name == "shine":
        return [path(_ragged(outline, rng, 1.2), fill=_PAPER, opacity=0.85)]
    if part.name == "shadow":
        return [path(_ragged(outline, rng, 1.5), fill=shade(color, -0.1), opacity=0.42)]
    deep = shade(color, -0.36)
    size = max(math.dist(a, b) for line in outline for a in line[:1] for b in line)
    amount = min(3.2, 0.3 + size / 75)
    # Bare paper below keeps what lies behind from showing through, and shows at the seams.
    out = [path(part.d, fill=_PAPER, stroke=_PAPER, stroke_width=min(5, size / 18))]
    out.append(path(_ragged(outline, rng, amount), fill=color, opacity=0.46))
    edge = _ragged(outline, rng, amount * 0.6)
    out.append(path(edge, fill=color, opacity=0.46))
    if size > 60:
        out.append(path(edge, fill="none", stroke=color, stroke_width=min(11, size / 20),
                        opacity=0.26, stroke_linejoin="round"))  # fmt: skip
    out.append(path(edge, fill="none", stroke=deep, stroke_width=min(3.0, 0.8 + size / 80),
                    opacity=0.62, stroke_linejoin="round"))  # fmt: skip
    return out


def _bleeding(picture: Picture, shape: Shape, base: str, rng: random.Random) -> list[str]:
    """Let colour run out of the object into the wet paper around it."""
    left, top, right, bottom = bounds(shape)
    fill = picture.define("radialGradient", _stops(base, 0.5))
    out = []
    for _ in range(5):
        angle = rng.uniform(0, math.tau)
        x = (left + right) / 2 + (right - left) * 0.46 * math.cos(angle)
        y = (top + bottom) / 2 + (bottom - top) * 0.44 * math.sin(angle)
        out.append(element("ellipse", cx=x, cy=y, rx=rng.uniform(40, 80), ry=rng.uniform(36, 70),
                           fill=fill))  # fmt: skip
    return out


def _pigment(picture: Picture, shape: Shape, base: str, rng: random.Random) -> None:
    """Let pigment pool and bloom inside the silhouette."""
    left, top, right, bottom = bounds(shape)
    main = "".join(p.d for p in shape.parts if p.role == "main" and p.name != "shine")
    inside = picture.define("clipPath", path(main))
    deep = mix(base, "#23306a", 0.45)
    pool = picture.define("radialGradient", _stops(deep, 0.62))
    light = picture.define("radialGradient", _stops(_PAPER, 0.7))
    other = picture.define("radialGradient", _stops(neighbour(base, rng), 0.7))
    marks = []
    width, height = right - left, bottom - top

    def spot(low: float, high: float) -> Point:
        return left + width * rng.uniform(low, high), top + height * rng.uniform(low, high)

    for fill, count, low, high in (
        (pool, 3, 0.5, 0.95),
        (other, 2, 0.2, 0.8),
        (light, 3, 0.1, 0.6),
    ):
        for _ in range(count):
            x, y = spot(low, high)
            marks.append(element("ellipse", cx=x, cy=y, rx=width * rng.uniform(0.16, 0.3),
                                 ry=height * rng.uniform(0.14, 0.28), fill=fill))  # fmt: skip
    for _ in range(4):
        # A bloom: water pushed the pigment outwards, to a frilled rim.
        x, y = spot(0.15, 0.85)
        size = rng.uniform(18, 44)
        frill = [
            (px + rng.gauss(0, 2), py + rng.gauss(0, 2))
            for px, py in resample(_blob(x, y, size, size * 0.85, 0.3, rng), 8)
        ]
        ring = smooth_d([*frill[:-1], frill[0]], closed=True)
        marks.append(path(ring, fill=_PAPER, opacity=0.22))
        marks.append(path(ring, fill="none", stroke=deep, stroke_width=2.4, opacity=0.3))
    picture.add(group(*marks, clip_path=inside))


def _stops(color: str, strength: float) -> str:
    return (
        f'<stop offset="0" stop-color="{color}" stop-opacity="{strength}"/>'
        f'<stop offset="0.55" stop-color="{color}" stop-opacity="{num(strength * 0.5)}"/>'
        f'<stop offset="1" stop-color="{color}" stop-opacity="0"/>'
    )


def _splashes(shape: Shape, colors: list[str], rng: random.Random) -> list[str]:
    """Spatter drops about the object, more of them near one corner."""
    left, top, right, bottom = bounds(shape)
    corner = rng.choice((left - 10, right + 10)), rng.choice((top + 10, bottom - 40))
    out = []
    for k in range(30):
        if k < 20:
            x, y = corner[0] + rng.gauss(0, 48), corner[1] + rng.gauss(0, 48)
        else:
            x, y = rng.uniform(20, 492), rng.uniform(20, 492)
        size = rng.choice((1.8, 2.6, 3.4, 4.6, 6.5)) * rng.uniform(0.8, 1.3)
        color = rng.choice(colors)
        d = smooth_d(_blob(x, y, size, size, 0.3, rng, count=6), closed=True)
        out.append(path(d, fill=color, opacity=0.5, stroke=shade(color, -0.25), stroke_width=1))
    return out
