"""Train mini-vlm, the small Qwen2.5-VL that is put under test offline, and its base.

    python -m cobsat.train.mini_vlm --out models

One command, about an hour on one core after the drawing, which it shares with mini-clip's
training. Three stages, each on drawings of seeds from 1 on (the benchmark's are seed 0):

1. Sight: the vision tower begins as mini-clip's and learns to tell objects and attributes apart.
2. Naming: the language model learns to caption single pictures. That is `mini_vlm_base`.
3. Context: it goes on with the benchmark's prompts, of lists with other seeds. That is `mini_vlm`.

Then both are measured as they were written, and the cards are written. A stopped run goes on from
its scratch folder; a seed and a number of threads give one result on one kind of processor.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import cobsat.metrics
import numpy as np
import numpy.typing as npt
import torch
import typer
from cobsat.checkpoints import no_progress_bar
from cobsat.progress import progress
from cobsat.spec import TASKS, THEMES
from torch import nn
from torch.nn import functional
from transformers import CLIPModel, Qwen2_5_VLForConditionalGeneration, Qwen2Tokenizer

from .augment import augment
from .drawings import Drawings, draw_all
from .mini_clip import DRAWN_SIZE
from .mini_vlm_card import PROMPTS, Facts, measure_captions, measure_tasks, write_card
from .mini_vlm_card import SHOTS as MEASURED_SHOTS
from .mini_vlm_data import (
    Batch,
    Encoder,
    Sample,
    Wording,
    collate,
    context_sample,
    naming_sample,
    tokenizer_texts,
)
from .mini_vlm_model import (
    IMAGE_SIZE,
    build_tokenizer,
    build_vlm,
    build_vlm_processor,
    picture_features,
)
from .samples import chances, label_numbers
from .shipping import file_digest, save_half
from .side_by_side import checkpoint_path, echo_losses, minutes_spent, train_copies

Build: TypeAlias = Callable[[], Qwen2_5_VLForConditionalGeneration]
OnStep: TypeAlias = Callable[[int, float], None]
STAGES: Final = ("sight", "naming", "context")
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
        matrix_learning_rate: The same of Muon, which trains the inner matrices of the blocks.
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


WORDINGS: Final = (
    Wording("default", "neutral", 0.4),
    Wording("default", "qwen_vl", 0.3),
    *(Wording("default", name, 0.04) for name in ("emu", "gill", "seed_llama", "llava", "gpt4v")),
    Wording("instruct", "neutral", 0.06),
    Wording("exact", "qwen_vl", 0.02),
    Wording("misleading", "qwen_vl", 0.02),
)


@dataclass(frozen=True)
class Settings:
    """What decides the result, with the number of threads, the drawing code and mini-clip.

    Attributes:
        seed: Of the weights, the order and the disturbances.
        drawing_seeds: Pictures are drawn with the seeds 1 to this.
        width: Of the language model.
        layers: Of the language model.
        views: How often each drawing is looked at for the language model, each time disturbed.
        kept_naming: The share of single pictures among the prompts of the last stage.
        attribute_inference: The share of prompts there whose pictures tell the attribute, not the
            object, which is harder.
        shots: How often a prompt has so many demonstrations.
        wordings: How prompts are worded.
        sight: The stage of the vision tower.
        naming: The stage of single pictures.
        context: The stage of prompts.
    """

    seed: int = 0
    drawing_seeds: int = 36
    width: int = 192
    layers: int = 4
    views: int = 1
    kept_naming: float = 0.1
    attribute_inference: float = 0.6
    shots: tuple[tuple[int, float], ...] = ((2, 0.5), (4, 0.4), (6, 0.05), (8, 0.05))
    wordings: tuple[Wording, ...] = WORDINGS
    sight: Stage = Stage(((500, 1.0), (400, 0.5), (400, 0.35)), 64)
    naming: Stage = Stage(((400, 1.0),), 32)
    context: Stage = Stage(((1000, 1.0),), 32)


class Sight(nn.Module):
    """The model with two classifiers over a picture's mean feature, which only teach the tower."""

    def __init__(self, model: Qwen2_5_VLForConditionalGeneration) -> None:
        super().__init__()
        width = int(model.config.get_text_config().hidden_size)
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
    album: Callable[[], Album],
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
        features = album().pick(batch.labels, generator)
        return answer_losses(model, batch, features, encoder.image).mean()

    return train_copies(begin, loss, stage, checkpoint, on_step)


def naming_samples(encoder: Encoder, count: int, generator: np.random.Generator) -> list[Sample]:
    """Return questions about single pictures, each label as often as its theme is hard."""
    weights = np.repeat(list(THEME_WEIGHTS.values()), 100)
    labels = generator.choice(500, count, p=weights / weights.sum())
    return [naming_sample(encoder, int(label), generator) for label in labels]


def context_samples(
    encoder: Encoder, settings: Settings, generator: np.random.Generator
) -> list[Sample]:
    """Return prompts of one wording and number of shots, and questions about single pictures."""
    shots, chance = zip(*settings.shots, strict=True)
    number = int(generator.choice(shots, p=chance))
    weights = np.array([wording.weight for wording in settings.wordings])
    wording = settings.wordings[int(generator.choice(len(weights), p=weights / weights.sum()))]
    naming = round(settings.kept_naming * settings.context.batch_size)
    samples = naming_samples(encoder, naming, generator)
    while len(samples) < settings.context.batch_size:
        harder = generator.random() < settings.attribute_inference
        tasks = [t for t in TASKS.values() if (t.inference == "attribute") == harder]
        task = tasks[int(generator.integers(len(tasks)))]
        samples.append(context_sample(encoder, task, number, wording, generator))
    return samples


