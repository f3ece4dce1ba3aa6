r"""Checkpoints of `transformers` that take text and pictures in turn and draw one: Emu3 and Janus.

    cobsat run --model any_to_any --model-option checkpoint=deepseek-community/Janus-Pro-7B \
        --config color_i-2shot

Source: `Emu3ForConditionalGeneration` and `JanusForConditionalGeneration`; how each draws is in
`emu3_drawing.py` and `janus_drawing.py`, what they share in `token_drawing.py`. Texts, which are
the first round of a chain of thought, are given as `transformers_vlm.py` gives them; descriptions
by the same checkpoints are that adapter's (`--model transformers`).

What goes wrong with one example is an error with one of these reasons, never a picture:

| reason begins with | |
|---|---|
| `too_long` | prompt and picture together do not fit into the context; nothing was drawn |
| `picture_count` | the laid-out prompt has not one place for each picture |
| `control_token` | a text of the prompt holds a token that steers the model |
| `picture` | a picture of the prompt cannot be opened |
| `empty` | the first round of a chain of thought gave no text |
| `not_finite` | the scores or the pixels are not all numbers, as in half precision they may be |
| `out_of_memory` | not even this example alone fits into the device's memory |
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import torch
from cobsat import Example
from cobsat.checkpoints import check_checkpoint
from transformers import AutoConfig

from .in_memory import InMemory
from .protocol import Capabilities, Output
from .seeds import example_seed
from .token_drawing import Canvas, Drawing, Family, Picker, picture
from .transformers_vlm import TransformersVLM
from .vlm_inputs import Encoder, Prompt, probe_prompt
from .vlm_layouts import choose_layout, picture_mark, say

__all__ = ["FAMILIES", "AnyToAny"]

FAMILIES: Final = {
    "emu3": "cobsat.models.emu3_drawing:Emu3Drawing",
    "janus": "cobsat.models.janus_drawing:JanusDrawing",
}
"""Model type → the class that knows how its checkpoints draw (`token_drawing.Family`)."""

_TOO_LARGE: Final = Output("error", reason="out_of_memory: the example alone does not fit")


@dataclass(frozen=True)
class _Order:
    """A picture to draw: where it goes, its prompt, its seed, and what came before it."""

    place: int
    prompt: Prompt
    seed: int
    before: Output | None


class AnyToAny:
    """A checkpoint of `transformers` that draws the next picture.

    Args:
        checkpoint: A name on the Hub, or a folder. Weights must be safetensors.
        revision: A branch, tag or commit on the Hub.
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        device_map: "auto" spreads the model over all devices (needs accelerate).
        dtype: "auto" (the checkpoint's), "float32", "bfloat16" or "float16".
        attn_implementation: "sdpa", "eager", "flash_attention_2", …
        trust_remote_code: Whether code in the checkpoint may run.
        guidance: Of classifier-free guidance, 1 for none; by default the published one: Emu3 3,
            Janus 5.
        do_sample: Whether pictures are drawn at random; else they are greedy.
        temperature: Of drawing.
        top_k: Only the likeliest so many tokens are drawn from, 0 for all; by default as
            published: Emu3 2048, Janus 0.
        top_p: Only the likeliest tokens of this probability together are drawn from.
        seed: Of drawing; each example's own seed comes from it and the example's id.
        image_area: Pixels of a drawn picture (Emu3; by default 512 x 512).
        ratio: Its width to its height (Emu3; by default 1:1).
        picture_area: Pixels of each picture of a prompt (Emu3; by default 256 x 256).
        negative_prompt: What guidance leads away from (Emu3; by default an empty prompt).
        max_new_tokens: The most tokens of a first round's text, which is greedy.
        context: Tokens that prompt and picture may have together, if not what the config says.
        reuse_gb: Memory for encoded pictures, in gigabytes; 0 encodes them every time.
    """

    session_options: ClassVar[set[str]] = {"device", "device_map"}

    def __init__(
        self,
        checkpoint: str,
        *,
        revision: str | None = None,
        device: str = "auto",
        device_map: str | None = None,
        dtype: str = "auto",
        attn_implementation: str | None = None,
        trust_remote_code: bool = False,
        guidance: float | None = None,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 0,
        image_area: int | None = None,
        ratio: str | None = None,
        picture_area: int | None = None,
        negative_prompt: str | None = None,
        max_new_tokens: int = 512,
        context: int | None = None,
        reuse_gb: float = 2.0,
    ) -> None:
        self.name = str(checkpoint)
        family = _family(self.name, revision, trust_remote_code)
        self._drawing = Drawing(
            family.guidance if guidance is None else guidance,
            do_sample,
            temperature,
            family.top_k if top_k is None and do_sample else top_k or 0,
            top_p,
            seed,
        ).check()
        self.capabilities = Capabilities(
            frozenset({"image"}),
            hint="--model transformers for descriptions by the same checkpoint",
            repeats=self._drawing.repeats,
        )
        self._writer = TransformersVLM(
            self.name,
            revision=revision,
            device=device,
            device_map=device_map,
            dtype=dtype,
            attn_implementation=attn_implementation,
            trust_remote_code=trust_remote_code,
            max_new_tokens=max_new_tokens,
            context=context,
            reuse_gb=reuse_gb,
        )
        model, self._processor = self._writer.parts
        canvas = Canvas(image_area, ratio, picture_area, negative_prompt)
        self._family: Family = family(model, self._processor, canvas)
        self._layout = choose_layout(self._processor, model.config, self._family.layout)
        if self._family.layout != "auto":
            self._layout = replace(self._layout, why="as the family was trained to draw")
        self._encoder = Encoder(
            model,
            self._processor,
            picture_mark(self._processor),
            probe_prompt(self._layout.text),
            int(reuse_gb * 1e9),
            self._family.asked,
        )
        self._room = InMemory(forget=self._forget)

    @classmethod
    def repeats_with(cls, options: dict[str, Any]) -> str:
        """Return why its pictures are the same each time; empty where they are drawn."""
        return Drawing(1, do_sample=bool(options.get("do_sample", True))).repeats

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how it is asked and draws."""
        record = self._writer.record()
        del record["papers_instructions"], record["many_images"], record["padded_to_squares"]
        text = {"layout": record.pop("layout"), "decoding": record.pop("decoding")}
        return {
            **record,
            "layout": self._layout.record(),
            "pictures_reused": self._encoder.reuse,
            "drawing": {**self._drawing.record(), **self._family.record()},
            "first_round": text,
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw; with a chain of thought, after a round of text."""
        outputs: dict[int, Output] = {}
        orders: list[_Order] = []
        for place, (example, before) in enumerate(
            zip(examples, self._first_rounds(examples), strict=True)
        ):
            order = self._order(place, example, before)
            if isinstance(order, Output):
                outputs[place] = order
            else:
                orders.append(order)
        for pictured in (True, False):
            alike = [order for order in orders if bool(order.prompt.pictures) == pictured]
            drawn = self._room.answer(alike, self._draw, _TOO_LARGE)
            for order, output in zip(alike, drawn, strict=True):
                outputs[order.place] = _after(order.before, output)
        return [outputs[place] for place in range(len(examples))]

    def _forget(self) -> None:
        self._encoder.forget()
        self._writer.forget()

    def _first_rounds(self, examples: Sequence[Example]) -> list[Output | None]:
        """Return what is said before the picture, where there is a chain of thought."""
        asked = [
            (place, Example(**{**example, "followup": None}))
            for place, example in enumerate(examples)
            if example["followup"] is not None
        ]
        said = self._writer.predict([example for _, example in asked])
        given: list[Output | None] = [None] * len(examples)
        for (place, _), output in zip(asked, said, strict=True):
            given[place] = output
        return given

    def _order(self, place: int, example: Example, before: Output | None) -> _Order | Output:
        """Return what is to be drawn, or what is wrong with it."""
        messages = example["messages"]
        if before is not None:
            if before.status != "ok":
                code, _, rest = (before.reason or "").partition(": ")
                return replace(before, reason=f"{code}: first round: {rest}")
            reply = say("assistant", before.text or "")
            messages = [*messages, reply, say("user", example["followup"] or "")]
        prompt = self._writer.prompt(messages, self._layout)
        if isinstance(prompt, str):
            return _after(before, Output("error", reason=prompt))
        opened = Prompt(prompt.text + self._family.opening, prompt.pictures)
        number = 0 if before is None else 1
        return _Order(
            place, opened, example_seed(self._drawing.seed, example["id"], number), before
        )

    @torch.inference_mode()
    def _draw(self, orders: Sequence[_Order]) -> list[Output]:
        encoded = self._encoder.encode([order.prompt for order in orders])
        room = self._writer.context - self._family.count
        fits = [length <= room for length in encoded.lengths]
        if not all(fits):
            fitting = [order for order, fit in zip(orders, fits, strict=True) if fit]
            drawn = iter(self._draw(fitting) if fitting else [])
            return [
                next(drawn) if fit else self._too_long(length)
                for fit, length in zip(fits, encoded.lengths, strict=True)
            ]
        pick = Picker(self._drawing, [order.seed for order in orders])
        tokens = self._family.draw(encoded.inputs, pick, self._drawing.guidance)
        return [
            self._picture(row, sound, order.seed, length)
            for row, sound, order, length in zip(
                tokens, pick.sound.tolist(), orders, encoded.lengths, strict=True
            )
        ]

    def _too_long(self, length: int) -> Output:
        return Output(
            "error",
            reason=f"too_long: the prompt has {length:,} tokens with its pictures and the drawn "
            f"picture {self._family.count:,}, the context {self._writer.context:,}"
            f"{self._family.smaller}",
        )

    def _picture(self, tokens: torch.Tensor, sound: bool, seed: int, length: int) -> Output:
        """Return a picture, or why there is none; it is decoded alone, whatever the batch."""
        usage: dict[str, float] = {"input_tokens": length, "output_tokens": len(tokens)}
        if not sound:
            return Output("error", reason=f"not_finite: the model's scores {_NOT}", usage=usage)
        pixels = self._family.pixels(tokens)
        if not pixels.isfinite().all():
            return Output("error", reason=f"not_finite: the picture's pixels {_NOT}", usage=usage)
        extra = {"seed": seed} if self._drawing.do_sample else None
        made = picture(pixels, self._processor.image_processor)
        return Output(image=made, usage=usage, extra=extra)


_NOT: Final = "are not all numbers: try dtype=bfloat16, or dtype=float32"


def _family(checkpoint: str, revision: str | None, trust_remote_code: bool) -> Any:
    """Return the class that knows how a checkpoint draws.

    Raises:
        OSError: There is no such checkpoint.
        ValueError: It does not draw.
    """
    check_checkpoint(checkpoint, revision)
    config = AutoConfig.from_pretrained(
        checkpoint, revision=revision, trust_remote_code=trust_remote_code
    )
    if config.model_type not in FAMILIES:
        raise ValueError(
            f"checkpoint must be of a model that draws ({', '.join(FAMILIES)}), got "
            f"{checkpoint!r} of type {config.model_type!r}: --model transformers describes"
        )
    module, _, name = FAMILIES[config.model_type].partition(":")
    return getattr(importlib.import_module(module), name)


def _after(before: Output | None, output: Output) -> Output:
    """Return a picture, or why there is none, with what was said before it."""
    if before is None:
        return output
    said = {"text": before.text, "finish_reason": before.finish_reason}
    first, second = before.usage or {}, output.usage or {}
    usage = {name: first.get(name, 0) + second.get(name, 0) for name in first | second}
    return replace(output, usage=usage, extra={**(output.extra or {}), "first_round": said})
