"""The ten objects as meshes of three dimensions, for the style wireframe.

Model space: x right, y up, z towards the viewer; an object stands on y = -1 and is about two
units high. A mesh is a list of faces, a model a mesh and the lines that are drawn strongly.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

Point3: TypeAlias = tuple[float, float, float]
Face: TypeAlias = tuple[Point3, ...]
Mesh: TypeAlias = list[Face]
Model: TypeAlias = tuple[Mesh, list[list[Point3]]]
Surface: TypeAlias = Callable[[float, float], Point3]


def _sheet(surface: Surface, columns: int, rows: int) -> Mesh:
    """Cut a surface over the unit square into quads."""
    grid = [[surface(i / columns, j / rows) for i in range(columns + 1)] for j in range(rows + 1)]
    return [
        (grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i])
        for j in range(rows)
        for i in range(columns)
    ]


def _revolve(profile: Sequence[tuple[float, float]], columns: int = 20) -> Mesh:
    """Turn a profile of (radius, height) about the upright axis; listed from top to bottom."""

    def surface(u: float, v: float) -> Point3:
        at = v * (len(profile) - 1)
        radius, height = profile[round(at)]
        return (radius * math.cos(math.tau * u), height, -radius * math.sin(math.tau * u))

    return _sheet(surface, columns, len(profile) - 1)


def _cuboid(low: Point3, high: Point3, cuts: tuple[int, int, int] = (2, 2, 2)) -> Mesh:
    """Cut the six sides of a box into quads."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    nx, ny, nz = cuts

    w, h, d = x1 - x0, y1 - y0, z1 - z0
    return [
        *_plane((x0, y1, z1), (w, 0, 0), (0, -h, 0), nx, ny),
        *_plane((x1, y1, z0), (-w, 0, 0), (0, -h, 0), nx, ny),
        *_plane((x0, y1, z0), (0, 0, d), (0, -h, 0), nz, ny),
        *_plane((x1, y1, z1), (0, 0, -d), (0, -h, 0), nz, ny),
        *_plane((x0, y1, z0), (w, 0, 0), (0, 0, d), nx, nz),
        *_plane((x0, y0, z1), (w, 0, 0), (0, 0, -d), nx, nz),
    ]


def _plane(origin: Point3, u: Point3, v: Point3, columns: int, rows: int) -> Mesh:
    """Cut a parallelogram into quads."""

    def surface(a: float, b: float) -> Point3:
        return (
            origin[0] + a * u[0] + b * v[0],
            origin[1] + a * u[1] + b * v[1],
            origin[2] + a * u[2] + b * v[2],
        )

    return _sheet(surface, columns, rows)


def _tube(spine: Sequence[Point3], radius: float, sides: int = 6) -> Mesh:
    """Put a tube about a curve that stays roughly in a plane of constant z."""

    def ring(index: int) -> list[Point3]:
        a = spine[max(0, index - 1)]
        b = spine[min(len(spine) - 1, index + 1)]
        dx, dy = b[0] - a[0], b[1] - a[1]
        length = math.hypot(dx, dy) or 1.0
        nx, ny = -dy / length, dx / length
        x, y, z = spine[index]
        out = []
        for k in range(sides):
            c, s = math.cos(math.tau * k / sides), math.sin(math.tau * k / sides)
            out.append((x + nx * c * radius, y + ny * c * radius, z + s * radius))
        return out

    rings = [ring(i) for i in range(len(spine))]
    return [
        (rings[i][k], rings[i][(k + 1) % sides], rings[i + 1][(k + 1) % sides], rings[i + 1][k])
        for i in range(len(spine) - 1)
        for k in range(sides)
    ]


def _leaf(rng: random.Random) -> Model:
    broad = rng.uniform(1.12, 1.3)
    lean = rng.uniform(0.45, 0.65)

    def blade(u: float, v: float) -> Point3:
        width = broad * v**0.85 * (1 - v) ** 0.5
        side = (u - 0.5) * 2
        bend = 0.3 * math.sin(math.pi * v) + 0.3 * abs(side) * width
        return _roll((side * width, 1.15 - 1.75 * v + 0.34 * abs(side) * width, bend), lean)

    stem = [_roll((0.06 * t * t, -0.56 - 0.56 * t, 0.1 * t), lean) for t in (0, 0.25, 0.5, 0.75, 1)]
    midrib = [blade(0.5, k / 20) for k in range(21)]
    rim = [blade(0, k / 20) for k in range(21)], [blade(1, k / 20) for k in range(21)]
    return _sheet(blade, 10, 13) + _tube(stem, 0.04, 5), [midrib, *rim]


