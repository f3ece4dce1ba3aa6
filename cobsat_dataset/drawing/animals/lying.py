"""The nine four-legged animals asleep, lying with the head on the front legs."""

from __future__ import annotations

import random

from ..svg import Picture, ellipse_d, group, path, shade
from .coats import Build, Coat
from .curves import Frame, Tube
from .face import Mood
from .heads import HEADS
from .layers import Anchors, Layers, box_of
from .markings import belly_marks, body_marks, limb_marks
from .paint import solid, stroke, tone
from .tails import tail
from .wear import collar, fleece, upright_mane


def lying(
    picture: Picture, name: str, coat: Coat, build: Build, rng: random.Random, mood: Mood
) -> Layers:
    """Draw an animal lying down, its head on its front legs."""
    a, b, c, d = build.girth
    x0, x1 = -build.half - 30, build.half - 34
    body = Tube(
        ((x0, -a * 0.98), (x0 * 0.45 + x1 * 0.3, -b * 1.02), (x1 - 28, -c * 0.9), (x1, -d * 0.8)),
        (a, b, c * 0.94, d * 0.86),
    )
    head = HEADS[name](picture, coat, mood, 0.5, rng)
    size = build.head
    rest = min(head.chin, 50.0)
    head_at = (x1 + build.neck[0] * 0.72 + 18, -rest * size - 8)
    neck = Tube(((x1 - 6, -d * 0.8), (head_at[0] - 6, head_at[1] + 6)), (d * 0.8, build.neck[2]))
    low = build.leg[1]
    fores = [
        Tube(((x1 - 4 + dx, -low - 6), (x1 + 44 + dx, -low), (x1 + 96 + dx, -low * 0.95)),
             (low * 1.4, low * 1.05, low))
        for dx in (14.0, 0.0)
    ]  # fmt: skip
    haunch = (x0 + 12, -a * 0.74)
    hind = Tube(
        ((x0 + 14, -low * 1.4), (x0 + 46, -low), (x0 + 82, -low * 0.95)),
        (low * 1.5, low * 1.1, low),
    )
    top = min(-2 * b, head_at[1] - 40)
    fill = tone(picture, coat.base, top, 0)
    limb_fill = fill if coat.limb == coat.base else tone(picture, coat.limb, -40, 0)
    limb_line = coat.line if coat.limb == coat.base else shade(coat.limb, -0.4)
    tail_svg, tail_points = tail(picture, name, coat, (x0 - a * 0.72, -a * 0.8), "sleep", rng)
    parts = [tail_svg]
    if name == "zebra":
        parts.append(upright_mane(picture, coat, neck))
    for limb in fores[:1]:
        parts.append(
            solid(picture, [limb.d(6)], shade(coat.limb, -0.18), limb_line,
                  overlays=limb_marks(name, coat, limb))
        )  # fmt: skip
    marks = belly_marks(name, coat, body) + body_marks(name, coat, body, neck, rng)
    front = fores[1]
    if name == "sheep":
        for limb in (hind, front):
            parts.append(solid(picture, [limb.d(6)], limb_fill, limb_line))
        parts.append(fleece(picture, coat, body, neck, fill, rng))
    else:
        for limb in (front, hind):
            marks.extend(limb_marks(name, coat, limb))
            marks.append(path(ellipse_d(*limb.at(1.0), 20, 16), fill=coat.foot))
        thigh = ellipse_d(*haunch, a * 0.82, a * 0.72)
        parts.append(
            solid(picture, [body.d(10), neck.d(5), front.d(6), hind.d(6), thigh], fill, coat.line,
                  overlays=marks)
        )  # fmt: skip
        bow = (haunch[0] + a * 0.5, haunch[1] - a * 0.6), (haunch[0] + a * 0.86, haunch[1] + 8)
        end = (haunch[0] + a * 0.55, -low * 2.2)
        parts.append(
            stroke(
                f"M{bow[0][0]:.1f} {bow[0][1]:.1f}Q{bow[1][0] + 4:.1f} {bow[1][1] - 16:.1f} "
                f"{end[0]:.1f} {end[1]:.1f}",
                coat.line,
                2.2,
            )
        )
    if build.foot == "hoof":
        for limb in (hind, front):
            parts.append(
                solid(picture, [limb.ring(0.84, 1.02)], coat.foot, shade(coat.foot, -0.4), 2)
            )
    if name == "dog":
        parts.append(collar(picture, neck.at(0.5, 1.0), neck.at(0.5, -1.0)))
    frame = Frame(head_at[0], head_at[1], 7.0 + rng.uniform(-3, 3), size)
    parts.append(group(head.svg, transform=frame.transform))
    points = [*body.outline(), *tail_points, front.at(1.0), fores[0].at(1.0), (x0, 0.0)]
    points += [frame.map((sx * head.half_width, sy)) for sx in (-1, 1)
               for sy in (head.top, head.chin)]  # fmt: skip
    anchors = Anchors(
        mouth=frame.map(head.mouth),
        eyes=(frame.map(head.eyes[0]), frame.map(head.eyes[1])),
        eye_radius=head.eye_radius * size,
        ears=(frame.map(head.ears[0]), frame.map(head.ears[1])),
        hands=(front.at(1.0), fores[0].at(1.0)),
        feet=(front.at(1.0), hind.at(1.0)),
        back=body.at(0.45, 0.95),
        neck=neck.at(0.5),
        head=frame.map((0, 0)),
        head_radius=head.half_width * size,
        head_top=frame.map((0, head.top)),
        box=box_of(points),
        note=coat.note,
    )
    return Layers("".join(parts), "", "", anchors)
