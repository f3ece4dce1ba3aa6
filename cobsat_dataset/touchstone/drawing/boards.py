"""Boards and signs to be read: a menu, an exit sign, a timetable, a map with a legend."""

# ruff: noqa: RUF001 (dashes as printers set them)

from __future__ import annotations

import random
from typing import Final

from ...drawing.objects.geometry import curve
from ...drawing.svg import path
from .brush import at, blob, box, disc, fade, line, shadow, stroke
from .canvas import Canvas
from .lettering import lettering

__all__ = ["bus_timetable", "cafe_board", "park_map", "station_exit"]

_INK: Final = "#23304a"


def cafe_board() -> Canvas:
    """A café's menu in chalk, with its hours."""
    c = Canvas(width=560, height=700)
    c.add(
        box(0, 0, 560, 700, fade(c, "#c9b79a", "#a99474")),
        box(0, 610, 560, 90, "#8f8f92"),
        stroke("M0 612H560M120 612L60 700M330 612L350 700M500 612L560 680", "#77777a", 3),
    )
    for row in range(10):
        for k in range(-1, 5):
            c.add(box(k * 130 + (row % 2) * 65 + 2, row * 61 + 2, 126, 57, "#bda888", 3))
    c.add(
        shadow(c, 280, 660, 240, 20, 0.5),
        path("M86 660L66 676M474 660L494 676", stroke="#4a2f18", stroke_width=14),
        box(62, 30, 436, 630, fade(c, "#9c6a3a", "#6b4320", across=True), 8),
        box(82, 50, 396, 590, "#2a302e"),
    )
    rng = random.Random(5)
    for _ in range(16):
        c.add(
            stroke(
                f"M{rng.uniform(90, 400):.0f} {rng.uniform(60, 630):.0f}"
                f"l{rng.uniform(30, 70):.0f} {rng.uniform(-16, 16):.0f}",
                "#ffffff",
                16,
                stroke_opacity=0.025,
            )
        )
    hand = random.Random(3)
    c.write("Café Luna", 280, 116, 54, weight=4.2, fill="#ffe9a8", anchor="middle", shaky=hand)
    c.add(line([(150, 140), (280, 134), (410, 142)], "#ffe9a8", 3))
    items = (
        ("Espresso", "2.40"),
        ("Cappuccino", "3.60"),
        ("Crème brûlée", "5.20"),
        ("Apple strudel", "4.80"),
    )
    for k, (name, price) in enumerate(items):
        y = 196 + k * 52
        c.write(name, 108, y, 32, weight=2.4, fill="#f4f6f0", shaky=hand)
        c.write(f"€{price}", 452, y, 32, weight=2.4, fill="#a8e0f0", anchor="end", shaky=hand)
    c.add(stroke("M108 384H452", "#f4f6f0", 2, stroke_dasharray="3 9"))
    c.write(
        "Soup of the day:", 280, 428, 30, weight=2.4, fill="#f7b7c4", anchor="middle", shaky=hand
    )
    c.write("Pumpkin & ginger", 280, 472, 36, weight=3, fill="#f7b7c4", anchor="middle", shaky=hand)
    c.write(
        "Open 8 am – 6 pm", 280, 540, 32, weight=2.6, fill="#f4f6f0", anchor="middle", shaky=hand
    )
    c.write(
        "CLOSED ON TUESDAY", 280, 590, 30, weight=3.2, fill="#ffb38a", anchor="middle", shaky=hand
    )
    cup = path(
        "M-24 -14H24C24 10 14 20 0 20C-14 20 -24 10 -24 -14Z",
        fill="none",
        stroke="#f4f6f0",
        stroke_width=3,
    ) + stroke(
        "M24 -8C38 -8 36 8 21 8M-34 24H34M-8 -22C-14 -30 -2 -34 -8 -42M8 -22C2 -30 14 -34 8 -42",
        "#f4f6f0",
        3,
    )
    c.add(at(112, 96, 0.62, cup), at(448, 96, 0.62, cup))
    return c


