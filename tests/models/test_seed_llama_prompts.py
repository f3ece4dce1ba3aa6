r"""SEED-LLaMA's prompts as ids, each written down by hand from the format's rule.

The rule: `<s>`, then `[INST] `, the prompt, ` [/INST]\n`. Each text between pictures is tokenized
for itself, with LLaMA's space (`▁`) in front and without the white space that borders on a picture.
"""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers
from cobsat import Options, examples
from cobsat.models.seed_llama import prompts, tiny
from cobsat.models.seed_llama.prompts import (
    Reply,
    Vocabulary,
    format_prompt,
    read_reply,
    user_turns,
)

CODES = 8
COUNT = 3
WORDS = tiny.tiny_words(CODES)
VOCABULARY = Vocabulary.of(WORDS, CODES, COUNT)

# <unk> <s> </s>, 256 bytes, ▁, the letters from ! on, the codes, <img>, </img>
SPACE, LETTERS, FIRST = 3 + 256, 3 + 256 + 1, 3 + 256 + 1 + 94
SLOT = [FIRST + CODES, FIRST, FIRST, FIRST, FIRST + CODES + 1]


def by_hand(text: str) -> list[int]:
    """Return a text's ids: `▁` for a space, a letter each, a new line as its byte."""
    own = {"▁": SPACE, "\n": 3 + 0x0A}
    return [own.get(letter, LETTERS + ord(letter) - ord("!")) for letter in text]


def encode(text: str) -> list[int]:
    ids: list[int] = WORDS.encode(text, add_special_tokens=False)
    return ids


def ids_of(row: Any, replies: Sequence[Sequence[int]] = (), words: Any = WORDS) -> list[int]:
    turns = user_turns(row["messages"], row["followup"] if replies else None)
    prompt = format_prompt(
        turns, replies, VOCABULARY, lambda text: words.encode(text, add_special_tokens=False)
    )
    assert [prompt.ids[slot - 1] for slot in prompt.slots] == [SLOT[0]] * len(prompt.slots)
    return list(prompt.ids)


@pytest.fixture(scope="module")
def row(picture_folder: Path) -> Callable[..., Any]:
    def first(config: str = "color_i-2shot", **options: Any) -> Any:
        return examples(config, "test", Options(images=str(picture_folder), **options))[0]

    return first


def test_the_vocabularys_ids() -> None:
    assert Vocabulary(1, 2, 362, 363, 354, 8, 3) == VOCABULARY
    assert SLOT == [362, 354, 354, 354, 363]


def test_a_prompt_for_a_picture(row: Callable[..., Any]) -> None:
    # The first released prompt of color_i at 2 shots: blue, brown, orange.
    texts = [part["text"] for part in row()["messages"][0]["content"]]
    assert [text for text in texts if text] == ["blue: ", "brown: ", "orange: "]
    expected = [
        1,
        *by_hand("▁[INST]▁blue:"),
        *SLOT,
        *by_hand("▁brown:"),
        *SLOT,
        *by_hand("▁orange:▁▁[/INST]\n"),
    ]
    assert ids_of(row()) == expected
    assert expected[:4] == [1, 259, 318, 300]  # <s> ▁ [ I


def test_a_prompt_for_a_description(row: Callable[..., Any]) -> None:
    asked = row(output="description", instructions_for="seed_llama")
    assert ids_of(asked) == [
        1,
        *by_hand(
            "▁[INST]▁I▁will▁provide▁you▁a▁few▁examples▁with▁text▁and▁image.▁Complete▁the▁example▁"
            "with▁the▁description▁of▁next▁image.▁Tell▁me▁only▁the▁text▁prompt▁and▁I'll▁use▁your▁"
            "entire▁answer▁as▁a▁direct▁input▁to▁A▁Dalle-3.▁Never▁say▁other▁explanations.▁blue:"
        ),
        *SLOT,
        *by_hand("▁brown:"),
        *SLOT,
        *by_hand("▁orange:▁▁[/INST]\n"),
    ]


def test_a_prompt_without_pictures_keeps_its_white_space(row: Callable[..., Any]) -> None:
    asked = row("color_i-0shot", prompt_type="exact")
    text = asked["messages"][0]["content"][0]["text"]
    assert text.endswith(": ")
    shown = text.replace(" ", "▁")
    assert ids_of(asked) == [1, *by_hand(f"▁[INST]▁{shown}▁[/INST]\n")]


def test_the_rounds_of_a_chain_of_thought(row: Callable[..., Any]) -> None:
    asked = row(prompt_type="cot")
    before = (
        "▁[INST]▁We▁provide▁a▁few▁examples,▁each▁of▁which▁is▁an▁input-output▁pair▁where▁the▁output▁"
        "is▁a▁description▁of▁the▁image▁associated▁with▁the▁input.▁Based▁on▁the▁examples,▁the▁task▁"
        "is▁to▁predict▁the▁next▁image▁description.\n\n\nblue:"
    )
    after = (
        "▁orange:▁\n\n\n▁Before▁predicting▁the▁next▁image,▁let's▁first▁think▁step▁by▁step▁and▁"
        "analyze▁the▁relationship▁between▁the▁text▁input▁and▁image▁output▁in▁each▁example.\n\n\n▁"
        "[/INST]\n"
    )
    first = [1, *by_hand(before), *SLOT, *by_hand("▁brown:"), *SLOT, *by_hand(after)]
    assert ids_of(asked) == first
    reply = [*by_hand("▁cars"), FIRST + CODES, FIRST + 1, FIRST + 7, FIRST, FIRST + CODES + 1]
    second = (
        "▁[INST]▁\n\n\n▁Based▁on▁the▁analysis,▁please▁generate▁the▁next▁image▁for▁the▁request▁"
        "'orange:▁'▁[/INST]\n"
    )
    assert ids_of(asked, [reply]) == [*first, *reply, 2, 1, *by_hand(second)]


