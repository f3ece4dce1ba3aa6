r"""MiniGPT-4's prompts as ids, each written down by hand from the published conversation.

The rule: `<s>`, the system's text, `###Human: `, texts and pictures, `###Assistant: `; each text
between pictures encoded for itself, with LLaMA's space in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers
from cobsat import Options, examples
from cobsat.models.minigpt4 import tiny
from cobsat.models.minigpt4.prompts import CONTROL, SYSTEM, Vocabulary, format_prompt, reply_of
from cobsat.models.rounds import user_turns
from ports import by_hand

WORDS = tiny.tiny_words()

VOCABULARY = Vocabulary(begin=1, end=2, picture=0, count=4)
PICTURE = [0, 0, 0, 0]

BEFORE = (
    "Give the following image: <Img>ImageContent</Img>. You will be able to see the image once I "
    "provide it to you. Please answer my questions.###Human: "
)
ASSISTANT = "###Assistant: "


def ids_of(row: Any, replies: Sequence[str] = (), system: str = SYSTEM) -> list[int]:
    prompt = format_prompt(
        system,
        user_turns(row["messages"], row["followup"] if replies else None),
        replies,
        VOCABULARY,
        lambda text: WORDS.encode(text, add_special_tokens=False),
    )
    assert all(list(prompt.ids[slot : slot + 4]) == PICTURE for slot in prompt.slots)
    assert prompt.ids.count(0) == 4 * len(prompt.slots)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        given = {"output": "description", "images": str(picture_folder), **options}
        return examples(config, "test", Options(**given))[0]

    return first


def asked(*said: str | None) -> Any:
    """Return a row of texts, and of pictures where there is None."""
    content = [
        {"type": "image", "text": None, "image": "a.png"}
        if text is None
        else {"type": "text", "text": text, "image": None}
        for text in said
    ]
    return {"messages": [{"role": "user", "content": content}], "followup": None}


def test_the_vocabularys_ids() -> None:
    assert Vocabulary.of(WORDS, 4) == VOCABULARY
    assert all(CONTROL.fullmatch(name) for name in ("<s>", "</s>", "<unk>"))
    assert not CONTROL.search("<Img></Img> ### <ImageHere>")
    assert WORDS.encode("</s>a", add_special_tokens=False)[0] == 2  # so a text is checked first
    other = transformers.Qwen2Tokenizer(vocab={"a": 0}, merges=[])
    with pytest.raises(ValueError, match="must be LLaMA's, got none of <s>, </s>, <unk>"):
        Vocabulary.of(other, 4)
    other.add_tokens(["<s>", "</s>", "<unk>"])
    with pytest.raises(ValueError, match="a space before each text, as LLaMA's does, got 'a' for"):
        Vocabulary.of(other, 4)


def test_a_question_about_a_picture() -> None:
    assert ids_of(asked(None, "What is this?")) == [
        1, *by_hand(f"{BEFORE}<Img>"), *PICTURE, *by_hand(f"</Img> What is this?{ASSISTANT}"),
    ]  # fmt: skip
    assert ids_of(asked(None, "What is this?"), system="Look. ")[:6] == [1, *by_hand("Look")]


def test_a_question_about_two_pictures() -> None:
    assert ids_of(asked(None, None, "", "Which?")) == [
        1, *by_hand(f"{BEFORE}<Img>"), *PICTURE, *by_hand("</Img><Img>"), *PICTURE,
        *by_hand(f"</Img> Which?{ASSISTANT}"),
    ]  # fmt: skip


def test_a_prompt_without_pictures() -> None:
    assert ids_of(asked("Who?")) == [1, *by_hand(f"{BEFORE}Who?{ASSISTANT}")]


def test_pictures_among_texts(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    ask = "\nBased on the sequence, describe the next image."
    assert ids_of(row()) == [
        1, *by_hand(f"{BEFORE}blue: <Img>"), *PICTURE, *by_hand("</Img> brown: <Img>"), *PICTURE,
        *by_hand(f"</Img> orange: {ask}{ASSISTANT}"),
    ]  # fmt: skip


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    thought = row(prompt_type="cot")
    first = ids_of(thought)
    assert first[: len(by_hand(BEFORE))] == [1, *by_hand(BEFORE)][:-1]
    tail = by_hand(ASSISTANT)[1:]
    assert first[-len(tail) :] == tail
    followup = (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request 'orange: '"
    )
    goes_on = by_hand(f"cars.###Human: {followup}{ASSISTANT}")[
        1:
    ]  # of one text with what is before
    assert ids_of(thought, ["cars."]) == [*first, *goes_on]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        (" A red car.\n", "A red car."),
        ("Assistant: A red car.", "A red car."),
        ("I am an assistant: a red car", "I am an assistant: a red car"),
        ("Human: a car? Assistant: Yes. Assistant: No.", "No."),
        ("Assistant: ", ""),
    ],
)
def test_a_reply_is_read_as_the_published_chat_reads_it(text: str, reply: str) -> None:
    assert reply_of(text) == reply
