"""Things for sale and an invitation: what adverts, e-mails and comparisons are written about.

The tables of the compared products are public: a test holds the annotations to them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from cobsat.drawing.actions.stage import box, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear, star_d
from cobsat.drawing.objects import build
from cobsat.drawing.objects.geometry import bounds, points_of
from cobsat.drawing.svg import Picture, Shape, ellipse_d, group, num, path, shade
from cobsat.drawing.textures.hard import wood
from cobsat.drawing.textures.soft import denim

from .canvas import Canvas
from .things import figure, thing

__all__ = [
    "KETTLES",
    "PARTY",
    "TENTS",
    "denim_bag",
    "garden_party",
    "kettle_a",
    "kettle_b",
    "tent_a",
    "tent_b",
    "wooden_car",
]

_INK: Final = "#2d3142"

PARTY: Final = (
    "Neighbours' Garden Party",
    "Saturday, 14 June, 3 to 7 pm",
    "Linden Street 12, courtyard",
    "Cake buffet · Live music · Games",
    "Please bring a chair!",
)

KETTLES: Final = {
    "a": ("Brook 1.7", "€29", "1.7 litres", "2200 W", "boils in 5:30 min", "fixed: 100 °C", 4.1),
    "b": ("Heron Pro", "€64", "1.2 litres", "3000 W", "boils in 2:50 min", "60 to 100 °C", 4.7),
}
TENTS: Final = {
    "a": ("Swift 2", "€249", "2 people", "1.6 kg", "height 1.05 m", "rain: 3000 mm", 4.6),
    "b": ("Basecamp 5", "€279", "5 people", "9.8 kg", "height 1.95 m", "rain: 4000 mm", 4.4),
}
"""Name, price, four facts, and stars of each product."""


def denim_bag() -> Canvas:
    """Draw a denim handbag on a round stand, with a label of its price."""
    canvas = Canvas(width=640, height=640)
    canvas.add(box(0, 0, 640, 640, linear(canvas, (0, "#f7e3d3"), (1, "#eec9ae"))))
    canvas.add(oval(320, 270, 232, 232, "#fbf1e7"))
    canvas.add(
        oval(320, 560, 250, 46, "#b98a6a", fill_opacity=0.4),
        box(110, 498, 420, 46, "#fffaf4"),
        oval(320, 544, 210, 34, "#e6d3c0"),
        oval(320, 498, 210, 34, "#ffffff"),
    )
    canvas.add(_dressed(canvas, "bag", denim, 5, x=320, ground=510, height=350))
    for x, y, turn in ((84, 170, -24), (560, 130, 20), (574, 420, 40)):
        canvas.add(
            group(
                path("M0 0C-26 -20 -26 -60 0 -84C26 -60 26 -20 0 0Z", fill="#8aa77b"),
                stroke("M0 6V-70M0 -20L14 -40M0 -34L-13 -52", "#6a8a5c", 3),
                transform=f"translate({x} {y}) rotate({turn})",
            )
        )
    canvas.add(
        group(
            path(
                "M0 0L26 -30H128V30H26Z",
                fill="#ffffff",
                stroke="#b59a80",
                stroke_width=2.5,
                stroke_linejoin="round",
            ),
            oval(24, 0, 6, 6, "#eec9ae", stroke="#b59a80", stroke_width=2),
            transform="translate(452 330) rotate(14)",
        ),
        stroke("M390 300Q430 300 462 332", "#8a6d4b", 2.5),
    )
    canvas.write("€48", 488, 352, 30, weight=3.6, fill="#c8503c", rotate=14)
    canvas.write("Second Life", 320, 60, 34, weight=3.6, anchor="middle", fill=_INK)
    canvas.write(
        "made from 3 pairs of old jeans", 320, 606, 22, weight=2.2, anchor="middle", fill=_INK
    )
    return canvas


def wooden_car() -> Canvas:
    """Draw a wooden toy car on a carpet with building blocks, and a tag."""
    canvas = Canvas(width=640, height=512)
    canvas.add(
        box(0, 0, 640, 340, linear(canvas, (0, "#cfe7ea"), (1, "#e4f1ee"))),
        box(0, 332, 640, 180, linear(canvas, (0, "#f3d9a9"), (1, "#e5c287"))),
        box(0, 324, 640, 10, "#ffffff"),
    )
    for x, y in ((70, 80), (180, 160), (320, 70), (450, 150), (580, 84), (70, 240), (570, 250)):
        canvas.add(path(star_d(x, y, 13), fill="#ffffff", opacity=0.75))
    canvas.add(
        oval(320, 432, 290, 52, "#6fa8a0"),
        oval(320, 428, 290, 50, "#8cc4ba"),
        path(
            ellipse_d(320, 428, 262, 41),
            fill="none",
            stroke="#ffffff",
            stroke_width=4,
            stroke_dasharray="10 9",
        ),
    )
    canvas.add(
        oval(310, 432, 190, 20, "#3d5f5a", fill_opacity=0.45),
        _dressed(canvas, "car", wood, 3, x=310, ground=436, height=212),
    )
    for x, y, color, letter in (
        (520, 420, "#d8433c", "A"),
        (574, 426, "#2b78c5", "B"),
        (546, 370, "#e9b22e", "C"),
    ):
        canvas.add(
            box(x - 26, y - 26, 52, 52, color, rx=6, stroke=shade(color, -0.4), stroke_width=2.5),
            box(x - 18, y - 18, 36, 36, shade(color, 0.55), rx=4),
        )
        canvas.write(letter, x, y + 10, 29, weight=4, anchor="middle", fill=shade(color, -0.3))
    canvas.add(
        group(
            box(-76, -44, 152, 88, "#fffaf0", rx=8, stroke="#a3804d", stroke_width=2.5),
            oval(0, -30, 5, 5, "#cfe7ea", stroke="#a3804d", stroke_width=2),
            stroke("M0 -34C6 -60 40 -76 70 -66", "#a3804d", 2.4),
            transform="translate(112 210) rotate(-7)",
        )
    )
    canvas.write("Beech wood", 110, 206, 20, weight=2.2, anchor="middle", fill=_INK, rotate=-7)
    canvas.write(
        "from 3 years · €19", 115, 234, 15, weight=1.8, anchor="middle", fill=_INK, rotate=-7
    )
    return canvas


def _dressed(
    canvas: Canvas,
    name: str,
    material: Callable[[Picture, Shape, random.Random], str],
    seed: int,
    *,
    x: float,
    ground: float,
    height: float,
) -> str:
    """Return an object in a material, in place; its definitions go to the canvas."""
    rng = random.Random(seed)
    shape = build(name, rng)
    own = Picture(defs=canvas.defs)
    material(own, shape, rng)
    left, top, right, bottom = bounds([p for part in shape.parts for p in points_of(part.d)])
    k = height / (bottom - top)
    middle = (left + right) / 2
    return group(
        *own.body,
        transform=f"translate({num(x - k * middle)} {num(ground - k * bottom)}) scale({k:.4f})",
    )


def garden_party() -> Canvas:
    """Draw a poster that invites to a garden party."""
    canvas = Canvas(width=560, height=768)
    canvas.add(
        box(0, 0, 560, 768, linear(canvas, (0, "#fff6df"), (0.6, "#ffe9bd"), (1, "#cfe3a8")))
    )
    canvas.add(path("M-10 40Q140 120 280 70T570 60", fill="none", stroke="#6b4a2e", stroke_width=4))
    for k, (x, y) in enumerate(
        (
            (30, 62),
            (92, 86),
            (154, 94),
            (216, 86),
            (278, 71),
            (340, 57),
            (402, 50),
            (464, 50),
            (526, 57),
        )
    ):
        color = ("#d8433c", "#2b78c5", "#e9b22e", "#4f9a4c")[k % 4]
        canvas.add(poly([(x - 22, y - 6), (x + 22, y - 6), (x, y + 36)], color))
    canvas.write("Neighbours'", 280, 178, 52, weight=6, anchor="middle", fill="#b3323a")
    canvas.write("Garden Party", 280, 234, 52, weight=6, anchor="middle", fill="#b3323a")
    for k, text in enumerate(PARTY[1:4]):
        canvas.write(text, 280, 292 + 42 * k, 25, weight=2.6, anchor="middle", fill=_INK)
    canvas.add(glow(canvas, 280, 560, 250, "#fff8d8", 0.9))
    canvas.add(path("M-10 640Q280 596 570 640V768H-10Z", fill="#8fbf6b"))
    canvas.add(
        stroke("M170 560L156 690M390 560L404 690", "#7a5230", 11),
        path(
            "M120 548H440L452 604Q432 620 412 604Q392 620 372 604Q352 620 332 604Q312 620 292 "
            "604Q272 620 252 604Q232 620 212 604Q192 620 172 604Q152 620 108 604Z",
            fill="#ffffff",
            stroke="#c9b9a0",
            stroke_width=2.5,
        ),
    )
    canvas.add(
        box(220, 496, 120, 46, "#e9b872", rx=6, stroke="#9a6427", stroke_width=2.5),
        path(
            "M216 496H344V512Q332 524 322 512Q310 526 298 512Q286 524 276 512Q264 526 252 512"
            "Q240 524 230 512Q222 520 216 512Z",
            fill="#fff7fb",
            stroke="#e3c4d1",
            stroke_width=2,
        ),
        *(oval(x, 492, 8, 8, "#d8232a") for x in (240, 280, 320)),
        oval(280, 545, 84, 8, "#dfe6ec"),
    )
    canvas.add(
        thing(canvas, "cup", "#2b78c5", x=166, ground=550, height=44, seed=2),
        thing(canvas, "cup", "#d8433c", x=394, ground=550, height=44, seed=2, flip=True),
    )
    dog = figure(canvas, "dog", x=72, ground=720, height=150, seed=1)
    cat = figure(canvas, "cat", x=492, ground=722, height=142, seed=3)
    for actor in (dog, cat):
        canvas.add(actor.back, actor.front, actor.top)
    for actor, color in ((dog, "#e9b22e"), (cat, "#2b78c5")):
        hx, hy = actor.anchors.head_top
        canvas.add(
            poly(
                [(hx - 20, hy + 12), (hx + 20, hy + 12), (hx, hy - 40)],
                color,
                stroke=shade(color, -0.4),
                stroke_width=2.5,
            ),
            oval(hx, hy - 41, 7, 7, "#ffffff"),
        )
    canvas.write(PARTY[4], 280, 738, 24, weight=2.8, anchor="middle", fill="#3d5a28")
    return canvas


def _card(
    table: dict[str, tuple[str, str, str, str, str, str, float]], key: str, accent: str
) -> Canvas:
    """Return a shop's card: name, price, stars and facts; the picture goes on top."""
    name, price, *facts, stars = table[key]
    canvas = Canvas(width=480, height=640)
    canvas.add(
        box(0, 0, 480, 640, "#ffffff"),
        box(14, 14, 452, 612, "#fbfbfd", rx=18, stroke="#d5d9e2", stroke_width=3),
        box(
            30,
            30,
            420,
            270,
            linear(canvas, (0, shade(accent, 0.72)), (1, shade(accent, 0.5))),
            rx=12,
        ),
    )
    canvas.write(name, 40, 352, 32, weight=3.8, fill=_INK)
    canvas.write(price, 440, 352, 34, weight=4.2, anchor="end", fill="#b3323a")
    for k in range(5):
        x = 56 + 34 * k
        canvas.add(path(star_d(x, 388, 15), fill="#d5d9e2"))
        filled = min(1.0, max(0.0, float(stars) - k))
        if filled:
            clip = canvas.define("clipPath", box(x - 15, 370, 30 * filled, 36, "#000000"))
            canvas.add(path(star_d(x, 388, 15), fill="#f2b01e", clip_path=clip))
    canvas.write(f"{stars}", 226, 396, 22, fill="#5a5f73")
    for k, fact in enumerate(facts):
        y = 446 + 44 * k
        canvas.add(oval(54, y - 8, 6, 6, accent))
        canvas.write(str(fact), 76, y, 24, fill=_INK)
    return canvas


