"""Loud actions: sing, cry, angry."""

from __future__ import annotations

import math
import random

from ..animals.paint import stroke
from ..svg import SIZE, Picture, num, path, shade, vary
from .props import anger_mark, microphone, note, steam, tear_stream
from .stage import (
    backdrop,
    box,
    cast_animal,
    cloud,
    drop,
    glow,
    gradient,
    one_of,
    oval,
    poly,
)


def sing(picture: Picture, name: str, rng: random.Random) -> str:
    """On a stage, mouth wide open at a microphone, notes floating."""
    color, words = rng.choice(
        (("#a3263f", "red"), ("#5a2d8c", "purple"), ("#1f4f8f", "blue"), ("#0f6b6b", "teal"))
    )
    dark = shade(color, -0.6)
    backdrop(picture, (0, shade(color, -0.45)), (1, dark))
    for k in range(8):
        picture.add(box(k * 68 - 8, 0, 36, 400, shade(color, -0.15), fill_opacity=0.55))
    picture.add(path(f"M0 0H{SIZE}V36" + "q-32 46 -64 0" * 8 + "Z",
                     fill=color, stroke=shade(color, -0.5), stroke_width=3))  # fmt: skip
    floor = gradient(picture, (0, "#d9a15f"), (1, "#8f5c2e"))
    picture.add(box(0, 398, SIZE, 114, floor))
    picture.add(stroke("".join(f"M{256 + k * 84} 398L{256 + k * 156} 512" for k in range(-3, 4)),
                       "#8a5a30", 2))  # fmt: skip
    for side, cool in ((-1, "#ffd0f0"), (1, "#bfeaff")):
        tint = rng.choice(("#fff2a8", cool))
        lx = 256 + side * 200
        beam = gradient(picture, (0, tint), (1, tint))
        picture.add(poly([(lx - 14, 20), (lx + 14, 20), (256 + 120 - side * 30, 452),
                          (256 - 120 - side * 30, 452)], beam, fill_opacity=0.2))  # fmt: skip
        picture.add(oval(lx, 20, 24, 16, "#2c2f38"), oval(lx, 27, 16, 8, tint))
    picture.add(oval(256, 452, 180, 30, "#fff4c4", fill_opacity=0.55))
    x = 256 + rng.uniform(-16, 16)
    bird = name == "bird"
    arms = rng.choice(("down" if bird else "fists", "raise"))
    actor = cast_animal(picture, name, rng, pose="stand", mood="sing", arms=arms, x=x, ground=456,
                        width=310, height=366)  # fmt: skip
    a, s, f = actor.anchors, actor.anchors.scale, actor.facing
    picture.add(oval(x, 456, 86, 12, "#000000", fill_opacity=0.28))
    picture.add(actor.back, actor.front, actor.top)
    reach = 26 if bird else 34
    mic = (a.mouth[0] + f * reach * s, a.mouth[1] + 24 * s)
    picture.add(microphone(mic, (mic[0] + f * 46, 466), 17 * s))
    palette = ["#ffd93d", "#6ee7ff", "#ff8fc7", "#a8ff8f", "#ffffff"]
    rng.shuffle(palette)
    spots = ((78, 118), (136, 196), (66, 284), (434, 112), (388, 190), (446, 282), (184, 92))
    for k, (nx, ny) in enumerate(spots[: rng.choice((6, 7))]):
        if math.hypot(nx - a.head[0], ny - a.head[1]) < a.head_radius + 26:
            nx += 40 if nx > a.head[0] else -40
        picture.add(note(nx + rng.uniform(-14, 14), ny + rng.uniform(-14, 14), rng.uniform(24, 34),
                         palette[k % 5], rng.uniform(-16, 16), k % 2 == 0))  # fmt: skip
    return one_of(
        rng,
        f"{actor.note} is singing into a microphone on a stage; notes float around its"
        f" open {'beak' if bird else 'mouth'}",
        f"{actor.note} sings into a microphone on a stage with {words} curtains; notes float by",
    )