def station_exit() -> Canvas:
    """A hanging sign in a station in Japanese and English."""
    c = Canvas(width=720, height=460)
    c.add(box(0, 0, 720, 460, fade(c, "#a9b0b6", "#d3d8db", "#8f969c")))
    for k in range(9):
        c.add(stroke(f"M{k * 90} 0L{k * 90 - (360 - k * 90) * 0.5:.0f} 110", "#8f969c", 2))
    c.add(
        path("M0 360L280 300H440L720 360V460H0Z", fill=fade(c, "#b9b2a6", "#8f887c")),
        stroke("M0 410H720M60 460L310 300M660 460L410 300M360 460V300", "#77705f", 2),
        path("M0 392L300 304H308L40 404Z", fill="#f3cc2e"),
        path("M280 300V190H440V300Z", fill="#5f666c"),
        *(box(300 + k * 34, 214, 26, 86, "#8f979e") for k in range(4)),
    )
    c.add(
        stroke("M160 0V92M560 0V92", "#4a5056", 8),
        box(64, 92, 592, 168, "#00000044", 8),
        box(60, 86, 592, 168, "#16181c", 8),
        box(70, 96, 572, 148, "#f3c921", 4),
    )
    c.add(path("M96 168L142 122V150H190V186H142V214Z", fill="#16181c"))
    c.write("出口", 226, 176, 78, weight=8, fill="#16181c", spacing=6)
    c.write("EXIT", 236, 228, 36, weight=5, fill="#16181c")
    c.add(stroke("M384 108V232", "#16181c", 3))
    c.write("A3", 420, 168, 54, weight=7, fill="#16181c")
    c.write("City Museum", 420, 206, 25, weight=2.8, fill="#16181c")
    c.write("350 m", 420, 234, 22, weight=2.4, fill="#16181c")
    person = disc(0, -58, 11, "#3a4047") + path(
        "M-13 -46H13L16 -8H9L6 26H-6L-9 -8H-16Z", fill="#3a4047"
    )
    c.add(
        shadow(c, 540, 372, 30, 6, 0.4),
        at(540, 344, 1.05, person),
        at(168, 352, 1.2, person.replace("#3a4047", "#6b3a3a")),
        box(186, 344, 26, 34, "#2f5a6a", 4),
        stroke("M192 344V328H206V344", "#2a3036", 3),
        disc(191, 380, 4, "#222"),
        disc(207, 380, 4, "#222"),
    )
    return c


TIMETABLE: Final = (
    ("Old Harbour", "07:10", "07:40", "08:10"), ("Market Square", "07:18", "07:48", "08:18"),
    ("Central Station", "07:25", "07:55", "08:25"), ("City Hospital", "07:33", "08:03", "08:33"),
    ("University", "07:41", "–", "08:41"), ("Airport", "07:58", "08:22", "08:58"),
)  # fmt: skip
"""A bus line's stops and the times of three departures; a dash where the bus does not stop."""


def bus_timetable() -> Canvas:
    """A bus stop's timetable behind glass."""
    c = Canvas(width=640, height=600)
    c.add(
        box(0, 0, 640, 600, fade(c, "#a9cbe0", "#dbe8e4")),
        box(0, 520, 640, 80, "#8f9296"),
        path(
            curve([(-20, 520), (120, 440), (300, 500), (480, 430), (660, 510)], closed=False)
            + "L660 530H-20Z",
            fill="#7fa35a",
        ),
    )
    c.add(
        box(90, 0, 18, 600, "#5a6068"),
        box(532, 0, 18, 600, "#5a6068"),
        box(58, 34, 530, 506, "#00000044", 12),
        box(52, 28, 530, 506, "#2f3a44", 12),
        box(64, 40, 506, 482, "#fdfdfb", 5),
    )
    c.add(box(64, 40, 506, 88, "#0f6a8f"), disc(118, 84, 33, "#f6c63d"))
    c.write("12", 118, 98, 40, weight=5, fill="#16324a", anchor="middle")
    c.write("Harbour – Airport", 168, 82, 31, weight=3.4, fill="#ffffff")
    c.write("Monday to Friday", 168, 114, 20, weight=2, fill="#cfe8f3")
    for k, row in enumerate((("Stop", "Bus 1", "Bus 2", "Bus 3"), *TIMETABLE)):
        y = 172 + k * 48
        if k % 2:
            c.add(box(64, y - 31, 506, 48, "#e3eff4"))
        bold = k == 0
        c.write(row[0], 106, y, 23, weight=3 if bold else 2.2, fill="#1f2a33")
        for column, text in enumerate(row[1:]):
            c.write(
                text,
                344 + column * 86,
                y,
                23,
                weight=3 if bold else 2.2,
                fill="#1f2a33",
                anchor="middle",
            )
        if k:
            c.add(disc(86, y - 8, 6.5, "#ffffff", stroke="#0f6a8f", stroke_width=4))
    c.write(
        "Bus 2 does not stop at University. No service on Sundays.",
        82,
        508,
        15.5,
        weight=1.6,
        fill="#b3262e",
    )
    c.add(path("M64 40H240L120 522H64Z", fill="#ffffff", opacity=0.12))
    return c


