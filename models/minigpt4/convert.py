"""MiniGPT-4's published checkpoints, put together once.

    cobsat convert minigpt4 prerained_minigpt4_7b.pth blip2-flan-t5-xxl/ vicuna-7b/ \
        --out checkpoints/minigpt4-7b

The published file holds what was trained, one linear layer. Image tower and Q-Former are BLIP-2's
(`Salesforce/blip2-flan-t5-xxl`, whose own language model is not read), the language model and its
tokenizer Vicuna's, version 0. What comes out is a `Blip2ForConditionalGeneration`, which
transformers loads by itself. The order does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import no_progress_bar
from torch import Tensor
from transformers import Blip2Config, Blip2ForConditionalGeneration, LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from ..conversion import CONFIG, Rules, dropped, load_strictly, read_state, renamed
from ..llama_words import load_llama_words
from ..published_state import read_config
from .prompts import Vocabulary

__all__ = ["UNUSED", "convert", "convert_state_dict", "system_config", "system_from"]

UNUSED: Final = {
    "projection": (),
    "blip2": ("language_model.*", "language_projection.*"),
    "vicuna": ("*.rotary_emb.inv_freq",),
}
"""By part, what takes no part: BLIP-2's language model and the way into it, and a table."""

_RULES: Final[dict[str, Rules]] = {
    "projection": ((r"llama_proj\.(weight|bias)", r"language_projection.\1"),),
    "blip2": (
        (r"query_tokens", "query_tokens"),
        (r"(vision_model|qformer)\.(.+)", r"\1.\2"),
    ),
    "vicuna": ((r"(model|lm_head)\.(.+)", r"language_model.\1.\2"),),
}
_BLOCK_NORM_EPS: Final = 1e-6
"""Of the norms in the tower's blocks, as the original has it; configs of BLIP-2 differ in it."""

_NAMES: Final = {"projection": "MiniGPT-4", "blip2": "BLIP-2", "vicuna": "Vicuna"}


def convert_state_dict(
    projection: Mapping[str, Tensor],
    blip2: Mapping[str, Tensor],
    vicuna: Mapping[str, Tensor],
    drop: Iterable[str] = (),
) -> dict[str, Tensor]:
    """Return MiniGPT-4's weights by the names of `Blip2ForConditionalGeneration`.

    Args:
        projection: What was trained, by its published names.
        blip2: BLIP-2's tensors, by their published names.
        vicuna: The language model's, by its own names.
        drop: Patterns of published names to leave out, beside `UNUSED`.

    Raises:
        ValueError: A name is unknown.
    """
    parts = {"projection": projection, "blip2": blip2, "vicuna": vicuna}
    ours: dict[str, Tensor] = {}
    for part, state in parts.items():
        kept, _ = dropped(state, (*UNUSED[part], *drop))
        ours |= renamed(kept, _RULES[part], what=_NAMES[part])
    return ours


def system_config(
    blip2: Mapping[str, Any], vicuna: Mapping[str, Any], vocabulary: Vocabulary
) -> Blip2Config:
    """Return the config of the whole.

    Args:
        blip2: BLIP-2's `config.json`.
        vicuna: Vicuna's; that its ids of begin, end and padding are right is not relied on.
        vocabulary: The ids of its tokenizer.
    """
    ids = {"bos_token_id": vocabulary.begin, "eos_token_id": vocabulary.end, "pad_token_id": None}
    eyes: Any = Blip2Config.from_dict(dict(blip2))
    eyes.vision_config.layer_norm_eps = _BLOCK_NORM_EPS
    return Blip2Config(
        vision_config=eyes.vision_config,
        qformer_config=eyes.qformer_config,
        text_config=LlamaConfig.from_dict({**vicuna, **ids}),
        num_query_tokens=vocabulary.count,
    )


def system_from(config: Blip2Config, state: Mapping[str, Tensor]) -> Any:
    """Return a `Blip2ForConditionalGeneration` with weights by its names, loaded strictly.

    Their dtypes stay; what the whole is loaded in, if not told, is the language model's.

    Raises:
        ValueError: They are not its weights.
    """
    with torch.device("meta"):
        model: Any = Blip2ForConditionalGeneration(config)
    llama = model.language_model
    llama.model.rotary_emb = LlamaRotaryEmbedding(llama.config)  # reckoned, not loaded
    load_strictly(model, state, "MiniGPT-4")
    return model.eval()


def convert(sources: Sequence[Path], out: Path, drop: Iterable[str]) -> set[str]:
    """Write a system into a folder and return the names of tensors that were left out.

    Of what is not even read, its pattern is named.

    Raises:
        ValueError: A source is none of MiniGPT-4's parts, or one of them is missing.
    """
    parts = _parts(sources)
    drop = tuple(drop)
    not_read = UNUSED["blip2"]  # most of BLIP-2: its shards with nothing else need not be there
    states = {
        part: read_state(path, skip=not_read if part == "blip2" else ())
        for part, path in parts.items()
    }
    configs = {part: _config(parts[part]) for part in ("blip2", "vicuna")}
    words = load_llama_words(str(parts["vicuna"]))
    vocabulary = Vocabulary.of(words, configs["blip2"].get("num_query_tokens", 32))
    config = system_config(**configs, vocabulary=vocabulary)
    model = system_from(config, convert_state_dict(**states, drop=drop))
    with no_progress_bar():
        model.save_pretrained(out)
    model.config.dtype = model.language_model.dtype  # the whole is loaded in it
    model.config.save_pretrained(out)
    words.save_pretrained(out)
    left_out = [dropped(state, (*UNUSED[part], *drop))[1] for part, state in states.items()]
    return set(not_read).union(*left_out)


def _parts(sources: Sequence[Path]) -> dict[str, Path]:
    """Return MiniGPT-4's parts by what they are.

    Raises:
        ValueError: They are not exactly these.
    """
    kinds = {"blip-2": "blip2", "llama": "vicuna"}
    parts: dict[str, Path] = {}
    for source in sources:
        kind = "projection"
        if source.is_dir():
            kind = kinds.get(_config(source).get("model_type", ""), "")
        if not kind or kind in parts:
            raise ValueError(
                "checkpoints must be MiniGPT-4's file, a folder with BLIP-2 and one with Vicuna, "
                f"got {source}{f' beside {parts[kind]}' if kind else ''}"
            )
        parts[kind] = source
    if missing := [name for part, name in _NAMES.items() if part not in parts]:
        raise ValueError(
            "checkpoints must be MiniGPT-4's file, a folder with BLIP-2 and one with Vicuna, got "
            f"none of {' and '.join(missing)}"
        )
    return parts


def _config(folder: Path) -> dict[str, Any]:
    file = folder / CONFIG
    config: dict[str, Any] = read_config(file) if file.is_file() else {}
    return config
