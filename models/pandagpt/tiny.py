"""A PandaGPT of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. A reply is five letters, a new line and `###`, in
the two tokens that LLaMA's vocabulary has for it there.
"""

from __future__ import annotations

from typing import Any, Final

import transformers

from ..tiny_replies import (
    LETTERS,
    depend_on_the_prompt,
    letter_kind,
    speak_in_order,
    tiny_llama_words,
)
from ..tiny_weights import scatter
from .vision import Vision, VisionSizes

__all__ = ["SIZES", "tiny_language_model", "tiny_vision", "tiny_words"]

SIZES: Final = VisionSizes(
    image_size=32, patch_size=8, width=32, layers=2, mlp_width=48, features=24, language_width=128,
    heads=4,
)  # fmt: skip

_END: Final = ("<0x0A>", "##", "#")
"""What follows the letters."""


def tiny_words() -> Any:
    """Return LLaMA's tokenizer, of single letters and `##`."""
    known = tiny_llama_words().get_vocab()
    return transformers.LlamaTokenizer(vocab={**known, "##": len(known)}, merges=[("#", "#")])


def tiny_language_model(words: Any) -> Any:
    """Return a LLaMA of two layers whose replies end."""
    config = transformers.LlamaConfig(
        vocab_size=len(words), hidden_size=SIZES.language_width, intermediate_size=160,
        num_hidden_layers=2, num_attention_heads=1, num_key_value_heads=1, initializer_range=0.13,
        max_position_embeddings=2048, bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id, rms_norm_eps=1e-6,
    )  # fmt: skip
    model: Any = transformers.LlamaForCausalLM(config)
    names = words.convert_ids_to_tokens(range(len(words)))
    steps = LETTERS + len(_END)
    speak_in_order(model, [_kind(name) for name in names], steps)
    depend_on_the_prompt(model, steps, looking=2)
    return model.eval()


def _kind(name: str) -> int:
    """Return a token's place in a reply: 1 to 5 for small letters, then the end's, else 0."""
    if name in _END:
        return 1 + LETTERS + _END.index(name)
    return letter_kind(name)


def tiny_vision() -> Vision:
    """Return image tower and linear layer with weights large enough that pictures differ."""
    vision = Vision(SIZES)
    scatter(vision, vision.tower.vision_model.embeddings.class_embedding)
    # Features are of length 1; beside words the embedding would say little.
    vision.to_language.weight.data *= SIZES.features
    return vision.requires_grad_(False)
