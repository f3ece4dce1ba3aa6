"""What a report says about runs: their settings, scores and verdicts, read and checked.

A report stands on the run folder alone (`cobsat.RunFolder`): `run.json`, the predictions, and for
each judge its verdicts and its scores. Scores are shown as `cobsat judge` wrote them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cobsat import Example, ImageSource, Prediction, RunFolder, RunSettings, Verdict
from cobsat.images import image_source
from cobsat.layout import LABELS
from cobsat.metrics.scores import COUNTS, RATES
from cobsat.metrics.self_consistency import CONSISTENCY_RATES
from cobsat.run_examples import run_examples
from cobsat.run_folder import safe_name

COUNTS_OF_SAMPLES: Final = ("outputs", "no_majority")
MEANS: Final = ("all", "object_inference", "attribute_inference")
NORMAL_95: Final = 1.96
"""Standard errors to each side of a 95% interval."""


@dataclass(frozen=True)
class Estimate:
    """A rate in [0, 1] with its standard error; None where there was nothing to measure."""

    value: float | None
    standard_error: float | None
    n: int

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, within [0, 1]."""
        if self.value is None or self.standard_error is None:
            return None
        half = NORMAL_95 * self.standard_error
        return max(0.0, self.value - half), min(1.0, self.value + half)


@dataclass(frozen=True)
class Row:
    """One line of a score table: a task, or a mean over tasks, at one shot count.

    Attributes:
        rates: By name; what only runs of several samples have is empty in others.
        counts: By name, likewise.
        best_of_k: That one of k outputs is right, for k from 1; empty with one output an example.
    """

    task: str
    shots: int
    rates: Mapping[str, Estimate]
    counts: Mapping[str, int]
    is_mean: bool
    best_of_k: tuple[Estimate, ...] = ()


