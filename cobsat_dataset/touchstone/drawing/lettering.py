"""Lettering as SVG paths: text in our own alphabet, the same bytes on every machine.

No font of the system is read. `lettering` writes a line, `width` measures it, `wrap` breaks it.

    from cobsat.touchstone.drawing.lettering import lettering, width
    lettering("Sales 2024", 256, 40, size=28, weight=3, fill="#223", anchor="middle")

`size` is the em: a capital is 0.7 of it high, a small letter 0.5. `weight` is the stroke's width
in picture units (a tenth of the size when not given: 0.07 is light, 0.15 bold).
"""

from __future__ import annotations

import math
import random
import re
import unicodedata
from typing import Final, Literal, TypeAlias

from ...drawing.svg import element, num
from .glyphs import ACCENTS, GLYPHS, GREEK

__all__ = ["Anchor", "has_glyphs", "lettering", "text_d", "width", "wrap"]

Anchor: TypeAlias = Literal["start", "middle", "end"]

_EM: Final = 20.0
_GAP: Final = 3.2
"""Between two letters, on the glyphs' grid."""

_SHIFT: Final[dict[Anchor, float]] = {"start": 0.0, "middle": 0.5, "end": 1.0}
_COMMAND: Final = re.compile(r"([MLQCA])([^MLQCA]*)")


def has_glyphs(text: str) -> bool:
    """Whether the alphabet has every character of a text."""
    return all(c in GLYPHS or c in ACCENTS or c in GREEK for c in _decompose(text))


def width(text: str, size: float = 20, spacing: float = 0) -> float:
    """Return a line's width in picture units, from the first stroke's middle to the last's.

    Raises:
        ValueError: The alphabet lacks a character.
    """
    letters = [c for c in _decompose(text) if c not in ACCENTS]
    step = _GAP * size / _EM + spacing
    return sum(_glyph(c)[0] for c in letters) * size / _EM + step * max(0, len(letters) - 1)


def wrap(text: str, size: float, limit: float, spacing: float = 0) -> list[str]:
    """Break a text at its spaces into lines no wider than `limit`, if its words allow that."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, spacing) <= limit:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def text_d(
    text: str,
    x: float,
    y: float,
    size: float = 20,
    *,
    anchor: Anchor = "start",
    spacing: float = 0,
    slant: float = 0,
    rotate: float = 0,
    shaky: random.Random | None = None,
) -> str:
    """Return the path data of a line of text: open strokes, to be drawn without a fill.

    Args:
        text: What is written; newlines are not broken (see `wrap`).
        x: Where the line starts, has its middle, or ends: `anchor` says which.
        y: The baseline.
        size: The em in picture units.
        anchor: As in SVG.
        spacing: More (or less) room between letters, in picture units.
        slant: How far the letters lean: 0.2 is italic.
        rotate: Degrees by which the line is turned about (x, y), clockwise.
        shaky: A generator that moves each letter a little, as a hand does.

    Raises:
        ValueError: The alphabet lacks a character.
    """
    scale = size / _EM
    cos, sin = math.cos(math.radians(rotate)), math.sin(math.radians(rotate))
    pen = -width(text, size, spacing) * _SHIFT[anchor]
    d = []
    base = "x"
    for character in _decompose(text):
        if character in ACCENTS:
            wide = GLYPHS[base][0]
            left = pen - (_GAP + wide / 2) * scale - spacing
            high = 0.0 if character == "\u0327" else -14.6 if base.isupper() else -10.6
            strokes = ACCENTS[character]
            origin = (left, high * scale)
        else:
            base = character
            wide, strokes = _glyph(character)
            origin = (pen, 0.0)
            pen += (wide + _GAP) * scale + spacing
        turn, lift, grow = 0.0, 0.0, 1.0
        if shaky is not None:
            turn, lift = shaky.uniform(-0.07, 0.07), shaky.uniform(-0.5, 0.5) * scale
            grow = shaky.uniform(0.93, 1.07)

        def place(
            px: float, py: float, o: tuple[float, float] = origin,
            t: float = turn, up: float = lift, k: float = grow * scale,
        ) -> str:  # fmt: skip
            px, py = px * k, py * k
            px, py = px - t * py - slant * py + o[0], py + t * px + up + o[1]
            return f"{num(x + px * cos - py * sin)} {num(y + px * sin + py * cos)}"

        for command, points in _strokes(strokes):
            d.append(command + " ".join(place(px, py) for px, py in points))
    return "".join(d)


def lettering(
    text: str,
    x: float,
    y: float,
    size: float = 20,
    *,
    weight: float | None = None,
    fill: str = "#222222",
    anchor: Anchor = "start",
    spacing: float = 0,
    slant: float = 0,
    rotate: float = 0,
    shaky: random.Random | None = None,
    **attributes: object,
) -> str:
    """Return a line of text as one SVG element. See `text_d`; other attributes are passed on."""
    d = text_d(
        text, x, y, size, anchor=anchor, spacing=spacing, slant=slant, rotate=rotate, shaky=shaky
    )
    return element(
        "path", d=d, fill="none", stroke=fill, stroke_width=size / 10 if weight is None else weight,
        stroke_linecap="round", stroke_linejoin="round", **attributes,
    )  # fmt: skip


def _decompose(text: str) -> str:
    """Split letters with an accent into letter and mark, but keep what has a glyph of its own."""
    return "".join(c if c in GLYPHS else unicodedata.normalize("NFD", c) for c in text)


def _glyph(character: str) -> tuple[float, str]:
    character = GREEK.get(character, character)
    if character not in GLYPHS:
        raise ValueError(
            f"text must be of the alphabet's characters, got {character!r} "
            f"(U+{ord(character):04X}); add its strokes to GLYPHS in glyphs.py"
        )
    return GLYPHS[character]


def _strokes(strokes: str) -> list[tuple[str, list[tuple[float, float]]]]:
    """Read a glyph's commands; arcs become cubic curves."""
    result: list[tuple[str, list[tuple[float, float]]]] = []
    for index, (command, numbers) in enumerate(_COMMAND.findall(strokes)):
        values = [float(v) for v in numbers.split()]
        if command == "A":
            opens = index == 0
            result += _arc(*values, opens=opens)
        else:
            result.append((command, list(zip(values[::2], values[1::2], strict=True))))
    return result


def _arc(
    cx: float, cy: float, rx: float, ry: float, start: float, end: float, *, opens: bool
) -> list[tuple[str, list[tuple[float, float]]]]:
    count = max(1, math.ceil(abs(end - start) / 90))
    step = math.radians((end - start) / count)
    reach = 4 / 3 * math.tan(step / 4)

    def at(angle: float, along: float = 0.0) -> tuple[float, float]:
        cos, sin = math.cos(angle), math.sin(angle)
        return cx + rx * (cos - along * sin), cy + ry * (sin + along * cos)

    first = math.radians(start)
    result: list[tuple[str, list[tuple[float, float]]]] = [("M" if opens else "L", [at(first)])]
    for i in range(count):
        a, b = first + i * step, first + (i + 1) * step
        result.append(("C", [at(a, reach), at(b, -reach), at(b)]))
    return result
