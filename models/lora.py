"""LoRA adapters, as PEFT saves them, merged into the checkpoint that they were trained on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cobsat.checkpoints import check_checkpoint
from safetensors import safe_open

__all__ = ["merge_adapter"]


def merge_adapter(model: Any, adapter: str) -> Any:
    """Return a model with an adapter's weights added to its own.

    Args:
        model: The checkpoint that the adapter was trained on.
        adapter: A folder, or a name on the Hub.

    Raises:
        ModuleNotFoundError: PEFT is missing.
        OSError: There is no such adapter.
        ValueError: It does not fit the model.
    """
    try:
        from peft import PeftConfig, PeftModel
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "an adapter needs the package 'peft': pip install 'cobsat[train]'"
        ) from error
    folder = Path(check_checkpoint(adapter))
    if folder.is_dir():
        _check_folder(folder, model)
    config = PeftConfig.from_pretrained(adapter)
    try:
        tuned = PeftModel.from_pretrained(model, adapter, config=config, use_safetensors=True)
    except (RuntimeError, ValueError) as error:
        first = str(error).strip().splitlines()[0]
        raise ValueError(
            f"adapter must fit the checkpoint (it was trained on "
            f"{config.base_model_name_or_path!r}), got {adapter!r}: {first}"
        ) from error
    return tuned.merge_and_unload(safe_merge=True)


def _check_folder(folder: Path, model: Any) -> None:
    """Check that an adapter's files are there, and that all its weights have a place in the model.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: A weight has no place: PEFT would leave it out without a word.
    """
    weights = folder / "adapter_model.safetensors"
    for path in (folder / "adapter_config.json", weights):
        if not path.is_file():
            raise FileNotFoundError(f"adapter must be a folder that PEFT saved, got no {path}")
    base = json.loads((folder / "adapter_config.json").read_text("utf-8"))
    places = {name for name, _ in model.named_modules()}
    with safe_open(weights, "pt") as file:
        lost = [key for key in file.keys() if _place(key) not in places]  # noqa: SIM118
    if lost:
        raise ValueError(
            f"adapter must fit the checkpoint (it was trained on "
            f"{base.get('base_model_name_or_path')!r}), got {len(lost)} weights without a place, "
            f"{lost[0]} for one"
        )


def _place(key: str) -> str:
    """Return the module that a weight of an adapter belongs to.

    >>> _place("base_model.model.model.language_model.layers.0.mlp.up_proj.lora_A.weight")
    'model.language_model.layers.0.mlp.up_proj'
    """
    name = key.removeprefix("base_model.model.")
    for part in (".lora_", ".modules_to_save", ".base_layer", ".weight", ".bias"):
        name = name.partition(part)[0]
    return name
