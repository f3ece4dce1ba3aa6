"""Train mini-vlm, the small Qwen2.5-VL that is put under test offline, and its base.

    python -m cobsat.train.mini_vlm --out models

One command, about an hour on two cores after the drawing, which it shares with mini-clip's
training. Three stages, each on drawings of seeds from 1 on (the benchmark's are seed 0):

1. Sight: the vision tower begins as mini-clip's and learns to tell objects and attributes apart.
2. Naming: the language model learns to caption single pictures. That is `mini_vlm_base`.
3. Context: it goes on with the benchmark's prompts, of lists with other seeds. That is `mini_vlm`.

Then both are measured as they were written, and the cards are written. A stopped run goes on from
its scratch folder; a seed and a number of threads give one result on one kind of processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import cobsat.metrics
import numpy as np
import numpy.typing as npt
import torch
from cobsat.progress import progress
from cobsat.spec import THEMES
from torch import nn
from torch.nn import functional
from transformers import Qwen2_5_VLForConditionalGeneration

from .augment import augment
from .drawings import Drawings
from .mini_vlm_data import Batch, Encoder, Sample, collate
from .mini_vlm_model import IMAGE_SIZE, picture_features
from .samples import chances, label_numbers
from .side_by_side import train_copies

Build: TypeAlias = Callable[[], Qwen2_5_VLForConditionalGeneration]
OnStep: TypeAlias = Callable[[int, float], None]
OBJECTS: Final = tuple(dict.fromkeys(o for theme in THEMES.values() for o in theme.objects))

CLIP_FOLDER: Final = Path(cobsat.metrics.__file__).parent / "mini_clip"
THEME_WEIGHTS: Final = {
    "color": 1.0, "background": 0.7, "style": 2.5, "action": 1.2, "texture": 1.8,
}  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """One stage of the training.

    Attributes:
        cycles: Updates of the weights, and the share of the highest rates that a cycle reaches: the
            rates grow, then fall to nothing along a cosine.
        batch_size: Pictures or prompts an update.
        learning_rate: Of AdamW, its highest value.
        matrix_learning_rate: The same of Muon, which trains the language model's inner matrices.
        weight_decay: Of the matrices.
        ema: How slowly the kept average follows the weights.
        copies: So many copies of the model learn at once, each from a batch of its own.
    """

    cycles: tuple[tuple[int, float], ...]
    batch_size: int
    learning_rate: float = 1e-3
    matrix_learning_rate: float = 3e-3
    weight_decay: float = 0.05
    ema: float = 0.99
    copies: int = 1


def quiet(step: int, loss: float) -> None:
    """Say nothing about a step."""


class Sight(nn.Module):
    """The model with two classifiers over a picture's mean feature, which only teach the tower."""

    def __init__(self, model: Qwen2_5_VLForConditionalGeneration) -> None:
        super().__init__()
        width = model.config.text_config.hidden_size
        self.vlm = model
        self.vlm.model.language_model.requires_grad_(False)
        self.objects = nn.Linear(width, len(OBJECTS))
        self.attributes = nn.Linear(width, sum(len(theme.attributes) for theme in THEMES.values()))

    def loss(
        self, pixels: torch.Tensor, objects: torch.Tensor, attributes: torch.Tensor
    ) -> torch.Tensor:
        """Return how surprised it is by pictures' objects and attributes, in nats."""
        with half():
            seen = picture_features(self.vlm, pixels)
        mean = seen.float().mean(dim=1)
        return functional.cross_entropy(self.objects(mean), objects) + functional.cross_entropy(
            self.attributes(mean), attributes
        )


def half() -> torch.autocast:
    """Return the context in which matrices are multiplied in bfloat16."""
    return torch.autocast("cpu", torch.bfloat16)


