"""Pictures to look at for their style and meaning: still life, ink, abstraction, metaphor."""

from __future__ import annotations

import math
import random
from typing import Final

from cobsat.drawing.actions.stage import backdrop, box, oval, poly
from cobsat.drawing.animals.paint import stroke
from cobsat.drawing.backgrounds.kit import glow, linear, radial, smooth_d
from cobsat.drawing.svg import ellipse_d, group, num, path, polygon_d, shade

from .canvas import Canvas
from .things import clipped

__all__ = ["cubist_still_life", "ink_landscape", "storm_and_calm", "untangling"]

_GUITAR: Final = (
    "M196 452C140 452 104 420 104 376C104 338 130 322 142 302C152 284 140 262 148 240"
    "C156 216 178 208 204 208C230 208 252 216 260 240C268 262 256 284 266 302"
    "C278 322 304 338 304 376C304 420 252 452 196 452Z"
)
_BOTTLE: Final = (
    "M352 442C340 442 334 436 334 424V262C334 236 362 230 362 204V122H394V204"
    "C394 230 422 236 422 262V424C422 436 416 442 404 442Z"
)
_PEAR: Final = (
    "M318 446C290 446 274 426 276 404C278 384 296 376 300 358C303 346 308 340 318 340"
    "C328 340 333 346 336 358C340 376 358 384 360 404C362 426 346 446 318 446Z"
)
# Each plane of the cubist picture: its corners, its colours (ground, table, guitar, bottle,
# pear), and how far the things are moved in it.
_PLANES: Final = (
    (((0, 0), (236, 0), (168, 196), (0, 236)), "#b9a67c #8f6a3f #c98a3c #476a55 #c8b04a", (-6, 4)),
    (((236, 0), (402, 0), (300, 258), (168, 196)), "#d8c9a2 #a67c4c #e0a552 #5c8a6c #dcc65a",
     (8, -8)),
    (((402, 0), (512, 0), (512, 268), (300, 258)), "#8f9a96 #7b5a38 #a86b2c #355646 #b49a3c",
     (-10, 6)),
    (((0, 236), (168, 196), (210, 350), (0, 420)), "#a08a64 #75512d #a5652a #3f5f4d #ad9338",
     (10, 8)),
    (((168, 196), (300, 258), (330, 392), (210, 350)), "#e3d7b6 #bb9058 #efbb68 #6f9c7d #e8d46c",
     (-4, -6)),
    (((300, 258), (512, 268), (512, 430), (330, 392)), "#a9a48e #94693c #c48135 #4b7a5f #d2ba4e",
     (6, 2)),
    (((0, 420), (210, 350), (232, 512), (0, 512)), "#84754f #8b6337 #d0943f #527a62 #bda544",
     (-8, -4)),
    (((210, 350), (330, 392), (512, 430), (512, 512), (232, 512)),
     "#9c9070 #6f4b29 #8e5522 #2f4c3d #9c832f", (4, 10)),
)  # fmt: skip


def cubist_still_life() -> Canvas:
    """Draw a guitar, a bottle and a pear on a table, broken into eight planes."""
    picture = Canvas(width=512, height=512)
    picture.add(box(0, 0, 512, 512, "#b9a67c"))
    for corners, colors, (dx, dy) in _PLANES:
        ground, table, guitar, bottle, pear = colors.split()
        tilt = f"translate({dx} {dy}) rotate({num(dx / 3)} 256 330)"
        picture.add(
            clipped(
                picture, polygon_d(corners),
                box(0, 0, 512, 512, ground),
                group(
                    poly([(-40, 372), (560, 340), (560, 560), (-40, 560)], table),
                    path(_BOTTLE, fill=bottle, stroke="#231a12", stroke_width=3.5),
                    box(338, 292, 80, 74, shade(ground, 0.45), stroke="#231a12", stroke_width=2.5),
                    stroke("M348 312H408M348 328H396M348 344H404", "#5c4a36", 3),
                    _guitar(guitar),
                    path(_PEAR, fill=pear, stroke="#231a12", stroke_width=3.5),
                    stroke("M318 340C318 328 324 322 332 320", "#231a12", 4),
                    transform=tilt,
                ),
            )
        )  # fmt: skip
        shadow = linear(picture, (0, "#1c1208", 0.0), (1, "#1c1208", 0.34), end=(1, 1))
        picture.add(path(polygon_d(corners), fill=shadow, stroke="#231a12", stroke_width=2.2))
    picture.add(_hatching())
    return picture


