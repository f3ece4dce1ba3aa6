"""A LLaMA from its tensors alone: its config is read from them, and they are loaded strictly.

Checkpoints of the papers' systems hold a LLaMA among other things, and bring no config of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from .conversion import load_strictly, under

__all__ = ["count_layers", "language_model_from", "llama_config"]


def llama_config(state: Mapping[str, Tensor], what: str, **known: Any) -> LlamaConfig:
    """Return a LLaMA's config, read from its tensors.

    Args:
        state: Tensors by the names of `LlamaForCausalLM`.
        what: Whose they are, for the message.
        known: What no tensor tells, where it is not as in the first LLaMA: `num_attention_heads`,
            `rms_norm_eps`, `max_position_embeddings`.

    Raises:
        ValueError: A tensor is missing.
    """
    try:
        rows, width = state["model.embed_tokens.weight"].shape
        mlp_width = state["model.layers.0.mlp.up_proj.weight"].shape[0]
    except KeyError as error:
        raise ValueError(f"{what} must have the tensor {error}, got none") from None
    heads = known.pop("num_attention_heads", width // 128)
    return LlamaConfig(
        vocab_size=rows,
        hidden_size=width,
        intermediate_size=mlp_width,
        num_hidden_layers=count_layers(state, "model.layers."),
        num_attention_heads=heads,
        num_key_value_heads=heads,
        tie_word_embeddings=False,
        dtype=state["model.embed_tokens.weight"].dtype,
        **{"max_position_embeddings": 2048, "rms_norm_eps": 1e-6, **known},
    )


def count_layers(state: Mapping[str, Tensor], before: str) -> int:
    """Return how many numbers follow a prefix in the names of tensors.

    >>> count_layers({"block.0.a": torch.ones(1), "block.1.a": torch.ones(1)}, "block.")
    2
    """
    return len({name.split(".")[0] for name in under(state, before)})


def language_model_from(config: LlamaConfig, state: Mapping[str, Tensor], what: str) -> Any:
    """Return a `LlamaForCausalLM` with weights by its names, loaded strictly.

    Args:
        config: As `llama_config` gives it.
        state: Tensors by its names.
        what: Whose they are, for the message.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        model: Any = LlamaForCausalLM(config)
    model.model.rotary_emb = LlamaRotaryEmbedding(config)  # its table is reckoned, not loaded
    load_strictly(model, state, what)
    return model.eval()
