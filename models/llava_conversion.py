r"""LLaVA-1.5's own checkpoints (`liuhaotian/llava-v1.5-13b`), as transformers reads them.

    cobsat convert llava llava-v1.5-13b clip-vit-large-patch14-336 --out checkpoints/llava-v1.5-13b
    cobsat run --model transformers --model-option checkpoint=checkpoints/llava-v1.5-13b …
    cobsat judge runs/NAME --judge llava --judge-option checkpoint=checkpoints/llava-v1.5-13b

CoBSAT's authors ask and judge with these. transformers has the model (`llava-hf/*` are conversions
of others'), so that the new folder is an ordinary checkpoint. Weights are the published ones and
nothing else: a row for `<image>`, which the original has no token for, is the mean of the others,
so that it is never the likeliest. Pictures are padded to squares of the mean color, as in the
original. There is no chat template: the adapter and the judge then ask as LLaVA was trained, each
text between pictures encoded for itself, which a template cannot say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import no_progress_bar
from torch import Tensor
from transformers import (
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaImageProcessorPil,
    LlavaProcessor,
)
from transformers.models.clip.modeling_clip import CLIPVisionEmbeddings
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from .conversion import (
    CONFIG,
    Rules,
    dropped,
    load_strictly,
    read_state,
    renamed,
    under,
)
from .llama_weights import count_layers, llama_config
from .llama_words import load_llama_words
from .published_state import read_config

__all__ = [
    "UNUSED",
    "convert",
    "convert_state_dict",
    "llava_config",
    "model_from",
]

UNUSED: Final = ("*.rotary_emb.inv_freq", "*.embeddings.position_ids")
"""Tensors that take no part: tables that are reckoned."""

PICTURE: Final = "<image>"
_LANGUAGE: Final = (
    "num_attention_heads", "rms_norm_eps", "max_position_embeddings", "rope_theta", "rope_scaling",
    "hidden_act",
)  # fmt: skip
"""What a config tells of the language model that no tensor does."""
_AS_IN_15: Final = {
    "mm_projector_type": "mlp2x_gelu",
    "mm_vision_select_feature": "patch",
    "image_aspect_ratio": "pad",
    "mm_use_im_start_end": False,
    "mm_use_im_patch_token": False,
    "tie_word_embeddings": False,
}
"""Settings of LLaVA's configs, and what 1.5 has: with others it is another model."""
_PUBLISHED: Final = {
    "llava": "liuhaotian/llava-v1.5-13b",
    "clip": "openai/clip-vit-large-patch14-336",
}
FEATURE_LAYER: Final = -2
"""Which of the tower's states are read, where no config says so: those before its last layer."""

_TOWER: Final = "model.vision_tower.vision_tower.vision_model."
_CLIP: Final = "vision_model."
_EMBEDDINGS: Final = ("model.language_model.embed_tokens.weight", "lm_head.weight")

_RULES: Rules = (
    (r"model\.vision_tower\.vision_tower\.vision_model\.(.+)", r"model.vision_tower.\1"),
    (r"model\.mm_projector\.0\.(.+)", r"model.multi_modal_projector.linear_1.\1"),
    (r"model\.mm_projector\.2\.(.+)", r"model.multi_modal_projector.linear_2.\1"),
    (r"model\.((?:embed_tokens|layers|norm)\..+)", r"model.language_model.\1"),
    (r"lm_head\.weight", "lm_head.weight"),
)


def convert_state_dict(
    state: Mapping[str, Tensor], drop: Iterable[str] = UNUSED
) -> dict[str, Tensor]:
    """Return LLaVA's weights by the names of `LlavaForConditionalGeneration`.

    Both tables of words get one row more, for `<image>`: the mean of the others.

    Args:
        state: Tensors by their published names, the image tower's among them.
        drop: Patterns of published names to leave out.

    Raises:
        ValueError: A name is unknown.
    """
    ours = renamed(dropped(state, drop)[0], _RULES, what="LLaVA")
    for name in _EMBEDDINGS:
        if name in ours:
            table = ours[name]
            mean = table.float().mean(dim=0, keepdim=True).to(table.dtype)
            ours[name] = torch.cat([table, mean])
    return ours


