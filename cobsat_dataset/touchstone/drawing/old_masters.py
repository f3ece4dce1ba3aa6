"""Drawings of our own after two famous pictures, both long out of copyright."""

from __future__ import annotations

import math
import random
from typing import Final

from ...drawing.backgrounds.kit import radial
from ...drawing.objects.geometry import Point, curve
from ...drawing.svg import path, polygon_d
from .brush import at, blob, box, disc, fade, line, oval, stroke
from .canvas import Canvas

__all__ = ["great_wave", "night_village"]

_STARS: Final = (
    (96, 70, 17), (214, 54, 15), (300, 128, 19), (226, 190, 26), (414, 52, 16), (520, 124, 15),
    (150, 140, 14), (470, 210, 14), (366, 226, 12), (58, 190, 13), (560, 240, 12),
)  # fmt: skip
_MOON: Final = (580, 84)
_SWIRLS: Final = ((318, 150, 82, 1.0), (416, 168, 54, -1.0))


def night_village() -> Canvas:
    """Vincent van Gogh's Starry Night: a sky of swirls over a village and a cypress."""
    c = Canvas(width=660, height=528)
    c.add(box(0, 0, 660, 528, fade(c, "#12306e", "#2a5aa8", "#7fa6cf")))
    _sky(c)
    _hills(c)
    _village(c)
    _cypress(c)
    return c


def _flow(x: float, y: float) -> Point:
    """Return the direction of the brush: a wind from the left, turned by swirls and stars."""
    u, v = 1.0, 0.35 * math.sin(x / 85) + 0.1 * math.sin(y / 30)
    for cx, cy, r, turn in _SWIRLS:
        dx, dy = x - cx, y - cy
        pull = 4.5 * math.exp(-(dx * dx + dy * dy) / (r * r))
        u, v = u - turn * pull * dy / r, v + turn * pull * dx / r
    for cx, cy, r in (*_STARS, (*_MOON, 34)):
        dx, dy = x - cx, y - cy
        pull = 5.0 * math.exp(-(dx * dx + dy * dy) / (6.5 * r * r))
        u, v = u - pull * dy / r, v + pull * dx / r
    long = math.hypot(u, v) or 1.0
    return u / long, v / long


def _sky(c: Canvas) -> None:
    rng = random.Random(1889)
    blues = ("#1d4a94", "#2c66b5", "#4a86c8", "#87b3dc", "#c3d9e8", "#16397a", "#0f2a5e", "#dfe6c8")
    weights = (6, 6, 5, 4, 2, 6, 4, 1)
    for _ in range(900):
        x, y = rng.uniform(-20, 670), rng.uniform(-10, 372)
        points = [(x, y)]
        for _ in range(rng.randint(3, 6)):
            u, v = _flow(x, y)
            x, y = x + 7 * u, y + 7 * v
            points.append((x, y))
        color = rng.choices(blues, weights)[0]
        c.add(line(points, color, rng.uniform(2.6, 5), stroke_opacity=0.85))
    for cx, cy, r, turn in _SWIRLS:
        for k in range(15):
            far, first = r * (0.16 + 0.075 * k), rng.uniform(0, math.tau)
            arc = [
                (
                    cx + (far + 3 * t) * math.cos(first + turn * t * 0.62),
                    cy + (far + 3 * t) * 0.82 * math.sin(first + turn * t * 0.62),
                )
                for t in range(6)
            ]
            c.add(line(arc, ("#e6eef0", "#a9cbe6", "#5f97d2", "#dfe6c8")[k % 4], 4.4))  # fmt: skip
    for (x, y, r), core in zip(
        (*_STARS, (*_MOON, 34)), ["#fff6c8"] * 11 + ["#f2a51f"], strict=True
    ):
        halo = radial(c, (0, "#fff3a8", 0.95), (0.35, "#f6e07a", 0.6), (1, "#f6e07a", 0))
        c.add(disc(x, y, r * 2.1, halo))
        for ring in range(3):
            far = r * (0.75 + ring * 0.42)
            for k in range(7 + 3 * ring):
                a = math.tau * (k + rng.random() * 0.5) / (7 + 3 * ring)
                b = a + 2.6 / (7 + 3 * ring)
                arc = [(x + far * math.cos(t), y + far * math.sin(t)) for t in (a, (a + b) / 2, b)]
                c.add(line(arc, rng.choice(("#fbe98c", "#f4d04e", "#fff7cf", "#e9d98a")), 3.2))
        if r < 30:
            c.add(disc(x, y, r * 0.48, core))
    x, y = _MOON
    c.add(path(f"M{x + 8} {y - 27}A28 28 0 1 1 {x - 22} {y + 18}A24 24 0 1 0 {x + 8} {y - 27}Z",
               fill="#f6b42c", stroke="#c87a10", stroke_width=2))  # fmt: skip


