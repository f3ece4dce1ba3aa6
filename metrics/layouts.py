"""How a question is laid out for a vision-language model: as it was trained, not as one likes.

The published conversions of LLaVA carry chat templates that leave out what the models were trained
with (LLaVA-1.5's and -NeXT's system text), so theirs are in a table (`cobsat.chat_layouts`); every
other checkpoint is asked through its own chat template. Pure functions.

Source: LLaVA's `conv_templates` (`llava_v1`, `mistral_instruct`, `chatml_direct`, `llava_llama_3`,
`qwen_1_5`) and its `tokenizer_image_token`, which tokenizes the text before a picture and the text
after it each on its own; `expand2square` for the padding of LLaVA-1.5.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from cobsat.chat_layouts import CHAT_LAYOUTS, ChatLayout, llava_layout, pad_to_square

__all__ = ["LAYOUTS", "PICTURE", "Layout", "choose_layout", "pad_to_square"]

PICTURE: Final = "<image>"
"""Where a picture stands in a layout's text."""


@dataclass(frozen=True)
class Layout:
    """What stands before a user's text, and between it and the answer.

    Attributes:
        name: Its name in the record.
        before: The system's text and the opening of the user's turn.
        after: The end of the user's turn and the opening of the answer.
        system: What shows that a checkpoint's own chat template lays out the same.
    """

    name: str
    before: str
    after: str
    system: str

    def pieces(self, text: str, *, picture: bool) -> list[str]:
        r"""Return the prompt's texts: one, or the one before a picture and the one after it.

        >>> LAYOUTS["mistral_instruct"].pieces("What is it?", picture=True)
        ['[INST] ', '\nWhat is it? [/INST]']
        """
        if picture:
            return [self.before, f"\n{text}{self.after}"]
        return [f"{self.before}{text}{self.after}"]


def _around(chat: ChatLayout) -> Layout:
    before, after = chat.text([("user", PICTURE)]).split(PICTURE)
    return Layout(chat.name, before, after, chat.shown)


LAYOUTS: Final[dict[str, Layout]] = {name: _around(chat) for name, chat in CHAT_LAYOUTS.items()}


def choose_layout(
    model_type: str,
    language_model: str,
    vision_tower: str,
    tokens: Collection[str],
    template: str | None,
) -> Layout | None:
    """Return the layout that a checkpoint was trained with; None: its own chat template's.

    Args:
        model_type: The configuration's ("llava", "llava_next").
        language_model: The same of its language model ("llama", "mistral", "qwen2").
        vision_tower: The same of its vision tower ("clip_vision_model").
        tokens: The tokenizer's added tokens; they tell the language models of one type apart.
        template: The checkpoint's own chat template, if it has one: it is used where it has the
            layout's system text already.

    >>> choose_layout("llava", "llama", "clip_vision_model", ["<image>"], None).name
    'llava_v1'
    >>> choose_layout("qwen2_5_vl", "qwen2_5_vl_text", "qwen2_5_vl", ["<|im_start|>"], "{{ x }}")
    """
    chat = llava_layout(model_type, language_model, vision_tower, tokens)
    if chat is None or (template and chat.shown in template):
        return None
    return LAYOUTS[chat.name]
