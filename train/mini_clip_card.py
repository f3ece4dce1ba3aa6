"""Write mini-clip's folder: half-precision weights, files of tokenizer and processor, and its card.

The scores on the card are measured on what was written, read anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from cobsat.images import image_source
from transformers import CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

from .augment import DISTURBANCES
from .mini_clip_model import (
    IMAGE_SIZE,
    PATCH_SIZE,
    TEXT_LENGTH,
    build_processor,
    option_texts,
    text_embeddings,
)
from .shipping import (
    SCORE_NAMES,
    file_digest,
    open_pictures,
    save_half,
    shipped_labels,
    table,
    versions,
)

__all__ = ["measure", "save", "write_card"]


def save(out: Path, model: CLIPModel, tokenizer: CLIPTokenizer) -> None:
    """Write weights in half precision, configuration, tokenizer and image processor."""
    save_half(out, model, tokenizer, build_processor())


def measure(folder: Path) -> dict[str, float]:
    """Return how often object and attribute are both right on the 500 shipped pictures and words.

    The keys are those of `DISTURBANCES`, and "descriptions".
    """
    model = CLIPModel.from_pretrained(folder, dtype=torch.float32).train(False)
    tokenizer = CLIPTokenizer.from_pretrained(folder)
    processor = CLIPImageProcessorPil.from_pretrained(folder)
    source, pictures = open_pictures()
    scores: dict[str, float] = {}
    with torch.inference_mode():
        texts, *places = option_texts()
        options = text_embeddings(model, tokenizer, texts)
        for name, disturb in DISTURBANCES.items():
            embedded = []
            for start in range(0, len(pictures), 50):
                batch = [disturb(picture) for picture in pictures[start : start + 50]]
                pixels = processor(batch, return_tensors="pt")["pixel_values"]
                pooled = model.vision_model(pixels).pooler_output
                embedded.append(model.visual_projection(pooled))
            scores[name] = _accuracy(torch.cat(embedded), options, places)
        words = [source.descriptions[label] for label in shipped_labels()]
        described = text_embeddings(model, tokenizer, words)
        scores["descriptions"] = _accuracy(described, options, places)
    return scores


def _accuracy(outputs: torch.Tensor, options: torch.Tensor, places: list[list[list[int]]]) -> float:
    """Return the share of outputs, in the order of the 500 labels, that are recognized."""
    right = np.ones(len(outputs), bool)
    numbers = np.arange(100)
    for indices, answers in zip(places, (numbers % 10, numbers // 10), strict=True):
        for theme, members in enumerate(indices):
            part = slice(theme * 100, theme * 100 + 100)
            found = (outputs[part] @ options[members].T).argmax(dim=1).numpy()
            right[part] &= found == answers
    return float(right.mean())


def write_card(
    out: Path,
    settings: Mapping[str, Any],
    digest: str,
    threads: int,
    minutes: float,
    measured: Mapping[str, float],
) -> None:
    """Write the model card.

    Args:
        out: The model's folder.
        settings: What the training was given.
        digest: Of the drawing code.
        threads: Of torch.
        minutes: The training took, without the drawing.
        measured: What `measure` returned.
    """
    weights = out / "model.safetensors"
    parameters = sum(p.numel() for p in CLIPModel.from_pretrained(out).parameters())
    card = _CARD.format(
        parameters=parameters / 1e6,
        megabytes=weights.stat().st_size / 1e6,
        image_size=IMAGE_SIZE,
        patch_size=PATCH_SIZE,
        text_length=TEXT_LENGTH,
        drawings=500 * settings["drawing_seeds"],
        minutes=minutes,
        threads=threads,
        digest=digest,
        sha256=file_digest(weights),
        rendered=image_source("rendered").digest,
        settings=table(settings.items()),
        scores=table((SCORE_NAMES[name], f"{score:.1%}") for name, score in measured.items()),
        versions=versions(),
        **settings,
    )
    (out / "README.md").write_text(card, encoding="utf-8")


_CARD: Final = """\
---
license: apache-2.0
library_name: transformers
pipeline_tag: zero-shot-image-classification
tags:
- clip
- cobsat
---

# mini-clip

A small CLIP ({parameters:.1f}M parameters, {megabytes:.1f} MB in half precision) that judges
[CoBSAT](https://arxiv.org/abs/2402.01293)'s outputs offline: of a theme's ten objects and ten
attributes, which does a picture or a description show? It is an ordinary `CLIPModel` of
`transformers`, trained from nothing, and ships with the package `cobsat`.

## What it is good for, and what not

It knows only these 20 things (ten objects, ten animals) and 50 attributes, as drawn by
`cobsat.drawing`, and English descriptions much like those of the drawings. It makes the benchmark's
judge real on a machine without a network: for tests, for the README's commands, for baselines that
give pictures of the rendered source.

It has never seen a photograph or a picture of another hand. Judge the outputs of real models with
`openai/clip-vit-large-patch14` or the paper's judge; what mini-clip says of them means little.

## Scores

Object and attribute both right, on the 500 pictures that ship with the package (drawings of seed 0,
digest `{rendered:.16}`), which it was not trained on:

| pictures | accuracy |
|---|---|
{scores}

## How it was trained

`python -m cobsat.train.mini_clip --seed {seed} --drawing-seeds {drawing_seeds} --steps {steps}
--threads {threads}`, in {minutes:.0f} minutes on two cores without a GPU, after the drawing.

Data: {drawings:,} drawings, every pair of attribute and object of Table 1 with the seeds 1 to
{drawing_seeds} (never 0, the shipped one), by the drawing code of digest `{digest}`; and their
descriptions, also two joined into a longer one, and plain sentences with the label. Pictures are
turned, zoomed, moved, flipped, blurred, given noise and saved as JPEG at random; no hue is changed.

Loss: cross-entropy over the judge's own questions (which of the theme's ten objects, which of its
ten attributes) and, with half the weight, over the whole labels of the batch, by cosine times a
learned scale, for pictures and descriptions alike. For the first part of the training the image
tower sees half of each picture's patches, chosen at random; pictures of the harder themes are shown
more often. Muon for the towers' inner matrices and AdamW for the rest, a cosine schedule, and a
moving average of the weights, which is what is kept. Copies of the model learn side by side, and
their gradients are averaged. The same seed, threads and library versions give the same weights.

| setting | value |
|---|---|
{settings}

Pictures are {image_size} by {image_size} pixels in patches of {patch_size}; texts have up to
{text_length} tokens. Versions: {versions}. SHA-256 of the weights: `{sha256}`.
"""
