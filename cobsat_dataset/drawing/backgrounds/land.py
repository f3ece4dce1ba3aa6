"""Scenes on dry land: beach, desert, volcano, cave."""

from __future__ import annotations

import math
import random

from ..svg import SIZE, Picture, element, ellipse_d, group, num, path, polygon_d, shade, vary
from .kit import (
    Scene,
    band,
    cloud,
    dots,
    glow,
    hills_d,
    linear,
    radial,
    ridge_d,
    rock,
    scatter,
    side,
    star_d,
)


def beach(picture: Picture, rng: random.Random) -> Scene:
    """Paint sky, sea with surf, sand, a palm on one side and a parasol on the other."""
    left = side(rng) < 0
    flip = None if left else f"translate({SIZE} 0) scale(-1 1)"
    horizon = rng.uniform(178, 200)
    sky, low_sky = rng.choice(
        (("#58b7f0", "#d8f1fb"), ("#3f9be8", "#cfeefc"), ("#f58a5a", "#ffe2a0"))
    )
    shore = horizon + rng.uniform(105, 125)
    picture.add(
        band(0, horizon, linear(picture, (0, vary(sky, rng)), (1, low_sky))),
        glow(picture, rng.uniform(200, 320), 62, 120, "#fffbe0", 0.95),
        cloud(rng.uniform(180, 240), rng.uniform(52, 80), rng.uniform(80, 110), "#ffffff", 0.9),
        cloud(rng.uniform(300, 350), rng.uniform(100, 130), rng.uniform(60, 90), "#ffffff", 0.8),
        band(
            horizon, shore + 60,
            linear(picture, (0, vary("#1673b8", rng)), (0.6, "#25a9c9"), (1, "#7fdcd8")),
        ),
    )  # fmt: skip
    boat = rng.uniform(230, 330)
    picture.add(
        path(f"M{num(boat)} {num(horizon - 34)}v34h-26zM{num(boat + 4)} {num(horizon - 26)}v26h16z",
             fill="#ffffff"),
        path(f"M{num(boat - 28)} {num(horizon + 1)}h52l-9 10h-34z", fill="#c8452f"),
    )  # fmt: skip
    for x, y in scatter(rng, 16, (0, SIZE), (horizon + 12, shore - 14)):
        w = rng.uniform(18, 44)
        picture.add(
            path(f"M{num(x)} {num(y)}q{num(w / 2)} -5 {num(w)} 0", fill="none", stroke="#ffffff",
                 stroke_width=2.5, opacity=0.55, stroke_linecap="round")
        )  # fmt: skip
    wave = "".join(f"q32 {num(rng.uniform(12, 22))} 64 0" for _ in range(9))
    sand = linear(picture, (0, "#f7e2ac"), (1, vary("#e9bf73", rng, 0.01, 0.03)))
    edge = f"M-20 {num(shore)}{wave}V{SIZE}H-20Z"
    picture.add(
        path(edge, fill="none", stroke="#ffffff", stroke_width=16, opacity=0.9),
        path(edge, fill="#d9b877", transform="translate(0 7)"),
        path(edge, fill=sand, transform="translate(0 16)"),
        dots(scatter(rng, 60, (0, SIZE), (shore + 40, SIZE)), (0.8, 2), rng, fill="#c99d55",
             opacity=0.7),
    )  # fmt: skip
    picture.add(
        group(_palm(picture, rng, shore + 55), _parasol(rng, 436, shore + 70), transform=flip)
    )
    shells = [
        path(star_d(62, 470, rng.uniform(15, 20), 5, 0.42), fill="#ef7d57", stroke="#d05f3c",
             stroke_width=2, stroke_linejoin="round"),
        path("M436 478q2 -26 22 -26q20 0 22 26q-22 12 -44 0z", fill="#f6b8b0"),
        path("M458 453v29M449 455l-5 25M467 455l5 25", stroke="#d98a84", stroke_width=2,
             fill="none"),
    ]  # fmt: skip
    picture.add(group(*shells, transform=flip))
    return Scene(
        "on a sandy beach",
        rng.choice((
            "a palm tree, a striped parasol and a sailing boat on the blue sea",
            "the surf of a blue sea, a palm tree and a striped parasol",
        )),
        "#fffbe8", 0.55, deep="#17678f",
    )  # fmt: skip


