"""95% intervals of shares and of means of shares, and Student's t. Pure functions.

A share's interval is the modified Wilson interval (Korn and Graubard, "Confidence intervals for
proportions with small expected number of positive counts estimated from survey data", 1998):
Wilson's (1927), with the size of the sample that would be as sure without clusters, and Student's t
with one degree of freedom less than there are clusters. It stays within 0 and 1, and tells
something at 0% and 100% too: there the clustered standard error is 0, and each cluster counts as
one prompt, as if its prompts could only be right or wrong together.
A mean over tasks puts its parts' distances together (Zou and Donner, "Construction of confidence
limits about effect measures", 2008).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Final, TypeAlias

from scipy.special import stdtr, stdtrit

from .statistics import Rate, clustered_mean

__all__ = [
    "LEVEL",
    "Interval",
    "mean_interval",
    "pooled_degrees",
    "rate_interval",
    "share_interval",
    "student_quantile",
    "student_tail",
    "zero_half_width",
]

LEVEL: Final = 0.95

Interval: TypeAlias = tuple[float, float]


def share_interval(
    values: Sequence[float], clusters: Sequence[Hashable], samples: int = 1
) -> Interval | None:
    """Return the 95% interval of a share; None where it cannot be told (fewer than two clusters).

    Args:
        values: Right or not, prompt by prompt; or what share of its outputs is right.
        clusters: What each prompt asks for.
        samples: Outputs for each prompt.

    >>> low, high = share_interval([True] * 100, range(100))
    >>> round(low, 3), high
    (0.962, 1.0)
    >>> low, high = share_interval([True] * 50 + [False] * 50, range(100))
    >>> round(low, 3), round(high, 3)
    (0.402, 0.598)
    """
    return rate_interval(clustered_mean(values, clusters), len(set(clusters)), samples)


def rate_interval(rate: Rate, clusters: int, samples: int = 1) -> Interval | None:
    """Return the 95% interval of a share whose clustered error is known; None if it is not.

    Args:
        rate: The share.
        clusters: How many different things its prompts ask for.
        samples: Outputs for each of the values that it is the mean of.

    >>> low, high = rate_interval(Rate(1.0, 0.0, 1000), 100)
    >>> round(low, 3), high
    (0.962, 1.0)
    """
    if rate.value is None or rate.standard_error is None or clusters < 2:
        return None
    variance = rate.value * (1 - rate.value)
    # never more than there are outputs: that clusters even out may be luck
    squared_error = max(rate.standard_error**2, variance / (rate.n * samples))
    size = variance / squared_error if variance else float(clusters)
    return _wilson(rate.value, size, student_quantile((1 + LEVEL) / 2, clusters - 1))


def _wilson(share: float, size: float, t: float) -> Interval:
    squared = t * t
    middle = (share + squared / (2 * size)) / (1 + squared / size)
    root = math.sqrt(share * (1 - share) / size + squared / (4 * size * size))
    half = t * root / (1 + squared / size)
    # the value itself is within, whatever rounding does
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def mean_interval(values: Sequence[float], intervals: Sequence[Interval | None]) -> Interval | None:
    """Return the interval of the mean of independent values, each with the same weight.

    It is unknown if one of them is.

    >>> mean_interval([0.5, 0.5], [(0.47, 0.53), (0.46, 0.54)])
    (0.475, 0.525)
    """
    known = [interval for interval in intervals if interval is not None]
    if not values or len(known) < len(values):
        return None
    count = len(values)
    middle = math.fsum(values) / count
    below = math.hypot(*(v - low for v, (low, _) in zip(values, known, strict=True)))
    above = math.hypot(*(high - v for v, (_, high) in zip(values, known, strict=True)))
    return middle - below / count, middle + above / count


def zero_half_width(clusters: int) -> float:
    """Return how far a difference may be from 0 if it is 0 in every one of so many clusters.

    It is Wilson's bound on the share of clusters with a difference, each counted once.

    >>> round(zero_half_width(100), 3)
    0.038
    """
    squared = student_quantile((1 + LEVEL) / 2, clusters - 1) ** 2
    return squared / (clusters + squared)


def pooled_degrees(errors: Sequence[float], degrees: Sequence[float]) -> float:
    """Return the degrees of freedom of a mean with these standard errors (Satterthwaite, 1946).

    >>> pooled_degrees([0.1, 0.1], [9, 9])
    18.0
    """
    largest = max(errors)
    if largest == 0:
        return float(sum(degrees))
    squares = [(error / largest) ** 2 for error in errors]
    return math.fsum(squares) ** 2 / math.fsum(
        square**2 / degree for square, degree in zip(squares, degrees, strict=True)
    )


def student_tail(t: float, degrees: float) -> float:
    """Return how likely a value at least as far from 0 as `t` is under Student's distribution.

    Raises:
        ValueError: There are no degrees of freedom.

    >>> round(student_tail(2.262, 9), 3)
    0.05
    """
    if not degrees > 0:
        raise ValueError(f"degrees must be more than 0, got {degrees}")
    return 2 * float(stdtr(degrees, -abs(t)))


def student_quantile(probability: float, degrees: float) -> float:
    """Return the value that Student's t stays below with a probability from 0.5 to below 1.

    >>> round(student_quantile(0.975, 99), 3)
    1.984
    """
    if not 0.5 <= probability < 1:
        raise ValueError(f"probability must be from 0.5 to below 1, got {probability}")
    return float(stdtrit(degrees, probability))
