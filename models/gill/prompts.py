r"""GILL's prompts as token ids and places of pictures, and its replies taken apart: pure functions.

Source: the published system joins strings and pictures in order as embeddings,

    </s>red: ▢▢▢▢blue: ▢▢▢▢pink:

Each text between pictures is tokenized for itself, with its white space; OPT's beginning `</s>`
stands before the first text alone; a picture (▢▢▢▢) has nothing around it. In a second round the
reply as it came and the next text follow.

A reply is text, and `[IMG0]` … `[IMG7]` where it draws: the first is said, the others always
follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.examples import Part

from ..spliced import Prompt

__all__ = [
    "Prompt",
    "Reply",
    "Vocabulary",
    "add_tokens",
    "drawing_token",
    "first_sentence",
    "format_prompt",
    "read_reply",
]

PICTURE: Final = "<|image|>"
"""GILL's name of a token that it adds and never uses; here it holds the place of a picture."""


def drawing_token(number: int) -> str:
    """Return the name of a drawing token.

    >>> drawing_token(0)
    '[IMG0]'
    """
    return f"[IMG{number}]"


def add_tokens(words: Any, count: int) -> None:
    """Give OPT's tokenizer GILL's tokens, in GILL's order."""
    words.add_tokens([PICTURE, *map(drawing_token, range(count))])


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts and replies.

    Attributes:
        begin: Of a prompt: `</s>`.
        end: Of a reply: `</s>` too.
        picture: Holds the place of a picture's embeddings.
        drawing: `[IMG0]`; the others follow it.
        count: How many drawing tokens there are.
        tokens_per_picture: Embeddings that a picture of a prompt has.
    """

    begin: int
    end: int
    picture: int
    drawing: int
    count: int
    tokens_per_picture: int

    @classmethod
    def of(cls, words: Any, count: int, tokens_per_picture: int) -> Vocabulary:
        """Return the ids of a tokenizer that has GILL's tokens.

        Raises:
            ValueError: They are not its last, or it tokenizes in another way than OPT's.
        """
        known = words.get_vocab()
        names = [PICTURE, *map(drawing_token, range(count))]
        places = [known.get(name) for name in names]
        last = list(range(len(words) - len(names), len(words)))
        if places != last:
            raise ValueError(
                f"the tokenizer's last tokens must be {PICTURE} and {count} from "
                f"{drawing_token(0)} on, got {places} for {last}"
            )
        if words.bos_token_id is None or words.eos_token_id is None:
            raise ValueError(
                "the tokenizer must have a beginning and an end, as OPT's, got "
                f"{words.bos_token!r} and {words.eos_token!r}"
            )
        return cls(
            words.bos_token_id, words.eos_token_id, last[0], last[1], count, tokens_per_picture
        )

    @property
    def drawn(self) -> list[int]:
        """All drawing tokens in order."""
        return list(range(self.drawing, self.drawing + self.count))


def format_prompt(
    turns: Sequence[Sequence[Part]],
    replies: Sequence[Sequence[int]],
    vocabulary: Vocabulary,
    encode: Callable[[str], list[int]],
) -> Prompt:
    """Return the ids of a prompt.

    Args:
        turns: What the user says in each round, as `rounds.user_turns` gives it.
        replies: The model's replies to all rounds but the last, as ids without their end.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids and nothing else.
    """
    ids: list[int] = []
    slots: list[int] = []
    begun = False
    for number, turn in enumerate(turns):
        if number:
            ids += replies[number - 1]
        for piece in _pieces(turn):
            if piece is None:
                slots.append(len(ids))
                ids += [vocabulary.picture] * vocabulary.tokens_per_picture
                continue
            if not begun:
                ids.append(vocabulary.begin)
                begun = True
            ids += encode(piece)
    return Prompt(tuple(ids), tuple(slots))


def _pieces(turn: Sequence[Part]) -> list[str | None]:
    """Return a turn's texts, those side by side joined, and None for each picture.

    >>> said = [{"type": "text", "text": text, "image": None} for text in ("Draw. ", "red: ")]
    >>> _pieces([*said, {"type": "image", "text": None, "image": "a.png"}])
    ['Draw. red: ', None]
    """
    pieces: list[str | None] = []
    for part in turn:
        text = part["text"] or ""
        if part["type"] == "image":
            pieces.append(None)
        elif pieces and pieces[-1] is not None:
            pieces[-1] += text
        elif text:
            pieces.append(text)
    return pieces


@dataclass(frozen=True)
class Reply:
    """A reply taken apart.

    Attributes:
        texts: The ids of each text around its pictures that is not empty.
        pictures: Where each picture's drawing tokens begin.
    """

    texts: tuple[tuple[int, ...], ...] = ()
    pictures: tuple[int, ...] = ()


def read_reply(ids: Sequence[int], vocabulary: Vocabulary) -> Reply:
    """Take a reply apart.

    >>> words = Vocabulary(2, 2, picture=90, drawing=91, count=3, tokens_per_picture=4)
    >>> read_reply([5, 6, 91, 92, 93, 7], words)
    Reply(texts=((5, 6), (7,)), pictures=(2,))
    """
    texts: list[tuple[int, ...]] = []
    pictures: list[int] = []
    text: list[int] = []
    for place, token in enumerate(ids):
        if token < vocabulary.drawing:
            text.append(token)
            continue
        if token == vocabulary.drawing:
            pictures.append(place)
        texts += [tuple(text)] if text else []
        text = []
    texts += [tuple(text)] if text else []
    return Reply(tuple(texts), tuple(pictures))


def first_sentence(text: str) -> str:
    r"""Return a text's first line, or of one line the first sentence, as GILL keeps its captions.

    >>> first_sentence("a red car\na blue car."), first_sentence(" a red car. a blue car")
    ('a red car', 'a red car.')
    """
    line, new_line, _ = text.strip().partition("\n")
    if new_line:
        return line.rstrip()
    sentence, stop, _ = line.partition(".")
    return sentence + stop
