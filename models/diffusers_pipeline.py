r"""Pipelines of `diffusers` that draw: from a text alone, or from a text and several pictures.

    cobsat run --model diffusers --model-option checkpoint=Shitao/OmniGen-v1-diffusers \
        --config color_i-2shot
    cobsat run --model diffusers --model-option checkpoint=black-forest-labs/FLUX.1-dev \
        --config color_i-2shot --prompt-type caption

Source: `DiffusionPipeline`, whichever class the checkpoint's `model_index.json` names. How each is
asked stands in one table (`diffusers_prompts.py`). An example is drawn with a seed of its own, one
at a time unless `at_once` says otherwise: the picture depends on the example alone.

What gives no picture is an output with one of these reasons:

| reason begins with | |
|---|---|
| `too_long` | no text encoder of the pipeline reads the whole text; nothing was drawn |
| `control_token` | a text of the prompt holds a token that steers the model |
| `no_picture` | the pipeline cannot draw without a picture in the prompt |
| `picture_count` | the prompt has more pictures than the pipeline takes |
| `picture` | a picture cannot be opened, or is too small |
| `black` | the picture is black all over: the decoder's numbers ran over |
| `out_of_memory` | not even this example alone fits into the device's memory |
| `safety_checker` | the pipeline's own checker withheld the picture; the status is "blocked" |
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

import torch
from cobsat import Example, ImageCache
from cobsat.checkpoints import weights_digest
from cobsat.spec import choose
from PIL import Image

from .checkpoints import choose_device, device_name
from .diffusers_checkpoint import DTYPES, OFFLOADS, load_pipeline, quiet
from .diffusers_prompts import Family, compose, family_of
from .diffusers_reading import TooLongError, Watch
from .in_memory import InMemory
from .protocol import Capabilities, Output
from .seeds import example_seed
from .vlm_pictures import MANY_IMAGES, one_picture, open_pictures

__all__ = ["DiffusersPipeline"]

_BLACK: Final = (
    "black: the picture is black all over, as where the decoder's numbers run over: --model-option "
    "dtype=bfloat16 or dtype=float32"
)


@dataclass(frozen=True)
class _Prompt:
    """What a pipeline is asked for one example."""

    text: str
    pictures: list[Image.Image]
    seed: int


class DiffusersPipeline:
    """A pipeline of `diffusers` that draws the next picture.

    Most pipelines draw from a text alone: ask those with `--prompt-type caption`, or with `exact`
    at 0 shots. CLIP reads 77 tokens, so that Stable Diffusion 1, 2 and XL take only the latter.
    OmniGen, FLUX.2 and Qwen-Image-Edit-2509 take the prompt with its pictures; Qwen-Image-Edit,
    FLUX.1-Kontext and InstructPix2Pix take one picture (many_images=collage or last). Distilled
    checkpoints (turbo, schnell, klein, lightning) want few steps: steps=4.

    Args:
        checkpoint: A name on the Hub, or a folder. Weights must be safetensors.
        revision: A branch, tag or commit on the Hub.
        variant: Which files of weights, such as "fp16".
        device: "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1", "mps".
        offload: "model" or "sequential" keeps in the CPU's memory what is not at work (needs
            accelerate): slower, for large pipelines.
        dtype: "auto" (bfloat16 on a GPU, float32 elsewhere), "float32", "bfloat16" or "float16".
        trust_remote_code: Whether code in the checkpoint may run.
        steps: Denoising steps; the pipeline's own default if not given.
        guidance: Strength of guidance; the pipeline's own default if not given.
        negative_prompt: What guidance leads away from.
        height: Of the drawn picture, in pixels; the pipeline's own default if not given (for
            FLUX.2 the size of the prompt's first picture).
        width: Of the drawn picture, in pixels.
        max_sequence_length: Tokens of the prompt that the text encoder reads, for pipelines that
            have this argument.
        many_images: For a pipeline that takes one picture: "error", "collage" or "last".
        at_once: Prompts drawn in one call, for pipelines that take text alone. Above 1 is faster
            on a GPU, but a picture is then the same only up to rounding in another run.
        seed: Each example's own seed comes from it and the example's id.
    """

    session_options: ClassVar[set[str]] = {"device", "offload"}

    def __init__(
        self,
        checkpoint: str,
        *,
        revision: str | None = None,
        variant: str | None = None,
        device: str = "auto",
        offload: str = "none",
        dtype: str = "auto",
        trust_remote_code: bool = False,
        steps: int | None = None,
        guidance: float | None = None,
        negative_prompt: str | None = None,
        height: int | None = None,
        width: int | None = None,
        max_sequence_length: int | None = None,
        many_images: str = "error",
        at_once: int = 1,
        seed: int = 0,
    ) -> None:
        self.name = str(checkpoint)
        self._revision, self._variant = revision, variant
        self._many_images = choose("many_images", many_images, MANY_IMAGES)
        self._at_once = _whole("at_once", at_once)
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise ValueError(f"seed must be an integer, got {seed!r}")
        self._seed = seed
        asked = {
            "steps": steps if steps is None else _whole("steps", steps),
            "guidance": _number("guidance", guidance),
            "negative_prompt": negative_prompt,
            "height": height if height is None else _whole("height", height),
            "width": width if width is None else _whole("width", width),
            "max_sequence_length": max_sequence_length,
        }
        self._pipeline, self._commit = load_pipeline(
            self.name,
            revision=revision,
            variant=variant,
            device=device,
            dtype=choose("dtype", dtype, DTYPES),
            offload=choose("offload", offload, OFFLOADS),
            trust_remote_code=trust_remote_code,
        )
        self._device = choose_device(device)
        self._digest = weights_digest(Path(self.name))
        self._family = family_of(type(self._pipeline))
        self._parameters = inspect.signature(self._pipeline.__call__).parameters
        self._arguments = self._call_arguments(asked)
        self._size = (width, height)
        self._watch = Watch(self._pipeline)
        self._control = _control_tokens(self._watch, self._family)
        self.capabilities = Capabilities(
            frozenset({"image"}), _most_pictures(self._family, self._many_images)
        )
        if self._at_once > 1 and self._family.pictures:
            raise ValueError(
                f"at_once must be 1 for {type(self._pipeline).__name__}, whose pictures are for "
                f"all prompts of a call, got {at_once}"
            )
        self._room = InMemory(self._at_once, self._pipeline.maybe_free_model_hooks)
        self._pictures = ImageCache()

    def record(self) -> dict[str, Any]:
        """Return the checkpoint's identity, and how it is asked."""
        pipeline, family = self._pipeline, self._family
        names = ("num_inference_steps", family.guidance, *self._arguments)
        return {
            "checkpoint": self.name,
            "revision": self._revision,
            "variant": self._variant,
            "commit": self._commit,
            "weights_sha256": self._digest,
            "pipeline": type(pipeline).__name__,
            "scheduler": type(getattr(pipeline, "scheduler", None)).__name__,
            "dtype": str(pipeline.dtype).removeprefix("torch."),
            "arguments": {n: self._argument(n) for n in names if n in self._parameters},
            "pictures": {"argument": family.pictures, "text": family.mark}
            if family.pictures
            else None,
            "many_images": self._many_images,
            "at_once": self._at_once,
            "seed": self._seed,
            "versions": {
                "diffusers": version("diffusers"),
                "torch": torch.__version__,
                "transformers": version("transformers"),
                "device": device_name(self._device),
            },
        }

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw a picture for each example.

        Raises:
            ValueError: The prompts have two rounds, or the pipeline draws another size.
        """
        if any(example["followup"] is not None for example in examples):
            raise ValueError(
                "prompt_type must be another than cot for a model that only draws (the first round "
                "asks for a text), got 'cot'"
            )
        prompts = [self._prompt(example) for example in examples]
        ready = [prompt for prompt in prompts if isinstance(prompt, _Prompt)]
        too_large = Output("error", reason="out_of_memory: the example alone does not fit")
        drawn = iter(self._room.answer(ready, self._draw, too_large))
        return [p if isinstance(p, Output) else next(drawn) for p in prompts]

    def _call_arguments(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return a call's arguments by the pipeline's own names."""
        own = {"steps": "num_inference_steps", "guidance": self._family.guidance}
        arguments = {k: v for k, v in self._family.always.items() if k in self._parameters}
        for option, value in asked.items():
            name = own.get(option, option)
            if value is None:
                continue
            if name not in self._parameters:
                raise ValueError(
                    f"{option} must be left out for {type(self._pipeline).__name__}, which has no "
                    f"such argument, got {value!r}"
                )
            arguments[name] = value
        step = _size_step(self._pipeline)
        for side in ("height", "width"):
            if (asked[side] or 0) % step:
                raise ValueError(
                    f"{side} must be a multiple of {step} for {type(self._pipeline).__name__}, got "
                    f"{asked[side]}"
                )
        if self._family.area and (asked["height"] or asked["width"]):
            if not (asked["height"] and asked["width"]):
                raise ValueError(
                    f"height and width must both be given for {type(self._pipeline).__name__}, got "
                    f"height={asked['height']}, width={asked['width']}"
                )
            arguments[self._family.area] = asked["height"] * asked["width"]
        return arguments

    def _argument(self, name: str) -> Any:
        return self._arguments.get(name, self._parameters[name].default)

    def _prompt(self, example: Example) -> _Prompt | Output:
        """Return what the pipeline is asked, or why it cannot be."""
        messages = example["messages"]
        for part in (part for message in messages for part in message["content"]):
            found = self._control.search(part["text"] or "") if self._control else None
            if found:
                return _error(f"control_token: a text of the prompt holds {found[0]!r}")
        try:
            opened = one_picture(open_pictures(messages, self._pictures), self._many_images)
        except OSError as error:
            return _error(f"picture: {error}")
        text, pictures = compose(opened, self._family)
        if (problem := _picture_problem(pictures, self._family)) is not None:
            return _error(problem)
        rgb = [picture.convert("RGB") for picture in pictures]
        return _Prompt(text, rgb, example_seed(self._seed, example["id"]))

    def _draw(self, prompts: Sequence[_Prompt]) -> list[Output]:
        try:
            result, elsewhere = self._call(prompts)
        except TooLongError as error:
            self._pipeline.maybe_free_model_hooks()
            if len(prompts) == 1:
                return [_error(f"too_long: {error}{self._longer()}")]
            return self._one_by_one(prompts)
        if elsewhere and len(prompts) > 1:
            self._room.largest = 1  # the seeds of a batch do not reach what it drew elsewhere
            return self._one_by_one(prompts)
        images = getattr(result, "images", None)
        if not isinstance(images, list):
            kind = type(self._pipeline).__name__
            raise ValueError(f"pipeline must be one that draws pictures, got {kind}")
        if len(images) != len(prompts):
            raise ValueError(f"the pipeline must draw {len(prompts)} pictures, got {len(images)}")
        flags = getattr(result, "nsfw_content_detected", getattr(result, "nsfw_detected", None))
        flags = flags or [False] * len(images)
        return [
            self._output(image, bool(flag), prompt.seed)
            for image, flag, prompt in zip(images, flags, prompts, strict=True)
        ]

    def _one_by_one(self, prompts: Sequence[_Prompt]) -> list[Output]:
        return [output for prompt in prompts for output in self._draw([prompt])]

    def _call(self, prompts: Sequence[_Prompt]) -> tuple[Any, bool]:
        """Return the pipeline's result, and whether it drew numbers without the generators."""
        arguments = dict(self._arguments)
        generators = [torch.Generator().manual_seed(prompt.seed) for prompt in prompts]
        alone = len(prompts) == 1
        if not alone and "negative_prompt" in arguments:
            arguments["negative_prompt"] = [arguments["negative_prompt"]] * len(prompts)
        if alone and prompts[0].pictures:
            pictures = prompts[0].pictures
            arguments[self._family.pictures] = pictures[0] if self._family.single else pictures
        forked = [self._device] if self._device.type == "cuda" else []
        with quiet(), self._watch.reading(), torch.random.fork_rng(forked):
            # OmniGen encodes its pictures, and some schedulers step, with torch's own generator.
            torch.manual_seed(prompts[0].seed)
            before = self._random_states()
            result = self._pipeline(
                prompt=prompts[0].text if alone else [prompt.text for prompt in prompts],
                generator=generators[0] if alone else generators,
                **arguments,
            )
            after = self._random_states()
        return result, not all(map(torch.equal, before, after))

    def _random_states(self) -> list[torch.Tensor]:
        states = [torch.get_rng_state()]
        if self._device.type == "cuda":
            states.append(torch.cuda.get_rng_state(self._device))
        return states

    def _longer(self) -> str:
        name = "max_sequence_length"
        if name not in self._parameters or name in self._family.always:
            return ""
        return " (--model-option max_sequence_length=… where the pipeline can read more)"

    def _output(self, image: Image.Image, flagged: bool, seed: int) -> Output:
        extra = {"seed": seed}
        black = not any(image.convert("RGB").tobytes())
        if flagged or (black and getattr(self._pipeline, "safety_checker", None) is not None):
            return Output("blocked", reason="safety_checker: it withheld the picture", extra=extra)
        if black:
            return Output("error", reason=_BLACK, extra=extra)
        wanted = tuple(w or got for w, got in zip(self._size, image.size, strict=True))
        if image.size != wanted:
            raise ValueError(
                f"width and height must be such that {type(self._pipeline).__name__} draws it, got "
                f"{wanted[0]}x{wanted[1]} (it drew {image.width}x{image.height})"
            )
        return Output(image=image, extra=extra)


