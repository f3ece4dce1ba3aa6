"""From answers and a judge's verdicts to TouchStone's scores. Pure functions.

A model's score is the mean, over the questions, of the mean of its two rounds' marks, times 100
(Sec. 3.2): from 100 to 1,000. A question counts once in each of its categories. Only what is scored
is in a mean; what is not (a failed or empty answer, a judge without marks) is counted, and `floor`
says what the score would be if each of these had the lowest mark. Several samples of a question are
outputs like others, but the standard errors know that they belong together.

Intervals are Student's over the questions, and stay within the scale. Where all marks are the same,
the interval says how many other ones there might be (Wilson's bound, as in `intervals.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypedDict, TypeVar

from cobsat.run_folder import Prediction
from cobsat.touchstone.questions import Reference
from cobsat.touchstone.spec import CATEGORIES, HIGHEST, LOWEST, SUBTASKS
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict

from .agreement import pearson
from .comparison import compare_pairs
from .grading import count_reasons
from .intervals import LEVEL, Interval, student_quantile, zero_half_width
from .scores import most_frequent
from .statistics import clustered_mean

__all__ = ["COUNTS", "Row", "dialogue_scores", "hallucination_scores"]

COUNTS: Final = (
    "scored", "unscored", "judge_failed", "missing", "prediction_error", "prediction_blocked",
)  # fmt: skip
"""What became of outputs."""

_SCALE: Final = 100
_NOISE: Final = 1e-9
"""Marks that differ by less are the same: they are sums of decimals."""

_Verdict = TypeVar("_Verdict", DialogueVerdict, HallucinationVerdict)
Table: TypeAlias = dict[str, Any]


class Row(TypedDict):
    """What scoring needs of an output: its id, and what it is judged with.

    The reference's own id is the question's, whichever of its samples the output is.
    """

    id: str
    reference: Reference


def dialogue_scores(
    rows: Sequence[Row],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, DialogueVerdict],
) -> Table:
    """Return counts, and scores overall, by category of the paper's and by subtask.

    `in_no_category` is there where questions are in none of the paper's categories: how many.

    Keys of a score:
        n, of: Outputs that are scored, of how many.
        score, standard_error, interval: The mean mark times 100; None without a scored output (an
            interval: without two questions).
        floor: The score if each output that is not scored had the lowest mark.
        reference: The reference answers' mean mark times 100.
        win, tie, loss: Outputs whose mean mark is above, equal to or below the reference answer's.
        position: How much the order matters: `answer_first` and `answer_second`, the mean mark of
            the answer in either place, times 100; `bias`, how much more it has in the first, with
            its `interval`; `flips`, the share of outputs that one round prefers to the reference
            answer, and the other round does not.
    """
    return _table(rows, predictions, verdicts, _score)


def hallucination_scores(
    rows: Sequence[Row],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, HallucinationVerdict],
) -> Table:
    """Return counts, and degrees of hallucination overall, by category and by subtask.

    Keys of a score:
        n, of: Outputs that are scored, of how many.
        degree, standard_error, interval: The mean degree, from 1 to 10, higher is worse.
        words: The mean length of what was judged, in words.
        correlation: Pearson's, of degree and length; above 0 where longer ones hallucinate more.
    """
    return _table(rows, predictions, verdicts, _degree)


def _table(
    rows: Sequence[Row],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, _Verdict],
    score: Callable[[Sequence[Row], Mapping[str, _Verdict]], Table],
) -> Table:
    counts = dict.fromkeys(COUNTS, 0)
    for row in rows:
        counts[_outcome(predictions.get(row["id"]), verdicts.get(row["id"]))] += 1
    questions = len({row["reference"]["id"] for row in rows})
    answers = {"answers": len(rows)} if len(rows) != questions else {}
    in_none = len({r["reference"]["id"] for r in rows if not _known_categories(r["reference"])})
    unscored = [verdicts[r["id"]] for r in rows if _status(verdicts, r) == "unscored"]
    failures = [verdicts[r["id"]] for r in rows if _status(verdicts, r) == "error"]
    scored = {r["id"]: verdicts[r["id"]] for r in rows if _status(verdicts, r) == "scored"}

    def grouped(names: Callable[[Reference], Iterable[str]], order: Iterable[str]) -> Table:
        groups: dict[str, list[Row]] = {name: [] for name in order}
        for row in rows:
            for name in dict.fromkeys(names(row["reference"])):
                groups.setdefault(name, []).append(row)
        return {name: score(members, scored) for name, members in groups.items() if members}

    return {
        "counts": {"questions": questions, **answers, **counts},
        "reasons": most_frequent(count_reasons(unscored)),
        "judge_failures": most_frequent(count_reasons(failures)),
        "overall": score(rows, scored),
        "categories": grouped(_known_categories, CATEGORIES),
        **({"in_no_category": in_none} if in_none else {}),
        "subtasks": grouped(lambda reference: [reference["subtask"]], SUBTASKS),
    }


def _known_categories(reference: Reference) -> list[str]:
    """Return the paper's categories of a question; a file may name others."""
    return [name for name in reference["categories"] if name in CATEGORIES]