def _guitar(color: str) -> str:
    """Return the guitar: body, hole, neck and strings."""
    return "".join(
        (
            path(_GUITAR, fill=color, stroke="#231a12", stroke_width=3.5),
            poly([(186, 330), (222, 330), (216, 60), (192, 60)], shade(color, -0.55),
                 stroke="#231a12", stroke_width=3),
            poly([(182, 62), (226, 62), (232, 18), (176, 18)], shade(color, -0.4),
                 stroke="#231a12", stroke_width=3),
            oval(204, 330, 33, 33, "#22180f"),
            box(168, 398, 72, 12, "#22180f"),
            stroke("".join(f"M{x} 30V400" for x in (193, 200, 208, 215)), "#f3e6c4", 1.4),
            stroke("".join(f"M190 {y}H218" for y in range(90, 300, 26)), "#d8c9a2", 1.2),
        )
    )  # fmt: skip


def _hatching() -> str:
    """Return charcoal strokes along some edges."""
    rng = random.Random(4)
    d = []
    for x0, y0, x1, y1 in ((236, 0, 168, 196), (402, 0, 300, 258), (168, 196, 210, 350),
                           (300, 258, 330, 392), (0, 420, 210, 350)):  # fmt: skip
        for k in range(22):
            t = k / 21
            x, y = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
            reach = rng.uniform(8, 20)
            d.append(f"M{num(x)} {num(y)}l{num(reach)} {num(reach * 0.7)}")
    return path("".join(d), fill="none", stroke="#231a12", stroke_width=1.3, opacity=0.55)


def ink_landscape() -> Canvas:
    """Draw mountains, a moon, a fisher's boat and bamboo in black ink, with a red seal."""
    picture = Canvas(width=512, height=512)
    backdrop(picture, (0, "#efe6d2"), (1, "#e6dac0"))
    picture.add(oval(352, 104, 46, 46, "#fbf7ea"), glow(picture, 352, 104, 110, "#fffdf2", 0.8))
    picture.add(path(ellipse_d(352, 104, 46), fill="none", stroke="#8e8674", stroke_width=1.4))
    for tone, top, points in (
        ("#8d8b83", 0.42, [(-30, 300), (60, 226), (120, 250), (214, 150), (300, 246), (372, 204),
                           (460, 262), (560, 232)]),
        ("#4e4f4e", 0.62, [(-30, 322), (40, 292), (108, 240), (150, 268), (196, 306), (300, 300),
                           (400, 262), (452, 222), (500, 256), (560, 300)]),
    ):  # fmt: skip
        wash = linear(picture, (0, tone, top), (0.55, tone, top * 0.45), (1, tone, 0))
        ridge = "M" + "L".join(f"{x} {y}" for x, y in points)
        picture.add(path(f"{ridge}L560 352L-30 352Z", fill=wash))
        picture.add(path(ridge, fill="none", stroke=tone, stroke_width=2.6, opacity=0.55,
                         stroke_linejoin="round"))  # fmt: skip
    mist = linear(picture, (0, "#efe6d2", 0), (0.5, "#f4ecda", 0.95), (1, "#efe6d2", 0))
    picture.add(box(0, 286, 512, 92, mist))
    ripples = "M250 404h62M286 416h96M214 430h44M330 444h70M240 462h120"
    picture.add(path(ripples, fill="none", stroke="#6d6a62", stroke_width=1.6, opacity=0.6))
    picture.add(_boat(), _bamboo())
    picture.add(box(440, 430, 38, 44, "#b3261e", rx=4))
    picture.add(stroke("M450 440v24M450 440h18v24M459 440v24M450 452h18", "#f3e3d2", 3))
    return picture


