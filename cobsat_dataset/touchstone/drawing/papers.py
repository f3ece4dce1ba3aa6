"""Papers to be read: a boarding pass, a note, a form, a notebook."""

from __future__ import annotations

import random
from typing import Final

from ...drawing.backgrounds.kit import star_d
from ...drawing.svg import path
from .brush import at, box, disc, fade, line, oval, stroke
from .canvas import Canvas
from .lettering import width

__all__ = ["boarding_pass", "fridge_note", "lab_notebook", "registration_form"]

_INK: Final = "#23304a"


def boarding_pass() -> Canvas:
    """A boarding pass with all its fields."""
    c = Canvas(width=768, height=400)
    c.add(box(0, 0, 768, 400, fade(c, "#8a6a4a", "#6b4f34")))
    for y in range(0, 400, 50):
        c.add(stroke(f"M0 {y}H768", "#5a4029", 2, stroke_opacity=0.6))
    c.add(
        box(36, 48, 704, 318, "#00000055", 18),
        box(30, 40, 704, 318, "#fbfaf6", 18),
        path("M30 106V58a18 18 0 0 1 18 -18H716a18 18 0 0 1 18 18V106Z", fill="#1f5a8f"),
    )
    c.add(
        stroke("M548 112V352", "#9aa3ab", 2.5, stroke_dasharray="4 8"),
        disc(548, 40, 13, "#7d5f41"),
        disc(548, 358, 13, "#6f5238"),
    )
    c.write("BOARDING PASS", 56, 84, 32, weight=4, fill="#ffffff")
    c.write("NORTHWIND AIR", 712, 83, 20, weight=2.2, fill="#ffffff", anchor="end")
    plane = path(
        "M-30 2L-10 -2L-2 -22H6L4 -3L22 -4L30 -12H36L32 0L36 12H30L22 5L4 4L6 22H-2L-10 3Z",
        fill="#ffffff",
    )
    c.add(at(484, 74, 0.9, plane))
    fields = (
        ("PASSENGER", "OKAFOR / ADA", 56, 136),
        ("FROM", "LISBON (LIS)", 56, 200),
        ("TO", "OSLO (OSL)", 300, 200),
        ("FLIGHT", "NW 482", 56, 264),
        ("DATE", "14 MAR", 196, 264),
        ("BOARDING", "09:35", 320, 264),
        ("GATE", "B17", 440, 264),
        ("SEAT", "22A", 580, 200),
        ("FLIGHT", "NW 482", 580, 136),
        ("GATE CLOSES", "09:55", 580, 264),
    )
    for label, value, x, y in fields:
        c.write(label, x, y, 14, weight=1.4, fill="#5f7a94")
        c.write(value, x, y + 27, 25, weight=2.8, fill="#1a2330")
    rng = random.Random(482)
    for left, right in ((58, 520), (580, 712)):
        bar: float = left
        while bar < right:
            w = rng.choice((1.6, 2.4, 3.6, 5))
            c.add(box(bar, 312, w, 34, "#1a2330"))
            bar += w + rng.choice((2, 3, 4.4))
    return c


