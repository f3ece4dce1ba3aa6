"""TouchStone's file of questions: what it may look like, and what is said of one that is broken."""

from __future__ import annotations

import base64
import csv
from collections.abc import Callable
from pathlib import Path

import pytest
import touchstone_questions as made
from cobsat.touchstone import question_source
from cobsat.touchstone.question_file import COLUMNS, categories_of, subtask_of, unverified
from cobsat.touchstone.questions import Question
from cobsat.touchstone.spec import CATEGORIES, SUBTASKS
from cobsat.touchstone.tsv import read_row, read_table, write_table
from PIL import Image

TRICKY = [
    "None", "NA", "nan", "1e5", "007", "True", "-", '"', '""', 'say "a"', "a\tb", "a\nb", "a\r\nb",
    "a\rb", "'", "=1+1", " padded ", "\\n", "詩 🜂", "a\u2028b", "a\x85b", ",", "<b>", "# a comment",
]  # fmt: skip


def few(path: Path, **changes: str) -> Path:
    """Write three rows, the second with changed cells."""
    return made.tsv(path, [made.cells(3), made.cells(4, **changes), made.cells(9)])


@pytest.mark.parametrize("column", ["question", "human_annotation", "gpt4_ha_answer"])
def test_a_cell_is_a_text_whatever_it_looks_like(column: str, tmp_path: Path) -> None:
    rows = [made.cells(i, **{column: text}) for i, text in enumerate(TRICKY)]
    source = question_source(str(made.tsv(tmp_path / "q.tsv", rows)))
    names = {"human_annotation": "annotation", "gpt4_ha_answer": "reference_answer"}
    read = [getattr(question, names.get(column, column)) for question in source.questions]
    assert read == TRICKY
    assert [source.cells(question)[column] for question in source.questions] == TRICKY


def test_what_is_written_is_what_csv_and_this_reader_read(tmp_path: Path) -> None:
    rows = [{"index": str(i), "text": text, "more": ""} for i, text in enumerate(TRICKY)]
    path = tmp_path / "t.tsv"
    write_table(path, ("index", "text", "more"), rows)
    with open(path, newline="", encoding="utf-8") as file:
        assert list(csv.DictReader(file, delimiter="\t")) == rows
    read = list(read_table(path, ("index", "text")))
    assert [dict(row.cells) for row in read] == rows
    for row in read:  # each alone, from its place in the file
        assert read_row(row, ("index", "text", "more")) == list(row.cells.values())


def test_a_file_of_pandas_is_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    texts = [text for text in TRICKY if text != "a\rb"]  # pandas writes it without quotes
    rows = [made.cells(i, question=text) for i, text in enumerate(texts)]
    pandas.DataFrame(rows).to_csv(tmp_path / "q.tsv", sep="\t")  # with its column of row numbers
    source = question_source(str(tmp_path / "q.tsv"))
    assert [question.question for question in source.questions] == texts


def test_pandas_reads_what_is_written(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"index": str(i), "response": text} for i, text in enumerate(TRICKY)]
    write_table(tmp_path / "a.tsv", ("index", "response"), rows)
    read = pandas.read_csv(tmp_path / "a.tsv", sep="\t", dtype=str, keep_default_na=False)
    assert read["response"].tolist() == TRICKY


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data.replace(b"\n", b"\n\n"),
        lambda data: data.replace(b"index", b" index ", 1),
    ],
    ids=["a byte order mark", "CRLF", "no last newline", "empty lines", "a padded heading"],
)
def test_harmless_forms_are_read(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = few(tmp_path / "q.tsv")
    plain = question_source(str(path))
    path.write_bytes(change(path.read_bytes()))
    changed = question_source(str(path))
    assert changed.questions == plain.questions
    assert changed.digest != plain.digest
    for question in changed.questions:
        assert changed.read(question) == (made.picture(question.index % 7),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": ""}, r"question in row 2 of .*q\.tsv must be a text, got an empty cell"),
        ({"question": " \n"}, "question in row 2 of .* must be a text, got an empty cell"),
        ({"human_annotation": ""}, "human_annotation in row 2"),
        ({"gpt4_ha_answer": ""}, "gpt4_ha_answer in row 2"),
        ({"image": ""}, "image in row 2 of .* must be a text"),
        ({"category": ""}, "category in row 2"),
        ({"task_name": ""}, "task_name in row 2"),
        ({"index": ""}, "index in row 2 of .* must be an integer, got ''"),
        ({"index": "4.0"}, r"index in row 2 of .* must be an integer, got '4\.0'"),
        ({"index": "-4"}, "must be an integer, got '-4'"),
        ({"index": "٤"}, "must be an integer"),
        ({"index": "3"}, "index in row 2 of .* must be its own, got 3, which row 1 has"),
        ({"category": ","}, "category in row 2 of .*: a category must be named, got ','"),
    ],
)  # fmt: skip
def test_a_broken_cell_is_named(changes: dict[str, str], message: str, tmp_path: Path) -> None:
    path = few(tmp_path / "q.tsv", **changes)
    with pytest.raises(ValueError, match=message) as caught:
        question_source(str(path))
    assert "\n" not in str(caught.value)


