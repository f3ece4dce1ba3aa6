"""Style lego: a mosaic of plastic bricks with studs, on a studded baseplate.

The object is put on a grid of cells, one stud each; cells of a colour are joined to bricks of the
sizes that exist. The studs are one pattern of light and shadow, laid over every colour.
"""

from __future__ import annotations

import random

from ..svg import Picture, element, num, path, shade
from ._cells import Grid, merge
from ._mosaics import mosaic
from ._scene import article, glow, mix, sentence

_COUNT = 23
_CELL = 512 / _COUNT

#: The plastics' colours.
_BRICKS = {
    "red": "#d01f1f", "blue": "#1466c0", "yellow": "#f8c81c", "green": "#1f9a3c",
    "orange": "#f5801e", "black": "#26282b", "white": "#f4f4f0", "grey": "#9ba3a8",
    "brown": "#6b3f22", "tan": "#dcc48e", "light blue": "#6cc3ea",
}  # fmt: skip
_OWN = {
    "leaf": ("green", "green", "orange"), "apple": ("red", "red", "green"),
    "box": ("orange", "yellow", "blue", "red"),
}  # fmt: skip


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Build an object of bricks; return SVG and description."""
    name = rng.choice(_OWN.get(object_, ("red", "blue", "yellow", "green", "orange")))
    plates = [
        p for p in ("green", "light blue", "grey", "tan", "white", "blue", "yellow")
        if p not in (name, {"blue": "light blue", "yellow": "tan", "orange": "tan"}.get(name))
    ]  # fmt: skip
    plate = rng.choice(plates)
    second = rng.choice([b for b in ("white", "yellow", "blue", "red") if b not in (name, plate)])
    grid = _lay(mosaic(object_, rng), name, second, rng)
    picture = Picture()
    studs = _studs(picture)
    picture.add(
        element("rect", width=512, height=512, fill=mix(_BRICKS[plate], "#ffffff", 0.12)),
        element("rect", width=512, height=512, fill=studs, opacity=0.45),
    )
    _build(picture, grid, studs, rng)
    description = sentence(
        rng.choice(
            (
                f"{article(name)} {object_} built of lego bricks on a {plate} studded baseplate.",
                f"a {object_} made from {name} lego bricks; round studs cover it and the {plate} "
                f"plate beneath.",
                f"lego bricks, mostly {name}, form a {object_} on a {plate} baseplate.",
            )
        )
    )
    return picture.svg(), description


def _lay(rows: list[str], name: str, second: str, rng: random.Random) -> Grid:
    """Lay the letters of a mosaic on the baseplate's grid, near its middle."""
    letters = {
        "m": _BRICKS[name], "d": shade(_BRICKS[name], -0.3), "x": _BRICKS[second],
        "l": mix(_BRICKS[name], "#ffffff", 0.36), "w": _BRICKS["white"], "k": _BRICKS["black"],
        "g": _BRICKS["grey"], "y": _BRICKS["yellow"], "r": _BRICKS["red"], "b": _BRICKS["brown"],
        "c": _BRICKS["light blue"], "G": _BRICKS["green"],
    }  # fmt: skip
    free = _COUNT - len(rows[0]), _COUNT - len(rows)
    x, y = (rng.randint((f - 1) // 2, max((f - 1) // 2, f // 2)) for f in free)
    grid: Grid = [[None] * _COUNT for _ in range(_COUNT)]
    for j, row in enumerate(rows):
        for i, letter in enumerate(row):
            grid[y + j][x + i] = letters.get(letter)
    return grid


def _studs(picture: Picture) -> str:
    """Define the pattern of studs: one in the middle of each cell."""
    c, r = _CELL / 2, _CELL * 0.31
    marks = (
        element("circle", cx=c + 2, cy=c + 2.4, r=r + 0.8, fill="#000", opacity=0.22)
        + element("circle", cx=c, cy=c, r=r, fill="#fff", opacity=0.2)
        + path(
            f"M{num(c - r)} {num(c)}A{num(r)} {num(r)} 0 0 1 {num(c)} {num(c - r)}",
            fill="none", stroke="#fff", stroke_width=2.2, opacity=0.6,
        )
    )  # fmt: skip
    return picture.define(
        "pattern", marks, width=_CELL, height=_CELL, patternUnits="userSpaceOnUse"
    )


def _build(picture: Picture, grid: Grid, studs: str, rng: random.Random) -> None:
    bricks = merge(grid, widest=rng.choice((3, 4)), highest=rng.choice((1, 2)))
    tall = _CELL * 0.34

    def block(column: int, row: int, width: int, height: int, x: float, y: float) -> str:
        return (
            f"M{num(column * _CELL + x)} {num(row * _CELL + y)}h{num(width * _CELL)}"
            f"v{num(height * _CELL)}h{num(-width * _CELL)}z"
        )

    everything = "".join(block(*rect, 13, 16) for rect, _ in bricks)
    picture.add(glow(everything, "#000", 7, 0.45, 4))
    sides: dict[str, str] = {}
    faces: dict[str, str] = {}
    lit: dict[str, str] = {}
    for rect, color in bricks:
        column, row, width, height = rect
        x, y, w, h = (v * _CELL for v in rect)
        sides[color] = (
            sides.get(color, "") + block(*rect, tall, tall) + block(*rect, tall / 2, tall / 2)
        )
        tone = shade(color, (-0.04, 0.0, 0.05)[(column * 7 + row * 3 + width + height) % 3])
        faces[tone] = faces.get(tone, "") + block(*rect, 0, 0)
        lit[color] = f"{lit.get(color, '')}M{num(x + 1)} {num(y + h - 1)}v{num(2 - h)}h{num(w - 2)}"
    seams = "".join(
        f"M{num((x + w) * _CELL)} {num(y * _CELL)}v{num(h * _CELL)}h{num(-w * _CELL)}"
        for (x, y, w, h), _ in bricks
    )
    for color, d in sides.items():
        picture.add(path(d, fill=shade(color, -0.5)))
    for tone, d in faces.items():
        picture.add(path(d, fill=tone))
    picture.add(path(seams, fill="none", stroke="#000", stroke_width=2, opacity=0.4))
    for color, d in lit.items():
        picture.add(path(d, fill="none", stroke=shade(color, 0.45), stroke_width=1.5))
    picture.add(path("".join(block(*rect, 0, 0) for rect, _ in bricks), fill=studs))
