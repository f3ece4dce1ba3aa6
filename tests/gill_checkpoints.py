"""GILL's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from cobsat.models.gill import tiny
from cobsat.models.gill.bridge import BridgeSizes
from torch import Tensor


def published_state(sizes: BridgeSizes, device: str = "cpu", rows: int = 8) -> dict[str, Tensor]:
    """Return GILL's trained tensors by their published names, written down by hand."""
    state: dict[str, Tensor] = {}

    def add(name: str, *shape: int) -> None:
        state[f"model.{name}"] = torch.randn(shape, device=device) * 0.2

    def linear(name: str, out: int, into: int) -> None:
        add(f"{name}.weight", out, into)
        add(f"{name}.bias", out)

    def norm(name: str) -> None:
        add(f"{name}.weight", width)
        add(f"{name}.bias", width)

    width, language_width = sizes.mapper_width, sizes.language_width
    mapper = "gen_text_hidden_fcs.0"
    linear("visual_embeddings", sizes.tokens_per_picture * language_width, sizes.vision_width)
    linear(f"{mapper}.fc", width, language_width)
    linear(f"{mapper}.model", sizes.decoder_width, width)
    add(f"{mapper}.query_embs", 1, sizes.mapper_queries, width)
    for half, layers, norms in (
        ("encoder", sizes.mapper_encoder_layers, 2),
        ("decoder", sizes.mapper_decoder_layers, 3),
    ):
        norm(f"{mapper}.tfm.{half}.norm")
        for number in range(layers):
            layer = f"{mapper}.tfm.{half}.layers.{number}"
            for attention in ["self_attn", *(["multihead_attn"] if half == "decoder" else [])]:
                add(f"{layer}.{attention}.in_proj_weight", 3 * width, width)
                add(f"{layer}.{attention}.in_proj_bias", 3 * width)
                linear(f"{layer}.{attention}.out_proj", width, width)
            linear(f"{layer}.linear1", sizes.mapper_mlp_width, width)
            linear(f"{layer}.linear2", width, sizes.mapper_mlp_width)
            for which in range(1, norms + 1):
                norm(f"{layer}.norm{which}")
    add("input_embeddings.weight", rows, language_width)
    # What belongs to retrieval.
    linear("ret_text_hidden_fcs.0.model", 16, language_width)
    linear("visual_fc", 16, sizes.vision_width)
    add("logit_scale")
    return state


def save_published(home: Path) -> tuple[Path, Path, Path, Path]:
    """Write tiny parts as they are published; return their four folders.

    What GILL trained and OPT as pickles, OPT's with its tokenizer; a whole CLIP; the decoder.
    """
    gill, opt, clip, decoder = (home / name for name in ("gill_opt", "opt", "clip", "sd"))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        gill.mkdir()
        state = {"epoch": 9, "state_dict": published_state(tiny.SIZES)}
        torch.save(state, gill / "pretrained_ckpt.pth.tar")
        (gill / "model_args.json").write_text("{}")
        torch.save({"state_dict": {"w": torch.ones(1)}}, gill / "decision_model.pth.tar")
        words = tiny.tiny_words()
        words.save_pretrained(opt)
        model = plain_opt(len(words) + 3)  # as OPT's own: some rows that no token has
        model.config.save_pretrained(opt)
        torch.save(model.model.state_dict(), opt / "pytorch_model.bin")  # without "model."
        plain_clip().save_pretrained(clip)
        tiny.tiny_decoder().save_pretrained(decoder)
    return gill, opt, clip, decoder


def plain_opt(rows: int) -> Any:
    """Return an OPT with one table of words, as published."""
    return transformers.OPTForCausalLM(
        transformers.OPTConfig(
            vocab_size=rows, hidden_size=tiny.SIZES.language_width, ffn_dim=128,
            num_hidden_layers=1, num_attention_heads=4, max_position_embeddings=2048,
            word_embed_proj_dim=tiny.SIZES.language_width, init_std=0.2, bos_token_id=2,
            eos_token_id=2, pad_token_id=1,
        )
    ).eval()  # fmt: skip


def plain_clip() -> Any:
    """Return a CLIP with both its halves."""
    text = {
        "vocab_size": 20, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 2, "max_position_embeddings": 8, "bos_token_id": 0,
        "eos_token_id": 1,
    }  # fmt: skip
    vision = tiny.tiny_vision().config.to_dict()
    return transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=vision))