def park_map() -> Canvas:
    """A park's map with a legend of five symbols."""
    c = Canvas(width=736, height=560)
    c.add(
        box(0, 0, 736, 560, "#c9a878"),
        box(20, 20, 696, 520, fade(c, "#dcebc0", "#c9dfa6"), 10, stroke="#5a4328", stroke_width=4),
    )
    c.write("WILLOW PARK", 270, 66, 34, weight=4.2, fill="#3f5a2c", anchor="middle")
    c.add(
        blob(
            [(300, 250), (380, 226), (446, 258), (440, 322), (370, 350), (296, 324)],
            fade(c, "#8fcbe8", "#5aa7d0"),
            stroke="#3f7fa8",
            stroke_width=3,
        ),
        line([(340, 280), (366, 274), (392, 282)], "#ffffff", 2.4),
        line([(350, 310), (380, 304), (406, 314)], "#ffffff", 2.4),
    )
    c.write("Swan Lake", 370, 298, 20, weight=2, fill="#14466a", anchor="middle", slant=0.2)
    walk = [
        (60, 470),
        (140, 420),
        (200, 340),
        (226, 250),
        (300, 190),
        (410, 182),
        (490, 230),
        (496, 320),
        (440, 390),
        (330, 410),
        (210, 400),
        (140, 420),
    ]
    c.add(
        line(walk, "#b98a50", 15),
        line(walk, "#f3e3bd", 10),
        line([(226, 250), (150, 190), (110, 120)], "#b98a50", 13),
        line([(226, 250), (150, 190), (110, 120)], "#f3e3bd", 8),
    )
    rng = random.Random(10)
    for _ in range(46):
        x, y = rng.uniform(44, 500), rng.uniform(96, 516)
        if (
            all((x - u) ** 2 + (y - v) ** 2 > 42**2 for u, v in walk)
            and not (270 < x < 470 and 200 < y < 370)
            and (x - 150) ** 2 + (y - 190) ** 2 > 2600
            and (x - 110) ** 2 + (y - 130) ** 2 > 2600
        ):
            c.add(disc(x, y, 13, "#5f9a4a"), disc(x - 3, y - 3, 8, "#7fb862"))
    for kind, x, y in (
        ("parking", 60, 478),
        ("toilets", 214, 340),
        ("toilets", 470, 380),
        ("playground", 320, 458),
        ("cafe", 430, 174),
        ("viewpoint", 108, 116),
    ):
        c.add(at(x, y, 1, _symbol(kind)))
        c.texts += {"parking": ["P"], "toilets": ["WC"]}.get(kind, [])
    c.add(box(530, 96, 172, 262, "#fdfaf0", 8, stroke="#5a4328", stroke_width=3))
    c.write("LEGEND", 616, 128, 22, weight=3, fill="#3a2c1a", anchor="middle")
    for k, (kind, name) in enumerate(
        (
            ("parking", "Car park"),
            ("toilets", "Toilets"),
            ("playground", "Playground"),
            ("cafe", "Café"),
            ("viewpoint", "Viewpoint"),
        )
    ):
        c.add(at(560, 160 + k * 42, 0.85, _symbol(kind)))
        c.texts += {"parking": ["P"], "toilets": ["WC"]}.get(kind, [])
        c.write(name, 586, 167 + k * 42, 19, weight=1.9, fill="#3a2c1a")
    c.add(
        at(
            616,
            426,
            1,
            path("M0 -46L14 6H-14Z", fill="#b3262e"),
            path("M0 46L14 -6H-14Z", fill="#5a4328"),
            disc(0, 0, 6, "#fdfaf0"),
        )
    )
    c.write("N", 616, 376, 20, weight=2.6, fill="#3a2c1a", anchor="middle")
    c.add(stroke("M556 506V514H676V506M616 510V514", "#3a2c1a", 2.6))
    c.write("0", 556, 500, 15, weight=1.6, fill="#3a2c1a", anchor="middle")
    c.write("200 m", 676, 500, 15, weight=1.6, fill="#3a2c1a", anchor="middle")
    return c


def _symbol(kind: str) -> str:
    color = {
        "parking": "#2f5aa6",
        "toilets": "#5a4a8f",
        "playground": "#e8772e",
        "cafe": "#8a4a2c",
        "viewpoint": "#2f7a4a",
    }[kind]
    plate = box(-19, -19, 38, 38, color, 8, stroke="#ffffff", stroke_width=2.5)
    if kind == "parking":
        return plate + lettering("P", 0, 10, 28, weight=4.4, fill="#ffffff", anchor="middle")
    if kind == "toilets":
        return plate + lettering("WC", 0, 7, 19, weight=2.8, fill="#ffffff", anchor="middle")
    if kind == "playground":
        return plate + stroke("M-11 12L-4 -11H6L12 12M-4 -11V4M5 -11V4M-5 5H6", "#ffffff", 2.6)
    if kind == "cafe":
        return (
            plate
            + path("M-9 -5H6V4C6 11 -9 11 -9 4Z", fill="#ffffff")
            + stroke("M6 -3C13 -3 13 5 6 5M-5 -9V-13M1 -9V-13", "#ffffff", 2.4)
        )
    return (
        plate
        + stroke("M-12 0C-6 -9 6 -9 12 0C6 9 -6 9 -12 0Z", "#ffffff", 2.4)
        + disc(0, 0, 4, "#ffffff")
    )
