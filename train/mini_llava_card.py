"""Write mini-llava's folder and its card.

The scores on the card are measured on what was written, read anew, as a user would read it: through
its processor and chat template, by free greedy generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.images import image_source
from cobsat.metrics.questions import WORDINGS, Wording, questions
from cobsat.progress import progress
from cobsat.spec import THEMES
from PIL import Image
from transformers import (
    AutoModelForImageTextToText,
    AutoProcessor,
    LlavaForConditionalGeneration,
    LlavaProcessor,
)

from .augment import DISTURBANCES
from .mini_clip_model import IMAGE_SIZE
from .mini_llava_model import CONTEXT, IMAGE_TOKENS
from .shipping import (
    SCORE_NAMES,
    file_digest,
    open_pictures,
    save_half,
    shipped_labels,
    table,
    versions,
)

__all__ = ["generate", "measure", "save", "write_card"]

BATCH: Final = 50


def save(out: Path, model: LlavaForConditionalGeneration, processor: LlavaProcessor) -> None:
    """Write weights in half precision, configuration, tokenizer, processor and chat template."""
    save_half(out, model, processor)


def generate(
    model: Any,
    processor: Any,
    asked: Sequence[tuple[Image.Image | None, str]],
) -> list[str]:
    """Return what the model says, in batches, to a text with or without a picture."""
    replies: list[str] = []
    for start in range(0, len(asked), BATCH):
        chats = []
        for picture, text in asked[start : start + BATCH]:
            parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
            if picture is not None:
                parts.insert(0, {"type": "image", "image": picture})
            chats.append([{"role": "user", "content": parts}])
        inputs = processor.apply_chat_template(
            chats,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
        with torch.inference_mode():
            ids = model.generate(**inputs)
        said = ids[:, inputs["input_ids"].shape[1] :]
        replies += processor.batch_decode(said, skip_special_tokens=True)
    return replies


def measure(folder: Path) -> dict[Wording, dict[str, float]]:
    """Return how often both answers are right on the 500 shipped pictures and descriptions.

    By wording of the questions; the inner keys are those of `DISTURBANCES`, and "descriptions". A
    reply is right when it is the option's number and nothing else.
    """
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    processor = AutoProcessor.from_pretrained(folder)  # type: ignore[no-untyped-call]
    source, pictures = open_pictures()
    labels = shipped_labels()
    described = [source.descriptions[label] for label in labels]
    scores: dict[Wording, dict[str, float]] = {wording: {} for wording in WORDINGS}
    with progress("measuring", len(WORDINGS) * (len(DISTURBANCES) + 1)) as advance:
        for name, disturb in [*DISTURBANCES.items(), ("descriptions", None)]:
            seen = [disturb(picture) for picture in pictures] if disturb else [None] * len(labels)
            for wording in WORDINGS:
                right = [True] * len(labels)
                for kind in (0, 1):
                    asked, answers = [], []
                    for label, picture, text in zip(labels, seen, described, strict=True):
                        theme = THEMES[label[0]]
                        question = questions(theme, wording)[kind]
                        words = question.about_picture
                        if picture is None:
                            words = question.with_description(text)
                        asked.append((picture, words))
                        answers.append(str(question.options.index(label[2 - kind]) + 1))
                    replies = generate(model, processor, asked)
                    pairs = zip(right, replies, answers, strict=True)
                    right = [so_far and reply == answer for so_far, reply, answer in pairs]
                scores[wording][name] = sum(right) / len(right)
                advance(1)
    return scores


def write_card(
    out: Path,
    settings: Mapping[str, Any],
    digest: str,
    tower: str,
    threads: int,
    minutes: float,
    measured: Mapping[Wording, Mapping[str, float]],
) -> None:
    """Write the model card.

    Args:
        out: The model's folder.
        settings: What the training was given.
        digest: Of the drawing code.
        tower: SHA-256 of mini-clip's weights.
        threads: Of torch.
        minutes: The training took, without the drawing.
        measured: What `measure` returned.
    """
    weights = out / "model.safetensors"
    model = LlavaForConditionalGeneration.from_pretrained(out)
    parameters = sum(p.numel() for p in model.parameters())
    frozen = sum(p.numel() for p in model.model.vision_tower.parameters())
    scores = [
        (name, f"{measured['paper'][key]:.1%} | {measured['released'][key]:.1%}")
        for key, name in SCORE_NAMES.items()
    ]
    card = _CARD.format(
        parameters=parameters / 1e6,
        trained=(parameters - frozen) / 1e6,
        megabytes=weights.stat().st_size / 1e6,
        image_size=IMAGE_SIZE,
        image_tokens=IMAGE_TOKENS,
        context=CONTEXT,
        drawings=500 * settings["drawing_seeds"],
        minutes=minutes,
        threads=threads,
        digest=digest,
        tower=tower,
        sha256=file_digest(weights),
        rendered=image_source("rendered").digest,
        table=table(_rows(settings)),
        scores=table(scores),
        versions=versions(),
        share=settings["released"],
        **settings,
    )
    (out / "README.md").write_text(card, encoding="utf-8")


def _rows(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return a card's rows, a cycle of the course in one."""
    rows: list[tuple[str, Any]] = [(name, settings[name]) for name in settings if name != "course"]
    for number, cycle in enumerate(settings["course"], start=1):
        weights = ", ".join(f"{theme} {share:g}" for theme, share in cycle["theme_weights"].items())
        what = f"{cycle['steps']} updates, at {cycle['rate']:.0%} of the rates, themes {weights}"
        rows.append((f"cycle {number}", what))
    return rows


