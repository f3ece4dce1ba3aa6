"""Three buildings that everybody knows: the Eiffel Tower, the Taj Mahal, the Great Wall."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

from ...drawing.backgrounds.kit import cloud, glow
from ...drawing.objects.geometry import Point, curve
from ...drawing.svg import group, path, polygon_d, shade
from .brush import at, box, disc, fade, line, mirrored, oval, stroke
from .canvas import Canvas

__all__ = ["iron_tower", "marble_tomb", "mountain_wall"]


def iron_tower() -> Canvas:
    """The Eiffel Tower at sunset, before lawns."""
    c = Canvas(width=560, height=700)
    c.add(box(0, 0, 560, 700, fade(c, "#4a5f9e", "#b58ab0", "#f2a98a", "#ffd9a0")),
          glow(c, 430, 486, 160, "#fff0b8"), disc(430, 486, 34, "#fff3c9"))  # fmt: skip
    for x, y, w in ((110, 120, 150), (450, 90, 120), (70, 300, 110), (476, 260, 140)):
        c.add(cloud(x, y, w, "#ffe3d6", 0.55))
    rng = random.Random(3)
    x = -10
    while x < 560:
        w, h = rng.randint(34, 58), rng.randint(40, 74)
        c.add(path(f"M{x} 560V{560 - h}L{x + 7} {560 - h - 14}H{x + w - 7}L{x + w} {560 - h}V560Z",
                   fill=rng.choice(("#8f7a92", "#9d8496", "#847390"))))  # fmt: skip
        for k in range(3):
            c.add(box(x + 7 + k * (w - 14) / 3, 560 - h + 12, 5, 9, "#ffd88a"))
        x += w
    for k in range(15):
        c.add(disc(k * 41 - 8, 560, 24 + (k * 7) % 9, shade("#4d6b45", -0.05 * (k % 3))))
    c.add(box(0, 562, 560, 138, fade(c, "#7fa35a", "#557c3e")),
          path("M246 562H314L392 700H168Z", fill=fade(c, "#e6cf9f", "#cdb07a")),
          path("M264 562H296L322 700H238Z", fill=fade(c, "#86b25f", "#5d8a44")))  # fmt: skip
    c.add(at(280, 578, 1.14, _lattice()))
    for x, y in ((150, 622), (196, 596), (364, 596), (410, 622)):
        c.add(box(x - 2, y - 34, 4, 36, "#2f2a2a"), disc(x, y - 38, 6, "#fff3c4"))
    for x, y, coat in ((206, 640, "#b23a48"), (222, 642, "#2f4a7a"), (352, 664, "#3c6e57")):
        c.add(
            oval(x, y + 2, 10, 3, "#00000044"),
            stroke(f"M{x - 3} {y}V{y - 10}M{x + 3} {y}V{y - 10}", "#2b2b33", 3.4),
            box(x - 6, y - 28, 12, 20, coat, 4),
            disc(x, y - 33, 5, "#e8c09a"),
        )
    return c


def _half(h: float) -> float:
    return 150 * math.exp(-h * 0.00685)


def _lattice() -> str:
    iron, dark = "#6b4a3a", "#4a3128"

    def gap(h: float) -> float:
        return max(0.0, _half(h) - (52 - 0.12 * h)) if h < 190 else 0.0

    levels = [i * 14 for i in range(32)]
    legs = ""
    for low, high in itertools.pairwise(levels):
        a, b, g, f = _half(low), _half(high), gap(low), gap(high)
        if g > 0 or f > 0:
            legs += mirrored(
                stroke(
                    f"M{-a:.1f} {-low}L{-f:.1f} {-high}M{-g:.1f} {-low}L{-b:.1f} "
                    f"{-high}"
                    f"M{-a:.1f} {-low}L{-g:.1f} {-low}",
                    iron,
                    1.8,
                )
            )
        else:
            legs += stroke(f"M{-a:.1f} {-low}L{b:.1f} {-high}M{a:.1f} {-low}L{-b:.1f} {-high}"
                           f"M{-a:.1f} {-low}H{a:.1f}", iron,
                           max(1.1, 1.9 - low * 0.002))  # fmt: skip
    outer = "M" + "L".join(f"{-_half(h):.1f} {-h}" for h in range(0, 435, 6))
    inner = "M" + "L".join(f"{-gap(h):.1f} {-h}" for h in range(0, 190, 6))
    fill = (outer + "L" + "L".join(
        f"{-gap(h):.1f} {-h}" for h in range(432, -1, -6)) + "Z")  # fmt: skip
    arch = "M-98 0C-92 -56 -56 -82 0 -82C56 -82 92 -56 98 0"
    return (
        mirrored(path(fill, fill="#8a624c", opacity=0.75))
        + legs
        + mirrored(stroke(outer, dark, 4) + stroke(inner, dark, 3))
        + stroke(arch, dark, 6)
        + stroke("M-92 -22C-80 -60 -48 -74 0 -74C48 -74 80 -60 92 -22", iron, 2)
        + box(-88, -100, 176, 13, dark, 2)
        + box(-82, -107, 164, 7, iron)
        + "".join(box(-84 + k * 12, -99, 7, 6, "#a47a5e") for k in range(14))
        + box(-47, -198, 94, 10, dark, 2)
        + box(-43, -204, 86, 6, iron)
        + box(-11, -410, 22, 8, dark)
        + box(-8, -424, 16, 14, iron)
        + path("M-7 -424C-7 -436 7 -436 7 -424Z", fill=dark)
        + stroke("M0 -432V-474", dark, 3)
        + mirrored(box(-156, -8, 62, 12, "#b9a58c") + box(-160, 0, 70, 8, "#9c8a74"))
    )


def marble_tomb() -> Canvas:
    """The Taj Mahal and its image in the pool."""
    c = Canvas(width=736, height=560)
    c.add(box(0, 0, 736, 380, fade(c, "#8fb7dc", "#d9d3e3", "#fbe2cf")))
    c.add(cloud(120, 80, 150, "#ffffff", 0.6), cloud(610, 110, 170, "#ffffff", 0.55))
    for k in range(19):
        c.add(disc(k * 42 - 6, 352, 22 + (k * 5) % 9, "#7d9a78" if k % 2 else "#8aa683"))
    c.add(box(0, 350, 736, 40, "#6f8f5c"))
    tomb = _tomb(c)
    c.add(at(368, 352, 0.94, tomb))
    c.add(box(0, 378, 736, 182, fade(c, "#86a85e", "#648a45")),
          path("M300 378H436L560 560H176Z", fill="#d9c7ae"),
          path("M316 384H420L516 560H220Z", fill=fade(c, "#c9d6e6", "#7fa3c6")))  # fmt: skip
    clip = c.define("clipPath", path("M316 384H420L516 560H220Z"))
    mirror = group(tomb, transform="translate(368 396) scale(0.8 -0.62)", opacity=0.5)
    c.add(group(mirror, clip_path=clip))
    for k in range(6):
        y = 404 + k * 26 + k * k * 1.4
        c.add(stroke(f"M{300 - k * 9:.0f} {y:.0f}h{34 + 4 * k}M{380 + k * 8:.0f} "
                     f"{y + 8:.0f}h{30 + 4 * k}",
                     "#ffffff", 1.8, stroke_opacity=0.45))  # fmt: skip
    for k in range(5):
        spread, size = 92 + k * 34, 34 + k * 11
        y = 398 + k * 30 + k * k * 2.2
        for s in (-1, 1):
            x = 368 + s * spread
            c.add(oval(x, y, size * 0.3, 5, "#00000033"),
                  path(f"M{x} {y - size * 1.7:.0f}C{x + size * 0.34:.0f} {y - size * 0.7:.0f} "
                       f"{x + size * 0.3:.0f} {y - 6:.0f} {x} {y:.0f}C{x - size * 0.3:.0f} "
                       f"{y - 6:.0f} "
                       f"{x - size * 0.34:.0f} {y - size * 0.7:.0f} {x} {y - size * 1.7:.0f}Z",
                       fill=fade(c, "#2f5a3a", "#4a7a4a", across=True)))  # fmt: skip
    return c


def _onion(c: Canvas, x: float, foot: float, half: float, high: float) -> str:
    marble = fade(c, "#cfcad2", "#fdfaf5", "#bdb6c2", across=True)
    d = (
        f"M{x - half * 0.8:.1f} {foot}C{x - half * 1.3:.1f} {foot - high * 0.38:.1f} "
        f"{x - half * 0.9:.1f} {foot - high * 0.74:.1f} {x} {foot - high:.1f}"
        f"C{x + half * 0.9:.1f} {foot - high * 0.74:.1f} {x + half * 1.3:.1f} "
        f"{foot - high * 0.38:.1f} "
        f"{x + half * 0.8:.1f} {foot}Z"
    )
    return path(d, fill=marble, stroke="#9a93a3", stroke_width=1.6) + stroke(
        f"M{x} {foot - high:.1f}v{-high * 0.2:.1f}", "#c9a24a", 3) + disc(x, foot - high * 1.1, 3,
        "#d9b45a")  # fmt: skip


def _arch(x: float, foot: float, half: float, high: float, deep: str) -> str:
    return path(
        f"M{x - half} {foot}V{foot - high * 0.62:.1f}C{x - half} {foot - high * 0.86:.1f} "
        f"{x - half * 0.4:.1f} {foot - high * 0.94:.1f} {x} {foot - high}C{x + half * 0.4:.1f} "
        f"{foot - high * 0.94:.1f} {x + half} {foot - high * 0.86:.1f} {x + half} "
        f"{foot - high * 0.62:.1f}"
        f"V{foot}Z", fill=deep, stroke="#a39bab", stroke_width=1.4,
    )  # fmt: skip


def _tomb(c: Canvas) -> str:
    marble = fade(c, "#f7f3ee", "#ddd6dc")
    edge, deep = "#a39bab", fade(c, "#8f8798", "#b9b1bd")
    towers = ""
    for x, foot, k in ((-252, 4, 1.0), (-206, -4, 0.86)):
        rings = "".join(box(x - 15 * k, foot - h * k, 30 * k, 5, "#cfc8d0") for h in (76, 142, 206))
        towers += (
            path(f"M{x - 12 * k} {foot}L{x - 9 * k} {foot - 214 * k}H{x + 9 * k}L{x + 12 * k} "
                 f"{foot}Z",
                 fill=fade(c, "#d3ccd4", "#fbf8f3", "#bdb6c0", across=True), stroke=edge,
                 stroke_width=1.3)
            + rings + box(x - 9 * k, foot - 230 * k, 18 * k, 22 * k, "#e9e4e8")
            + _onion(c, x, foot - 228 * k, 11 * k, 26 * k)
        )  # fmt: skip
    small = _onion(c, -84, -160, 26, 56) + box(
        -104, -168, 40, 20, marble, stroke=edge, stroke_width=1
    )
    small += "".join(_arch(x, -148, 4.5, 16, "#8f8798") for x in (-96, -84, -72))
    wing = (
        path("M-150 0V-128L-132 -148H-58V0Z", fill=marble, stroke=edge, stroke_width=1.6)
        + _arch(-96, 0, 21, 58, deep) + _arch(-96, -66, 21, 58, deep)
        + _arch(-139, 0, 8, 50, deep) + _arch(-139, -66, 8, 50, deep)
        + stroke("M-150 -62H-58M-150 -128H-58", edge, 1.4)
    )  # fmt: skip
    return (
        mirrored(towers) + mirrored(small)
        + box(-58, -196, 116, 60, fade(c, "#d3ccd4", "#fbf8f3", "#c3bcc6", across=True),
              stroke=edge,
              stroke_width=1.4)
        + _onion(c, 0, -190, 66, 128) + mirrored(wing)
        + box(-60, -170, 120, 170, marble, stroke=edge, stroke_width=1.8)
        + _arch(0, 0, 40, 140, deep) + _arch(0, 0, 16, 52, "#6f6779")
        + _arch(0, -62, 14, 40, "#7d7587") + stroke("M-50 -8V-158H50V-8", "#c9b98f", 2.4)
        + mirrored(stroke("M-60 0V-180", "#d9d2d8", 6) + disc(-60, -184, 5, "#efeaec"))
        + box(-290, 0, 580, 16, fade(c, "#f3eee8", "#cfc8ce")) + box(-300, 14, 600, 18, "#c6a58f")
        + "".join(_arch(x, 32, 7, 15, "#a88771") for x in range(-284, 290, 26))
    )  # fmt: skip


def mountain_wall() -> Canvas:
    """The Great Wall of China over green ridges."""
    c = Canvas(width=736, height=520)
    c.add(box(0, 0, 736, 520, fade(c, "#7db8e8", "#cfe6f3", "#eef3e4")))
    c.add(cloud(150, 70, 170, "#ffffff", 0.9), cloud(560, 100, 200, "#ffffff", 0.8))
    ridges = (
        ("#a9c3c4", [(-20, 216), (90, 168), (190, 206), (310, 140), (420, 194), (540, 132),
                     (660, 190), (760, 160)]),
        ("#86ab97", [(-20, 250), (70, 236), (180, 196), (300, 246), (430, 190), (560, 236),
                     (680, 196), (760, 226)]),
        ("#67966a", [(-20, 316), (100, 262), (230, 312), (370, 254), (500, 300), (620, 246),
                     (760, 290)]),
    )  # fmt: skip
    for color, top in ridges:
        c.add(
            path(
                curve(top, closed=False) + "L760 540L-20 540Z",
                fill=fade(c, color, shade(color, -0.2)),
            )
        )
    far = [
        (300, 248),
        (360, 246),
        (430, 232),
        (490, 250),
        (560, 236),
        (620, 220),
        (690, 236),
        (752, 232),
    ]
    _wall(c, far, 5, 8, 0.45)
    _tower(c, 430, 236, 0.4)
    _tower(c, 622, 224, 0.42)
    hill = [(-20, 420), (80, 372), (210, 396), (330, 344), (460, 300), (580, 352), (760, 330)]
    c.add(path(curve(hill, closed=False) + "L760 540L-20 540Z", fill=fade(c, "#5f9150", "#3f6f3a")))
    rng = random.Random(17)
    for _ in range(150):
        x, y = rng.uniform(-10, 746), rng.uniform(352, 516)
        if y > 400 or abs(x - 460) > 200:
            r = rng.uniform(7, 15)
            c.add(disc(x, y + 6, r, "#2f5a2c"), disc(x - 2, y + 2, r * 0.8,
                  rng.choice(("#4f8a42", "#679a4a", "#3f7a3c", "#8a9a45"))))  # fmt: skip
    near = [(300, 258), (330, 286), (400, 304), (462, 292), (520, 318), (500, 356), (390, 382),
            (270, 392),
            (200, 420), (236, 462), (330, 500), (380, 540)]  # fmt: skip
    _wall(c, near, 9, 34, 1.0)
    _tower(c, 462, 300, 0.8)
    _tower(c, 224, 430, 1.3)
    return c


def _wall(c: Canvas, spine: Sequence[Point], first: float, last: float, detail: float) -> None:
    """Lay a wall along a line; its half-width grows from `first` to `last`."""
    dense: list[Point] = []
    for (x0, y0), (x1, y1) in itertools.pairwise(spine):
        dense += [(x0 + (x1 - x0) * k / 6, y0 + (y1 - y0) * k / 6) for k in range(6)]
    n = len(dense)
    for _ in range(3):
        dense = [dense[0], *(
            ((a[0] + 2 * b[0] + d[0]) / 4, (a[1] + 2 * b[1] + d[1]) / 4)
            for a, b, d in zip(dense, dense[1:], dense[2:], strict=False)
        ), dense[-1]]  # fmt: skip
    left, right = [], []
    for i, (x, y) in enumerate(dense):
        a, b = dense[max(0, i - 1)], dense[min(n - 1, i + 1)]
        long = math.dist(a, b) or 1
        half = first + (last - first) * (i / (n - 1)) ** 1.6
        nx, ny = -(b[1] - a[1]) / long * half, (b[0] - a[0]) / long * half * 0.7
        left.append((x + nx, y + ny))
        right.append((x - nx, y - ny))
    height = [(first + (last - first) * (i / (n - 1)) ** 1.6) * 1.1 for i in range(n)]
    for edge in (right, left):
        foot = [(x, y + h) for (x, y), h in zip(edge, height, strict=True)]
        c.add(path(polygon_d((*edge, *reversed(foot))), fill="#a08a68", stroke="#75634a",
                   stroke_width=1.4))  # fmt: skip
    c.add(
        path(
            polygon_d((*left, *reversed(right))), fill="#d6c29a", stroke="#8f7a58", stroke_width=1.4
        )
    )
    for edge in (right, left):
        teeth = ""
        for i in range(n - 1):
            (x, y), (u, v) = edge[i], edge[i + 1]
            t = height[i] * 0.5
            mx, my = x + (u - x) * 0.6, y + (v - y) * 0.6
            teeth += polygon_d(((x, y), (x, y - t), (mx, my - t), (mx, my)))
        c.add(path(teeth, fill="#b59f78", stroke="#75634a", stroke_width=1.1 * detail + 0.3))


def _tower(c: Canvas, x: float, foot: float, scale: float) -> None:
    body = (
        path("M-42 16L-36 -62H36L42 16Z", fill=fade(c, "#c7b188", "#a08a64", across=True),
             stroke="#6b5a42", stroke_width=2)
        + "".join(path(f"M{k - 7} -18V-34C{k - 7} -44 {k + 7} -44 {k + 7} -34V-18Z", fill="#4d3f2e")
                  for k in (-22, 0, 22))
        + box(-42, -72, 84, 12, "#b59f78", stroke="#6b5a42", stroke_width=1.6)
        + "".join(box(-42 + k * 15.2, -84, 8.5, 13, "#b59f78", stroke="#6b5a42", stroke_width=1.4)
                  for k in range(6))
        + stroke("M-38 -4H38M-37 6H37", "#8f7a58", 1.4)
        + line([(0, -60), (0, -70)], "#6b5a42", 2)
    )  # fmt: skip
    c.add(oval(x, foot + 14 * scale, 50 * scale, 9 * scale, "#00000033"), at(x, foot, scale, body))
