"""Pictures whose things are to be counted and compared: a stall and an aquarium."""

from __future__ import annotations

import random
from typing import Any, Final

from ...drawing.backgrounds.kit import radial
from ...drawing.objects.geometry import curve
from ...drawing.svg import group, path, shade
from .brush import at, box, disc, fade, line, oval, shadow, stroke
from .canvas import Canvas
from .things import thing

__all__ = ["aquarium", "fruit_stall"]

CRATES: Final = (("Apples", "$2.50", 7), ("Pears", "$3.20", 5), ("Oranges", "$1.80", 9),
                 ("Melons", "$4.00", 3))  # fmt: skip
"""What is in a crate, its price for a kilo, and how many there are, from left to right."""


def fruit_stall() -> Canvas:
    """Four crates of fruit with price cards: red apples, pears, oranges, melons."""
    c = Canvas(width=736, height=560)
    c.add(box(0, 0, 736, 560, fade(c, "#d9e6ea", "#b9c7c9")))
    for x in range(-20, 736, 92):
        for row in range(5):
            c.add(box(x + (row % 2) * 46, 110 + row * 50, 88, 46, "#c9d3d3", 2))
    c.add(*(box(x, 100, 18, 400, fade(c, "#8a5a30", "#6b4320", across=True)) for x in (26, 692)))
    c.add(box(0, 350, 736, 210, fade(c, "#a56f3c", "#7d4f26")),
          stroke("M0 420H736M0 490H736", "#6b4320", 2.5))  # fmt: skip
    _awning(c)
    for (name, price, count), x in zip(CRATES, (40, 212, 384, 556), strict=True):
        c.add(box(x, 250, 142, 120, "#6f4724"))
        _fruit(c, name, x + 71, count)
        c.add(box(x - 4, 322, 150, 54, fade(c, "#d9a767", "#b98444"), 3, stroke="#8a5a2c",
                  stroke_width=2),
              stroke(f"M{x} 349H{x + 142}", "#8a5a2c", 2))  # fmt: skip
        for k in (6, 136):
            c.add(disc(x + k, 336, 2.4, "#6b4320"), disc(x + k, 362, 2.4, "#6b4320"))
        c.add(
            shadow(c, x + 71, 462, 66, 8, 0.3),
            box(x + 8, 392, 126, 68, "#fffdf3", 5, stroke="#b9a988", stroke_width=2),
        )
        c.write(name, x + 71, 420, 24, weight=2.4, fill="#3a5a3a", anchor="middle")
        c.write(f"{price} / kg", x + 71, 449, 22, weight=2.6, fill="#b3262e", anchor="middle")
    return c


def _awning(c: Canvas) -> None:
    width = 736 / 12
    for k in range(12):
        x, color = k * width, "#d8443c" if k % 2 == 0 else "#fbf7ef"
        c.add(path(f"M{x:.1f} 24H{x + width:.1f}V112A{width / 2:.1f} 24 0 0 1 {x:.1f} 112Z",
                   fill=color,
                   stroke=shade(color, -0.2), stroke_width=1.5))  # fmt: skip
    c.add(
        box(0, 14, 736, 14, "#8f2a26"),
        box(214, 40, 308, 56, "#2f5a3c", 8, stroke="#f6e9c6", stroke_width=3),
    )
    c.write("FRESH FRUIT", 368, 80, 36, weight=4.6, fill="#fdf6df", anchor="middle")