def train_sight(
    build: Build, data: Drawings, stage: Stage, seed: int, checkpoint: Path, on_step: OnStep = quiet
) -> Qwen2_5_VLForConditionalGeneration:
    """Return the model with a vision tower that tells objects and attributes apart."""
    theme_objects = np.array([[OBJECTS.index(o) for o in t.objects] for t in THEMES.values()])
    objects = torch.from_numpy(theme_objects[data.themes, data.objects])
    attributes = torch.from_numpy(data.themes * 10 + data.attributes)
    weights = chances(data, THEME_WEIGHTS)

    def loss(sight: Sight, step: int, number: int) -> torch.Tensor:
        generator = np.random.default_rng([seed, step, number])
        rows = generator.choice(len(data.images), stage.batch_size, p=weights)
        pixels = augment(data.images[rows], IMAGE_SIZE, generator)
        return sight.loss(pixels, objects[rows], attributes[rows])

    return train_copies(lambda: Sight(build()), loss, stage, checkpoint, on_step).vlm


class Album:
    """What the model sees of the drawings, computed once: the language model learns from these."""

    def __init__(self, features: torch.Tensor, labels: npt.NDArray[np.int64]) -> None:
        """Take features (pictures, tokens, width) and the numbers of their labels."""
        self._features = features
        self._rows = [np.flatnonzero(labels == label) for label in range(500)]

    def pick(self, labels: Sequence[int], generator: np.random.Generator) -> torch.Tensor:
        """Return a picture's features for each label, (pictures, tokens, width)."""
        return self._features[[int(generator.choice(self._rows[label])) for label in labels]]


def look(model: Qwen2_5_VLForConditionalGeneration, data: Drawings, seed: int, views: int) -> Album:
    """Return an album of every drawing, each disturbed at random in some views."""
    parts = []
    count = len(data.images)
    with progress("looking (hundreds)", views * count // 100) as advance, torch.no_grad(), half():
        for view in range(views):
            for start in range(0, count, 100):
                generator = np.random.default_rng([seed, view, start])
                pixels = augment(data.images[start : start + 100], IMAGE_SIZE, generator)
                parts.append(picture_features(model, pixels).half())
                advance(1)
    labels = label_numbers(data, np.arange(count))
    return Album(torch.cat(parts), np.tile(labels, views))


def answer_losses(
    model: Qwen2_5_VLForConditionalGeneration, batch: Batch, features: torch.Tensor, image: int
) -> torch.Tensor:
    """Return how surprised the model is by the answers and their ends, in nats, (samples,).

    Args:
        model: The model.
        batch: The samples.
        features: Of their pictures, (pictures, tokens, width).
        image: The token that stands for a part of a picture.
    """
    with half():
        embedded = model.get_input_embeddings()(batch.tokens)
        places = (batch.tokens == image).unsqueeze(-1)
        embedded = embedded.masked_scatter(places, features.to(embedded.dtype))
        hidden = model.model.language_model(
            inputs_embeds=embedded, position_ids=batch.positions, use_cache=False
        )[0]
        logits = model.lm_head(hidden.flatten(0, 1)[batch.places]).float()
    surprises = functional.cross_entropy(logits, batch.targets, reduction="none")
    return torch.zeros(len(batch.tokens)).index_add(0, batch.owners, surprises)


def train_words(
    build: Build,
    encoder: Encoder,
    album: Album,
    draw: Callable[[np.random.Generator], list[Sample]],
    stage: Stage,
    seed: int,
    checkpoint: Path,
    on_step: OnStep = quiet,
) -> Qwen2_5_VLForConditionalGeneration:
    """Return the model whose language model has learnt from samples, its tower as it was."""

    def begin() -> Qwen2_5_VLForConditionalGeneration:
        model = build()
        model.set_attn_implementation("eager")  # its backward pass is quicker here
        model.model.visual.requires_grad_(False)
        return model

    def loss(model: Qwen2_5_VLForConditionalGeneration, step: int, number: int) -> torch.Tensor:
        generator = np.random.default_rng([seed, step, number])
        batch = collate(encoder, draw(generator))
        features = album.pick(batch.labels, generator)
        return answer_losses(model, batch, features, encoder.image).mean()

    return train_copies(begin, loss, stage, checkpoint, on_step)
