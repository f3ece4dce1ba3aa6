"""Train mini-clip, the small CLIP that judges offline, on drawings that the benchmark never shows.

    python -m cobsat.train.mini_clip --out metrics/mini_clip

One command, about forty minutes on two cores: draws every picture of Table 1 with seeds from 1 on
(the benchmark's are seed 0), trains both towers on the judge's own questions (which of the ten
objects, which of the ten attributes, which label; for pictures and for descriptions), measures the
result on the 500 shipped pictures as they are and disturbed, and writes the folder with its card.
A stopped run goes on from its scratch folder; a seed and a number of threads give one result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import torch
import typer
from torch.nn import functional
from transformers import CLIPModel, CLIPTokenizer

from .augment import augment
from .drawings import Drawings, draw_all
from .mini_clip_card import measure, save, write_card
from .mini_clip_model import (
    IMAGE_SIZE,
    PATCH_SIZE,
    build_model,
    build_tokenizer,
    image_embeddings,
    option_texts,
    text_embeddings,
)
from .samples import chances, label_numbers, label_texts, words
from .side_by_side import checkpoint_path, echo_losses, minutes_spent, train_copies

DRAWN_SIZE: Final = 128


@dataclass(frozen=True)
class Settings:
    """What decides the result, with the number of threads and the drawing code.

    Attributes:
        seed: Of the weights, the order and the disturbances.
        drawing_seeds: Pictures are drawn with the seeds 1 to this.
        steps: Updates of the weights.
        copies: So many copies of the model learn at once, each from a batch of its own.
        batch_size: Pictures an update and copy.
        descriptions: Descriptions an update and copy.
        theme_weights: How often a theme's pictures are shown: the hard ones more often.
        learning_rate: Of AdamW, its highest value; it grows at first, then falls to nothing.
        matrix_learning_rate: The same of Muon, which trains the towers' inner matrices.
        weight_decay: Of the matrices.
        whole_from: Share of the training after which the image tower sees all patches, not half.
        ema: How slowly the kept average follows the weights.
        second_steps: Updates of a second, gentler cycle, which learns the last few pictures.
        second_rate: Its highest learning rates, as a share of the first cycle's.
    """

    seed: int = 0
    drawing_seeds: int = 36
    steps: int = 2000
    copies: int = 2
    batch_size: int = 64
    descriptions: int = 8
    theme_weights: dict[str, float] = field(
        default_factory=lambda: {
            "color": 1.0, "background": 1.0, "style": 2.5, "action": 1.0, "texture": 1.8,
        }
    )  # fmt: skip
    learning_rate: float = 1e-3
    matrix_learning_rate: float = 3e-3
    weight_decay: float = 0.05
    whole_from: float = 0.75
    ema: float = 0.998
    second_steps: int = 400
    second_rate: float = 0.3

    @property
    def cycles(self) -> tuple[tuple[int, float], ...]:
        """Updates and rates of the cycles."""
        return (self.steps, 1.0), (self.second_steps, self.second_rate)


@dataclass(frozen=True)
class Texts:
    """The judge's texts: options, where each theme's are, and whole labels."""

    options: list[str]
    objects: torch.Tensor  # (themes, 10) indices into options
    attributes: torch.Tensor
    labels: list[str]  # 500, in Table 1's order


def judge_texts() -> Texts:
    """Return the texts that the judge compares with."""
    options, objects, attributes = option_texts()
    return Texts(options, torch.tensor(objects), torch.tensor(attributes), label_texts())


def train(
    data: Drawings,
    tokenizer: CLIPTokenizer,
    settings: Settings,
    checkpoint: Path,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> CLIPModel:
    """Return the trained model: the moving average of the weights."""
    texts = judge_texts()

    def loss(model: CLIPModel, step: int, number: int) -> torch.Tensor:
        generator = np.random.default_rng([settings.seed, step, number])
        return _loss(model, tokenizer, data, texts, settings, step, generator)

    return train_copies(
        lambda: build_model(tokenizer, settings.seed),
        loss,
        settings,
        checkpoint,
        on_step,
    )


def _loss(
    model: CLIPModel,
    tokenizer: CLIPTokenizer,
    data: Drawings,
    texts: Texts,
    settings: Settings,
    step: int,
    generator: np.random.Generator,
) -> torch.Tensor:
    rows = generator.choice(
        len(data.images), settings.batch_size, p=chances(data, settings.theme_weights)
    )
    pixels = augment(data.images[rows], IMAGE_SIZE, generator)
    kept = None
    if step < settings.whole_from * settings.steps:
        patches = (IMAGE_SIZE // PATCH_SIZE) ** 2
        order = generator.random((len(rows), patches)).argsort(axis=1)
        kept = torch.from_numpy(order[:, : patches // 2])
    pictures = image_embeddings(model, pixels, kept)

    text_rows = generator.integers(len(data.images), size=settings.descriptions)
    written = [words(data, texts.labels, int(row), generator) for row in text_rows]
    descriptions = text_embeddings(model, tokenizer, written)

    both = np.concatenate([rows, text_rows])
    labels, places = np.unique(label_numbers(data, both), return_inverse=True)
    short = [*texts.options, *(texts.labels[label] for label in labels)]
    embedded = text_embeddings(model, tokenizer, short)
    options, whole = embedded[: len(texts.options)], embedded[len(texts.options) :]

    scale = model.logit_scale.exp().clamp(max=100)
    outputs = torch.cat([pictures, descriptions])
    themes = torch.from_numpy(data.themes[both])
    loss = 0.5 * functional.cross_entropy(scale * outputs @ whole.T, torch.from_numpy(places))
    for answers, indices in ((data.objects, texts.objects), (data.attributes, texts.attributes)):
        logits = scale * torch.einsum("bd,bod->bo", outputs, options[indices[themes]])
        loss = loss + functional.cross_entropy(logits, torch.from_numpy(answers[both]))
    return loss


def main(
    out: Annotated[Path, typer.Option(help="Folder of the model.")] = Path("metrics/mini_clip"),
    scratch: Annotated[Path, typer.Option(help="Folder for drawings and checkpoints.")] = Path(
        "build/mini_clip"
    ),
    seed: Annotated[int, typer.Option(help="Seed of weights, order and disturbances.")] = 0,
    drawing_seeds: Annotated[int, typer.Option(help="Drawings of each label.", min=2)] = 36,
    steps: Annotated[int, typer.Option(help="Updates of the weights.", min=1)] = 2000,
    threads: Annotated[int, typer.Option(help="Threads of torch, and drawing processes.")] = 2,
) -> None:
    """Draw, train, measure, and write the model's folder with its card."""
    torch.set_num_threads(threads)
    settings = Settings(seed=seed, drawing_seeds=drawing_seeds, steps=steps)
    scratch.mkdir(parents=True, exist_ok=True)
    data = draw_all(range(1, drawing_seeds + 1), DRAWN_SIZE, scratch, processes=threads)
    tokenizer = build_tokenizer([*data.descriptions, *label_texts() * 100])
    checkpoint = checkpoint_path(scratch, asdict(settings), data.digest)
    model = train(data, tokenizer, settings, checkpoint, echo_losses())
    save(out, model, tokenizer)
    measured = measure(out)
    write_card(out, asdict(settings), data.digest, threads, minutes_spent(checkpoint), measured)
    for name, score in measured.items():
        typer.echo(f"{name:>14}  {score:.1%}")
    typer.echo(f"written to {out}")


if __name__ == "__main__":
    typer.run(main)