def _fruit(c: Canvas, name: str, x: float, count: int) -> None:
    rows = {7: (4, 3), 5: (3, 2), 9: (5, 4), 3: (2, 1)}[count]
    for row, many in enumerate(rows):
        for k in range(many):
            if name == "Apples":
                px, py = x + (k - (many - 1) / 2) * 34, 322 - row * 30
                c.add(thing(c, "apple", "#d8232a", x=px, ground=py + 8, height=42, seed=4))
            elif name == "Pears":
                px, py = x + (k - (many - 1) / 2) * 42, 322 - row * 36
                c.add(
                    at(
                        px,
                        py,
                        1,
                        path(
                            "M0 -48C10 -48 11 -36 13 -28C22 -18 22 4 0 5C-22 4 -22 -18 -13 -28"
                            "C-11 -36 -10 -48 0 -48Z",
                            fill=fade(c, "#d6d94a", "#a9b52e"),
                            stroke="#6f7a1c",
                            stroke_width=1.8,
                        ),
                        stroke("M0 -47C0 -54 3 -58 6 -60", "#5a3d20", 3.4),
                        oval(-8, -16, 4, 8, "#f3f2a8", 20),
                        path("M3 -52C12 -60 20 -56 20 -52C14 -48 8 -48 3 -52Z", fill="#4f9a45"),
                    )
                )
            elif name == "Oranges":
                px, py = x + (k - (many - 1) / 2) * 28, 310 - row * 25
                skin = radial(
                    c, (0, "#ffc062"), (0.6, "#f58a1f"), (1, "#c9600a"), center=(0.38, 0.32)
                )
                c.add(disc(px, py, 15.5, skin, stroke="#a9520a", stroke_width=1.4),
                      path(f"M{px - 4} {py - 11}l4 3l4 -3l-1 5h-6z", fill="#3f8a3a"))  # fmt: skip
            else:
                px, py = x + (k - (many - 1) / 2) * 66, 296 - row * 52
                skin = radial(
                    c, (0, "#8fd06a"), (0.7, "#4f9a45"), (1, "#2f6a34"), center=(0.4, 0.34)
                )
                bands = "".join(
                    stroke(f"M{px} {py - 32}Q{px + w} {py} {px} {py + 32}", "#245a2c", 3)
                    for w in (-48, -18, 18, 48)
                )
                c.add(disc(px, py, 33, skin, stroke="#245a2c", stroke_width=2), bands)


FISH: Final = (
    ("orange", "#f5892a", 150, 190, 1.0, 1), ("orange", "#f5892a", 236, 250, 0.86, 1),
    ("orange", "#f5892a", 132, 290, 0.92, 1), ("orange", "#f5892a", 300, 172, 0.8, 1),
    ("blue", "#3f7fd6", 520, 190, 1.05, -1), ("blue", "#3f7fd6", 596, 260, 0.95, -1),
    ("yellow", "#f6d23a", 400, 300, 1.9, -1),
)  # fmt: skip
"""Name of its colour, colour, place, size, and which way it swims (1 is to the right)."""


def aquarium() -> Canvas:
    """Seven fish in a tank: four orange, two blue, one large yellow; a snail and a castle."""
    c = Canvas(width=736, height=520)
    c.add(
        box(0, 0, 736, 520, fade(c, "#efe3d3", "#dccbb3")),
        box(0, 462, 736, 58, fade(c, "#8f6238", "#6b4524")),
    )
    c.add(
        shadow(c, 368, 470, 340, 16, 0.5),
        box(44, 66, 648, 404, fade(c, "#bfe6f5", "#5fb3d9", "#2f7fae"), 8),
    )
    for x, w in ((120, 60), (260, 90), (460, 70), (600, 50)):
        c.add(
            path(
                f"M{x} 96L{x + w} 96L{x + w * 1.8:.0f} 440H{x + w * 0.4:.0f}Z",
                fill="#ffffff",
                opacity=0.12,
            )
        )
    c.add(
        path(
            "M48 96Q90 88 132 96T216 96T300 96T384 96T468 96T552 96T636 96T688 96V104H48Z",
            fill="#e6f7fd",
        )
    )
    gravel = [(48, 418), (140, 402), (260, 416), (380, 404), (500, 414), (620, 402), (688, 412)]
    c.add(path(curve(gravel, closed=False) + "L688 462H48Z", fill="#d9b98a"))
    rng = random.Random(7)
    for _ in range(170):
        px, py = rng.uniform(52, 684), rng.uniform(416, 460)
        c.add(
            oval(
                px,
                py,
                rng.uniform(3, 7),
                rng.uniform(2.4, 5),
                rng.choice(("#c99f6a", "#e9d3ab", "#b98a56", "#efe3cb")),
            )
        )
    for x, high, color in (
        (84, 190, "#3f9a55"),
        (106, 140, "#57b066"),
        (650, 220, "#2f8a4a"),
        (624, 150, "#57b066"),
        (668, 130, "#3f9a55"),
    ):
        sway = [
            (x, 424),
            (x - 12, 424 - high * 0.3),
            (x + 10, 424 - high * 0.6),
            (x - 4, 424 - high),
        ]
        c.add(line(sway, color, 9))
        for k in range(1, 6):
            y = 424 - high * k / 6
            c.add(
                oval(x + (13 if k % 2 else -13), y, 12, 5, shade(color, 0.1), -24 if k % 2 else 24)
            )
    _castle(c)
    for _, color, x, y, size, way in FISH:
        c.add(
            group(_one_fish(c, color), transform=f"translate({x} {y}) scale({size * way} {size})")
        )
    for x, y, r in (
        (520, 340, 7),
        (530, 310, 5),
        (516, 282, 8),
        (528, 240, 5),
        (512, 150, 6),
        (330, 120, 5),
        (90, 150, 5),
    ):
        c.add(disc(x, y, r, "#ffffff44", stroke="#ffffff", stroke_width=1.8))
    c.add(
        at(
            206,
            424,
            1.0,
            path(
                "M-44 6C-50 -2 -46 -12 -36 -10L40 -4C52 -4 54 6 44 8Z",
                fill="#d9b48a",
                stroke="#8a6238",
                stroke_width=2,
            ),
            disc(4, -20, 25, "#a9573c", stroke="#6b3320", stroke_width=2.5),
            stroke(
                "M4 -20C12 -26 14 -12 2 -10C-12 -10 -12 -32 6 -34C26 -34 26 -6 6 -2", "#6b3320", 3
            ),
            stroke("M-40 -8L-50 -24M-34 -9L-38 -27", "#d9b48a", 4),
            disc(-50, -26, 3.4, "#3a2a20"),
            disc(-38, -29, 3.4, "#3a2a20"),
        )
    )
    c.add(
        path(
            "M44 74a8 8 0 0 1 8 -8H684a8 8 0 0 1 8 8V462a8 8 0 0 1 -8 8H52a8 8 0 0 1 -8 -8Z",
            fill="none",
            stroke="#4a4f57",
            stroke_width=9,
        ),
        box(36, 48, 664, 24, "#3a3f47", 6),
        stroke("M70 100V300M84 100V240", "#ffffff", 5, stroke_opacity=0.5),
    )
    return c


