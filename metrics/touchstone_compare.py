"""Which of several models is the better one on TouchStone: paired differences and ranks. Pure.

All models answered the same questions, so what counts is the difference question by question
(`comparison.py`: clustered, Student's interval and test, and where few questions differ the exact
sign test beside it). Two models tie where the difference does not stand at 95%. A rank is then a
span: its best end counts the models that are surely better, its worst end those surely worse.
Each pair is tested on its own; of many pairs, one in twenty stands out by chance.

A score that is only known as a number (the paper's) has no interval of its own: a model differs
from it where it lies outside that model's interval.
Source: TouchStone, Sec. 3.2 (a score is the mean mark times 100), Table 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cobsat.samples import split_sample_id
from cobsat.touchstone.spec import HIGHEST, LOWEST

from .comparison import compare_pairs
from .intervals import LEVEL, Interval

__all__ = ["Difference", "Entry", "Rank", "by_question", "difference", "ranks"]

_SCALE: Final = HIGHEST - LOWEST
_POINTS: Final = 100 * _SCALE
"""The points of a score between the worst model and the best."""


@dataclass(frozen=True)
class Difference:
    """How much more the second of two models scores, over the questions that both have.

    Attributes:
        n: Those questions.
        value: Second minus first, in points of a score; None without a question.
        interval: 95% interval.
        p_value: Two-sided, of the test that decides.
        first_better: Questions on which the first model has the higher mark.
        second_better: Questions on which the second has.
    """

    n: int
    value: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    first_better: int = 0
    second_better: int = 0

    @property
    def sign(self) -> int:
        """1 where the second model is surely better, -1 where the first is, 0 where they tie."""
        if self.value is None or self.p_value is None or self.p_value >= 1 - LEVEL:
            return 0
        return (self.value > 0) - (self.value < 0)


@dataclass(frozen=True)
class Rank:
    """A place among models, from 1; a span where models tie.

    >>> str(Rank(1, 2)), str(Rank(3, 3))
    ('1-2', '3')
    """

    best: int
    worst: int

    def __str__(self) -> str:
        """Return the place as a table shows it."""
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


@dataclass(frozen=True)
class Entry:
    """What of a model is ranked.

    Attributes:
        score: Its score; None where nothing was scored.
        interval: Its 95% interval, where it is known.
        marks: Its marks by question; None where only the score is known.
    """

    score: float | None
    interval: Interval | None = None
    marks: Mapping[str, float] | None = None


def by_question(marks: Mapping[str, float]) -> dict[str, float]:
    """Return the mean mark of each question, of marks by output.

    >>> by_question({"mini-1": 8.0, "mini-1-sample2": 9.0, "mini-2": 3.0})
    {'mini-1': 8.5, 'mini-2': 3.0}
    """
    found: dict[str, list[float]] = {}
    for name, mark in marks.items():
        found.setdefault(split_sample_id(name)[0], []).append(mark)
    # to 9 decimals: equal means are equal, whatever the order of their samples
    return {name: round(math.fsum(values) / len(values), 9) for name, values in found.items()}


def difference(first: Mapping[str, float], second: Mapping[str, float]) -> Difference:
    """Return how two models' marks, by question, differ on the questions that both have.

    >>> result = difference({"a": 8, "b": 6, "c": 7}, {"a": 9, "b": 7, "c": 9, "d": 1})
    >>> result.n, round(result.value, 1), result.second_better, result.sign
    (3, 133.3, 3, 0)
    """
    both = [question for question in first if question in second]
    if not both:
        return Difference(0)
    result = compare_pairs(
        [(first[question] - LOWEST) / _SCALE for question in both],
        [(second[question] - LOWEST) / _SCALE for question in both],
        both,
    )
    interval = result.interval
    return Difference(
        n=result.n,
        value=_POINTS * result.difference,
        interval=None if interval is None else (_POINTS * interval[0], _POINTS * interval[1]),
        p_value=result.deciding_p,
        first_better=result.only_first,
        second_better=result.only_second,
    )


def ranks(entries: Sequence[Entry]) -> list[Rank | None]:
    """Return each model's rank, in the order of the entries; None for one without a score.

    >>> [str(rank) for rank in ranks([Entry(700, (690, 710)), Entry(705), Entry(650)])]
    ['1-2', '1-2', '3']
    """
    count = sum(entry.score is not None for entry in entries)
    found: list[Rank | None] = []
    for place, entry in enumerate(entries):
        others = [o for k, o in enumerate(entries) if k != place and o.score is not None]
        above = [_order(entry, other) for other in others]
        if entry.score is None:
            found.append(None)
        else:
            found.append(Rank(1 + above.count(1), count - above.count(-1)))
    return found


def _order(entry: Entry, other: Entry) -> int:
    """Return 1 where the other is surely better, -1 where this one is, 0 where they tie."""
    if entry.score is None or other.score is None:
        return 0
    if entry.marks is not None and other.marks is not None:
        return difference(entry.marks, other.marks).sign
    if entry.marks is not None and entry.interval is None:
        return 0
    if other.marks is not None and other.interval is None:
        return 0
    low, high = entry.interval or (entry.score, entry.score)
    there_low, there_high = other.interval or (other.score, other.score)
    return (there_low > high) - (there_high < low)