def _hills(c: Canvas) -> None:
    rng = random.Random(6)
    back = [(-20, 372), (80, 352), (190, 358), (300, 336), (420, 318), (540, 276), (690, 246),
            (700, 540), (-20, 540)]  # fmt: skip
    front = [(-20, 398), (120, 390), (260, 396), (380, 372), (500, 344), (690, 318), (700, 540),
             (-20, 540)]  # fmt: skip
    c.add(blob(back, fade(c, "#3b6aa6", "#1f3f72")))
    for _ in range(120):
        x = rng.uniform(60, 660)
        y = 372 - max(0.0, x - 190) * 0.21 + rng.uniform(-4, 44)
        c.add(stroke(f"M{x:.0f} {y:.0f}q14 {rng.uniform(-11, -3):.0f} 28 {rng.uniform(-7, 1):.0f}",
                     rng.choice(("#5f8fc0", "#2d5590", "#86aacb", "#1b3765")), 3.2))  # fmt: skip
    c.add(blob(front, fade(c, "#2e5a6e", "#16323a")))
    for _ in range(190):
        x, y = rng.uniform(0, 660), rng.uniform(404, 524)
        c.add(stroke(f"M{x:.0f} {y - max(0.0, x - 300) * 0.17:.0f}q9 {rng.uniform(-9, 3):.0f} 20 "
                     f"{rng.uniform(-3, 4):.0f}",
                     rng.choice(("#3f7a6a", "#1c4048", "#5b8f66", "#24535e")), 3.4))  # fmt: skip


def _village(c: Canvas) -> None:
    houses = (
        (206, 446, 50, 30), (262, 458, 44, 28), (372, 448, 52, 32), (430, 436, 42, 30),
        (484, 446, 56, 32), (546, 424, 44, 28), (596, 436, 52, 30), (318, 470, 46, 26),
        (412, 476, 54, 28), (512, 484, 50, 26),
    )  # fmt: skip
    for i, (x, y, w, h) in enumerate(houses):
        wall = ("#7d95a8", "#5f7a92", "#8a8f86", "#6a7f78")[i % 4]
        c.add(box(x, y - h, w, h, wall, stroke="#14242e", stroke_width=1.8),
              path(polygon_d(((x - 6, y - h), (x + w * 0.3, y - h - 20), (x + w * 0.8, y - h - 20),
                              (x + w + 6, y - h))), fill=("#35506a", "#5b4038", "#2b4a58")[i % 3],
                   stroke="#14242e", stroke_width=1.8))  # fmt: skip
        for k in range(1 + i % 2):
            c.add(
                box(x + 9 + k * 20, y - h + 9, 9, 11, "#ffd34d", stroke="#a8741a", stroke_width=1)
            )
    c.add(path("M338 428V366L354 366V428Z", fill="#6f8596", stroke="#14242e", stroke_width=1.8),
          path("M333 368L346 274L359 368Z", fill="#2b4560", stroke="#14242e", stroke_width=1.8),
          box(342, 378, 8, 14, "#ffd34d"),
          path("M354 428V396H398V428ZM350 398L362 384H394L404 398Z", fill="#5b7488",
               stroke="#14242e",
               stroke_width=1.8))  # fmt: skip
    for x, y, r in ((196, 458, 13), (306, 466, 12), (478, 462, 12), (584, 448, 14), (372, 488, 12),
                    (642, 446, 12), (472, 496, 11)):  # fmt: skip
        c.add(disc(x, y, r, "#1e4a3c"), disc(x - 3, y - 4, r * 0.6, "#2f6a4e"))


