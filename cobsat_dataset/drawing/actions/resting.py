"""Quiet actions: sleep and read."""

from __future__ import annotations

import random

from ..animals.curves import lerp
from ..animals.face import glasses
from ..animals.paint import stroke
from ..svg import SIZE, Picture, ellipse_d, num, path, shade, vary
from .props import cushion, floor_lamp, open_book, zed
from .stage import backdrop, box, cast_animal, glow, gradient, hill, one_of, oval


def _moon(picture: Picture, x: float, y: float, r: float) -> None:
    """Paint a crescent moon with its glow."""
    picture.add(oval(x, y, r * 2.4, r * 2.4, glow(picture, "#fff2b8", 0.55)))
    picture.add(
        path(
            f"M{num(x + r * 0.3)} {num(y - r)}A{num(r)} {num(r)} 0 1 0 {num(x + r)} "
            f"{num(y + r * 0.4)}A{num(r * 0.8)} {num(r * 0.8)} 0 0 1 {num(x + r * 0.3)} "
            f"{num(y - r)}Z",
            fill="#ffeea6",
        )
    )


def _stars(picture: Picture, rng: random.Random, x0: float, y0: float, x1: float, y1: float,
           count: int) -> None:  # fmt: skip
    """Paint small stars inside a rectangle."""
    d = "".join(
        ellipse_d(rng.uniform(x0, x1), rng.uniform(y0, y1), rng.uniform(1.4, 3.2))
        for _ in range(count)
    )
    picture.add(path(d, fill="#fff8d8"))


def _open_air(picture: Picture, rng: random.Random, x: float) -> str:
    """Paint hills at night with the moon at x, and return words for the place."""
    backdrop(picture, (0, vary("#17204f", rng, 0.03, 0.03)), (0.7, "#3d4b8f"), (1, "#4d5a94"))
    _stars(picture, rng, 0, 0, SIZE, 260, 40)
    picture.add(hill(330, 18, "#2b4a5e", rng.uniform(0, 6)))
    picture.add(hill(384, 8, "#274a44", rng.uniform(0, 6)))
    _moon(picture, x, rng.uniform(70, 110), 40)
    return "under a starry night sky"


def _bedroom(picture: Picture, rng: random.Random, x: float) -> str:
    """Paint a dark room with a window around x, and return words for the place."""
    wall = vary("#39437f", rng, 0.05, 0.03)
    backdrop(picture, (0, shade(wall, -0.15)), (1, wall))
    left = x - 85
    picture.add(box(left - 10, 36, 190, 184, "#e9dcc6", rx=8))
    picture.add(box(left, 46, 170, 164, "#121a45"))
    _stars(picture, rng, left + 6, 52, left + 164, 204, 16)
    _moon(picture, left + rng.uniform(60, 110), rng.uniform(92, 130), 36)
    picture.add(stroke(f"M{num(x)} 46V210M{num(left)} 128H{num(left + 170)}", "#e9dcc6", 7))
    curtain = vary("#a06bb5", rng, 0.1, 0.05)
    for s, cx in ((-1, left - 8), (1, left + 178)):
        picture.add(path(f"M{num(cx - s * 26)} 24H{num(cx + s * 26)}Q{num(cx + s * 14)} 130 "
                         f"{num(cx + s * 30)} 244H{num(cx - s * 2)}Q{num(cx - s * 26)} 130 "
                         f"{num(cx - s * 26)} 24Z", fill=curtain))  # fmt: skip
    picture.add(box(0, 392, SIZE, 120, vary("#6b5180", rng, 0.04, 0.03)))
    picture.add(box(0, 386, SIZE, 10, "#cdbfd6"))
    return "at night beside a moonlit window"


