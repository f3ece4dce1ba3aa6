"""Loading a pipeline of `diffusers` quietly, from safetensors alone, onto a device."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
from cobsat.checkpoints import check_checkpoint, no_progress_bar
from diffusers.utils import logging as diffusers_logging
from transformers.utils import logging as transformers_logging

from .checkpoints import choose_device
from .diffusers_prompts import family_of

__all__ = ["DTYPES", "OFFLOADS", "load_pipeline", "quiet"]

DTYPES: Final = ("auto", "float32", "bfloat16", "float16")
OFFLOADS: Final = ("none", "model", "sequential")

_LOADER: Final[Any] = diffusers.DiffusionPipeline
_PICKLED: Final = (".bin", ".ckpt", ".pt", ".pth")


def load_pipeline(
    checkpoint: str,
    *,
    revision: str | None,
    variant: str | None,
    device: str,
    dtype: str,
    offload: str,
    trust_remote_code: bool,
) -> tuple[Any, str | None]:
    """Return a pipeline, ready to draw, and its commit on the Hub if it came from there.

    Args:
        checkpoint: A name on the Hub, or a folder.
        revision: Of a name on the Hub.
        variant: Which files of weights, such as "fp16"; None for those without one.
        device: As torch names it, or "auto": a GPU if there is one.
        dtype: As torch names it, or "auto": bfloat16 on a GPU, float32 elsewhere.
        offload: One of `OFFLOADS`: what waits in the CPU's memory.
        trust_remote_code: Whether code in the checkpoint may run.

    Raises:
        OSError: There is no such checkpoint, or none with safetensors.
        ValueError: It is not a pipeline that draws from a prompt.
    """
    check_checkpoint(checkpoint, revision, file="model_index.json")
    where = choose_device(device)
    if offload != "none" and where.type == "cpu":
        raise ValueError(f"offload must be none without a GPU, got {offload!r}")
    shared = {"variant": variant, "trust_remote_code": trust_remote_code, "use_safetensors": True}
    with quiet(), no_progress_bar():
        _check_class(checkpoint, revision)
        try:
            folder = Path(checkpoint)
            if not folder.is_dir():
                folder = Path(_LOADER.download(checkpoint, revision=revision, **shared))
            _check_weights(folder)
            pipeline = _LOADER.from_pretrained(folder, dtype=_dtype(dtype, where), **shared)
        except (OSError, ValueError) as error:
            if variant is None or not re.search("variant|safetensors", str(error)):
                raise
            raise ValueError(
                f"variant must be one that {checkpoint} has as safetensors, got {variant!r}"
            ) from error
        pipeline.set_progress_bar_config(disable=True)
        if offload == "model":
            pipeline.enable_model_cpu_offload(device=where)
        elif offload == "sequential":
            pipeline.enable_sequential_cpu_offload(device=where)
        else:
            pipeline.to(where)
    return pipeline, folder.name if folder.parent.name == "snapshots" else None


def _check_class(checkpoint: str, revision: str | None) -> None:
    """Check what kind of pipeline it is, before gigabytes of it are fetched."""
    folder = Path(checkpoint)
    if folder.is_dir() and not (folder / "model_index.json").is_file():
        raise FileNotFoundError(
            "checkpoint must be a pipeline of diffusers, got a folder without model_index.json: "
            f"{checkpoint!r}"
        )
    index = _LOADER.load_config(checkpoint, revision=revision)
    name = index.get("_class_name")
    if not isinstance(name, str):
        return  # its class is code in the checkpoint
    if not isinstance(found := getattr(diffusers, name, None), type):
        raise ValueError(
            f"checkpoint must be of a pipeline that diffusers {diffusers.__version__} has, got one "
            f"of {name}: pip install --upgrade diffusers"
        )
    family_of(found)


def _check_weights(folder: Path) -> None:
    """Check that each component has its weights as safetensors.

    Raises:
        OSError: One has them in another form only, which could run code when it is loaded.
    """
    index = json.loads((folder / "model_index.json").read_text("utf-8"))
    for name in index:
        files = sorted((folder / name).glob("*"))
        pickled = [path.name for path in files if path.suffix in _PICKLED]
        if pickled and not any(path.suffix == ".safetensors" for path in files):
            raise OSError(
                f"weights of {folder} must be safetensors, got {name}/{pickled[0]}: load it where "
                "you trust it, and save_pretrained() writes safetensors"
            )


def _dtype(name: str, device: torch.device) -> torch.dtype:
    if name == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    dtype: torch.dtype = getattr(torch, name)
    return dtype


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what the libraries tell of their own work out of a command's output."""
    shown = diffusers_logging.is_progress_bar_enabled()
    levels = diffusers_logging.get_verbosity(), transformers_logging.get_verbosity()
    diffusers_logging.disable_progress_bar()
    diffusers_logging.set_verbosity_error()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        diffusers_logging.set_verbosity(levels[0])
        transformers_logging.set_verbosity(levels[1])
        if shown:
            diffusers_logging.enable_progress_bar()
