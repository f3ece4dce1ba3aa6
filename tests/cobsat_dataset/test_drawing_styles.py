"""The theme style: all hundred pictures, their descriptions, and what makes each style itself."""

from __future__ import annotations

import itertools
import math
import random
import re
import xml.etree.ElementTree as ElementTree

import pytest
from cobsat.drawing import draw
from cobsat.drawing.styles import _cells, _foldings, _geometry, _meshes, _mosaics, compose, lego
from cobsat.drawing.styles._scene import without_layers
from cobsat.drawing.styles.wireframe import _depths, _visible
from cobsat.drawing.svg import Part, Shape
from cobsat.spec import THEMES

STYLES = THEMES["style"].attributes
OBJECTS = THEMES["style"].objects

# Words that a judge of descriptions takes for an attribute or an object, with inflections.
STYLE_WORDS = {
    "watercolor": r"water ?colou?r(s|ed|ing)?",
    "sketch": r"sketch(es|ed|ing|y)?",
    "pixel": r"pixel(s|ated|ed)?",
    "origami": r"origami",
    "lego": r"legos?",
    "icon": r"icon(s|ic)?",
    "graffiti": r"graffiti(s|ed)?",
    "futuristic": r"futuristic(ally)?",
    "wireframe": r"wire-?frames?|3d",
    "old": r"old(er|est)?",
}
OBJECT_WORDS = {
    "leaf": r"leaf(s|y)?|leaves", "hat": r"hats?", "cup": r"cups?", "chair": r"chairs?",
    "car": r"cars?", "box": r"box(es|ed)?", "book": r"books?", "ball": r"balls?",
    "bag": r"bags?", "apple": r"apples?",
}  # fmt: skip


def named(words: dict[str, str], text: str) -> list[str]:
    return [w for w, pattern in words.items() if re.search(rf"\b({pattern})\b", text, re.I)]


def colors(svg: str) -> set[str]:
    return set(re.findall(r"#[0-9a-f]{6}\b", svg))


def shapes(svg: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [e for e in root.iter() if e.tag.rpartition("}")[2] in ("path", "circle", "ellipse")]


@pytest.mark.parametrize("style", STYLES)
def test_every_object_in_every_style(style: str) -> None:
    for object_ in OBJECTS:
        pictures = [draw("style", style, object_, seed) for seed in (0, 1)]
        assert pictures[0].svg != pictures[1].svg
        for picture in pictures:
            ElementTree.fromstring(picture.svg)
            assert "nan" not in picture.svg
            assert len(picture.svg) < 100_000
            assert named(STYLE_WORDS, picture.description) == [style], picture.description
            assert named(OBJECT_WORDS, picture.description) == [object_], picture.description
            assert re.fullmatch(r"[A-Z][^\n]*\.", picture.description)


@pytest.mark.parametrize("style", STYLES)
def test_a_seed_gives_one_picture(style: str) -> None:
    for object_ in ("car", "leaf"):
        assert draw("style", style, object_, 7) == draw("style", style, object_, 7)


def test_descriptions_name_one_style_and_one_object_whatever_the_seed() -> None:
    for style in ("origami", "icon", "lego"):  # the quick ones to draw
        for object_ in OBJECTS:
            for seed in range(3, 12):
                text = compose(style, object_, random.Random(seed))[1]
                assert named(STYLE_WORDS, text) == [style], text
                assert named(OBJECT_WORDS, text) == [object_], text


def test_names_must_be_of_table_1() -> None:
    with pytest.raises(ValueError, match="style attribute must be one of"):
        compose("watercolour", "car", random.Random(0))
    with pytest.raises(ValueError, match="object must be one of"):
        compose("watercolor", "zebra", random.Random(0))


@pytest.mark.parametrize("object_", OBJECTS)
def test_pixel_is_a_grid_of_few_colors(object_: str) -> None:
    svg = draw("style", "pixel", object_, 0).svg
    scale = float(re.search(r"scale\(([\d.]+)\)", svg)[1])
    count = round(512 / scale)
    assert count in (32, 36, 40)
    covered = 0
    for element in shapes(svg):
        rects = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z", element.get("d"))
        assert "".join("M{} {}h{}v{}h-{}z".format(*r) for r in rects) == element.get("d")
        covered += sum(int(w) * int(h) for _, _, w, h, _ in rects)
    assert covered == count * count  # every cell has one colour, none has two
    assert len(colors(svg)) <= 32


@pytest.mark.parametrize("object_", OBJECTS)
def test_sketch_is_grey(object_: str) -> None:
    for seed in (0, 1):
        for color in colors(draw("style", "sketch", object_, seed).svg):
            channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
            assert max(channels) - min(channels) <= 16, color


@pytest.mark.parametrize("object_", OBJECTS)
def test_wireframe_fills_nothing(object_: str) -> None:
    elements = shapes(draw("style", "wireframe", object_, 0).svg)
    assert len(elements) == 4  # floor, hidden edges, edges, strong lines
    assert all(element.get("fill") == "none" for element in elements)
    assert elements[2].get("d").count("M") > 40


def test_a_face_hides_the_line_behind_it() -> None:
    face = ((100.0, 100.0, 0.0), (300.0, 100.0, 0.0), (300.0, 300.0, 0.0), (100.0, 300.0, 0.0))
    depth = _depths([face])
    behind = [(200.0, 50.0, -1.0), (200.0, 350.0, -1.0)]
    front, rear = _visible([behind], depth)
    assert front.count("M") == 2  # above and below the face
    assert rear.count("M") == 1
    ends = [float(y) for y in re.findall(r" ([\d.]+)", rear)]
    assert ends[0] == pytest.approx(100, abs=16)
    assert ends[-1] == pytest.approx(300, abs=16)
    assert _visible([[(200.0, 50.0, 1.0), (200.0, 350.0, 1.0)]], depth)[1] == ""


@pytest.mark.parametrize("object_", OBJECTS)
def test_meshes_have_volume(object_: str) -> None:
    mesh, strong = _meshes.MODELS[object_](random.Random(0))
    points = [p for face in mesh for p in face]
    size = [max(p[k] for p in points) - min(p[k] for p in points) for k in range(3)]
    assert len(mesh) > 100
    assert min(size) > 0.15
    assert max(size) < 3
    assert min(p[1] for p in points) > -1.3
    assert all(len(line) > 1 for line in strong)


@pytest.mark.parametrize("object_", OBJECTS)
def test_mosaics_fit_the_baseplate(object_: str) -> None:
    for seed in range(6):
        rows = _mosaics.mosaic(object_, random.Random(seed))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) < lego._COUNT
        assert len(rows[0]) < lego._COUNT
        assert set("".join(rows)) <= set("mdlxwkgyrbcG.")
        assert sum(letter in "mdlx" for row in rows for letter in row) > 60


