"""What the module cobsat_clip adds to the judge: means, their names, its card's recipe."""

from __future__ import annotations

import doctest
from pathlib import Path

import cobsat.metrics
import evaluate
import pytest
from cobsat import THEMES, Prediction, RunFolder, RunSettings, examples
from cobsat.metrics.clip_judge import ClipJudge, Measured

TASK = "color_i"


pytestmark = pytest.mark.usefixtures("evaluate_home")


def test_similarities_are_raw_and_the_score_is_scaled_and_not_below_zero() -> None:
    color = THEMES["color"]
    references = [
        {"task": TASK, "object": o, "attribute": a} for o in color.objects for a in color.attributes
    ]
    outputs = ["A red car on a road."] * len(references)
    measured = ClipJudge(device="cpu").measure(outputs, references, "description")
    cosines = [m.label for m in measured if isinstance(m, Measured)]
    assert len(cosines) == 100
    assert min(cosines) < 0 < max(cosines)
    metric = evaluate.load(cobsat.metrics.path("cobsat_clip"), "description")
    results = metric.compute(predictions=[*outputs, ""], references=[*references, references[0]])
    assert results["similarity"] == pytest.approx(sum(cosines) / 100)
    assert results["clip_score"] == pytest.approx(sum(c for c in cosines if c > 0))
    assert results["clip_score"] > 100 * results["similarity"]
    one = measured[0]
    assert isinstance(one, Measured)
    assert results["object_similarity"] == pytest.approx(sum(one.objects) / 10)
    assert results["attribute_similarity"] == pytest.approx(sum(one.attributes) / 10)


def test_precision_is_an_option() -> None:
    metric = evaluate.load(cobsat.metrics.path("cobsat_clip"), "description")
    reference = {"task": TASK, "object": "car", "attribute": "red"}
    found = [
        metric.compute(predictions=["A red car."], references=[reference], device="cpu", **options)
        for options in ({}, {"dtype": "bfloat16"}, {"batch_size": 1})
    ]
    assert found[0] == pytest.approx(found[2], abs=1e-5)
    assert found[0]["similarity"] != found[1]["similarity"]
    assert found[0]["similarity"] == pytest.approx(found[1]["similarity"], abs=0.02)


def test_the_card_s_recipe_gives_a_run_s_similarity(tmp_path: Path) -> None:
    card = (Path(cobsat.metrics.path("cobsat_clip")) / "README.md").read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(card, {}, "card", None, 0)
    doctest.DocTestRunner().run(test, clear_globs=False)
    rows = examples("color_i-2shot")[:3]
    folder = RunFolder(tmp_path / "run")
    folder.start(RunSettings("echo", ("color_i-2shot",), output="description", limit=3))
    with folder.append_predictions() as appender:
        appender.add([Prediction(row["id"], "ok", text="a red car") for row in rows[:2]])
        appender.add([Prediction(rows[2]["id"], "error", reason="down")])
    metric = evaluate.load(cobsat.metrics.path("cobsat_clip"), "description")
    expected = metric.compute(
        predictions=["a red car"] * 2, references=[row["reference"] for row in rows[:2]]
    )
    assert test.globs["similarity"](tmp_path / "run", "color_i-2shot") == expected["similarity"]
