"""Drawing with Janus (`JanusForConditionalGeneration`): text and pictures in, a picture out.

Source: transformers' Janus, whose own `generate` takes no pictures where one is to be drawn; on a
prompt without pictures this gives the same tokens. Published: 576 tokens of 384 x 384 pixels,
classifier-free guidance 5, drawn from all codes at temperature 1. The row without the prompt has
padding in place of all but its start and the mark where the picture begins, as in training; what
stood there, texts and pictures, is not seen.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from torch import Tensor

from .token_drawing import Canvas, Picker, Start, draw_tokens, prompt_embeddings, stacked

__all__ = ["JanusDrawing"]


class JanusDrawing:
    """Janus' way to draw; see `token_drawing.Family`."""

    guidance: ClassVar[float] = 5.0
    top_k: ClassVar[int] = 0
    layout: ClassVar[str] = "auto"
    asked: ClassVar[dict[str, Any]] = {"generation_mode": "image"}
    smaller: ClassVar[str] = ""
    opening = ""  # the processor adds the mark where a picture begins

    def __init__(self, model: Any, processor: Any, canvas: Canvas) -> None:
        side = model.config.vision_config.image_size
        for name, given in asdict(canvas).items():
            if given is not None:
                raise ValueError(
                    f"{name} must be left out for a Janus checkpoint (its pictures have {side} x "
                    f"{side} pixels, and guidance goes without a text), got {given!r}"
                )
        self._model, self._words = model, processor.tokenizer
        self.count: int = model.base_model.vision_model.config.num_image_tokens
        self._side = side

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of its pictures."""
        return {"size": [self._side, self._side]}

    def draw(self, inputs: dict[str, Any], pick: Picker, guidance: float) -> Tensor:
        """Return the tokens of one picture a prompt, of shape (prompts, count)."""
        model = self._model
        start = Start(prompt_embeddings(model, inputs), inputs["attention_mask"])
        if guidance != 1:
            unsaid = inputs["input_ids"] != self._words.bos_token_id
            unsaid[:, -1] = False
            ids = inputs["input_ids"].masked_fill(unsaid, self._words.pad_token_id)
            start = stacked(start, Start(model.get_input_embeddings()(ids), start.mask))
        return draw_tokens(
            model.base_model.language_model,
            start,
            self.count,
            score=model.base_model.generation_head,
            embed=model.prepare_embeddings_for_image_generation,
            pick=pick,
            guidance=guidance,
        )

    def pixels(self, tokens: Tensor) -> Tensor:
        """Return one picture of shape (height, width, 3), from (count,) tokens."""
        decoded: Tensor = self._model.decode_image_tokens(tokens[None])
        return decoded[0]