def _castle(c: Canvas) -> None:
    stone, edge = fade(c, "#b9a9c6", "#8a7a9a"), "#5f5070"
    style: dict[str, Any] = {"fill": stone, "stroke": edge, "stroke_width": 2.0}
    c.add(
        at(
            540,
            424,
            1,
            path("M-60 0V-56H60V0Z", **style),
            path("M-62 0V-90H-30V0ZM30 0V-90H62V0Z", **style),
            "".join(
                path(
                    f"M{x - 21} -90L{x} -126L{x + 21} -90Z",
                    fill="#7a4fa0",
                    stroke=edge,
                    stroke_width=2,
                )
                for x in (-46, 46)
            ),
            "".join(box(x, -66, 10, 12, **style) for x in (-26, -9, 8)),
            path("M-16 0V-24a16 16 0 0 1 32 0V0Z", fill="#3a2f4a"),
            box(-51, -70, 10, 16, "#3a2f4a", 4),
            box(41, -70, 10, 16, "#3a2f4a", 4),
        )
    )


def _one_fish(c: Canvas, color: str) -> str:
    body = fade(c, shade(color, 0.35), color, shade(color, -0.15))
    stripes = ""
    if color == "#3f7fd6":
        stripes = "".join(
            path(f"M{x} -17Q{x + 7} 0 {x} 17H{x + 8}Q{x + 15} 0 {x + 8} -17Z", fill="#fdfdfd")
            for x in (-18, 0)
        )
    clip = c.define("clipPath", path("M-40 0C-24 -26 18 -28 38 0C18 28 -24 26 -40 0Z"))
    return (
        path(
            "M-34 0L-64 -22C-56 -6 -56 6 -64 22Z",
            fill=shade(color, -0.12),
            stroke=shade(color, -0.45),
            stroke_width=1.8,
        )
        + path(
            "M-14 -18C-6 -36 12 -36 18 -20Z",
            fill=shade(color, -0.12),
            stroke=shade(color, -0.45),
            stroke_width=1.8,
        )
        + path("M-8 18C-4 30 8 30 10 20Z", fill=shade(color, -0.12))
        + path("M-40 0C-24 -26 18 -28 38 0C18 28 -24 26 -40 0Z", fill=body)
        + group(stripes, clip_path=clip)
        + path(
            "M-40 0C-24 -26 18 -28 38 0C18 28 -24 26 -40 0Z",
            fill="none",
            stroke=shade(color, -0.45),
            stroke_width=1.8,
        )
        + path("M2 2C-8 -4 -14 4 -10 12C-2 14 4 10 2 2Z", fill=shade(color, -0.2))
        + disc(22, -5, 6, "#ffffff")
        + disc(23.5, -5, 3.2, "#111111")
        + stroke("M36 4Q30 9 26 7", shade(color, -0.5), 2)
    )
