"""Ranks and paired differences of TouchStone's models, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from cobsat.metrics.touchstone_compare import Entry, Rank, by_question, difference, ranks


def marks(values: list[float]) -> dict[str, float]:
    return {f"q{number}": value for number, value in enumerate(values)}


def test_a_difference_is_the_mean_over_shared_questions_with_student_s_interval() -> None:
    # Differences 1, 3, 2, 2, 2, 2 marks: mean 2, standard deviation sqrt(2 / 5), 6 questions:
    # standard error sqrt(0.4 / 6) = 0.258199; t(5) = 2.570582: half width 0.663721 marks.
    first = marks([4, 4, 4, 4, 4, 4]) | {"alone": 10}
    second = marks([5, 7, 6, 6, 6, 6]) | {"other": 1}
    result = difference(first, second)
    assert result.n == 6
    assert result.value == pytest.approx(200)
    assert result.interval == pytest.approx((200 - 66.3721, 200 + 66.3721), abs=1e-3)
    assert (result.first_better, result.second_better) == (0, 6)
    # All six of six the same way: the exact sign test's p is 2 / 2**6, the larger of the two.
    assert result.p_value == pytest.approx(2 / 64)
    assert result.sign == 1
    back = difference(second, first)
    assert (back.value, back.sign) == (pytest.approx(-200), -1)


def test_five_questions_are_too_few_whatever_they_say() -> None:
    result = difference(marks([1] * 5), marks([10] * 5))
    assert result.value == pytest.approx(900)
    assert result.p_value == pytest.approx(2 / 32)
    assert result.sign == 0


def test_equal_marks_tie_and_the_interval_says_how_sure_that_is() -> None:
    result = difference(marks([7] * 100), marks([7] * 100))
    assert (result.value, result.sign, result.p_value) == (0, 0, 1)
    assert result.interval is not None
    low, high = result.interval
    # Wilson's bound on a share of none of 100, t(99) = 1.984217: t**2 / (100 + t**2) of the scale.
    assert high == pytest.approx(900 * 1.984217**2 / (100 + 1.984217**2), rel=1e-5)
    assert low == -high


def test_nothing_shared_ties() -> None:
    result = difference({"a": 1}, {"b": 10})
    assert (result.n, result.value, result.interval, result.sign) == (0, None, None, 0)


def test_samples_of_a_question_are_one_value() -> None:
    many = {f"q{n}-sample{k}" if k > 1 else f"q{n}": 5 + k for n in range(8) for k in (1, 2, 3)}
    means = by_question({name: float(mark) for name, mark in many.items()})
    assert means == dict.fromkeys([f"q{n}" for n in range(8)], 7.0)
    assert difference(means, marks([8] * 8)).value == pytest.approx(100)


def test_equal_means_of_decimals_are_no_difference() -> None:
    first = by_question({"q1": 7.4, "q1-sample2": 2.7, "q1-sample3": 0.1 + 0.2})
    second = by_question({"q1": 4.6, "q1-sample2": 5.5, "q1-sample3": 0.3})
    result = difference(first, second)
    assert (result.value, result.first_better, result.second_better) == (0, 0, 0)


def test_a_rank_is_a_span_where_models_tie() -> None:
    # b beats d on every question; a and c differ from none surely: one question each way.
    level = [5.0] * 12
    up, down = [6.0, *level[1:]], [4.0, *level[1:]]
    entries = [
        Entry(508, None, marks(up)),
        Entry(800, None, marks([8.0] * 12)),
        Entry(492, None, marks(down)),
        Entry(300, None, marks([3.0] * 12)),
    ]
    assert [str(rank) for rank in ranks(entries)] == ["2-3", "1", "2-3", "4"]


def test_a_model_may_tie_with_two_that_differ() -> None:
    # From one to the next, ten of 40 questions are better by a mark and four worse: 14 that
    # differ, of which a coin has ten or more on one side in 18% (the sign test). Over both steps
    # 20 are better and eight worse: mean 0.3, variance (0.7 - 0.09) * 40 / 39, t(39) = 2.40.
    low = [5.0] * 40
    middle = [6.0] * 10 + [4.0] * 4 + [5.0] * 26
    high = [6.0] * 10 + [4.0] * 4 + [6.0] * 10 + [4.0] * 4 + [5.0] * 12
    assert difference(marks(low), marks(middle)).p_value == pytest.approx(0.1796, abs=1e-4)
    assert difference(marks(middle), marks(high)).sign == 0
    assert difference(marks(low), marks(high)).p_value == pytest.approx(0.0213, abs=2e-4)
    entries = [Entry(500, None, marks(values)) for values in (low, middle, high)]
    assert [str(rank) for rank in ranks(entries)] == ["2-3", "1-3", "1-2"]


def test_published_scores_rank_by_their_number_and_our_interval() -> None:
    published = [Entry(803.5), Entry(742.0), Entry(711.6)]
    ours = Entry(750, (735, 765), marks([7.5] * 20))
    assert [str(rank) for rank in ranks([*published, ours])] == ["1", "2-3", "4", "2-3"]
    unsure = Entry(750, None, marks([7.5]))
    assert [str(rank) for rank in ranks([*published, unsure])] == ["1-2", "2-3", "3-4", "1-4"]


def test_a_model_without_a_score_has_no_rank_and_takes_no_place() -> None:
    found = ranks([Entry(None), Entry(500), Entry(600)])
    assert found == [None, Rank(2, 2), Rank(1, 1)]


def test_equal_numbers_share_a_rank() -> None:
    assert [str(rank) for rank in ranks([Entry(500), Entry(500), Entry(400)])] == [
        "1-2",
        "1-2",
        "3",
    ]
