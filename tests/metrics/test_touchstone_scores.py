"""TouchStone's scores, against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cobsat import Prediction
from cobsat.metrics.touchstone_scores import Row, dialogue_scores, hallucination_scores
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict, Marks
from touchstone_judged import reference


def row(number: int, sample: int = 1, **changes: Any) -> Row:
    name = f"touchstone-{number}" + (f"-sample{sample}" if sample > 1 else "")
    return {"id": name, "reference": reference(number, **changes)}


def verdict(one: Row, reference_first: Marks, answer_first: Marks) -> DialogueVerdict:
    return DialogueVerdict(one["id"], "scored", reference_first, answer_first)


def marked(one: Row, mark: float) -> DialogueVerdict:
    return verdict(one, Marks(mark, 8), Marks(mark, 8))


def given(rows: list[Row]) -> dict[str, Prediction]:
    return {one["id"]: Prediction(one["id"], "ok", text="an answer") for one in rows}


BOTH = {"categories": ["recognition", "comprehension"], "subtask": "text recognition"}
STORY = {"categories": ["storytelling"], "subtask": "poetry"}


def whole_table() -> dict[str, Any]:
    """Eight questions: three scored, and one each of all that may befall the others."""
    rows = [row(1), row(2, **BOTH), row(3, **STORY), *map(row, range(4, 9))]
    names = [one["id"] for one in rows]
    predictions = given(rows[:6])
    predictions[names[6]] = Prediction(names[6], "error", reason="no")
    predictions[names[7]] = Prediction(names[7], "blocked", reason="filter")
    verdicts = {
        names[0]: verdict(rows[0], Marks(6, 8), Marks(7, 9)),
        names[1]: verdict(rows[1], Marks(9, 7), Marks(8, 8)),
        names[2]: verdict(rows[2], Marks(5, 9), Marks(9, 5)),
        names[3]: DialogueVerdict(names[3], "unscored", Marks(9, 9), reason="one mark alone: 8"),
        names[4]: DialogueVerdict(names[4], "error", reason="timed out"),
        names[6]: DialogueVerdict(names[6], "unscored", reason="prediction: error"),
        names[7]: DialogueVerdict(names[7], "unscored", reason="prediction: blocked"),
    }
    return dialogue_scores(rows, predictions, verdicts)


def test_what_became_of_each_question() -> None:
    table = whole_table()
    assert table["counts"] == {
        "questions": 8, "scored": 3, "unscored": 1, "judge_failed": 1, "missing": 1,
        "prediction_error": 1, "prediction_blocked": 1,
    }  # fmt: skip
    assert table["reasons"] == {
        "one mark alone: 8": 1, "prediction: blocked": 1, "prediction: error": 1,
    }  # fmt: skip
    assert table["judge_failures"] == {"timed out": 1}


def test_the_score_by_hand() -> None:
    overall = whole_table()["overall"]
    # means of both rounds: 6.5, 8.5 and 7; their sum 22; of the reference 8.5, 7.5 and 7
    assert (overall["n"], overall["of"]) == (3, 8)
    assert overall["score"] == pytest.approx(2200 / 3)
    assert overall["reference"] == pytest.approx(2300 / 3)
    assert overall["floor"] == pytest.approx(100 * (22 + 5 * 1) / 8)
    assert (overall["win"], overall["tie"], overall["loss"]) == (1, 1, 1)
    # squared deviations sum to 13/6: variance 13/12, standard error sqrt(13/36)
    assert overall["standard_error"] == pytest.approx(100 * (13 / 36) ** 0.5)
    half = 4.302653 * 100 * (13 / 36) ** 0.5  # Student's, 2 degrees of freedom
    assert overall["interval"] == pytest.approx([2200 / 3 - half, 2200 / 3 + half], abs=1e-3)


def test_position_by_hand() -> None:
    position = whole_table()["overall"]["position"]
    # the answer has 7, 8 and 9 where it comes first, and 6, 9 and 5 where it comes second
    assert position["answer_first"] == pytest.approx(800)
    assert position["answer_second"] == pytest.approx(2000 / 3)
    assert position["bias"] == pytest.approx(400 / 3)
    assert position["flips"] == pytest.approx(1 / 3)  # 5 against 9, then 9 against 5
    # differences 1, -1 and 4: squared deviations 38/3, variance 19/3, standard error sqrt(19)/3
    half = 4.302653 * 100 * 19**0.5 / 3
    wanted = [400 / 3 - half, 400 / 3 + half]
    assert position["interval"] == pytest.approx(wanted, abs=1e-2)


def test_a_question_counts_once_in_each_of_its_categories() -> None:
    table = whole_table()
    assert list(table["categories"]) == ["recognition", "comprehension", "storytelling"]
    assert [c["n"] for c in table["categories"].values()] == [2, 1, 1]
    assert table["categories"]["recognition"]["score"] == 750
    assert table["categories"]["recognition"]["of"] == 7
    assert table["categories"]["comprehension"]["score"] == 850
    assert table["categories"]["comprehension"]["interval"] is None  # of one question
    assert list(table["subtasks"]) == ["attribute QA", "text recognition", "poetry"]
    assert table["subtasks"]["poetry"]["score"] == 700


def test_categories_are_the_papers_and_what_is_in_none_is_counted() -> None:
    rows = [row(1, categories=["sound"], subtask="humming"), row(2)]
    rows.append(row(3, categories=["sound", "recognition"]))
    table = dialogue_scores(rows, given(rows), {r["id"]: marked(r, 5) for r in rows})
    assert {name: c["of"] for name, c in table["categories"].items()} == {"recognition": 2}
    assert table["in_no_category"] == 1
    assert table["overall"]["n"] == 3
    assert list(table["subtasks"]) == ["attribute QA", "humming"]  # the paper's first
    table = dialogue_scores(rows[1:], given(rows), {r["id"]: marked(r, 5) for r in rows})
    assert "in_no_category" not in table


def test_samples_of_a_question_belong_together() -> None:
    rows = [row(1), row(1, 2), row(2), row(2, 2)]
    marks = dict(zip((r["id"] for r in rows), (4, 6, 8, 8), strict=True))
    table = dialogue_scores(rows, given(rows), {r["id"]: marked(r, marks[r["id"]]) for r in rows})
    assert table["counts"]["questions"] == 2
    assert table["counts"]["answers"] == table["overall"]["n"] == 4
    assert table["overall"]["score"] == 650
    # deviations by question: -3 and 3; (9 + 9) * 2 / (2 - 1) = 36; sqrt(36) / 4
    assert table["overall"]["standard_error"] == pytest.approx(150)


def test_intervals_stay_within_the_scale() -> None:
    rows = [row(1), row(2)]
    found = {rows[0]["id"]: marked(rows[0], 9), rows[1]["id"]: marked(rows[1], 10)}
    overall = dialogue_scores(rows, given(rows), found)["overall"]
    # 9.5, standard error 0.5; Student's with one degree of freedom is 12.7062
    assert overall["interval"] == [pytest.approx(950 - 12.7062 * 50, abs=1e-2), 1000]


def test_marks_that_are_all_the_same_are_not_sure() -> None:
    rows = [row(number) for number in range(1, 5)]
    overall = dialogue_scores(rows, given(rows), {r["id"]: marked(r, 8) for r in rows})["overall"]
    assert (overall["score"], overall["standard_error"]) == (800, 0)
    # Wilson's bound, Student's with 3 degrees: 3.182446**2 = 10.127963; 10.127963 / 14.127963
    share = 10.127963 / 14.127963
    assert overall["interval"] == pytest.approx([800 - share * 700, 800 + share * 200], abs=1e-3)
    assert overall["position"]["bias"] == 0
    low, high = overall["position"]["interval"]
    assert low == -high
    assert high > 100


def test_decimals_do_not_break_a_tie() -> None:
    rows = [row(1)]
    found = {rows[0]["id"]: verdict(rows[0], Marks(7.0, 7.1), Marks(7.4, 7.3))}
    overall = dialogue_scores(rows, given(rows), found)["overall"]
    assert (7.0 + 7.4) / 2 != (7.1 + 7.3) / 2  # as computers add
    assert (overall["win"], overall["tie"], overall["loss"]) == (0, 1, 0)


def test_a_judge_that_always_prefers_the_first_is_cancelled() -> None:
    rows = [row(number) for number in range(1, 61)]
    verdicts = {r["id"]: verdict(r, Marks(6, 9), Marks(9, 6)) for r in rows}
    overall = dialogue_scores(rows, given(rows), verdicts)["overall"]
    assert (overall["win"], overall["tie"], overall["loss"]) == (0, 60, 0)
    assert overall["score"] == overall["reference"] == 750
    assert overall["position"]["bias"] == 300
    assert overall["position"]["flips"] == 1
    assert overall["position"]["interval"][0] > 0


def test_without_a_scored_answer_there_is_no_score() -> None:
    rows = [row(1), row(2)]
    overall = dialogue_scores(rows, {}, {})["overall"]
    assert overall["score"] is overall["interval"] is overall["reference"] is None
    assert (overall["n"], overall["of"], overall["floor"], overall["win"]) == (0, 2, 100, 0)
    assert set(overall["position"].values()) == {None}
    assert dialogue_scores([], {}, {})["overall"]["floor"] is None


def test_degrees_by_hand() -> None:
    rows = [row(1), row(2, **STORY), row(3, **STORY), row(4)]
    found = {
        rows[0]["id"]: HallucinationVerdict(rows[0]["id"], "scored", 2, 10),
        rows[1]["id"]: HallucinationVerdict(rows[1]["id"], "scored", 5, 20),
        rows[2]["id"]: HallucinationVerdict(rows[2]["id"], "scored", 5, 60),
        rows[3]["id"]: HallucinationVerdict(rows[3]["id"], "unscored", reason="no number"),
    }
    table = hallucination_scores(rows, given(rows), found)
    overall = table["overall"]
    assert (overall["n"], overall["of"], overall["degree"], overall["words"]) == (3, 4, 4, 30)
    # deviations -2, 1, 1 and -20, -10, 30: covariance 60, of 6 and 1400
    assert overall["correlation"] == pytest.approx(60 / (6 * 1400) ** 0.5)
    assert overall["standard_error"] == pytest.approx(1)  # sqrt(6 / 2 / 3)
    assert overall["interval"] == [1, pytest.approx(4 + 4.302653, abs=1e-5)]
    assert table["categories"]["storytelling"]["degree"] == 5
    assert table["categories"]["storytelling"]["correlation"] is None  # no spread
    assert table["counts"]["unscored"] == 1