def _roll(p: Point3, angle: float) -> Point3:
    c, s = math.cos(angle), math.sin(angle)
    return (p[0] * c + p[1] * s, p[1] * c - p[0] * s, p[2])


def _hat(rng: random.Random) -> Model:
    tall = rng.uniform(0.3, 0.5)
    crown = [(0.02, tall - 0.1), (0.2, tall - 0.06), (0.36, tall), (0.46, tall - 0.05),
             (0.5, tall - 0.18), (0.52, tall - 0.36), (0.55, -0.22), (0.57, -0.34),
             (0.59, -0.48)]  # fmt: skip
    brim = [(0.59, -0.48), (0.74, -0.55), (0.92, -0.56), (1.1, -0.5), (1.18, -0.42)]
    band = [_circle(0.575, -0.3), _circle(0.6, -0.48), _circle(1.18, -0.42)]
    return _revolve(crown, 22) + _revolve(brim, 22), band


def _circle(radius: float, height: float, count: int = 44) -> list[Point3]:
    return [
        (radius * math.cos(math.tau * k / count), height, radius * math.sin(math.tau * k / count))
        for k in range(count + 1)
    ]


def _cup(rng: random.Random) -> Model:
    wide = rng.uniform(0.66, 0.74)
    wall = [(wide, 0.7), (wide * 0.99, 0.45), (wide * 0.96, 0.2), (wide * 0.93, -0.05),
            (wide * 0.89, -0.3), (wide * 0.83, -0.55), (wide * 0.74, -0.75),
            (wide * 0.5, -0.82)]  # fmt: skip
    inner = [(wide * 0.9, 0.7), (wide * 0.88, 0.35), (wide * 0.84, 0.0)]
    ring = [(wide, 0.7), (wide * 0.9, 0.7)]
    handle = [
        (wide * 0.9 + 0.44 * math.sin(t), 0.02 + 0.42 * math.cos(t), 0.0)
        for t in (math.pi * k / 9 for k in range(10))
    ]
    mesh = _revolve(wall, 20) + _revolve(inner, 20) + _revolve(ring, 20)
    return mesh + _tube(handle, 0.075, 6), [_circle(wide, 0.7), _circle(wide * 0.9, 0.7)]


def _chair(rng: random.Random) -> Model:
    top = rng.uniform(1.0, 1.15)
    mesh = _cuboid((-0.55, -0.12, -0.5), (0.55, 0.0, 0.55), (6, 1, 6))
    for x in (-0.55, 0.43):
        mesh += _cuboid((x, -1.0, 0.43), (x + 0.12, -0.12, 0.55), (1, 4, 1))
        mesh += _cuboid((x, -1.0, -0.5), (x + 0.12, -0.12, -0.38), (1, 4, 1))
        mesh += _cuboid((x, 0.0, -0.5), (x + 0.12, top, -0.4), (1, 5, 1))
    mesh += _cuboid((-0.43, top - 0.34, -0.49), (0.43, top - 0.02, -0.41), (5, 2, 1))
    mesh += _cuboid((-0.43, 0.22, -0.49), (0.43, 0.46, -0.41), (5, 1, 1))
    return mesh, []


