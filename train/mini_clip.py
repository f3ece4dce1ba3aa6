"""Train mini-clip, the small CLIP that judges offline, on drawings that the benchmark never shows.

    python -m cobsat.train.mini_clip --out metrics/mini_clip

One command, about forty minutes on two cores: draws every picture of Table 1 with seeds from 1 on
(the benchmark's are seed 0), trains both towers on the judge's own questions (which of the ten
objects, which of the ten attributes, which label; for pictures and for descriptions), measures the
result on the 500 shipped pictures as they are and disturbed, and writes the folder with its card.
A stopped run goes on from its scratch folder; a seed and a number of threads give one result.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
import torch
import typer
from cobsat.progress import progress
from cobsat.spec import THEMES
from torch.nn import functional
from transformers import CLIPModel, CLIPTokenizer

from .augment import augment
from .drawings import Drawings, draw_all, theme_labels
from .mini_clip_card import measure, save, write_card
from .mini_clip_model import (
    IMAGE_SIZE,
    PATCH_SIZE,
    build_model,
    build_tokenizer,
    image_embeddings,
    label_text,
    option_texts,
    text_embeddings,
)
from .muon import Muon

DRAWN_SIZE: Final = 128
CHECKPOINT_EVERY: Final = 200


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
    labels = [label_text(theme, a, o) for theme in THEMES for a, o in theme_labels(theme)]
    return Texts(options, torch.tensor(objects), torch.tensor(attributes), labels)


def train(
    data: Drawings,
    tokenizer: CLIPTokenizer,
    settings: Settings,
    scratch: Path,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> CLIPModel:
    """Return the trained model: the moving average of the weights.

    Copies of the model learn from a part of each batch, every one in a thread of its own: on small
    towers that keeps as many cores busy, where threads within each operation would mostly wait.
    """
    model, average, *copies = (
        build_model(tokenizer, settings.seed) for _ in range(settings.copies + 2)
    )
    optimizers = _optimizers(model, settings)
    texts = judge_texts()
    checkpoint = scratch / f"checkpoint-{_name(settings, data)}.pt"
    start = _restore(checkpoint, [model, average, *optimizers])
    total = settings.steps + settings.second_steps

    def learn(step: int, number: int) -> float:
        copies[number].load_state_dict(model.state_dict())
        copies[number].zero_grad(set_to_none=True)
        generator = np.random.default_rng([settings.seed, step, number])
        loss = _loss(copies[number], tokenizer, data, texts, settings, step, generator)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    with (
        progress("training", total, start) as advance,
        ThreadPoolExecutor(settings.copies, initializer=lambda: torch.set_num_threads(1)) as pool,
    ):
        for step in range(start, total):
            for group in (group for o in optimizers for group in o.param_groups):
                group["lr"] = group["peak"] * _schedule(step, settings)
            losses = list(pool.map(learn, [step] * len(copies), range(len(copies))))
            _gather(model, copies)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for optimizer in optimizers:
                optimizer.step()
            _follow(average, model, min(settings.ema, (1 + step) / (10 + step)))
            advance(1)
            on_step(step + 1, sum(losses) / len(losses))
            if (step + 1) % CHECKPOINT_EVERY == 0:
                parts: list[torch.nn.Module | torch.optim.Optimizer]
                parts = [model, average, *optimizers]
                state = [part.state_dict() for part in parts]
                partial = checkpoint.with_suffix(".partial")
                torch.save({"step": step + 1, "state": state}, partial)
                os.replace(partial, checkpoint)
    average.train(False)
    return average


def _gather(model: CLIPModel, copies: Sequence[CLIPModel]) -> None:
    """Give the model the mean of its copies' gradients."""
    for parameter, *parts in zip(
        model.parameters(), *(copy.parameters() for copy in copies), strict=True
    ):
        gradients = [part.grad for part in parts if part.grad is not None]
        parameter.grad = torch.stack(gradients).mean(dim=0) if gradients else None


def _optimizers(model: CLIPModel, settings: Settings) -> tuple[torch.optim.Optimizer, ...]:
    """Return Muon for the towers' inner matrices and AdamW for the rest.

    Each group keeps its highest learning rate under "peak".
    """
    named = dict(model.named_parameters())
    inner = [p for name, p in named.items() if ".layers." in name and p.ndim == 2]
    known = {id(p) for p in inner}
    rest = [p for p in named.values() if id(p) not in known]
    groups = [
        {"params": [p for p in rest if p.ndim >= 2], "weight_decay": settings.weight_decay},
        {"params": [p for p in rest if p.ndim < 2], "weight_decay": 0.0},
    ]
    optimizers = (
        torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(0.9, 0.98)),
        Muon(inner, settings.matrix_learning_rate, settings.weight_decay),
    )
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return optimizers


