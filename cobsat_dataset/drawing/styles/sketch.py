"""Style sketch: a pencil drawing.

Every outline is drawn twice by an unsteady hand, shadow is hatched and cross-hatched, and the
construction lines that the drawing began with are still there.
"""

from __future__ import annotations

import math
import random

from ..svg import Part, Picture, Shape, element, num, path
from ._geometry import Line, Point, bounds, flatten, line_d, smooth_d, spans, wobble
from ._scene import blend, sentence, subject

_PAPERS = (("#f6f3ea", "cream"), ("#f4f4f2", "white"), ("#efece4", "off-white"))


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object in pencil; return SVG and description."""
    paper, paper_name = rng.choice(_PAPERS)
    shape = subject(object_, rng, 400, 370, (256, 250))
    ink = rng.choice(("#2e2e31", "#38383a", "#333130"))
    picture = Picture()
    fill = blend(picture, paper, "#e2dfd8", x1=0, y1=0, x2=0.5, y2=1)
    picture.add(element("rect", width=512, height=512, fill=fill))
    lean = rng.uniform(-62, -38)
    _construct(picture, shape, ink, rng)
    _ground(picture, shape, ink, rng)
    for part in shape.parts:
        _part(picture, shape, part, paper, ink, lean, rng)
    description = sentence(
        rng.choice(
            (
                f"a pencil sketch of a {object_} with hatched shadows and faint construction "
                f"lines on {paper_name} paper.",
                f"a {object_} in a rough graphite sketch, its outline drawn twice, on "
                f"{paper_name} paper.",
                f"someone's sketch shows a {object_} in grey pencil strokes with "
                f"cross-hatching, on {paper_name} paper.",
            )
        )
    )
    return picture.svg(), description


def _construct(picture: Picture, shape: Shape, ink: str, rng: random.Random) -> None:
    """Draw the frame, the axes and the ellipse that the drawing was begun with."""
    left, top, right, bottom = bounds(shape)
    over = rng.uniform(24, 40)
    x, y = (left + right) / 2, (top + bottom) / 2
    lines: list[Line] = [
        [(left - over, top), (right + over, top)],
        [(left - over, bottom), (right + over, bottom)],
        [(left, top - over), (left, bottom + over)],
        [(right, top - over), (right, bottom + over)],
        [(x, top - over), (x, bottom + over)],
        [(left - over, y), (right + over, y)],
        [(left, top), (right, bottom)],
        [(
            x + (right - left) / 2 * math.cos(t), y + (bottom - top) / 2 * math.sin(t)
        ) for t in (math.tau * k / 40 + 0.4 for k in range(42))],
    ]  # fmt: skip
    d = "".join(smooth_d(wobble(line, rng, 1.2, 40)) for line in lines)
    picture.add(path(d, fill="none", stroke=ink, stroke_width=1.1, opacity=0.3))


def _ground(picture: Picture, shape: Shape, ink: str, rng: random.Random) -> None:
    """Scribble the shadow that the object throws on the ground."""
    left, _, right, bottom = bounds(shape)
    width = right - left
    points: Line = []
    x = left - 0.04 * width
    while x < right + 0.06 * width:
        points += [(x, bottom - 8 + rng.uniform(-3, 3)), (x + 16, bottom + 12 + rng.uniform(-5, 5))]
        x += rng.uniform(7, 11)
    picture.add(
        path(line_d(points), fill="none", stroke=ink, stroke_width=1.8, opacity=0.5,
             stroke_linejoin="round")
    )  # fmt: skip


def _part(
    picture: Picture, shape: Shape, part: Part, paper: str, ink: str, lean: float,
    rng: random.Random,
) -> None:  # fmt: skip
    outline = flatten(part.d)
    if part.role == "line":
        d = "".join(smooth_d(wobble(line, rng, 1.0)) for line in outline)
        picture.add(path(d, fill="none", stroke=ink, stroke_width=1.8, opacity=0.75,
                         stroke_linecap="round"))  # fmt: skip
        return
    soft = part.name in ("shadow", "shine")
    if part.name == "shine":
        picture.add(path(part.d, fill=paper))
        return
    if not soft:
        picture.add(path(part.d, fill=paper))
    tone = part.shade if part.role == "main" else _lightness(part.fill) - 0.62
    strokes = []
    if tone < 0.12 and not soft:
        strokes.append(_hatch(outline, lean, 8.5, 0.0 if tone < -0.06 else 0.5, rng))
    if soft or tone < -0.13:
        strokes.append(_hatch(outline, lean + 8, 6.5, 0.0, rng))
    if tone < -0.24:
        strokes.append(_hatch(outline, lean + 74, 6.5, 0.0, rng))
    if tone < -0.42:
        strokes.append(_hatch(outline, lean + 35, 4.5, 0.0, rng))
    for d in strokes:
        picture.add(path(d, fill="none", stroke=ink, stroke_width=1.5, opacity=0.62,
                         stroke_linecap="round"))  # fmt: skip
    if soft:
        return
    for width, opacity, amount in ((3.0, 0.88, 0.9), (1.6, 0.7, 5.0)):
        d = "".join(_contour(line, amount, rng) for line in outline)
        picture.add(path(d, fill="none", stroke=ink, stroke_width=width, opacity=opacity,
                         stroke_linecap="round", stroke_linejoin="round"))  # fmt: skip


def _lightness(color: str) -> float:
    return sum(int(color[i : i + 2], 16) for i in (1, 3, 5)) / 765


def _contour(line: Line, amount: float, rng: random.Random) -> str:
    """Follow an outline by hand: corners stay corners, curves become a little uneven."""
    pieces, begin = [], 0
    for i in range(1, len(line) - 1):
        if _turn(line[i - 1], line[i], line[i + 1]) > 0.6:
            pieces.append(line[begin : i + 1])
            begin = i
    pieces.append(line[begin:])
    out = []
    for piece in pieces:
        hand = wobble(piece, rng, amount * 0.6, 22)
        if len(pieces) > 1 and len(hand) > 1 and math.dist(hand[0], hand[-1]) > 24:
            hand = [_beyond(hand[1], hand[0], rng), *hand[1:-1], _beyond(hand[-2], hand[-1], rng)]
        out.append(smooth_d(hand))
    return "".join(out)


def _turn(a: Point, b: Point, c: Point) -> float:
    first = math.atan2(b[1] - a[1], b[0] - a[0])
    second = math.atan2(c[1] - b[1], c[0] - b[0])
    return abs((second - first + math.pi) % math.tau - math.pi)


def _beyond(a: Point, b: Point, rng: random.Random) -> Point:
    """Return a point a little past `b`: a stroke overshoots its corner."""
    length = math.dist(a, b) or 1.0
    far = rng.uniform(0, 5) / length
    return (b[0] + (b[0] - a[0]) * far, b[1] + (b[1] - a[1]) * far)


def _hatch(outline: list[Line], angle: float, gap: float, skip: float, rng: random.Random) -> str:
    """Return parallel strokes inside an outline; `skip` leaves that share of each one's begin."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    turned = [[(x * c + y * s, y * c - x * s) for x, y in line] for line in outline]
    ys = [p[1] for line in turned for p in line]
    y, pieces = min(ys) + gap / 2, []
    while y < max(ys):
        for begin, end in spans(turned, y):
            from_ = begin + (end - begin) * skip * rng.uniform(0.75, 1.2)
            if skip == 0:
                from_ += rng.uniform(0, 3)
            to = end - rng.uniform(0, 3)
            if to - from_ < 3:
                continue
            y0, y1 = y + rng.uniform(-1, 1), y + rng.uniform(-1, 1)
            ends = [(from_ * c - y0 * s, from_ * s + y0 * c), (to * c - y1 * s, to * s + y1 * c)]
            pieces.append("M" + "L".join(f"{num(round(p[0]))} {num(round(p[1]))}" for p in ends))
        y += gap * rng.uniform(0.8, 1.2)
    return "".join(pieces)
