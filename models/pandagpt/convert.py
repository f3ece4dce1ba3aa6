r"""PandaGPT's published checkpoints, converted once.

    cobsat convert pandagpt imagebind_huge.pth pytorch_model.pt vicuna-13b-v0/ \
        --out checkpoints/pandagpt-13b

The first is ImageBind-Huge, of which the image tower counts; the second what PandaGPT trained, a
linear layer and LoRA weights; the third Vicuna v0, of the size that they were trained on, a plain
`LlamaForCausalLM` with its tokenizer. Files may lie in folders, and the order does not matter. LoRA
weights are merged into Vicuna's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import no_progress_bar
from torch import Tensor
from transformers import LlamaForCausalLM

from ..checkpoints import load_exactly
from ..conversion import Rules, dropped, load_strictly, read_state, renamed, save_part, under
from ..llama_words import load_llama_words
from ..lora import merged
from ..published_state import read_config
from . import LANGUAGE_MODEL, VISION
from .vision import Vision, VisionSizes

__all__ = [
    "DELTA",
    "IMAGEBIND",
    "LORA_ALPHA",
    "UNUSED",
    "convert",
    "convert_state_dict",
    "vision_from",
    "vision_sizes",
]

IMAGEBIND: Final = "imagebind_huge.pth"
DELTA: Final = "pytorch_model.pt"

LORA_ALPHA: Final = 32.0
"""As published: LoRA weights count by it over their rank, which is 32 too."""

UNUSED: Final = (
    *(f"*modality_*.{other}.*" for other in ("text", "audio", "depth", "thermal", "imu")),
    "*.rotary_emb.inv_freq",
)
"""Tensors that take no part: ImageBind's other senses, and a table that is computed."""

_SEES: Final = r"(?:visual_encoder\.)?modality_"
_BLOCK: Final = _SEES + r"trunks\.vision\.blocks\.(\d+)\."
_TOWER: Final = "vision.tower.vision_model."
_LAYER: Final = _TOWER + r"encoder.layers.\1."

_RULES: Rules = (
    (_SEES + r"preprocessors\.vision\.cls_token", _TOWER + "embeddings.class_embedding"),
    (
        _SEES + r"preprocessors\.vision\.rgbt_stem\.proj\.1\.weight",
        _TOWER + "embeddings.patch_embedding.weight",
    ),
    (
        _SEES + r"preprocessors\.vision\.pos_embedding_helper\.pos_embed",
        _TOWER + "embeddings.position_embedding.weight",
    ),
    (
        _SEES + r"trunks\.vision\.pre_transformer_layer\.0\.(weight|bias)",
        _TOWER + r"pre_layrnorm.\1",
    ),
    (_BLOCK + r"norm_([12])\.(weight|bias)", _LAYER + r"layer_norm\2.\3"),
    (_BLOCK + r"attn\.([qkv])_(weight|bias)", _LAYER + r"self_attn.\2_proj.\3"),
    (_BLOCK + r"attn\.out_proj\.(weight|bias)", _LAYER + r"self_attn.out_proj.\2"),
    (_BLOCK + r"mlp\.fc([12])\.(weight|bias)", _LAYER + r"mlp.fc\2.\3"),
    (_SEES + r"heads\.vision\.0\.(weight|bias)", _TOWER + r"post_layernorm.\1"),
    (_SEES + r"heads\.vision\.2\.weight", "vision.tower.visual_projection.weight"),
    (r"llama_proj\.(weight|bias)", r"vision.to_language.\1"),
    (
        r"(?:llama_model\.base_model\.model\.)?((?:model|lm_head)\..+)",
        r"language_model.\1",
    ),
)


def convert_state_dict(
    state: Mapping[str, Tensor], drop: Iterable[str] = UNUSED, lora_alpha: float = LORA_ALPHA
) -> dict[str, Tensor]:
    """Return PandaGPT's weights by our names, from the published ones.

    Their names begin with `vision.` or `language_model.`; LoRA weights are merged.

    Args:
        state: The tensors of ImageBind, PandaGPT and Vicuna together, by their published names.
        drop: Patterns of published names to leave out.
        lora_alpha: LoRA weights count by it over their rank.

    Raises:
        ValueError: A name is unknown, or a LoRA weight alone.
    """
    fitted: dict[str, Tensor] = {}
    for name, tensor in dropped(state, drop)[0].items():
        if ".attn.in_proj_" in name:  # queries, keys and values, one block each
            for letter, part in zip("qkv", tensor.chunk(3), strict=True):
                fitted[name.replace("in_proj", letter)] = part.clone()
        elif name.endswith("rgbt_stem.proj.1.weight"):  # over frames, which are the same
            fitted[name] = tensor.sum(dim=2)
        elif name.endswith(("vision.cls_token", "vision.pos_embedding_helper.pos_embed")):
            fitted[name] = tensor.reshape(-1, tensor.shape[-1]).squeeze(0)
        else:
            fitted[name] = tensor
    return merged(renamed(fitted, _RULES, what="PandaGPT"), lora_alpha, "PandaGPT")


