"""Generating answers with a vision-language model, each row of a batch for itself.

Rows are greedy, or drawn with a seed of their own (temperature, then top-p, then one uniform
number a token), and each stops at its own end of the context: what a row says depends neither on
the batch that it is in nor on where a run was resumed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, TypeVar

import torch
from transformers import (
    GenerationConfig,
    GenerationMixin,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
    StopStringCriteria,
    TemperatureLogitsWarper,
    TopPLogitsWarper,
)

__all__ = [
    "Decoding",
    "Draws",
    "Sound",
    "StopText",
    "each_whole",
    "generate",
    "is_out_of_memory",
    "set_decoding",
]

_Item = TypeVar("_Item")
_Reply = TypeVar("_Reply")

_OUT_OF_MEMORY: Final = ("out of memory", "not enough memory", "can't allocate memory")


@dataclass(frozen=True)
class Decoding:
    """How an answer is drawn."""

    max_new_tokens: int = 512
    do_sample: bool = False
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0

    def check(self) -> Decoding:
        """Return itself.

        Raises:
            ValueError: A number is out of its range, or sampling is set for greedy answers.
        """
        for name, value in asdict(self).items():
            wanted = {"do_sample": bool, "temperature": (int, float), "top_p": (int, float)}
            kind: Any = wanted.get(name, int)
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                raise ValueError(f"{name} must be {_kind(kind)}, got {value!r}")
        if self.max_new_tokens < 1:
            raise ValueError(f"max_new_tokens must be 1 or more, got {self.max_new_tokens}")
        if not self.do_sample and (self.temperature != 1.0 or self.top_p != 1.0):
            raise ValueError(
                "temperature and top_p must go with do_sample=true (answers are greedy without "
                f"it), got temperature={self.temperature}, top_p={self.top_p}"
            )
        if not self.temperature > 0:
            raise ValueError(
                f"temperature must be above 0, got {self.temperature}: do_sample=false for greedy "
                "answers"
            )
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, got {self.top_p}")
        return self

    @property
    def repeats(self) -> str:
        """Why each answer to a prompt is the same, and the fix; empty where answers are drawn."""
        return "" if self.do_sample else "answers are greedy: --model-option do_sample=true"

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of it."""
        if self.do_sample:
            return asdict(self)
        return {"max_new_tokens": self.max_new_tokens, "do_sample": False}


def _kind(kind: Any) -> str:
    return {bool: "true or false", int: "an integer"}.get(kind, "a number")


def set_decoding(model: Any, tokenizer: Any, decoding: Decoding) -> frozenset[int]:
    """Let a model generate by our settings alone, and return the ids that end an answer.

    A checkpoint's own sampling, beams and penalties are put aside: of its generation config, only
    the ids of special tokens stay.
    """
    own = model.generation_config
    ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
    ids = [] if ends is None else [ends] if isinstance(ends, int) else list(ends)
    pad = tokenizer.pad_token_id
    if pad is None:
        pad = own.pad_token_id if own.pad_token_id is not None else (ids or [0])[0]
    for module in model.modules():
        if getattr(module, "generation_config", None) is not None:
            module.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
                max_new_tokens=decoding.max_new_tokens,
                do_sample=False,
                num_beams=1,
                eos_token_id=ids or None,
                pad_token_id=pad,
                bos_token_id=own.bos_token_id,
                decoder_start_token_id=own.decoder_start_token_id,
            )
    return frozenset(ids)


def generate(
    model: Any,
    inputs: dict[str, Any],
    lengths: Sequence[int],
    seeds: Sequence[int],
    decoding: Decoding,
    context: int,
    ends: frozenset[int],
    rules: Sequence[LogitsProcessor] = (),
    stop: StopText | None = None,
) -> list[tuple[list[int], bool]]:
    """Return each row's new token ids without the end, and whether it came to an end by itself.

    Args:
        model: The model, after `set_decoding`.
        inputs: The model's inputs, padded on the left; `input_ids` of shape (batch, tokens).
        lengths: Tokens of each row's prompt, without padding.
        seeds: A seed for each row.
        decoding: How to draw.
        context: The most tokens that prompt and answer may have together.
        ends: Ids that end an answer.
        rules: What changes scores before anything is drawn from them.
        stop: A text that ends an answer as well, and is no part of it.
    """
    processors = LogitsProcessorList(rules)
    if decoding.do_sample:
        if decoding.temperature != 1.0:
            processors.append(TemperatureLogitsWarper(float(decoding.temperature)))
        if decoding.top_p < 1.0:
            processors.append(TopPLogitsWarper(float(decoding.top_p)))
        processors.append(_Draw(seeds))
    criteria = StoppingCriteriaList([_EndOfContext(lengths, context)])
    if stop is not None:
        criteria.append(_Said(stop))
    with torch.inference_mode():
        output = _generate_of(model)(
            **inputs, logits_processor=processors, stopping_criteria=criteria, use_cache=True
        )
    prompt = inputs["input_ids"]
    if _begins_with(output, prompt):
        output = output[:, prompt.shape[1] :]
    elif model.config.is_encoder_decoder or _decodes_apart(model):
        output = output[:, 1:]  # the decoder's first token is no answer
    rooms = [min(decoding.max_new_tokens, context - length) for length in lengths]
    rows = [_cut(row[:room], ends) for row, room in zip(output.tolist(), rooms, strict=True)]
    return rows if stop is None else [stop.cut(*row) for row in rows]


