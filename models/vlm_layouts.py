"""How a prompt becomes one text for a vision-language model: words and pictures in reading order.

A checkpoint's own chat template is used where it keeps that order. Many do not: the templates of
the `llava-hf` checkpoints put all pictures first and all text after, which takes the
demonstrations apart. Each template is therefore tried on a probe, and one that reorders is
replaced or circumvented, which the run's record says.

| layout | what it is |
|---|---|
| `template` | the checkpoint's chat template, as it is |
| `inline` | that template, each turn handed to it as one text with the pictures' marks in it |
| `llava_v1`, `mistral_instruct`, … | what LLaVA's checkpoints were trained with (`CHAT_LAYOUTS`) |
| `plain` | the parts one after the other, for a checkpoint without a chat template |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.chat_layouts import CHAT_LAYOUTS, ChatLayout, llava_layout
from cobsat.examples import Message, Part
from cobsat.spec import choose
from jinja2 import TemplateError

__all__ = ["LAYOUTS", "Layout", "choose_layout", "picture_mark", "say"]

LAYOUTS: Final = ("auto", "template", "inline", "plain", *CHAT_LAYOUTS)

Render = Callable[[Sequence[Message]], str]

_PROBE: Final = ("quokka", "wombat", "numbat")
_KEEPS: Final = "the checkpoint's chat template keeps text and pictures in reading order"
_MOVES: Final = "the checkpoint's chat template moves pictures out of their places"
_NONE: Final = "the checkpoint has no chat template"


@dataclass(frozen=True)
class Layout:
    """A way to lay a chat out as text.

    Attributes:
        name: One of `LAYOUTS`, but "auto".
        why: Why it was chosen.
        system_turn: Whether a system message is a turn of its own; else its text opens the user's
            first turn.
        render: Makes the text; each picture is the model's mark for one.
    """

    name: str
    why: str
    system_turn: bool
    render: Render

    def text(self, messages: Sequence[Message]) -> str:
        """Return a chat as text that ends where the model's turn begins."""
        return self.render(messages if self.system_turn else _fold_system(messages))

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of it."""
        system = "a turn of its own" if self.system_turn else "before the user's first text"
        return {"name": self.name, "why": self.why, "system": system}


def choose_layout(processor: Any, config: Any, wanted: str = "auto") -> Layout:
    """Return the layout for a checkpoint.

    Args:
        processor: The checkpoint's processor.
        config: The checkpoint's config.
        wanted: A layout's name, or "auto".

    Raises:
        ValueError: There is no such layout, or it takes pictures out of their places.
    """
    choose("layout", wanted, LAYOUTS)
    mark = picture_mark(processor)
    if wanted == "plain" or wanted in CHAT_LAYOUTS:
        return _own(wanted, mark, "asked for")
    trained = _trained_with(processor, config)
    template = _chat_template(processor)
    if template is None:
        if wanted != "auto":
            raise ValueError(f"layout must be auto, plain or a named one ({_NONE}), got {wanted!r}")
        return _own(trained.name if trained else "plain", mark, _NONE)
    by_template = _by_template(processor)
    if wanted != "inline" and _in_order(_try(by_template, _probe()), mark):
        return Layout("template", _KEEPS, _has_system_turn(by_template), by_template)
    if wanted == "template":
        raise ValueError(f"layout must be auto, inline or plain ({_MOVES}), got 'template'")
    if wanted == "auto" and trained and trained.shown not in str(template):
        return _own(trained.name, mark, _MOVES)
    for as_string in (False, True):
        inline = _inline(processor, mark, as_string)
        if _in_order(_try(inline, _probe()), mark):
            why = "asked for" if wanted == "inline" else _MOVES
            return Layout("inline", why, _has_system_turn(inline), inline)
    raise ValueError(
        "the checkpoint's chat template must take a user's turn of text and pictures, got one that "
        "fails or drops them: choose layout=plain or layout=llava_v1"
    )


def _trained_with(processor: Any, config: Any) -> ChatLayout | None:
    tokens = [str(token) for token in processor.tokenizer.added_tokens_decoder.values()]
    language_model = getattr(config.get_text_config(), "model_type", "")
    vision_tower = getattr(getattr(config, "vision_config", None), "model_type", "")
    return llava_layout(config.model_type, language_model, vision_tower, tokens)


def picture_mark(processor: Any) -> str:
    """Return what stands for one picture in a prompt's text: `<image>`, `<|image_pad|>`, ….

    Empty where the model has one place of its own for a picture, outside the text.
    """
    if hasattr(processor, "qformer_tokenizer"):
        return ""
    return str(getattr(processor, "image_token", "") or "")


def _chat_template(processor: Any) -> Any:
    tokenizer = getattr(processor, "tokenizer", None)
    own = getattr(processor, "chat_template", None)
    return own if own is not None else getattr(tokenizer, "chat_template", None)


def _own(name: str, mark: str, why: str) -> Layout:
    def render(messages: Sequence[Message]) -> str:
        turns = [(message["role"], _joined(message["content"], mark)) for message in messages]
        if name == "plain":
            return "\n".join(text for _, text in turns)
        return CHAT_LAYOUTS[name].text(turns)

    return Layout(name, why, True, render)


def _joined(content: Sequence[Part], mark: str) -> str:
    return "".join(part["text"] or "" if part["type"] == "text" else mark for part in content)


def _by_template(processor: Any) -> Render:
    def render(messages: Sequence[Message]) -> str:
        return _apply(
            processor,
            [
                {
                    "role": message["role"],
                    "content": [
                        {"type": "text", "text": part["text"]}
                        if part["type"] == "text"
                        else {"type": "image"}
                        for part in message["content"]
                    ],
                }
                for message in messages
            ],
        )

    return render


def _inline(processor: Any, mark: str, as_string: bool) -> Render:
    def render(messages: Sequence[Message]) -> str:
        turns = []
        for message in messages:
            said = _joined(message["content"], mark)
            content = said if as_string else [{"type": "text", "text": said}]
            turns.append({"role": message["role"], "content": content})
        return _apply(processor, turns)

    return render


def _apply(processor: Any, turns: list[dict[str, Any]]) -> str:
    holder = processor
    if getattr(processor, "chat_template", None) is None:
        holder = processor.tokenizer
    text: str = holder.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    return text


def say(role: Any, text: str) -> Message:
    """Return a turn of text."""
    return {"role": role, "content": [_text(text)]}


def _text(text: str) -> Part:
    return {"type": "text", "text": text, "image": None}


def _probe() -> list[Message]:
    image: Part = {"type": "image", "text": None, "image": None}
    first, second, third = map(_text, _PROBE)
    return [{"role": "user", "content": [first, image, second, image, third]}]


def _try(render: Render, messages: Sequence[Message]) -> str | None:
    try:
        return render(messages)
    except (TemplateError, TypeError):  # a template that refuses a turn, or wants another type
        return None


def _in_order(shown: str | None, mark: str) -> bool:
    if shown is None or "{'type'" in shown:  # a list of parts that was printed as it is
        return False
    first, second, third = _PROBE
    found = re.findall("|".join(map(re.escape, (*_PROBE, *([mark] if mark else [])))), shown)
    marks = [mark] if mark else []
    return found == [first, *marks, second, *marks, third]


def _has_system_turn(render: Render) -> bool:
    said, asked = _PROBE[:2]
    shown = _try(
        render,
        [
            {"role": "system", "content": [_text(said)]},
            {"role": "user", "content": [_text(asked)]},
        ],
    )
    return shown is not None and -1 < shown.find(said) < shown.find(asked)


def _fold_system(messages: Sequence[Message]) -> list[Message]:
    """Return the chat with system texts at the head of the first turn after them."""
    folded: list[Message] = []
    waiting: list[Part] = []
    for message in messages:
        if message["role"] == "system":
            waiting += [*message["content"], _text("\n")]
        else:
            folded.append({"role": message["role"], "content": [*waiting, *message["content"]]})
            waiting = []
    return folded
