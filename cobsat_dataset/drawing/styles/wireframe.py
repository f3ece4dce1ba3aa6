"""Style wireframe: each object as a mesh of three dimensions, only its edges drawn.

A depth buffer tells which stretches of an edge the object itself hides; those are drawn faintly,
so that the mesh is seen through, as in a modelling program before rendering.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence

from ..svg import Picture, element, num, path
from ._meshes import MODELS, Mesh, Point3, spin
from ._scene import blend, sentence

# Turns about the upright axis (degrees) and tilts of the camera at which an object reads best.
_VIEWS = {
    "leaf": (6, 8), "hat": (10, 22), "cup": (-8, 24), "chair": (34, 18), "car": (26, 16),
    "box": (38, 30), "book": (10, 14), "ball": (0, 14), "bag": (22, 16), "apple": (12, 22),
}  # fmt: skip


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object as a mesh; return SVG and description."""
    back, ground, color, color_name, back_name = rng.choice(
        (
            ("#0d1526", "#1a2a4a", "#5fe3f5", "cyan", "navy"),
            ("#0b0f0e", "#12251c", "#6ef08a", "green", "black"),
            ("#17408c", "#0f2f6c", "#f2f7ff", "white", "blueprint-blue"),
            ("#15171c", "#2a2e38", "#f4f4f2", "white", "charcoal"),
            ("#141022", "#261d40", "#c9b6ff", "violet", "dark"),
        )
    )
    picture = Picture()
    fill = blend(picture, back, ground, x1=0, y1=0, x2=0, y2=1)
    picture.add(element("rect", width=512, height=512, fill=fill))
    turn, tilt = _VIEWS[object_]
    yaw = math.radians(turn + rng.uniform(-8, 8)) * rng.choice((-1, 1))
    pitch = math.radians(tilt + rng.uniform(-4, 4))
    size = rng.uniform(152, 168) * (1.14 if object_ in ("leaf", "hat") else 1.0)
    x, y = 256 + rng.uniform(-12, 12), 246 + rng.uniform(-10, 10)

    def camera(p: Point3) -> Point3:
        px, py, pz = spin(p, yaw)
        c, s = math.cos(pitch), math.sin(pitch)
        py, pz = py * c - pz * s, pz * c + py * s
        scale = size * 6 / (6 - pz)
        return (x + px * scale, y - py * scale, pz)

    mesh, strong = MODELS[object_](rng)
    seen = [tuple(camera(p) for p in face) for face in mesh]
    depth = _depths(seen)
    _floor(picture, camera, color)
    front, rear = _visible(_edges(seen), depth)
    bold, _ = _visible([[camera(p) for p in line] for line in strong], depth)
    picture.add(
        path(rear, fill="none", stroke=color, stroke_width=1, opacity=0.24),
        path(front, fill="none", stroke=color, stroke_width=1.7, stroke_linejoin="round"),
        path(bold, fill="none", stroke=color, stroke_width=3.6, stroke_linejoin="round"),
    )
    description = sentence(
        rng.choice(
            (
                f"a wireframe {object_}: only the {color_name} mesh lines of its model are drawn, "
                f"above a grid on {back_name}.",
                f"a {object_} as a wireframe of thin {color_name} lines stands on a perspective "
                f"grid against a {back_name} ground.",
                f"the {color_name} wireframe mesh of a {object_} is seen through, on a "
                f"{back_name} screen with a floor grid.",
            )
        )
    )
    return picture.svg(), description


_GROUND = -1.02


def _floor(picture: Picture, camera: Callable[[Point3], Point3], color: str) -> None:
    pieces = []
    for k in range(-4, 5):
        step = k * 0.75
        for a, b in (((step, -3.0), (step, 3.0)), ((-3.0, step), (3.0, step))):
            x0, y0, _ = camera((a[0], _GROUND, a[1]))
            x1, y1, _ = camera((b[0], _GROUND, b[1]))
            pieces.append(f"M{num(x0)} {num(y0)}L{num(x1)} {num(y1)}")
    picture.add(path("".join(pieces), fill="none", stroke=color, stroke_width=1, opacity=0.22))


_CELL = 4
_CELLS = 512 // _CELL


def _depths(mesh: Mesh) -> list[list[float]]:
    """Return the nearest z of the mesh in each cell of the picture, rows first."""
    depth = [[-9.0] * _CELLS for _ in range(_CELLS)]
    for face in mesh:
        for k in range(1, len(face) - 1):
            _cover(depth, face[0], face[k], face[k + 1])
    return depth


def _cover(depth: list[list[float]], a: Point3, b: Point3, c: Point3) -> None:
    area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    if abs(area) < 0.01:
        return
    xs, ys = (a[0], b[0], c[0]), (a[1], b[1], c[1])
    for row in range(max(0, int(min(ys) / _CELL)), min(_CELLS - 1, int(max(ys) / _CELL)) + 1):
        y = (row + 0.5) * _CELL
        for column in range(
            max(0, int(min(xs) / _CELL)), min(_CELLS - 1, int(max(xs) / _CELL)) + 1
        ):
            x = (column + 0.5) * _CELL
            u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area
            v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area
            if u >= 0 and v >= 0 and u + v <= 1:
                z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
                if z > depth[row][column]:
                    depth[row][column] = z


def _edges(mesh: Mesh) -> list[Sequence[Point3]]:
    """Return every edge of the mesh once."""
    found: dict[tuple[tuple[float, float], tuple[float, float]], Sequence[Point3]] = {}
    for face in mesh:
        for a, b in zip(face, [*face[1:], face[0]], strict=True):
            ends = (round(a[0], 1), round(a[1], 1)), (round(b[0], 1), round(b[1], 1))
            if ends[0] != ends[1]:
                found[ends if ends[0] < ends[1] else (ends[1], ends[0])] = (a, b)
    return list(found.values())


def _visible(lines: list[Sequence[Point3]], depth: list[list[float]]) -> tuple[str, str]:
    """Return path data of the stretches in front and of those behind the mesh."""
    pieces: dict[bool, list[str]] = {True: [], False: []}
    for line in lines:
        last: bool | None = None
        for a, b in itertools.pairwise(line):
            count = max(1, round(math.dist(a[:2], b[:2]) / 12))
            for k in range(count):
                p, q = _between(a, b, k / count), _between(a, b, (k + 1) / count)
                shown = _in_front(_between(p, q, 0.5), depth)
                if shown is not last:
                    pieces[shown].append(f"M{_at(p)}")
                elif k > 0:  # the same straight stretch goes on: move its end
                    pieces[shown].pop()
                pieces[shown].append(f"L{_at(q)}")
                last = shown
    return "".join(pieces[True]), "".join(pieces[False])


def _at(p: Point3) -> str:
    return f"{num(round(p[0], 1))} {num(round(p[1], 1))}"


def _between(a: Point3, b: Point3, t: float) -> Point3:
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def _in_front(p: Point3, depth: list[list[float]]) -> bool:
    column, row = int(p[0] / _CELL), int(p[1] / _CELL)
    around = [
        depth[j][i]
        for j in (row - 1, row, row + 1)
        for i in (column - 1, column, column + 1)
        if 0 <= i < _CELLS and 0 <= j < _CELLS
    ]
    # The least of the nine cells around: an edge on a slope or a rim is not hidden by its own face.
    return p[2] >= min(around, default=-9.0) - 0.05
