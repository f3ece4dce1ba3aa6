"""Actions under the sky: swim, run, fly."""

from __future__ import annotations

import math
import random

from ..animals.curves import smooth_d
from ..animals.paint import stroke
from ..svg import SIZE, Picture, group, num, path, shade, vary
from .props import cape, feathered_wing, goggles, swim_ring
from .stage import (
    backdrop,
    box,
    cast_animal,
    cloud,
    drop,
    glow,
    gradient,
    hill,
    one_of,
    oval,
    poly,
)


def _wave_d(y: float, height: float, length: float, phase: float) -> str:
    """Return the path data of a wavy water line, closed at the bottom of the picture."""
    points = [
        (x, y + height * math.sin(x / length * 2 * math.pi + phase))
        for x in range(-20, SIZE + 40, 20)
    ]
    return f"{smooth_d(points, closed=False)}L{SIZE + 20} {SIZE + 9}L-20 {SIZE + 9}Z"


def _shore(picture: Picture, rng: random.Random, line: float) -> str:
    """Paint what lies behind the water, and return words for the water."""
    where = rng.choice(("pool", "sea", "lake"))
    sky = vary("#bfe8fb", rng, 0.02, 0.03)
    backdrop(picture, (0, sky), (1, "#f3fbff"))
    if where == "pool":
        wall = box(0, line - 92, SIZE, 100, vary("#f2e7d5", rng))
        tiles = "".join(f"M{x} {num(line - 92)}V{num(line)}" for x in range(20, SIZE, 48))
        picture.add(wall, stroke(tiles + f"M0 {num(line - 46)}H{SIZE}", "#d8cab3", 2))
        picture.add(box(0, line - 98, SIZE, 10, "#ffffff"))
        flag = rng.choice(("#f05a5a", "#f7b733", "#7a6bd8"))
        for k in range(9):
            left = 16 + k * 60
            picture.add(poly([(left, 34), (left + 34, 34), (left + 17, 66)],
                             flag if k % 2 else "#ffffff"))  # fmt: skip
        picture.add(stroke(f"M0 34H{SIZE}", "#7d8794", 3))
        return "blue pool"
    picture.add(oval(rng.uniform(60, 450), rng.uniform(50, 90), 34, 34, "#ffe27a"))
    for _ in range(3):
        picture.add(cloud(rng.uniform(0, SIZE), rng.uniform(50, 130), rng.uniform(80, 140)))
    if where == "sea":
        x = rng.choice((90.0, 420.0))
        at = f"translate({num(x)} {num(line)})"
        fronds = "".join(
            f"M4 -120Q{num(4 + dx * 0.6)} {num(dy * 0.5 - 140)} {4 + dx} {dy - 112}"
            for dx, dy in ((-52, 6), (-40, -26), (44, -24), (54, 10), (4, -44))
        )
        island = [
            path("M-80 4Q0 -62 80 4Z", fill="#f3dca0"),
            stroke("M0 -30Q10 -90 4 -120", "#8a5a34", 9),
            stroke(fronds, "#3f9a4b", 11),
        ]
        picture.add(group(*island, transform=at))
        return "blue sea"
    picture.add(hill(line - 54, 16, "#a9d6a0", rng.uniform(0, 6)))
    for k in range(12):
        x = k * 46 + rng.uniform(-12, 12)
        h = rng.uniform(46, 84)
        base = line - 14
        green = shade("#3f8f58", rng.uniform(-0.1, 0.15))
        picture.add(poly([(x - 20, base), (x + 20, base), (x, base - h)], green))
    return "blue lake"


