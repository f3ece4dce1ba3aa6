"""The table of scores against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cobsat import Prediction, Verdict
from cobsat.examples import Reference
from cobsat.metrics import scores
from cobsat.metrics.grading import count_reasons, failed, grade, summarize, unscored
from cobsat.metrics.scores import COUNTS, MOST_REASONS, RATES


def example(task: str, number: int, query: str, latent: str) -> dict[str, Any]:
    hides_object = task.endswith("_i")
    return {
        "id": f"{task}-2shot-test-{number:04d}",
        "task": task,
        "shots": 2,
        "query": query,
        "latent_variable": latent,
        "reference": {
            "task": task,
            "object": latent if hides_object else query,
            "attribute": query if hides_object else latent,
        },
    }


def verdict(row: dict[str, Any], object_: bool | None, attribute: bool | None) -> Verdict:
    status = "unscored" if None in (object_, attribute) else "scored"
    return Verdict(row["id"], status, object_correct=object_, attribute_correct=attribute)


ROWS = [
    example("color_i", 0, "red", "car"),
    example("color_i", 1, "red", "car"),
    example("color_i", 2, "blue", "car"),
    example("color_i", 3, "blue", "hat"),
    example("color_i", 4, "pink", "hat"),
    example("color_i", 5, "pink", "bag"),
    example("color_i", 6, "black", "bag"),
    example("color_i", 7, "white", "bag"),
]
IDS = [row["id"] for row in ROWS]
PREDICTIONS = {
    **{i: Prediction(i, "ok", text="…") for i in IDS[:5]},
    IDS[5]: Prediction(IDS[5], "error", reason="no answer"),
    IDS[6]: Prediction(IDS[6], "blocked", reason="filter"),
}
VERDICTS = {
    v.id: v
    for v in (
        verdict(ROWS[0], True, True),
        verdict(ROWS[1], True, True),
        verdict(ROWS[2], True, False),
        verdict(ROWS[3], False, True),
        verdict(ROWS[4], None, True),
        # what a judge may leave for a failed prediction must not count
        Verdict(IDS[5], "unscored", reason="prediction: error"),
    )
}


def test_group_by_hand() -> None:
    (group,) = scores(ROWS, PREDICTIONS, VERDICTS)["groups"]
    counts = {k: group[k] for k in ("examples", "scored", "unscored", "failed", "blocked")}
    assert counts == {"examples": 8, "scored": 4, "unscored": 1, "failed": 1, "blocked": 1}
    assert group["missing"] == 1
    values = {name: (group[name]["value"], group[name]["n"]) for name in RATES}
    assert values == {
        "accuracy": (pytest.approx(2 / 7), 7),
        "object": (pytest.approx(3 / 7), 7),
        "attribute": (pytest.approx(4 / 7), 7),
        "textual": (pytest.approx(4 / 7), 7),
        "visual": (pytest.approx(3 / 7), 7),
        "accuracy_scored": (0.5, 4),
    }
    # accuracy: mean 2/7; clusters (red, car) twice right: 2 * 5/7; five alone and wrong: -2/7 each
    # squares (100 + 5 * 4) / 49; six clusters: times 6/5 = 144/49; root 12/7, over 7
    assert group["accuracy"]["standard_error"] == pytest.approx(12 / 49)
    # over the scored: mean 1/2; residuals 1, -1/2, -1/2: squares 3/2, times 3/2; root 3/2, over 4
    assert group["accuracy_scored"]["standard_error"] == pytest.approx(3 / 8)


def test_a_judge_that_failed_counts_in_no_accuracy() -> None:
    failing = {**VERDICTS, IDS[3]: Verdict(IDS[3], "error", reason="timed out")}
    table = scores(ROWS, PREDICTIONS, failing)
    (group,) = table["groups"]
    counts = {name: group[name] for name in COUNTS if group[name]}
    assert counts == {"examples": 8, "scored": 3, "unscored": 1, "failed": 1, "blocked": 1,
                      "missing": 1, "judge_failed": 1}  # fmt: skip
    assert (group["accuracy"]["value"], group["accuracy"]["n"]) == (pytest.approx(2 / 6), 6)
    assert (group["accuracy_scored"]["value"], group["accuracy_scored"]["n"]) == (2 / 3, 3)
    assert all(mean["judge_failed"] == 1 for mean in table["means"])
    assert table["judge_failures"] == {"timed out": 1}


def test_reasons_are_counted_most_frequent_first() -> None:
    rows = [example("color_i", n, "red", "car") for n in range(60)]
    predictions = {row["id"]: Prediction(row["id"], "ok", text="…") for row in rows}
    names = ["empty"] * 3 + ["several"] * 5 + [f"names {n}" for n in range(25)]
    verdicts = {
        row["id"]: Verdict(row["id"], "unscored", reason=name)
        for row, name in zip(rows, names, strict=False)
    }
    reasons = scores(rows, predictions, verdicts)["reasons"]
    assert list(reasons.items())[:3] == [("several", 5), ("empty", 3), ("names 0", 1)]
    assert len(reasons) == MOST_REASONS + 1
    assert reasons["(7 other reasons)"] == 7
    assert sum(reasons.values()) == len(names)


def test_what_was_judged_by_its_beginning_is_counted() -> None:
    cut = {"truncated": True}
    verdicts = {
        IDS[0]: Verdict(IDS[0], "scored", object_correct=True, attribute_correct=True, raw=cut),
        IDS[1]: Verdict(IDS[1], "unscored", reason="no answer", raw=cut),
        IDS[2]: Verdict(IDS[2], "error", reason="timed out", raw=cut),
    }
    (group,) = scores(ROWS, PREDICTIONS, verdicts)["groups"]
    assert group["truncated"] == 2


def test_halves_follow_the_task() -> None:
    rows = [example("color_ii", n, "car", "red") for n in range(2)]
    predictions = {row["id"]: Prediction(row["id"], "ok", text="…") for row in rows}
    verdicts = {row["id"]: verdict(row, True, False) for row in rows}
    (group,) = scores(rows, predictions, verdicts)["groups"]
    assert group["textual"]["value"] == group["object"]["value"] == 1.0
    assert group["visual"]["value"] == group["attribute"]["value"] == 0.0
    assert group["accuracy"] == {"value": 0.0, "standard_error": None, "n": 2}


def test_means_over_tasks() -> None:
    def rows(task: str, size: int) -> list[dict[str, Any]]:
        return [example(task, n, f"q{n}", "l") for n in range(size)]

    sizes = {"color_i": 2, "style_i": 4, "color_ii": 2}
    everything = [row for task, size in sizes.items() for row in rows(task, size)]
    predictions = {row["id"]: Prediction(row["id"], "ok", text="…") for row in everything}
    right = {"color_i": 1, "style_i": 4, "color_ii": 1}
    verdicts = {
        row["id"]: verdict(row, n < right[task], n < right[task])
        for task, size in sizes.items()
        for n, row in enumerate(rows(task, size))
    }
    table = scores(everything, predictions, verdicts)
    means = {(m["task"], m["shots"]): m for m in table["means"]}
    assert list(means) == [("object_inference", 2), ("attribute_inference", 2), ("all", 2)]
    objects = means["object_inference", 2]
    # each task weighs the same: (1/2 + 1) / 2; errors: color_i root(1/2 * 2) / 2 = 1/2, style_i 0
    assert objects["accuracy"] == {"value": 0.75, "standard_error": 0.25, "n": 6}
    assert objects["tasks"] == ["color_i", "style_i"]
    assert objects["examples"] == objects["scored"] == 6
    assert means["all", 2]["accuracy"]["value"] == pytest.approx(2 / 3)


def test_shots_are_kept_apart_and_nothing_gives_nothing() -> None:
    rows = [
        example("color_i", 0, "red", "car"),
        {**example("color_i", 1, "red", "car"), "shots": 4},
    ]
    table = scores(rows, {}, {})
    assert [(g["task"], g["shots"], g["missing"]) for g in table["groups"]] == [
        ("color_i", 2, 1), ("color_i", 4, 1),
    ]  # fmt: skip
    assert table["groups"][0]["accuracy"] == {"value": None, "standard_error": None, "n": 0}
    assert table["means"][0]["accuracy"]["value"] is None
    assert scores([], {}, {}) == {"groups": [], "means": [], "reasons": {}, "judge_failures": {}}


def test_a_prediction_without_verdict_is_missing() -> None:
    rows = [example("color_i", 0, "red", "car")]
    predictions = {rows[0]["id"]: Prediction(rows[0]["id"], "ok", text="…")}
    (group,) = scores(rows, predictions, {})["groups"]
    assert (group["missing"], group["accuracy"]["n"]) == (1, 0)


REFERENCE: Reference = {"task": "color_i", "object": "car", "attribute": "red"}


def test_summary_leaves_failed_calls_out() -> None:
    verdicts = [
        grade(REFERENCE, "car", "red"),
        grade(REFERENCE, "car", "blue"),
        unscored("empty description"),
        failed("timed out"),
    ]
    summary = summarize(verdicts, [REFERENCE] * 4)
    assert summary["accuracy"] == pytest.approx(1 / 3)
    assert summary["object_accuracy"] == summary["visual_accuracy"] == pytest.approx(2 / 3)
    assert summary["attribute_accuracy"] == summary["textual_accuracy"] == pytest.approx(1 / 3)
    assert summary["accuracy_scored"] == 0.5
    assert (summary["scored"], summary["unscored"], summary["failed"]) == (2, 1, 1)


def test_nothing_judged_is_no_score() -> None:
    verdicts = [failed("timed out"), failed("refused"), failed("refused")]
    with pytest.raises(RuntimeError, match=r"all 3 outputs \(most often: refused\)"):
        summarize(verdicts, [REFERENCE] * 3)
    with pytest.raises(ValueError, match="at least one output, got none"):
        summarize([], [])


def test_a_reason_is_always_there() -> None:
    assert count_reasons([Verdict("a", "unscored")]) == {"no reason given": 1}
