"""Theme `background`: every place with every animal, for several seeds."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest
from cobsat.drawing import draw, rasterize
from cobsat.drawing.backgrounds import SCENES
from cobsat.drawing.svg import Picture
from cobsat.metrics.word_forms import find_mentions
from cobsat.spec import THEMES
from PIL import ImageChops

THEME = THEMES["background"]
PLACES = THEME.attributes
ANIMALS = THEME.objects


def test_there_is_a_scene_for_every_place_of_table_1():
    assert tuple(SCENES) == PLACES


@pytest.mark.parametrize("place", PLACES)
def test_a_description_names_its_place_its_animal_and_no_other(place):
    for animal in ANIMALS:
        for seed in range(6):
            description = draw("background", place, animal, seed).description
            found = find_mentions(description, "background")
            assert (found.attributes, found.objects) == ((place,), (animal,)), description
            assert description[0].isupper()
            assert description.endswith(".")


@pytest.mark.parametrize("place", PLACES)
def test_an_svg_is_well_formed_small_and_defines_what_it_refers_to(place):
    for animal in ANIMALS:
        svg = draw("background", place, animal, 3).svg
        root = ET.fromstring(svg)
        defined = {node.get("id") for node in root.iter() if node.get("id")}
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) <= defined
        assert len(svg.encode()) < 60_000


@pytest.mark.parametrize("place", PLACES)
def test_numbers_of_a_scene_have_two_decimals_at_most(place):
    picture = Picture()
    scene = SCENES[place](picture, random.Random(8))
    picture.add(*scene.front)
    assert not re.search(r"\d\.\d{3}", picture.svg())


def test_a_seed_gives_the_same_drawing_and_another_seed_another():
    first = draw("background", "beach", "zebra", 5)
    assert draw("background", "beach", "zebra", 5) == first
    assert draw("background", "beach", "zebra", 6).svg != first.svg


@pytest.mark.parametrize("place", PLACES)
def test_an_animal_fills_much_of_the_picture_and_stands_out_from_its_place(place):
    """The picture without its animal differs over a good part of it, and clearly so."""
    picture = Picture()
    rng = random.Random(f"background/{place}/tiger/0")
    scene = SCENES[place](picture, rng)
    picture.add(*scene.front)
    empty = rasterize(picture.svg(), 96)
    full = rasterize(draw("background", place, "tiger", 0).svg, 96)
    difference = ImageChops.difference(empty, full).convert("L").tobytes()
    clear = sum(value > 24 for value in difference) / len(difference)
    assert 0.08 < clear < 0.6