def _status(verdicts: Mapping[str, _Verdict], row: Row) -> str:
    verdict = verdicts.get(row["id"])
    return "missing" if verdict is None else verdict.status


def _outcome(
    prediction: Prediction | None, verdict: DialogueVerdict | HallucinationVerdict | None
) -> str:
    if prediction is not None and prediction.status != "ok":
        return f"prediction_{prediction.status}"
    if prediction is None or verdict is None:
        return "missing"
    return "judge_failed" if verdict.status == "error" else verdict.status


# --- marks -----------------------------------------------------------------------------------


def _score(rows: Sequence[Row], verdicts: Mapping[str, DialogueVerdict]) -> Table:
    scored = [(verdicts[r["id"]], r["reference"]["id"]) for r in rows if r["id"] in verdicts]
    clusters = [question for _, question in scored]
    marks = [_known(verdict.answer) for verdict, _ in scored]
    references = [_known(verdict.reference) for verdict, _ in scored]
    signs = [_sign(a - b) for a, b in zip(marks, references, strict=True)]
    rate = clustered_mean(marks, clusters)
    return {
        "n": len(marks),
        "of": len(rows),
        "score": _scaled(rate.value),
        "standard_error": _scaled(rate.standard_error),
        "interval": _scaled_interval(_interval(marks, clusters)),
        "floor": _scaled(_mean([*marks, *[LOWEST] * (len(rows) - len(marks))])),
        "reference": _scaled(_mean(references)),
        "win": signs.count(1),
        "tie": signs.count(0),
        "loss": signs.count(-1),
        "position": _position([verdict for verdict, _ in scored], clusters),
    }


def _position(verdicts: Sequence[DialogueVerdict], clusters: Sequence[Hashable]) -> Table:
    firsts, seconds, flips = [], [], 0
    for verdict in verdicts:
        first, second = verdict.answer_first, verdict.reference_first
        assert first is not None
        assert second is not None
        firsts.append(first.answer)
        seconds.append(second.answer)
        preferred = _sign(first.answer - first.reference), _sign(second.answer - second.reference)
        flips += preferred in ((1, -1), (-1, 1))
    if not verdicts:
        return dict.fromkeys(("answer_first", "answer_second", "bias", "interval", "flips"))
    reach = HIGHEST - LOWEST
    found = compare_pairs(
        [(mark - LOWEST) / reach for mark in seconds],
        [(mark - LOWEST) / reach for mark in firsts],
        clusters,
    )
    bias = _mean([one - two for one, two in zip(firsts, seconds, strict=True)])
    return {
        "answer_first": _scaled(_mean(firsts)),
        "answer_second": _scaled(_mean(seconds)),
        "bias": _scaled(bias),
        "interval": found.interval and [_SCALE * reach * end for end in found.interval],
        "flips": flips / len(verdicts),
    }


def _sign(difference: float) -> int:
    return (difference > _NOISE) - (difference < -_NOISE)


# --- degrees ---------------------------------------------------------------------------------


def _degree(rows: Sequence[Row], verdicts: Mapping[str, HallucinationVerdict]) -> Table:
    scored = [(verdicts[r["id"]], r["reference"]["id"]) for r in rows if r["id"] in verdicts]
    clusters = [question for _, question in scored]
    degrees = [_known(verdict.degree) for verdict, _ in scored]
    words = [float(verdict.words or 0) for verdict, _ in scored]
    rate, interval = clustered_mean(degrees, clusters), _interval(degrees, clusters)
    return {
        "n": len(degrees),
        "of": len(rows),
        "degree": rate.value,
        "standard_error": rate.standard_error,
        "interval": interval and list(interval),
        "words": _mean(words),
        "correlation": pearson(degrees, words),
    }


# --- means -----------------------------------------------------------------------------------


def _interval(marks: Sequence[float], clusters: Sequence[Hashable]) -> Interval | None:
    """Return the 95% interval of a mean of marks; None where there are not two questions."""
    rate = clustered_mean(marks, clusters)
    if rate.value is None or rate.standard_error is None:
        return None
    count = len(set(clusters))
    if rate.standard_error < _NOISE:
        share = zero_half_width(count)
        below, above = share * (rate.value - LOWEST), share * (HIGHEST - rate.value)
    else:
        below = above = student_quantile((1 + LEVEL) / 2, count - 1) * rate.standard_error
    return max(LOWEST, rate.value - below), min(HIGHEST, rate.value + above)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _scaled(value: float | None) -> float | None:
    return None if value is None else _SCALE * value


def _scaled_interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [_SCALE * end for end in interval]


def _known(mark: float | None) -> float:
    assert mark is not None, "a scored verdict has its marks"
    return mark
