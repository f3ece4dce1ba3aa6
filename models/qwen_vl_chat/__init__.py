"""Qwen-VL-Chat, the first one: a Qwen of 7B that reads pictures as 256 embeddings each.

    cobsat run --model qwen_vl_chat --tiny --config color_i-2shot --output description --limit 8
    cobsat convert qwen_vl_chat Qwen-VL-Chat/ --out checkpoints/qwen-vl-chat
    cobsat run --model qwen_vl_chat --model-option checkpoint=checkpoints/qwen-vl-chat \
        --config all-2shot --output description

Source: Bai et al., "Qwen-VL: A Versatile Vision-Language Model" (2023), written anew from its
description and its published checkpoint's layout. Qwen2-VL and later ones are another architecture:
`--model transformers`.

| file | what |
|---|---|
| `language_model.py` | the language model, and what it does to long prompts |
| `vision.py` | a picture to embeddings |
| `convert.py` | the published checkpoint, converted once |
| `words.py` | the published vocabulary as a tokenizer, and the ids that steer |
| `prompts.py` | prompts as token ids with places for pictures |
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