def _cypress(c: Canvas) -> None:
    rng = random.Random(12)
    left = [(52, 540), (40, 440), (60, 370), (52, 300), (84, 230), (84, 170), (106, 116), (118, 44)]
    right = [(128, 118), (142, 176), (138, 240), (164, 300), (158, 366), (184, 430), (186, 540)]
    c.add(blob([*left, *right], "#10241c", stroke="#07120e", stroke_width=2))
    for _ in range(120):
        y = rng.uniform(90, 520)
        half = 8 + (y - 60) * 0.135
        x = 114 + rng.uniform(-half, half) * 0.9
        c.add(stroke(f"M{x:.0f} {y:.0f}q{rng.uniform(-9, 9):.0f} -18 {rng.uniform(-5, 5):.0f} "
                     f"{rng.uniform(-44, -28):.0f}",
                     rng.choice(("#24503a", "#1a3a2a", "#3b6a44", "#5a4a2a", "#0b1712")),
                     3.6))  # fmt: skip


def great_wave() -> Canvas:
    """Hokusai's Great Wave: a claw of foam over boats, and Mount Fuji small behind."""
    c = Canvas(width=736, height=512)
    c.add(box(0, 0, 736, 512, fade(c, "#d9c9a3", "#efe3c4", "#e8dcc0")))
    c.add(blob([(420, 40), (520, 26), (640, 44), (760, 30), (760, 120), (640, 108), (520, 116)],
               "#e3d2a8"))  # fmt: skip
    c.add(path("M400 352C440 318 462 296 484 268L494 264L503 269L512 263L522 268"
               "C546 298 572 322 612 352Z",
               fill="#4a6687", stroke="#26384e", stroke_width=2),
          path("M462 298C470 288 478 278 484 268L494 264L503 269L512 263L522 268"
               "C530 279 538 288 547 298L532 291L524 304L512 290L502 308L492 290L480 303L474 292Z",
               fill="#fbf7ea"))  # fmt: skip
    sea = fade(c, "#2f567f", "#173a63", "#0f2747")
    c.add(path("M330 356C420 330 470 372 540 352C620 330 660 318 760 270V520H0V420Z",
               fill="#5d87a8",
               stroke="#22364f", stroke_width=2))  # fmt: skip
    _boat(c, 556, 344, -8, 0.95)
    c.add(path("M380 420C450 372 520 408 590 384C650 364 690 330 760 318V520H300Z", fill=sea,
               stroke="#14263c", stroke_width=2.5))  # fmt: skip
    _stripes(c, [(420, 424), (500, 400), (580, 402), (650, 370), (740, 336)], 5, 20)
    _wave(c, sea)
    _boat(c, 452, 436, 9, 1.15)
    c.add(path("M0 470C80 420 150 416 230 446C310 476 350 470 420 458C500 444 560 472 640 452"
               "C690 440 720 430 760 428V520H0Z", fill=fade(c, "#3d6890", "#1a3e68"),
               stroke="#14263c", stroke_width=2.5))  # fmt: skip
    _foam(c, [(0, 468), (60, 434), (130, 424), (200, 436), (270, 460), (350, 466)], 11, 31)
    c.add(box(24, 26, 34, 132, "#f3e8cc", stroke="#8a3b2a", stroke_width=2.5),
          *(stroke(d, "#3a2a1e", 3) for d in ("M34 44H48M41 38V60M34 60L48 60",
            "M34 74L48 74M36 84H46M41 70V96", "M34 108L48 104M34 120H48M41 100V134",
            "M35 144L47 144")))  # fmt: skip
    return c


_CREST: Final[tuple[Point, ...]] = (
    (0, 236), (60, 168), (130, 104), (210, 66), (290, 58), (356, 82), (396, 126), (410, 176),
)  # fmt: skip
_INNER: Final[tuple[Point, ...]] = (
    (410, 176), (376, 160), (338, 168), (304, 196), (290, 236), (296, 286), (322, 338), (370, 388),
    (430, 428),
)  # fmt: skip


