"""Scenes out of doors to be described: a harbour and a snowy garden."""

from __future__ import annotations

import random

from ...drawing.backgrounds.kit import cloud, glow
from ...drawing.objects.geometry import curve
from ...drawing.svg import group, path, shade
from .brush import at, blob, box, disc, fade, line, mirrored, oval, shadow, stroke
from .canvas import Canvas
from .things import figure

__all__ = ["harbour_morning", "snowy_garden"]


def harbour_morning() -> Canvas:
    """A striped lighthouse, three sailing boats, and a man who fishes from a jetty."""
    c = Canvas(width=736, height=512)
    c.add(box(0, 0, 736, 300, fade(c, "#7fb4e6", "#cfe3f0", "#ffe2bd")),
          glow(c, 560, 262, 150, "#fff1c0"), disc(560, 264, 32, "#fff0b5"),
          cloud(420, 70, 150, "#ffffff", 0.85), cloud(640, 110, 130, "#fff6ea", 0.8),
          cloud(250, 120, 110, "#ffffff", 0.7),
          path("M380 296C440 270 500 282 560 276C630 268 690 280 736 272V300H380Z", fill="#8fa9bd"),
          box(0, 294, 736, 218, fade(c, "#8fc3dd", "#4f94bf", "#2c6a99")))  # fmt: skip
    rng = random.Random(4)
    for _ in range(90):
        y = rng.uniform(304, 506)
        w = 8 + (y - 300) * 0.2
        x = rng.uniform(0, 736)
        c.add(stroke(f"M{x:.0f} {y:.0f}q{w / 2:.0f} -4 {w:.0f} 0", "#ffffff", 1.8,
                     stroke_opacity=0.35))  # fmt: skip
    for k in range(9):
        w = rng.uniform(16, 50)
        c.add(
            stroke(f"M{560 - w:.0f} {302 + k * 11}h{2 * w:.0f}", "#fff0b5", 3, stroke_opacity=0.5)
        )
    boats = ((330, 330, 0.62, "#ffffff"), (462, 352, 0.85, "#d8443c"), (640, 388, 1.15, "#f6c63d"))
    for left, top, scale, sail in boats:
        c.add(at(left, top, scale, _sailing_boat(sail)))
    _lighthouse(c)
    gull = path(
        "M-26 -8C-14 -16 -6 -8 0 0C6 -8 14 -16 26 -8C14 -8 6 0 0 7C-6 0 -14 -8 -26 -8Z",
        fill="#ffffff", stroke="#7c8a96", stroke_width=1.4,
    )  # fmt: skip
    for left, top, scale in ((250, 60, 1.0), (300, 92, 0.8), (352, 54, 0.7), (214, 108, 0.7)):
        c.add(at(left, top, scale, gull))
    _jetty(c)
    return c


def _sailing_boat(sail: str) -> str:
    return (
        oval(0, 6, 78, 8, "#1d4a6d55")
        + stroke("M0 -4V-158", "#6b4a2c", 4.5)
        + path(
            "M6 -152C44 -110 60 -60 62 -22H6Z", fill=sail, stroke=shade(sail, -0.3), stroke_width=2
        )
        + path(
            "M-6 -140C-30 -100 -46 -60 -50 -22H-6Z",
            fill=shade(sail, -0.1),
            stroke=shade(sail, -0.35),
            stroke_width=2,
        )
        + path("M0 -158L22 -151L0 -144Z", fill="#2f5aa6")
        + path(
            "M-72 -16H76C70 4 58 14 40 16H-42C-58 12 -68 0 -72 -16Z",
            fill="#7a4a2a",
            stroke="#4a2a14",
            stroke_width=2,
        )
        + stroke("M-68 -7H73", "#f3e6d0", 3.5)
    )


