"""Whose folder an output folder is, and where a training in it goes on."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cobsat.checkpoints import weights_digest
from cobsat.images import image_source
from cobsat.models.conversion import converted_digest
from cobsat.run_folder import write_json
from safetensors import SafetensorError, safe_open

__all__ = ["RECORD", "RESULTS", "checkpoint_to_resume", "claim_folder"]

RECORD: Final = "training.json"
RESULTS: Final = "results.json"
"""What a training ended with; it is there only when the training has ended."""

_CHANGES_NOTHING: Final = re.compile(
    "(output_dir|run_name|project|report_to|disable_tqdm|resume_from_checkpoint|push_to_hub|debug|"
    "do_.*|eval_.*|hub_.*|log.*|save_.*|trackio_.*|include_.*|dataloader_.*|ddp_.*|use_cpu|"
    "local_rank|restore_.*|ignore_data_skip|enable_jit_checkpoint|dataset_num_proc|"
    "skip_memory_metrics|model_init_kwargs|load_best_.*|metric_.*|greater_.*|past_index|"
    "per_device_eval_.*|torch_empty_cache_steps|auto_find_batch_size)"
)
"""Settings of the trainer that may differ when a training goes on."""

_PACKAGES: Final = ("cobsat", "torch", "transformers", "trl", "peft", "datasets")


def claim_folder(data: Any, training: Any, model: Any) -> dict[str, Any]:
    """Leave a record of a training in its folder, or check that it is the one that is there.

    Raises:
        ValueError: The folder is another training's; the message says what differs.
    """
    record = {
        "model": {
            **_plain(asdict(model)),
            "weights_sha256": converted_digest(Path(model.model_name_or_path))
            or weights_digest(Path(model.model_name_or_path)),
        },
        "data": {**asdict(data), "image_digest": image_source(data.images).digest},
        "training": {"processes": training.world_size, **_settings(training)},
        "versions": {name: version(name) for name in _PACKAGES},
    }
    target = Path(training.output_dir) / RECORD
    begun = [*target.parent.glob("checkpoint-*"), *target.parent.glob(RESULTS)]
    if not target.exists() or not begun:
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
    """Return the checkpoint to go on from: the one that is named, else the last whole one, if any.

    A process that is killed while it saves leaves half a checkpoint, which is passed over.
    """
    if training.resume_from_checkpoint not in (None, "true", "True"):
        return str(training.resume_from_checkpoint)
    found = [
        path
        for path in Path(training.output_dir).glob("checkpoint-*")
        if path.name.removeprefix("checkpoint-").isdecimal()
    ]
    for path in sorted(found, key=lambda p: int(p.name.removeprefix("checkpoint-")), reverse=True):
        if (fault := _fault(path)) is None:
            return str(path)
        if training.process_index == 0:
            print(f"passed over {path}, which is not whole: {fault}", file=sys.stderr)
    return None


def _fault(checkpoint: Path) -> str | None:
    """Return what is wrong with a checkpoint's files; None if nothing is."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_text("utf-8"))
        for weights in checkpoint.glob("*.safetensors"):
            with safe_open(weights, "pt"):
                pass
    except (OSError, ValueError, SafetensorError) as error:
        return f"{type(error).__name__}: {error}"
    if not any(checkpoint.glob("optimizer*")) and not any(checkpoint.glob("global_step*")):
        return "no optimizer's state"
    for saved in (*checkpoint.glob("*.pt"), *checkpoint.glob("*.pth")):
        if not zipfile.is_zipfile(saved):
            return f"{saved.name} is cut"
    return None


def _settings(training: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in _plain(training.to_dict()).items()
        if not _CHANGES_NOTHING.fullmatch(name)
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as JSON gives them back."""
    return {name: json.loads(json.dumps(value, default=str)) for name, value in values.items()}
