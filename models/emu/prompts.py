r"""Emu's and Emu2's prompts as token ids and places of pictures: pure functions.

Source: the published system joins texts and pictures without anything between them, and where a
picture is to come, `[IMG]` stands last:

    <s>red: [IMG](32 places)[/IMG]blue: [IMG](32 places)[/IMG]pink: [IMG]

The instructed Emu is asked in the form that it is trained on:

    <s>(system's text) [USER]: red: [IMG](32 places)[/IMG]…pink:  [ASSISTANT]:

As in SEED-LLaMA's prompts, each text between Emu's tokens is encoded for itself: the tokenizer of
the time gave it a space in front, and took away the white space that borders on such a token.

In the chat form `</s>` ends a reply and the next `[USER]` follows it, as in Emu2's published demo;
Emu's shows no second round. In the other form the reply comes as it came, and then the next text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cobsat.examples import Part

from ..spliced import Prompt
from .words import Vocabulary

__all__ = ["format_prompt"]

_Item: TypeAlias = str | int | Sequence[int]
"""A text, one of Emu's tokens, or a reply."""


def format_prompt(
    turns: Sequence[Sequence[Part]],
    replies: Sequence[Sequence[int]],
    vocabulary: Vocabulary,
    encode: Callable[[str], list[int]],
    *,
    system: str = "",
    chat: bool = True,
    draws: bool = False,
) -> Prompt:
    """Return the ids of a prompt.

    Args:
        turns: What the user says in each round.
        replies: The model's replies to all rounds but the last, as ids without their end.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids, with a space before it and nothing else.
        system: The system's text.
        chat: Whether it has the chat form, where the model is instructed.
        draws: Whether a picture is to come.
    """
    user = vocabulary.user if chat else None
    items: list[_Item] = [system]
    for number, turn in enumerate(turns):
        if user is None or vocabulary.assistant is None:
            items += [" " if system and not number else "", *_parts(turn, vocabulary)]
        else:
            items += [user, ": ", *_parts(turn, vocabulary), vocabulary.assistant, ":"]
        if number < len(replies):
            items.append(replies[number])
            if user is not None:
                items.append(vocabulary.end)
    if draws:
        items.append(vocabulary.picture_begin)
    return _joined(items, vocabulary, encode)


def _parts(turn: Sequence[Part], vocabulary: Vocabulary) -> list[_Item]:
    items: list[_Item] = []
    for part in turn:
        if part["type"] == "image":
            items += [vocabulary.picture_begin, vocabulary.picture, vocabulary.picture_end]
        else:
            items.append(part["text"] or "")
    return items


def _joined(
    items: Sequence[_Item], vocabulary: Vocabulary, encode: Callable[[str], list[int]]
) -> Prompt:
    whole: list[_Item] = []
    for item in items:  # texts side by side are one
        last = whole[-1] if whole else None
        if isinstance(item, str) and isinstance(last, str):
            whole[-1] = last + item
        elif item != "":
            whole.append(item)
    ids: list[int] = [vocabulary.begin]
    slots: list[int] = []
    for place, item in enumerate(whole):
        if isinstance(item, str):
            left = item.lstrip() if place and isinstance(whole[place - 1], int) else item
            after = whole[place + 1 : place + 2]
            text = left.rstrip() if after and isinstance(after[0], int) else left
            ids += encode(text) if text else []
        elif item == vocabulary.picture:
            slots.append(len(ids))
            ids += [vocabulary.picture] * vocabulary.count
        else:
            ids += [item] if isinstance(item, int) else item
    return Prompt(tuple(ids), tuple(slots))
