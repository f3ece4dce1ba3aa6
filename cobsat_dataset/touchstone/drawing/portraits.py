"""Drawings of people of history, each by what everybody knows them by."""

from __future__ import annotations

import math
import random
from typing import Final

from ...drawing.backgrounds.kit import radial
from ...drawing.objects.geometry import curve
from ...drawing.svg import path, shade
from .brush import at, blob, box, disc, fade, line, mirrored, oval, shadow, stroke
from .canvas import Canvas
from .faces import Face, head, shoulders

__all__ = ["flower_crown_painter", "physicist_at_blackboard", "tramp_with_cane"]

_WHITE_HAIR: Final = "#e8e6e2"


def physicist_at_blackboard() -> Canvas:
    """Albert Einstein before a blackboard."""
    c = Canvas(width=640, height=640)
    c.add(box(0, 0, 640, 640, "#7a5230"), box(18, 18, 604, 604, fade(c, "#2f4a40", "#223a32")))
    rng = random.Random(5)
    for _ in range(26):
        x, y = rng.uniform(20, 560), rng.uniform(30, 600)
        c.add(stroke(f"M{x:.0f} {y:.0f}l{rng.uniform(30, 90):.0f} {rng.uniform(-22, 22):.0f}",
                     "#ffffff", rng.uniform(8, 22), opacity=0.022))  # fmt: skip
    chalk = {"fill": "#f4f6ee", "shaky": random.Random(2)}
    c.write("E = mc", 52, 116, 62, weight=5, **chalk)
    c.write("2", 246, 84, 34, weight=4, **chalk)
    c.texts[-2:] = ["E = mc2"]
    c.add(stroke("M50 138C110 132 190 134 268 130", "#f4f6ee", 4))
    c.add(
        stroke(
            "M470 150L590 150M470 150L470 50M462 62L470 48L478 62M578 142L592 150L578 158",
            "#dfe7da",
            3.5,
        ),
        stroke("M474 146C508 140 540 120 580 58", "#f6d978", 4),
    )
    skin = "#e2b48f"
    face = Face(skin=skin, eyes="#5b3f2a", brows="#d5d0c8", heavy=11, worry=7, lift=3, open=0.8,
                mouth="none", blush=0.3)  # fmt: skip
    c.add(at(320, 356, 1.2, shoulders("#8c8f98", skin, wide=168), _jumper(),
             turn=0),
          head(c, face, 320, 356, 1.2, back=_wild_hair(), front=_wrinkles()
               + _moustache()))  # fmt: skip
    return c


def _wild_hair() -> str:
    rng = random.Random(9)
    layers = []
    for grow, color in ((1.0, shade(_WHITE_HAIR, -0.24)), (0.9, shade(_WHITE_HAIR, -0.1)),
                        (0.8, _WHITE_HAIR)):  # fmt: skip
        points = []
        for i in range(46):
            angle = math.radians(155 + 230 * i / 45)
            far = (178 if i % 2 else 140) * grow * rng.uniform(0.9, 1.1)
            points.append((far * 0.98 * math.cos(angle), -22 + far * 0.94 * math.sin(angle)))
        points += [(70, 40), (0, 60), (-70, 40)]
        layers.append(path(curve(points), fill=color))
    for i in range(40):
        angle = math.radians(165 + 210 * i / 39)
        r, t = rng.uniform(120, 160), rng.uniform(-14, 14)
        x, y = math.cos(angle), math.sin(angle)
        layers.append(stroke(f"M{84 * x:.1f} {-30 + 84 * y:.1f}Q{110 * x + t:.1f} "
                             f"{-30 + 110 * y:.1f} {r * x:.1f} {-22 + r * y * 0.95:.1f}",
                             "#b9b5ae", 1.8))  # fmt: skip
    return "".join(layers)


def _wrinkles() -> str:
    dark = "#a97c5b"
    hair = path("M-82 -22C-96 -78 -52 -132 0 -128C52 -132 96 -78 82 -22C80 -50 70 -76 50 -88"
                "C20 -98 -20 -98 -50 -88C-70 -76 -80 -50 -82 -22Z", fill=_WHITE_HAIR)  # fmt: skip
    return hair + stroke("M-38 -62Q-18 -70 0 -63Q18 -70 38 -62M-44 -50Q-20 -56 0 -50Q20 -56 44 -50"
                         "M-30 -75Q0 -82 30 -75", dark, 2.2) + mirrored(
        stroke("M-24 34C-40 42 -46 56 -46 72M-56 4C-62 6 -66 10 -68 14M-54 -1L-68 0", dark, 2.2)
        + stroke("M-46 10Q-34 17 -20 10", dark, 1.8))  # fmt: skip