def going_on(model: Qwen2_5_VLForConditionalGeneration) -> Build:
    """Return what makes copies of a model in which everything can learn."""

    def build() -> Qwen2_5_VLForConditionalGeneration:
        copied = copy.deepcopy(model)
        copied.requires_grad_(True)
        return copied

    return build


@dataclass(frozen=True)
class Trained:
    """The two models, and the minutes that each stage took."""

    base: Qwen2_5_VLForConditionalGeneration
    model: Qwen2_5_VLForConditionalGeneration
    minutes: dict[str, float]


def train(
    data: Drawings,
    clip: CLIPModel,
    tower: str,
    tokenizer: Qwen2Tokenizer,
    settings: Settings,
    scratch: Path,
    on_step: Callable[[], OnStep] = lambda: quiet,
) -> Trained:
    """Return both trained models.

    Args:
        data: The drawings.
        clip: The model whose image tower the vision tower begins as.
        tower: SHA-256 of its weights.
        tokenizer: What `build_tokenizer` learnt.
        settings: What decides the result.
        scratch: The folder where the states of the stages are kept.
        on_step: Makes what is told the number of steps done and their loss, for each stage.
    """
    encoder, seed = Encoder(tokenizer), settings.seed
    files: dict[str, Path] = {}

    def file(name: str) -> Path:
        decided = {k: v for k, v in asdict(settings).items() if k not in STAGES} | {
            stage: asdict(getattr(settings, stage)) for stage in (*files, name)
        }
        files[name] = checkpoint_path(scratch, {"mini-vlm": name, **decided}, data.digest, tower)
        return files[name]

    def build() -> Qwen2_5_VLForConditionalGeneration:
        return build_vlm(tokenizer, clip, seed, settings.width, settings.layers)

    seeing = train_sight(build, data, settings.sight, seed, file("sight"), on_step())
    album = cache(partial(look, seeing, data, seed, settings.views))
    size = settings.naming.batch_size
    base = train_words(
        going_on(seeing), encoder, album, partial(naming_samples, encoder, size),
        settings.naming, seed, file("naming"), on_step(),
    )  # fmt: skip
    model = train_words(
        going_on(base), encoder, album, partial(context_samples, encoder, settings),
        settings.context, seed, file("context"), on_step(),
    )  # fmt: skip
    return Trained(base, model, {name: minutes_spent(path) for name, path in files.items()})


def main(
    out: Annotated[Path, typer.Option(help="Folder of both models' folders.")] = Path("models"),
    clip: Annotated[
        Path,
        typer.Option(
            help="Folder of the CLIP whose image tower the vision tower begins as.",
            exists=True,
            show_default="the mini-clip that ships",
        ),
    ] = CLIP_FOLDER,
    scratch: Annotated[Path, typer.Option(help="Folder for drawings and checkpoints.")] = Path(
        "build/mini_clip"
    ),
    seed: Annotated[int, typer.Option(help="Seed of weights, order and disturbances.")] = 0,
    drawing_seeds: Annotated[int, typer.Option(help="Drawings of each label.", min=2)] = 36,
    threads: Annotated[int, typer.Option(help="Threads of torch, and drawing processes.")] = 1,
) -> None:
    """Train, measure, and write the folders of mini-vlm-base and mini-vlm with their cards.

    The scratch folder is mini-clip's, so that what was drawn for one training serves the other. A
    stopped training goes on from its checkpoints there when the command is given again.
    """
    torch.set_num_threads(threads)
    settings = Settings(seed=seed, drawing_seeds=drawing_seeds)
    scratch.mkdir(parents=True, exist_ok=True)
    data = draw_all(range(1, drawing_seeds + 1), DRAWN_SIZE, scratch, processes=threads)
    tokenizer = build_tokenizer(tokenizer_texts(data))
    with no_progress_bar():
        tower = CLIPModel.from_pretrained(clip, dtype=torch.float32)
    digest = file_digest(clip / "model.safetensors")
    trained = train(data, tower, digest, tokenizer, settings, scratch, echo_losses)
    processor = build_vlm_processor(tokenizer)
    facts = Facts(asdict(settings), data.digest, digest, threads, trained.minutes)
    for name, model in (("mini-vlm-base", trained.base), ("mini-vlm", trained.model)):
        folder = out / name.replace("-", "_")
        save_half(folder, model, processor)
        captions = measure_captions(folder)
        tasks = {shots: measure_tasks(folder, shots, PROMPTS[name]) for shots in MEASURED_SHOTS}
        write_card(folder, name, facts, captions, tasks)
        typer.echo(f"{name}: captions {captions['none']:.1%}")
        for shots, scores in tasks.items():
            typer.echo(f"{name}: {shots} shots {sum(scores.values()) / len(scores):.1%}")
        typer.echo(f"written to {folder}")


if __name__ == "__main__":
    typer.run(main)
