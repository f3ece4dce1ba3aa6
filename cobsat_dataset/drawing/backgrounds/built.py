"""Scenes that people built: an amusement park and a gym."""

from __future__ import annotations

import math
import random

from ..svg import SIZE, Picture, element, ellipse_d, group, num, path, polygon_d, shade, vary
from .kit import Scene, band, cloud, hills_d, linear, side

_BRIGHT = ("#f2483f", "#ffb52e", "#2fa8e0", "#4fbf5a", "#a85fd6", "#ff7fb0")


def park(picture: Picture, rng: random.Random) -> Scene:
    """Paint a Ferris wheel, a roller coaster, striped tents, bunting and balloons."""
    sky, low_sky = rng.choice(
        (("#6ec3f4", "#e6f6fb"), ("#4aa6ee", "#fbeed2"), ("#8f7fd6", "#fbd9c0"))
    )
    picture.add(
        band(0, SIZE, linear(picture, (0, vary(sky, rng)), (0.75, low_sky))),
        cloud(rng.uniform(250, 300), rng.uniform(60, 84), 100, "#ffffff", 0.9),
        cloud(rng.uniform(340, 380), rng.uniform(130, 160), 70, "#ffffff", 0.8),
        path(hills_d(rng, 330, 10, 5), fill="#8fce7a"),
    )
    flip = None if side(rng) < 0 else f"translate({SIZE} 0) scale(-1 1)"
    rides = (
        _coaster(rng) + _wheel(rng) + _tent(rng, 58, 400, 112, 128) + _tent(rng, 470, 396, 92, 106)
    )
    picture.add(group(rides, transform=flip))
    picture.add(
        band(384, SIZE, linear(picture, (0, "#f3dfb8"), (1, "#d4b079"))),
    )
    joints = "".join(
        f"M{num(256 + dx * 0.55)} 384L{num(256 + dx * 1.9)} 512" for dx in range(-440, 441, 88)
    )
    rows = "".join(f"M0 {y}H512" for y in (398, 420, 452, 492))
    picture.add(path(joints + rows, stroke="#bd955c", stroke_width=2, opacity=0.55))
    picture.add(_bunting(rng), group(_balloons(rng, 444, 398), transform=flip))
    return Scene(
        "in an amusement park",
        rng.choice((
            "a Ferris wheel, a roller coaster and striped tents under colourful flags",
            "a big Ferris wheel, a roller coaster, balloons and circus tents",
        )),
        "#fffdf2", 0.85, deep="#2f6ea0", ground=444,
    )  # fmt: skip


def _wheel(rng: random.Random) -> str:
    cx, cy, r = 150 + rng.uniform(-10, 14), 168 + rng.uniform(-6, 6), 136
    rim = rng.choice(("#e0453f", "#7d4fc4", "#d6408c"))
    turn = rng.uniform(0, math.tau)
    legs = path(
        f"M{num(cx)} {num(cy)}L{num(cx - 74)} 396M{num(cx)} {num(cy)}L{num(cx + 74)} 396"
        f"M{num(cx - 42)} 310H{num(cx + 42)}",
        stroke="#4a5a78", stroke_width=9, stroke_linecap="round", fill="none",
    )  # fmt: skip
    angles = [turn + i * math.tau / 12 for i in range(12)]
    spokes = "".join(
        f"M{num(cx)} {num(cy)}L{num(cx + r * math.cos(a))} {num(cy + r * math.sin(a))}"
        for a in angles
    )
    rings = "".join(
        element("circle", cx=cx, cy=cy, r=radius, fill="none", stroke=color, stroke_width=width)
        for radius, color, width in ((r, rim, 8), (r - 14, "#ffffff", 4), (r * 0.5, rim, 3.5))
    )
    cabins = []
    for i, a in enumerate(angles):
        x, y = cx + r * math.cos(a), cy + r * math.sin(a)
        color = _BRIGHT[i % 6]
        cabins.append(
            path(f"M{num(x - 15)} {num(y + 6)}h30l-4 19h-22z", fill=shade(color, -0.12))
            + path(f"M{num(x - 17)} {num(y + 7)}q17 -24 34 0z", fill=color)
            + path(f"M{num(x - 9)} {num(y + 9)}h18v6h-18z", fill="#fff8dd")
        )
    return (
        legs
        + path(spokes, stroke="#63718f", stroke_width=3, fill="none")
        + rings
        + "".join(cabins)
        + element("circle", cx=cx, cy=cy, r=17, fill=rim)
        + element("circle", cx=cx, cy=cy, r=8, fill="#ffe066")
    )


