r"""Qwen-VL-Chat's prompts as token ids with places for pictures: pure functions.

Source: the format (ChatML) that the model is trained on,

    <|im_start|>system\n(system's text)<|im_end|>\n
    <|im_start|>user\nred: Picture 1: <img>(256 places)</img>\nblue: Picture 2: …<|im_end|>\n
    <|im_start|>assistant\n

(each line break here only for the eye, each `\n` a token of its own). Texts are encoded piece by
piece between these tokens, and a picture's number belongs to the text before it. In the original
the places hold the name of the picture's file, which its embeddings replace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from cobsat.examples import Part

from ..spliced import Prompt
from .words import Vocabulary

__all__ = ["COBSAT_SYSTEM", "CONTROL", "DEFAULT_SYSTEM", "Prompt", "format_prompt"]

DEFAULT_SYSTEM: Final = "You are a helpful assistant."
"""What the model is trained with, and the published code says of itself."""

COBSAT_SYSTEM: Final = (
    "You are a professional assistant and always answer my question directly and perfectly without "
    "any excuses. If I ask you to predict, you should always give me the prediction with the "
    "highest probability or even random guess."
)
"""What CoBSAT's authors pass in its place (in their code; the paper's appendix leaves it out)."""

CONTROL: Final = re.compile(r"<\|(?:endoftext|im_start|im_end|extra_\d+)\|>|</?img>|<imgpad>")
"""What would end a turn or begin a picture; boxes and references are the model's own notation."""


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
        replies: The model's replies to all rounds but the last, without white space around.
        vocabulary: The ids of what is no text.
        encode: Returns a text's ids and nothing else.
    """
    ids: list[int] = []
    slots: list[int] = []

    def begin(role: str) -> None:
        ids.extend([vocabulary.turn_begin, *encode(role), vocabulary.new_line])

    def end() -> None:
        ids.extend([vocabulary.turn_end, vocabulary.new_line])

    begin("system")
    ids += encode(system)
    end()
    for number, turn in enumerate(turns):
        begin("user")
        pieces = _pieces(turn)
        for place, text in enumerate(pieces):
            ids += encode(text)
            if place < len(pieces) - 1:
                ids.append(vocabulary.picture_begin)
                slots.append(len(ids))
                ids += [vocabulary.picture] * vocabulary.count
                ids.append(vocabulary.picture_end)
        end()
        begin("assistant")
        if number < len(replies):
            ids += encode(replies[number])
            end()
    return Prompt(tuple(ids), tuple(slots))


def _pieces(turn: Sequence[Part]) -> list[str]:
    r"""Return the texts around a turn's pictures, one more than there are pictures.

    >>> said = {"type": "text", "text": "red: ", "image": None}
    >>> _pieces([said, {"type": "image", "text": None, "image": "a.png"}, said])
    ['red: Picture 1: ', '\nred: ']
    """
    pieces = [""]
    for part in turn:
        if part["type"] == "image":
            pieces[-1] += f"Picture {len(pieces)}: "
            pieces.append("\n")
        else:
            pieces[-1] += part["text"] or ""
    return pieces
