"""A book: standing with its spine to the front, or lying flat."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, block, camera, line, place, poly, quad_parts, toward

_PAGES = "#f3efe4"


def book(rng: random.Random) -> Shape:
    """Draw a bound book: a cover, a spine and the block of pages between the boards."""
    shape = _standing(rng) if rng.random() < 0.6 else _lying(rng)
    return place(shape, rng, width=360, height=375, tilt=5)


def _inset(face: Facet, left: float, top: float, right: float, bottom: float) -> Facet:
    """Return a panel inside a face, by fractions of it from its top left corner."""
    a, b, c, d = face

    def at(u: float, v: float) -> tuple[float, float]:
        return toward(toward(a, b, u), toward(d, c, u), v)

    return (at(left, top), at(right, top), at(right, bottom), at(left, bottom))


def _rules(face: Facet, count: int, width: float) -> list[Part]:
    """Lines along a face of the page block."""
    a, b, c, d = face
    return [
        Part("page edge", line(toward(a, d, k), toward(b, c, k)), "line", width=width)
        for k in ((i + 1) / (count + 1) for i in range(count))
    ]


def _standing(rng: random.Random) -> Shape:
    """The spine is the front face of the block, the cover its right face."""
    view = camera(rng.uniform(56, 64), rng.uniform(20, 26))
    thick = rng.uniform(30, 42)
    wide, tall = rng.uniform(94, 106), rng.uniform(232, 260)
    board = 7.0
    spine, cover, top = block(view, (-thick, thick), (0, tall), (-wide, wide))
    left_board = block(view, (-thick, -thick + board), (0, tall), (-wide, wide))
    right_board = block(view, (thick - board, thick), (0, tall), (-wide, wide))
    pages = block(view, (-thick + board, thick - board), (6, tall - 9), (-wide + 8, wide - 6))
    backing = block(view, (-thick, thick), (0, tall), (wide - board, wide))
    parts = [
        Part("pages", poly(*top), "detail", fill="#b9b2a2"),
        Part("pages", poly(*pages[2]), "detail", fill=_PAGES),
        *[
            Part("page edge", line(toward(pages[2][0], pages[2][1], k),
                                   toward(pages[2][3], pages[2][2], k)), "line", width=1.6)
            for k in (0.2, 0.4, 0.6, 0.8)
        ],
        Part("board", poly(*left_board[2]), shade=-0.1),
        Part("board", poly(*backing[2]), shade=0.1),
        Part("board", poly(*right_board[2]), shade=0.12),
        Part("cover", poly(*cover), shade=0.0),
        Part("spine", poly(*spine), shade=-0.24),
        Part("hinge", line(toward(cover[0], cover[1], 0.07), toward(cover[3], cover[2], 0.07)),
             "line", width=3),
        Part("frame", poly(*_inset(cover, 0.15, 0.07, 0.93, 0.93)), "line", width=3),
        *[Part("rib", poly(*_inset(spine, 0.0, k, 1.0, k + 0.035)), shade=-0.44)
          for k in (0.1, 0.2, 0.78, 0.88)],
        *_label(rng, cover),
        Part("label", poly(*_inset(spine, 0.22, 0.32, 0.78, 0.66)), "detail", fill="#d8d5cc"),
    ]  # fmt: skip
    facets: list[Facet] = []
    for a, b, c, d in (cover, spine):
        m = toward(a, c, 0.5)
        facets += [(a, b, m), (b, c, m), (c, d, m), (d, a, m)]
    facets += [(top[0], top[1], top[2]), (top[0], top[2], top[3])]
    note = rng.choice(("standing upright", "thick and standing upright"))
    return Shape("book", tuple(parts), tuple(facets), 0, note)


def _label(rng: random.Random, cover: Facet) -> list[Part]:
    """A title plate with two lines of writing on the cover."""
    top = rng.uniform(0.2, 0.28)
    plate = _inset(cover, 0.28, top, 0.82, top + 0.22)
    low = _inset(cover, 0.4, 0.68, 0.7, 0.72)
    return [
        Part("label", poly(*plate), "detail", fill="#e9e6de"),
        Part("writing", poly(*_inset(plate, 0.16, 0.26, 0.84, 0.4)), "detail", fill="#77736b"),
        Part("writing", poly(*_inset(plate, 0.28, 0.6, 0.72, 0.72)), "detail", fill="#9b978e"),
        Part("writing", poly(*low), "detail", fill="#d8d5cc"),
    ]


def _lying(rng: random.Random) -> Shape:
    """The cover is the top face, the spine the front, the pages show at the right."""
    view = camera(rng.uniform(30, 42), rng.uniform(38, 48))
    wide, deep = rng.uniform(104, 116), rng.uniform(136, 150)
    thick = rng.uniform(60, 80)
    board = 9.0
    wide, deep = deep, wide
    whole = block(view, (-wide, wide), (0, thick), (-deep, deep))
    low = block(view, (-wide, wide), (0, board), (-deep, deep))
    high = block(view, (-wide, wide), (thick - board, thick), (-deep, deep))
    pages = block(view, (-wide + 6, wide - 9), (board, thick - board), (-deep, deep - 6))
    spine = whole[0]
    cover = high[2]
    parts = [
        *quad_parts("board", low, -0.16),
        Part("pages", poly(*pages[1]), "detail", fill=_PAGES),
        *_rules(pages[1], 4, 1.8),
        Part("cover", poly(*cover), shade=0.06),
        Part("board", poly(*high[1]), shade=-0.14),
        Part("spine", poly(*spine), shade=-0.22),
        *[Part("rib", poly(*_inset(spine, k, 0.0, k + 0.03, 1.0)), shade=-0.44)
          for k in (0.1, 0.2, 0.78, 0.88)],
        Part("label", poly(*_inset(spine, 0.34, 0.24, 0.66, 0.76)), "detail", fill="#d8d5cc"),
        Part("hinge", line(toward(cover[3], cover[0], 0.07), toward(cover[2], cover[1], 0.07)),
             "line", width=3),
        Part("frame", poly(*_inset(cover, 0.07, 0.08, 0.93, 0.86)), "line", width=3),
        *_label(rng, cover),
    ]  # fmt: skip
    facets: list[Facet] = []
    for a, b, c, d in (cover, spine):
        m = toward(a, c, 0.5)
        facets += [(a, b, m), (b, c, m), (c, d, m), (d, a, m)]
    facets.append(whole[1])
    return Shape("book", tuple(parts), tuple(facets), 0, "thick and lying flat")
