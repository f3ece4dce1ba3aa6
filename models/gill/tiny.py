"""A GILL of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. The whole path from prompt to picture runs in
seconds on a CPU, and the pictures are noise. So that replies have the form of a trained model's,
the language model says a few letters and the end, or, led to a picture, its drawing tokens; which
letters they are, the random layers between decide, from the whole prompt. For this its two tables
of words are two, where OPT's are one.
"""

from __future__ import annotations

from typing import Any, Final

import torch
import transformers
from tokenizers.pre_tokenizers import ByteLevel
from torch import nn

from ..tiny_replies import LETTERS, letter_kind, speak_in_order
from ..tiny_stable_diffusion import tiny_stable_diffusion
from .bridge import Bridge, BridgeSizes
from .prompts import drawing_token

__all__ = [
    "SIZES",
    "tiny_bridge",
    "tiny_decoder",
    "tiny_language_model",
    "tiny_vision",
    "tiny_words",
]

_WIDTH: Final = 96
SIZES: Final = BridgeSizes(
    vision_width=32, language_width=_WIDTH, tokens_per_picture=4, drawing_tokens=8,
    mapper_width=24, mapper_mlp_width=40, mapper_encoder_layers=2, mapper_decoder_layers=2,
    mapper_queries=16, decoder_width=16,
)  # fmt: skip

_LEADABLE: Final = 2.0
_SHARP: Final = 4.0


def tiny_words() -> Any:
    """Return OPT's tokenizer, of single bytes."""
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    vocabulary = {word: n for n, word in enumerate([*special, *sorted(ByteLevel.alphabet())])}
    named = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "</s>")
    return transformers.GPT2Tokenizer(vocabulary, [], pad_token=special[1], **named)


def tiny_language_model(words: Any) -> Any:
    """Return an OPT of two layers with a row for each token."""
    config = transformers.OPTConfig(
        vocab_size=len(words), hidden_size=_WIDTH, ffn_dim=128, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=2048, init_std=0.2,
        bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id, tie_word_embeddings=False,
    )  # fmt: skip
    model: Any = transformers.OPTForCausalLM(config)
    names = words.convert_ids_to_tokens(range(len(words)))
    kinds = [letter_kind(name) for name in names]
    kinds[words.eos_token_id] = LETTERS + 1
    speak_in_order(model, kinds, LETTERS + 1)
    with torch.no_grad():
        for layer in model.model.decoder.layers:  # else each place would look at all others alike
            layer.self_attn.q_proj.weight *= _SHARP
            layer.self_attn.k_proj.weight *= _SHARP
        # By itself it does not draw; led to it, it does.
        model.lm_head.weight[names.index(drawing_token(0)), : LETTERS + 1] = _LEADABLE
    return model.eval()


def tiny_vision() -> Any:
    """Return an image tower with weights large enough that pictures differ."""
    config = transformers.CLIPVisionConfig(
        hidden_size=SIZES.vision_width, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, image_size=32, patch_size=8, initializer_factor=4.0,
    )  # fmt: skip
    tower: Any = transformers.CLIPVisionModel(config)
    return tower.eval().requires_grad_(False)


def tiny_bridge(model: Any) -> Bridge:
    """Return a bridge whose drawing tokens are the language model's own last rows."""
    bridge = Bridge(SIZES).eval()
    with torch.no_grad():
        bridge.rows.copy_(model.get_input_embeddings().weight[-SIZES.drawing_tokens :])
        for module in bridge.modules():
            if isinstance(module, nn.Linear):
                module.weight.normal_(std=2 * module.in_features**-0.5)
    return bridge.requires_grad_(False)


def tiny_decoder() -> Any:
    """Return the decoder's real class with every part that it needs, for 32 pixels."""
    return tiny_stable_diffusion(SIZES.decoder_width, SIZES.mapper_queries)
