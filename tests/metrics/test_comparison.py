"""The paired comparison against numbers worked out by hand, and what must hold of any two runs."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace

import pytest
from cobsat.metrics.comparison import (
    Comparison,
    compare_pairs,
    holm,
    mcnemar,
    mean_of_comparisons,
)
from cobsat.metrics.intervals import student_quantile

Pairs = tuple[list[bool], list[bool], list[int]]


def pairs(seed: int, n: int = 120, groups: int = 25) -> Pairs:
    generator = random.Random(seed)
    first = [generator.random() < 0.5 for _ in range(n)]
    second = [a if generator.random() < 0.7 else generator.random() < 0.6 for a in first]
    return first, second, [generator.randrange(groups) for _ in range(n)]


def test_by_hand() -> None:
    first = [True, True, False, False, False, False, True, False]
    second = [True, True, True, True, False, False, False, True]
    clusters = ["a", "a", "b", "b", "c", "c", "d", "d"]
    # differences 0 0, 1 1, 0 0, -1 1: mean 1/4; sums of residuals -1/2, 3/2, -1/2, -1/2
    # squares 1/4 * 3 + 9/4 = 3, times 4/3 = 4, root 2, over 8 values: 1/4
    found = compare_pairs(first, second, clusters)
    assert (found.n, found.clusters, found.degrees) == (8, 4, 3)
    assert (found.first.value, found.second.value) == (3 / 8, 5 / 8)
    assert found.difference == 0.25
    assert found.standard_error == pytest.approx(0.25)
    assert (found.only_first, found.only_second, found.discordant) == (1, 3, 4)
    # t = 1 with 3 degrees: the printed 0.391; t(3) at 0.975 is 3.182, at 0.8 it is 0.978
    assert found.p_value == pytest.approx(0.391, abs=5e-4)
    assert found.interval == (
        pytest.approx(0.25 - 3.182 / 4, abs=2e-4), 1.0,
    )  # fmt: skip
    assert found.detectable == pytest.approx((3.182 + 0.978) / 4, abs=4e-4)
    # McNemar: 2 * (1 + 4) / 16
    assert found.mcnemar_p == 0.625


def test_clusters_of_one_give_the_paired_t_test() -> None:
    first, second, _ = pairs(1)
    found = compare_pairs(first, second, range(len(first)))
    differences = [b - a for a, b in zip(first, second, strict=True)]
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    assert found.standard_error == pytest.approx(error)
    t = student_quantile(0.975, len(first) - 1)
    low, high = found.interval or (0, 0)
    assert high - low == pytest.approx(2 * t * error)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        # 2 * (1 + 10) / 2^10; 2 * (1 + 5) / 2^5 capped below; even pairs are no evidence at all
        (1, 9, 22 / 1024), (0, 5, 2 / 32), (0, 6, 2 / 64), (1, 4, 12 / 32), (5, 5, 1.0),
        (0, 0, 1.0), (0, 1, 1.0), (6, 16, 0.05248),
    ],
)  # fmt: skip
def test_mcnemar(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar(only_first, only_second) == pytest.approx(p, abs=5e-6)
    assert mcnemar(only_second, only_first) == mcnemar(only_first, only_second)


def test_mcnemar_of_very_many_pairs() -> None:
    # near the normal: z = (5100 - 4900) / root(10000) = 2, two-sided 0.0455
    assert mcnemar(4900, 5100) == pytest.approx(0.0466, abs=1e-3)
    assert mcnemar(0, 5000) == 0.0


def test_holm() -> None:
    # sorted 0.01, 0.02, 0.04, 0.9: times 4, 3, 2, 1, and never falling
    assert holm([0.9, 0.02, 0.01, 0.04]) == pytest.approx([0.9, 0.06, 0.04, 0.08])
    assert holm([0.03, 0.03]) == pytest.approx([0.06, 0.06])
    assert holm([0.7, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def mirrored(found: Comparison) -> Comparison:
    low, high = found.interval or (0.0, 0.0)
    return replace(
        found,
        first=found.second,
        second=found.first,
        difference=-found.difference,
        interval=None if found.interval is None else (-high, -low),
        only_first=found.only_second,
        only_second=found.only_first,
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_other_way_round_only_signs_change(seed: int) -> None:
    first, second, clusters = pairs(seed)
    assert compare_pairs(second, first, clusters) == mirrored(
        compare_pairs(first, second, clusters)
    )
    tasks = [pairs(seed + k) for k in (100, 200, 300)]
    there = mean_of_comparisons([compare_pairs(a, b, c) for a, b, c in tasks])
    back = mean_of_comparisons([compare_pairs(b, a, c) for a, b, c in tasks])
    assert back == mirrored(there)


@pytest.mark.parametrize("seed", range(10))
def test_copies_and_order_of_prompts_change_nothing(seed: int) -> None:
    first, second, clusters = pairs(seed)
    once = compare_pairs(first, second, clusters)
    twice = compare_pairs(first * 2, second * 2, clusters * 2)
    order = random.Random(seed).sample(range(len(first)), len(first))
    other = compare_pairs(*([column[i] for i in order] for column in (first, second, clusters)))
    for found in (twice, other):
        for name in ("difference", "standard_error", "interval", "p_value", "detectable"):
            assert getattr(found, name) == pytest.approx(getattr(once, name)), name
    # the copies fool the test that takes them for independent
    assert twice.mcnemar_p <= once.mcnemar_p


@pytest.mark.parametrize("seed", range(10))
def test_interval_and_test_agree(seed: int) -> None:
    found = compare_pairs(*pairs(seed, groups=60))
    low, high = found.interval or (0, 0)
    assert found.p_value is not None
    assert (found.p_value < 0.05) == (not low <= 0 <= high)


def test_the_mean_gives_each_task_the_same_weight() -> None:
    small = compare_pairs([False, False, True, False], [True, False, True, False], "abcd")
    large = compare_pairs([False] * 50 + [True] * 50, [True] * 100, range(100))
    both = mean_of_comparisons([small, large])
    assert both.difference == pytest.approx((0.25 + 0.5) / 2)
    assert (both.first.value, both.second.value) == (pytest.approx(0.375), pytest.approx(0.75))
    # errors: root(0.75 / 12) = 0.25 and root(0.25 / 99); their root sum of squares, over 2
    error = math.sqrt(0.25**2 + 0.25 / 99) / 2
    assert both.standard_error == pytest.approx(error)
    assert both.degrees == pytest.approx(
        (0.0625 + 0.25 / 99) ** 2 / (0.0625**2 / 3 + (0.25 / 99) ** 2 / 99)
    )
    assert (both.n, both.only_second) == (104, 51)
    assert mean_of_comparisons([small]) == small


def test_runs_that_are_right_and_wrong_together() -> None:
    clusters = list(range(10)) * 3
    values = [c < 7 for c in clusters]
    found = compare_pairs(values, values, clusters)
    assert (found.difference, found.standard_error, found.p_value) == (0, 0, 1)
    # Wilson's bound for none of ten clusters, both ways
    assert found.interval == (pytest.approx(-0.33851, abs=1e-5), pytest.approx(0.33851, abs=1e-5))
    assert found.detectable is None
    four = mean_of_comparisons([found] * 4)
    assert four.interval == (pytest.approx(-0.16926, abs=1e-5), pytest.approx(0.16926, abs=1e-5))
    assert four.p_value == 1


def test_the_same_difference_in_every_cluster() -> None:
    clusters = [number // 3 for number in range(30)]
    first, second = [False] * 30, [True, False, False] * 10
    found = compare_pairs(first, second, clusters)
    assert found.standard_error == 0
    # ten signs of a coin, all alike: 2 / 2^10
    assert found.p_value == pytest.approx(2 / 1024)
    assert found.interval == (pytest.approx(1 / 3 - 0.33851, abs=1e-5),
                              pytest.approx(1 / 3 + 0.33851, abs=1e-5))  # fmt: skip
    everything = compare_pairs([False] * 30, [True] * 30, clusters)
    assert everything.interval == (pytest.approx(1 - 0.33851, abs=1e-5), 1.0)


def test_few_discordant_pairs_are_left_to_the_exact_test() -> None:
    first, second = [False] * 100, [True] * 5 + [False] * 95
    found = compare_pairs(first, second, range(100))
    assert found.p_value is not None
    assert found.p_value < 0.05
    assert found.deciding_p == found.mcnemar_p == 0.0625
    many = compare_pairs([False] * 100, [True] * 25 + [False] * 75, range(100))
    assert many.deciding_p == many.p_value


def test_what_cannot_be_told() -> None:
    found = compare_pairs([True, False], [False, False], ["a", "a"])
    assert (found.difference, found.only_first) == (-0.5, 1)
    assert found.standard_error is found.interval is found.p_value is found.deciding_p is None
    both = mean_of_comparisons([found, compare_pairs([True, False], [True, True], "ab")])
    assert (both.difference, both.standard_error, both.interval) == (0, None, None)
    with pytest.raises(ValueError, match="at least one prompt, got none"):
        compare_pairs([], [], [])
    with pytest.raises(ValueError, match="at least one comparison, got none"):
        mean_of_comparisons([])
    with pytest.raises(ValueError, match="one for every prompt, got 2, 1 and 2"):
        compare_pairs([True, False], [True], "ab")


def test_chance_is_called_a_difference_one_time_in_twenty() -> None:
    """Two runs alike, their prompts' fates shared within clusters: the clustered test stays honest.

    The test that takes every pair for independent does not, which is why it does not decide.
    """
    generator = random.Random(11)
    runs = 300
    clustered = independent = 0
    for _ in range(runs):
        fate = [(generator.random() < 0.5, generator.random() < 0.5) for _ in range(40)]
        clusters = [generator.randrange(40) for _ in range(240)]
        found = compare_pairs([fate[c][0] for c in clusters], [fate[c][1] for c in clusters],
                              clusters)  # fmt: skip
        assert found.p_value is not None
        clustered += found.p_value < 0.05
        independent += found.mcnemar_p < 0.05
    assert clustered / runs <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)
    assert independent / runs > 0.3


def test_a_detectable_difference_shows_four_times_out_of_five() -> None:
    generator = random.Random(12)
    runs, shown, sizes = 400, 0, []
    for _ in range(runs):
        # of 148 prompts the first run alone gets 8% right, the second alone 20%: 12 points between
        draws = [generator.random() for _ in range(148)]
        found = compare_pairs([d < 0.08 for d in draws], [0.08 <= d < 0.28 for d in draws],
                              range(148))  # fmt: skip
        assert found.p_value is not None
        shown += found.p_value < 0.05
        sizes.append(found.detectable or 0)
    # root((0.28 - 0.12²) / 148) * (1.976 + 0.844) is 0.12 too: the difference just detectable
    assert statistics.fmean(sizes) == pytest.approx(0.12, abs=0.003)
    assert abs(shown / runs - 0.8) <= 4 * math.sqrt(0.8 * 0.2 / runs)


def several(seed: int, samples: int, n: int = 60, groups: int = 15) -> list[list[bool]]:
    """Return outputs of prompts that are alike within a prompt and within a group."""
    generator = random.Random(seed)
    chance = [generator.random() for _ in range(groups)]
    return [
        [generator.random() < (chance[i % groups] + generator.random()) / 2 for _ in range(samples)]
        for i in range(n)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_samples_give_what_their_outputs_do(seed: int) -> None:
    first, second = several(seed, 4), several(seed + 50, 4)
    groups = [i % 15 for i in range(60)]
    found = compare_pairs(
        [sum(outputs) / 4 for outputs in first],
        [sum(outputs) / 4 for outputs in second],
        groups,
        (4, 4),
    )
    flat = compare_pairs(
        [right for outputs in first for right in outputs],
        [right for outputs in second for right in outputs],
        [group for group in groups for _ in range(4)],
    )
    names = ("difference", "standard_error", "degrees", "interval", "p_value", "detectable")
    for name in names:
        assert getattr(found, name) == pytest.approx(getattr(flat, name)), name
    for mine, other in ((found.first, flat.first), (found.second, flat.second)):
        assert mine.value == pytest.approx(other.value)
        assert mine.interval == pytest.approx(other.interval)
    # prompts, and not outputs, are what tells the runs apart
    sums = [sum(b) - sum(a) for a, b in zip(first, second, strict=True)]
    assert (found.n, found.only_first) == (60, sum(d < 0 for d in sums))
    assert found.mcnemar_p == mcnemar(sum(d < 0 for d in sums), sum(d > 0 for d in sums))


def test_samples_by_hand() -> None:
    # of 2 and of 4 outputs: differences 1/4, 0, -1/2, 1/4; mean 0
    found = compare_pairs([0.5, 0.0, 1.0, 0.5], [0.75, 0.0, 0.5, 0.75], "abcd", (2, 4))
    assert (found.first.value, found.second.value, found.difference) == (0.5, 0.5, 0.0)
    # squares 1/16 + 1/4 + 1/16 = 3/8, times 4/3, root, over 4
    assert found.standard_error == pytest.approx(math.sqrt(1 / 2) / 4)
    assert (found.only_first, found.only_second, found.discordant) == (1, 2, 3)
    assert found.mcnemar_p is None
    assert mean_of_comparisons([found, found]).mcnemar_p is None
    same = compare_pairs([0.5, 0.0, 1.0, 0.5], [1.0, 0.0, 0.5, 1.0], "abcd", (2, 2))
    assert same.mcnemar_p == 1.0  # 1 against 2: 2 * (1 + 3) / 8


def test_a_difference_in_number_of_samples_is_no_difference() -> None:
    """Each output is right one time in ten: of five one often is, of one rarely."""
    generator = random.Random(1)
    found = []
    for _ in range(200):
        draws = [[generator.random() < 0.1 for _ in range(6)] for _ in range(200)]
        found.append(
            compare_pairs([sum(d[:5]) / 5 for d in draws], [float(d[5]) for d in draws],
                          range(200), (5, 1))
        )  # fmt: skip
    assert all(each.only_first > each.only_second for each in found)
    # at the 5% level about 10 of 200 are wrong: 22 is four standard errors above
    assert sum(each.deciding_p is not None and each.deciding_p < 0.05 for each in found) <= 22
    assert all(each.discordant >= 25 for each in found)


def test_few_prompts_that_tell_apart_hold_a_difference_back() -> None:
    # 4 of 100 right in all five outputs, against one output that never is: t = 2.03
    shares = [1.0] * 4 + [0.0] * 96
    found = compare_pairs([0.0] * 100, shares, range(100), (1, 5))
    assert found.p_value is not None
    assert found.p_value < 0.05
    assert found.deciding_p == 0.125  # 2 / 2^4
