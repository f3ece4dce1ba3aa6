r"""PandaGPT's prompts as token ids with a place for what they show: pure functions.

Source: the format that the model is trained on, and how its published demo goes on with a chat:

    <s>### Human: <Img>▢</Img> What is it?\n### Assistant: A car.\n### Human: Which?\n### Assistant:

`<Img>` and `</Img>` are plain text. What stands before the place ▢ and what stands after it are
encoded apart, and LLaMA's tokenizer puts a space before each. There is one place, at the start: in
the published code all that is shown becomes one embedding, the sum of each one's. So the pictures
of an interleaved prompt leave their places, and its texts join: `red: blue: pink:`.

The demo refuses prompts that show nothing. Here `<Img>▢</Img> ` is left out of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.examples import Part

from ..spliced import Prompt

__all__ = ["CONTROL", "STOP", "Prompt", "Vocabulary", "format_prompt"]

STOP: Final = "###"
"""What ends a reply."""

CONTROL: Final = re.compile(r"<unk>|</?s>|\[PAD\]")
"""What Vicuna's tokenizer takes for more than text."""


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts.

    Attributes:
        begin: Of a prompt, as the tokenizer has it: `<s>`.
        end: Of a reply, `</s>`; PandaGPT's own replies end in `###`.
        picture: Holds the place of what is shown.
    """

    begin: int
    end: int
    picture: int

    @classmethod
    def of(cls, words: Any) -> Vocabulary:
        """Return a tokenizer's ids.

        Raises:
            ValueError: It tokenizes in another way than LLaMA's.
        """
        special = (words.bos_token_id, words.eos_token_id, words.unk_token_id)
        if None in special:
            raise ValueError(
                "the tokenizer must have a beginning, an end and an unknown token, as LLaMA's, got "
                f"{words.bos_token!r}, {words.eos_token!r} and {words.unk_token!r}"
            )
        first = words.convert_ids_to_tokens(words.encode("a", add_special_tokens=False))[0]
        if not first.startswith("\u2581"):
            raise ValueError(
                "the tokenizer must put a space before each text, as LLaMA's does, got "
                f"{first!r} for 'a'"
            )
        return cls(*special)


def format_prompt(
    turns: Sequence[Sequence[Part]],
    replies: Sequence[str],
    vocabulary: Vocabulary,
    encode: Callable[[str], list[int]],
) -> Prompt:
    """Return the ids of a prompt: with one place, if anything is shown.

    Args:
        turns: What the user says in each round.
        replies: The model's replies to all rounds but the last, without white space around.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids, with a space before it and nothing else.
    """
    said = "\n### Human: ".join(
        _text(turn) + "\n### Assistant:" + "".join(f" {reply}" for reply in replies[n : n + 1])
        for n, turn in enumerate(turns)
    )
    if not any(part["type"] == "image" for turn in turns for part in turn):
        return Prompt((vocabulary.begin, *encode(f"### Human: {said}")), ())
    before = [vocabulary.begin, *encode("### Human: <Img>")]
    ids = [*before, vocabulary.picture, *encode(f"</Img> {said}")]
    return Prompt(tuple(ids), (len(before),))


def _text(turn: Sequence[Part]) -> str:
    """Return a turn's texts, joined.

    >>> said = {"type": "text", "text": "red: ", "image": None}
    >>> _text([said, {"type": "image", "text": None, "image": "a.png"}, said])
    'red: red: '
    """
    return "".join(part["text"] or "" for part in turn)
