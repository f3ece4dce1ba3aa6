"""What SEED-LLaMA's language model says to a batch of prompts, each row for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from ..token_drawing import Drawing, Picker, Start, draw_tokens
from ..vlm_generation import Decoding, Sound, each_whole, generate, set_decoding
from .prompts import Reply, read_reply
from .system import SeedLlama

__all__ = ["Asked", "Said", "Speaker"]

NOTHING: Final = Reply((), (), 0)


@dataclass(frozen=True)
class Asked:
    """A prompt's ids, and the seed of its reply."""

    ids: list[int]
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
    """

    ids: tuple[int, ...] = ()
    reply: Reply = NOTHING
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    problem: str | None = None


_NO_NUMBERS: Final = Said(
    problem="not_finite: the model's scores are not all numbers: try dtype=bfloat16"
)


class Speaker:
    """Asks the language model; how replies are drawn is set once.

    Args:
        system: The system.
        decoding: How replies are drawn.
        context: Tokens that prompt and reply may have together.
    """

    def __init__(self, system: SeedLlama, decoding: Decoding, context: int) -> None:
        self._system, self._decoding, self._context = system, decoding, context
        self._model, self._vocabulary = system.language_model, system.vocabulary
        self._ends = set_decoding(self._model, system.words, decoding) | {self._vocabulary.end}

    def free(self, asked: Sequence[Asked]) -> list[Said]:
        """Return whatever it says."""
        fits = [len(one.ids) < self._context for one in asked]
        batch = [one for one, fit in zip(asked, fits, strict=True) if fit]
        said = iter(self._generate(batch) if batch else [])
        return [
            next(said) if fit else self._too_long(one, 1)
            for one, fit in zip(asked, fits, strict=True)
        ]

    def forced(self, asked: Sequence[Asked]) -> list[Said]:
        """Return a picture for each prompt, `<img>` put into the model's mouth."""
        count = self._vocabulary.count
        fits = [len(one.ids) + count + 1 <= self._context for one in asked]
        batch = [one for one, fit in zip(asked, fits, strict=True) if fit]
        said = iter(self._draw(batch) if batch else [])
        return [
            next(said) if fit else self._too_long(one, count + 1)
            for one, fit in zip(asked, fits, strict=True)
        ]

    def _too_long(self, one: Asked, room: int) -> Said:
        return Said(
            problem=f"too_long: the prompt has {len(one.ids):,} tokens with its pictures and the "
            f"reply needs {room:,}, the context has {self._context:,}"
        )

    def _generate(self, batch: Sequence[Asked]) -> list[Said]:
        return [said or _NO_NUMBERS for said in each_whole(batch, self._replies)]

    def _replies(self, batch: Sequence[Asked]) -> list[Said | None]:
        ids, mask = self._padded([one.ids for one in batch])
        sound = Sound(len(batch), self._ends)
        rows = generate(
            self._model,
            {"input_ids": ids, "attention_mask": mask},
            [len(one.ids) for one in batch],
            [one.seed for one in batch],
            self._decoding,
            self._context,
            self._ends,
            [sound],
        )
        return [
            self._said(one, row, ended) if numbers else None
            for one, (row, ended), numbers in zip(batch, rows, sound.rows(), strict=True)
        ]

    @torch.inference_mode()
    def _draw(self, batch: Sequence[Asked]) -> list[Said]:
        words, decoding = self._vocabulary, self._decoding
        table = self._model.get_input_embeddings()
        ids, mask = self._padded([[*one.ids, words.picture_begin] for one in batch])
        drawing = Drawing(
            1.0, decoding.do_sample, decoding.temperature, top_p=decoding.top_p, seed=decoding.seed
        )
        pick = Picker(drawing, [one.seed for one in batch])
        codes = slice(words.first_code, words.first_code + words.codes)
        drawn = draw_tokens(
            self._model.model,
            Start(table(ids), mask),
            words.count,
            score=lambda hidden: self._model.lm_head(hidden)[..., codes],
            embed=lambda code: table(code + words.first_code),
            pick=pick,
            guidance=1,
        )
        said = []
        for one, row, sound in zip(batch, drawn.tolist(), pick.sound.tolist(), strict=True):
            if not sound:
                said.append(_NO_NUMBERS)
                continue
            codes_of_row = [words.first_code + code for code in row]
            reply = [words.picture_begin, *codes_of_row, words.picture_end]
            said.append(self._said(one, reply, True))
        return said

    def _said(self, one: Asked, row: Sequence[int], ended: bool) -> Said:
        usage: dict[str, float] = {"input_tokens": len(one.ids), "output_tokens": len(row)}
        reply = read_reply(row, self._vocabulary)
        return Said(tuple(row), reply, "stop" if ended else "length", usage)

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return ids and mask of shape (rows, tokens), padded on the left."""
        width = max(map(len, rows))
        device = self._model.device
        ids = torch.tensor(
            [[self._vocabulary.end] * (width - len(row)) + list(row) for row in rows], device=device
        )
        mask = torch.tensor(
            [[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device
        )
        return ids, mask
