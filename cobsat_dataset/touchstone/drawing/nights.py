"""Two nights: a lighthouse and a boat on the sea, and a story that is read aloud."""

from __future__ import annotations

import math
import random

from cobsat.drawing.actions.props import floor_lamp, open_book
from cobsat.drawing.actions.stage import box, oval, poly
from cobsat.drawing.animals.curves import lerp
from cobsat.drawing.animals.face import glasses
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear, smooth_d, star_d
from cobsat.drawing.svg import ellipse_d, group, num, path

from .canvas import Canvas
from .things import clipped, figure

__all__ = ["bedtime_reading", "lighthouse"]


def lighthouse() -> Canvas:
    """Draw a lighthouse on a rock at night, its beam on a small sailing boat in high waves."""
    canvas = Canvas(width=768, height=512)
    canvas.add(
        box(0, 0, 768, 512, linear(canvas, (0, "#0b1235"), (0.62, "#27407a"), (1, "#33558c")))
    )
    rng = random.Random(12)
    stars = "".join(star_d(rng.uniform(8, 760), rng.uniform(6, 210), rng.uniform(1.6, 3.8))
                    for _ in range(46))  # fmt: skip
    canvas.add(path(stars, fill="#f5edc8", opacity=0.9))
    canvas.add(
        glow(canvas, 96, 84, 84, "#fff3c9", 0.7),
        oval(96, 84, 30, 30, "#fdf2cc"),
        *(oval(x, y, r, r, "#e6d6a4") for x, y, r in ((88, 76, 6), (104, 92, 4), (100, 72, 3))),
    )
    beam = linear(canvas, (0, "#fff2b0", 0.85), (1, "#fff2b0", 0.0), start=(1, 0.3), end=(0, 0.6))
    canvas.add(poly([(600, 132), (-20, 258), (-20, 452)], beam))
    far = smooth_d([(x, 330 + 8 * math.sin(x / 38)) for x in range(-20, 820, 24)])
    canvas.add(path(f"{far}L800 512L-20 512Z", fill="#1e3a68"))
    canvas.add(_sailing_boat(188, 342))
    for k, (y, color) in enumerate(((372, "#1a3560"), (412, "#162c52"), (456, "#102244"))):
        crests = smooth_d([(x, y + (15 + 2 * k) * math.sin(x / (44 + 7 * k) + 2 * k))
                           for x in range(-20, 820, 20)])  # fmt: skip
        canvas.add(
            path(f"{crests}L800 512L-20 512Z", fill=color),
            path(crests, fill="none", stroke="#9cc3e6", stroke_width=2.4, opacity=0.55),
        )
    _tower(canvas)
    return canvas


def _sailing_boat(x: float, y: float) -> str:
    """Return a small boat with two white sails and a red hull, tilted by the sea."""
    return group(
        path("M-62 0H66L48 28H-46Z", fill="#b3323a", stroke="#5c141b", stroke_width=2.5),
        box(-58, -2, 120, 6, "#e9d7b0"),
        stroke("M2 0V-112", "#5b4632", 4.5),
        path("M7 -110C40 -80 54 -40 56 -10H7Z", fill="#f7f3e6", stroke="#b9b39d", stroke_width=2),
        path("M-3 -98C-24 -66 -40 -34 -46 -10H-3Z", fill="#e9e2cd", stroke="#b9b39d",
             stroke_width=2),
        oval(-30, -12, 7, 7, "#e8b98f"), path("M-40 2C-40 -8 -20 -8 -20 2Z", fill="#f2c230"),
        path("M-38 -14C-38 -24 -22 -24 -22 -14Z", fill="#f2c230"),
        transform=f"translate({num(x)} {num(y)}) rotate(-9)",
    )  # fmt: skip