def _lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: b"\n".join(change(data.split(b"\n")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "must be a table of tab-separated values, got an empty file"),
        (lambda data: data.split(b"\n")[0] + b"\n", "must hold questions, got none"),
        (lambda data: data[:-60], r"row 3 of .* must have 7 cells, got \d \(is the file cut\?\)"),
        (lambda data: data + b'10\t"a cell that is n', "ends within a quoted cell, in the row that "
         "begins in line 5: it is cut"),
        (_lines(lambda rows: [*rows[:2], rows[2] + b"\tmore", *rows[3:]]),
         "row 2 of .* must have 7 cells, got 8"),
        (lambda data: data.replace(b"\t", b","), "separated by tabs, got index,image"),
        (lambda data: data.replace(b"question\t", b"qestion\t", 1),
         "there is no question; did you mean 'qestion'"),
        (lambda data: data.replace(b"\tquestion\t", b"\tindex\t", 1),
         "column index of .* must be there once, got it twice"),
        (lambda data: data.decode().encode("utf-16"), "must be text in UTF-8, got .* in line 1"),
        (lambda data: data.replace(b"Annotation 4", b"Annotation\r4"),
         "got a carriage return outside of quotes in the row that begins in line 3"),
        (lambda data: data.replace(b"Annotation 4", b"Annotation \xff"),
         "must be text in UTF-8, got invalid start byte in line 3"),
    ],
    ids=["empty", "no rows", "cut in a row", "cut in quotes", "a cell too many", "commas",
         "a heading misspelt", "a heading twice", "UTF-16", "a carriage return", "a bad byte"],
)  # fmt: skip
def test_a_broken_file_is_named(
    change: Callable[[bytes], bytes], message: str, tmp_path: Path
) -> None:
    path = few(tmp_path / "q.tsv")
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=message):
        question_source(str(path))


def test_a_file_cut_anywhere_is_never_read_as_whole(tmp_path: Path) -> None:
    text = 'one "quoted"\tand\nlong'
    whole = few(tmp_path / "whole.tsv", question=text, gpt4_ha_answer=text).read_bytes()
    path = tmp_path / "cut.tsv"
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(len(whole) - 1):
        if size + 1 in ends:
            continue  # a row that only lacks its newline is whole
        path.write_bytes(whole[:size])
        try:
            read = [dict(row.cells) for row in read_table(path, COLUMNS)]
        except ValueError:
            continue
        # What is left is whole rows; of the last one, at most its last cell (a name) is shorter.
        kept = [made.cells(3), made.cells(4, question=text, gpt4_ha_answer=text), made.cells(9)]
        for got, row in zip(read, kept, strict=False):
            last = got.pop("task_name")
            assert row.pop("task_name").startswith(last), size
            assert got == row, size


def test_a_quote_that_is_never_closed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cobsat.touchstone.tsv.MAX_CELL", 200_000)
    path = tmp_path / "q.tsv"
    few(path)
    head, first, rest = path.read_bytes().split(b"\n", 2)
    path.write_bytes(b"\n".join([head, first, b'4\t"' + b"a" * 300_000, rest]))
    with pytest.raises(
        ValueError, match=r"\(a quote that is never closed\?\) in the row that begins in line 3"
    ):
        question_source(str(path))


