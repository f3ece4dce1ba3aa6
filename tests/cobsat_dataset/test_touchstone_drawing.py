"""touchstone-mini: the alphabet, the shipped pictures, and what is said of them."""

import hashlib
import itertools
import json
import random
import re
import string
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import cobsat.touchstone
import pytest
from cobsat.drawing import rasterize
from cobsat.drawing.render import encode, versions
from cobsat.touchstone import CATEGORIES, SUBTASKS
from cobsat.touchstone.drawing import PICTURES, Canvas, raster
from cobsat.touchstone.drawing.__main__ import main
from cobsat.touchstone.drawing.boards import TIMETABLE
from cobsat.touchstone.drawing.counts import CRATES, FISH
from cobsat.touchstone.drawing.gallery_a import PICTURES as OURS
from cobsat.touchstone.drawing.lettering import has_glyphs, lettering, text_d, width, wrap
from cobsat.touchstone.drawing.render import picture_path, render_folder
from PIL import Image, ImageChops

FOLDER = Path(cobsat.touchstone.__file__).parent / "mini"
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
FIRST = {"description": 1, "recognition": 101}
QUESTIONS = {
    entry["index"]: entry
    for category in FIRST
    for entry in json.loads((FOLDER / f"{category}.json").read_text(encoding="utf-8"))
}
PRINTED = string.ascii_letters + string.digits + string.punctuation


def annotation(picture: str) -> str:
    return next(q["annotation"] for q in QUESTIONS.values() if q["images"] == [f"{picture}.webp"])


def pixels(text: str, size: float = 60, **style: object) -> Image.Image:
    canvas = Canvas(width=120, height=100)
    canvas.add('<rect width="120" height="100" fill="#ffffff"/>')
    canvas.write(text, 20, 70, size, **style)
    return raster(canvas).convert("L")


# The alphabet.


def test_the_alphabet_has_all_of_ascii_and_what_the_pictures_need_besides():
    assert has_glyphs(PRINTED)
    assert has_glyphs("Crème brûlée, Ångström, señor, façade: 5 €, 30 °C “ok” ΑΘΗΝΑ 出口")
    assert not has_glyphs("§")


def test_letters_that_are_read_apart_are_drawn_apart():
    drawn = {c: pixels(c) for c in PRINTED}
    ink = {c: sum(p < 128 for p in image.tobytes()) for c, image in drawn.items()}
    assert min(ink.values()) > 20, "every character leaves a mark"
    for a, b in itertools.combinations(drawn, 2):
        difference = ImageChops.difference(drawn[a], drawn[b]).tobytes()
        assert sum(p > 128 for p in difference) > 12, (a, b)


def test_a_capital_is_seven_tenths_of_the_size_high_and_stands_on_the_baseline():
    box = ImageChops.invert(pixels("H", size=60, weight=2)).getbbox()
    assert box is not None
    left, top, right, bottom = box
    assert bottom == pytest.approx(70 + 1, abs=1)
    assert top == pytest.approx(70 - 42 - 1, abs=1)
    assert right - left == pytest.approx(10 * 3 + 2, abs=1)


def test_width_is_that_of_letters_and_gaps_and_grows_with_size_and_spacing():
    # H is 10 wide on the grid of 20 an em, I 0.6, a gap 3.2.
    assert width("HH", 20) == pytest.approx(10 + 3.2 + 10)
    assert width("HIH", 40) == pytest.approx(2 * (10 + 3.2 + 0.6 + 3.2 + 10))
    assert width("HH", 20, spacing=5) == pytest.approx(10 + 3.2 + 5 + 10)
    assert width("é") == width("e")
    assert width("") == 0
    assert len({width(d) for d in string.digits}) == 1, "figures stand under each other"


@pytest.mark.parametrize(("anchor", "left"), [("start", 100), ("middle", 90), ("end", 80)])
def test_the_anchor_says_where_the_line_stands(anchor, left):
    # The T is 10.6 wide at size 20 and its bar is its first stroke; size 37.7 makes it 20.
    d = text_d("T", 100, 50, 20 * 20 / 10.6, anchor=anchor)
    start, end = re.findall(r"[ML](\S+) ", d)[:2]
    assert float(start) == pytest.approx(left, abs=0.02)
    assert float(end) == pytest.approx(left + 20, abs=0.02)


def test_a_turned_line_runs_down_and_a_slanted_one_leans_to_the_right():
    # The stem of an L: from its top at (0, -14) to (0, 0) and its foot to (7.4, 0).
    assert text_d("L", 0, 0, 20, rotate=90) == "M14 0L0 0L0 7.4"
    assert text_d("L", 0, 0, 20, slant=0.5) == "M7 -14L0 0L7.4 0"


def test_an_accent_is_centred_over_its_letter():
    base, marked = text_d("e", 0, 0, 20), text_d("é", 0, 0, 20)
    assert marked.startswith(base)
    numbers = [float(v) for v in re.findall(r"-?[\d.]+", marked.removeprefix(base))]
    assert max(numbers[1::2]) < -10, "above the small letter"
    assert sum(numbers[::2]) / 2 == pytest.approx(4.3 + 0.9, abs=0.02)


