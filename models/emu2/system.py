"""Emu2 together: a picture to embeddings, a prompt to a text or to embeddings, these to a picture.

    system = Emu2.from_pretrained("checkpoints/emu2-gen")   # `cobsat convert` made it
    system = Emu2.tiny(seed=0)

Source: Sun et al. 2023. The language model is LLaMA-33B, the decoder an SDXL that was trained to
draw from 64 embeddings of the tower's width in place of a text's, and from their mean in place of
that which stands for a whole text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import diffusers
import numpy as np
import torch
from cobsat.checkpoints import no_progress_bar
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from PIL import Image
from torch import Tensor
from transformers import CLIPImageProcessor

from ..diffusers_checkpoint import quiet
from ..emu import DECODER
from ..emu.system import Emu, decoder_source
from ..emu.words import Vocabulary
from ..stable_diffusion import Diffusion, Drawn, draw_embeddings, load_decoder
from .bridge import BridgeSizes
from .convert import CHECKER, FEATURES, bridge_from
from .words import CONTROL

__all__ = ["Emu2", "SafetyCheck"]


@dataclass(frozen=True)
class SafetyCheck:
    """The published decoder's safety checker; SDXL's stock pipeline has no place for one.

    Attributes:
        features: Makes of a picture what the checker reads.
        checker: A `StableDiffusionSafetyChecker`.
    """

    features: Any
    checker: Any

    @torch.inference_mode()
    def withholds(self, picture: Image.Image) -> bool:
        """Return whether a picture is not to be shown."""
        read = self.features(picture, return_tensors="pt").pixel_values
        given = read.to(next(self.checker.parameters()))
        with quiet():
            _, unsafe = self.checker(clip_input=given, images=np.asarray(picture)[None].copy())
        return any(unsafe)


@dataclass(frozen=True)
class Emu2(Emu):
    """An Emu2: Emu with a bridge and a decoder of other kinds.

    Attributes:
        safety: What may withhold a picture; None where the decoder has no such part.
    """

    NAME: ClassVar[str] = "emu2"
    TITLE: ClassVar[str] = "Emu2"
    WITH_DECODER: ClassVar[str] = "checkpoint of Emu2-Gen"
    CONTROL: ClassVar[re.Pattern[str]] = CONTROL

    safety: SafetyCheck | None = None

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: str,
        *,
        decoder: str | None = DECODER,
        dtype: str = "auto",
        device: str = "auto",
        device_map: str | None = None,
    ) -> Self:
        """Return a system from a folder that `cobsat convert` made.

        Args:
            checkpoint: The folder.
            decoder: "decoder" for the folder's own, which Emu2-Gen has; else a folder or a name on
                the Hub. None for descriptions alone.
            dtype: As torch names it; "auto" is the checkpoint's, and for the decoder bfloat16 on a
                GPU.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such folder, or a file lacks.
            ValueError: It is not Emu2's, or not the whole of it.
        """
        system = super().from_pretrained(
            checkpoint, decoder=decoder, dtype=dtype, device=device, device_map=device_map
        )
        source = decoder_source(Path(checkpoint), decoder)
        if source is None or not (Path(source) / CHECKER).is_dir():
            return system
        return replace(system, safety=_safety_check(Path(source), system.decoder.device))

    @classmethod
    def _bridge(cls, config: Mapping[str, Any], state: Mapping[str, Tensor]) -> Any:
        return bridge_from(BridgeSizes.from_config(config), state)

    @classmethod
    def _load_decoder(cls, source: str, dtype: str, device: torch.device) -> Any:
        pipeline: Any = diffusers.StableDiffusionXLPipeline
        published = "bfloat16" if dtype == "auto" and device.type == "cuda" else dtype
        none = dict.fromkeys(("text_encoder", "text_encoder_2", "tokenizer", "tokenizer_2"))
        # Else a package for watermarks, where it happens to be installed, changes the pictures.
        return load_decoder(pipeline, source, published, device, add_watermarker=False, **none)

    @classmethod
    def _tiny_parts(cls, decoder: bool) -> tuple[Any, Any, Any, Any]:
        from . import tiny

        words = tiny.tiny_words()
        vocabulary = Vocabulary.of(words, tiny.SIZES.tokens)
        model = tiny.tiny_language_model(words, vocabulary)
        return model, words, tiny.tiny_bridge(), tiny.tiny_decoder() if decoder else None

    def draw(
        self, condition: Tensor, nothing: Tensor, seed: int, settings: Diffusion
    ) -> Drawn | None:
        """Return a picture, or None where its pixels are not all numbers.

        Args:
            condition: As `regressed` gives it.
            nothing: As `nothing` gives it.
            seed: Of the noise that the picture begins with.
            settings: How to draw.
        """
        decoder = self.decoder
        given, led_from = (each.to(decoder.device, decoder.dtype) for each in (condition, nothing))
        drawn = draw_embeddings(
            decoder,
            given,
            seed,
            settings,
            negative_prompt_embeds=led_from,
            pooled_prompt_embeds=given.mean(dim=1),
            negative_pooled_prompt_embeds=led_from.mean(dim=1),
        )
        picture = drawn.image if drawn else None
        if picture is not None and self.safety is not None and self.safety.withholds(picture):
            return Drawn(withheld=True)
        return drawn

    @property
    def checks_safety(self) -> bool:
        """Whether a safety checker may withhold a picture."""
        return self.safety is not None


def _safety_check(source: Path, device: torch.device) -> SafetyCheck:
    with quiet(), no_progress_bar():
        checker: Any = StableDiffusionSafetyChecker.from_pretrained(source / CHECKER)
        features = CLIPImageProcessor.from_pretrained(source / FEATURES)
    return SafetyCheck(features, checker.to(device).eval())
