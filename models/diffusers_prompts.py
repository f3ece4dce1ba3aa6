"""How each pipeline of `diffusers` is asked: where its pictures go, and what stands in their place.

Source: the pipelines' own code (diffusers 0.42). None of them but OmniGen's has places for pictures
in its text, so the text names each picture where it stands in the prompt, in the words that the
family was trained on, and the pictures go along as a list in reading order:

| pipeline | what it makes of pictures and text |
|---|---|
| `OmniGenPipeline` | the pictures take the places of their marks in the text |
| `Flux2Pipeline`, `Flux2KleinPipeline`, … | the text encoder sees no picture: the drawing part \
does, each by its number; the text says "image 1" |
| `QwenImageEditPlusPipeline` | it puts "Picture 1: …Picture 2: …" with the pictures before the \
text by itself; the text says "Picture 1" |
| `QwenImageEditPipeline`, `FluxKontextPipeline`, Pix2Pix | one picture, before or beside the text |

All others draw from the text alone (`TEXT_ONLY`). How much of a text a pipeline reads is not in
this table: it is watched (`diffusers_reading.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from cobsat.examples import Message
from PIL import Image

__all__ = ["FAMILIES", "TEXT_ONLY", "Family", "compose", "family_of"]


@dataclass(frozen=True)
class Family:
    """How pipelines of one class are asked.

    Attributes:
        pictures: The argument that takes pictures; empty if none does.
        single: Whether it takes one picture, not a list.
        needed: Whether it cannot draw without a picture.
        mark: What stands in a picture's place, `{number}` counted from 1.
        least_side: Pixels that each side of a picture must have.
        guidance: The argument for the strength of guidance; empty if there is none.
        always: Arguments that it is always given, as its authors call it.
        area: The argument for the number of pixels, for one that scales height and width to it.
        reserved: What a prompt's own text must not hold, since it would be taken for a mark.
    """

    pictures: str = ""
    single: bool = False
    needed: bool = False
    mark: str = ""
    least_side: int = 1
    guidance: str = "guidance_scale"
    always: Mapping[str, Any] = field(default_factory=dict)
    area: str = ""
    reserved: tuple[str, ...] = ()


TEXT_ONLY: Final = Family()

_FLUX_2: Final = Family(pictures="image", mark="image {number}, ", least_side=64)
_PIX2PIX: Final = Family(pictures="image", single=True, needed=True, mark="the image, ")
# Without a negative prompt, Qwen-Image draws without guidance, and only warns of it.
_QWEN: Final = {"negative_prompt": " "}

FAMILIES: Final[Mapping[str, Family]] = {
    "OmniGenPipeline": Family(
        pictures="input_images",
        mark="<img><|image_{number}|></img> ",
        reserved=("<img>", "<|image_", "</img>"),
    ),
    "Flux2Pipeline": _FLUX_2,
    "Flux2KleinPipeline": _FLUX_2,
    "Flux2KleinKVPipeline": replace(_FLUX_2, guidance=""),
    "QwenImageEditPlusPipeline": Family(
        pictures="image",
        needed=True,
        mark="Picture {number}, ",
        guidance="true_cfg_scale",
        always=_QWEN,
    ),
    "QwenImageEditPipeline": Family(
        pictures="image",
        single=True,
        needed=True,
        mark="the image, ",
        guidance="true_cfg_scale",
        always=_QWEN,
    ),
    "FluxKontextPipeline": Family(
        pictures="image", single=True, mark="the image, ", area="max_area"
    ),
    "StableDiffusionInstructPix2PixPipeline": _PIX2PIX,
    "StableDiffusionXLInstructPix2PixPipeline": _PIX2PIX,
    # Its tokenizer reads 1,024 tokens, of which the pipeline would silently drop all after 512.
    "QwenImagePipeline": Family(
        guidance="true_cfg_scale", always={**_QWEN, "max_sequence_length": 1024}
    ),
}
"""Pipeline class → how it is asked, where that is not the text alone."""

_CUTS_UNSEEN: Final = ("LongCatImagePipeline",)
"""Pipelines that drop the end of a long text where nothing can watch it."""

_NO_PICTURE: Final = ("audio", "frame", "video")
"""Parts of arguments' names that only pipelines have which draw no single picture."""


def family_of(pipeline: type) -> Family:
    """Return how pipelines of a class are asked.

    Raises:
        ValueError: It needs something else than a text and the pictures of a prompt.
    """
    name = pipeline.__name__
    if name in FAMILIES:
        return FAMILIES[name]
    call: Any = pipeline.__call__
    parameters = list(inspect.signature(call).parameters.values())[1:]
    names = [each.name for each in parameters]
    needed = {p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD}
    others = [n for n in names if _is_picture(n) or any(part in n for part in _NO_PICTURE)]
    if "prompt" in names and needed <= {"prompt"} and not others and name not in _CUTS_UNSEEN:
        return TEXT_ONLY
    raise ValueError(
        "checkpoint must be of a pipeline that draws from a text alone, or of one of "
        f"{', '.join(sorted(FAMILIES))}, got one of {name}"
    )


def _is_picture(argument: str) -> bool:
    """Whether an argument takes pictures; those of an IP-Adapter are no part of a checkpoint."""
    other = ("num_images", "ip_adapter", "negative_ip_adapter", "negative_prompt")
    return "image" in argument and not argument.startswith(other)


def compose(messages: Sequence[Message], family: Family) -> tuple[str, list[Image.Image]]:
    """Return a prompt's text, each picture named in its place, and its pictures in reading order.

    A system message is the text's first line.

    >>> said = {"type": "text", "text": "red: ", "image": None}
    >>> shown = {"type": "image", "text": None, "image": Image.new("RGB", (64, 64))}
    >>> chat = [{"role": "user", "content": [said, shown, {**said, "text": "pink: "}]}]
    >>> compose(chat, FAMILIES["OmniGenPipeline"])[0]
    'red: <img><|image_1|></img> pink: '
    """
    lines: list[str] = []
    pictures: list[Image.Image] = []
    for message in messages:
        line = ""
        for part in message["content"]:
            if isinstance(part["image"], Image.Image):
                pictures.append(part["image"])
                line += family.mark.format(number=len(pictures))
            else:
                line += part["text"] or ""
        lines.append(line)
    return "\n".join(lines), pictures
