r"""PandaGPT's prompts as ids, each written down by hand from the published rule.

The rule: the tokenizer's beginning, `### Human: <Img>`, one place, `</Img> …\n### Assistant:`; the
two texts encoded apart, each with LLaMA's space in front.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers
from cobsat import Options, examples
from cobsat.models.pandagpt import prompts, tiny
from cobsat.models.pandagpt.prompts import CONTROL, Vocabulary, format_prompt
from cobsat.models.rounds import user_turns
from cobsat.models.tiny_replies import tiny_llama_words

WORDS = tiny.tiny_words()
VOCABULARY = Vocabulary.of(WORDS)

# <unk> <s> </s>, 256 bytes, LLaMA's space, the signs from ! on, "##".
SPACE, SIGNS = 3 + 256, 3 + 256 + 1
DOUBLE = SIGNS + 94
NEW_LINE = 3 + ord("\n")


def by_hand(text: str) -> list[int]:
    """Return a text's ids: LLaMA's space, then a letter each, of three # the first two in one."""
    own = {" ": SPACE, "\n": NEW_LINE, "$": DOUBLE}
    letters = text.replace("##", "$")
    return [SPACE, *(own.get(letter, SIGNS + ord(letter) - ord("!")) for letter in letters)]


BEFORE = [1, *by_hand("### Human: <Img>"), 0]


def ids_of(row: Any, replies: Sequence[str] = (), words: Any = WORDS) -> list[int]:
    prompt = format_prompt(
        user_turns(row["messages"], row["followup"] if replies else None),
        replies,
        Vocabulary.of(words),
        lambda text: words.encode(text, add_special_tokens=False),
    )
    assert [n for n, token in enumerate(prompt.ids) if token == 0] == list(prompt.slots)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        given = {"output": "description", "images": str(picture_folder), **options}
        return examples(config, "test", Options(**given))[0]

    return first


def test_the_vocabularys_ids() -> None:
    assert Vocabulary(begin=1, end=2, picture=0) == VOCABULARY
    # The beginning; LLaMA's space and 16 letters, of which two are one token; the place.
    assert len(BEFORE) == 1 + 1 + 15 + 1
    assert BEFORE[:4] == [1, SPACE, DOUBLE, SIGNS + 2]


def test_a_prompt_for_a_description(row: Callable[..., Any]) -> None:
    """Pictures leave their places, and its texts join: blue, brown, orange come first."""
    text = "</Img> blue: brown: orange: \nBased on the sequence, describe the next image."
    expected = [*BEFORE, *by_hand(f"{text}\n### Assistant:")]
    assert ids_of(row(instructions_for="neutral")) == expected


def test_a_question_of_touchstone_about_two_pictures() -> None:
    picture = {"type": "image", "text": None, "image": "a.png"}
    question = {"type": "text", "text": "Which is larger?", "image": None}
    asked = {
        "messages": [{"role": "user", "content": [picture, picture, question]}],
        "followup": None,
    }
    expected = [*BEFORE, *by_hand("</Img> Which is larger?\n### Assistant:")]
    assert ids_of(asked) == expected
    system = {"type": "text", "text": "Be brief.", "image": None}
    asked["messages"] = [{"role": "system", "content": [system]}, *asked["messages"]]
    assert ids_of(asked) == [
        *BEFORE, *by_hand("</Img> Be brief. Which is larger?\n### Assistant:"),
    ]  # fmt: skip


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot")
    text = (
        "</Img> We provide a few examples, each of which is an input-output pair where the output "
        "is a description of the image associated with the input. Based on the examples, the task "
        "is to predict the next image description.\n\n\nblue: brown: orange: \n\n\n Before "
        "predicting the next image, let's first think step by step and analyze the relationship "
        "between the text input and image output in each example.\n\n\n\n### Assistant:"
    )
    assert ids_of(asked) == [*BEFORE, *by_hand(text)]
    second = (
        "\n\n\n Based on the analysis, please describe what the next image should look like for "
        "the request 'orange: '"
    )
    assert ids_of(asked, ["Cars."]) == [
        *BEFORE, *by_hand(f"{text} Cars.\n### Human: {second}\n### Assistant:"),
    ]  # fmt: skip


def test_a_prompt_that_shows_nothing_has_no_place(row: Callable[..., Any]) -> None:
    asked = row("color_i-0shot", prompt_type="exact", instructions_for="neutral")
    text = "".join(part["text"] for part in asked["messages"][0]["content"])
    assert ids_of(asked) == [1, *by_hand(f"### Human: {text}\n### Assistant:")]


def test_texts_beside_the_place_are_encoded_apart() -> None:
    """As pieces of LLaMA's vocabulary are: `▁###`, `▁</`, and after a new line `##`, `#`."""
    known = tiny_llama_words().get_vocab()
    pairs = [
        ("#", "#"), ("▁", "##"), ("▁##", "#"), ("<", "/"), ("▁", "</"), ("I", "m"), ("Im", "g"),
    ]  # fmt: skip
    pieces = [a + b for a, b in pairs]
    vocabulary = {**known, **{piece: len(known) + n for n, piece in enumerate(pieces)}}
    words = transformers.LlamaTokenizer(vocab=vocabulary, merges=pairs)
    asked: Any = {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "text": None, "image": "a.png"},
                    {"type": "text", "text": "Hm", "image": None},
                ],
            }
        ],
        "followup": None,
    }
    assert words.convert_ids_to_tokens(ids_of(asked, words=words)) == [
        "<s>", "▁###", "▁", "H", "u", "m", "a", "n", ":", "▁", "<", "Img", ">", "<unk>",
        "▁</", "Img", ">", "▁", "H", "m", "<0x0A>", "##", "#", "▁", *"Assistant", ":",
    ]  # fmt: skip


def test_the_beginning_is_the_tokenizers_own() -> None:
    known = tiny_llama_words().get_vocab()
    words = transformers.LlamaTokenizer(vocab=known, merges=[], bos_token="</s>")
    assert Vocabulary.of(words) == Vocabulary(begin=2, end=2, picture=0)


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    known = {name: n for n, name in enumerate(["<|endoftext|>", "a", "<unk>", "<s>", "</s>"])}
    plain = transformers.GPT2Tokenizer(known, [], bos_token="<s>", eos_token="</s>")
    with pytest.raises(ValueError, match=r"must put a space before each text, .* got 'a' for 'a'"):
        Vocabulary.of(plain)
    words = tiny_llama_words()
    words.bos_token = None
    with pytest.raises(ValueError, match=r"must have a beginning, an end .* got None, '</s>' and"):
        Vocabulary.of(words)


def test_what_the_tokenizer_takes_for_more_than_text_is_found() -> None:
    for token in ("<s>", "</s>", "<unk>", "[PAD]"):
        found = CONTROL.search(f"red {token}: ")
        assert found
        assert found[0] == token
    assert not CONTROL.search("### Human: <Img></Img> <S> [pad]")


def test_doctests() -> None:
    result = doctest.testmod(prompts)
    assert result.failed == 0
    assert result.attempted
