"""Style old: a worn-out object in a faded photograph.

The object's colour has gone dull; it is stained, cracked, patched, rusty and hung with cobwebs.
The photograph is brown, creased and scratched, with a darkened border.
"""

from __future__ import annotations

import itertools
import math
import random

from ..svg import Part, Picture, Shape, element, group, num, path, shade
from ._geometry import Line, Point, bounds, flatten, inside, line_d, resample, smooth_d
from ._scene import blend, mix, natural, sentence, subject, tint

_SEPIA = "#8a6a42"


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw a worn object in an aged photograph; return SVG and description."""
    _, base = natural(object_, rng)
    base = mix(base, _SEPIA, rng.uniform(0.5, 0.62))
    shape = subject(object_, rng, 350, 325, (256, 254))
    picture = Picture()
    place = _room(picture, shape, rng)
    left, _, right, bottom = bounds(shape)
    shadow = picture.define(
        "radialGradient",
        '<stop offset="0.2" stop-color="#1c1006" stop-opacity="0.75"/>'
        '<stop offset="1" stop-color="#1c1006" stop-opacity="0"/>',
    )
    picture.add(
        element("ellipse", cx=(left + right) / 2, cy=bottom, rx=(right - left) * 0.62, ry=24,
                fill=shadow)
    )  # fmt: skip
    for part in shape.parts:
        picture.add(*_part(shape, part, base))
    _wear(picture, shape, base, rng)
    _cobwebs(picture, shape, rng)
    _photograph(picture, rng)
    worn = {
        "leaf": "dry and torn, with brown spots", "hat": "stained, with a mended patch",
        "cup": "cracked and stained", "chair": "cracked and dusty", "car": "rusty and dented",
        "box": "battered and stained", "book": "tattered and yellowed",
        "ball": "scuffed and patched", "bag": "worn thin and patched",
        "apple": "wrinkled and spotted",
    }[object_]  # fmt: skip
    description = sentence(
        rng.choice(
            (
                f"an old {object_}, {worn}, stands on {place} in a faded sepia photograph.",
                f"a faded photograph of an old {object_}: it is {worn}, and cobwebs hang from it.",
                f"the {object_} is very old, {worn}; dust and cobwebs lie about it on {place}.",
            )
        )
    )
    return picture.svg(), description


def _room(picture: Picture, shape: Shape, rng: random.Random) -> str:
    """Paint a bare wall with peeling plaster, and boards or a table below; return the floor."""
    wall = mix(rng.choice(("#c9b083", "#bda984", "#c4a873", "#b5a988")), _SEPIA, 0.1)
    _, _, _, bottom = bounds(shape)
    level = min(440.0, bottom - 22)
    fill = blend(picture, shade(wall, 0.28), shade(wall, -0.22), x1=0, y1=0, x2=0, y2=1)
    picture.add(element("rect", width=512, height=512, fill=fill))
    for _ in range(4):
        x, y, size = rng.uniform(40, 472), rng.uniform(30, level - 60), rng.uniform(26, 60)
        d = smooth_d(_patch(x, y, size, size * rng.uniform(0.5, 0.9), rng), closed=True)
        picture.add(path(d, fill=shade(wall, rng.choice((-0.16, 0.16))), opacity=0.55,
                         stroke=shade(wall, -0.35), stroke_width=1.5))  # fmt: skip
    cracks = "".join(
        _crack((rng.uniform(30, 482), 0), rng.uniform(60, 120), 90, rng) for _ in range(2)
    )
    picture.add(path(cracks, fill="none", stroke=shade(wall, -0.55), stroke_width=2, opacity=0.7))
    boards = rng.random() < 0.6
    wood = mix("#6e4a28", _SEPIA, rng.uniform(0.0, 0.4))
    floor = blend(picture, shade(wood, 0.06), shade(wood, -0.45), x1=0, y1=0, x2=0, y2=1)
    picture.add(element("rect", y=level, width=512, height=512 - level, fill=floor))
    if boards:
        seams = "".join(
            f"M{num(256 + (k - 4) * 62)} {num(level)}L{num(256 + (k - 4) * 130)} 512"
            for k in range(9)
        )
    else:
        seams = "".join(f"M0 {num(y)}H512" for y in (level + 26, level + 62))
    picture.add(path(seams, fill="none", stroke="#24150a", stroke_width=3, opacity=0.6))
    picture.add(path(f"M0 {num(level)}H512", stroke="#24150a", stroke_width=3, opacity=0.55))
    return "dusty floor boards" if boards else "a dusty wooden table"


def _patch(x: float, y: float, rx: float, ry: float, rng: random.Random) -> Line:
    ring = [
        (x + rx * r * math.cos(math.tau * k / 11), y + ry * r * math.sin(math.tau * k / 11))
        for k in range(11)
        for r in (rng.uniform(0.65, 1.2),)
    ]
    return [*ring, ring[0]]


def _part(shape: Shape, part: Part, base: str) -> list[str]:
    color = tint(shape, part, base)
    ink = shade(base, -0.72)
    if part.role == "line":
        return [path(part.d, fill="none", stroke=ink, stroke_width=part.width, opacity=0.8,
                     stroke_linecap="round")]  # fmt: skip
    if part.name == "shine":
        return [path(part.d, fill="#efe0bc", opacity=0.2)]
    if color != shade(base, part.shade):
        color = mix(color, _SEPIA, 0.66)
    return [path(part.d, fill=color, stroke=ink, stroke_width=1.8, stroke_linejoin="round")]


def _crack(start: Point, length: float, heading: float, rng: random.Random) -> str:
    """Return a jagged line with side branches, running off at a heading in degrees."""
    x, y = start
    points, branches, angle = [start], "", math.radians(heading)
    while length > 0:
        step = rng.uniform(8, 17)
        angle += rng.uniform(-0.65, 0.65)
        x, y = x + step * math.cos(angle), y + step * math.sin(angle)
        points.append((x, y))
        length -= step
        if rng.random() < 0.3 and length > 20:
            side = angle + rng.choice((-1, 1)) * rng.uniform(0.5, 1.0)
            far = rng.uniform(8, 22)
            branches += line_d([(x, y), (x + far * math.cos(side), y + far * math.sin(side))])
    return line_d(points) + branches


def _wear(picture: Picture, shape: Shape, base: str, rng: random.Random) -> None:
    """Stain, crack, patch and dust what lies inside the silhouette."""
    left, top, right, bottom = bounds(shape)
    clip = picture.define(
        "clipPath",
        path("".join(p.d for p in shape.parts if p.role != "line" and p.name != "shine")),
    )
    body = max((line for p in shape.parts if p.role == "main" for line in flatten(p.d)), key=_area)
    spots = _inner_points([body], bounds(shape), rng, 40)
    dark = mix(base, "#2c1605", 0.75)
    rust = "#7a3510" if shape.name in ("car", "chair", "box", "bag") else "#4a2a0c"
    marks = []
    stain = picture.define(
        "radialGradient",
        f'<stop offset="0.3" stop-color="{rust}" stop-opacity="0.62"/>'
        f'<stop offset="0.8" stop-color="{rust}" stop-opacity="0.42"/>'
        f'<stop offset="1" stop-color="{rust}" stop-opacity="0"/>',
    )
    for x, y in spots[:7]:
        size = rng.uniform(20, 48)
        marks.append(element("ellipse", cx=x, cy=y, rx=size, ry=size * rng.uniform(0.5, 1),
                             fill=stain))  # fmt: skip
    for x, y in spots[7:10]:
        size = rng.uniform(10, 22)
        d = smooth_d(_patch(x, y, size, size * rng.uniform(0.5, 1.0), rng), closed=True)
        marks.append(path(d, fill=rust, opacity=0.5, stroke=dark, stroke_width=1.6))
    for x, y in spots[10:14]:  # where the surface has worn off, pale ground shows
        size = rng.uniform(6, 13)
        d = line_d(_patch(x, y, size * 1.4, size * 0.8, rng), closed=True)
        marks.append(path(d, fill="#d9c59a", opacity=0.5, stroke=dark, stroke_width=1.2))
    cracks = "".join(
        _crack(spot, rng.uniform(60, 130), rng.uniform(0, 360), rng) for spot in spots[15:20]
    )
    marks.append(path(cracks, fill="none", stroke="#e3cf9f", stroke_width=1.4, opacity=0.6,
                      transform="translate(1.6 1.6)"))  # fmt: skip
    marks.append(path(cracks, fill="none", stroke="#1d0f04", stroke_width=2.6, opacity=0.85,
                      stroke_linejoin="round"))  # fmt: skip
    scratches = "".join(
        f"M{num(x)} {num(y)}l{num(rng.uniform(-26, 26))} {num(rng.uniform(-10, 10))}"
        for x, y in spots[20:30]
    )
    marks.append(path(scratches, fill="none", stroke="#eedfb8", stroke_width=1.4, opacity=0.55))
    for _ in range(3):  # dark grime in the lower half
        x, y = rng.uniform(left, right), bottom - (bottom - top) * rng.uniform(0.0, 0.15)
        marks.append(element("ellipse", cx=x, cy=y, rx=60, ry=26, fill="#1d0f04", opacity=0.16))
    if spots and shape.name not in ("apple", "leaf", "cup", "car"):
        marks.append(_mend(spots[30 % len(spots)], base, rng))
    picture.add(group(*marks, clip_path=clip))
    for x, y in _bites(shape, rng):
        d = line_d(_patch(x, y, 8, 8, rng), closed=True)
        picture.add(path(d, fill="#2c1b0c", opacity=0.85, stroke="#d9c59a", stroke_width=1.2))


def _area(line: Line) -> float:
    return abs(
        sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(line, [*line[1:], line[0]], strict=True))
    )


def _inner_points(
    outline: list[Line], frame: tuple[float, float, float, float], rng: random.Random, count: int
) -> list[Point]:
    left, top, right, bottom = frame
    found: list[Point] = []
    for _ in range(count * 12):
        x, y = rng.uniform(left, right), rng.uniform(top, bottom)
        if inside(outline, x, y):
            found.append((x, y))
            if len(found) == count:
                break
    return found


def _bites(shape: Shape, rng: random.Random) -> list[Point]:
    """Return places on the rim where a piece is missing, for what tears or crumbles."""
    if shape.name not in ("leaf", "hat", "box", "book", "bag"):
        return []
    body = max((line for p in shape.parts if p.role == "main" for line in flatten(p.d)), key=_area)
    rim = resample(body, 12)
    return [rng.choice(rim) for _ in range(5)]


def _mend(spot: Point, base: str, rng: random.Random) -> str:
    """Sew a patch of another cloth over a hole, with big stitches."""
    size = rng.uniform(24, 32)
    turn = rng.uniform(-20, 20)
    cloth = mix("#7d7a58", base, 0.35)
    stitches = "".join(
        f"M{num(k)} {num(-size - 5)}v10M{num(k)} {num(size - 5)}v10M{num(-size - 5)} {num(k)}h10"
        f"M{num(size - 5)} {num(k)}h10"
        for k in (-size * 0.6, 0.0, size * 0.6)
    )
    return group(
        element("rect", x=-size, y=-size, width=2 * size, height=2 * size, rx=3, fill=cloth,
                stroke="#2a1a0a", stroke_width=1.5),
        path(stitches, fill="none", stroke="#f0e2bd", stroke_width=2.6),
        transform=f"translate({num(spot[0])} {num(spot[1])}) rotate({num(turn)})",
    )  # fmt: skip


def _cobwebs(picture: Picture, shape: Shape, rng: random.Random) -> None:
    """Hang webs in both upper corners, and one from the object to the side of the picture."""
    side = rng.choice((1, -1))
    for corner, reach in ((-side, rng.uniform(150, 190)), (side, rng.uniform(80, 110))):
        start = 0 if corner < 0 else 90
        _web(picture, (256 + corner * 234, 22), start, 90, reach, rng)
    left, top, right, bottom = bounds(shape)
    x = right - 0.14 * (right - left) if side > 0 else left + 0.14 * (right - left)
    y = top + 0.3 * (bottom - top)
    far = abs(256 + side * 240 - x)
    _web(picture, (x, y), -34 if side > 0 else 146, 68, far, rng)


def _web(
    picture: Picture,
    corner: Point,
    start: float,
    spread: float,
    reach: float,
    rng: random.Random,
) -> None:
    """Spin a part of a web about a corner, from the angle `start` on, in degrees."""
    angles = [math.radians(start + spread * k / 5) for k in range(6)]
    ends = [reach * rng.uniform(0.9, 1.1) for _ in angles]
    d = "".join(
        line_d([corner, (corner[0] + r * math.cos(a), corner[1] + r * math.sin(a))])
        for a, r in zip(angles, ends, strict=True)
    )
    for level in (0.26, 0.44, 0.62, 0.8):
        points = [
            (corner[0] + level * r * math.cos(a), corner[1] + level * r * math.sin(a))
            for a, r in zip(angles, ends, strict=True)
        ]
        d += f"M{num(points[0][0])} {num(points[0][1])}"
        for a, b in itertools.pairwise(points):
            sag_x = (a[0] + b[0]) / 2 * 0.9 + corner[0] * 0.1
            sag_y = (a[1] + b[1]) / 2 * 0.9 + corner[1] * 0.1
            d += f"Q{num(sag_x)} {num(sag_y)} {num(b[0])} {num(b[1])}"
    picture.add(path(d, fill="none", stroke="#f6eed8", stroke_width=1.9, opacity=0.7))


def _photograph(picture: Picture, rng: random.Random) -> None:
    """Age the photograph: vignette, creases, scratches, stains of water, a torn border."""
    dark = picture.define(
        "radialGradient",
        '<stop offset="0.4" stop-color="#2b1804" stop-opacity="0"/>'
        '<stop offset="0.8" stop-color="#2b1804" stop-opacity="0.3"/>'
        '<stop offset="1" stop-color="#1c0e02" stop-opacity="0.85"/>',
        cx=0.5, cy=0.5, r=0.72,
    )  # fmt: skip
    picture.add(element("rect", width=512, height=512, fill="#c79a4e", opacity=0.13))
    picture.add(element("rect", width=512, height=512, fill=dark))
    x, y = rng.uniform(90, 420), rng.uniform(90, 420)
    creases = line_d([(x, 0), (x + rng.uniform(-30, 30), 512)]) + line_d(
        [(0, y), (512, y + rng.uniform(-40, 40))]
    )
    picture.add(
        path(creases, fill="none", stroke="#f6ead0", stroke_width=2.4, opacity=0.5),
        path(creases, fill="none", stroke="#2b1804", stroke_width=2, opacity=0.3,
             transform="translate(2 2)"),
    )  # fmt: skip
    scratches = "".join(
        f"M{num(rng.uniform(0, 512))} {num(rng.uniform(0, 400))}"
        f"l{num(rng.uniform(-14, 14))} {num(rng.uniform(40, 130))}"
        for _ in range(7)
    )
    picture.add(path(scratches, fill="none", stroke="#fff4da", stroke_width=1.3, opacity=0.4))
    specks = "".join(
        f"M{num(rng.uniform(20, 492))} {num(rng.uniform(20, 492))}h0.01" for _ in range(46)
    )
    picture.add(path(specks, fill="none", stroke="#fff2d2", stroke_width=3, opacity=0.5,
                     stroke_linecap="round"))  # fmt: skip
    sx, sy, size = rng.uniform(60, 452), rng.uniform(60, 452), rng.uniform(46, 74)
    picture.add(element("circle", cx=sx, cy=sy, r=size, fill="none", stroke="#4c2b08",
                        stroke_width=7, opacity=0.22))  # fmt: skip
    _border(picture, rng)


def _border(picture: Picture, rng: random.Random) -> None:
    """Lay the yellowed rim of the print around it, with one corner torn off."""
    edge: Line = []
    for k in range(4):
        for t in range(16):
            a, b = -240 + 480 * t / 16, -240 + rng.uniform(-4, 3)
            edge.append(((a, b), (-b, a), (-a, -b), (b, -a))[k])
    points = [(256 + px, 256 + py) for px, py in edge]
    picture.add(
        path("M0 0H512V512H0Z" + line_d(points[::-1], closed=True), fill="#e9d9b0",
             fill_rule="evenodd"),
        path(line_d(points, closed=True), fill="none", stroke="#6b4a20", stroke_width=2,
             opacity=0.6),
    )  # fmt: skip
    sx, sy = rng.choice((0, 512)), rng.choice((0, 512))
    dx, dy = (1 if sx == 0 else -1), (1 if sy == 0 else -1)
    reach = rng.uniform(54, 80)
    torn: Line = [(sx, sy), (sx + dx * reach, sy)]
    torn += [
        (sx + dx * reach * (1 - t) + rng.uniform(-6, 6), sy + dy * reach * t + rng.uniform(-6, 6))
        for t in (0.2, 0.4, 0.6, 0.8)
    ]
    torn.append((sx, sy + dy * reach))
    picture.add(path(line_d(torn, closed=True), fill="#4b3a26", stroke="#fff3d6", stroke_width=4))
