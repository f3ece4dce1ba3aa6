"""Emu2's published checkpoints as they are laid out, at any size, with random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from cobsat.models.emu.words import CHAT
from cobsat.models.emu2 import tiny
from cobsat.models.emu2.bridge import BridgeSizes
from cobsat.models.emu2.system import SafetyCheck
from cobsat.models.emu2.words import TOKENS
from cobsat.models.tiny_replies import tiny_llama_words
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from emu_checkpoints import Tensors
from safetensors.torch import save_file
from torch import Tensor
from transformers import CLIPConfig, CLIPImageProcessor

SIZES = BridgeSizes(**{**tiny.SIZES.config(), "vision_heads": 4, "tokens": 16})
"""As `tiny`'s, with other tokens a picture: only the published config tells how many."""

CONFIG = {
    "hidden_size": SIZES.language_width,
    "vision_config": {
        "head_width": SIZES.vision_width // 4, "layer_norm_eps": 1e-6, "n_query": 16,
        "width": SIZES.vision_width,
    },
}  # fmt: skip


def published_state(
    sizes: BridgeSizes,
    rows: int,
    layers: int = 1,
    mlp_width: int = 24,
    device: str = "cpu",
    hub: bool = True,
) -> dict[str, Tensor]:
    """Return Emu2's tensors by their names on the Hub, or in the authors' files."""
    state, before = Tensors(device), "model." if hub else ""
    state.tower(sizes, f"{before}visual.")
    state.llama(f"{before}decoder.lm.", sizes.language_width, rows, layers, mlp_width)
    beside = "" if hub else "decoder.lm."
    state.put(f"{beside}project_down.weight", sizes.vision_width, sizes.language_width)
    state.put(f"{beside}project_up.weight", sizes.language_width, sizes.vision_width)
    return dict(state)


def save_gen(home: Path) -> Path:
    """Write a tiny Emu2-Gen as it is published: a language model in a pipeline's folder."""
    gen, decoder = home / "Emu2-Gen", _decoder()
    _save_encoder(gen / "multimodal_encoder", len(TOKENS), "model.bf16-00001-of-00001.safetensors")
    words = tiny.tiny_words(len(TOKENS))
    words.save_pretrained(gen / "tokenizer")
    for name in ("unet", "vae"):
        getattr(decoder, name).bfloat16().save_pretrained(gen / name, variant="bf16")
    decoder.scheduler.save_pretrained(gen / "scheduler")
    return gen


def save_chat(home: Path) -> Path:
    """Write a tiny Emu2-Chat as it is published: all in one folder."""
    chat = home / "Emu2-Chat"
    _save_encoder(chat, len(TOKENS) + len(CHAT), "model-00001-of-00001.safetensors")
    tiny.tiny_words().save_pretrained(chat)
    return chat


def save_own(home: Path) -> tuple[Path, Path]:
    """Write a tiny Emu2 as its authors keep it: a file of weights; and LLaMA's tokenizer."""
    file, llama = home / "pytorch_model.bin", home / "llama"
    rows = len(tiny_llama_words()) + len(TOKENS)
    torch.save({"module": published_state(SIZES, rows, hub=False)}, file)
    tiny_llama_words().save_pretrained(llama)
    return file, llama


def safety_check(threshold: float) -> SafetyCheck:
    """The real checker at tiny size; unsafe is what comes nearer to a concept than that."""
    towers = {
        "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }  # fmt: skip
    config = CLIPConfig(
        vision_config={**towers, "image_size": 16, "patch_size": 8}, projection_dim=8
    )
    checker = StableDiffusionSafetyChecker(config)
    with torch.no_grad():
        for weights, embeddings in (
            (checker.concept_embeds_weights, checker.concept_embeds),
            (checker.special_care_embeds_weights, checker.special_care_embeds),
        ):
            weights.fill_(threshold)
            embeddings.normal_()
    side = {"shortest_edge": 16}
    crop = {"height": 16, "width": 16}
    return SafetyCheck(CLIPImageProcessor(size=side, crop_size=crop), checker.eval())


def _decoder() -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return tiny.tiny_decoder()


def _save_encoder(folder: Path, names: int, file: str) -> None:
    folder.mkdir(parents=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        state = published_state(SIZES, len(tiny_llama_words()) + names)
    save_file(state, folder / file)
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
