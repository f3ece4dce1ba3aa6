"""How a question is laid out for a vision-language model: as it was trained, not as one likes.

The published conversions of LLaVA carry chat templates that leave out what the models were trained
with (LLaVA-1.5's and -NeXT's system text), so theirs are in a table here; every other checkpoint
is asked through its own chat template. Pure functions.

Source: LLaVA's `conv_templates` (`llava_v1`, `mistral_instruct`, `chatml_direct`, `llava_llama_3`,
`qwen_1_5`) and its `tokenizer_image_token`, which tokenizes the text before a picture and the text
after it each on its own; `expand2square` for the padding of LLaVA-1.5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

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


_VICUNA: Final = (
    "A chat between a curious human and an artificial intelligence assistant. The assistant gives "
    "helpful, detailed, and polite answers to the human's questions."
)
_LLAMA_3: Final = (
    "You are a helpful language and vision assistant. You are able to understand the visual "
    "content that the user provides, and assist the user with a variety of tasks using natural "
    "language."
)

LAYOUTS: Final[dict[str, Layout]] = {
    layout.name: layout
    for layout in (
        Layout("llava_v1", f"{_VICUNA} USER: ", " ASSISTANT:", _VICUNA),
        Layout("mistral_instruct", "[INST] ", " [/INST]", "[INST]"),
        Layout(
            "chatml_direct",
            "<|im_start|>system\nAnswer the questions.<|im_end|><|im_start|>user\n",
            "<|im_end|><|im_start|>assistant\n",
            "Answer the questions.",
        ),
        Layout(
            "llava_llama_3",
            f"<|start_header_id|>system<|end_header_id|>\n\n{_LLAMA_3}<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\n",
            "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
            _LLAMA_3,
        ),
        Layout(
            "qwen_1_5",
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n",
            "<|im_end|>\n<|im_start|>assistant\n",
            "You are a helpful assistant.",
        ),
    )
}


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
    if model_type not in ("llava", "llava_next") or vision_tower != "clip_vision_model":
        return None
    if "<|start_header_id|>" in tokens:
        name = "llava_llama_3"
    elif "<|im_start|>" in tokens:
        name = "qwen_1_5" if language_model == "qwen2" else "chatml_direct"
    elif language_model == "mistral":
        name = "mistral_instruct"
    elif language_model == "llama":
        name = "llava_v1"
    else:
        return None
    if model_type == "llava" and name != "llava_v1":
        return None  # others' models in LLaVA's class, with templates of their own
    layout = LAYOUTS[name]
    return None if template and layout.system in template else layout


def pad_to_square(picture: Image.Image, mean: Sequence[float]) -> Image.Image:
    """Return a picture in the middle of a square of the mean color, as LLaVA-1.5 sees it.

    >>> pad_to_square(Image.new("RGB", (4, 2)), (0.5, 0.5, 0.5)).getpixel((0, 0))
    (127, 127, 127)
    """
    width, height = picture.size
    if width == height:
        return picture
    side = max(width, height)
    color = tuple(int(255 * channel) for channel in mean)
    square = Image.new("RGB", (side, side), color)
    square.paste(picture, ((side - width) // 2, (side - height) // 2))
    return square
