"""How each of the ten objects is folded of paper, for the style origami.

A folding is a list of facets, back to front, in picture units; it stands near y = 430.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from ._geometry import Point


@dataclass(frozen=True)
class Facet:
    """One flat piece of folded paper: its corners, its tone in -1..1, which sheet it is of."""

    points: tuple[Point, ...]
    tone: float = 0.0
    sheet: str = "main"


def _mirrored(facets: list[Facet], shift: float = -0.16) -> list[Facet]:
    """Return the facets and their mirror images about x = 256, which lie in another light."""
    other = [
        Facet(tuple((512 - x, y) for x, y in f.points), f.tone + shift, f.sheet) for f in facets
    ]
    return facets + other


def _leaf(rng: random.Random) -> list[Facet]:
    width = rng.uniform(0.92, 1.08)
    edge: list[Point] = [
        (256, 44),
        (212, 108),
        (154, 176),
        (122, 256),
        (134, 326),
        (184, 380),
        (256, 408),
    ]
    edge = [(256 - (256 - x) * width, y) for x, y in edge]
    spine = [44.0, 140, 222, 290, 346, 388, 408]
    half = []
    for i in range(6):
        (x0, y0), (x1, y1) = edge[i], edge[i + 1]
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        top, bottom, centre = spine[i], spine[i + 1], (spine[i] + spine[i + 1]) / 2
        half.append(Facet(((256, top), (x0, y0), middle, (256, centre)), 0.3 - 0.04 * i))
        half.append(Facet(((256, centre), middle, (x1, y1), (256, bottom)), 0.02 - 0.04 * i))
    stem = [
        Facet(((256, 380), (244, 404), (240, 478), (254, 486)), 0.0),
        Facet(((256, 380), (268, 404), (262, 478), (254, 486)), -0.28),
    ]
    turn = math.radians(rng.uniform(28, 46))

    def turned(point: Point) -> Point:
        x, y = point[0] - 256, point[1] - 270
        return (
            256 + x * math.cos(turn) - y * math.sin(turn),
            256 + x * math.sin(turn) + y * math.cos(turn),
        )

    facets = stem + _mirrored(half, -0.22)
    return [Facet(tuple(turned(p) for p in f.points), f.tone) for f in facets]


def _hat(rng: random.Random) -> list[Facet]:
    top = rng.uniform(84, 112)
    return [
        Facet(((92, 344), (256, top), (256, 344)), 0.16),
        Facet(((256, top), (420, 344), (256, 344)), -0.1),
        Facet(((256, top), (178, 344), (256, 344)), 0.28),
        Facet(((256, top), (256, 344), (334, 344)), -0.2),
        Facet(((92, 344), (140, 264), (178, 344)), 0.05),
        Facet(((420, 344), (372, 264), (334, 344)), -0.26),
        Facet(((104, 330), (408, 330), (470, 420), (42, 420)), 0.0, "back"),
        Facet(((104, 330), (130, 420), (42, 420)), -0.12, "back"),
        Facet(((408, 330), (382, 420), (470, 420)), -0.24, "back"),
        Facet(((150, 330), (362, 330), (256, 404)), 0.1),
        Facet(((256, 330), (362, 330), (256, 404)), -0.1),
        Facet(((42, 420), (470, 420), (452, 436), (60, 436)), -0.3),
        Facet(((352, 336), (388, 232), (398, 244)), 0.16, "second"),
        Facet(((352, 336), (398, 244), (404, 200), (436, 190), (420, 262)), -0.06, "second"),
        Facet(((352, 336), (388, 232), (404, 200), (398, 244)), 0.3, "second"),
    ]


def _cup(rng: random.Random) -> list[Facet]:
    low = rng.uniform(408, 430)
    return [
        Facet(((352, 196), (372, 196), (452, 228), (436, 240)), 0.1),
        Facet(((452, 228), (436, 240), (410, 334), (426, 350)), -0.2),
        Facet(((410, 334), (426, 350), (330, 382), (334, 362)), -0.06),
        Facet(((96, 150), (160, 122), (316, 122), (380, 150), (316, 180), (160, 180)), -0.42),
        Facet(((160, 122), (316, 122), (238, 180)), -0.3),
        Facet(((96, 150), (160, 122), (160, 180)), -0.18, "back"),
        Facet(((380, 150), (316, 122), (316, 180)), -0.3, "back"),
        Facet(((96, 150), (160, 180), (184, low), (138, low - 22)), -0.06),
        Facet(((96, 150), (160, 180), (170, 300)), 0.08),
        Facet(((160, 180), (316, 180), (292, low), (184, low)), 0.12),
        Facet(((160, 180), (316, 180), (238, 286)), 0.0, "back"),
        Facet(((160, 180), (238, 286), (184, low)), 0.3),
        Facet(((316, 180), (238, 286), (292, low)), 0.02),
        Facet(((316, 180), (380, 150), (338, low - 22), (292, low)), -0.3),
        Facet(((316, 180), (380, 150), (306, 300)), -0.18),
    ]


def _chair(rng: random.Random) -> list[Facet]:
    top = rng.uniform(62, 84)

    def leg(x: float, y: float, end: float, tone: float) -> list[Facet]:
        return [
            Facet(((x - 17, y), (x, y), (x + 1, end), (x - 8, end - 5)), tone + 0.14),
            Facet(((x, y), (x + 17, y), (x + 9, end - 5), (x + 1, end)), tone - 0.14),
        ]

    return [
        *leg(170, 300, 410, -0.25),
        *leg(322, 290, 402, -0.3),
        Facet(((150, 292), (336, 276), (346, top), (160, top + 16)), 0.06),
        Facet(((150, 292), (160, top + 16), (250, 180)), 0.2),
        Facet(((336, 276), (346, top), (250, 180)), -0.16),
        Facet(((160, top + 16), (346, top), (250, 180)), 0.34),
        Facet(((160, top + 16), (346, top), (340, top + 34), (164, top + 50)), 0.0, "back"),
        Facet(((150, 292), (336, 276), (410, 326), (206, 350)), 0.26),
        Facet(((150, 292), (336, 276), (290, 312)), 0.4),
        Facet(((336, 276), (410, 326), (290, 312)), 0.12),
        Facet(((206, 350), (410, 326), (410, 346), (206, 372)), -0.22),
        Facet(((150, 292), (206, 350), (206, 372), (150, 312)), -0.34),
        *leg(222, 364, 468, 0.04),
        *leg(392, 340, 446, -0.02),
    ]


def _wheel(cx: float, cy: float, radius: float) -> list[Facet]:
    ring = [
        (cx + radius * math.cos(math.pi * (k / 4 + 0.125)),
         cy + radius * math.sin(math.pi * (k / 4 + 0.125)))
        for k in range(8)
    ]  # fmt: skip
    facets = [
        Facet((ring[k], ring[(k + 1) % 8], (cx, cy)), (0.18, -0.14)[k % 2] - 0.05 * (k < 4), "dark")
        for k in range(8)
    ]
    hub = tuple((cx + (x - cx) * 0.4, cy + (y - cy) * 0.4) for x, y in ring)
    return [*facets, Facet(hub, -0.06, "back")]


def _car(rng: random.Random) -> list[Facet]:
    roof = rng.uniform(160, 182)
    return [
        Facet(((132, 268), (196, roof), (330, roof), (392, 266)), 0.2),
        Facet(((196, roof), (330, roof), (262, 268)), 0.34),
        Facet(((156, 262), (202, roof + 18), (254, roof + 18), (254, 262)), -0.05, "back"),
        Facet(((156, 262), (202, roof + 18), (206, 262)), -0.16, "back"),
        Facet(((270, 262), (270, roof + 18), (322, roof + 18), (366, 262)), -0.05, "back"),
        Facet(((322, roof + 18), (366, 262), (314, 262)), -0.18, "back"),
        Facet(((48, 352), (62, 278), (132, 264), (190, 352)), -0.02),
        Facet(((62, 278), (132, 264), (112, 316)), 0.24),
        Facet(((132, 264), (262, 268), (190, 352)), 0.1),
        Facet(((262, 268), (320, 352), (190, 352)), -0.12),
        Facet(((262, 268), (392, 264), (320, 352)), 0.16),
        Facet(((392, 264), (470, 296), (474, 352), (320, 352)), -0.16),
        Facet(((392, 264), (470, 296), (410, 312)), 0.28),
        Facet(((48, 352), (474, 352), (462, 370), (60, 370)), -0.36),
        Facet(((470, 296), (474, 322), (448, 314)), 0.05, "back"),
        *_wheel(142, 362, 48),
        *_wheel(376, 362, 48),
    ]


def _box(rng: random.Random) -> list[Facet]:
    low = rng.uniform(0, 18)
    return [
        Facet(((108, 206), (256, 150), (232, 96), (84, 150)), 0.12),
        Facet(((256, 150), (404, 206), (430, 150), (282, 96)), 0.0, "back"),
        Facet(((282, 96), (430, 150), (340, 152)), -0.1, "back"),
        Facet(((84, 150), (232, 96), (180, 152)), 0.26),
        Facet(((108, 206), (256, 150), (256, 250)), -0.34),
        Facet(((404, 206), (256, 150), (256, 250)), -0.46),
        Facet(((108, 206), (256, 266), (256, 440 + low), (108, 372 + low)), 0.1),
        Facet(((108, 206), (256, 266), (182, 322)), 0.2),
        Facet(((108, 372 + low), (256, 440 + low), (182, 322)), -0.04),
        Facet(((256, 266), (256, 440 + low), (182, 322)), 0.04),
        Facet(((404, 206), (256, 266), (256, 440 + low), (404, 372 + low)), -0.2),
        Facet(((404, 206), (256, 266), (330, 322)), -0.1),
        Facet(((404, 372 + low), (256, 440 + low), (330, 322)), -0.32),
        Facet(((108, 206), (256, 266), (210, 322), (62, 258)), 0.3),
        Facet(((108, 206), (62, 258), (136, 290)), 0.42),
        Facet(((404, 206), (256, 266), (304, 322), (452, 258)), 0.0, "back"),
        Facet(((404, 206), (452, 258), (378, 290)), -0.12, "back"),
    ]


def _book(rng: random.Random) -> list[Facet]:
    lift = rng.uniform(-10, 12)
    half = [
        Facet(((256, 196), (256, 436), (52, 408), (72, 168 + lift)), -0.02),
        Facet(((72, 168 + lift), (52, 408), (66, 404), (86, 170 + lift)), 0.3),
        Facet(((256, 196), (256, 424), (70, 392), (90, 156 + lift)), -0.16, "back"),
        Facet(((256, 196), (256, 418), (84, 378), (108, 144 + lift)), -0.08, "back"),
        Facet(((256, 196), (256, 412), (98, 364), (128, 132 + lift)), 0.0, "back"),
        Facet(((256, 196), (256, 412), (180, 386), (196, 160 + lift / 2)), -0.14, "back"),
    ]
    mark = [
        Facet(((128, 132 + lift), (186, 152 + lift), (122, 196 + lift)), 0.1),
        Facet(((256, 196), (240, 190), (240, 408), (256, 412)), 0.16),
        Facet(((256, 196), (272, 190), (272, 408), (256, 412)), -0.1),
        Facet(((244, 436), (268, 436), (262, 448), (250, 448)), -0.3),
    ]
    return _mirrored(half, -0.12) + mark


def _ball(rng: random.Random) -> list[Facet]:
    """Fold a kusudama: the sixty sides of an icosahedron with a low pyramid on each face."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [
        p
        for a in (-1.0, 1.0)
        for b in (-golden, golden)
        for p in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))
    ]
    turn_y, turn_x = rng.uniform(0, 1.2), rng.uniform(0.2, 0.6)

    def turned(p: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = p
        x, z = (
            x * math.cos(turn_y) + z * math.sin(turn_y),
            z * math.cos(turn_y) - x * math.sin(turn_y),
        )
        y, z = (
            y * math.cos(turn_x) - z * math.sin(turn_x),
            z * math.cos(turn_x) + y * math.sin(turn_x),
        )
        return x, y, z

    size = 172 / math.hypot(1, golden)
    spots = [turned(p) for p in corners]
    found: list[tuple[float, Facet]] = []
    for i in range(12):
        for j in range(i + 1, 12):
            for k in range(j + 1, 12):
                trio = (spots[i], spots[j], spots[k])
                sides = ((0, 1), (1, 2), (2, 0))
                if any(abs(math.dist(trio[a], trio[b]) - 2) > 0.01 for a, b in sides):
                    continue
                top = tuple(sum(p[n] for p in trio) / 3 * 1.16 for n in range(3))
                for number, (a, b) in enumerate(sides):
                    found.append(_ball_side(trio[a], trio[b], top, size, number))
    return [facet for depth, facet in sorted(found, key=lambda f: f[0]) if depth > -1.2]


def _ball_side(
    a: tuple[float, ...], b: tuple[float, ...], top: tuple[float, ...], size: float, number: int
) -> tuple[float, Facet]:
    u, v = [b[n] - a[n] for n in range(3)], [top[n] - a[n] for n in range(3)]
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    if sum(n * t for n, t in zip(normal, top, strict=True)) < 0:
        normal = [-n for n in normal]
    length = math.hypot(*normal)
    light = (-0.5 * normal[0] - 0.65 * normal[1] + 0.6 * normal[2]) / length
    points = tuple((256 + p[0] * size, 258 + p[1] * size) for p in (a, b, top))
    sheet = ("main", "second", "back")[number]
    tone = light * 0.42 - 0.1 if sheet != "back" else light * 0.3 - 0.26
    depth = sum(p[2] for p in (a, b, top)) / 3
    return depth, Facet(points, tone, sheet)


def _bag(rng: random.Random) -> list[Facet]:
    rise = rng.uniform(50, 78)

    def strip(points: list[Point], tone: float) -> list[Facet]:
        tones = (tone, tone + 0.2, tone - 0.1)
        return [
            Facet((points[i], points[i + 1], points[i + 5], points[i + 4]), tones[i])
            for i in range(3)
        ]

    def handle(x: float, y: float, tone: float) -> list[Facet]:
        outer = [(x, y + 24), (x + 14, y - rise), (x + 112, y - rise), (x + 126, y + 24)]
        inner = [(x + 18, y + 24), (x + 28, y - rise + 17), (x + 98, y - rise + 17),
                 (x + 108, y + 24)]  # fmt: skip
        return strip([*outer, *inner], tone)

    return [
        *handle(180, 144, -0.3),
        Facet(((112, 176), (342, 176), (408, 146), (180, 146)), -0.44),
        Facet(((112, 176), (342, 176), (358, 442), (96, 442)), 0.08),
        Facet(((112, 176), (342, 176), (227, 292)), 0.0, "back"),
        Facet(((227, 176), (342, 176), (227, 292)), -0.1, "back"),
        Facet(((112, 176), (227, 292), (96, 442)), 0.26),
        Facet(((96, 442), (227, 292), (358, 442)), 0.0),
        Facet(((342, 176), (376, 196), (388, 330), (358, 442)), -0.14),
        Facet(((376, 196), (408, 146), (424, 400), (388, 330)), -0.26),
        Facet(((358, 442), (388, 330), (424, 400)), -0.4),
        *handle(164, 170, 0.1),
    ]


def _apple(rng: random.Random) -> list[Facet]:
    low = rng.uniform(414, 434)
    half = [
        Facet(((256, 186), (208, 146), (150, 152), (186, 236)), 0.22),
        Facet(((150, 152), (100, 196), (186, 236)), 0.4),
        Facet(((100, 196), (84, 268), (186, 236)), 0.14),
        Facet(((84, 268), (106, 346), (186, 236)), 0.02),
        Facet(((106, 346), (186, 236), (200, 340)), -0.08),
        Facet(((106, 346), (160, low - 20), (200, 340)), -0.2),
        Facet(((160, low - 20), (214, low), (200, 340)), -0.3),
        Facet(((214, low), (256, low - 14), (200, 340)), -0.24),
        Facet(((256, low - 14), (256, 300), (200, 340)), -0.12),
        Facet(((256, 186), (186, 236), (256, 300)), 0.1),
        Facet(((186, 236), (200, 340), (256, 300)), 0.0),
    ]
    return [
        *_mirrored(half, -0.17),
        Facet(((256, 204), (226, 168), (256, 186), (286, 168)), -0.46),
        Facet(((250, 196), (262, 196), (270, 104), (252, 112)), -0.1, "wood"),
        Facet(((262, 196), (270, 104), (282, 110)), -0.35, "wood"),
        Facet(((264, 152), (312, 92), (376, 86)), 0.2, "green"),
        Facet(((264, 152), (376, 86), (334, 146)), -0.1, "green"),
    ]


FOLDINGS: dict[str, Callable[[random.Random], list[Facet]]] = {
    "leaf": _leaf, "hat": _hat, "cup": _cup, "chair": _chair, "car": _car, "box": _box,
    "book": _book, "ball": _ball, "bag": _bag, "apple": _apple,
}  # fmt: skip
