"""Places to write about: a pond in autumn, a square as the snow melts, a door in the sand."""

from __future__ import annotations

import math
import random
from typing import Final

from cobsat.drawing.actions.stage import box, cloud, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear
from cobsat.drawing.backgrounds.land import desert
from cobsat.drawing.backgrounds.water import seafloor
from cobsat.drawing.svg import Picture, ellipse_d, group, num, path, shade

from .canvas import Canvas
from .things import clipped

__all__ = ["desert_door", "frog_pond", "thaw_in_the_square"]

_CLOCK: Final = (7, 40)
"""Hours and minutes that the tower shows."""


def frog_pond() -> Canvas:
    """Draw an autumn pond: one red maple leaf has just fallen beside a frog on a lily pad."""
    canvas = Canvas(width=640, height=512)
    canvas.add(
        box(0, 0, 640, 512, linear(canvas, (0, "#f0dfc0"), (0.34, "#d9b98c"), (1, "#5f7f78")))
    )
    canvas.add(
        box(0, 168, 640, 344, linear(canvas, (0, "#a7b79f"), (0.4, "#6c9189"), (1, "#31564f")))
    )
    rng = random.Random(4)
    for x, h, tone in (
        (-10, 120, "#b9793b"),
        (90, 150, "#c9572e"),
        (200, 100, "#d99a3c"),
        (330, 130, "#b9793b"),
        (430, 96, "#cf6a30"),
        (560, 150, "#d99a3c"),
    ):
        crown = "".join(
            ellipse_d(
                x + 60 + rng.uniform(-56, 56),
                168 - h * 0.55 + rng.uniform(-34, 30),
                rng.uniform(26, 44),
            )
            for _ in range(8)
        )
        canvas.add(
            box(x + 55, 168 - h * 0.5, 9, h * 0.5, "#5a4028"), path(crown, fill=tone, opacity=0.8)
        )
        canvas.add(path(crown, fill=tone, opacity=0.16,
                        transform="translate(0 350) scale(1 -1)"))  # fmt: skip
    canvas.add(box(0, 160, 640, 12, "#7c6a40"))
    for y, x0, x1 in ((236, 40, 220), (262, 380, 600), (420, 20, 150), (468, 250, 560)):
        canvas.add(
            path(f"M{x0} {y}H{x1}", fill="none", stroke="#dce8dd", stroke_width=2, opacity=0.35)
        )
    for cx, cy, rx in ((498, 430, 66), (88, 330, 54)):
        canvas.add(_pad(cx, cy, rx))
    for r in (40, 70, 100):
        canvas.add(path(ellipse_d(424, 316, r * 1.2, r * 0.34), fill="none", stroke="#e9f2e8",
                        stroke_width=2.4, opacity=0.85 - r / 150))  # fmt: skip
    leaf = _maple_leaf()
    canvas.add(group(leaf, transform="translate(424 306) rotate(24) scale(0.36 0.26)"))
    canvas.add(_pad(236, 368, 116), _frog(236, 352))
    for x, top in ((24, 250), (46, 214), (66, 268), (604, 240), (622, 208)):
        canvas.add(
            stroke(f"M{x} 512Q{x + 4} {(512 + top) / 2} {x + 12} {top}", "#4d6136", 4),
            box(x + 7, top - 6, 10, 46, "#6b4226", rx=5, transform=f"rotate(4 {x} {top})"),
        )
    return canvas


def _maple_leaf() -> str:
    """Return a red maple leaf around (0, 0), some 200 units wide."""
    half = [(0, -104), (16, -66), (44, -82), (40, -40), (94, -52), (80, -22), (104, -6), (58, 24),
            (66, 46), (16, 40)]  # fmt: skip
    points = half + [(-x, y) for x, y in reversed(half[1:])]
    d = "M" + "L".join(f"{x} {y}" for x, y in points) + "Z"
    veins = "M0 84V-88M0 36L78 -18M0 36L-78 -18M0 20L34 -58M0 20L-34 -58"
    return (
        path(d, fill="#c8281f", stroke="#7d120f", stroke_width=5, stroke_linejoin="round")
        + stroke(veins, "#7d120f", 5)
    )  # fmt: skip


