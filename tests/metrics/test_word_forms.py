"""Which options a description names: a table of cases, written before the word forms were."""

from __future__ import annotations

import pytest
from cobsat import THEMES
from cobsat.metrics.grading import grade
from cobsat.metrics.mention_judge import MentionJudge, judge_description
from cobsat.metrics.word_forms import FORMS, NOT_MEANT, find_mentions

NAMED = [
    # description, theme, objects, attributes
    ("A red car.", "color", "car", "red"),
    ("RED CARS!", "color", "car", "red"),
    ("a cherry-red car", "color", "car", "red"),
    ("an image of red_car", "color", "car", "red"),
    ("The car's paint is reddish.", "color", "car", "red"),
    ("The car\u2019s paint is red.", "color", "car", "red"),
    ("A tired man repaired a carpet in his scarf.", "color", "", ""),
    ("An orange chair, bright orange.", "color", "chair", "orange"),
    ("A bowl of oranges and a green leaf", "color", "leaf", "green"),
    ("Autumn leaves, all brown", "color", "leaf", "brown"),
    ("A blue box leaves a shadow.", "color", "box", "blue"),
    ("A gold ball", "color", "ball", ""),
    ("A pink hat; a hatch and a cupboard are white-free.", "color", "hat", "white pink"),
    ("A blackboard, a bluebird and a greenhouse", "color", "", ""),
    ("Yellow handbag", "color", "bag", "yellow"),
    ("Purple baseball cap on a book", "color", "book", "purple"),
    ("A brown basketball", "color", "ball", "brown"),
    ("A pineapple, a scar, a facebook page", "color", "", ""),
    ("Two green apples in a box", "color", "box apple", "green"),
    ("A dog in a desert", "background", "dog", "desert"),
    ("A dog eats a dessert in a deserted place", "background", "dog", ""),
    ("A lion at an amusement park", "background", "lion", "park"),
    ("A lion in a theme park", "background", "lion", "park"),
    ("A lion in the park", "background", "lion", "park"),
    ("A lion is parked in a car park", "background", "lion", ""),
    ("A cow on the sea floor", "background", "cow", "seafloor"),
    ("A cow on the ocean floor", "background", "cow", "seafloor"),
    ("A cow on the seabed", "background", "cow", "seafloor"),
    ("A cow swims in the sea", "background", "cow", ""),
    ("A pig before a glacier of ice", "background", "pig", "glacier"),
    ("A pig before ice", "background", "pig", ""),
    ("Volcanic ash rains on sheep", "background", "sheep", "volcano"),
    ("Zebras by the waterfalls", "background", "zebra", "waterfall"),
    ("A zebra, water falling", "background", "zebra", ""),
    ("A bird in outer space", "background", "bird", "space"),
    ("A monkey in a spacious cavern", "background", "monkey", "cave"),
    ("A cat in a gymnasium", "background", "cat", "gym"),
    ("A tiger on the beaches", "background", "tiger", "beach"),
    ("A sea lion on a beach", "background", "", "beach"),
    ("A guinea pig in a cave", "background", "", "cave"),
    ("Cattle and a dandelion, a catalogue of birdcages", "background", "", ""),
    ("A watercolour of a cup", "style", "cup", "watercolor"),
    ("A water-color hat", "style", "hat", "watercolor"),
    ("A pencil-sketched chair", "style", "chair", "sketch"),
    ("Pixel art of a leaf", "style", "leaf", "pixel"),
    ("A pixelated leaf", "style", "leaf", "pixel"),
    ("LEGO car", "style", "car", "lego"),
    ("a car of legos", "style", "car", "lego"),
    ("An app icon of a book", "style", "book", "icon"),
    ("An iconic book", "style", "book", ""),
    ("a wire-frame ball", "style", "ball", "wireframe"),
    ("a wire frame ball", "style", "ball", "wireframe"),
    ("a 3D wireframe ball", "style", "ball", "wireframe"),
    ("a ball of golden wire", "style", "ball", ""),
    ("an old-fashioned bag", "style", "bag", "old"),
    ("a bold, cold, folded bag", "style", "bag", ""),
    ("a ten-year-old's bag", "style", "bag", ""),
    ("the car of the future", "style", "car", "futuristic"),
    ("a futuristically shaped apple", "style", "apple", "futuristic"),
    ("graffiti box on a wall", "style", "box", "graffiti"),
    ("an origami hat", "style", "hat", "origami"),
    ("a swimming cat", "action", "cat", "swim"),
    ("the cat swam", "action", "cat", "swim"),
    ("a cat beside a swimming pool", "action", "cat", ""),
    ("a dog, fast asleep", "action", "dog", "sleep"),
    ("a bird sang", "action", "bird", "sing"),
    ("a single bird", "action", "bird", ""),
    ("the zebra ran", "action", "zebra", "run"),
    ("the zebra prunes a tree", "action", "zebra", ""),
    ("a pig is reading the bread label", "action", "pig", "read"),
    ("a pig, already here", "action", "pig", ""),
    ("a monkey flew by a butterfly", "action", "monkey", "fly"),
    ("a lion beats a treat", "action", "lion", ""),
    ("a lion has eaten", "action", "lion", "eat"),
    ("cows drank", "action", "cow", "drink"),
    ("a sheep cries", "action", "sheep", "cry"),
    ("a sheep cried", "action", "sheep", "cry"),
    ("a sheep in a crypt", "action", "sheep", ""),
    ("a tiger looks angrily", "action", "tiger", "angry"),
    ("a tiger full of anger, in danger, hungry", "action", "tiger", "angry"),
    ("a dog and a cat, running and singing", "action", "dog cat", "sing run"),
    ("a wooden cup", "texture", "cup", "wood"),
    ("a cup in the woods", "texture", "cup", ""),
    ("a book covered in sequins", "texture", "book", "sequined"),
    ("a sequinned book", "texture", "book", "sequined"),
    ("a metallic chair", "texture", "chair", "metal"),
    ("a leatherback turtle", "texture", "", ""),
    ("a leathery bag", "texture", "bag", "leather"),
    ("a lacy hat", "texture", "hat", "lace"),
    ("a hat laced up with shoelaces in place", "texture", "hat", ""),
    ("a paperback with a wallpaper print", "texture", "", ""),
    ("a paper ball", "texture", "ball", "paper"),
    ("an apple of woven wicker", "texture", "apple", "wicker"),
    ("a denim leaf", "texture", "leaf", "denim"),
    ("ceramics: a box", "texture", "box", "ceramic"),
    ("a plastic car on hardwood", "texture", "car", "wood plastic"),
    ("", "texture", "", ""),
    ("\u200bre\u00add c\u200bar", "color", "car", "red"),
    ("\uff52\uff45\uff44 car", "color", "car", "red"),
]


