"""What ideas are asked for: an empty shop to let, and a shelf of jars and odds and ends."""

from __future__ import annotations

import math
import random

from cobsat.drawing.actions.stage import box, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear, smooth_d
from cobsat.drawing.svg import num, path, shade

from .canvas import Canvas

__all__ = ["empty_shop", "jars_on_a_shelf"]


def empty_shop() -> Canvas:
    """Draw an empty corner shop with big windows, a tree and a bench, to let."""
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 512, linear(canvas, (0, "#bfe0f2"), (1, "#f2ecdc"))))
    canvas.add(box(96, 36, 576, 388, "#c97a5a"))
    bricks = "".join(
        f"M{x + (10 if (y // 16) % 2 else 0)} {y}h22"
        for y in range(44, 420, 16)
        for x in range(100, 650, 44)
    )
    canvas.add(path(bricks, fill="none", stroke="#b0644a", stroke_width=2.4))
    canvas.add(
        box(84, 24, 600, 20, "#e9dcc4", stroke="#9c8a6a", stroke_width=2),
        box(96, 130, 576, 56, "#2f4f4f", stroke="#1d3333", stroke_width=3),
    )
    for x in (150, 300, 450, 590):
        canvas.add(
            box(x - 24, 56, 50, 62, "#dfeaf0", rx=4, stroke="#f4ecdc", stroke_width=6),
            stroke(f"M{x + 1} 58V116", "#f4ecdc", 4),
        )
    canvas.add(
        box(120, 204, 236, 190, "#f4ecdc"),
        box(420, 204, 228, 190, "#f4ecdc"),
        box(362, 204, 52, 218, "#3f6a68", stroke="#1d3333", stroke_width=3),
    )
    for x, w in ((132, 212), (432, 204)):
        canvas.add(
            box(x, 214, w, 168, linear(canvas, (0, "#4c5a63"), (1, "#7e8c92"))),
            path(f"M{x} 382V346L{x + 40} 330H{x + w - 40}L{x + w} 346V382Z", fill="#b59a74"),
            path(
                f"M{x + 20} 214L{x + 76} 382H{x + 116}L{x + 60} 214Z", fill="#ffffff", opacity=0.16
            ),
            stroke(f"M{x + w / 2} 214V382", "#f4ecdc", 6),
        )
    canvas.add(
        stroke("M486 214V252", "#2b2f38", 3),
        oval(486, 262, 11, 12, "#ffe7a0"),
        stroke("M290 214V234", "#2b2f38", 3),
        oval(290, 243, 11, 12, "#ffe7a0"),
        box(540, 318, 74, 10, "#8a5d3a"),
        stroke("M548 328V352M606 328V352", "#8a5d3a", 5),
    )
    canvas.add(
        box(370, 214, 36, 110, "#9fb9c2", stroke="#1d3333", stroke_width=2),
        oval(402, 346, 4.5, 4.5, "#e0c070"),
        box(356, 420, 64, 8, "#a8a294"),
    )
    canvas.add(box(166, 266, 150, 78, "#fffdf4", rx=4, stroke="#c8281f", stroke_width=4))
    canvas.write("TO LET", 241, 302, 28, weight=4, anchor="middle", fill="#c8281f")
    canvas.write("60 sq m, €900 a month", 241, 330, 13, weight=1.6, anchor="middle", fill="#2b2f38")
    canvas.add(
        box(0, 420, 768, 92, linear(canvas, (0, "#c2bdb0"), (1, "#a19b8d"))),
        stroke(
            "M0 452H768M90 420L60 512M250 420L236 512M420 420V512M590 420L604 512M720 420L752 512",
            "#908a7c",
            2,
        ),
    )
    _street_tree(canvas)
    canvas.add(
        box(470, 430, 120, 9, "#8a5d3a", rx=3),
        box(470, 404, 120, 9, "#8a5d3a", rx=3),
        stroke("M484 408V466M576 408V466M484 438V468", "#3b3f45", 6),
    )
    canvas.add(
        stroke("M700 300V470", "#3b4a55", 7),
        oval(700, 288, 24, 24, "#2466a8", stroke="#ffffff", stroke_width=3),
    )
    canvas.write("BUS", 700, 294, 15, weight=2.2, anchor="middle", fill="#ffffff")
    return canvas


def _street_tree(canvas: Canvas) -> None:
    rng = random.Random(2)
    canvas.add(stroke("M44 470C46 400 40 340 46 270M46 330L80 290M44 316L14 280", "#6b4a2e", 13))
    for k in range(16):
        a = k * 2.4
        x, y = (
            44 + 58 * math.cos(a) * rng.uniform(0.3, 1),
            220 + 66 * math.sin(a) * rng.uniform(0.3, 1),
        )
        canvas.add(oval(x, y, 30, 28, ("#5f9a4c", "#74b05c", "#4f8740")[k % 3]))
    canvas.add(box(14, 462, 64, 12, "#7a6a55", rx=4))