def _pad(x: float, y: float, r: float) -> str:
    """Return a lily pad with its notch, lying on the water."""
    ry = r * 0.34
    d = (
        f"M{num(x)} {num(y)}L{num(x + r * 0.86)} {num(y - ry * 0.5)}"
        f"A{num(r)} {num(ry)} 0 1 0 {num(x + r * 0.98)} {num(y + ry * 0.18)}Z"
    )
    veins = "".join(
        f"M{num(x)} {num(y)}L{num(x + r * 0.8 * math.cos(a))} {num(y + ry * 0.8 * math.sin(a))}"
        for a in (0.9, 1.8, 2.7, 3.5, 4.4, 5.2)
    )
    return (
        oval(x + 4, y + 8, r, ry, "#1f3f39", fill_opacity=0.5)
        + path(d, fill="#6fa152", stroke="#41702f", stroke_width=2.5)
        + path(veins, fill="none", stroke="#4f8440", stroke_width=1.8)
    )


def _frog(x: float, y: float) -> str:
    """Return a green frog from the front, its feet at y + 16, looking at the leaf."""
    green, dark = "#79b83c", "#3f6d1d"
    art = [
        path(ellipse_d(-52, -6, 30, 21) + ellipse_d(52, -6, 30, 21), fill="#68a632", stroke=dark,
             stroke_width=3),
        path("M-44 10C-60 -52 -34 -96 0 -96C34 -96 60 -52 44 10C24 20 -24 20 -44 10Z", fill=green,
             stroke=dark, stroke_width=3),
        path("M-26 12C-36 -30 -18 -48 0 -48C18 -48 36 -30 26 12C12 18 -12 18 -26 12Z",
             fill="#e3efb4"),
        path(ellipse_d(0, -84, 52, 33), fill=green, stroke=dark, stroke_width=3),
        *(part for s in (-1, 1) for part in (
            oval(s * 30, -114, 18, 18, green, stroke=dark, stroke_width=3),
            oval(s * 30, -115, 12, 12, "#fffbe0"), oval(s * 30 + 5, -114, 6.5, 6.5, "#1b1f12"),
            oval(s * 30 + 7, -117, 2.2, 2.2, "#ffffff"))),
        stroke("M-36 -78Q0 -54 36 -78", dark, 3.4),
        path(ellipse_d(-38, -76, 7, 4.5) + ellipse_d(38, -76, 7, 4.5), fill="#e8a07a", opacity=0.7),
        *(stroke(f"M{s * 22} 8L{s * 26} 18M{s * 26} 18l{s * 12} 2M{s * 26} 18l{s * 2} 5"
                 f"M{s * 26} 18l{-s * 8} 3", dark, 4) for s in (-1, 1)),
    ]  # fmt: skip
    return group(*art, transform=f"translate({num(x)} {num(y)})")


