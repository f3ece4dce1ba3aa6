"""MiniGPT-4's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from cobsat.models.tiny_replies import tiny_llama_words
from safetensors.torch import save_file
from torch import Tensor


@dataclass(frozen=True)
class Sizes:
    """Of the published files; attention heads are those of the published configs where they fit."""

    side: int = 224
    patch: int = 14
    vision: int = 1408
    vision_layers: int = 39
    vision_mlp: int = 6144
    vision_heads: int = 16
    qformer: int = 768
    qformer_layers: int = 12
    qformer_mlp: int = 3072
    qformer_heads: int = 12
    queries: int = 32
    rows: int = 32001
    language: int = 4096
    language_layers: int = 32
    language_mlp: int = 11008
    language_heads: int = 32
    context: int = 2048


PUBLISHED = Sizes()
SMALL = Sizes(
    side=28, patch=7, vision=32, vision_layers=3, vision_mlp=48, vision_heads=4, qformer=24,
    qformer_layers=4, qformer_mlp=40, qformer_heads=3, queries=5, rows=len(tiny_llama_words()) + 1,
    language=64, language_layers=2, language_mlp=96, language_heads=2, context=1024,
)  # fmt: skip


def blip2_config(sizes: Sizes) -> dict[str, Any]:
    """Return what is read of the published `config.json`, and some of what is not."""
    return {
        "architectures": ["Blip2ForConditionalGeneration"],
        "initializer_factor": 1.0,
        "initializer_range": 0.02,
        "model_type": "blip-2",
        "num_query_tokens": sizes.queries,
        "qformer_config": {
            "cross_attention_frequency": 2,
            "encoder_hidden_size": sizes.vision,
            "hidden_size": sizes.qformer,
            "intermediate_size": sizes.qformer_mlp,
            "layer_norm_eps": 1e-12,
            "model_type": "blip_2_qformer",
            "num_attention_heads": sizes.qformer_heads,
            "num_hidden_layers": sizes.qformer_layers,
        },
        "text_config": {"d_model": 16, "d_ff": 8, "model_type": "t5", "num_layers": 1},
        "torch_dtype": "float32",
        "use_decoder_only_language_model": False,
        "vision_config": {
            "hidden_act": "gelu",
            "hidden_size": sizes.vision,
            "image_size": sizes.side,
            "intermediate_size": sizes.vision_mlp,
            "layer_norm_eps": 1e-05,  # not the original's
            "model_type": "blip_2_vision_model",
            "num_attention_heads": sizes.vision_heads,
            "num_hidden_layers": sizes.vision_layers,
            "patch_size": sizes.patch,
            "qkv_bias": True,
        },
    }


def vicuna_config(sizes: Sizes) -> dict[str, Any]:
    """Return a `config.json` of Vicuna, of the time: its ids of begin and end are not read."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "bos_token_id": 0,
        "eos_token_id": 1,
        "hidden_act": "silu",
        "hidden_size": sizes.language,
        "intermediate_size": sizes.language_mlp,
        "max_position_embeddings": sizes.context,
        "model_type": "llama",
        "num_attention_heads": sizes.language_heads,
        "num_hidden_layers": sizes.language_layers,
        "pad_token_id": -1,
        "rms_norm_eps": 1e-06,
        "tie_word_embeddings": False,
        "torch_dtype": "float16",
        "use_cache": True,
        "vocab_size": sizes.rows,
    }


class _Tensors:
    """Random tensors by name; of norms, weights around 1."""

    def __init__(self, device: str) -> None:
        self.state: dict[str, Tensor] = {}
        self._device = device

    def add(self, name: str, *shape: int, around: float = 0.0) -> None:
        std = 0.2 if len(shape) == 1 else shape[-1] ** -0.5
        self.state[name] = torch.randn(shape, device=self._device) * std + around

    def linear(self, name: str, out: int, into: int) -> None:
        self.add(f"{name}.weight", out, into)
        self.add(f"{name}.bias", out)

    def norm(self, name: str, width: int) -> None:
        self.add(f"{name}.weight", width, around=1.0)
        self.add(f"{name}.bias", width)