def test_greek_capitals_share_the_latin_shapes():
    assert text_d("ΑΒΕ", 0, 0) == text_d("ABE", 0, 0)  # noqa: RUF001


def test_a_character_without_strokes_is_named():
    with pytest.raises(ValueError, match=r"got '§' \(U\+00A7\); add its strokes"):
        lettering("§ 5", 0, 0)


def test_wrap_breaks_at_spaces_and_keeps_a_word_that_is_too_long():
    lines = wrap("a bb ccc incomprehensibilities dd", 20, 60)
    assert " ".join(lines) == "a bb ccc incomprehensibilities dd"
    assert "incomprehensibilities" in lines
    assert all(width(line) <= 60 for line in lines if line != "incomprehensibilities")
    assert any(" " in line for line in lines)


def test_a_shaky_hand_is_the_same_for_the_same_seed():
    one, same, other = (text_d("Hi", 0, 0, shaky=random.Random(seed)) for seed in (1, 1, 2))
    assert one == same != other


# The pictures that ship.


def test_the_folder_holds_the_drawings_and_nothing_else():
    files = {f"pictures/{p.name}" for p in (FOLDER / "pictures").iterdir()}
    assert files == set(map(picture_path, PICTURES)) == set(MANIFEST["pictures"])
    assert sum((FOLDER / name).stat().st_size for name in files) < 2_500_000


def test_every_picture_is_as_the_manifest_says():
    for name, entry in MANIFEST["pictures"].items():
        data = (FOLDER / name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["file"], name
        with Image.open(FOLDER / name) as picture:
            assert (picture.format, picture.mode) == ("WEBP", "RGB"), name
            assert 512 <= max(picture.size) <= 768, name


def test_the_drawings_of_today_are_those_that_ship():
    changed = []
    for name, draw in PICTURES.items():
        digest = hashlib.sha256(draw().svg().encode()).hexdigest()
        if digest != MANIFEST["pictures"][picture_path(name)]["svg"]:
            changed.append(name)
    command = "python -m cobsat.touchstone.drawing --out cobsat_dataset/touchstone/mini"
    assert not changed, f"{changed} changed: {command}"


@pytest.mark.parametrize("name", ["night-village", "cafe-board", "four-faces", "harbour-morning"])
def test_a_picture_drawn_anew_has_the_shipped_bytes(name):
    if versions() != MANIFEST["versions"]:
        pytest.skip(f"drawn with {MANIFEST['versions']}, here are {versions()}")
    assert encode(raster(PICTURES[name]())) == (FOLDER / picture_path(name)).read_bytes()


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_is_well_formed_and_asks_for_nothing_outside_itself(name):
    canvas = PICTURES[name]()
    root = ET.fromstring(canvas.svg())
    assert root.get("viewBox") == f"0 0 {canvas.width} {canvas.height}"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"text", "image", "script", "style", "use"}, "no fonts, no other files"
    used = set(re.findall(r"url\(#(\w+)\)", canvas.svg()))
    assert used <= {element.get("id") for element in root.iter()}


def test_the_command_draws_what_it_is_asked_for_and_a_contact_sheet(tmp_path, capsys):
    sheet = tmp_path / "sheet.png"
    names = ["boarding-pass", "station-exit"]
    arguments = ["--out", str(tmp_path / "a"), "--only", *names, "--processes", "1"]
    assert main([*arguments, "--contact-sheet", str(sheet)]) == 0
    assert "2 pictures" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "a" / "manifest.json").read_text())
    assert list(manifest["pictures"]) == [picture_path(name) for name in names]
    for name in names:
        assert (tmp_path / "a" / picture_path(name)).is_file()
        entry = MANIFEST["pictures"][picture_path(name)]["svg"]
        assert manifest["pictures"][picture_path(name)]["svg"] == entry
    with Image.open(sheet) as picture:
        assert picture.size == (480, 258)


def test_a_folder_keeps_the_others_drops_the_unknown_and_refuses_other_libraries(tmp_path):
    render_folder(tmp_path, names=["station-exit"], processes=1)
    (tmp_path / "pictures" / "gone.webp").write_bytes(b"")
    manifest = render_folder(tmp_path, names=["boarding-pass"], processes=1)
    assert set(manifest["pictures"]) == {
        "pictures/boarding-pass.webp",
        "pictures/station-exit.webp",
    }
    assert not (tmp_path / "pictures" / "gone.webp").exists()

    manifest["versions"]["pillow"] = "0"
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match="must have versions"):
        render_folder(tmp_path, names=["boarding-pass"], processes=1)


def test_a_canvas_is_as_wide_as_it_is_high_only_if_it_says_so():
    canvas = Canvas(width=300, height=100)
    canvas.add('<rect x="150" width="150" height="100" fill="#ff0000"/>')
    picture = raster(canvas)
    assert picture.size == (300, 100)
    assert [picture.getpixel((x, 50)) for x in (140, 160)] == [(0, 0, 0), (255, 0, 0)]
    assert rasterize(canvas.svg(), (150, 50)).size == (150, 50)


