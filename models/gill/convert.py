"""GILL's published checkpoints, converted once.

    cobsat convert gill gill_opt/ opt-6.7b/ clip-vit-large-patch14/ --out checkpoints/gill

The first holds `pretrained_ckpt.pth.tar`, what GILL trained; the second is the language model, a
plain `OPTForCausalLM` with its tokenizer; the third CLIP, of which the image tower counts. The
order does not matter. OPT and CLIP may be left out: they are then loaded from where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import no_progress_bar
from torch import Tensor
from transformers import AutoTokenizer, CLIPVisionModel, OPTForCausalLM

from ..checkpoints import load_exactly
from ..conversion import Rules, dropped, load_strictly, read_state, renamed, save_part, under
from ..diffusers_checkpoint import quiet
from ..published_state import read_config
from . import BRIDGE, LANGUAGE_MODEL, VISION
from .bridge import Bridge, BridgeSizes

__all__ = [
    "DRAWING_TOKENS",
    "FROZEN",
    "PUBLISHED",
    "UNUSED",
    "bridge_from",
    "bridge_sizes",
    "convert",
    "convert_state_dict",
    "load_language_model",
    "load_vision",
    "load_words",
    "published_bridge",
]

PUBLISHED: Final = "pretrained_ckpt.pth.tar"

DRAWING_TOKENS: Final = 8
"""`[IMG]` tokens as published; a checkpoint with more rows than these holds a whole table."""

UNUSED: Final = ("*ret_text_hidden_fcs.*", "*visual_fc.*", "*logit_scale", "*.position_ids")
"""Tensors of the published checkpoint that take no part: retrieval's, and a count."""

FROZEN: Final = ("*model.lm.*", "*model.visual_model.*")
"""Those of a whole checkpoint that are OPT's and CLIP's own."""

_ROWS: Final = "bridge.rows"
_START: Final = r"(?:module\.)?model\."
_MAPPER: Final = _START + r"gen_text_hidden_fcs\.0\."

_RULES: Rules = (
    (_START + r"visual_embeddings\.(weight|bias)", r"bridge.to_tokens.\1"),
    (_START + r"input_embeddings\.weight", _ROWS),
    (_MAPPER + r"fc\.(weight|bias)", r"bridge.mapper.into.\1"),
    (_MAPPER + r"tfm\.(.+)", r"bridge.mapper.transformer.\1"),
    (_MAPPER + r"model\.(weight|bias)", r"bridge.mapper.out.\1"),
    (_MAPPER + r"query_embs", "bridge.mapper.queries"),
    (_START + r"lm\.(.+)", r"language_model.\1"),
    (_START + r"visual_model\.vision_model\.(.+)", r"vision.\1"),
)

_BESIDE_VISION: Final = (
    "text_model.*", "text_projection.*", "visual_projection.*", "logit_scale", "*.position_ids",
)  # fmt: skip


def convert_state_dict(
    state: Mapping[str, Tensor],
    drop: Iterable[str] = UNUSED,
    drawing_tokens: int = DRAWING_TOKENS,
) -> dict[str, Tensor]:
    """Return GILL's weights by our names, from the published ones.

    Their names begin with `bridge.`; of a checkpoint that holds also what was frozen, with
    `language_model.` and `vision.` too.

    Args:
        state: Tensors by their published names.
        drop: Patterns of published names to leave out.
        drawing_tokens: How many of the last rows of a whole table of embeddings are `[IMG]`'s.

    Raises:
        ValueError: A name is unknown.
    """
    ours = renamed(dropped(state, drop)[0], _RULES, what="GILL")
    if _ROWS in ours:
        ours[_ROWS] = ours[_ROWS][-drawing_tokens:].clone()
    return ours