def _coaster(rng: random.Random) -> str:
    color = rng.choice(("#d9342b", "#1f7fc4", "#e07b1f"))
    top = rng.uniform(72, 96)
    track = (
        f"M250 380C300 380 304 {num(top)} 352 {num(top)}C396 {num(top)} 384 268 428 268"
        f"C466 268 462 {num(top + 66)} 540 {num(top + 60)}"
    )
    posts = "".join(
        f"M{x} {num(y)}V392"
        for x, y in (
            (296, 312), (320, 178), (352, top), (382, 180), (404, 250), (428, 268), (456, 244),
            (484, top + 92),
        )
    )  # fmt: skip
    braces = "".join(
        f"M{x0} {y0}L{x1} {y1}M{x0} {y1}L{x1} {y0}"
        for x0, x1, y0, y1 in (
            (320, 352, 190, 260), (352, 382, 190, 260), (320, 352, 260, 330), (352, 382, 260, 330),
            (382, 404, 280, 350), (404, 428, 290, 350), (428, 456, 290, 350), (456, 484, 260, 330),
        )
    )  # fmt: skip
    train = []
    for i, (x, y, turn) in enumerate(
        ((338, top + 2, -40), (362, top + 1, 22), (380, top + 24, 60))
    ):
        train.append(
            group(
                path("M-14 -20h28v14q0 5 -5 5h-18q-5 0 -5 -5z", fill=_BRIGHT[(i * 2 + 1) % 6]),
                element("circle", cx=0, cy=-26, r=7, fill="#f2c79b"),
                transform=f"translate({num(x)} {num(y)}) rotate({turn})",
            )
        )
    return (
        path(posts, stroke="#8d99ad", stroke_width=4.5)
        + path(braces, stroke="#a9b3c4", stroke_width=2.5)
        + path(track, fill="none", stroke=shade(color, -0.3), stroke_width=15)
        + path(track, fill="none", stroke=color, stroke_width=9)
        + path(track, fill="none", stroke="#ffffff", stroke_width=2.5, stroke_dasharray="3 8")
        + "".join(train)
    )


def _tent(rng: random.Random, x: float, foot: float, width: float, height: float) -> str:
    color = rng.choice(("#e8403a", "#2f80d0", "#8a4fc7"))
    roof, top = foot - height * 0.5, foot - height
    half = width / 2
    words = []
    for i in range(6):
        x0, x1 = x - half + i * width / 6, x - half + (i + 1) * width / 6
        fill = color if i % 2 == 0 else "#fff7e0"
        wall = polygon_d(((x0, roof), (x1, roof), (x1, foot), (x0, foot)))
        eave0, eave1 = x + (x0 - x) * 1.12, x + (x1 - x) * 1.12
        words.append(
            path(wall, fill=shade(fill, -0.1))
            + path(polygon_d(((x, top), (eave0, roof), (eave1, roof))), fill=fill)
        )
    door = path(
        f"M{num(x)} {num(roof + 12)}L{num(x + 15)} {num(foot)}H{num(x - 15)}Z", fill="#3a2436"
    )
    flag = path(f"M{num(x)} {num(top)}v-26", stroke="#5a4a3a", stroke_width=3) + path(
        f"M{num(x)} {num(top - 26)}l22 7l-22 8z", fill="#ffd23f"
    )
    return "".join(words) + door + flag


