"""Standard errors against numbers worked out by hand."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from cobsat.metrics.statistics import Rate, clustered_mean, mean_of_rates


def test_clusters_of_one_give_the_ordinary_standard_error() -> None:
    generator = random.Random(1)
    values = [float(generator.random() < 0.3) for _ in range(200)]
    rate = clustered_mean(values, range(200))
    assert rate.value == pytest.approx(statistics.fmean(values))
    assert rate.standard_error == pytest.approx(statistics.stdev(values) / math.sqrt(200))


def test_by_hand() -> None:
    # mean 4/6; residuals: a 1/3 + 1/3 = 2/3, b 1/3 - 2/3 = -1/3, c 1/3 - 2/3 = -1/3
    # squares 4/9 + 1/9 + 1/9 = 2/3; times 3/2 is 1; root 1, over 6 values
    rate = clustered_mean([1, 1, 1, 0, 0, 1], ["a", "a", "b", "b", "c", "c"])
    assert rate.value == pytest.approx(4 / 6)
    assert rate.standard_error == pytest.approx(1 / 6)
    assert rate.n == 6


def test_copies_of_a_value_add_no_certainty() -> None:
    once = clustered_mean([1, 0, 0, 1, 1], "abcde")
    twice = clustered_mean([1, 0, 0, 1, 1] * 2, "abcde" * 2)
    assert twice.standard_error == pytest.approx(once.standard_error)
    assert twice.n == 10


def test_edges() -> None:
    assert clustered_mean([], []) == Rate(None, None, 0)
    assert clustered_mean([1, 0], ["a", "a"]) == Rate(0.5, None, 2)
    assert clustered_mean([1, 1], ["a", "b"]) == Rate(1.0, 0.0, 2)
    with pytest.raises(ValueError, match=r"as many as values \(2\), got 1"):
        clustered_mean([1, 0], ["a"])


def test_mean_of_rates() -> None:
    # root(0.03^2 + 0.04^2) / 2 = 0.025
    assert mean_of_rates([Rate(0.5, 0.03, 10), Rate(0.7, 0.04, 30)]) == Rate(0.6, 0.025, 40)
    assert mean_of_rates([Rate(0.5, 0.03, 10), Rate(None, None, 0)]) == Rate(None, None, 10)
    assert mean_of_rates([Rate(0.5, None, 10), Rate(0.7, 0.1, 10)]) == Rate(0.6, None, 20)
    assert mean_of_rates([]) == Rate(None, None, 0)
