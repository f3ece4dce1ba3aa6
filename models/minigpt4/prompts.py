r"""MiniGPT-4's prompts as token ids and places of pictures: pure functions.

Source: the published conversation, of which this is a prompt of one question:

    <s>(system's text)###Human: <Img>(32 places)</Img> What is this?###Assistant: (reply)###

Each text between pictures is encoded for itself, which gives it LLaMA's space in front; `<s>`
stands before the first alone. `<Img>`, `</Img>` and `###` are no tokens of their own. A text that
follows a picture has a space before it, as the published chat joins them. A reply to an earlier
round stands where it was given, without white space around.

There a picture always begins what the user says; that texts may come before one, as in CoBSAT's
prompts (`red: <Img>…</Img> blue: <Img>…</Img> pink: `), is this package's reading. The first
release had `###Assistant:` without the space that later ones, and the training, have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.examples import Part

from ..spliced import Prompt

__all__ = ["CONTROL", "STOP", "SYSTEM", "Vocabulary", "format_prompt", "reply_of"]

SYSTEM: Final = (
    "Give the following image: <Img>ImageContent</Img>. You will be able to see the image once I "
    "provide it to you. Please answer my questions."
)
STOP: Final = "###"
"""What ends each turn, and so a reply."""

CONTROL: Final = re.compile(r"<unk>|</?s>")
"""What the tokenizer would take for more than text."""

_HUMAN: Final = "Human: "
_ASSISTANT: Final = "Assistant: "


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts.

    Attributes:
        begin: Of a prompt, `<s>`.
        end: Of a text, `</s>`.
        picture: Holds the place of an embedding of a picture; what it means is not read.
        count: Embeddings of a picture.
    """

    begin: int
    end: int
    picture: int
    count: int

    @classmethod
    def of(cls, words: Any, count: int) -> Vocabulary:
        """Return the ids of LLaMA's tokenizer.

        They go by the tokens' names: early conversions of LLaMA name no token as begin or end.

        Raises:
            ValueError: It is another's.
        """
        known = words.get_vocab()
        if missing := [name for name in ("<s>", "</s>", "<unk>") if name not in known]:
            raise ValueError(f"the tokenizer must be LLaMA's, got none of {', '.join(missing)}")
        first = words.convert_ids_to_tokens(words.encode("a", add_special_tokens=False))[0]
        if not first.startswith("\u2581"):
            raise ValueError(
                "the tokenizer must put a space before each text, as LLaMA's does, got "
                f"{first!r} for 'a'"
            )
        return cls(known["<s>"], known["</s>"], known["<unk>"], count)


def format_prompt(
    system: str,
    turns: Sequence[Sequence[Part]],
    replies: Sequence[str],
    vocabulary: Vocabulary,
    encode: Callable[[str], list[int]],
) -> Prompt:
    """Return the ids of a prompt.

    Args:
        system: The system's text.
        turns: What the user says in each round.
        replies: The model's replies to all rounds but the last.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids, with a space before it and nothing else.
    """
    texts = [f"{system}{STOP}"]
    for number, turn in enumerate(turns):
        first, *others = _pieces(turn)
        texts[-1] += f"{_HUMAN}{first}"
        texts += others
        texts[-1] += f"{STOP}{_ASSISTANT}"
        if number < len(replies):
            texts[-1] += f"{replies[number]}{STOP}"
    ids = [vocabulary.begin, *encode(texts[0])]
    slots = []
    for text in texts[1:]:
        slots.append(len(ids))
        ids += [vocabulary.picture] * vocabulary.count
        ids += encode(text)
    return Prompt(tuple(ids), tuple(slots))


def _pieces(turn: Sequence[Part]) -> list[str]:
    """Return the texts around a turn's pictures, one more than there are pictures.

    >>> said = {"type": "text", "text": "red: ", "image": None}
    >>> _pieces([said, {"type": "image", "text": None, "image": "a.png"}, said])
    ['red: <Img>', '</Img> red: ']
    """
    pieces = [""]
    for part in turn:
        if part["type"] == "image":
            pieces[-1] += "<Img>"
            pieces.append("</Img>")
        elif part["text"]:
            space = " " if pieces[-1] == "</Img>" else ""
            pieces[-1] += f"{space}{part['text']}"
    return pieces


def reply_of(text: str) -> str:
    """Return a reply, read as the published chat reads it.

    >>> reply_of("Assistant: A red car. ")
    'A red car.'
    """
    return text.split(_ASSISTANT.strip())[-1].strip()