def test_a_systems_text_comes_first(row: Callable[..., Any]) -> None:
    said = {"type": "text", "text": "Be brief.", "image": None}
    asked = {**row(), "messages": [{"role": "system", "content": [said]}, *row()["messages"]]}
    start = [1, *by_hand("▁[INST]▁Be▁brief.▁blue:"), *SLOT]
    assert ids_of(asked)[: len(start)] == start
    with pytest.raises(ValueError, match="one of a user, after a system's or not, got"):
        user_turns([*asked["messages"], *row()["messages"]], None)


def test_pictures_side_by_side_have_no_text_between(row: Callable[..., Any]) -> None:
    picture = {"type": "image", "text": None, "image": "a.png"}
    space = {"type": "text", "text": " \n", "image": None}
    asked = {
        "messages": [{"role": "user", "content": [picture, space, picture]}],
        "followup": None,
    }
    assert ids_of(asked) == [
        1, *by_hand("▁[INST]"), *SLOT, *SLOT, *by_hand("▁[/INST]\n")
    ]  # fmt: skip


def test_one_text_as_a_whole_gives_other_ids(row: Callable[..., Any]) -> None:
    """What the rule is for: around added tokens, today's tokenizers do otherwise."""
    picture = "<img><img_00000><img_00000><img_00000></img>"
    text = f"<s>[INST] blue: {picture}brown: {picture}orange:  [/INST]\n"
    assert WORDS.encode(text, add_special_tokens=False) != ids_of(row())


def test_pieces_with_merges_begin_a_word(row: Callable[..., Any]) -> None:
    letters = [*WORDS.get_vocab()]
    vocabulary = {w: n for n, w in enumerate(sorted(letters, key=WORDS.get_vocab().get)[:FIRST])}
    merged = {**vocabulary, "▁b": FIRST, "▁br": FIRST + 1, "▁bro": FIRST + 2}
    words = transformers.LlamaTokenizer(
        vocab=merged, merges=[("▁", "b"), ("▁b", "r"), ("▁br", "o")]
    )
    got = ids_of(row(), words=words)
    place = got.index(SLOT[-1]) + 1
    assert got[place : place + 5] == [FIRST + 2, *by_hand("wn:"), SLOT[0]]


def test_places_are_filled_with_codes(row: Callable[..., Any]) -> None:
    prompt = format_prompt(user_turns(row()["messages"], None), [], VOCABULARY, encode)
    filled = prompt.filled([(7, 0, 1), (2, 2, 6)], VOCABULARY)
    at, then = prompt.slots
    assert filled[at : at + 3] == [361, 354, 355]
    assert filled[then : then + 3] == [356, 356, 360]
    rest = [n for n in range(len(filled)) if n not in (*range(at, at + 3), *range(then, then + 3))]
    assert [filled[n] for n in rest] == [prompt.ids[n] for n in rest]
    with pytest.raises(ValueError, match="zip"):
        prompt.filled([(1, 2, 3)], VOCABULARY)


B, E, C = FIRST + CODES, FIRST + CODES + 1, FIRST


@pytest.mark.parametrize(
    ("ids", "texts", "pictures", "broken"),
    [
        ([], [], [], 0),
        ([5, 6], [(5, 6)], [], 0),
        ([5, B, C + 1, C, C + 7, E, 6], [(5,), (6,)], [(1, 0, 7)], 0),
        ([B, C, C, C, E, B, C + 1, C + 1, C + 1, E], [], [(0, 0, 0), (1, 1, 1)], 0),
        ([B, C, C, C], [], [], 1),  # cut off
        ([B, C, C, E, 6], [(6,)], [], 1),  # one too few
        ([B, C, C, C, C, E], [], [], 1),  # one too many
        ([B, C, C, B, C, C, C, E], [], [(0, 0, 0)], 1),
        ([C, C, C, E, 6], [(6,)], [], 1),  # without a beginning
        ([5, E, 6], [(5,), (6,)], [], 1),
        ([B, 5, C, C, C, E], [(5,)], [], 2),
        ([B], [], [], 1),
    ],
)
def test_a_reply_is_taken_apart(
    ids: list[int], texts: list[Any], pictures: list[Any], broken: int
) -> None:
    assert read_reply(ids, VOCABULARY) == Reply(tuple(texts), tuple(pictures), broken)


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must have .* 9 codes .* got none of <img_00008>"):
        Vocabulary.of(WORDS, CODES + 1, COUNT)
    plain = transformers.LlamaTokenizer(vocab={"<unk>": 0, "<s>": 1, "</s>": 2}, merges=[])
    with pytest.raises(ValueError, match="got none of <img>, </img>, <img_00000>, <img_00007>"):
        Vocabulary.of(plain, CODES, COUNT)
    shuffled = tiny.tiny_words(1)
    shuffled.add_tokens([f"<img_{code:05d}>" for code in (2, 1)])
    with pytest.raises(ValueError, match="got none of that order"):
        Vocabulary.of(shuffled, 3, COUNT)
    bare = tiny.tiny_words(CODES)
    bare.backend_tokenizer.pre_tokenizer.prepend_scheme = "never"
    with pytest.raises(ValueError, match="a space before each text, as LLaMA's does, got 'a'"):
        Vocabulary.of(bare, CODES, COUNT)


def test_doctests() -> None:
    assert doctest.testmod(prompts).failed == 0
    assert doctest.testmod(prompts).attempted >= 3