def _generate_of(model: Any) -> Callable[..., Any]:
    """Return a model's `generate`.

    Janus' own draws pictures too, and drops the processors of scores where it is to give a text.
    """
    if model.config.model_type == "janus":
        return partial(GenerationMixin.generate, model)
    generate_by_model: Callable[..., Any] = model.generate
    return generate_by_model


def _begins_with(output: torch.Tensor, prompt: torch.Tensor) -> bool:
    tokens = prompt.shape[1]
    return output.shape[1] >= tokens and bool(torch.equal(output[:, :tokens], prompt))


def _decodes_apart(model: Any) -> bool:
    language_model = getattr(model, "language_model", None)
    return bool(getattr(getattr(language_model, "config", None), "is_encoder_decoder", False))


def _cut(tokens: list[int], ends: frozenset[int]) -> tuple[list[int], bool]:
    for place, token in enumerate(tokens):
        if token in ends:
            return tokens[:place], True
    return tokens, False


class StopText:
    """A text that ends an answer, in whichever tokens it comes: `###` is one of LLaMA's or two.

    Args:
        words: The tokenizer.
        text: The text.
    """

    def __init__(self, words: Any, text: str) -> None:
        self.criterion = StopStringCriteria(words, text)  # reads the whole vocabulary: made once
        self._words, self._text = words, text

    def cut(self, tokens: list[int], ended: bool) -> tuple[list[int], bool]:
        """Return the tokens before the text, and whether the answer came to an end.

        A token that begins the text goes whole, with what it has before it.
        """
        before, found, _ = self._decoded(tokens).partition(self._text)
        if not found:
            return tokens, ended
        kept = bisect_left(
            range(len(tokens)), True, key=lambda n: self._text in self._decoded(tokens[:n])
        )  # so many hold the text
        while not before.startswith(self._decoded(tokens[:kept])):
            kept -= 1
        return tokens[:kept], True

    def _decoded(self, tokens: list[int]) -> str:
        text: str = self._words.decode(
            tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text


class _Said(StoppingCriteria):
    """Ends each row where it has said a text; what the prompt says does not count."""

    def __init__(self, stop: StopText) -> None:
        self._stop = stop
        self._new = 0

    def __call__(
        self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: Any
    ) -> torch.Tensor:
        self._new += 1
        said: torch.Tensor = self._stop.criterion(input_ids[:, -self._new :], scores)
        return said


class Draws:
    """Draws each row's next token by its own generator, one uniform number a token."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, scores: torch.Tensor) -> torch.Tensor:
        """Return tokens of shape (rows, 1), from scores of shape (rows, tokens)."""
        chances = torch.softmax(scores.float(), dim=-1).cumsum(dim=-1)
        drawn = torch.cat([torch.rand(1, generator=each) for each in self._generators])
        whole = chances[:, -1:]
        points = drawn.to(chances)[:, None] * whole
        below = torch.nextafter(whole, torch.zeros_like(whole))  # rounding must not reach the end
        return torch.searchsorted(chances, torch.minimum(points, below), right=True)


def each_whole(
    batch: Sequence[_Item], ask: Callable[[Sequence[_Item]], list[_Reply | None]]
) -> list[_Reply | None]:
    """Return a reply for each item of a batch; None where its scores were not all numbers.

    A batch goes on until its longest row ends, and until then gives the others what means nothing.
    So a row that breaks is asked again alone, where its end is the end: what becomes of it does not
    depend on its neighbours.

    Args:
        batch: What is asked.
        ask: Returns a reply for each item, or None.
    """
    replies = ask(batch)
    if len(batch) == 1:
        return replies
    return [
        ask([item])[0] if reply is None else reply
        for item, reply in zip(batch, replies, strict=True)
    ]


class Sound(LogitsProcessor):
    """A rule that knows which rows' scores have all been numbers, and ends the others.

    In half precision they may not be. What is drawn from such scores is no answer, and a GPU that
    is told to draw from them is of no more use to the process.

    Args:
        rows: How many there are.
        ends: Ids that end an answer, at least one.
    """

    def __init__(self, rows: int, ends: frozenset[int]) -> None:
        self._sound = torch.ones(rows, dtype=torch.bool)
        self._ends = sorted(ends)

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.Tensor:
        """Return scores of shape (rows, tokens)."""
        best = scores.amax(dim=-1)  # NaN if any is; -inf may be how a model leaves a token out
        self._sound = self._sound.to(scores.device) & best.isfinite()
        end = torch.full_like(scores[:1], -torch.inf)
        end[:, self._ends] = 0
        return torch.where(self._sound[:, None], scores, end)

    def rows(self) -> list[bool]:
        """Return for each row whether they have."""
        sound: list[bool] = self._sound.tolist()
        return sound


class _Draw(LogitsProcessor):
    """Draws each row's next token, and leaves the others no chance."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self._draws = Draws(seeds)

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.Tensor:
        return torch.full_like(scores, -torch.inf).scatter(-1, self._draws(scores), 0.0)


class _EndOfContext(StoppingCriteria):
    """Ends each row where its own prompt and answer fill the context."""

    def __init__(self, lengths: Sequence[int], context: int) -> None:
        self._room = torch.tensor([context - length for length in lengths])
        self._new = 0

    def __call__(
        self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: Any
    ) -> torch.Tensor:
        self._new += 1
        return (self._room <= self._new).to(input_ids.device)


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error says that the device has no memory left."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and any(words in text for words in _OUT_OF_MEMORY)