def _boat() -> str:
    """Return a flat boat with a fisher in a wide hat, and its reflection."""
    hull = "M244 386C272 402 348 402 378 382C366 408 262 410 244 386Z"
    return "".join(
        (
            path(hull, fill="#2b2a28"),
            path(
                "M250 410C280 420 344 420 372 408",
                fill="none",
                stroke="#2b2a28",
                stroke_width=5,
                opacity=0.25,
            ),
            path("M296 388C294 366 300 352 310 350C322 352 328 368 326 388Z", fill="#3b3a37"),
            path(
                "M284 354C298 346 302 334 311 332C320 334 326 346 340 354C322 360 302 360 284 354Z",
                fill="#1f1e1c",
            ),
            stroke("M318 368L398 322", "#2b2a28", 2.6),
            stroke("M398 322C404 350 404 372 402 396", "#55524b", 1.2),
        )
    )


def _bamboo() -> str:
    """Return three stalks with leaves, painted with a full brush."""
    parts = []
    for x, lean, width, tone in ((52, 14, 15, "#23231f"), (98, -8, 11, "#3d3d38"),
                                 (20, 8, 9, "#56564f")):  # fmt: skip
        for k in range(6):
            y0, y1 = 512 - k * 92, 512 - (k + 1) * 92 + 7
            dx0, dx1 = lean * k / 3, lean * (k + 1) / 3
            parts.append(stroke(f"M{num(x + dx0)} {y0}L{num(x + dx1)} {y1}", tone, width))
            parts.append(stroke(f"M{num(x + dx1 - width * 0.7)} {y1 - 4}h{num(width * 1.4)}",
                                tone, 3))  # fmt: skip
    for x, y, angle, length in ((66, 150, 28, 84), (70, 148, 62, 72), (66, 148, 98, 66),
                                (96, 96, 14, 80), (92, 98, 50, 76), (62, 250, 36, 78),
                                (66, 252, 74, 62), (90, 300, 20, 70), (92, 300, 58, 62),
                                (44, 90, 150, 60), (40, 96, 118, 58), (76, 36, 30, 82),
                                (78, 34, 66, 66)):  # fmt: skip
        leaf = f"M0 0C{num(length * 0.3)} -9 {num(length * 0.7)} -7 {length} 0"
        leaf += f"C{num(length * 0.7)} 6 {num(length * 0.3)} 6 0 0Z"
        parts.append(path(leaf, fill="#1d1d1a", opacity=0.88,
                          transform=f"translate({x} {y}) rotate({angle})"))  # fmt: skip
    return "".join(parts)


def storm_and_calm() -> Canvas:
    """Draw an abstract composition: shards on the left, circles on the right, a line between."""
    picture = Canvas(width=512, height=512)
    sweep = linear(picture, (0, "#2a1a1f"), (0.42, "#6e3a33"), (0.58, "#cdd8dc"), (1, "#eaf2f4"),
                   start=(0, 0.1), end=(1, 0))  # fmt: skip
    picture.add(box(0, 0, 512, 512, sweep))
    rng = random.Random(11)
    shards = ("#0e0b10", "#c8261e", "#0e0b10", "#e8541f", "#3b1418", "#f0b429", "#0e0b10")
    for k in range(36):
        cx = 24 + k % 4 * 50 + rng.uniform(-22, 22)
        cy = 24 + k // 4 * 58 + rng.uniform(-24, 24)
        reach, angle = rng.uniform(60, 104), rng.uniform(0, math.tau)
        spread = rng.uniform(0.3, 0.75)
        tip = (cx + reach * math.cos(angle), cy + reach * math.sin(angle))
        tail = [(cx - reach * 0.4 * math.cos(angle + s * spread),
                 cy - reach * 0.4 * math.sin(angle + s * spread)) for s in (-1, 1)]  # fmt: skip
        picture.add(poly([tip, *tail], shards[k % len(shards)], stroke="#0e0b10", stroke_width=1.5))
    for r, color in ((122, "#9fc3d6"), (96, "#6aa3c4"), (70, "#3d7fae"), (44, "#1f5c92"),
                     (20, "#f6f1df")):  # fmt: skip
        picture.add(oval(372, 206, r, r, color))
    for x, y, r, color in ((442, 398, 44, "#8fbcb0"), (442, 398, 24, "#d9ebe4"),
                           (330, 420, 20, "#b6cbd8"), (470, 62, 16, "#b6cbd8")):  # fmt: skip
        picture.add(oval(x, y, r, r, color))
    thread = [(-10, 96), (44, 190), (66, 108), (112, 316), (140, 196), (170, 372), (206, 262),
              (236, 314), (268, 296), (330, 310), (420, 308), (530, 308)]  # fmt: skip
    d = "M" + "L".join(f"{x} {y}" for x, y in thread[:7])
    d += smooth_d(thread[6:]).replace("M", "L", 1)
    picture.add(stroke(d, "#14100c", 11), stroke(d, "#ffd23f", 6.5))
    return picture


