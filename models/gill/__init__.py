"""GILL: an OPT that reads pictures as four tokens and draws by eight tokens of its own.

    cobsat run --model gill --tiny --config color_i-2shot --limit 8
    cobsat convert gill gill_opt/ opt-6.7b/ clip-vit-large-patch14/ --out checkpoints/gill
    cobsat run --model gill --model-option checkpoint=checkpoints/gill --config all-2shot

Source: Koh et al., "Generating Images with Multimodal Language Models" (2023), written anew from
its description and its published checkpoint's layout.

| file | what |
|---|---|
| `bridge.py` | what GILL trained: pictures to tokens, and tokens to what a decoder draws from |
| `convert.py` | the published checkpoints, converted once |
| `prompts.py` | prompts as token ids, replies taken apart |
| `system.py` | language model, image tower, bridge and decoder together |
| `replies.py` | what the language model says to a batch of prompts |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["BRIDGE", "LANGUAGE_MODEL", "VISION", "is_converted"]

BRIDGE: Final = "bridge"
LANGUAGE_MODEL: Final = "language_model"
VISION: Final = "vision"
"""The parts of a folder that `cobsat convert` makes; the last two may be missing."""


def is_converted(checkpoint: str) -> bool:
    """Return whether a checkpoint is a folder of `cobsat convert gill`."""
    return (Path(checkpoint) / BRIDGE).is_dir()
