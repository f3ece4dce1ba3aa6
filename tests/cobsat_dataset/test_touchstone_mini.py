"""touchstone-mini: the questions that ship are whole, and a folder of their form is checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import touchstone_questions as made
from cobsat.touchstone import CATEGORIES, SUBTASKS, QuestionSource, question_source
from cobsat.touchstone.mini import FOLDER, read_mini
from PIL import Image

FIRST = {"description": 1, "recognition": 101, "comprehension": 301, "storytelling": 501,
         "multi_image": 601}  # fmt: skip


@pytest.fixture(scope="module")
def source() -> QuestionSource:
    return question_source("touchstone-mini")


def test_every_subtask_has_its_questions(source: QuestionSource) -> None:
    counts = Counter(question.subtask for question in source.questions)
    assert set(counts) == set(SUBTASKS)
    assert len(SUBTASKS) == 27
    assert min(counts.values()) >= 2
    assert len(source.questions) >= 54


def test_a_question_is_of_its_subtasks_category_and_some_of_two(source: QuestionSource) -> None:
    for question in source.questions:
        assert SUBTASKS[question.subtask] in question.categories, question.id
        assert len(set(question.categories)) == len(question.categories), question.id
    assert sum(len(question.categories) > 1 for question in source.questions) >= 2


def test_indices_are_in_order_and_in_their_categorys_range(source: QuestionSource) -> None:
    for category, first in FIRST.items():
        entries = json.loads((FOLDER / f"{category}.json").read_text("utf-8"))
        indices = [entry["index"] for entry in entries]
        assert indices == sorted(indices)
        others = [start for start in FIRST.values() if start > first]
        assert first <= indices[0] <= indices[-1] < min(others, default=1000)
    assert [question.id for question in source.questions] == [
        f"touchstone-mini-{question.index}" for question in source.questions
    ]


def test_every_picture_opens_is_legible_and_used(source: QuestionSource) -> None:
    used = {str(image) for question in source.questions for image in question.images}
    assert used == {str(path) for path in (FOLDER / "pictures").iterdir()}
    for path in sorted(used):
        with Image.open(path) as picture:
            picture.load()
            assert picture.format == "WEBP", path
            assert 512 <= max(picture.size) <= 768, path
    assert sum(Path(path).stat().st_size for path in used) < 2.5 * 2**20


def test_several_pictures_belong_to_questions_about_several(source: QuestionSource) -> None:
    for question in source.questions:
        many = "multi_image" in question.categories
        assert (len(question.images) > 1) == many, question.id
        assert len(set(question.images)) == len(question.images), question.id


def test_no_question_is_asked_twice_of_the_same_pictures(source: QuestionSource) -> None:
    asked = Counter((question.question, question.images) for question in source.questions)
    assert max(asked.values()) == 1


def test_texts_are_whole_sentences_of_a_sensible_length(source: QuestionSource) -> None:
    for question in source.questions:
        for text in (question.question, question.annotation, question.reference_answer):
            assert text == text.strip(), question.id
            assert "�" not in text, question.id
        words = len(question.annotation.split())
        assert 25 <= words <= 260, (question.id, words)


def test_questions_about_one_picture_share_its_annotation(source: QuestionSource) -> None:
    known: dict[tuple[Any, ...], set[str]] = {}
    for question in source.questions:
        known.setdefault(question.images, set()).add(question.annotation)
    assert {images: texts for images, texts in known.items() if len(texts) > 1} == {}


def test_some_answers_are_tricky_as_data(source: QuestionSource) -> None:
    assert any(not question.reference_answer.isascii() for question in source.questions)
    assert any('"' in question.annotation for question in source.questions)


def test_the_digest_is_of_questions_and_pictures(tmp_path: Path) -> None:
    before = read_mini(made.mini(tmp_path)).digest
    assert read_mini(tmp_path).digest == before
    (tmp_path / "pictures" / "c.webp").write_bytes(made.picture(9, "WEBP"))
    picture = read_mini(tmp_path).digest
    path = tmp_path / "storytelling.json"
    path.write_text(path.read_text("utf-8").replace("poem", "poem "), "utf-8")
    assert len({before, picture, read_mini(tmp_path).digest}) == 3


def test_a_folder_elsewhere_has_the_same_digest(tmp_path: Path) -> None:
    here, there = made.mini(tmp_path / "a"), made.mini(tmp_path / "b")
    assert read_mini(here).digest == read_mini(there).digest


def test_texts_survive_as_they_are(tmp_path: Path) -> None:
    source = read_mini(made.mini(tmp_path))
    answers = [question.reference_answer for question in source.questions]
    assert answers[1:4] == ["None", "1e5", "NA"]
    assert source.questions[3].question == 'What does "NA" mean\there?'
    assert source.cells(source.questions[3]) == {
        "index": "102",
        "question": 'What does "NA" mean\there?',
        "human_annotation": 'A sign:\n"NA"',
        "gpt4_ha_answer": "NA",
        "category": "recognition,comprehension",
        "task_name": "text recognition",
    }


def first(**changes: Any) -> Callable[[list[dict[str, Any]]], Any]:
    return lambda entries: [{**entries[0], **changes}, *entries[1:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (first(question=" "), "question of question 101 in .*recognition.json must be a text"),
        (first(annotation=None), "annotation of question 101 in .* must be a text, got None"),
        (
            first(reference_answer=1e5),
            "reference_answer of question 101 .* must be a text, got 1000",
        ),
        (first(images=[]), r"images of question 101 in .* must be a list of names, got \[\]"),
        (first(images="a.webp"), "images of question 101 in .* must be a list of names"),
        (first(categories=["smell"]), "must be the paper's, got 'smell'"),
        (first(subtask="smelling"), "must be the paper's, got 'smelling'"),
        (first(index="101"), "index of question '101' in .* must be an integer above 0"),
        (first(index=True), "index of question True in .* must be an integer above 0"),
        (first(index=1), "indices in .* must be each there once, got 1 twice"),
        (lambda entries: {"questions": entries}, "recognition.json must be a list of questions"),
        (lambda entries: [*entries, "more"], "recognition.json must be a list of questions"),
        (first(images=["../../secret.webp"]), "images of question 101 .* must be names of files"),
    ],
)
def test_a_broken_entry_is_named(
    change: Callable[[list[dict[str, Any]]], Any], message: str, tmp_path: Path
) -> None:
    path = made.mini(tmp_path) / "recognition.json"
    path.write_text(json.dumps(change(made.MINI["recognition"])), "utf-8")
    with pytest.raises(ValueError, match=message):
        read_mini(tmp_path)


@pytest.mark.parametrize("name", ["multi_image.json", "pictures/b.webp"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    (made.mini(tmp_path) / name).unlink()
    with pytest.raises(FileNotFoundError, match=name):
        read_mini(tmp_path)


def test_a_file_that_is_no_json_is_named(tmp_path: Path) -> None:
    (made.mini(tmp_path) / "description.json").write_text("[{", "utf-8")
    with pytest.raises(ValueError, match=r"description\.json must be JSON in UTF-8"):
        read_mini(tmp_path)


def test_each_category_of_the_paper_is_there(source: QuestionSource) -> None:
    for category in CATEGORIES:
        assert len(source.of_category(category)) >= 2 * len(CATEGORIES[category].subtasks)
