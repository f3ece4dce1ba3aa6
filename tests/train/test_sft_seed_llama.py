"""Fine-tuning SEED-LLaMA to draw, tiny, through `cobsat train`, and what it is compared by."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Options, RunFolder, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest
from cobsat.models.seed_llama.adapter import SeedLLaMA
from cobsat.models.seed_llama.system import SeedLlama
from cobsat.train.sft_seed_llama import picture_rows
from safetensors.torch import load_file
from seed_checkpoints import save_converted

pytestmark = [
    # TRL and transformers read each other's names of before the last release
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*use_reentrant.*:UserWarning"),
]
QUICK = [
    "--gradient_accumulation_steps", "1", "--logging_steps", "1", "--learning_rate", "1e-2",
    "--per_device_train_batch_size", "4", "--dataset_config", "color_i-2shot",
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Any:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_converted(SeedLlama.tiny(), tmp_path_factory.mktemp("base") / "seed-llama-tiny")


def arguments(base: Path, out: Path, pictures: Path, *more: str) -> list[str]:
    return [
        "train", "--model_name_or_path", str(base), "--output_dir", str(out),
        "--images", str(pictures), *QUICK, *more,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def tuned(base: Path, picture_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter of a few steps."""
    out = tmp_path_factory.mktemp("tuned")
    assert main(arguments(base, out, picture_folder, "--max_steps", "15")) == 0
    return out


def losses(folder: Path) -> list[float]:
    checkpoint = max(folder.glob("checkpoint-*"), key=lambda path: int(path.name[11:]))
    state = json.loads((checkpoint / "trainer_state.json").read_text())
    return [entry["loss"] for entry in state["log_history"] if "loss" in entry]


