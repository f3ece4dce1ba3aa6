"""What a card says of runs: their scores as lines of tables, read and checked; for any benchmark.

Intervals are at 95%: of accuracies the modified Wilson interval, clustered by query and latent
variable (`cobsat.metrics.intervals`), of TouchStone's scores as `cobsat judge` wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cobsat import TASKS, RunFolder, RunSettings
from cobsat.images import source_name
from cobsat.metrics.answer_runs import names_of

from .leaderboard_data import BoardRun, dialogue_judges, read_board
from .leaderboard_scores import Score
from .report_data import Run, read_run
from .report_scores import Row, Scores

__all__ = ["CardRun", "Line", "Table", "check_one_model", "identity", "read_card_runs"]

_NAMES: Final = {
    "all": "mean", "object_inference": "mean _i", "attribute_inference": "mean _ii",
}  # fmt: skip
_COUNTED: Final = ("unscored", "failed", "blocked", "judge_failed", "missing", "truncated")
_COUNTED_ANSWERS: Final = ("unscored", "judge_failed", "missing", "failed", "blocked")


@dataclass(frozen=True)
class Line:
    """One line of a score table.

    Attributes:
        name: "color_i", "mean", "recognition".
        config: The dataset's config that the score is of; empty where there is none.
        value: The score; None where there was nothing to measure.
        interval: Its 95% interval, if it can be told.
        n: Outputs that are in the score.
        rates: Other rates by name.
        counts: What is beside the score, by name.
    """

    name: str
    shots: int | None
    config: str
    value: float | None
    interval: tuple[float, float] | None
    n: int
    rates: Mapping[str, float | None]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Table:
    """What one judge made of one run."""

    judge: str
    record: Mapping[str, Any]
    lines: tuple[Line, ...]
    notices: tuple[str, ...]
    reasons: Mapping[str, int]


@dataclass(frozen=True)
class CardRun:
    """One run of a card.

    Attributes:
        source: Whose pictures: "rendered", "official", "folder:NAME", "touchstone-mini", ….
        tables: One a judge.
        notices: What a reader must know before trusting the numbers.
        cobsat: The run as reports read it, if it is CoBSAT's.
        answers: The run by judge as leaderboards read it, if it is TouchStone's.
    """

    path: Path
    label: str
    settings: RunSettings
    source: str
    tables: tuple[Table, ...]
    notices: tuple[str, ...]
    cobsat: Run | None = None
    answers: tuple[BoardRun, ...] = ()


def read_card_runs(paths: Sequence[Path]) -> list[CardRun]:
    """Read run folders that have been judged, of any benchmark.

    Raises:
        FileNotFoundError: A folder is no run's, or has no scores.
        ValueError: One is named twice, or its files are not what `cobsat` writes.
    """
    names = names_of(paths)
    return [
        (_of_answers if RunFolder(path).settings().benchmark == "touchstone" else _of_cobsat)(
            path, name
        )
        for path, name in zip(paths, names, strict=True)
    ]


def identity(settings: RunSettings) -> dict[str, Any]:
    """Return what makes a model of a run this very model, its adapter under a key of its own."""
    record = settings.model_options.get("record")
    record = record if isinstance(record, Mapping) else {}
    keys = ("name", "checkpoint", "model", "revision", "commit", "weights_sha256")
    adapter = record.get("adapter")
    named = adapter.get("weights_sha256") if isinstance(adapter, Mapping) else adapter
    return {
        "model": settings.model,
        **{key: record[key] for key in keys if record.get(key) is not None},
        **({"adapter": named or "unknown"} if adapter else {}),
    }


def check_one_model(runs: Sequence[CardRun]) -> None:
    """Check that all runs are of one model.

    Raises:
        ValueError: They are not; the message says what differs.
    """
    first = identity(runs[0].settings)
    for run in runs[1:]:
        other = identity(run.settings)
        differing = [k for k in {**first, **other} if first.get(k) != other.get(k)]
        if differing:
            what = "; ".join(f"{k}: {first.get(k)!r} and {other.get(k)!r}" for k in differing)
            raise ValueError(
                f"runs of one card must be of one model, got {what} ({runs[0].label} and "
                f"{run.label}): write a card for each; a tuned model's base goes to --base"
            )


def _of_cobsat(path: Path, label: str) -> CardRun:
    run = read_run(path)
    return CardRun(
        path=path,
        label=label,
        settings=run.settings,
        source=source_name(run.settings.images),
        tables=tuple(_table(run, judge, scores) for judge, scores in run.scores.items()),
        notices=run.notices,
        cobsat=run,
    )


def _table(run: Run, judge: str, scores: Scores) -> Table:
    lines = []
    for row in (*scores.rows, *scores.means):
        tasks = [r.task for r in scores.rows if r.shots == row.shots]
        shown = _line(row, tasks, run.settings.split)
        lines.append(Line(**shown, interval=row.rates["accuracy"].interval))
    notices = [*scores.cautions]
    if scores.problems:
        notices.append(f"When {judge} judged, {len(scores.problems)} broken lines were left out.")
    return Table(judge, scores.record, tuple(lines), tuple(notices), scores.reasons)


def _line(row: Row, tasks: Sequence[str], split: str) -> dict[str, Any]:
    # A split that leaves a theme out tests one theme, whatever its config is called.
    config = "" if row.is_mean else f"{row.task}-{row.shots}shot"
    if row.task == "all" and (set(tasks) == set(TASKS) or split.startswith("leave_")):
        config = f"all-{row.shots}shot"
    return {
        "name": _NAMES.get(row.task, row.task) if row.is_mean else row.task,
        "shots": row.shots,
        "config": config,
        "value": row.rates["accuracy"].value,
        "n": row.rates["accuracy"].n,
        "rates": {name: rate.value for name, rate in row.rates.items() if name != "accuracy"},
        "counts": {"examples": row.counts["examples"], **{c: row.counts[c] for c in _COUNTED}},
    }


def _key(row: Row) -> tuple[str, int]:
    return row.task, row.shots


def _of_answers(path: Path, label: str) -> CardRun:
    folder = RunFolder(path)
    judges = dialogue_judges(folder)
    if not judges:
        raise FileNotFoundError(
            f"{path} must have scores, got none: judge it first with `cobsat judge {path} --judge "
            "touchstone --judge-option model=NAME`"
        )
    boards = [read_board([path], judge) for judge in judges]
    runs = tuple(board.runs[0] for board in boards)
    settings = runs[0].settings
    tables = tuple(
        _answer_table(folder, judge, run, settings) for judge, run in zip(judges, runs, strict=True)
    )
    return CardRun(path, label, settings, boards[0].source, tables, (), None, runs)


def _answer_table(folder: RunFolder, judge: str, run: BoardRun, settings: RunSettings) -> Table:
    scores = run.scores
    base = settings.configs[0].split("-")[0]
    base = "touchstone-mini" if settings.configs[0].startswith("touchstone-mini") else base
    whole = base in settings.configs
    counts = dict(scores.counts)
    beside = {name: counts[_ANSWER_COUNTS.get(name, name)] for name in _COUNTED_ANSWERS}
    lines = [_answer_line("all questions", base if whole else "", scores.overall, beside)]
    for name, score in scores.categories.items():
        config = f"{base}-{name}"
        asked = whole or config in settings.configs
        lines.append(_answer_line(name, config if asked else "", score, {}))
    lines += [_answer_line(name, "", score, {}) for name, score in scores.subtasks.items()]
    data = json.loads(folder.scores_path(judge).read_text("utf-8"))
    reasons = {str(reason): int(n) for reason, n in (data.get("reasons") or {}).items()}
    notices = run.notices
    if in_none := data.get("in_no_category"):
        notices += (f"{in_none:,} questions are in none of the paper's categories.",)
    return Table(judge, scores.record, tuple(lines), notices, reasons)


_ANSWER_COUNTS: Final = {"failed": "prediction_error", "blocked": "prediction_blocked"}


def _answer_line(name: str, config: str, score: Score, counts: Mapping[str, int]) -> Line:
    return Line(
        name=name,
        shots=None,
        config=config,
        value=score.points.score,
        interval=score.points.bounds,
        n=score.n,
        rates={
            "reference": score.reference,
            "floor": score.floor,
            "win": score.win,
            "tie": score.tie,
            "loss": score.loss,
            "bias": score.bias.score,
        },
        counts={"examples": score.of, **counts},
    )