def _lighthouse(c: Canvas) -> None:
    stone = ("#7d7a78", "#918d89", "#6b6866")
    rocks = [(-10, 400), (20, 330), (64, 306), (120, 300), (176, 310), (216, 334), (236, 372),
             (214, 396),
             (120, 408)]  # fmt: skip
    c.add(blob(rocks, fade(c, "#8d8984", "#5b5855"), stroke="#4a4745", stroke_width=2))
    rng = random.Random(8)
    for _ in range(18):
        x, y = rng.uniform(10, 210), rng.uniform(322, 392)
        c.add(
            oval(
                x,
                y,
                rng.uniform(12, 24),
                rng.uniform(7, 12),
                rng.choice(stone),
                rng.uniform(-20, 20),
            )
        )
    c.add(
        line(
            [(0, 408), (60, 400), (120, 412), (180, 400), (246, 390)],
            "#ffffff",
            5,
            stroke_opacity=0.8,
        )
    )
    tower = c.define("clipPath", path("M74 308L88 112H140L154 308Z"))
    bands = "".join(box(60, y, 110, 40, "#d8342f") for y in (112, 192, 272))
    side = fade(c, "#00000000", "#00000000", "#00000055", across=True)
    c.add(group(box(60, 100, 110, 220, "#fbf8f2"), bands, box(60, 100, 110, 220, side),
                clip_path=tower),
          path("M74 308L88 112H140L154 308Z", fill="none", stroke="#5a5552", stroke_width=2),
          *(path(f"M{114 - 7} {y + 20}v-14a7 7 0 0 1 14 0v14z", fill="#3a4a5a")
            for y in (160, 236)),
          path("M100 308V286a14 14 0 0 1 28 0V308Z", fill="#2f4a7a"),
          box(80, 102, 68, 11, "#3b3b42", 2),
          stroke("M82 102V88M92 102V88M136 102V88M146 102V88M80 88H148",
          "#3b3b42", 2.5), box(98, 66, 32, 36, "#ffe9a0", stroke="#3b3b42", stroke_width=2.5),
          stroke("M109 66V102M119 66V102", "#3b3b42", 1.6), disc(114, 84, 7, "#ffb52e"),
          path("M92 67C96 48 106 40 114 36C122 40 132 48 136 67Z", fill="#d8342f", stroke="#8a1f1c",
               stroke_width=2), stroke("M114 36V22", "#3b3b42", 3))  # fmt: skip


def _jetty(c: Canvas) -> None:
    for x in (30, 130, 230, 322):
        c.add(box(x, 446, 15, 66, fade(c, "#6b4a2c", "#3f2a18")))
    c.add(box(0, 430, 352, 20, fade(c, "#b98a58", "#8f6438"), stroke="#5a3d20", stroke_width=1.6),
          stroke("".join(f"M{x} 431V449" for x in range(22, 350, 26)), "#6f4c28", 1.8))  # fmt: skip
    man = (
        path("M-6 -46C14 -50 34 -48 48 -40L52 -2L40 0L34 -28L4 -18Z", fill="#3f5a7a")
        + oval(50, 2, 14, 6, "#3a2a20")
        + path("M-24 -38C-26 -72 -18 -96 2 -98C20 -96 24 -70 20 -40Z", fill="#e8b420",
               stroke="#a87d10",
               stroke_width=1.6)
        + stroke("M6 -84C22 -74 34 -70 48 -74", "#d9a418", 13) + disc(50, -75, 6.5, "#e2b48f")
        + disc(4, -114, 17, "#e2b48f") + disc(17, -112, 4, "#d9a27a")
        + path("M-16 -116C-16 -140 22 -140 24 -118L40 -114H-16Z", fill="#e8b420", stroke="#a87d10",
               stroke_width=1.6)
        + disc(11, -114, 1.9, "#222") + stroke("M8 -105q5 3 9 0", "#8a5a3c", 2)
        + path("M-12 -108C-8 -94 8 -92 16 -100C10 -90 -6 -90 -12 -108Z", fill="#f3f0ea")
    )  # fmt: skip
    c.add(box(238, 392, 58, 39, "#4f8a5a", 4, stroke="#2c5a38", stroke_width=2),
          box(234, 388, 66, 10, "#5f9f6a", 3, stroke="#2c5a38", stroke_width=2),
          at(270, 432, 1.1, man), stroke("M322 352L440 300", "#4a3018", 3.5),
          stroke("M440 300C446 360 448 420 444 470", "#f4f4f4", 1.3), disc(444, 470, 6, "#d8342f"),
          box(439, 464, 10, 5, "#ffffff"))  # fmt: skip
    bucket = path("M-18 -30H18L14 0H-14Z", fill="#7fa3b8", stroke="#4a6678", stroke_width=2)
    c.add(
        at(
            196,
            431,
            1,
            path("M-8 -26C-14 -40 -4 -46 2 -40L6 -46L8 -36C12 -32 8 -26 4 -26Z", fill="#9fb4bd"),
            bucket,
            stroke("M-18 -30C-14 -50 14 -50 18 -30", "#4a6678", 2),
        )
    )
    dog = figure(c, "dog", x=104, ground=434, height=96, pose="sit", seed=3)
    c.add(dog.back, dog.front, dog.top)


