"""SEED-LLaMA's published checkpoints, converted once.

    cobsat convert seed_llama seed-tokenizer-2/ seed-llama-14b-sft/ --out checkpoints/seed-llama-14b

The first holds `seed_quantizer.pt` (the image tokenizer) and the text tokenizer's files, the second
the language model, a plain `LlamaForCausalLM`. The order does not matter; a part that is not given
is not in the new folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from transformers import LlamaForCausalLM

from ..checkpoints import load_exactly
from ..conversion import Rules, dropped, load_strictly, read_state, renamed, save_part, under
from ..eva_tower import eva_config, eva_state
from ..llama_words import load_llama_words as load_words
from ..published_state import read_config
from . import IMAGE_TOKENIZER, LANGUAGE_MODEL
from .image_tokenizer import ImageTokenizer, TokenizerSizes
from .prompts import PICTURE_BEGIN

__all__ = [
    "QUANTIZER",
    "UNUSED",
    "convert",
    "convert_state_dict",
    "image_tokenizer_from",
    "load_language_model",
    "load_words",
    "tokenizer_sizes",
]

QUANTIZER: Final = "seed_quantizer.pt"

UNUSED: Final = ("blocks.*", "pos_embed", "Qformer.bert.embeddings.position_ids")
"""Tensors of the published tokenizer that take no part: a second decoder's, and a count."""

_TOWER: Final = "visual_encoder."
_NORM: Final = "ln_vision."
_LAYER: Final = r"Qformer\.bert\.encoder\.layer\.(\d+)\."

_RULES: Rules = (
    (r"query_tokens", "queries"),
    (r"pos_embed_image", "places"),
    (r"Qformer\.bert\.embeddings\.LayerNorm\.(weight|bias)", r"qformer.layernorm.\1"),
    (
        _LAYER + r"(attention|crossattention)\.self\.(query|key|value)\.(weight|bias)",
        r"qformer.encoder.layer.\1.\2.attention.\3.\4",
    ),
    (
        _LAYER + r"(attention|crossattention)\.output\.(dense|LayerNorm)\.(weight|bias)",
        r"qformer.encoder.layer.\1.\2.output.\3.\4",
    ),
    (
        _LAYER + r"(intermediate_query|output_query)\.(dense|LayerNorm)\.(weight|bias)",
        r"qformer.encoder.layer.\1.\2.\3.\4",
    ),
    (r"encode_task_layer\.(\d+)\.(weight|bias)", r"to_code.\1.\2"),
    (r"quantize\.embedding\.weight", "codebook.weight"),
    (r"decode_task_layer\.(\d+)\.(weight|bias)", r"from_code.\1.\2"),
    (r"blocks_image\.(\d+)\.norm([12])\.(weight|bias)", r"reverse.layers.\1.layer_norm\2.\3"),
    (r"blocks_image\.(\d+)\.attn\.qkv\.(weight|bias)", r"reverse.layers.\1.self_attn.qkv.\2"),
    (
        r"blocks_image\.(\d+)\.attn\.proj\.(weight|bias)",
        r"reverse.layers.\1.self_attn.projection.\2",
    ),
    (r"blocks_image\.(\d+)\.mlp\.fc([12])\.(weight|bias)", r"reverse.layers.\1.mlp.fc\2.\3"),
    (r"image_down\.(\d+)\.weight", r"down.\1.weight"),
    (r"distill_image_proj\.(weight|bias)", r"to_embedding.\1"),
)


def convert_state_dict(
    state: Mapping[str, Tensor], drop: Iterable[str] = UNUSED
) -> dict[str, Tensor]:
    """Return the image tokenizer's weights by our names, from the published ones.

    Raises:
        ValueError: A name is unknown.
    """
    kept, _ = dropped(state, drop)
    tower, norm = under(kept, _TOWER), under(kept, _NORM)
    rest = {k: tensor for k, tensor in kept.items() if not k.startswith((_TOWER, _NORM))}
    ours = renamed(rest, _RULES, what="SEED's image tokenizer")
    return ours | {f"tower.{name}": tensor for name, tensor in eva_state(tower, norm).items()}


