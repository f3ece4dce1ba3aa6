"""Loading a vision-language checkpoint quietly, onto a device."""

from __future__ import annotations

from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from cobsat.checkpoints import check_checkpoint, no_progress_bar
from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor

__all__ = ["choose_device", "device_name", "load_exactly", "load_vlm", "versions"]


def load_vlm(
    checkpoint: str,
    *,
    revision: str | None,
    device: str,
    device_map: str | None,
    dtype: str,
    attn_implementation: str | None,
    trust_remote_code: bool,
    adapter: str | None = None,
) -> tuple[Any, Any]:
    """Return a vision-language model, ready to answer, and its processor.

    Args:
        checkpoint: A name on the Hub, or a folder.
        revision: Of a name on the Hub.
        device: As torch names it, or "auto": a GPU if there is one.
        device_map: As accelerate takes it.
        dtype: As torch names it, or "auto": the checkpoint's.
        attn_implementation: As transformers names it.
        trust_remote_code: Whether code in the checkpoint may run.
        adapter: LoRA weights to merge into it: a folder, or a name on the Hub.

    Raises:
        OSError: There is no such checkpoint or adapter, or none with safetensors.
        ValueError: It is not an image-text-to-text model.
    """
    if device_map is not None and device != "auto":
        raise ValueError(f"device must be auto with a device_map, got {device!r}")
    check_checkpoint(checkpoint, revision)
    if (Path(checkpoint) / "model_index.json").is_file():
        raise ValueError(
            f"checkpoint must be of an image-text-to-text model, got {checkpoint!r}, a pipeline of "
            "diffusers: --model diffusers"
        )
    shared = {"revision": revision, "trust_remote_code": trust_remote_code}
    config = AutoConfig.from_pretrained(checkpoint, **shared)
    known = AutoModelForImageTextToText._model_mapping
    if type(config) not in known and not hasattr(config, "auto_map"):
        raise ValueError(
            f"checkpoint must be of an image-text-to-text model, got {checkpoint!r} of type "
            f"{config.model_type!r}"
        )
    with no_progress_bar():
        processor = AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]
            checkpoint, **shared
        )
        model: Any = AutoModelForImageTextToText.from_pretrained(
            checkpoint,
            **shared,
            dtype=dtype,
            device_map=device_map,
            attn_implementation=attn_implementation,
            use_safetensors=True,
        )
    if adapter is not None:
        from .lora import merge_adapter

        model = merge_adapter(model, adapter)
    if device_map is None:
        model = model.to(choose_device(device))
    return model.eval(), processor


def load_exactly(
    model_class: Any,
    source: str,
    what: str,
    *,
    dtype: str = "auto",
    device_map: str | None = None,
    others: tuple[str, ...] = (),
) -> Any:
    """Return a model with a checkpoint's weights, each of them, ready to answer.

    Args:
        model_class: The model's class in transformers.
        source: A folder, or a name on the Hub: safetensors, or pickles that hold tensors only.
        what: Whose weights they are, for the message.
        dtype: As torch names it, or "auto": the checkpoint's.
        device_map: As accelerate takes it.
        others: Patterns of tensors' names that the checkpoint may hold beside the model's.

    Raises:
        OSError: There is no such checkpoint.
        ValueError: It has not exactly the model's weights.
    """
    with no_progress_bar():
        model, found = model_class.from_pretrained(
            source, dtype=dtype, device_map=device_map, weights_only=True, output_loading_info=True
        )
    problems = {name: sorted(map(str, keys)) for name, keys in found.items() if keys}
    unexpected = problems.get("unexpected_keys", [])
    left = [key for key in unexpected if not any(fnmatchcase(key, other) for other in others)]
    problems = {**problems, "unexpected_keys": left}
    if any(problems.values()):
        told = {name: keys for name, keys in problems.items() if keys}
        raise ValueError(f"{source} must have exactly {what}'s weights, got {told}")
    return model.eval()


def choose_device(name: str) -> torch.device:
    """Return a device as torch names it; "auto" is a GPU if there is one."""
    if name != "auto":
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def device_name(device: torch.device) -> str:
    """Return a device's kind, and a GPU's name."""
    if device.type != "cuda":
        return device.type
    return f"cuda, {torch.cuda.get_device_name(device)}"


def versions(device: torch.device, *packages: str) -> dict[str, str]:
    """Return what a run records of what reckoned: torch's version, these packages', the device."""
    others = {package: version(package) for package in packages}
    return {"torch": torch.__version__, **others, "device": device_name(device)}
