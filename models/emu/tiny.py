"""An Emu of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. It has the tokens of an instructed Emu and a
decoder, so that it both draws and talks, in seconds on a CPU. Texts are five letters and an end,
pictures are noise; which letters and what noise, the random layers decide from the whole prompt.
"""

from __future__ import annotations

from typing import Any, Final

import transformers

from ..tiny_replies import LETTERS, letter_kind, speak_in_order, tiny_llama_words
from ..tiny_stable_diffusion import tiny_stable_diffusion
from ..tiny_weights import scatter
from .bridge import Bridge, BridgeSizes
from .words import CHAT, PICTURES, Vocabulary, add_tokens

__all__ = ["SIZES", "tiny_bridge", "tiny_decoder", "tiny_language_model", "tiny_words"]

_WIDTH: Final = 128
SIZES: Final = BridgeSizes(
    image_size=32, patch_size=8, vision_width=32, vision_layers=2, vision_mlp_width=48,
    causal_tokens=6, former_width=24, former_layers=2, former_heads=3, former_head_width=8,
    former_mlp_width=40, former_buckets=8, language_width=_WIDTH, vision_heads=4,
)  # fmt: skip


def tiny_words(names: int = len(PICTURES) + len(CHAT)) -> Any:
    """Return LLaMA's tokenizer, of single letters, with Emu's first tokens."""
    words = tiny_llama_words()
    add_tokens(words, len(words) + names)
    return words


def tiny_language_model(words: Any, vocabulary: Vocabulary) -> Any:
    """Return a LLaMA of two layers whose replies end."""
    config = transformers.LlamaConfig(
        vocab_size=len(words), hidden_size=_WIDTH, intermediate_size=160, num_hidden_layers=2,
        num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=2048,
        initializer_range=0.13, bos_token_id=vocabulary.begin, eos_token_id=vocabulary.end,
        rms_norm_eps=1e-6,
    )  # fmt: skip
    model: Any = transformers.LlamaForCausalLM(config)
    names = words.convert_ids_to_tokens(range(len(words)))
    kinds = [letter_kind(name) for name in names]
    kinds[vocabulary.end] = LETTERS + 1
    speak_in_order(model, kinds, LETTERS + 1)
    return model.eval()


def tiny_bridge() -> Bridge:
    """Return a bridge with weights large enough that pictures differ."""
    bridge = Bridge(SIZES)
    seen = bridge.tower.embeddings
    scatter(bridge, bridge.tokens, seen.position_embedding, seen.class_embedding)
    return bridge.eval().requires_grad_(False)


def tiny_decoder() -> Any:
    """Return the decoder's real class, which reads no texts, for 32 pixels."""
    return tiny_stable_diffusion(SIZES.language_width, None)