def test_a_row_is_the_prompt_as_it_is_asked_and_the_right_pictures_codes(
    picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = SeedLlama.tiny()
    split = examples("background_ii-2shot", "ft_train", Options(images=str(picture_folder)))[:3]
    rows = picture_rows(split, system.words, system.image_tokenizer)
    model = SeedLLaMA(tiny=True, steps=1)
    asked: list[list[int]] = []
    monkeypatch.setattr(
        model._speaker, "free", lambda prompts: asked.extend(p.ids for p in prompts) or []
    )
    monkeypatch.setattr(model._room, "answer", lambda items, answers, _: answers(items))
    with pytest.raises(ValueError, match="zip"):
        model.predict(split)
    for row, example, prompt in zip(rows, split, asked, strict=True):
        answer = row["input_ids"][len(prompt) :]
        assert row["input_ids"][: len(prompt)] == prompt
        assert row["labels"] == [-100] * len(prompt) + answer
        codes = system.codes(model._opened.open(str(example["target_image"])))
        spoken = "".join(f"<img_{code:05d}>" for code in codes)
        words = system.words.convert_ids_to_tokens(answer)
        assert "".join(words) == f"<img>{spoken}</img></s>"


def test_it_learns_and_its_adapter_is_taken_by_the_model(
    base: Path, tuned: Path, picture_folder: Path
) -> None:
    course = losses(tuned)
    assert len(course) == 15
    assert sum(course[-5:]) < 0.5 * sum(course[:5])
    weights = load_file(tuned / "adapter_model.safetensors")
    layers = {name.rsplit(".lora_", 1)[0] for name in weights}
    assert len(layers) == 7 * 2  # attention's four and the feed-forward's three, in two layers
    decoder = str(base.with_name("unclip"))
    batch = examples("color_i-2shot", "ft_test", Options(images=str(picture_folder)))[:2]
    options: dict[str, Any] = {"decoder": decoder, "device": "cpu", "steps": 1, "do_sample": False}
    before = SeedLLaMA(str(base), **options).predict(batch)
    model = SeedLLaMA(str(base), adapter=str(tuned), **options)
    after = model.predict(batch)
    assert [output.text for output in after] == [None, None]  # it was taught to draw at once
    assert all(output.text for output in before)
    assert model.record()["adapter"]["name"] == str(tuned)


def test_what_was_done_is_recorded_and_the_card_says_how_to_ask(base: Path, tuned: Path) -> None:
    record = json.loads((tuned / "training.json").read_text())
    assert record["data"]["instructions_for"] == "seed_llama"
    assert record["model"]["weights_sha256"] == converted_digest(base)
    card = (tuned / "README.md").read_text()
    assert "it is to draw what the next picture shows" in card
    assert "pipeline_tag: any-to-any" in card
    assert "base_model: seed-llama-tiny" in card
    command = (
        "cobsat run --model seed_llama --model-option checkpoint=PATH/TO/seed-llama-tiny "
        "--adapter . \\\n  --config color_i-2shot --split ft_test "
        "--prompt-type default --instructions-for seed_llama\n"
    )
    assert command in card
    assert "\ncobsat table4 .  # base and tuned model, compared\n" in card


def test_the_same_command_again_finds_it_done(
    base: Path, tuned: Path, picture_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = (tuned / "adapter_model.safetensors").read_bytes()
    assert main(arguments(base, tuned, picture_folder, "--max_steps", "15")) == 0
    assert "trained already" in capsys.readouterr().out
    assert (tuned / "adapter_model.safetensors").read_bytes() == weights


def test_all_weights_can_be_tuned(base: Path, picture_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "whole"
    more = ["--use_peft", "false", "--max_steps", "2", "--prompt_type", "instruct"]
    assert main(arguments(base, out, picture_folder, *more)) == 0
    system = SeedLlama.from_pretrained(
        str(out), image_tokenizer=str(base), decoder=None, device="cpu"
    )
    tuned = system.language_model.model.norm.weight
    assert not torch.equal(tuned, SeedLlama.tiny().language_model.model.norm.weight)
    command = "--model-option checkpoint=. --model-option image_tokenizer=PATH/TO/seed-llama-tiny"
    assert command in (out / "README.md").read_text()
    assert main(table4(base, out, tmp_path / "runs", "--limit", "1", *FREE)) == 0
    (asked,) = (RunFolder(path).settings() for path in (tmp_path / "runs").glob("tuned-*"))
    assert asked.model_options["options"]["checkpoint"] == str(out)
    assert asked.model_options["record"]["image_tokenizer"] == str(base)
    assert asked.prompt_type == "instruct"


def test_a_prompt_that_does_not_fit_is_refused(
    base: Path, picture_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tight"
    assert main(arguments(base, out, picture_folder, "--max_length", "100")) == 2
    assert "prompts must have at most 100 tokens with their pictures, got 300 of 300 rows" in (
        capsys.readouterr().err
    )
    assert not out.exists()


def table4(base: Path, tuned: Path, out: Path, *more: str) -> list[str]:
    return [
        "table4", str(tuned), "--out", str(out), "--judge", "right_judge:AlwaysRight",
        "--model-option", f"decoder={base.with_name('unclip')}", "--model-option", "steps=1",
        "--model-option", "device=cpu", *more,
    ]  # fmt: skip


FREE = ["--model-option", "max_new_tokens=40"]
"""The base draws in 39 tokens. The tuned one begins to draw at once, and cannot end yet."""

FORCED = ["--model-option", "force_image=true"]
"""Both draw."""


@pytest.fixture
def own(tuned: Path, tmp_path: Path) -> Path:
    """A copy of the tuned folder: its card is written anew."""
    return Path(shutil.copytree(tuned, tmp_path / "own"))


def test_base_and_tuned_draw_for_the_unseen_half(
    base: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "runs"
    command = table4(base, own, out, "--limit", "4", *FREE)
    assert main(command) == 0
    shown, said = capsys.readouterr()
    assert "asking the base model: seed-llama-tiny\n" in said
    assert "asking the tuned model: own\n" in said
    assert "**own**, pictures, the first 4 prompts of each task, judged by always_right:" in shown
    assert "| color_i | 2 | 4 | 1.000 | 0.000 | -1.000 | " in shown
    counted = (
        "Outputs without a picture, or with one of which the judge gave no clear answer, counted "
        "as wrong: base: 0 failed, 0 unscored of 4; tuned: 4 failed, 0 unscored of 4."
    )
    assert counted in shown
    assert "paper" not in shown
    folders = [RunFolder(path) for path in sorted(out.glob("*-color_i*"))]
    for folder, adapter in zip(folders, (None, str(own)), strict=True):
        settings = folder.settings()
        assert (settings.model, settings.split, settings.output, settings.instructions_for) == (
            "seed_llama", "ft_test", "image", "seed_llama",
        )  # fmt: skip
        assert settings.model_options["options"]["checkpoint"] == str(base)
        assert settings.model_options["options"].get("adapter") == adapter
    drawn = [list((folder.path / "images").glob("*.png")) for folder in folders]
    assert [len(pictures) for pictures in drawn] == [4, 0]
    card = (own / "README.md").read_text()
    assert "Pictures on `ft_test` of `color_i-2shot`, the first 4 prompts of each task" in card
    assert "| color_i | 2 | 4 | 1.000 | 0.000 |" in card
    assert counted in card
    assert "pipeline_tag: any-to-any" in card
    (table,) = json.loads((out / "table4.json").read_text())
    assert (table["output"], table["config"], table["rows"][0]["prompts"]) == (
        "image", "color_i-2shot", 4,
    )  # fmt: skip


def test_pictures_of_which_the_judge_says_nothing_are_counted(
    base: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = table4(base, own, tmp_path / "runs", "--limit", "2", *FORCED)
    command[command.index("right_judge:AlwaysRight")] = "right_judge:NeverSure"
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "| color_i | 2 | 2 | 0.000 | 0.000 | +0.000 |" in shown
    assert "base: 0 failed, 2 unscored of 2; tuned: 0 failed, 2 unscored of 2." in shown
    before, after = (
        {path.read_bytes() for path in run.glob("images/*.png")}
        for run in sorted((tmp_path / "runs").glob("*-color_i*"))
    )
    assert len(before) == len(after) == 2
    assert not before & after  # the adapter is in it


def test_a_table_that_goes_on_ends_as_one_that_was_never_stopped(
    base: Path, own: Path, tmp_path: Path
) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    more = ["--limit", "5", *FORCED]
    assert main(table4(base, own, whole, *more)) == 0
    assert main(table4(base, own, stopped, *more)) == 0
    (run,) = stopped.glob("tuned-*")
    (run / "verdicts" / "always_right.jsonl").unlink()
    lines = (run / "predictions.jsonl").read_bytes().splitlines(keepends=True)
    (run / "predictions.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    (run / "images" / f"{json.loads(lines[4])['id']}.png").unlink()
    (stopped / "table4.json").unlink()
    assert main(table4(base, own, stopped, *more)) == 0
    for name in ("table4.json", "table4.md"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    pictures = sorted((whole / run.name / "images").glob("*.png"))
    assert len(pictures) == 5
    for picture in pictures:
        assert (run / "images" / picture.name).read_bytes() == picture.read_bytes()


def test_a_judge_of_descriptions_is_refused_before_anything_is_drawn(
    base: Path, own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = table4(base, own, tmp_path / "runs")
    command[command.index("right_judge:AlwaysRight")] = "mention"
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "mention" in said
    assert "asking" not in said
    assert not (tmp_path / "runs").exists()


def test_no_numbers_of_the_papers_stand_beside_drawn_pictures(
    base: Path,
    own: Path,
    tmp_path: Path,
    picture_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with zipfile.ZipFile(tmp_path / "datasets.zip", "w") as archive:
        for path in picture_folder.rglob("*.*"):
            archive.write(path, f"datasets/{path.relative_to(picture_folder)}")
    monkeypatch.setenv("COBSAT_OFFICIAL_ZIP", str(tmp_path / "datasets.zip"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    record = json.loads((own / "training.json").read_text())
    record["data"]["images"] = "official"
    (own / "training.json").write_text(json.dumps(record))
    assert main(table4(base, own, tmp_path / "runs", "--limit", "1", *FREE)) == 0
    shown = capsys.readouterr().out
    assert "| p |\n" in shown
    note = "The paper has no numbers to set beside these: its Table 4 is of Qwen-VL's descriptions"
    assert all(note in text for text in (shown, (own / "README.md").read_text()))
