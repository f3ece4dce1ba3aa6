"""Qwen-VL-Chat's published checkpoint, converted once.

    cobsat convert qwen_vl_chat Qwen-VL-Chat/ --out checkpoints/qwen-vl-chat

The folder holds the weights, `config.json`, of which the sizes are read that no tensor tells, and
`qwen.tiktoken`. Its code is not run. The pretrained Qwen-VL has the same layout, but no chat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import no_progress_bar
from torch import Tensor

from ..conversion import Rules, dropped, load_strictly, read_state, renamed, save_part, under
from ..published_state import read_config
from . import LANGUAGE_MODEL, VISION
from .language_model import QwenVLTextConfig, language_model
from .vision import Vision, VisionSizes
from .words import words_from_ranks

__all__ = [
    "RANKS",
    "convert",
    "convert_state_dict",
    "language_model_from",
    "text_config",
    "vision_from",
    "vision_sizes",
]

RANKS: Final = "qwen.tiktoken"

UNUSED: Final = ("transformer.rotary_emb.inv_freq",)
"""Tensors that a checkpoint may hold and that take no part: they are computed."""

_HEAD_WIDTH: Final = 128
"""Of the resampler's attention, as published: no config tells it."""

_LAYER: Final = r"transformer\.h\.(\d+)\."
_MODEL: Final = r"language_model.model."
_OURS: Final = _MODEL + r"layers.\1."
_BLOCK: Final = r"transformer\.visual\.transformer\.resblocks\.(\d+)\."
_ENCODER: Final = r"vision.encoder.layers.\1."
_POOL: Final = r"transformer\.visual\.attn_pool\."

_RULES: Rules = (
    (r"transformer\.wte\.weight", _MODEL + "embed_tokens.weight"),
    (r"transformer\.ln_f\.weight", _MODEL + "norm.weight"),
    (r"lm_head\.weight", "language_model.lm_head.weight"),
    (_LAYER + r"ln_1\.weight", _OURS + "input_layernorm.weight"),
    (_LAYER + r"ln_2\.weight", _OURS + "post_attention_layernorm.weight"),
    (_LAYER + r"attn\.([qkv])\.(weight|bias)", _OURS + r"self_attn.\2_proj.\3"),
    (_LAYER + r"attn\.c_proj\.weight", _OURS + "self_attn.o_proj.weight"),
    (_LAYER + r"mlp\.w1\.weight", _OURS + "mlp.up_proj.weight"),
    (_LAYER + r"mlp\.w2\.weight", _OURS + "mlp.gate_proj.weight"),
    (_LAYER + r"mlp\.c_proj\.weight", _OURS + "mlp.down_proj.weight"),
    (r"transformer\.visual\.conv1\.weight", "vision.patches.weight"),
    (r"transformer\.visual\.positional_embedding", "vision.places"),
    (r"transformer\.visual\.ln_pre\.(weight|bias)", r"vision.norm_before.\1"),
    (_BLOCK + r"ln_([12])\.(weight|bias)", _ENCODER + r"layer_norm\2.\3"),
    (_BLOCK + r"attn\.([qkv])\.(weight|bias)", _ENCODER + r"self_attn.\2_proj.\3"),
    (_BLOCK + r"attn\.out_proj\.(weight|bias)", _ENCODER + r"self_attn.out_proj.\2"),
    (_BLOCK + r"mlp\.c_fc\.(weight|bias)", _ENCODER + r"mlp.fc1.\2"),
    (_BLOCK + r"mlp\.c_proj\.(weight|bias)", _ENCODER + r"mlp.fc2.\2"),
    (_POOL + r"query", "vision.queries"),
    (_POOL + r"pos_embed", "vision.query_places"),
    (_POOL + r"kv_proj\.weight", "vision.widen.weight"),
    (_POOL + r"ln_kv\.(weight|bias)", r"vision.key_norm.\1"),
    (_POOL + r"ln_q\.(weight|bias)", r"vision.query_norm.\1"),
    (_POOL + r"attn\.(in_proj_weight|in_proj_bias)", r"vision.attention.\1"),
    (_POOL + r"attn\.out_proj\.(weight|bias)", r"vision.attention.out_proj.\1"),
    (r"transformer\.visual\.ln_post\.(weight|bias)", r"vision.norm_after.\1"),
    (r"transformer\.visual\.proj", "vision.projection.weight"),
)