def _palm(picture: Picture, rng: random.Random, foot: float) -> str:
    top = rng.uniform(92, 112)
    lean = rng.uniform(60, 84)
    bark = linear(picture, (0, "#a9794a"), (1, "#7d5430"), end=(1, 0))
    trunk = (
        f"M34 {num(foot)}Q40 {num((foot + top) / 2)} {num(lean)} {num(top)}l12 4"
        f"Q66 {num((foot + top) / 2 + 10)} 64 {num(foot)}Z"
    )
    rings = "".join(
        f"M{num(38 + t * t * (lean - 36))} {num(foot + (top - foot) * t)}q10 6 22 0"
        for t in (0.12, 0.24, 0.36, 0.48, 0.6, 0.72, 0.84)
    )
    leaves = []
    for i, angle in enumerate((-195, -160, -125, -80, -45, -10, 25)):
        a = math.radians(angle + rng.uniform(-7, 7))
        length = rng.uniform(84, 104)
        tip = (lean + 6 + length * math.cos(a), top + length * math.sin(a) * 0.62 + 22)
        bend = (lean + 6 + length * 0.55 * math.cos(a), top + length * 0.6 * math.sin(a) - 26)
        back = (bend[0] + 3, bend[1] + 24)
        leaves.append(
            path(
                f"M{num(lean + 6)} {num(top)}Q{num(bend[0])} {num(bend[1])} {num(tip[0])} "
                f"{num(tip[1])}Q{num(back[0])} {num(back[1])} {num(lean + 6)} {num(top + 8)}Z",
                fill=("#2f8f3e", "#3fa84a", "#257a36")[i % 3],
            )
        )
    nuts = "".join(ellipse_d(lean + dx, top + dy, 8, 9) for dx, dy in ((-2, 10), (13, 12), (5, 17)))
    shadow = path(ellipse_d(62, foot + 2, 58, 9), fill="#a87d3c", opacity=0.4)
    return (
        shadow
        + path(trunk, fill=bark)
        + path(rings, fill="none", stroke="#5f3d20", stroke_width=2.5, opacity=0.6)
        + "".join(leaves)
        + path(nuts, fill="#6b4322")
    )


def _parasol(rng: random.Random, x: float, foot: float) -> str:
    colors = rng.choice((("#e8503a", "#fff6e6"), ("#2f7fd0", "#fff6e6"), ("#f0a52a", "#fff6e6")))
    top, r, low = foot - 214, 92, 74
    crown = f"{num(x)} {num(top)}"
    gores = []
    for i in range(6):
        x0, x1 = x - r + i * r / 3, x - r + (i + 1) * r / 3
        gores.append(
            path(
                f"M{crown}Q{num(x + (x0 - x) * 0.92)} {num(top + 8)} {num(x0)} {num(top + low)}"
                f"Q{num((x0 + x1) / 2)} {num(top + low - 13)} {num(x1)} {num(top + low)}"
                f"Q{num(x + (x1 - x) * 0.92)} {num(top + 8)} {crown}Z",
                fill=shade(colors[i % 2], 0.0 if i < 4 else -0.12),
            )
        )
    pole = path(f"M{num(x - 3)} {num(top - 10)}h6v{num(foot - top + 10)}h-6z", fill="#f2efe8")
    towel = path(
        f"M{num(x - 70)} {num(foot + 2)}h100l22 20h-110z", fill=shade(colors[0], 0.25)
    ) + path(f"M{num(x - 40)} {num(foot + 2)}h16l14 20h-18z", fill="#fff6e6")
    shadow = path(ellipse_d(x, foot + 8, 84, 14), fill="#a87d3c", opacity=0.4)
    tilt = f"rotate({num(rng.uniform(2, 12))} {num(x)} {num(foot)})"
    return shadow + towel + group(pole, *gores, transform=tilt)


