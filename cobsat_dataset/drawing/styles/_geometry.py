"""Path data as points: what the hand-made styles need to redraw an outline in their own way."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ..svg import Shape, num

Point: TypeAlias = tuple[float, float]
Line: TypeAlias = list[Point]

_TOKEN = re.compile(r"[A-Za-z]|[-+]?(?:\d*\.\d+|\d+\.?)(?:[eE][-+]?\d+)?")
_ARITY = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


def flatten(d: str, steps: int = 12) -> list[Line]:
    """Return the subpaths of path data as polylines; a closed one ends where it began.

    Raises:
        ValueError: The data holds something that is not a path command.
    """
    tokens = _TOKEN.findall(d)
    lines: list[Line] = []
    here: Point = (0.0, 0.0)
    control: Point | None = None
    last, command, at = "", "", 0
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
        upper = command.upper()
        if upper not in _ARITY:
            raise ValueError(f"path data must begin with a command, got {tokens[at - 1]!r}")
        if upper == "Z":
            lines[-1].append(lines[-1][0])
            here = lines[-1][0]
            last = "Z"
            continue
        values = [float(t) for t in tokens[at : at + _ARITY[upper]]]
        at += _ARITY[upper]
        base = here if command.islower() else (0.0, 0.0)
        if upper == "M" or last == "Z":
            if upper == "M":
                here = (base[0] + values[0], base[1] + values[1])
            lines.append([here])
            if upper == "M":
                command = "l" if command == "m" else "L"
                last = "M"
                continue
        line = lines[-1]
        if upper in "LHV":
            if upper == "L":
                here = (base[0] + values[0], base[1] + values[1])
            elif upper == "H":
                here = (base[0] + values[0], here[1])
            else:
                here = (here[0], base[1] + values[0])
            line.append(here)
        elif upper == "A":
            end = (base[0] + values[5], base[1] + values[6])
            line.extend(_arc(here, end, values, steps * 2))
            here = end
        else:
            pairs = [
                (base[0] + values[i], base[1] + values[i + 1]) for i in range(0, len(values), 2)
            ]
            if upper in "ST":
                smooth = last in ("CS" if upper == "S" else "QT") and control is not None
                first = _mirror(control, here) if smooth and control else here
                pairs = [first, *pairs]
            line.extend(_bezier([here, *pairs], steps))
            control, here = pairs[-2], pairs[-1]
        last = upper
    return [line for line in lines if len(line) > 1]


def _mirror(point: Point, centre: Point) -> Point:
    return (2 * centre[0] - point[0], 2 * centre[1] - point[1])


def _bezier(points: Sequence[Point], steps: int) -> Line:
    degree = len(points) - 1
    weights = [math.comb(degree, k) for k in range(degree + 1)]
    line = []
    for i in range(1, steps + 1):
        t = i / steps
        basis = [w * (1 - t) ** (degree - k) * t**k for k, w in enumerate(weights)]
        x = sum(b * p[0] for b, p in zip(basis, points, strict=True))
        y = sum(b * p[1] for b, p in zip(basis, points, strict=True))
        line.append((x, y))
    return line


def _arc(start: Point, end: Point, values: Sequence[float], steps: int) -> Line:
    """Follow an elliptical arc (SVG 1.1, appendix F.6.5)."""
    rx, ry, turn = abs(values[0]), abs(values[1]), math.radians(values[2])
    if rx == 0 or ry == 0 or start == end:
        return [end]
    cos, sin = math.cos(turn), math.sin(turn)
    dx, dy = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    x, y = cos * dx + sin * dy, -sin * dx + cos * dy
    grow = math.sqrt(max(1.0, (x / rx) ** 2 + (y / ry) ** 2))
    rx, ry = rx * grow, ry * grow
    below = (rx * y) ** 2 + (ry * x) ** 2
    factor = math.sqrt(max(0.0, ((rx * ry) ** 2 - below) / below))
    if (values[3] != 0) == (values[4] != 0):
        factor = -factor
    cx, cy = factor * rx * y / ry, -factor * ry * x / rx
    first = math.atan2((y - cy) / ry, (x - cx) / rx)
    sweep = math.atan2((-y - cy) / ry, (-x - cx) / rx) - first
    if values[4] != 0 and sweep < 0:
        sweep += 2 * math.pi
    elif values[4] == 0 and sweep > 0:
        sweep -= 2 * math.pi
    mx, my = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    line = []
    for i in range(1, steps + 1):
        angle = first + sweep * i / steps
        u, v = rx * math.cos(angle) + cx, ry * math.sin(angle) + cy
        line.append((cos * u - sin * v + mx, sin * u + cos * v + my))
    return line


def line_d(points: Iterable[Point], closed: bool = False) -> str:
    """Return the path data of a polyline, one decimal a coordinate."""
    text = "L".join(f"{num(round(x, 1))} {num(round(y, 1))}" for x, y in points)
    return f"M{text}Z" if closed else f"M{text}"


def bounds(shape: Shape) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of the object, lines left aside."""
    filled = (part for part in shape.parts if part.role != "line")
    points = [p for part in filled for line in flatten(part.d) for p in line]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def resample(line: Sequence[Point], step: float) -> Line:
    """Return the polyline with points about `step` apart, corners kept."""
    out = [line[0]]
    for a, b in itertools.pairwise(line):
        length = math.dist(a, b)
        count = max(1, round(length / step))
        out.extend(
            (a[0] + (b[0] - a[0]) * i / count, a[1] + (b[1] - a[1]) * i / count)
            for i in range(1, count + 1)
        )
    return out