def test_large_cells_are_read_and_the_limit_is_put_back(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    picture = bytes(range(256)) * 2000
    path = few(tmp_path / "q.tsv", image=base64.b64encode(picture).decode())
    source = question_source(str(path))
    assert source.read(source.questions[1]) == (picture,)
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text,
        lambda text: f"data:image/png;base64,{text}",
        lambda text: "\n".join(text[i : i + 76] for i in range(0, len(text), 76)),
    ],
    ids=["plain", "data URL", "lines"],
)
def test_pictures_are_files_when_they_are_asked_for(
    form: Callable[[str], str], tmp_path: Path
) -> None:
    data = made.picture(200)
    path = few(tmp_path / "q.tsv", image=form(base64.b64encode(data).decode()))
    source = question_source(str(path))
    assert all(question.images == () for question in source.questions)
    cache = tmp_path / "cache"
    [stored] = source.with_pictures(source.questions[1], cache).images
    assert [p.name for p in cache.rglob("*.*") if p.is_file()] == [Path(str(stored)).name]
    assert Path(str(stored)).read_bytes() == data
    with Image.open(str(stored)) as opened:
        assert opened.getpixel((0, 0)) == (200, 0, 99)


def test_one_picture_of_several_questions_is_one_file(tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "q.tsv", [made.cells(1), made.cells(2), made.cells(8)])
    source = question_source(str(path))
    first, second, same = (source.with_pictures(q, tmp_path / "cache") for q in source.questions)
    assert first.images == same.images != second.images


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("%%%", "touchstone-4-has-no-picture-that-can-be-decoded"),
        ("abc", "touchstone-4-has-no-picture-that-can-be-decoded"),
        (base64.b64encode(b"<html>no picture</html>").decode(), "touchstone-4-is-no-picture-"),
    ],
)
def test_a_broken_picture_fails_for_whoever_opens_it(cell: str, name: str, tmp_path: Path) -> None:
    source = question_source(str(few(tmp_path / "q.tsv", image=cell)))
    questions = [source.with_pictures(q, tmp_path / "cache") for q in source.questions]
    with pytest.raises(OSError, match=name):
        Image.open(str(questions[1].images[0]))
    for question in (questions[0], questions[2]):
        Image.open(str(question.images[0])).load()
    if "decoded" in name:
        with pytest.raises(ValueError, match=r"image in row 2 of .* must be base64"):
            source.read(source.questions[1])


@pytest.mark.parametrize(
    ("cell", "keys"),
    [
        *((category.title, (key,)) for key, category in CATEGORIES.items()),
        *((key, (key,)) for key in CATEGORIES),
        ("Basic Descriptive Ability,Visual Recognition Ability", ("description", "recognition")),
        ("recognition, comprehension", ("recognition", "comprehension")),
        ("VISUAL_COMPREHENSION", ("comprehension",)),
        ("Multi-Image Analysis", ("multi_image",)),
        ("multi image , multi-image", ("multi_image",)),
        ("visual storytelling\uff0cdescription", ("storytelling", "description")),
        ("recognition,", ("recognition",)),
        ("recognition; storytelling", ("recognition", "storytelling")),
        (" Visual Smelling Ability ", ("Visual Smelling Ability",)),
        ("story recognition, Smell,recognition", ("story recognition", "Smell", "recognition")),
        ("Recognition/Multi-Image\u3001Description", ("recognition", "multi_image", "description")),
    ],
)
def test_categories_go_by_their_telling_words(cell: str, keys: tuple[str, ...]) -> None:
    assert categories_of(cell) == keys


@pytest.mark.parametrize(
    ("cell", "subtask"),
    [
        *((subtask, subtask) for subtask in SUBTASKS),
        *((subtask.upper(), subtask) for subtask in SUBTASKS),
        ("Attribute_QA", "attribute QA"),
        ("Movie and TV Recognition", "movie/TV recognition"),
        ("Ads/Commodity Recommendation", "ads/commodity recommendations"),
        ("comparing two or multiple images", "comparing two/multiple images"),
        ("story", "story"),
        (" Origami ", "Origami"),
    ],
)
def test_subtasks_have_the_papers_names_or_their_own(cell: str, subtask: str) -> None:
    assert subtask_of(cell) == subtask


