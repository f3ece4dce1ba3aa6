"""Eat and drink: at a laid table, and from a glass in the sun."""

from __future__ import annotations

import random
from typing import Final

from ..animals.curves import lerp
from ..animals.paint import stroke
from ..svg import SIZE, Picture, ellipse_d, num, path, shade, vary
from .food import FOODS
from .props import bib, fork, tumbler
from .stage import backdrop, box, cast_animal, cloud, drop, hill, one_of, oval

_JUICES: Final = (
    ("#ff9a2e", "orange juice"),
    ("#e63d6b", "cherry juice"),
    ("#7fc241", "lime juice"),
    ("#7a5cd6", "blueberry juice"),
)


def _window(picture: Picture, x: float) -> None:
    """Paint a kitchen window with a view, its left edge at x."""
    picture.add(box(x, 44, 132, 150, "#ffffff", stroke="#c9b79c", stroke_width=3))
    picture.add(box(x + 10, 54, 112, 130, "#bfe6f7"))
    picture.add(path(f"M{num(x + 10)} 150q56 -34 112 0v34h-112Z", fill="#9ccf7c"))
    picture.add(stroke(f"M{num(x + 66)} 54V184M{num(x + 10)} 118H{num(x + 122)}", "#ffffff", 6))


def eat(picture: Picture, name: str, rng: random.Random) -> str:
    """At a laid table, fork to its open mouth."""
    wall = vary(rng.choice(("#fbe3c0", "#d9efdc", "#fde0d8")), rng, 0.02, 0.02)
    backdrop(picture, (0, wall), (1, shade(wall, -0.06)))
    for x in range(0, SIZE, 128):
        picture.add(box(x, 0, 64, 300, "#ffffff", fill_opacity=0.28))
    if rng.random() < 0.6:
        _window(picture, rng.choice((14.0, 366.0)))
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
        for _ in range(8):
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
