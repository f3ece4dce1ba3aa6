"""Style origami: folded paper, each object with a folding of its own.

A facet is a polygon with a tone; a light facet shows the white back of the sheet. The picture is
flat facets, crisp folds between them, and the shadow that folded paper throws.
"""

from __future__ import annotations

import random

from ..svg import Picture, element, group, num, path, polygon_d, shade
from ._foldings import FOLDINGS, Facet
from ._scene import blend, hsl, place, sentence

# Hues a sheet may have, with their names; leaf and apple stay near their own colours.
_PAPERS: dict[str, tuple[float, float, float]] = {
    "red": (356, 0.68, 0.54), "orange": (26, 0.82, 0.55), "yellow": (45, 0.85, 0.56),
    "green": (128, 0.42, 0.46), "teal": (178, 0.5, 0.42), "blue": (212, 0.62, 0.52),
    "violet": (272, 0.42, 0.56), "pink": (338, 0.66, 0.64),
}  # fmt: skip
_OWN = {"leaf": ("green", "orange", "teal", "red"), "apple": ("red", "green", "red")}


def compose(object_: str, rng: random.Random) -> tuple[str, str]:
    """Fold an object of paper; return SVG and description."""
    name = rng.choice(_OWN.get(object_, tuple(_PAPERS)))
    hue, saturation, lightness = _PAPERS[name]
    hue += rng.uniform(-6, 6)
    sheets = {
        "main": hsl(hue, saturation, lightness),
        "second": hsl(hue + rng.choice((-40, 40, 150)), saturation, lightness),
        "back": hsl(hue + 20, 0.3, 0.94),
        "dark": hsl(hue + 200, 0.14, 0.3),
        "wood": "#8a5a34",
        "green": "#5fae4b",
    }
    picture = Picture()
    table, table_name = rng.choice(
        (("#e9e2d3", "cream"), ("#d5e3e8", "pale blue"), ("#efdcd6", "blush"), ("#dfe5d2", "sage"))
    )
    _table(picture, table, rng)
    facets = FOLDINGS[object_](rng)
    patterned = rng.random() < 0.5
    where = place(rng, turn=4, low=0.88, high=0.98, shift=12)
    _paint(picture, facets, sheets, where, _pattern(picture, rng) if patterned else None)
    made = f"{name} {'patterned ' if patterned else ''}paper"
    description = sentence(
        rng.choice(
            (
                f"an origami {object_} folded from {made} stands on a {table_name} table; its "
                f"creases are crisp.",
                f"origami {object_}: {made}, with sharp folds and flat facets, on a {table_name} "
                f"ground.",
                f"a {object_} made as origami from one sheet of {made} throws a soft shadow on a "
                f"{table_name} surface.",
            )
        )
    )
    return picture.svg(), description


def _table(picture: Picture, color: str, rng: random.Random) -> None:
    fill = blend(picture, shade(color, 0.45), shade(color, -0.14), x1=0, y1=0, x2=0.4, y2=1)
    picture.add(element("rect", width=512, height=512, fill=fill))
    # The unfolded sheet, still showing its creases, tells how the thing was made.
    x, y, turn = rng.uniform(150, 360), rng.uniform(250, 330), rng.uniform(20, 70)
    creases = "".join(
        path(d, stroke=shade(color, -0.2), stroke_width=1.6, fill="none")
        for d in ("M-170 -170L170 170", "M170 -170L-170 170", "M0 -170V170", "M-170 0H170",
                  "M0 -170L170 0L0 170L-170 0Z")
    )  # fmt: skip
    picture.add(
        group(
            element("rect", x=-166, y=-164, width=340, height=340, fill=shade(color, -0.22)),
            element("rect", x=-170, y=-170, width=340, height=340, fill=shade(color, 0.35)),
            creases,
            transform=f"translate({num(x)} {num(y)}) rotate({num(turn)})",
            opacity=0.8,
        )
    )


def _pattern(picture: Picture, rng: random.Random) -> str:
    """Define a washi pattern of waves, dots or crosses, in white."""
    kind = rng.choice(("waves", "dots", "diamonds"))
    if kind == "waves":
        marks = "".join(
            element("circle", cx=cx, cy=cy, r=r, fill="none", stroke="#fff", stroke_width=1.8)
            for cx, cy in ((0, 24), (24, 24), (12, 12))
            for r in (11, 6)
        )
        return picture.define("pattern", marks, width=24, height=24, patternUnits="userSpaceOnUse")
    if kind == "dots":
        marks = element("circle", cx=6, cy=6, r=3.6, fill="#fff") + element(
            "circle", cx=19, cy=19, r=3.6, fill="#fff"
        )
        return picture.define("pattern", marks, width=26, height=26, patternUnits="userSpaceOnUse")
    marks = path("M14 2L26 14L14 26L2 14Z", fill="none", stroke="#fff", stroke_width=2.4)
    return picture.define("pattern", marks, width=28, height=28, patternUnits="userSpaceOnUse")


def _paint(
    picture: Picture, facets: list[Facet], sheets: dict[str, str], where: str, pattern: str | None
) -> None:
    silhouette = "".join(polygon_d(f.points) for f in facets)
    lowest = max(y for f in facets for _, y in f.points)
    blur = picture.define("filter", element("feGaussianBlur", stdDeviation=8))
    pool = picture.define(
        "radialGradient",
        '<stop offset="0.3" stop-color="#2c2a3a" stop-opacity="0.5"/>'
        '<stop offset="1" stop-color="#2c2a3a" stop-opacity="0"/>',
    )
    picture.add(
        group(
            element("ellipse", cx=262, cy=lowest + 2, rx=210, ry=26, fill=pool),
            path(silhouette, fill="#2c2a3a", opacity=0.34, transform="translate(13 15)",
                 filter=blur),
            transform=where,
        )
    )  # fmt: skip
    painted = []
    for facet in facets:
        color = shade(sheets[facet.sheet], facet.tone)
        xs, ys = [p[0] for p in facet.points], [p[1] for p in facet.points]
        fill = color
        if (max(xs) - min(xs)) * (max(ys) - min(ys)) > 6000:
            fill = blend(
                picture, shade(color, 0.13), shade(color, -0.1), gradientUnits="userSpaceOnUse",
                x1=min(xs), y1=min(ys), x2=max(xs), y2=max(ys),
            )  # fmt: skip
        d = polygon_d(facet.points)
        painted.append(path(d, fill=fill, stroke=shade(color, 0.3), stroke_width=1.6,
                            stroke_linejoin="round"))  # fmt: skip
        if pattern and facet.sheet == "main":
            painted.append(path(d, fill=pattern, opacity=0.3))
    picture.add(group(*painted, transform=where))
