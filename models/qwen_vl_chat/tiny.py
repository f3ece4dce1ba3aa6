"""A Qwen-VL-Chat of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. Prompts in the paper's words are longer than its
`seq_length`, so that what the model does beyond it takes part. Replies are five letters and an end.
"""

from __future__ import annotations

from typing import Any, Final

from transformers.convert_slow_tokenizer import bytes_to_unicode

from ..tiny_replies import LETTERS, depend_on_the_prompt, letter_kind, speak_in_order
from ..tiny_weights import scatter
from .language_model import QwenVLTextConfig, language_model
from .vision import Vision, VisionSizes
from .words import Vocabulary, tokenizer_of

__all__ = ["SIZES", "tiny_language_model", "tiny_vision", "tiny_words"]

SIZES: Final = VisionSizes(
    image_size=28, patch_size=4, width=32, layers=2, heads=4, mlp_width=48, position_rows=16,
    queries=4, output_width=128, resampler_heads=1,
)  # fmt: skip


def tiny_words() -> Any:
    """Return Qwen's tokenizer, of single bytes, with its special tokens."""
    letters: dict[int, str] = bytes_to_unicode()  # type: ignore[no-untyped-call]
    return tokenizer_of({letter: byte for byte, letter in letters.items()}, [])


def tiny_language_model(words: Any, vocabulary: Vocabulary) -> Any:
    """Return a language model of two layers."""
    config = QwenVLTextConfig(
        vocab_size=len(words), hidden_size=SIZES.output_width, intermediate_size=96,
        num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4,
        max_position_embeddings=4096, initializer_range=0.25, seq_length=256,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )  # fmt: skip
    model = language_model(config)
    names = words.convert_ids_to_tokens(range(len(words)))
    kinds = [_kind(number, name, vocabulary) for number, name in enumerate(names)]
    speak_in_order(model, kinds, LETTERS + 1)
    depend_on_the_prompt(model, LETTERS + 1)
    return model


def _kind(number: int, name: str, vocabulary: Vocabulary) -> int:
    """Return a token's place in a reply: 1 to 5 letters, then the end."""
    if number == vocabulary.turn_end:
        return LETTERS + 1
    return letter_kind(name)


def tiny_vision() -> Vision:
    """Return image tower and resampler with weights large enough that pictures differ."""
    vision = Vision(SIZES)
    places = (vision.places, vision.queries, vision.query_places)
    scatter(vision, *places, vision.attention.in_proj_weight)
    return vision.requires_grad_(False)