def fridge_note() -> Canvas:
    """A handwritten note under a magnet on a fridge door."""
    c = Canvas(width=640, height=560)
    c.add(
        box(0, 0, 640, 560, fade(c, "#cfd6da", "#e9edef", "#b9c2c8", across=True)),
        stroke("M0 66H640", "#8f9aa2", 5),
        box(34, 120, 20, 330, fade(c, "#8f9aa2", "#f4f6f7", "#8f9aa2", across=True), 10),
        box(34, 14, 20, 40, "#a9b3ba", 8),
    )
    c.add(
        at(
            0,
            0,
            1,
            path("M122 96L588 74L606 500L138 524Z", fill="#00000033", transform="translate(8 10)"),
            path("M122 96L588 74L606 500L138 524Z", fill="#fff7a8"),
            path("M556 502L606 500L602 448Z", fill="#e6d878"),
        )
    )
    rows = (
        "Hi Ben,",
        "the plumber comes on Thursday",
        "between 2 and 4. Please be home!",
        "Feed the cat (half a tin only)",
        "and DON'T touch the cake.",
        "It's for Grandma's 80th :-)",
        "Love, Mum",
    )
    hand = random.Random(14)
    for k, text in enumerate(rows):
        y = 160 + k * 53
        x = 158 if k < 6 else 430
        c.write(
            text,
            x,
            y - (x - 158) * 0.047,
            25,
            weight=2.2,
            fill="#1f3f8f",
            slant=0.16,
            rotate=-2.7,
            shaky=hand,
        )
    left = 158 + width("and ", 25)
    right = left + width("DON'T", 25)
    c.add(*(stroke(f"M{left:.0f} {y - (left - 158) * 0.047:.1f}L{right:.0f} "
                   f"{y - (right - 158) * 0.047:.1f}",
                   "#c9302c", 2.6) for y in (381, 387)))  # fmt: skip
    c.add(
        disc(354, 96, 21, "#00000044"),
        disc(352, 92, 21, "#d8342f", stroke="#8a1f1c", stroke_width=2),
        path("M352 78C356 72 362 72 364 76", fill="none", stroke="#3f8a3a", stroke_width=4),
        disc(345, 86, 5, "#ff9a94"),
    )
    return c


def registration_form() -> Canvas:
    """A summer camp's form, filled in by hand: one allergy field says None, one name N/A."""
    c = Canvas(width=620, height=740)
    c.add(
        box(0, 0, 620, 740, "#7d8f9c"),
        box(38, 30, 556, 690, "#00000033", 4),
        box(30, 22, 556, 690, "#fdfcf8", 4),
    )
    c.add(box(30, 22, 556, 74, "#2f6a5a"))
    c.write("SUMMER CAMP REGISTRATION", 308, 70, 29, weight=3.4, fill="#ffffff", anchor="middle")
    hand = random.Random(9)
    rows = (
        ("First name", "Mateo"),
        ("Middle name", "NA"),
        ("Last name", "García"),
        ("Date of birth", "07/05/2016"),
        ("Allergies", "None"),
        ("Emergency phone", "555-0142"),
    )
    for k, (label, value) in enumerate(rows):
        y = 152 + k * 62
        c.write(label, 60, y, 20, weight=1.9, fill="#3a4a52")
        c.add(stroke(f"M236 {y + 6}H556", "#9aa7ae", 1.8))
        c.write(value, 252, y, 28, weight=2.2, fill="#1f3f8f", slant=0.18, shaky=hand)
    c.write("Weeks attending", 60, 536, 20, weight=1.9, fill="#3a4a52")
    for k, (week, ticked) in enumerate((("1", False), ("2", True), ("3", True), ("4", False))):
        x = 254 + k * 80
        c.add(box(x, 516, 26, 26, "#ffffff", 3, stroke="#3a4a52", stroke_width=2))
        c.write(week, x + 36, 537, 22, weight=2.2, fill="#3a4a52")
        if ticked:
            c.add(stroke(f"M{x + 4} 528L{x + 11} 538L{x + 28} 508", "#1f3f8f", 4))
    c.write("T-shirt size", 60, 592, 20, weight=1.9, fill="#3a4a52")
    for k, size in enumerate(("S", "M", "L")):
        x = 266 + k * 80
        c.write(size, x, 594, 24, weight=2.4, fill="#3a4a52", anchor="middle")
        if size == "M":
            c.add(
                line(
                    [
                        (x - 20, 584),
                        (x - 6, 566),
                        (x + 18, 572),
                        (x + 20, 596),
                        (x, 606),
                        (x - 18, 596),
                        (x - 18, 576),
                    ],
                    "#1f3f8f",
                    2.6,
                )
            )
    c.write("Signature", 60, 660, 20, weight=1.9, fill="#3a4a52")
    c.add(stroke("M236 668H440", "#9aa7ae", 1.8))
    c.write("L. García", 254, 662, 30, weight=2, fill="#1f3f8f", slant=0.34, spacing=-1, shaky=hand)
    stamp = "".join(path(star_d(k * 17, 0, 5), fill="#b3262e") for k in (-1, 0, 1))
    c.add(
        at(
            510,
            642,
            1,
            disc(0, 0, 46, "none", stroke="#b3262e", stroke_width=4),
            disc(0, 0, 38, "none", stroke="#b3262e", stroke_width=1.6),
            at(0, 20, 1, stamp),
            turn=-14,
        )
    )
    c.write("PAID", 510, 650, 30, weight=4, fill="#b3262e", anchor="middle", rotate=-14)
    return c


