"""A MiniGPT-4 of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. Replies are five letters and `###`.
"""

from __future__ import annotations

from typing import Any

from transformers import (
    Blip2Config,
    Blip2ForConditionalGeneration,
    Blip2QFormerConfig,
    Blip2VisionConfig,
    LlamaConfig,
)

from ..tiny_replies import (
    LETTERS,
    depend_on_the_prompt,
    letter_kind,
    speak_in_order,
    tiny_llama_words,
)
from ..tiny_weights import scatter
from .prompts import STOP

__all__ = ["tiny_config", "tiny_model", "tiny_words"]


def tiny_words() -> Any:
    """Return LLaMA's tokenizer, of single letters and, as a reply's end, `###`."""
    return tiny_llama_words(STOP)


def tiny_config(rows: int) -> Blip2Config:
    """Return the config of a tiny system whose language model has so many rows."""
    return Blip2Config(
        vision_config=Blip2VisionConfig(
            hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
            image_size=32, patch_size=8,
        ),
        qformer_config=Blip2QFormerConfig(
            hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=3,
            cross_attention_frequency=2,
        ),
        text_config=LlamaConfig(
            vocab_size=rows, hidden_size=128, intermediate_size=160, num_hidden_layers=2,
            num_attention_heads=1, num_key_value_heads=1, max_position_embeddings=2048,
            initializer_range=0.13, rms_norm_eps=1e-6,
        ),
        num_query_tokens=6,
    )  # fmt: skip


def tiny_model(words: Any) -> Any:
    """Return tower, Q-Former, projection and a LLaMA of two layers whose replies end.

    The weights of all but the LLaMA are large enough that pictures differ.
    """
    model: Any = Blip2ForConditionalGeneration(tiny_config(len(words)))
    places = model.vision_model.embeddings
    scatter(model.vision_model, places.class_embedding, places.position_embedding)
    scatter(model.qformer, model.query_tokens)
    scatter(model.language_projection)
    names = words.convert_ids_to_tokens(range(len(words)))
    speak_in_order(model.language_model, [_kind(name) for name in names], LETTERS + 1)
    depend_on_the_prompt(model.language_model, LETTERS + 1, looking=2)
    return model.eval().requires_grad_(False)


def _kind(name: str) -> int:
    """Return a token's place in a reply: 1 to 5 for small letters, then the end."""
    if name == STOP:
        return LETTERS + 1
    return letter_kind(name)
