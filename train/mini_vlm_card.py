"""Write mini-vlm's two folders and their cards.

The scores on the cards are measured on what was written, read anew, as a user would read it:
captions through processor and chat template, prompts through `cobsat.models`' own adapter, by free
greedy generation, judged by the words in the answers (`cobsat.metrics.mention_judge`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.examples import Options, Reference, examples
from cobsat.images import image_source
from cobsat.metrics.mention_judge import judge_description
from cobsat.models.transformers_vlm import TransformersVLM
from cobsat.progress import progress
from cobsat.spec import TASKS
from transformers import (
    AutoModelForImageTextToText,
    AutoProcessor,
    Qwen2_5_VLForConditionalGeneration,
)

from .augment import DISTURBANCES
from .mini_llava_card import generate
from .mini_vlm_data import ASK_CAPTION, LIST_SEEDS
from .mini_vlm_model import CONTEXT, IMAGE_SIZE, PICTURE_TOKENS
from .shipping import SCORE_NAMES, file_digest, open_pictures, shipped_labels, table, versions

__all__ = ["ABOUT", "PROMPTS", "SHOTS", "Facts", "measure_captions", "measure_tasks", "write_card"]

BATCH: Final = 50
SHOTS: Final = (2, 4)
MOST_TOKENS: Final = 24
PROMPTS: Final = {"mini-vlm-base": 100, "mini-vlm": 1000}
"""How many of the released prompts of each task a model is measured on."""


@dataclass(frozen=True)
class Facts:
    """What a card says of a training.

    Attributes:
        settings: What the training was given.
        digest: Of the drawing code.
        tower: SHA-256 of mini-clip's weights.
        threads: Of torch.
        minutes: What each stage took, by its name.
    """

    settings: Mapping[str, Any]
    digest: str
    tower: str
    threads: int
    minutes: Mapping[str, float]


def measure_captions(folder: Path) -> dict[str, float]:
    """Return how often a caption names a shipped picture's object and attribute.

    The keys are those of `DISTURBANCES`.
    """
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    processor = AutoProcessor.from_pretrained(folder)  # type: ignore[no-untyped-call]
    _, pictures = open_pictures()
    scores = {}
    with progress("captioning", len(DISTURBANCES)) as advance:
        for name, disturb in DISTURBANCES.items():
            asked = [(disturb(picture), ASK_CAPTION[0]) for picture in pictures]
            told = generate(model, processor, asked)
            right = [
                _is_right(text, {"task": f"{theme}_i", "object": object_, "attribute": attribute})
                for text, (theme, attribute, object_) in zip(told, shipped_labels(), strict=True)
            ]
            scores[name] = sum(right) / len(right)
            advance(1)
    return scores


def _is_right(text: str | None, reference: Reference) -> bool:
    return bool(judge_description(text or "", reference).correct)


def measure_tasks(folder: Path, shots: int, limit: int) -> dict[str, float]:
    """Return the accuracy of each task on the released prompts.

    Args:
        folder: The model's.
        shots: Demonstrations in a prompt.
        limit: So many prompts a task.
    """
    model = TransformersVLM(str(folder), dtype="float32", max_new_tokens=MOST_TOKENS)
    wording = model.instructions_for["description"]
    options = Options(output="description", instructions_for=wording)
    scores = {}
    with progress(f"answering, {shots} shots", len(TASKS)) as advance:
        for task in TASKS:
            rows = examples(f"{task}-{shots}shot", "test", options)[:limit]
            outputs = [
                output
                for start in range(0, len(rows), BATCH)
                for output in model.predict(rows[start : start + BATCH])
            ]
            right = [
                _is_right(output.text, row["reference"])
                for output, row in zip(outputs, rows, strict=True)
            ]
            scores[task] = sum(right) / len(right)
            advance(1)
    return scores


def write_card(
    out: Path,
    name: str,
    facts: Facts,
    captions: Mapping[str, float],
    tasks: Mapping[int, Mapping[str, float]],
) -> None:
    """Write a model's card.

    Args:
        out: The model's folder.
        name: A key of `ABOUT`.
        facts: Of the training.
        captions: What `measure_captions` returned.
        tasks: What `measure_tasks` returned, by shots.
    """
    weights = out / "model.safetensors"
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(out)
    parameters = sum(p.numel() for p in model.parameters())
    tower = sum(p.numel() for p in model.model.visual.parameters())
    means = {shots: sum(scores.values()) / len(scores) for shots, scores in tasks.items()}
    rows = [(task, _cells(tasks, task)) for task in TASKS]
    rows.append(("mean", " | ".join(f"**{mean:.1%}**" for mean in means.values())))
    (out / "README.md").write_text(
        _CARD.format(
            name=name,
            about=ABOUT[name],
            parameters=parameters / 1e6,
            tower_parameters=tower / 1e6,
            megabytes=weights.stat().st_size / 1e6,
            image_size=IMAGE_SIZE,
            picture_tokens=PICTURE_TOKENS,
            context=CONTEXT,
            drawings=500 * facts.settings["drawing_seeds"],
            drawing_seeds=facts.settings["drawing_seeds"],
            seed=facts.settings["seed"],
            threads=facts.threads,
            digest=facts.digest,
            tower=facts.tower,
            list_seeds=f"{LIST_SEEDS[0]} to {LIST_SEEDS[-1]}",
            minutes=table((stage, f"{m:.0f} minutes") for stage, m in facts.minutes.items()),
            rendered=image_source("rendered").digest,
            captions=table((SCORE_NAMES[key], f"{share:.1%}") for key, share in captions.items()),
            first="1,000" if PROMPTS[name] == 1000 else f"first {PROMPTS[name]}",
            shots=" | ".join(f"{shots} shots" for shots in tasks),
            lines="---|" * len(tasks),
            tasks=table(rows),
            table=table(_rows(facts.settings)),
            versions=versions(),
            sha256=file_digest(weights),
        ),
        encoding="utf-8",
    )


def _cells(tasks: Mapping[int, Mapping[str, float]], task: str) -> str:
    return " | ".join(f"{scores[task]:.1%}" for scores in tasks.values())


def _rows(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return a card's rows: a stage in one, and so the wordings."""
    rows: list[tuple[str, Any]] = []
    for key, value in settings.items():
        shown = value
        if key == "shots":
            shown = ", ".join(f"{shots}: {share:g}" for shots, share in value)
        elif key == "wordings":
            shown = ", ".join(
                f"{w['prompt_type']} for {w['instructions_for']}: {w['weight']:g}" for w in value
            )
        elif isinstance(value, Mapping):
            cycles = ", then ".join(f"{n} updates at {rate:.0%}" for n, rate in value["cycles"])
            rest = ", ".join(f"{k} {v}" for k, v in value.items() if k != "cycles")
            shown = f"{cycles}; {rest}"
        rows.append((key, shown))
    return rows


