"""From a question to the token ids that a vision-language model reads.

What a description says is text and nothing else: where it holds the text of a special token
("<image>", "</s>"), that is spelt out, so that it never opens a turn or takes a picture's place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import torch
from PIL import Image

from .layouts import Layout, pad_to_square
from .option_scores import OptionTree, build_tree
from .questions import Question

__all__ = ["Prompt", "Prompter"]

_MARK: Final = "What is it? 7f3a"
"""Stands for the user's text while a chat template is rendered."""

_LONGEST_TOKEN: Final = 64
"""So many characters for each token of room are tried of a description, and no more."""


@dataclass(frozen=True)
class Prompt:
    """Both questions about one output, ready to be asked.

    Attributes:
        ids: The tokens of the question for the object, and of the one for the attribute.
        types: What the processor says of each token ("mm_token_type_ids"), if it does.
        pixels: What the processor made of the picture; empty for a description.
        truncated: Whether a description had to be cut.
    """

    ids: tuple[list[int], list[int]]
    types: tuple[list[int], list[int]] | None = None
    pixels: dict[str, torch.Tensor] = field(default_factory=dict)
    truncated: bool = False


class Prompter:
    """Makes prompts for one checkpoint's processor.

    Args:
        processor: The checkpoint's.
        layout: What it was trained with; None: its own chat template.
        image_token_id: Marks the place of a picture.
        room: How many tokens a prompt may have.
        pad: Whether pictures are padded to a square first.

    Raises:
        ValueError: There is neither a layout nor a chat template.
    """

    def __init__(
        self, processor: Any, layout: Layout | None, image_token_id: int, room: int, *, pad: bool
    ) -> None:
        self._processor = processor
        self._tokenizer = processor.tokenizer
        self._layout = layout
        self._image = image_token_id
        self._room = room
        self._mean = getattr(processor.image_processor, "image_mean", None) if pad else None
        self._added = frozenset(self._tokenizer.added_tokens_decoder)
        self._start = self._what_starts_a_text()
        if layout is None:
            self._with_picture = self._render(picture=True)
            self._with_text = self._render(picture=False)
        self._known: dict[str, list[int]] = {}
        self._template_special: list[int] | None = None

    @cached_property
    def tree(self) -> OptionTree:
        """The ten option numbers, as the tokenizer would go on after a prompt, bare or spaced.

        Raises:
            ValueError: The tokenizer joins a number with what stands before it.
        """
        base = self._text_ids("(e.g., 1).")
        options = []
        for number in range(1, 11):
            longer = [self._text_ids("(e.g., 1).", answer=f"{s}{number}") for s in ("", " ")]
            options.append([ids[len(base) :] for ids in longer if ids[: len(base)] == base])
        return build_tree(options)

    def about_picture(self, picture: Image.Image, questions: Sequence[Question]) -> Prompt:
        """Return both questions about a picture; it is preprocessed once."""
        if self._mean is not None:
            picture = pad_to_square(picture, self._mean)
        texts = [question.about_picture for question in questions]
        given = self._processor.image_token if self._layout else self._picture_text(texts[0])
        seen = self._process(picture, given)
        ids, types = _row(seen, "input_ids"), _row(seen, "mm_token_type_ids")
        assert ids is not None
        pixels = {k: v for k, v in seen.items() if k not in _TOKEN_WISE}
        first, last = _span(ids, self._image)
        both, both_types = [], []
        for text in texts:
            short = self._picture_ids(text)
            place = short.index(self._image)
            before, after = short[:place], short[place + 1 :]
            if text == texts[0] and not self._layout and before + ids[first:last] + after != ids:
                return self._each_through_the_processor(picture, texts)
            both.append(before + ids[first:last] + after)
            if types is not None:
                both_types.append([0] * place + types[first:last] + [0] * len(after))
        return Prompt(
            (both[0], both[1]), (both_types[0], both_types[1]) if both_types else None, pixels
        )

    def about_description(self, description: str, questions: Sequence[Question]) -> Prompt | None:
        """Return both questions about a description, cut at its end to what there is room for.

        None if not even the questions fit.
        """
        whole = description.encode("utf-8", "replace").decode("utf-8")
        text = whole[: self._room * _LONGEST_TOKEN]

        def both(length: int) -> list[list[int]]:
            return [self._text_ids(q.with_description(text[:length])) for q in questions]

        def too_long(length: int) -> bool:
            return max(map(len, both(length))) > self._room

        length, ids = len(text), both(len(text))
        if max(map(len, ids)) > self._room:
            if too_long(0):
                return None
            length = bisect_right(range(length), False, key=too_long) - 1
            while too_long(length):  # a shorter text is not always one of fewer tokens
                length -= 1
            ids = both(length)
        return Prompt((ids[0], ids[1]), truncated=length < len(whole))

    def _picture_ids(self, text: str) -> list[int]:
        """Return a prompt's tokens with one in the picture's place."""
        if text not in self._known:
            if self._layout:
                before, after = self._layout.pieces(text, picture=True)
                ids = [*self._start, *self._encode(before), self._image, *self._encode(after)]
            else:
                ids = self._whole(self._picture_text(text))
            self._known[text] = ids
        return self._known[text]

    def _picture_text(self, text: str) -> str:
        before, after = self._with_picture
        return f"{before}{text}{after}"

    def _text_ids(self, text: str, answer: str = "") -> list[int]:
        """Return the tokens of a prompt without a picture; `text` is another's, and only text."""
        if self._layout:
            before, after = self._layout.before, self._layout.after
        else:
            before, after = self._with_text
        after += answer
        ids = self._whole(f"{before}{text}{after}")
        if self._template_special is None:
            self._template_special = self._special(self._whole(f"{before}1{after}"))
        if self._special(ids) == self._template_special:
            return ids
        # what stands in the template is special, what stands in the text is not
        contents = [str(token) for token in self._tokenizer.added_tokens_decoder.values()]
        end = max((before.rfind(c) + len(c) for c in contents if c in before), default=0)
        begin = min((after.find(c) for c in contents if c in after), default=len(after))
        middle = self._encode(before[end:] + text + after[:begin], split_special_tokens=True)
        never = {self._image, *self._tokenizer.all_special_ids}
        return [
            *(self._whole(before[:end]) if end else self._start),
            *(i for i in middle if i not in never),
            *(self._encode(after[begin:]) if after[begin:] else ()),
        ]

    def _whole(self, text: str) -> list[int]:
        bos = self._tokenizer.bos_token
        begun = bool(bos) and text.startswith(bos)
        return [*(() if begun else self._start), *self._encode(text)]

    def _encode(self, text: str, **options: Any) -> list[int]:
        encoded = self._tokenizer(text, add_special_tokens=False, verbose=False, **options)
        return list(encoded["input_ids"])

    def _special(self, ids: Sequence[int]) -> list[int]:
        return [i for i in ids if i in self._added]

    def _what_starts_a_text(self) -> list[int]:
        with_special = list(self._tokenizer("a")["input_ids"])
        bare = self._encode("a")
        for length in range(len(with_special) - len(bare) + 1):
            if with_special[length : length + len(bare)] == bare:
                return with_special[:length]
        return []

    def _render(self, *, picture: bool) -> tuple[str, str]:
        """Return what a chat template puts before and after the user's text."""
        content: list[dict[str, str]] = [{"type": "image"}] if picture else []
        content.append({"type": "text", "text": _MARK})
        if not getattr(self._processor, "chat_template", None):
            raise ValueError(
                "checkpoint must have a chat template, got one without: it cannot be known how "
                "to ask it"
            )
        text = self._processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
        )
        before, _, after = str(text).partition(_MARK)
        return before, after

    def _process(self, picture: Image.Image, text: str) -> dict[str, torch.Tensor]:
        bos = self._tokenizer.bos_token
        begun = bool(bos) and text.startswith(bos)
        return dict(
            self._processor(
                images=[picture], text=[text], return_tensors="pt", add_special_tokens=not begun
            )
        )

    def _each_through_the_processor(self, picture: Image.Image, texts: Sequence[str]) -> Prompt:
        """Return prompts as the processor makes them, whatever it does to a picture's place."""
        seen = [self._process(picture, self._picture_text(text)) for text in texts]
        ids = [_row(one, "input_ids") or [] for one in seen]
        types = [_row(one, "mm_token_type_ids") or [] for one in seen]
        pixels = {k: v for k, v in seen[0].items() if k not in _TOKEN_WISE}
        return Prompt((ids[0], ids[1]), (types[0], types[1]) if types[0] else None, pixels)


_TOKEN_WISE: Final = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids")


def _row(seen: dict[str, torch.Tensor], name: str) -> list[int] | None:
    return [int(i) for i in seen[name][0]] if name in seen else None


def _span(ids: Sequence[int], token: int) -> tuple[int, int]:
    """Return where a token first stands, and the place after its last."""
    if token not in ids:
        raise ValueError(f"the processor must leave a place for the picture, got none ({token})")
    return ids.index(token), len(ids) - list(reversed(ids)).index(token)
