"""Things that the animals hold, wear or lie on."""

from __future__ import annotations

import math

from ..animals.curves import Frame, Point, Tube, lerp, smooth_d
from ..animals.paint import solid, stroke
from ..svg import Picture, ellipse_d, group, num, path, shade
from .stage import box, gradient, oval, poly


def note(x: float, y: float, size: float, color: str, angle: float, double: bool) -> str:
    """Return a musical note: a quaver, or two joined by a beam."""
    s = size
    if double:
        shapes = [
            oval(-s * 0.5, s * 0.62, s * 0.3, s * 0.22, color, transform="rotate(-18)"),
            oval(s * 0.42, s * 0.6, s * 0.3, s * 0.22, color, transform="rotate(-18)"),
            path(f"M{num(-s * 0.16)} {num(s * 0.74)}V{num(-s * 0.62)}L{num(s * 0.9)} "
                 f"{num(-s * 0.86)}V{num(s * 0.44)}", fill="none", stroke=color,
                 stroke_width=s * 0.14),
            poly([(-s * 0.23, -s * 0.68), (s * 0.97, -s * 0.95), (s * 0.97, -s * 0.6),
                  (-s * 0.23, -s * 0.34)], color),
        ]  # fmt: skip
    else:
        shapes = [
            oval(-s * 0.3, s * 0.6, s * 0.34, s * 0.25, color, transform="rotate(-18)"),
            path(f"M{num(s * 0.18)} {num(s * 0.6)}V{num(-s * 0.86)}C{num(s * 0.3)} "
                 f"{num(-s * 0.5)} {num(s * 0.84)} {num(-s * 0.4)} {num(s * 0.6)} {num(s * 0.16)}",
                 fill="none", stroke=color, stroke_width=s * 0.15, stroke_linecap="round"),
        ]  # fmt: skip
    return group(*shapes, transform=Frame(x, y, angle).transform)


def zed(x: float, y: float, size: float, color: str, angle: float) -> str:
    """Return a letter Z."""
    s = size / 2
    d = f"M{num(-s)} {num(-s)}H{num(s)}L{num(-s)} {num(s)}H{num(s)}"
    line = path(d, fill="none", stroke=color, stroke_width=size * 0.24, stroke_linejoin="round",
                stroke_linecap="round")  # fmt: skip
    return group(line, transform=Frame(x, y, angle).transform)


def microphone(top: Point, foot: Point, size: float) -> str:
    """Return a microphone at `top`, tilted, on a stand that ends at `foot`."""
    tx, ty = top
    side = 1 if foot[0] >= tx else -1
    hand = (tx + side * size * 1.5, ty + size * 1.2)
    pole = (
        f"M{num(hand[0])} {num(hand[1])}L{num(foot[0])} {num(ty + size * 2.4)}V{num(foot[1] - 4)}"
    )
    angle = math.degrees(math.atan2(hand[1] - ty, hand[0] - tx))
    grille = [
        path(ellipse_d(0, 0, size * 0.92, size * 0.8), fill="#b9c0cc", stroke="#3a3f4a",
             stroke_width=size * 0.12),
        stroke(f"M{num(-size * 0.6)} {num(-size * 0.4)}L{num(size * 0.5)} {num(size * 0.5)}"
               f"M{num(-size * 0.7)} {num(size * 0.1)}L{num(size * 0.1)} {num(size * 0.66)}"
               f"M{num(-size * 0.6)} {num(size * 0.4)}L{num(size * 0.5)} {num(-size * 0.5)}"
               f"M{num(-size * 0.1)} {num(-size * 0.66)}L{num(size * 0.66)} {num(size * 0.1)}",
               "#6b7280", size * 0.09),
        box(size * 0.72, -size * 0.84, size * 0.34, size * 1.68, "#3a3f4a", rx=size * 0.12),
        poly([(size * 1.02, -size * 0.56), (size * 2.9, -size * 0.3), (size * 2.9, size * 0.3),
              (size * 1.02, size * 0.56)], "#2b2f38"),
    ]  # fmt: skip
    return (
        oval(foot[0], foot[1], size * 2.0, size * 0.5, "#23262e")
        + stroke(pole, "#23262e", size * 0.42)
        + stroke(pole, "#7b8391", size * 0.16)
        + group(*grille, transform=Frame(tx, ty, angle).transform)
    )