def desert(picture: Picture, rng: random.Random) -> Scene:
    """Paint a burning sky, table mountains, dunes and tall cacti."""
    sky, low_sky = rng.choice(
        (("#f2913c", "#fbd583"), ("#4fa9de", "#fbe6b0"), ("#e0603f", "#fbc070"))
    )
    picture.add(
        band(0, SIZE, linear(picture, (0, vary(sky, rng)), (0.5, low_sky))),
        glow(picture, 256, 90, 230, "#fff3b0", 0.9),
    )
    sun = rng.uniform(150, 360)
    picture.add(
        element("circle", cx=sun, cy=82, r=rng.uniform(40, 48), fill="#fffbe0"),
        element("circle", cx=sun, cy=82, r=62, fill="#fff6c0", opacity=0.4),
    )
    mesa = rng.uniform(30, 110)
    picture.add(
        path(f"M{num(mesa)} 240l16 -74h12l6 -14h84l8 16h14l20 72z", fill="#c4683a"),
        path(f"M{num(mesa + 22)} 240l16 -74h12l6 -14h30l-26 88z", fill="#ab5530"),
        path(f"M{num(mesa + 240)} 240l10 -46h8l4 -10h66l6 12h8l16 44z", fill="#cf7a45"),
    )
    for level, height, light, dark in (
        (232, 14, "#f3b65e", "#e39a45"),
        (276, 20, "#efa94f", "#d88a38"),
        (332, 20, "#f4c06c", "#dd9746"),
    ):
        fill = linear(picture, (0, vary(light, rng, 0.01, 0.02)), (0.6, dark))
        picture.add(path(hills_d(rng, level, height, 3), fill=fill))
    floor = linear(picture, (0, "#f6cc80"), (1, "#e2a050"))
    picture.add(path(hills_d(rng, 392, 10, 3), fill=floor))
    for x, y in scatter(rng, 12, (-20, 480), (404, 500)):
        w = rng.uniform(40, 90)
        picture.add(
            path(f"M{num(x)} {num(y)}q{num(w / 4)} -7 {num(w / 2)} 0t{num(w / 2)} 0", fill="none",
                 stroke="#c98537", stroke_width=2.5, opacity=0.55, stroke_linecap="round")
        )  # fmt: skip
    near, far = (58, 452) if side(rng) < 0 else (452, 58)
    picture.add(
        _saguaro(picture, rng, far, 352, rng.uniform(0.78, 0.92)),
        _saguaro(picture, rng, near, 416, rng.uniform(1.12, 1.25)),
    )
    far += 42 if far < 256 else -42
    picture.add(_barrel(rng, far, 400))
    tuft = "".join(
        f"M{num(near)} 482l{num(dx)} {num(-28 + abs(dx) * 0.7)}" for dx in (-20, -11, -3, 6, 14, 21)
    )
    picture.add(path(tuft, stroke="#9a8a3a", stroke_width=3.5, stroke_linecap="round"))
    return Scene(
        "in a hot desert",
        rng.choice((
            "tall cacti, sand dunes and table mountains under a burning sun",
            "sand dunes and tall green cacti under a huge pale sun",
        )),
        "#fff4cf", 0.8, deep="#a5561f",
    )  # fmt: skip


