"""What TouchStone's two judges share: their options, and how outputs are put to who is asked.

Each output is asked about in one chat or several; its verdict is there as soon as all are
answered, so that a run folder has it at once.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar, Final

from cobsat.command_line import json_object
from cobsat.spec import choose
from cobsat.touchstone.questions import Reference
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict

from .text_askers import Ask, Asker, CheckpointAsker, FunctionAsker, Said, ServerAsker
from .touchstone_prompts import STOP, Turn

__all__ = ["TextJudge"]

_OF_A_SERVER: Final = (
    "temperature", "seed", "body", "again", "base_url", "key_variable", "concurrency", "timeout",
    "retries",
)  # fmt: skip
_OF_A_CHECKPOINT: Final = (
    "revision", "dtype", "device", "device_map", "forward_batch_size", "trust_remote_code",
)  # fmt: skip
_OF_BOTH: Final = ("max_tokens", "stop")
_MOST_TOKENS: Final = 512
_CHATS_AT_ONCE: Final = 16


class TextJudge(ABC):
    """Has a language model judge texts: one of `model`, `checkpoint` and `ask` says which.

    Args:
        model: A server's name for it: "gpt-4". Key and address are the environment's
            (OPENAI_API_KEY, OPENAI_BASE_URL); the key is in no record and no message.
        checkpoint: A checkpoint of `transformers` with a chat template: a name on the Hub, a
            folder, or a pipeline "text-generation".
        ask: A function that is given chats and returns a reply for each; or "module:function".
        max_tokens: The most tokens of a reply; a model that reasons needs more. null: a server's
            own limit.
        stop: Where a reply ends: as released, after its first line. null (or several, as a list in
            Python): for a server that takes no stop, and for models that reason, or begin with an
            empty line.
        temperature: Of a server: 0 for the likeliest reply, as released; null leaves it to it.
        seed: Of a server that samples with one.
        body: Of a server: more of the request, as JSON: `{"reasoning_effort": "low"}`.
        again: Of a server: how often a reply that cannot be read is asked for again.
        base_url: The API's address up to `/v1`, in place of OPENAI_BASE_URL.
        key_variable: Name of the environment variable that holds the key.
        concurrency: The most calls at once; fewer where the server has had enough.
        timeout: Seconds that a call may take.
        retries: How often a failed call is made again.
        revision: Of a checkpoint on the Hub.
        dtype: As torch names it; by default float32 on a CPU, the checkpoint's own elsewhere.
        device: As torch names it; by default a GPU if there is one.
        device_map: As accelerate takes it ("auto"), for a checkpoint that needs several GPUs.
        forward_batch_size: Chats in one forward pass.
        trust_remote_code: Whether code that comes with the checkpoint may run.

    Raises:
        ValueError: None or several are named, or an option is not the named one's.
        OSError: There is no such checkpoint.
    """

    outputs = frozenset({"answer"})
    title: ClassVar[str]
    nothing: ClassVar[str]
    verdict_kind: ClassVar[type[DialogueVerdict | HallucinationVerdict]]

    def __init__(
        self,
        model: str | None = None,
        checkpoint: Any = None,
        ask: Callable[[list[list[Turn]]], Sequence[str | None]] | str | None = None,
        max_tokens: int | None = _MOST_TOKENS,
        stop: str | Sequence[str] | None = STOP,
        temperature: float | None = 0.0,
        seed: int | None = None,
        body: str | dict[str, Any] | None = None,
        again: int = 1,
        base_url: str | None = None,
        key_variable: str = "OPENAI_API_KEY",
        concurrency: int = 8,
        timeout: float = 120.0,
        retries: int = 4,
        revision: str = "main",
        dtype: str | None = None,
        device: str | None = None,
        device_map: str | None = None,
        forward_batch_size: int = 8,
        trust_remote_code: bool = False,
    ) -> None:
        given = {key: value for key, value in locals().items() if key in _OPTIONS}
        self.asker = _asker(given)
        self.name = f"{self.title}-{self.asker.name}"
        self.batch_size = self.asker.batch_size

    def record(self) -> dict[str, Any]:
        """Return who is asked, the digest of the prompt, the settings, and versions."""
        return {"prompt_sha256": self.prompt_digest(), **self.asker.record()}

    def judge(
        self, predictions: Sequence[str], references: Sequence[Reference], output: str
    ) -> list[Any]:
        """Judge answers; one verdict each, its id empty.

        An empty answer, a refusal and a reply without marks are unscored; where a call failed the
        status is "error".

        Raises:
            ValueError: There is not one reference an answer.
        """
        found = dict(self.judge_each(predictions, references, output))
        return [found[place] for place in range(len(predictions))]

    def judge_each(
        self, predictions: Sequence[str], references: Sequence[Reference], output: str
    ) -> Iterator[tuple[int, Any]]:
        """Judge answers, and yield each one's place and verdict as it is known."""
        choose("output", output, sorted(self.outputs))
        if len(predictions) != len(references):
            raise ValueError(
                f"references must be as many as predictions ({len(predictions)}), "
                f"got {len(references)}"
            )
        asks: list[Ask] = []
        for place, (text, reference) in enumerate(zip(predictions, references, strict=True)):
            if not text or not text.strip():
                yield place, self.verdict_kind("", "unscored", reason=self.nothing)
                continue
            asks += [Ask(place, kind, chat) for kind, chat in self.chats(reference, text).items()]
        left: dict[int, int] = {}
        for one in asks:
            left[one.place] = left.get(one.place, 0) + 1
        heard: dict[int, dict[str, Said]] = {}
        with closing(_generator(self.asker.ask(asks, self.is_clear))) as answers:
            for one, said in answers:
                found = heard.setdefault(one.place, {})
                found[one.kind] = said
                if len(found) == left[one.place]:
                    yield one.place, self.verdict(predictions[one.place], heard.pop(one.place))

    @abstractmethod
    def prompt_digest(self) -> str:
        """Return a digest of what is asked."""

    @abstractmethod
    def chats(self, reference: Reference, text: str) -> dict[str, list[Turn]]:
        """Return the chats about a text, by kind."""

    @abstractmethod
    def is_clear(self, said: Said) -> bool:
        """Return whether a reply can be read."""

    @abstractmethod
    def verdict(self, text: str, said: Mapping[str, Said]) -> Any:
        """Return the verdict on a text from what was said in its chats."""