# What is said of them.


@pytest.mark.parametrize("name", OURS)
def test_all_that_is_written_in_a_picture_is_in_its_annotation_word_for_word(name):
    said = annotation(name)
    missing = [text for text in OURS[name]().texts if text not in said]
    assert not missing


@pytest.mark.parametrize(
    "name",
    ["cafe-board", "station-exit", "park-map", "boarding-pass", "fridge-note", "lab-notebook",
     "registration-form", "bus-timetable", "fruit-stall", "surprise-party"],
)  # fmt: skip
def test_all_that_an_annotation_quotes_is_written_in_the_picture(name):
    quoted = re.findall(r'"([^"]+)"', annotation(name))
    assert quoted
    assert set(quoted) - {"oh"} <= set(OURS[name]().texts)


def test_every_subtask_has_two_questions_on_different_pictures():
    wanted = {name for name, category in SUBTASKS.items() if category in FIRST}
    pictures = {name: set() for name in wanted}
    for entry in QUESTIONS.values():
        pictures[entry["subtask"]].update(entry["images"])
    assert min(map(len, pictures.values())) >= 2, pictures
    assert {p for found in pictures.values() for p in found} == {f"{name}.webp" for name in OURS}


def test_a_question_belongs_to_its_subtasks_category_and_its_index_to_the_file():
    assert list(QUESTIONS) == sorted(QUESTIONS)
    for index, entry in QUESTIONS.items():
        category = SUBTASKS[entry["subtask"]]
        assert entry["categories"][0] == category
        assert set(entry["categories"]) <= set(CATEGORIES)
        assert FIRST[category] <= index < FIRST[category] + 99
    several = [entry for entry in QUESTIONS.values() if len(entry["categories"]) > 1]
    assert len(several) >= 3


def test_annotations_are_fine_grained_and_one_a_picture():
    by_picture: dict[str, set[str]] = {}
    for entry in QUESTIONS.values():
        (picture,) = entry["images"]
        by_picture.setdefault(picture, set()).add(entry["annotation"])
    for picture, texts in by_picture.items():
        (text,) = texts
        assert 60 <= len(text.split()) <= 200, (picture, len(text.split()))
    questions = Counter(entry["question"] for entry in QUESTIONS.values())
    assert max(questions.values()) == 1


def test_answers_that_look_like_missing_values_or_numbers_are_texts():
    answers = [entry["reference_answer"] for entry in QUESTIONS.values()]
    assert {"None", "NA", "1e5", "出口"} <= set(answers)
    assert all(isinstance(answer, str) and answer == answer.strip() for answer in answers)
    assert sum("\n" in answer for answer in answers) >= 3
    assert sum('"' in answer for answer in answers) >= 3


def test_the_form_as_json_is_what_was_written_on_it():
    (answer,) = [
        q["reference_answer"] for q in QUESTIONS.values() if q["reference_answer"].startswith("{")
    ]
    form = json.loads(answer)
    texts = OURS["registration-form"]().texts
    assert texts[texts.index("First name") + 1] == form["first_name"]
    assert texts[texts.index("Last name") + 1] == form["last_name"]
    assert texts[texts.index("Date of birth") + 1] == form["date_of_birth"]


def test_the_note_as_typed_out_is_what_was_written_on_it():
    answers = [q["reference_answer"] for q in QUESTIONS.values()]
    assert "\n".join(OURS["fridge-note"]().texts) in answers


def test_the_timetables_annotation_has_every_row():
    for stop, *times in TIMETABLE:
        assert f"{stop} {', '.join(times)}" in annotation("bus-timetable")
    arrivals = {row[0]: row[2] for row in TIMETABLE}
    (answer,) = [q["reference_answer"] for q in QUESTIONS.values() if "Bus 2 is the last" in
                 q["reference_answer"]]  # fmt: skip
    assert arrivals["Market Square"] in answer
    assert arrivals["Airport"] in answer
    assert arrivals["Airport"] < "08:30" < TIMETABLE[-1][3]


def test_counts_in_annotations_are_those_of_the_drawing():
    said = annotation("fruit-stall")
    for name, price, count in CRATES:
        assert re.search(rf"\b{count} [\w\- ]*{name.lower()}\b", said), (name, count)
        assert f'"{price} / kg"' in said
    assert max(CRATES, key=lambda crate: float(crate[1][1:]))[0] == "Melons"

    colors = Counter(fish[0] for fish in FISH)
    assert colors == {"orange": 4, "blue": 2, "yellow": 1}
    said = annotation("aquarium")
    assert "seven fish" in said
    assert "Four small orange ones" in said
    assert "two middle-sized blue fish" in said
    assert "one yellow fish, about twice as long" in said
    sizes = {color: [f[4] for f in FISH if f[0] == color] for color in colors}
    assert 1.7 < sizes["yellow"][0] / max(sizes["orange"] + sizes["blue"]) < 2.3
    assert {f[5] for f in FISH if f[0] == "orange"} == {1}, "to the right"
    assert {f[5] for f in FISH if f[0] != "orange"} == {-1}, "to the left"
