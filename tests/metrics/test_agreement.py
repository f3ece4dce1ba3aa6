"""Agreement against published examples and numbers worked out by hand."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from cobsat.metrics.agreement import (
    agreement,
    alpha,
    kappa,
    leave_one_out,
    majority,
    pairwise,
    pearson,
    ratio,
    task_points,
)

CODERS = (
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff (2011), Sec. C: four coders, twelve units, missing values."""


def units(rows: tuple[str, ...]) -> list[tuple[str | None, ...]]:
    coders = [[None if vote == "." else vote for vote in row.split()] for row in rows]
    return list(zip(*coders, strict=True))


def test_alpha_of_krippendorffs_four_coders() -> None:
    rate = alpha(units(CODERS))
    assert rate.value == pytest.approx(0.743, abs=0.0005)
    assert rate.n == 11  # the last unit has one value: nothing to pair it with


def test_alpha_of_krippendorffs_two_coders() -> None:
    """Krippendorff (2011), Sec. A (binary, 0.095) and Sec. B (nominal, 0.692)."""
    binary = units(("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"))
    assert alpha(binary).value == pytest.approx(0.095, abs=0.0005)
    nominal = units(("a a b b d c c c e d d a", "b a b b b c c c e d d d"))
    assert alpha(nominal).value == pytest.approx(0.692, abs=0.0005)


