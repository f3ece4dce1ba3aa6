"""Drawing a picture token by token with a language model, each row of a batch for itself.

A picture is a sequence of codes of a VQ model. With classifier-free guidance every prompt has a
second row that says nothing of what to draw; the scores are blank + guidance * (asked - blank).
Rows are greedy or drawn with a seed of their own, so that a picture depends neither on the batch
that it is in nor on where a run was resumed.

What `transformers`' own `generate` leaves out, and this is for: Janus draws without the prompt's
pictures, and Emu3 runs the model twice for each token.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import torch
from PIL import Image
from torch import Tensor
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from .vlm_generation import Decoding, Draws

__all__ = [
    "Canvas",
    "Drawing",
    "Family",
    "Picker",
    "Start",
    "draw_tokens",
    "picture",
    "prompt_embeddings",
    "stacked",
]


@dataclass(frozen=True)
class Drawing:
    """How the tokens of a picture are chosen.

    Attributes:
        guidance: Of classifier-free guidance; 1 turns it off.
        do_sample: Whether they are drawn; else the likeliest is taken.
        temperature: Of drawing.
        top_k: Only the likeliest so many are drawn from; 0 for all.
        top_p: Only the likeliest of this probability together are drawn from.
        seed: Of the run; each example's own seed comes from it and the example's id.
    """

    guidance: float
    do_sample: bool = True
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    def check(self) -> Drawing:
        """Return itself.

        Raises:
            ValueError: A number is out of its range, or sampling is set for greedy pictures.
        """
        Decoding(1, self.do_sample, self.temperature, self.top_p, self.seed).check()
        guidance, top_k = self.guidance, self.top_k
        if isinstance(guidance, bool) or not isinstance(guidance, int | float) or guidance < 1:
            raise ValueError(f"guidance must be a number of 1 (none) or more, got {guidance!r}")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 0:
            raise ValueError(f"top_k must be an integer of 0 (all) or more, got {top_k!r}")
        if top_k and not self.do_sample:
            raise ValueError(
                f"top_k must go with do_sample=true (pictures are greedy without it), got {top_k}"
            )
        return self

    @property
    def repeats(self) -> str:
        """Why each picture of a prompt is the same, and the fix; empty where they are drawn."""
        return "" if self.do_sample else "pictures are greedy: leave out do_sample=false"

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of it."""
        if self.do_sample:
            return asdict(self)
        return {"guidance": self.guidance, "do_sample": False}


@dataclass(frozen=True)
class Canvas:
    """What a user asks of pictures; None for the family's own.

    Attributes:
        image_area: Pixels of a drawn picture.
        ratio: Its width to its height, as "4:3".
        picture_area: Pixels of each picture of a prompt.
        negative_prompt: What the row without the prompt says in its place.
    """

    image_area: int | None = None
    ratio: str | None = None
    picture_area: int | None = None
    negative_prompt: str | None = None


@dataclass(frozen=True)
class Start:
    """What a language model reads before it draws.

    Attributes:
        embeddings: Of shape (rows, tokens, width), padded on the left.
        mask: 1 for a token, 0 for padding, of shape (rows, tokens).
    """

    embeddings: Tensor
    mask: Tensor


class Family(Protocol):
    """A family of checkpoints that draws; its class takes model, processor and `Canvas`.

    Attributes:
        guidance: Its published classifier-free guidance.
        top_k: Its published top-k; 0 for none.
        layout: How a prompt for drawing is laid out, as `vlm_layouts.choose_layout` takes it.
        asked: What its processor is asked for a prompt to draw.
        opening: What follows a prompt before the picture, where the processor does not add it.
        count: Tokens of a drawn picture.
        smaller: What makes pictures take fewer tokens, where anything does.
    """

    guidance: ClassVar[float]
    top_k: ClassVar[int]
    layout: ClassVar[str]
    asked: ClassVar[dict[str, Any]]
    smaller: ClassVar[str]
    opening: str
    count: int

    def record(self) -> dict[str, Any]:
        """Return what `run.json` says of its pictures."""
        ...

    def draw(self, inputs: dict[str, Any], pick: Picker, guidance: float) -> Tensor:
        """Return the tokens of one picture a prompt, of shape (prompts, count)."""
        ...

    def pixels(self, tokens: Tensor) -> Tensor:
        """Return one picture of shape (height, width, 3), from (count,) tokens.

        Its values are those that the processor makes of a picture: shifted and scaled.
        """
        ...


class Picker:
    """Picks each row's next token from its scores.

    Attributes:
        sound: Whether each row's scores have all been numbers so far, of shape (rows,).
    """

    def __init__(self, drawing: Drawing, seeds: Sequence[int]) -> None:
        self._draws = Draws(seeds) if drawing.do_sample else None
        self._warpers: list[Any] = []
        if drawing.do_sample and drawing.temperature != 1.0:
            self._warpers.append(TemperatureLogitsWarper(float(drawing.temperature)))
        if drawing.do_sample and drawing.top_k:
            self._warpers.append(TopKLogitsWarper(drawing.top_k))
        if drawing.do_sample and drawing.top_p < 1.0:
            self._warpers.append(TopPLogitsWarper(float(drawing.top_p)))
        self.sound = torch.ones(len(seeds), dtype=torch.bool)

    def __call__(self, scores: Tensor) -> Tensor:
        """Return tokens of shape (rows,), from scores of shape (rows, tokens)."""
        self.sound = self.sound.to(scores.device) & scores.isfinite().all(dim=-1)
        scores = torch.where(self.sound[:, None], scores, 0.0)  # such a row is no picture anyway
        for warper in self._warpers:
            scores = warper(None, scores)
        return scores.argmax(dim=-1) if self._draws is None else self._draws(scores)[:, 0]