def vision_sizes(state: Mapping[str, Tensor], **known: Any) -> VisionSizes:
    """Return the sizes of what PandaGPT sees with, read from published tensors.

    Args:
        state: Tensors by their published names.
        known: What no tensor tells, where it is not as published: `heads`, `norm_eps`.

    Raises:
        ValueError: A tensor is missing.
    """
    plain = {name.removeprefix("visual_encoder."): tensor for name, tensor in state.items()}
    blocks = under(plain, "modality_trunks.vision.blocks.")
    try:
        before = "modality_preprocessors.vision."
        patches = plain[f"{before}rgbt_stem.proj.1.weight"]
        places = plain[f"{before}pos_embedding_helper.pos_embed"]
        return VisionSizes(
            image_size=math.isqrt(places.shape[1] - 1) * patches.shape[-1],
            patch_size=patches.shape[-1],
            width=patches.shape[0],
            layers=len({name.split(".")[0] for name in blocks}),
            mlp_width=blocks["0.mlp.fc1.weight"].shape[0],
            features=plain["modality_heads.vision.2.weight"].shape[0],
            language_width=plain["llama_proj.weight"].shape[0],
            **known,
        )
    except KeyError as error:
        raise ValueError(f"PandaGPT must have the tensor {error}, got none") from None


def vision_from(sizes: VisionSizes, state: Mapping[str, Tensor]) -> Vision:
    """Return image tower and linear layer with weights by our names, loaded strictly.

    Raises:
        ValueError: They are not their weights.
    """
    with torch.device("meta"):
        vision = Vision(sizes)
    places = vision.tower.vision_model.embeddings
    places.position_ids = torch.arange(places.num_positions)[None]  # reckoned, not loaded
    load_strictly(vision, state, "PandaGPT's image tower")
    return vision.eval().requires_grad_(False)


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write the system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: A source is none of PandaGPT's parts, or one of them is missing.
    """
    parts: dict[str, list[Any]] = {"ImageBind": [], "PandaGPT": [], "Vicuna": []}
    for source in sources:
        kind, part = _part(source)
        parts[kind].append(part)
    if {len(given) for given in parts.values()} != {1}:
        counts = ", ".join(f"{len(given)} of {kind}" for kind, given in parts.items())
        raise ValueError(f"checkpoints must be one of each, got {counts}")
    (seeing,), (trained,), (vicuna,) = parts.values()
    kept, left_out = dropped({**seeing, **trained}, (*UNUSED, *drop))
    sizes = vision_sizes(kept)
    model = load_exactly(LlamaForCausalLM, vicuna, "Vicuna", others=(*UNUSED, *drop))
    if model.config.hidden_size != sizes.language_width:
        raise ValueError(
            f"Vicuna must be of the width that PandaGPT was trained on, {sizes.language_width:,}, "
            f"got {model.config.hidden_size:,}: 4,096 is a 7B's, 5,120 a 13B's"
        )
    ours = convert_state_dict({**kept, **model.state_dict()}, ())
    load_strictly(model, under(ours, "language_model."), "PandaGPT's language model")
    vision = vision_from(sizes, under(ours, "vision."))
    with no_progress_bar():
        model.save_pretrained(out / LANGUAGE_MODEL)
    load_llama_words(vicuna).save_pretrained(out / LANGUAGE_MODEL)
    save_part(out / VISION, sizes.config(), vision.state_dict())
    return left_out


def _part(source: Path) -> tuple[str, Any]:
    """Return which part a source is: tensors by name, or of Vicuna the folder."""
    files = [source] if source.is_file() else [source / IMAGEBIND, source / DELTA]
    for file in filter(Path.is_file, files):
        state = read_state(file)
        if any(name.startswith("modality_") for name in state):
            return "ImageBind", state
        if any(name.startswith("llama_proj.") for name in state):
            return "PandaGPT", state
    config = source / "config.json"
    if config.is_file() and read_config(config).get("model_type") == "llama":
        return "Vicuna", str(source)
    raise ValueError(
        f"checkpoint must be ImageBind's {IMAGEBIND}, PandaGPT's {DELTA} or a folder with Vicuna, "
        f"got {source}"
    )
