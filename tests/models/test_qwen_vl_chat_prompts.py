r"""Qwen-VL-Chat's prompts as ids, each written down by hand from ChatML.

`<|im_start|>system\n…<|im_end|>\n<|im_start|>user\n…<|im_end|>\n<|im_start|>assistant\n`; a picture
is `Picture N: <img>…</img>\n` in the text.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from cobsat import Options, examples
from cobsat.models.qwen_vl_chat import language_model, prompts, tiny
from cobsat.models.qwen_vl_chat.prompts import COBSAT_SYSTEM, CONTROL, DEFAULT_SYSTEM, format_prompt
from cobsat.models.qwen_vl_chat.words import SPECIAL, Vocabulary, tokenizer_of, words_from_ranks
from cobsat.models.rounds import user_turns
from qwen_vl_checkpoints import ranks
from transformers import Qwen2Tokenizer

COUNT = 3
WORDS = tiny.tiny_words()
VOCABULARY = Vocabulary.of(WORDS, COUNT)

# 256 bytes, then 3 of turns, 205 extra, 6 of boxes and references, <img>, </img>, <imgpad>
BEGIN, END, IMG = 257, 258, 256 + 3 + 205 + 6
SLOT = [IMG, IMG + 2, IMG + 2, IMG + 2, IMG + 1]
NEW_LINE = ord("\n")


def said(text: str) -> list[int]:
    """Return a text's ids: its bytes."""
    return list(text.encode())


def turn(role: str, *content: int) -> list[int]:
    return [BEGIN, *said(role), NEW_LINE, *content, END, NEW_LINE]


ASK = [BEGIN, *said("assistant"), NEW_LINE]


def ids_of(
    row: Any, replies: Sequence[str] = (), system: str = "Be brief.", words: Any = WORDS
) -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    vocabulary = Vocabulary.of(words, COUNT)
    prompt = format_prompt(
        system,
        turns,
        replies,
        vocabulary,
        lambda text: words.encode(text, add_special_tokens=False),
    )
    places = [n for n, token in enumerate(prompt.ids) if token == vocabulary.picture]
    assert places == [slot + n for slot in prompt.slots for n in range(COUNT)]
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        given = {"output": "description", "images": str(picture_folder), **options}
        return examples(config, "test", Options(**given))[0]

    return first


def test_the_vocabularys_ids() -> None:
    assert Vocabulary(257, 258, 256, 470, 471, 472, 10, 3) == VOCABULARY
    assert VOCABULARY.ends == (258, 257, 256)
    # The published vocabulary has 151,643 ranked tokens; <img> is 151857.
    places = {name: 151643 + SPECIAL.index(name) for name in ("<|im_start|>", "<img>", "<imgpad>")}
    assert places == {"<|im_start|>": 151644, "<img>": 151857, "<imgpad>": 151859}