def convert_state_dict(
    state: Mapping[str, Tensor], vision_heads: int, drop: Iterable[str] = UNUSED
) -> dict[str, Tensor]:
    """Return all weights by our names, from the published ones.

    Args:
        state: Tensors by their published names.
        vision_heads: Of the image tower's attention, by which its weights are laid out.
        drop: Patterns of names to leave out.

    Raises:
        ValueError: A name is unknown.
    """
    kept, _ = dropped(state, drop)
    apart: dict[str, Tensor] = {}
    for name, tensor in kept.items():
        stem, _, kind = name.rpartition(".")
        if stem.endswith("attn.c_attn"):  # queries, keys and values, one block each
            parts = tensor.chunk(3)
        elif stem.endswith("attn.in_proj"):  # the same for each head in turn
            of_heads = tensor.reshape(vision_heads, 3, -1, *tensor.shape[1:])
            parts = tuple(part.flatten(0, 1) for part in of_heads.unbind(1))
        else:
            # The last matrix is multiplied from the right.
            apart[name] = tensor.T if name == "transformer.visual.proj" else tensor
            continue
        block = stem.rpartition(".")[0]
        for letter, part in zip("qkv", parts, strict=True):
            apart[f"{block}.{letter}.{kind}"] = part.clone()  # parts of one are not saved
    return renamed(apart, _RULES, what="Qwen-VL-Chat")


def text_config(config: Mapping[str, Any], state: Mapping[str, Tensor]) -> QwenVLTextConfig:
    """Return the language model's sizes.

    Args:
        config: The published `config.json`.
        state: Tensors by their published names.

    Raises:
        ValueError: Config or tensors are another model's.
    """
    for switch in ("use_dynamic_ntk", "use_logn_attn"):
        if not config.get(switch):
            raise ValueError(
                f"{switch} of the config must be true, as Qwen-VL-Chat's, got {config.get(switch)}"
            )
    try:
        rows, width = state["transformer.wte.weight"].shape
        heads = config["num_attention_heads"]
        return QwenVLTextConfig(
            vocab_size=rows,
            hidden_size=width,
            intermediate_size=state["transformer.h.0.mlp.w1.weight"].shape[0],
            num_hidden_layers=_count(state, "transformer.h."),
            num_attention_heads=heads,
            num_key_value_heads=heads,
            max_position_embeddings=config["max_position_embeddings"],
            rms_norm_eps=config["layer_norm_epsilon"],
            rope_parameters={"rope_type": "default", "rope_theta": config["rotary_emb_base"]},
            seq_length=config["seq_length"],
        )
    except KeyError as error:
        raise _missing(error) from None


def vision_sizes(config: Mapping[str, Any], state: Mapping[str, Tensor]) -> VisionSizes:
    """Return the sizes of image tower and resampler; arguments as of `text_config`.

    Raises:
        ValueError: Config or tensors are another model's.
    """
    name = "transformer.visual."
    try:
        patches = state[f"{name}conv1.weight"]
        queries, out = state[f"{name}attn_pool.query"].shape
        return VisionSizes(
            image_size=config["visual"]["image_size"],
            patch_size=patches.shape[-1],
            width=patches.shape[0],
            layers=_count(state, f"{name}transformer.resblocks."),
            heads=config["visual"]["heads"],
            mlp_width=state[f"{name}transformer.resblocks.0.mlp.c_fc.weight"].shape[0],
            position_rows=state[f"{name}positional_embedding"].shape[0],
            queries=queries,
            output_width=out,
            resampler_heads=out // _HEAD_WIDTH,
        )
    except KeyError as error:
        raise _missing(error) from None


def _count(state: Mapping[str, Tensor], prefix: str) -> int:
    numbers = {name.removeprefix(prefix).split(".")[0] for name in state if name.startswith(prefix)}
    return len(numbers)


def _missing(error: KeyError) -> ValueError:
    return ValueError(f"Qwen-VL-Chat must have {error} in its tensors or its config, got none")


def language_model_from(config: QwenVLTextConfig, state: Mapping[str, Tensor]) -> Any:
    """Return a language model with weights by our names, loaded strictly; their dtype stays.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        model = language_model(config)
    load_strictly(model, state, "Qwen-VL-Chat's language model")
    return model


def vision_from(sizes: VisionSizes, state: Mapping[str, Tensor]) -> Vision:
    """Return image tower and resampler with weights by our names, loaded strictly.

    Raises:
        ValueError: They are not their weights.
    """
    with torch.device("meta"):
        vision = Vision(sizes)
    load_strictly(vision, state, "Qwen-VL-Chat's image tower")
    return vision.eval().requires_grad_(False)


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write the system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: The source is no Qwen-VL-Chat, or not the whole of it.
    """
    source = sources[0]
    wanted = ("config.json", RANKS)
    if len(sources) > 1 or not all((source / name).is_file() for name in wanted):
        raise ValueError(
            f"checkpoint must be one folder with {', '.join(wanted)} and the weights, got "
            f"{', '.join(map(str, sources))}"
        )
    config = read_config(source / "config.json")
    kept, left_out = dropped(read_state(source), (*UNUSED, *drop))
    text, sizes = text_config(config, kept), vision_sizes(config, kept)
    ours = convert_state_dict(kept, sizes.heads, ())
    words = words_from_ranks(source / RANKS)
    model = language_model_from(text, under(ours, "language_model."))
    vision = vision_from(sizes, under(ours, "vision."))
    with no_progress_bar():
        model.save_pretrained(out / LANGUAGE_MODEL)
    words.save_pretrained(out / LANGUAGE_MODEL)
    save_part(out / VISION, sizes.config(), vision.state_dict())
    return left_out
