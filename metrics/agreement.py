"""How far judges and people agree: ratio, Cohen's kappa, Krippendorff's alpha. Pure functions.

An answer is any text. None means that a rater said nothing of an item (was not asked, or the call
failed): the item is left out. The empty text means that a rater looked and chose none of the
options: that is an answer like any other, and two who say so agree.

Sources: CoBSAT, App. C and Fig. 7 (two judges, task by task); TouchStone, Sec. 4.1 (a judge and the
majority of people's votes); Cohen (1960); Krippendorff, "Computing Krippendorff's alpha
reliability" (2011), nominal data. Standard errors of kappa, alpha and shares of votes leave out one
cluster at a time (the jackknife), so that prompts which repeat one another do not make them small.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from .chance import Item, corrected, jackknife
from .statistics import Rate, clustered_mean

__all__ = [
    "Agreement",
    "agreement",
    "alpha",
    "kappa",
    "leave_one_out",
    "majority",
    "pairwise",
    "pearson",
    "ratio",
    "task_points",
]

Votes: TypeAlias = Sequence[str | None]
"""The answers to one item, one a rater; or the answers of one rater, one an item."""
Groups: TypeAlias = Sequence[Hashable] | None

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Agreement:
    """How far two raters agree.

    Attributes:
        ratio: The share of items on which they say the same, 0 to 1.
        kappa: Cohen's kappa: 1 is full agreement, 0 what chance would give, less is worse; None
            where chance alone makes them agree always.
        alpha: Krippendorff's alpha, on the same scale.
    """

    ratio: Rate
    kappa: Rate
    alpha: Rate


def agreement(
    first: Votes, second: Votes, clusters: Groups = None, strata: Groups = None
) -> Agreement:
    """Return how far two raters agree, over the items of which both said something.

    Args:
        first: The answers of one rater.
        second: The answers of the other, in the same order.
        clusters: What items belong together; each is its own by default. Only standard errors
            depend on it.
        strata: Which options an item's answers were chosen from: chance is reckoned within each.
            By default all items share theirs.

    Raises:
        ValueError: There is not one answer, cluster and stratum for every item.
    """
    return Agreement(
        ratio(first, second, clusters),
        kappa(first, second, clusters, strata),
        alpha(list(zip(first, second, strict=True)), clusters, strata),
    )


def ratio(first: Votes, second: Votes, clusters: Groups = None) -> Rate:
    """Return the ratio of consistent answers (TouchStone, Sec. 4.1), 0 to 1.

    >>> ratio(["car", "hat", "cup", None], ["car", "hat", "box", "bag"]).value
    0.6666666666666666
    """
    clusters = _groups("clusters", clusters, len(first))
    both = [
        (a == b, cluster)
        for a, b, cluster in zip(first, _as_many("answers", second, len(first)), clusters,
                                 strict=True)
        if a is not None and b is not None
    ]  # fmt: skip
    return clustered_mean([same for same, _ in both], [cluster for _, cluster in both])


def kappa(first: Votes, second: Votes, clusters: Groups = None, strata: Groups = None) -> Rate:
    """Return Cohen's kappa, -1 to 1; None where chance alone makes them agree always.

    >>> kappa(["a", "a", "b", "b"], ["a", "b", "b", "b"]).value
    0.5
    >>> kappa(["a", "a"], ["a", "a"]).value is None
    True
    """
    _as_many("answers", second, len(first))
    items = [
        Item(int(a != b), 1, {a: 1}, {b: 1}) if a is not None and b is not None else None
        for a, b in zip(first, second, strict=True)
    ]
    return corrected(
        items, *_grouped(len(items), clusters, strata), lambda n, product: n - Fraction(product, n)
    )


def alpha(votes: Sequence[Votes], clusters: Groups = None, strata: Groups = None) -> Rate:
    """Return Krippendorff's alpha for nominal data, for any number of raters; votes may be missing.

    None where all votes are the same, or no item has two.

    Args:
        votes: For each item, the votes on it.
        clusters: What items belong together.
        strata: Which options an item's answers were chosen from.

    >>> round(alpha([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"], ["b", None]]).value, 3)
    0.533
    """
    items: list[Item | None] = []
    for each in votes:
        said = Counter(vote for vote in each if vote is not None)
        m = said.total()
        if m < 2:
            items.append(None)
            continue
        apart = sum(k * (m - k) for k in said.values())
        share = apart if m == 2 else Fraction(apart, m - 1)
        items.append(Item(share, m, said, said))
    return corrected(
        items,
        *_grouped(len(items), clusters, strata),
        lambda n, product: Fraction(n * n - product, n - 1),
    )


def majority(votes: Votes) -> str | None:
    """Return the answer with more votes than any other; None where it is tied, or nobody voted.

    So three people decide unless all differ; a fourth, asked where they differ, decides a tie, and
    an item that is tied still has no majority: it is left out, and counted.

    >>> majority(["car", "hat", "car"])
    'car'
    >>> majority(["car", "hat", "cup", "hat"])
    'hat'
    >>> print(majority(["car", "car", "hat", "hat"]))
    None
    """
    counts = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def pairwise(votes: Sequence[Votes], clusters: Groups = None) -> Rate:
    """Return the share of pairs of votes on one item that are the same, over all items.

    The `n` of the result counts pairs.

    >>> pairwise([["a", "a", "b"], ["a", "a", None]]).value
    0.5
    """
    shares = []
    for each in votes:
        said = Counter(vote for vote in each if vote is not None)
        m = said.total()
        shares.append((sum(k * (k - 1) // 2 for k in said.values()), m * (m - 1) // 2))
    return _share(shares, clusters)


def leave_one_out(votes: Sequence[Votes], clusters: Groups = None) -> Rate:
    """Return the share of votes that are what the majority of the others says.

    It is what a judge's agreement with the majority is to be measured by: one of the people, left
    out and held against the rest. Where the others are tied, the vote is left out; the `n` of the
    result counts votes.

    >>> leave_one_out([["a", "a", "a"], ["a", "a", "b"]]).value
    0.75
    """
    shares = []
    for each in votes:
        said = [vote for vote in each if vote is not None]
        others = [(vote, majority(said[:k] + said[k + 1 :])) for k, vote in enumerate(said)]
        shares.append(
            (
                sum(vote == other for vote, other in others),
                sum(other is not None for _, other in others),
            )
        )
    return _share(shares, clusters)


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation, -1 to 1; None for fewer than two points or without a spread.

    Raises:
        ValueError: The two are not as many.

    >>> pearson([0.1, 0.2, 0.3], [0.2, 0.4, 0.6])
    1.0
    >>> print(pearson([0.5, 0.5], [0.1, 0.9]))
    None
    """
    n = len(first)
    _as_many("values", second, n)
    if n < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    a = [x - math.fsum(first) / n for x in first]
    b = [y - math.fsum(second) / n for y in second]
    spread = math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
    if spread == 0:
        return None
    value = math.fsum(x * y for x, y in zip(a, b, strict=True)) / spread
    return max(-1.0, min(1.0, value))


def task_points(
    first: Votes, second: Votes, tasks: Sequence[Hashable], targets: Sequence[str]
) -> list[dict[str, Any]]:
    """Return Fig. 7's points: of each task, in order, `task`, `n`, and both accuracies.

    Accuracies are over the items that both answered; a task without any has no point.

    >>> task_points(["a", "b"], ["a", "a"], ["t", "t"], ["a", "a"])
    [{'task': 't', 'n': 2, 'first_accuracy': 0.5, 'second_accuracy': 1.0}]
    """
    n = len(first)
    _as_many("tasks", tasks, n)
    _as_many("targets", targets, n)
    grouped: dict[Hashable, list[tuple[bool, bool]]] = {}
    for a, b, task, target in zip(first, second, tasks, targets, strict=True):
        if a is not None and b is not None:
            grouped.setdefault(task, []).append((a == target, b == target))
    return [
        {
            "task": task,
            "n": len(pairs),
            "first_accuracy": sum(a for a, _ in pairs) / len(pairs),
            "second_accuracy": sum(b for _, b in pairs) / len(pairs),
        }
        for task, pairs in grouped.items()
    ]


def _share(shares: Iterable[tuple[int, int]], clusters: Groups) -> Rate:
    """Return the sum of parts over the sum of wholes."""
    shares = list(shares)
    clusters = _groups("clusters", clusters, len(shares))
    sums: dict[Hashable, tuple[int, int]] = {}
    for (part, whole), cluster in zip(shares, clusters, strict=True):
        if whole:
            before = sums.get(cluster, (0, 0))
            sums[cluster] = before[0] + part, before[1] + whole
    parts, wholes = (sum(pair[k] for pair in sums.values()) for k in (0, 1))
    if not wholes:
        return Rate(None, None, 0)
    left_out = [
        (parts - part) / (wholes - whole) if wholes > whole else None
        for part, whole in sums.values()
    ]
    return Rate(parts / wholes, jackknife(left_out), wholes)


def _grouped(
    n: int, clusters: Groups, strata: Groups
) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    strata = _as_many("strata", [0] * n if strata is None else strata, n)
    return _groups("clusters", clusters, n), strata


def _groups(what: str, groups: Groups, n: int) -> Sequence[Hashable]:
    return range(n) if groups is None else _as_many(what, groups, n)


def _as_many(what: str, values: Sequence[_Value], n: int) -> Sequence[_Value]:
    if len(values) != n:
        raise ValueError(f"{what} must be as many as there are items ({n}), got {len(values)}")
    return values
