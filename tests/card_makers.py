"""Every card that the repository ships or that its commands write, and what kind of card it is.

    path = MAKERS["a model, from runs"](folder, make_run)

A shipped card is found by being there: a folder of `models/` or `metrics/` with a `README.md`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import touchstone_questions as questions
from answer_runs import answer_run, question_file
from cobsat import Options
from cobsat.export import export
from cobsat.hub_cards.card import write_card
from cobsat.hub_cards.publish_kinds import _report_card
from cobsat.models.conversion import CONVERTERS, write_record
from cobsat.models.conversion_card import write_card as write_conversion_card
from cobsat.run_folder import write_json
from cobsat.touchstone.export import export_touchstone
from cobsat.train.sft_card import write_card as write_training_card

ROOT = Path(__file__).parent.parent
SHIPPED = {
    path.parent.relative_to(ROOT).as_posix(): path
    for room in ("metrics", "models")
    for path in sorted((ROOT / room).glob("*/README.md"))
}
RECORD = {
    "model": {"model_name_or_path": "Qwen/Qwen2.5-VL-7B-Instruct", "model_revision": "main",
              "dtype": "bfloat16", "use_peft": True, "lora_r": 64, "lora_alpha": 16,
              "lora_dropout": 0.05, "load_in_4bit": False, "weights_sha256": "a" * 64},
    "data": {"dataset_config": "all-2shot", "dataset_train_split": "ft_train",
             "prompt_type": "default", "instructions_for": "qwen_vl", "images": "rendered",
             "image_digest": "b" * 64},
    "training": {"num_train_epochs": 5, "per_device_train_batch_size": 1, "learning_rate": 1e-5,
                 "gradient_accumulation_steps": 8, "lr_scheduler_type": "cosine",
                 "warmup_steps": 0.01, "weight_decay": 0.1, "adam_beta2": 0.95, "max_steps": -1,
                 "processes": 1, "seed": 0},
    "versions": {"cobsat": "0.1.0", "torch": "2.14.1", "trl": "1.16.0"},
}  # fmt: skip
"""What `cobsat train` leaves in its folder."""
SCORES = (
    "On `ft_test` of `all-2shot`, all prompts of each task, judged by mention:\n\n"
    "| task | shots | prompts | base | tuned |\n|---|---|---|---|---|\n"
    "| color_ii | 2 | 250 | 0.100 | 0.900 |"
)

MakeRun: TypeAlias = Callable[..., Path]


DESCRIBED: dict[str, Any] = {
    "configs": ["color_i-2shot"], "limit": 6, "output": "description",
}  # fmt: skip


def model_card(folder: Path, make_run: MakeRun) -> Path:
    """Write the card of a model that was run on pictures and on descriptions, by two judges."""
    runs = [
        make_run("pictures", limit=12, judges=("clip", "llava")),
        make_run("words", **DESCRIBED, samples=2),
    ]
    target = folder / "README.md"
    write_card(runs, target, model_id="org/tiny", datasets={"cobsat": "org/bench"})
    return target


def tuned_card(folder: Path, make_run: MakeRun) -> Path:
    """Write the card of an adapter from its runs, with its training and a run of its base."""
    adapter = folder / "tuned"
    write_json(adapter / "training.json", RECORD)
    write_json(adapter / "results.json", {"steps": 500, "train_loss": 0.1, "scores": SCORES})
    base = {"name": "transformers", "checkpoint": "org/base"}
    options = {"checkpoint": "org/base", "adapter": str(adapter)}
    after = {"options": options, "record": {**base, "adapter": {"path": str(adapter)}}}
    given = {**DESCRIBED, "model": "transformers"}
    runs = [
        make_run(name, **given, model_options=of)
        for name, of in (("before", {"options": {}, "record": base}), ("after", after))
    ]
    target = folder / "README.md"
    write_card(runs[1:], target, base=runs[0])
    return target


def answers_card(folder: Path, make_run: MakeRun) -> Path:
    """Write the card of a model that answered questions, some of them of touchstone-mini."""
    marks = dict.fromkeys(range(1, 9), ((8, 6), (6, 8)))
    with questions.shipping(folder / "mini"):
        run = answer_run(folder / "run", "touchstone-mini", marks, configs=["touchstone-mini"])
        target = folder / "README.md"
        write_card([run], target, datasets={"touchstone": "org/stone"})
    return target


def official_answers_card(folder: Path, make_run: MakeRun) -> Path:
    """Write the card of a model that answered a file of questions."""
    marks: Any = dict.fromkeys(range(1, 9), ((8, 6), (6, 8))) | {9: "no marks"}
    run = answer_run(folder / "run", question_file(folder / "q.tsv"), marks)
    target = folder / "README.md"
    write_card([run], target)
    return target


def merged_card(folder: Path, make_run: MakeRun) -> Path:
    """Write our part into a card that people wrote."""
    target = folder / "README.md"
    theirs = "license: mit\ntags:\n- mine\npipeline_tag: text-to-image\nmodel-index: []\n"
    target.write_text(f"---\n{theirs}---\n\n# Mine\n\nWords.\n")
    write_card([make_run("merged", limit=4)], merge=target)
    return target


def training_card(folder: Path, *, lora: bool = True, draws: bool = False) -> Path:
    """Write the card that `cobsat train` leaves."""
    record = {**RECORD, "model": {**RECORD["model"], "use_peft": lora}}
    results = {"steps": 500, "epochs": 5.0, "train_loss": 0.1}
    return write_training_card(
        folder, record, results if draws else {**results, "scores": SCORES}, draws
    )


def conversion_card(system: str, folder: Path) -> Path:
    """Write the card of a converted checkpoint."""
    source, out = folder / "published", folder / "con|verted"
    for path in (source / "weights.pt", out / "language_model" / "model.safetensors"):
        path.parent.mkdir(parents=True)
        path.write_bytes(path.name.encode())
    record = write_record(out, system, [source], [f"blocks.{n}.w" for n in range(20)])
    return write_conversion_card(out, out.name, record)


def report_card(folder: Path) -> Path:
    """Write the card of a report's Space."""
    (folder / "index.html").write_text("<!doctype html>")
    runs = [folder / "runs" / "a|b", folder / "runs" / "c"]
    (folder / "README.md").write_text(_report_card("org/report", runs), encoding="utf-8")
    return folder / "README.md"