def lab_notebook() -> Canvas:
    """A lined page of a laboratory notebook with a measurement underlined twice."""
    c = Canvas(width=640, height=520)
    c.add(
        box(0, 0, 640, 520, fade(c, "#5f7a6a", "#42594c")),
        box(76, 40, 510, 456, "#00000044", 6),
        box(68, 32, 510, 456, "#fdfbf2", 6),
    )
    for y in range(92, 480, 38):
        c.add(stroke(f"M70 {y}H576", "#b9cfe3", 1.6))
    c.add(stroke("M138 34V486", "#e08a8a", 1.8))
    for y in range(62, 480, 42):
        c.add(
            oval(68, y, 13, 5, "#2f3a36"),
            stroke(f"M56 {y}C48 {y - 12} 82 {y - 14} 82 {y}", "#9aa3ab", 4),
        )
    hand = random.Random(31)
    for k, text in enumerate(
        ("Yeast culture, day 3", "Temperature: 30 °C", "Dilution: 1:200", "Colonies on plate: 48")
    ):
        c.write(
            text,
            154,
            86 + k * 38 * (2 if k > 3 else 1),
            26,
            weight=2,
            fill=_INK,
            slant=0.14,
            shaky=hand,
        )
    c.write("Cells per mL =", 154, 276, 28, weight=2.2, fill=_INK, slant=0.14, shaky=hand)
    c.write("1e5", 372, 276, 36, weight=3.2, fill="#b3262e", slant=0.14, shaky=hand)
    c.add(stroke("M366 288L446 284M368 295L444 291", "#b3262e", 2.6))
    c.write(
        "Repeat with plate B tomorrow!", 154, 352, 25, weight=2, fill=_INK, slant=0.14, shaky=hand
    )
    flask = (
        path(
            "M-13 -70V-34L-44 26C-50 40 -40 46 -32 46H32C40 46 50 40 44 26L13 -34V-70Z",
            fill="#eef6f8",
            stroke=_INK,
            stroke_width=2.6,
        )
        + path(
            "M-27 -4L-42 26C-47 38 -39 43 -32 43H32C39 43 47 38 42 26L27 -4C10 4 -10 -10 -27 -4Z",
            fill="#f3cf7a",
        )
        + "".join(disc(x, y, 4, "#d99a2e") for x, y in ((-18, 22), (2, 12), (16, 28), (-4, 34)))
        + stroke("M-18 -70H18", _INK, 4)
    )
    c.add(at(512, 434, 0.8, flask))
    pencil = (
        path("M0 -7H150L172 0L150 7H0Z", fill="#f3cc2e", stroke="#8a6f10", stroke_width=1.6)
        + path("M150 -7L172 0L150 7Z", fill="#e8c9a0")
        + path("M164 -2.6L172 0L164 2.6Z", fill="#222")
        + box(-18, -7, 18, 14, "#e58a94", 3)
    )
    c.add(at(186, 448, 1.1, pencil, turn=-9))
    return c
