"""Answers as a file in the official submission format: read and checked, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import datasets
import pytest
import touchstone_questions as made
from cobsat import Prediction, RunFolder, RunSettings
from cobsat.cli import main
from cobsat.touchstone import QuestionSource
from cobsat.touchstone.answers import COLUMNS, export_answers, import_answers, read_answers
from cobsat.touchstone.tsv import read_table, write_table

TRICKY = ["None", "NA", "1e5", 'say "a"', "a\tb", "a\nb\n", "a\r\nb", "=1+1"]

Rows = list[dict[str, str]]


@pytest.fixture(autouse=True)
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSource]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


def rows(source: QuestionSource) -> Rows:
    """Return the rows of a submission, its answers tricky as data."""
    return [
        {**source.cells(question), "response": text}
        for question, text in zip(source.questions, TRICKY, strict=True)
    ]


def submission(path: Path, some: Rows, columns: tuple[str, ...] = COLUMNS) -> Path:
    write_table(path, columns, some)
    return path


def run_of(path: Path, predictions: list[Prediction], **changes: object) -> RunFolder:
    folder = RunFolder(path)
    named = {"configs": ("touchstone-mini",), "output": "answer", "images": "touchstone-mini",
             "benchmark": "touchstone", **changes}  # fmt: skip
    folder.start(RunSettings("m", **named))  # type: ignore[arg-type]
    with folder.append_predictions() as appender:
        appender.add(predictions)
    return folder


def test_a_submission_becomes_a_run(source: QuestionSource, tmp_path: Path) -> None:
    path = submission(tmp_path / "answers.tsv", rows(source))
    folder = RunFolder(tmp_path / "run")
    answers = import_answers(path, "org/model", "touchstone-mini", folder)
    assert (answers.missing, answers.in_order) == ((), True)
    predictions, problems = folder.predictions()
    assert problems == []
    assert [(p.id, p.status, p.text) for p in predictions.values()] == [
        (question.id, "ok", text) for question, text in zip(source.questions, TRICKY, strict=True)
    ]
    settings = folder.settings()
    assert (settings.model, settings.benchmark, settings.output) == ("org/model", "touchstone",
                                                                     "answer")  # fmt: skip
    assert settings.configs == ("touchstone-mini",)
    assert settings.image_digest == source.digest
    record = settings.model_options["record"]
    assert record["name"] == "org/model"
    assert record["answers"]["file"] == "answers.tsv"
    before = {file.name: file.read_bytes() for file in folder.path.iterdir()}
    import_answers(path, "org/model", "touchstone-mini", folder)
    assert {file.name: file.read_bytes() for file in folder.path.iterdir()} == before


def test_what_is_exported_is_what_was_imported(source: QuestionSource, tmp_path: Path) -> None:
    path = submission(tmp_path / "answers.tsv", rows(source))
    folder = RunFolder(tmp_path / "run")
    import_answers(path, "m", "touchstone-mini", folder)
    assert export_answers(folder, tmp_path / "again.tsv") == 8
    assert (tmp_path / "again.tsv").read_bytes() == path.read_bytes()


def test_the_official_cells_come_back_as_they_were(tmp_path: Path) -> None:
    category = "Visual Recognition Ability,Visual Comprehension Ability"
    cells = [made.cells(4, category=category, task_name="ATTRIBUTE_QA"), made.cells(9)]
    data = made.tsv(tmp_path / "data.tsv", cells)
    answered = [{**row, "response": f"Answer {row['index']}."} for row in cells]
    path = submission(tmp_path / "answers.tsv", answered)
    folder = RunFolder(tmp_path / "run")
    import_answers(path, "m", str(data), folder)
    assert folder.settings().images == str(data.resolve())
    assert folder.settings().configs == ("touchstone",)
    export_answers(folder, tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == path.read_bytes()


def test_three_columns_are_enough_and_order_does_not_matter(
    source: QuestionSource, tmp_path: Path
) -> None:
    shuffled = rows(source)[::-1]
    path = submission(tmp_path / "a.tsv", shuffled, ("response", "index", "question"))
    answers = read_answers(path, source)
    assert not answers.in_order
    folder = RunFolder(tmp_path / "run")
    import_answers(path, "m", "touchstone-mini", folder)
    got = [(p.id, p.text) for p in folder.predictions()[0].values()]
    assert got == [(q.id, text) for q, text in zip(source.questions, TRICKY, strict=True)]


def test_an_empty_answer_is_an_error_not_an_answer(source: QuestionSource, tmp_path: Path) -> None:
    some = rows(source)
    some[2]["response"], some[5]["response"] = "", " \n"
    folder = RunFolder(tmp_path / "run")
    import_answers(submission(tmp_path / "a.tsv", some), "m", "touchstone-mini", folder)
    predictions, _ = folder.predictions()
    without = [p for p in predictions.values() if p.status == "error"]
    assert [p.id for p in without] == [source.questions[2].id, source.questions[5].id]
    assert {p.text for p in without} == {None}
    assert {p.reason for p in without} == {"empty: the file has no answer here"}


def drop(column: str) -> Callable[[Rows], Rows]:
    return lambda some: [{k: v for k, v in row.items() if k != column} for row in some]


def change(place: int, **cells: str) -> Callable[[Rows], Rows]:
    return lambda some: [{**row, **(cells if i == place else {})} for i, row in enumerate(some)]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (drop("response"), "columns of .* must be index, question, response, .* no response"),
        (drop("index"), "there is no index"),
        (drop("question"), "there is no question"),
        (lambda some: some[:-2], r"a row for each of 8 questions, got 6; missing are the indices "
         r"601, 602 \(--partial takes it"),
        (lambda some: [], "got 0; missing are the indices 1, 2, 101, 102, 301, 501, 601, 602 "),
        (lambda some: [*some, some[1]], "index in row 9 of .* must be its own, got 2, which row 2"),
        (change(1, index="3"), "index in row 2 of .* must be one of touchstone-mini's 8 questions"),
        (change(1, index="two"), "index in row 2 of .* must be an integer, got 'two'"),
        (change(3, question="Why not?"), r"question in row 4 of .* \(index 102\) must be the data's"
         r", .*, got 'Why not\?'"),
        (change(3, question=""), "question in row 4 of .* must be a text, got an empty cell"),
    ],
)  # fmt: skip
def test_a_submission_with_a_fault_is_refused_whole(
    broken: Callable[[Rows], Rows], message: str, source: QuestionSource, tmp_path: Path
) -> None:
    some = broken(rows(source))
    columns = tuple(some[0]) if some else COLUMNS
    path = submission(tmp_path / "a.tsv", some, columns)
    with pytest.raises(ValueError, match=message):
        import_answers(path, "m", "touchstone-mini", RunFolder(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_questions_are_shown_where_they_differ(source: QuestionSource, tmp_path: Path) -> None:
    digits = "0123456789" * 10
    for end, wanted, got in (
        (" in red?", f"'…{digits[-26:]} in blue?'", f"'…{digits[-26:]} in red?'"),
        (" in", f"'…{digits[-27:]} in blue?'", f"'…{digits[-27:]} in'"),
    ):
        question = replace(source.questions[0], question=f"{digits} in blue?")
        other = replace(source, questions=(question,))
        some = [{**rows(source)[0], "question": digits + end}]
        with pytest.raises(ValueError, match="must be the data's") as caught:
            read_answers(submission(tmp_path / "a.tsv", some), other)
        assert str(caught.value).endswith(f"must be the data's, {wanted}, got {got}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("official", r"COBSAT_TOUCHSTONE_TSV \(or --data FILE; --data touchstone-mini needs no "),
        ("none.tsv", "data must be touchstone-mini, official or a TSV file .*none.tsv', no such"),
    ],
)
def test_what_lacks_is_named_in_the_commands_own_words(
    data: str, message: str, source: QuestionSource, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fail(manager: object, url: str) -> str:
        raise ConnectionError("no network")

    monkeypatch.delenv("COBSAT_TOUCHSTONE_TSV", raising=False)
    monkeypatch.setattr(datasets.DownloadManager, "download", fail)
    path = submission(tmp_path / "a.tsv", rows(source))
    with pytest.raises(FileNotFoundError, match=message) as caught:
        import_answers(path, "m", data, RunFolder(tmp_path / "run"))
    assert "images" not in str(caught.value)


def test_white_space_makes_no_other_question(source: QuestionSource, tmp_path: Path) -> None:
    some = rows(source)
    some[0]["question"] = f"  {some[0]['question']}\r\n"
    assert len(read_answers(submission(tmp_path / "a.tsv", some), source).texts) == 8


def test_part_of_a_submission_is_taken_when_asked_for(
    source: QuestionSource, tmp_path: Path
) -> None:
    path = submission(tmp_path / "a.tsv", rows(source)[:5])
    folder = RunFolder(tmp_path / "run")
    answers = import_answers(path, "m", "touchstone-mini", folder, partial=True)
    assert answers.missing == (501, 601, 602)
    assert len(folder.predictions()[0]) == 5


def test_another_file_needs_another_folder(source: QuestionSource, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    path = submission(tmp_path / "a.tsv", rows(source))
    import_answers(path, "m", "touchstone-mini", folder)
    submission(path, change(0, response="Another")(rows(source)))
    with pytest.raises(ValueError, match="must be a new folder or this run's own"):
        import_answers(path, "m", "touchstone-mini", folder)
    with pytest.raises(ValueError, match="name must be the model's, got ' '"):
        import_answers(path, " ", "touchstone-mini", RunFolder(tmp_path / "b"))


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (None, "no answer yet"),
        (Prediction("touchstone-mini-602", "error", reason="no server"), "error"),
        (Prediction("touchstone-mini-602", "blocked", reason="filter"), "blocked"),
        (Prediction("touchstone-mini-602", "ok", text="  "), "ok, but empty"),
        (Prediction("touchstone-mini-602", "error", text="half an ans", reason="cut"), "error"),
    ],
)
def test_an_error_is_never_exported_as_an_answer(
    last: Prediction | None, why: str, source: QuestionSource, tmp_path: Path
) -> None:
    answered = [Prediction(question.id, "ok", text="yes") for question in source.questions[:-1]]
    folder = run_of(tmp_path / "run", [*answered, *([last] if last else [])])
    message = rf"got 7; the first without is touchstone-mini-602 \({why}\): an error is no answer"
    with pytest.raises(ValueError, match=message):
        export_answers(folder, tmp_path / "a.tsv")
    assert not (tmp_path / "a.tsv").exists()
    assert export_answers(folder, tmp_path / "a.tsv", partial=True) == 7
    written = list(read_table(tmp_path / "a.tsv", COLUMNS))
    assert [row.cells["index"] for row in written] == [
        str(question.index) for question in source.questions[:-1]
    ]


def test_a_run_of_some_questions_is_no_submission(source: QuestionSource, tmp_path: Path) -> None:
    names = ["touchstone-mini-601", "touchstone-mini-602"]
    folder = run_of(
        tmp_path / "run",
        [Prediction(name, "ok", text="yes") for name in names],
        configs=("touchstone-mini-multi_image",),
    )
    with pytest.raises(ValueError, match=r"got 2; the first without is .*-1 \(not asked\)"):
        export_answers(folder, tmp_path / "a.tsv")


def test_of_several_samples_one_is_exported(source: QuestionSource, tmp_path: Path) -> None:
    predictions = [
        Prediction(f"{question.id}{mark}", "ok", text=f"{question.index}{mark}")
        for question in source.questions
        for mark in ("", "-sample2")
    ]
    folder = run_of(tmp_path / "run", predictions, samples=2)
    export_answers(folder, tmp_path / "a.tsv", sample=2)
    written = [row.cells["response"] for row in read_table(tmp_path / "a.tsv", COLUMNS)]
    assert written == [f"{question.index}-sample2" for question in source.questions]
    with pytest.raises(ValueError, match="sample must be from 1 to 2, got 3"):
        export_answers(folder, tmp_path / "b.tsv", sample=3)


def test_no_file_is_overwritten_and_no_other_run_exported(
    source: QuestionSource, tmp_path: Path
) -> None:
    answered = [Prediction(question.id, "ok", text="yes") for question in source.questions]
    folder = run_of(tmp_path / "run", answered)
    (tmp_path / "a.tsv").write_text("mine")
    with pytest.raises(FileExistsError, match="must be a new file"):
        export_answers(folder, tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == "mine"
    other = RunFolder(tmp_path / "other")
    other.start(RunSettings("copy", ("color_i-2shot",)))
    with pytest.raises(ValueError, match="must be a run of TouchStone, got one of CoBSAT"):
        export_answers(other, tmp_path / "b.tsv")


def test_the_commands_say_what_they_did(
    source: QuestionSource, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    some = change(0, response="")(rows(source))[1::-1]
    submission(Path("a.tsv"), some)
    command = ["import-answers", "a.tsv", "--name", "org/m", "--data", "touchstone-mini"]
    assert main(command) == 2
    assert "cobsat import-answers: a.tsv must have a row for each of 8" in capsys.readouterr().err
    assert main([*command, "--partial"]) == 0
    said = capsys.readouterr()
    assert said.out == "runs/org--m-answer-touchstone-mini: 1 answers\n"
    assert said.err.splitlines() == [
        "rows are in another order than the data's: taken by their index",
        "empty, and so no answers: 1",
        "questions without a row: 6",
    ]
    run = "runs/org--m-answer-touchstone-mini"
    assert main(["export-answers", run, "--out", "b.tsv"]) == 2
    assert main(["export-answers", run, "--out", "b.tsv", "--partial"]) == 0
    said = capsys.readouterr()
    assert said.out == "b.tsv: 1 answers\n"
    assert "a submission needs all 908 official questions" in said.err


def test_a_folder_is_told_what_it_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    command = ["import-answers", "a", "--name", "org/m", "--data", "touchstone-mini"]
    said = "a must be a file, a table of tab-separated values, got a folder"
    assert main(command) == 2
    assert f"import-answers: {said}\n" in capsys.readouterr().err
    (tmp_path / "a" / "b.tsv").write_text("index\n")
    assert main(command) == 2
    assert f"{said}: name a file in it, such as b.tsv\n" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