def thin(line: Sequence[Point], gap: float) -> Line:
    """Drop points that lie closer than `gap` to the last one kept."""
    out = [line[0]]
    for point in line[1:-1]:
        if math.dist(point, out[-1]) >= gap:
            out.append(point)
    out.append(line[-1])
    return out


def wobble(line: Sequence[Point], rng: random.Random, amount: float, step: float = 14.0) -> Line:
    """Return the polyline as an unsteady hand follows it, off by up to about `amount`."""
    points = thin(resample(line, step), step * 0.6)
    drift_x = drift_y = 0.0
    out = []
    for x, y in points:
        drift_x = drift_x * 0.6 + rng.gauss(0, amount * 0.5)
        drift_y = drift_y * 0.6 + rng.gauss(0, amount * 0.5)
        out.append((x + drift_x, y + drift_y))
    if line[0] == line[-1]:
        out[-1] = out[0]
    return out


def smooth_d(points: Sequence[Point], closed: bool = False) -> str:
    """Return path data of quadratic curves through the middles of a polyline's segments."""
    if len(points) < 3:
        return line_d(points)

    def text(p: Point) -> str:
        return f"{num(round(p[0], 1))} {num(round(p[1], 1))}"

    def middle(a: Point, b: Point) -> Point:
        return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)

    if closed:
        ring = list(points[:-1]) if points[0] == points[-1] else list(points)
        start = middle(ring[-1], ring[0])
        pieces = [f"M{text(start)}"]
        for i, point in enumerate(ring):
            pieces.append(f"Q{text(point)} {text(middle(point, ring[(i + 1) % len(ring)]))}")
        return "".join(pieces) + "Z"
    pieces = [f"M{text(points[0])}"]
    for a, b in itertools.pairwise(points):
        pieces.append(f"Q{text(a)} {text(middle(a, b))}")
    return "".join(pieces) + f"L{text(points[-1])}"


def inside(lines: Sequence[Line], x: float, y: float) -> bool:
    """Return whether a point lies within closed polylines (non-zero winding)."""
    winding = 0
    for line in lines:
        for (x0, y0), (x1, y1) in zip(line, [*line[1:], line[0]], strict=True):
            if (y0 <= y) != (y1 <= y):
                cross = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
                if cross > x:
                    winding += 1 if y1 > y0 else -1
    return winding != 0


def spans(lines: Sequence[Line], y: float) -> list[tuple[float, float]]:
    """Return the intervals of x that lie within closed polylines at one y."""
    crossings = []
    for line in lines:
        for (x0, y0), (x1, y1) in zip(line, [*line[1:], line[0]], strict=True):
            if (y0 <= y) != (y1 <= y):
                cross = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
                crossings.append((cross, 1 if y1 > y0 else -1))
    crossings.sort()
    out, winding, begin = [], 0, 0.0
    for x, turn in crossings:
        if winding == 0:
            begin = x
        winding += turn
        if winding == 0:
            out.append((begin, x))
    return out
