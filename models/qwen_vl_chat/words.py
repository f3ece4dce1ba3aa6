"""Qwen's vocabulary as a tokenizer of today, and the ids that have a part in prompts.

Source: the published `qwen.tiktoken` (a token's bytes in base64 and its rank, one a line) and the
special tokens that the published tokenizer puts after it. Splitting and normalization are those of
Qwen2's tokenizer, which has kept this vocabulary.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from transformers import AddedToken, Qwen2Tokenizer
from transformers.convert_slow_tokenizer import TikTokenConverter

__all__ = ["SPECIAL", "Vocabulary", "tokenizer_of", "words_from_ranks"]

END_OF_TEXT: Final = "<|endoftext|>"

SPECIAL: Final = (
    END_OF_TEXT, "<|im_start|>", "<|im_end|>", *(f"<|extra_{n}|>" for n in range(205)),
    "<ref>", "</ref>", "<box>", "</box>", "<quad>", "</quad>", "<img>", "</img>", "<imgpad>",
)  # fmt: skip
"""What follows the ranked tokens, in order."""


@dataclass(frozen=True)
class Vocabulary:
    """The ids that have a part in prompts.

    Attributes:
        turn_begin: `<|im_start|>`.
        turn_end: `<|im_end|>`.
        text_end: `<|endoftext|>`, which also pads.
        picture_begin: `<img>`.
        picture_end: `</img>`.
        picture: `<imgpad>`, which stands where an embedding of a picture goes.
        new_line: A new line.
        count: Embeddings of a picture.
    """

    turn_begin: int
    turn_end: int
    text_end: int
    picture_begin: int
    picture_end: int
    picture: int
    new_line: int
    count: int

    @classmethod
    def of(cls, words: Any, count: int) -> Vocabulary:
        r"""Return a tokenizer's ids.

        Raises:
            ValueError: It has not Qwen-VL's special tokens, or more than one for a new line.
        """
        known = words.get_vocab()
        places = {
            "turn_begin": "<|im_start|>", "turn_end": "<|im_end|>", "text_end": END_OF_TEXT,
            "picture_begin": "<img>", "picture_end": "</img>", "picture": "<imgpad>",
        }  # fmt: skip
        if missing := [name for name in places.values() if name not in known]:
            raise ValueError(
                f"the tokenizer must have Qwen-VL's special tokens, got none of "
                f"{', '.join(missing)}"
            )
        new_line = words.encode("\n", add_special_tokens=False)
        if len(new_line) != 1:
            raise ValueError(f"the tokenizer must have a token for a new line, got {new_line}")
        ids: dict[str, int] = {place: known[name] for place, name in places.items()}
        return cls(**ids, new_line=new_line[0], count=count)

    @property
    def ends(self) -> tuple[int, int, int]:
        """What ends a reply."""
        return self.turn_end, self.turn_begin, self.text_end


class _Ranks(TikTokenConverter):
    """Makes pairs to merge of ranks; reads the file itself, without the package tiktoken."""

    @staticmethod
    def load_tiktoken_bpe(file: Any) -> dict[bytes, int]:
        ranks = {}
        for line in Path(file).read_bytes().splitlines():
            token, _, rank = line.partition(b" ")
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        return ranks


def words_from_ranks(file: Path) -> Any:
    """Return the tokenizer of a `qwen.tiktoken`.

    Raises:
        ValueError: It is none.
    """
    converter: Any = _Ranks(str(file))  # type: ignore[no-untyped-call]
    try:
        vocab, merges = converter.extract_vocab_merges_from_model(file)
    except ValueError as error:  # no base64, or no number
        raise ValueError(
            f"{file.name} must hold a token in base64 and its rank on each line, got another file "
            f"({error})"
        ) from error
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise ValueError(
            f"ranks of {file.name} must be 0, 1, …, got {len(vocab):,} tokens with gaps"
        )
    return tokenizer_of(vocab, merges)


def tokenizer_of(vocab: dict[str, int], merges: list[tuple[str, str]]) -> Any:
    """Return the tokenizer of ranked tokens and pairs to merge, the special tokens after them."""
    words = Qwen2Tokenizer(vocab=vocab, merges=merges)  # type: ignore[arg-type]
    words.add_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIAL])
    return words
