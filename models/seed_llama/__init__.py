"""SEED-LLaMA: a LLaMA whose vocabulary has codes of pictures, read and drawn as words are.

    cobsat run --model seed_llama --tiny --config color_i-2shot --limit 8
    cobsat convert seed_llama seed-tokenizer-2/ seed-llama-14b-sft/ --out checkpoints/seed-llama-14b
    cobsat run --model seed_llama --model-option checkpoint=checkpoints/seed-llama-14b \
        --config all-2shot

Source: Ge et al., "Making LLaMA SEE and Draw with SEED Tokenizer" (2023), written anew from its
description and its published checkpoints' layout.

| file | what |
|---|---|
| `image_tokenizer.py` | a picture to 32 codes, and 32 codes to an embedding |
| `convert.py` | the published checkpoints, converted once |
| `prompts.py` | prompts as token ids, replies taken apart |
| `system.py` | the three parts together |
| `replies.py` | what the language model says to a batch of prompts |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["IMAGE_TOKENIZER", "LANGUAGE_MODEL", "is_converted"]

IMAGE_TOKENIZER: Final = "image_tokenizer"
LANGUAGE_MODEL: Final = "language_model"
"""The parts of a folder that `cobsat convert` makes."""


def is_converted(checkpoint: str) -> bool:
    """Return whether a checkpoint is a folder of `cobsat convert seed_llama`, with both parts."""
    folder = Path(checkpoint)
    return all((folder / part).is_dir() for part in (LANGUAGE_MODEL, IMAGE_TOKENIZER))
