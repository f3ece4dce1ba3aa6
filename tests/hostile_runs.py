"""Runs in which all that a model, a judge or a file may say is hostile; everything from one seed.

`cobsat_run` and `touchstone_run` make judged run folders through the classes that make real ones.
`tamed` copies a run with a harmless word in every such place: what a page of it is made of is what
the hostile one may be made of.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from cobsat import TASKS, Prediction, RunFolder, RunSettings, Verdict
from cobsat.images import image_source
from cobsat.metrics.outputs import fingerprint
from cobsat.metrics.scores import scores
from cobsat.metrics.touchstone_scores import dialogue_scores
from cobsat.run_examples import run_examples
from cobsat.run_folder import write_json
from cobsat.touchstone import DialogueVerdict, Marks, question_source
from cobsat.touchstone.question_file import COLUMNS
from cobsat.touchstone.runs import run_references
from cobsat.touchstone.tsv import write_table
from hostile_text import Hostile, filled, poisoned, tame
from PIL import Image

JUDGE = "clip"
WAY: dict[str, Any] = {
    "split": "test", "prompt_type": "default", "instructions_for": "neutral", "seed": 123,
    "limit": None, "samples": 1, "asked_for": "",
}  # fmt: skip
"""Settings that say which way a program goes: another value of them is refused, not shown."""


def hostile_folder(base: Path, source: Hostile, of: Path) -> Path:
    """Return a folder of pictures whose name is hostile; it is another folder by a new name."""
    path = base / source.name()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(of, target_is_directory=True)
    return path


def cobsat_run(
    base: Path,
    pictures: Path,
    seed: int,
    *,
    output: str = "description",
    name: str | None = None,
    model: dict[str, Any] | None = None,
    **settings: Any,
) -> Path:
    """Make a run of CoBSAT of two configs, judged.

    Args:
        base: Where its folder is made.
        pictures: A folder of pictures.
        seed: Of all that is hostile.
        output: Its kind of output.
        name: The folder's name; a hostile one by default.
        model: What its settings say of the model, where another run has the same; all else of the
            settings that no program is steered by is hostile.
        settings: Other settings.
    """
    source = Hostile(seed)
    folder = RunFolder(base / (name or source.name()))
    kept = WAY | {"configs": ("color_i-2shot", "action_ii-2shot"), "output": output, "limit": 12}
    kept |= {"images": str(pictures), "image_digest": image_source(str(pictures)).digest}
    run = filled(RunSettings, source, benchmark="cobsat", **(kept | (model or {}) | settings))
    folder.start(run)
    rows = list(run_examples(run, image_source(str(pictures))))
    predictions = [_prediction(folder, row, number, source) for number, row in enumerate(rows)]
    _write_lines(folder.predictions_path, predictions)
    found, _ = folder.predictions()
    verdicts = [_verdict(row, number, source) for number, row in enumerate(rows)]
    _write_lines(folder.verdicts_path(JUDGE), verdicts)
    judged, problems = folder.verdicts(JUDGE)
    record = {"name": JUDGE, "checkpoint": "tiny", "versions": {"torch": "2.14"}}
    data = {"judge": poisoned(record, source), "run": {source.text(): source.text()}}
    data |= {"problems": [*problems, source.text()], "cautions": [source.text()]}
    write_json(folder.scores_path(JUDGE), {**data, **scores(rows, found, judged)})
    return folder.path


def _prediction(folder: RunFolder, row: Any, number: int, source: Hostile) -> Prediction:
    status = ("ok", "ok", "error", "blocked")[number % 4]
    given = filled(Prediction, source, id=row["id"], status=status)
    if row["output"] == "image" and number % 2 == 0:
        name = source.name()  # a file that is there; every second picture is not
        (folder.path / "images").mkdir(exist_ok=True)
        color = (number * 9 % 256, 90, 160)
        Image.new("RGB", (16, 16), color).save(folder.path / "images" / name, "PNG")
        given = replace(given, image=f"images/{name}")
    return given if row["output"] == "image" else replace(given, image=None)


def _verdict(row: Any, number: int, source: Hostile) -> Verdict:
    if number % 4 > 1 or number % 8 == 4:
        return filled(Verdict, source, id=row["id"], status="unscored")
    right = row["reference"]["object"], number % 8 == 0
    said: dict[str, Any] = {"object": right[0], "object_correct": True}
    if right[1]:
        said |= {"attribute": row["reference"]["attribute"], "attribute_correct": True}
    else:
        options = TASKS[row["task"]].theme.attributes
        other = next(a for a in options if a != row["reference"]["attribute"])
        said |= {"attribute": other, "attribute_correct": False}
    return filled(Verdict, source, id=row["id"], status="scored", **said)


def questions(path: Path, seed: int, count: int = 8) -> Path:
    """Write a file of questions of TouchStone whose every cell is hostile."""
    source = Hostile(seed)
    rows = []
    for number in range(count):
        picture = io.BytesIO()
        Image.new("RGB", (24, 16), (20 * number, 90, 160)).save(picture, "PNG")
        cells = {name: source.text(without=("surrogate",)) for name in COLUMNS}
        cells |= {"index": str(number + 1)}
        cells |= {"image": base64.b64encode(picture.getvalue()).decode()}
        if number % 2:
            cells["category"] = "Visual Recognition Ability"
        rows.append(cells)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, COLUMNS, rows)
    return path


def touchstone_run(base: Path, file: Path, seed: int, name: str | None = None) -> Path:
    """Make a run of TouchStone on a file of questions, judged."""
    source = Hostile(seed)
    folder = RunFolder(base / (name or source.name()))
    kept = WAY | {"configs": ("touchstone",), "output": "answer", "images": str(file)}
    kept |= {"image_digest": question_source(str(file)).digest, "benchmark": "touchstone"}
    run = filled(RunSettings, source, **kept)
    folder.start(run)
    references = run_references(run)
    lines = [
        filled(Prediction, source, id=key, status="error" if number == 3 else "ok", image=None)
        for number, key in enumerate(references)
    ]
    _write_lines(folder.predictions_path, lines)
    found, problems = folder.predictions()
    verdicts = []
    for number, key in enumerate(references):
        raw = {"output": fingerprint(folder, found[key]), **source.value(dict[str, str])}
        raw["reference_first"] = {"reply": source.text(), source.text(): source.text()}
        raw["answer_first"] = {"reply": source.text()}
        marks = Marks(4.0 + number % 5, 8.0)
        given: dict[str, Any] = {"status": "unscored" if number in (3, 5) else "scored"}
        given |= {"reference_first": marks, "answer_first": marks, "raw": raw}
        verdicts.append(filled(DialogueVerdict, source, id=key, **given))
    judge = "touchstone-gpt-4"
    _write_lines(folder.verdicts_path(judge), verdicts)
    judged, _ = folder.verdicts_of(judge, DialogueVerdict)
    rows = [{"id": key, "reference": reference} for key, reference in references.items()]
    record = {"prompt_sha256": "c" * 64, "model": "gpt-4", "versions": {"cobsat": "0.1.0"}}
    # Who judged must be the same in all runs of one board.
    head = {"benchmark": "touchstone", "judge": {"name": judge, **poisoned(record, Hostile(0))}}
    head |= {"run": {}, "problems": [*problems, source.text()], "cautions": [source.text()]}
    write_json(folder.scores_path(judge), {**head, **dialogue_scores(rows, found, judged)})  # type: ignore[arg-type]
    return folder.path


def tamed(run: Path, base: Path, name: str = "plain") -> Path:
    """Copy a run with a harmless word in place of every hostile text."""
    target = base / name
    shutil.copytree(run, target, ignore=shutil.ignore_patterns("*.html", "plots", "*.md"))
    for file in [*target.rglob("*.json"), *target.rglob("*.jsonl")]:
        lines = file.read_text("utf-8")
        whole = file.suffix == ".json"
        data = [json.loads(each) for each in ([lines] if whole else lines.splitlines())]
        text = "\n".join(json.dumps(tame(each)) for each in data)
        file.write_text(text + "\n", encoding="utf-8")
    return target


def _write_lines(path: Path, lines: list[Any]) -> None:
    """Write records as a file may hold them, escapes of halves of characters and all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(vars(line)) + "\n" for line in lines), encoding="ascii")
    os.utime(path)