def _rain(picture: Picture, rng: random.Random) -> str:
    """Paint a rainy grey sky, and return words for the place."""
    grey = vary("#a9b6c9", rng, 0.04, 0.04)
    backdrop(picture, (0, shade(grey, -0.2)), (1, shade(grey, 0.45)))
    lines = "".join(
        f"M{num(x)} {num(y)}l-7 26"
        for x, y in ((rng.uniform(0, SIZE), rng.uniform(90, 390)) for _ in range(16))
    )
    picture.add(stroke(lines, shade(grey, 0.4), 3.4))
    for cx, cy, w in ((96, 92, 220), (404, 100, 240), (250, 70, 230)):
        picture.add(cloud(cx + rng.uniform(-14, 14), cy, w, shade(grey, -0.38)))
    picture.add(box(0, 400, SIZE, 112, shade(vary("#8d9a8f", rng, 0.05, 0.03), -0.05)))
    return "under grey rain clouds"


def _gloomy_room(picture: Picture, rng: random.Random) -> str:
    """Paint a dim room with a rainy window, and return words for the place."""
    wall = vary("#8fa3bd", rng, 0.05, 0.04)
    backdrop(picture, (0, shade(wall, -0.18)), (1, shade(wall, 0.12)))
    x = rng.choice((22.0, 330.0))
    picture.add(box(x, 40, 160, 190, "#e9edf2", rx=4), box(x + 11, 51, 138, 168, "#6d8099"))
    lines = "".join(
        f"M{num(x + rng.uniform(20, 144))} {num(rng.uniform(58, 186))}l-5 24" for _ in range(14)
    )
    picture.add(stroke(lines, "#c3d3e3", 3))
    picture.add(stroke(f"M{num(x + 80)} 51V219M{num(x + 11)} 135H{num(x + 149)}", "#e9edf2", 7))
    picture.add(box(0, 388, SIZE, 12, shade(wall, 0.35)))
    picture.add(box(0, 400, SIZE, 112, vary("#7c6f6b", rng, 0.04, 0.03)))
    return "beside a rainy window"


def cry(picture: Picture, name: str, rng: random.Random) -> str:
    """Sitting in a puddle of its own tears, in the gloom."""
    place = (_rain if rng.random() < 0.6 else _gloomy_room)(picture, rng)
    blue = vary("#3fa6f2", rng, 0.012, 0.02)
    puddle = gradient(picture, (0, shade(blue, 0.45)), (1, blue))
    actor = cast_animal(picture, name, rng, pose="sit", mood="sad", arms="down", x=256, ground=456,
                        width=320, height=350)  # fmt: skip
    a = actor.anchors
    picture.add(oval(256, 460, 216, 38, puddle, stroke=shade(blue, -0.25), stroke_width=3))
    picture.add(oval(190, 470, 60, 8, "#ffffff", fill_opacity=0.5))
    picture.add(actor.back, actor.front, actor.top)
    r = a.eye_radius * 1.1
    left, right = sorted(a.eyes)
    end = min(456.0, a.head[1] + a.head_radius * 2.6)
    picture.add(tear_stream(left, r, -1, end - left[1], blue))
    picture.add(tear_stream(right, r, 1, end - right[1], blue))
    for side, eye in ((-1, left), (1, right)):
        for k in range(5):
            picture.add(drop(eye[0] + side * (r * 3 + 16 * k + rng.uniform(-6, 6)),
                             eye[1] + (k - 1) * 22 + rng.uniform(-8, 8), 12 - k, blue,
                             -side * 40))  # fmt: skip
        picture.add(oval(eye[0] + side * r * 1.5, end + 2, 18, 6, "#ffffff", fill_opacity=0.7))
    return one_of(
        rng,
        f"{actor.note} is crying; big blue tears stream from its eyes into a puddle {place}",
        f"{actor.note} sits crying in a puddle of blue tears {place}",
    )