def _moustache() -> str:
    rng = random.Random(4)
    shape = path("M0 42C-12 38 -34 44 -44 64C-34 72 -14 72 0 67C14 72 34 72 44 64C34 44 12 38 0 42"
                 "Z",
                 fill="#cfcac2", stroke="#a49e95", stroke_width=1.6)  # fmt: skip
    hairs = "".join(
        stroke(f"M{x * 0.7:.1f} 46Q{x:.1f} 56 {x * 1.08:.1f} {66 + rng.uniform(-2, 3):.1f}",
               "#a8a299", 1.5)
        for x in range(-38, 39, 5)
    )  # fmt: skip
    lip = path("M-18 71C-8 82 8 82 18 71C8 74 -8 74 -18 71Z", fill="#b5675a")
    return lip + shape + hairs + stroke("M-12 90Q0 95 12 90", "#b08465", 2)


def _jumper() -> str:
    ribs = "".join(stroke(f"M{x} {168 + abs(x) * 0.12:.0f}V330", "#7d808a", 2.2)
                   for x in range(-128, 129, 16) if abs(x) > 40)  # fmt: skip
    collar = stroke("M-66 136C-44 186 44 186 66 136", "#a3a6ae", 18)
    return ribs + collar + stroke("M-66 136C-44 186 44 186 66 136", "#767983", 2)


def flower_crown_painter() -> Canvas:
    """Frida Kahlo with flowers in her hair, before leaves."""
    c = Canvas(width=560, height=680)
    c.add(box(0, 0, 560, 680, fade(c, "#2f5a3c", "#1c3d2b")))
    rng = random.Random(8)
    for _ in range(64):
        _leaf(c, rng.uniform(-10, 570), rng.uniform(0, 660), rng.uniform(70, 130),
              rng.uniform(-70, 70), rng)  # fmt: skip
    skin = "#c98e66"
    face = Face(skin=skin, eyes="#2c1a10", brows="#15100d", heavy=9, worry=-2, lift=-1, open=0.95,
                mouth="calm", lips="#b3262e", lashes=True, blush=0.5, jaw=0.96)  # fmt: skip
    back = path("M-94 6C-104 -90 -70 -150 0 -152C70 -150 104 -90 94 6C84 40 -84 40 -94 6Z",
                fill="#17110f")  # fmt: skip
    c.add(at(280, 372, 1.22, shoulders("#f3ead8", skin, wide=150, neck=32), _dress()))
    c.add(head(c, face, 280, 372, 1.22, back=back, front=_parted_hair() + _one_brow() + _flowers()))
    return c


def _leaf(c: Canvas, x: float, y: float, size: float, turn: float, rng: random.Random) -> None:
    color = rng.choice(("#3f8a4a", "#2f7440", "#57a355", "#276038", "#6fae4e"))
    veins = "".join(f"M0 {k}L{s * 13} {k - 12}" for k in (-14, 6, 26) for s in (-1, 1))
    c.add(at(x, y, size / 100, path("M0 50C-34 26 -30 -22 0 -52C30 -22 34 26 0 50Z", fill=color),
             stroke("M0 58V-48" + veins, shade(color, -0.3), 2.4), turn=turn))  # fmt: skip


def _parted_hair() -> str:
    half = path("M0 -122C-50 -124 -88 -86 -84 -8C-78 -40 -62 -72 -2 -94Z", fill="#1b1412")
    shine = stroke("M-14 -112C-50 -104 -70 -78 -76 -46M-8 -104C-36 -96 -58 -80 -68 -56",
                   "#4a3a34", 2)  # fmt: skip
    earring = (
        disc(-90, 42, 5, "#e8b93c")
        + disc(-90, 60, 12, "#2f9c95")
        + disc(-90, 60, 5, "#e8b93c")
        + "".join(stroke(f"M{-90 + k} 72L{-90 + k * 1.5} 90", "#e8b93c", 3) for k in (-7, 0, 7))
    )
    return mirrored(half + shine + earring) + stroke("M0 -122V-96", "#c98e66", 2)


