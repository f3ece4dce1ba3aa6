"""Qwen-VL-Chat's published checkpoint as it is laid out, at any size, with random weights."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from cobsat.models.qwen_vl_chat.vision import VisionSizes
from torch import Tensor


@dataclass(frozen=True)
class TextSizes:
    rows: int
    width: int
    layers: int
    heads: int
    mlp_width: int
    seq_length: int
    context: int


PUBLISHED = (
    TextSizes(151936, 4096, 32, 32, 11008, 2048, 8192),
    VisionSizes(
        image_size=448, patch_size=14, width=1664, layers=48, heads=16, mlp_width=8192,
        position_rows=256, queries=256, output_width=4096, resampler_heads=32,
    ),
)  # fmt: skip
SMALL = (
    TextSizes(rows=480, width=128, layers=2, heads=4, mlp_width=96, seq_length=64, context=2048),
    VisionSizes(
        image_size=28, patch_size=4, width=32, layers=2, heads=4, mlp_width=48, position_rows=16,
        queries=4, output_width=128, resampler_heads=1,
    ),
)  # fmt: skip


def published_config(text: TextSizes, vision: VisionSizes) -> dict[str, Any]:
    """Return what is read of the published `config.json`, and some of what is not."""
    return {
        "architectures": ["QWenLMHeadModel"],
        "auto_map": {"AutoModelForCausalLM": "modeling_qwen.QWenLMHeadModel"},
        "intermediate_size": 2 * text.mlp_width,
        "layer_norm_epsilon": 1e-06,
        "max_position_embeddings": text.context,
        "model_type": "qwen",
        "num_attention_heads": text.heads,
        "rotary_emb_base": 10000,
        "seq_length": text.seq_length,
        "use_dynamic_ntk": True,
        "use_logn_attn": True,
        "visual": {"heads": vision.heads, "image_size": vision.image_size},
    }


def published_state(text: TextSizes, vision: VisionSizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return all tensors by their published names, written down by hand."""
    state: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        state[name] = torch.randn(shape, device=device) * 0.2

    def linear(name: str, out: int, into: int) -> None:
        add(f"{name}.weight", out, into)
        add(f"{name}.bias", out)

    def norm(name: str, width: int) -> None:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)

    add("transformer.wte.weight", text.rows, text.width)
    add("lm_head.weight", text.rows, text.width)
    add("transformer.ln_f.weight", text.width)
    for layer in range(text.layers):
        name = f"transformer.h.{layer}"
        add(f"{name}.ln_1.weight", text.width)
        add(f"{name}.ln_2.weight", text.width)
        linear(f"{name}.attn.c_attn", 3 * text.width, text.width)
        add(f"{name}.attn.c_proj.weight", text.width, text.width)
        add(f"{name}.mlp.w1.weight", text.mlp_width, text.width)
        add(f"{name}.mlp.w2.weight", text.mlp_width, text.width)
        add(f"{name}.mlp.c_proj.weight", text.width, text.mlp_width)
    seen, width, out = "transformer.visual", vision.width, vision.output_width
    add(f"{seen}.conv1.weight", width, 3, vision.patch_size, vision.patch_size)
    add(f"{seen}.positional_embedding", vision.position_rows, width)
    norm(f"{seen}.ln_pre", width)
    for layer in range(vision.layers):
        name = f"{seen}.transformer.resblocks.{layer}"
        norm(f"{name}.ln_1", width)
        norm(f"{name}.ln_2", width)
        linear(f"{name}.attn.in_proj", 3 * width, width)
        linear(f"{name}.attn.out_proj", width, width)
        linear(f"{name}.mlp.c_fc", vision.mlp_width, width)
        linear(f"{name}.mlp.c_proj", width, vision.mlp_width)
    pool = f"{seen}.attn_pool"
    add(f"{pool}.query", vision.queries, out)
    add(f"{pool}.pos_embed", vision.queries, out)
    if width != out:
        add(f"{pool}.kv_proj.weight", out, width)
    norm(f"{pool}.ln_q", out)
    norm(f"{pool}.ln_kv", out)
    add(f"{pool}.attn.in_proj_weight", 3 * out, out)
    add(f"{pool}.attn.in_proj_bias", 3 * out)
    linear(f"{pool}.attn.out_proj", out, out)
    norm(f"{seen}.ln_post", out)
    add(f"{seen}.proj", out, out)
    return state


def ranks(*merged: bytes) -> bytes:
    """Return a `qwen.tiktoken`: the 256 bytes in order, then what is merged of them."""
    tokens = [*(bytes([number]) for number in range(256)), *merged]
    lines = (base64.b64encode(token) + f" {rank}".encode() for rank, token in enumerate(tokens))
    return b"\n".join(lines) + b"\n"


def save_published(folder: Path, text: TextSizes, vision: VisionSizes) -> Path:
    """Write a checkpoint as it is published, its weights in two pickles; return the folder."""
    folder.mkdir()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        state = published_state(text, vision)
    names = sorted(state)
    for number, part in enumerate((names[: len(names) // 2], names[len(names) // 2 :])):
        file = folder / f"pytorch_model-0000{number + 1}-of-00002.bin"
        torch.save({name: state[name] for name in part}, file)
    config = json.dumps(published_config(text, vision))
    (folder / "config.json").write_text(config, encoding="utf-8")
    (folder / "qwen.tiktoken").write_bytes(ranks())
    return folder