def sleep(picture: Picture, name: str, rng: random.Random) -> str:
    """Lying on a cushion at night, eyes closed, Zs rising."""
    x, y = 256 + rng.uniform(-14, 14), 404.0
    actor = cast_animal(
        picture, name, rng, pose="sleep", mood="asleep", x=x, ground=y + 12, width=400, height=240
    )
    # The window or moon on one side, the head and its Zs on the other.
    scene = _open_air if rng.random() < 0.4 else _bedroom
    place = scene(picture, rng, 256 - actor.facing * rng.uniform(112, 136))
    color = rng.choice(("#e2647a", "#4fa3a5", "#e5a24a", "#7f79d4"))
    picture.add(oval(x, y + 66, 222, 20, "#000000", fill_opacity=0.3))
    picture.add(cushion(picture, x, y, 420, color))
    picture.add(actor.back, actor.front, actor.top)
    (hx, hy), f = actor.anchors.head_top, actor.facing
    tone = rng.choice(("#ffffff", "#bfe6ff", "#fff0a6"))
    hx = min(hx, 400.0) if f > 0 else max(hx, 112.0)
    for k, (dx, dy, size) in enumerate(((-14, -22, 26), (16, -70, 40), (52, -138, 56))):
        picture.add(zed(hx + f * dx, max(44.0, hy + dy), size, tone, 8 - 10 * (k % 2)))
    return one_of(
        rng,
        f"{actor.note} is sleeping on a soft cushion {place}; Z letters rise from its head",
        f"{actor.note} sleeps curled up on a big cushion {place}, its eyes closed",
    )


def read(picture: Picture, name: str, rng: random.Random) -> str:
    """Sitting in an armchair with an open book, in glasses, by a lamp."""
    wall = vary("#e8d3a9", rng, 0.04, 0.03)
    backdrop(picture, (0, shade(wall, -0.12)), (1, wall))
    side = rng.choice((-1, 1))
    shelf_x = 24.0 if side > 0 else 300.0
    picture.add(box(shelf_x, 30, 188, 236, "#8a5a38", rx=4))
    for row in range(3):
        y = 40 + row * 76
        picture.add(box(shelf_x + 9, y, 170, 66, "#5f3c25"))
        x = shelf_x + 13
        while x < shelf_x + 160:
            w, h = rng.uniform(12, 24), rng.uniform(42, 60)
            color = rng.choice(("#c8443c", "#3f7fb8", "#4f9a63", "#e0a43a", "#7d5ba6", "#e6dcc8"))
            picture.add(box(x, y + 66 - h, w, h, color))
            x += w + 1.5
    picture.add(box(0, 420, SIZE, 92, vary("#9c6b46", rng, 0.02, 0.03)))
    picture.add(oval(256, 462, 230, 34, vary("#b8524f", rng, 0.3, 0.05)))
    lamp_x = 256 + side * 196
    picture.add(oval(lamp_x, 170, 190, 180, glow(picture, "#fff2b0", 0.85)))
    picture.add(floor_lamp(picture, lamp_x, 448, 262, "#f0b84a"))
    chair = rng.choice(("#3f8f86", "#5b6fb5", "#a8505a", "#6f9a45"))
    fill = gradient(picture, (0, shade(chair, 0.12)), (1, shade(chair, -0.15)))
    edge = shade(chair, -0.45)
    picture.add(box(116, 150, 280, 296, fill, rx=76, stroke=edge, stroke_width=4))
    picture.add(box(150, 372, 212, 76, shade(chair, 0.16), rx=24, stroke=edge, stroke_width=3))
    for x in (92, 350):
        picture.add(box(x, 302, 70, 152, fill, rx=32, stroke=edge, stroke_width=4))
    actor = cast_animal(picture, name, rng, pose="sit", mood="read", arms="hold", x=256, ground=440,
                        width=340 if name == "bird" else 270, height=340)  # fmt: skip
    a = actor.anchors
    picture.add(actor.back)
    picture.add(glasses(a.eyes[0], a.eyes[1], a.eye_radius * 1.55,
                        rng.choice(("#2b2b38", "#8c2f39", "#3a5a9a"))))  # fmt: skip
    if name == "bird":
        bx, by = 256 + actor.facing * 66, 410.0
        picture.add(actor.front, open_book(bx, by, 178, "#b8353f"))
    else:
        mid = lerp(a.hands[0], a.hands[1], 0.5)
        cover = rng.choice(("#b8353f", "#2f6fb0", "#2f8f5b", "#7a4aa8"))
        picture.add(actor.front, open_book(mid[0], mid[1] + 34, 208, cover), actor.top)
    return one_of(
        rng,
        f"{actor.note} in round glasses is reading an open book in an armchair by a lamp",
        f"{actor.note} in round glasses reads a book in an armchair beside a bookshelf",
    )
