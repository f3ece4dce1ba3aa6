"""The model card of a tuned model or adapter: what it was trained on, how, and what came out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, Final

from cobsat.card_parts import fenced, front_matter, markdown_cell, shown_value, table, visible
from cobsat.run_folder import write_json
from cobsat.spec import CITATION
from huggingface_hub import ModelCardData

from .sft_resume import RESULTS

__all__ = ["write_card"]

_PLAIN: Final = re.compile(r"[\w./-]+", re.ASCII)
"""Names that need no quoting in a command."""

_SHOWN: Final = {
    "data": ("dataset_config", "dataset_train_split", "prompt_type", "instructions_for", "images",
             "image_digest"),
    "model": ("model_name_or_path", "model_revision", "dtype", "use_peft", "lora_r", "lora_alpha",
              "lora_dropout", "load_in_4bit"),
    "training": ("num_train_epochs", "per_device_train_batch_size", "gradient_accumulation_steps",
                 "learning_rate", "lr_scheduler_type", "warmup_steps", "weight_decay", "adam_beta2",
                 "max_steps", "processes", "seed"),
}  # fmt: skip


def write_card(
    folder: Path, record: dict[str, Any], results: dict[str, Any], draws: bool = False
) -> Path:
    """Write `results.json` and `README.md` of a training, in place of the trainer's own card.

    Args:
        folder: The training's output folder.
        record: What `sft_resume.claim_folder` says of it.
        results: Steps, epochs and losses; and, once there are any, `scores`: Markdown of a table.
        draws: Whether its answers are pictures.
    """
    write_json(folder / RESULTS, results)
    model, lora = record["model"], record["model"]["use_peft"]
    base = str(model["model_name_or_path"])
    data = ModelCardData(
        base_model=_one_line(Path(base).name if Path(base).exists() else base),
        library_name="peft" if lora else "transformers",
        pipeline_tag="any-to-any" if draws else "image-text-to-text",
        tags=["cobsat", "in-context-learning", "trl", "sft", *(["lora"] if lora else [])],
    )
    what = "A LoRA adapter" if lora else "A model"
    none = "None yet: `cobsat table4` adds them."
    facts = [(n, record[part].get(n)) for part, names in _SHOWN.items() for n in names]
    facts += [(name, value) for name, value in results.items() if name != "scores"]
    facts += record["versions"].items()
    lines = [
        f"# {markdown_cell(Path(base).name)} tuned on CoBSAT", "",
        f"{what} tuned on prompts of [CoBSAT](https://arxiv.org/abs/2402.01293) (Sec. 7.1): from "
        f"demonstrations in the prompt it is to {'draw' if draws else 'tell'} what the next "
        "picture shows.", "",
        "## Training", "",
        *table(("setting", "value"),
               [[markdown_cell(n.replace("_", " ")), shown_value(v)] for n, v in facts]), "",
        "## Scores", "", results.get("scores") or none, "",
        "## Use", "", *fenced("\n".join(_commands(record["data"], base, lora, draws))), "",
        "## Limits", "",
        f"- It was tuned on {_tuned_on(record['data'])} alone: of what it does elsewhere the "
        "scores are all that is known.",
        "- Scores on other pictures, or by another judge, are not to be set beside these.", "",
        "## Citation", "", *fenced(CITATION.strip(), "bibtex"), "",
    ]  # fmt: skip
    target = folder / "README.md"
    target.write_text(front_matter(data) + "\n".join(lines), encoding="utf-8")
    return target


def _tuned_on(data: dict[str, Any]) -> str:
    images = str(data["images"])
    pictures = images if images in ("rendered", "official") else Path(images).name
    return (
        f"the prompts of {markdown_cell(data['dataset_config'])}, split "
        f"{markdown_cell(data['dataset_train_split'])}, on {markdown_cell(pictures)} pictures"
    )


def _commands(data: dict[str, Any], base: str, lora: bool, draws: bool = False) -> list[str]:
    """Return commands that ask the model about the test that goes with its training."""
    is_folder = Path(base).exists()
    name = Path(base).name if is_folder else base
    name = name if _PLAIN.fullmatch(name) else "BASE"
    name = f"PATH/TO/{name}" if is_folder else name
    about = (
        [f"# {name}: the folder that it was tuned from"] if is_folder and (lora or draws) else []
    )
    model = f"checkpoint={name} --adapter ." if lora else "checkpoint=."
    split = str(data["dataset_train_split"]).removesuffix("_train") + "_test"
    options = [("config", data["dataset_config"]), ("split", split)]
    options += [(key.replace("_", "-"), data[key]) for key in ("prompt_type", "instructions_for")]
    if data["images"] in ("rendered", "official"):
        options.append(("images", data["images"]))
    if draws:
        model += "" if lora else f" --model-option image_tokenizer={name}"
    asked = " ".join(f"--{key} {shlex.quote(str(value))}" for key, value in options)
    run = f"cobsat run --model seed_llama --model-option {model} \\"
    if not draws:
        run = f"cobsat run --model transformers --model-option {model} --output description \\"
    compared = "cobsat table4 .  # base and tuned model, compared"
    return [compared, *about, run, f"  {_one_line(asked)}"]


def _one_line(command: str) -> str:
    return " ".join(visible(command).split())
