"""How CoBSAT's outputs are judged: each once a theme, then graded against every reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cobsat.images import source_name
from cobsat.run_folder import Prediction, RunSettings, Verdict
from cobsat.spec import TASKS

from .cautions import cautions, unknown_pictures
from .grading import regrade
from .outputs import run_rows
from .procedure import Procedure, Work
from .run_record import run_record
from .scores import Row, scores

__all__ = ["COBSAT"]


def _theme(row: Row) -> str:
    return TASKS[row["task"]].theme.name


def _grade(answer: Verdict, row: Row) -> Verdict:
    return regrade(answer, row["id"], row["reference"])


def _table(
    rows: Sequence[Row], predictions: Mapping[str, Prediction], verdicts: Mapping[str, Verdict]
) -> dict[str, Any]:
    return {**scores(rows, predictions, verdicts)}


def _cautions(
    work: Work, settings: RunSettings, table: Any, verdicts: Mapping[str, Verdict]
) -> list[str]:
    record = work.judge.record()
    judged = [work.outputs[i] for i, v in verdicts.items() if v.status == "scored"]
    unknown = unknown_pictures(record, judged) if settings.output == "image" else 0
    return cautions(work.judge.name, record, table, unknown)


def _head(settings: RunSettings) -> dict[str, Any]:
    return {"run": run_record(settings, source_name(settings.images))}


def _summary(result: Mapping[str, Any]) -> str:
    scored = sum(group["scored"] for group in result["groups"])
    outputs = sum(group.get("outputs", group["examples"]) for group in result["groups"])
    return f"{scored} of {outputs} scored"


COBSAT: Final = Procedure(Verdict, run_rows, _theme, _grade, _table, _cautions, _head, _summary)
