"""What a card says of a tuned model's training: `training.json` and `results.json`, and its base.

`cobsat train` leaves both files in the adapter's folder: settings under `model`, `data`, `training`
and `versions`; steps, losses and, once `cobsat table4` ran, `scores`, a table in Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cobsat import RunFolder
from cobsat.card_parts import NOTHING, markdown_cell, shown_value, table, table_again
from cobsat.metrics.compare import Group, common_judge, compare_runs
from cobsat.metrics.compare import read_run as read_judged

from .card_data import CardRun, identity

__all__ = ["base_model", "training_lines"]

_SHOWN: Final = {
    "data": ("dataset_config", "dataset_train_split", "prompt_type", "instructions_for", "images",
             "image_digest"),
    "model": ("model_name_or_path", "weights_sha256", "lora_r", "lora_alpha", "lora_dropout"),
    "training": ("num_train_epochs", "per_device_train_batch_size", "gradient_accumulation_steps",
                 "learning_rate", "lr_scheduler_type", "max_steps", "processes", "seed"),
}  # fmt: skip


def base_model(run: CardRun) -> tuple[str | None, bool]:
    """Return the Hub name of what a run's model was tuned from, if any, and whether it is LoRA."""
    adapter = _adapter(run)
    if adapter is None:
        return None, False
    record: Any = run.settings.model_options.get("record")
    base = str(record.get("checkpoint") or "")
    return (base if base.count("/") == 1 and not base.startswith((".", "/")) else None), True


def training_lines(runs: Sequence[CardRun], base: Path | None = None) -> list[str]:
    """Return the card's part on training as lines of Markdown; none where nothing was tuned.

    Args:
        runs: The card's runs.
        base: A run of the base model.

    Raises:
        ValueError: The base's run is not of the runs' base, or cannot be compared with them.
    """
    adapter = _adapter(runs[0])
    lines = [] if adapter is None else list(_facts(adapter))
    if base is not None:
        lines += ["", *_compared(runs, base)]
    return lines


def _adapter(run: CardRun) -> Path | None:
    options = run.settings.model_options.get("options")
    named = options.get("adapter") if isinstance(options, Mapping) else None
    return Path(named) if isinstance(named, str) and named else None


def _facts(folder: Path) -> Iterator[str]:
    record, results = _read(folder / "training.json"), _read(folder / "results.json")
    if not record:
        yield f"Tuned by LoRA: {markdown_cell(folder.name)}; how, its folder does not say."
        return
    facts: list[tuple[str, object]] = []
    for part, names in _SHOWN.items():
        given = record.get(part)
        of_part = given if isinstance(given, Mapping) else {}
        facts += [(name, of_part[name]) for name in names if of_part.get(name) is not None]
    facts += [
        (name, value)
        for name, value in results.items()
        if name != "scores" and not isinstance(value, dict | list)
    ]
    rows = [[markdown_cell(name.replace("_", " ")), shown_value(value)] for name, value in facts]
    yield from table(("setting", "value"), rows)
    scores = results.get("scores")
    if isinstance(scores, str):
        yield from ("", "Before and after, as `cobsat table4` found:", "")
        yield from table_again(scores)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path} must be JSON, got {error}") from error
    return data if isinstance(data, dict) else {}


def _compared(runs: Sequence[CardRun], base: Path) -> Iterator[str]:
    """Yield the table of base and tuned model on the same prompts, by the judge of both."""
    before = RunFolder(base)
    settings = before.settings()
    mine = {k: v for k, v in identity(runs[0].settings).items() if k != "adapter"}
    if _adapter(runs[0]) is not None and identity(settings) != mine:
        raise ValueError(
            f"{base} must be a run of the model that was tuned, got {identity(settings)}, and the "
            f"runs' is {mine}"
        )
    for run in runs:
        if run.cobsat is None:
            continue
        judge = common_judge([before, run.cobsat.folder])
        pair = compare_runs(
            [read_judged(before, judge, "base"), read_judged(run.cobsat.folder, judge, run.label)]
        )[0]
        yield from (f"Before and after, {markdown_cell(run.label)}, by {markdown_cell(judge)}:", "")
        heads = ("task", "shots", "prompts", "before", "after", "difference", "95% interval")
        rows = [_row(group) for group in (*pair.tasks, *pair.means)]
        yield from (*table(heads, rows, numbers=len(heads) - 1), "")


def _row(group: Group) -> list[str]:
    result = group.result
    interval = NOTHING
    if result.interval is not None:
        interval = "{:+.1f} to {:+.1f}".format(*(100 * bound for bound in result.interval))
    names = {"all": "mean", "object_inference": "mean _i", "attribute_inference": "mean _ii"}
    cells = [
        names.get(group.task, group.task), str(group.shots), f"{result.n:,}",
        f"{100 * result.first.value:.1f}", f"{100 * result.second.value:.1f}",
        f"{100 * result.difference:+.1f}", interval,
    ]  # fmt: skip
    return [markdown_cell(cell) for cell in cells]