def _one_brow() -> str:
    rng = random.Random(1)
    hairs = "".join(
        stroke(f"M{x} {-27 + abs(x) * 0.05:.1f}l{0.8 * (1 if x > 0 else -1)} "
               f"{-3 - rng.uniform(0, 3):.1f}", "#15100d", 2.6) for x in range(-16, 17, 3)
    )  # fmt: skip
    lip = "".join(
        stroke(f"M{x} 46l{0.1 * x:.1f} 5", "#a26d49", 1.1) for x in range(-18, 19, 4) if x
    )
    return hairs + stroke("M-16 -29Q0 -24 16 -29", "#15100d", 7) + lip


def _flowers() -> str:
    braid = "".join(
        oval(
            x,
            -132 - 14 * math.cos(x / 62),
            17,
            12,
            "#231916" if i % 2 else "#2f221d",
            24 if i % 2 else -24,
        )
        for i, x in enumerate(range(-84, 85, 14))
    )

    def bloom(x: float, y: float, r: float, color: str, turn: float) -> str:
        petals = "".join(
            path(f"M0 0C{-r * 0.75:.1f} {-r * 0.4:.1f} {-r * 0.5:.1f} {-r * 1.1:.1f} 0 {-r:.1f}"
                 f"C{r * 0.5:.1f} {-r * 1.1:.1f} {r * 0.75:.1f} {-r * 0.4:.1f} 0 0Z",
                 fill=shade(color, 0.12 * (k % 2)), stroke=shade(color, -0.3), stroke_width=1.4,
                 transform=f"rotate({k * 60 + turn:.0f})") for k in range(6)
        )  # fmt: skip
        return at(x, y, 1, petals, disc(0, 0, r * 0.26, "#f4c430"), disc(0, 0, r * 0.12, "#b5651d"))

    return braid + "".join(
        bloom(*spec) for spec in (
            (-92, -112, 27, "#d6336c", 10), (92, -112, 27, "#d6336c", 40),
            (-54, -146, 32, "#e8590c", 0), (54, -146, 32, "#e8590c", 20),
            (0, -162, 38, "#c92a2a", 12),
        )
    )  # fmt: skip


def _dress() -> str:
    shawl = mirrored(
        path("M-152 330C-150 224 -132 176 -72 138C-62 200 -40 270 -14 330Z", fill="#b0303c",
             stroke="#7a1d28", stroke_width=2.5)
        + stroke("M-132 330C-130 240 -112 190 -68 154M-96 330C-96 260 -84 210 -60 176", "#e3a63a",
                 4)
    )  # fmt: skip
    beads = "".join(
        disc(70 * math.sin(a), 140 + 44 * math.cos(a), 8.5, color, stroke="#134a46",
             stroke_width=1.2)
        for a, color in ((math.radians(d), "#2f9c95" if k % 2 else "#e8b93c")
                         for k, d in enumerate(range(-66, 67, 12)))
    )  # fmt: skip
    return shawl + beads


def tramp_with_cane() -> Canvas:
    """Charlie Chaplin as the Tramp, as in a silent film: black and white."""
    c = Canvas(width=512, height=640)
    c.add(box(0, 0, 512, 640, fade(c, "#d9d9d6", "#b9b9b5")))
    for row in range(15):
        for k in range(-1, 9):
            x = k * 66 + (row % 2) * 33
            tone = ("#c9c9c5", "#bfbfbb", "#d2d2ce")[(row * 7 + k * 3) % 3]
            c.add(box(x + 2, row * 34 + 2, 62, 30, tone, 2))
    c.add(box(0, 506, 512, 134, fade(c, "#8f8f8b", "#6f6f6c")),
          stroke("M0 508H512", "#5d5d5a", 4),
          stroke("M60 510L-30 640M190 510L150 640M322 510L362 640M452 510L542 640M0 556H512",
                 "#7c7c78",
                 2.5))  # fmt: skip
    c.add(shadow(c, 256, 592, 170, 20, 0.55))
    _tramp_body(c)
    face = Face(skin="#ededea", eyes="#1c1c1c", brows="#1a1a1a", heavy=7, worry=6, lift=6,
                open=1.05,
                mouth="calm", lips="#8d8d8a", lashes=True, blush=0)  # fmt: skip
    curls = mirrored("".join(disc(x, y, 17, "#1d1d1d") for x, y in (
        (-84, -44), (-94, -20), (-92, 6), (-76, -66))))  # fmt: skip
    moustache = path("M-15 38C-8 35 8 35 15 38L18 53H-18Z", fill="#161616")
    hat = (
        path("M-82 -66C-88 -150 -50 -182 0 -182C50 -182 88 -150 82 -66Z", fill="#262626",
             stroke="#0e0e0e", stroke_width=2)
        + path("M-83 -94C-40 -82 40 -82 83 -94L83 -70C40 -60 -40 -60 -83 -70Z", fill="#0c0c0c")
        + path("M-124 -80C-112 -70 -60 -76 0 -76C60 -76 112 -70 124 -80C124 -56 70 -40 0 -40"
               "C-70 -40 -124 -56 -124 -80Z", fill="#1b1b1b")
        + stroke("M-58 -112C-56 -144 -40 -162 -22 -168", "#5c5c5c", 6)
    )  # fmt: skip
    c.add(head(c, face, 256, 176, 0.6, back=curls, front=curls + moustache + hat))
    iris = radial(c, (0, "#000000", 0), (0.78, "#000000", 0), (0.95, "#000000", 0.85),
                  (1, "#000000", 1), radius=0.62)  # fmt: skip
    c.add(box(0, 0, 512, 640, iris))
    return c


