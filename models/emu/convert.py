"""Emu's published checkpoints, converted once.

    cobsat convert emu Emu/pretrain llama-13b/ --out checkpoints/emu
    cobsat convert emu Emu/Emu-instruct.pt llama-13b/ --out checkpoints/emu-instruct

`pretrain` holds `multimodal_encoder/pytorch_model.bin`, all but the decoder, and the decoder's
parts; the instructed one is a single file, in which LoRA weights lie beside those that they change:
they are merged. Neither has the tokenizer, which is LLaMA's (any folder with its `tokenizer.model`
or `tokenizer.json`). The order does not matter.
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
from transformers import CLIPImageProcessor, LlamaConfig

from ..conversion import Rules, dropped, load_strictly, read_state, renamed, save_part, under
from ..diffusers_checkpoint import quiet
from ..eva_tower import eva_config, eva_state
from ..llama_weights import count_layers, language_model_from, llama_config
from ..llama_words import load_llama_words
from ..lora import merged
from . import BRIDGE, DECODER, LANGUAGE_MODEL
from .bridge import Bridge, BridgeSizes
from .words import add_tokens

diffusers: Any = _diffusers  # its classes are untyped

__all__ = [
    "PRETRAINED",
    "UNUSED",
    "bridge_from",
    "bridge_sizes",
    "convert",
    "convert_state_dict",
    "published_decoder",
]

PRETRAINED: Final = Path("multimodal_encoder") / "pytorch_model.bin"

UNUSED: Final = (
    "visual.head.*", "visual.norm.*", "cformer.cformer.embed_tokens.*", "*.rotary_emb.inv_freq",
)  # fmt: skip
"""Tensors that take no part: a classifier's, words of the former, which reads none, and a table."""

LORA_ALPHA: Final = 16.0
"""Of the instructed Emu, as published: LoRA weights count by it over their rank."""

_LLAMA: Final = "Emu's LLaMA"
_TOWER: Final = "visual."
_NORM: Final = "ln_visual."

_RULES: Rules = (
    (r"cformer\.causal_tokens", "bridge.tokens"),
    (r"cformer\.cformer\.(.+)", r"bridge.former.\1"),
    (r"cformer\.projection\.(weight|bias)", r"bridge.to_language.\1"),
    (r"decoder\.lm\.(?:base_model\.model\.)?stu_regress_head\.weight", "bridge.regression.weight"),
    (r"decoder\.lm\.(?:base_model\.model\.)?((?:model|lm_head)\..+)", r"language_model.\1"),
)


def convert_state_dict(
    state: Mapping[str, Tensor], drop: Iterable[str] = UNUSED, lora_alpha: float = LORA_ALPHA
) -> dict[str, Tensor]:
    """Return Emu's weights by our names, from the published ones.

    Their names begin with `language_model.` or `bridge.`; LoRA weights are merged.

    Args:
        state: Tensors by their published names.
        drop: Patterns of published names to leave out.
        lora_alpha: LoRA weights count by it over their rank.

    Raises:
        ValueError: A name is unknown, or a LoRA weight alone.
    """
    kept = merged(dropped(state, drop)[0], lora_alpha, "Emu")
    tower, norm = under(kept, _TOWER), under(kept, _NORM)
    rest = {k: tensor for k, tensor in kept.items() if not k.startswith((_TOWER, _NORM))}
    ours = renamed(rest, _RULES, what="Emu")
    return ours | {
        f"bridge.tower.{name}": tensor for name, tensor in eva_state(tower, norm).items()
    }


