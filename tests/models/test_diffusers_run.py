"""Runs of tiny pipelines by the real command, stopped and gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cobsat import THEMES
from cobsat.cli import main
from cobsat.layout import LABELS, stem
from PIL import Image

pytestmark = pytest.mark.usefixtures("one_thread")

EXAMPLES = 6


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """500 pictures of 64 pixels: FLUX.2 takes none that are smaller."""
    folder = tmp_path_factory.mktemp("pictures64")
    for number, label in enumerate(LABELS):
        path = folder / f"{stem(label)}.png"
        path.parent.mkdir(exist_ok=True)
        color = (number * 7 % 256, number * 31 % 256, number // 2)
        Image.new("RGB", (64, 64), color).save(path)
    for theme in THEMES.values():
        lines = [f"{stem(label)}.png,A thing." for label in LABELS if label[0] == theme.name]
        table = folder / f"{theme.name}_{theme.object_kind}.csv"
        table.write_text("\n".join(["image,caption", *lines]))
    return folder


def command(checkpoint: Path, pictures: Path, out: Path, *more: str) -> list[str]:
    options = [f"checkpoint={checkpoint}", "steps=2", "height=32", "width=32"]
    return [
        "predict", "--model", "diffusers", "--images", str(pictures), "--out", str(out),
        "--limit", str(EXAMPLES), *(f"--model-option={option}" for option in options), *more,
    ]  # fmt: skip


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return what a run's predictions say, but for the time that they took."""
    text = (folder / "predictions.jsonl").read_text("utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    return [{k: v for k, v in line.items() if k != "seconds"} for line in found]


def images(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "images").iterdir()}


RUNS = {
    "omnigen": ["--config", "color_i-2shot"],
    "stable_diffusion": ["--config", "color_i-0shot", "--prompt-type", "exact"],
}


@pytest.mark.parametrize("family", RUNS)
def test_a_run_that_was_stopped_ends_with_the_same_bytes(
    family: str,
    pipeline_folder: Callable[[str], Path],
    pictures: Path,
    tmp_path: Path,
) -> None:
    folder = pipeline_folder(family)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert main(command(folder, pictures, whole, *RUNS[family])) == 0
    assert [line["status"] for line in lines(whole)] == ["ok"] * EXAMPLES
    assert len(set(images(whole).values())) == EXAMPLES

    again = command(folder, pictures, stopped, *RUNS[family], "--batch-size", "4")
    assert main(again) == 0
    written = (stopped / "predictions.jsonl").read_bytes()
    first = written.index(b"\n") + 1
    (stopped / "predictions.jsonl").write_bytes(written[: first + 40])  # killed in a line
    for path in sorted((stopped / "images").iterdir())[1:]:
        path.unlink()
    assert main(again) == 0
    assert lines(stopped) == lines(whole)
    assert images(stopped) == images(whole)


def test_a_run_that_outlives_its_device_goes_on_but_not_with_other_steps(
    pipeline_folder: Callable[[str], Path],
    pictures: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = command(
        pipeline_folder("stable_diffusion"), pictures, tmp_path / "run", *RUNS["stable_diffusion"]
    )
    assert main([*run, "--model-option", "device=cpu"]) == 0
    kept = json.loads((tmp_path / "run" / "run.json").read_text())["model_options"]
    assert "device" not in kept["options"]
    assert kept["record"]["arguments"]["num_inference_steps"] == 2
    assert main([*run, "--model-option", "offload=none"]) == 0
    capsys.readouterr()
    other = [option.replace("steps=2", "steps=3") for option in run]
    assert main(other) == 2
    assert "must be a new folder or this run's own" in capsys.readouterr().err


def test_samples_of_an_example_are_other_pictures(
    pipeline_folder: Callable[[str], Path], pictures: Path, tmp_path: Path
) -> None:
    run = command(
        pipeline_folder("omnigen"), pictures, tmp_path / "run", *RUNS["omnigen"], "--samples", "2"
    )
    assert main(run) == 0
    seeds = {line["extra"]["seed"] for line in lines(tmp_path / "run")}
    assert len(seeds) == len(set(images(tmp_path / "run").values())) == 2 * EXAMPLES


def test_two_rounds_stop_the_run_before_anything_is_recorded(
    pipeline_folder: Callable[[str], Path],
    pictures: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = command(
        pipeline_folder("omnigen"), pictures, tmp_path / "run", *RUNS["omnigen"],
        "--prompt-type", "cot",
    )  # fmt: skip
    assert main(run) != 0
    assert "must be another than cot for a model that only draws" in capsys.readouterr().err
    assert lines(tmp_path / "run") == []


@pytest.mark.slow
def test_a_killed_run_ends_with_the_same_bytes(
    pipeline_folder: Callable[[str], Path], pictures: Path, tmp_path: Path, forks: Any
) -> None:
    folder = pipeline_folder("omnigen")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    few = ["--batch-size", "1"]
    assert forks(command(folder, pictures, whole, *RUNS["omnigen"], *few), tmp_path) == 0
    order = command(folder, pictures, killed, *RUNS["omnigen"], *few)
    watched = str(killed / "predictions.jsonl")
    assert forks(order, tmp_path, kill_when_larger=(watched, 0)) == -9, forks.log
    assert 1 <= len(lines(killed)) < EXAMPLES
    assert forks(order, tmp_path) == 0, forks.log
    assert lines(killed) == lines(whole)
    assert images(killed) == images(whole)
