"""Several samples an example: their ids and order, how a run grows, who is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cobsat import Options, RunFolder, RunSettings, examples
from cobsat.cli import main
from cobsat.models import Capabilities, load_model
from cobsat.models.baselines import Random
from cobsat.models.predict import predict
from cobsat.models.prompt_order import by_prefix, shared_parts
from cobsat.models.registry import repeats_with
from cobsat.models.settings import check_capabilities, default_folder, run_settings, run_size
from cobsat.samples import split_sample_id

CONFIG = "color_i-2shot"
RANDOM = ["predict", "--model", "random", "--config", CONFIG, "--limit", "3"]


def settings(samples: int, limit: int = 3) -> RunSettings:
    return run_settings("random", Random(), {}, (CONFIG,), "test", Options(), limit, samples)


def lines(folder: Path) -> dict[str, str]:
    return {i: str(p.image) for i, p in RunFolder(folder).predictions()[0].items()}


def test_each_sample_is_an_output_of_its_own(tmp_path: Path) -> None:
    assert main([*RANDOM, "--samples", "4", "--out", str(tmp_path)]) == 0
    found = lines(tmp_path)
    first = "color_i-2shot-test-0000"
    assert list(found)[:5] == [
        first, f"{first}-sample2", f"{first}-sample3", f"{first}-sample4",
        "color_i-2shot-test-0001",
    ]  # fmt: skip
    assert len(found) == 12
    assert len(set(found.values())) > 6  # each is drawn for itself, from 100 pictures
    assert json.loads((tmp_path / "run.json").read_text())["samples"] == 4
    assert {split_sample_id(name) for name in found} == {
        (f"color_i-2shot-test-{n:04d}", k) for n in range(3) for k in (1, 2, 3, 4)
    }


def test_samples_may_grow_and_not_shrink(tmp_path: Path) -> None:
    grown, whole = tmp_path / "grown", tmp_path / "whole"
    predict(Random(), settings(1), grown)
    one = lines(grown)
    predict(Random(), settings(3), grown)
    predict(Random(), settings(3), whole)
    assert lines(grown) == lines(whole)
    assert one.items() <= lines(grown).items()
    assert RunFolder(grown).settings().samples == 3
    with pytest.raises(ValueError, match=r"samples must be 3 or more, as the run in .* got 2"):
        predict(Random(), settings(2), grown)
    predict(Random(), settings(3, limit=4), grown)
    assert len(lines(grown)) == 12


def test_sizes_and_names_count_samples() -> None:
    assert run_size(settings(5)) == 15
    # A run may grow: its default folder is the same.
    assert default_folder(settings(5), [CONFIG]) == default_folder(settings(1, limit=9), [CONFIG])
    with pytest.raises(ValueError, match="samples must be 1 or more, got 0"):
        settings(0)


def test_a_model_that_gives_the_same_each_time_is_refused() -> None:
    greedy = Capabilities({"image"}, repeats="answers are greedy: --model-option do_sample=true")
    check_capabilities("m", greedy, settings(1))
    with pytest.raises(ValueError, match=r"must be 1, got 2: answers are greedy: --model-option"):
        check_capabilities("m", greedy, settings(2))


NOWHERE = "/nowhere/at/all"
BOTH = {"describe": "transformers", "describe.checkpoint": NOWHERE, "draw.checkpoint": NOWHERE}


@pytest.mark.parametrize(
    ("model", "options", "fix"),
    [
        ("transformers", {"checkpoint": NOWHERE}, "do_sample=true"),
        ("any_to_any", {"checkpoint": NOWHERE, "do_sample": "false"}, "leave out do_sample=false"),
        (
            "describe_then_draw",
            {**BOTH, "draw": "any_to_any", "draw.do_sample": "false"},
            "describe: answers are greedy: --model-option describe.do_sample=true; draw: pictures "
            "are greedy",
        ),
        ("transformers", {"checkpoint": NOWHERE, "do_sample": "true"}, None),
        ("any_to_any", {"checkpoint": NOWHERE}, None),
        ("describe_then_draw", {**BOTH, "draw": "any_to_any"}, None),
        (
            "describe_then_draw",
            {**BOTH, "draw": "any_to_any", "draw.do_sample": "false", "describe.do_sample": "true"},
            None,
        ),
    ],
)
def test_it_is_refused_before_a_checkpoint_is_looked_for(
    model: str,
    options: dict[str, str],
    fix: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["predict", "--model", model, "--config", CONFIG, "--samples", "2"]
    command += ["--output", "description" if model == "transformers" else "image"]
    for key, value in options.items():
        command += ["--model-option", f"{key}={value}"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert ("there is no folder" in told) is (fix is None)
    if fix is not None:
        assert f"samples of model {model} must be 1, got 2: " in told
        assert fix in told


@pytest.mark.parametrize("options", [{}, {"do_sample": True}, {"do_sample": False}])
def test_what_is_told_before_loading_is_so(options: dict[str, Any]) -> None:
    model = load_model("mini-vlm", device="cpu", **options)
    assert repeats_with(type(model), options) == model.capabilities.repeats
    assert bool(model.capabilities.repeats) is not options.get("do_sample", False)


def test_prompts_that_begin_alike_come_one_after_the_other() -> None:
    rows = examples("color_i-4shot", "test", Options())
    ordered = by_prefix(rows)
    assert sorted(row["id"] for row in ordered) == [row["id"] for row in rows]
    # The least that can be: each distinct beginning is met anew once, and never again.
    parts = [[(p["text"], p["image"]) for p in r["messages"][0]["content"]] for r in ordered]
    distinct = {tuple(p[:n]) for p in parts for n in range(1, len(p) + 1)}
    fresh = sum(
        len(p) - (shared_parts(ordered[i - 1], ordered[i]) if i else 0) for i, p in enumerate(parts)
    )
    assert fresh == len(distinct)


def test_a_run_on_a_server_asks_in_that_order(tmp_path: Path) -> None:
    class Ordered(Random):
        by_prefix = True

    predict(Ordered(), replace(settings(2), limit=50), tmp_path / "ordered")
    predict(Random(), replace(settings(2), limit=50), tmp_path / "plain")
    asked = list(lines(tmp_path / "ordered"))
    rows = {row["id"]: row for row in examples(CONFIG, "test", Options())[:50]}
    names = [split_sample_id(name)[0] for name in asked]
    assert list(dict.fromkeys(names)) == [row["id"] for row in by_prefix(rows.values())]
    assert names[::2] == names[1::2]  # the samples of one example come together
    assert lines(tmp_path / "ordered") == lines(tmp_path / "plain")