def bridge_sizes(state: Mapping[str, Tensor], **known: Any) -> BridgeSizes:
    """Return a bridge's sizes, read from Emu's published tensors.

    Args:
        state: Tensors by their published names.
        known: What no tensor tells, where it is not as published: heads of the tower, epsilons.

    Raises:
        ValueError: A tensor is missing.
    """
    vision = eva_config(under(state, _TOWER), known.get("vision_heads", 16), 1e-6)
    former = under(state, "cformer.cformer.")
    try:
        first = "block.0.layer.0.SelfAttention."
        buckets, heads = former[f"{first}relative_attention_bias.weight"].shape
        return BridgeSizes(
            image_size=int(vision.image_size),  # type: ignore[arg-type]
            patch_size=int(vision.patch_size),  # type: ignore[arg-type]
            vision_width=vision.hidden_size,
            vision_layers=vision.num_hidden_layers,
            vision_mlp_width=vision.intermediate_size,
            causal_tokens=state["cformer.causal_tokens"].shape[1],
            former_width=state["cformer.causal_tokens"].shape[2],
            former_layers=count_layers(former, "block."),
            former_heads=heads,
            former_head_width=former[f"{first}q.weight"].shape[0] // heads,
            former_mlp_width=former["block.0.layer.2.DenseReluDense.wi.weight"].shape[0],
            former_buckets=buckets,
            language_width=state["cformer.projection.weight"].shape[0],
            **known,
        )
    except KeyError as error:
        raise ValueError(f"Emu must have the tensor {error}, got none") from None


def bridge_from(sizes: BridgeSizes, state: Mapping[str, Tensor]) -> Bridge:
    """Return a bridge with weights by our names, loaded strictly; their dtype stays.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        bridge = Bridge(sizes)
    load_strictly(bridge, state, "Emu's bridge")
    return bridge.eval().requires_grad_(False)


def published_decoder(folder: Path) -> Any:
    """Return Emu's Stable Diffusion, put together of the parts in a folder; it has no texts.

    Raises:
        OSError: A part is missing.
    """
    checker = (folder / "safety_checker").is_dir()
    where: dict[str, Any] = {"pretrained_model_name_or_path": folder}
    with quiet(), no_progress_bar():
        return diffusers.StableDiffusionPipeline(
            unet=diffusers.UNet2DConditionModel.from_pretrained(**where, subfolder="unet"),
            vae=diffusers.AutoencoderKL.from_pretrained(**where, subfolder="vae"),
            scheduler=diffusers.PNDMScheduler.from_pretrained(**where, subfolder="scheduler"),
            safety_checker=StableDiffusionSafetyChecker.from_pretrained(folder / "safety_checker")
            if checker
            else None,
            feature_extractor=CLIPImageProcessor.from_pretrained(folder / "feature_extractor")
            if checker
            else None,
            text_encoder=None,
            tokenizer=None,
            requires_safety_checker=checker,
        )


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write a system's parts into a folder and return the names of tensors that were left out.

    Raises:
        ValueError: A source is none of Emu's parts, or one of them is missing.
    """
    weights, words = [], []
    for source in sources:
        if source.is_file() or (source / PRETRAINED).is_file():
            weights.append(source)
        elif any(source.glob("tokenizer*")):
            words.append(source)
        else:
            raise ValueError(
                f"checkpoint must be a folder with {PRETRAINED}, the file Emu-instruct.pt, or a "
                f"folder with LLaMA's tokenizer, got {source}"
            )
    if (len(weights), len(words)) != (1, 1):
        raise ValueError(
            "checkpoints must be an Emu and a folder with LLaMA's tokenizer, got "
            f"{len(weights)} with weights and {len(words)} with a tokenizer"
        )
    left_out = _convert_weights(weights[0], out, drop)
    tokenizer = load_llama_words(str(words[0]))
    add_tokens(tokenizer, LlamaConfig.from_pretrained(out / LANGUAGE_MODEL).vocab_size)
    tokenizer.save_pretrained(out / LANGUAGE_MODEL)
    return left_out


def _convert_weights(source: Path, out: Path, drop: Iterable[str]) -> set[str]:
    published = read_state(source / PRETRAINED if source.is_dir() else source)
    kept, left_out = dropped(published, (*UNUSED, *drop))
    sizes, ours = bridge_sizes(kept), convert_state_dict(kept, ())
    language = under(ours, "language_model.")
    model = language_model_from(llama_config(language, _LLAMA), language, _LLAMA)
    if model.config.hidden_size != sizes.language_width:
        raise ValueError(
            f"pictures must become embeddings of the language model's width "
            f"{model.config.hidden_size}, got {sizes.language_width}"
        )
    bridge = bridge_from(sizes, under(ours, "bridge."))
    with no_progress_bar():
        model.save_pretrained(out / LANGUAGE_MODEL)
    save_part(out / BRIDGE, sizes.config(), bridge.state_dict())
    if source.is_dir():
        published_decoder(source).save_pretrained(out / DECODER)
    return left_out
