r"""Emu: a LLaMA that reads pictures as embeddings, and draws by saying the next ones.

    cobsat run --model emu --tiny --config color_i-2shot --limit 8
    cobsat convert emu Emu/pretrain llama-13b/ --out checkpoints/emu
    cobsat run --model emu --model-option checkpoint=checkpoints/emu --config all-2shot
    cobsat convert emu Emu/Emu-instruct.pt llama-13b/ --out checkpoints/emu-instruct
    cobsat run --model emu --model-option checkpoint=checkpoints/emu-instruct \
        --config all-2shot --output description

Source: Sun et al., "Emu: Generative Pretraining in Multimodality" (2023), written anew from its
description and its published checkpoints' layout. Two are published: the pretrained one draws, the
instructed one talks.

| file | what |
|---|---|
| `bridge.py` | a picture to embeddings of the language model, and its state to the next of them |
| `convert.py` | the published checkpoints, converted once |
| `words.py` | the tokenizer and Emu's tokens |
| `prompts.py` | prompts as token ids |
| `system.py` | language model, bridge and decoder together |
| `replies.py` | what the language model says to a batch of prompts |
| `adapter.py` | the model under test |
| `tiny.py` | the real classes at tiny size, in memory |
"""

from __future__ import annotations

from typing import Final

__all__ = ["BRIDGE", "DECODER", "LANGUAGE_MODEL"]

BRIDGE: Final = "bridge"
LANGUAGE_MODEL: Final = "language_model"
DECODER: Final = "decoder"
"""The parts of a folder that `cobsat convert` makes; the instructed Emu has no decoder."""
