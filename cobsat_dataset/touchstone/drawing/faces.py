"""A human head from the front: skin, eyes, brows and mouth say who it is and how they feel.

In its own coordinates the middle of the face is (0, 0), the eyes are at (±34, -5), the chin at
(0, 104) and the top of the skull at (0, -118). Hair, beard and hats are painted by who draws the
person, behind (`back`) and before (`front`) the face.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...drawing.backgrounds.kit import radial
from ...drawing.svg import Picture, element, group, num, path, shade
from .brush import at, disc, mirrored, oval, stroke

__all__ = ["Face", "Mouth", "head", "shoulders"]

Mouth: TypeAlias = Literal[
    "calm", "smile", "grin", "frown", "wail", "gasp", "clenched", "twisted", "none"
]


@dataclass(frozen=True)
class Face:
    """What a face looks like.

    Attributes:
        skin: Its colour.
        eyes: The colour of the irises.
        brows: The colour of the eyebrows.
        heavy: The eyebrows' thickness.
        worry: How far the brows' inner ends are raised (> 0, grief) or lowered (< 0, anger).
        lift: How far the brows are raised as a whole.
        open: How wide the eyes are: 1 is at rest, 0 closed.
        large: Size of the eyes: 1 for a grown-up, 1.25 for a child.
        gaze: Where the eyes look, in units: (6, 0) is to the right of the picture.
        mouth: Its expression.
        lips: The lips' colour.
        jaw: Width of the lower face: 1 for a grown-up, 1.15 for a child.
        long: Length of the lower face.
        blush: The strength of the cheeks' colour.
        lashes: Whether the upper lashes show.
    """

    skin: str = "#eebf9b"
    eyes: str = "#5a4634"
    brows: str = "#4a3424"
    heavy: float = 7
    worry: float = 0
    lift: float = 0
    open: float = 1
    large: float = 1
    gaze: tuple[float, float] = (0, 0)
    mouth: Mouth = "calm"
    lips: str = "#c4685f"
    jaw: float = 1
    long: float = 1
    blush: float = 0.3
    lashes: bool = False


def head(
    picture: Picture, face: Face, x: float, y: float, scale: float = 1,
    *, back: str = "", front: str = "", turn: float = 0,
) -> str:  # fmt: skip
    """Return a head with its hair; `back` and `front` are in the head's own coordinates."""
    skin = radial(
        picture, (0, shade(face.skin, 0.18)), (0.55, face.skin), (1, shade(face.skin, -0.22)),
        center=(0.44, 0.4), radius=0.66,
    )  # fmt: skip
    edge = shade(face.skin, -0.45)
    ear = path(
        "M-76 -14C-92 -26 -102 -8 -96 12C-92 30 -82 36 -74 28Z", fill=shade(face.skin, -0.08),
        stroke=edge, stroke_width=2,
    ) + stroke("M-80 -6C-90 -8 -90 8 -83 16", shade(face.skin, -0.3), 2.5)  # fmt: skip
    cheek = radial(picture, (0, "#e0524a", face.blush), (1, "#e0524a", 0))
    return at(
        x, y, scale, back, mirrored(ear),
        path(_outline(face), fill=skin, stroke=edge, stroke_width=2),
        mirrored(disc(-44, 36 * face.long, 27, cheek)),
        _eyes(picture, face), _brows(face), _nose(face),
        at(0, 58 * face.long - 58, 1, _mouth(face)), front, turn=turn,
    )  # fmt: skip


def shoulders(fill: str, skin: str, *, wide: float = 150, neck: float = 34) -> str:
    """Return neck and shoulders for a head, in its coordinates, to be put behind it."""
    return group(
        path(
            f"M{num(-wide)} 360C{num(-wide)} 220 {num(-wide + 20)} 186 -70 166L0 190L70 166"
            f"C{num(wide - 20)} 186 {num(wide)} 220 {num(wide)} 360Z",
            fill=fill, stroke=shade(fill, -0.35), stroke_width=2.5,
        ),
        path(
            f"M{num(-neck)} 60L{num(-neck)} 150C{num(-neck - 8)} 160 {num(-neck - 22)} 164 "
            f"{num(-neck - 30)} 168C-20 206 20 206 {num(neck + 30)} 168C{num(neck + 22)} 164 "
            f"{num(neck + 8)} 160 {num(neck)} 150L{num(neck)} 60Z",
            fill=shade(skin, -0.12),
        ),
        path(f"M{num(-neck)} 92C-14 120 14 120 {num(neck)} 92L{num(neck)} 116"
               f"C14 138 -14 138 {num(-neck)} 116Z", fill=shade(skin, -0.26)),
        transform="translate(0 -30)",
    )  # fmt: skip