def _saguaro(picture: Picture, rng: random.Random, x: float, foot: float, scale: float) -> str:
    green = vary("#3f8f4a", rng, 0.02, 0.03)
    high, low = rng.uniform(-128, -110), rng.uniform(-92, -76)
    trunk = "M0 0V-206"
    arms = f"M0 -70H-46V{num(high)}M0 {num(low + 32)}H46V{num(low - 46)}"
    body = trunk + arms
    stroke = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
    pen = {"stroke_width": 2, "opacity": 0.75}
    ribs = "M-8 -8V-206M8 -8V-206"
    thorns = "".join(
        f"M{dx} {y}l5 -4M{dx} {y}l-5 -4" for dx in (-15, 0, 15) for y in range(-190, -10, 24)
    )
    return group(
        path(ellipse_d(10, 2, 52, 8), fill="#b06f2c", opacity=0.5),
        path(body, stroke=shade(green, -0.35), stroke_width=42, **stroke),
        path(body, stroke=green, stroke_width=36, **stroke),
        path(trunk, stroke=shade(green, 0.18), stroke_width=12, **stroke),
        path(ribs, stroke=shade(green, -0.3), **stroke, **pen),
        path(thorns, stroke="#f3f0c4", fill="none", stroke_width=1.8),
        path(star_d(0, -224, 13, 6, 0.55), fill="#e84f7c"),
        transform=f"translate({num(x)} {num(foot)}) scale({num(scale)})",
    )


def _barrel(rng: random.Random, x: float, foot: float) -> str:
    green = vary("#5a9d49", rng, 0.02, 0.03)
    ribs = "".join(f"M{dx} -46Q{dx * 2} -22 {dx} -2" for dx in (-12, 12)) + "M0 -48V0"
    return group(
        path(ellipse_d(4, 0, 34, 6), fill="#b06f2c", opacity=0.5),
        path(ellipse_d(0, -24, 28, 26), fill=green),
        path(ribs, stroke=shade(green, -0.35), stroke_width=3, fill="none"),
        path(star_d(0, -50, 11, 6, 0.55), fill="#ffcf3f"),
        transform=f"translate({num(x)} {num(foot)})",
    )


