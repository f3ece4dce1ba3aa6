"""The heads of cat, tiger, lion, dog and monkey, from the front; `turn` as for hoofed ones."""

from __future__ import annotations

import random

from ..svg import Picture, element, ellipse_d, num, path, shade
from .coats import Coat
from .curves import Point, smooth_d
from .face import Mood, eyes, flush, mix, mouth, whiskers
from .head import Head, make_head, mirror, two_ears, wool_d
from .paint import solid, tone


def cat(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a cat's head: pointed ears, green eyes, whiskers."""
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
        two_ears(picture, ear, hollow, base, coat.line, coat.skin),
        solid(picture, [skull], tone(picture, base, -45, 45), coat.line, overlays=marks),
        *muzzle,
        *eyes(left, right, 10.5, mood, lid=base, iris="#9fd356"),
        path(f"M{num(tx - 7)} 11Q{num(tx)} 8 {num(tx + 7)} 11L{num(tx)} 19Z", fill="#e8788a"),
        *mouth(tx, 22, 24, mood),
        whiskers(tx, 22, 64, shade(coat.line, -0.2) if light == "#ffffff" else "#f4f4f4"),
        whiskers(tx, 23, 62, "#55504f"),
    ]
    return make_head(parts, (tx, 27), (left, right), 10.5, (40, -56), -62, 42, 54)


def tiger(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a tiger's head: stripes, white cheeks and brows."""
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
    ]
    if mood not in ("asleep", "sing"):
        # White spots over the eyes; around closed eyes they would look like eyes themselves.
        marks += [path(ellipse_d(tx + dx, -14, 13, 11), fill=light) for dx in (-20, 20)]
    for w, y, h in ((17, -43, 8), (22, -33, 8), (13, -23, 7)):
        marks.append(
            path(
                f"M{num(tx - w)} {y}Q{num(tx)} {y + h} {num(tx + w)} {y}"
                f"Q{num(tx)} {y + 2.4 * h} {num(tx - w)} {y}Z",
                fill=k,
            )
        )
    for s in (-1, 1):
        for x0, y0, x1, y1 in ((62, -12, 36, -4), (64, 4, 38, 9), (62, 22, 38, 22)):
            marks.append(path(f"M{s * x0} {y0 - 5}L{s * x1} {y1}L{s * x0} {y0 + 5}Z", fill=k))
        marks.append(path(f"M{s * 44} -42L{s * 22} -26L{s * 50} -28Z", fill=k))
    left, right = (tx - 21.0, -4.0), (tx + 21.0, -4.0)
    parts = [
        two_ears(picture, ear, hollow, coat.mark, coat.line, light),
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=marks),
        path(ellipse_d(tx - 13, 25, 18, 15), fill=light),
        path(ellipse_d(tx + 13, 25, 18, 15), fill=light),
        path(ellipse_d(tx, 36, 15, 10), fill=light),
        *eyes(left, right, 10, mood, lid=base, iris="#f4c542"),
        path(f"M{num(tx - 12)} 9Q{num(tx)} 4 {num(tx + 12)} 9L{num(tx)} 21Z", fill="#d9667a"),
        *mouth(tx, 24, 26, mood),
        whiskers(tx, 27, 58, "#6b4a35"),
    ]
    return make_head(parts, (tx, 30), (left, right), 10, (42, -46), -52, 48, 58)


def lion(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a lion's head in its mane."""
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
        two_ears(picture, ear, hollow, base, coat.line, coat.skin),
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
    return make_head(parts, (tx, 30), (left, right), 9.5, (42, -50), -84, 78, 86)


def dog(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a dog's head: hanging ears, a big black nose, the tongue out when calm."""
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
    return make_head(parts, (tx, 31), (left, right), 10, (46, -34), -46, 46, 62)


def monkey(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a monkey's head: round ears, a pale mask."""
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
        two_ears(picture, ear, hollow, base, coat.line, coat.skin),
        tuft,
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=mask),
        *eyes(left, right, 10, mood, lid=light),
        *(path(ellipse_d(tx + s * 4.5, 11, 2.6, 2), fill="#5b331f") for s in (-1, 1)),
        *mouth(tx, 21, 34 if mood != "angry" else 30, mood),
    ]
    return make_head(parts, (tx, 27), (left, right), 10, (58, -6), -62, 46, 70)
