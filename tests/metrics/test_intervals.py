"""Student's t against printed tables, and intervals against hand-worked numbers and simulation."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest
from cobsat.metrics.intervals import (
    mean_interval,
    pooled_degrees,
    share_interval,
    student_quantile,
    student_tail,
    zero_half_width,
)


@pytest.mark.parametrize(
    ("probability", "degrees", "value"),
    [
        # the usual printed table of Student's t
        (0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 9, 2.262), (0.975, 30, 2.042),
        (0.975, 120, 1.980), (0.9, 5, 1.476), (0.995, 10, 3.169), (0.95, 20, 1.725),
    ],
)  # fmt: skip
def test_student_s_table(probability: float, degrees: float, value: float) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(value, abs=5e-4)
    assert student_tail(value, degrees) == pytest.approx(2 * (1 - probability), rel=2e-3)


def test_student_where_its_formula_is_simple() -> None:
    for t in (0.0, 1e-6, 0.3, 1.0, 4.0, 80.0):
        # one degree of freedom is Cauchy's distribution, two have a root
        assert student_tail(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, abs=1e-10)
        assert student_tail(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-10)
        assert student_tail(-t, 7) == student_tail(t, 7)
    assert student_tail(math.inf, 3) == 0.0
    normal = NormalDist()
    assert student_quantile(0.975, 1e6) == pytest.approx(normal.inv_cdf(0.975), abs=1e-5)
    assert student_tail(1.3, 1e6) == pytest.approx(2 * normal.cdf(-1.3), abs=1e-5)
    assert student_quantile(0.5, 4) == pytest.approx(0, abs=1e-9)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="degrees must be more than 0, got 0"):
        student_tail(1.0, 0)
    with pytest.raises(ValueError, match=r"probability must be from 0\.5 to below 1, got 1"):
        student_quantile(1.0, 5)


def test_share_by_hand() -> None:
    # ten clusters of one, three right: t(9) = 2.2622, squared 5.1174. The variance 0.21 over the
    # squared error 0.21 / 9 would be 9. Wilson with 9: middle (0.3 + 5.1174 / 18) / (1 + 0.5686)
    # = 0.37250, half 2.2622 * root(0.21 / 9 + 5.1174 / 324) / 1.5686 = 0.28527
    low, high = share_interval([True] * 3 + [False] * 7, range(10)) or (0, 0)
    assert (low, high) == (pytest.approx(0.08723, abs=2e-5), pytest.approx(0.65777, abs=2e-5))


def test_nothing_and_everything_right() -> None:
    # Wilson at 0 with 10 clusters: from 0 to t² / (10 + t²) = 5.1174 / 15.1174
    for size in (1, 7):
        clusters = [number % 10 for number in range(10 * size)]
        assert share_interval([False] * len(clusters), clusters) == (
            0.0, pytest.approx(0.33851, abs=1e-5),
        )  # fmt: skip
        assert share_interval([True] * len(clusters), clusters) == (
            pytest.approx(0.66149, abs=1e-5), 1.0,
        )  # fmt: skip
    assert zero_half_width(10) == pytest.approx(0.33851, abs=1e-5)


def test_copies_tell_nothing_and_right_and_wrong_mirror_each_other() -> None:
    generator = random.Random(3)
    for _ in range(20):
        clusters = [generator.randrange(30) for _ in range(80)]
        values = [(c < 20) == (generator.random() < 0.95) for c in clusters]
        once = share_interval(values, clusters)
        assert share_interval(values * 3, clusters * 3) == pytest.approx(once)
        low, high = share_interval([not value for value in values], clusters) or (0, 0)
        assert (1 - high, 1 - low) == pytest.approx(once)


def test_clusters_that_even_out_count_no_more_than_their_values() -> None:
    values, clusters = [True, False] * 20, [number // 2 for number in range(40)]
    low, high = share_interval(values, clusters) or (0, 0)
    # Wilson at one half with 40 values and t(19) = 2.0930: half 2.0930 / 2 / root(40 + 4.3807)
    assert high - low == pytest.approx(2 * 2.0930 / 2 / math.sqrt(44.3807), abs=1e-4)


@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize("share", [0.98, 0.5])
def test_the_interval_holds_the_truth_as_often_as_it_says(share: float, correlated: bool) -> None:
    generator = random.Random(5)
    runs, held = 400, 0
    for _ in range(runs):
        fate = [generator.random() < share for _ in range(60)]
        clusters = [generator.randrange(60) for _ in range(300)]
        values = [fate[c] if correlated else generator.random() < share for c in clusters]
        low, high = share_interval(values, clusters) or (1, 0)
        held += low <= share <= high
    # 0.95, and four standard errors of 400 draws below it
    assert held / runs >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / runs)


def test_mean_interval_by_hand() -> None:
    # below root(0.03² + 0.04²) = 0.05, above root(0.06² + 0.08²) = 0.10, each over 2
    found = mean_interval([0.5, 0.7], [(0.47, 0.56), (0.66, 0.78)])
    assert found == (pytest.approx(0.575), pytest.approx(0.65))
    assert mean_interval([0.5, 0.7], [(0.4, 0.6), None]) is None
    assert mean_interval([], []) is None


def test_unknown_with_fewer_than_two_clusters() -> None:
    assert share_interval([], []) is None
    assert share_interval([True, False], ["a", "a"]) is None


def test_degrees_of_freedom() -> None:
    # equal errors: the sum of the degrees; one error alone: its own degrees
    assert pooled_degrees([0.2] * 10, [99] * 10) == pytest.approx(990)
    assert pooled_degrees([0.2, 0.0], [9, 99]) == pytest.approx(9)
    # (1 + 4)² / (1 / 10 + 16 / 20) = 25 / 0.9
    assert pooled_degrees([1, 2], [10, 20]) == pytest.approx(25 / 0.9)
    assert pooled_degrees([0.0, 0.0], [5, 6]) == 11