def thaw_in_the_square() -> Canvas:
    """Draw a village square at the end of winter, in the morning: what melts and what comes."""
    canvas = Canvas(width=768, height=512)
    canvas.add(
        box(0, 0, 768, 512, linear(canvas, (0, "#8cc3ee"), (0.5, "#fbe3bf"), (1, "#fff3dc")))
    )
    canvas.add(glow(canvas, 726, 196, 150, "#fff0b5", 0.95), oval(726, 196, 34, 34, "#ffdf7a"))
    canvas.add(cloud(150, 92, 150, "#ffffff", 0.9), cloud(520, 70, 120, "#ffffff", 0.8))
    _square_houses(canvas)
    canvas.add(path("M0 352C200 336 560 336 768 352V512H0Z", fill="#94a86a"))
    for x, y, rx, ry in ((90, 420, 120, 24), (330, 384, 90, 14), (600, 470, 150, 24),
                         (250, 492, 130, 18), (690, 392, 70, 12)):  # fmt: skip
        canvas.add(
            oval(x, y + 3, rx, ry, "#6d8350", fill_opacity=0.5), oval(x, y, rx, ry, "#fbfdff")
        )
    canvas.add(_bare_tree(), _melting_snowman(284, 436))
    rng = random.Random(3)
    for k in range(16):
        cx, cy = 430 + k % 8 * 38 + rng.uniform(-9, 9), 412 + k // 8 * 34 + rng.uniform(-8, 8)
        color = ("#7d55c7", "#f4b71e")[k % 2]
        canvas.add(
            stroke(f"M{num(cx)} {num(cy)}v16m-5 0q-3 -8 -6 -10m11 10q4 -8 7 -10", "#4f8a3a", 2.4),
            path(
                f"M{num(cx - 8)} {num(cy - 14)}Q{num(cx - 9)} {num(cy + 2)} {num(cx)} {num(cy + 3)}"
                f"Q{num(cx + 9)} {num(cy + 2)} {num(cx + 8)} {num(cy - 14)}L{num(cx + 3)} "
                f"{num(cy - 6)}"
                f"L{num(cx)} {num(cy - 17)}L{num(cx - 3)} {num(cy - 6)}Z",
                fill=color,
                stroke=shade(color, -0.35),
                stroke_width=1.4,
            ),
        )
    return canvas