def projection_state(sizes: Sizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return what the published file holds under `model`."""
    tensors = _Tensors(device)
    tensors.linear("llama_proj", sizes.language, sizes.qformer)
    return tensors.state


def blip2_state(sizes: Sizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return BLIP-2's tensors by their published names, written down by hand."""
    tensors = _Tensors(device)
    width, patches = sizes.vision, (sizes.side // sizes.patch) ** 2
    tensors.add("query_tokens", 1, sizes.queries, sizes.qformer)
    tensors.add("vision_model.embeddings.class_embedding", 1, 1, width)
    tensors.add("vision_model.embeddings.position_embedding", 1, patches + 1, width)
    seen = "vision_model.embeddings.patch_embedding"
    tensors.add(f"{seen}.weight", width, 3, sizes.patch, sizes.patch)
    tensors.add(f"{seen}.bias", width)
    for number in range(sizes.vision_layers):
        layer = f"vision_model.encoder.layers.{number}"
        tensors.norm(f"{layer}.layer_norm1", width)
        tensors.norm(f"{layer}.layer_norm2", width)
        tensors.linear(f"{layer}.self_attn.qkv", 3 * width, width)
        tensors.linear(f"{layer}.self_attn.projection", width, width)
        tensors.linear(f"{layer}.mlp.fc1", sizes.vision_mlp, width)
        tensors.linear(f"{layer}.mlp.fc2", width, sizes.vision_mlp)
    tensors.norm("vision_model.post_layernorm", width)
    tensors.norm("qformer.layernorm", sizes.qformer)
    for number in range(sizes.qformer_layers):
        _qformer_layer(tensors, sizes, number)
    # What takes no part.
    tensors.linear("language_projection", 16, sizes.qformer)
    tensors.add("language_model.shared.weight", 9, 16)
    tensors.add("language_model.encoder.block.0.layer.1.DenseReluDense.wo.weight", 16, 8)
    return tensors.state


def _qformer_layer(tensors: _Tensors, sizes: Sizes, number: int) -> None:
    layer, width = f"qformer.encoder.layer.{number}", sizes.qformer
    attentions = [("attention", width)]
    if number % 2 == 0:
        attentions.append(("crossattention", sizes.vision))
    for name, into in attentions:
        tensors.linear(f"{layer}.{name}.attention.query", width, width)
        tensors.linear(f"{layer}.{name}.attention.key", width, into)
        tensors.linear(f"{layer}.{name}.attention.value", width, into)
        tensors.linear(f"{layer}.{name}.output.dense", width, width)
        tensors.norm(f"{layer}.{name}.output.LayerNorm", width)
    tensors.linear(f"{layer}.intermediate_query.dense", sizes.qformer_mlp, width)
    tensors.linear(f"{layer}.output_query.dense", width, sizes.qformer_mlp)
    tensors.norm(f"{layer}.output_query.LayerNorm", width)


def vicuna_state(sizes: Sizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return Vicuna's tensors by their published names."""
    tensors = _Tensors(device)
    width = sizes.language
    tensors.add("model.embed_tokens.weight", sizes.rows, width)
    tensors.add("model.norm.weight", width, around=1.0)
    tensors.add("lm_head.weight", sizes.rows, width)
    for number in range(sizes.language_layers):
        layer = f"model.layers.{number}"
        for each in "qkvo":
            tensors.add(f"{layer}.self_attn.{each}_proj.weight", width, width)
        tensors.add(f"{layer}.self_attn.rotary_emb.inv_freq", 16)
        tensors.add(f"{layer}.mlp.gate_proj.weight", sizes.language_mlp, width)
        tensors.add(f"{layer}.mlp.up_proj.weight", sizes.language_mlp, width)
        tensors.add(f"{layer}.mlp.down_proj.weight", width, sizes.language_mlp)
        for each in ("input", "post_attention"):
            tensors.add(f"{layer}.{each}_layernorm.weight", width, around=1.0)
    return tensors.state


def save_published(home: Path, sizes: Sizes = SMALL) -> tuple[Path, Path, Path]:
    """Write tiny parts as they are published: the trained layer, BLIP-2 and Vicuna.

    Vicuna is in 16 bits and in pickles, BLIP-2 in two files of safetensors, of which the second
    holds only what takes no part.
    """
    file, blip2, vicuna = home / "prerained_minigpt4_7b.pth", home / "blip2", home / "vicuna"
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        torch.save({"model": projection_state(sizes), "epoch": 4, "config": {"a": [1]}}, file)
        eyes, language = blip2_state(sizes), vicuna_state(sizes)
    blip2.mkdir()
    rest = [name for name in eyes if name.startswith("language_")]
    save_file({name: eyes.pop(name) for name in rest}, blip2 / "model-00002-of-00002.safetensors")
    save_file(eyes, blip2 / "model-00001-of-00002.safetensors")
    (blip2 / "config.json").write_text(json.dumps(blip2_config(sizes)), encoding="utf-8")
    vicuna.mkdir()
    halves = {name: tensor.half() for name, tensor in language.items()}
    torch.save(halves, vicuna / "pytorch_model-00001-of-00001.bin")
    (vicuna / "config.json").write_text(json.dumps(vicuna_config(sizes)), encoding="utf-8")
    tiny_llama_words().save_pretrained(vicuna)
    return file, blip2, vicuna
