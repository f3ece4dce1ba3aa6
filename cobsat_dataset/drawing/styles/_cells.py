"""An object on a coarse grid of square cells: what pixel art and brick mosaics are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..svg import Part, Shape
from ._geometry import flatten, resample, spans

Grid: TypeAlias = list[list[str | None]]
Rect: TypeAlias = tuple[int, int, int, int]
"""Column, row, width and height in cells."""


def to_cells(
    shape: Shape, count: int, color: Callable[[Part], str | None], lines: bool = True
) -> Grid:
    """Return `count` rows of `count` cells, each with the colour of the part that covers it.

    Args:
        shape: The object.
        count: Cells along each side of the picture.
        color: The colour of a part; None leaves the part out.
        lines: Whether lines are drawn, one cell wide.
    """
    cell = 512 / count
    grid: Grid = [[None] * count for _ in range(count)]
    for part in shape.parts:
        fill = color(part)
        if fill is None:
            continue
        outline = flatten(part.d)
        if part.role == "line":
            if lines:
                for line in outline:
                    for x, y in resample(line, cell * 0.5):
                        column, row = int(x / cell), int(y / cell)
                        if 0 <= row < count and 0 <= column < count and grid[row][column]:
                            grid[row][column] = fill
            continue
        for row in range(count):
            cover = [0.0] * count
            for k in (0.125, 0.375, 0.625, 0.875):
                for begin, end in spans(outline, (row + k) * cell):
                    _spread(cover, begin / cell, end / cell)
            for column, share in enumerate(cover):
                if share >= (1.8 if part.role == "main" else 2.0):
                    grid[row][column] = fill
    return grid


def _spread(cover: list[float], begin: float, end: float) -> None:
    for column in range(max(0, int(begin)), min(len(cover) - 1, int(end)) + 1):
        cover[column] += max(0.0, min(end, column + 1) - max(begin, column))


def filled(grid: Grid, column: int, row: int) -> bool:
    """Return whether a cell lies on the grid and has a colour."""
    return 0 <= row < len(grid) and 0 <= column < len(grid) and grid[row][column] is not None


def merge(grid: Grid, widest: int = 999, highest: int = 999) -> list[tuple[Rect, str]]:
    """Return the coloured cells as rectangles of one colour, as large as the limits let them be."""
    count = len(grid)
    used = [[False] * count for _ in range(count)]
    out: list[tuple[Rect, str]] = []
    for row in range(count):
        for column in range(count):
            color = grid[row][column]
            if color is None or used[row][column]:
                continue
            width = 1
            while width < widest and _free(grid, used, color, column + width, row, 1):
                width += 1
            height = 1
            while height < highest and _free(grid, used, color, column, row + height, width):
                height += 1
            for r in range(row, row + height):
                used[r][column : column + width] = [True] * width
            out.append(((column, row, width, height), color))
    return out


def _free(
    grid: Grid, used: list[list[bool]], color: str, column: int, row: int, width: int
) -> bool:
    count = len(grid)
    return (
        row < count
        and column + width <= count
        and all(grid[row][c] == color and not used[row][c] for c in range(column, column + width))
    )
