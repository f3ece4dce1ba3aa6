"""The baselines have exactly the accuracies that the prompt lists (and their seeds) imply."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cobsat import Options, Verdict, examples, image_source
from cobsat.layout import LABELS
from cobsat.metrics.judge import judge_run
from cobsat.metrics.registry import load_judge
from cobsat.models import load_model
from cobsat.models.predict import predict
from cobsat.models.settings import expand_configs, run_settings
from cobsat.prompt_lists import benchmark_prompts

LIMIT = 120
TASK_NAMES = ("color_i", "background_ii")
SHOTS = (2, 4)
CONFIGS = [f"{task}-{shots}shot" for task in TASK_NAMES for shots in SHOTS]


class ExactJudge:
    """Knows every picture by its bytes and every description by its words."""

    name = "exact"
    outputs = frozenset({"image", "description"})

    def __init__(self, folder: Path) -> None:
        source = image_source(str(folder))
        self.labels: dict[object, tuple[str, str, str]] = {
            Path(source.paths[label]).read_bytes(): label for label in LABELS
        }
        self.labels |= {source.descriptions[label]: label for label in LABELS}

    def record(self) -> dict[str, Any]:
        return {}

    def judge(
        self, predictions: Sequence[str], references: Sequence[Any], output: str
    ) -> list[Verdict]:
        verdicts = []
        for prediction, reference in zip(predictions, references, strict=True):
            seen = prediction if output == "description" else Path(prediction).read_bytes()
            _, attribute, object_ = self.labels[seen]
            right = object_ == reference["object"], attribute == reference["attribute"]
            verdicts.append(Verdict("", "scored", object_, attribute, *right))
        return verdicts


def scored(name: str, output: str, pictures: Path, out: Path, judge: Any, **options: Any) -> Any:
    chosen = Options(output=output, images=str(pictures))
    configs = expand_configs(CONFIGS, "test", chosen)
    model = load_model(name, **options)
    settings = run_settings(name, model, options, configs, "test", chosen, LIMIT)
    groups = judge_run(predict(model, settings, out, batch_size=LIMIT), judge)["groups"]
    assert [(g["task"], g["shots"]) for g in groups] == [(t, s) for t in TASK_NAMES for s in SHOTS]
    return groups


def rates(group: Any) -> dict[str, float]:
    names = ("accuracy", "object", "attribute", "textual", "visual")
    return {name: group[name]["value"] for name in names}


def expected(task: str, pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Return the rates of (text's half right, picture's half right) pairs, worked out by hand."""
    count = len(pairs)
    textual = Fraction(sum(t for t, _ in pairs), count)
    visual = Fraction(sum(v for _, v in pairs), count)
    both = Fraction(sum(t and v for t, v in pairs), count)
    halves = {"attribute": textual, "object": visual}
    if task.endswith("_ii"):
        halves = {"attribute": visual, "object": textual}
    named = {"accuracy": both, "textual": textual, "visual": visual, **halves}
    return {name: float(value) for name, value in named.items()}


def judges(output: str, pictures: Path) -> list[Any]:
    exact = ExactJudge(pictures)
    return [exact] if output == "image" else [exact, load_judge("mention")]


@pytest.mark.parametrize("output", ["image", "description"])
def test_copy_scores_what_the_prompt_lists_imply(
    output: str, picture_folder: Path, tmp_path: Path
) -> None:
    for judge in judges(output, picture_folder):
        for group in scored("copy", output, picture_folder, tmp_path / "run", judge):
            prompts = benchmark_prompts(group["shots"])[:LIMIT]
            pairs = [(prompt.inputs[-2] == prompt.inputs[-1], True) for prompt in prompts]
            assert rates(group) == pytest.approx(expected(group["task"], pairs), abs=1e-12)
            assert rates(group)["textual"] == 0
            assert rates(group)["visual"] == 1


@pytest.mark.parametrize("output", ["image", "description"])
def test_oracle_scores_one_with_every_judge(
    output: str, picture_folder: Path, tmp_path: Path
) -> None:
    for judge in judges(output, picture_folder):
        for group in scored("oracle", output, picture_folder, tmp_path / "run", judge):
            assert set(rates(group).values()) == {1.0}


