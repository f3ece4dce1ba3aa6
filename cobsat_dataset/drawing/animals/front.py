"""The nine four-legged animals upright, seen from the front: sitting, or standing on two legs."""

from __future__ import annotations

import random
from typing import Final

from ..svg import Picture, ellipse_d, group, path, shade
from .coats import BUILDS, Coat, build_of, coat_of
from .curves import Frame, Point, Tube, smooth_d
from .face import Mood
from .head import wool_d
from .heads import HEADS
from .layers import Anchors, Layers, box_of
from .markings import limb_marks
from .paint import solid, stroke, tone
from .tails import tail

# Elbow and hand of the right arm, relative to its shoulder; the left is its mirror image.
_ARMS: Final[dict[str, tuple[Point, Point]]] = {
    "down": ((8.0, 50.0), (-8.0, 96.0)),
    "hold": ((26.0, 42.0), (2.0, 62.0)),
    "raise": ((34.0, 34.0), (30.0, -8.0)),
    "dine": ((34.0, 44.0), (46.0, 20.0)),
    "fists": ((40.0, 38.0), (22.0, 74.0)),
}


def upright(
    picture: Picture, name: str, rng: random.Random, pose: str, mood: Mood, arms: str
) -> Layers:
    """Draw an animal from the front; its arms are the front layer."""
    coat, build = coat_of(name, rng), build_of(name, rng)
    stout = (build.girth[2] / 40) ** 0.6
    lift = 46.0 if pose == "stand" else 0.0
    w, top, bottom = 50 * stout, -150.0 - lift, -8.0 - lift
    torso = smooth_d(
        [(0, top - 8), (w * 0.62, top + 6), (w * 0.86, top + 44), (w * 1.14, bottom - 36),
         (w * 0.84, bottom), (0, bottom + 6), (-w * 0.84, bottom), (-w * 1.14, bottom - 36),
         (-w * 0.86, top + 44), (-w * 0.62, top + 6)]
    )  # fmt: skip
    fill = tone(picture, coat.base, top - 20, bottom + 40)
    limb = fill if coat.limb == coat.base else coat.limb
    limb_line = coat.line if coat.limb == coat.base else shade(coat.limb, -0.4)
    parts: list[str] = []
    # The tail leaves at the right hip: drawn facing the other way.
    tail_svg, tail_points = tail(picture, name, coat, (0, 0), "front", rng)
    tail_frame = Frame(w * 0.9, -34 - lift, 0, 1.0, True)
    parts.append(group(tail_svg, transform=tail_frame.transform))
    legs, feet = _legs(build.leg[1] * 1.25, w, lift)
    for tube, foot in zip(legs, feet, strict=True):
        parts.append(
            solid(picture, [tube.d(6)], limb, limb_line, overlays=limb_marks(name, coat, tube))
        )
        parts.append(_foot(picture, coat, build.foot, foot))
    overlays = _torso_marks(name, coat, w, top, bottom)
    if name == "sheep":
        parts.append(_wool(picture, coat, fill, w, top, bottom))
    else:
        parts.append(solid(picture, [torso], fill, coat.line, overlays=overlays))
    if name == "cow":
        parts.append(solid(picture, [ellipse_d(0, bottom - 8, 22, 12)], coat.skin,
                           shade(coat.skin, -0.4), 2))  # fmt: skip
    head = HEADS[name](picture, coat, mood, 0.12, rng)
    size = build.head * 1.12
    frame = Frame(0, top - head.chin * size * 0.62, rng.uniform(-4, 4), size)
    if name == "dog":
        parts.append(_collar(picture, w, top))
    parts.append(group(head.svg, transform=frame.transform))
    front, hand_layer, hands = _arms(
        picture, name, coat, build.leg[1] * 1.15, w, top, arms, limb, limb_line
    )
    points = [(s * w * 1.2, y) for s in (-1, 1) for y in (top, 0.0)]
    points += [tail_frame.map(p) for p in tail_points] + list(hands)
    points += [(f[0] + s * 24, 0.0) for f in feet for s in (-1, 1)]
    points += [frame.map((sx * head.half_width, sy)) for sx in (-1, 1)
               for sy in (head.top, head.chin)]  # fmt: skip
    anchors = Anchors(
        mouth=frame.map(head.mouth),
        eyes=(frame.map(head.eyes[0]), frame.map(head.eyes[1])),
        eye_radius=head.eye_radius * size,
        ears=(frame.map(head.ears[0]), frame.map(head.ears[1])),
        hands=hands,
        feet=tuple(feet),
        back=(0, top + 30),
        neck=(0, top),
        head=frame.map((0, 0)),
        head_radius=head.half_width * size,
        head_top=frame.map((0, head.top)),
        box=box_of(points),
        note=coat.note,
    )
    return Layers("".join(parts), front, hand_layer, anchors)


def _legs(width: float, w: float, lift: float) -> tuple[list[Tube], list[Point]]:
    """Return two legs and where their feet are."""
    tubes, feet = [], []
    for side in (-1, 1):
        if lift:
            foot = (side * w * 0.58, -7.0)
            spine = ((side * w * 0.5, -lift - 22), (side * w * 0.56, -lift * 0.6), foot)
            tubes.append(Tube(spine, (width * 1.7, width * 1.25, width)))
        else:
            foot = (side * w * 1.22, -10.0)
            spine = ((side * w * 0.72, -34.0), (side * w * 1.06, -30.0), foot)
            tubes.append(Tube(spine, (width * 1.9, width * 1.7, width)))
        feet.append(foot)
    return tubes, feet