def _schedule(step: int, settings: Settings) -> float:
    """Return the learning rate's share of its highest value: two cycles of growth and a cosine."""
    if step < settings.steps:
        return _cycle(step / settings.steps, warm=0.05)
    second = (step - settings.steps) / settings.second_steps
    return settings.second_rate * _cycle(second, warm=0.1)


def _cycle(progress: float, warm: float) -> float:
    if progress < warm:
        return max(progress, 1e-3) / warm
    return 0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm)))


def _follow(average: CLIPModel, model: CLIPModel, decay: float) -> None:
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 1 - decay)


def _name(settings: Settings, data: Drawings) -> str:
    what = json.dumps([asdict(settings), data.digest, torch.get_num_threads()], sort_keys=True)
    return hashlib.sha256(what.encode()).hexdigest()[:12]


def _restore(path: Path, parts: Sequence[torch.nn.Module | torch.optim.Optimizer]) -> int:
    """Take up a checkpoint if there is one, and return how many steps were done."""
    if not path.exists():
        return 0
    saved = torch.load(path, weights_only=True)
    for part, state in zip(parts, saved["state"], strict=True):
        part.load_state_dict(state)
    return int(saved["step"])


def _loss(
    model: CLIPModel,
    tokenizer: CLIPTokenizer,
    data: Drawings,
    texts: Texts,
    settings: Settings,
    step: int,
    generator: np.random.Generator,
) -> torch.Tensor:
    rows = generator.choice(len(data.images), settings.batch_size, p=_chances(data, settings))
    pixels = augment(data.images[rows], IMAGE_SIZE, generator)
    kept = None
    if step < settings.whole_from * settings.steps:
        patches = (IMAGE_SIZE // PATCH_SIZE) ** 2
        order = generator.random((len(rows), patches)).argsort(axis=1)
        kept = torch.from_numpy(order[:, : patches // 2])
    pictures = image_embeddings(model, pixels, kept)

    text_rows = generator.integers(len(data.images), size=settings.descriptions)
    written = [_words(data, texts, int(row), generator) for row in text_rows]
    descriptions = text_embeddings(model, tokenizer, written)

    both = np.concatenate([rows, text_rows])
    labels, places = np.unique(_labels(data, both), return_inverse=True)
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


def _chances(data: Drawings, settings: Settings) -> npt.NDArray[np.float64]:
    """Return each picture's chance to be shown."""
    weights = np.array([settings.theme_weights[theme] for theme in THEMES])[data.themes]
    return np.asarray(weights / weights.sum())


def _labels(data: Drawings, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the numbers of the rows' labels among the 500."""
    return data.themes[rows] * 100 + data.attributes[rows] * 10 + data.objects[rows]


def _words(data: Drawings, texts: Texts, row: int, generator: np.random.Generator) -> str:
    """Return a picture's description, a longer one made of two, or only its label in a sentence.

    The second half of a long one trains the text tower's last positions.
    """
    kind = generator.random()
    if kind < 0.7:
        return data.descriptions[row]
    if kind < 0.85:
        label = _labels(data, np.array([row]))[0]
        others = np.flatnonzero(_labels(data, np.arange(len(data.images))) == label)
        other = int(generator.choice(others))
        return f"{data.descriptions[row]} {data.descriptions[other]}"
    label = texts.labels[int(_labels(data, np.array([row]))[0])]
    return str(generator.choice(_SENTENCES)).format(label)


_SENTENCES: Final = (
    "{}", "a {}", "A {}.", "A picture of a {}.", "The image shows a {}.", "a drawing of a {}",
)  # fmt: skip


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
    started = time.monotonic()
    tokenizer = build_tokenizer([*data.descriptions, *judge_texts().labels * 100])
    losses: list[float] = []

    def on_step(step: int, loss: float) -> None:
        losses.append(loss)
        if step % 100 == 0:
            typer.echo(f"step {step}: loss {sum(losses) / len(losses):.3f}")
            losses.clear()

    model = train(data, tokenizer, settings, scratch, on_step)
    minutes = (time.monotonic() - started) / 60
    save(out, model, tokenizer)
    measured = measure(out)
    write_card(out, asdict(settings), data.digest, threads, minutes, measured)
    for name, score in measured.items():
        typer.echo(f"{name:>14}  {score:.1%}")
    typer.echo(f"written to {out}")


if __name__ == "__main__":
    typer.run(main)
