"""Style pixel: pixel art as games of the eighties had it.

The object is put on a grid of 32 to 40 cells with few tints, a dark outline and a dithered
shadow; every element is a rectangle of whole cells.
"""

from __future__ import annotations

import random

from ..svg import Part, Picture, Shape, group, num, path, shade
from ._cells import Grid, filled, merge, to_cells
from ._scene import article, hsl, natural, sentence, subject, tint

_STEPS = (-0.42, -0.2, 0.0, 0.24, 0.5)


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object as pixel art; return SVG and description."""
    count = rng.choice((32, 36, 40))
    name, base = natural(object_, rng)
    shape = subject(object_, rng, 390, 350, (256, 250))
    cell = 512 / count
    grid = to_cells(shape, count, lambda part: _color(shape, part, base))
    _light(grid, base)
    scene, scene_name = rng.choice(
        ((_meadow, "grass under a blocky sky"), (_night, "dark tiles under blocky stars"),
         (_room, "a checkered floor"), (_dusk, "a platform at dusk"))
    )  # fmt: skip
    floor = max(row for row in range(count) if any(grid[row])) + 1
    picture = Picture()
    backdrop = scene(count, min(floor, count - 3), rng)
    outline = _outline(grid)
    for row in range(count):
        for column in range(count):
            backdrop[row][column] = (
                grid[row][column] or outline[row][column] or backdrop[row][column]
            )
    by_color: dict[str, list[str]] = {}
    for (column, row, width, height), color in merge(backdrop):
        by_color.setdefault(color, []).append(f"M{column} {row}h{width}v{height}h-{width}z")
    picture.add(
        group(
            *(path("".join(pieces), fill=color) for color, pieces in by_color.items()),
            transform=f"scale({num(cell) if cell == round(cell, 2) else repr(round(cell, 6))})",
            shape_rendering="crispEdges",
        )
    )
    description = sentence(
        rng.choice(
            (
                f"pixel art of {article(name)} {object_} on {scene_name}, with a dark outline and "
                f"square highlights.",
                f"{article(name)} {object_} drawn as pixel art in big square dots stands on "
                f"{scene_name}.",
                f"a retro game sprite: {article(name)} {object_} in pixel art, {count} dots wide, "
                f"on {scene_name}.",
            )
        )
    )
    return picture.svg(), description


def _color(shape: Shape, part: Part, base: str) -> str | None:
    if part.role == "main" and tint(shape, part, base) == shade(base, part.shade):
        return shade(base, min(_STEPS, key=lambda step: abs(step - part.shade)))
    if part.role == "line" and part.width < 2.5:
        return None
    color = tint(shape, part, base)
    # Few levels a channel, as the machines of that time had.
    channels = [min(255, round(int(color[i : i + 2], 16) / 51) * 51) for i in (1, 3, 5)]
    return "#" + "".join(f"{c:02x}" for c in channels)


def _light(grid: Grid, base: str) -> None:
    """Light the object from above left, and dither its lower right into shadow."""
    count = len(grid)
    tints = [shade(base, step) for step in _STEPS]
    before = [row[:] for row in grid]
    for row in range(count):
        for column in range(count):
            color = before[row][column]
            if color not in tints:
                continue
            level = tints.index(color)
            if not filled(before, column - 1, row) or not filled(before, column, row - 1):
                level += 1
            below = not filled(before, column + 1, row) or not filled(before, column, row + 1)
            near = not filled(before, column + 2, row) or not filled(before, column, row + 2)
            if below or (near and (column + row) % 2 == 0):
                level -= 1
            grid[row][column] = tints[min(len(tints) - 1, max(0, level))]


def _outline(grid: Grid) -> Grid:
    count = len(grid)
    out: Grid = [[None] * count for _ in range(count)]
    for row in range(count):
        for column in range(count):
            sides = ((1, 0), (-1, 0), (0, 1), (0, -1))
            if not grid[row][column] and any(
                filled(grid, column + dx, row + dy) for dx, dy in sides
            ):
                out[row][column] = "#1d1426"
    return out


def _dither(grid: Grid, row: int, upper: str) -> None:
    """Let the colour above run into the row below as a checkerboard."""
    for column in range(len(grid)):
        if (column + row) % 2 == 0 and 0 <= row < len(grid):
            grid[row][column] = upper


def _bands(count: int, colors: list[tuple[int, str]]) -> Grid:
    """Return rows of colours, each from its row on down, dithered where they meet."""
    grid: Grid = [[colors[0][1]] * count for _ in range(count)]
    for i, (start, color) in enumerate(colors[1:], 1):
        for row in range(max(0, start), count):
            grid[row] = [color] * count
        _dither(grid, start, colors[i - 1][1])
    return grid


def _stamp(grid: Grid, rows: list[str], column: int, row: int, color: str) -> None:
    for j, text in enumerate(rows):
        for i, mark in enumerate(text):
            if mark == "#" and 0 <= row + j < len(grid) and 0 <= column + i < len(grid):
                grid[row + j][column + i] = color


_CLOUD = ["..###...", ".#####..", "########"]


def _meadow(count: int, floor: int, rng: random.Random) -> Grid:
    sky = hsl(rng.uniform(190, 215), 0.7, 0.72)
    grid = _bands(
        count, [(0, sky), (count // 3, shade(sky, 0.25)), (2 * count // 3, shade(sky, 0.5))]
    )
    for _ in range(3):
        _stamp(grid, _CLOUD, rng.randrange(count - 6), rng.randrange(1, count // 3), "#ffffff")
    for row in range(floor, count):
        depth = row - floor
        for column in range(count):
            tuft = rng.random() < 0.3
            grid[row][column] = (
                "#58b043" if depth == 0 or (depth == 1 and tuft) else
                "#8a5a34" if rng.random() < 0.88 else "#6e4427"
            )  # fmt: skip
    return grid


def _night(count: int, floor: int, rng: random.Random) -> Grid:
    sky = hsl(rng.uniform(225, 265), 0.45, 0.2)
    grid = _bands(count, [(0, sky), (count // 2, shade(sky, 0.14)), (floor - 4, shade(sky, 0.26))])
    for _ in range(22):
        grid[rng.randrange(floor - 2)][rng.randrange(count)] = rng.choice(("#ffffff", "#f3e08a"))
    _stamp(grid, [".##.", "####", "####", ".##."], rng.randrange(2, count - 6), 2, "#f3ecc4")
    for row in range(floor, count):
        for column in range(count):
            seam = (row - floor) % 3 == 0 or (column + 3 * ((row - floor) // 3 % 2)) % 6 == 0
            grid[row][column] = "#3c3f5e" if seam else "#5b6088"
    return grid


def _room(count: int, floor: int, rng: random.Random) -> Grid:
    wall = hsl(rng.uniform(20, 200), 0.35, 0.8)
    grid = _bands(count, [(0, wall), (floor - 7, shade(wall, 0.2))])
    for row in range(2, floor - 8, 4):
        for column in range(1 + (row // 4 % 2) * 3, count, 6):
            grid[row][column] = shade(wall, -0.14)
    dark, light = shade(wall, -0.55), shade(wall, -0.3)
    for row in range(floor - 2, count):
        for column in range(count):
            grid[row][column] = dark if (row // 2 + column // 3) % 2 else light
    return grid


def _dusk(count: int, floor: int, rng: random.Random) -> Grid:
    hue = rng.uniform(300, 350)
    colors = [hsl(hue - 40, 0.4, 0.42), hsl(hue, 0.5, 0.58), hsl(hue + 40, 0.8, 0.7), "#ffd98a"]
    grid = _bands(count, [(k * floor // 4, color) for k, color in enumerate(colors)])
    height = 0
    for column in range(count):
        if column % 4 == 0:
            height = rng.randrange(2, 8)
        for row in range(max(0, floor - height), floor):
            grid[row][column] = hsl(hue - 40, 0.35, 0.34)
    for row in range(floor, count):
        for column in range(count):
            seam = (row - floor) % 4 == 3 or (column + 2 * ((row - floor) // 4 % 2)) % 4 == 0
            grid[row][column] = "#7a3b3b" if seam else "#b5654a"
    return grid