def _bunting(rng: random.Random) -> str:
    sag = rng.uniform(34, 48)
    flags = []
    for i in range(13):
        t = (i + 0.5) / 13
        x, y = -10 + 532 * t, 6 + sag * 4 * t * (1 - t) * 0.5
        flags.append(path(f"M{num(x - 15)} {num(y)}h30l-15 29z", fill=_BRIGHT[(i * 5) % 6]))
    string = path(
        f"M-10 6Q256 {num(6 + sag)} 522 6", fill="none", stroke="#5a4a3a", stroke_width=2.5
    )
    return "".join(flags) + string


def _balloons(rng: random.Random, x: float, foot: float) -> str:
    balls, strings = [], []
    for i, (dx, y) in enumerate(
        ((-26, 262), (26, 258), (0, 226), (-2, 286), (40, 300), (-38, 306))
    ):
        bx = x + dx + rng.uniform(-4, 4)
        strings.append(f"M{num(bx)} {num(y + 24)}Q{num(bx)} {num(y + 80)} {num(x)} {foot}")
        color = _BRIGHT[i]
        balls.append(
            path(ellipse_d(bx, y, 21, 25), fill=color)
            + path(f"M{num(bx - 5)} {num(y + 30)}l5 -7l5 7z", fill=color)
            + path(ellipse_d(bx - 7, y - 9, 4, 7), fill="#ffffff", opacity=0.6)
        )
    return path("".join(strings), fill="none", stroke="#5a6070", stroke_width=2) + "".join(balls)


def gym(picture: Picture, rng: random.Random) -> Scene:
    """Paint a loaded barbell in its rack, a dumbbell rack, a punching bag, mirrors, rubber."""
    wall = vary(rng.choice(("#c9d3dc", "#d6d2c8", "#c3d2d4")), rng)
    accent = rng.choice(("#e8472f", "#f0a51f", "#2f8fe0"))
    picture.add(
        band(0, 376, linear(picture, (0, shade(wall, 0.25)), (1, wall))),
        band(0, 24, "#59636f"),
    )
    for x in (64, 214, 364):
        picture.add(
            path(f"M{x} 20h84v10h-84z", fill="#ffffff"),
            path(f"M{x} 30h84l26 90h-136z", fill=linear(picture, (0, "#ffffff", 0.55),
                                                        (1, "#ffffff", 0))),
        )  # fmt: skip
    mirror = linear(picture, (0, "#e9f6fb"), (0.5, "#b5d3e0"), (1, "#dceef5"), end=(1, 1))
    for x in (122, 260):
        picture.add(
            path(f"M{x} 112h130v230h-130z", fill=mirror, stroke="#8a97a4", stroke_width=5),
            path(f"M{x + 22} 336l62 -218h22l-62 218zM{x + 62} 336l62 -218h4v24l-54 194z",
                 fill="#ffffff", opacity=0.45),
        )  # fmt: skip
    picture.add(
        band(338, 352, accent),
        band(352, 376, "#77828d"),
        band(376, SIZE, linear(picture, (0, "#4b545e"), (1, "#2d333b"))),
    )
    joints = "".join(
        f"M{num(256 + dx * 0.6)} 376L{num(256 + dx * 1.8)} 512" for dx in range(-480, 481, 120)
    )
    picture.add(path(joints + "M0 406H512M0 450H512", stroke="#20262c", stroke_width=2.5))
    flip = None if side(rng) < 0 else f"translate({SIZE} 0) scale(-1 1)"
    picture.add(
        group(_squat_rack(rng, accent), _punching_bag(picture, rng), _dumbbell_rack(rng),
              transform=flip)
    )  # fmt: skip
    front = group(_dumbbell(74, 474, 1.25, accent), _kettlebell(444, 486, accent), transform=flip)
    picture.add(front)
    return Scene(
        "in a gym",
        rng.choice((
            "a loaded barbell, a rack of dumbbells, a punching bag and mirrors",
            "dumbbells, a heavy barbell on its stand and a kettlebell on the rubber floor",
        )),
        "#ffffff", 0.8, deep="#3c4a58", ground=438,
    )  # fmt: skip


