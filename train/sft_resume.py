"""Whose folder an output folder is, and where a training in it goes on."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cobsat.images import image_source
from cobsat.run_folder import write_json
from transformers.trainer_utils import get_last_checkpoint

__all__ = ["RECORD", "checkpoint_to_resume", "claim_folder"]

RECORD: Final = "training.json"
_OF_TRAINING: Final = (
    "num_train_epochs", "max_steps", "per_device_train_batch_size", "gradient_accumulation_steps",
    "learning_rate", "lr_scheduler_type", "warmup_steps", "weight_decay", "adam_beta1",
    "adam_beta2", "optim", "max_grad_norm", "max_length", "loss_type", "bf16", "seed",
)  # fmt: skip
_PACKAGES: Final = ("cobsat", "torch", "transformers", "trl", "peft", "datasets")


def claim_folder(data: Any, training: Any, model: Any) -> dict[str, Any]:
    """Leave a record of a training in its folder, or check that it is the one that is there.

    Raises:
        ValueError: The folder is another training's; the message says what differs.
    """
    record = {
        "model": _plain(asdict(model)),
        "data": {**asdict(data), "image_digest": image_source(data.images).digest},
        "training": _plain({name: getattr(training, name) for name in _OF_TRAINING}),
        "versions": {name: version(name) for name in _PACKAGES},
    }
    target = Path(training.output_dir) / RECORD
    if not target.exists():
        if training.process_index == 0:
            write_json(target, record)
        return record
    there = json.loads(target.read_text("utf-8"))
    differing = [
        f"{key}: {there.get(part, {}).get(key)!r} there, {value!r} now"
        for part in ("model", "data", "training")
        for key, value in record[part].items()
        if there.get(part, {}).get(key) != value
    ]
    if differing:
        raise ValueError(
            f"{training.output_dir} must be a new folder or this training's own, got another's "
            f"({'; '.join(differing)}): name another with --output_dir"
        )
    return record


def checkpoint_to_resume(training: Any) -> str | None:
    """Return the checkpoint to go on from: the one that is named, else the last, if any."""
    if training.resume_from_checkpoint not in (None, "true", "True"):
        return str(training.resume_from_checkpoint)
    if not Path(training.output_dir).is_dir():
        return None
    last = get_last_checkpoint(training.output_dir)  # type: ignore[no-untyped-call]
    return None if last is None else str(last)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as JSON gives them back."""
    return {name: json.loads(json.dumps(value, default=str)) for name, value in values.items()}
