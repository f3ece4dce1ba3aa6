"""What is left of agreement when chance is taken off: the sum that kappa and alpha both are.

Both are 1 - (disagreement seen) / (disagreement that chance would make), and differ in how chance
is reckoned. Sums are of whole numbers and fractions, so that full agreement is exactly 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .statistics import Rate

__all__ = ["Item", "corrected", "jackknife"]


@dataclass(frozen=True)
class Item:
    """What one item adds: disagreement, and votes by answer on either side."""

    apart: int | Fraction
    n: int
    first: Mapping[str, int]
    second: Mapping[str, int]


class _Margins:
    """Votes by answer, and how much disagreement chance would make of them."""

    def __init__(self) -> None:
        self.n = 0
        self.first: dict[str, int] = {}
        self.second: dict[str, int] = {}

    def add(self, votes: Item | _Margins) -> None:
        self.n += votes.n
        for own, more in ((self.first, votes.first), (self.second, votes.second)):
            for answer, count in more.items():
                own[answer] = own.get(answer, 0) + count

    def product(self, without: _Margins | None = None) -> int:
        """Return the sum of products of both sides' votes, or what a part makes of it."""
        if without is None:
            return sum(count * self.second.get(answer, 0) for answer, count in self.first.items())
        change = 0
        for answer in without.first.keys() | without.second.keys():
            a, b = self.first.get(answer, 0), self.second.get(answer, 0)
            less_a, less_b = without.first.get(answer, 0), without.second.get(answer, 0)
            change += a * b - (a - less_a) * (b - less_b)
        return change


def corrected(
    items: Sequence[Item | None],
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable],
    expected: Callable[[int, int], Fraction],
) -> Rate:
    """Return 1 - disagreement / disagreement by chance, which kappa and alpha both are.

    Args:
        items: One each; None where there are not two votes.
        clusters: What items belong together.
        strata: Which options an item's answers were chosen from.
        expected: Disagreement by chance, from a number of votes and the sum of products of both
            sides' votes by answer.
    """
    parts: dict[Hashable, dict[Hashable, _Margins]] = {}
    apart: dict[Hashable, int | Fraction] = {}
    counted = 0
    for item, cluster, stratum in zip(items, clusters, strata, strict=True):
        if item is not None:
            counted += 1
            apart[cluster] = apart.get(cluster, 0) + item.apart
            parts.setdefault(cluster, {}).setdefault(stratum, _Margins()).add(item)
    whole: dict[Hashable, _Margins] = {}
    for part in parts.values():
        for stratum, margins in part.items():
            whole.setdefault(stratum, _Margins()).add(margins)
    products = {stratum: margins.product() for stratum, margins in whole.items()}
    chance = {stratum: expected(whole[stratum].n, p) for stratum, p in products.items()}
    observed, total = sum(apart.values()), sum(chance.values(), Fraction(0))

    def without(cluster: Hashable) -> float | None:
        left = total
        for stratum, margins in parts[cluster].items():
            n = whole[stratum].n - margins.n
            product = products[stratum] - whole[stratum].product(without=margins)
            left += (expected(n, product) if n else 0) - chance[stratum]
        return _one_minus(observed - apart[cluster], left)

    value = _one_minus(observed, total)
    error = jackknife([without(cluster) for cluster in parts]) if value is not None else None
    return Rate(value, error, counted)


def _one_minus(observed: int | Fraction, expected: Fraction) -> float | None:
    return float(1 - observed / expected) if expected else None


def jackknife(left_out: Sequence[float | None]) -> float | None:
    """Return the standard error of a value, from what it is without each of its clusters."""
    values = [value for value in left_out if value is not None]
    count = len(values)
    if count < 2 or count < len(left_out):
        return None
    mean = math.fsum(values) / count
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) * (count - 1) / count)
