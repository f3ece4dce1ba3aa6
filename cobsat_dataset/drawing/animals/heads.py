"""The heads of the nine four-legged animals, seen from the front and turned a little.

A head is drawn in its own coordinates: (0, 0) is its middle, y points down, and it is about a
hundred units wide. `turn` (0..1) moves the features towards +x.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..svg import Picture, element, ellipse_d, num, path, shade
from .coats import Coat
from .curves import Point, smooth_d
from .face import Mood, eyes, flush, mix, mouth, whiskers
from .paint import solid, tone


@dataclass(frozen=True)
class Head:
    """A drawn head, and where its parts are, in its own coordinates."""

    svg: str
    mouth: Point
    eyes: tuple[Point, Point]
    eye_radius: float
    ears: tuple[Point, Point]
    top: float
    chin: float
    half_width: float


def mirror(points: list[Point]) -> list[Point]:
    """Return points mirrored left to right."""
    return [(-x, y) for x, y in points]


def wool_d(cx: float, cy: float, rx: float, ry: float, bumps: int, size: float) -> str:
    """Return a cloud's outline: bumps around an ellipse."""
    import math

    words = []
    for k in range(bumps + 1):
        a = 2 * math.pi * k / bumps
        x, y = cx + rx * math.cos(a), cy + ry * math.sin(a)
        words.append(
            f"M{num(x)} {num(y)}" if k == 0 else f"A{num(size)} {num(size)} 0 0 1 {num(x)} {num(y)}"
        )
    return "".join(words) + "Z"


def _ears(
    picture: Picture, points: list[Point], inner: list[Point], fill: str, line: str, skin: str
) -> str:
    """Return two ears, mirrored, with their inner sides."""
    out = []
    for shape, hollow in ((points, inner), (mirror(points), mirror(inner))):
        out.append(solid(picture, [smooth_d(shape)], fill, line))
        out.append(path(smooth_d(hollow), fill=skin))
    return "".join(out)


def _head(
    parts: list[str],
    mouth_at: Point,
    eye_at: tuple[Point, Point],
    r: float,
    ears: Point,
    top: float,
    chin: float,
    half: float,
) -> Head:
    return Head("".join(parts), mouth_at, eye_at, r, ((-ears[0], ears[1]), ears), top, chin, half)


