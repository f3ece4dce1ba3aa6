"""PandaGPT's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from cobsat.models.pandagpt import tiny
from cobsat.models.pandagpt.vision import VisionSizes
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM

RANK = 2
"""Of LoRA weights, here."""

SIZES = VisionSizes(**{**tiny.SIZES.config(), "heads": 16})
"""As `tiny`'s, with heads as published: no tensor tells them."""

PUBLISHED = VisionSizes(
    image_size=224, patch_size=14, width=1280, layers=32, mlp_width=5120, features=1024,
    language_width=5120,
)  # fmt: skip


def imagebind_state(sizes: VisionSizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return ImageBind's tensors by their published names, written down by hand."""
    state: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        scale = max(1, torch.Size(shape[1:]).numel()) ** -0.5
        state[name] = torch.randn(shape, device=device) * scale

    def linear(name: str, out: int, into: int) -> None:
        add(f"{name}.weight", out, into)
        add(f"{name}.bias", out)

    def norm(name: str, width: int) -> None:
        state[f"{name}.weight"] = 1 + torch.randn(width, device=device) / 10
        state[f"{name}.bias"] = torch.randn(width, device=device) / 10

    width, patches = sizes.width, (sizes.image_size // sizes.patch_size) ** 2
    before, trunk, head = (
        f"modality_{part}.vision" for part in ("preprocessors", "trunks", "heads")
    )
    add(f"{before}.cls_token", 1, 1, width)
    add(f"{before}.rgbt_stem.proj.1.weight", width, 3, 2, sizes.patch_size, sizes.patch_size)
    add(f"{before}.pos_embedding_helper.pos_embed", 1, 1 + patches, width)
    norm(f"{trunk}.pre_transformer_layer.0", width)
    for number in range(sizes.layers):
        block = f"{trunk}.blocks.{number}"
        norm(f"{block}.norm_1", width)
        norm(f"{block}.norm_2", width)
        add(f"{block}.attn.in_proj_weight", 3 * width, width)
        add(f"{block}.attn.in_proj_bias", 3 * width)
        linear(f"{block}.attn.out_proj", width, width)
        linear(f"{block}.mlp.fc1", sizes.mlp_width, width)
        linear(f"{block}.mlp.fc2", width, sizes.mlp_width)
    norm(f"{head}.0", width)
    add(f"{head}.2.weight", sizes.features, width)
    # What takes no part: the other senses.
    for sense in ("text", "audio", "depth", "thermal", "imu"):
        add(f"modality_preprocessors.{sense}.cls_token", 1, 1, 4)
        add(f"modality_trunks.{sense}.blocks.0.attn.in_proj_weight", 12, 4)
        add(f"modality_heads.{sense}.0.weight", 4)
        add(f"modality_postprocessors.{sense}.1.log_logit_scale")
    return state


def delta_state(
    sizes: VisionSizes, layers: int, device: str = "cpu", adapter: str = ".default"
) -> dict[str, Tensor]:
    """Return what PandaGPT trained by its published names."""
    width = sizes.language_width
    shapes: dict[str, tuple[int, ...]] = {
        "llama_proj.weight": (width, sizes.features), "llama_proj.bias": (width,),
    }  # fmt: skip
    for number in range(layers):
        for each in "qkvo":
            name = f"llama_model.base_model.model.model.layers.{number}.self_attn.{each}_proj"
            shapes[f"{name}.lora_A{adapter}.weight"] = (RANK, width)
            shapes[f"{name}.lora_B{adapter}.weight"] = (width, RANK)
    return {
        name: torch.randn(shape, device=device) * shape[-1] ** -0.5 / 4
        for name, shape in shapes.items()
    }


def llama_state(
    width: int, rows: int, layers: int, mlp_width: int, device: str = "cpu"
) -> dict[str, Tensor]:
    """Return Vicuna's tensors by their published names, of which one is reckoned today."""
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (rows, width), "model.norm.weight": (width,),
        "lm_head.weight": (rows, width),
    }  # fmt: skip
    for number in range(layers):
        layer = f"model.layers.{number}"
        shapes |= {f"{layer}.self_attn.{each}_proj.weight": (width, width) for each in "qkvo"}
        shapes[f"{layer}.self_attn.rotary_emb.inv_freq"] = (width // 2,)
        shapes |= {f"{layer}.mlp.{each}_proj.weight": (mlp_width, width) for each in ("gate", "up")}
        shapes[f"{layer}.mlp.down_proj.weight"] = (width, mlp_width)
        shapes[f"{layer}.input_layernorm.weight"] = (width,)
        shapes[f"{layer}.post_attention_layernorm.weight"] = (width,)
    return {
        name: torch.randn(shape, device=device) * shape[-1] ** -0.5
        for name, shape in shapes.items()
    }


def save_published(home: Path) -> tuple[Path, Path, Path]:
    """Write tiny parts as they are published: ImageBind, PandaGPT's own, and Vicuna's folder."""
    home.mkdir(parents=True, exist_ok=True)
    imagebind, delta, vicuna = home / "imagebind_huge.pth", home / "pytorch_model.pt", home / "v0"
    words = tiny.tiny_words()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model: Any = tiny.tiny_language_model(words)
        torch.save(imagebind_state(SIZES), imagebind)
        trained = delta_state(SIZES, layers=2)
        torch.save({name: nn.Parameter(tensor) for name, tensor in trained.items()}, delta)
    vicuna.mkdir()
    words.save_pretrained(vicuna)
    model.config.architectures = ["LlamaForCausalLM"]
    model.config.save_pretrained(vicuna)
    table = {f"model.layers.{n}.self_attn.rotary_emb.inv_freq": torch.ones(64) for n in range(2)}
    torch.save({**model.state_dict(), **table}, vicuna / "pytorch_model.bin")
    return imagebind, delta, vicuna


def small_llama(layers: int = 2) -> Any:
    """Return a LLaMA of the sizes that `llama_state(128, 40, layers, 24)` has."""
    config = LlamaConfig(
        vocab_size=40, hidden_size=128, intermediate_size=24, num_hidden_layers=layers,
        num_attention_heads=2, num_key_value_heads=2, rms_norm_eps=1e-6,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()
