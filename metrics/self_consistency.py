"""Self-consistency: what the several outputs of one example say together. Pure functions.

A run of K samples has K outputs an example. The accuracy of the scores is the mean over them all:
how good a *single* output is. Here are two more:

- *majority*: the outputs vote with what the judge saw in them, object and attribute as one answer
  (Wang et al., "Self-Consistency Improves Chain of Thought Reasoning in Language Models", 2023;
  CoBSAT, Sec. 7.2 and 9, names it as the next thing to try);
- *best of K*: at least one of the K is right; and of k outputs drawn from the K, without bias
  (Chen et al., "Evaluating Large Language Models Trained on Code", 2021).

An output without both answers (it failed, was blocked or is unscored) has no vote and is not right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from cobsat.run_folder import Verdict

from .grading import parts
from .statistics import Rate, clustered_mean, mean_of_rates

__all__ = [
    "CONSISTENCY_RATES",
    "Ballot",
    "Consistency",
    "best_of_k",
    "consistency",
    "majority",
    "mean_of_consistencies",
]

CONSISTENCY_RATES: Final = (
    "majority",
    "majority_object",
    "majority_attribute",
    "majority_textual",
    "majority_visual",
    "best_of",
)
"""What the majority shows, whole and by halves, and whether any output is right."""


@dataclass(frozen=True)
class Ballot:
    """One example's outputs.

    Attributes:
        cluster: What the prompt asks for.
        votes: The verdict on each output, in order; None for one without both answers.
    """

    cluster: Hashable
    votes: tuple[Verdict | None, ...]


@dataclass(frozen=True)
class Consistency:
    """What examples' outputs say together, as shares of the examples.

    Attributes:
        rates: One for each of `CONSISTENCY_RATES`.
        best_of_k: That one of k outputs is right, for k from 1 to K.
        no_majority: Examples none of whose outputs has a vote; they count as wrong.
    """

    rates: dict[str, Rate]
    best_of_k: tuple[Rate, ...]
    no_majority: int


def majority(votes: Sequence[Verdict | None]) -> Verdict | None:
    """Return the verdict that most outputs share: the answer seen most often, object and attribute.

    Of answers seen equally often the first wins: that of the lowest sample number. None without a
    vote.

    >>> hat, car = (Verdict("", "scored", name, "red") for name in ("hat", "car"))
    >>> majority([hat, car, None, car]).object
    'car'
    >>> majority([hat, car, car, hat]).object
    'hat'
    """
    cast = [vote for vote in votes if vote is not None]
    seen = Counter((vote.object, vote.attribute) for vote in cast)
    # max gives the first of several that are equal
    return max(cast, key=lambda vote: seen[vote.object, vote.attribute], default=None)


def best_of_k(samples: int, right: int, k: int) -> float:
    """Return how likely one of k outputs, drawn from so many without putting back, is right.

    Raises:
        ValueError: There are not k outputs, or not so many that could be right.

    >>> [best_of_k(5, 2, k) for k in (1, 2, 5)]
    [0.4, 0.7, 1.0]
    """
    if not (1 <= k <= samples and 0 <= right <= samples):
        raise ValueError(
            f"k must be from 1 to samples and right from 0 to samples, got k={k}, right={right} "
            f"and samples={samples}"
        )
    all_ways = math.comb(samples, k)
    return (all_ways - math.comb(samples - right, k)) / all_ways


def consistency(task: str, ballots: Sequence[Ballot], samples: int) -> Consistency:
    """Return what the examples of one task come to, with clustered standard errors.

    Args:
        task: The task, which says what of an answer is the text's half.
        ballots: The examples whose every output is known.
        samples: Outputs for each example.

    Raises:
        ValueError: A ballot has not so many votes.
    """
    for ballot in ballots:
        if len(ballot.votes) != samples:
            raise ValueError(f"votes must be one a sample ({samples}), got {len(ballot.votes)}")
    clusters = [ballot.cluster for ballot in ballots]
    winners = [majority(ballot.votes) for ballot in ballots]
    right = [sum(v is not None and v.correct for v in ballot.votes) for ballot in ballots]
    shown = [
        parts(task, bool(won and won.object_correct), bool(won and won.attribute_correct))
        for won in winners
    ]
    halves = ("object", "attribute", "textual", "visual")
    values: dict[str, list[bool]] = {
        "majority": [of["accuracy"] for of in shown],
        **{f"majority_{half}": [of[half] for of in shown] for half in halves},
        "best_of": [count > 0 for count in right],
    }
    return Consistency(
        rates={name: clustered_mean(values[name], clusters) for name in CONSISTENCY_RATES},
        best_of_k=tuple(_best_of(k, samples, right, clusters) for k in range(1, samples + 1)),
        no_majority=winners.count(None),
    )


def _best_of(k: int, samples: int, right: Sequence[int], clusters: Sequence[Hashable]) -> Rate:
    chances = {count: best_of_k(samples, count, k) for count in set(right)}
    return clustered_mean([chances[count] for count in right], clusters)


def mean_of_consistencies(tasks: Sequence[Consistency]) -> Consistency:
    """Return the mean over tasks, each with the same weight."""
    return Consistency(
        rates={n: mean_of_rates([task.rates[n] for task in tasks]) for n in CONSISTENCY_RATES},
        best_of_k=tuple(
            mean_of_rates(of_k) for of_k in zip(*(task.best_of_k for task in tasks), strict=True)
        ),
        no_majority=sum(task.no_majority for task in tasks),
    )
