r"""Emu2's prompts as ids, each written down by hand: Emu's form, with Emu2's tokens.

The rule: `<s>`, then texts and pictures without anything between; each text between the tokens
encoded for itself, with LLaMA's space in front, without the white space that borders on a token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cobsat import Options, examples
from cobsat.models.emu.prompts import format_prompt
from cobsat.models.emu.words import Vocabulary
from cobsat.models.emu2 import tiny
from cobsat.models.emu2.adapter import CHAT_SYSTEM
from cobsat.models.emu2.words import TOKENS
from cobsat.models.rounds import system_apart, user_turns
from ports import OWN, by_hand

IMG, END_IMG, PLACE = OWN + 1, OWN + 2, OWN + 3
USER, ASSISTANT = OWN + 272, OWN + 273
PICTURE = [IMG, *[PLACE] * 4, END_IMG]
CHAT = tiny.tiny_words()
GEN = tiny.tiny_words(len(TOKENS))


def ids_of(row: Any, words: Any, *replies: Sequence[int], **options: Any) -> list[int]:
    system, said = system_apart(row["messages"])
    prompt = format_prompt(
        user_turns(said, row["followup"] if replies else None),
        replies,
        Vocabulary.of(words, 4),
        lambda text: words.encode(text, add_special_tokens=False),
        **{"system": system, **options},
    )
    slots = [prompt.ids[slot - 1 : slot + 5] for slot in prompt.slots]
    assert slots == [(*PICTURE,)] * prompt.ids.count(END_IMG)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(**options: Any) -> Any:
        return examples("color_i-2shot", "test", Options(images=str(picture_folder), **options))[0]

    return first


def test_a_prompt_for_a_picture(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    expected = [
        1, *by_hand("blue:"), *PICTURE, *by_hand("brown:"), *PICTURE, *by_hand("orange:"), IMG,
    ]  # fmt: skip
    for words in (GEN, CHAT):
        assert ids_of(row(), words, chat=False, draws=True) == expected


def test_a_prompt_for_a_description(row: Callable[..., Any]) -> None:
    asked = row(output="description")
    after = "orange: \nBased on the sequence, describe the next image."
    shown = [*by_hand("brown:"), *PICTURE, *by_hand(after)]
    assert ids_of(asked, CHAT, system=CHAT_SYSTEM) == [
        1, *by_hand(CHAT_SYSTEM), USER, *by_hand(": blue:"), *PICTURE, *shown, ASSISTANT,
        *by_hand(":"),
    ]  # fmt: skip
    assert ids_of(asked, GEN) == [1, *by_hand("blue:"), *PICTURE, *shown]


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot", output="description")
    first = ids_of(asked, CHAT)
    assert first[:4] == [1, USER, *by_hand(": W")[:2]]
    assert first[-3:] == [ASSISTANT, *by_hand(":")]
    reply = by_hand("cars.")
    followup = (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request 'orange: '"
    )
    # As in the published demo: </s>[USER]: , and the reply as it came.
    assert ids_of(asked, CHAT, reply) == [
        *first, *reply, 2, USER, *by_hand(f": {followup}"), ASSISTANT, *by_hand(":"),
    ]  # fmt: skip
