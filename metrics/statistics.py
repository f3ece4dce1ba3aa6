"""Means with standard errors that know which prompts repeat one another. Pure functions.

Many prompts of a task repeat: only 100 pairs of query and latent variable exist, so a standard
error that took 1,000 prompts for independent would be too small.
Source: the cluster-robust variance of a mean (Liang and Zeger, 1986), with the small-sample factor
G / (G - 1); for clusters of one it is the ordinary standard error.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

__all__ = ["Rate", "clustered_mean", "mean_of_rates"]


@dataclass(frozen=True)
class Rate:
    """A mean, how sure it is, and over how many values.

    Attributes:
        value: The mean; None without values.
        standard_error: Its standard error; None where it cannot be told (fewer than two clusters).
        n: The number of values.
    """

    value: float | None
    standard_error: float | None
    n: int


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> Rate:
    """Return the mean of values, with its standard error clustered.

    Raises:
        ValueError: There is not one cluster for every value.

    >>> clustered_mean([1, 1, 0, 0], ["a", "b", "c", "d"]).value
    0.5
    >>> round(clustered_mean([1, 1, 0, 0], ["a", "a", "b", "b"]).standard_error, 3)
    0.5
    """
    if len(values) != len(clusters):
        raise ValueError(f"clusters must be as many as values ({len(values)}), got {len(clusters)}")
    n = len(values)
    if n == 0:
        return Rate(None, None, 0)
    mean = math.fsum(values) / n
    residuals: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        residuals.setdefault(cluster, []).append(value - mean)
    count = len(residuals)
    if count < 2:
        return Rate(mean, None, n)
    squares = math.fsum(math.fsum(r) ** 2 for r in residuals.values())
    return Rate(mean, math.sqrt(squares * count / (count - 1)) / n, n)


def mean_of_rates(rates: Sequence[Rate]) -> Rate:
    """Return the mean of independent rates, each with the same weight.

    It is unknown if one of them is: a mean over the others would be of something else.

    >>> mean_of_rates([Rate(0.5, 0.03, 100), Rate(0.7, 0.04, 100)])
    Rate(value=0.6, standard_error=0.025, n=200)
    """
    values = [rate.value for rate in rates if rate.value is not None]
    errors = [rate.standard_error for rate in rates if rate.standard_error is not None]
    n = sum(rate.n for rate in rates)
    if not rates or len(values) < len(rates):
        return Rate(None, None, n)
    value = math.fsum(values) / len(rates)
    if len(errors) < len(rates):
        return Rate(value, None, n)
    return Rate(value, math.sqrt(math.fsum(e * e for e in errors)) / len(rates), n)
