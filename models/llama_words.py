"""LLaMA's tokenizer, from a folder or the Hub: the ports on a LLaMA share this."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from cobsat.checkpoints import no_progress_bar
from transformers import LlamaTokenizer
from transformers.utils.import_utils import is_protobuf_available, is_sentencepiece_available

__all__ = ["load_llama_words"]

_FILES: Final = ("tokenizer.json", "tokenizer.model")
_PART: Final = "language_model"
"""Where a folder that `cobsat convert` made has it."""


def load_llama_words(*sources: str) -> Any:
    """Return the text tokenizer: from the first folder that has its files, else from the Hub.

    Raises:
        ModuleNotFoundError: It is published as `tokenizer.model` alone, and what reads that lacks.
        OSError: None has one.
    """
    folders = [Path(source) for source in sources]
    folders = [path.parent if path.is_file() else path for path in folders]
    places = [place for path in folders for place in (path / _PART, path)]
    found = [place for place in places if any((place / name).is_file() for name in _FILES)]
    if not found and folders[0].is_dir():
        raise FileNotFoundError(
            f"{sources[0]} must hold a tokenizer, {' or '.join(_FILES)}, got neither"
        )
    try:
        with no_progress_bar():
            return LlamaTokenizer.from_pretrained(str(found[0]) if found else sources[0])
    except (ValueError, OSError, ImportError) as error:
        # Without either, transformers tries tiktoken in their place, and asks for that.
        there = is_sentencepiece_available() and is_protobuf_available()
        if there or "tiktoken" not in str(error):
            raise
        raise ModuleNotFoundError(
            "a tokenizer.model without tokenizer.json needs the packages 'sentencepiece' and "
            "'protobuf': pip install 'cobsat[convert]'"
        ) from error
