"""SEED-LLaMA's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from cobsat.models.conversion import save_part, write_record
from cobsat.models.seed_llama.image_tokenizer import TokenizerSizes
from cobsat.models.seed_llama.system import SeedLlama
from torch import Tensor

GOLDEN = Path(__file__).parent / "models" / "golden" / "seed2_tokenizer"


def published_state(sizes: TokenizerSizes, device: str = "cpu") -> dict[str, Tensor]:
    """Return an image tokenizer's tensors by their published names, written down by hand."""
    state: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        state[name] = torch.randn(shape, device=device) * 0.2

    def linear(name: str, out: int, into: int) -> None:
        add(f"{name}.weight", out, into)
        add(f"{name}.bias", out)

    def norm(name: str, width: int) -> None:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)

    def block(name: str, width: int, inner: int) -> None:
        norm(f"{name}.norm1", width)
        norm(f"{name}.norm2", width)
        linear(f"{name}.attn.proj", width, width)
        linear(f"{name}.mlp.fc1", inner, width)
        linear(f"{name}.mlp.fc2", width, inner)
        add(f"{name}.attn.qkv.weight", 3 * width, width)

    vision, width = sizes.vision_width, sizes.qformer_width
    add("visual_encoder.cls_token", 1, 1, vision)
    add("visual_encoder.pos_embed", 1, 1 + (sizes.image_size // sizes.patch_size) ** 2, vision)
    add("visual_encoder.patch_embed.proj.weight", vision, 3, sizes.patch_size, sizes.patch_size)
    add("visual_encoder.patch_embed.proj.bias", vision)
    for layer in range(sizes.vision_layers):
        name = f"visual_encoder.blocks.{layer}"
        block(name, vision, sizes.vision_mlp_width)
        add(f"{name}.attn.q_bias", vision)
        add(f"{name}.attn.v_bias", vision)
    norm("ln_vision", vision)
    add("query_tokens", 1, sizes.queries, width)
    norm("Qformer.bert.embeddings.LayerNorm", width)
    state["Qformer.bert.embeddings.position_ids"] = torch.arange(7, device=device)[None]
    for layer in range(sizes.qformer_layers):
        name = f"Qformer.bert.encoder.layer.{layer}"
        crossed = layer % sizes.cross_attention_every == 0
        for kind in ["attention", *(["crossattention"] if crossed else [])]:
            seen = vision if kind == "crossattention" else width
            linear(f"{name}.{kind}.self.query", width, width)
            linear(f"{name}.{kind}.self.key", width, seen)
            linear(f"{name}.{kind}.self.value", width, seen)
            linear(f"{name}.{kind}.output.dense", width, width)
            norm(f"{name}.{kind}.output.LayerNorm", width)
        linear(f"{name}.intermediate_query.dense", sizes.qformer_mlp_width, width)
        linear(f"{name}.output_query.dense", width, sizes.qformer_mlp_width)
        norm(f"{name}.output_query.LayerNorm", width)
    linear("encode_task_layer.0", width, width)
    linear("encode_task_layer.2", sizes.code_width, width)
    add("quantize.embedding.weight", sizes.codebook_size, sizes.code_width)
    linear("decode_task_layer.0", sizes.code_width, sizes.code_width)
    linear("decode_task_layer.2", width, sizes.code_width)
    for kind, place, count in (
        ("blocks", "pos_embed", 1),
        ("blocks_image", "pos_embed_image", sizes.reverse_blocks),
    ):
        add(place, 1, sizes.queries, width)
        for layer in range(count):
            block(f"{kind}.{layer}", width, sizes.reverse_block_mlp_width)
            add(f"{kind}.{layer}.attn.qkv.bias", 3 * width)
    before = width
    for number, after in enumerate(sizes.down_widths):
        add(f"image_down.{2 * number}.weight", after, before)
        before = after
    linear("distill_image_proj", sizes.image_embedding_width, before * sizes.queries)
    return state


def save_published(system: SeedLlama, sizes: TokenizerSizes, home: Path) -> tuple[Path, Path, Path]:
    """Write a system's parts as they are published; return their three folders.

    The image tokenizer with the words, the language model in pickles, and the decoder.
    """
    tokenizer, language_model, decoder = (home / n for n in ("seed-tokenizer-2", "llama", "unclip"))
    tokenizer.mkdir()
    generator_state = torch.get_rng_state()
    torch.manual_seed(1)
    torch.save(published_state(sizes), tokenizer / "seed_quantizer.pt")
    torch.set_rng_state(generator_state)
    system.words.save_pretrained(tokenizer)
    model: Any = system.language_model
    language_model.mkdir()
    model.config.save_pretrained(language_model)
    torch.save(model.state_dict(), language_model / "pytorch_model.bin")
    system.decoder.save_pretrained(decoder)
    return tokenizer, language_model, decoder


def save_converted(system: SeedLlama, folder: Path) -> Path:
    """Write a system as `cobsat convert` does, its decoder beside it; return the folder."""
    tokenizer = system.image_tokenizer
    state = tokenizer.state_dict()
    save_part(folder / "image_tokenizer", tokenizer.sizes.config(), state)
    system.language_model.save_pretrained(folder / "language_model")
    system.words.save_pretrained(folder / "language_model")
    write_record(folder, "seed_llama", [], [])
    system.decoder.save_pretrained(folder.with_name("unclip"))
    return folder
