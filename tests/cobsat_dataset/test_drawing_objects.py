"""The ten objects, and the themes color and texture that are made of them."""

from __future__ import annotations

import itertools
import random
import re
import xml.etree.ElementTree as ElementTree

import pytest
from cobsat.drawing import colors, draw, rasterize, textures
from cobsat.drawing.objects import OBJECTS, build
from cobsat.drawing.objects.geometry import bounds, points_of
from cobsat.drawing.objects.lighting import OVERLAYS
from cobsat.drawing.objects.outline import along, inset, seam, spacing, trace
from cobsat.spec import THEMES

INFLECTIONS = {
    **{name: {name, name + "s"} for name in OBJECTS},
    "leaf": {"leaf", "leafs", "leaves", "leafy"},
    "box": {"box", "boxes", "boxy", "boxed"},
    **{name: {name, name + "s", name + "ish"} for name in THEMES["color"].attributes},
    "wood": {"wood", "woods", "wooden", "woody"},
    "wicker": {"wicker", "woven"},
    "sequined": {"sequin", "sequins", "sequined", "sequinned"},
    "plastic": {"plastic", "plastics"},
    "paper": {"paper", "papers", "papery"},
    "metal": {"metal", "metals", "metallic"},
    "leather": {"leather", "leathers", "leathery"},
    "lace": {"lace", "laces", "laced", "lacy"},
    "denim": {"denim", "denims"},
    "ceramic": {"ceramic", "ceramics"},
}
COMPOSERS = {"color": colors.compose, "texture": textures.compose}
PAIRS = [
    (theme, attribute, object_)
    for theme in COMPOSERS
    for attribute in THEMES[theme].attributes
    for object_ in THEMES[theme].objects
]


def named(description: str, names: tuple[str, ...]) -> set[str]:
    words = set(re.findall(r"[a-z]+", description.lower()))
    return {name for name in names if INFLECTIONS[name] & words}


def test_the_objects_are_those_of_table_1() -> None:
    assert tuple(OBJECTS) == THEMES["color"].objects == THEMES["texture"].objects


@pytest.mark.parametrize("name", OBJECTS)
def test_every_seed_stays_in_the_picture(name: str) -> None:
    for seed in range(20):
        shape = build(name, random.Random(seed))
        points = [p for part in shape.parts for p in points_of(part.d)]
        left, top, right, bottom = bounds(points)
        assert min(left, top) >= -40
        assert max(right, bottom) <= 552
        assert right - left > 150
        assert bottom - top > 110
        assert abs((left + right) / 2 - 256) < 70
        assert shape.ground == pytest.approx(bottom, abs=12)


@pytest.mark.parametrize("name", OBJECTS)
def test_facets_lie_within_the_silhouette(name: str) -> None:
    for seed in range(20):
        shape = build(name, random.Random(seed))
        left, top, right, bottom = bounds([p for part in shape.parts for p in points_of(part.d)])
        assert 8 <= len(shape.facets) <= 24
        for x, y in itertools.chain.from_iterable(shape.facets):
            assert left - 4 <= x <= right + 4
            assert top - 4 <= y <= bottom + 4


@pytest.mark.parametrize("name", OBJECTS)
def test_shadows_and_shines_lie_over_something(name: str) -> None:
    for seed in range(20):
        parts = build(name, random.Random(seed)).parts
        solid = [p for part in parts if part.name not in OVERLAYS for p in points_of(part.d)]
        left, top, right, bottom = bounds(solid)
        for part in parts:
            if part.name in OVERLAYS:
                assert part.role == "main"
                assert part.shade != 0
                x0, y0, x1, y1 = bounds(trace(part.d))
                assert left - 4 <= x0
                assert top - 4 <= y0
                assert x1 <= right + 4
                assert y1 <= bottom + 4


@pytest.mark.parametrize("name", OBJECTS)
def test_a_seed_fixes_the_shape_and_another_changes_it(name: str) -> None:
    assert build(name, random.Random(3)) == build(name, random.Random(3))
    assert build(name, random.Random(3)) != build(name, random.Random(4))


@pytest.mark.parametrize(("theme", "attribute", "object_"), PAIRS)
def test_every_pair_is_drawn_and_named(theme: str, attribute: str, object_: str) -> None:
    texts = set()
    for seed in range(2):
        svg, description = COMPOSERS[theme](attribute, object_, random.Random(seed))
        ElementTree.fromstring(svg)
        assert len(svg) < 64_000
        assert not re.search(r"\d\.\d{5}|nan|inf|e-\d", svg)
        assert named(description, THEMES[theme].objects) == {object_}
        assert named(description, THEMES[theme].attributes) == {attribute}
        assert description[0].isupper()
        assert description.endswith(".")
        texts.add(svg)
    assert len(texts) == 2
    assert COMPOSERS[theme](attribute, object_, random.Random(0))[0] in texts


def mean_color(attribute: str, seed: int) -> tuple[float, float, float]:
    """Return the mean colour of the middle of an apple."""
    image = rasterize(draw("color", attribute, "apple", seed).svg, size=64)
    r, g, b = image.crop((24, 30, 40, 44)).resize((1, 1)).getpixel((0, 0))
    return r, g, b


@pytest.mark.parametrize(
    ("attribute", "holds"),
    [
        ("yellow", lambda r, g, b: r > 190 and g > 150 and b < 110),
        ("white", lambda r, g, b: min(r, g, b) > 200),
        ("red", lambda r, g, b: r > 160 and g < 80 and b < 80),
        ("purple", lambda r, g, b: b > r + 20 and r > g + 30),
        ("pink", lambda r, g, b: r > 220 and r > b + 20 and b > g + 10 and g > 100),
        ("orange", lambda r, g, b: r > 210 and 100 < g < 165 and b < 90),
        ("green", lambda r, g, b: g > r + 50 and g > b + 30),
        ("brown", lambda r, g, b: 80 < r < 165 and r > g + 25 and g > b + 10),
        ("blue", lambda r, g, b: b > 150 and b > g + 60 and g > r),
        ("black", lambda r, g, b: max(r, g, b) < 80),
    ],
)
def test_each_colour_keeps_its_name_for_all_seeds(attribute: str, holds) -> None:
    for seed in range(6):
        assert holds(*mean_color(attribute, seed)), (seed, mean_color(attribute, seed))


SQUARE = "M0 0L100 0L100 100L0 100Z"


@pytest.mark.parametrize("d", [SQUARE, "M0 0L0 100L100 100L100 0Z"])
def test_an_inset_square_is_a_smaller_square_whichever_way_it_runs(d: str) -> None:
    assert bounds(inset(trace(d), 10)) == pytest.approx((10, 10, 90, 90))


def test_nothing_is_left_of_a_seam_deeper_than_the_shape() -> None:
    assert seam(SQUARE, 60) == ""
    assert seam(SQUARE, 10) != ""


def test_points_along_a_square_are_evenly_spaced() -> None:
    spots = along(trace(SQUARE), 24)
    assert spacing(trace(SQUARE), 24) == pytest.approx(400 / 17)
    assert len(spots) == 17
    assert spots[:2] == [(0, 0), pytest.approx((400 / 17, 0))]


def test_a_trace_follows_curves_and_keeps_the_first_subpath_alone() -> None:
    arc = trace("M0 0C0 50 100 50 100 0ZM500 500L600 600Z")
    assert arc[0] == (0, 0)
    assert max(y for _, y in arc) == pytest.approx(37.5, abs=1)
    assert max(x for x, _ in arc) <= 100