@pytest.mark.parametrize("output", ["image", "description"])
def test_random_scores_what_its_seed_implies(
    output: str, picture_folder: Path, tmp_path: Path
) -> None:
    judge = ExactJudge(picture_folder)
    for group in scored("random", output, picture_folder, tmp_path / "run", judge, seed=7):
        task, shots = group["task"], group["shots"]
        pairs = []
        for number, prompt in enumerate(benchmark_prompts(shots)[:LIMIT]):
            draw = random.Random(f"random:7:{task}-{shots}shot-test-{number:04d}").randrange(100)
            attribute, object_ = draw // 10, draw % 10
            text, latent = (object_, attribute) if task.endswith("_ii") else (attribute, object_)
            pairs.append((text == prompt.inputs[-1], latent == prompt.latent))
        assert rates(group) == pytest.approx(expected(task, pairs), abs=1e-12)
        assert 0 < rates(group)["textual"] < 0.25


def test_query_draws_the_texts_half_and_leaves_the_other_to_chance(
    picture_folder: Path, tmp_path: Path
) -> None:
    judge = ExactJudge(picture_folder)
    for group in scored("query", "image", picture_folder, tmp_path / "run", judge):
        task, shots = group["task"], group["shots"]
        pairs = []
        for number, prompt in enumerate(benchmark_prompts(shots)[:LIMIT]):
            draw = random.Random(f"query:0:{task}-{shots}shot-test-{number:04d}").randrange(10)
            pairs.append((True, draw == prompt.latent))
        assert rates(group) == pytest.approx(expected(task, pairs), abs=1e-12)
        assert rates(group)["textual"] == 1
        assert 0 < rates(group)["visual"] < 0.25


def test_query_describes_only_the_texts_half(picture_folder: Path, tmp_path: Path) -> None:
    source = image_source(str(picture_folder))
    options = Options(output="description", images=str(picture_folder))
    rows = [*examples("background_i-2shot", "test", options)[:40]]
    rows += examples("color_ii-2shot", "test", options)[:40]
    model: Any = load_model("query")
    model.use_image_source(source)
    texts = {row["query"]: out.text for row, out in zip(rows, model.predict(rows), strict=True)}
    assert texts["park"] == "A picture of amusement park."
    assert texts["car"] == "A picture of car."
    groups = scored("query", "description", picture_folder, tmp_path, load_judge("mention"))
    for group in groups:
        assert (rates(group)["textual"], rates(group)["visual"]) == (1, 0)
        assert (group["scored"], group["unscored"]) == (0, LIMIT)


def test_copy_without_demonstrations_is_an_error(picture_folder: Path) -> None:
    rows = examples("color_i-0shot", "test", Options("exact", images=str(picture_folder)))
    [output] = load_model("copy").predict(rows[:1])
    assert (output.status, output.reason) == ("error", "no demonstration to copy")
    assert output.image is None


@pytest.mark.parametrize("name", ["query", "random"])
def test_draws_depend_on_seed_and_id_alone(name: str, picture_folder: Path) -> None:
    source = image_source(str(picture_folder))
    rows = examples("texture_ii-2shot", "test", Options(images=str(picture_folder)))[:60]

    def drawn(seed: int, order: list[Any], size: int) -> dict[str, Any]:
        model: Any = load_model(name, seed=seed)
        model.use_image_source(source)
        outputs = [o for i in range(0, 60, size) for o in model.predict(order[i : i + size])]
        return {row["id"]: o.image for row, o in zip(order, outputs, strict=True)}

    assert drawn(1, rows, 16) == drawn(1, rows[::-1], 7)
    assert drawn(1, rows, 16) != drawn(2, rows, 16)


@pytest.mark.parametrize("seed", ["one", True, 1.5])
def test_a_seed_is_an_integer(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed of a baseline must be an integer"):
        load_model("random", seed=seed)