_CARD: Final = """\
---
license: apache-2.0
library_name: transformers
pipeline_tag: image-text-to-text
tags:
- llava
- cobsat
---

# mini-llava

A small LLaVA ({parameters:.1f}M parameters, {megabytes:.1f} MB in half precision) that answers, by
number, the two multiple-choice questions with which [CoBSAT](https://arxiv.org/abs/2402.01293)
judges a picture or a description. It is an ordinary `LlavaForConditionalGeneration` of
`transformers` with LLaVA-1.5's layout, and ships with the package `cobsat`.

```python
from transformers import AutoModelForImageTextToText, AutoProcessor

processor = AutoProcessor.from_pretrained(folder)
model = AutoModelForImageTextToText.from_pretrained(folder, dtype="float32")
```

Put the picture first and the question after it, as parts of one user message; the chat template
makes LLaVA's own `llava_v1` prompt of them. For a description there is no picture, and the question
begins with `Image caption: …`. Digits stand alone in the vocabulary and follow `▁`, as in LLaMA's,
so "10" and "1" begin alike: a judge that reads the options' probabilities meets what it will meet
in the real one.

## What it is good for, and what not

It makes the paper's judge real on a machine without a network: for tests, for the README's
commands, for baselines that give pictures of the rendered source.

It knows one thing: these two questions, in the paper's wording and in the released code's, about
the 20 objects and animals and 50 attributes of Table 1, as drawn by `cobsat.drawing` or as
described in English much like the drawings' own. It learnt the options in Table 1's order and
answers from that order as much as from their numbers: it need not cope with another. It does not
chat, it does not refuse, it says some number about any picture, and it has never seen a
photograph. Judge the outputs of real models with `llava-hf/llava-1.5-13b-hf` or another real one;
what mini-llava says of them means little.

## Scores

Both questions right, by free greedy generation in single precision with nothing but the number in
the reply, on the 500 pictures that ship with the package (drawings of seed 0, digest
`{rendered:.16}`), which it was not trained on:

| pictures | the paper's wording | the released code's |
|---|---|---|
{scores}

## How it was trained

`python -m cobsat.train.mini_llava --seed {seed} --drawing-seeds {drawing_seeds} --threads
{threads}`, in {minutes:.0f} minutes on two cores without a GPU, after the drawing.

As LLaVA was: the image tower is a CLIP's, here mini-clip's (weights `{tower:.16}`), frozen,
and its last layer is read with the class token ({image_tokens} tokens a picture); the projector and
the language model, a LLaMA ({trained:.1f}M parameters together), learn from nothing.

Data: {drawings:,} drawings, every pair of attribute and object of Table 1 with the seeds 1 to
{drawing_seeds} (never 0, the shipped one), by the drawing code of digest `{digest}`, turned,
zoomed, moved, flipped, blurred, given noise and saved as JPEG at random; and their descriptions,
also several joined, in lower case, without a full stop, among other words, and plain sentences with
the label. Every output is asked about twice, for the object and for the attribute; in
{share:.0%} of the cases in the wording of the released code.

Loss: cross-entropy of the answer's tokens and its end. From update {taught_from} on, half of it at
the number of a picture's option is by mini-clip's own probabilities of the ten, which tell also how
near the others come. Hard themes are shown more often, in the later cycles still more.

Muon for the inner matrices and AdamW for the rest, four cosine cycles, and a moving average of the
weights, which is what is kept. Copies of the model learn side by side, and their gradients are
averaged. The same seed, threads and library versions give the same weights. The course was chosen
by looking at the scores above: cycles were added until no shipped picture was missed.

| setting | value |
|---|---|
{table}

Pictures are {image_size} by {image_size} pixels; the context is {context} tokens. Versions:
{versions}. SHA-256 of the weights: `{sha256}`.
"""
