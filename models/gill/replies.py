"""What GILL's language model says to a batch of prompts, each row for itself.

Source: the published rule of its decoding. `[IMG1]` and those after it cannot be said, they follow
`[IMG0]` by themselves; where a picture is wanted, the score of `[IMG0]` becomes its absolute value
times a factor (100 in the paper's runs), so that it nearly always comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import torch
from torch import Tensor
from transformers import LogitsProcessor

from ..spliced import padded
from ..vlm_generation import Decoding, each_whole, generate, set_decoding
from .prompts import Prompt, Reply, Vocabulary, read_reply
from .system import Gill

__all__ = ["Asked", "DrawingRule", "Said", "Speaker"]

NOT_FINITE: Final = "not_finite: the model's scores are not all numbers: try dtype=bfloat16"


@dataclass(frozen=True)
class Asked:
    """A prompt with its pictures' embeddings, and the seed of its reply."""

    prompt: Prompt
    pictures: list[Tensor]
    seed: int


@dataclass(frozen=True)
class Said:
    """What came back, or why nothing did.

    Attributes:
        ids: The reply's ids without its end.
        reply: The same taken apart.
        finish_reason: "stop", or "length" where it was cut.
        usage: Tokens of prompt and reply.
        problem: Why nothing was asked, or what came is of no use.
        condition: What its first picture is drawn from, where one was wanted and came.
    """

    ids: tuple[int, ...] = ()
    reply: Reply = field(default_factory=Reply)
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    problem: str | None = None
    condition: Tensor | None = None


class DrawingRule(LogitsProcessor):
    """The rule of drawing tokens.

    Args:
        vocabulary: The ids.
        scale: The factor of `[IMG0]`'s score; 1 leaves the score as it is.
        then_end: Whether a reply ends with its first picture.

    Attributes:
        sound: Whether each row's scores have all been numbers so far, of shape (rows,).
    """

    def __init__(self, vocabulary: Vocabulary, scale: float = 1.0, then_end: bool = False) -> None:
        self._vocabulary, self._scale, self._then_end = vocabulary, scale, then_end
        self.sound = torch.ones(1, dtype=torch.bool)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return scores of shape (rows, tokens), from those of the model."""
        words = self._vocabulary
        self.sound = self.sound.to(scores.device) & scores.isfinite().all(dim=-1)
        scores = torch.where(self.sound[:, None], scores, 0.0)  # such a row is no reply anyway
        first, after = words.drawing, words.drawing + words.count
        if self._scale > 1:
            scores[:, first] = scores[:, first].abs() * self._scale
        scores[:, first + 1 : after] = -torch.inf
        last = input_ids[:, -1]
        inside = (last >= first) & (last < after - 1)
        follows = (last + 1).clamp(max=after - 1)
        if self._then_end:
            ended = last == after - 1
            inside, follows = inside | ended, torch.where(ended, words.end, follows)
        only = torch.full_like(scores, -torch.inf).scatter(-1, follows[:, None], 0)
        return torch.where(inside[:, None], only, scores)


class Speaker:
    """Asks the language model; how replies are drawn is set once.

    Args:
        system: The system.
        decoding: How replies are drawn.
        context: Tokens that prompt and reply may have together.
        scale: The factor of `[IMG0]`'s score, where a picture is wanted.
    """

    def __init__(self, system: Gill, decoding: Decoding, context: int, scale: float) -> None:
        self._system, self._decoding, self._context = system, decoding, context
        self._scale, self._words = scale, system.vocabulary
        self._ends = set_decoding(system.language_model, system.words, decoding) | {self._words.end}

    def free(self, asked: Sequence[Asked]) -> list[Said]:
        """Return whatever it says."""
        return self._where_room(asked, 1, lambda batch: self._whole(batch, 1.0, False))

    def drawing(self, asked: Sequence[Asked]) -> list[Said]:
        """Return replies that end with a picture, which it is led to."""

        def answers(batch: Sequence[Asked]) -> list[Said]:
            replies = self._whole(batch, self._scale, True)
            return [self._seen(one, said) for one, said in zip(batch, replies, strict=True)]

        return self._where_room(asked, self._words.count, answers)

    def forced(self, asked: Sequence[Asked]) -> list[Said]:
        """Return a picture for each prompt, put into the model's mouth."""

        def answers(batch: Sequence[Asked]) -> list[Said]:
            return [self._seen(one, self._said(one, self._words.drawn, True)) for one in batch]

        return self._where_room(asked, self._words.count, answers)

    def _where_room(
        self,
        asked: Sequence[Asked],
        room: int,
        answers: Callable[[Sequence[Asked]], list[Said]],
    ) -> list[Said]:
        fits = [len(one.prompt.ids) + room <= self._context for one in asked]
        batch = [one for one, fit in zip(asked, fits, strict=True) if fit]
        said = iter(answers(batch) if batch else [])
        return [
            next(said) if fit else self._too_long(one, room)
            for one, fit in zip(asked, fits, strict=True)
        ]

    def _too_long(self, one: Asked, room: int) -> Said:
        return Said(
            problem=f"too_long: the prompt has {len(one.prompt.ids):,} tokens with its pictures "
            f"and the reply needs {room:,}, the context has {self._context:,}"
        )

    def _whole(self, batch: Sequence[Asked], scale: float, then_end: bool) -> list[Said]:
        replies = each_whole(batch, lambda some: self._replies(some, scale, then_end))
        return [said or Said(problem=NOT_FINITE) for said in replies]

    def _replies(self, batch: Sequence[Asked], scale: float, then_end: bool) -> list[Said | None]:
        system, words = self._system, self._words
        rule = DrawingRule(words, scale, then_end)
        rows = generate(
            system.language_model,
            self._padded(batch),
            [len(one.prompt.ids) for one in batch],
            [one.seed for one in batch],
            self._decoding,
            # A picture that was begun is to be whole; without one to draw, nothing reads it.
            self._context - (words.count - 1) * then_end,
            self._ends,
            [rule],
        )
        return [
            self._said(one, self._completed(row), ended) if sound else None
            for one, (row, ended), sound in zip(batch, rows, rule.sound.tolist(), strict=True)
        ]

    def _completed(self, row: list[int]) -> list[int]:
        """Return a reply whose last picture is whole, where it was cut within."""
        words = self._words
        begun = row and words.drawing <= row[-1] < words.drawing + words.count
        return [*row, *range(row[-1] + 1, words.drawing + words.count)] if begun else row

    def _said(self, one: Asked, row: Sequence[int], ended: bool) -> Said:
        usage: dict[str, float] = {
            "input_tokens": len(one.prompt.ids),
            "output_tokens": len(row),
        }
        reply = read_reply(row, self._words)
        return Said(tuple(row), reply, "stop" if ended else "length", usage)

    def _seen(self, one: Asked, said: Said) -> Said:
        """Return a reply with what its first picture is drawn from; each is looked at alone."""
        if not said.reply.pictures:
            return said
        until = said.reply.pictures[0] + self._words.count
        condition = self._system.condition(one.prompt, one.pictures, said.ids[:until])
        return replace(said, condition=condition)

    def _padded(self, batch: Sequence[Asked]) -> dict[str, Tensor]:
        """Return prompts as ids, embeddings and mask, padded on the left."""
        return padded(
            [one.prompt for one in batch],
            [self._system.embeddings(one.prompt, one.pictures) for one in batch],
            self._words.end,
        )