ABOUT: Final = {
    "mini-vlm": """\
It answers the benchmark's prompts: it goes on from `mini-vlm-base`, which names what single
pictures show, and has learnt from interleaved prompts what is asked for in them.""",
    "mini-vlm-base": """\
It sees and names: it captions single pictures. It has never seen a prompt with several, so it
hardly does text-to-image in-context learning; it is what the fine-tuning examples start from.
`mini-vlm` is what became of it after such prompts.""",
}
"""What sets the two models apart."""

_CARD: Final = """\
---
license: apache-2.0
library_name: transformers
pipeline_tag: image-text-to-text
tags:
- qwen2_5_vl
- cobsat
---

# {name}

A small Qwen2.5-VL ({parameters:.1f}M parameters, {megabytes:.1f} MB in half precision) to put under
test where there is no network and no GPU: an ordinary `Qwen2_5_VLForConditionalGeneration` of
`transformers`, with processor and tokenizer, that ships with the package `cobsat`.

{about}

```python
from transformers import AutoModelForImageTextToText, AutoProcessor

processor = AutoProcessor.from_pretrained(folder)
model = AutoModelForImageTextToText.from_pretrained(folder, dtype="float32")
```

## What it is good for, and what not

It makes a run of [CoBSAT](https://arxiv.org/abs/2402.01293) real on a laptop: tests, the README's
commands, fine-tuning in miniature. It draws nothing. It knows only the 20 objects and animals and
50 attributes of Table 1, as drawn by `cobsat.drawing`, and short English captions of them. It has
never seen a photograph, does not chat, and says nothing about what real models can do: its scores
belong beside no table of the paper.

## Scores

Captions of the 500 pictures that ship with the package (drawings of seed 0, digest
`{rendered:.16}`), which it was not trained on: object and attribute both named and no other.

| pictures | right |
|---|---|
{captions}

The {first} released prompts of each task on these pictures, asked for descriptions as
`cobsat predict --model transformers` asks; judged by `mention`.

| task | {shots} |
|---|{lines}
{tasks}

All by free greedy generation in single precision.

## How it was trained

`python -m cobsat.train.mini_vlm --seed {seed} --drawing-seeds {drawing_seeds} --threads {threads}`,
after the drawing:

| stage | time |
|---|---|
{minutes}

Data: {drawings:,} drawings, every pair of attribute and object of Table 1 with the seeds 1 to
{drawing_seeds} (never 0, the shipped one), by the drawing code of digest `{digest}`, disturbed at
random.

1. Sight. The vision tower ({tower_parameters:.1f}M parameters with its merger) begins as
   mini-clip's image tower (weights `{tower:.16}`), rewritten for Qwen's blocks. It learns, with
   two classifiers that are thrown away, which object and which attribute a picture shows.
2. Naming. The tower stays as it is; the language model learns from nothing to caption a picture, to
   name its object or attribute alone, and to make a caption of words.
3. Context (`mini-vlm` only). The language model goes on with the benchmark's prompts in all
   wordings of App. A.1, of prompt lists with the seeds {list_seeds} (the released ones are 123's).

Cross-entropy of the answer's tokens and their end. Muon for the blocks' matrices and AdamW for the
rest, matrices multiplied in bfloat16, a moving average of the weights, which is what is kept. The
same seed, threads and library versions give the same weights on one kind of processor.

| setting | value |
|---|---|
{table}

Pictures are scaled to about {image_size} by {image_size} pixels and become {picture_tokens} tokens;
the context is {context} tokens. Versions: {versions}. SHA-256 of the weights: `{sha256}`.
"""
