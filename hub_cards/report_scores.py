"""A judge's scores of a run as the report shows them: rates and counts, read from their file.

Scores are shown as `cobsat judge` wrote them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cobsat.metrics.scores import COUNTS, RATES
from cobsat.metrics.self_consistency import CONSISTENCY_RATES

__all__ = ["COUNTS", "MEANS", "NORMAL_95", "RATES", "Estimate", "Row", "Scores", "read_scores"]

COUNTS_OF_SAMPLES: Final = ("outputs", "no_majority")
MEANS: Final = ("all", "object_inference", "attribute_inference")
NORMAL_95: Final = 1.96
"""Standard errors to each side of a 95% interval."""


@dataclass(frozen=True)
class Estimate:
    """A rate in [0, 1] with its standard error; None where there was nothing to measure.

    Attributes:
        bounds: Its 95% interval, where more is known than the error (`report_intervals.py`).
    """

    value: float | None
    standard_error: float | None
    n: int
    bounds: tuple[float, float] | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval, within [0, 1]: the bounds, or the normal approximation."""
        if self.bounds is not None:
            return self.bounds
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
