"""TouchStone runs of the true shape: a file of questions, answers, and a judge's marks."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cobsat import Prediction, RunFolder, RunSettings
from cobsat.metrics.outputs import fingerprint
from cobsat.metrics.touchstone_scores import dialogue_scores
from cobsat.run_folder import safe_name, write_json
from cobsat.touchstone import DialogueVerdict, Marks, question_source
from cobsat.touchstone.question_file import COLUMNS
from cobsat.touchstone.runs import run_references
from cobsat.touchstone.tsv import write_table
from PIL import Image

CATEGORIES = (
    ("Visual Recognition Ability", "attribute QA"),
    ("Visual Recognition Ability", "text recognition"),
    ("Visual Comprehension Ability", "chart analysis"),
    ("Basic Descriptive Ability", "simple description"),
    ("Visual Storytelling Ability,Visual Recognition Ability", "poetry"),
)
RECORD = {"prompt_sha256": "c" * 64, "model": "gpt-4", "versions": {"cobsat": "0.1.0"}}
Rounds = tuple[tuple[float, float], tuple[float, float]]
"""Of both rounds, reference first and answer first: the answer's mark, the reference's."""


def question_file(path: Path, count: int = 10, word: str = "") -> Path:
    """Write a file of questions, indices from 1, each with a picture of its own."""
    rows = []
    for number in range(count):
        category, task = CATEGORIES[number % len(CATEGORIES)]
        picture = io.BytesIO()
        Image.new("RGB", (48, 32), (20 * number % 256, 90, 160)).save(picture, "PNG")
        rows.append(
            {
                "index": str(number + 1),
                "image": base64.b64encode(picture.getvalue()).decode(),
                "question": f"Question {number + 1}?{word}",
                "human_annotation": f"Annotation {number + 1}.{word}",
                "gpt4_ha_answer": f"Reference {number + 1}.{word}",
                "category": category,
                "task_name": task,
            }
        )
    write_table(path, COLUMNS, rows)
    return path


def answer_run(
    path: Path,
    questions: Path | str,
    marks: Mapping[int, Rounds | str] | None = None,
    *,
    judge: str = "touchstone-gpt-4",
    record: Mapping[str, Any] = RECORD,
    answers: Mapping[int, Prediction | str] | None = None,
    word: str = "",
    configs: Sequence[str] = ("touchstone",),
    **settings: Any,
) -> Path:
    """Make a run of one answer a question, with a judge's marks.

    Args:
        marks: By the question's place from 1: both rounds, or why there are none ("error: …" where
            the call failed); a place that is left out has no verdict.
        answers: What else than "Answer N." the model gave.
        word: What every answer ends with.
    """
    source = question_source(str(questions))
    options: dict[str, Any] = {"model": "tiny", "image_digest": source.digest, **settings}
    run = RunSettings(
        configs=tuple(configs), output="answer", images=str(questions), benchmark="touchstone",
        **options,
    )  # fmt: skip
    folder = RunFolder(path)
    folder.start(run)
    references = run_references(run)
    given = answers or {}
    lines = []
    for number, name in enumerate(references, start=1):
        what = given.get(number, f"Answer {number}.{word}")
        lines.append(what if isinstance(what, Prediction) else Prediction(name, "ok", text=what))
    with folder.append_predictions() as appender:
        appender.add(lines)
    if marks is not None:
        add_verdicts(path, marks, judge=judge, record=record)
    return path


def add_verdicts(
    path: Path,
    marks: Mapping[int, Rounds | str],
    *,
    judge: str = "touchstone-gpt-4",
    record: Mapping[str, Any] = RECORD,
) -> None:
    """Add a judge's verdicts to a run, and the scores that come of them."""
    folder = RunFolder(path)
    settings = folder.settings()
    references = run_references(settings)
    predictions, problems = folder.predictions()
    verdicts = []
    for number, name in enumerate(references, start=1):
        prediction = predictions.get(name)
        said = marks.get(number)
        if said is None or prediction is None:
            continue
        if prediction.status != "ok" or not (prediction.text or "").strip():
            said = "nothing to judge"
        raw: dict[str, Any] = {"output": fingerprint(folder, prediction)}
        if isinstance(said, str):
            status = "error" if said.startswith("error") else "unscored"
            verdicts.append(DialogueVerdict(name, status, reason=said, raw=raw))
            continue
        first, second = (Marks(*pair) for pair in said)
        raw["reference_first"] = {"reply": f"{first.reference:g} {first.answer:g}"}
        raw["answer_first"] = {"reply": f"{second.answer:g} {second.reference:g}"}
        verdicts.append(DialogueVerdict(name, "scored", first, second, raw=raw))
    with folder.append_verdicts(judge) as appender:
        appender.add(verdicts)
    found, _ = folder.verdicts_of(judge, DialogueVerdict)
    rows = [{"id": name, "reference": reference} for name, reference in references.items()]
    scores = dialogue_scores(rows, predictions, found)  # type: ignore[arg-type]
    head = {"benchmark": "touchstone", "judge": {"name": safe_name(judge), **record}}
    write_json(
        folder.scores_path(judge),
        {**head, "run": {}, "problems": problems, "cautions": [], **scores},
    )
