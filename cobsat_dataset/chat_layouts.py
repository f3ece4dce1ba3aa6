"""How LLaVA's checkpoints were trained to read a chat: the words around its turns.

The published conversions carry chat templates that put all pictures before all text, and some
leave out the system text that the model was trained with. Such a checkpoint is asked as it was
trained; every other family is asked through its own chat template. Pure functions.

Source: LLaVA's `conv_templates` (`llava_v1`, `mistral_instruct`, `chatml_direct`, `llava_llama_3`,
`qwen_1_5`), and its `expand2square` for the pictures of LLaVA-1.5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

__all__ = ["CHAT_LAYOUTS", "ChatLayout", "llava_layout", "pad_to_square"]


@dataclass(frozen=True)
class ChatLayout:
    """The words around the turns of a chat.

    Attributes:
        name: LLaVA's name for it.
        system: The system text that the model was trained with.
        shown: What shows that a chat template has the layout's words already.
        system_turn: What stands before and after a system text.
        user_turn: The same for what the user says.
        answer_turn: The same for what the model says.
    """

    name: str
    system: str
    shown: str
    system_turn: tuple[str, str]
    user_turn: tuple[str, str]
    answer_turn: tuple[str, str]

    def text(self, turns: Sequence[tuple[str, str]]) -> str:
        """Return turns of (role, text) as one text, up to where the model's answer begins.

        A system turn replaces the layout's own system text.

        >>> CHAT_LAYOUTS["mistral_instruct"].text([("user", "red: <image>blue: ")])
        '[INST] red: <image>blue:  [/INST]'
        >>> laid = CHAT_LAYOUTS["llava_v1"].text([("system", "Be brief."), ("user", "Hello")])
        >>> laid
        'Be brief. USER: Hello ASSISTANT:'
        """
        said = [text for role, text in turns if role == "system"]
        system = "\n".join(said) or self.system
        laid = system.join(self.system_turn) if system else ""
        for role, text in turns:
            if role == "user":
                laid += text.join(self.user_turn)
            elif role == "assistant":
                laid += text.join(self.answer_turn)
        return laid + self.answer_turn[0].rstrip(" ")


_VICUNA: Final = (
    "A chat between a curious human and an artificial intelligence assistant. The assistant gives "
    "helpful, detailed, and polite answers to the human's questions."
)
_LLAMA_3: Final = (
    "You are a helpful language and vision assistant. You are able to understand the visual "
    "content that the user provides, and assist the user with a variety of tasks using natural "
    "language."
)


def _marked(name: str, system: str, start: str, after_role: str, end: str) -> ChatLayout:
    """Return a layout whose turns all begin with their role's name and end alike."""
    turns = [(start.format(role) + after_role, end) for role in ("system", "user", "assistant")]
    return ChatLayout(name, system, system, turns[0], turns[1], turns[2])


CHAT_LAYOUTS: Final[dict[str, ChatLayout]] = {
    layout.name: layout
    for layout in (
        ChatLayout(
            "llava_v1", _VICUNA, _VICUNA, ("", " "), ("USER: ", " "), ("ASSISTANT: ", "</s>")
        ),
        ChatLayout(
            "mistral_instruct", "", "[INST]", ("", "\n"), ("[INST] ", " [/INST]"), (" ", " </s>")
        ),
        _marked("chatml_direct", "Answer the questions.", "<|im_start|>{}", "\n", "<|im_end|>"),
        _marked(
            "llava_llama_3",
            _LLAMA_3,
            "<|start_header_id|>{}<|end_header_id|>",
            "\n\n",
            "<|eot_id|>",
        ),
        _marked("qwen_1_5", "You are a helpful assistant.", "<|im_start|>{}", "\n", "<|im_end|>\n"),
    )
}


def llava_layout(
    model_type: str, language_model: str, vision_tower: str, tokens: Collection[str]
) -> ChatLayout | None:
    """Return the layout that a checkpoint of LLaVA's was trained with; None for any other.

    Args:
        model_type: The configuration's ("llava", "llava_next").
        language_model: The same of its language model ("llama", "mistral", "qwen2").
        vision_tower: The same of its vision tower ("clip_vision_model").
        tokens: The tokenizer's added tokens; they tell the language models of one type apart.

    >>> llava_layout("llava_next", "mistral", "clip_vision_model", ["<image>"]).name
    'mistral_instruct'
    """
    if model_type not in ("llava", "llava_next") or vision_tower != "clip_vision_model":
        return None
    if "<|start_header_id|>" in tokens:
        name = "llava_llama_3"
    elif "<|im_start|>" in tokens:
        name = "qwen_1_5" if language_model == "qwen2" else "chatml_direct"
    else:
        name = {"mistral": "mistral_instruct", "llama": "llava_v1"}.get(language_model, "")
    if model_type == "llava" and name != "llava_v1":
        return None  # others' models in LLaVA's class, with templates of their own
    return CHAT_LAYOUTS.get(name)


def pad_to_square(picture: Image.Image, mean: Sequence[float]) -> Image.Image:
    """Return a picture in the middle of a square of the mean color, as LLaVA-1.5 sees it.

    >>> pad_to_square(Image.new("RGB", (4, 2)), (0.5, 0.5, 0.5)).getpixel((0, 0))
    (127, 127, 127)
    """
    side = max(picture.size)
    if picture.size == (side, side):
        return picture
    square = Image.new("RGB", (side, side), tuple(int(255 * channel) for channel in mean))
    square.paste(picture, ((side - picture.width) // 2, (side - picture.height) // 2))
    return square
