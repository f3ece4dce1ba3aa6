"""The bird: a round songbird with wings, a fan of tail feathers, a beak and two thin legs."""

from __future__ import annotations

import random

from ..svg import Picture, element, ellipse_d, group, path, shade
from .coats import Coat, coat_of
from .curves import Frame, Point, smooth_d
from .face import Mood, eyes, flush
from .head import Head
from .layers import Anchors, Layers, box_of
from .paint import solid, stroke, tone


def bird(picture: Picture, rng: random.Random, pose: str, mood: Mood, arms: str) -> Layers:
    """Draw a bird; upright poses stand a little taller, and "fly" spreads both wings."""
    coat = coat_of("bird", rng)
    crest = rng.random() < 0.6
    lift, pitch = {
        "walk": (36.0, -10.0), "run": (58.0, 12.0), "swim": (0.0, -4.0), "fly": (60.0, 6.0),
        "sleep": (0.0, 2.0), "sit": (34.0, -34.0), "stand": (44.0, -36.0),
    }[pose]  # fmt: skip
    body_frame = Frame(0, -lift - 66, pitch)
    fill = tone(picture, coat.base, -76, 70)
    parts = [_tail(picture, coat)]
    raised = pose == "fly" or arms == "raise"
    if raised:
        parts.append(_wing_spread(picture, coat, Frame(20, -38, 16.0, 0.9), -0.16))
    torso = smooth_d(
        [(-84, 4), (-60, -34), (-8, -58), (52, -52), (82, -8), (62, 42), (10, 62), (-46, 42)]
    )
    belly = path(smooth_d([(92, -6), (72, -20), (30, 12), (-6, 34), (-30, 60), (40, 80), (90, 40)]),
                 fill=coat.light)  # fmt: skip
    parts.append(solid(picture, [torso], fill, coat.line, overlays=[belly]))
    head = _head(picture, coat, mood, crest)
    head_frame = Frame(58, -66, -pitch * 0.8 + rng.uniform(-3, 3), 1.06)
    if pose == "sleep":
        head_frame = Frame(50, -46, 12, 1.06)
    parts.append(group(head.svg, transform=head_frame.transform))
    wing: list[str] = []
    tip = (-74.0, 36.0)
    if raised:
        spread = Frame(-6, -30, -6.0, 1.0)
        wing.append(_wing_spread(picture, coat, spread, 0.0))
        tip = spread.map((-96, -120))
    elif arms in ("hold", "fists"):
        held = Frame(30, 2, -128.0 if arms == "hold" else -70.0, 0.86)
        wing.append(_wing_folded(picture, coat, held))
        tip = held.map((-98, 34))
    else:
        wing.append(_wing_folded(picture, coat, Frame(10, 0, 0.0, 1.0)))
    back = group(*parts, transform=body_frame.transform)
    front = group(*wing, transform=body_frame.transform)
    legs, feet = _legs(pose, lift, rng)
    if pose not in ("sleep", "swim"):
        back = legs + back
    m = body_frame.map

    def on_head(point: Point) -> Point:
        return m(head_frame.map(point))

    points = [m(p) for p in ((-150, -24), (-150, 30), (84, 0), (0, 64), tip)] + list(feet)
    points += [on_head(p) for p in ((-44, head.top), (44, head.top), (78, 10), (0, 42))]
    if raised:
        points += [m((-116, -190)), m((60, -150))]
    anchors = Anchors(
        mouth=on_head(head.mouth),
        eyes=(on_head(head.eyes[0]), on_head(head.eyes[1])),
        eye_radius=head.eye_radius * 1.06,
        ears=(on_head((-36, -20)), on_head((36, -26))),
        hands=(m(tip), m(tip)),
        feet=feet,
        back=m((-16, -50)),
        neck=m((48, -24)),
        head=on_head((0, 0)),
        head_radius=46.0,
        head_top=on_head((0, head.top)),
        box=box_of(points),
        note=coat.note,
    )
    return Layers(back, front, "", anchors)


def _tail(picture: Picture, coat: Coat) -> str:
    """Return a fan of tail feathers behind the body."""
    out = []
    for angle, color in ((-12, -0.12), (10, -0.05), (-1, 0.0)):
        feather = smooth_d([(-50, -10), (-100, -16), (-138, -12), (-146, 0), (-138, 12), (-100, 14),
                            (-50, 12)])  # fmt: skip
        frame = Frame(0, 6, angle)
        piece = solid(picture, [feather], shade(coat.mark, color), coat.line, 2.6)
        out.append(group(piece, transform=frame.transform))
    return "".join(out)


def _wing_folded(picture: Picture, coat: Coat, frame: Frame) -> str:
    """Return a wing laid along the body, its feathers layered."""
    wing = smooth_d([(34, -20), (10, -36), (-34, -28), (-74, 4), (-104, 36), (-62, 38), (-18, 34),
                     (24, 14)])  # fmt: skip
    rows = [
        stroke("M-92 30Q-62 24 -46 12M-62 34Q-36 28 -22 12M-30 34Q-6 26 2 12", coat.line, 2.6),
        path(smooth_d([(40, -26), (6, -44), (-40, -30), (-40, -8), (-6, 2), (34, 6)]),
             fill=shade(coat.mark, 0.2)),
    ]  # fmt: skip
    svg = solid(picture, [wing], coat.mark, coat.line, 2.8, overlays=rows[::-1])
    return group(svg, transform=frame.transform)