_OPTIONS: Final = tuple(inspect.signature(TextJudge).parameters)
_DEFAULTS: Final = {
    name: parameter.default for name, parameter in inspect.signature(TextJudge).parameters.items()
}


def _asker(given: Mapping[str, Any]) -> Asker:
    """Return who is asked, by a judge's options."""
    named = [name for name in ("model", "checkpoint", "ask") if given[name] not in (None, "")]
    if len(named) != 1:
        got = " and ".join(named) or "none"
        raise ValueError(
            f"the judge must be told which language model marks the answers, got {got}: either "
            "--judge-option model=gpt-4 (a server: its key in OPENAI_API_KEY and, for any but "
            "OpenAI's, its address in OPENAI_BASE_URL), or --judge-option "
            "checkpoint=Qwen/Qwen3-32B (of transformers: a Hub name or a folder)"
        )
    (who,) = named
    own = {"model": _OF_A_SERVER + _OF_BOTH, "checkpoint": _OF_A_CHECKPOINT + _OF_BOTH, "ask": ()}
    for name, value in given.items():
        if name != who and name not in own[who] and value != _DEFAULTS[name]:
            raise ValueError(f"options must be those that go with {who}, got {name}={value!r}")
    stop = _stop(given["stop"])
    for name, least in (("max_tokens", 1), ("again", 0), ("forward_batch_size", 1)):
        value = given[name]
        if value is None and name == "max_tokens" and who != "checkpoint":
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} must be an integer of {least} or more, got {value!r}")
    if who == "ask":
        return FunctionAsker(given["ask"], _CHATS_AT_ONCE)
    if who == "checkpoint":
        options = {name: given[name] for name in _OF_A_CHECKPOINT if name != "forward_batch_size"}
        return CheckpointAsker(
            given["checkpoint"], given["max_tokens"], stop, given["forward_batch_size"], options
        )
    body = {name: given[name] for name in ("max_tokens", "temperature", "seed")}
    body = {name: value for name, value in body.items() if value is not None}
    body |= {"stop": list(stop)} if stop else {}
    names = ("base_url", "key_variable", "concurrency", "timeout", "retries")
    return ServerAsker(
        str(given["model"]),
        {**body, **json_object("body", given["body"])},
        given["again"],
        tuple(given[name] for name in names),
    )


def _stop(given: str | Sequence[str] | None) -> tuple[str, ...]:
    stop = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(text, str) and text for text in stop):
        raise ValueError(f"stop must be texts that are not empty, or null, got {given!r}")
    return stop


def _generator(answers: Iterator[Any]) -> Any:
    yield from answers  # an iterator that is no generator has no close()