def kettle_a() -> Canvas:
    """Draw the card of a cheap white kettle."""
    return _kettle("a", "#f2f2ee", "#4f83a8", digital=False)


def kettle_b() -> Canvas:
    """Draw the card of a dear black kettle with a display."""
    return _kettle("b", "#33373f", "#b5743c", digital=True)


def _kettle(key: str, color: str, accent: str, *, digital: bool) -> Canvas:
    canvas = _card(KETTLES, key, accent)
    body = linear(
        canvas,
        (0, shade(color, -0.22)),
        (0.35, shade(color, 0.2)),
        (1, shade(color, -0.35)),
        end=(1, 0),
    )
    edge = shade(color, -0.55)
    top, half = (92, 66) if not digital else (112, 58)
    canvas.add(
        oval(236, 278, 108, 12, "#3a3f4a", fill_opacity=0.35),
        box(160, 262, 152, 16, "#2b2f38", rx=6),
        path(
            f"M{236 + half} {top + 20}C{236 + half + 76} {top + 10} {236 + half + 84} 230 "
            f"{236 + half + 18} 240",
            fill="none",
            stroke="#2b2f38",
            stroke_width=19,
            stroke_linecap="round",
        ),
        path(
            f"M{236 - half} {top + 10}L{236 - half - 40} {top + 16}Q{236 - half - 30} {top + 44} "
            f"{236 - half - 6} {top + 64}Z",
            fill=shade(color, -0.12),
            stroke=edge,
            stroke_width=2.5,
            stroke_linejoin="round",
        ),
        path(
            f"M{236 - half} {top}H{236 + half}L{236 + half + 20} 262H{236 - half - 20}Z",
            fill=body,
            stroke=edge,
            stroke_width=2.5,
            stroke_linejoin="round",
        ),
        path(
            f"M{236 - half} {top}Q236 {top - 34} {236 + half} {top}Z",
            fill=shade(color, -0.1),
            stroke=edge,
            stroke_width=2.5,
        ),
        oval(236, top - 20, 12, 8, "#2b2f38"),
    )
    if digital:
        canvas.add(box(204, 178, 64, 36, "#0f2b2b", rx=6, stroke="#8d959c", stroke_width=2))
        canvas.write("80°", 236, 204, 23, weight=2.6, anchor="middle", fill="#6ff2d0")
        canvas.add(box(214, 228, 18, 10, "#8d959c", rx=3), box(240, 228, 18, 10, "#8d959c", rx=3))
    else:
        canvas.add(
            box(196, 136, 22, 96, "#9fd0ea", rx=8, stroke="#6d7f8a", stroke_width=2),
            box(198, 176, 18, 54, "#5fa9d6", rx=6),
            stroke("M222 150h10M222 176h10M222 202h10M222 226h10", "#6d7f8a", 2),
        )
    return canvas