def prompt_embeddings(model: Any, inputs: dict[str, Any]) -> Tensor:
    """Return prompts' embeddings with their pictures in place, of shape (batch, tokens, width).

    Raises:
        ValueError: The pictures do not fill their places.
    """
    ids: Tensor = inputs["input_ids"]
    embeddings: Tensor = model.get_input_embeddings()(ids)
    features = _picture_features(model, inputs)
    if features is None:
        return embeddings
    features = features.reshape(-1, embeddings.shape[-1]).to(embeddings)
    places = ids == model.config.image_token_id
    if int(places.sum()) != len(features):
        raise ValueError(
            f"places of pictures must be as many as their tokens, {len(features)}, got "
            f"{int(places.sum())}"
        )
    return embeddings.masked_scatter(places[..., None], features)


def _picture_features(model: Any, inputs: dict[str, Any]) -> Tensor | None:
    """Return the features of a batch's pictures, each encoded alone; None without pictures."""
    known = inputs.get("mm_encoder_outputs", {}).get("image")
    if known is not None:
        return _joined(known.pooler_output)
    pixels = inputs.get("pixel_values")
    if pixels is None:
        return None
    encode, sizes = model.base_model.get_image_features, inputs.get("image_sizes")
    if sizes is None:
        each = [encode(one[None]) for one in pixels]
    else:  # pictures of several sizes are padded to one
        each = [
            encode(one[None, :, : size[0], : size[1]], size[None])
            for one, size in zip(pixels, sizes, strict=True)
        ]
    return torch.cat([_joined(one.pooler_output) for one in each])


def _joined(features: Any) -> Tensor:
    return features if isinstance(features, Tensor) else torch.cat(list(features))


def stacked(asked: Start, blank: Start) -> Start:
    """Return the rows of both, one after the other, padded on the left to one length."""
    width = max(asked.mask.shape[1], blank.mask.shape[1])

    def padded(tensor: Tensor) -> Tensor:
        shape = (tensor.shape[0], width - tensor.shape[1], *tensor.shape[2:])
        return torch.cat([tensor.new_zeros(shape), tensor], dim=1)

    return Start(
        torch.cat([padded(asked.embeddings), padded(blank.embeddings)]),
        torch.cat([padded(asked.mask), padded(blank.mask)]),
    )


def draw_tokens(
    language_model: Any,
    start: Start,
    count: int,
    *,
    score: Callable[[Tensor], Tensor],
    embed: Callable[[Tensor], Tensor],
    pick: Callable[[Tensor], Tensor],
    guidance: float,
    given: Callable[[int], int | None] = lambda step: None,
) -> Tensor:
    """Return picture tokens of shape (prompts, count).

    Args:
        language_model: The decoder, from embeddings to hidden states.
        start: The prompts; with guidance, as many rows again without what they ask for.
        count: How many tokens.
        score: From hidden states (rows, width) to scores (rows, tokens).
        embed: From tokens (rows,) to embeddings (rows, width).
        pick: Picks each row's next token.
        guidance: Of classifier-free guidance; 1 for none.
        given: The token at a step, where it is always the same.
    """
    cache, name = None, _cache_name(language_model)
    mask, rows = start.mask, 1 if guidance == 1 else 2
    waiting: list[Tensor] = [start.embeddings]
    tokens: list[Tensor] = []
    for step in range(count):
        always = given(step)
        if always is None:
            embeddings = torch.cat(waiting, dim=1)
            mask = torch.nn.functional.pad(mask, (0, len(waiting) * bool(tokens)), value=1)
            places = (mask.cumsum(dim=-1) - 1).clamp(min=0)[:, -embeddings.shape[1] :]
            output = language_model(
                inputs_embeds=embeddings, attention_mask=mask, position_ids=places,
                use_cache=True, **{name: cache},
            )  # fmt: skip
            cache, waiting = output[name], []
            scores = score(output.last_hidden_state[:, -1]).float()
            if rows == 2:
                asked, blank = scores.chunk(2)
                scores = blank + guidance * (asked - blank)
            token = pick(scores)
        else:
            token = torch.full_like(tokens[-1], always)
        tokens.append(token)
        waiting.append(embed(token.repeat(rows))[:, None])
    return torch.stack(tokens, dim=1)


def picture(pixels: Tensor, image_processor: Any) -> Image.Image:
    """Return a picture, from what `Family.pixels` gives.

    `JanusProcessor.postprocess` cannot make one with torchvision's back end (transformers 5.24).
    """
    shift, scale = (
        torch.tensor(values) for values in (image_processor.image_mean, image_processor.image_std)
    )
    levels = ((pixels.float().cpu() * scale + shift) * 255).clamp(0, 255)
    return Image.fromarray(levels.to(torch.uint8).numpy())


def _cache_name(language_model: Any) -> str:
    """Return what `forward` calls its cache: `past_key_values` until transformers 5.24."""
    return (
        "cache"
        if "cache" in inspect.signature(language_model.forward).parameters
        else ("past_key_values")
    )
