"""The scene in outer space, and the helmet that an animal wears there."""

from __future__ import annotations

import math
import random

from ..svg import SIZE, Picture, element, ellipse_d, group, num, path, shade, vary
from .kit import Scene, band, dots, glow, hills_d, linear, radial, scatter, side, star_d


def space(picture: Picture, rng: random.Random) -> Scene:
    """Paint stars, a nebula, a ringed planet, a blue one, a rocket, and the moon's craters."""
    picture.add(band(0, SIZE, linear(picture, (0, "#070a24"), (1, vary("#1d1650", rng)))))
    for color, x, y, spread in (
        ("#7a35c9", rng.uniform(120, 210), rng.uniform(140, 220), 210),
        ("#2450c8", rng.uniform(320, 400), rng.uniform(190, 260), 200),
        ("#c93a8a", rng.uniform(230, 300), rng.uniform(60, 120), 130),
    ):
        picture.add(glow(picture, x, y, spread, color, 0.75))
    picture.add(
        dots(scatter(rng, 120, (0, SIZE), (0, 400)), (0.7, 2.2), rng, fill="#ffffff"),
        *(
            path(star_d(x, y, rng.uniform(7, 13), 4, 0.22), fill=rng.choice(("#fff6c9", "#ffffff")))
            for x, y in scatter(rng, 12, (10, 500), (10, 340))
        ),
    )
    flip = None if side(rng) < 0 else f"translate({SIZE} 0) scale(-1 1)"
    picture.add(
        group(
            _ringed_planet(picture, rng, 424, 92), _earth(picture, rng, 70, 208),
            _rocket(picture, rng, 92, 78), transform=flip,
        )
    )  # fmt: skip
    dust = linear(picture, (0, "#d9d9e4"), (1, "#77778e"))
    picture.add(
        path(hills_d(rng, 380, 14, 4), fill="#8d8da3"),
        path(f"M-20 424Q256 372 532 424V{SIZE}H-20Z", fill=dust),
    )
    for left, y, size in (
        (52, 440, 32), (458, 452, 38), (140, 488, 30), (330, 496, 26), (396, 414, 16),
        (120, 420, 14),
    ):  # fmt: skip
        x, r = left + rng.uniform(-12, 12), size * rng.uniform(0.85, 1.15)
        picture.add(
            path(ellipse_d(x, y, r, r * 0.34), fill="#63637a"),
            path(ellipse_d(x, y + r * 0.08, r * 0.86, r * 0.22), fill="#8b8ba0"),
            path(f"M{num(x - r)} {num(y)}A{num(r)} {num(r * 0.34)} 0 0 0 {num(x + r)} {num(y)}",
                 fill="none", stroke="#f1f1f8", stroke_width=3),
        )  # fmt: skip
    return Scene(
        "in outer space",
        rng.choice((
            "a ringed planet, a rocket and countless stars above a cratered moon",
            "stars, a colourful nebula, planets and a small rocket over the dusty moon",
        )),
        "#a9b8ff", 0.6, helmet=True,
    )  # fmt: skip


def helmet(picture: Picture, x: float, y: float, r: float) -> str:
    """Paint a glass bubble around a head at (x, y)."""
    glass = radial(picture, (0.6, "#bfe6ff", 0.06), (0.9, "#bfe6ff", 0.28), (1, "#ffffff", 0.6))
    return (
        element("circle", cx=x, cy=y, r=r, fill=glass, stroke="#eaf6ff", stroke_width=4)
        + path(f"M{num(x - r * 0.72)} {num(y - r * 0.2)}A{num(r * 0.76)} {num(r * 0.76)} 0 0 1 "
               f"{num(x - r * 0.15)} {num(y - r * 0.74)}", fill="none", stroke="#ffffff",
               stroke_width=r * 0.09, stroke_linecap="round", opacity=0.85)
    )  # fmt: skip