def test_a_prompt_for_a_description(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    asked = row(instructions_for="qwen_vl")
    before = (
        "You are a professional assistant and always answer my question directly and perfectly "
        "without any excuses. blue: Picture 1: "
    )
    after = (
        "\norange: \nBased on the sequence, describe what the next image should be clearly, "
        "including attributes such as the main object, color, texture, background, action, style, "
        "if applicable. Your response should only contain a description of the image, and all "
        "other information can cause huge loss."
    )
    assert ids_of(asked) == [
        *turn("system", *said("Be brief.")),
        *turn("user", *said(before), *SLOT, *said("\nbrown: Picture 2: "), *SLOT, *said(after)),
        *ASK,
    ]
    assert [ids_of(asked)[n] for n in (0, 1, 7)] == [257, ord("s"), NEW_LINE]


def test_a_question_of_touchstone_follows_its_pictures() -> None:
    picture = {"type": "image", "text": None, "image": "a.png"}
    question = {"type": "text", "text": "Which is larger?", "image": None}
    asked = {
        "messages": [{"role": "user", "content": [picture, picture, question]}],
        "followup": None,
    }
    assert ids_of(asked, system=DEFAULT_SYSTEM) == [
        *turn("system", *said("You are a helpful assistant.")),
        *turn(
            "user", *said("Picture 1: "), *SLOT, *said("\nPicture 2: "), *SLOT,
            *said("\nWhich is larger?"),
        ),
        *ASK,
    ]  # fmt: skip


def test_a_prompt_without_pictures_is_one_text(row: Callable[..., Any]) -> None:
    asked = row("color_i-0shot", prompt_type="exact", instructions_for="neutral")
    text = "".join(part["text"] for part in asked["messages"][0]["content"])
    assert ids_of(asked) == [*turn("system", *said("Be brief.")), *turn("user", *said(text)), *ASK]


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot")
    before = (
        "We provide a few examples, each of which is an input-output pair where the output is a "
        "description of the image associated with the input. Based on the examples, the task is "
        "to predict the next image description.\n\n\nblue: Picture 1: "
    )
    after = (
        "\norange: \n\n\n Before predicting the next image, let's first think step by step and "
        "analyze the relationship between the text input and image output in each example.\n\n\n"
    )
    first = [
        *turn("system", *said("Be brief.")),
        *turn("user", *said(before), *SLOT, *said("\nbrown: Picture 2: "), *SLOT, *said(after)),
        *ASK,
    ]
    assert ids_of(asked) == first
    second = (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request 'orange: '"
    )
    assert ids_of(asked, ["Cars."]) == [
        *first, *said("Cars."), END, NEW_LINE, *turn("user", *said(second)), *ASK,
    ]  # fmt: skip


def test_a_pictures_number_belongs_to_the_text_before_it(
    row: Callable[..., Any], tmp_path: Path
) -> None:
    """The space that ends a demonstration's text is merged with the label, as in the original."""
    file = tmp_path / "qwen.tiktoken"
    file.write_bytes(ranks(b" P", b" Pi"))
    got = ids_of(row(instructions_for="neutral"), words=words_from_ranks(file))
    picture = got.index(IMG + 2)
    assert got[picture - 15 : picture] == [*said("blue:"), 257, *said("cture 1: ")]


def test_ranks_become_the_same_ids(tmp_path: Path) -> None:
    """Of all pairs the one of the lowest rank is merged first, as tiktoken does."""
    file = tmp_path / "qwen.tiktoken"
    file.write_bytes(ranks(b"ic", b" P", b"Pi", b" Pic", b"ct"))
    words = words_from_ranks(file)
    expected = {
        "ict": [256, ord("t")],  # not i, ct
        " Pict": [259, ord("t")],  # P, ic and the space, P; then both
        "Pi": [258],
        "e\u0301": [0xC3, 0xA9],  # composed
        "12": [ord("1"), ord("2")],
        "<box>(1)</box>": [261 + 3 + 205 + 2, *said("(1)"), 261 + 3 + 205 + 3],
        "<|im_end|>": [263],
    }
    words.save_pretrained(tmp_path / "saved")
    again = Qwen2Tokenizer.from_pretrained(tmp_path / "saved")
    for text, ids in expected.items():
        assert words.encode(text, add_special_tokens=False) == ids, text
        assert again.encode(text, add_special_tokens=False) == ids, text
    assert again.decode([*said("a "), 259, 263], skip_special_tokens=False) == "a  Pic<|im_end|>"
    assert Vocabulary.of(again, 4) == Vocabulary(262, 263, 261, 475, 476, 477, 10, 4)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'!"# 0\n', "qwen.tiktoken must hold a token in base64 and its rank on each line"),
        (b"YQ== one\n", "must hold a token in base64 and its rank on each line"),
        (b"YQ== 0\nYg== 2\n", r"ranks of qwen.tiktoken must be 0, 1, …, got 2 tokens with gaps"),
    ],
)
def test_a_file_that_holds_no_ranks_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "qwen.tiktoken"
    file.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        words_from_ranks(file)


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    plain = Qwen2Tokenizer(vocab={"a": 0}, merges=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"got none of <\|im_start\|>, <\|im_end\|>, <img>"):
        Vocabulary.of(plain, COUNT)
    with pytest.raises(ValueError, match=r"must have a token for a new line, got \[\]"):
        Vocabulary.of(tokenizer_of({"a": 0}, []), COUNT)


@pytest.mark.parametrize(
    "token",
    ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|extra_7|>", "<img>", "</img>", "<imgpad>"],
)
def test_what_steers_the_model_is_found(token: str) -> None:
    found = CONTROL.search(f"red {token}: ")
    assert found
    assert found[0] == token


def test_what_is_only_text_is_not() -> None:
    assert not CONTROL.search("<box>(1,2),(3,4)</box> <ref>it</ref> <im> <|x|> < img> <image>")
    assert not CONTROL.search(COBSAT_SYSTEM)


def test_doctests() -> None:
    for module in (prompts, language_model):
        result = doctest.testmod(module)
        assert result.failed == 0
        assert result.attempted
