r"""GILL's prompts as ids, each written down by hand from the format's rule.

The rule: `</s>` before the first text; each text between pictures tokenized for itself with its
white space; four places for a picture and nothing around them.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers
from cobsat import Options, examples
from cobsat.models import rounds
from cobsat.models.gill import prompts, tiny
from cobsat.models.gill.prompts import (
    Reply,
    Vocabulary,
    add_tokens,
    first_sentence,
    format_prompt,
    read_reply,
)
from cobsat.models.rounds import user_turns

WORDS = tiny.tiny_words()
add_tokens(WORDS, 3)
VOCABULARY = Vocabulary.of(WORDS, 3, 4)

# <s> <pad> </s> <unk>, then bytes: 94 signs from ! on, 94 letters from ¡ on, and the 68 bytes that
# have no sign of their own, in their order: 0 to 32 first.
SIGNS, OTHERS, BEGIN = 4, 4 + 94 + 94, 2
PICTURE, DRAW = 4 + 256, 4 + 256 + 1
SLOT = [PICTURE] * 4


def by_hand(text: str) -> list[int]:
    """Return a text's ids: a byte each."""
    return [
        OTHERS + ord(letter) if letter in " \n" else SIGNS + ord(letter) - ord("!")
        for letter in text
    ]


def ids_of(row: Any, replies: Sequence[Sequence[int]] = (), words: Any = WORDS) -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    prompt = format_prompt(
        turns, replies, VOCABULARY, lambda text: words.encode(text, add_special_tokens=False)
    )
    assert [prompt.ids[slot : slot + 4] for slot in prompt.slots] == [(*SLOT,)] * len(prompt.slots)
    assert prompt.ids.count(PICTURE) == 4 * len(prompt.slots)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        return examples(config, "test", Options(images=str(picture_folder), **options))[0]

    return first


def test_the_vocabularys_ids() -> None:
    assert Vocabulary(2, 2, 260, 261, 3, 4) == VOCABULARY
    assert VOCABULARY.drawn == [261, 262, 263]
    assert WORDS.convert_ids_to_tokens([260, 261, 263]) == ["<|image|>", "[IMG0]", "[IMG2]"]
    assert by_hand("a \n") == [68, 224, 202]


def test_a_prompt_for_a_picture(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    assert ids_of(row()) == [
        BEGIN, *by_hand("blue: "), *SLOT, *by_hand("brown: "), *SLOT, *by_hand("orange: "),
    ]  # fmt: skip


def test_a_prompt_in_the_papers_wording(row: Callable[..., Any]) -> None:
    asked = row(instructions_for="gill")
    assert ids_of(asked) == [
        BEGIN,
        *by_hand(
            "You are a professional assistant who can generate a new image based on the sequence. "
            "blue: "
        ),
        *SLOT,
        *by_hand("brown: "),
        *SLOT,
        *by_hand("orange: "),
    ]


def test_a_prompt_for_a_description(row: Callable[..., Any]) -> None:
    asked = row(output="description", instructions_for="gill")
    assert ids_of(asked) == [
        BEGIN,
        *by_hand(
            "You are a professional assistant and always answer my question directly and perfectly "
            "without any excuses. blue: "
        ),
        *SLOT,
        *by_hand("brown: "),
        *SLOT,
        *by_hand(
            "orange: Based on the sequence, describe what the next image should be clearly, "
            "including attributes such as the main object, color, texture, background, action, "
            "style, if applicable. Your response should only contain a description of the image, "
            "and any additional information can cause significant loss."
        ),
    ]


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot")
    first = ids_of(asked)
    assert first[:4] == [BEGIN, *by_hand("We ")]
    assert first.count(BEGIN) == 1
    reply = [*by_hand(" cars"), *VOCABULARY.drawn, *by_hand(".")]
    assert ids_of(asked, [reply]) == [
        *first,
        *reply,
        *by_hand(
            "\n\n\n Based on the analysis, please generate the next image for the request "
            "'orange: '"
        ),
    ]


def test_pictures_may_come_first_and_side_by_side() -> None:
    picture = {"type": "image", "text": None, "image": "a.png"}
    texts = [{"type": "text", "text": text, "image": None} for text in ("", "and ", "that")]
    content = [picture, texts[0], picture, *texts[1:], picture]
    asked = {"messages": [{"role": "user", "content": content}], "followup": None}
    assert ids_of(asked) == [*SLOT, *SLOT, BEGIN, *by_hand("and that"), *SLOT]


def test_texts_are_tokenized_piece_by_piece(row: Callable[..., Any]) -> None:
    """A space at a text's end stays a token of its own; one within it joins its word."""
    known = {word: number for word, number in WORDS.get_vocab().items() if number < PICTURE}
    merged = {**known, "\u0120b": 300, "\u0120c": 301}
    words = transformers.GPT2Tokenizer(merged, [("\u0120", "b"), ("\u0120", "c")])
    got = ids_of(row(instructions_for="gill"), words=words)
    slot = got.index(PICTURE)
    assert got[slot - 6 : slot] == [300, *by_hand("lue: ")]  # "sequence. " and "blue: " are one
    assert got[slot + 4 : slot + 11] == by_hand("brown: ")
    assert got.count(301) == 1  # "who can"


def test_a_reply_is_taken_apart() -> None:
    zero, one, two = VOCABULARY.drawn
    for ids, reply in (
        ([], Reply()),
        ([5, 6], Reply(((5, 6),))),
        ([zero, one, two], Reply((), (0,))),
        ([5, zero, one, two, zero, one, two, 6, 7], Reply(((5,), (6, 7)), (1, 4))),
    ):
        assert read_reply(ids, VOCABULARY) == reply


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        (" \n", ""),
        ("a red car", "a red car"),
        ("a red car. A blue car.", "a red car."),
        ("\na red car. A blue car.\nA box.", "a red car. A blue car."),
        ("a red car \n\nA box", "a red car"),
    ],
)
def test_a_caption_is_a_line_or_a_sentence(text: str, kept: str) -> None:
    assert first_sentence(text) == kept


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"last tokens must be <\|image\|> and 4 from \[IMG0\] on"):
        Vocabulary.of(WORDS, 4, 4)
    later = tiny.tiny_words()
    add_tokens(later, 3)
    later.add_tokens(["[more]"])
    with pytest.raises(ValueError, match=r"got \[260, 261, 262, 263\] for \[261, 262, 263, 264\]"):
        Vocabulary.of(later, 3, 4)
    endless = tiny.tiny_words()
    endless.eos_token = None
    add_tokens(endless, 3)
    with pytest.raises(ValueError, match="must have a beginning and an end, as OPT's, got '</s>'"):
        Vocabulary.of(endless, 3, 4)


def test_doctests() -> None:
    for module in (prompts, rounds):
        assert doctest.testmod(module).failed == 0
        assert doctest.testmod(module).attempted >= 1