def _ringed_planet(picture: Picture, rng: random.Random, x: float, y: float) -> str:
    color = rng.choice(("#f0b04f", "#e88a5a", "#d8a0e0"))
    r = rng.uniform(48, 56)
    ball = linear(picture, (0, shade(color, 0.35)), (0.5, color), (1, shade(color, -0.5)),
                  start=(0.1, 0), end=(0.9, 1))  # fmt: skip
    stripes = "".join(
        f"M{num(-r * math.sqrt(1 - t * t))} {num(r * t)}Q0 {num(r * t + 9)} "
        f"{num(r * math.sqrt(1 - t * t))} {num(r * t)}"
        for t in (-0.5, -0.15, 0.3, 0.6)
    )
    ring = {"fill": "none", "stroke_linecap": "butt"}
    rx, ry = r * 1.75, r * 0.42
    back = f"M{num(-rx)} 0A{num(rx)} {num(ry)} 0 0 1 {num(rx)} 0"
    front = f"M{num(-rx)} 0A{num(rx)} {num(ry)} 0 0 0 {num(rx)} 0"
    return group(
        path(back, stroke="#cbb994", stroke_width=11, **ring),
        element("circle", cx=0, cy=0, r=r, fill=ball),
        path(stripes, fill="none", stroke=shade(color, -0.3), stroke_width=5, opacity=0.55),
        path(front, stroke="#f6e7c4", stroke_width=11, **ring),
        path(front, stroke="#b59f74", stroke_width=2.5, **ring),
        transform=f"translate({num(x)} {num(y)}) rotate({num(rng.uniform(-26, -14))})",
    )


def _earth(picture: Picture, rng: random.Random, x: float, y: float) -> str:
    r = rng.uniform(38, 46)
    sea = radial(picture, (0, "#7fd0ff"), (0.6, "#2c7fe0"), (1, "#123a8a"), center=(0.35, 0.3),
                 radius=0.75)  # fmt: skip
    land = (
        "M-30 -14q10 -20 30 -16q2 12 -8 16q4 12 -8 14q-12 -2 -14 -14z"
        "M4 6q16 -8 26 4q-2 18 -16 22q-14 -8 -10 -26zM-18 20q8 -4 14 4q-2 10 -8 10q-8 -6 -6 -14z"
    )
    return group(
        element("circle", cx=0, cy=0, r=r * 1.16, fill="#6fb7ff", opacity=0.25),
        element("circle", cx=0, cy=0, r=r, fill=sea),
        path(land, fill="#57b560", transform=f"scale({num(r / 42)})"),
        path("M-34 -2q16 -8 34 0t30 -4", fill="none", stroke="#ffffff", stroke_width=4,
             opacity=0.75, stroke_linecap="round"),
        transform=f"translate({num(x)} {num(y)}) rotate({num(rng.uniform(-25, 25))})",
    )  # fmt: skip


def _rocket(picture: Picture, rng: random.Random, x: float, y: float) -> str:
    trim = rng.choice(("#e8413a", "#2f8fe0", "#f0862a"))
    hull = linear(picture, (0, "#ffffff"), (0.6, "#dfe5ee"), (1, "#9aa6b8"), end=(1, 0))
    return group(
        path("M-11 44Q0 92 0 96Q0 92 11 44Z", fill="#ffb52e"),
        path("M-6 44Q0 70 0 72Q0 70 6 44Z", fill="#fff3a8"),
        path("M-20 12L-38 46L-16 38ZM20 12L38 46L16 38Z", fill=trim),
        path("M0 -58Q26 -30 20 18L14 44H-14L-20 18Q-26 -30 0 -58Z", fill=hull),
        path("M0 -58Q13 -44 18 -26H-18Q-13 -44 0 -58Z", fill=trim),
        element("circle", cx=0, cy=-4, r=10, fill="#5ab4e8", stroke="#55617a", stroke_width=4),
        transform=f"translate({num(x)} {num(y)}) rotate({num(rng.uniform(28, 48))})",
    )