@pytest.mark.parametrize(("description", "theme", "objects", "attributes"), NAMED)
def test_names(description: str, theme: str, objects: str, attributes: str) -> None:
    found = find_mentions(description, theme)
    assert found.objects == tuple(objects.split())
    assert found.attributes == tuple(attributes.split())


def test_every_option_names_itself_and_no_other() -> None:
    for theme in THEMES.values():
        for attribute in theme.attributes:
            for object_ in theme.objects:
                for text in (f"a {attribute} {object_}", f"{theme.text(attribute)} {object_}s"):
                    found = find_mentions(text, theme.name)
                    assert found.attributes == (attribute,), text
                    assert found.objects == (object_,) or object_ in ("leaf", "box"), text


def test_forms_are_reachable() -> None:
    options = {o for t in THEMES.values() for o in (*t.objects, *t.attributes)}
    assert set(FORMS) == options
    assert set(NOT_MEANT) <= options
    for theme in THEMES.values():
        for option in (*theme.objects, *theme.attributes):
            for form in FORMS[option]:
                found = find_mentions(f"There is {form}.", theme.name)
                assert option in (*found.objects, *found.attributes), form
                assert len(found.objects) + len(found.attributes) == 1, form


def test_a_phrase_hides_only_itself() -> None:
    assert find_mentions("a sea lion and a lion", "action").objects == ("lion",)
    assert find_mentions("a guinea pig, guinea pig", "action").objects == ()


def test_unscored_says_why() -> None:
    reference = {"task": "color_ii", "object": "car", "attribute": "red"}
    reasons = {
        "A red car.": None,
        "A car.": "names no attribute",
        "Red.": "names no object",
        "A car and a hat, red or blue": "names several objects: hat, car; "
        "names several attributes: red, blue",
        "  ": "empty description",
    }
    for text, reason in reasons.items():
        verdict = judge_description(text, reference)
        assert verdict.reason == reason
        assert (verdict.status == "scored") == (reason is None)
    half = judge_description("A red thing.", reference)
    assert (half.attribute, half.attribute_correct, half.object, half.object_correct) == (
        "red", True, None, None,
    )  # fmt: skip


def test_judge_refuses_pictures_and_strange_references() -> None:
    judge = MentionJudge()
    reference = {"task": "color_i", "object": "car", "attribute": "red"}
    with pytest.raises(ValueError, match="must be 'description'"):
        judge.judge(["a.png"], [reference], "image")
    with pytest.raises(ValueError, match="did you mean 'color_i'"):
        judge.judge(["a car"], [{**reference, "task": "colour_i"}], "description")
    with pytest.raises(ValueError, match="object of a color_i reference must be one of leaf"):
        judge.judge(["a car"], [{**reference, "object": "zebra"}], "description")


def test_grade_compares_with_the_reference() -> None:
    reference = {"task": "color_i", "object": "car", "attribute": "red"}
    verdict = grade(reference, "car", "blue", reason="not kept")
    assert (verdict.status, verdict.object_correct, verdict.attribute_correct) == (
        "scored", True, False,
    )  # fmt: skip
    assert verdict.reason is None
    assert not verdict.correct
