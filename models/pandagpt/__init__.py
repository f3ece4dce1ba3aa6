r"""PandaGPT: a Vicuna that reads what a prompt shows as one single embedding.

    cobsat run --model pandagpt --tiny --config color_i-2shot --output description --limit 8
    cobsat convert pandagpt imagebind_huge.pth pytorch_model.pt vicuna-13b-v0/ \
        --out checkpoints/pandagpt-13b
    cobsat predict --model pandagpt --model-option checkpoint=checkpoints/pandagpt-13b \
        --config touchstone

Source: Su et al., "PandaGPT: One Model To Instruction-Follow Them All" (2023), written anew from
its description and its published checkpoints' layout. It hears and reads thermal pictures too;
here it only sees.

| file | what |
|---|---|
| `vision.py` | a picture to its embedding: ImageBind's image tower, and one linear layer |
| `convert.py` | the published checkpoints, converted once |
| `prompts.py` | prompts as token ids with a place for what they show |
| `system.py` | the parts together |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |
"""

from __future__ import annotations

from typing import Final

__all__ = ["LANGUAGE_MODEL", "VISION"]

LANGUAGE_MODEL: Final = "language_model"
VISION: Final = "vision"
"""The parts of a folder that `cobsat convert` makes."""
