"""What mini-vlm learns from: chats about drawings, their answers, and both as tokens.

Captions are short and in the words of Table 1 ("A pink car.", "A beach with a zebra."), because the
judges look for these words. Prompts are the benchmark's, of prompt lists with other seeds than the
released one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import torch
from cobsat.examples import Message, Part, prompt_list, text_inputs
from cobsat.instructions import FOR_MODELS, Instruction, articulated
from cobsat.prompt_lists import PromptIndices
from cobsat.spec import TASKS, THEMES, Task
from transformers import Qwen2Tokenizer

from .drawings import Drawings
from .mini_vlm_model import GRID, MERGE, PICTURE_TOKENS
from .samples import label_texts

__all__ = [
    "Batch",
    "Encoder",
    "Sample",
    "Wording",
    "caption",
    "collate",
    "context_sample",
    "naming_sample",
    "rope_positions",
    "task_chat",
    "tokenizer_texts",
]

_PATTERNS: Final = {
    "park": "amusement park with {a}",
    **dict.fromkeys(
        ("beach", "desert", "glacier", "volcano", "gym", "waterfall", "space", "cave", "seafloor"),
        "{attribute} with {a}",
    ),
    "sketch": "sketch of {a}",
    "pixel": "pixelated {object}",
    "icon": "icon of {a}",
    "swim": "swimming {object}",
    "sleep": "sleeping {object}",
    "sing": "{object} sings",
    "run": "running {object}",
    "read": "reading {object}",
    "fly": "flying {object}",
    "eat": "eating {object}",
    "drink": "drinking {object}",
    "cry": "crying {object}",
}
"""How a caption joins an attribute with an object, where it does not just stand before it.

The attribute comes first, because models as small as this learn one order much sooner than two;
but mini-llava, a judge, reads "sings" and not "singing"."""

ASK_CAPTION: Final = (
    "Describe the image.", "What does the picture show?", "Caption this image.",
    "Describe the picture in a few words.", "What is this?", "Write a caption.",
)  # fmt: skip
ASK_OBJECT: Final = "What is the main object in this image?"
ASK_ATTRIBUTE: Final = "What is the {} in this image?"
ASK_WORDS: Final = "Write a caption for: {}"

LIST_SEEDS: Final = range(1000, 1007)
"""Of the prompt lists; the released one's is 123."""


@dataclass(frozen=True)
class Wording:
    """How a prompt is worded, and how often.

    Attributes:
        prompt_type: "default", "misleading", "exact" or "instruct".
        instructions_for: Whose wording of App. A.1.
        weight: How often, among all wordings.
    """

    prompt_type: str
    instructions_for: str
    weight: float


@dataclass(frozen=True)
class Sample:
    """One chat with its answer, as tokens.

    Attributes:
        tokens: All of it.
        answer: How many of the last ones are the answer.
        labels: Numbers of the pictures' labels among the 500, in reading order.
    """

    tokens: tuple[int, ...]
    answer: int
    labels: tuple[int, ...]


def caption(theme: str, attribute: str, object_: str) -> str:
    """Return a picture's caption.

    >>> caption("color", "orange", "car"), caption("style", "sketch", "apple")
    ('An orange car.', 'A sketch of an apple.')
    """
    told = _PATTERNS.get(attribute, "{attribute} {object}").format(
        attribute=attribute, object=object_, a=_with_article(object_)
    )
    told = _with_article(told)
    return f"{told[0].upper()}{told[1:]}."


def _with_article(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def label_number(theme: str, attribute: str, object_: str) -> int:
    """Return a label's number among the 500, in Table 1's order."""
    spec = THEMES[theme]
    within = spec.attributes.index(attribute) * len(spec.objects) + spec.objects.index(object_)
    return list(THEMES).index(theme) * 100 + within


def task_chat(
    task: Task, prompt: PromptIndices, wording: Wording
) -> tuple[list[Message], list[int], str]:
    """Return a prompt of the benchmark as a chat without pictures, their labels, and the answer."""
    instruction = FOR_MODELS["description"][wording.instructions_for]
    if wording.prompt_type == "instruct":
        instruction = Instruction(before=articulated(task.name, "description"))
    *texts, query = text_inputs(task, prompt, wording.prompt_type)
    texts = [instruction.before + texts[0], *texts[1:]]
    parts = [part for text in texts for part in (_text(text), _PICTURE)]
    parts.append(_text(query + instruction.after))
    messages: list[Message] = [{"role": "user", "content": parts}]
    if instruction.system:
        messages.insert(0, {"role": "system", "content": [_text(instruction.system)]})
    words = [task.inputs[index] for index in prompt.inputs]
    pairs = [task.label(word, task.latents[prompt.latent]) for word in words]
    *labels, _ = [label_number(task.theme.name, *pair) for pair in pairs]
    return messages, labels, caption(task.theme.name, *pairs[-1])


_PICTURE: Final[Part] = {"type": "image", "text": None, "image": None}


def _text(text: str) -> Part:
    return {"type": "text", "text": text, "image": None}


class Encoder:
    """Makes tokens of chats: the same as processor and chat template, and quick."""

    def __init__(self, tokenizer: Qwen2Tokenizer) -> None:
        self.tokenizer = tokenizer
        image: Any = tokenizer.convert_tokens_to_ids("<|image_pad|>")
        padding: Any = tokenizer.pad_token_id
        self.image, self.padding = int(image), int(padding)
        self._ids = lru_cache(maxsize=10_000)(self._encode)

    def sample(self, messages: Sequence[Message], labels: Sequence[int], answer: str) -> Sample:
        """Return a chat with its answer as tokens."""
        tokens: list[int] = []
        for message in messages:
            tokens += self._ids(f"<|im_start|>{message['role']}\n")
            for part in message["content"]:
                tokens += self._picture() if part["text"] is None else self._ids(part["text"])
            tokens += self._ids("<|im_end|>\n")
        tokens += self._ids("<|im_start|>assistant\n")
        told = self._ids(f"{answer}<|im_end|>")
        return Sample((*tokens, *told), len(told), tuple(labels))

    def _picture(self) -> tuple[int, ...]:
        start, end = self._ids("<|vision_start|>"), self._ids("<|vision_end|>")
        return (*start, *[self.image] * PICTURE_TOKENS, *end)

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer(text)["input_ids"])


