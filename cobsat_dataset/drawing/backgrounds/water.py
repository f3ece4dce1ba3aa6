"""Scenes of water and ice: glacier, waterfall, seafloor."""

from __future__ import annotations

import math
import random

from ..svg import SIZE, Picture, element, ellipse_d, group, num, path, polygon_d, shade, vary
from .kit import (
    Scene,
    band,
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


def glacier(picture: Picture, rng: random.Random) -> Scene:
    """Paint snowy peaks, a wall of cracked blue ice, icebergs in cold water, and snowfall."""
    sky, low_sky = rng.choice(
        (("#7fb6de", "#dff0f8"), ("#5a93cf", "#f6d9dc"), ("#8f9fd6", "#e6eefb"))
    )
    picture.add(
        band(0, SIZE, linear(picture, (0, vary(sky, rng)), (0.4, low_sky))),
        path(ridge_d(rng, 150, 110, 5), fill="#8fb0cf"),
    )
    peaks = random.Random(rng.random())
    picture.add(path(ridge_d(peaks, 122, 92, 4), fill="#f4faff", opacity=0.85))
    foot = 330
    x = -30.0
    while x < SIZE + 10:
        width = rng.uniform(48, 84)
        top = rng.uniform(112, 172) - 34 * abs(x + width / 2 - 256) / 256
        next_top = top + rng.uniform(-18, 18)
        base = vary("#5fb4e0", rng, 0.012, 0.05)
        face = linear(picture, (0, "#d9f3ff"), (0.3, base), (1, shade(base, -0.32)))
        cut = x + width * rng.uniform(0.55, 0.75)
        picture.add(
            path(polygon_d(((x, top), (x + width + 1, next_top), (x + width + 1, foot), (x, foot))),
                 fill=face),
            path(polygon_d(((cut, (top + next_top) / 2), (x + width + 1, next_top),
                            (x + width + 1, foot), (cut - 12, foot))), fill="#1f5f96",
                 opacity=0.38),
            path(polygon_d(((x, top), (x + width * 0.5, top - rng.uniform(8, 20)),
                            (x + width + 1, next_top), (x + width * 0.8, next_top + 13),
                            (x + width * 0.35, top + 9))), fill="#ffffff"),
        )  # fmt: skip
        crack = f"M{num(cut - width * 0.3)} {num(top + 18)}" + "".join(
            f"l{num(rng.uniform(-9, 9))} {num(rng.uniform(22, 36))}" for _ in range(4)
        )
        picture.add(
            path(crack, fill="none", stroke="#1c5a92", stroke_width=2.5, opacity=0.65,
                 stroke_linejoin="round")
        )  # fmt: skip
        x += width
    picture.add(
        band(foot - 6, SIZE, linear(picture, (0, "#1d628f"), (0.5, vary("#2f8fb8", rng)))),
    )
    for x, y in scatter(rng, 10, (-10, 480), (foot + 6, 392)):
        picture.add(
            path(f"M{num(x)} {num(y)}h{num(rng.uniform(24, 60))}", stroke="#a9e0f2",
                 stroke_width=2.5, opacity=0.6, stroke_linecap="round")
        )  # fmt: skip
    flip = None if side(rng) < 0 else f"translate({SIZE} 0) scale(-1 1)"
    picture.add(
        group(
            _iceberg(rng, 54, 372, 112, 92), _iceberg(rng, 462, 366, 92, 70),
            _iceberg(rng, 395, 350, 46, 26), transform=flip,
        )
    )  # fmt: skip
    floe = linear(picture, (0, "#ffffff"), (1, "#cfe6f4"))
    edge = "".join(f"L{num(-20 + i * 61)} {num(396 + rng.uniform(-9, 9))}" for i in range(10))
    snow = f"M-20 {SIZE}{edge}L540 {SIZE}Z"
    picture.add(
        path(snow, fill="#6fb6da", transform="translate(0 -8)"),
        path(snow, fill=floe),
    )
    for x, y in scatter(rng, 7, (0, 460), (424, 498)):
        w = rng.uniform(30, 70)
        picture.add(
            path(f"M{num(x)} {num(y)}q{num(w / 2)} -10 {num(w)} 0", fill="none", stroke="#9cc6e2",
                 stroke_width=4, opacity=0.7, stroke_linecap="round")
        )  # fmt: skip
    flakes = dots(scatter(rng, 44, (0, SIZE), (0, 440)), (1.6, 4), rng, fill="#ffffff", opacity=0.9)
    return Scene(
        "on an icy glacier",
        rng.choice((
            "cracked walls of blue ice and icebergs in cold water while snow is falling",
            "a cliff of blue ice, snowy peaks and floating icebergs",
        )),
        "#f2fbff", 0.62, deep="#0e4b7c", front=[flakes],
    )  # fmt: skip


def _iceberg(rng: random.Random, x: float, y: float, width: float, height: float) -> str:
    w, h = width / 2, height
    points = [
        (x - w, y), (x - w * 0.8, y - h * 0.45), (x - w * 0.35, y - h * rng.uniform(0.6, 0.75)),
        (x - w * 0.05, y - h), (x + w * 0.35, y - h * rng.uniform(0.6, 0.8)),
        (x + w * 0.75, y - h * 0.35), (x + w, y),
    ]  # fmt: skip
    ridge = (points[3], (x + w * 0.1, y - h * 0.5), (x - w * 0.1, y))
    dark = (points[3], points[4], points[5], points[6], ridge[2], ridge[1])
    return (
        path(ellipse_d(x, y + 4, w * 1.1, 8), fill="#bfeaf7", opacity=0.6)
        + path(polygon_d(tuple(points)), fill="#f2fbff")
        + path(polygon_d(dark), fill="#8cc9e8")
    )


def waterfall(picture: Picture, rng: random.Random) -> Scene:
    """Paint a broad fall between mossy cliffs into a pool, mist, jungle leaves, a rainbow."""
    left, right = rng.uniform(104, 128), rng.uniform(384, 408)
    brink = rng.uniform(62, 78)
    picture.add(
        band(0, SIZE, linear(picture, (0, "#cfeeff"), (0.2, "#e9f8e0"), (1, "#2c6b45"))),
        path(hills_d(rng, 52, 18, 6), fill=vary("#3f8f4c", rng)),
        path(hills_d(rng, 74, 12, 8), fill="#2b7440"),
    )
    dark_rock = linear(picture, (0, "#6a6a60"), (1, "#34382f"))
    picture.add(band(brink + 8, 400, dark_rock))
    for edge, sign in ((left, -1), (right, 1)):
        for i in range(9):
            y = brink + 24 + i * 36
            x = edge + sign * rng.uniform(4, 76)
            picture.add(rock(rng, x, y + 34, rng.uniform(58, 96), rng.uniform(36, 52),
                             rng.choice(("#54564b", "#4a4c42", "#5f6155")), "#84877a"))  # fmt: skip
    water = linear(
        picture, (0, "#8fd3f2"), (0.14, "#ffffff"), (0.4, vary("#bfe8fa", rng)), (0.8, "#e9f9ff"),
        (1, "#ffffff"),
    )  # fmt: skip
    picture.add(
        path(f"M{num(left + 14)} {num(brink - 4)}Q256 {num(brink - 18)} {num(right - 14)} "
             f"{num(brink - 4)}Q{num(right)} {num(brink + 6)} {num(right - 4)} 380H{num(left + 4)}"
             f"Q{num(left)} {num(brink + 6)} {num(left + 14)} {num(brink - 4)}Z", fill=water)
    )  # fmt: skip
    for _ in range(26):
        x = rng.uniform(left + 8, right - 8)
        y = rng.uniform(brink + 6, 250)
        color = rng.choice(("#5fb6e3", "#4aa3d8", "#ffffff", "#7cc8ec"))
        picture.add(
            path(f"M{num(x)} {num(y)}q{num(rng.uniform(-4, 4))} 40 0 {num(rng.uniform(60, 130))}",
                 fill="none", stroke=color, stroke_width=rng.uniform(3, 8), opacity=0.75,
                 stroke_linecap="round")
        )  # fmt: skip
    for x, size in ((rng.uniform(180, 215), 46), (rng.uniform(300, 340), 40)):
        picture.add(rock(rng, x, brink + 6, size, 26, "#44473d", "#7d8173"))
    pool = linear(picture, (0, "#bff0f2"), (0.25, vary("#3fb8c4", rng)), (1, "#0f6f86"))
    picture.add(path(f"M-20 372Q256 352 532 372V{SIZE}H-20Z", fill=pool))
    mist = radial(picture, (0, "#ffffff", 0.95), (0.5, "#ffffff", 0.7), (1, "#ffffff", 0))
    for x in range(int(left), int(right) + 20, 34):
        puff = ellipse_d(x, 366 + rng.uniform(-8, 10), rng.uniform(34, 56), rng.uniform(20, 32))
        picture.add(path(puff, fill=mist))
    bow = "".join(
        element("circle", cx=256, cy=392, r=206 - 7 * i, fill="none", stroke=color, stroke_width=7)
        for i, color in enumerate(("#ff6b6b", "#ffb347", "#fff176", "#7ed87e", "#6fb7ff"))
    )
    above_pool = picture.define("clipPath", element("rect", x=0, y=0, width=SIZE, height=366))
    picture.add(group(bow, opacity=0.27, clip_path=above_pool))
    for r in (60, 110, 165, 215):
        picture.add(
            path(f"M{num(256 - r * 1.2)} {num(392 + r * 0.36)}q{num(r * 1.2)} {num(r * 0.16)} "
                 f"{num(r * 2.4)} 0", fill="none", stroke="#e8ffff", stroke_width=3, opacity=0.6)
        )  # fmt: skip
    picture.add(
        path(ellipse_d(256, 462, 196, 36), fill="#0b4f62", opacity=0.5),
        path("M64 470Q70 424 150 418Q256 404 352 418Q440 424 450 468Q400 500 256 500"
             "Q110 500 64 470Z", fill=linear(picture, (0, "#8f9384"), (1, "#474b41"))),
        path("M84 446Q100 424 160 420Q256 408 350 420Q420 426 432 446Q380 430 256 432"
             "Q130 430 84 446Z", fill=vary("#7cae4a", rng)),
    )  # fmt: skip
    picture.add(
        _fronds(rng, 0), group(_fronds(rng, 1), transform=f"translate({SIZE} 0) scale(-1 1)")
    )
    drops = dots(scatter(rng, 30, (left, right), (300, 420)), (1.2, 3), rng, fill="#ffffff",
                 opacity=0.85)  # fmt: skip
    return Scene(
        "in front of a great waterfall",
        rng.choice((
            "masses of white water plunging over mossy rocks into a turquoise pool, with green "
            "ferns around",
            "a broad white cascade, drifting mist and a faint rainbow over a green pool",
        )),
        "#f2fdff", 0.6, deep="#0d4a5c", ground=446, front=[drops],
    )  # fmt: skip


def _fronds(rng: random.Random, start: int) -> str:
    leaves = []
    for i, (x, y, angle, reach) in enumerate(
        ((-8, 130, 12, 116), (-8, 190, 30, 128), (-8, 300, -24, 104), (-10, 420, -52, 132),
         (20, 530, -74, 128), (-10, 500, -30, 120))
    ):  # fmt: skip
        color = ("#1f6b34", "#2f8a3f", "#479f3f")[(i + start) % 3]
        length = reach * rng.uniform(0.85, 1.05)
        blade = f"M0 0Q{num(length * 0.45)} -34 {num(length)} 0Q{num(length * 0.45)} 24 0 0Z"
        veins = f"M0 0Q{num(length * 0.5)} -6 {num(length * 0.92)} 0"
        leaves.append(
            group(
                path(blade, fill=color),
                path(veins, fill="none", stroke=shade(color, 0.4), stroke_width=2.5),
                transform=f"translate({num(x)} {num(y)}) rotate({num(angle + rng.uniform(-8, 8))})",
            )
        )
    return "".join(leaves)


def seafloor(picture: Picture, rng: random.Random) -> Scene:
    """Paint deep water with light from above, sand, corals, seaweed, fish and bubbles."""
    shore, water, deep = rng.choice(
        (
            ("#5fd4e6", "#1f9bc9", "#0a3f80"),
            ("#57e0d0", "#149a9f", "#0a4a6a"),
            ("#6fb8f2", "#2a76d2", "#10307c"),
        )
    )
    picture.add(
        band(0, SIZE, linear(picture, (0, shore), (0.3, vary(water, rng)), (1, deep))),
        glow(picture, rng.uniform(180, 330), -10, 260, "#e9ffff", 0.8),
    )
    rays = []
    for _ in range(6):
        x, w = rng.uniform(20, 460), rng.uniform(14, 34)
        lean = (x - 256) * 0.5
        rays.append(
            polygon_d(
                ((x, -10), (x + w, -10), (x + w * 2.6 + lean, 400), (x - w * 0.6 + lean, 400))
            )
        )
    shine = linear(picture, (0, "#ffffff", 0.34), (1, "#ffffff", 0))
    picture.add(*(path(ray, fill=shine) for ray in rays))
    picture.add(path(ridge_d(rng, 330, 76, 5), fill="#0f5590", opacity=0.7))
    sand = linear(picture, (0, "#f0dcae"), (1, "#b99a68"))
    picture.add(
        path(hills_d(rng, 392, 12, 4), fill="#c9b283"),
        path(hills_d(rng, 408, 9, 5), fill=sand),
    )
    for x, y in scatter(rng, 10, (-10, 470), (428, 500)):
        w = rng.uniform(34, 70)
        picture.add(
            path(f"M{num(x)} {num(y)}q{num(w / 4)} -7 {num(w / 2)} 0t{num(w / 2)} 0", fill="none",
                 stroke="#a3814f", stroke_width=2.5, opacity=0.6, stroke_linecap="round")
        )  # fmt: skip
    flip = None if side(rng) < 0 else f"translate({SIZE} 0) scale(-1 1)"
    pinks = rng.sample(("#f2557f", "#ff8a3d", "#d94fd0", "#ffc53d", "#e83f4f"), 3)
    growth = [
        _kelp(rng, 96, 424, 250, "#2f9e57"),
        _kelp(rng, 26, 430, 320, "#1d7a4c"),
        _kelp(rng, 490, 430, 310, "#238a4e"),
        _kelp(rng, 424, 416, 190, "#3aa860"),
        _coral(rng, 54, 452, 92, pinks[0]),
        _coral(rng, 462, 446, 108, pinks[1]),
        _brain(400, 462, 30, pinks[2]),
        path(star_d(118, 480, 19, 5, 0.42), fill="#ff7a4a", stroke="#cf4f2a", stroke_width=2.5,
             stroke_linejoin="round"),
    ]  # fmt: skip
    picture.add(group(*growth, transform=flip))
    colors = rng.sample(("#ffb52e", "#ff6a4a", "#ffe14d", "#ff8fc0"), 3)
    for (x, y), color, size in zip(
        ((rng.uniform(56, 96), rng.uniform(60, 100)), (rng.uniform(400, 450), rng.uniform(84, 130)),
         (rng.uniform(390, 440), rng.uniform(190, 230))),
        colors, (1.25, 1.5, 1.0), strict=True,
    ):  # fmt: skip
        picture.add(_fish(x, y, size * rng.choice((-1, 1)), color))
    school = "".join(
        f"M{num(x)} {num(y)}q9 -8 19 0l7 -5v10l-7 -5q-10 8 -19 0z"
        for x, y in scatter(rng, 7, (150, 350), (26, 92))
    )
    picture.add(path(school, fill="#eafcff", opacity=0.85))
    bubbles = []
    for column in (rng.uniform(90, 150), rng.uniform(360, 420), rng.uniform(200, 320)):
        for i in range(5):
            x, y = column + rng.uniform(-14, 14), 380 - i * rng.uniform(55, 76)
            r = rng.uniform(4, 11)
            bubbles.append(
                element("circle", cx=x, cy=y, r=r, fill="#ffffff", fill_opacity=0.22,
                        stroke="#f4ffff", stroke_width=2)
                + element("circle", cx=x - r * 0.35, cy=y - r * 0.35, r=r * 0.25, fill="#ffffff")
            )  # fmt: skip
    return Scene(
        "on the seafloor",
        rng.choice((
            "bright corals, swaying seaweed, little fish and rising bubbles under water",
            "colourful fish, corals and bubbles in deep blue water, lit from above",
        )),
        "#d6fbff", 0.62, deep="#0b4a8a", front=bubbles, tint="#1f8fd0", tint_opacity=0.09,
    )  # fmt: skip


def _kelp(rng: random.Random, x: float, foot: float, height: float, color: str) -> str:
    segments = int(height / 44)
    bend = rng.uniform(11, 17) * side(rng)
    stem = f"M{num(x)} {num(foot)}" + f"q{num(bend)} -22 0 -44q{num(-bend)} -22 0 -44" * (
        segments // 2
    )
    leaves = []
    for i in range(2, segments * 2):
        y, sign = foot - i * 22, 1 if i % 2 else -1
        w = 30 * (1 - 0.45 * i / (segments * 2))
        leaves.append(
            f"M{num(x)} {num(y)}q{num(sign * w * 0.5)} -26 {num(sign * w)} -24"
            f"q{num(-sign * w * 0.1)} 22 {num(-sign * w)} 24z"
        )
    return path("".join(leaves), fill=color) + path(
        stem, fill="none", stroke=shade(color, -0.25), stroke_width=6, stroke_linecap="round"
    )


def _coral(rng: random.Random, x: float, foot: float, height: float, color: str) -> str:
    words: list[str] = []

    def branch(bx: float, by: float, angle: float, length: float, depth: int) -> None:
        ex, ey = bx + length * math.sin(angle), by - length * math.cos(angle)
        words.append(f"M{num(bx)} {num(by)}L{num(ex)} {num(ey)}")
        if depth:
            for turn in (-0.5, 0.0, 0.5) if depth > 1 else (-0.45, 0.4):
                branch(ex, ey, angle + turn + rng.uniform(-0.12, 0.12), length * 0.68, depth - 1)

    for angle in (-0.55, 0.0, 0.55):
        branch(x, foot, angle, height * 0.4, 2)
    pen = {"fill": "none", "stroke_linecap": "round"}
    d = "".join(words)
    return path(d, stroke=shade(color, -0.35), stroke_width=12, **pen) + path(
        d, stroke=color, stroke_width=8, **pen
    )


def _brain(x: float, foot: float, r: float, color: str) -> str:
    maze = "".join(
        f"M{num(x - r * 0.7)} {num(foot - r * t)}q{num(r * 0.25)} -9 {num(r * 0.5)} 0"
        f"t{num(r * 0.45)} 0t{num(r * 0.4)} 0"
        for t in (0.2, 0.5, 0.8)
    )
    return path(
        f"M{num(x - r)} {num(foot)}q0 {num(-r * 1.2)} {num(r)} {num(-r * 1.2)}q{num(r)} 0 "
        f"{num(r)} {num(r * 1.2)}z",
        fill=color,
    ) + path(maze, fill="none", stroke=shade(color, -0.35), stroke_width=3.5)


def _fish(x: float, y: float, size: float, color: str) -> str:
    return group(
        path("M-22 0Q-4 -22 20 0Q-4 22 -22 0ZM-18 0L-40 -15Q-34 0 -40 15Z", fill=color),
        path("M-2 -11Q6 0 -2 11L-9 10Q-2 0 -9 -10Z", fill="#ffffff", opacity=0.9),
        path("M-8 -11Q-4 -22 6 -20L4 -9Z", fill=shade(color, -0.25)),
        element("circle", cx=10, cy=-3, r=3, fill="#16202c"),
        transform=f"translate({num(x)} {num(y)}) scale({num(size)} {num(abs(size))})",
    )
