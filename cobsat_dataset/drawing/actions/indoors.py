"""Quiet actions: sleep, read, eat, drink."""

from __future__ import annotations

import random
from typing import Final

from ..animals.curves import lerp
from ..animals.face import glasses
from ..animals.paint import stroke
from ..svg import SIZE, Picture, ellipse_d, num, path, shade, vary
from .food import FOODS
from .props import bib, cushion, floor_lamp, fork, open_book, tumbler, zed
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
)

_JUICES: Final = (
    ("#ff9a2e", "orange juice"),
    ("#e63d6b", "cherry juice"),
    ("#7fc241", "lime juice"),
    ("#7a5cd6", "blueberry juice"),
)


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


def sleep(picture: Picture, name: str, rng: random.Random) -> str:
    """Lying on a cushion at night, eyes closed, Zs rising."""
    outside = rng.random() < 0.4
    if outside:
        backdrop(picture, (0, vary("#17204f", rng, 0.03, 0.03)), (0.7, "#3d4b8f"), (1, "#4d5a94"))
        _stars(picture, rng, 0, 0, SIZE, 260, 40)
        picture.add(hill(330, 18, "#2b4a5e", rng.uniform(0, 6)))
        picture.add(hill(384, 8, "#274a44", rng.uniform(0, 6)))
        _moon(picture, rng.uniform(80, 200), rng.uniform(70, 110), 40)
        place = "under a starry night sky"
    else:
        wall = vary("#39437f", rng, 0.05, 0.03)
        backdrop(picture, (0, shade(wall, -0.15)), (1, wall))
        x = rng.uniform(50, 110)
        picture.add(box(x - 10, 36, 190, 184, "#e9dcc6", rx=8), box(x, 46, 170, 164, "#121a45"))
        _stars(picture, rng, x + 6, 52, x + 164, 204, 16)
        _moon(picture, x + rng.uniform(60, 110), rng.uniform(92, 130), 36)
        picture.add(stroke(f"M{num(x + 85)} 46V210M{num(x)} 128H{num(x + 170)}", "#e9dcc6", 7))
        curtain = vary("#a06bb5", rng, 0.1, 0.05)
        for s, cx in ((-1, x - 8), (1, x + 178)):
            picture.add(path(f"M{num(cx - s * 26)} 24H{num(cx + s * 26)}Q{num(cx + s * 14)} 130 "
                             f"{num(cx + s * 30)} 244H{num(cx - s * 2)}Q{num(cx - s * 26)} 130 "
                             f"{num(cx - s * 26)} 24Z", fill=curtain))  # fmt: skip
        picture.add(box(0, 392, SIZE, 120, vary("#6b5180", rng, 0.04, 0.03)))
        picture.add(box(0, 386, SIZE, 10, "#cdbfd6"))
        place = "at night beside a moonlit window"
    color = rng.choice(("#e2647a", "#4fa3a5", "#e5a24a", "#7f79d4"))
    x, y = 256 + rng.uniform(-14, 14), 404.0
    picture.add(oval(x, y + 66, 222, 20, "#000000", fill_opacity=0.3))
    picture.add(cushion(picture, x, y, 420, color))
    actor = cast_animal(
        picture, name, rng, pose="sleep", mood="asleep", x=x, ground=y + 12, width=400, height=230
    )
    picture.add(actor.back, actor.front, actor.top)
    a, f = actor.anchors, actor.facing
    tone = rng.choice(("#ffffff", "#bfe6ff", "#fff0a6"))
    hx, hy = a.head_top
    step = -1 if hx > 300 else 1
    for k, (dx, dy, size) in enumerate(((0, -22, 26), (34, -66, 38), (78, -124, 54))):
        picture.add(
            zed(hx + step * dx * 1.0 - f * 6, max(40.0, hy + dy), size, tone, 8 - 10 * (k % 2))
        )
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
            w, h = rng.uniform(10, 19), rng.uniform(42, 60)
            color = rng.choice(("#c8443c", "#3f7fb8", "#4f9a63", "#e0a43a", "#7d5ba6", "#e6dcc8"))
            picture.add(box(x, y + 66 - h, w, h, color))
            picture.add(box(x + 2, y + 66 - h + 8, w - 4, 4, shade(color, 0.5)))
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
                        width=270, height=340)  # fmt: skip
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


