"""Asking a batch of examples in one or two rounds: the ports of the papers' systems share this.

    outputs = in_rounds(examples, encode, ask, finish)

In a chain of thought (CoBSAT, Sec. 7.2) the second round follows the model's own reply to the
first; whatever goes wrong in the first is the example's error, and its second is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from cobsat import Example
from cobsat.examples import Message, Part

from .protocol import Output

__all__ = [
    "Round",
    "Said",
    "added",
    "by_kind",
    "encoded",
    "failed",
    "in_rounds",
    "system_apart",
    "user_turns",
]


class Said(Protocol):
    """What a model said in a round, or why it said nothing."""

    @property
    def ids(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def usage(self) -> dict[str, float] | None: ...  # noqa: D102
    @property
    def problem(self) -> str | None: ...  # noqa: D102


_Picture = TypeVar("_Picture")
_Said = TypeVar("_Said", bound=Said)


@dataclass(frozen=True)
class Round(Generic[_Picture, _Said]):
    """One example's chat so far, ready to be asked.

    Attributes:
        example: The example.
        turns: What the user says, in all rounds so far.
        pictures: Their pictures in order, as the model reads them.
        first: What the model said in the first round, where this is the second.
    """

    example: Example
    turns: list[list[Part]]
    pictures: list[_Picture]
    first: _Said | None = None

    @property
    def last(self) -> bool:
        """Whether what is said now is the answer."""
        return self.first is not None or self.example["followup"] is None


def in_rounds(
    examples: Sequence[Example],
    encode: Callable[[Sequence[Sequence[Part]]], list[_Picture] | Output],
    ask: Callable[[Sequence[Round[_Picture, _Said]]], list[_Said]],
    finish: Callable[[Round[_Picture, _Said], _Said], Output],
) -> list[Output]:
    """Return an output for each example.

    Args:
        examples: The examples.
        encode: From a user's turns to their pictures, or to what is wrong with them.
        ask: From rounds to what is said in each.
        finish: From an example's last round and what was said in it to its output.
    """
    outputs: dict[int, Output] = {}
    waiting: list[tuple[int, Round[_Picture, _Said]]] = []
    for place, example in enumerate(examples):
        turns = user_turns(example["messages"], example["followup"])
        pictures = encode(turns)
        if isinstance(pictures, Output):
            outputs[place] = pictures
        else:
            waiting.append((place, Round(example, turns[:1], pictures)))
    before = [(place, each) for place, each in waiting if not each.last]
    last = [(place, each) for place, each in waiting if each.last]
    for (place, each), said in zip(before, ask([each for _, each in before]), strict=True):
        if said.problem is not None or not said.ids:
            outputs[place] = _first_failed(said)
        else:
            turns = user_turns(each.example["messages"], each.example["followup"])
            last.append((place, replace(each, turns=turns, first=said)))
    for (place, each), said in zip(last, ask([each for _, each in last]), strict=True):
        outputs[place] = finish(each, said)
    return [outputs[place] for place in range(len(examples))]


def by_kind(
    rounds: Sequence[Round[_Picture, _Said]],
    kind: Callable[[Round[_Picture, _Said]], bool],
    ask: Callable[[Sequence[Round[_Picture, _Said]], bool], list[_Said]],
) -> list[_Said]:
    """Return what is said in each round, those of a kind asked together.

    Args:
        rounds: The rounds.
        kind: Which of two kinds a round is of.
        ask: From rounds of one kind, and which, to what is said in each.
    """
    said: dict[int, _Said] = {}
    for which in (False, True):
        alike = [number for number, ready in enumerate(rounds) if kind(ready) == which]
        if alike:
            answers = ask([rounds[number] for number in alike], which)
            said |= zip(alike, answers, strict=True)
    return [said[number] for number in range(len(rounds))]


def user_turns(messages: Sequence[Message], followup: str | None) -> list[list[Part]]:
    """Return what the user says in each round; a system's text comes before the first.

    Raises:
        ValueError: The chat is not one question, with or without a followup.
    """
    roles = [message["role"] for message in messages]
    if roles not in (["user"], ["system", "user"]):
        raise ValueError(f"messages must be one of a user, after a system's or not, got {roles}")
    first: list[Part] = []
    for message in messages:
        if message["role"] == "system":
            first += [{**part, "text": f"{part['text']} "} for part in message["content"]]
        else:
            first += message["content"]
    if followup is None:
        return [first]
    return [first, [{"type": "text", "text": followup, "image": None}]]


def system_apart(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    """Return the system's text, empty where there is none, and the messages of the others."""
    texts = [
        part["text"] or ""
        for message in messages
        if message["role"] == "system"
        for part in message["content"]
    ]
    return "".join(texts), [message for message in messages if message["role"] != "system"]


def encoded(
    turns: Sequence[Sequence[Part]],
    control: re.Pattern[str],
    encode: Callable[[Part], _Picture],
) -> list[_Picture] | Output:
    """Return the pictures of a user's turns, or what is wrong with a text or a picture.

    Args:
        turns: As `user_turns` gives them.
        control: Finds, in a text, what the tokenizer would take for more than text.
        encode: Opens a picture and makes of it what the model reads.
    """
    for text in (part["text"] for turn in turns for part in turn):
        if found := control.search(text or ""):
            return failed(f"control_token: a text of the prompt holds {found[0]!r}")
    try:
        return [encode(part) for turn in turns for part in turn if part["type"] == "image"]
    except OSError as error:
        return failed(f"picture: {error}")


def failed(reason: str, output: Output | None = None) -> Output:
    """Return an error, with what an output holds beside it."""
    return replace(output or Output(), status="error", reason=reason)


def added(
    first: dict[str, float] | None, second: dict[str, float] | None
) -> dict[str, float] | None:
    """Return the tokens of two rounds together.

    >>> added({"input_tokens": 3}, {"input_tokens": 4}), added(None, {"input_tokens": 4})
    ({'input_tokens': 7}, {'input_tokens': 4})
    """
    if first is None or second is None:
        return second or first
    return {name: first[name] + second[name] for name in first}


def _first_failed(said: Said) -> Output:
    code, _, rest = (said.problem or "empty: nothing came").partition(": ")
    return replace(failed(f"{code}: first round: {rest}"), usage=said.usage)
