"""Drawing with a stock pipeline of Stable Diffusion from embeddings of a model's own.

    decoder = load_decoder(diffusers.StableDiffusionPipeline, source, "auto", device)
    drawn = draw_embeddings(decoder, embeddings, seed, Diffusion(steps=50, guidance=7.5))

The ports of the papers' systems draw by this: what they say takes the place of a text's embeddings.
Each picture has a generator of its own, on the CPU, and is drawn alone: it is the same in any batch
and on any device, as far as the device reckons alike.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from cobsat.checkpoints import check_checkpoint, no_progress_bar
from PIL import Image
from torch import Tensor

from .diffusers_checkpoint import quiet
from .port_options import check_whole
from .protocol import Output
from .rounds import failed

__all__ = [
    "Diffusion",
    "Drawn",
    "check_diffusion",
    "draw_embeddings",
    "drawing_record",
    "finished",
    "load_decoder",
    "with_picture",
]


@dataclass(frozen=True)
class Diffusion:
    """How pictures are drawn.

    Attributes:
        steps: Denoising steps.
        guidance: Of classifier-free guidance, 1 for none.
    """

    steps: int
    guidance: float

    def check(self) -> Diffusion:
        """Return itself.

        Raises:
            ValueError: A number is out of its range.
        """
        check_diffusion(self.guidance, steps=(self.steps, 1))
        return self


@dataclass(frozen=True)
class Drawn:
    """A picture, or why there is none.

    Attributes:
        image: The picture.
        withheld: Whether the pipeline's safety checker withheld it.
    """

    image: Image.Image | None = None
    withheld: bool = False


def check_diffusion(guidance: Any, **whole: tuple[Any, int]) -> None:
    """Check settings of drawing.

    Args:
        guidance: A number of 1 or more.
        whole: Settings that are integers, by name: the value and the least that it may be.

    Raises:
        ValueError: One is out of its range.
    """
    for name, (value, least) in whole.items():
        check_whole(name, value, least)
    if isinstance(guidance, bool) or not isinstance(guidance, int | float) or not guidance >= 1:
        raise ValueError(f"guidance must be a number of 1 (none) or more, got {guidance!r}")


def load_decoder(
    pipeline_class: Any, source: str, dtype: str, device: torch.device, **parts: Any
) -> Any:
    """Return a pipeline from safetensors, on a device.

    Args:
        pipeline_class: Its class in diffusers.
        source: A folder, or a name on the Hub.
        dtype: As torch names it; "auto" is float16 on a GPU, and else float32.
        device: Where to.
        parts: In place of the source's own; None for one that it is to do without.

    Raises:
        OSError: There is no such pipeline, or none with safetensors.
    """
    check_checkpoint(source, file="model_index.json", option="decoder")
    if dtype == "auto":
        chosen = torch.float16 if device.type == "cuda" else torch.float32
    else:
        chosen = getattr(torch, dtype)
    with quiet(), no_progress_bar():
        pipeline = pipeline_class.from_pretrained(
            source, dtype=chosen, use_safetensors=True, **parts
        )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline.to(device)


def draw_embeddings(
    decoder: Any, embeddings: Tensor, seed: int, settings: Diffusion, **arguments: Any
) -> Drawn | None:
    """Return what a pipeline draws from embeddings, or None where its pixels are not all numbers.

    Args:
        decoder: A pipeline that takes `prompt_embeds`.
        embeddings: In place of a text's, of shape (1, tokens, width).
        seed: Of the noise that the picture begins with.
        settings: How to draw.
        arguments: What else its pipeline is to be given.
    """
    with quiet():
        result = decoder(
            prompt_embeds=embeddings.to(decoder.device, decoder.dtype),
            num_inference_steps=settings.steps,
            guidance_scale=settings.guidance,
            generator=torch.Generator().manual_seed(seed),
            output_type="pt",
            **arguments,
        )
    if any(getattr(result, "nsfw_content_detected", None) or ()):
        return Drawn(withheld=True)
    return finished(decoder, result.images)


def drawing_record(decoder: Any, settings: Any, **more: Any) -> dict[str, Any] | None:
    """Return what `run.json` says of drawing, None where there is no decoder.

    Args:
        decoder: A pipeline, or None.
        settings: A data class.
        more: What else there is to say of it.
    """
    if decoder is None:
        return None
    return {
        **asdict(settings),
        **more,
        "pipeline": type(decoder).__name__,
        "scheduler": type(decoder.scheduler).__name__,
        "dtype": str(decoder.dtype).removeprefix("torch."),
    }


def with_picture(output: Output, drawn: Drawn | None) -> Output:
    """Return an output with its picture, or with why it has none.

    Args:
        output: All but its picture.
        drawn: As `draw_embeddings` gives it.
    """
    if drawn is None:
        return failed("not_finite: the picture's pixels are not all numbers", output)
    if drawn.withheld:
        reason = "safety_checker: it withheld the picture"
        return replace(output, status="blocked", reason=reason)
    return replace(output, image=drawn.image)


def finished(decoder: Any, pixels: Tensor) -> Drawn | None:
    """Return the first picture of a pipeline's, or None where its pixels are not all numbers."""
    if not pixels.isfinite().all():
        return None
    processor = decoder.image_processor
    return Drawn(processor.numpy_to_pil(processor.pt_to_numpy(pixels))[0])
