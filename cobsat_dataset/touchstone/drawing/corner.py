"""A room to be described down to its last book: a reading corner on a rainy day."""

from __future__ import annotations

import random

from ...drawing.backgrounds.kit import glow
from ...drawing.svg import path, shade
from .brush import blob, box, disc, fade, mirrored, oval, shadow, stroke
from .canvas import Canvas
from .things import figure

__all__ = ["reading_corner"]


def reading_corner() -> Canvas:
    """An armchair with a sleeping cat, a lamp, books, a plant and a rainy window."""
    c = Canvas(width=736, height=560)
    c.add(box(0, 0, 736, 430, fade(c, "#e9d3b0", "#e2c598")))
    for x in range(14, 736, 46):
        for y in range(20 + (x // 46 % 2) * 22, 430, 44):
            c.add(path(f"M{x} {y}l5 8l-5 8l-5 -8z", fill="#d3b27f", opacity=0.55))
    c.add(box(0, 426, 736, 134, fade(c, "#a9713f", "#855428")), box(0, 418, 736, 12, "#f3e6d0"),
          stroke("M0 462H736M0 506H736M120 430V462M400 430V462M640 430V462M240 462V506M560 462V506"
                 "M90 506V560M420 506V560", "#6f4520", 2))  # fmt: skip
    _rainy_window(c)
    _bookcase(c)
    c.add(
        oval(350, 514, 250, 36, "#9c3b3b"),
        oval(350, 514, 226, 30, "#e3b65a"),
        oval(350, 514, 212, 27, "#7f2d35"),
    )
    _armchair(c)
    cat = figure(c, "cat", x=352, ground=402, height=92, pose="sleep", mood="asleep", seed=5)
    c.add(cat.back, cat.front, cat.top)
    _lamp_and_table(c)
    _plant(c)
    return c


def _rainy_window(c: Canvas) -> None:
    c.add(
        box(246, 40, 210, 196, "#ffffff", 4), box(258, 52, 186, 172, fade(c, "#7f93a8", "#a9b9c6"))
    )
    rng = random.Random(2)
    for x, r in ((280, 30), (330, 42), (390, 36), (430, 30)):
        c.add(disc(x, 224 - r * 0.2, r, "#5f7a6a", opacity=0.8))
    c.add(box(246, 224, 210, 12, "#ffffff"))
    for _ in range(48):
        px, py = rng.uniform(262, 438), rng.uniform(54, 206)
        c.add(stroke(f"M{px:.0f} {py:.0f}l-3 13", "#e3edf5", 1.8, stroke_opacity=0.85))
    c.add(stroke("M351 52V224M258 138H444", "#ffffff", 8), box(234, 234, 234, 13, "#f3ead8", 3))
    for s in (-1, 1):
        x = 351 + s * 116
        c.add(path(f"M{x + s * 24} 26H{x - s * 24}C{x - s * 16} 110 {x + s * 2} 190 {x + s * 6} "
                   f"262H{x + s * 32}Z",
                   fill=fade(c, "#3f7a86", "#2d5c66")),
              stroke(f"M{x + s * 10} 30C{x + s * 12} 120 {x + s * 20} 190 {x + s * 22} 258"
                     f"M{x - s * 8} 30"
                     f"C{x - s * 2} 110 {x + s * 8} 180 {x + s * 12} 250", "#234a52",
                     2))  # fmt: skip
    c.add(
        stroke("M214 26H488", "#6f4520", 7),
        disc(212, 26, 8, "#6f4520"),
        disc(490, 26, 8, "#6f4520"),
    )


def _bookcase(c: Canvas) -> None:
    c.add(
        box(16, 96, 172, 338, "#7a4a26", 4),
        *(box(28, y, 148, 92, "#52301a") for y in (108, 214, 320)),
    )
    rng = random.Random(21)
    colors = ("#b23a48", "#2f5a8f", "#e0a43a", "#3f7a5a", "#7a4f8f", "#d9d2c3", "#c9683a")
    for shelf, foot in enumerate((200, 306)):
        x = 32
        k = shelf * 3
        while x < 150:
            w, h = rng.randint(13, 20), rng.randint(58, 82)
            color = colors[k % 7]
            c.add(box(x, foot - h, w, h, color, 2, stroke=shade(color, -0.35), stroke_width=1.2),
                  box(x + 2, foot - h + 10, w - 4, 4, shade(color, 0.45)))  # fmt: skip
            x, k = x + w + 1, k + 1
    c.add(disc(76, 376, 30, "#4f94bf", stroke="#b98a3a", stroke_width=3),
          blob([(56, 366), (70, 356), (84, 364), (80, 380), (64, 384)], "#6fae56"),
          blob([(84, 384), (96, 374), (100, 386), (90, 396)], "#6fae56"),
          stroke("M76 406V412M58 412H94", "#b98a3a", 5),
          box(120, 396, 46, 9, "#b23a48", 2), box(124, 386, 40, 10, "#2f5a8f", 2),
          box(120, 377, 44, 9, "#e0a43a", 2))  # fmt: skip


def _armchair(c: Canvas) -> None:
    green, dark = fade(c, "#5f9a6a", "#3f7a52"), "#2c5a3c"
    style = {"fill": green, "stroke": dark, "stroke_width": 2.5}
    c.add(
        shadow(c, 352, 514, 180, 20, 0.45),
        *(box(x, 478, 16, 34, "#5a3418", 4) for x in (216, 472)),
        path(
            "M232 420C214 320 222 250 260 240C310 228 394 228 444 240C482 250 490 320 472 420Z",
            **style,
        ),
        *(
            disc(x, y, 4, dark)
            for x, y in ((300, 288), (352, 280), (404, 288), (326, 326), (378, 326))
        ),
        path("M228 400H476V486H228Z", **style),
        path(
            "M246 394C246 384 458 384 458 394V424H246Z",
            fill=fade(c, "#74b07e", "#5a9a68"),
            stroke=dark,
            stroke_width=2.5,
        ),
        mirrored(
            path("M186 366C184 340 240 336 246 362L250 486H204C196 486 190 440 186 366Z", **style)
            + path("M190 362C190 344 238 344 242 362", fill="none", stroke=dark, stroke_width=2),
            x=352,
        ),
    )


def _lamp_and_table(c: Canvas) -> None:
    c.add(
        glow(c, 588, 190, 190, "#fff0b5", 0.75),
        shadow(c, 588, 500, 60, 10, 0.4),
        stroke("M588 232V494", "#8a6a2a", 6),
        oval(588, 496, 40, 9, "#8a6a2a"),
        path(
            "M552 150H624L652 238H524Z",
            fill=fade(c, "#fff3c4", "#f6cf6a"),
            stroke="#c99a34",
            stroke_width=2,
        ),
    )
    c.add(
        shadow(c, 548, 522, 66, 9, 0.4),
        stroke("M516 424L506 518M580 424L590 518M548 424V514", "#5a3418", 6),
        oval(548, 422, 62, 13, "#8f5a2e"),
        oval(548, 418, 62, 13, "#b5773f"),
        path("M500 416L556 408L566 416L510 425Z", fill="#b23a48"),
        path(
            "M500 412L556 404L566 412L510 421Z", fill="#f6efe0", stroke="#b23a48", stroke_width=1.5
        ),
        path(
            "M570 386H598V410C598 418 570 418 570 410Z",
            fill="#4f8fd0",
            stroke="#2c5a8f",
            stroke_width=1.8,
        ),
        path("M598 392C612 392 612 408 598 407", fill="none", stroke="#2c5a8f", stroke_width=3.5),
        oval(584, 386, 14, 4, "#5a3418"),
        stroke(
            "M578 376C574 368 582 364 578 356M590 376C586 368 594 364 590 356",
            "#ffffff",
            2.4,
            stroke_opacity=0.8,
        ),
    )


def _plant(c: Canvas) -> None:
    c.add(shadow(c, 672, 516, 56, 10, 0.4))
    for k, (x, y) in enumerate(
        ((640, 330), (664, 300), (692, 318), (714, 350), (620, 372), (726, 392), (676, 352))
    ):
        bend = (672 + x) / 2 + (x - 672) * 0.3
        c.add(
            path(
                f"M672 450Q{bend:.0f} {y + 20} {x} {y}Q{bend + 22:.0f} {y + 44} 676 450Z",
                fill=("#3f8a4a", "#57a355", "#2f7440")[k % 3],
                stroke="#245a30",
                stroke_width=1.6,
            )
        )
    c.add(
        path("M632 446H712L702 514H642Z", fill=fade(c, "#d0764a", "#a9532c")),
        box(626, 436, 92, 16, "#d98a5c", 4),
    )
