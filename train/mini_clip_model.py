"""What mini-clip is made of: a tokenizer, a small `CLIPModel`, an image processor, and its texts.

All are the library's own classes, so that every tool for CLIP reads the result.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import torch
from cobsat.spec import THEMES
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from torch import nn
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

__all__ = [
    "IMAGE_SIZE",
    "build_model",
    "build_processor",
    "build_tokenizer",
    "image_embeddings",
    "label_text",
    "option_texts",
    "text_embeddings",
]

IMAGE_SIZE: Final = 96
PATCH_SIZE: Final = 16
TEXT_LENGTH: Final = 64
VOCABULARY: Final = 2048
MEAN: Final = (0.5, 0.5, 0.5)
DEVIATION: Final = (0.25, 0.25, 0.25)
_START, _END, _SUFFIX = "<|startoftext|>", "<|endoftext|>", "</w>"


def option_texts() -> tuple[list[str], list[list[int]], list[list[int]]]:
    """Return the judge's options: all texts, and where each theme's objects and attributes are."""
    texts: list[str] = []
    objects: list[list[int]] = []
    attributes: list[list[int]] = []
    for theme in THEMES.values():
        for places, words in ((objects, theme.objects), (attributes, theme.attributes)):
            shown = [theme.text(word) for word in words]
            texts += [text for text in shown if text not in texts]
            places.append([texts.index(text) for text in shown])
    return texts, objects, attributes


def label_text(theme: str, attribute: str, object_: str) -> str:
    """Return the text of a whole label.

    >>> label_text("background", "park", "zebra")
    'amusement park zebra'
    """
    spec = THEMES[theme]
    return f"{spec.text(attribute)} {spec.text(object_)}"


def build_tokenizer(texts: Sequence[str]) -> CLIPTokenizer:
    """Learn CLIP's kind of byte-pair encoding from texts.

    Every byte is in the vocabulary, alone and as a word's end, as in CLIP's own: an unknown token
    would be the end token, and the text tower would stop reading there.
    """
    blank = CLIPTokenizer()
    learner = Tokenizer(BPE(end_of_word_suffix=_SUFFIX))
    learner.normalizer = blank.backend_tokenizer.normalizer
    learner.pre_tokenizer = blank.backend_tokenizer.pre_tokenizer
    alphabet = sorted(ByteLevel.alphabet())
    trainer = BpeTrainer(
        vocab_size=VOCABULARY - 2,
        initial_alphabet=alphabet,
        end_of_word_suffix=_SUFFIX,
        show_progress=False,
    )
    learner.train_from_iterator(texts, trainer)
    pieces = alphabet + [letter + _SUFFIX for letter in alphabet]
    merges = []
    for merge in json.loads(learner.to_str())["model"]["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        if len(pieces) < VOCABULARY - 2:
            merges.append((left, right))
            pieces.append(left + right)
    vocabulary = {piece: number for number, piece in enumerate([*pieces, _START, _END])}
    return CLIPTokenizer(
        vocab=vocabulary,
        merges=merges,  # type: ignore[arg-type]  # pairs are what the encoder takes
        model_max_length=TEXT_LENGTH,
    )


def build_model(tokenizer: CLIPTokenizer, seed: int) -> CLIPModel:
    """Return an untrained model."""
    torch.manual_seed(seed)
    ends = {
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    config = CLIPConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 128,
            "intermediate_size": 512,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": TEXT_LENGTH,
            "hidden_act": "gelu",
            **ends,
        },
        vision_config={
            "image_size": IMAGE_SIZE,
            "patch_size": PATCH_SIZE,
            "hidden_size": 192,
            "intermediate_size": 768,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "hidden_act": "gelu",
        },
        projection_dim=128,
        logit_scale_init_value=3.0,
    )
    return CLIPModel(config)


def build_processor() -> CLIPImageProcessorPil:
    """Return the image processor: resize to the model's size with PIL, whatever is installed."""
    return CLIPImageProcessorPil(
        size={"shortest_edge": IMAGE_SIZE},
        crop_size={"height": IMAGE_SIZE, "width": IMAGE_SIZE},
        image_mean=list(MEAN),
        image_std=list(DEVIATION),
    )


def image_embeddings(
    model: CLIPModel, pixels: torch.Tensor, kept: torch.Tensor | None = None
) -> torch.Tensor:
    """Return unit vectors (batch, width) of pictures (batch, 3, size, size), values from 0 to 1.

    Args:
        model: The model.
        pixels: The pictures.
        kept: Indices (batch, patches) of the patches that are looked at; without it, all.
    """
    mean, deviation = (torch.tensor(x).view(1, 3, 1, 1) for x in (MEAN, DEVIATION))
    tower = model.vision_model
    hidden = tower.embeddings((pixels - mean) / deviation)
    if kept is not None:
        places = torch.cat([torch.zeros(len(kept), 1, dtype=kept.dtype), kept + 1], dim=1)
        hidden = hidden.gather(1, places.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
    hidden = tower.encoder(inputs_embeds=tower.pre_layrnorm(hidden)).last_hidden_state
    embedded = model.visual_projection(tower.post_layernorm(hidden[:, 0]))
    return nn.functional.normalize(embedded, dim=-1)


def text_embeddings(
    model: CLIPModel, tokenizer: CLIPTokenizer, texts: Sequence[str]
) -> torch.Tensor:
    """Return unit vectors (batch, width) of texts, cut to the model's length."""
    inputs = tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
    pooled = model.text_model(**inputs).pooler_output
    return nn.functional.normalize(model.text_projection(pooled), dim=-1)