def cobsat_export(images: str, folder: Path) -> Path:
    """Export one config of each kind."""
    export(folder / "export", ["color_i-2shot"], Options(images=images))
    return folder / "export" / "README.md"


def mini_export(folder: Path, make_run: MakeRun) -> Path:
    """Export touchstone-mini."""
    with questions.shipping(folder / "mini"):
        export_touchstone(folder / "export", "touchstone-mini")
    return folder / "export" / "README.md"


def file_export(folder: Path, make_run: MakeRun) -> Path:
    """Export a file of questions whose name is no harmless text."""
    path = questions.tsv(folder / "my|<b>_q.tsv", [questions.cells(4), questions.cells(5)])
    export_touchstone(folder / "export", "touchstone", str(path))
    return folder / "export" / "README.md"


MAKERS: dict[str, tuple[str, Callable[[Path, MakeRun], Path]]] = {
    "a model, from runs": ("model", model_card),
    "an adapter, from runs": ("model", tuned_card),
    "a model, from answers to touchstone-mini": ("model", answers_card),
    "a model, from answers to a file": ("model", official_answers_card),
    "a card of others with our part": ("model", merged_card),
    "a trained adapter": ("model", lambda folder, _: training_card(folder)),
    "a trained model": ("model", lambda folder, _: training_card(folder, lora=False)),
    "a trained model that draws": ("model", lambda folder, _: training_card(folder, draws=True)),
    **{
        f"a converted {system}": ("model", lambda folder, _, s=system: conversion_card(s, folder))
        for system in CONVERTERS
    },
    "a report": ("report", lambda folder, _: report_card(folder)),
    "CoBSAT, rendered": ("dataset", lambda folder, _: cobsat_export("rendered", folder)),
    "touchstone-mini": ("dataset", mini_export),
    "a file of questions": ("dataset", file_export),
}
"""Card → its kind, and what writes it."""


def kind_of(name: str) -> str:
    """Return whether a card is a model's, a dataset's, a metric's or a report's."""
    if name in MAKERS:
        return MAKERS[name][0]
    path = SHIPPED[name]
    return "metric" if (path.parent / "app.py").exists() else "model"


def made(name: str, folder: Path, make_run: MakeRun) -> Path:
    """Return a card's path; one that is written lies in the folder, a shipped one is copied."""
    if name in MAKERS:
        return MAKERS[name][1](folder, make_run)
    heavy = shutil.ignore_patterns("__pycache__", "*.safetensors")
    shutil.copytree(SHIPPED[name].parent, folder / "card", ignore=heavy)
    return folder / "card" / "README.md"
