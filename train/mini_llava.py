"""Train mini-llava, the small LLaVA that judges offline, on drawings the benchmark never shows.

    python -m cobsat.train.mini_llava --out metrics/mini_llava

One command, about forty minutes on two cores after the drawing, which it shares with mini-clip's
training: takes mini-clip's image tower as it is (LLaVA's own recipe: a frozen CLIP), trains a
projector and a small LLaMA to answer the judge's two questions by number, about drawings of seeds
from 1 on (the benchmark's are seed 0) and about their descriptions, in both wordings of
`cobsat.metrics.questions`; measures what it wrote by free generation; and writes the card. A
stopped run goes on from its scratch folder; a seed and a number of threads give one result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import cobsat.metrics
import numpy as np
import numpy.typing as npt
import torch
import typer
from cobsat.checkpoints import no_progress_bar
from cobsat.metrics.questions import WORDINGS, questions
from cobsat.spec import THEMES
from torch.nn import functional
from transformers import (
    CLIPModel,
    CLIPTokenizer,
    DynamicCache,
    LlamaTokenizer,
    LlavaForConditionalGeneration,
)

from .augment import augment
from .drawings import Drawings, draw_all
from .mini_clip import DRAWN_SIZE
from .mini_clip_model import DEVIATION, IMAGE_SIZE, MEAN, option_texts, text_embeddings
from .mini_llava_card import measure, save, write_card
from .mini_llava_model import (
    IMAGE_TOKENS,
    answer_text,
    build_llama_tokenizer,
    build_llava,
    build_llava_processor,
    prompt_text,
    prompt_texts,
)
from .samples import SENTENCES, another, chances, label_texts, words
from .shipping import file_digest
from .side_by_side import checkpoint_path, cycle_of, echo_losses, minutes_spent, train_copies

CLIP_FOLDER: Final = Path(cobsat.metrics.__file__).parent / "mini_clip"


@dataclass(frozen=True)
class Cycle:
    """A part of the training: the learning rate grows, then falls to nothing along a cosine.

    Attributes:
        steps: Updates of the weights.
        rate: The share of the highest learning rates that it reaches.
        theme_weights: How often a theme's pictures are shown: the hard ones more often.
    """

    steps: int
    rate: float
    theme_weights: dict[str, float]


def _weights(*numbers: float) -> dict[str, float]:
    return dict(zip(THEMES, numbers, strict=True))


# color, background, style, action, texture
COURSE: Final = (
    Cycle(800, 1.0, _weights(1, 1, 1.5, 1, 1.5)),
    Cycle(700, 0.5, _weights(1, 1, 3, 1, 3)),
    Cycle(400, 0.35, _weights(1, 1, 2, 1.5, 2.5)),
    Cycle(180, 0.3, _weights(1, 1, 2, 3, 2)),
)


@dataclass(frozen=True)
class Settings:
    """What decides the result, with the number of threads, the drawing code and the image tower.

    Attributes:
        seed: Of the weights, the order and the disturbances.
        drawing_seeds: Pictures are drawn with the seeds 1 to this.
        width: Of the language model.
        layers: Of the language model.
        copies: So many copies of the model learn at once, each from a batch of its own.
        batch_size: Pictures an update and copy, each with both questions.
        descriptions: Descriptions an update and copy, each with both questions.
        released: Share of the outputs asked about in the released code's wording.
        learning_rate: Of AdamW, its highest value; it grows at first, then falls to nothing.
        matrix_learning_rate: The same of Muon, which trains the inner matrices.
        weight_decay: Of the matrices.
        ema: How slowly the kept average follows the weights.
        taught_from: From this update on, mini-clip's own probabilities are half of what is learnt
            of pictures: they tell also how near the other options come.
        course: The cycles of the learning rate, one after the other.
    """

    seed: int = 0
    drawing_seeds: int = 36
    width: int = 160
    layers: int = 3
    copies: int = 2
    batch_size: int = 16
    descriptions: int = 5
    released: float = 0.25
    learning_rate: float = 1e-3
    matrix_learning_rate: float = 3e-3
    weight_decay: float = 0.05
    ema: float = 0.995
    taught_from: int = 1200
    course: tuple[Cycle, ...] = COURSE

    @property
    def cycles(self) -> tuple[tuple[int, float], ...]:
        """Updates and rates of the cycles."""
        return tuple((cycle.steps, cycle.rate) for cycle in self.course)


@dataclass(frozen=True)
class Asked:
    """The two questions about one output, as tokens after the prompts' constant beginning.

    Attributes:
        shared: What both begin with: the picture's places or the description, and first words.
        rests: How each goes on.
        answers: What is to be said.
    """

    shared: tuple[int, ...]
    rests: tuple[tuple[int, ...], tuple[int, ...]]
    answers: tuple[tuple[int, ...], tuple[int, ...]]


class Encoder:
    """Makes tokens of questions and answers."""

    def __init__(self, tokenizer: LlamaTokenizer) -> None:
        """Encode the answers and the beginning that all prompts share."""
        self.tokenizer = tokenizer
        self.padding, self.image = int(tokenizer.pad_token_id), int(tokenizer.image_token_id)
        self.questions = [
            [questions(theme, wording) for theme in THEMES.values()] for wording in WORDINGS
        ]
        question = self.questions[0][0][0]
        picture, told = self._ids(prompt_text(question)), self._ids(prompt_text(question, "A"))
        self.beginning = _common(picture, told)
        self.answers = [
            self._ids(prompt_text(question) + answer_text(number))[len(picture) :]
            for number in range(1, 11)
        ]
        self.digits = [answer[1] for answer in self.answers[:9]]
        self._pictures: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {}

    def ask(
        self, wording: int, theme: int, answers: Sequence[int], description: str | None = None
    ) -> Asked:
        """Return both questions about a picture, or about a description; all by number, from 0."""
        if description is not None or (wording, theme) not in self._pictures:
            pair = self.questions[wording][theme]
            first, second = (self._ids(prompt_text(q, description)) for q in pair)
            start, end = len(self.beginning), len(_common(first, second))
            parts: tuple[tuple[int, ...], ...] = (first[start:end], first[end:], second[end:])
            if description is None:
                self._pictures[wording, theme] = parts
        else:
            parts = self._pictures[wording, theme]
        object_, attribute = (self.answers[number] for number in answers)
        return Asked(parts[0], (parts[1], parts[2]), (object_, attribute))

    def _ids(self, text: str) -> tuple[int, ...]:
        ids: list[int] = self.tokenizer(text)["input_ids"]
        if self.image in ids:
            place = ids.index(self.image)
            ids[place : place + 1] = [self.image] * IMAGE_TOKENS
        return tuple(ids)


def _common(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Return the beginning that two sequences share."""
    pairs = zip(first, second, strict=False)
    return first[: next((n for n, (one, other) in enumerate(pairs) if one != other), len(first))]


