"""What all that loads a checkpoint shares: where it is, its digest, and a quiet load."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
from huggingface_hub.errors import HfHubHTTPError
from transformers.utils import logging as transformers_logging

__all__ = ["check_checkpoint", "no_progress_bar", "weights_digest"]


_SECONDS: Final = 10.0
"""How long the Hub may take to say whether it is there."""


def check_checkpoint(
    checkpoint: str,
    revision: str | None = None,
    *,
    file: str = "config.json",
    option: str = "checkpoint",
) -> str:
    """Return a checkpoint if it may be one: a folder that is there, or a name on the Hub.

    Without a connection the libraries try for most of a minute, and then name their own options.

    Args:
        checkpoint: A folder, or a name on the Hub.
        revision: Of a name on the Hub.
        file: What a checkpoint of its kind always has.
        option: What the user calls it.

    Raises:
        FileNotFoundError: It can only be a folder, and is not there; or it was not downloaded
            before, and HF_HUB_OFFLINE forbids to do it now.
        ConnectionError: It was not downloaded before, and the Hub cannot be reached.

    >>> check_checkpoint(".")
    '.'
    """
    is_path = checkpoint.startswith((".", "~", "/")) or checkpoint.count("/") > 1
    if Path(checkpoint).is_dir():
        return checkpoint
    if is_path or "\\" in checkpoint:
        raise FileNotFoundError(
            f"{option} must be a folder or a name on the Hub (org/model), got {checkpoint!r}, "
            "where there is no folder"
        )
    try:
        if isinstance(try_to_load_from_cache(checkpoint, file, revision=revision), str):
            return checkpoint
        address = hf_hub_url(checkpoint, file, revision=revision)
    except ValueError:
        return checkpoint  # no name that the Hub takes: what loads it says so
    absent = f"got {checkpoint!r}: no folder here has that name, it was not downloaded before"
    _check_connection(option, absent, address)
    return checkpoint


def _check_connection(option: str, absent: str, address: str) -> None:
    """Check that what is not here can be fetched; that it is there is for the Hub to say."""
    if constants.is_offline_mode():
        raise FileNotFoundError(
            f"{option} must be here when HF_HUB_OFFLINE=1, {absent}: name its folder, or unset "
            "HF_HUB_OFFLINE"
        )
    try:
        get_hf_file_metadata(address, timeout=_SECONDS)  # asks once
    except HfHubHTTPError:
        return  # it answers
    except Exception as error:  # of whichever HTTP library the release uses
        raise ConnectionError(
            f"{option} must be here where there is no network, {absent}, and "
            f"{constants.ENDPOINT} cannot be reached ({type(error).__name__}: {error}): name its "
            "folder; HF_HUB_OFFLINE=1 uses what is here without asking"
        ) from error


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