def _outline(face: Face) -> str:
    w, low, chin = 66 * face.jaw, 66 * face.long, 104 * face.long
    return (
        "M-80 -20C-82 -82 -50 -118 0 -118C50 -118 82 -82 80 -20"
        f"C79 {num(low * 0.5)} {num(w)} {num(low)} {num(w * 0.6)} {num(chin - 10)}"
        f"C{num(w * 0.38)} {num(chin + 3)} {num(-w * 0.38)} {num(chin + 3)} {num(-w * 0.6)} "
        f"{num(chin - 10)}C{num(-w)} {num(low)} -79 {num(low * 0.5)} -80 -20Z"
    )


def _eyes(picture: Picture, face: Face) -> str:
    lid = shade(face.skin, -0.62)
    if face.open <= 0:
        shut = stroke("M-52 -4C-44 5 -26 5 -17 -4", lid, 4)
        return mirrored(shut + stroke("M-50 2L-55 6M-42 5L-44 11", lid, 2.4))
    o = face.open
    high, low = num(-13 * o), num(10 * o)
    almond = f"M-18 1C-12 {high} 11 {high} 18 0C10 {low} -11 {low} -18 1Z"
    result = []
    for side in (-34, 34):
        clip = picture.define("clipPath", element("path", d=almond))
        gx, gy = face.gaze
        ball = group(
            path(almond, fill="#fbf8f2"),
            disc(gx, -0.5 + gy, 9, face.eyes), disc(gx, -0.5 + gy, 9, "none", stroke="#1b1410",
            stroke_width=1.6, stroke_opacity=0.6),
            disc(gx, -0.5 + gy, 4.4, "#0f0c0a"), disc(gx + 3, -4 + gy, 2.4, "#ffffff"),
            path(f"M-18 1C-12 {num(-13 * o)} 11 {num(-13 * o)} 18 0L18 -4C8 {num(-9 * o)} -10 "
                 f"{num(-9 * o)} -18 1Z", fill="#000000", opacity=0.12),
            clip_path=clip,
        )  # fmt: skip
        upper = f"M-19 2C-12 {num(-13.5 * o)} 11 {num(-13.5 * o)} 19 0"
        crease = stroke(f"M-17 {num(-9 * o)}C-9 {num(-19 * o)} 9 {num(-19 * o)} 18 {num(-8 * o)}",
                        shade(face.skin, -0.3), 1.8)  # fmt: skip
        below = stroke(f"M-13 {num(6.5 * o)}C-7 {num(10 * o)} 8 {num(10 * o)} 15 {num(5 * o)}",
                       shade(face.skin, -0.3), 1.4)  # fmt: skip
        lashes = ""
        if face.lashes:
            lashes = stroke(f"M-19 1L-25 -4M-14 {num(-7 * o)}L-19 {num(-11 * o - 2)}"
                            f"M-7 {num(-10 * o)}L-9 {num(-13 * o - 3)}", "#201512",
                            2.6)  # fmt: skip
            lashes = lashes if side < 0 else group(lashes, transform="scale(-1 1)")
        result.append(
            at(side, -5, face.large, ball, crease, below,
               stroke(upper, lid if not face.lashes else "#201512", 3.4), lashes)
        )  # fmt: skip
    return "".join(result)


def _brows(face: Face) -> str:
    y, w = -31 - face.lift, face.worry
    d = (
        f"M-14 {num(y + 3 - w)}C-24 {num(y - 5 - w * 0.3)} -42 {num(y - 6 + w * 0.3)} -55 "
        f"{num(y + 5 + w * 0.5)}"
    )
    creases = ""
    if w < -5:
        creases = stroke("M-5 -36L-7 -22M5 -36L7 -22", shade(face.skin, -0.35), 2.4)
    if face.lift > 8 or w > 7:
        creases = stroke("M-34 -66Q0 -74 34 -66M-28 -77Q0 -84 28 -77", shade(face.skin, -0.25), 2)
    return mirrored(stroke(d, face.brows, face.heavy)) + creases


def _nose(face: Face) -> str:
    dark, y = shade(face.skin, -0.34), 28 * face.long - 28
    return at(
        0, y, 1,
        path("M-3 -12C-4 6 -10 16 -13 24C-14 32 -6 35 0 35C6 35 14 32 13 24C10 16 5 6 5 -12Z",
             fill=shade(face.skin, 0.12), opacity=0.5),
        stroke("M6 -6C8 8 15 18 15 26C14 33 8 34 5 33", dark, 2.4),
        stroke("M-5 33C-9 34 -14 32 -14 26", dark, 2.4),
        oval(-7, 31.5, 3.4, 2, shade(face.skin, -0.55)),
        oval(7, 31.5, 3.4, 2, shade(face.skin, -0.55)),
    )  # fmt: skip