def eat(picture: Picture, name: str, rng: random.Random) -> str:
    """At a laid table, fork to its open mouth."""
    wall = vary(rng.choice(("#fbe3c0", "#d9efdc", "#fde0d8")), rng, 0.02, 0.02)
    backdrop(picture, (0, wall), (1, shade(wall, -0.06)))
    for x in range(0, SIZE, 64):
        picture.add(box(x, 0, 32, 300, "#ffffff", fill_opacity=0.28))
    picture.add(
        box(0, 288, SIZE, 14, shade(wall, -0.25)), box(0, 302, SIZE, 210, shade(wall, -0.14))
    )
    arms = "down" if name == "bird" else "dine"
    actor = cast_animal(picture, name, rng, pose="sit", mood="chew", arms=arms, x=256, ground=474,
                        width=330, height=390)  # fmt: skip
    a, s = actor.anchors, actor.anchors.scale
    food = rng.choice(FOODS)
    picture.add(actor.back)
    cloth = rng.choice(("#e2504a", "#3f86c9", "#4aa35f"))
    if name == "bird":
        picture.add(actor.front)
        neck = (a.neck[0] + actor.facing * 8, a.neck[1] + 14)
        picture.add(bib(neck, s * 0.62, cloth))
    else:
        picture.add(bib((a.neck[0], max(a.neck[1], a.mouth[1] + 26 * s)), s, cloth))
    if name == "bird":
        picture.add(food.morsel(a.mouth[0], a.mouth[1] - 2, 16))
    else:
        hand = max(a.hands, key=lambda p: p[0] * actor.facing)
        tip = lerp(a.mouth, hand, 0.16)
        other = min(a.hands, key=lambda p: p[0] * actor.facing)
        knife = f"M{num(other[0])} {num(other[1] + 20)}V{num(other[1] - 24)}"
        blade = f"M{num(other[0] - 7)} {num(other[1] - 20)}V{num(other[1] - 86)}q18 20 14 66Z"
        picture.add(
            actor.front,
            fork(hand, (tip[0], tip[1] + 6), 15, food.color),
            stroke(knife, "#5d6570", 11),
            stroke(knife, "#dfe5ec", 6),
            path(blade, fill="#e8edf2", stroke="#5d6570", stroke_width=2.5),
            actor.top,
        )
    y = 404.0
    check = picture.define(
        "pattern",
        box(0, 0, 40, 40, "#ffffff") + box(0, 0, 20, 20, cloth) + box(20, 20, 20, 20, cloth)
        + box(20, 0, 20, 20, shade(cloth, 0.5)) + box(0, 20, 20, 20, shade(cloth, 0.5)),
        width=40, height=40, patternUnits="userSpaceOnUse",
    )  # fmt: skip
    picture.add(box(0, y, SIZE, 110, check), box(0, y, SIZE, 6, shade(cloth, -0.3)))
    picture.add(box(0, y + 56, SIZE, 60, "#000000", fill_opacity=0.12))
    plate = 256.0 + rng.uniform(-10, 10)
    picture.add(oval(plate, y + 46, 122, 30, "#000000", fill_opacity=0.2))
    picture.add(oval(plate, y + 38, 120, 30, "#fdfdfd", stroke="#a9b3bd", stroke_width=3))
    picture.add(oval(plate, y + 35, 88, 20, "#e6ebef"))
    picture.add(food.heap(plate, y + 36))
    for _ in range(9):
        cx, cy = a.mouth[0] + rng.uniform(-56, 56) * s, a.mouth[1] + rng.uniform(2, 54) * s
        picture.add(oval(cx, cy, 3.6, 3.2, shade(food.color, -0.1)))
    lips = "beak" if name == "bird" else "mouth"
    return one_of(
        rng,
        f"{actor.note} is eating {food.words} from a plate at a table with a checked cloth",
        f"{actor.note} with a bib eats {food.words} at a laid table, crumbs around its {lips}",
    )


def _parasol(picture: Picture, x: float, color: str) -> None:
    """Paint a striped parasol stuck into the sand."""
    picture.add(stroke(f"M{num(x)} 130V424", "#8a6a4a", 9))
    top, rim = 96.0, 190.0
    for k in range(6):
        a, b = x - 132 + 44 * k, x - 88 + 44 * k
        d = (
            f"M{num(x)} {num(top)}Q{num((x + a * 2) / 3)} {num(top + 20)} {num(a)} {num(rim)}"
            f"Q{num((a + b) / 2)} {num(rim - 16)} {num(b)} {num(rim)}"
            f"Q{num((x + b * 2) / 3)} {num(top + 20)} {num(x)} {num(top)}Z"
        )
        picture.add(path(d, fill="#ffffff" if k % 2 else color, stroke=shade(color, -0.35),
                         stroke_width=2.5))  # fmt: skip


