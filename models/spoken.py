"""What a language model says to prompts with spliced pictures: ports that only talk share this.

    speaker = Speaker(model, words, Decoding(), context=2048, stop="###")
    said = speaker.say([Asked(prompt, pictures, seed)])
    outputs = Talker(speaker, Decoding(), prompt, encode).predict(examples)

What goes wrong with one prompt is a problem that begins with `too_long` (it leaves no room in the
context, and nothing was generated), `not_finite` (the scores were not all numbers, as in half
precision they may be) or `empty` (the reply has no text).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cobsat import Example
from cobsat.examples import Part
from torch import Tensor

from .in_memory import InMemory
from .protocol import Output
from .rounds import Round, added, failed, in_rounds
from .seeds import example_seed
from .spliced import Prompt, padded, spliced
from .vlm_generation import Decoding, Sound, StopText, each_whole, generate, set_decoding

__all__ = ["Asked", "Chat", "Said", "Speaker", "Talker"]


@dataclass(frozen=True)
class Asked:
    """A prompt, the embeddings of its pictures, and the seed of its reply."""

    prompt: Prompt
    pictures: Sequence[Tensor]
    seed: int


@dataclass(frozen=True)
class Said:
    """A reply's ids without its end, and its text; or why there is none."""

    ids: tuple[int, ...] = ()
    text: str = ""
    finish_reason: str | None = None
    usage: dict[str, float] | None = None
    problem: str | None = None


Chat: TypeAlias = Round[Tensor, Said]
"""An example's chat so far."""

_TOO_LARGE: Final = Said(problem="out_of_memory: the example alone does not fit")
_NO_NUMBERS: Final = Said(
    problem="not_finite: the model's scores are not all numbers: try dtype=bfloat16"
)


class Speaker:
    """Asks a language model; how replies are drawn is set once.

    Args:
        model: A causal language model.
        words: Its tokenizer.
        decoding: How replies are drawn, and how long they may be.
        context: Tokens that prompt and reply may have together.
        stop: A text that ends a reply, as the end of a text does; None for no such text.
        read: What the reply is, of the text that came.
        keep_special: Whether special tokens are part of that text.
    """

    def __init__(
        self,
        model: Any,
        words: Any,
        decoding: Decoding,
        context: int,
        *,
        stop: str | None = None,
        read: Callable[[str], str] = str.strip,
        keep_special: bool = False,
    ) -> None:
        self._model, self._words, self._decoding = model, words, decoding
        self._context, self._read, self._keep_special = context, read, keep_special
        self._stop = None if stop is None else StopText(words, stop)
        self._ends = set_decoding(model, words, decoding)

    def say(self, asked: Sequence[Asked]) -> list[Said]:
        """Return a reply to each prompt that leaves room for one."""
        fits = [one for one in asked if self._fits(one)]
        replies = iter(each_whole(fits, self._replies) if fits else [])
        return [
            (next(replies) or _NO_NUMBERS) if self._fits(one) else self._too_long(one)
            for one in asked
        ]

    def _fits(self, one: Asked) -> bool:
        return len(one.prompt.ids) < self._context

    def _too_long(self, one: Asked) -> Said:
        return Said(
            problem=f"too_long: the prompt has {len(one.prompt.ids):,} tokens with its pictures, "
            f"the context {self._context:,}"
        )

    def _replies(self, batch: Sequence[Asked]) -> list[Said | None]:
        lengths = [len(one.prompt.ids) for one in batch]
        sound = Sound(len(batch), self._ends)
        rows = generate(
            self._model,
            self.inputs(batch),
            lengths,
            [one.seed for one in batch],
            self._decoding,
            self._context,
            self._ends,
            [sound],
            self._stop,
        )
        return [
            self._said(ids, ended, length) if numbers else None
            for (ids, ended), length, numbers in zip(rows, lengths, sound.rows(), strict=True)
        ]

    def inputs(self, batch: Sequence[Asked]) -> dict[str, Tensor]:
        """Return ids, mask and embeddings of a batch, padded on the left."""
        table = self._model.get_input_embeddings()
        return padded(
            [one.prompt for one in batch],
            [spliced(table, one.prompt, one.pictures) for one in batch],
            min(self._ends),
        )

    def _said(self, ids: Sequence[int], ended: bool, length: int) -> Said:
        text = self._read(
            self._words.decode(
                ids,
                skip_special_tokens=not self._keep_special,
                clean_up_tokenization_spaces=False,
            )
        )
        usage: dict[str, float] = {"input_tokens": length, "output_tokens": len(ids)}
        problem = None if text else f"empty: the model answered nothing ({len(ids)} tokens)"
        return Said(tuple(ids), text, "stop" if ended else "length", usage, problem)


class Talker:
    """Answers examples, those with a followup in two rounds.

    Args:
        speaker: What asks the language model.
        decoding: How replies are drawn.
        prompt: From an example's chat so far to its prompt.
        encode: From a user's turns to the embeddings of their pictures, or to what is wrong.
        forget: Gives back the memory of encoded pictures.
    """

    def __init__(
        self,
        speaker: Speaker,
        decoding: Decoding,
        prompt: Callable[[Chat], Prompt],
        encode: Callable[[Sequence[Sequence[Part]]], list[Tensor] | Output],
        forget: Callable[[], None],
    ) -> None:
        self._speaker, self._decoding = speaker, decoding
        self._prompt, self._encode = prompt, encode
        self._room = InMemory(forget=forget)

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Return an output for each example."""
        return in_rounds(examples, self._encode, self._ask, self._output)

    def _ask(self, rounds: Sequence[Chat]) -> list[Said]:
        asked = [Asked(self._prompt(chat), chat.pictures, self._seed(chat)) for chat in rounds]
        return self._room.answer(asked, self._speaker.say, _TOO_LARGE)

    def _seed(self, chat: Chat) -> int:
        return example_seed(self._decoding.seed, chat.example["id"], len(chat.turns) - 1)

    def _output(self, chat: Chat, said: Said) -> Output:
        """Return an example's output, from what was said last."""
        first = chat.first
        output = Output(
            text=said.text or None,
            finish_reason=said.finish_reason,
            usage=added(first.usage if first else None, said.usage),
            extra={
                **({"seed": self._seed(chat)} if self._decoding.do_sample else {}),
                **({"first_round": _kept(first)} if first else {}),
            },
        )
        return output if said.problem is None else failed(said.problem, output)


def _kept(said: Said) -> dict[str, Any]:
    return {"text": said.text, "finish_reason": said.finish_reason}