def _car(rng: random.Random) -> Model:
    roof = rng.uniform(0.36, 0.46)
    # The side outline: for each place along the car, x and the heights of sill and belt.
    outline = [(-1.24, -0.5, -0.22), (-1.2, -0.6, -0.06), (-0.98, -0.62, 0.0), (-0.7, -0.62, 0.02),
               (-0.45, -0.62, 0.03), (-0.15, -0.62, 0.03), (0.15, -0.62, 0.02), (0.42, -0.62, 0.0),
               (0.68, -0.62, -0.06), (0.95, -0.62, -0.12), (1.16, -0.6, -0.18),
               (1.24, -0.5, -0.3)]  # fmt: skip
    sides = [(0.5, 0.0), (0.56, 0.5), (0.5, 1.0), (0.25, 1.03), (0.0, 1.04), (-0.25, 1.03),
             (-0.5, 1.0), (-0.56, 0.5), (-0.5, 0.0)]  # fmt: skip
    rows = [(-1.06, 0.0, 0.47), (-0.92, roof * 0.6, 0.43), (-0.74, roof, 0.39),
            (-0.4, roof + 0.04, 0.38), (-0.1, roof + 0.04, 0.38), (0.14, roof, 0.39),
            (0.38, roof * 0.56, 0.43), (0.64, -0.03, 0.47)]  # fmt: skip

    def shell(u: float, v: float) -> Point3:
        x, low, high = outline[round(u * 11)]
        z, y = sides[round(v * 8)]
        return (x, low + (high - low) * y, z * (1 - 0.16 * max(0.0, abs(x) - 0.8) / 0.4))

    def cabin(u: float, v: float) -> Point3:
        x, y, half = rows[round(u * 7)]
        return (x, y, half * (1 - 2 * v))

    mesh = _sheet(shell, 11, 8) + _sheet(cabin, 7, 4)
    strong = []
    for side in (1, -1):
        wall = [(x, y, half * side) for x, y, half in rows]
        mesh += [(wall[k], wall[k + 1], wall[6 - k], wall[7 - k]) for k in range(3)]
        z = 0.45 * side
        rear = [(-0.9, 0.06), (-0.7, roof - 0.06), (-0.28, roof - 0.03), (-0.28, 0.06)]
        front = [(-0.18, 0.06), (-0.18, roof - 0.03), (0.1, roof - 0.06), (0.46, 0.05)]
        strong += [[(x, y, z) for x, y in (*pane, pane[0])] for pane in (rear, front)]
        strong.append([shell(k / 11, 0.25 if side > 0 else 0.75) for k in range(12)])
        for x in (-0.74, 0.76):
            faces, rims = _wheel(x, -0.68, 0.6 * side, side)
            mesh += faces
            strong += rims
    return mesh, strong


def _wheel(cx: float, cy: float, z: float, side: int) -> Model:
    count = 14

    def rim(radius: float, at: float) -> list[Point3]:
        return [
            (cx + radius * math.cos(math.tau * k / count),
             cy + radius * math.sin(math.tau * k / count), at)
            for k in range(count + 1)
        ]  # fmt: skip

    rings = [rim(0.32, z - 0.22 * side), rim(0.32, z), rim(0.2, z + 0.01 * side), rim(0.04, z)]
    faces: Mesh = [
        (a[k], a[k + 1], b[k + 1], b[k]) for a, b in itertools.pairwise(rings) for k in range(count)
    ]
    return faces, [rings[1], rings[2]]


def _box(rng: random.Random) -> Model:
    half, top = 0.72, rng.uniform(0.2, 0.34)
    mesh = _cuboid((-half, -1.0, -half), (half, top, half), (5, 4, 5))
    mesh = [f for f in mesh if not all(abs(p[1] - top) < 0.001 for p in f)]
    out, up = rng.uniform(0.3, 0.42), rng.uniform(0.1, 0.3)
    for angle in range(4):
        flap = _plane((-half, top, half), (2 * half, 0, 0), (0, up, out), 5, 2)
        mesh += [tuple(spin(p, angle * math.pi / 2) for p in face) for face in flap]
    rim = [(half, top, half), (-half, top, half), (-half, top, -half), (half, top, -half)]
    return mesh, [[*rim, rim[0]]]


def spin(p: Point3, angle: float) -> Point3:
    """Turn a point about the upright axis."""
    c, s = math.cos(angle), math.sin(angle)
    return (p[0] * c + p[2] * s, p[1], p[2] * c - p[0] * s)


def _book(rng: random.Random) -> Model:
    swell = rng.uniform(0.2, 0.27)
    lift = rng.uniform(0.42, 0.55)

    def page(side: int, level: float, width: float) -> Surface:
        def surface(u: float, v: float) -> Point3:
            rise = level * swell * math.sin(math.pi * (0.04 + 0.96 * u) ** 0.62)
            return _pitch((side * u * width, rise + 0.1 * u, 0.84 * (2 * v - 1)), lift)

        return surface

    mesh: Mesh = []
    strong = [[page(1, 1.5, 1.1)(0, k / 4) for k in range(5)]]
    for side in (-1, 1):
        mesh += _sheet(page(side, 1.5, 1.1), 9, 9)
        mesh += _sheet(page(side, 0.9, 1.13), 9, 1) + _sheet(page(side, 0.35, 1.16), 9, 1)
        cover = _plane((0, -0.1, -0.92), (side * 1.24, 0.12, 0), (0, 0, 1.84), 6, 1)
        mesh += [tuple(_pitch(p, lift) for p in face) for face in cover]
        edge = [(0.0, -0.1, -0.92), (side * 1.24, 0.02, -0.92), (side * 1.24, 0.02, 0.92),
                (0.0, -0.1, 0.92)]  # fmt: skip
        strong.append([_pitch(p, lift) for p in edge])
        strong += [[page(side, 1.5, 1.1)(k / 9, v) for k in range(10)] for v in (0, 1)]
    return mesh, strong