_HEAD: Final = (
    "M60 262L62 214C36 200 8 168 8 118C8 50 56 4 116 4C178 4 206 48 207 86C208 98 203 106 206 114"
    "L227 152C231 160 226 165 218 167L211 169C214 176 217 180 213 184L207 188C212 192 212 197 "
    "207 200"
    "C203 206 209 212 205 222C200 236 182 236 160 231C148 232 146 242 148 262Z"
)


def untangling() -> Canvas:
    """Draw two heads: the thread that is tangled in the one is wound up in the other."""
    picture = Canvas(width=512, height=512)
    backdrop(picture, (0, "#f7efe2"), (1, "#eadbc6"))
    picture.add(oval(256, 300, 330, 200, radial(picture, (0, "#ffffff", 0.7), (1, "#ffffff", 0))))
    left = linear(picture, (0, "#3b4c74"), (1, "#22304f"), end=(0.4, 1))
    right = linear(picture, (0, "#3d8f86"), (1, "#22615d"), end=(0.4, 1))
    picture.add(path(_HEAD, fill=left, transform="translate(4 98) scale(1.04)"))
    picture.add(path(_HEAD, fill=right, transform="translate(508 98) scale(-1.04 1.04)"))
    shoulders = "M4 512C4 440 48 408 66 366H158C176 412 220 430 224 512Z"
    picture.add(
        path(shoulders, fill="#22304f"),
        path(shoulders, fill="#22615d", transform="translate(512 0) scale(-1 1)"),
    )
    rng = random.Random(6)
    knot = [
        (122 + 92 * math.cos(a) * rng.uniform(0.5, 1), 196 + 74 * math.sin(a) * rng.uniform(0.5, 1))
        for a in (k * 2.4 for k in range(34))
    ]
    tangle = smooth_d(knot)
    across = "C196 120 214 54 258 54C300 54 316 120 350 168"
    start = knot[-1]
    link = f"M{num(start[0])} {num(start[1])}{across}"
    for color, width in (("#7f1d1d", 6), ("#e4483b", 3.8)):
        picture.add(stroke(tangle, color, width), stroke(link, color, width))
    cx, cy = 388, 188
    picture.add(oval(cx, cy, 50, 50, "#7f1d1d"), oval(cx, cy, 47, 47, "#e4483b"))
    for k in range(-4, 5):
        bow = math.sqrt(47**2 - (k * 10) ** 2)
        picture.add(stroke(f"M{cx + k * 10 - 4} {num(cy - bow)}Q{cx + k * 10 + 12} {cy} "
                           f"{cx + k * 10 - 4} {num(cy + bow)}", "#a52a22", 2.2))  # fmt: skip
    picture.add(stroke("M350 168C362 162 372 150 380 142", "#e4483b", 3.8))
    return picture
