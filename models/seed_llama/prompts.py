r"""SEED-LLaMA's prompts as token ids, and its replies taken apart: pure functions.

Source: the format that the SEED-LLaMA instruction models are trained on,

    <s>[INST] red: <img>(32 codes)</img>blue: <img>(32 codes)</img>pink:  [/INST]\n

as their tokenizer of the time makes ids of it: each text between pictures is tokenized for itself,
with a space of its own in front, and without the white space that borders on a picture. Today's
tokenizers keep that white space and add no space, which gives other ids; so texts are encoded here
piece by piece, and joined with the pictures' codes as ids.

A second round follows as in LLaMA-2's chats: the reply as it came, `</s>`, `<s>`, the next text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.examples import Part

from ..rounds import user_turns

__all__ = [
    "PICTURE_BEGIN",
    "Prompt",
    "Reply",
    "Vocabulary",
    "format_prompt",
    "read_reply",
    "user_turns",
]

_OPEN: Final = "[INST] "
_CLOSE: Final = " [/INST]\n"

PICTURE_BEGIN: Final = "<img>"
PICTURE_END: Final = "</img>"
FIRST_CODE: Final = "<img_00000>"


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts.

    Attributes:
        begin: Of a round, `<s>`.
        end: Of a reply, `</s>`.
        picture_begin: `<img>`.
        picture_end: `</img>`.
        first_code: Of the code 0; the others follow it.
        codes: How many there are.
        count: Codes of a picture.
    """

    begin: int
    end: int
    picture_begin: int
    picture_end: int
    first_code: int
    codes: int
    count: int

    @classmethod
    def of(cls, tokenizer: Any, codes: int, count: int) -> Vocabulary:
        """Return a text tokenizer's ids.

        Raises:
            ValueError: It does not have a token for each code, or tokenizes in another way.
        """
        names = [PICTURE_BEGIN, PICTURE_END, FIRST_CODE, f"<img_{codes - 1:05d}>"]
        known = tokenizer.get_vocab()
        missing = [name for name in names if name not in known]
        if missing or known[names[3]] != known[FIRST_CODE] + codes - 1:
            raise ValueError(
                f"the text tokenizer must have {PICTURE_BEGIN}, {PICTURE_END} and {codes:,} codes "
                f"from {FIRST_CODE} on in order, got none of {', '.join(missing) or 'that order'}"
            )
        first = tokenizer.convert_ids_to_tokens(tokenizer.encode("a", add_special_tokens=False))[0]
        if not first.startswith("\u2581"):
            raise ValueError(
                "the text tokenizer must put a space before each text, as LLaMA's does, got "
                f"{first!r} for 'a'"
            )
        begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
        opens, closes, first_code = (known[name] for name in names[:3])
        return cls(begin, end, opens, closes, first_code, codes, count)


@dataclass(frozen=True)
class Prompt:
    """A prompt's token ids; where a picture goes, there are as many places as it has codes.

    Attributes:
        ids: Token ids; each place for a code holds that of code 0.
        slots: Where the places of each picture begin, in order.
    """

    ids: tuple[int, ...]
    slots: tuple[int, ...]

    def filled(self, pictures: Sequence[Sequence[int]], vocabulary: Vocabulary) -> list[int]:
        """Return the ids with each picture's codes in place."""
        ids = list(self.ids)
        for slot, codes in zip(self.slots, pictures, strict=True):
            ids[slot : slot + vocabulary.count] = [vocabulary.first_code + code for code in codes]
        return ids


def format_prompt(
    turns: Sequence[Sequence[Part]],
    replies: Sequence[Sequence[int]],
    vocabulary: Vocabulary,
    encode: Callable[[str], list[int]],
) -> Prompt:
    """Return the ids of a prompt.

    Args:
        turns: What the user says in each round, as `user_turns` gives it.
        replies: The model's replies to all rounds but the last, as ids without their end.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids, with a space before it and nothing else.
    """
    ids: list[int] = []
    slots: list[int] = []
    for number, turn in enumerate(turns):
        if number:
            ids += [*replies[number - 1], vocabulary.end]
        ids.append(vocabulary.begin)
        pieces = _pieces(turn)
        for place, text in enumerate(pieces):
            # White space that borders on a picture was stripped in training.
            left = text.lstrip() if place > 0 else text
            piece = left.rstrip() if place < len(pieces) - 1 else left
            ids += encode(piece) if piece else []
            if place < len(pieces) - 1:
                ids.append(vocabulary.picture_begin)
                slots.append(len(ids))
                ids += [vocabulary.first_code] * vocabulary.count
                ids.append(vocabulary.picture_end)
    return Prompt(tuple(ids), tuple(slots))


def _pieces(turn: Sequence[Part]) -> list[str]:
    r"""Return the texts around a turn's pictures, one more than there are pictures.

    >>> said = {"type": "text", "text": "red: ", "image": None}
    >>> _pieces([said, {"type": "image", "text": None, "image": "a.png"}])
    ['[INST] red: ', ' [/INST]\n']
    """
    pieces = [_OPEN]
    for part in turn:
        if part["type"] == "image":
            pieces.append("")
        else:
            pieces[-1] += part["text"] or ""
    pieces[-1] += _CLOSE
    return pieces


@dataclass(frozen=True)
class Reply:
    """A reply taken apart.

    Attributes:
        texts: The ids of each text around its pictures that is not empty.
        pictures: The codes of each picture that is whole.
        broken: How many pictures are not: cut off, or of another number of codes.
    """

    texts: tuple[tuple[int, ...], ...]
    pictures: tuple[tuple[int, ...], ...]
    broken: int


def read_reply(ids: Sequence[int], vocabulary: Vocabulary) -> Reply:
    """Take a reply apart.

    >>> words = Vocabulary(1, 2, 20, 21, 10, codes=8, count=2)
    >>> read_reply([5, 20, 11, 12, 21, 6, 20, 13], words)
    Reply(texts=((5,), (6,)), pictures=((1, 2),), broken=1)
    """
    first, last = vocabulary.first_code, vocabulary.first_code + vocabulary.codes
    own = {vocabulary.picture_begin: "b", vocabulary.picture_end: "e"}
    kinds = "".join(own.get(i, "c" if first <= i < last else "t") for i in ids)
    whole = f"(?P<picture>bc{{{vocabulary.count}}}e)"
    found = list(re.finditer(f"{whole}|(?P<text>t+)|(?P<broken>[bce][ce]*)", kinds))
    texts = [tuple(ids[m.start() : m.end()]) for m in found if m["text"]]
    pictures = [
        tuple(i - first for i in ids[m.start() + 1 : m.end() - 1]) for m in found if m["picture"]
    ]
    return Reply(tuple(texts), tuple(pictures), sum(m["broken"] is not None for m in found))