def snowy_garden() -> Canvas:
    """Two children build a snowman before a house; it snows."""
    c = Canvas(width=736, height=528)
    c.add(box(0, 0, 736, 528, fade(c, "#a9bfd9", "#dbe6f0", "#f3f0ee")))
    for top, color in (([(-20, 262), (120, 214), (260, 252), (400, 206), (560, 246), (760, 208)],
                        "#c9d8e6"),
                       ([(-20, 300), (150, 280), (330, 302), (540, 276), (760, 300)],
                        "#e3ecf4")):  # fmt: skip
        c.add(path(curve(top, closed=False) + "L760 540L-20 540Z", fill=color))
    for x, k in ((300, 0.8), (352, 1.0), (404, 0.75), (700, 1.1)):
        c.add(at(x, 306, k, _fir()))
    c.add(at(560, 318, 1, _house(c)))
    c.add(path(curve([(-20, 356), (160, 330), (360, 346), (560, 326), (760, 346)], closed=False)
               + "L760 540L-20 540Z", fill=fade(c, "#f9fbfe", "#d3e0ee")))  # fmt: skip
    c.add(at(70, 400, 1, _bare_tree()))
    c.add(shadow(c, 372, 486, 110, 16, 0.3), at(372, 488, 1, _snowman()))
    c.add(
        shadow(c, 214, 488, 60, 11, 0.3),
        shadow(c, 536, 488, 62, 11, 0.3),
        at(214, 488, 1, _child("#d8342f", "#2f5aa6", "#f0c29c", "#5a3a22", "#f6c63d", girl=True)),
        at(
            536,
            488,
            1,
            group(
                _child("#2f8f5a", "#4a3a5a", "#9c6440", "#1d1410", "#e8772e", girl=False),
                transform="scale(-1 1)",
            ),
        ),
    )
    c.add(at(646, 500, 1, _sled()))
    rng = random.Random(12)
    for _ in range(130):
        c.add(disc(rng.uniform(0, 736), rng.uniform(0, 520), rng.uniform(1.4, 3.8), "#ffffff",
                   opacity=0.9))  # fmt: skip
    return c


def _fir() -> str:
    layers = "".join(
        path(f"M0 {y}L{w} {y + 58}H{-w}Z", fill=color)
        + path(f"M0 {y}L{w * 0.5:.0f} {y + 29}C{w * 0.2:.0f} {y + 22} {-w * 0.2:.0f} {y + 34} "
               f"{-w * 0.5:.0f} {y + 29}Z", fill="#ffffff")
        for y, w, color in ((-66, 42, "#2f6a50"), (-100, 34, "#38785b"), (-130, 25, "#438766"))
    )  # fmt: skip
    return box(-5, -14, 10, 18, "#5a4030") + layers


def _house(c: Canvas) -> str:
    bricks = "".join(
        stroke(f"M-96 {y}H96", "#8f3f34", 1.2, stroke_opacity=0.5) for y in range(-84, 0, 12)
    )

    def window(x: float) -> str:
        panes = stroke(f"M{x + 20} -70V-32M{x} -51H{x + 40}", "#ffffff", 3)
        frame = box(x, -70, 40, 38, "#ffe08a", stroke="#ffffff", stroke_width=5)
        return frame + panes + box(x - 5, -30, 50, 7, "#ffffff", 3)

    smoke = "".join(disc(60 + k * 13, -196 - k * 19, 11 + k * 4, "#ffffff", opacity=0.75 - k * 0.13)
                    for k in range(5))  # fmt: skip
    return (
        smoke
        + box(44, -176, 28, 60, "#8f3f34")
        + box(40, -182, 36, 11, "#ffffff", 5)
        + box(-96, -96, 192, 106, fade(c, "#c65f50", "#a94a3e"))
        + bricks
        + path(
            "M-118 -90L0 -166L118 -90L108 -80H-108Z",
            fill="#ffffff",
            stroke="#c3d3e3",
            stroke_width=2,
        )
        + window(-80)
        + window(40)
        + box(-20, -58, 40, 68, "#2f5a7a", 3)
        + disc(12, -24, 3, "#f6d04a")
        + disc(0, -42, 11, "none", stroke="#3f8a4a", stroke_width=6)
        + disc(0, -32, 3.4, "#d8342f")
    )


def _bare_tree() -> str:
    limbs = (
        "M0 20C-4 -60 2 -120 0 -190M0 -90C-20 -120 -44 -134 -62 -170M-2 -60C24 -96 44 -110 66 -150"
        "M0 -140C14 -170 26 -190 30 -220M-34 -130C-40 -154 -40 -172 -36 -190"
        "M36 -110C54 -118 70 -118 84 -128M0 -190C-6 -214 -14 -226 -16 -244"
    )
    snow = (
        "M-62 -172C-46 -140 -22 -124 -4 -98M66 -153C46 -114 26 -100 2 -68"
        "M84 -131C70 -121 54 -121 38 -114"
    )
    return (
        path("M-15 24C-8 -30 -8 -60 -6 -110H6C8 -60 10 -30 17 24Z", fill="#5a4436")
        + stroke(limbs, "#5a4436", 7) + stroke(snow, "#ffffff", 4)
    )  # fmt: skip