def _window(picture: Picture, x: float) -> None:
    """Paint a kitchen window with a view, its left edge at x."""
    picture.add(box(x, 44, 132, 150, "#ffffff", stroke="#c9b79c", stroke_width=3))
    picture.add(box(x + 10, 54, 112, 130, "#bfe6f7"))
    picture.add(path(f"M{num(x + 10)} 150q56 -34 112 0v34h-112Z", fill="#9ccf7c"))
    picture.add(stroke(f"M{num(x + 66)} 54V184M{num(x + 10)} 118H{num(x + 122)}", "#ffffff", 6))


def drink(picture: Picture, name: str, rng: random.Random) -> str:
    """Sipping from a big glass through a straw, in the sun."""
    backdrop(picture, (0, vary("#8fd3f0", rng, 0.03, 0.03)), (1, "#eefaf2"))
    sun = rng.choice((80.0, 432.0))
    rays = "".join(
        f"M{num(sun + 56 * dx)} {num(86 + 56 * dy)}L{num(sun + 78 * dx)} {num(86 + 78 * dy)}"
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7),
                       (-0.7, -0.7))
    )  # fmt: skip
    picture.add(oval(sun, 86, 44, 44, "#ffd84a"), stroke(rays, "#ffd84a", 8))
    picture.add(cloud(SIZE - sun + rng.uniform(-30, 30), 110, 130))
    if rng.random() < 0.5:
        place = "in a sunny garden"
        picture.add(hill(372, 8, vary("#a5d977", rng, 0.03, 0.03), rng.uniform(0, 6)))
        for _ in range(12):
            x, y = rng.uniform(0, SIZE), rng.uniform(396, 500)
            petal = rng.choice(("#ffffff", "#f58fb5", "#ffe066"))
            picture.add(path("".join(ellipse_d(x + dx, y + dy, 4.5) for dx, dy in
                        ((-5, 0), (5, 0), (0, -5), (0, 5))), fill=petal))  # fmt: skip
            picture.add(oval(x, y, 3, 3, "#f0a52e"))
    else:
        place = "under a striped parasol"
        picture.add(box(0, 330, SIZE, 60, vary("#4fb3e0", rng, 0.02, 0.03)))
        picture.add(hill(384, 6, vary("#f1d79a", rng, 0.015, 0.02), rng.uniform(0, 6)))
        _parasol(picture, SIZE - sun, rng.choice(("#ef5b5b", "#f7941d", "#2fa8a0")))
    picture.add(oval(256, 456, 200, 30, vary("#f0d48a", rng, 0.1, 0.03)))
    actor = cast_animal(picture, name, rng, pose="sit", mood="sip", arms="hold", x=256, ground=462,
                        width=320, height=390)  # fmt: skip
    a, s, f = actor.anchors, actor.anchors.scale, actor.facing
    # Orange juice would not stand out from an orange or tawny animal.
    juice, words = rng.choice(_JUICES[1:] if name in ("tiger", "lion") else _JUICES)
    picture.add(oval(256, 462, (a.box[2] - a.box[0]) * 0.42, 12, "#000000", fill_opacity=0.16))
    picture.add(actor.back)
    if name == "bird":
        x, y, w, h = a.mouth[0] + f * 34, 462.0, 86.0, 128.0
        picture.add(actor.front, tumbler(picture, x, y, w, h, juice, (a.mouth[0], a.mouth[1] + 2)))
    else:
        mid = lerp(a.hands[0], a.hands[1], 0.5)
        x, y, w, h = mid[0], mid[1] + 48 * s, 100 * s, 112 * s
        glass = tumbler(picture, x, y, w, h, juice, (a.mouth[0], a.mouth[1] + 5))
        picture.add(actor.front, glass, actor.top)
    for k in range(6):
        side = -1 if k % 2 else 1
        picture.add(drop(x + side * (w * 0.62 + rng.uniform(6, 40)), y - h + rng.uniform(-46, 50),
                         rng.uniform(6, 10), shade(juice, 0.1)))  # fmt: skip
    return one_of(
        rng,
        f"{actor.note} is drinking {words} from a tall glass through a straw {place}",
        f"{actor.note} drinks a glass of {words} with ice through a straw {place}",
    )
