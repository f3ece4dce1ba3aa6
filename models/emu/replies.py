"""What Emu's language model says to a batch of prompts, and what it would draw after one.

Source: the published settings. A text is the best of five beams, its score not divided by its
length; a picture is regressed after `[IMG]`, which is put behind the prompt: whether a picture
comes is not left to the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import torch
from torch import Tensor
from transformers import LogitsProcessor, LogitsProcessorList

from ..port_options import check_whole
from ..spliced import Prompt, padded
from ..vlm_generation import Decoding, each_whole, generate, set_decoding
from .system import Emu

__all__ = ["Asked", "Beams", "Said", "Speaker"]

NOT_FINITE: Final = "not_finite: the model's {} are not all numbers: try dtype=bfloat16"


@dataclass(frozen=True)
class Beams:
    """How the best of several texts is searched for.

    Attributes:
        beams: How many are followed, 1 for greedy replies.
        length_penalty: The power of a text's length that its score is divided by.
    """

    beams: int = 5
    length_penalty: float = 0.0

    def check(self) -> Beams:
        """Return itself.

        Raises:
            ValueError: A number is out of its range.
        """
        check_whole("beams", self.beams, 1)
        penalty: Any = self.length_penalty
        if isinstance(penalty, bool) or not isinstance(penalty, int | float):
            raise ValueError(f"length_penalty must be a number, got {penalty!r}")
        return self

    def record(self, decoding: Decoding) -> dict[str, Any]:
        """Return what `run.json` says of it; nothing where replies are drawn."""
        return {} if decoding.do_sample else asdict(self)


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
        ids: A text's ids without its end.
        finish_reason: "stop", or "length" where it was cut.
        usage: Tokens of prompt and reply.
        problem: Why nothing was asked, or what came is of no use.
        condition: What a picture is drawn from, where one was asked for.
    """

    ids: tuple[int, ...] = ()
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    problem: str | None = None
    condition: Tensor | None = None


class Speaker:
    """Asks the language model; how replies are chosen is set once.

    Args:
        system: The system.
        decoding: How replies are drawn, and how long they may be.
        beams: How they are searched for, where they are not drawn.
        context: Tokens that prompt and reply may have together.
    """

    def __init__(self, system: Emu, decoding: Decoding, beams: Beams, context: int) -> None:
        self._system, self._decoding, self._beams = system, decoding, beams
        self._context = context
        self._ends = set_decoding(system.language_model, system.words, decoding)

    def text(self, asked: Sequence[Asked]) -> list[Said]:
        """Return a text for each prompt that leaves room for one."""
        said: dict[int, Said] = {}
        rooms = [min(self._decoding.max_new_tokens, self._room(one)) for one in asked]
        for room in sorted(set(rooms)):  # beams of a batch have one length at most
            alike = [number for number, its in enumerate(rooms) if its == room]
            batch = [asked[number] for number in alike]
            replies = (
                self._whole(batch, room) if room > 0 else [self._too_long(a, 1) for a in batch]
            )
            said |= zip(alike, replies, strict=True)
        return [said[number] for number in range(len(asked))]

    def picture(self, asked: Sequence[Asked]) -> list[Said]:
        """Return what a picture is drawn from after each prompt; each is looked at alone."""
        return [self._picture(one) for one in asked]

    def _picture(self, one: Asked) -> Said:
        count = self._system.vocabulary.count
        if self._room(one) < count - 1:  # the last embedding is not read again
            return self._too_long(one, count - 1)
        condition = self._system.regressed(one.prompt, one.pictures)
        usage: dict[str, float] = {"input_tokens": len(one.prompt.ids), "output_tokens": count}
        problem = None if condition.isfinite().all() else NOT_FINITE.format("states")
        return Said((), "stop", usage, problem, condition)

    def _room(self, one: Asked) -> int:
        return self._context - len(one.prompt.ids)

    def _too_long(self, one: Asked, room: int) -> Said:
        return Said(
            problem=f"too_long: the prompt has {len(one.prompt.ids):,} tokens with its pictures "
            f"and the reply needs {room:,}, the context has {self._context:,}"
        )

    def _whole(self, batch: Sequence[Asked], room: int) -> list[Said]:
        replies = each_whole(batch, lambda some: self._replies(some, room))
        return [said or Said(problem=NOT_FINITE.format("scores")) for said in replies]

    def _replies(self, batch: Sequence[Asked], room: int) -> list[Said | None]:
        system, model = self._system, self._system.language_model
        finite = _Finite(len(batch), system.vocabulary.end)
        inputs = padded(
            [one.prompt for one in batch],
            [system.embeddings(one.prompt, one.pictures) for one in batch],
            system.vocabulary.pad,
        )
        if self._decoding.do_sample:
            lengths, seeds = [len(one.prompt.ids) for one in batch], [one.seed for one in batch]
            rows = generate(
                model, inputs, lengths, seeds, self._decoding, self._context, self._ends, [finite]
            )
        else:
            del inputs["input_ids"]  # what comes back is then the reply alone
            with torch.inference_mode():
                found = model.generate(
                    **inputs,
                    num_beams=self._beams.beams,
                    length_penalty=float(self._beams.length_penalty),
                    max_new_tokens=room,
                    logits_processor=LogitsProcessorList([finite]),
                )
            rows = [self._until_end(row) for row in found.tolist()]
        return [
            self._said(one, ids, ended) if sound else None
            for one, (ids, ended), sound in zip(batch, rows, finite.sound.tolist(), strict=True)
        ]

    def _until_end(self, row: list[int]) -> tuple[list[int], bool]:
        end = next((place for place, token in enumerate(row) if token in self._ends), None)
        return row[:end], end is not None

    def _said(self, one: Asked, ids: Sequence[int], ended: bool) -> Said:
        usage: dict[str, float] = {
            "input_tokens": len(one.prompt.ids),
            "output_tokens": len(ids),
        }
        return Said(tuple(ids), "stop" if ended else "length", usage)


class _Finite(LogitsProcessor):
    """Ends a row whose scores are not all numbers; a row may have several beams.

    Attributes:
        sound: Whether each row's scores have all been numbers so far.
    """

    def __init__(self, rows: int, end: int) -> None:
        self.sound, self._end = torch.ones(rows, dtype=torch.bool), end

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        broken = scores.isnan() | (scores == torch.inf)
        self.sound &= ~broken.reshape(len(self.sound), -1).any(dim=-1).cpu()
        over = ~self.sound.to(scores.device).repeat_interleave(len(scores) // len(self.sound))
        ends = torch.full_like(scores, -1e4)
        ends[:, self._end] = 0
        return torch.where(over[:, None], ends, scores)
