"""An Emu2 of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. It has the tokens of Emu2-Chat and a decoder, so
that it both draws and talks, in seconds on a CPU. Its language model is the tiny Emu's.
"""

from __future__ import annotations

from typing import Any, Final

from ..emu.tiny import tiny_language_model
from ..emu.words import CHAT, add_tokens
from ..tiny_replies import tiny_llama_words
from ..tiny_stable_diffusion import tiny_sdxl
from ..tiny_weights import scatter
from .bridge import Bridge, BridgeSizes
from .words import TOKENS

__all__ = ["SIZES", "tiny_bridge", "tiny_decoder", "tiny_language_model", "tiny_words"]

SIZES: Final = BridgeSizes(
    image_size=32, patch_size=4, vision_width=32, vision_layers=2, vision_mlp_width=48,
    language_width=128, tokens=4, vision_heads=4,
)  # fmt: skip


def tiny_words(names: int = len(TOKENS) + len(CHAT)) -> Any:
    """Return LLaMA's tokenizer, of single letters, with Emu2's first tokens."""
    words = tiny_llama_words()
    add_tokens(words, len(words) + names, TOKENS)
    return words


def tiny_bridge() -> Bridge:
    """Return a bridge with weights large enough that pictures differ."""
    bridge = Bridge(SIZES)
    seen = bridge.tower.embeddings
    scatter(bridge, seen.position_embedding, seen.class_embedding)
    return bridge.eval().requires_grad_(False)


def tiny_decoder() -> Any:
    """Return the decoder's real class, which reads no texts, for 32 pixels."""
    return tiny_sdxl(SIZES.vision_width)
