"""What is left of agreement when chance is taken off: the sum that kappa and alpha both are.

Both are 1 - (disagreement seen) / (disagreement that chance would make), and differ in how chance
is reckoned. Sums are of whole numbers and fractions, so that full agreement is exactly 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from .statistics import Rate

__all__ = ["Item", "corrected", "jackknife"]

_NOTHING: Final = Fraction(0)


@dataclass(frozen=True)
class Item:
    """What one item adds: disagreement, and votes by answer on either side."""

    apart: Fraction
    n: int
    first: Counter[str]
    second: Counter[str]


class _Margins:
    """Votes by answer, and how much disagreement chance would make of them."""

    def __init__(self, expected: Callable[[int, int], Fraction]) -> None:
        self.n = 0
        self.first: Counter[str] = Counter()
        self.second: Counter[str] = Counter()
        self.product = 0
        self._expected = expected

    def add(self, item: Item) -> None:
        answers = item.first.keys() | item.second.keys()
        self.product -= sum(self.first[answer] * self.second[answer] for answer in answers)
        self.n += item.n
        self.first.update(item.first)
        self.second.update(item.second)
        self.product += sum(self.first[answer] * self.second[answer] for answer in answers)

    def expected(self, without: _Margins | None = None) -> Fraction:
        """Return the disagreement by chance, with a part of the votes left out."""
        n, product = self.n, self.product
        if without is not None:
            n -= without.n
            for answer in without.first.keys() | without.second.keys():
                a, b = self.first[answer], self.second[answer]
                product -= a * b - (a - without.first[answer]) * (b - without.second[answer])
        return self._expected(n, product) if n else _NOTHING


def corrected(
    items: Sequence[Item | None],
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable],
    expected: Callable[[int, int], Fraction],
) -> Rate:
    """Return 1 - disagreement / disagreement by chance, which kappa and alpha both are."""
    whole: dict[Hashable, _Margins] = {}
    parts: dict[Hashable, dict[Hashable, _Margins]] = {}
    apart: dict[Hashable, Fraction] = {}
    counted = 0
    for item, cluster, stratum in zip(items, clusters, strata, strict=True):
        if item is None:
            continue
        counted += 1
        apart[cluster] = apart.get(cluster, _NOTHING) + item.apart
        whole.setdefault(stratum, _Margins(expected)).add(item)
        part = parts.setdefault(cluster, {})
        part.setdefault(stratum, _Margins(expected)).add(item)
    observed = sum(apart.values(), _NOTHING)
    chance = {stratum: margins.expected() for stratum, margins in whole.items()}
    total = sum(chance.values(), _NOTHING)
    left_out = [
        _one_minus(
            observed - apart[cluster],
            total + sum(whole[s].expected(margins) - chance[s] for s, margins in part.items()),
        )
        for cluster, part in parts.items()
    ]
    value = _one_minus(observed, total)
    return Rate(value, jackknife(left_out) if value is not None else None, counted)


def _one_minus(observed: Fraction, expected: Fraction) -> float | None:
    return float(1 - observed / expected) if expected else None


def jackknife(left_out: Sequence[float | None]) -> float | None:
    """Return the standard error of a value, from what it is without each of its clusters."""
    values = [value for value in left_out if value is not None]
    count = len(values)
    if count < 2 or count < len(left_out):
        return None
    mean = math.fsum(values) / count
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) * (count - 1) / count)