def from_table(table: dict[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    pairs = [pair for pair, count in table.items() for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_kappa_of_the_textbook() -> None:
    """Fifty proposals and two readers: 35 of 50 alike, chance 0.5, so 0.4."""
    first, second = from_table({
        ("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15,
    })  # fmt: skip
    assert ratio(first, second).value == 0.7
    assert kappa(first, second).value == pytest.approx(0.4, abs=1e-12)


def test_kappa_depends_on_the_margins() -> None:
    """Both have 60 of 100 alike: with other margins kappa is 0.1304 or 0.2593."""
    even = {("a", "a"): 45, ("a", "b"): 15, ("b", "a"): 25, ("b", "b"): 15}
    uneven = {("a", "a"): 25, ("a", "b"): 35, ("b", "a"): 5, ("b", "b"): 35}
    for table, expected in ((even, 0.1304), (uneven, 0.2593)):
        first, second = from_table(table)
        assert ratio(first, second).value == 0.6
        assert kappa(first, second).value == pytest.approx(expected, abs=5e-5)


def test_kappa_error_is_near_the_published_formula() -> None:
    """Fleiss, Cohen and Everitt (1969): the large-sample error, worked out from the table."""
    table = {("a", "a"): 53, ("a", "b"): 5, ("a", "c"): 2, ("b", "a"): 11, ("b", "b"): 14,
             ("b", "c"): 5, ("c", "a"): 1, ("c", "b"): 6, ("c", "c"): 3}  # fmt: skip
    n = sum(table.values())
    first = Counter[str]()
    second = Counter[str]()
    for (a, b), count in table.items():
        first[a] += count
        second[b] += count
    share = {pair: count / n for pair, count in table.items()}
    row, column = ({k: v / n for k, v in c.items()} for c in (first, second))
    seen = sum(share[k, k] for k in "abc")
    chance = sum(row[k] * column[k] for k in "abc")
    k = (seen - chance) / (1 - chance)
    inner = sum(share[c, c] * (1 - (row[c] + column[c]) * (1 - k)) ** 2 for c in "abc")
    inner += (1 - k) ** 2 * sum(
        share[a, b] * (column[a] + row[b]) ** 2 for a in "abc" for b in "abc" if a != b
    )
    inner -= (k - chance * (1 - k)) ** 2
    error = math.sqrt(inner / n) / (1 - chance)
    rate = kappa(*from_table(table))
    assert rate.value == pytest.approx(k)
    assert rate.standard_error == pytest.approx(error, rel=0.03)


def test_what_cannot_be_told_is_none() -> None:
    same = agreement(["a", "a", "a"], ["a", "a", "a"])
    assert (same.ratio.value, same.kappa.value, same.alpha.value) == (1.0, None, None)
    assert (same.kappa.standard_error, same.alpha.standard_error) == (None, None)
    nothing = agreement(["a", None], [None, "a"])
    assert nothing.ratio.value is nothing.kappa.value is nothing.alpha.value is None
    assert nothing.ratio.n == nothing.kappa.n == nothing.alpha.n == 0
    assert agreement([], []).ratio.value is None
    one = kappa(["a", "b"], ["a", "b"], ["cluster", "cluster"])
    assert (one.value, one.standard_error) == (1.0, None)


def test_no_answer_is_an_answer_and_no_vote_is_none() -> None:
    assert ratio(["", "a", "", None], ["", "", "b", ""]).value == pytest.approx(1 / 3)
    assert ratio(["", "a", "", None], ["", "", "b", ""]).n == 3


@pytest.mark.parametrize("seed", range(5))
def test_full_agreement_is_one_and_order_does_not_matter(seed: int) -> None:
    draw = random.Random(seed)
    first = [draw.choice("abc") for _ in range(40)]
    second = [a if draw.random() < 0.6 else draw.choice("abcd") for a in first]
    same = agreement(first, first)
    assert (same.ratio.value, same.kappa.value, same.alpha.value) == (1.0, 1.0, 1.0)
    assert (same.kappa.standard_error, same.alpha.standard_error) == (0.0, 0.0)
    there, back = agreement(first, second), agreement(second, first)
    order = draw.sample(range(40), 40)
    mixed = agreement([first[k] for k in order], [second[k] for k in order])
    for other in (back, mixed):
        for name in ("ratio", "kappa", "alpha"):
            a, b = getattr(there, name), getattr(other, name)
            assert a.value == b.value
            assert a.standard_error == pytest.approx(b.standard_error)


def test_repeating_every_item_does_not_make_the_error_smaller() -> None:
    draw = random.Random(1)
    first = [draw.choice("abc") for _ in range(30)]
    second = [a if draw.random() < 0.6 else draw.choice("abc") for a in first]
    once = agreement(first, second, range(30))
    many = agreement(first * 4, second * 4, list(range(30)) * 4)
    for name in ("ratio", "kappa"):
        a, b = getattr(once, name), getattr(many, name)
        assert a.value == pytest.approx(b.value)
        assert a.standard_error == pytest.approx(b.standard_error)
    blind = agreement(first * 4, second * 4)
    assert blind.kappa.standard_error < 0.6 * many.kappa.standard_error


def test_chance_is_reckoned_within_strata() -> None:
    """Two themes with words of their own: pooled, chance looks half as good as it is."""
    first = ["a", "a", "b", "b", "y", "y", "z", "z"]
    second = ["a", "b", "b", "a", "y", "z", "z", "y"]
    strata = ["one"] * 4 + ["two"] * 4
    assert kappa(first, second, strata=strata).value == 0
    assert kappa(first, second).value == pytest.approx(1 / 3)
    assert alpha(list(zip(first, second, strict=True)), strata=strata).value == pytest.approx(
        1 - 8 / (2 * 32 / 7)  # four units apart, two each; 4 and 4 of 8 votes in each stratum
    )


def test_the_jackknife_leaves_out_whole_clusters() -> None:
    first = ["a", "a", "b", "b", "a", "b"]
    second = ["a", "b", "b", "b", "a", "a"]
    clusters = ["p", "p", "q", "q", "r", "r"]
    strata = ["s", "t", "s", "t", "s", "t"]
    for name in ("kappa", "alpha"):
        values = []
        for left in "pqr":
            kept = [k for k in range(6) if clusters[k] != left]
            part = agreement(
                [first[k] for k in kept], [second[k] for k in kept],
                strata=[strata[k] for k in kept],
            )  # fmt: skip
            values.append(getattr(part, name).value)
        mean = sum(values) / 3
        expected = math.sqrt(sum((v - mean) ** 2 for v in values) * 2 / 3)
        rate = getattr(agreement(first, second, clusters, strata), name)
        assert rate.standard_error == pytest.approx(expected)


def test_three_votes_and_a_fourth() -> None:
    assert majority(["a", "a", "a"]) == "a"
    assert majority(["a", "b", "a"]) == "a"
    assert majority(["a", "b", "c"]) is None  # a fourth is asked
    assert majority(["a", "b", "c", "b"]) == "b"
    assert majority(["a", "b", "c", "d"]) is None  # and does not always help
    assert majority(["a", "a", "b", "b"]) is None
    assert majority([None, "a", None]) == "a"
    assert majority(["", "", "a"]) == ""
    assert majority([]) is majority([None]) is None


def test_people_among_themselves() -> None:
    votes = [["a", "a", "a"], ["a", "a", "b"], ["a", "b", "c"], ["a", None, None]]
    assert pairwise(votes).value == pytest.approx(4 / 9)
    assert pairwise(votes).n == 9
    # the first: three of three; the second: b against a, a against a tie of a and b (left out),
    # so none of one; the third: the others are always tied
    assert leave_one_out(votes).value == pytest.approx(3 / 4)
    assert leave_one_out(votes).n == 4
    assert pairwise([["a"], [None, "a"]]).value is None
    two = [["a", "a"], ["a", "b"], ["b", "b"]]
    assert leave_one_out(two).value == pairwise(two).value == pytest.approx(2 / 3)


def test_pearson() -> None:
    assert pearson([1, 2, 3, 4], [1, 3, 2, 5]) == pytest.approx(5.5 / math.sqrt(5 * 8.75))
    assert pearson([1, 2, 3], [3, 2, 1]) == -1.0
    assert pearson([0.1] * 3, [0.1, 0.2, 0.3]) is pearson([1], [1]) is pearson([], []) is None


def test_points_of_figure_7() -> None:
    points = task_points(
        ["a", "b", "a", None, "a"], ["a", "a", "b", "a", None], ["s", "s", "t", "t", "u"], ["a"] * 5
    )
    assert points == [
        {"task": "s", "n": 2, "first_accuracy": 0.5, "second_accuracy": 1.0},
        {"task": "t", "n": 1, "first_accuracy": 1.0, "second_accuracy": 0.0},
    ]


def test_other_lengths_are_refused() -> None:
    for wrong in (
        lambda: ratio(["a"], ["a", "b"]),
        lambda: kappa(["a"], ["a", "b"]),
        lambda: kappa(["a"], ["a"], ["x", "y"]),
        lambda: alpha([["a", "b"]], None, []),
        lambda: pairwise([["a"]], []),
        lambda: pearson([1], [1, 2]),
        lambda: task_points(["a"], ["a"], [], ["a"]),
    ):
        with pytest.raises(ValueError, match="must be as many as there are items"):
            wrong()