def open_book(x: float, y: float, width: float, cover: str) -> str:
    """Return an open book, its pages up, whose fold's near end is at (x, y)."""
    w, h = width / 2, width * 0.36
    pages, lines, covers = [], [], []
    for s in (-1, 1):
        covers.append(
            f"M{num(x)} {num(y + 8)}L{num(x + s * w * 1.08)} {num(y - h * 0.16)}"
            f"L{num(x + s * w * 0.98)} {num(y - h * 1.24)}L{num(x)} {num(y - h * 0.98)}Z"
        )
        page = (
            f"M{num(x)} {num(y)}Q{num(x + s * w * 0.5)} {num(y - h * 0.42)} {num(x + s * w)} "
            f"{num(y - h * 0.22)}L{num(x + s * w * 0.92)} {num(y - h * 1.22)}"
            f"Q{num(x + s * w * 0.46)} {num(y - h * 1.42)} {num(x)} {num(y - h)}Z"
        )
        pages.append(page)
        for k in range(4):
            t = 0.2 + k * 0.2
            x0, x1 = x + s * w * 0.16, x + s * w * (0.84 - 0.03 * k)
            y0, y1 = y - h * (t + 0.14), y - h * (t + 0.26)
            lines.append(
                f"M{num(x0)} {num(y0)}Q{num((x0 + x1) / 2)} {num(y1 - h * 0.12)} {num(x1)} "
                f"{num(y1 + h * 0.02)}"
            )
    return (
        group(*(path(d) for d in covers), fill=cover, stroke=shade(cover, -0.4), stroke_width=4,
              stroke_linejoin="round")
        + group(*(path(d) for d in pages), fill="#fffdf4", stroke="#b5a88c", stroke_width=2)
        + stroke("".join(lines), "#8b93a3", width * 0.016)
        + stroke(f"M{num(x)} {num(y)}V{num(y - h)}", "#b5a88c", 2.5)
    )  # fmt: skip


def tumbler(
    picture: Picture, x: float, y: float, width: float, height: float, juice: str, mouth: Point
) -> str:
    """Return a glass of juice whose foot is at (x, y), with a straw that ends at `mouth`."""
    w, h = width / 2, height
    outline = [(x - w, y - h), (x + w, y - h), (x + w * 0.74, y), (x - w * 0.74, y)]
    level = y - h * 0.78
    wl = w * (0.74 + 0.26 * 0.78) - 3
    drink = [(x - wl, level), (x + wl, level), (x + w * 0.72 - 2, y - 5), (x - w * 0.72 + 2, y - 5)]
    fill = gradient(picture, (0, shade(juice, 0.25)), (1, shade(juice, -0.08)))
    bend = (lerp((x, y - h), mouth, 0.5)[0], lerp((x, y - h), mouth, 0.45)[1])
    start = (x + (x - mouth[0]) * 0.15, y - h * 0.3)
    straw = (
        f"M{num(start[0])} {num(start[1])}L{num(bend[0])} {num(bend[1])}"
        f"L{num(mouth[0])} {num(mouth[1])}"
    )
    cubes = [
        group(box(-w * 0.24, -w * 0.24, w * 0.48, w * 0.48, "#ffffff", fill_opacity=0.6, rx=3),
              transform=Frame(x + dx * w, level + dy * w, a).transform)
        for dx, dy, a in ((-0.4, 0.34, 14), (0.34, 0.5, -20))
    ]  # fmt: skip
    return "".join(
        [
            poly(outline, "#f3fbff", fill_opacity=0.8),
            poly(drink, fill),
            oval(x, level, wl, w * 0.13, shade(juice, 0.4)),
            *cubes,
            stroke(straw, "#ffffff", width * 0.13),
            path(straw, fill="none", stroke="#e8434f", stroke_width=width * 0.13,
                 stroke_dasharray=f"{num(width * 0.11)} {num(width * 0.11)}"),
            poly(outline, "none", stroke="#6f95ab", stroke_width=4, stroke_linejoin="round"),
            stroke(f"M{num(x - w * 0.66)} {num(y - h * 0.66)}L{num(x - w * 0.54)} "
                   f"{num(y - h * 0.2)}", "#ffffff", width * 0.06),
        ]
    )  # fmt: skip