@pytest.mark.parametrize("object_", OBJECTS)
def test_foldings_are_facets_within_the_picture(object_: str) -> None:
    for seed in range(4):
        facets = _foldings.FOLDINGS[object_](random.Random(seed))
        assert len(facets) >= 8
        for facet in facets:
            assert all(20 < x < 492 and 40 < y < 500 for x, y in facet.points)
            ring = [*facet.points, facet.points[0]]
            assert sum(math.dist(a, b) for a, b in itertools.pairwise(ring)) > 30


def test_flatten_follows_the_commands() -> None:
    square = [[(10.0, 10.0), (30.0, 10.0), (30.0, 30.0), (10.0, 30.0), (10.0, 10.0)]]
    assert _geometry.flatten("M10 10H30V30H10Z") == square
    assert _geometry.flatten("m10 10 20 0l0 20h-20z") == square
    assert _geometry.flatten("M10,10L30-0.5")[0][-1] == (30.0, -0.5)
    circle = _geometry.flatten("M0 50A50 50 0 1 0 100 50A50 50 0 1 0 0 50Z")[0]
    assert all(math.dist(p, (50, 50)) == pytest.approx(50) for p in circle)
    assert {round(max(p[1] for p in circle)), round(min(p[1] for p in circle))} == {0, 100}
    curve = _geometry.flatten("M0 0Q10 20 20 0T40 0", steps=2)[0]
    assert curve == [(0.0, 0.0), (10.0, 10.0), (20.0, 0.0), (30.0, -10.0), (40.0, 0.0)]
    smooth = _geometry.flatten("M0 0C0 8 8 8 8 0S16 -8 16 0", steps=2)[0]
    assert smooth == [(0.0, 0.0), (4.0, 6.0), (8.0, 0.0), (12.0, -6.0), (16.0, 0.0)]
    with pytest.raises(ValueError, match="path data must begin with a command"):
        _geometry.flatten("X1 2")


def test_spans_and_inside_know_a_hole_from_an_overlap() -> None:
    outer = _geometry.flatten("M0 0H100V100H0Z")[0]
    hole = _geometry.flatten("M40 40V60H60V40Z")[0]  # runs the other way round
    assert _geometry.spans([outer, hole], 50) == [(0, 40), (60, 100)]
    assert _geometry.spans([outer, hole[::-1]], 50) == [(0, 100)]
    assert not _geometry.inside([outer, hole], 50, 50)
    assert _geometry.inside([outer, hole], 20, 50)
    assert not _geometry.inside([outer], 120, 50)


def test_cells_take_the_part_on_top_and_merge_to_rectangles() -> None:
    parts = (Part("body", "M128 128H384V384H128Z"), Part("window", "M128 128H256V256H128Z"))
    shape = Shape("box", parts, (), 384)
    grid = _cells.to_cells(shape, 4, lambda part: {"body": "red", "window": "blue"}[part.name])
    assert grid == [
        [None, None, None, None],
        [None, "blue", "red", None],
        [None, "red", "red", None],
        [None, None, None, None],
    ]
    assert _cells.merge(grid) == [
        ((1, 1, 1, 1), "blue"),
        ((2, 1, 1, 2), "red"),
        ((1, 2, 1, 1), "red"),
    ]
    assert ((1, 0, 2, 1), "red") in _cells.merge([["blue", "red", "red", "red"]] * 4, 2, 1)


def test_transparency_moves_to_a_lone_fill_or_stroke() -> None:
    both = '<path d="M0 0" fill="#fff" stroke="#000" opacity="0.5"/>'
    assert without_layers(both) == both
    assert without_layers('<path d="" fill="none" stroke="#000" opacity="0.5">') == (
        '<path d="" fill="none" stroke="#000" stroke-opacity="0.5">'
    )
    assert without_layers('<circle r="1" opacity="0.5">') == '<circle r="1" fill-opacity="0.5">'
    assert without_layers('<g opacity="0.5">') == '<g opacity="0.5">'
