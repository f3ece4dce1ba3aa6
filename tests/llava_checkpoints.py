"""LLaVA-1.5's checkpoint as its authors publish it, at tiny size, and its CLIP; random weights."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from cobsat.models.tiny_replies import tiny_llama_words
from emu_checkpoints import Tensors
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel

TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 2}
VISION = {**TOWER, "num_hidden_layers": 3, "image_size": 32, "patch_size": 8}
TEXT = {**TOWER, "num_hidden_layers": 1, "vocab_size": 50}


def save_published(home: Path, apart: bool) -> tuple[Path, Path]:
    """Save a tiny LLaVA as its authors publish it, and its CLIP; the tower in one of them."""
    llava, clip = home / "llava-v1.5-13b", home / "clip-vit-large-patch14-336"
    llava.mkdir(parents=True)
    words = tiny_llama_words()
    words.save_pretrained(llava)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        config = CLIPConfig(vision_config=VISION, text_config=TEXT)
        whole = CLIPModel(config)
        whole.save_pretrained(clip)
        state = Tensors()
        state.llama("", 64, len(words), 2, 96)
        state.linear("model.mm_projector.0", 64, 32)
        state.linear("model.mm_projector.2", 64, 64)
    save_clip_pictures(clip, 32)
    if not apart:
        before = "model.vision_tower.vision_tower."
        tower = whole.vision_model.state_dict()
        state |= {f"{before}vision_model.{name}": tensor for name, tensor in tower.items()}
    half, places = len(state) // 2, {}
    for number, names in enumerate((list(state)[:half], list(state)[half:]), start=1):
        part = {name: state[name].bfloat16() for name in names}
        file = f"pytorch_model-0000{number}-of-00002.bin"
        torch.save(part, llava / file)
        places |= dict.fromkeys(names, file)
    index = {"metadata": {}, "weight_map": places}
    (llava / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    # What training leaves: the layers between as they were before they were tuned, its arguments.
    early = {name: state[name] + 1 for name in state if ".mm_projector." in name}
    torch.save(early, llava / "mm_projector.bin")
    torch.save({"lr": 1e-3}, llava / "training_args.bin")
    told = {
        "model_type": "llava", "mm_vision_tower": "openai/clip-vit-large-patch14-336",
        "mm_vision_select_layer": -2, "mm_vision_select_feature": "patch",
        "mm_projector_type": "mlp2x_gelu", "mm_use_im_start_end": False,
        "image_aspect_ratio": "pad", "rope_scaling": None, "num_attention_heads": 4,
        "rms_norm_eps": 1e-5, "max_position_embeddings": 1024,
    }  # fmt: skip
    (llava / "config.json").write_text(json.dumps(told), encoding="utf-8")
    return llava, clip


def save_clip_pictures(folder: Path, side: int) -> None:
    """Save how a CLIP takes pictures."""
    CLIPImageProcessorPil(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}
    ).save_pretrained(folder)