def test_no_two_subtasks_are_taken_for_each_other() -> None:
    assert len({subtask_of(name) for name in SUBTASKS}) == len(SUBTASKS) == 27


def test_an_unknown_subtask_is_kept_out_loud(tmp_path: Path) -> None:
    path = few(tmp_path / "q.tsv", task_name="Origami")
    with pytest.warns(UserWarning, match=r"does not name: 'Origami' \(row 2\)"):
        source = question_source(str(path))
    assert source.questions[1].subtask == "Origami"


def test_an_unknown_category_is_kept_out_loud(tmp_path: Path) -> None:
    path = few(tmp_path / "q.tsv", category="Visual Smelling Ability, Visual Recognition Ability")
    with pytest.warns(
        UserWarning, match=r"categories .* does not name: 'Visual Smelling Ability' \(row 2\)"
    ):
        source = question_source(str(path))
    assert source.questions[1].categories == ("Visual Smelling Ability", "recognition")
    assert len(source.of_category("recognition")) == 3


def test_a_file_with_the_papers_shares_is_official(tmp_path: Path) -> None:
    source = question_source(str(made.official(tmp_path / "q.tsv")), verify=True)
    assert (source.name, source.unverified, len(source.questions)) == ("official", "", 908)
    assert len(source.of_category("multi_image")) == 33
    assert len(source.of_category(None)) == 908


def test_another_file_has_its_own_name_and_is_refused_as_official(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = few(tmp_path / "mine.tsv")
    assert question_source(str(path)).name == "file:mine.tsv"
    assert question_source(str(path)).unverified == "3 questions, not 908"
    refusal = "must be the official questions, got 3 questions, not 908"
    with pytest.raises(ValueError, match=refusal):
        question_source(str(path), verify=True)
    monkeypatch.setenv("COBSAT_TOUCHSTONE_TSV", str(path))
    with pytest.raises(ValueError, match=refusal):
        question_source("official")
    made.official(path)
    assert question_source("official").name == "official"
    monkeypatch.setenv("COBSAT_TOUCHSTONE_TSV", str(tmp_path / "nothing.tsv"))
    with pytest.raises(FileNotFoundError, match="COBSAT_TOUCHSTONE_TSV must name the official"):
        question_source("official")


@pytest.mark.parametrize("missing", ["nothing.tsv", "."])
def test_a_source_that_there_is_not_is_told_what_there_is(missing: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="must be touchstone-mini, official or a TSV file"):
        question_source(str(tmp_path / missing))


def question(*categories: str) -> Question:
    return Question("q", 1, (), "?", "a", "r", categories, "poetry")


def shared(changes: dict[str, int]) -> list[Question]:
    counts = {name: made.OFFICIAL_COUNTS[name] + changes.get(name, 0) for name in CATEGORIES}
    return [question(name) for name, count in counts.items() for _ in range(count)]


def test_shares_count_by_first_category_or_by_all() -> None:
    assert unverified(shared({})) == ""
    first = [question(q.categories[0], "multi_image") for q in shared({})]
    assert unverified(first) == ""
    # 153, 441, 296, 74 and 36 of 1,000 categories: 92 of 908 questions have two.
    each = {"description": 153, "recognition": 349, "comprehension": 204, "storytelling": 74}
    singles = [question(name) for name, count in each.items() for _ in range(count)]
    twos = [question("recognition", "comprehension") for _ in range(92)]
    assert unverified([*singles, *twos, *(question("multi_image") for _ in range(36))]) == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"storytelling": -1, "multi_image": 1}, "storytelling 7.3%, multi_image 3.7%, where"),
        ({"recognition": 1, "comprehension": -1}, "recognition 44.2%"),
        ({"recognition": 1}, "909 questions, not 908"),
        ({"multi_image": -33}, "875 questions, not 908"),
    ],
)
def test_other_shares_are_not_the_papers(changes: dict[str, int], reason: str) -> None:
    assert reason in unverified(shared(changes))