def fork(hand: Point, tip: Point, size: float, morsel: str) -> str:
    """Return a fork held in a hand, a morsel on its end at `tip`."""
    dx, dy = tip[0] - hand[0], tip[1] - hand[1]
    length = max(1.0, math.hypot(dx, dy))
    angle = math.degrees(math.atan2(dy, dx)) + 90
    s = size
    shaft = f"M0 {num(s * 1.2)}V{num(-length + s * 1.1)}"
    prongs = f"M{num(-s * 0.5)} {num(-length)}V{num(-length + s * 0.7)}"
    prongs += f"Q0 {num(-length + s * 1.6)} {num(s * 0.5)} {num(-length + s * 0.7)}"
    prongs += f"V{num(-length)}M0 {num(-length)}V{num(-length + s)}"
    both = shaft + prongs
    return group(
        stroke(both, "#5d6570", s * 0.46),
        stroke(both, "#dfe5ec", s * 0.24),
        oval(0, -length, s * 0.95, s * 0.8, morsel, stroke=shade(morsel, -0.4), stroke_width=2.5),
        transform=Frame(hand[0], hand[1], angle).transform,
    )


def feathered_wing(at: Point, scale: float, facing: int, angle: float, dark: float) -> str:
    """Return a white wing, spread upwards and back from its root."""
    edge = "#7f93b8"
    white = shade("#ffffff", -dark)
    rows = []
    for k, (length, turn) in enumerate(((150, -62), (158, -47), (150, -32), (132, -17), (104, 0))):
        feather = smooth_d([(0, -13), (length * 0.6, -17), (length, -5), (length * 0.94, 9),
                            (length * 0.5, 14), (0, 13)])  # fmt: skip
        tint = shade(white, -0.02 * k)
        piece = solid(None, [feather], tint, edge, 2.6)
        rows.append(group(piece, transform=f"rotate({turn - 104})"))
    cover = smooth_d([(16, 8), (14, -30), (-8, -74), (-40, -88), (-62, -62), (-58, -24), (-26, 10)])
    rows.append(solid(None, [cover], shade(white, -0.03), edge, 2.6))
    rows.append(stroke("M-46 -66Q-40 -52 -30 -48M-34 -42Q-26 -30 -16 -28", edge, 2.6))
    frame = Frame(at[0], at[1], angle, scale, facing < 0)
    return group(*rows, transform=frame.transform)


def cape(neck: Point, scale: float, facing: int, color: str) -> str:
    """Return a hero's cape streaming back and up from the neck."""
    shape = smooth_d(
        [(14, 6), (8, -18), (-50, -62), (-122, -74), (-190, -112), (-214, -84), (-196, -50),
         (-206, -18), (-140, -12), (-60, 2)]
    )  # fmt: skip
    folds = "M-10 -12Q-90 -40 -176 -72M-20 -2Q-100 -22 -186 -38"
    art = solid(None, [shape], color, shade(color, -0.45), 3) + stroke(
        folds, shade(color, -0.25), 4
    )
    return group(art, transform=Frame(neck[0], neck[1], 0, scale, facing < 0).transform)


def swim_ring(x: float, y: float, rx: float, ry: float, color: str, front: bool) -> str:
    """Return the far or near half of a striped ring lying on the water."""
    thick = ry * 0.8
    sweep = 0 if front else 1
    arc = f"M{num(x - rx)} {num(y)}A{num(rx)} {num(ry)} 0 0 {sweep} {num(x + rx)} {num(y)}"
    length = math.pi * (rx + ry) / 2
    return (
        stroke(arc, shade(color, -0.45), thick + 6)
        + stroke(arc, color, thick)
        + path(arc, fill="none", stroke="#ffffff", stroke_width=thick,
               stroke_dasharray=f"{num(length / 9)} {num(length / 9)}")
        + path(arc, fill="none", stroke="#ffffff", stroke_opacity=0.4, stroke_width=thick * 0.2,
               transform=f"translate(0 {num(-thick * 0.22)})")
    )  # fmt: skip


def goggles(eyes: tuple[Point, Point], r: float, color: str) -> str:
    """Return swimming goggles over two eyes."""
    (ax, ay), (bx, by) = eyes
    rims = ellipse_d(ax, ay, r * 1.5, r * 1.35) + ellipse_d(bx, by, r * 1.5, r * 1.35)
    return path(rims, fill="#9fe3ff", fill_opacity=0.35, stroke=color, stroke_width=r * 0.5)


