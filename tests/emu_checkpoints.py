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


class Tensors(dict[str, Tensor]):
    """Random tensors by name."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self._device = device

    def put(self, name: str, *shape: int) -> None:
        scale = max(1, torch.Size(shape[1:]).numel()) ** -0.5
        self[name] = torch.randn(shape, device=self._device) * scale

    def linear(self, name: str, out: int, into: int) -> None:
        self.put(f"{name}.weight", out, into)
        self.put(f"{name}.bias", out)

    def norm(self, name: str, width: int) -> None:
        self.put(f"{name}.weight", width)
        self.put(f"{name}.bias", width)

    def tower(self, sizes: Any, before: str = "visual.") -> None:
        """Put an EVA tower's tensors by their published names."""
        width, patches = sizes.vision_width, (sizes.image_size // sizes.patch_size) ** 2
        self.put(f"{before}cls_token", 1, 1, width)
        self.put(f"{before}pos_embed", 1, 1 + patches, width)
        patch = (sizes.patch_size, sizes.patch_size)
        self.put(f"{before}patch_embed.proj.weight", width, 3, *patch)
        self.put(f"{before}patch_embed.proj.bias", width)
        for number in range(sizes.vision_layers):
            block = f"{before}blocks.{number}"
            self.norm(f"{block}.norm1", width)
            self.norm(f"{block}.norm2", width)
            self.put(f"{block}.attn.qkv.weight", 3 * width, width)
            self.put(f"{block}.attn.q_bias", width)
            self.put(f"{block}.attn.v_bias", width)
            self.linear(f"{block}.attn.proj", width, width)
            self.linear(f"{block}.mlp.fc1", sizes.vision_mlp_width, width)
            self.linear(f"{block}.mlp.fc2", width, sizes.vision_mlp_width)

    def llama(
        self, before: str, width: int, rows: int, layers: int, mlp_width: int, rank: int = 0
    ) -> None:
        """Put a LLaMA's tensors, with LoRA weights beside those of its attention if asked for."""
        self.put(f"{before}model.embed_tokens.weight", rows, width)
        self.put(f"{before}model.norm.weight", width)
        self.put(f"{before}lm_head.weight", rows, width)
        for number in range(layers):
            layer = f"{before}model.layers.{number}"
            for each in "qkvo":
                projection = f"{layer}.self_attn.{each}_proj"
                self.put(f"{projection}.weight", width, width)
                if rank:
                    self.put(f"{projection}.lora_A.default.weight", rank, width)
                    self.put(f"{projection}.lora_B.default.weight", width, rank)
            self.put(f"{layer}.self_attn.rotary_emb.inv_freq", width // 2)
            for each in ("gate", "up"):
                self.put(f"{layer}.mlp.{each}_proj.weight", mlp_width, width)
            self.put(f"{layer}.mlp.down_proj.weight", width, mlp_width)
            for each in ("input", "post_attention"):
                self.put(f"{layer}.{each}_layernorm.weight", width)


def published_state(
    sizes: BridgeSizes,
    rows: int,
    layers: int = 1,
    mlp_width: int = 24,
    device: str = "cpu",
    instructed: bool = False,
) -> dict[str, Tensor]:
    """Return Emu's tensors by their published names, written down by hand."""
    state = Tensors(device)
    state.tower(sizes)
    state.norm("ln_visual", sizes.vision_width)
    former, inner = sizes.former_width, sizes.former_heads * sizes.former_head_width
    state.put("cformer.causal_tokens", 1, sizes.causal_tokens, former)
    for number in range(sizes.former_layers):
        layer = f"cformer.cformer.block.{number}.layer"
        for place, attention, read in (
            (0, "SelfAttention", former), (1, "EncDecAttention", sizes.vision_width),
        ):  # fmt: skip
            state.put(f"{layer}.{place}.{attention}.q.weight", inner, former)
            state.put(f"{layer}.{place}.{attention}.k.weight", inner, read)
            state.put(f"{layer}.{place}.{attention}.v.weight", inner, read)
            state.put(f"{layer}.{place}.{attention}.o.weight", former, inner)
            state.put(f"{layer}.{place}.layer_norm.weight", former)
        state.put(f"{layer}.2.DenseReluDense.wi.weight", sizes.former_mlp_width, former)
        state.put(f"{layer}.2.DenseReluDense.wo.weight", former, sizes.former_mlp_width)
        state.put(f"{layer}.2.layer_norm.weight", former)
    first = "cformer.cformer.block.0.layer.0.SelfAttention"
    state.put(f"{first}.relative_attention_bias.weight", sizes.former_buckets, sizes.former_heads)
    state.put("cformer.cformer.final_layer_norm.weight", former)
    state.linear("cformer.projection", sizes.language_width, former)
    lm, width = f"decoder.lm.{'base_model.model.' if instructed else ''}", sizes.language_width
    state.llama(lm, width, rows, layers, mlp_width, RANK if instructed else 0)
    state.put(f"{lm}stu_regress_head.weight", width, width)
    # What takes no part.
    state.put("cformer.cformer.embed_tokens.weight", 9, former)
    state.norm("visual.norm", sizes.vision_width)
    state.linear("visual.head", 7, sizes.vision_width)
    return dict(state)  # a class of its own is more than tensors to a reader of pickles


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
