"""A chair: four legs, a seat and a back, built from blocks and seen from a corner."""

from __future__ import annotations

import random

from ..svg import Part, Shape
from .geometry import Facet, block, camera, place, poly, quad_parts


def chair(rng: random.Random) -> Shape:
    """Draw a chair with a panel, a slatted or a spindle back."""
    kind = rng.choice(("panel", "slats", "slats", "spindles"))
    view = camera(rng.uniform(26, 38), rng.uniform(15, 22))
    half = rng.uniform(74, 84)
    deep = rng.uniform(70, 80)
    seat = rng.uniform(128, 146)
    thick = rng.uniform(20, 26)
    tall = seat + rng.uniform(150, 176)
    leg = rng.uniform(19, 23)
    parts: list[Part] = []
    facets: list[Facet] = []

    def add(
        name: str,
        x: tuple[float, float],
        y: tuple[float, float],
        z: tuple[float, float],
        tone: float = 0.0,
        show: tuple[int, ...] = (),
        seen: str = "side top front",
    ) -> None:
        faces = block(view, x, y, z)
        cuboid = quad_parts(name, faces, tone)
        parts.extend(part for part in cuboid if part.name.split()[1] in seen)
        facets.extend(faces[i] for i in show)

    left, right = (-half, -half + leg), (half - leg, half)
    back, front = (-deep, -deep + leg), (deep - leg, deep)
    add("leg", left, (0, seat), back, -0.28, seen="side front")
    add("leg", right, (0, seat), back, -0.2, (0, 1), seen="side front")
    rail = (seat * 0.36, seat * 0.36 + 12)
    add("rail", (half - leg + 4, half - 4), rail, (-deep + leg, deep - leg), -0.12, seen="side top")
    add("leg", left, (0, seat), front, -0.06, (0, 1), seen="side front")
    add("leg", right, (0, seat), front, -0.02, (0, 1), seen="side front")
    add("seat", (-half - 6, half + 6), (seat, seat + thick), (-deep, deep + 8), 0.02, (0, 1, 2))
    low = seat + thick
    if kind == "panel":
        add("back", (-half, half), (low, tall), (-deep, -deep + 18), 0.0, (0, 1, 2))
    else:
        add("post", left, (low, tall), back, 0.0, (0,), "side front")
        if kind == "slats":
            count = 3
            for i in range(count):
                y0 = low + 34 + (tall - low - 40) * i / count
                inner = (-half + leg, half - leg)
                add(
                    "slat",
                    inner,
                    (y0, y0 + 30),
                    (-deep + 4, -deep + leg - 4),
                    0.02,
                    (0,),
                    "front top",
                )
        else:
            for i in range(4):
                x0 = -half + leg + (2 * half - 2 * leg) * (i + 0.65) / 4.3 - 5
                add(
                    "spindle",
                    (x0, x0 + 13),
                    (low, tall - 30),
                    (-deep + 4, -deep + 16),
                    -0.04,
                    seen="side front",
                )
            top = (tall - 36, tall)
            add(
                "slat",
                (-half + leg, half - leg),
                top,
                (-deep + 2, -deep + leg - 2),
                0.04,
                (0,),
                "front top",
            )
        add("post", right, (low, tall), back, 0.0, (0, 1), "side front")
        add("knob", (-half, -half + leg), (tall, tall + 9), back, 0.08)
        add("knob", (half - leg, half), (tall, tall + 9), back, 0.08)
    if kind == "panel":
        x0, x1, y0, y1 = -half + 24, half - 24, low + 34, tall - 24
        z = -deep + 18
        inset = (view(x0, y1, z), view(x1, y1, z), view(x1, y0, z), view(x0, y0, z))
        parts.append(Part("panel", poly(*inset), shade=-0.16))
    shape = Shape(
        "chair",
        tuple(parts),
        tuple(facets),
        0,
        {"panel": "with a solid back", "slats": "with a slatted back"}.get(
            kind, "with a spindle back"
        ),
    )
    return place(shape, rng, width=350, height=400)
