"""The nine four-legged animals from the side: walking, running, swimming, flying, asleep."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Final

from ..svg import Picture, ellipse_d, group, path, shade
from .coats import Build, Coat, build_of, coat_of
from .curves import Frame, Point, Tube, lerp, smooth_d
from .face import Mood
from .heads import HEADS
from .layers import Anchors, Layers, box_of
from .lying import lying
from .markings import belly_marks, body_marks, limb_marks
from .paint import solid, stroke, tone
from .tails import tail
from .wear import collar, fleece, upright_mane

# Where each foot is, relative to below its hip: (forward, lift) as fractions of the leg's length;
# near fore, far fore, near hind, far hind.
_STEPS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "walk": ((0.16, 0.0), (-0.2, 0.0), (-0.22, 0.0), (0.14, 0.0)),
    "run": ((0.92, 0.42), (0.66, 0.3), (-0.95, 0.34), (-0.7, 0.2)),
    "swim": ((0.62, 0.3), (-0.1, 0.08), (-0.55, 0.14), (-0.2, 0.02)),
    "fly": ((1.0, 0.78), (0.86, 0.56), (-1.08, 0.8), (-0.95, 0.6)),
}
_LIFT: Final = {"walk": 0.0, "run": 22.0, "swim": 0.0, "fly": 10.0}
_PITCH: Final = {"walk": 0.0, "run": -5.0, "swim": -4.0, "fly": -8.0}


def foot_d(kind: str, at: Point, angle: float, width: float) -> str:
    """Return a foot's outline; `angle` 0 stands flat on the ground."""
    frame = Frame(at[0], at[1], angle, width)
    if kind == "hoof":
        shape = [(-1.05, -1.25), (1.05, -1.25), (1.4, 0.0), (-1.15, 0.0)]
        return "M" + "L".join(f"{p[0]:.1f} {p[1]:.1f}" for p in map(frame.map, shape)) + "Z"
    if kind == "hand":
        shape = [(-1.0, -0.9), (0.9, -1.1), (1.9, -0.55), (1.9, 0.0), (-0.7, 0.05)]
    else:
        shape = [(-1.0, -1.3), (0.8, -1.3), (1.75, -0.7), (1.75, 0.0), (-0.7, 0.1)]
    return smooth_d([frame.map(p) for p in shape])


@dataclass(frozen=True)
class _Leg:
    """One leg: its tube, where it ends, and its foot."""

    tube: Tube
    foot: Point
    angle: float
    width: float
    foot_d: str


def _leg_between(hip: Point, foot: Point, bend: float, build: Build, thick: float) -> _Leg:
    """Return a leg from hip to foot; `bend` moves the knee backwards (or forwards, if < 0)."""
    length = math.dist(hip, foot)
    knee = lerp(hip, foot, 0.52)
    knee = (
        knee[0] + (foot[1] - hip[1]) / length * bend,
        knee[1] - (foot[0] - hip[0]) / length * bend,
    )
    ankle = lerp(knee, foot, 0.66)
    top, low = build.leg[0] * thick, build.leg[1] * thick
    # A round end must not show below the foot.
    cap = low * (1.5 if build.foot == "hoof" else 1.0)
    end = lerp(foot, knee, cap / max(cap, math.dist(foot, knee)))
    angle = (math.degrees(math.atan2(foot[1] - knee[1], foot[0] - knee[0])) - 90) * 0.85
    width = low * 1.12 if low < 11.5 else low
    tube = Tube((hip, knee, ankle, end), (top * 1.25, top * 0.86, low, low))
    return _Leg(tube, foot, angle, width, foot_d(build.foot, foot, angle, width))


