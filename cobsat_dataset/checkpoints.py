"""What all that loads a checkpoint shares: where it is, its digest, and a quiet load."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transformers.utils import logging as transformers_logging

__all__ = ["check_checkpoint", "no_progress_bar", "weights_digest"]


def check_checkpoint(checkpoint: str) -> str:
    """Return a checkpoint if it may be one: a folder that is there, or a name on the Hub.

    Raises:
        FileNotFoundError: It can only be a folder, and is not there.

    >>> check_checkpoint("llava-hf/llava-1.5-13b-hf")
    'llava-hf/llava-1.5-13b-hf'
    """
    is_path = checkpoint.startswith((".", "~", "/")) or checkpoint.count("/") > 1
    if (is_path or "\\" in checkpoint) and not Path(checkpoint).is_dir():
        raise FileNotFoundError(
            "checkpoint must be a folder or a name on the Hub (org/model), got "
            f"{checkpoint!r}, where there is no folder"
        )
    return checkpoint


def weights_digest(folder: Path) -> str | None:
    """Return the SHA-256 of a local checkpoint's weights; of several files, that of their digests.

    Those of a pipeline of `diffusers` lie in its components' folders. An adapter's folder has
    `adapter_model.safetensors` alone. None without a safetensors
    file there: a name on the Hub has a commit instead.
    """
    digests = []
    whole = folder / "model.safetensors"
    paths = [whole] if whole.is_file() else sorted(folder.glob("model-*.safetensors"))
    paths = paths or list(folder.glob("adapter_model.safetensors"))
    if not paths and (folder / "model_index.json").is_file():
        paths = sorted(folder.glob("*/*.safetensors"))
    for path in paths:
        with open(path, "rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    if len(digests) < 2:
        return digests[0] if digests else None
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


@contextmanager
def no_progress_bar() -> Iterator[None]:
    """Keep the library's bar over the loading of weights out of a command's output."""
    shown = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
