"""The fine-tuning script, with tiny checkpoints of the real classes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from cobsat import Example, Options, RunFolder, examples
from cobsat.chat_layouts import CHAT_LAYOUTS
from cobsat.cli import main as cobsat
from cobsat.models.transformers_vlm import TransformersVLM
from cobsat.train import sft_qwen_vl
from cobsat.train.sft_card import _commands, write_card
from cobsat.train.sft_checks import check_trained, language_model
from peft import LoraConfig, PeftModel, get_peft_model
from PIL import Image
from safetensors.torch import load_file, save_file
from tiny_vlms import FAMILIES, IMAGES_FIRST, build, save
from transformers import AutoModelForImageTextToText, AutoProcessor, TrainerCallback

pytestmark = [
    # TRL and transformers read each other's names of before the last release
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*use_reentrant.*:UserWarning"),
]
QWENS = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
QUICK = ["--gradient_accumulation_steps", "1", "--logging_steps", "1", "--learning_rate", "1e-3"]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("checkpoints")
    return {name: save(name, home) for name in (*QWENS, "llava")}


def train(base: Path, out: Path, *more: str, steps: int = 2) -> Path:
    arguments = ["--model_name_or_path", str(base), "--output_dir", str(out), "--max_steps"]
    sft_qwen_vl.main([*arguments, str(steps), "--dataset_config", "color_i-2shot", *QUICK, *more])
    return out


@pytest.fixture(scope="module")
def tuned(checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter of two steps."""
    return train(checkpoints["qwen2_5_vl"], tmp_path_factory.mktemp("tuned"))


def losses(folder: Path) -> list[float]:
    checkpoint = max(folder.glob("checkpoint-*"), key=lambda path: int(path.name[11:]))
    state = json.loads((checkpoint / "trainer_state.json").read_text())
    return [entry["loss"] for entry in state["log_history"] if "loss" in entry]


class Seen(TrainerCallback):
    """Keeps what the model is given; `sft_qwen_vl.Log` is replaced by it."""

    batches: list[dict[str, Any]]

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self.batches = []
        self.hook = given["model"].register_forward_pre_hook(
            lambda _, __, inputs: self.batches.append(dict(inputs)), with_kwargs=True
        )


