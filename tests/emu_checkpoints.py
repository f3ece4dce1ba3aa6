"""Emu's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from cobsat.models.emu import tiny
from cobsat.models.emu.bridge import BridgeSizes
from cobsat.models.emu.words import CHAT, PICTURES
from cobsat.models.tiny_replies import tiny_llama_words
from torch import Tensor

RANK = 2
"""Of the instructed Emu's LoRA weights, here."""


def published_state(
    sizes: BridgeSizes,
    rows: int,
    layers: int = 1,
    mlp_width: int = 24,
    device: str = "cpu",
    instructed: bool = False,
) -> dict[str, Tensor]:
    """Return Emu's tensors by their published names, written down by hand."""
    state: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        scale = max(1, torch.Size(shape[1:]).numel()) ** -0.5
        state[name] = torch.randn(shape, device=device) * scale

    def linear(name: str, out: int, into: int) -> None:
        add(f"{name}.weight", out, into)
        add(f"{name}.bias", out)

    def norm(name: str, width: int) -> None:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)

    width, patches = sizes.vision_width, (sizes.image_size // sizes.patch_size) ** 2
    add("visual.cls_token", 1, 1, width)
    add("visual.pos_embed", 1, 1 + patches, width)
    add("visual.patch_embed.proj.weight", width, 3, sizes.patch_size, sizes.patch_size)
    add("visual.patch_embed.proj.bias", width)
    for number in range(sizes.vision_layers):
        block = f"visual.blocks.{number}"
        norm(f"{block}.norm1", width)
        norm(f"{block}.norm2", width)
        add(f"{block}.attn.qkv.weight", 3 * width, width)
        add(f"{block}.attn.q_bias", width)
        add(f"{block}.attn.v_bias", width)
        linear(f"{block}.attn.proj", width, width)
        linear(f"{block}.mlp.fc1", sizes.vision_mlp_width, width)
        linear(f"{block}.mlp.fc2", width, sizes.vision_mlp_width)
    norm("ln_visual", width)
    former, inner = sizes.former_width, sizes.former_heads * sizes.former_head_width
    add("cformer.causal_tokens", 1, sizes.causal_tokens, former)
    for number in range(sizes.former_layers):
        layer = f"cformer.cformer.block.{number}.layer"
        for place, attention, read in (
            (0, "SelfAttention", former), (1, "EncDecAttention", width),
        ):  # fmt: skip
            add(f"{layer}.{place}.{attention}.q.weight", inner, former)
            add(f"{layer}.{place}.{attention}.k.weight", inner, read)
            add(f"{layer}.{place}.{attention}.v.weight", inner, read)
            add(f"{layer}.{place}.{attention}.o.weight", former, inner)
            add(f"{layer}.{place}.layer_norm.weight", former)
        add(f"{layer}.2.DenseReluDense.wi.weight", sizes.former_mlp_width, former)
        add(f"{layer}.2.DenseReluDense.wo.weight", former, sizes.former_mlp_width)
        add(f"{layer}.2.layer_norm.weight", former)
    first = "cformer.cformer.block.0.layer.0.SelfAttention"
    add(f"{first}.relative_attention_bias.weight", sizes.former_buckets, sizes.former_heads)
    add("cformer.cformer.final_layer_norm.weight", former)
    linear("cformer.projection", sizes.language_width, former)
    state |= _llama(sizes.language_width, rows, layers, mlp_width, device, instructed)
    # What takes no part.
    add("cformer.cformer.embed_tokens.weight", 9, former)
    norm("visual.norm", width)
    linear("visual.head", 7, width)
    return state


def _llama(
    width: int, rows: int, layers: int, mlp_width: int, device: str, instructed: bool
) -> dict[str, Tensor]:
    lm = f"decoder.lm.{'base_model.model.' if instructed else ''}"
    shapes: dict[str, tuple[int, ...]] = {
        f"{lm}model.embed_tokens.weight": (rows, width), f"{lm}model.norm.weight": (width,),
        f"{lm}lm_head.weight": (rows, width), f"{lm}stu_regress_head.weight": (width, width),
    }  # fmt: skip
    for number in range(layers):
        layer = f"{lm}model.layers.{number}"
        for each in "qkvo":
            projection = f"{layer}.self_attn.{each}_proj"
            shapes[f"{projection}.weight"] = (width, width)
            if instructed:
                shapes[f"{projection}.lora_A.default.weight"] = (RANK, width)
                shapes[f"{projection}.lora_B.default.weight"] = (width, RANK)
        shapes[f"{layer}.self_attn.rotary_emb.inv_freq"] = (width // 2,)
        for each in ("gate", "up"):
            shapes[f"{layer}.mlp.{each}_proj.weight"] = (mlp_width, width)
        shapes[f"{layer}.mlp.down_proj.weight"] = (width, mlp_width)
        for each in ("input", "post_attention"):
            shapes[f"{layer}.{each}_layernorm.weight"] = (width,)
    return {
        name: torch.randn(shape, device=device) * shape[-1] ** -0.5
        for name, shape in shapes.items()
    }


SIZES = BridgeSizes(**{**tiny.SIZES.config(), "vision_heads": 16})
"""As `tiny`'s, with heads as published: no tensor tells them."""


def save_published(home: Path) -> tuple[Path, Path, Path]:
    """Write tiny parts as they are published: pretrained folder, instructed file, LLaMA's words."""
    pretrained, instructed, llama = home / "pretrain", home / "Emu-instruct.pt", home / "llama"
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        words = tiny_llama_words()
        words.save_pretrained(llama)
        rows = len(words) + len(PICTURES)
        decoder: Any = tiny.tiny_decoder()
        for name in ("unet", "vae", "scheduler"):
            getattr(decoder, name).save_pretrained(pretrained / name)
        (pretrained / "multimodal_encoder").mkdir()
        torch.save(
            published_state(SIZES, rows), pretrained / "multimodal_encoder" / "pytorch_model.bin"
        )
        torch.save(
            {"module": published_state(SIZES, rows + len(CHAT), instructed=True)}, instructed
        )
    return pretrained, instructed, llama