def volcano(picture: Picture, rng: random.Random) -> Scene:
    """Paint an erupting cone with streams of lava, its smoke, and glowing cracks in the rock."""
    peak = rng.uniform(215, 297)
    top = rng.uniform(118, 134)
    picture.add(
        band(
            0,
            SIZE,
            linear(
                picture,
                (0, "#2a0d18"),
                (0.45, vary(rng.choice(("#8a1f1c", "#7a1c3c", "#5c2430")), rng)),
                (0.8, "#e0562a"),
            ),
        ),
        glow(picture, peak, top, 240, "#ff8a2a", 1),
    )
    for i in range(7):
        drift = (i - 3) * rng.uniform(26, 44)
        picture.add(
            cloud(peak + drift, 22 + abs(i - 3) * 7 + rng.uniform(-6, 6), rng.uniform(90, 130),
                  ("#3a2128", "#4d2a2e", "#5f3432")[i % 3], 0.92)
        )  # fmt: skip
    jets = []
    for _ in range(15):
        dx = rng.uniform(-1, 1)
        height = rng.uniform(50, 104) * (1.1 - 0.5 * abs(dx))
        jets.append(
            path(f"M{num(peak + dx * 14)} {num(top + 6)}q{num(dx * 34)} {num(-height * 1.25)} "
                 f"{num(dx * 92)} {num(-height * (0.9 - 0.6 * abs(dx)))}",
                 fill="none", stroke=rng.choice(("#ffd24a", "#ff9a2e", "#ff6a1f")),
                 stroke_width=rng.uniform(4, 9), stroke_linecap="round")
        )  # fmt: skip
    picture.add(*jets)
    foot = 396
    cone = (
        f"M-30 {foot}Q{num(peak - 130)} {num(foot - 70)} {num(peak - 44)} {num(top)}"
        f"q14 9 22 3t22 5t22 -5t22 -3Q{num(peak + 130)} {num(foot - 70)} {SIZE + 30} {foot}Z"
    )
    rock_fill = linear(picture, (0, "#5a3336"), (0.5, "#3f2429"), (1, "#2b181d"))
    flank = (
        f"M{num(peak + 4)} {num(top + 6)}q18 -2 40 -6Q{num(peak + 130)} {num(foot - 70)} "
        f"{SIZE + 30} {foot}H{num(peak + 60)}Q{num(peak + 10)} 260 {num(peak + 4)} {num(top + 6)}Z"
    )
    lava = linear(picture, (0, "#fff09a"), (0.2, "#ffb52e"), (1, "#f2431b"))
    picture.add(path(cone, fill=rock_fill), path(flank, fill="#1f1015", opacity=0.4))
    streams = []
    for dx, reach, broad in ((-26, -178, 15), (-10, -84, 12), (8, 70, 12), (28, 176, 15)):
        width = broad * rng.uniform(0.9, 1.15)
        x0, x1 = peak + dx, peak + reach + rng.uniform(-14, 14)
        streams.append(
            f"M{num(x0 - width * 0.7)} {num(top + 2)}C{num(x0 - 8)} {num(top + 90)} {num(x1 + 24)} "
            f"{num(foot - 130)} {num(x1 - width)} {foot}h{num(2.4 * width)}C{num(x1 + 50)} "
            f"{num(foot - 120)} {num(x0 + 16)} {num(top + 80)} {num(x0 + width * 0.7)} "
            f"{num(top + 2)}Z"
        )
    crater = path(ellipse_d(peak, top + 3, 45, 10), fill="#fff3a8")
    picture.add(
        *(path(d, fill="none", stroke="#ff5a1c", stroke_width=10, opacity=0.3) for d in streams),
        *(path(d, fill=lava) for d in streams),
        crater,
    )
    floor = linear(picture, (0, "#4a2a2b"), (1, "#1d1013"))
    picture.add(path(ridge_d(rng, 396, 22, 7), fill=floor))
    for _ in range(6):
        x, y = rng.uniform(-10, 470), rng.uniform(420, 500)
        crack = f"M{num(x)} {num(y)}" + "".join(
            f"l{num(rng.uniform(14, 34))} {num(rng.uniform(-12, 12))}" for _ in range(4)
        )
        pen = {"fill": "none", "stroke_linejoin": "round", "stroke_linecap": "round"}
        picture.add(
            path(crack, stroke="#ff4a18", stroke_width=9, opacity=0.45, **pen),
            path(crack, stroke="#ffc04a", stroke_width=3.5, **pen),
        )
    embers = scatter(rng, 34, (10, 500), (20, 380))
    picture.add(dots(embers, (1.2, 3.4), rng, fill="#ffb347"))
    return Scene(
        "in front of an erupting volcano",
        rng.choice((
            "glowing lava streaming down the dark slopes and ash clouds in a red sky",
            "a burning crater, streams of red lava and smoke in a dark sky",
        )),
        "#2a0f12", 0.5, rim="#ffd98a",
    )  # fmt: skip


