"""The module `cobsat_accuracy`: which judge is asked, what it is given, and what is made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cobsat.metrics
import evaluate
import pytest
from cobsat.metrics.choices import Answer, choice_verdict
from cobsat.metrics.grading import failed, unscored
from cobsat.run_folder import Verdict
from PIL import Image

CAR = {"task": "color_i", "object": "car", "attribute": "red"}
HAT = {"task": "color_ii", "object": "hat", "attribute": "blue"}
CUP = {"task": "texture_i", "object": "cup", "attribute": "wood"}


pytestmark = pytest.mark.usefixtures("evaluate_home")


class Numbers:
    """Answers with the numbers in a text ("5 3"), or with 5 and 3 about a picture."""

    name = "numbers"
    outputs = frozenset({"image", "description"})

    def __init__(self, model: str = "m", device: str = "cpu") -> None:
        self.asked: list[Any] = []
        self._record = {"model": model, "device": device, "versions": {"numbers": "1"}}

    def record(self) -> dict[str, Any]:
        return self._record

    def judge(self, predictions: Sequence[Any], references: Any, output: str) -> list[Verdict]:
        self.asked += predictions
        return [
            self._verdict("5 3" if output == "image" else prediction, reference)
            for prediction, reference in zip(predictions, references, strict=True)
        ]

    def _verdict(self, text: str, reference: Any) -> Verdict:
        if text == "down":
            return failed("timed out")
        if not text[0].isdigit():
            return unscored("no number")
        object_, attribute, *more = text.split()
        return choice_verdict(
            reference, Answer(int(object_)), Answer(int(attribute)), truncated=bool(more)
        )


class TextsOnly(Numbers):
    outputs = frozenset({"description"})


def load(config: str = "description") -> evaluate.EvaluationModule:
    return evaluate.load(cobsat.metrics.path("cobsat_accuracy"), config)


def test_by_hand() -> None:
    judge = Numbers()
    # car is 5 and red is 3; hat is 2 and blue is 9
    predictions = ["5 3", "5 9", "2 9", "2 3 cut", "unclear", "", None, "down"]
    references = [CAR, CAR, HAT, HAT, CAR, CAR, HAT, CAR]
    results = load().compute(predictions=predictions, references=references, judge=judge)
    # of seven known: right are 5 3 and 2 9; objects in four, attributes in two
    assert results["accuracy"] == pytest.approx(2 / 7)
    assert results["object_accuracy"] == pytest.approx(4 / 7)
    assert results["attribute_accuracy"] == pytest.approx(2 / 7)
    # the text gives color_i's attribute (once right) and color_ii's object (twice)
    assert results["textual_accuracy"] == pytest.approx(3 / 7)
    assert results["visual_accuracy"] == pytest.approx(3 / 7)
    assert results["accuracy_scored"] == 0.5
    counts = {key: results[key] for key in ("scored", "unscored", "failed", "truncated")}
    assert counts == {"scored": 4, "unscored": 3, "failed": 1, "truncated": 1}
    assert results["reasons"] == {"empty description": 2, "no number": 1, "timed out": 1}
    low, high = results["accuracy_interval"]
    assert 0 <= low < 2 / 7 < high <= 1
    assert results["judge"] == {
        "name": "numbers", "model": "m", "device": "cpu", "versions": {"numbers": "1"},
    }  # fmt: skip
    assert json.loads(json.dumps(results))["accuracy"] == results["accuracy"]


def test_all_right_is_not_certain() -> None:
    judge = Numbers()
    references = [{**CAR, "attribute": a} for a in ("yellow", "white", "red", "purple")]
    predictions = [f"5 {number}" for number in range(1, 5)]
    results = load().compute(predictions=predictions, references=references, judge=judge)
    assert (results["accuracy"], results["accuracy_standard_error"]) == (1.0, 0.0)
    # Wilson at 1 with four clusters and t(3) = 3.1824: 4 / (4 + 10.128)
    assert results["accuracy_interval"] == (pytest.approx(0.28313, abs=1e-5), 1.0)


def test_identical_outputs_are_judged_once_a_theme(tmp_path: Path) -> None:
    judge = Numbers()
    texts = ["5 3", "5 3", "5 3", "2 9"]
    results = load().compute(predictions=texts, references=[CAR, HAT, CUP, HAT], judge=judge)
    assert judge.asked == ["5 3", "5 3", "2 9"]
    assert results["accuracy"] == 0.5
    picture = Image.new("RGB", (9, 9), "red")
    for name in ("a.png", "b.png"):
        picture.save(tmp_path / name)
    judge = Numbers()
    paths = [str(tmp_path / "a.png"), str(tmp_path / "b.png")]
    results = load("image").compute(predictions=paths, references=[CAR] * 2, judge=judge)
    assert judge.asked == paths[:1]
    assert results["accuracy"] == 1.0


def test_pictures_come_as_paths_or_bytes_and_missing_ones_are_empty(tmp_path: Path) -> None:
    judge = Numbers()
    picture = Image.new("RGB", (9, 9), "red")
    path = tmp_path / "a.webp"
    picture.save(path)
    results = load("image").compute(
        predictions=[str(path), picture, None, str(tmp_path / "none.png")],
        references=[CAR] * 4,
        judge=judge,
    )
    assert judge.asked[0] == str(path)
    assert judge.asked[1].startswith(b"\x89PNG")
    assert judge.asked[2] == str(tmp_path / "none.png")
    assert results["reasons"] == {"empty image": 1}


def test_a_judge_by_name_gets_its_options_and_no_others() -> None:
    metric = load()
    given = {"predictions": ["A red car."], "references": [CAR]}
    assert metric.compute(**given, judge="mention")["accuracy"] == 1.0
    with pytest.raises(ValueError, match="option of the judge mention"):
        metric.compute(**given, judge="mention", checkpoint="x")
    with pytest.raises(ValueError, match="did you mean 'mention'"):
        metric.compute(**given, judge="mentoin")
    with pytest.raises(ValueError, match="together with model"):
        metric.compute(**given, judge=Numbers(), model="x")
    clip = metric.compute(**given, judge="clip", batch_size=2)
    assert clip["judge"]["checkpoint"] == "mini-clip"
    assert clip["accuracy"] == 1.0


def test_a_judge_that_does_not_judge_this_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="of kind description, got the configuration 'image'"):
        load("image").compute(predictions=[None], references=[CAR], judge=TextsOnly())
    with pytest.raises(ValueError, match="must be 'image' or 'description', got 'audio'"):
        load("audio")


def test_nothing_known_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="a failure for all 2 outputs"):
        load().compute(predictions=["down"] * 2, references=[CAR] * 2, judge=Numbers())
    with pytest.raises(ValueError, match="at least one output, got none"):
        load().compute(predictions=[], references=[], judge=Numbers())


def test_a_judge_that_answers_too_little_is_refused() -> None:
    class Short(Numbers):
        def judge(self, *given: Any) -> list[Verdict]:
            return super().judge(*given)[1:]

    with pytest.raises(ValueError, match=r"must be one an output \(1\), got 0"):
        load().compute(predictions=["5 3"], references=[CAR], judge=Short())


def test_empty_outputs_alone_ask_nobody() -> None:
    judge = Numbers()
    results = load().compute(predictions=["", "  ", None], references=[CAR] * 3, judge=judge)
    assert judge.asked == []
    assert (results["accuracy"], results["accuracy_scored"], results["unscored"]) == (0.0, None, 3)
    assert results["accuracy_interval"] is None


def test_an_option_of_another_judge_is_refused() -> None:
    metric = evaluate.load(cobsat.metrics.path("cobsat_accuracy"), "description")
    reference = {"task": "color_i", "object": "car", "attribute": "red"}
    with pytest.raises(ValueError, match="option of the judge llava must be one of"):
        metric.compute(predictions=["A red car."], references=[reference], body={"top_k": 1})