def _error(reason: str) -> Output:
    return Output("error", reason=reason)


def _picture_problem(pictures: Sequence[Image.Image], family: Family) -> str | None:
    if family.needed and not pictures:
        return "no_picture: the pipeline must be given a picture, got a prompt without one"
    most = 0 if not family.pictures else 1 if family.single else len(pictures)
    if len(pictures) > most:
        return f"picture_count: the pipeline takes {most}, got {len(pictures)}"
    least = family.least_side
    for picture in pictures:
        if min(picture.size) < least:
            return (
                f"picture: each side must have at least {least} pixels, got "
                f"{picture.width}x{picture.height}"
            )
    return None


def _most_pictures(family: Family, many_images: str) -> int | None:
    if not family.pictures:
        return 0
    return 1 if family.single and many_images == "error" else None


def _size_step(pipeline: Any) -> int:
    """Return what a side of a picture must be a multiple of, as far as the pipeline says so."""
    config = getattr(getattr(pipeline, "image_processor", None), "config", None)
    return int(getattr(config, "vae_scale_factor", 1))


def _control_tokens(watch: Watch, family: Family) -> re.Pattern[str] | None:
    """Return what finds, in a text, what would be taken for a token of the model's own."""
    tokens = set(family.reserved)
    for tokenizer in watch.tokenizers:
        added = tokenizer.added_tokens_decoder.values()
        tokens |= {str(token) for token in added if token.special}
    # Some checkpoints have "!" as the padding of their CLIP: a sign of ordinary texts.
    named = sorted(token for token in tokens if len(token.strip()) > 1)
    return re.compile("|".join(map(re.escape, named))) if named else None


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be an integer above 0, got {value!r}")
    return value


def _number(name: str, value: Any) -> float | None:
    if value is not None and (not isinstance(value, int | float) or isinstance(value, bool)):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return value