def cat(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base = flush(coat.base, mood)
    light = flush(coat.light, mood)
    tx = turn * 6
    ear: list[Point] = [(-47, -8), (-49, -40), (-46, -66), (-28, -52), (-10, -34), (-24, -14)]
    hollow: list[Point] = [(-42, -24), (-43, -40), (-41, -54), (-30, -44), (-22, -34)]
    skull = smooth_d(
        [(0, -42), (28, -36), (48, -10), (54, 16), (38, 32), (16, 41), (-16, 41), (-38, 32),
         (-54, 16), (-48, -10), (-28, -36)]
    )  # fmt: skip
    marks = [
        path(f"M{num(tx + dx - 4)} -44L{num(tx + dx)} {y}L{num(tx + dx + 4)} -44Z", fill=coat.mark)
        for dx, y in ((0, -16), (-13, -22), (13, -22))
    ]
    marks += [
        path(f"M{s * 58} {y}Q{s * 46} {y + 1} {s * 36} {y + 5}Q{s * 46} {y + 8} {s * 58} {y + 8}Z",
             fill=coat.mark)
        for s in (-1, 1)
        for y in (6, 19)
    ]  # fmt: skip
    muzzle = [
        path(ellipse_d(tx - 11, 22, 15, 12), fill=light),
        path(ellipse_d(tx + 11, 22, 15, 12), fill=light),
        path(ellipse_d(tx, 32, 11, 9), fill=light),
    ]
    if light != base:
        marks.append(path(f"M{num(tx)} -14L{num(tx + 9)} 24L{num(tx - 9)} 24Z", fill=light))
    left, right = (tx - 22.0, -3.0), (tx + 22.0, -3.0)
    parts = [
        _ears(picture, ear, hollow, base, coat.line, coat.skin),
        solid(picture, [skull], tone(picture, base, -45, 45), coat.line, overlays=marks),
        *muzzle,
        *eyes(left, right, 10.5, mood, lid=base, iris="#9fd356"),
        path(f"M{num(tx - 7)} 11Q{num(tx)} 8 {num(tx + 7)} 11L{num(tx)} 19Z", fill="#e8788a"),
        *mouth(tx, 22, 24, mood),
        whiskers(tx, 22, 64, shade(coat.line, -0.2) if light == "#ffffff" else "#f4f4f4"),
        whiskers(tx, 23, 62, "#55504f"),
    ]
    return _head(parts, (tx, 27), (left, right), 10.5, (40, -56), -62, 42, 54)


def tiger(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, light = flush(coat.base, mood), flush(coat.light, mood)
    tx = turn * 6
    ear = [(-50.0, -22.0), (-54.0, -44.0), (-40.0, -54.0), (-22.0, -44.0), (-30.0, -24.0)]
    hollow = [(-45.0, -30.0), (-46.0, -42.0), (-38.0, -45.0), (-30.0, -38.0)]
    skull = smooth_d(
        [(0, -47), (30, -41), (50, -14), (58, 14), (46, 28), (24, 44), (0, 48), (-24, 44),
         (-46, 28), (-58, 14), (-50, -14), (-30, -41)]
    )  # fmt: skip
    k = coat.mark
    marks = [
        path(ellipse_d(-44, 24, 26, 22), fill=light),
        path(ellipse_d(44, 24, 26, 22), fill=light),
        path(ellipse_d(tx - 20, -14, 13, 11), fill=light),
        path(ellipse_d(tx + 20, -14, 13, 11), fill=light),
    ]
    for w, y, h in ((17, -43, 8), (22, -33, 8), (13, -23, 7)):
        marks.append(
            path(
                f"M{num(tx - w)} {y}Q{num(tx)} {y + h} {num(tx + w)} {y}"
                f"Q{num(tx)} {y + 2.4 * h} {num(tx - w)} {y}Z",
                fill=k,
            )
        )
    for s in (-1, 1):
        for x0, y0, x1, y1, h in ((62, -12, 36, -4, 5), (64, 4, 38, 9, 5.5), (62, 22, 38, 22, 5.5)):
            marks.append(path(f"M{s * x0} {y0 - h}L{s * x1} {y1}L{s * x0} {y0 + h}Z", fill=k))
        marks.append(path(f"M{s * 44} -42L{s * 22} -26L{s * 50} -28Z", fill=k))
    left, right = (tx - 21.0, -4.0), (tx + 21.0, -4.0)
    parts = [
        _ears(picture, ear, hollow, coat.mark, coat.line, light),
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=marks),
        path(ellipse_d(tx - 13, 25, 18, 15), fill=light),
        path(ellipse_d(tx + 13, 25, 18, 15), fill=light),
        path(ellipse_d(tx, 36, 15, 10), fill=light),
        *eyes(left, right, 10, mood, lid=base, iris="#f4c542"),
        path(f"M{num(tx - 12)} 9Q{num(tx)} 4 {num(tx + 12)} 9L{num(tx)} 21Z", fill="#d9667a"),
        *mouth(tx, 24, 26, mood),
        whiskers(tx, 27, 58, "#6b4a35"),
    ]
    return _head(parts, (tx, 30), (left, right), 10, (42, -46), -52, 48, 58)


def lion(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, light = flush(coat.base, mood), flush(coat.light, mood)
    tx = turn * 6
    mane_line = shade(coat.mark, -0.35)
    ear = [(-46.0, -24.0), (-52.0, -48.0), (-36.0, -54.0), (-22.0, -40.0)]
    hollow = [(-42.0, -32.0), (-45.0, -44.0), (-36.0, -46.0), (-29.0, -38.0)]
    bumps = rng.choice((13, 14, 15))
    skull = smooth_d(
        [(0, -40), (26, -36), (42, -12), (45, 12), (32, 32), (16, 46), (-16, 46), (-32, 32),
         (-45, 12), (-42, -12), (-26, -36)]
    )  # fmt: skip
    left, right = (tx - 18.0, -6.0), (tx + 18.0, -6.0)
    parts = [
        solid(picture, [wool_d(0, 3, 68, 68, bumps, 17)], coat.mark, mane_line),
        path(wool_d(0, 2, 57, 57, bumps, 14), fill=mix(coat.mark, "#d98632", 0.5)),
        _ears(picture, ear, hollow, base, coat.line, coat.skin),
        solid(picture, [skull], tone(picture, base, -45, 50), coat.line),
        path(ellipse_d(tx - 12, 26, 17, 14), fill=light),
        path(ellipse_d(tx + 12, 26, 17, 14), fill=light),
        path(ellipse_d(tx, 38, 14, 11), fill=light),
        path(f"M{num(tx - 8)} -14L{num(tx + 8)} -14L{num(tx + 11)} 12L{num(tx - 11)} 12Z",
             fill=shade(base, 0.18)),
        *eyes(left, right, 9.5, mood, lid=base, iris="#d99a2b"),
        path(f"M{num(tx - 12)} 9Q{num(tx)} 5 {num(tx + 12)} 9L{num(tx)} 21Z", fill="#6b3526"),
        *mouth(tx, 24, 25, mood),
        *(element("circle", cx=tx + s * dx, cy=26 + dy, r=1.6, fill="#8a5a35")
          for s in (-1, 1) for dx, dy in ((14, 0), (19, 3), (15, 6))),
    ]  # fmt: skip
    return _head(parts, (tx, 30), (left, right), 9.5, (42, -50), -84, 78, 86)


def dog(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, light = flush(coat.base, mood), flush(coat.light, mood)
    mark = flush(coat.mark, mood)
    tx = turn * 6
    flap = [(-28.0, -40.0), (-50.0, -34.0), (-62.0, 0.0), (-60.0, 32.0), (-46.0, 42.0),
            (-36.0, 24.0), (-34.0, -4.0)]  # fmt: skip
    skull = smooth_d(
        [(0, -46), (26, -41), (40, -16), (40, 8), (30, 28), (16, 45), (-16, 45), (-30, 28),
         (-40, 8), (-40, -16), (-26, -41)]
    )  # fmt: skip
    marks = [
        path(smooth_d([(x + tx, y) for x, y in shape]), fill=mark)
        for shape in (
            [(9.0, -50.0), (46.0, -40.0), (46.0, 10.0), (24.0, 12.0), (8.0, -8.0)],
            [(-9.0, -50.0), (-46.0, -40.0), (-46.0, 10.0), (-24.0, 12.0), (-8.0, -8.0)],
        )
    ]
    if coat.note == "tan":
        marks = [path(ellipse_d(tx, -30, 7, 34), fill=light)]
    lid = base if coat.note == "tan" else mark
    left, right = (tx - 17.0, -7.0), (tx + 17.0, -7.0)
    parts = [
        solid(picture, [skull], tone(picture, base, -48, 48), coat.line, overlays=marks),
        path(ellipse_d(tx - 11, 24, 16, 15), fill=light),
        path(ellipse_d(tx + 11, 24, 16, 15), fill=light),
        path(ellipse_d(tx, 34, 13, 10), fill=light),
        *(solid(picture, [smooth_d(s)], tone(picture, mark, -44, 50), shade(coat.mark, -0.35))
          for s in (flap, mirror(flap))),
        *eyes(left, right, 10, mood, lid=lid, iris="#7a4a24"),
    ]  # fmt: skip
    if mood == "calm":
        tongue = (
            f"M{num(tx - 8)} 30L{num(tx - 8)} 43Q{num(tx)} 56 {num(tx + 8)} 43L{num(tx + 8)} 30Z"
        )
        parts.append(path(tongue, fill="#f2717f", stroke="#b8424f", stroke_width=2))
    parts += [
        *mouth(tx, 25, 30, mood),
        path(ellipse_d(tx, 12, 13, 9.5), fill="#241a1c"),
        element("ellipse", cx=tx - 4, cy=9, rx=4, ry=2.4, fill="#ffffff", fill_opacity=0.6),
    ]
    return _head(parts, (tx, 31), (left, right), 10, (46, -34), -46, 46, 62)


def cow(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base = flush(coat.base, mood)
    mark = flush(coat.mark, mood)
    skin = flush(coat.skin, mood)
    tx = turn * 6
    ear = [(-34.0, -24.0), (-58.0, -34.0), (-72.0, -20.0), (-62.0, -4.0), (-38.0, -8.0)]
    hollow = [(-44.0, -22.0), (-58.0, -26.0), (-64.0, -18.0), (-56.0, -10.0)]
    horn = "M-30 -34Q-50 -44 -42 -70Q-28 -60 -14 -42Z"
    skull = smooth_d(
        [(0, -48), (24, -44), (38, -22), (36, 4), (31, 24), (20, 46), (-20, 46), (-31, 24),
         (-36, 4), (-38, -22), (-24, -44)]
    )  # fmt: skip
    side = rng.choice((-1, 1))
    marks = [
        path(smooth_d([(side * x, y) for x, y in
             [(6, -54), (46, -46), (46, 6), (26, 12), (9, -6)]]), fill=mark),
        path(smooth_d([(-side * x, y) for x, y in [(22, -54), (46, -46), (46, -2), (32, -10)]]),
             fill=mark),
    ]  # fmt: skip
    left, right = (tx - 18.0, -10.0), (tx + 18.0, -10.0)
    parts = [
        _ears(picture, ear, hollow, mark, coat.line, coat.skin),
        *(solid(picture, [d], "#efe2c4", "#8d7a55") for d in (horn, _flip_d(horn))),
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=marks),
        path(wool_d(tx * 0.5, -43, 15, 8, 7, 7), fill=shade(coat.mark, 0.1)),
        *eyes(left, right, 10, mood, lid=base),
        solid(picture, [smooth_d([(tx + x, y) for x, y in
              [(0, 10), (26, 14), (36, 30), (26, 46), (0, 51), (-26, 46), (-36, 30), (-26, 14)]])],
              tone(picture, skin, 8, 54), shade(coat.skin, -0.45), 2.6),
        *(path(ellipse_d(tx + s * 15, 22, 5, 6), fill=shade(coat.skin, -0.6)) for s in (-1, 1)),
        *mouth(tx, 34, 28 if mood != "angry" else 26, mood),
    ]  # fmt: skip
    return _head(parts, (tx, 39), (left, right), 10, (60, -22), -68, 52, 72)


def _flip_d(d: str) -> str:
    """Return path data of `x y` pairs mirrored left to right."""
    import re

    return re.sub(r"(-?[\d.]+) (-?[\d.]+)", lambda m: f"{num(-float(m[1]))} {m[2]}", d)


def pig(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, mark = flush(coat.base, mood), flush(coat.mark, mood)
    tx = turn * 6
    ear = [(-22.0, -38.0), (-34.0, -62.0), (-56.0, -62.0), (-62.0, -42.0), (-52.0, -28.0),
           (-44.0, -14.0)]  # fmt: skip
    hollow = [(-30.0, -40.0), (-38.0, -54.0), (-52.0, -54.0), (-55.0, -42.0), (-46.0, -28.0)]
    skull = smooth_d(
        [(0, -46), (32, -38), (50, -8), (50, 18), (32, 40), (0, 47), (-32, 40), (-50, 18),
         (-50, -8), (-32, -38)]
    )  # fmt: skip
    left, right = (tx - 22.0, -13.0), (tx + 22.0, -13.0)
    cheeks = [path(ellipse_d(s * 36 + tx, 18, 11, 8), fill=mark, fill_opacity=0.6) for s in (-1, 1)]
    parts = [
        _ears(picture, ear, hollow, base, coat.line, mark),
        solid(picture, [skull], tone(picture, base, -48, 50), coat.line, overlays=cheeks),
        *eyes(left, right, 9.5, mood, lid=base),
        *mouth(tx, 29 if mood != "angry" else 27, 26, mood),
        solid(picture, [ellipse_d(tx, 10, 22, 16)], tone(picture, mark, -8, 28), coat.line, 2.6),
        *(path(ellipse_d(tx + s * 8, 10, 4, 6.5), fill=shade(coat.line, -0.15)) for s in (-1, 1)),
    ]
    return _head(parts, (tx, 33), (left, right), 9.5, (50, -52), -62, 47, 60)


def sheep(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    dark = flush(coat.mark, mood)
    tx = turn * 6
    ear = [(-26.0, -18.0), (-48.0, -22.0), (-66.0, -8.0), (-58.0, 4.0), (-30.0, -4.0)]
    hollow = [(-36.0, -14.0), (-48.0, -16.0), (-58.0, -7.0), (-48.0, -4.0)]
    skull = smooth_d(
        [(0, -42), (24, -36), (34, -12), (30, 14), (20, 40), (0, 48), (-20, 40), (-30, 14),
         (-34, -12), (-24, -36)]
    )  # fmt: skip
    left, right = (tx - 15.0, -8.0), (tx + 15.0, -8.0)
    pale = "#f3e2dc"
    parts = [
        _ears(picture, ear, hollow, dark, shade(coat.mark, -0.4), coat.skin),
        solid(picture, [skull], tone(picture, dark, -45, 50), shade(coat.mark, -0.4)),
        path(ellipse_d(tx, 33, 17, 13), fill=shade(dark, 0.16)),
        solid(picture, [wool_d(0, -36, 32, 16, 10, 11)], tone(picture, coat.base, -58, -15),
              coat.line, 2.6),
        *eyes(left, right, 10, mood, lid=shade(dark, 0.12),
              ink=pale if mood in ("asleep", "sing") else "#120d10"),
        path(f"M{num(tx - 8)} 22L{num(tx)} 28L{num(tx + 8)} 22M{num(tx)} 28L{num(tx)} 33",
             fill="none", stroke="#e59a9a", stroke_width=3, stroke_linecap="round"),
        *mouth(tx, 32, 22, mood,
               ink=pale if mood in ("calm", "asleep", "read") else "#120d10"),
    ]  # fmt: skip
    return _head(parts, (tx, 36), (left, right), 10, (54, -10), -60, 48, 66)


def zebra(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, k = flush(coat.base, mood), coat.mark
    tx = turn * 7
    ear = [(-16.0, -44.0), (-24.0, -66.0), (-38.0, -80.0), (-44.0, -62.0), (-34.0, -36.0)]
    hollow = [(-22.0, -48.0), (-28.0, -62.0), (-36.0, -70.0), (-38.0, -58.0), (-31.0, -44.0)]
    skull = smooth_d(
        [(0, -52), (24, -47), (36, -26), (32, 2), (26, 28), (24, 48), (0, 58), (-24, 48),
         (-26, 28), (-32, 2), (-36, -26), (-24, -47)]
    )  # fmt: skip
    marks = [
        path(f"M{num(tx * 0.6 + dx - w)} -58L{num(tx + dx * 0.35)} {y}"
             f"L{num(tx * 0.6 + dx + w)} -58Z", fill=k)
        for dx, w, y in ((0, 3.6, -2), (-12, 4, -12), (12, 4, -12), (-26, 5, -26), (26, 5, -26))
    ]  # fmt: skip
    for s in (-1, 1):
        for y, reach in ((-22, 30), (-3, 14), (9, 9), (21, 8)):
            marks.append(
                path(f"M{s * 44} {y - 6}L{num(s * reach + tx * 0.6)} {y + 7}L{s * 44} {y + 5}Z",
                     fill=k)
            )  # fmt: skip
    snout = smooth_d(
        [(tx - 27, 38), (tx, 30), (tx + 27, 38), (tx + 25, 54), (tx, 64), (tx - 25, 54)]
    )
    marks.append(path(snout, fill=flush("#3a363d", mood)))
    left, right = (tx - 20.0, -10.0), (tx + 20.0, -10.0)
    crest = smooth_d([(-12, -44), (-15, -66), (-7, -79), (0, -84), (7, -79), (15, -66), (12, -44),
                      (0, -34)])  # fmt: skip
    crest_marks = [
        path(f"M{x - 3} -30L{x * 1.3:.1f} -90L{x * 1.3 + 5:.1f} -90L{x + 3} -30Z", fill="#fbfaf6")
        for x in (-8, 4)
    ]
    parts = [
        _ears(picture, ear, hollow, base, coat.line, "#6b646c"),
        solid(picture, [skull], tone(picture, base, -60, 60), coat.line, overlays=marks),
        solid(picture, [crest], k, coat.line, 2, overlays=crest_marks),
        *eyes(left, right, 9.5, mood, lid=base),
        *(path(ellipse_d(tx + s * 11, 42, 4, 5), fill="#151216") for s in (-1, 1)),
        *mouth(tx, 49, 22, mood,
               ink="#d8ccd0" if mood in ("calm", "asleep", "read", "sip") else "#151216"),
    ]  # fmt: skip
    return _head(parts, (tx, 52), (left, right), 9.5, (36, -68), -84, 58, 46)


def monkey(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    base, light = flush(coat.base, mood), flush(coat.light, mood)
    tx = turn * 6
    ear = [(-40.0, -22.0), (-60.0, -26.0), (-70.0, -6.0), (-60.0, 14.0), (-40.0, 10.0)]
    hollow = [(-46.0, -14.0), (-58.0, -16.0), (-62.0, -5.0), (-56.0, 7.0), (-46.0, 4.0)]
    skull = smooth_d(
        [(0, -48), (30, -40), (47, -12), (46, 14), (32, 36), (0, 46), (-32, 36), (-46, 14),
         (-47, -12), (-30, -40)]
    )  # fmt: skip
    tuft = path(
        "M-14 -44Q-10 -62 2 -64Q-2 -54 2 -50Q10 -60 18 -58Q12 -50 14 -42Z",
        fill=base, stroke=coat.line, stroke_width=3, stroke_linejoin="round",
    )  # fmt: skip
    left, right = (tx - 16.0, -6.0), (tx + 16.0, -6.0)
    mask = [
        path(ellipse_d(tx - 15, -8, 20, 22), fill=light),
        path(ellipse_d(tx + 15, -8, 20, 22), fill=light),
        path(ellipse_d(tx, 24, 34, 24), fill=light),
    ]
    parts = [
        _ears(picture, ear, hollow, base, coat.line, coat.skin),
        tuft,
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=mask),
        *eyes(left, right, 10, mood, lid=light),
        *(path(ellipse_d(tx + s * 4.5, 11, 2.6, 2), fill="#5b331f") for s in (-1, 1)),
        *mouth(tx, 21, 34 if mood != "angry" else 30, mood),
    ]
    return _head(parts, (tx, 27), (left, right), 10, (58, -6), -62, 46, 70)


HEADS: Final[
    dict[str, Callable[[Picture, Coat, Mood, float, random.Random], Head]]
] = {
    "zebra": zebra, "tiger": tiger, "sheep": sheep, "pig": pig, "monkey": monkey,
    "lion": lion, "dog": dog, "cow": cow, "cat": cat,
}  # fmt: skip