def _foot(picture: Picture, coat: Coat, kind: str, at: Point) -> str:
    """Return one foot, seen from the front."""
    x, y = at
    if kind == "hoof":
        d = f"M{x - 14:.1f} {y - 10:.1f}L{x + 14:.1f} {y - 10:.1f}L{x + 19:.1f} 0L{x - 19:.1f} 0Z"
        split = stroke(f"M{x:.1f} {y - 2:.1f}L{x:.1f} 0", shade(coat.foot, -0.5), 2)
        return solid(picture, [d], coat.foot, shade(coat.foot, -0.4), 2.4) + split
    toes = "".join(f"M{x + dx:.1f} {y + 2:.1f}L{x + dx * 1.1:.1f} -1" for dx in (-7, 7))
    paw = solid(picture, [ellipse_d(x, y - 1, 21, 12)], coat.foot, coat.line, 2.6)
    return paw + stroke(toes, coat.line, 2)


def _arms(
    picture: Picture, name: str, coat: Coat, width: float, w: float, top: float, arms: str,
    fill: str, line: str,
) -> tuple[str, str, tuple[Point, Point]]:  # fmt: skip
    """Return both arms, their hands, and where these are."""
    (ex, ey), (hx, hy) = _ARMS[arms]
    kind = BUILDS[name].foot
    out: list[str] = []
    top_layer: list[str] = []
    hands: list[Point] = []
    for side in (-1, 1):
        shoulder = (side * w * 0.74, top + 26)
        elbow = (shoulder[0] + side * ex, shoulder[1] + ey)
        hand = (shoulder[0] + side * hx, shoulder[1] + hy)
        tube = Tube((shoulder, elbow, hand), (width * 1.35, width * 1.15, width))
        out.append(solid(picture, [tube.d(7)], fill, line, overlays=limb_marks(name, coat, tube)))
        if kind == "hoof":
            top_layer.append(solid(picture, [ellipse_d(*hand, 14, 12)], coat.foot,
                             shade(coat.foot, -0.4), 2.4))  # fmt: skip
        else:
            x, y = hand
            toes = "".join(f"M{x + dx:.1f} {y + 3:.1f}L{x + dx:.1f} {y + 11:.1f}" for dx in (-5, 5))
            top_layer.append(solid(picture, [ellipse_d(x, y, 16, 14)], coat.foot, line, 2.6))
            top_layer.append(stroke(toes, line, 2))
        hands.append(hand)
    return "".join(out), "".join(top_layer), (hands[0], hands[1])


def _torso_marks(name: str, coat: Coat, w: float, top: float, bottom: float) -> list[str]:
    """Return what is painted on the torso, to be clipped to it."""
    h = bottom - top
    belly = path(ellipse_d(0, bottom - h * 0.36, w * 0.66, h * 0.44), fill=coat.light)
    if name in ("zebra", "tiger"):
        reach, rows = (0.12, 7) if name == "zebra" else (0.5, 6)
        d = []
        for i in range(rows):
            y = top + 14 + i * (h - 10) / rows
            half = 6.5 if name == "zebra" else 6
            for s in (-1, 1):
                d.append(
                    f"M{s * w * 1.4:.1f} {y - half:.1f}L{s * w * reach:.1f} {y + 8:.1f}"
                    f"L{s * w * 1.4:.1f} {y + half:.1f}Z"
                )
        stripes = path("".join(d), fill=coat.mark)
        return [stripes] if name == "zebra" else [belly, stripes]
    if name == "cow":
        spots = (
            ellipse_d(-w * 0.75, top + h * 0.34, w * 0.52, h * 0.2)
            + ellipse_d(w * 0.9, top + h * 0.72, w * 0.5, h * 0.24)
            + ellipse_d(w * 0.5, top + 6, w * 0.4, h * 0.12)
        )
        return [path(spots, fill=coat.mark)]
    if name == "dog" and coat.note != "tan":
        return [path(ellipse_d(-w * 0.95, bottom - h * 0.3, w * 0.55, h * 0.28), fill=coat.mark)]
    if name == "pig":
        return [
            path(ellipse_d(0, bottom - h * 0.36, w * 0.66, h * 0.42), fill=shade(coat.base, 0.3))
        ]
    return [belly]


def _wool(picture: Picture, coat: Coat, fill: str, w: float, top: float, bottom: float) -> str:
    """Return a sheep's woolly torso."""
    cy, ry = (top + bottom) / 2 + 4, (bottom - top) / 2 - 2
    curls = "".join(
        f"M{x - 8:.1f} {cy + y:.1f}A8 8 0 0 0 {x + 8:.1f} {cy + y:.1f}"
        for x, y in ((-24, -34), (16, -30), (-34, -2), (2, 2), (36, -4), (-18, 32), (22, 30))
    )
    lines = stroke(curls, shade(coat.base, -0.2), 3)
    return solid(picture, [wool_d(0, cy, w * 0.98, ry, 14, 19)], fill, coat.line, overlays=[lines])


def _collar(picture: Picture, w: float, top: float) -> str:
    """Return a dog's red collar with its tag, seen from the front."""
    band = Tube(((-w * 0.62, top + 6), (0, top + 22), (w * 0.62, top + 6)), (6, 7, 6))
    return solid(picture, [band.d(7)], "#d8343c", "#8d1d26", 2) + solid(
        picture, [ellipse_d(0, top + 36, 8)], "#f6c945", "#9c7415", 2
    )
