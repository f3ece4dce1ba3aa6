"""Single, majority and best of K against tables worked out by hand."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from cobsat import Prediction, RunFolder, Verdict
from cobsat.cli import main
from cobsat.metrics import scores
from cobsat.metrics.agree import agreement_of_runs
from cobsat.metrics.cautions import cautions
from cobsat.metrics.grading import grade
from cobsat.metrics.label_outputs import open_session
from cobsat.metrics.self_consistency import (
    CONSISTENCY_RATES,
    Ballot,
    best_of_k,
    consistency,
    majority,
)
from cobsat.metrics.statistics import Rate
from cobsat.samples import sample_id, split_sample_id
from report_pages import without_plots

RED_CAR = {"task": "color_i", "object": "car", "attribute": "red"}


def saw(object_: str, attribute: str) -> Verdict:
    return grade(RED_CAR, object_, attribute)  # type: ignore[arg-type]


RIGHT, HAT, BLUE = saw("car", "red"), saw("hat", "red"), saw("car", "blue")


@pytest.mark.parametrize(
    ("votes", "won"),
    [
        ([RIGHT, HAT, RIGHT], RIGHT),
        ([HAT, RIGHT, RIGHT], RIGHT),
        ([HAT, RIGHT, BLUE], HAT),  # a tie of three: the first
        ([None, BLUE, RIGHT], BLUE),  # what has no answer has no vote
        ([BLUE, RIGHT, None, RIGHT, BLUE], BLUE),
        ([RIGHT, BLUE, BLUE, RIGHT, BLUE], BLUE),
        ([None, None, RIGHT], RIGHT),
        ([None, None], None),
        ([], None),
        # the object alone would win as the car, the attribute alone as red: they vote as one answer
        ([HAT, HAT, RIGHT, BLUE, BLUE, BLUE], BLUE),
    ],
)
def test_majority(votes: list[Verdict | None], won: Verdict | None) -> None:
    assert majority(votes) == won


def test_best_of_k_is_the_share_of_all_draws() -> None:
    for samples in range(1, 7):
        for right in range(samples + 1):
            for k in range(1, samples + 1):
                draws = [any(i < right for i in d) for d in combinations(range(samples), k)]
                assert best_of_k(samples, right, k) == pytest.approx(sum(draws) / len(draws))
    assert best_of_k(1000, 1, 500) == pytest.approx(0.5)
    for wrong in ((0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)):
        with pytest.raises(ValueError, match="k must be from 1 to samples"):
            best_of_k(*wrong)


def test_votes_must_be_as_many_as_samples() -> None:
    with pytest.raises(ValueError, match=r"votes must be one a sample \(3\), got 2"):
        consistency("color_i", [Ballot("a", (RIGHT, HAT))], 3)
    nothing = consistency("color_i", [], 3)
    assert set(nothing.rates.values()) == set(nothing.best_of_k) == {Rate(None, None, 0)}


# Three samples of each example of one task; what each shows, "-" unscored, "b" blocked, "f" failed,
# "j" the judge failed, "m" missing. The query of every prompt is red, so that car is the latent
# variable of all, unless another object is named.
TABLE = {
    0: ("red car", "red car", "blue car"),  # majority right
    1: ("blue car", "red car", "-"),  # a tie: the first, wrong; one of the three is right
    2: ("-", "b", "red car"),  # one vote, right
    3: ("-", "b", "f"),  # no vote: wrong, and counted
    4: ("red car", "red car", "j"),  # not in the two
    5: ("m", "red car", "red car"),  # not in the two
    6: ("red hat", "red hat", "red car"),  # wrong; half right; one of the three is right
}
CLUSTERS = {0: "a", 1: "a", 2: "b", 3: "b", 4: "c", 5: "c", 6: "d"}


def sampled(
    table: dict[int, tuple[str, ...]], task: str = "color_i", clusters: dict[int, str] = CLUSTERS
) -> tuple[list[Any], dict[str, Prediction], dict[str, Verdict]]:
    rows: list[Any] = []
    predictions: dict[str, Prediction] = {}
    verdicts: dict[str, Verdict] = {}
    for number, shown in table.items():
        for place, what in enumerate(shown, start=1):
            name = sample_id(f"{task}-2shot-test-{number:04d}", place)
            reference: Any = {"task": task, "object": "car", "attribute": "red"}
            rows.append({"id": name, "task": task, "shots": 2, "query": "red",
                         "latent_variable": clusters[number], "reference": reference})  # fmt: skip
            if what == "m":
                continue
            status = {"b": "blocked", "f": "error"}.get(what, "ok")
            predictions[name] = Prediction(name, status, text="…")  # type: ignore[arg-type]
            if what == "j":
                verdicts[name] = Verdict(name, "error", reason="timed out")
            elif what == "-":
                verdicts[name] = Verdict(name, "unscored", "car", object_correct=True, reason="?")
            elif status == "ok":
                attribute, object_ = what.split()
                graded = grade(reference, object_, attribute)
                verdicts[name] = Verdict(**{**vars(graded), "id": name})
    return rows, predictions, verdicts


def test_group_by_hand() -> None:
    table = scores(*sampled(TABLE))
    assert table["samples"] == 3
    (group,) = table["groups"]
    counts = {k: v for k, v in group.items() if isinstance(v, int) and k != "shots"}
    assert counts == {
        "examples": 7, "outputs": 21, "scored": 13, "unscored": 3, "failed": 1, "blocked": 2,
        "missing": 1, "judge_failed": 1, "truncated": 0, "no_majority": 1,
    }  # fmt: skip
    # single: 2 + 1 + 1 + 0 + 2 + 2 + 1 of the 19 outputs of which something is known
    assert (group["accuracy"]["value"], group["accuracy"]["n"]) == (pytest.approx(9 / 19), 19)
    # examples 0, 1, 2, 3, 6 have all three: the majority is right in 0 and 2; one is in 0, 1, 2, 6
    values = {name: group[name]["value"] for name in CONSISTENCY_RATES}
    assert values == pytest.approx(
        {"majority": 2 / 5, "best_of": 4 / 5,
         # winners: red car, blue car, red car, nothing, red hat; the object is hidden
         "majority_object": 3 / 5, "majority_visual": 3 / 5,
         "majority_attribute": 3 / 5, "majority_textual": 3 / 5}
    )  # fmt: skip
    assert {group[name]["n"] for name in CONSISTENCY_RATES} == {5}
    # majority, clusters a (0, 1), b (2, 3), d (6): residuals sum to 1/5, 1/5, -2/5
    # squares 6/25, times 3/2; root, over 5
    assert group["majority"]["standard_error"] == pytest.approx(math.sqrt(9 / 25) / 5)
    # best of k: right 2, 1, 1, 0, 1 of 3; of two 1 - C(3-c, 2)/3: 1, 2/3, 2/3, 0, 2/3
    assert [rate["value"] for rate in group["best_of_k"]] == pytest.approx([5 / 15, 3 / 5, 4 / 5])
    assert group["best_of_k"][-1] == group["best_of"]


def test_rows_in_any_order_give_the_same() -> None:
    rows, predictions, verdicts = sampled(TABLE)
    expected = scores(rows, predictions, verdicts)
    for seed in range(5):
        shuffled = random.Random(seed).sample(rows, len(rows))
        found = scores(shuffled, predictions, verdicts)
        assert found["groups"][0].keys() == expected["groups"][0].keys()
        for name in CONSISTENCY_RATES:
            assert found["groups"][0][name] == pytest.approx(expected["groups"][0][name])


def test_means_give_each_task_the_same_weight() -> None:
    first = sampled({0: ("red car", "red car"), 1: ("-", "-")}, clusters={0: "a", 1: "b"})
    second = sampled({0: ("red car", "red hat")}, "style_ii", clusters={0: "a"})
    table = scores(
        [*first[0], *second[0]], {**first[1], **second[1]}, {**first[2], **second[2]}
    )  # fmt: skip
    means = {mean["task"]: mean for mean in table["means"]}
    everything = means["all"]
    assert (everything["examples"], everything["outputs"], everything["no_majority"]) == (3, 6, 1)
    assert everything["majority"]["value"] == pytest.approx((1 / 2 + 1) / 2)
    assert [rate["value"] for rate in everything["best_of_k"]] == pytest.approx([0.5, 0.75])
    # style_ii gives the object as text: the hidden half is the attribute, red in both outputs
    assert means["attribute_inference"]["majority_visual"]["value"] == 1.0
    # color_i: residuals 1/2, -1/2 of two clusters: root(1/2 * 2) / 2; style_ii has one cluster
    assert means["object_inference"]["majority"] == {"value": 0.5, "standard_error": 0.5, "n": 2}
    assert everything["majority"]["standard_error"] is None


def test_an_example_that_lacks_rows_of_its_own_is_in_neither() -> None:
    rows, predictions, verdicts = sampled({0: ("red car", "red car"), 1: ("blue car", "red car")},
                                          clusters={0: "a", 1: "b"})  # fmt: skip
    (group,) = scores(rows[:3], predictions, verdicts)["groups"]
    assert (group["examples"], group["outputs"], group["majority"]["n"]) == (2, 3, 1)


def test_one_sample_has_the_table_that_it_had() -> None:
    table = scores(*sampled({n: shown[:1] for n, shown in TABLE.items()}))
    assert list(table) == ["groups", "means", "reasons", "judge_failures"]
    assert not {*CONSISTENCY_RATES, "best_of_k", "outputs", "no_majority"} & {
        key for row in (*table["groups"], *table["means"]) for key in row
    }


def test_the_caution_counts_outputs() -> None:
    (said,) = cautions("mention", {}, scores(*sampled(TABLE)))
    assert said.startswith("1 of 21 outputs are in no score: the calls of mention failed")


def test_a_random_run_of_five(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    command = ["run", "--model", "random", "--config", "color_i-2shot", "--samples", "5"]
    command += ["--output", "description", "--judge", "mention", "--out", str(run)]
    with without_plots():
        assert main([*command, "--limit", "500"]) == 0
    assert "mention: 2500 of 2500 scored" in capsys.readouterr().out
    table = json.loads((run / "scores" / "mention.json").read_text("utf-8"))
    (group,) = table["groups"]
    assert table["samples"] == 5
    assert (group["examples"], group["outputs"]) == (500, 2500)

    # once more, from the verdicts' lines alone
    text = (run / "verdicts" / "mention.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    right = [line["object_correct"] and line["attribute_correct"] for line in lines]
    fives = [range(start, start + 5) for start in range(0, 2500, 5)]
    assert all(lines[i]["id"].startswith(lines[five[0]]["id"]) for five in fives for i in five)
    assert group["accuracy"]["value"] == pytest.approx(sum(right) / 2500)
    assert group["best_of"]["value"] == sum(any(right[i] for i in five) for five in fives) / 500
    of_two = [any(right[i] for i in two) for five in fives for two in combinations(five, 2)]
    assert group["best_of_k"][1]["value"] == pytest.approx(sum(of_two) / 5000)
    won = 0
    for five in fives:
        # most_common keeps the order of first sight among equals
        answers = [(lines[i]["object"], lines[i]["attribute"]) for i in five]
        (answer, _), *_ = Counter(answers).most_common()
        won += right[five[answers.index(answer)]]
    assert group["majority"]["value"] == won / 500
    # what chance makes of it, within four standard errors of 2,500 and of 500 draws
    assert group["accuracy"]["value"] == pytest.approx(0.01, abs=4 * math.sqrt(0.0099 / 2500))
    any_of_five = 1 - 0.99**5
    error = math.sqrt(any_of_five * (1 - any_of_five) / 500)
    assert group["best_of"]["value"] == pytest.approx(any_of_five, abs=4 * error)
    assert group["majority"]["value"] == pytest.approx(0.01, abs=4 * math.sqrt(0.0099 / 500))


def test_people_label_each_output_of_a_run_of_several(tmp_path: Path) -> None:
    """Every output is labelled, and agreed upon, for itself; the same output is looked at once."""
    run = tmp_path / "run"
    command = ["predict", "--model", "random", "--config", "color_i-2shot", "--samples", "2"]
    assert main([*command, "--limit", "3", "--output", "description", "--out", str(run)]) == 0
    assert main(["judge", str(run), "--judge", "mention"]) == 0
    session = open_session(RunFolder(run), "ann")
    texts = [p.text for p in RunFolder(run).predictions()[0].values()]
    assert (len(texts), len(session.items)) == (6, len(set(texts)))
    for number in range(len(session.items)):
        session.answer(number, {"object": "car", "attribute": "red"})
    (pair,) = agreement_of_runs([run])["pairs"]
    assert (pair["n"], pair["distinct"]) == (6, len(set(texts)))
    verdicts = RunFolder(run).verdicts("mention")[0].values()
    assert pair["object"]["ratio"]["value"] == sum(v.object == "car" for v in verdicts) / 6
    apart = {item["id"] for item in pair["disagreements"]}
    assert apart == {v.id for v in verdicts if (v.object, v.attribute) != ("car", "red")}
    assert {split_sample_id(i) for i in apart} >= {("color_i-2shot-test-0000", n) for n in (1, 2)}