def _rays(picture: Picture, rng: random.Random, color: str) -> None:
    """Paint hot rays from behind the animal."""
    backdrop(picture, (0, color), (1, shade(color, -0.3)))
    light = shade(vary("#ff9f3f", rng, 0.02, 0.03), 0.05)
    cx, cy = 256 + rng.uniform(-16, 16), 230 + rng.uniform(-16, 16)
    count = rng.choice((10, 11, 12))
    for k in range(count):
        a0 = 2 * math.pi * (k + rng.uniform(-0.08, 0.08)) / count
        a1 = a0 + math.pi / count
        corners = [(cx + 420 * math.cos(a), cy + 420 * math.sin(a)) for a in (a0, a1)]
        picture.add(poly([(cx, cy), *corners], light, fill_opacity=0.75))
    picture.add(oval(cx, cy, 270, 270, glow(picture, "#fff8dc")))


def _storm(picture: Picture, rng: random.Random, color: str) -> None:
    """Paint a dark red sky with lightning."""
    backdrop(picture, (0, shade(color, -0.72)), (0.6, shade(color, -0.35)), (1, color))
    picture.add(oval(256, 250, 280, 270, glow(picture, "#ffd9a0", 0.95)))
    for x in (54 + rng.uniform(-14, 14), 458 + rng.uniform(-14, 14)):
        y = 96 + rng.uniform(-10, 10)
        bolt = [(8, 0), (-26, 92), (-4, 88), (-30, 190), (34, 66), (8, 70), (36, 0)]
        picture.add(poly([(x + dx, y + dy) for dx, dy in bolt], "#ffe34d", stroke="#b5761a",
                         stroke_width=3, stroke_linejoin="round"))  # fmt: skip
    for cx, w in ((90, 250), (270, 260), (440, 240)):
        picture.add(cloud(cx + rng.uniform(-16, 16), 92, w, shade(color, -0.78)))


def angry(picture: Picture, name: str, rng: random.Random) -> str:
    """Red in the face, teeth bared, steam from its ears, stamping."""
    red = vary("#e8482f", rng, 0.02, 0.03)
    (_rays if rng.random() < 0.65 else _storm)(picture, rng, red)
    picture.add(box(0, 436, SIZE, 76, shade(red, -0.55)))
    crack = "".join(
        f"M256 {462}l{num(s * 46)} 14l{num(s * 22)} -10l{num(s * 52)} 22l{num(s * 40)} -6"
        for s in (-1, 1)
    )
    actor = cast_animal(picture, name, rng, pose="stand", mood="angry", arms="fists", x=256,
                        ground=464, width=300, height=366)  # fmt: skip
    a, s = actor.anchors, actor.anchors.scale
    picture.add(stroke(crack, "#20090a", 5), oval(256, 464, 110, 14, "#000000", fill_opacity=0.35))
    left, right = sorted(a.ears)
    for side, (ex, ey) in ((-1, left), (1, right)):
        x = a.head[0] + side * (max(a.head_radius * 0.9, abs(ex - a.head[0])) + 8)
        picture.add(steam(x, ey + 4, 34 * max(0.8, s), side))
    picture.add(actor.back, actor.front, actor.top)
    mark = (
        a.head_top[0] + rng.choice((-1, 1)) * (a.head_radius * 0.7 + 30),
        max(44.0, a.head_top[1] + 8),
    )
    picture.add(oval(mark[0], mark[1], 34, 34, "#ffffff", fill_opacity=0.85),
                anger_mark(mark[0], mark[1], 22, "#d3121b"))  # fmt: skip
    for side in (-1, 1):
        y = a.feet[0][1]
        picture.add(
            stroke(
                f"M{num(256 + side * 96)} {num(y - 20)}l{side * 26} -16"
                f"M{num(256 + side * 104)} {num(y)}h{side * 32}",
                "#ffe2b0",
                7,
            )
        )
    teeth = "beak is wide open" if name == "bird" else "teeth are bared"
    where = "both sides of its head" if name == "bird" else "its ears"
    return one_of(
        rng,
        f"{actor.note} is angry: its face is flushed red, its {teeth} and steam shoots"
        f" from {where}",
        f"an angry {actor.note[2:]} frowns and stamps its feet, steam puffing from {where}",
    )