def cave(picture: Picture, rng: random.Random) -> Scene:
    """Paint a dark vault with dripstones above and below, its bright mouth, crystals, a torch."""
    mouth = rng.uniform(225, 287)
    middle, outer = rng.choice(
        (("#6d5a50", "#43352f"), ("#5d5a66", "#37343f"), ("#755848", "#4a3327"))
    )
    wall = radial(picture, (0, middle), (0.55, outer), (1, "#1e1715"), center=(0.5, 0.45),
                  radius=0.7)  # fmt: skip
    light = linear(picture, (0, vary("#bfe6f4", rng)), (0.7, "#f3f8da"), (1, "#a9c98a"))
    picture.add(band(0, SIZE, wall))
    opening = [
        (mouth + math.cos(a) * rng.uniform(98, 122), 214 - math.sin(a) * rng.uniform(92, 118))
        for a in (math.pi * i / 8 for i in range(9))
    ]
    shape = polygon_d((*opening, (opening[-1][0] - 24, 330), (opening[-1][0] + 12, 388),
                       (opening[0][0] - 6, 388), (opening[0][0] + 22, 320)))  # fmt: skip
    border = f"translate({num(mouth * -0.22)} -46) scale(1.22)"
    picture.add(
        path(shape, fill="#5b493f", transform=border),
        path(shape, fill="#8f7767", transform=f"translate({num(mouth * -0.1)} -21) scale(1.1)"),
        path(shape, fill=light),
        glow(picture, mouth, 220, 220, "#fffbe0", 0.6),
    )
    for depth, color in ((0, "#3c2f2a"), (1, "#2b211d")):
        spikes: list[tuple[float, float]] = [(-20, -20)]
        x = -20.0
        while x < SIZE + 10:
            width = rng.uniform(34, 58)
            edge = abs(x + width / 2 - 256) / 256
            length = rng.uniform(40, 78) + 118 * edge**1.4 - depth * 6
            spikes += [
                (x, 34 + 50 * edge - depth * 22), (x + width / 2, 34 + length - depth * 22),
            ]  # fmt: skip
            x += width
        spikes += [(SIZE + 20, 80), (SIZE + 20, -20)]
        picture.add(path(polygon_d(tuple(spikes)), fill=color))
    wall_side = (
        "M-20 60L44 120L26 190L58 250L34 330L70 400L-20 470Z"
        "M532 60L470 130L490 200L452 262L480 340L446 404L532 470Z"
    )
    picture.add(path(wall_side, fill="#33271f"))
    floor = linear(picture, (0, "#7a6454"), (0.4, "#54443a"), (1, "#2a201c"))
    picture.add(path(hills_d(rng, 384, 10, 5), fill=floor))
    for x, high in ((24, 150), (66, 84), (104, 46), (414, 52), (450, 100), (492, 160)):
        h, w = high * rng.uniform(0.85, 1.15), rng.uniform(20, 28)
        picture.add(
            path(f"M{num(x - w)} 442Q{num(x - 4)} 420 {num(x)} {num(442 - h)}Q{num(x + 4)} 420 "
                 f"{num(x + w)} 442Z", fill="#4a3a31"),
            path(f"M{num(x - w)} 442Q{num(x - 4)} 420 {num(x)} {num(442 - h)}Q{num(x - 1)} 420 "
                 f"{num(x - w * 0.2)} 442Z", fill="#80695a"),
        )  # fmt: skip
    torch = rng.choice((78, 434))
    picture.add(
        glow(picture, torch, 212, 110, "#ffab40", 0.9),
        path(f"M{torch - 7} 226h14l-4 66h-6z", fill="#7a4a24"),
        path(f"M{torch - 16} 226q-4 -26 16 -56q20 30 16 56q-16 12 -32 0z", fill="#ff8f1f"),
        path(f"M{torch - 8} 226q-2 -14 8 -32q10 18 8 32q-8 6 -16 0z", fill="#ffe680"),
    )
    color = rng.choice(("#8f6bff", "#35d3e6", "#e668c9"))
    x = 512 - torch
    picture.add(glow(picture, x, 424, 76, color, 0.7))
    for dx, h, lean in ((-22, 44, -14), (20, 50, 14), (0, 70, 2)):
        picture.add(
            path(polygon_d(((x + dx - 10, 446), (x + dx - 10 + lean, 446 - h),
                            (x + dx + lean, 446 - h - 16), (x + dx + 10 + lean, 446 - h),
                            (x + dx + 10, 446))), fill=color),
            path(polygon_d(((x + dx - 10, 446), (x + dx - 10 + lean, 446 - h),
                            (x + dx + lean, 446 - h - 16), (x + dx, 446))),
                 fill=shade(color, 0.45)),
        )  # fmt: skip
    boulder = rock(rng, x - 60 if x > 256 else x + 60, 500, 80, 34, "#3a2d27", "#5c4a40")
    picture.add(boulder)
    return Scene(
        "in a dark cave",
        rng.choice((
            "stalactites, stalagmites and a burning torch near the bright entrance",
            "dripping stalactites, glowing crystals and daylight at the mouth",
        )),
        "#fff2cc", 0.5, deep="#4a3a30",
    )  # fmt: skip