def swim(picture: Picture, name: str, rng: random.Random) -> str:
    """Half in the water, with waves and splashes."""
    line = rng.uniform(292, 312)
    water = _shore(picture, rng, line - 30)
    actor = cast_animal(picture, name, rng, pose="swim", mood="calm", x=256 + rng.uniform(-18, 18),
                        ground=line + 92, width=430, height=330)  # fmt: skip
    a = actor.anchors
    blue = vary("#2f9be0", rng, 0.015, 0.03)
    top = gradient(picture, (0, shade(blue, 0.25)), (1, shade(blue, -0.25)))
    picture.add(path(_wave_d(line - 40, 4, 120, rng.uniform(0, 6)), fill=top))
    x0, _, x1, _ = a.box
    cx = (x0 * 0.5 + x1 * 0.5) - actor.facing * (x1 - x0) * 0.08
    ring = rng.random() < 0.5
    color = rng.choice(("#ef4b52", "#ff9f1c", "#8e5bd6", "#f06aa8"))
    rx, ry = (x1 - x0) * 0.44, 34.0
    if ring:
        picture.add(swim_ring(cx, line - 8, rx, ry, color, False))
    picture.add(actor.back, actor.front, actor.top)
    if not ring:
        picture.add(goggles(a.eyes, a.eye_radius, "#26354d"))
    if ring:
        picture.add(swim_ring(cx, line - 8, rx, ry, color, True))
    phase = rng.uniform(0, 6)
    deep = gradient(picture, (0, shade(blue, 0.08)), (1, shade(blue, -0.45)))
    body = _wave_d(line + (34 if ring else 6), 8, 128, phase)
    picture.add(path(body, fill=deep, fill_opacity=0.84))
    crest = body.split("L")[0]
    picture.add(stroke(crest, "#ffffff", 6))
    for k in range(3):
        y = line + 58 + k * 46
        x = rng.uniform(20, 130)
        d = "".join(f"M{num(x + j * 190)} {num(y)}q20 -12 40 0t40 0" for j in range(3))
        picture.add(stroke(d, shade(blue, 0.5), 5))
    for side in (-1, 1):
        sx = cx + side * (x1 - x0) * 0.5
        foam = [oval(sx + dx, line + dy, r, r * 0.7, "#ffffff")
                for dx, dy, r in ((-20, 10, 17), (0, 4, 21), (20, 10, 16))]  # fmt: skip
        picture.add(*foam)
        for k in range(5):
            picture.add(drop(sx + side * (6 + k * 11) + rng.uniform(-8, 8),
                             line - 14 - rng.uniform(10, 62), rng.uniform(6, 11), shade(blue, 0.3),
                             side * 24))  # fmt: skip
    what = "inside a striped rubber ring" if ring else "with goggles over its eyes"
    return one_of(
        rng,
        f"{actor.note} is swimming in a {water} {what}; water splashes around it",
        f"{actor.note} swims {what} through the waves of a {water}, splashing drops",
    )


def run(picture: Picture, name: str, rng: random.Random) -> str:
    """At full stretch along a track or path, with dust and speed lines."""
    where = rng.choice(("track", "meadow", "track"))
    horizon = rng.uniform(250, 285)
    backdrop(picture, (0, vary("#a9dcf7", rng, 0.03, 0.04)), (1, "#fdf6e3"))
    for _ in range(3):
        picture.add(cloud(rng.uniform(20, 490), rng.uniform(50, 150), rng.uniform(70, 130)))
    picture.add(hill(horizon - 24, 20, "#b9dd9c", rng.uniform(0, 6)))
    picture.add(hill(horizon, 6, "#8fc873", rng.uniform(0, 6)))
    if where == "track":
        clay = vary("#d2653f", rng, 0.012, 0.03)
        picture.add(box(0, 330, SIZE, 150, clay))
        for line, h in ((330, 6), (368, 5), (412, 6), (474, 7)):
            picture.add(box(0, line, SIZE, h, "#fff7ee"))
        ground, place = "#d9a184", "along a clay race track"
        for post in range(20, SIZE, 90):
            picture.add(box(post, horizon - 2, 8, 54, "#ffffff"))
        picture.add(
            box(0, horizon + 8, SIZE, 9, "#ffffff"), box(0, horizon + 30, SIZE, 9, "#ffffff")
        )
    else:
        sand = vary("#e3bf86", rng, 0.015, 0.03)
        picture.add(path(f"M0 352Q256 336 {SIZE} 352V470Q256 490 0 470Z", fill=sand))
        ground, place = "#d9c3a0", "along a dusty country path"
        for _ in range(14):
            x, y = rng.uniform(0, SIZE), rng.choice((rng.uniform(300, 335), rng.uniform(485, 505)))
            picture.add(stroke(f"M{num(x - 6)} {num(y - 12)}L{num(x)} {num(y)}L{num(x + 6)} "
                               f"{num(y - 13)}", "#5da04e", 4))  # fmt: skip
    actor = cast_animal(picture, name, rng, pose="run", mood="calm", x=270, ground=436, width=400,
                        height=310)  # fmt: skip
    a, f = actor.anchors, actor.facing
    x0, y0, x1, y1 = a.box
    rear = x0 if f > 0 else x1
    picture.add(oval(256, 446, (x1 - x0) * 0.36, 12, "#000000", fill_opacity=0.22))
    lines = ""
    for k in range(5):
        y = y0 + (y1 - y0) * (0.22 + 0.15 * k) + rng.uniform(-6, 6)
        start = rear - f * rng.uniform(-4, 22)
        lines += f"M{num(start)} {num(y)}H{num(start - f * rng.uniform(60, 120))}"
    picture.add(stroke(lines, "#ffffff", 7))
    picture.add(actor.back, actor.front, actor.top)
    dust = shade(ground, 0.45)
    for k in range(7):
        r = 13 + 3.2 * k + rng.uniform(-3, 3)
        x, y = rear + f * (46 - k * 21), 440 - k * 2.5 - rng.uniform(0, 16)
        picture.add(oval(x, y, r, r * 0.82, dust, stroke=shade(ground, -0.1), stroke_width=2.4))
    for k in range(4):
        picture.add(oval(rear + f * (40 - k * 26), 446, 22, 12, dust))
    return one_of(
        rng,
        f"{actor.note} is running {place} at full stretch; clouds of dust rise behind it",
        f"{actor.note} runs {place} with long strides, leaving dust and speed lines behind",
    )