def naming_sample(encoder: Encoder, label: int, generator: np.random.Generator) -> Sample:
    """Return a question about one picture, or about its words alone, with its answer."""
    theme = THEMES[list(THEMES)[label // 100]]
    attribute, object_ = theme.attributes[label % 100 // 10], theme.objects[label % 10]
    told = caption(theme.name, attribute, object_)
    kind = generator.random()
    if kind < 0.1:
        words = f"{theme.text(attribute)} {theme.text(object_)}"
        return encoder.sample([_user([_text(ASK_WORDS.format(words))])], [], told)
    asked = str(generator.choice(ASK_CAPTION))
    if kind < 0.2:
        asked, told = ASK_OBJECT, theme.text(object_)
    elif kind < 0.3:
        asked, told = ASK_ATTRIBUTE.format(theme.name), theme.text(attribute)
    parts = [_PICTURE, _text(asked)]
    if generator.random() < 0.3:
        parts.reverse()
    return encoder.sample([_user(parts)], [label], told)


def _user(parts: list[Part]) -> Message:
    return {"role": "user", "content": parts}


def context_sample(
    encoder: Encoder, task: Task, shots: int, wording: Wording, generator: np.random.Generator
) -> Sample:
    """Return a prompt of the benchmark, of a list that is not the released one."""
    prompts = prompt_list("test", shots, int(generator.choice(np.array(LIST_SEEDS))))
    prompt = prompts[int(generator.integers(len(prompts)))]
    return encoder.sample(*task_chat(task, prompt, wording))


@dataclass(frozen=True)
class Batch:
    """Samples side by side, padded on the right.

    Attributes:
        tokens: (samples, length).
        positions: Rows of time, height and width, (3, samples, length).
        labels: Of all pictures, in reading order.
        places: Of what predicts the answers' tokens, among all tokens.
        targets: These tokens.
        owners: Whose they are.
    """

    tokens: torch.Tensor
    positions: torch.Tensor
    labels: tuple[int, ...]
    places: torch.Tensor
    targets: torch.Tensor
    owners: torch.Tensor


def collate(encoder: Encoder, samples: Sequence[Sample]) -> Batch:
    """Put samples side by side."""
    length = max(len(sample.tokens) for sample in samples)
    tokens = torch.full((len(samples), length), encoder.padding)
    places: list[int] = []
    targets: list[int] = []
    owners: list[int] = []
    for number, sample in enumerate(samples):
        end = len(sample.tokens)
        tokens[number, :end] = torch.tensor(sample.tokens)
        first = number * length + end - sample.answer - 1
        places += range(first, first + sample.answer)
        targets += sample.tokens[end - sample.answer :]
        owners += [number] * sample.answer
    return Batch(
        tokens,
        rope_positions(tokens, encoder.image),
        tuple(label for sample in samples for label in sample.labels),
        *map(torch.tensor, (places, targets, owners)),
    )


def rope_positions(tokens: torch.Tensor, image: int) -> torch.Tensor:
    """Return Qwen's positions of tokens in time, height and width: (3, samples, length).

    A picture takes as many positions as it has rows; its tokens lie on these as on a grid.
    """
    side = GRID // MERGE
    pictured = tokens == image
    seen = pictured.long().cumsum(dim=1)
    words = (~pictured).long().cumsum(dim=1)
    number = (seen - pictured.long()) // PICTURE_TOKENS  # whole pictures before a token
    start = words - (~pictured).long() + side * number
    within = (seen - 1) % PICTURE_TOKENS * pictured
    return torch.stack([start, start + within // side, start + within % side])


def tokenizer_texts(data: Drawings) -> list[str]:
    """Return what the vocabulary is learnt from; prompts count more than a description."""
    labels = [(t.name, a, o) for t in THEMES.values() for a in t.attributes for o in t.objects]
    asked = [*ASK_CAPTION, ASK_OBJECT, *(ASK_ATTRIBUTE.format(theme) for theme in THEMES)]
    told = [
        text for i in FOR_MODELS["description"].values() for text in (i.system, i.before, i.after)
    ]
    told += [articulated(task, "description") for task in TASKS]
    words = [f"{word}: " for theme in THEMES.values() for o in (theme.objects, theme.attributes)
             for word in map(theme.text, o)]  # fmt: skip
    pairs = [ASK_WORDS.format(text) for text in label_texts()]
    captions = [caption(*label) for label in labels]
    turns = ["system\n", "user\n", "assistant\n"]
    return [*data.descriptions, *[*asked, *told, *words, *pairs, *captions, *turns] * 50]