def _wave(c: Canvas, sea: str) -> None:
    d = curve([*_CREST], closed=False) + curve([*_INNER], closed=False).replace("M", "L", 1)
    c.add(path(f"{d}L440 520L0 520Z", fill=sea, stroke="#14263c", stroke_width=3))
    for k in range(1, 8):
        t = k / 8
        bent = [(x * (1 - t) + (30 + 30 * i) * t, y * (1 - t) + (300 + 34 * i) * t)
                for i, (x, y) in enumerate(_INNER[3:])]  # fmt: skip
        c.add(line(bent, ("#86aecb", "#d9e6ea")[k % 2], 9 - k * 0.6, stroke_opacity=0.85))
    for k in range(5):
        bent = [(x * (1 - 0.07 * k), y + 22 * k + 20) for x, y in _CREST[:5]]
        c.add(line(bent, "#6f9bbd", 5 - k * 0.7, stroke_opacity=0.8))
    _foam(c, _CREST, 24, 5)
    _foam(c, [_CREST[-1], (376, 156), (338, 164), (306, 186)], 9, 6)
    _claws(c)


def _foam(c: Canvas, points: list[Point] | tuple[Point, ...], count: int, seed: int) -> None:
    """Lay scallops of foam along a line."""
    rng = random.Random(seed)
    for layer, (fill, reach) in enumerate((("#c9dbe2", 19.0), ("#fbf8ee", 15.0))):
        for i in range(count * 2):
            t = i / (count * 2 - 1) * (len(points) - 1)
            k = min(len(points) - 2, int(t))
            u = t - k
            x = points[k][0] * (1 - u) + points[k + 1][0] * u
            y = points[k][1] * (1 - u) + points[k + 1][1] * u
            c.add(disc(x + rng.uniform(-3, 3), y + 5 - layer * 4, reach * rng.uniform(0.7, 1.1),
                       fill,
                       stroke="#2d4d6e" if layer == 0 else "none", stroke_width=1.6))  # fmt: skip


def _claws(c: Canvas) -> None:
    """Hang hooked fingers of foam from the crest, and spray before them."""
    rng = random.Random(40)
    roots = [(296, 74), (328, 84), (356, 102), (380, 126), (398, 152), (406, 180), (384, 172),
             (356, 168), (330, 178), (312, 196)]  # fmt: skip
    for i, (x, y) in enumerate(roots):
        turn = -62 + i * 11 if i < 6 else 40 + (i - 6) * 12
        finger = "M-11 0C-14 18 -8 34 6 44C2 36 2 30 5 24C9 30 14 32 20 32C14 26 12 18 14 8Z"
        hooks = "M-7 10C-18 18 -18 30 -10 38C-11 30 -8 26 -2 22Z"
        c.add(
            at(
                x,
                y,
                rng.uniform(0.85, 1.15),
                path(finger + hooks, fill="#fbf8ee", stroke="#2d4d6e", stroke_width=2),
                turn=turn,
            )
        )
    for _ in range(70):
        px, py = rng.uniform(300, 540), rng.uniform(70, 300)
        if px - 300 > (py - 90) * 0.45:
            c.add(
                disc(px, py, rng.uniform(1.4, 4.2), "#fbf8ee", stroke="#9fb4c2", stroke_width=0.8)
            )


def _stripes(c: Canvas, points: list[Point], count: int, step: float) -> None:
    for k in range(count):
        moved = [(x - 12 * k, y + step * (k + 0.6)) for x, y in points]
        c.add(line(moved, "#7ea6c4", 4, stroke_opacity=0.7))


def _boat(c: Canvas, x: float, y: float, turn: float, scale: float) -> None:
    hull = path("M-128 -20C-90 12 60 22 138 -34L146 -30C120 12 84 34 20 36C-60 36 -110 14 -132 -14"
                "Z",
                fill="#d9b56c", stroke="#4c3518", stroke_width=2.5)  # fmt: skip
    rowers = "".join(
        oval(k, -2, 13, 12, "#2f4a78") + disc(k + 8, -15, 7.5, "#e8c9a0", stroke="#4c3518",
        stroke_width=1.2) + path(f"M{k + 1} -19A8 8 0 0 1 {k + 15} -19Z", fill="#20242c")
        + stroke(f"M{k + 6} 0L{k - 14} 34", "#8a6a34", 2.6)
        for k in range(-84, 60, 24)
    )  # fmt: skip
    c.add(
        at(
            x,
            y,
            scale,
            rowers,
            hull,
            stroke("M-104 6C-40 26 40 26 104 0", "#8a6a34", 2.4),
            turn=turn,
        )
    )