def fly(picture: Picture, name: str, rng: random.Random) -> str:
    """High among clouds, the ground far below."""
    dusk = rng.random() < 0.3
    sky = ("#7d8fe0", "#f6c9b8") if dusk else ("#3f9eea", "#cdeefc")
    backdrop(picture, (0, vary(sky[0], rng, 0.02, 0.04)), (1, sky[1]))
    sun = rng.uniform(70, 440)
    picture.add(
        oval(sun, 70, 90, 90, glow(picture, "#fff3b0", 0.9)), oval(sun, 70, 30, 30, "#fff1a8")
    )
    picture.add(hill(462, 10, "#8dbf78", rng.uniform(0, 6)))
    for k in range(7):
        x = k * 84 + rng.uniform(-20, 10)
        picture.add(poly([(x, 476), (x + 50, 474), (x + 66, 512), (x - 12, 512)],
                         rng.choice(("#cddc7a", "#e6cf78", "#77ad62", "#a9cf77"))))  # fmt: skip
    for _ in range(5):
        x, y = rng.uniform(10, 500), rng.uniform(468, 490)
        picture.add(box(x, y - 7, 9, 8, "#f4e8d8"), poly([(x - 2, y - 7), (x + 11, y - 7),
                    (x + 4.5, y - 13)], "#c2553f"))  # fmt: skip
    for _ in range(3):
        picture.add(
            cloud(rng.uniform(0, SIZE), rng.uniform(90, 200), rng.uniform(90, 150), opacity=0.8)
        )
    winged = rng.random() < 0.55
    actor = cast_animal(picture, name, rng, pose="fly", mood="calm", x=262, ground=384, width=430,
                        height=320 if name == "bird" else 280)  # fmt: skip
    a, f = actor.anchors, actor.facing
    s = a.scale
    x0, y0, x1, y1 = a.box
    rear = x0 if f > 0 else x1
    streaks = "".join(
        f"M{num(rear - f * rng.uniform(6, 26))} {num(y0 + (y1 - y0) * t)}"
        f"h{num(-f * rng.uniform(36, 70))}"
        for t in (0.5, 0.66, 0.84)
    )
    picture.add(stroke(streaks, "#ffffff", 5))
    how = "with outstretched wings"
    if name == "bird":
        picture.add(actor.back, actor.front, actor.top)
    elif winged:
        how = "on two white feathered wings"
        root = (a.back[0] - f * 8 * s, a.back[1] + 6)
        picture.add(feathered_wing((root[0] + f * 26 * s, root[1]), s * 1.06, f, 24.0, 0.09))
        picture.add(actor.back, actor.front, actor.top)
        picture.add(feathered_wing((root[0], root[1] + 12 * s), s * 1.12, f, -4.0, 0.0))
    else:
        color, hue = rng.choice((("#e23b3b", "red"), ("#7a3fc4", "purple"), ("#f0932b", "golden")))
        how = f"with a {hue} cape"
        picture.add(cape(a.neck, s * 1.15, f, color))
        picture.add(actor.back, actor.front, actor.top)
    for x, y, w in ((90, 430, 190), (430, 446, 200)):
        picture.add(cloud(x + rng.uniform(-30, 30), y + rng.uniform(-10, 8), w))
    return one_of(
        rng,
        f"{actor.note} is flying {how} among white clouds, fields far below",
        f"{actor.note} flies high in the sky {how}; the fields lie far below the clouds",
    )