def tent_a() -> Canvas:
    """Draw the card of a light tent for two."""
    canvas = _card(TENTS, "a", "#e07a3f")
    canvas.add(
        path(
            "M30 250C120 232 360 232 450 250V288Q450 300 438 300H42Q30 300 30 288Z", fill="#8fb46a"
        )
    )
    cloth = linear(canvas, (0, "#f28c3a"), (1, "#c95d17"))
    canvas.add(
        oval(240, 268, 152, 12, "#4d6b3a", fill_opacity=0.5),
        path(
            "M96 266C130 190 190 158 240 156C290 158 350 190 384 266Z",
            fill=cloth,
            stroke="#8a3c0c",
            stroke_width=3,
            stroke_linejoin="round",
        ),
        path("M240 156C224 190 206 230 198 266H282C274 230 256 190 240 156Z", fill="#5a2a10"),
        path(
            "M240 156C256 190 274 230 282 266L312 266C296 220 268 180 240 156Z",
            fill="#ffb26b",
            stroke="#8a3c0c",
            stroke_width=2,
        ),
        stroke("M240 156C190 170 140 210 112 266M240 156C290 170 340 210 368 266", "#8a3c0c", 2.4),
        stroke("M96 266L64 282M384 266L416 282", "#e9e2cd", 2.5),
        stroke("M64 276v12M416 276v12", "#5a5f73", 4),
    )
    return canvas