def _square_houses(canvas: Canvas) -> None:
    """Paint a clock tower and four houses, icicles at their eaves."""
    for x, w, top, wall, roof in (
        (24, 130, 236, "#e8c39a", "#9a4b3a"),
        (330, 120, 226, "#d7dde6", "#5a6b80"),
        (456, 140, 246, "#efd3a3", "#a35a3c"),
        (602, 124, 232, "#d9b8a8", "#7a4038"),
    ):
        canvas.add(box(x, top, w, 352 - top, wall, stroke="#7a6650", stroke_width=2),
                   poly([(x - 10, top + 4), (x + w / 2, top - 52), (x + w + 10, top + 4)], roof,
                        stroke="#4a2f26", stroke_width=2))  # fmt: skip
        canvas.add(poly([(x + w * 0.22, top - 22), (x + w / 2, top - 52), (x + w * 0.72, top - 26),
                         (x + w * 0.6, top - 20), (x + w * 0.4, top - 28)], "#fbfdff"))  # fmt: skip
        icicles = "".join(
            f"M{num(x + 6 + k * 12)} {top + 4}l4 {14 + 7 * (k % 3)}l4 {-14 - 7 * (k % 3)}Z"
            for k in range(int(w // 12))
        )
        canvas.add(path(icicles, fill="#dff1fb", stroke="#9cc7df", stroke_width=1))
        for k in range(2):
            canvas.add(box(x + w * (0.18 + 0.4 * k), top + 34, 30, 38, "#8fb3cf", rx=3,
                           stroke="#ffffff", stroke_width=4))  # fmt: skip
        canvas.add(box(x + w / 2 - 13, 352 - 44, 26, 44, shade(roof, -0.2), rx=3))
    canvas.add(
        box(184, 116, 104, 236, "#cdb08a", stroke="#7a6650", stroke_width=2.5),
        poly([(172, 120), (236, 26), (300, 120)], "#6d4a5c", stroke="#3d2733", stroke_width=2.5),
        stroke("M236 26V6", "#3d2733", 4),
        box(208, 286, 56, 66, "#5b3a28", rx=26),
        oval(236, 176, 42, 42, "#fffdf4", stroke="#4a3a2c", stroke_width=5),
    )
    ticks = "".join(
        f"M{num(236 + 33 * math.cos(a))} {num(176 + 33 * math.sin(a))}"
        f"L{num(236 + 38 * math.cos(a))} {num(176 + 38 * math.sin(a))}"
        for a in (k * math.tau / 12 for k in range(12))
    )
    hours, minutes = _CLOCK
    short = math.tau * (hours + minutes / 60) / 12 - math.pi / 2
    long = math.tau * minutes / 60 - math.pi / 2
    canvas.add(
        stroke(ticks, "#4a3a2c", 2.6),
        stroke(
            f"M236 176L{num(236 + 18 * math.cos(short))} {num(176 + 18 * math.sin(short))}",
            "#22180f",
            6,
        ),
        stroke(
            f"M236 176L{num(236 + 31 * math.cos(long))} {num(176 + 31 * math.sin(long))}",
            "#22180f",
            3.6,
        ),
    )


def _bare_tree() -> str:
    """Return a tree without leaves but with buds, a nest box, and a bird with a twig."""
    limbs = (
        "M96 420C98 360 92 330 98 262M98 300C80 270 52 256 34 222M98 276C120 246 150 236 160 196"
        "M98 262C96 230 104 204 92 168M58 252C50 236 52 222 60 204M138 236C152 232 168 232 180 222"
    )
    buds = "".join(ellipse_d(x, y, 4.4, 5.4) for x, y in
                   ((34, 220), (46, 236), (60, 203), (92, 167), (99, 200), (160, 195), (152, 214),
                    (181, 221), (164, 230), (82, 284), (118, 252)))  # fmt: skip
    return "".join(
        (
            stroke(limbs, "#5a4330", 9),
            path(buds, fill="#8fc24a", stroke="#5f8a2c", stroke_width=1.2),
            box(82, 318, 32, 42, "#c98d4e", rx=3, stroke="#6f4a22", stroke_width=2),
            poly([(76, 320), (98, 300), (120, 320)], "#a33a32", stroke="#5e1c18", stroke_width=2),
            oval(98, 336, 7, 7, "#2b1b10"),
            path(
                "M150 316C138 304 140 290 156 290C166 286 178 292 176 302C182 304 190 310 192 316"
                "C178 322 160 324 150 316Z",
                fill="#4a6fa5",
                stroke="#2b456b",
                stroke_width=2,
            ),
            path("M150 312C146 300 152 298 158 300C162 306 160 316 150 312Z", fill="#e07b3c"),
            oval(150, 297, 2.4, 2.4, "#101010"),
            path("M142 296l-9 4l9 3Z", fill="#e8a21c"),
            stroke("M122 296L148 304", "#6f4a22", 2.6),
        )
    )


def _melting_snowman(x: float, y: float) -> str:
    """Return a snowman that leans and melts in a puddle, its hat askew."""
    return "".join(
        (
            oval(x, y + 8, 104, 20, "#7fb7dd", stroke="#5a97c2", stroke_width=2),
            oval(x - 22, y + 6, 40, 6, "#b9def2"),
            path(
                f"M{x - 66} {y + 10}C{x - 74} {y - 50} {x - 36} {y - 66} {x + 2} {y - 64}"
                f"C{x + 44} {y - 62} {x + 66} {y - 30} {x + 58} {y + 10}C{x + 20} {y + 20} "
                f"{x - 30} "
                f"{y + 20} {x - 66} {y + 10}Z",
                fill="#fafdff",
                stroke="#b4cbdc",
                stroke_width=2.5,
            ),
            path(
                f"M{x - 22} {y - 58}C{x - 30} {y - 104} {x + 50} {y - 110} {x + 46} {y - 62}"
                f"C{x + 30} {y - 48} {x - 8} {y - 46} {x - 22} {y - 58}Z",
                fill="#fafdff",
                stroke="#b4cbdc",
                stroke_width=2.5,
            ),
            oval(x + 2, y - 80, 3.6, 3.6, "#1d1f26"),
            oval(x + 26, y - 82, 3.6, 3.6, "#1d1f26"),
            path(
                f"M{x + 14} {y - 74}l8 4l-34 18Z",
                fill="#ee7f22",
                stroke="#b0530c",
                stroke_width=1.4,
            ),
            stroke(f"M{x + 4} {y - 56}q14 -8 26 0", "#1d1f26", 3),
            group(
                box(-30, -8, 60, 8, "#2b2d3a", rx=3),
                box(-19, -40, 38, 34, "#2b2d3a", rx=3),
                box(-19, -18, 38, 8, "#c9303b"),
                transform=f"translate({x + 22} {y - 98}) rotate(22)",
            ),
            stroke(f"M{x - 58} {y - 20}L{x - 104} {y + 4}M{x - 88} {y - 4}l-16 -8", "#5a4330", 5),
            path(
                "".join(
                    f"M{x + dx} {y + dy}q-5 9 0 12q5 -3 0 -12Z"
                    for dx, dy in ((-50, -26), (-20, -8), (30, -14), (50, -30))
                ),
                fill="#8cc6ea",
            ),
            *(oval(x - 4 + k, y - 38 + 22 * k, 4.2, 4.2, "#1d1f26") for k in range(2)),
        )
    )


def desert_door() -> Canvas:
    """Draw a red door that stands alone in the desert; behind it is the sea."""
    canvas = Canvas(width=512, height=512)
    desert(canvas, random.Random(21))
    sea = Picture(defs=canvas.defs)  # one list: no name is given twice
    seafloor(sea, random.Random(5))
    canvas.add(oval(262, 452, 128, 16, "#4a2410", fill_opacity=0.4))
    frame = "M168 148H344V450H168Z"
    canvas.add(clipped(canvas, frame, group(*sea.body, transform="translate(110 128) scale(0.66)")))
    canvas.add(
        path(frame, fill="none", stroke="#5b2c17", stroke_width=15, stroke_linejoin="round"),
        path(frame, fill="none", stroke="#a8653a", stroke_width=8, stroke_linejoin="round"),
    )
    canvas.add(poly([(344, 144), (436, 118), (436, 486), (344, 452)], linear(canvas, (0, "#d8343c"),
                    (1, "#9b1c26"), end=(1, 0)), stroke="#5e0f16", stroke_width=4,
                    stroke_linejoin="round"),
               poly([(358, 170), (422, 154), (422, 284), (358, 284)], "none", stroke="#7d141d",
                    stroke_width=4),
               poly([(358, 308), (422, 310), (422, 450), (358, 428)], "none", stroke="#7d141d",
                    stroke_width=4), oval(424, 298, 8, 8, "#f2c744", stroke="#8a6a12",
                                          stroke_width=2))  # fmt: skip
    canvas.add(
        path(
            "M178 452C200 440 330 438 344 456C372 470 372 494 330 498C270 506 190 500 168 486"
            "C150 474 156 460 178 452Z",
            fill="#3fa3d6",
            opacity=0.85,
        ),
        path(
            "M196 468q22 -8 44 0t44 0t44 0M206 484q20 -7 40 0t40 0",
            fill="none",
            stroke="#d6f1fb",
            stroke_width=3,
            opacity=0.9,
        ),
    )
    for x, y, s, color in (
        (96, 300, 1.0, "#ff9a2e"),
        (62, 236, 0.7, "#ffd23f"),
        (128, 214, 0.6, "#ff6f61"),
    ):
        canvas.add(
            group(
                path(
                    "M-34 0C-16 -22 18 -20 34 0C18 20 -16 22 -34 0Z",
                    fill=color,
                    stroke=shade(color, -0.4),
                    stroke_width=2.4,
                ),
                path(
                    "M30 0L54 -17L48 0L54 17Z",
                    fill=shade(color, -0.12),
                    stroke=shade(color, -0.4),
                    stroke_width=2.4,
                    stroke_linejoin="round",
                ),
                path(
                    "M-4 -16C2 -4 2 4 -4 16M10 -15C16 -4 16 4 10 15",
                    fill="none",
                    stroke="#ffffff",
                    stroke_width=4,
                ),
                oval(-20, -4, 4, 4, "#ffffff"),
                oval(-21, -4, 2.2, 2.2, "#111111"),
                transform=f"translate({x} {y}) scale({s})",
            )
        )
    for x, y, r in ((70, 272, 6), (56, 286, 4), (34, 212, 5), (150, 250, 4), (140, 188, 4)):
        canvas.add(
            oval(x, y, r, r, "#ffffff", fill_opacity=0.35, stroke="#ffffff", stroke_width=1.5)
        )
    return canvas