def _tower(canvas: Canvas) -> None:
    """Paint the rock, and the red and white tower with its lit lantern."""
    canvas.add(path("M452 512L470 452L520 424L548 396L596 384L664 388L704 412L740 420L800 452V512Z",
                    fill="#2b2f3e"),
               path("M548 396L596 384L664 388L642 420L584 428Z", fill="#454b60"),
               path("M470 452L520 424L548 396L536 452L500 484Z", fill="#383d50"))  # fmt: skip
    tower = "M566 396L584 172H640L658 396Z"
    stripes = [box(540, y, 150, 45, "#c9303b" if k % 2 == 0 else "#f4f1ea")
               for k, y in enumerate(range(172, 396, 45))]  # fmt: skip
    canvas.add(
        clipped(
            canvas,
            tower,
            *stripes,
            box(
                540,
                160,
                150,
                240,
                linear(
                    canvas,
                    (0, "#000000", 0.0),
                    (0.55, "#000000", 0.05),
                    (1, "#0b1235", 0.55),
                    end=(1, 0),
                ),
            ),
        )
    )
    canvas.add(
        path(tower, fill="none", stroke="#1b2036", stroke_width=2.5),
        glow(canvas, 612, 132, 92, "#fff2b0", 0.95),
        box(574, 160, 76, 12, "#2b2f3e", rx=3),
        stroke(
            "M576 160V142M650 160V142M574 142H652M595 160V142M613 160V142M631 160V142", "#2b2f3e", 3
        ),
        box(592, 108, 40, 52, "#fff6cf", stroke="#2b2f3e", stroke_width=3),
        stroke("M605 108V160M619 108V160", "#2b2f3e", 2),
        poly([(584, 110), (640, 110), (612, 78)], "#c9303b", stroke="#1b2036", stroke_width=2.5),
        oval(612, 76, 4.5, 4.5, "#2b2f3e"),
        path("M600 396V366C600 350 624 350 624 366V396Z", fill="#4a2c1d"),
        box(604, 232, 16, 24, "#ffe08a", rx=7),
        box(604, 304, 16, 24, "#ffe08a", rx=7),
    )


def bedtime_reading() -> Canvas:
    """Draw a lion with glasses that reads a book to a sheep, a monkey and a small bird at night."""
    canvas = Canvas(width=768, height=512)
    canvas.add(box(0, 0, 768, 400, linear(canvas, (0, "#4c4f86"), (1, "#7a6fa3"))))
    canvas.add(
        box(0, 396, 768, 116, linear(canvas, (0, "#8f6240"), (1, "#6b452a"))),
        box(0, 390, 768, 9, "#3d3a66"),
    )
    canvas.add(
        box(470, 52, 176, 168, "#e9dcc0", rx=6),
        box(482, 64, 152, 144, linear(canvas, (0, "#0f1640"), (1, "#2f3f86"))),
        oval(592, 102, 24, 24, "#ffeeb0"),
        oval(601, 95, 21, 21, "#141d4d"),
        path(
            "".join(
                star_d(x, y, 4)
                for x, y in ((506, 92), (536, 130), (520, 178), (578, 166), (616, 150))
            ),
            fill="#fff3b8",
        ),
        stroke("M558 64V208M482 136H634", "#e9dcc0", 7),
    )
    canvas.add(
        glow(canvas, 92, 150, 240, "#ffdf9a", 0.75), floor_lamp(canvas, 92, 430, 260, "#e8a33a")
    )
    canvas.add(oval(440, 452, 306, 46, "#8c3f58"), oval(440, 448, 290, 40, "#b25a74"),
               path(ellipse_d(440, 448, 250, 31), fill="none", stroke="#f0c9a0", stroke_width=4,
                    stroke_dasharray="14 10"))  # fmt: skip
    fill = linear(canvas, (0, "#4f9a8f"), (1, "#2f6f68"))
    canvas.add(box(140, 176, 236, 264, fill, rx=60, stroke="#1d4a45", stroke_width=4),
               box(168, 366, 180, 74, "#62ada2", rx=20, stroke="#1d4a45", stroke_width=3),
               box(120, 300, 58, 146, fill, rx=26, stroke="#1d4a45", stroke_width=4),
               box(338, 300, 58, 146, fill, rx=26, stroke="#1d4a45", stroke_width=4))  # fmt: skip
    lion = figure(canvas, "lion", x=258, ground=434, height=262, mood="read", arms="hold", seed=6)
    a = lion.anchors
    middle = lerp(a.hands[0], a.hands[1], 0.5)
    canvas.add(lion.back, glasses(a.eyes[0], a.eyes[1], a.eye_radius * 1.55, "#2b2b38"), lion.front,
               open_book(middle[0], middle[1] + 26, 170, "#b8353f"), lion.top)  # fmt: skip
    sheep = figure(canvas, "sheep", x=520, ground=456, height=150, seed=2)
    monkey = figure(canvas, "monkey", x=660, ground=462, height=146, mood="asleep", seed=1)
    bird = figure(canvas, "bird", x=424, ground=470, height=84, seed=6, flip=True)
    for actor in (sheep, monkey, bird):
        canvas.add(actor.back, actor.front, actor.top)
    canvas.write("z", 716, 306, 22, weight=2.6, fill="#f5edc8")
    canvas.write("z", 732, 284, 28, weight=3, fill="#f5edc8")
    return canvas