def _snowman() -> str:
    ball = {"stroke": "#b9cbdd", "stroke_width": 2.0}
    return (
        stroke("M-56 -112L-100 -146M-100 -146L-114 -142M-100 -146L-104 -162M56 -112L98 -150"
               "M98 -150L112 -148M98 -150L100 -166", "#5a3d24", 6)
        + disc(0, -52, 68, "#f6fafe", **ball) + disc(0, -132, 50, "#fbfdff", **ball)
        + disc(0, -200, 38, "#ffffff", **ball)
        + path("M-48 -50C-40 -6 30 8 58 -22C40 18 -40 14 -48 -50Z",
        fill="#c9d9e8", opacity=0.6)
        + "".join(disc(0, y, 5.5, "#2a2a30") for y in (-146, -124, -102))
        + disc(-13, -208, 5, "#2a2a30") + disc(13, -208, 5, "#2a2a30")
        + path("M-2 -202L36 -194L-2 -190Z", fill="#f08a24", stroke="#b9601a", stroke_width=1.5)
        + "".join(disc(x, -178 - abs(x) * 0.35 + 6, 2.8, "#2a2a30") for x in (-16, -8, 0, 8, 16))
        + path("M-38 -176C-20 -160 20 -160 38 -176L36 -162C20 -148 -20 -148 -36 -162Z",
               fill="#2f8fbf")
        + path("M14 -160L34 -164L42 -106L22 -102Z", fill="#2f8fbf")
        + stroke("M17 -144L37 -148M20 -124L40 -128", "#ffffff", 5)
        + stroke("M-24 -167L-21 -155M2 -162V-150",
        "#ffffff", 5)
        + box(-28, -276, 56, 46, "#2b2d36", 3) + box(-28, -244, 56, 11, "#d8342f")
        + box(-46, -234, 92, 9, "#2b2d36", 4)
    )  # fmt: skip


def _child(coat: str, trousers: str, skin: str, hair: str, cap: str, *, girl: bool) -> str:
    locks = (
        mirrored(path("M22 -176C36 -164 34 -138 28 -124C20 -138 18 -160 18 -174Z", fill=hair))
        if girl
        else ""
    )
    return (
        stroke("M-14 -52V-16M14 -52V-16", trousers, 21)
        + path("M-28 -14H-2V2H-30ZM4 -14H30L34 2H4Z", fill="#5a3d2a")
        + path(
            "M-32 -128C-40 -92 -42 -62 -40 -44C-14 -36 14 -36 40 -44C42 -62 40 -92 32 -128Z",
            fill=coat,
            stroke=shade(coat, -0.35),
            stroke_width=2,
        )
        + stroke("M0 -126V-42", shade(coat, -0.35), 2.2)
        + "".join(disc(6, y, 2.6, "#ffffff") for y in (-112, -92, -72))
        + stroke("M28 -118C46 -110 58 -108 74 -118", coat, 19)
        + disc(80, -121, 11.5, cap)
        + stroke("M-28 -118C-42 -104 -46 -92 -44 -76", shade(coat, -0.1), 19)
        + disc(-44, -70, 11.5, cap)
        + locks
        + disc(0, -160, 32, skin, stroke=shade(skin, -0.3), stroke_width=1.6)
        + path(
            "M-32 -162C-34 -186 -16 -196 0 -196C18 -196 34 -186 32 -162C20 -174 -20 -174 -32 -162Z",
            fill=hair,
        )
        + path("M-34 -170C-34 -206 34 -206 34 -170C14 -180 -14 -180 -34 -170Z", fill=cap)
        + stroke("M-33 -172C-14 -182 14 -182 33 -172", shade(cap, -0.25), 8)
        + disc(0, -202, 10, "#ffffff")
        + disc(6, -158, 3.6, "#2a1d16")
        + disc(22, -158, 3.6, "#2a1d16")
        + stroke("M6 -143Q15 -135 23 -144", "#8a3a34", 3)
        + disc(2, -148, 5, "#e0524a", opacity=0.4)
        + disc(26, -148, 4.5, "#e0524a", opacity=0.4)
        + path("M-26 -134C-10 -124 10 -124 26 -134L28 -122C10 -112 -10 -112 -28 -122Z", fill=cap)
    )


def _sled() -> str:
    return (
        stroke("M-58 4H48C64 4 66 -20 56 -24M-58 -6V-22M20 -6V-22", "#7a4a24", 6)
        + "".join(box(-66, y, 116, 8, "#c9884a", 3, stroke="#7a4a24", stroke_width=1.4)
                  for y in (-36, -26))
        + stroke("M56 -24C80 -30 74 2 92 0", "#d8342f", 3)
    )  # fmt: skip