def _squat_rack(rng: random.Random, accent: str) -> str:
    y = rng.uniform(84, 98)
    posts = "M128 56V384M384 56V384M128 60H384"
    plates = []
    for sign in (-1, 1):
        for i, (offset, half) in enumerate(((150, 50), (170, 42), (187, 30))):
            x = 256 + sign * offset
            color = (accent, "#2b3038", "#5b6570")[i]
            plates.append(
                path(f"M{x - 8} {num(y - half)}h16q3 0 3 4v{num(2 * half - 8)}q0 4 -3 4h-16"
                     f"q-3 0 -3 -4v{num(8 - 2 * half)}q0 -4 3 -4z", fill=color)
                + path(f"M{x - 6} {num(y - half + 6)}v{num(2 * half - 12)}", stroke="#ffffff",
                       stroke_width=3, opacity=0.35)
            )  # fmt: skip
    return (
        path(posts, fill="none", stroke="#343b45", stroke_width=13, stroke_linejoin="round")
        + path(f"M116 {num(y + 6)}h26v12h-26zM370 {num(y + 6)}h26v12h-26z", fill=accent)
        + path(f"M36 {num(y)}H476", stroke="#8e99a5", stroke_width=10, stroke_linecap="round")
        + path(f"M36 {num(y - 2)}H476", stroke="#e6edf2", stroke_width=3, stroke_linecap="round")
        + "".join(plates)
    )


def _punching_bag(picture: Picture, rng: random.Random) -> str:
    color = rng.choice(("#c22f2a", "#7a2f2a", "#273f7a"))
    skin = linear(picture, (0, shade(color, -0.3)), (0.35, shade(color, 0.2)),
                  (1, shade(color, -0.4)), end=(1, 0))  # fmt: skip
    return (
        path("M46 20V150M46 150l-22 22M46 150l22 22", stroke="#4b535c", stroke_width=4)
        + path("M14 172q32 -12 64 0v146q-32 20 -64 0z", fill=skin)
        + path(
            "M14 196q32 -10 64 0M14 292q32 12 64 0", stroke="#f4f1ea", stroke_width=6, fill="none"
        )
    )


def _dumbbell_rack(rng: random.Random) -> str:
    frame = path("M404 240V396M508 240V396M396 272H516M396 326H516M396 380H516", fill="none",
                 stroke="#39414b", stroke_width=8, stroke_linecap="round")  # fmt: skip
    bells = []
    for row, y in enumerate((258, 312, 366)):
        for i in range(3):
            color = ("#f0a51f", "#2f8fe0", "#3fb06a", "#e8472f")[(row + i + rng.randrange(4)) % 4]
            bells.append(_dumbbell(416 + i * 36, y, 0.36, color))
    return frame + "".join(bells)


def _dumbbell(x: float, y: float, scale: float, color: str) -> str:
    return group(
        path("M-26 -5h52v10h-52z", fill="#b9c3cc"),
        path("M-46 -30h14q5 0 5 5v50q0 5 -5 5h-14q-5 0 -5 -5v-50q0 -5 5 -5zM32 -30h14q5 0 5 5v50"
             "q0 5 -5 5h-14q-5 0 -5 -5v-50q0 -5 5 -5z", fill=color),
        path("M-60 -18h9v36h-9zM51 -18h9v36h-9z", fill=shade(color, -0.35)),
        path("M-46 -22v44M32 -22v44", stroke="#ffffff", stroke_width=4, opacity=0.4),
        transform=f"translate({num(x)} {num(y)}) scale({num(scale)})",
    )  # fmt: skip


def _kettlebell(x: float, y: float, color: str) -> str:
    return group(
        path("M-15 -38q-8 -34 15 -34q23 0 15 34", fill="none", stroke="#171b20", stroke_width=9),
        path(ellipse_d(0, -22, 32, 28) + "M-20 6h40v-10h-40z", fill="#22272e"),
        path(ellipse_d(0, -22, 15, 14), fill=color),
        path(ellipse_d(-14, -34, 5, 8), fill="#ffffff", opacity=0.35),
        transform=f"translate({num(x)} {num(y)})",
    )