def tent_b() -> Canvas:
    """Draw the card of a big family tent with two windows."""
    canvas = _card(TENTS, "b", "#4b8f6b")
    canvas.add(
        path(
            "M30 254C120 240 360 240 450 254V288Q450 300 438 300H42Q30 300 30 288Z", fill="#8fb46a"
        )
    )
    cloth = linear(canvas, (0, "#4f9a78"), (1, "#2f6b50"))
    canvas.add(
        oval(240, 274, 190, 12, "#4d6b3a", fill_opacity=0.5),
        path(
            "M62 272L84 150C130 92 180 66 240 62C300 66 350 92 396 150L418 272Z",
            fill=cloth,
            stroke="#1d4a35",
            stroke_width=3.5,
            stroke_linejoin="round",
        ),
        path("M84 150C180 128 300 128 396 150", fill="none", stroke="#1d4a35", stroke_width=3),
        path("M196 272V166Q196 150 212 150H268Q284 150 284 166V272Z", fill="#173527"),
        path("M284 160Q306 176 310 272H284Z", fill="#7fc4a2", stroke="#1d4a35", stroke_width=2),
        *(
            box(x, 168, 62, 46, "#cfe7ea", rx=8, stroke="#1d4a35", stroke_width=3)
            for x in (112, 326)
        ),
        *(stroke(f"M{x + 31} 168V214M{x} 191H{x + 62}", "#1d4a35", 2) for x in (112, 326)),
        stroke("M62 272L42 288M418 272L438 288M84 150L44 230M396 150L436 230", "#e9e2cd", 2.5),
    )
    return canvas