def _pitch(p: Point3, angle: float) -> Point3:
    c, s = math.cos(angle), math.sin(angle)
    return (p[0], p[1] * c - p[2] * s - 0.3, p[2] * c + p[1] * s)


def _ball(rng: random.Random) -> Model:
    count, radius = 14, 0.95
    profile = [
        (radius * math.sin(math.pi * k / count), radius * math.cos(math.pi * k / count))
        for k in range(count + 1)
    ]
    roll, twist = rng.uniform(0.3, 0.6), rng.uniform(-0.25, 0.25)

    def turned(p: Point3) -> Point3:
        return _roll(spin(p, twist), roll)

    # The seams of a basketball: two great circles, and two curves that bulge towards them.
    seams: list[list[Point3]] = [[], [], [], []]
    for k in range(49):
        c, s = math.cos(math.tau * k / 48), math.sin(math.tau * k / 48)
        seams[0].append(turned((radius * c, 0.0, radius * s)))
        seams[1].append(turned((0.0, radius * c, radius * s)))
        x = 0.62 - 0.1 * math.cos(2 * math.tau * k / 48)
        rest = math.sqrt(1 - x * x)
        for side, seam in ((1, seams[2]), (-1, seams[3])):
            seam.append(turned((side * radius * x, radius * rest * c, radius * rest * s)))
    mesh = _revolve(profile, 22)
    return [tuple(turned(p) for p in face) for face in mesh], seams


def _bag(rng: random.Random) -> Model:
    flare = rng.uniform(0.8, 0.88)

    def body(u: float, v: float) -> Point3:
        angle = math.tau * u
        c, s = math.cos(angle), math.sin(angle)
        x = math.copysign(abs(c) ** 0.35, c) * (flare + (0.98 - flare) * v)
        z = math.copysign(abs(s) ** 0.35, s) * (0.2 + 0.2 * v)
        return (x, 0.3 - 1.28 * v, z)

    mesh = _sheet(body, 28, 7)
    for z in (0.2, -0.2):
        handle = [
            (-0.42 * math.cos(math.pi * k / 10), 0.26 + 0.72 * math.sin(math.pi * k / 10), z)
            for k in range(11)
        ]
        mesh += _tube(handle, 0.045, 5)

    def flap(u: float, v: float) -> Point3:
        side = (u - 0.5) * 2
        drop = 0.52 * v * (1 - 0.35 * side * side)
        return (side * flare * 0.92, 0.31 - drop, 0.24 + 0.1 * v)

    mesh += _sheet(flap, 8, 3)
    clasp = [(0.07 * math.cos(t), -0.2 + 0.07 * math.sin(t), 0.38)
             for t in (math.tau * k / 10 for k in range(11))]  # fmt: skip
    return mesh, [[flap(k / 16, 1) for k in range(17)], clasp, [body(k / 28, 0) for k in range(29)]]


def _apple(rng: random.Random) -> Model:
    wide = rng.uniform(0.98, 1.06)
    profile = [(0.02, 0.42), (0.12, 0.52), (0.26, 0.66), (0.44, 0.72), (0.64, 0.66),
               (0.82, 0.5), (0.92, 0.28), (0.95, 0.04), (0.9, -0.22), (0.8, -0.46),
               (0.66, -0.68), (0.5, -0.84), (0.34, -0.92), (0.2, -0.88), (0.04, -0.78)]  # fmt: skip
    mesh = _revolve([(r * wide, y) for r, y in profile], 20)
    mesh += _tube([(0.0, 0.42, 0), (0.02, 0.62, 0), (0.06, 0.82, 0), (0.14, 1.0, 0)], 0.05, 6)

    def leaf(u: float, v: float) -> Point3:
        width = 0.2 * math.sin(math.pi * v)
        return (0.08 + 0.6 * v, 0.78 + 0.3 * v - 0.1 * v * v + (u - 0.5) * width, (u - 0.5) * width)

    return mesh + _sheet(leaf, 4, 7), []


MODELS: dict[str, Callable[[random.Random], Model]] = {
    "leaf": _leaf, "hat": _hat, "cup": _cup, "chair": _chair, "car": _car, "box": _box,
    "book": _book, "ball": _ball, "bag": _bag, "apple": _apple,
}  # fmt: skip
