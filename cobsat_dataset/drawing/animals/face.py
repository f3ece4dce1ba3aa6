"""Faces: eyes, brows and mouths for each mood, on whatever head."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias, get_args

from ..svg import element, ellipse_d, group, num, path
from .curves import Point
from .paint import stroke

Mood: TypeAlias = Literal["calm", "asleep", "sing", "read", "chew", "sip", "sad", "angry"]
MOODS: Final[tuple[str, ...]] = get_args(Mood)

_INK: Final = "#2a1d1c"
_RED: Final = "#ee2f24"


def mix(a: str, b: str, amount: float) -> str:
    """Return the colour a fraction `amount` of the way from `a` to `b`."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (q - p) * amount):02x}" for p, q in pairs)


def flush(color: str, mood: str, amount: float = 0.55) -> str:
    """Return the colour of a face's part: reddened when angry."""
    return mix(color, _RED, amount) if mood == "angry" else color


def eyes(
    left: Point,
    right: Point,
    r: float,
    mood: Mood,
    *,
    lid: str,
    ink: str = _INK,
    iris: str | None = None,
) -> list[str]:
    """Return a pair of eyes of radius `r`, with their brows."""
    out: list[str] = []
    for (x, y), side in ((left, -1), (right, 1)):
        out.extend(_eye(x, y, r, mood, side, lid, ink, iris))
    return out


def _eye(
    x: float, y: float, r: float, mood: Mood, side: int, lid: str, ink: str, iris: str | None
) -> list[str]:
    if mood in ("asleep", "sing"):
        bulge = 1.3 if mood == "asleep" else -1.4
        lift = -0.3 if mood == "asleep" else 0.5
        start, end = f"{num(x - r)} {num(y + lift * r)}", f"{num(x + r)} {num(y + lift * r)}"
        return [stroke(f"M{start}Q{num(x)} {num(y + (lift + bulge) * r)} {end}", ink, r * 0.46)]
    look = {"read": 0.38, "sad": 0.3, "chew": 0.2, "sip": 0.25}.get(mood, 0.0) * r
    ball = ellipse_d(x, y, r, r * 1.14)
    pupil = 0.5 if mood == "angry" else 0.68
    out = [path(ball, fill="#ffffff", stroke=ink, stroke_width=r * 0.2)]
    if iris and mood != "angry":
        out.append(element("ellipse", cx=x, cy=y + look, rx=r * 0.84, ry=r * 0.96, fill=iris))
        pupil *= 0.82
    out.append(
        element("ellipse", cx=x, cy=y + look, rx=r * pupil, ry=r * pupil * 1.12, fill="#1a1214")
    )
    out.append(
        element("circle", cx=x + r * 0.24, cy=y + look - r * 0.3, r=r * 0.24, fill="#ffffff")
    )
    if mood == "angry":
        out.append(_lid(x, y, r, side, lid, ink, inner=0.15, outer=-1.15))
        out.append(_brow(x, y, r, side, ink, inner=-0.45, outer=-2.0, width=0.62))
    elif mood == "sad":
        out.append(_lid(x, y, r, side, lid, ink, inner=-1.1, outer=0.0))
        out.append(_brow(x, y, r, side, ink, inner=-2.2, outer=-1.0, width=0.46))
    elif mood == "read":
        out.append(_lid(x, y, r, side, lid, ink, inner=-0.42, outer=-0.42))
    return out


def _lid(
    x: float, y: float, r: float, side: int, lid: str, ink: str, inner: float, outer: float
) -> str:
    """Return an upper lid whose edge runs from `inner` to `outer` (in radii, down is +)."""
    xi, xo = x - side * r * 1.16, x + side * r * 1.16
    yi, yo = y + inner * r, y + outer * r
    top = y - r * 1.32
    cover = (
        f"M{num(xi)} {num(yi)}L{num(xo)} {num(yo)}"
        f"Q{num(xo)} {num(top)} {num(x)} {num(top)}Q{num(xi)} {num(top)} {num(xi)} {num(yi)}Z"
    )
    edge = stroke(f"M{num(xi)} {num(yi)}L{num(xo)} {num(yo)}", ink, r * 0.26)
    return path(cover, fill=lid) + edge


def _brow(
    x: float, y: float, r: float, side: int, ink: str, inner: float, outer: float, width: float
) -> str:
    xi, xo = x - side * r * 1.15, x + side * r * 1.3
    return stroke(f"M{num(xi)} {num(y + inner * r)}L{num(xo)} {num(y + outer * r)}", ink, r * width)