@pytest.mark.parametrize("family", QWENS)
def test_the_loss_is_on_the_answer_and_pictures_are_in_the_batch(
    family: str, checkpoints: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen()
    monkeypatch.setattr(sft_qwen_vl, "Log", lambda: seen)
    train(checkpoints[family], tmp_path, "--per_device_train_batch_size", "2", steps=1)
    (batch,) = seen.batches
    processor = AutoProcessor.from_pretrained(checkpoints[family])
    rows = sft_qwen_vl.training_rows(sft_qwen_vl.DataArguments("color_i-2shot"))
    answers = {row["target_description"] for row in rows.select_columns(["target_description"])}
    for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
        on = labels != -100
        said = processor.tokenizer.decode(ids[on])
        assert said.removesuffix("<|im_end|>\n") in answers
        assert torch.equal(ids[on], labels[on])
        before = processor.tokenizer.decode(ids[: int(on.nonzero()[0])])
        assert before.endswith("<|im_start|>assistant\n")
        assert (ids == processor.image_token_id).sum() > 0
        assert not on[ids == processor.image_token_id].any()
    # All that the processor gives for a prompt reaches the model.
    picture = rows[0]["images"][0]
    given = processor(images=[picture], text=[processor.image_token], return_tensors="pt")
    assert set(given) <= set(batch)
    assert len(batch["image_grid_thw"]) == 4  # two prompts of two pictures
    patches = batch["image_grid_thw"].prod(-1).sum()
    assert batch["pixel_values"].shape[0] == patches
    assert batch["pixel_values"].std() > 0.1


def test_a_prompt_is_trained_on_as_it_is_asked(checkpoints: dict[str, Path]) -> None:
    base = checkpoints["qwen2_5_vl"]
    rows = sft_qwen_vl.training_rows(sft_qwen_vl.DataArguments("color_i-2shot"))
    asked = examples(
        "color_i-2shot", "ft_train", Options(output="description", instructions_for="qwen_vl")
    )
    model = TransformersVLM(str(base))
    assert model.instructions_for["description"] == sft_qwen_vl.DataArguments().instructions_for
    processor = AutoProcessor.from_pretrained(base)
    for row, example in list(zip(rows, asked, strict=True))[:5]:
        assert row["id"] == example["id"]
        text = processor.apply_chat_template(
            row["prompt"], tokenize=False, add_generation_prompt=True
        )
        assert text == model._layout.text(example["messages"])


@pytest.mark.parametrize("family", FAMILIES)
def test_lora_reaches_the_language_model_only(family: str) -> None:
    model, _ = build(family)
    decoder = {id(p) for p in model.get_decoder().parameters()}
    inside = {name for name, p in model.named_parameters() if id(p) in decoder}
    config = LoraConfig(r=2, target_modules=language_model(model.config))
    tuned = get_peft_model(model, config)
    trained = [name for name, p in tuned.named_parameters() if p.requires_grad]
    weights = {re.sub(r"\.lora_[AB]\.default", "", n).removeprefix("base_model.model.")
               for n in trained}  # fmt: skip
    assert weights <= inside
    # In each layer: attention's four and the three of the feed-forward net.
    assert len(weights) == 7 * len(model.get_decoder().layers)
    assert not [n for n in trained if re.search("vis|patch|merger|project|qformer|connector", n)]
    assert "all in the language model" in check_trained(tuned)


def test_lora_elsewhere_is_refused(checkpoints: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must lie in the language model .*\.visual\."):
        train(checkpoints["qwen2_5_vl"], tmp_path, "--lora_target_modules", "qkv", "q_proj")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--prompt_type", "caption"], "no pictures in caption's"),
        (["--prompt_type", "misleading"], "misleads on purpose"),
        (["--prompt_type", "cot"], "has no reference to learn"),
        (["--prompt_type", "exakt"], "did you mean 'exact'"),
        (["--dataset_train_split", "ft_test"], "the others are for testing"),
        (["--dataset_config", "color_i-8shot"], "exists for 2 and 4 shots"),
        (["--load_in_4bit", "true", "--use_peft", "false"], "tuned with --use_peft true"),
        (["--chat_template_path", "none.jinja"], "must be a file FILE.jinja, or llava_v1.jinja"),
        (["--lora_r", "many"], "invalid int value: 'many': cobsat train --help"),
        (["--lora_rank", "4"], "options of cobsat train must be .*, got --lora_rank; did you mean"),
        (["--modl=x"], "got --modl; did you mean .*--model_name_or_path or"),
        (
            ["--model_name_or_pth", "x"],
            "got --model_name_or_pth; did you mean --model_name_or_path",
        ),
        (["--model_name_or_path", "./none"], "--model_name_or_path must be a folder or a name on"),
        (["--config", "none.yaml"], "none.yaml"),
        (["--config"], "followed by a YAML file"),
    ],
)
def test_bad_arguments_are_one_line(
    more: list[str], message: str, checkpoints: dict[str, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    base = ["--model_name_or_path", str(checkpoints["qwen2_5_vl"]), "--output_dir"]
    assert cobsat(["train", *base, str(tmp_path / "out"), *more]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "cobsat train:" in line]
    assert len(lines) == 1
    assert re.search(message, lines[0]), lines[0]
    assert not (tmp_path / "out").exists()


def test_a_prompt_that_is_too_long_is_refused_before_training(
    checkpoints: dict[str, Path], picture_folder: Path, tmp_path: Path
) -> None:
    base, pictures = checkpoints["qwen2_5_vl"], str(picture_folder)
    with pytest.raises(ValueError, match=r"at most 100 tokens .* got 300 of 300 rows") as refused:
        train(base, tmp_path / "a", "--max_length", "100", "--images", pictures)
    assert not (tmp_path / "a").exists()
    # The count is that of the batch, with its pictures.
    longest = int(re.search(r"up to ([\d,]+)", str(refused.value))[1].replace(",", ""))
    rows = sft_qwen_vl.training_rows(sft_qwen_vl.DataArguments("color_i-2shot", images=pictures))
    processor = AutoProcessor.from_pretrained(base)
    lengths = []
    for row in rows:
        text = processor.apply_chat_template(row["prompt"] + row["completion"], tokenize=False)
        ids = processor(images=row["images"], text=[text], add_special_tokens=False)["input_ids"]
        lengths.append(len(ids[0]))
    assert longest == max(lengths)


def test_a_template_that_moves_pictures_is_refused(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    named = r"reading order.*--chat_template_path llava_v1\.jinja, which ships"
    with pytest.raises(ValueError, match=named):
        train(checkpoints["llava"], tmp_path / "out", "--instructions_for", "llava")
    (tmp_path / "moves.jinja").write_text(IMAGES_FIRST)
    with pytest.raises(ValueError, match="reading order"):
        train(checkpoints["llava"], tmp_path / "out", "--chat_template_path",
              str(tmp_path / "moves.jinja"))  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_llava_is_tuned_with_pictures_in_their_places(
    checkpoints: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen()
    monkeypatch.setattr(sft_qwen_vl, "Log", lambda: seen)
    more = ["--chat_template_path", "llava_v1.jinja", "--instructions_for", "llava"]
    train(checkpoints["llava"], tmp_path, *more, steps=1)
    (batch,) = seen.batches
    processor = AutoProcessor.from_pretrained(checkpoints["llava"])
    ids, on = batch["input_ids"][0], batch["labels"][0] != -100
    shown = processor.tokenizer.decode(ids[~on]).replace("<image>" * 4, "<image>")
    asked = examples(
        "color_i-2shot", "ft_train", Options(output="description", instructions_for="llava")
    )
    model = TransformersVLM(str(checkpoints["llava"]))
    same = [r for r in asked if f"<s>{model._layout.text(r['messages'])}" == shown]
    told = processor.tokenizer.decode(ids[on])
    (row,) = [r for r in same if f" {r['target_description']}</s>" == told]
    first, second, query = (text for text in text_parts(row) if text)
    assert shown == (
        "<s>A chat between a curious human and an artificial intelligence assistant. The assistant "
        "gives helpful, detailed, and polite answers to the human's questions. "
        f"USER: {first}<image>{second}<image>{query} ASSISTANT:"
    )
    pictures = [p["image"] for p in row["messages"][0]["content"] if p["type"] == "image"]
    images = [Image.open(picture).convert("RGB") for picture in pictures]
    pixels = processor.image_processor(images, return_tensors="pt")["pixel_values"]
    torch.testing.assert_close(batch["pixel_values"], pixels)
    assert not torch.allclose(pixels[0], pixels[1], atol=0.1)


def text_parts(row: Example) -> list[str]:
    return [p["text"] for p in row["messages"][0]["content"] if p["text"] is not None]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("llava_v1", "<s>Be brief. USER: red: <image>blue:  ASSISTANT: A car.</s>"),
        ("mistral_instruct", "<s>Be brief.\n[INST] red: <image>blue:  [/INST] A car. </s>"),
    ],
)
def test_shipped_templates_are_what_is_asked(
    name: str, told: str, checkpoints: dict[str, Path]
) -> None:
    processor = AutoProcessor.from_pretrained(checkpoints["llava"])
    processor.chat_template = (sft_qwen_vl.CONFIGS / f"{name}.jinja").read_text("utf-8")
    words = {"system": "Be brief.", "assistant": "A car."}
    chat = [
        {"role": role, "content": [{"type": "text", "text": words[role]}]}
        for role in ("system", "assistant")
    ]
    user = [
        {"type": "text", "text": "red: "},
        {"type": "image"},
        {"type": "text", "text": "blue: "},
    ]
    chat.insert(1, {"role": "user", "content": user})
    assert processor.apply_chat_template(chat, tokenize=False) == told
    for turns in (chat[:2], chat[1:2]):
        joined = [
            (t["role"], "".join(p.get("text", "<image>") for p in t["content"])) for t in turns
        ]
        laid = processor.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        assert laid == f"<s>{CHAT_LAYOUTS[name].text(joined)}"


class StopsAt(TrainerCallback):
    """Presses Ctrl-C within a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if state.global_step == self.step - 1:
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_training_ends_as_an_undisturbed_one(
    checkpoints: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = checkpoints["qwen2_5_vl"]
    whole = train(base, tmp_path / "whole", "--save_steps", "100", steps=5)
    with monkeypatch.context() as patched:
        patched.setattr(sft_qwen_vl, "Log", lambda: StopsAt(3))
        with pytest.raises(KeyboardInterrupt):
            train(base, tmp_path / "stopped", "--save_steps", "100", steps=5)
    stopped = tmp_path / "stopped"
    assert [path.name for path in stopped.glob("checkpoint-*")] == ["checkpoint-3"]
    assert not (stopped / "adapter_model.safetensors").exists()
    train(base, stopped, "--save_steps", "100", steps=5)
    assert losses(stopped) == losses(whole)
    assert len(losses(whole)) == 5
    one, other = (load_file(f / "adapter_model.safetensors") for f in (whole, stopped))
    assert all(torch.equal(one[name], other[name]) for name in one)
    with pytest.raises(ValueError, match=r"another's \(lora_r: 64 there, 8 now\)"):
        train(base, stopped, "--save_steps", "100", "--lora_r", "8", steps=5)


def test_a_finished_training_stays_as_it_is(
    checkpoints: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(checkpoints["qwen2_5_vl"], tmp_path, "--lr_scheduler_type", "constant")
    results = json.loads((tmp_path / "results.json").read_text()) | {"scores": "a table"}
    (tmp_path / "results.json").write_text(json.dumps(results))
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    train(checkpoints["qwen2_5_vl"], tmp_path, "--lr_scheduler_type", "constant")
    assert "trained already" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    with pytest.raises(ValueError, match=r"neftune_noise_alpha: None there, 5\.0 now"):
        train(checkpoints["qwen2_5_vl"], tmp_path, "--lr_scheduler_type", "constant",
              "--neftune_noise_alpha", "5")  # fmt: skip


@pytest.mark.parametrize(
    ("file", "left"),
    [("trainer_state.json", 100), ("trainer_state.json", None), ("optimizer.pt", 1000),
     ("optimizer.pt", None), ("adapter_model.safetensors", 1000)],
)  # fmt: skip
def test_half_a_checkpoint_is_passed_over(
    file: str, left: int | None, checkpoints: dict[str, Path], finished: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    stopped = tmp_path / "stopped"
    shutil.copytree(finished, stopped)
    for name in ("results.json", "README.md", "adapter_model.safetensors"):
        (stopped / name).unlink()
    broken = stopped / "checkpoint-4" / file
    if left is None:
        broken.unlink()
    else:
        broken.write_bytes(broken.read_bytes()[:left])
    train(checkpoints["qwen2_5_vl"], stopped, "--save_steps", "2", steps=4)
    said = capsys.readouterr().err
    assert "passed over" in said
    assert "going on from step 2" in said
    one, other = (load_file(f / "adapter_model.safetensors") for f in (finished, stopped))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert (stopped / "results.json").read_text() == (finished / "results.json").read_text()


@pytest.fixture(scope="module")
def finished(checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of four steps with checkpoints after two and four."""
    out = tmp_path_factory.mktemp("finished")
    return train(checkpoints["qwen2_5_vl"], out, "--save_steps", "2", steps=4)


@pytest.mark.parametrize("kept", ["none", "lora_A", "half", "one more than the config"])
def test_an_adapter_that_would_be_used_in_part_is_refused(
    kept: str, checkpoints: dict[str, Path], tuned: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "adapter"
    shutil.copytree(tuned, broken)
    weights = load_file(tuned / "adapter_model.safetensors")
    if kept == "one more than the config":
        config = json.loads((broken / "adapter_config.json").read_text())
        config["target_modules"] = ["q_proj"]
        (broken / "adapter_config.json").write_text(json.dumps(config))
    else:
        some = {
            "none": [], "lora_A": [n for n in weights if "lora_A" in n], "half": list(weights)[::2],
        }[kept]  # fmt: skip
        save_file({name: weights[name] for name in some}, broken / "adapter_model.safetensors")
    with pytest.raises(ValueError, match="adapter must fit the checkpoint"):
        TransformersVLM(str(checkpoints["qwen2_5_vl"]), adapter=str(broken))


@pytest.mark.parametrize(
    ("file", "content"),
    [("adapter_config.json", b"{"), ("adapter_config.json", b'{"peft_type": "FOO"}'),
     ("adapter_model.safetensors", b"abc")],
)  # fmt: skip
def test_a_broken_adapter_is_told_in_one_line(
    file: str, content: bytes, checkpoints: dict[str, Path], tuned: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "adapter"
    shutil.copytree(tuned, broken)
    (broken / file).write_bytes(content)
    with pytest.raises(ValueError, match="adapter must fit the checkpoint"):
        TransformersVLM(str(checkpoints["qwen2_5_vl"]), adapter=str(broken))


def test_the_adapter_is_one_for_peft_and_for_our_adapter(
    checkpoints: dict[str, Path], tuned: Path, tmp_path: Path
) -> None:
    base = checkpoints["qwen2_5_vl"]
    model = AutoModelForImageTextToText.from_pretrained(base)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    ids = torch.arange(20, 60)[None]
    wrapped = PeftModel.from_pretrained(model, tuned).eval()
    with torch.no_grad():
        logits = wrapped(input_ids=ids).logits
    ours = TransformersVLM(str(base), adapter=str(tuned))
    with torch.no_grad():
        torch.testing.assert_close(ours._model(input_ids=ids).logits, logits)
    changed = {n for n, w in ours._model.state_dict().items() if not torch.equal(w, before[n])}
    assert changed
    assert all(".language_model.layers." in name for name in changed)
    record = ours.record()["adapter"]
    assert record["name"] == str(tuned)
    assert record["trained_on"] == "qwen2_5_vl"
    assert len(record["weights_sha256"]) == 64
    assert "adapter" not in TransformersVLM(str(base)).record()
    options = ["checkpoint=" + str(base), "max_new_tokens=4"]
    command = ["predict", "--model", "transformers", "--adapter", str(tuned), "--split"]
    command += ["ft_test", "--config", "color_i-2shot", "--output", "description"]
    command += ["--limit", "2", "--out", str(tmp_path)]
    for option in options:
        command += ["--model-option", option]
    assert cobsat(command) == 0
    assert len(RunFolder(tmp_path).predictions()[0]) == 2
    assert RunFolder(tmp_path).settings().model_options["options"]["adapter"] == str(tuned)


def test_an_adapter_of_another_model_is_refused(
    checkpoints: dict[str, Path], tuned: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"adapter must fit the checkpoint .*qwen2_5_vl'"):
        TransformersVLM(str(save("idefics3", tmp_path)), adapter=str(tuned))
    with pytest.raises(FileNotFoundError, match=r"PEFT saved, got no .*adapter_config.json"):
        TransformersVLM(str(checkpoints["qwen2_5_vl"]), adapter=str(checkpoints["llava"]))


def test_all_weights_can_be_tuned(checkpoints: dict[str, Path], tmp_path: Path) -> None:
    train(checkpoints["qwen2_5_vl"], tmp_path, "--use_peft", "false")
    model = AutoModelForImageTextToText.from_pretrained(tmp_path)
    old = AutoModelForImageTextToText.from_pretrained(checkpoints["qwen2_5_vl"]).state_dict()
    changed = {name for name, w in model.state_dict().items() if not torch.equal(w, old[name])}
    assert any(".visual." in name for name in changed)
    assert "--adapter" not in (tmp_path / "README.md").read_text()
    TransformersVLM(str(tmp_path))


def test_the_card_says_what_was_trained(tuned: Path) -> None:
    text = (tuned / "README.md").read_text().replace("\\_", "_")
    metadata = yaml.safe_load(text.split("---")[1])
    assert metadata["library_name"] == "peft"
    assert metadata["base_model"] == "qwen2_5_vl"
    for line in ("| lora r | 64 |", "| learning rate | 0.001 |", "| steps | 2 |",
                 "| dataset train split | ft_train |", "| examples | 300 |"):  # fmt: skip
        assert line in text
    assert str(tuned.parent) not in text
    assert not re.search(r"[ (]/\w", text)  # no path of this machine


def test_the_card_asks_for_the_test_that_goes_with_the_training(
    checkpoints: dict[str, Path], tuned: Path
) -> None:
    record = json.loads((tuned / "training.json").read_text())
    record["data"] |= {"dataset_config": "all-4shot", "prompt_type": "exact",
                       "dataset_train_split": "leave_color_out_train"}  # fmt: skip
    commands = "\n".join(_commands(record["data"], "org/base", lora=True))
    for words in ("checkpoint=org/base --adapter .", "--config all-4shot", "--prompt-type exact",
                  "--split leave_color_out_test", "--instructions-for qwen_vl"):  # fmt: skip
        assert words in commands
    about, run = _commands(record["data"], str(checkpoints["qwen2_5_vl"]), lora=True)[1:3]
    assert about == "# PATH/TO/qwen2_5_vl: the folder that it was tuned from"
    assert "checkpoint=PATH/TO/qwen2_5_vl --adapter ." in run


def test_text_from_a_record_is_no_markup_in_the_card(tuned: Path, tmp_path: Path) -> None:
    record = json.loads((tuned / "training.json").read_text())
    record["model"]["model_name_or_path"] = "org/x\n```\n<script>a|b</script> $(touch x)\x1b[31m"
    record["data"]["dataset_config"] = "all-2shot; rm x\n```"
    text = write_card(tmp_path, record, {"steps": 1}).read_text()
    body = text.split("---", 2)[2]
    assert "<script>" not in body
    assert "\x1b" not in body
    assert "$(touch" not in body.split("```bash")[1]
    assert "'all-2shot; rm x '''" in body  # one word of the shell, and no end of the block
    assert [line for line in body.splitlines() if "```" in line] == [
        "```bash", "```", "```bibtex", "```",
    ]  # fmt: skip