def cushion(picture: Picture, x: float, y: float, width: float, color: str) -> str:
    """Return a big soft cushion whose top is about y."""
    w, h = width / 2, 62.0
    shape = smooth_d(
        [(x - w, y + 4), (x - w * 0.5, y - 8), (x + w * 0.5, y - 8), (x + w, y + 4),
         (x + w * 1.03, y + h * 0.5), (x + w, y + h), (x, y + h + 5), (x - w, y + h),
         (x - w * 1.03, y + h * 0.5)]
    )  # fmt: skip
    fill = gradient(picture, (0, shade(color, 0.2)), (1, shade(color, -0.2)))
    band = stroke(f"M{num(x - w)} {num(y + h * 0.5)}Q{num(x)} {num(y + h * 0.66)} {num(x + w)} "
                  f"{num(y + h * 0.5)}", shade(color, 0.45), 4)  # fmt: skip
    return solid(None, [shape], fill, shade(color, -0.5), 3) + band


def floor_lamp(picture: Picture, x: float, y: float, height: float, color: str) -> str:
    """Return a lit floor lamp standing at (x, y)."""
    top = y - height
    shadeless = [(x - 20, top - 42), (x + 20, top - 42), (x + 44, top + 8), (x - 44, top + 8)]
    fill = gradient(picture, (0, shade(color, 0.1)), (1, shade(color, 0.55)))
    return (
        oval(x, y, 34, 9, "#4b3b34")
        + stroke(f"M{num(x)} {num(y - 4)}V{num(top)}", "#4b3b34", 7)
        + poly(shadeless, fill, stroke=shade(color, -0.35), stroke_width=3, stroke_linejoin="round")
    )


def bib(neck: Point, scale: float, color: str) -> str:
    """Return a napkin tied around the neck."""
    x, y = neck
    s = scale
    cloth = smooth_d(
        [(x - 40 * s, y - 2 * s), (x, y + 8 * s), (x + 40 * s, y - 2 * s), (x + 36 * s, y + 40 * s),
         (x, y + 62 * s), (x - 36 * s, y + 40 * s)]
    )  # fmt: skip
    dots = "".join(
        ellipse_d(x + dx * s, y + dy * s, 3.6 * s)
        for dx, dy in ((-18, 20), (2, 28), (20, 18), (-6, 44))
    )
    return solid(None, [cloth], "#ffffff", shade(color, -0.3), 2.4) + path(dots, fill=color)


def steam(x: float, y: float, size: float, side: int, color: str = "#ffffff") -> str:
    """Return a jet of steam puffing outwards and up."""
    puffs = ((0.0, 0.0, 0.34), (0.62, -0.3, 0.46), (1.4, -0.5, 0.66), (1.0, -1.05, 0.5),
             (2.05, -1.1, 0.5))  # fmt: skip
    d = "".join(ellipse_d(x + side * px * size, y + py * size, r * size) for px, py, r in puffs)
    return solid(None, [d], color, "#b7a6ad", 2.4)


def anger_mark(x: float, y: float, size: float, color: str) -> str:
    """Return the comic sign of anger: four bent lines around a cross."""
    d = "".join(
        f"M{num(sx * size * 0.28)} {num(sy * size)}Q{num(sx * size * 0.3)} {num(sy * size * 0.3)} "
        f"{num(sx * size)} {num(sy * size * 0.28)}"
        for sx in (-1, 1)
        for sy in (-1, 1)
    )
    return group(stroke(d, color, size * 0.3), transform=Frame(x, y, 8).transform)


def tear_stream(eye: Point, r: float, side: int, length: float, color: str) -> str:
    """Return a stream of tears that falls from an eye, outwards."""
    x, y = eye[0], eye[1] + r * 0.7
    tube = Tube(
        ((x, y), (x + side * r * 0.9, y + length * 0.3), (x + side * r * 1.5, y + length * 0.68),
         (x + side * r * 1.5, y + length)),
        (r * 0.55, r * 0.62, r * 0.72, r * 0.85),
    )  # fmt: skip
    light = stroke(
        f"M{num(x - r * 0.1)} {num(y + r)}Q{num(x + side * r * 0.8)} {num(y + length * 0.4)} "
        f"{num(x + side * r * 1.3)} {num(y + length * 0.8)}", "#ffffff", r * 0.26,
    )  # fmt: skip
    return solid(None, [tube.d(7)], color, shade(color, -0.4), 2) + light
