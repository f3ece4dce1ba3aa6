"""LoRA weights merged into those that they were trained on: as PEFT saves them, or side by side."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import check_checkpoint
from safetensors import SafetensorError, safe_open
from torch import Tensor

from .asking import shorten

__all__ = ["merge_adapter", "merged", "trained_on"]

_WEIGHTS: Final = "adapter_model.safetensors"
_DOWN: Final = re.compile(r"(.+)\.lora_A((?:\.default)?\.weight)")
_UNFIT: Final = (RuntimeError, ValueError, LookupError, TypeError, UserWarning, SafetensorError)
"""What PEFT raises for adapters that are broken, or do not fit."""


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
    folder = Path(check_checkpoint(adapter, file="adapter_config.json", option="adapter"))
    if folder.is_dir():
        for name in ("adapter_config.json", _WEIGHTS):
            if not (folder / name).is_file():
                raise FileNotFoundError(
                    f"adapter must be a folder that PEFT saved, got no {folder / name}"
                )
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Found missing adapter keys")
            config = PeftConfig.from_pretrained(adapter)
            tuned = PeftModel.from_pretrained(model, adapter, config=config, use_safetensors=True)
    except _UNFIT as error:
        raise ValueError(
            f"adapter must fit the checkpoint (it was trained on {trained_on(adapter)!r}), got "
            f"{adapter!r}: {shorten(f'{type(error).__name__}: {error}')}"
        ) from error
    if folder.is_dir():
        _check_all_used(folder / _WEIGHTS, tuned, str(config.base_model_name_or_path))
    return tuned.merge_and_unload(safe_merge=True)


def trained_on(adapter: str) -> str | None:
    """Return the name of the checkpoint that a local adapter says it was trained on."""
    try:
        config = json.loads((Path(adapter) / "adapter_config.json").read_text("utf-8"))
        return Path(str(config["base_model_name_or_path"])).name
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _check_all_used(weights: Path, tuned: Any, base: str) -> None:
    """Check that the file has a weight for each of the adapter's places, and no others.

    PEFT passes over both without a word: a part of the adapter would then be random or missing.

    Raises:
        ValueError: It does not.
    """
    from peft import get_peft_model_state_dict

    places = set(get_peft_model_state_dict(tuned, save_embedding_layers=False))
    with safe_open(weights, "pt") as file:
        there = {key.replace(".default.", ".") for key in file.keys()}  # noqa: SIM118
    missing, unused = sorted(places - there), sorted(k for k in there - places if ".lora_" in k)
    for keys, what in ((missing, "places without a weight"), (unused, "weights without a place")):
        if keys:
            raise ValueError(
                f"adapter must fit the checkpoint and its own config (it was trained on {base!r}), "
                f"got {len(keys)} {what}, {keys[0]} for one"
            )


@torch.no_grad()  # published weights may be saved as parameters
def merged(state: Mapping[str, Tensor], alpha: float, what: str) -> dict[str, Tensor]:
    """Return tensors with LoRA weights merged into those that they stand beside.

    Args:
        state: Tensors by name: `q_proj.weight`, `q_proj.lora_A.default.weight` and `lora_B`, or
            without `default`, as older releases of PEFT name them.
        alpha: LoRA weights count by it over their rank.
        what: Whose tensors they are, for the message.

    Raises:
        ValueError: One of a pair, or what they change, is missing.
    """
    plain = dict(state)
    for name in state:
        if (found := _DOWN.fullmatch(name)) is None:
            continue
        weight, other = f"{found[1]}.weight", f"{found[1]}.lora_B{found[2]}"
        down, up = plain.pop(name), plain.pop(other, None)
        if up is None or weight not in plain:
            raise ValueError(f"{what} must have {weight} and {other} beside {name}, got not both")
        change = (alpha / len(down)) * (up.float() @ down.float())
        plain[weight] = (plain[weight].float() + change).to(plain[weight].dtype)
    return plain