def quadruped(picture: Picture, name: str, rng: random.Random, pose: str, mood: Mood) -> Layers:
    """Draw an animal from the side."""
    coat, build = coat_of(name, rng), build_of(name, rng)
    if pose == "sleep":
        return lying(picture, name, coat, build, rng, mood)
    jitter = rng.uniform(-0.05, 0.05)
    x0, x1 = -build.half - 22, build.half - 22
    y = -build.height
    sag = {"run": -6.0, "fly": -2.0}.get(pose, 3.0)
    body = Tube(
        ((x0, y + 2), (lerp((x0, y), (x1, y), 0.36)[0], y), (x0 + 2 * build.half * 0.68, y + sag),
         (x1, y)),
        build.girth,
    )  # fmt: skip
    neck_dx, neck_dy, neck_w = build.neck
    reach = {"run": (1.12, 0.78), "fly": (1.1, 0.8), "swim": (1.0, 1.0)}.get(pose, (1.0, 1.0))
    head_at = (x1 + neck_dx * reach[0], y + neck_dy * reach[1] + 2)
    shoulder = (x1 - 8, y - 2)
    neck = Tube(
        (shoulder, lerp(shoulder, head_at, 0.5), lerp(shoulder, head_at, 0.95)),
        (neck_w * 1.25, neck_w * 1.02, neck_w * 0.9),
    )
    legs = []
    long = build.height - build.girth[3] * 0.25
    for index, (forward, lift) in enumerate(_STEPS[pose]):
        fore, near = index < 2, index % 2 == 0
        hip_x = (x1 - 6 if fore else x0 + 12) + (0 if near else 9)
        hip = (hip_x, y + build.girth[3 if fore else 0] * (0.25 if near else 0.35))
        if pose == "fly":
            hip = (hip_x, y + build.girth[3 if fore else 0] * 0.3)
        foot = (hip_x + (forward + jitter) * long * 0.86, -lift * long - (0 if near else 5))
        bend = {"walk": 2.0, "run": 5.0}.get(pose, 6.0) * (-1 if fore else 1)
        legs.append(_leg_between(hip, foot, bend, build, 1.0 if near else 0.94))
    near_fore, far_fore, near_hind, far_hind = legs
    fill = tone(picture, coat.base, y - build.girth[1] - 20, 0)
    far = tone(picture, shade(coat.base, -0.2), y - build.girth[1], 10)
    limb_fill, far_limb = fill, far
    if coat.limb != coat.base:
        limb_fill = tone(picture, coat.limb, y, 0)
        far_limb = tone(picture, shade(coat.limb, -0.25), y, 0)
    parts: list[str] = []
    tail_svg, tail_points = tail(
        picture, name, coat, (x0 - build.girth[0] * 0.82, y - 6), pose, rng
    )
    parts.append(tail_svg)
    for leg in (far_hind, far_fore):
        parts.append(_leg(picture, name, coat, build, leg, far_limb, shade(coat.foot, -0.22)))
    if name == "cow":
        udder = (x0 + 42, y + build.girth[1] * 0.92)
        teats = [ellipse_d(udder[0] + dx, udder[1] + 14, 3.5, 8) for dx in (-9, 9)]
        parts.append(solid(picture, [ellipse_d(*udder, 25, 17), *teats], coat.skin,
                           shade(coat.skin, -0.4), 2.4))  # fmt: skip
    close = (near_hind, near_fore)
    belly = belly_marks(name, coat, body)
    marks = body_marks(name, coat, body, neck, rng)
    if name == "sheep":
        for leg in close:
            parts.append(_leg(picture, name, coat, build, leg, limb_fill, coat.foot))
        parts.append(fleece(picture, coat, body, neck, fill, rng))
    else:
        feet = [] if build.foot == "hoof" else [leg.foot_d for leg in close]
        if belly:
            belly.extend(path(leg.tube.d(7), fill=fill) for leg in close)
        for leg in close:
            marks.extend(limb_marks(name, coat, leg.tube))
        marks.extend(path(d, fill=coat.foot) for d in feet)
        outlines = [body.d(10), neck.d(6), *(leg.tube.d(7) for leg in close), *feet]
        parts.append(solid(picture, outlines, fill, coat.line, overlays=belly + marks))
        parts.append(_feet(picture, coat, build, close))
        for leg in close:
            a, b = leg.tube.at(0.1, 1.0), leg.tube.at(0.42, 1.0)
            parts.append(stroke(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}",
                                coat.line, 1.6))  # fmt: skip
    head = HEADS[name](picture, coat, mood, 0.9, rng)
    frame = Frame(head_at[0], head_at[1], 4.0 + rng.uniform(-3, 3), build.head)
    if name == "zebra":
        parts.insert(1, upright_mane(picture, coat, neck))
    if name == "dog":
        parts.append(collar(picture, neck.at(0.42, 1.05), neck.at(0.42, -1.05)))
    parts.append(group(head.svg, transform=frame.transform))
    pitch = Frame(0, -_LIFT[pose], _PITCH[pose])
    points = [*body.outline(), *tail_points, *(leg.tube.at(1.0) for leg in legs)]
    points += [leg.foot for leg in legs]
    points += [frame.map((sx * head.half_width, sy)) for sx in (-1, 1)
               for sy in (head.top, head.chin)]  # fmt: skip
    anchors = Anchors(
        mouth=frame.map(head.mouth),
        eyes=(frame.map(head.eyes[0]), frame.map(head.eyes[1])),
        eye_radius=head.eye_radius * build.head,
        ears=(frame.map(head.ears[0]), frame.map(head.ears[1])),
        hands=(near_fore.foot, far_fore.foot),
        feet=tuple(leg.foot for leg in legs),
        back=body.at(0.6, 0.95),
        neck=neck.at(0.5),
        head=frame.map((0, 0)),
        head_radius=head.half_width * build.head,
        head_top=frame.map((0, head.top)),
        box=box_of(points),
        note=coat.note,
    )
    svg = group(*parts, transform=pitch.transform) if _PITCH[pose] else "".join(parts)
    return Layers(svg, "", "", anchors.mapped(pitch))


def _leg(
    picture: Picture, name: str, coat: Coat, build: Build, leg: _Leg, fill: str, foot: str
) -> str:
    """Return one leg with its foot, on its own."""
    line = coat.line if coat.limb == coat.base else shade(coat.limb, -0.4)
    outlines = [leg.tube.d(7)] + ([] if build.foot == "hoof" else [leg.foot_d])
    marks = limb_marks(name, coat, leg.tube)
    if build.foot != "hoof":
        marks.append(path(leg.foot_d, fill=foot))
    svg = solid(picture, outlines, fill, line, overlays=marks)
    if build.foot == "hoof":
        svg += solid(picture, [leg.foot_d], foot, shade(foot, -0.4), 2)
    return svg


def _feet(picture: Picture, coat: Coat, build: Build, legs: tuple[_Leg, ...]) -> str:
    """Return hooves over the legs, or lines between toes."""
    out = []
    for leg in legs:
        if build.foot == "hoof":
            out.append(solid(picture, [leg.foot_d], coat.foot, shade(coat.foot, -0.4), 2))
        else:
            frame = Frame(leg.foot[0], leg.foot[1], leg.angle, leg.width)
            for x in (0.55, 1.15):
                a, b = frame.map((x, -0.65)), frame.map((x + 0.08, -0.02))
                out.append(stroke(f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}", coat.line, 1.8))
    return "".join(out)