def mouth(x: float, y: float, w: float, mood: Mood, *, ink: str = _INK) -> list[str]:
    """Return a mouth about `w` wide whose upper lip's middle is at (x, y)."""
    if mood == "sing":
        d = (
            f"M{num(x - w * 0.5)} {num(y)}Q{num(x)} {num(y - w * 0.2)} {num(x + w * 0.5)} {num(y)}"
            f"Q{num(x + w * 0.56)} {num(y + w)} {num(x)} {num(y + w)}"
            f"Q{num(x - w * 0.56)} {num(y + w)} {num(x - w * 0.5)} {num(y)}Z"
        )
        return [_open(d, x, y + w * 0.8, w * 0.34, w * 0.24, ink)]
    if mood == "chew":
        d = (
            f"M{num(x - w * 0.55)} {num(y)}Q{num(x)} {num(y + w * 0.12)} "
            f"{num(x + w * 0.55)} {num(y)}Q{num(x + w * 0.4)} {num(y + w * 0.66)} {num(x)} "
            f"{num(y + w * 0.66)}Q{num(x - w * 0.4)} {num(y + w * 0.66)} {num(x - w * 0.55)} "
            f"{num(y)}Z"
        )
        return [_open(d, x, y + w * 0.55, w * 0.3, w * 0.2, ink)]
    if mood == "sip":
        return [element("ellipse", cx=x, cy=y + w * 0.16, rx=w * 0.2, ry=w * 0.17, fill=ink)]
    if mood == "sad":
        d = (
            f"M{num(x - w * 0.55)} {num(y + w * 0.56)}Q{num(x - w * 0.4)} {num(y)} {num(x)} "
            f"{num(y)}Q{num(x + w * 0.4)} {num(y)} {num(x + w * 0.55)} {num(y + w * 0.56)}"
            f"Q{num(x)} {num(y + w * 0.3)} {num(x - w * 0.55)} {num(y + w * 0.56)}Z"
        )
        return [path(d, fill="#6d1220", stroke=ink, stroke_width=w * 0.09, stroke_linejoin="round")]
    if mood == "angry":
        return _teeth(x, y, w * 1.25, ink)
    dip = 0.1 if mood == "read" else 0.3
    half = 0.42 if mood in ("asleep", "read") else 0.55
    d = (
        f"M{num(x - w * half)} {num(y)}Q{num(x - w * half / 2)} {num(y + w * dip * 1.4)} {num(x)} "
        f"{num(y)}Q{num(x + w * half / 2)} {num(y + w * dip * 1.4)} {num(x + w * half)} {num(y)}"
    )
    return [stroke(d, ink, max(2.4, w * 0.1))]


def _open(d: str, tx: float, ty: float, rx: float, ry: float, ink: str) -> str:
    """Return an open mouth with its tongue."""
    tongue = element("ellipse", cx=tx, cy=ty, rx=rx, ry=ry, fill="#f2717f")
    return path(d, fill="#7a1526") + tongue + path(d, fill="none", stroke=ink, stroke_width=2.6)


def _teeth(x: float, y: float, w: float, ink: str) -> list[str]:
    """Return bared, clenched teeth."""
    h = w * 0.5
    corners = (-0.5, 0.56), (-0.36, -0.08), (0.36, -0.08), (0.5, 0.56)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = ((x + a * w, y + b * h * 1.6) for a, b in corners)
    d = (
        f"M{num(ax)} {num(ay)}Q{num(ax)} {num(by)} {num(bx)} {num(by)}L{num(cx)} {num(cy)}"
        f"Q{num(dx)} {num(cy)} {num(dx)} {num(dy)}Q{num(x)} {num(dy - h * 0.18)} "
        f"{num(ax)} {num(ay)}Z"
    )
    lines = "".join(
        f"M{num(x + k * w)} {num(by + 1)}L{num(x + k * w * 1.05)} {num(dy - h * 0.1)}"
        for k in (-0.24, 0.0, 0.24)
    )
    middle = (by + dy) / 2
    lines += f"M{num(ax + w * 0.04)} {num(middle)}L{num(dx - w * 0.04)} {num(middle)}"
    return [
        path(d, fill="#ffffff", stroke=ink, stroke_width=w * 0.08, stroke_linejoin="round"),
        stroke(lines, ink, w * 0.04),
    ]


def whiskers(x: float, y: float, reach: float, color: str) -> str:
    """Return three whiskers to each side."""
    words = []
    for side in (-1, 1):
        for k in (-1, 0, 1):
            words.append(
                f"M{num(x + side * 15)} {num(y + 4 * k)}Q{num(x + side * reach * 0.6)} "
                f"{num(y + 7 * k - 3)} {num(x + side * reach)} {num(y + 11 * k)}"
            )
    return stroke("".join(words), color, 1.6)


def glasses(left: Point, right: Point, r: float, color: str) -> str:
    """Return a pair of round glasses."""
    lenses = [
        element("circle", cx=x, cy=y, r=r, fill="#e8f6ff", fill_opacity=0.35)
        for x, y in (left, right)
    ]
    mid = (left[0] + right[0]) / 2, (left[1] + right[1]) / 2 - r * 0.3
    reach = math.hypot(right[0] - left[0], right[1] - left[1])
    rims = ellipse_d(left[0], left[1], r) + ellipse_d(right[0], right[1], r)
    bridge = ""
    if reach > 2 * r:
        bridge = (
            f"M{num(left[0] + r)} {num(left[1])}Q{num(mid[0])} {num(mid[1])} "
            f"{num(right[0] - r)} {num(right[1])}"
        )
    return group(*lenses, stroke(rims + bridge, color, r * 0.2))
