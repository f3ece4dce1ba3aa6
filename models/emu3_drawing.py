"""Drawing with Emu3 (`Emu3ForConditionalGeneration`): text and pictures in, a picture out.

Source: transformers' Emu3, and the published way to draw with it: after the prompt stands the
picture's size in tokens, then come its rows of visual tokens, each with an end; classifier-free
guidance 3, top-k 2048. Its processor refuses pictures where one is to be drawn, so the size is
written here.

Published pictures have 720 x 720 pixels, and those of a prompt at least 512 x 512. Two of these and
a drawn one take 16,500 tokens; the context has 9,216. By default a drawn picture therefore has
512 x 512, the size of Emu3's pre-training, and one of a prompt 256 x 256: four demonstrations fit.
"""

from __future__ import annotations

import math
import re
from typing import Any, ClassVar, Final

import torch
from torch import Tensor

from .token_drawing import Canvas, Picker, Start, draw_tokens, prompt_embeddings, stacked

__all__ = ["Emu3Drawing"]

IMAGE_AREA: Final = 512 * 512
PICTURE_AREA: Final = 256 * 256


class Emu3Drawing:
    """Emu3's way to draw; see `token_drawing.Family`."""

    guidance: ClassVar[float] = 3.0
    top_k: ClassVar[int] = 2048
    layout: ClassVar[str] = "plain"  # trained on a text and its picture, without turns
    asked: ClassVar[dict[str, Any]] = {}
    smaller: ClassVar[str] = (
        ": smaller pictures fit, such as --model-option image_area=65536 --model-option "
        "picture_area=36864"
    )

    def __init__(self, model: Any, processor: Any, canvas: Canvas) -> None:
        factor = processor.downsample_ratio
        area = _area("image_area", canvas.image_area, IMAGE_AREA, factor)
        self._picture_area = _area("picture_area", canvas.picture_area, PICTURE_AREA, factor)
        self._ratio = _ratio(canvas.ratio)
        self._negative = canvas.negative_prompt or ""
        self._model, self._factor = model, factor
        images = processor.image_processor
        images.min_pixels = images.max_pixels = self._picture_area
        size = processor.calculate_generate_size(self._ratio, area, factor)
        self._height, self._width = (max(1, side) for side in size)
        self.opening = (
            f"{processor.image_start_token}{self._height}*{self._width}"
            f"{processor.fake_token_around_image}"
        )
        words = processor.tokenizer
        self._after = [words.eof_token_id, words.eoi_token_id, words.eos_token_id]
        self.count = self._height * (self._width + 1) + len(self._after)
        self._blank = processor(text=[self._negative + self.opening], return_tensors="pt")
        self._codes = torch.tensor(model.vocabulary_mapping.image_tokens)

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of its pictures."""
        return {
            "size": [self._width * self._factor, self._height * self._factor],
            "picture_area": self._picture_area,
            "negative_prompt": self._negative,
        }

    def draw(self, inputs: dict[str, Any], pick: Picker, guidance: float) -> Tensor:
        """Return the tokens of one picture a prompt, of shape (prompts, count)."""
        model = self._model
        table = model.get_input_embeddings()
        start = Start(prompt_embeddings(model, inputs), inputs["attention_mask"])
        rows = len(start.mask)
        if guidance != 1:
            ids, mask = (self._blank[n].to(model.device) for n in ("input_ids", "attention_mask"))
            blank = Start(table(ids).expand(rows, -1, -1), mask.expand(rows, -1))
            start = stacked(start, blank)
        end_of_row = model.vocabulary_mapping.eol_token_id
        tokens = draw_tokens(
            model.base_model.text_model,
            start,
            self.count - len(self._after),
            score=lambda hidden: model.lm_head(hidden)[..., self._codes],
            embed=table,
            pick=lambda scores: self._token(pick(scores)),
            guidance=guidance,
            given=lambda step: end_of_row if (step + 1) % (self._width + 1) == 0 else None,
        )
        return torch.cat([tokens, tokens.new_tensor([self._after]).expand(rows, -1)], dim=1)

    def _token(self, places: Tensor) -> Tensor:
        """Return visual tokens by their places among the scores."""
        return self._codes.to(places.device)[places]

    def pixels(self, tokens: Tensor) -> Tensor:
        """Return one picture of shape (height, width, 3), from (count,) tokens."""
        decoded: Tensor = self._model.decode_image_tokens(
            image_tokens=tokens[None], height=self._height, width=self._width
        )
        return decoded[0].permute(1, 2, 0)


def _area(name: str, given: Any, default: int, factor: int) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or given < factor * factor:
        raise ValueError(
            f"{name} must be an integer of {factor * factor} pixels or more, got {given!r}"
        )
    return given


def _ratio(given: Any) -> str:
    ratio = "1:1" if given is None else str(given)
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", ratio) or math.prod(map(int, ratio.split(":"))) > 1e6:
        raise ValueError(f"ratio must be width:height, such as 4:3, got {given!r}")
    return ratio