def _tramp_body(c: Canvas) -> None:
    baggy, coat = fade(c, "#5f5f5d", "#484846"), fade(c, "#343434", "#1f1f1f", across=True)
    for s in (-1, 1):
        leg = [(256, 396), (256 + s * 70, 396), (256 + s * 84, 470), (256 + s * 88, 556),
               (256 + s * 76, 572), (256 + s * 34, 570), (256 + s * 20, 500),
               (256 + s * 4, 450)]  # fmt: skip
        c.add(path(f"M{256 + s * 24} 560C{256 + s * 60} 548 {256 + s * 120} 560 {256 + s * 152} 580"
                   f"C{256 + s * 158} 596 {256 + s * 120} 598 {256 + s * 28} 596Z", fill="#1c1c1c",
                   stroke="#0a0a0a", stroke_width=2),
              stroke(f"M{256 + s * 92} 566C{256 + s * 112} 566 {256 + s * 130} 572 "
                     f"{256 + s * 142} 580",
                     "#6d6d6d", 3),
              blob(leg, baggy, stroke="#2c2c2b", stroke_width=2),
              line([(256 + s * 40, 420), (256 + s * 52, 500), (256 + s * 46, 560)], "#383837", 2.5),
              line([(256 + s * 66, 500), (256 + s * 40, 520), (256 + s * 30, 512)], "#383837",
                   2))  # fmt: skip
    c.add(path("M226 236H286L300 414H212Z", fill="#8f8f8c"), path("M238 236L256 268L274 236Z",
          fill="#f1f1ee"),
          path("M250 258H262L268 270L262 330L256 344L250 330L244 270Z", fill="#2a2a2a"),
          *(disc(256, y, 4, "#3a3a3a") for y in (356, 378, 398)))  # fmt: skip
    for s in (-1, 1):
        c.add(path(f"M{256 + s * 26} 234C{256 + s * 62} 238 {256 + s * 84} 254 {256 + s * 88} 280"
                   f"L{256 + s * 80} 416C{256 + s * 60} 426 {256 + s * 34} 420 {256 + s * 16} 408"
                   f"C{256 + s * 12} 360 {256 + s * 20} 320 {256 + s * 30} 296Z", fill=coat,
                   stroke="#0d0d0d", stroke_width=2),
              path(f"M{256 + s * 26} 234L{256 + s * 56} 254L{256 + s * 42} 272L{256 + s * 50} 282"
                   f"L{256 + s * 28} 318Z", fill="#404040", stroke="#141414",
                   stroke_width=1.6))  # fmt: skip
    c.add(disc(262, 352, 5, "#0d0d0d"), stroke("M236 346Q262 360 276 346", "#0d0d0d", 2))
    # One hand on the hip, the other on the bamboo cane.
    c.add(
        stroke("M178 276C136 316 128 356 170 392", "#262626", 36),
        oval(180, 396, 17, 13, "#e8e8e5", 30),
        stroke("M334 276C366 312 384 346 384 384", "#262626", 36),
        stroke("M398 404L430 592", "#7a7a76", 7),
        stroke("M398 404C394 372 430 366 434 392", "#7a7a76", 7),
        *(
            stroke(f"M{398 + 32 * t - 5:.0f} {404 + 188 * t:.0f}h10", "#4f4f4c", 2.5)
            for t in (0.2, 0.4, 0.6, 0.8)
        ),
        oval(388, 404, 16, 14, "#e8e8e5", 20),
        *(stroke(f"M384 {y}q12 2 20 -2", "#b5b5b1", 3) for y in (399, 406, 413)),
    )
