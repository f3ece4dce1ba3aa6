"""Emu2's published checkpoints, converted once.

    cobsat convert emu2 Emu2-Gen --out checkpoints/emu2-gen
    cobsat convert emu2 Emu2-Chat --out checkpoints/emu2-chat
    cobsat convert emu2 pytorch_model.bin llama-30b/ --out checkpoints/emu2

On the Hub, `Emu2` and `Emu2-Chat` are folders with weights, `config.json` and the tokenizer;
`Emu2-Gen` has these in `multimodal_encoder` and `tokenizer`, and the decoder's parts beside them.
The authors' own files hold the weights alone, by names with another beginning: then LLaMA's
tokenizer is a second source, in any folder with its `tokenizer.model` or `tokenizer.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import diffusers as _diffusers
import torch
from cobsat.checkpoints import no_progress_bar
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from torch import Tensor
from transformers import CLIPImageProcessor

from ..conversion import (
    CONFIG,
    Rules,
    dropped,
    load_strictly,
    read_state,
    renamed,
    save_part,
    under,
)
from ..diffusers_checkpoint import quiet
from ..emu import BRIDGE, DECODER, LANGUAGE_MODEL
from ..emu.words import PICTURES, add_tokens
from ..eva_tower import eva_config, eva_state
from ..llama_weights import language_model_from, llama_config
from ..llama_words import load_llama_words
from ..published_state import read_config, some
from .bridge import Bridge, BridgeSizes
from .words import TOKENS

diffusers: Any = _diffusers  # its classes are untyped

__all__ = [
    "CHECKER",
    "ENCODER",
    "FEATURES",
    "UNUSED",
    "bridge_from",
    "bridge_sizes",
    "convert",
    "convert_state_dict",
    "published_decoder",
]

ENCODER: Final = "multimodal_encoder"
"""The folder of Emu2-Gen that holds all but the decoder."""
CHECKER: Final = "safety_checker"
FEATURES: Final = "feature_extractor"
"""Folders of a decoder that a stock pipeline of its kind does not read."""

UNUSED: Final = ("*.rotary_emb.inv_freq",)
"""Tensors that take no part: a table that is reckoned."""

WIDTH_OF_HEAD: Final = 112
"""Of the tower's attention; no tensor tells it."""

_LLAMA: Final = "Emu2's LLaMA"
_TOWER: Final = "visual."
_HUB: Final = "model."
"""What names on the Hub begin with, but those of the two layers beside."""

_RULES: Rules = (
    (r"(?:decoder\.lm\.)?project_(up|down)\.weight", r"bridge.project_\1.weight"),
    # As in the authors' earlier files.
    (r"decoder\.lm\.stu_regress_head\.weight", "bridge.project_down.weight"),
    (r"vl_adapter\.projection\.weight", "bridge.project_up.weight"),
    (r"decoder\.lm\.((?:model|lm_head)\..+)", r"language_model.\1"),
)


def convert_state_dict(
    state: Mapping[str, Tensor], drop: Iterable[str] = UNUSED
) -> dict[str, Tensor]:
    """Return Emu2's weights by our names, from the published ones: the authors' or the Hub's.

    Their names begin with `language_model.` or `bridge.`.

    Args:
        state: Tensors by their published names.
        drop: Patterns of published names to leave out.

    Raises:
        ValueError: A name is unknown.
    """
    kept = {name.removeprefix(_HUB): tensor for name, tensor in dropped(state, drop)[0].items()}
    tower = under(kept, _TOWER)
    rest = {name: tensor for name, tensor in kept.items() if not name.startswith(_TOWER)}
    ours = renamed(rest, _RULES, what="Emu2")
    return ours | {f"bridge.tower.{name}": tensor for name, tensor in eva_state(tower).items()}


