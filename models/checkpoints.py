"""What the models that load a checkpoint share: its digest, and a quiet load."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transformers.utils import logging as transformers_logging

__all__ = ["no_progress_bar", "weights_digest"]


def weights_digest(folder: Path) -> str | None:
    """Return the SHA-256 over the digests of a local checkpoint's safetensors files, by name.

    None without any: a checkpoint on the Hub has a commit instead.
    """
    whole = hashlib.sha256()
    files = sorted(folder.glob("*.safetensors"))
    for path in files:
        with open(path, "rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest() if files else None


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