def _mouth(face: Face) -> str:
    dark, inside, lip = shade(face.lips, -0.45), "#5a1518", face.lips
    chin = stroke("M-12 84Q0 89 12 84", shade(face.skin, -0.25), 2)
    if face.mouth == "none":
        return ""
    if face.mouth == "calm":
        return (
            path("M-24 61C-14 55 -6 52 0 55C6 52 14 55 24 61C12 64 -12 64 -24 61Z", fill=lip)
            + path("M-22 61C-10 76 10 76 22 61C10 64 -10 64 -22 61Z", fill=shade(lip, 0.1))
            + stroke("M-25 61C-12 64 12 64 25 61", dark, 2.4) + chin
        )  # fmt: skip
    if face.mouth == "smile":
        return (
            path("M-30 55C-16 54 -6 52 0 54C6 52 16 54 30 55C14 66 -14 66 -30 55Z", fill=lip)
            + path("M-28 57C-12 80 12 80 28 57C14 66 -14 66 -28 57Z", fill=shade(lip, 0.12))
            + stroke("M-33 53C-16 68 16 68 33 53", dark, 3)
            + mirrored(stroke("M-40 40Q-46 50 -41 60", shade(face.skin, -0.25), 2))
        )  # fmt: skip
    if face.mouth == "grin":
        return (
            path("M-38 50C-18 54 18 54 38 50C34 80 18 88 0 88C-18 88 -34 80 -38 50Z", fill=inside,
                 stroke=lip, stroke_width=4)
            + path("M-34 53C-16 57 16 57 34 53C33 61 32 64 30 66C12 70 -12 70 -30 66"
                   "C-32 64 -33 61 -34 53Z", fill="#fdfaf3")
            + oval(0, 81, 15, 6, "#d9727c")
            + mirrored(stroke("M-46 38Q-54 50 -47 62", shade(face.skin, -0.28), 2.4))
        )  # fmt: skip
    if face.mouth == "frown":
        return (
            path("M-24 68C-12 58 12 58 24 68C12 65 -12 65 -24 68Z", fill=lip)
            + path("M-17 67C-8 76 8 76 17 67C8 65 -8 65 -17 67Z", fill=shade(lip, 0.1))
            + stroke("M-27 71C-13 59 13 59 27 71", dark, 3) + chin
        )  # fmt: skip
    if face.mouth == "wail":
        return (
            path("M-30 78C-32 54 -12 50 0 50C12 50 32 54 30 78C20 88 -20 88 -30 78Z", fill=inside,
                 stroke=lip, stroke_width=4)
            + path("M-21 58C-10 54 10 54 21 58C12 62 -12 62 -21 58Z", fill="#fdfaf3")
            + oval(0, 79, 17, 6, "#d9727c")
        )  # fmt: skip
    if face.mouth == "gasp":
        return oval(0, 68, 18, 23, lip) + oval(0, 68, 14, 19, inside) + oval(0, 79, 9, 6, "#c25f69")
    if face.mouth == "clenched":
        return (
            path("M-34 52C-12 56 12 56 34 52L31 76C12 72 -12 72 -31 76Z", fill="#fdfaf3",
                 stroke=dark, stroke_width=4)
            + stroke("M-33 64C-12 66 12 66 33 64M-20 55L-19 74M-7 56L-7 73M7 56L7 73M20 55L19 74",
                     "#b9aea4", 1.6)
            + mirrored(stroke("M-26 42Q-44 48 -43 66", shade(face.skin, -0.3), 2.4))
        )  # fmt: skip
    # Twisted: one corner up, the upper lip raised, as at a bad smell.
    return (
        path("M-26 70C-14 56 0 62 8 56C16 54 24 58 27 62C16 68 -4 68 -26 70Z", fill=lip)
        + path("M-22 70C-8 84 14 80 25 63C12 70 -6 68 -22 70Z", fill=shade(lip, 0.1))
        + stroke("M-28 73C-12 62 8 72 29 60", dark, 3)
        + stroke("M-12 40Q-30 44 -36 58M12 38Q28 42 34 52", shade(face.skin, -0.3), 2.4)
        + stroke("M-9 8L9 4M-8 14L9 11", shade(face.skin, -0.3), 2)
    )  # fmt: skip
