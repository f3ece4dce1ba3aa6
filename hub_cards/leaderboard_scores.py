"""What `scores/JUDGE.json` of a TouchStone run says, as typed data (`touchstone_scores.py`)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

COUNTS: Final = (
    "questions",
    "scored",
    "unscored",
    "judge_failed",
    "missing",
    "prediction_error",
    "prediction_blocked",
)

_FULL: Final = 1000.0
"""The highest score: what charts draw as 1."""


@dataclass(frozen=True)
class Points:
    """A score with its 95% interval; None where it is not known."""

    score: float | None
    bounds: tuple[float, float] | None = None

    @property
    def value(self) -> float | None:
        """The score as a share of the highest, for charts."""
        return None if self.score is None else self.score / _FULL

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its interval, likewise."""
        return None if self.bounds is None else (self.bounds[0] / _FULL, self.bounds[1] / _FULL)


@dataclass(frozen=True)
class Score:
    """One SCORE of `scores/JUDGE.json`.

    Attributes:
        n: Scored answers.
        of: All that were asked for.
        points: The mean mark times 100.
        floor: What it would be if every answer without a mark had the lowest.
        reference: The reference answers' mean mark times 100.
        win, tie, loss: Answers above, at and below the reference's mean mark.
        bias: The answer's score when it stands first, minus that when second.
        flips: Share of answers where the order decides which is preferred.
    """

    n: int
    of: int
    points: Points
    floor: float | None
    reference: float | None
    win: int
    tie: int
    loss: int
    bias: Points
    answer_first: float | None
    answer_second: float | None
    flips: float | None


@dataclass(frozen=True)
class Scores:
    """One judge's scores of one run.

    Attributes:
        record: The judge's record of itself.
        counts: What became of the answers, by `COUNTS`.
        usage: Tokens that the judge took, where it says so.
        notices: What it says that a reader must know.
    """

    record: Mapping[str, Any]
    counts: Mapping[str, int]
    usage: Mapping[str, float]
    overall: Score
    categories: Mapping[str, Score]
    subtasks: Mapping[str, Score]
    notices: tuple[str, ...]


def is_of_answers(path: Path) -> bool:
    """Return whether a file holds scores of answers beside reference answers."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return data["benchmark"] == "touchstone" and "win" in data["overall"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def read_scores(path: Path) -> Scores:
    """Read one judge's scores.

    Raises:
        ValueError: The file does not hold scores.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        said = [*(data.get("problems") or ()), *(data.get("cautions") or ())]
        return Scores(
            record=dict(data["judge"]),
            counts={name: int(data["counts"].get(name) or 0) for name in COUNTS},
            usage=dict(data.get("usage") or {}),
            overall=_score(data["overall"]),
            categories={str(name): _score(row) for name, row in data["categories"].items()},
            subtasks={str(name): _score(row) for name, row in data["subtasks"].items()},
            notices=tuple(map(str, said)),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(
            f"{path} must hold the scores that `cobsat judge` writes, got {what}: judge the run "
            "again"
        ) from error


def _score(data: Mapping[str, Any]) -> Score:
    position = data.get("position") or {}
    return Score(
        n=int(data["n"]),
        of=int(data.get("of") or data["n"]),
        points=_points(data["score"], data.get("interval")),
        floor=_finite(data.get("floor")),
        reference=_finite(data.get("reference")),
        win=int(data.get("win") or 0),
        tie=int(data.get("tie") or 0),
        loss=int(data.get("loss") or 0),
        bias=_points(position.get("bias"), position.get("interval")),
        answer_first=_finite(position.get("answer_first")),
        answer_second=_finite(position.get("answer_second")),
        flips=_finite(position.get("flips")),
    )


def _points(score: object, interval: Sequence[object] | None) -> Points:
    if interval is None:
        return Points(_finite(score))
    low, high = map(_finite, interval)
    return Points(_finite(score), None if low is None or high is None else (low, high))


def _finite(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{value!r} where a number should be")
    return float(value) if math.isfinite(value) else None