def bridge_sizes(state: Mapping[str, Tensor], **known: Any) -> BridgeSizes:
    """Return a bridge's sizes, read from Emu2's published tensors.

    Args:
        state: Tensors by their published names.
        known: What no tensor tells, where it is not as published: tokens of a picture, heads of the
            tower, its epsilon.

    Raises:
        ValueError: A tensor is missing.
    """
    kept = {name.removeprefix(_HUB): tensor for name, tensor in state.items()}
    tower = under(kept, _TOWER)
    if not tower:
        raise ValueError(
            f"Emu2 must have an image tower ({_TOWER}…), got none among {len(kept):,} tensors: "
            f"{some(sorted(kept))}"
        )
    width = tower["cls_token"].shape[-1] if "cls_token" in tower else WIDTH_OF_HEAD
    heads = known.setdefault("vision_heads", max(1, width // WIDTH_OF_HEAD))
    vision = eva_config(tower, heads, 1e-6)
    try:
        table = kept["decoder.lm.model.embed_tokens.weight"]
    except KeyError as error:
        raise ValueError(f"Emu2 must have the tensor {error}, got none") from None
    return BridgeSizes(
        image_size=int(vision.image_size),  # type: ignore[arg-type]
        patch_size=int(vision.patch_size),  # type: ignore[arg-type]
        vision_width=vision.hidden_size,
        vision_layers=vision.num_hidden_layers,
        vision_mlp_width=vision.intermediate_size,
        language_width=table.shape[1],
        **known,
    )


def bridge_from(sizes: BridgeSizes, state: Mapping[str, Tensor]) -> Bridge:
    """Return a bridge with weights by our names, loaded strictly; their dtype stays.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        bridge = Bridge(sizes)
    load_strictly(bridge, state, "Emu2's bridge")
    return bridge.eval().requires_grad_(False)


def published_decoder(folder: Path) -> Any:
    """Return Emu2-Gen's SDXL, put together of the parts in a folder; it has no texts.

    Raises:
        OSError: A part is missing.
    """
    with quiet(), no_progress_bar():
        return diffusers.StableDiffusionXLPipeline(
            unet=diffusers.UNet2DConditionModel.from_pretrained(**_as_published(folder / "unet")),
            vae=diffusers.AutoencoderKL.from_pretrained(**_as_published(folder / "vae")),
            scheduler=diffusers.EulerDiscreteScheduler.from_pretrained(
                folder, subfolder="scheduler"
            ),
            text_encoder=None,
            text_encoder_2=None,
            tokenizer=None,
            tokenizer_2=None,
            add_watermarker=False,
        )


def _as_published(part: Path) -> dict[str, Any]:
    """Return how a part's weights are loaded: in bfloat16, where they are published so."""
    found: dict[str, Any] = {"pretrained_model_name_or_path": part}
    if any(part.glob("*.bf16.*")):
        found |= {"variant": "bf16", "dtype": torch.bfloat16}
    return found


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write a system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: A source is none of Emu2's parts, or one of them is missing.
    """
    weights, tokenizers = _sorted(sources)
    words = load_llama_words(str(tokenizers))  # what may be missing comes before what takes long
    if weights.name == ENCODER:
        _convert_decoder(weights.parent, out / DECODER)
    published = read_state(weights)
    kept, left_out = dropped(published, (*UNUSED, *drop))
    sizes, ours = bridge_sizes(kept, **_told(weights)), convert_state_dict(kept, ())
    language = under(ours, "language_model.")
    model = language_model_from(llama_config(language, _LLAMA), language, _LLAMA)
    bridge = bridge_from(sizes, under(ours, "bridge."))
    with no_progress_bar():
        model.save_pretrained(out / LANGUAGE_MODEL)
    save_part(out / BRIDGE, sizes.config(), bridge.state_dict())
    if not set(PICTURES) <= words.get_vocab().keys():
        add_tokens(words, model.config.vocab_size, TOKENS)
    words.save_pretrained(out / LANGUAGE_MODEL)
    return left_out


def _sorted(sources: Sequence[Path]) -> tuple[Path, Path]:
    """Return where the weights lie, and where the tokenizer."""
    weights, tokenizers = [], []
    for source in sources:
        if (source / ENCODER).is_dir():  # Emu2-Gen
            weights.append(source / ENCODER)
            tokenizers.append(source / "tokenizer")
            continue
        known = False
        if source.is_file() or any(source.glob("*.safetensors")) or any(source.glob("*.bin")):
            weights.append(source)
            known = True
        if source.is_dir() and any(source.glob("tokenizer*")):
            tokenizers.append(source)
            known = True
        if not known:
            raise ValueError(
                "checkpoint must be a folder Emu2, Emu2-Chat or Emu2-Gen of the Hub, a file of "
                f"weights, or a folder with LLaMA's tokenizer, got {source}"
            )
    if (len(weights), len(tokenizers)) != (1, 1):
        raise ValueError(
            "checkpoints must be one Emu2, and one folder with LLaMA's tokenizer where that is not "
            f"in it, got {len(weights)} with weights and {len(tokenizers)} with a tokenizer"
        )
    return weights[0], tokenizers[0]


def _told(weights: Path) -> dict[str, Any]:
    """Return what a published config tells of the bridge that no tensor does."""
    file = weights / CONFIG
    if not file.is_file():
        return {}
    vision = read_config(file).get("vision_config", {})
    told = {"tokens": vision.get("n_query"), "vision_norm_eps": vision.get("layer_norm_eps")}
    if "head_width" in vision and "width" in vision:
        told["vision_heads"] = vision["width"] // vision["head_width"]
    return {name: value for name, value in told.items() if value is not None}


def _convert_decoder(source: Path, out: Path) -> None:
    published_decoder(source).save_pretrained(out)
    if (source / CHECKER).is_dir():
        with quiet(), no_progress_bar():
            checker: Any = StableDiffusionSafetyChecker.from_pretrained(
                **_as_published(source / CHECKER)
            )
            checker.save_pretrained(out / CHECKER)
        CLIPImageProcessor.from_pretrained(source / FEATURES).save_pretrained(out / FEATURES)
