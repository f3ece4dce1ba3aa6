"""The ten animals and the ten things they do: determinism, anchors, and words."""

import random
import re
import xml.etree.ElementTree as ET

import pytest
from cobsat.drawing import draw
from cobsat.drawing.actions import ACTIONS
from cobsat.drawing.animals import ANIMALS, POSES, Anchors, add_animal, animal_layers
from cobsat.drawing.animals.face import MOODS
from cobsat.drawing.svg import Picture
from cobsat.spec import THEMES

PAIRS = [(a, o) for a in THEMES["action"].attributes for o in THEMES["action"].objects]

# The words by which a reader takes an action to be named.
ACTION_WORDS = {
    "swim": "swim swims swam swimming swimmer",
    "sleep": "sleep sleeps slept sleeping asleep sleepy",
    "sing": "sing sings sang sung singing singer song songs",
    "run": "run runs ran running runner",
    "read": "read reads reading reader",
    "fly": "fly flies flew flying flight",
    "eat": "eat eats ate eating eaten eater",
    "drink": "drink drinks drank drunk drinking",
    "cry": "cry cries cried crying tear tears tearful weeps weeping",
    "angry": "angry angrily anger angered",
}


def paint(name: str, *, pose: str = "walk", seed: int = 0, **more: object) -> tuple[str, Anchors]:
    picture = Picture()
    anchors = add_animal(picture, name, random.Random(seed), pose=pose, **more)  # type: ignore[arg-type]
    return picture.svg(), anchors


def named(text: str, choices: dict[str, str]) -> set[str]:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return {choice for choice, forms in choices.items() if words & set(forms.split())}


def points(anchors: Anchors) -> list[tuple[float, float]]:
    return [
        anchors.mouth, *anchors.eyes, *anchors.ears, *anchors.hands, *anchors.feet, anchors.back,
        anchors.neck, anchors.head, anchors.head_top,
    ]  # fmt: skip


def test_names_are_those_of_table_1() -> None:
    assert ANIMALS == THEMES["action"].objects == THEMES["background"].objects
    assert tuple(ACTIONS) == THEMES["action"].attributes


@pytest.mark.parametrize(("action", "animal"), PAIRS)
def test_a_pair_is_drawn_and_described(action: str, animal: str) -> None:
    animals = {name: f"{name} {name}s" for name in ANIMALS if name != "sheep"}
    animals["sheep"] = "sheep"
    for seed in (0, 1, 2):
        drawing = draw("action", action, animal, seed)
        ET.fromstring(drawing.svg)
        assert len(drawing.svg) < 60_000
        assert "nan" not in drawing.svg
        assert named(drawing.description, ACTION_WORDS) == {action}
        assert named(drawing.description, animals) == {animal}
        assert re.fullmatch(r"An? [a-z].*[a-z]\.", drawing.description)
        assert not re.search(r"\b[Aa] [aeiou]", drawing.description)
    assert draw("action", action, animal, 0) == draw("action", action, animal, 0)
    assert draw("action", action, animal, 0).svg != draw("action", action, animal, 1).svg


@pytest.mark.parametrize("name", ANIMALS)
def test_anchors_lie_in_the_box_in_every_pose(name: str) -> None:
    for pose in POSES:
        for seed in range(4):
            _, anchors = paint(name, pose=pose, seed=seed)
            left, top, right, bottom = anchors.box
            for x, y in points(anchors):
                assert left - 1 <= x <= right + 1, (pose, seed)
                assert top - 1 <= y <= bottom + 1, (pose, seed)
            assert anchors.head_top[1] < anchors.eyes[0][1] < anchors.mouth[1], (pose, seed)


@pytest.mark.parametrize("name", ANIMALS)
def test_flip_mirrors_the_anchors_about_x(name: str) -> None:
    _, plain = paint(name, x=200)
    _, mirrored = paint(name, x=200, flip=True)
    for (ax, ay), (bx, by) in zip(points(plain), points(mirrored), strict=True):
        assert (ax + bx, by) == (pytest.approx(400), pytest.approx(ay))
    assert plain.mouth[0] > 200 > mirrored.mouth[0]


@pytest.mark.parametrize("name", ANIMALS)
def test_an_animal_stands_on_its_ground_some_300_wide_and_scales(name: str) -> None:
    _, anchors = paint(name, x=250, ground=400)
    left, top, right, bottom = anchors.box
    assert bottom == pytest.approx(400, abs=6)
    assert (left + right) / 2 == pytest.approx(250)
    assert 240 < right - left < 380
    _, half = paint(name, x=250, ground=400, scale=0.5)
    assert half.box[2] - half.box[0] == pytest.approx((right - left) / 2)
    assert half.box[3] - half.box[1] == pytest.approx((bottom - top) / 2)
    assert half.eye_radius == pytest.approx(anchors.eye_radius / 2)


@pytest.mark.parametrize("name", ANIMALS)
def test_poses_moods_and_seeds_all_differ(name: str) -> None:
    assert len({paint(name, pose=pose)[0] for pose in POSES}) == len(POSES)
    assert len({paint(name, pose="sit", mood=mood)[0] for mood in MOODS}) == len(MOODS)
    assert len({paint(name, seed=seed)[0] for seed in range(5)}) == 5
    assert paint(name, seed=3) == paint(name, seed=3)


def test_hands_are_apart_from_arms_so_that_things_can_be_held() -> None:
    layers = animal_layers(Picture(), "cat", random.Random(0), pose="sit", arms="hold")
    assert layers.front
    assert layers.top
    (left, y), (right, _) = layers.anchors.hands
    assert left < 0 < right
    assert layers.anchors.mouth[1] < y < 0


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"name": "horse"}, "animal must be one of zebra, .*, got 'horse'"),
        ({"pose": "walking"}, "pose must be one of .*; did you mean 'walk'"),
        ({"mood": "angri"}, "mood must be one of .*; did you mean 'angry'"),
    ],
)
def test_unknown_names_are_refused(choice: dict[str, str], message: str) -> None:
    words = {"name": "cat", "pose": "walk", "mood": "calm"} | choice
    with pytest.raises(ValueError, match=message):
        add_animal(
            Picture(), words["name"], random.Random(0), pose=words["pose"], mood=words["mood"]
        )
