"""The heads of zebra, sheep, pig and cow, from the front; `turn` moves the features to +x."""

from __future__ import annotations

import random

from ..svg import Picture, ellipse_d, num, path, shade
from .coats import Coat
from .curves import smooth_d
from .face import Mood, eyes, flush, mouth
from .head import Head, flip_d, make_head, two_ears, wool_d
from .paint import solid, tone


def cow(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a cow's head: horns, ears to the sides, a broad pink muzzle."""
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
        two_ears(picture, ear, hollow, mark, coat.line, coat.skin),
        *(solid(picture, [d], "#efe2c4", "#8d7a55") for d in (horn, flip_d(horn))),
        solid(picture, [skull], tone(picture, base, -50, 50), coat.line, overlays=marks),
        path(wool_d(tx * 0.5, -43, 15, 8, 7, 7), fill=shade(coat.mark, 0.1)),
        *eyes(left, right, 10, mood, lid=base),
        solid(picture, [smooth_d([(tx + x, y) for x, y in
              [(0, 10), (26, 14), (36, 30), (26, 46), (0, 51), (-26, 46), (-36, 30), (-26, 14)]])],
              tone(picture, skin, 8, 54), shade(coat.skin, -0.45), 2.6),
        *(path(ellipse_d(tx + s * 15, 22, 5, 6), fill=shade(coat.skin, -0.6)) for s in (-1, 1)),
        *mouth(tx, 34, 28 if mood != "angry" else 26, mood),
    ]  # fmt: skip
    return make_head(parts, (tx, 39), (left, right), 10, (60, -22), -68, 52, 72)


def pig(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a pig's head: a snout with two nostrils."""
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
        two_ears(picture, ear, hollow, base, coat.line, mark),
        solid(picture, [skull], tone(picture, base, -48, 50), coat.line, overlays=cheeks),
        *eyes(left, right, 9.5, mood, lid=base),
        *mouth(tx, 29 if mood != "angry" else 27, 26, mood),
        solid(picture, [ellipse_d(tx, 10, 22, 16)], tone(picture, mark, -8, 28), coat.line, 2.6),
        *(path(ellipse_d(tx + s * 8, 10, 4, 6.5), fill=shade(coat.line, -0.15)) for s in (-1, 1)),
    ]
    return make_head(parts, (tx, 33), (left, right), 9.5, (50, -52), -62, 47, 60)


def sheep(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a sheep's head: a dark face under a woolly cap."""
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
        two_ears(picture, ear, hollow, dark, shade(coat.mark, -0.4), coat.skin),
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
    return make_head(parts, (tx, 36), (left, right), 10, (54, -10), -60, 48, 66)


def zebra(picture: Picture, coat: Coat, mood: Mood, turn: float, rng: random.Random) -> Head:
    """Return a zebra's head: long, striped, with an upright mane and a dark muzzle."""
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
        two_ears(picture, ear, hollow, base, coat.line, "#6b646c"),
        solid(picture, [skull], tone(picture, base, -60, 60), coat.line, overlays=marks),
        solid(picture, [crest], k, coat.line, 2, overlays=crest_marks),
        *eyes(left, right, 9.5, mood, lid=base),
        *(path(ellipse_d(tx + s * 11, 42, 4, 5), fill="#151216") for s in (-1, 1)),
        *mouth(tx, 49, 22, mood,
               ink="#d8ccd0" if mood in ("calm", "asleep", "read", "sip") else "#151216"),
    ]  # fmt: skip
    return make_head(parts, (tx, 52), (left, right), 9.5, (36, -68), -84, 58, 46)