def bridge_sizes(state: Mapping[str, Tensor], **known: Any) -> BridgeSizes:
    """Return a bridge's sizes, read from its tensors by our names.

    Args:
        state: Tensors by our names, without `bridge.`.
        known: What no tensor tells, where it is not as published: `mapper_heads`.

    Raises:
        ValueError: A tensor is missing.
    """
    try:
        language_width = state["rows"].shape[1]
        return BridgeSizes(
            vision_width=state["to_tokens.weight"].shape[1],
            language_width=language_width,
            tokens_per_picture=state["to_tokens.weight"].shape[0] // language_width,
            drawing_tokens=state["rows"].shape[0],
            mapper_width=state["mapper.into.weight"].shape[0],
            mapper_mlp_width=state["mapper.transformer.encoder.layers.0.linear1.weight"].shape[0],
            mapper_encoder_layers=_layers(state, "mapper.transformer.encoder.layers."),
            mapper_decoder_layers=_layers(state, "mapper.transformer.decoder.layers."),
            mapper_queries=state["mapper.queries"].shape[1],
            decoder_width=state["mapper.out.weight"].shape[0],
            **known,
        )
    except KeyError as error:
        raise ValueError(f"GILL must have the tensor {error}, got none") from None


def _layers(state: Mapping[str, Tensor], before: str) -> int:
    return len({name.split(".")[0] for name in under(state, before)})


def bridge_from(sizes: BridgeSizes, state: Mapping[str, Tensor], device: Any = "cpu") -> Bridge:
    """Return a bridge in float32 with weights by our names, loaded strictly.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        bridge = Bridge(sizes)
    exact = {name: tensor.to(device, torch.float32) for name, tensor in state.items()}
    load_strictly(bridge, exact, "GILL's bridge")
    return bridge.eval().requires_grad_(False)


def published_bridge(file: Path, drop: Iterable[str] = ()) -> tuple[Bridge, set[str]]:
    """Return the bridge of a published checkpoint, and the names that it left out.

    What was frozen in training is left out too, if it is there.

    Raises:
        OSError: It is not there, or is broken.
        ValueError: It is not GILL's, or not the whole of it.
    """
    kept, left_out = dropped(read_state(file), (*UNUSED, *FROZEN, *drop))
    ours = under(convert_state_dict(kept, ()), "bridge.")
    return bridge_from(bridge_sizes(ours), ours), left_out


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write a system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: A source is none of GILL's parts, or not the whole of one.
    """
    left_out: set[str] = set()
    for source in sources:
        file = source / PUBLISHED if source.is_dir() else source
        kind = _model_type(source)
        if file.is_file():
            bridge, unused = published_bridge(file, drop)
            save_part(out / BRIDGE, bridge.sizes.config(), bridge.state_dict())
            left_out |= unused
        elif kind == "opt":
            load_language_model(str(source), "auto").save_pretrained(out / LANGUAGE_MODEL)
            load_words(str(source)).save_pretrained(out / LANGUAGE_MODEL)
        elif kind in ("clip", "clip_vision_model"):
            load_vision(str(source)).save_pretrained(out / VISION)
        else:
            raise ValueError(
                f"checkpoint must be {PUBLISHED}, or a folder with it, with an OPT or with a CLIP, "
                f"got {source}{f' of type {kind!r}' if kind else ''}"
            )
    if not (out / BRIDGE).is_dir():
        raise ValueError(f"checkpoints must hold {PUBLISHED}, got none")
    return left_out


def _model_type(source: Path) -> Any:
    file = source / "config.json"
    return read_config(file).get("model_type") if file.is_file() else None


def load_language_model(source: str, dtype: str, device_map: str | None = None) -> Any:
    """Return an `OPTForCausalLM`, from safetensors or from pickles that hold tensors only.

    Raises:
        OSError: There is no such checkpoint.
        ValueError: It has not exactly the weights of one.
    """
    return load_exactly(OPTForCausalLM, source, "an OPT", dtype=dtype, device_map=device_map)


def load_vision(source: str) -> Any:
    """Return the image tower of a CLIP, in float32.

    Raises:
        OSError: There is no such checkpoint.
        ValueError: It has not exactly the weights of one.
    """
    with quiet():  # it would list the tensors of CLIP's other half
        tower = load_exactly(
            CLIPVisionModel, source, "a CLIP", dtype="float32", others=_BESIDE_VISION
        )
    return tower.requires_grad_(False)


def load_words(source: str) -> Any:
    """Return OPT's tokenizer, without the tokens that GILL adds.

    Raises:
        OSError: There is none.
    """
    with no_progress_bar():
        return AutoTokenizer.from_pretrained(source)
