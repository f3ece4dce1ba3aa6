"""Emu's tokenizer: LLaMA's, and after its words Emu's tokens; Emu2's has more of them.

Source: the order in which the published system adds them. `[PAD]` follows LLaMA's 32,000 words; the
instructed Emu has two more than the pretrained one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["CHAT", "CONTROL", "PICTURES", "Vocabulary", "add_tokens"]

PICTURES: Final = ("[PAD]", "[IMG]", "[/IMG]", "<image>")
CHAT: Final = ("[USER]", "[ASSISTANT]")

CONTROL: Final = re.compile(r"<unk>|</?s>|\[PAD\]|\[/?IMG\]|<image>|\[USER\]|\[ASSISTANT\]")
"""What the tokenizer would take for more than text."""


def add_tokens(words: Any, rows: int, names: Sequence[str] = PICTURES) -> None:
    """Give LLaMA's tokenizer as many of Emu's tokens as a language model has rows for.

    Args:
        words: The tokenizer.
        rows: Of the language model's table.
        names: The tokens of one that is not instructed, `[PAD]` first.

    Raises:
        ValueError: They do not end up as the pretrained or the instructed Emu's.
    """
    known = len(words)
    for added in (names, (*names, *CHAT)):
        if known + len(added) == rows:
            words.add_special_tokens({"pad_token": added[0]})
            words.add_tokens(list(added[1:]), special_tokens=True)
    if len(words) != rows:
        raise ValueError(
            f"the tokenizer must be LLaMA's, with {len(names)} words fewer than the language "
            f"model's {rows:,} rows, or {len(names) + len(CHAT)} of an instructed one, got "
            f"{known:,} words"
        )


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts.

    Attributes:
        begin: Of a prompt, `<s>`.
        end: Of a reply, `</s>`.
        pad: Before a shorter prompt of a batch.
        picture_begin: `[IMG]`.
        picture_end: `[/IMG]`.
        picture: Holds the place of an embedding of a picture.
        user: `[USER]`; None where the model is not instructed.
        assistant: `[ASSISTANT]`; None where the model is not instructed.
        count: Embeddings of a picture.
    """

    begin: int
    end: int
    pad: int
    picture_begin: int
    picture_end: int
    picture: int
    user: int | None
    assistant: int | None
    count: int

    @classmethod
    def of(cls, words: Any, count: int) -> Vocabulary:
        """Return the ids of a tokenizer that has Emu's tokens.

        Raises:
            ValueError: It lacks one, or tokenizes in another way than LLaMA's.
        """
        known = words.get_vocab()
        if missing := [name for name in PICTURES if name not in known]:
            raise ValueError(f"the tokenizer must have Emu's tokens, got none of {missing}")
        first = words.convert_ids_to_tokens(words.encode("a", add_special_tokens=False))[0]
        if not first.startswith("\u2581"):
            raise ValueError(
                "the tokenizer must put a space before each text, as LLaMA's does, got "
                f"{first!r} for 'a'"
            )
        pad, begin, end, place = (known[name] for name in PICTURES)
        user, assistant = (known.get(name) for name in CHAT)
        return cls(
            words.bos_token_id, words.eos_token_id, pad, begin, end, place, user, assistant, count
        )
