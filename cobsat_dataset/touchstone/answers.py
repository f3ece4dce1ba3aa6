"""Answers as a file in the official submission format: made a run folder of, and written from one.

    cobsat import-answers answers.tsv --name MODEL --data touchstone-mini --out runs/MODEL
    cobsat export-answers runs/MODEL --out answers.tsv

A file is a table of tab-separated values, with a row for each question of the data; the column
`response` has the answers. Source: https://github.com/OFA-Sys/TouchStone, "Submit".
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

import typer
from cobsat.benchmarks import require
from cobsat.run_folder import Prediction, RunFolder, RunSettings, safe_name
from cobsat.samples import sample_id

from ..command_line import say
from .questions import Question
from .runs import run_questions, run_source
from .sources import MINI, OFFICIAL, QuestionSource, question_source
from .spec import OFFICIAL_QUESTIONS
from .tsv import TableRow, read_table, write_table

__all__ = ["COLUMNS", "Answers", "export_answers", "import_answers", "read_answers"]

NEEDED: Final = ("index", "question", "response")
"""Columns that a file of answers must have; what else it has is the data's."""

COLUMNS: Final = (
    "index",
    "question",
    "human_annotation",
    "gpt4_ha_answer",
    "category",
    "task_name",
    "response",
)
"""Columns of a submission."""

_SHOWN: Final = 60
"""Of a question that is another than the data's."""

_INSTEAD: Final = f"--data FILE; --data {MINI} needs no download"


@dataclass(frozen=True)
class Answers:
    """What a file of answers holds, checked against the questions.

    Attributes:
        texts: The answers by index, in the file's order; an empty one is none.
        missing: Indices of questions that have no row.
        in_order: Whether the rows are in the data's order.
    """

    texts: Mapping[int, str]
    missing: tuple[int, ...]
    in_order: bool


def read_answers(path: Path, source: QuestionSource) -> Answers:
    """Read a file of answers to a source's questions.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A column is missing, a row is broken, an index comes twice or is none of the
            data's, or a question is another than the data's.
    """
    questions = {question.index: question for question in source.questions}
    rows: dict[int, TableRow] = {}
    texts: dict[int, str] = {}
    for row in read_table(path, NEEDED):
        index = row.index()
        if index in rows:
            raise ValueError(
                f"{row.where('index')} must be its own, got {index}, which row "
                f"{rows[index].number} has"
            )
        if index not in questions:
            raise ValueError(
                f"{row.where('index')} must be one of {source.name}'s {len(questions):,} "
                f"questions, got {index}"
            )
        _check_question(row, questions[index])
        rows[index] = TableRow(path, row.number, {}, row.start, row.size)
        texts[index] = row.cells["response"]
    in_order = list(texts) == [index for index in questions if index in texts]
    return Answers(texts, tuple(i for i in questions if i not in texts), in_order)


def _check_question(row: TableRow, question: Question) -> None:
    got = row.text("question")
    if got.split() != question.question.split():
        wanted, given = _where_they_differ(question.question, got)
        raise ValueError(
            f"{row.where('question')} (index {question.index}) must be the data's, {wanted!r}, "
            f"got {given!r}"
        )


def _where_they_differ(first: str, second: str) -> tuple[str, str]:
    """Return two texts, of long ones a part: around their first difference beyond white space."""
    texts = [" ".join(text.split()) for text in (first, second)]
    pairs = zip(*texts, strict=False)
    same = next((k for k, (a, b) in enumerate(pairs) if a != b), min(map(len, texts)))
    start = max(0, same - 30) if max(map(len, texts)) > _SHOWN else 0
    parts = [
        f"{'…' if start else ''}{text[start : start + _SHOWN]}"
        f"{'…' if len(text) > start + _SHOWN else ''}"
        for text in texts
    ]
    return parts[0], parts[1]


def import_answers(
    path: Path, name: str, data: str, out: RunFolder, *, partial: bool = False
) -> Answers:
    """Make a run folder of a file of answers, and return what it holds.

    An empty answer is kept as an error, as one of a model is.

    Args:
        path: The file.
        name: The model's name.
        data: The questions: "touchstone-mini", "official" or a TSV file.
        out: The run folder; what it has of this very file stays.
        partial: Whether questions may be without a row.

    Raises:
        ValueError: The file is broken, or not of these questions; or the folder is another run's.
    """
    if not name.strip():
        raise ValueError(f"name must be the model's, got {name!r}")
    source = question_source(data, named="data", instead=_INSTEAD)
    answers = read_answers(path, source)
    if answers.missing and not partial:
        some = ", ".join(map(str, answers.missing[:8])) + (
            ", …" if len(answers.missing) > 8 else ""
        )
        raise ValueError(
            f"{path} must have a row for each of {len(source.questions):,} questions, got "
            f"{len(answers.texts):,}; missing are the indices {some} (--partial takes it as it is)"
        )
    out.start(_settings(path, name, data, source))
    there, _ = out.predictions()
    with out.append_predictions() as appender:
        appender.add(
            prediction
            for question in source.questions
            if question.index in answers.texts and question.id not in there
            for prediction in [_prediction(question.id, answers.texts[question.index])]
        )
    return answers