def llava_config(
    state: Mapping[str, Tensor],
    language: Mapping[str, Any],
    vision: Mapping[str, Any],
    feature_layer: int = FEATURE_LAYER,
) -> Any:
    """Return the `LlavaConfig` of a LLaVA, sizes read from its tensors.

    Args:
        state: As `convert_state_dict` gives it.
        language: What no tensor tells of the language model: `num_attention_heads`,
            `rms_norm_eps`, `max_position_embeddings`, … as `LlamaConfig` names them.
        vision: The same of the image tower, as `CLIPVisionConfig` names them.
        feature_layer: Which of the tower's states are read.

    Raises:
        ValueError: A tensor is missing.
    """
    text = under(state, "model.language_model.")
    named = {f"model.{name}": tensor for name, tensor in text.items()}
    tower = under(state, "model.vision_tower.")
    try:
        patches = tower["embeddings.patch_embedding.weight"]
        places = tower["embeddings.position_embedding.weight"].shape[0]
        mlp_width = tower["encoder.layers.0.mlp.fc1.weight"].shape[0]
    except KeyError as error:
        raise ValueError(
            f"LLaVA's image tower must have the tensor {error}, got none: where the checkpoint "
            "keeps it apart, give the folder of openai/clip-vit-large-patch14-336 too"
        ) from None
    config = llama_config(named, "LLaVA's LLaMA", **language)
    side = round((places - 1) ** 0.5) * patches.shape[-1]
    return LlavaConfig(
        text_config=config,
        vision_config=CLIPVisionConfig(
            hidden_size=patches.shape[0],
            intermediate_size=mlp_width,
            num_hidden_layers=count_layers(tower, "encoder.layers."),
            image_size=side,
            patch_size=patches.shape[-1],
            **{"num_attention_heads": patches.shape[0] // 64, **vision},
        ),
        image_token_index=config.vocab_size - 1,
        image_seq_length=places - 1,
        vision_feature_layer=feature_layer,
        vision_feature_select_strategy="default",
        dtype=config.dtype,
    )


def model_from(config: Any, state: Mapping[str, Tensor]) -> Any:
    """Return a `LlavaForConditionalGeneration` with weights by its names, loaded strictly.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        model: Any = LlavaForConditionalGeneration(config)
    # What is reckoned, and not loaded.
    core = model.model
    core.language_model.rotary_emb = LlamaRotaryEmbedding(config.text_config)
    places = CLIPVisionEmbeddings(config.vision_config).position_ids
    core.vision_tower.embeddings.register_buffer("position_ids", places, persistent=False)
    load_strictly(model, state, "LLaVA")
    return model.eval()


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write an ordinary checkpoint and return the names of tensors that were left out.

    Raises:
        ValueError: A source is neither LLaVA nor CLIP, or one of them is missing.
    """
    llava, clip = _sorted(sources)
    told = read_config(llava / CONFIG)
    _check_is_15(told, llava / CONFIG)
    words = load_llama_words(str(llava))  # before what takes long
    published = read_state(llava)
    if not any(name.startswith(_TOWER) for name in published):
        own = next(iter(published.values())).dtype
        tower = under(read_state(clip), _CLIP)
        published |= {f"{_TOWER}{name}": tensor.to(own) for name, tensor in tower.items()}
    kept, left_out = dropped(published, (*UNUSED, *drop))
    ours = convert_state_dict(kept, ())
    clips = read_config(clip / CONFIG)
    seen = clips.get("vision_config", clips)
    config = llava_config(
        ours,
        _told(told, *_LANGUAGE),
        _told(seen, "num_attention_heads", "layer_norm_eps", "hidden_act"),
        told.get("mm_vision_select_layer", FEATURE_LAYER),
    )
    model = model_from(config, ours)
    model.generation_config.bos_token_id, model.generation_config.eos_token_id = 1, 2
    with no_progress_bar():
        model.save_pretrained(out)
    processor_of(config, words, clip).save_pretrained(out)
    return left_out


def processor_of(config: Any, words: Any, clip: Path) -> Any:
    """Return a LLaVA's processor.

    Args:
        config: The model's.
        words: LLaMA's tokenizer; it gets `<image>`.
        clip: The folder that says how the image tower takes pictures.

    Raises:
        ValueError: The tokenizer has another number of words than the model has rows for.
    """
    words.add_special_tokens({"additional_special_tokens": [PICTURE]})
    words.pad_token = words.pad_token or words.unk_token
    if words.convert_tokens_to_ids(PICTURE) != config.image_token_id:
        raise ValueError(
            f"the tokenizer must have {config.image_token_id:,} words, as many as the language "
            f"model has rows, got {len(words) - 1:,}"
        )
    pictures = CLIPImageProcessorPil.from_pretrained(clip).to_dict()
    taken = ("size", "crop_size", "image_mean", "image_std", "resample", "rescale_factor")
    settings = {name: pictures[name] for name in taken if name in pictures}
    return LlavaProcessor(  # type: ignore[no-untyped-call]
        image_processor=LlavaImageProcessorPil(**settings, do_pad=True),
        tokenizer=words,
        patch_size=config.vision_config.patch_size,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    )


def _sorted(sources: Sequence[Path]) -> tuple[Path, Path]:
    """Return LLaVA's folder and CLIP's."""
    kinds: dict[str, list[Path]] = {"llava": [], "clip": []}
    for source in sources:
        file = source / CONFIG
        told = read_config(file) if file.is_file() else {}
        kind = "llava" if "mm_vision_tower" in told else str(told.get("model_type"))[:4]
        if kind not in kinds:
            raise ValueError(
                f"checkpoint must be a folder of LLaVA's ({_PUBLISHED['llava']}) or of its "
                f"CLIP's ({_PUBLISHED['clip']}), each with {CONFIG}, got {source}"
            )
        kinds[kind].append(source)
    for kind, found in kinds.items():
        if len(found) != 1:
            raise ValueError(
                "checkpoints must be one folder of LLaVA's and one of its CLIP's, got "
                f"{len(found) or 'none'} of the {'first' if kind == 'llava' else 'second'}: hf "
                f"download {_PUBLISHED[kind]}"
            )
    return kinds["llava"][0], kinds["clip"][0]


def _told(config: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: config[name] for name in names if config.get(name) is not None}


def _check_is_15(told: Mapping[str, Any], file: Path) -> None:
    """Refuse the relatives of LLaVA-1.5 that are laid out alike and reckon otherwise."""
    for name, known in _AS_IN_15.items():
        if told.get(name, known) != known:
            raise ValueError(f"{name} of LLaVA-1.5 must be {known!r}, got {told[name]!r} in {file}")