def tokenizer_sizes(state: Mapping[str, Tensor], **known: Any) -> TokenizerSizes:
    """Return an image tokenizer's sizes, read from its published tensors.

    Args:
        state: Tensors by their published names.
        known: What no tensor tells, where it is not as published: heads and epsilons.

    Raises:
        ValueError: A tensor is missing.
    """
    standard = TokenizerSizes.__dataclass_fields__
    heads = known.get("vision_heads", standard["vision_heads"].default)
    eps = known.get("vision_norm_eps", standard["vision_norm_eps"].default)
    vision = eva_config(under(state, _TOWER), heads, eps)
    try:
        layer = "Qformer.bert.encoder.layer."
        layers = _numbers(state, layer, ".output_query.dense.weight")
        crossed = _numbers(state, layer, ".crossattention.self.query.weight")
        downs = _numbers(state, "image_down.", ".weight")
        return TokenizerSizes(
            image_size=int(vision.image_size),  # type: ignore[arg-type]
            patch_size=int(vision.patch_size),  # type: ignore[arg-type]
            vision_width=vision.hidden_size,
            vision_layers=vision.num_hidden_layers,
            vision_mlp_width=vision.intermediate_size,
            qformer_width=state["query_tokens"].shape[2],
            qformer_layers=len(layers),
            qformer_mlp_width=state[f"{layer}0.intermediate_query.dense.weight"].shape[0],
            cross_attention_every=crossed[1] if len(crossed) > 1 else len(layers),
            queries=state["query_tokens"].shape[1],
            codebook_size=state["quantize.embedding.weight"].shape[0],
            code_width=state["quantize.embedding.weight"].shape[1],
            reverse_blocks=len(_numbers(state, "blocks_image.", ".norm1.weight")),
            reverse_block_mlp_width=state["blocks_image.0.mlp.fc1.weight"].shape[0],
            down_widths=tuple(state[f"image_down.{number}.weight"].shape[0] for number in downs),
            image_embedding_width=state["distill_image_proj.weight"].shape[0],
            **known,
        )
    except KeyError as error:
        raise ValueError(f"SEED's image tokenizer must have the tensor {error}, got none") from None


def _numbers(state: Mapping[str, Tensor], before: str, after: str) -> list[int]:
    """Return in order the numbers that stand in names between two texts."""
    names = (k.removeprefix(before).removesuffix(after) for k in state if k.startswith(before))
    return sorted(int(name) for name in names if name.isdigit())


def image_tokenizer_from(
    sizes: TokenizerSizes, state: Mapping[str, Tensor], device: Any = "cpu"
) -> ImageTokenizer:
    """Return an image tokenizer in float32 with weights by our names, loaded strictly.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        tokenizer = ImageTokenizer(sizes)
    exact = {name: tensor.to(device, torch.float32) for name, tensor in state.items()}
    load_strictly(tokenizer, exact, "SEED's image tokenizer")
    return tokenizer.eval().requires_grad_(False)


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write a system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: A source is none of SEED-LLaMA's parts, or not the whole of one.
    """
    left_out: set[str] = set()
    for source in sources:
        known = False
        quantizer = source / QUANTIZER if source.is_dir() else source
        if quantizer.is_file():
            left_out |= _convert_quantizer(quantizer, out / IMAGE_TOKENIZER, drop)
            known = True
        if (source / "config.json").is_file() and (not known or _model_type(source) == "llama"):
            _convert_language_model(source, out / LANGUAGE_MODEL)
            known = True
        if source.is_dir() and any(source.glob("tokenizer*")):
            words = load_words(str(source))
            if PICTURE_BEGIN in words.get_vocab():  # else it is LLaMA's own, without codes
                words.save_pretrained(out / LANGUAGE_MODEL)
            known = True
        if not known:
            raise ValueError(
                f"checkpoint must be {QUANTIZER}, or a folder with it, with a LLaMA or with a "
                f"tokenizer, got {source}"
            )
    return left_out


def _convert_quantizer(file: Path, out: Path, drop: Iterable[str]) -> set[str]:
    published = read_state(file)
    kept, left_out = dropped(published, (*UNUSED, *drop))
    sizes = tokenizer_sizes(kept)
    tokenizer = image_tokenizer_from(sizes, convert_state_dict(kept, ()))
    save_part(out, sizes.config(), tokenizer.state_dict())
    return left_out


def _convert_language_model(source: Path, out: Path) -> None:
    kind = _model_type(source)
    if kind != "llama":
        raise ValueError(f"the language model must be of type 'llama', got {kind!r} in {source}")
    model = load_language_model(str(source), "auto")
    model.save_pretrained(out)


def _model_type(source: Path) -> Any:
    return read_config(source / "config.json").get("model_type")


def load_language_model(source: str, dtype: str, device_map: str | None = None) -> Any:
    """Return a `LlamaForCausalLM`, from safetensors or from pickles that hold tensors only.

    Raises:
        OSError: There is no such checkpoint.
        ValueError: It has not exactly the weights of one.
    """
    return load_exactly(LlamaForCausalLM, source, "a LLaMA", dtype=dtype, device_map=device_map)
