"""The models under test that ship: what they answer, through `transformers` and our adapter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cobsat.models
import pytest
import torch
from cobsat import TASKS, Options, examples
from cobsat.cli import main
from cobsat.layout import LABELS
from cobsat.metrics.mention_judge import judge_description
from cobsat.models.transformers_vlm import TransformersVLM
from cobsat.train import mini_vlm_card
from cobsat.train.mini_llava_card import generate
from cobsat.train.mini_vlm_data import ASK_CAPTION, caption
from cobsat.train.shipping import file_digest, open_pictures
from transformers import AutoModelForImageTextToText, AutoProcessor

FOLDERS = {
    name: Path(cobsat.models.__file__).parent / name for name in ("mini_vlm_base", "mini_vlm")
}
# twenty pictures a theme, every object and every attribute twice
FEW = [n for n in range(len(LABELS)) if (n // 10 + n) % 5 == n // 100]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", FOLDERS)
def test_captions_of_shipped_pictures_are_right(name: str) -> None:
    folder = FOLDERS[name]
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    processor = AutoProcessor.from_pretrained(folder)
    _, pictures = open_pictures()
    told = generate(model, processor, [(pictures[n], ASK_CAPTION[0]) for n in FEW])
    wrong = [
        (LABELS[n], text) for n, text in zip(FEW, told, strict=True) if text != caption(*LABELS[n])
    ]
    assert len(wrong) <= MOST_WRONG[name], wrong


MOST_WRONG = {"mini_vlm_base": 6, "mini_vlm": 10}


@pytest.mark.parametrize("shots", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_mini_vlm_learns_in_context(shots: int) -> None:
    scores = mini_vlm_card.measure_tasks(FOLDERS["mini_vlm"], shots, limit=5)
    assert list(scores) == list(TASKS)
    assert sum(scores.values()) / len(scores) > 0.9, scores


def test_the_base_hardly_learns_in_context() -> None:
    scores = mini_vlm_card.measure_tasks(FOLDERS["mini_vlm_base"], 2, limit=5)
    assert sum(scores.values()) / len(scores) < 0.4, scores


def test_answers_follow_the_pictures() -> None:
    """The same words with the pictures of another latent variable get another answer."""
    model = TransformersVLM(str(FOLDERS["mini_vlm"]), dtype="float32")
    options = Options(output="description", instructions_for="qwen_vl")
    rows = examples("color_i-2shot", "test", options)
    first = rows[0]
    other = next(row for row in rows[1:] if row["latent_variable"] != first["latent_variable"])
    mixed = json.loads(json.dumps(first))
    parts, others = (row["messages"][-1]["content"] for row in (mixed, other))
    for part, shown in zip(parts, others, strict=True):
        part["image"] = shown["image"]
    for row, latent in ((first, first["latent_variable"]), (mixed, other["latent_variable"])):
        [output] = model.predict([row])
        reference = {"task": "color_i", "object": latent, "attribute": first["query"]}
        assert judge_description(output.text or "", reference).correct, output.text


def test_it_runs_and_is_judged_by_the_command(tmp_path: Path) -> None:
    out = tmp_path / "run"
    given = "run --model mini-vlm"
    given += f" --config color_i-2shot --output description --limit 8 --judge mention --out {out}"
    assert not main(given.split())
    record = json.loads((out / "run.json").read_text("utf-8"))["model_options"]["record"]
    assert (record["name"], record["checkpoint"]) == ("mini-vlm", "mini-vlm")
    assert record["weights_sha256"] == file_digest(FOLDERS["mini_vlm"] / "model.safetensors")
    assert record["layout"]["name"] == "template"
    assert record["pictures_reused"] == "yes"
    assert record["papers_instructions"] == "qwen_vl"
    lines = (out / "predictions.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["finish_reason"] for line in lines] == ["stop"] * 8
    [group] = json.loads((out / "scores" / "mention.json").read_text("utf-8"))["groups"]
    assert group["accuracy"]["value"] > 0.5


@pytest.mark.parametrize("name", FOLDERS)
def test_it_is_small_and_its_card_is_its_own(name: str) -> None:
    folder = FOLDERS[name]
    weights = folder / "model.safetensors"
    assert weights.stat().st_size < 10e6
    card = (folder / "README.md").read_text("utf-8")
    assert file_digest(weights) in card
    for fact in ("--seed 0", "minutes", "mean", "mini-clip", "It draws nothing"):
        assert fact in card
