"""How far a judge of TouchStone agrees with people, and people with one another. Pure functions.

A vote says whether the model's answer is better than the reference answer: "win", "tie" or "loss".
The judge's vote is the sign of the difference of its two mean marks. Ground truth is what most
people say; where the first three are of three minds, a fourth is asked and decides.

Source: TouchStone, Sec. 4.1: 200 questions by the categories' shares, three models, three votes
each. The paper does not say what people's 78.4% were held against, so there are three readings
here: the ground truth, which a person's own vote helped to make; the majority of the others; and
one other person. What the judge's 72.2% compares with is the first.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, Literal, TypeAlias

from .agreement import majority
from .intervals import Interval, share_interval

__all__ = [
    "PAPER",
    "QUESTIONS",
    "Ballot",
    "Consistency",
    "Vote",
    "among_people",
    "judge_to_people",
    "largest_remainder",
    "sample_questions",
    "vote_of_marks",
]

Vote: TypeAlias = Literal["win", "tie", "loss"]

QUESTIONS: Final = 200
PAPER: Final = {"model_to_human": 0.722, "human_to_human": 0.784}
"""What the paper found, on the official questions, with GPT-4 for a judge (Sec. 4.1)."""


@dataclass(frozen=True)
class Consistency:
    """A ratio of consistent votes.

    Attributes:
        value: From 0 to 1; None without votes.
        interval: 95% interval, clustered by question; None where it cannot be told.
        n: How many votes were held against something.
        questions: Of how many questions.
    """

    value: float | None
    interval: Interval | None
    n: int
    questions: int


@dataclass(frozen=True)
class Ballot:
    """All votes on one answer of one model.

    Attributes:
        run: The model's run.
        question: The question's id.
        categories: Its categories.
        votes: People's votes.
        fourth: Votes of people who were asked only where the others are of several minds.
        judge: The judge's vote; None where it gave none.
    """

    run: str
    question: str
    categories: tuple[str, ...]
    votes: tuple[Vote, ...]
    fourth: tuple[Vote, ...] = ()
    judge: Vote | None = None

    @property
    def truth(self) -> str | None:
        """What most people say; None where that is nothing, the fourth's vote counted in."""
        return majority(self.votes) or majority([*self.votes, *self.fourth])


def vote_of_marks(answer: float, reference: float) -> Vote:
    """Return a judge's vote, of its mean marks in both rounds.

    >>> vote_of_marks(8.0, 8.5), vote_of_marks(9.0, 9.0)
    ('loss', 'tie')
    """
    if answer == reference:
        return "tie"
    return "win" if answer > reference else "loss"


def largest_remainder(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many of `count` each group has by its share; of equal remainders the first wins.

    >>> largest_remainder({"a": 50, "b": 30, "c": 20}, 7)
    {'a': 4, 'b': 2, 'c': 1}
    """
    total = sum(sizes.values())
    count = min(count, total)
    if not total:
        return dict.fromkeys(sizes, 0)
    quotas = {name: Fraction(count * size, total) for name, size in sizes.items()}
    taken = {name: math.floor(quota) for name, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda name: taken[name] - quotas[name])
    for name in by_remainder[: count - sum(taken.values())]:
        taken[name] += 1
    return taken


def sample_questions(categories: Mapping[str, str], count: int, seed: int) -> list[str]:
    """Return questions drawn by the shares of their categories, in an order of their own.

    Args:
        categories: The category of each question, by id: where it has several, its first.
        count: How many; all where there are not more.
        seed: On it, and on the questions, the sample and its order depend.

    >>> sorted(sample_questions({"a": "x", "b": "x", "c": "y", "d": "x"}, 2, 0))[-1] in "abd"
    True
    """
    order = list(categories)
    random.Random(seed).shuffle(order)
    left = largest_remainder(Counter(categories.values()), count)
    drawn = []
    for question in order:
        if left[categories[question]]:
            left[categories[question]] -= 1
            drawn.append(question)
    return drawn


def judge_to_people(ballots: Sequence[Ballot]) -> dict[str, Consistency]:
    """Return how far a judge agrees with people.

    Keys:
        truth: With the ground truth.
        one: With one person at a time: what `among_people`'s "one" is to be set beside.
    """
    judged = [ballot for ballot in ballots if ballot.judge is not None]
    return {
        "truth": _consistency((b, b.judge == b.truth) for b in judged if b.truth is not None),
        "one": _consistency((b, b.judge == vote) for b in judged for vote in b.votes),
    }


def among_people(ballots: Sequence[Ballot]) -> dict[str, Consistency]:
    """Return how far people agree with one another; the fourth's votes decide, and are not counted.

    Keys:
        truth: A person's vote with the ground truth, which it helped to make.
        others: A person's vote with the majority of the others, where they have one.
        one: A person's vote with another's.
    """
    several = [ballot for ballot in ballots if len(ballot.votes) > 1]
    others = (
        (ballot, vote, majority(ballot.votes[:k] + ballot.votes[k + 1 :]))
        for ballot in several
        for k, vote in enumerate(ballot.votes)
    )
    return {
        "truth": _consistency(
            (b, vote == b.truth) for b in several if b.truth is not None for vote in b.votes
        ),
        "others": _consistency((b, vote == rest) for b, vote, rest in others if rest is not None),
        "one": _consistency(
            (b, first == second) for b in several for first, second in combinations(b.votes, 2)
        ),
    }


def _consistency(votes: Iterable[tuple[Ballot, bool]]) -> Consistency:
    given = list(votes)
    same = [is_same for _, is_same in given]
    questions: list[Any] = [ballot.question for ballot, _ in given]
    if not given:
        return Consistency(None, None, 0, 0)
    value = sum(same) / len(same)
    return Consistency(value, share_interval(same, questions), len(same), len(set(questions)))