@dataclass(frozen=True)
class Scores:
    """What one judge made of one run.

    Attributes:
        problems: Lines that were broken when it judged.
        cautions: What a reader must know before trusting the numbers.
        reasons: Why outputs were unscored, and how often.
        judge_failures: Why the judge's own calls failed, and how often.
        usage: Tokens that the judge took, where it says so.
        samples: Outputs for each example.
    """

    judge: str
    record: Mapping[str, Any]
    rows: tuple[Row, ...]
    means: tuple[Row, ...]
    problems: tuple[str, ...]
    cautions: tuple[str, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    judge_failures: Mapping[str, int] = field(default_factory=dict)
    usage: Mapping[str, int] = field(default_factory=dict)
    samples: int = 1

    def overall(self) -> list[Row]:
        """Return the means over all tasks, one a shot count."""
        return [row for row in self.means if row.task == "all"]


@dataclass(frozen=True)
class Run:
    """One run, as far as it has come.

    Attributes:
        label: What tells it from the other runs of the report.
        scores, verdicts: By judge.
        source: Its pictures; without paths where they cannot be had any more.
        notices: What a reader must know before trusting the numbers.
    """

    folder: RunFolder
    label: str
    settings: RunSettings
    predictions: Mapping[str, Prediction]
    scores: Mapping[str, Scores]
    verdicts: Mapping[str, Mapping[str, Verdict]]
    source: ImageSource
    notices: tuple[str, ...]

    def examples(self) -> Iterator[Example]:
        """Yield the run's examples, each once, in order."""
        return run_examples(self.settings, self.source)


def read_run(path: Path) -> Run:
    """Read a run folder that has been judged at least once.

    Raises:
        FileNotFoundError: It is no run folder, or has no scores yet.
        ValueError: Its settings or scores are not what `cobsat` writes.
    """
    folder = RunFolder(path)
    settings = folder.settings()
    judges = [judge for judge in folder.judges() if safe_name(judge) == judge]
    if not judges:
        raise FileNotFoundError(
            f"{path} must have scores, got none: judge it first with `cobsat judge {path}`"
        )
    scores = {judge: read_scores(folder.scores_path(judge), judge) for judge in judges}
    predictions, problems = folder.predictions()
    verdicts: dict[str, dict[str, Verdict]] = {}
    notices: list[str] = [_broken(problems)] if problems else []
    for judge in judges:
        verdicts[judge], problems = folder.verdicts(judge)
        notices += [_broken(problems)] if problems else []
    source, trouble = _source(settings)
    notices += [trouble] if trouble else []
    notices += _partial(folder, settings, source, predictions, verdicts)
    return Run(
        folder=folder,
        label=path.resolve().name,
        settings=settings,
        predictions=predictions,
        scores=scores,
        verdicts=verdicts,
        source=source,
        notices=tuple(notices),
    )


def check_comparable(paths: Sequence[Path]) -> None:
    """Check that runs may stand in one table.

    Raises:
        FileNotFoundError: One is no run folder.
        ValueError: They ran on different pictures, or one is named twice; the message says which.
    """
    resolved = [path.resolve() for path in paths]
    for path in resolved:
        if resolved.count(path) > 1:
            raise ValueError(f"runs must differ, got {path} twice")
    settings = [RunFolder(path).settings() for path in paths]
    for path, other in zip(paths[1:], settings[1:], strict=True):
        if _pictures_of(settings[0]) != _pictures_of(other):
            raise ValueError(
                f"runs of one report must be on the same pictures, got "
                f"{_named(paths[0], settings[0])} and {_named(path, other)}: their scores cannot "
                "be compared, write a report for each"
            )


def read_scores(path: Path, judge: str) -> Scores:
    """Read one judge's scores of a run.

    Raises:
        ValueError: The file does not hold scores.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        rows = tuple(_row(group, is_mean=False) for group in data["groups"])
        means = tuple(_row(group, is_mean=True) for group in data["means"])
        record = data.get("judge") or {}
        return Scores(
            judge=judge,
            record=record if isinstance(record, dict) else {"name": record},
            rows=rows,
            means=tuple(sorted(means, key=_mean_order)),
            problems=tuple(str(problem) for problem in data.get("problems") or ()),
            cautions=tuple(str(caution) for caution in data.get("cautions") or ()),
            reasons=_counted(data.get("reasons")),
            judge_failures=_counted(data.get("judge_failures")),
            usage=_counted(data.get("usage")),
            samples=int(data.get("samples") or 1),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{path} must hold the scores that `cobsat judge` writes, got {what}: judge the run "
            f"again with --judge {judge}"
        ) from error


def _counted(data: Mapping[str, Any] | None) -> dict[str, int]:
    return {str(reason): int(count) for reason, count in (data or {}).items()}


def _mean_order(row: Row) -> tuple[int, int]:
    return MEANS.index(row.task) if row.task in MEANS else len(MEANS), row.shots


def _row(group: Mapping[str, Any], *, is_mean: bool) -> Row:
    return Row(
        task=str(group["task"]),
        shots=int(group["shots"]),
        rates={name: _estimate(group.get(name)) for name in (*RATES, *CONSISTENCY_RATES)},
        counts={name: int(group.get(name) or 0) for name in (*COUNTS, *COUNTS_OF_SAMPLES)},
        is_mean=is_mean,
        best_of_k=tuple(_estimate(rate) for rate in group.get("best_of_k") or ()),
    )


def _estimate(data: Mapping[str, Any] | None) -> Estimate:
    data = data or {}
    return Estimate(
        _finite(data.get("value")), _finite(data.get("standard_error")), int(data.get("n") or 0)
    )


def _finite(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{value!r} where a number should be")
    return float(value) if math.isfinite(value) else None


def _source(settings: RunSettings) -> tuple[ImageSource, str]:
    """Return a run's pictures, or a source without paths and the reason."""
    try:
        source = image_source(settings.images)
    except OSError as error:
        reason = f"they cannot be had here: {error}"
    else:
        if not settings.image_digest or source.digest == settings.image_digest:
            return source, ""
        reason = (
            f"{settings.images!r} has digest {source.digest[:12]} here, the run had "
            f"{settings.image_digest[:12]}"
        )
    nothing = dict.fromkeys(LABELS, "")
    empty = ImageSource(Path(settings.images).name, settings.image_digest, nothing, nothing)
    return empty, f"The prompts' pictures are not shown: {reason}."


def _partial(
    folder: RunFolder,
    settings: RunSettings,
    source: ImageSource,
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, Mapping[str, Verdict]],
) -> list[str]:
    notices = []
    what = "outputs" if settings.samples > 1 else "examples"
    ids = {example["id"] for example in run_examples(settings, source)}
    missing = len(ids - predictions.keys())
    if missing:
        notices.append(
            f"Partial: {missing:,} of {len(ids):,} {what} have no prediction yet and are in no "
            "score (cobsat predict goes on where it stopped)."
        )
    foreign = len(predictions.keys() - ids)
    if foreign:
        notices.append(f"{foreign:,} predictions belong to no example of this run; not shown.")
    for judge, found in verdicts.items():
        unjudged = len((ids & predictions.keys()) - found.keys())
        if unjudged:
            notices.append(
                f"Partial: {unjudged:,} predictions have no verdict by {judge} "
                "and are in none of its scores (cobsat judge goes on where it stopped)."
            )
    unfinished = {p.stem for p in (folder.path / "verdicts").glob("*.jsonl")} - verdicts.keys()
    if unfinished:
        notices.append(
            f"Not shown: {', '.join(sorted(unfinished))} has verdicts but no scores yet "
            "(cobsat judge goes on where it stopped)."
        )
    return notices


def _broken(problems: Sequence[str]) -> str:
    lines = "1 broken line was" if len(problems) == 1 else f"{len(problems):,} broken lines were"
    return f"{lines} left out ({problems[0]}{', …' if len(problems) > 1 else ''})."


def _pictures_of(settings: RunSettings) -> str:
    return settings.image_digest or settings.images


def _named(path: Path, settings: RunSettings) -> str:
    digest = settings.image_digest[:12]
    return f"{settings.images}{f' ({digest})' if digest else ''} in {path}"
