r"""Emu's prompts as ids, each written down by hand from the format's rule.

The rule: `<s>`, then texts and pictures without anything between; each text between Emu's tokens
encoded for itself, with LLaMA's space in front, without the white space that borders on a token.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import transformers
from cobsat import Options, examples
from cobsat.models.emu import tiny
from cobsat.models.emu.prompts import format_prompt
from cobsat.models.emu.words import CONTROL, Vocabulary, add_tokens
from cobsat.models.rounds import system_apart, user_turns
from ports import OWN, by_hand

WORDS = tiny.tiny_words()

PAD = OWN
IMG, END_IMG, PLACE, USER, ASSISTANT = (PAD + n for n in range(1, 6))
INSTRUCTED = Vocabulary(1, 2, PAD, IMG, END_IMG, PLACE, USER, ASSISTANT, count=4)
PRETRAINED = replace(INSTRUCTED, user=None, assistant=None)
PICTURE = [IMG, *[PLACE] * 4, END_IMG]


def ids_of(row: Any, replies: Sequence[Sequence[int]] = (), **options: Any) -> list[int]:
    """Return a prompt's ids, in the form of the instructed Emu if not told otherwise."""
    system, said = system_apart(row["messages"])
    words = options.pop("words", WORDS)
    prompt = format_prompt(
        user_turns(said, row["followup"] if replies else None),
        replies,
        options.pop("vocabulary", INSTRUCTED),
        lambda text: words.encode(text, add_special_tokens=False),
        system=system,
        **options,
    )
    assert [prompt.ids[slot - 1 : slot + 5] for slot in prompt.slots] == [(*PICTURE,)] * len(
        prompt.slots
    )
    assert prompt.ids.count(PLACE) == 4 * len(prompt.slots)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        return examples(config, "test", Options(images=str(picture_folder), **options))[0]

    return first


def test_the_vocabularys_ids() -> None:
    assert Vocabulary.of(WORDS, 4) == INSTRUCTED
    names = ["[PAD]", "[IMG]", "[/IMG]", "<image>", "[USER]", "[ASSISTANT]"]
    assert WORDS.convert_ids_to_tokens(range(PAD, PAD + 6)) == names
    assert Vocabulary.of(tiny.tiny_words(4), 4) == PRETRAINED
    assert all(CONTROL.fullmatch(name) for name in [*names, "<s>", "</s>", "<unk>"])
    assert WORDS.encode("[IMG]a", add_special_tokens=False)[0] == IMG  # so a text is checked first


def test_a_prompt_for_a_picture(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    expected = [
        1, *by_hand("blue:"), *PICTURE, *by_hand("brown:"), *PICTURE, *by_hand("orange:"), IMG,
    ]  # fmt: skip
    for vocabulary in (PRETRAINED, INSTRUCTED):
        assert ids_of(row(), vocabulary=vocabulary, chat=False, draws=True) == expected


DESCRIBE = (
    "Based on the sequence, describe the next image clearly, including attributes such as the main "
    "object, color, texture, background, action, style, if applicable."
)


def test_a_prompt_for_a_description_in_the_papers_wording(row: Callable[..., Any]) -> None:
    asked = row(output="description", instructions_for="emu")
    assert ids_of(asked) == [
        1, *by_hand(DESCRIBE), USER, *by_hand(": blue:"), *PICTURE, *by_hand("brown:"), *PICTURE,
        *by_hand("orange:"), ASSISTANT, *by_hand(":"),
    ]  # fmt: skip
    assert ids_of(asked, vocabulary=PRETRAINED) == [
        1, *by_hand(f"{DESCRIBE} blue:"), *PICTURE, *by_hand("brown:"), *PICTURE,
        *by_hand("orange: "),
    ]  # fmt: skip


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot", output="description")
    first = ids_of(asked)
    assert first[:6] == [1, USER, *by_hand(": W")[:4]]
    assert first[-3:] == [ASSISTANT, *by_hand(":")]
    reply = by_hand("cars.")
    followup = (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request 'orange: '"
    )
    assert ids_of(asked, [reply]) == [
        *first, *reply, 2, USER, *by_hand(f": {followup}"), ASSISTANT, *by_hand(":"),
    ]  # fmt: skip
    drawn = row(prompt_type="cot")
    before = ids_of(drawn, chat=False)
    assert before[:3] == [1, *by_hand("W")]
    followup = (
        "\n\n\n Based on the analysis, please generate the next image for the request 'orange: '"
    )
    assert ids_of(drawn, [reply], chat=False, draws=True) == [
        *before, *reply, *by_hand(followup), IMG,
    ]  # fmt: skip


def test_pictures_may_come_first_and_side_by_side() -> None:
    picture = {"type": "image", "text": None, "image": "a.png"}
    texts = [{"type": "text", "text": text, "image": None} for text in ("", " and ", "that ", " ")]
    content = [picture, texts[0], picture, *texts[1:3], picture, texts[3]]
    asked = {"messages": [{"role": "user", "content": content}], "followup": None}
    assert ids_of(asked, chat=False, draws=True) == [
        1, *PICTURE, *PICTURE, *by_hand("and that"), *PICTURE, IMG,
    ]  # fmt: skip
    assert ids_of(asked) == [
        1, USER, *by_hand(":"), *PICTURE, *PICTURE, *by_hand("and that"), *PICTURE, ASSISTANT,
        *by_hand(":"),
    ]  # fmt: skip


def test_texts_are_encoded_piece_by_piece(row: Callable[..., Any]) -> None:
    """Each begins with LLaMA's space, which joins its first word; nothing joins across a token."""
    known = {word: number for word, number in WORDS.get_vocab().items() if number < PAD}
    merges = [("\u2581", "b"), ("\u2581", "o"), ("e", ":")]
    joined = {"\u2581b": PAD, "\u2581o": PAD + 1, "e:": PAD + 2}
    words: Any = transformers.LlamaTokenizer(vocab={**known, **joined}, merges=merges)
    add_tokens(words, PAD + 3 + 6)
    moved = Vocabulary.of(words, 4)
    system, said = system_apart(row()["messages"])
    turns, encode = user_turns(said, None), words.encode
    prompt = format_prompt(
        turns, [], moved, lambda text: encode(text, add_special_tokens=False),
        system=system, chat=False, draws=True,
    )  # fmt: skip
    blue, brown, orange = [*by_hand("lu")[1:]], [*by_hand("rown:")[1:]], [*by_hand("rang")[1:]]
    picture = [moved.picture_begin, *[moved.picture] * 4, moved.picture_end]
    assert list(prompt.ids) == [
        1, PAD, *blue, PAD + 2, *picture, PAD, *brown, *picture, PAD + 1, *orange, PAD + 2,
        moved.picture_begin,
    ]  # fmt: skip


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must have Emu's tokens, got none of \['\[PAD\]'"):
        Vocabulary.of(tiny.tiny_llama_words(), 4)
    other: Any = transformers.GPT2Tokenizer({"<s>": 0, "</s>": 1, "a": 2}, [], pad_token="</s>")
    add_tokens(other, len(other) + 4)
    with pytest.raises(ValueError, match="a space before each text, as LLaMA's does, got 'a'"):
        Vocabulary.of(other, 4)