def jars_on_a_shelf() -> Canvas:
    """Draw what is left on a wooden shelf: six jars, a ball of twine, corks, lights, a brush."""
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 512, linear(canvas, (0, "#f3e9da"), (1, "#e6d6bd"))))
    for y in (236, 460):
        canvas.add(
            box(0, y, 768, 22, linear(canvas, (0, "#b98552"), (1, "#8c5d33"))),
            stroke(f"M0 {y + 8}C200 {y + 4} 420 {y + 14} 768 {y + 7}", "#7d512b", 1.4),
        )
        canvas.add(box(0, y + 22, 768, 14, linear(canvas, (0, "#5a4028", 0.35), (1, "#5a4028", 0))))
    for x, w, h, lid in (
        (92, 92, 132, "#c8503c"),
        (222, 92, 132, None),
        (344, 76, 104, "#e0b13b"),
        (450, 76, 104, None),
        (560, 92, 150, "#4f83a8"),
        (680, 76, 92, None),
    ):
        canvas.add(_jar(canvas, x, 236, w, h, lid))
    twine = linear(canvas, (0, "#e0b878"), (1, "#a87a3c"))
    canvas.add(
        oval(104, 408, 56, 53, twine, stroke="#7d5626", stroke_width=2.5),
        stroke(
            "".join(
                f"M{54 + 7 * k} {392 - 9 * math.sin(k / 2.3):.0f}Q{104} {340 + 12 * k} "
                f"{154 - 6 * k} {420 + 5 * k}"
                for k in range(8)
            ),
            "#8c6330",
            2.4,
        ),
        stroke("M150 438C180 470 200 440 236 452", "#a87a3c", 4),
    )
    for k, (x, y) in enumerate(((262, 458), (292, 458), (322, 458), (277, 432), (307, 432))):
        canvas.add(
            box(
                x - 12,
                y - 26,
                24,
                26,
                ("#d8a873", "#c99660", "#e0b584")[k % 3],
                rx=4,
                stroke="#8c6330",
                stroke_width=1.8,
            ),
            oval(x, y - 26, 12, 4, "#e9c79b", stroke="#8c6330", stroke_width=1.4),
        )
    wire = smooth_d(
        [
            (372, 430),
            (398, 456),
            (424, 420),
            (452, 452),
            (480, 414),
            (506, 452),
            (536, 424),
            (560, 456),
        ]
    )
    canvas.add(stroke(wire, "#3b4a3f", 3))
    for x, y in (
        (384, 446),
        (412, 436),
        (438, 440),
        (466, 432),
        (494, 438),
        (522, 438),
        (550, 448),
    ):
        canvas.add(
            glow(canvas, x, y, 20, "#ffd870", 0.9),
            oval(x, y, 5, 7, "#fff3c0", stroke="#c9962b", stroke_width=1.2),
        )
    canvas.add(
        box(606, 418, 62, 42, "#3f7f74", rx=3, stroke="#234f48", stroke_width=2.5),
        oval(637, 418, 31, 7, "#5fb3a5", stroke="#234f48", stroke_width=2),
        path("M624 420q2 22 6 22q4 0 4 -20Z", fill="#5fb3a5"),
    )
    canvas.add(
        stroke("M700 458L724 372", "#c99a5b", 9),
        poly(
            [(716, 378), (732, 382), (740, 346), (726, 342)],
            "#b9c0c6",
            stroke="#7d868c",
            stroke_width=2,
        ),
        path("M726 342L740 346Q748 322 738 306Q724 322 726 342Z", fill="#3f2a1c"),
    )
    canvas.write("paint", 637, 448, 15, weight=1.8, anchor="middle", fill="#ffffff")
    return canvas


def _jar(canvas: Canvas, x: float, foot: float, w: float, h: float, lid: str | None) -> str:
    """Return an empty glass jar, closed by a lid or open."""
    left, top = x - w / 2, foot - h
    glass = linear(
        canvas, (0, "#cfe6ea", 0.75), (0.3, "#ffffff", 0.55), (1, "#a9cdd4", 0.75), end=(1, 0)
    )
    body = (
        f"M{num(left + w * 0.14)} {num(top + 12)}H{num(left + w * 0.86)}V{num(top + 22)}"
        f"Q{num(left + w)} {num(top + 28)} {num(left + w)} {num(top + 44)}V{num(foot - 10)}"
        f"Q{num(left + w)} {num(foot)} {num(left + w - 12)} {num(foot)}H{num(left + 12)}"
        f"Q{num(left)} {num(foot)} {num(left)} {num(foot - 10)}V{num(top + 44)}"
        f"Q{num(left)} {num(top + 28)} {num(left + w * 0.14)} {num(top + 22)}Z"
    )
    parts = [
        path(body, fill=glass, stroke="#6d959c", stroke_width=2.5),
        stroke(f"M{num(left + 13)} {num(top + 50)}V{num(foot - 24)}", "#ffffff", 6),
        stroke(f"M{num(left + w - 11)} {num(top + 56)}V{num(foot - 40)}", "#ffffff", 3),
    ]
    if lid:
        parts += [
            box(
                left + w * 0.1,
                top - 8,
                w * 0.8,
                22,
                lid,
                rx=4,
                stroke=shade(lid, -0.4),
                stroke_width=2,
            ),
            stroke(
                "".join(
                    f"M{num(left + w * 0.1 + 8 + k * 9)} {num(top - 3)}v12"
                    for k in range(int(w * 0.8 // 9) - 1)
                ),
                shade(lid, -0.25),
                2,
            ),
        ]
    else:
        parts += [
            path(
                f"M{num(left + w * 0.14)} {num(top + 12)}A{num(w * 0.36)} 7 0 1 1 "
                f"{num(left + w * 0.86)} {num(top + 12)}"
                f"A{num(w * 0.36)} 7 0 1 1 {num(left + w * 0.14)} {num(top + 12)}Z",
                fill="#eef7f8",
                stroke="#6d959c",
                stroke_width=2.5,
            )
        ]
    return "".join(parts)