def _wing_spread(picture: Picture, coat: Coat, frame: Frame, dark: float) -> str:
    """Return a raised wing with separate long feathers."""
    wing = smooth_d(
        [(28, 8), (30, -40), (4, -104), (-36, -146), (-62, -158), (-58, -132), (-86, -138),
         (-78, -112), (-102, -110), (-88, -84), (-106, -74), (-84, -50), (-92, -34), (-56, -4),
         (-20, 14)]
    )  # fmt: skip
    inner = smooth_d([(28, 8), (30, -40), (8, -92), (-24, -110), (-48, -70), (-44, -30), (-16, 10)])
    overlays = [
        path(inner, fill=shade(coat.mark, 0.22 + dark)),
        stroke("M-26 -108L-52 -136M-44 -88L-76 -116M-50 -64L-86 -86M-46 -36L-78 -52",
               coat.line, 2.4),
    ]  # fmt: skip
    svg = solid(picture, [wing], shade(coat.mark, dark), coat.line, 2.8, overlays=overlays)
    return group(svg, transform=frame.transform)


def _legs(pose: str, lift: float, rng: random.Random) -> tuple[str, tuple[Point, Point]]:
    """Return two thin legs with three toes each, and where the feet are."""
    steps = {"run": ((58.0, -8.0), (-60.0, -22.0)), "fly": ((-36.0, -34.0), (-52.0, -30.0))}
    stand = ((18.0 + rng.uniform(-3, 3), 0.0), (-10.0 + rng.uniform(-3, 3), 0.0))
    feet = steps.get(pose, stand)
    out = []
    for (x, y), hip in zip(feet, (16.0, -12.0), strict=True):
        knee = ((x + hip) / 2 - 5, (y - lift - 8) / 2)
        d = (
            f"M{hip:.1f} {-lift - 12:.1f}L{knee[0]:.1f} {knee[1]:.1f}L{x:.1f} {y - 4:.1f}"
            f"M{x - 13:.1f} {y - 2:.1f}L{x:.1f} {y - 4:.1f}L{x + 20:.1f} {y - 2:.1f}"
            f"M{x:.1f} {y - 4:.1f}L{x + 14:.1f} {y - 10:.1f}"
        )
        out.append(stroke(d, "#8a4a12", 9) + stroke(d, "#f0992b", 5))
    return "".join(out), feet


def _head(picture: Picture, coat: Coat, mood: Mood, crest: bool) -> Head:
    """Return the head, turned three quarters to +x, its beak past its outline."""
    base = flush(coat.base, mood, 0.85)
    skull = ellipse_d(0, 0, 43, 41)
    cheek = path(ellipse_d(20, 22, 30, 22), fill=flush(coat.light, mood, 0.6))
    parts = []
    if crest:
        tuft = "M10 -40Q-22 -66 -60 -62Q-50 -54 -46 -46Q-56 -46 -64 -40Q-48 -32 -38 -14Z"
        parts.append(solid(picture, [tuft], coat.mark, coat.line, 2.6))
    parts.append(solid(picture, [skull], tone(picture, base, -44, 44), coat.line, overlays=[cheek]))
    left, right = (-1.0, -9.0), (27.0, -10.0)
    upper = "M16 4Q30 -12 46 0Q64 8 78 13Q54 21 18 19Z"
    lower = "M18 16Q40 22 62 16Q50 30 34 30Q20 28 18 16Z"
    gape = {"sing": 15.0, "chew": 9.0, "sad": 8.0, "angry": 9.0}.get(mood, 0.0)
    beak, edge = coat.foot, shade(coat.foot, -0.5)
    if gape:
        parts.append(path(f"M18 12L66 14L52 {24 + gape:.1f}L22 {24 + gape:.1f}Z", fill="#7a1526"))
        parts.append(element("ellipse", cx=36, cy=20 + gape * 0.6, rx=11, ry=gape * 0.4,
                             fill="#f2717f"))  # fmt: skip
    low = Frame(0, gape * 0.9, gape * 0.9)
    parts.append(group(solid(picture, [lower], shade(beak, -0.14), edge, 2.2),
                       transform=low.transform))  # fmt: skip
    up = Frame(0, 0, -gape * 0.8)
    parts.append(group(solid(picture, [upper], beak, edge, 2.4), transform=up.transform))
    parts.extend(eyes(left, right, 10.5, mood, lid=base))
    return Head("".join(parts), (60.0, 18.0 + gape * 0.5), (left, right), 10.5,
                ((-40.0, -6.0), (40.0, -8.0)), -66 if crest else -42, 42, 46)  # fmt: skip
