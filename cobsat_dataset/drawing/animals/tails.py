"""Tails: tufted, ringed, curled, woolly."""

from __future__ import annotations

import random
from typing import Final

from ..svg import Picture, path, shade
from .coats import Coat
from .curves import Frame, Point, Tube, pt, smooth_d
from .head import wool_d
from .paint import solid, stroke

# Tails from their root, facing +x (so that they run towards -x), when standing.
_UP: Final[dict[str, tuple[tuple[Point, ...], tuple[float, ...]]]] = {
    "zebra": (((8, 0), (-14, 10), (-22, 44), (-24, 74)), (7, 5, 4, 4)),
    "tiger": (((10, 2), (-26, 24), (-50, 14), (-54, -22), (-40, -48)), (11, 9, 8, 8, 8)),
    "lion": (((10, 2), (-24, 16), (-44, -6), (-42, -44)), (8, 6, 5, 5)),
    "dog": (((12, 4), (-14, -14), (-26, -40), (-18, -66)), (11, 9, 8, 4)),
    "cow": (((8, 0), (-14, 8), (-20, 46), (-18, 80)), (6, 5, 4, 4)),
    "cat": (((10, 4), (-20, -4), (-34, -40), (-22, -76), (-34, -104)), (8, 7, 6.5, 6.5, 6)),
    "monkey": (
        ((10, 6), (-28, 10), (-52, -26), (-48, -72), (-18, -92), (2, -72), (-12, -54), (-24, -66)),
        (8, 7, 6.5, 6, 6, 5.5, 5, 4),
    ),
}
# The same, lying on the ground beside a sleeper whose root is about 30 above it.
_DOWN: Final[dict[str, tuple[tuple[Point, ...], tuple[float, ...]]]] = {
    "zebra": (((8, 0), (-12, 6), (-22, 18), (-26, 22)), (7, 5, 4, 4)),
    "tiger": (((10, 2), (-18, 14), (-36, 18), (-50, 8), (-46, -8)), (11, 9, 8, 8, 8)),
    "lion": (((10, 2), (-20, 14), (-38, 16), (-50, 4)), (8, 6, 5, 5)),
    "dog": (((12, 4), (-12, 14), (-32, 16), (-48, 8)), (11, 9, 8, 4)),
    "cow": (((8, 0), (-12, 8), (-28, 20), (-44, 22)), (6, 5, 4, 4)),
    "cat": (((10, 4), (-14, 14), (-36, 14), (-52, 2), (-44, -12)), (8, 7, 6.5, 6.5, 6)),
    "monkey": (
        ((10, 4), (-20, 16), (-48, 14), (-60, -8), (-44, -24), (-30, -12), (-40, -4)),
        (8, 7, 6.5, 6, 6, 5.5, 4),
    ),
}
_FRONT: Final[dict[str, tuple[Point, ...]]] = {
    "zebra": ((8, 0), (-22, -2), (-40, -22), (-36, -52)),
    "cow": ((8, 0), (-24, 0), (-44, -20), (-42, -54)),
    "dog": ((12, 4), (-14, -2), (-34, -24), (-32, -52)),
}
_FLOW: Final[dict[str, tuple[Point, ...]]] = {
    "zebra": ((8, 0), (-18, -8), (-40, 4), (-58, 2)),
    "cow": ((8, 0), (-18, -8), (-40, 6), (-60, 2)),
}


def tail(
    picture: Picture, name: str, coat: Coat, root: Point, pose: str, rng: random.Random
) -> tuple[str, list[Point]]:
    """Return a tail and points around it; `root` is where it leaves the rump."""
    x, y = root
    if name == "pig":
        d = "M10 2C-6 8 -14 -4 -8 -10C-2 -16 8 -8 2 0C-6 10 -24 2 -24 -12"
        frame = Frame(x - 8, y - 4, -12, 1.5)
        curl = stroke(d, coat.line, 10) + stroke(d, coat.mark, 6)
        return f'<g transform="{frame.transform}">{curl}</g>', [(x - 52, y - 32)]
    if name == "sheep":
        return (
            solid(picture, [wool_d(x - 6, y + 4, 14, 13, 7, 8)], coat.base, coat.line),
            [(x - 26, y)],
        )
    spine, widths = (_DOWN if pose == "sleep" else _UP)[name]
    if pose in ("run", "fly") and name in _FLOW:
        spine = _FLOW[name]
    if pose == "front":
        spine = _FRONT.get(name, spine)
    sway = rng.uniform(0.94, 1.08)
    tube = Tube(tuple((x + px * sway, y + py) for px, py in spine), widths)
    overlays = []
    if name == "tiger":
        overlays = [path(tube.ring(t, t + 0.07), fill=coat.mark) for t in (0.3, 0.46, 0.62, 0.78)]
        overlays.append(path(tube.ring(0.91, 1.2), fill=coat.mark))
    elif name == "zebra":
        overlays = [path(tube.ring(t, t + 0.09), fill=coat.mark) for t in (0.16, 0.38, 0.6)]
    elif name == "dog":
        overlays = [path(tube.ring(0.66, 1.2), fill=coat.light)]
        if coat.note != "tan":
            overlays.append(path(tube.ring(-0.1, 0.5), fill=coat.mark))
    elif name == "cat" and coat.note != "black-and-white":
        overlays = [path(tube.ring(t, t + 0.07), fill=coat.mark) for t in (0.4, 0.58, 0.76)]
        overlays.append(path(tube.ring(0.92, 1.2), fill=coat.mark))
    fill = coat.base
    svg = solid(picture, [tube.d(10)], fill, coat.line, overlays=overlays)
    points = tube.outline(8)
    if name in ("zebra", "lion", "cow"):
        end, before = tube.at(1.0), tube.at(0.86)
        dx, dy = end[0] - before[0], end[1] - before[1]
        size = 1.3 if name == "lion" else 1.25
        tip = (end[0] + dx * 1.6 * size, end[1] + dy * 1.6 * size)
        side = (-dy * 0.75 * size, dx * 0.75 * size)
        tuft = smooth_d(
            [
                before,
                (end[0] + side[0], end[1] + side[1]),
                tip,
                (end[0] - side[0], end[1] - side[1]),
            ]
        )
        svg += solid(picture, [tuft], coat.mark, shade(coat.mark, -0.35), 2.4)
        svg += stroke(f"M{pt(before)}L{pt(tip)}", shade(coat.mark, 0.2), 1.4)
        points.append(tip)
    return svg, points