def _prediction(name: str, text: str) -> Prediction:
    if not text.strip():
        return Prediction(name, "error", reason="empty: the file has no answer here")
    return Prediction(name, "ok", text=text)


def _settings(path: Path, name: str, data: str, source: QuestionSource) -> RunSettings:
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    record = {"name": name, "answers": {"file": path.name, "sha256": digest}}
    return RunSettings(
        model=name,
        configs=(MINI if data == MINI else "touchstone",),
        output="answer",
        images=data if data in (MINI, OFFICIAL) else str(Path(data).expanduser().resolve()),
        image_digest=source.digest,
        benchmark="touchstone",
        model_options={"options": {}, "record": record},
        versions={"python": platform.python_version(), "cobsat": version("cobsat")},
    )


def export_answers(folder: RunFolder, out: Path, *, sample: int = 1, partial: bool = False) -> int:
    """Write a run's answers in the official submission format, and return how many there are.

    What failed is no answer: it has no row.

    Args:
        folder: The run folder.
        out: The file; there must be none yet.
        sample: Which answer of each question, where a run has several.
        partial: Whether questions may be without an answer.

    Raises:
        FileExistsError: There is such a file.
        ValueError: It is no run of TouchStone, or questions have no answer.
    """
    settings = folder.settings()
    require(settings, "touchstone", folder.path, "only answers have a submission format")
    if not 1 <= sample <= settings.samples:
        raise ValueError(f"sample must be from 1 to {settings.samples}, got {sample}")
    if out.exists():
        raise FileExistsError(f"{out} must be a new file, got one that is there")
    source = run_source(settings)
    predictions, _ = folder.predictions()
    rows: list[dict[str, str]] = []
    without: list[str] = []
    asked = {question.id for question in run_questions(settings, source)}
    for question in source.questions:
        prediction = predictions.get(sample_id(question.id, sample))
        if prediction is not None and prediction.status == "ok" and (prediction.text or "").strip():
            rows.append({**source.cells(question), "response": prediction.text or ""})
        else:
            without.append(f"{question.id} ({_lack(prediction, question.id in asked)})")
    if without and not partial:
        raise ValueError(
            f"{folder.path} must have an answer to each of {len(source.questions):,} questions, "
            f"got {len(rows):,}; the first without is {without[0]}: an error is no answer "
            "(predict --retry-errors asks again, --partial leaves these rows out)"
        )
    write_table(out, COLUMNS, rows)
    return len(rows)


def _lack(prediction: Prediction | None, asked: bool) -> str:
    """Return why there is no answer."""
    if not asked:
        return "not asked"
    if prediction is None:
        return "no answer yet"
    return "ok, but empty" if prediction.status == "ok" else prediction.status


def import_command(
    answers: Annotated[
        Path, typer.Argument(help="A table of tab-separated values: index, question, response.")
    ],
    name: Annotated[str, typer.Option(help="The model's name.")],
    data: Annotated[
        str, typer.Option(help="The questions: official, touchstone-mini or a TSV file.")
    ] = OFFICIAL,
    out: Annotated[
        Path | None, typer.Option(help="The run folder. Default: runs/, by name and questions.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Questions may be without a row.")
    ] = False,
) -> Path:
    """Make a run folder of answers to TouchStone, in a file that any tool wrote.

    The file is in the official submission format; of its columns, index, question and response are
    needed. `cobsat judge` goes on from the folder.
    """
    label = "touchstone" if data == OFFICIAL else Path(data).stem
    folder = RunFolder(out or Path("runs") / safe_name(f"{name}-answer-{label}"))
    found = import_answers(answers, name, data, folder, partial=partial)
    empty = sum(not text.strip() for text in found.texts.values())
    say(f"{folder.path}: {len(found.texts) - empty:,} answers")
    if not found.in_order:
        say("rows are in another order than the data's: taken by their index", err=True)
    if empty:
        say(f"empty, and so no answers: {empty:,}", err=True)
    if found.missing:
        say(f"questions without a row: {len(found.missing):,}", err=True)
    return folder.path


def export_command(
    run: Annotated[Path, typer.Argument(help="A run folder of TouchStone.")],
    out: Annotated[Path, typer.Option(help="A new TSV file.")],
    sample: Annotated[
        int, typer.Option(help="Which answer, where a run has several samples.", min=1)
    ] = 1,
    partial: Annotated[
        bool, typer.Option("--partial", help="Leave questions without an answer out.")
    ] = False,
) -> None:
    """Write a run's answers as a file in the official submission format."""
    count = export_answers(RunFolder(run), out, sample=sample, partial=partial)
    say(f"{out}: {count:,} answers")
    if count != OFFICIAL_QUESTIONS:
        say(f"a submission needs all {OFFICIAL_QUESTIONS} official questions", err=True)