def answer_losses(
    model: LlavaForConditionalGeneration,
    encoder: Encoder,
    asked: Sequence[Asked],
    pixel_values: torch.Tensor | None = None,
    taught: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return how surprised the model is by the answers and their ends, in nats, (outputs, 2).

    The same as the model's own forward pass over every prompt alone, but what prompts share is
    computed once: the constant beginning for all, and what an output's two questions begin with for
    both. The second question does not look at the first.

    Args:
        model: The model.
        encoder: That made the questions.
        asked: Both questions about each output.
        pixel_values: Pictures, if the questions are about pictures.
        taught: A teacher's probabilities of the ten options, (outputs, 2, 10): half of the surprise
            at the first digit is then by them, not by the right answer.
    """
    layout = _lay_out(encoder, asked)
    language = model.model.language_model
    embed = model.get_input_embeddings()
    cache = DynamicCache(config=language.config)
    language(inputs_embeds=embed(torch.tensor([encoder.beginning])), cache=cache, use_cache=True)
    cache.batch_repeat_interleave(len(asked))
    embedded = embed(layout.tokens)
    if pixel_values is not None:
        features = torch.cat(model.get_image_features(pixel_values=pixel_values).pooler_output)
        places = (layout.tokens == encoder.image).unsqueeze(-1)
        embedded = embedded.masked_scatter(places, features)
    hidden = language(
        inputs_embeds=embedded, attention_mask=layout.mask, position_ids=layout.positions,
        cache=cache, use_cache=True,
    )[0]  # fmt: skip
    logits = model.lm_head(hidden.flatten(0, 1)[layout.places])
    surprises = functional.cross_entropy(logits, layout.targets, reduction="none")
    if taught is not None:
        first = taught.reshape(-1, 10)
        first = torch.cat([first[:, :1] + first[:, 9:], first[:, 1:9]], dim=1)  # 10 begins with 1
        said = logits[layout.digits].log_softmax(dim=-1)[:, encoder.digits]
        halves = 0.5 * (surprises[layout.digits] - (first * said).sum(dim=-1))
        surprises = surprises.index_put((layout.digits,), halves)
    return torch.zeros(2 * len(asked)).index_add(0, layout.owners, surprises).view(-1, 2)


@dataclass(frozen=True)
class _Layout:
    """Outputs side by side: [padding, shared, first question, padding, second question, padding].

    Attributes:
        tokens: (outputs, length).
        positions: Of the tokens in their own prompts, (outputs, length).
        mask: Which may look at which, (outputs, 1, length, beginning + length).
        places: Of what predicts the answers' tokens, among all tokens.
        targets: These tokens.
        digits: Where among the targets the answers' first digits are.
        owners: Whose they are: twice the output's number, plus the question's.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    places: torch.Tensor
    targets: torch.Tensor
    digits: torch.Tensor
    owners: torch.Tensor


def _lay_out(encoder: Encoder, asked: Sequence[Asked]) -> _Layout:
    beginning = len(encoder.beginning)
    shared = max(len(one.shared) for one in asked)
    widths = [max(len(one.rests[k]) + len(one.answers[k]) for one in asked) for k in (0, 1)]
    starts = (shared, shared + widths[0])
    length = shared + sum(widths)
    tokens = torch.full((len(asked), length), encoder.padding)
    places: list[int] = []
    targets: list[int] = []
    digits: list[int] = []
    owners: list[int] = []
    for number, one in enumerate(asked):
        tokens[number, shared - len(one.shared) : shared] = torch.tensor(one.shared)
        for kind, (start, rest, answer) in enumerate(
            zip(starts, one.rests, one.answers, strict=True)
        ):
            tokens[number, start : start + len(rest + answer)] = torch.tensor(rest + answer)
            first = number * length + start + len(rest) - 1
            places += range(first, first + len(answer))
            digits.append(len(targets) + 1)
            targets += answer
            owners += [2 * number + kind] * len(answer)
    unused = torch.tensor([shared - len(one.shared) for one in asked]).view(-1, 1)
    columns = torch.arange(length)
    positions = columns - unused + beginning
    positions[:, starts[1] :] -= widths[0]
    parts = (columns >= starts[0]).long() + (columns >= starts[1]).long()
    seen = (columns <= columns.view(-1, 1)) & ((parts == 0) | (parts == parts.view(-1, 1)))
    mask = seen & (columns >= unused).view(-1, 1, 1, length)
    mask = torch.cat([torch.ones(len(asked), 1, length, beginning, dtype=torch.bool), mask], dim=-1)
    return _Layout(
        tokens, positions.clamp(min=0), mask,
        torch.tensor(places), torch.tensor(targets), torch.tensor(digits), torch.tensor(owners),
    )  # fmt: skip


def tokenizer_texts(data: Drawings) -> list[str]:
    """Return what the vocabulary is learnt from; prompts count more than a description."""
    lowered = [text.lower() for text in data.descriptions]
    sentences = [text.format(label) for text in SENTENCES for label in label_texts()]
    return [*data.descriptions, *lowered, *sentences, *prompt_texts() * 100]


def normalized(pixels: torch.Tensor) -> torch.Tensor:
    """Return pictures (batch, 3, size, size), values from 0 to 1, as the image tower takes them."""
    mean, deviation = (torch.tensor(x).view(1, 3, 1, 1) for x in (MEAN, DEVIATION))
    return (pixels - mean) / deviation


class Teacher:
    """A CLIP that tells how likely each option is: what it makes of the same image tower's work."""

    def __init__(self, clip: CLIPModel, tokenizer: CLIPTokenizer) -> None:
        """Embed the options."""
        self._clip = clip
        texts, *places = option_texts()
        with torch.no_grad():
            embedded = text_embeddings(clip, tokenizer, texts) * clip.logit_scale.exp()
        self._options = [
            embedded[torch.tensor(indices)] for indices in places
        ]  # (themes, 10, width)

    def __call__(self, pixels: torch.Tensor, themes: npt.NDArray[np.int64]) -> torch.Tensor:
        """Return probabilities (pictures, 2, 10) for pictures as `normalized` returns them."""
        with torch.no_grad():
            pooled = self._clip.vision_model(pixels).pooler_output
            seen = functional.normalize(self._clip.visual_projection(pooled), dim=-1)
            logits = [
                torch.einsum("bd,bod->bo", seen, options[torch.from_numpy(themes)])
                for options in self._options
            ]
            return torch.stack(logits, dim=1).softmax(dim=-1)


def train(
    data: Drawings,
    clip: CLIPModel,
    words_of_clip: CLIPTokenizer,
    tokenizer: LlamaTokenizer,
    settings: Settings,
    checkpoint: Path,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> LlavaForConditionalGeneration:
    """Return the trained model.

    Args:
        data: The drawings.
        clip: The model whose image tower is taken, and which teaches.
        words_of_clip: Its tokenizer.
        tokenizer: What `build_llama_tokenizer` learnt.
        settings: What decides the result.
        checkpoint: The file where the state is kept.
        on_step: Is told the number of steps done and their loss.
    """
    encoder, labels, teacher = Encoder(tokenizer), label_texts(), Teacher(clip, words_of_clip)
    cycles = [chances(data, cycle.theme_weights) for cycle in settings.course]

    def loss(model: LlavaForConditionalGeneration, step: int, number: int) -> torch.Tensor:
        generator = np.random.default_rng([settings.seed, step, number])

        def ask(row: int, description: str | None = None) -> Asked:
            wording = int(generator.random() < settings.released)
            answers = int(data.objects[row]), int(data.attributes[row])
            return encoder.ask(wording, int(data.themes[row]), answers, description)

        weights = cycles[cycle_of(step, settings)[0]]
        shown = generator.choice(len(data.images), settings.batch_size, p=weights)
        pixels = normalized(augment(data.images[shown], IMAGE_SIZE, generator))
        told = generator.integers(len(data.images), size=settings.descriptions)
        described = [ask(row, _retold(data, labels, int(row), generator)) for row in told]
        taught = teacher(pixels, data.themes[shown]) if step >= settings.taught_from else None
        losses = answer_losses(model, encoder, [ask(row) for row in shown], pixels, taught)
        return torch.cat([losses, answer_losses(model, encoder, described)]).mean()

    return train_copies(
        lambda: build_llava(tokenizer, clip, settings.seed, settings.width, settings.layers),
        loss,
        settings,
        checkpoint,
        on_step,
    )


def _retold(data: Drawings, labels: list[str], row: int, generator: np.random.Generator) -> str:
    """Return words about a picture as a model might write them: loosely, or among others."""
    text = words(data, labels, row, generator)
    changed = generator.random(5) < (0.03, 0.15, 0.15, 0.1, 0.1)
    if changed[0]:
        for _ in range(int(generator.integers(1, 4))):
            text = f"{text} {another(data, row, generator)}"
    if changed[1]:
        text = text.lower()
    if changed[2]:
        text = text.rstrip(".")
    if changed[3]:
        text = f"{generator.choice(_BEFORE)} {text}"
    if changed[4]:
        text = f"{text} {generator.choice(_AFTER)}"
    return text


_BEFORE: Final = (
    "Here is the next image:", "Sure!", "Answer:", "The next one would be", "Description:", "Then",
)  # fmt: skip
_AFTER: Final = (
    "It is a nice picture.", "The style is simple.", "That is what comes next.", "...", "!",
)  # fmt: skip


def main(
    out: Annotated[Path, typer.Option(help="Folder of the model.")] = Path("metrics/mini_llava"),
    clip: Annotated[
        Path,
        typer.Option(
            help="Folder of the CLIP whose image tower is taken, and which teaches.",
            exists=True,
            show_default="the mini-clip that ships",
        ),
    ] = CLIP_FOLDER,
    scratch: Annotated[Path, typer.Option(help="Folder for drawings and checkpoints.")] = Path(
        "build/mini_clip"
    ),
    seed: Annotated[int, typer.Option(help="Seed of weights, order and disturbances.")] = 0,
    drawing_seeds: Annotated[int, typer.Option(help="Drawings of each label.", min=2)] = 36,
    threads: Annotated[int, typer.Option(help="Threads of torch, and drawing processes.")] = 2,
) -> None:
    """Train, measure, and write mini-llava's folder with its card.

    The scratch folder is mini-clip's, so that what was drawn for one training serves the other. A
    stopped training goes on from its checkpoint there when the command is given again.
    """
    torch.set_num_threads(threads)
    settings = Settings(seed=seed, drawing_seeds=drawing_seeds)
    scratch.mkdir(parents=True, exist_ok=True)
    data = draw_all(range(1, drawing_seeds + 1), DRAWN_SIZE, scratch, processes=threads)
    tokenizer = build_llama_tokenizer(tokenizer_texts(data))
    tower = file_digest(clip / "model.safetensors")
    with no_progress_bar():
        teacher = CLIPModel.from_pretrained(clip, dtype=torch.float32)
    words_of_clip = CLIPTokenizer.from_pretrained(clip)
    checkpoint = checkpoint_path(scratch, asdict(settings), data.digest, tower)
    model = train(data, teacher, words_of_clip, tokenizer, settings, checkpoint, echo_losses())
    save(out, model, build_llava_processor(tokenizer))
    measured = measure(out)
    minutes = minutes_spent(checkpoint)
    write_card(out, asdict(settings), data.digest, tower, threads, minutes, measured)
    for wording, scores in measured.items():
        for name, score in scores.items():
            typer.echo(f"{wording:>8}  {name:>14}  {score:.1%}")
    typer.echo(f"written to {out}")


if __name__ == "__main__":
    typer.run(main)
