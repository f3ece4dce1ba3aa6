"""SEED-LLaMA put together: image tokenizer, language model, and the decoder that draws.

    system = SeedLlama.from_pretrained("checkpoints/seed-llama-14b")   # `cobsat convert` made it
    system = SeedLlama.tiny(seed=0)

Source: the published system is `LlamaForCausalLM` over a vocabulary with 8,192 codes of pictures;
its pictures are drawn by Stable Diffusion 2.1 unCLIP from the embedding of 32 codes, with no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
from cobsat.checkpoints import check_checkpoint
from huggingface_hub import hf_hub_download
from PIL import Image

from ..checkpoints import choose_device
from ..conversion import CONFIG, WEIGHTS, dropped, read_state
from ..diffusers_checkpoint import quiet
from ..published_state import read_config
from ..stable_diffusion import Drawn, check_diffusion, finished, load_decoder
from . import IMAGE_TOKENIZER, LANGUAGE_MODEL
from .convert import (
    QUANTIZER,
    UNUSED,
    convert_state_dict,
    image_tokenizer_from,
    load_language_model,
    load_words,
    tokenizer_sizes,
)
from .image_tokenizer import ImageTokenizer, TokenizerSizes, picture_codes
from .prompts import Vocabulary

__all__ = ["DECODER", "TOKENIZER", "SeedLlama", "Unclip", "load_image_tokenizer"]

TOKENIZER: Final = "AILab-CVC/seed-tokenizer-2"
DECODER: Final = "sd2-community/stable-diffusion-2-1-unclip"


@dataclass(frozen=True)
class Unclip:
    """How pictures are drawn; the published settings.

    Attributes:
        steps: Denoising steps.
        guidance: Of classifier-free guidance.
        noise_level: Of the noise that is added to an embedding.
        latents_seed: Of the noise that every picture begins with: one for all, as published.
    """

    steps: int = 20
    guidance: float = 10.0
    noise_level: int = 0
    latents_seed: int = 0

    def check(self) -> Unclip:
        """Return itself.

        Raises:
            ValueError: A number is out of its range.
        """
        check_diffusion(
            self.guidance,
            steps=(self.steps, 1),
            noise_level=(self.noise_level, 0),
            latents_seed=(self.latents_seed, 0),
        )
        return self


@dataclass(frozen=True)
class SeedLlama:
    """A SEED-LLaMA.

    Attributes:
        language_model: A `LlamaForCausalLM`.
        words: Its text tokenizer.
        image_tokenizer: SEED-2, in float32.
        decoder: A `StableUnCLIPImg2ImgPipeline`; None for descriptions alone.
        vocabulary: The ids that prompts are made with.
    """

    language_model: Any
    words: Any
    image_tokenizer: ImageTokenizer
    decoder: Any
    vocabulary: Vocabulary

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: str,
        *,
        image_tokenizer: str = TOKENIZER,
        decoder: str | None = DECODER,
        dtype: str = "auto",
        device: str = "auto",
        device_map: str | None = None,
    ) -> SeedLlama:
        """Return a system from its checkpoints.

        Args:
            checkpoint: A folder that `cobsat convert` made; or the language model alone, a folder
                or a name on the Hub.
            image_tokenizer: Where the folder holds none: `seed_quantizer.pt` with the text
                tokenizer's files beside it, a folder that `cobsat convert` made, or a name on the
                Hub.
            decoder: A pipeline for Stable Diffusion 2.1 unCLIP, a folder or a name on the Hub.
            dtype: Of language model and decoder, as torch names it; "auto" is the checkpoint's, and
                for the decoder float16 on a GPU. The image tokenizer is in float32.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such checkpoint.
            ValueError: It is not SEED-LLaMA's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        folder = Path(check_checkpoint(checkpoint))
        converted = (folder / LANGUAGE_MODEL).is_dir()
        source = str(folder / LANGUAGE_MODEL) if converted else checkpoint
        language_model = load_language_model(source, dtype, device_map)
        if device_map is None:
            language_model = language_model.to(choose_device(device))
        where = language_model.device
        own = folder / IMAGE_TOKENIZER
        tokenizer = load_image_tokenizer(str(own) if own.is_dir() else image_tokenizer, where)
        words = load_words(source if converted else image_tokenizer, source)
        sizes = tokenizer.sizes
        return cls(
            language_model,
            words,
            tokenizer,
            None if decoder is None else _decoder(decoder, dtype, where, sizes),
            Vocabulary.of(words, sizes.codebook_size, sizes.queries),
        )._checked()

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu", decoder: bool = True) -> SeedLlama:
        """Return the real classes at tiny size, with random weights."""
        from . import tiny

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            tokenizer = tiny.tiny_image_tokenizer()
            sizes = tokenizer.sizes
            words = tiny.tiny_words(sizes.codebook_size)
            vocabulary = Vocabulary.of(words, sizes.codebook_size, sizes.queries)
            model = tiny.tiny_language_model(words, vocabulary)
            drawing = tiny.tiny_decoder(sizes.image_embedding_width) if decoder else None
        where = choose_device(device)
        drawing = drawing if drawing is None else drawing.to(where)
        return cls(model.to(where), words, tokenizer.to(where), drawing, vocabulary)._checked()

    def _checked(self) -> SeedLlama:
        rows = self.language_model.get_input_embeddings().num_embeddings
        words = self.vocabulary
        last = max(words.first_code + words.codes - 1, words.picture_begin, words.picture_end)
        if last >= rows:
            raise ValueError(
                f"the language model must have a row for each token of its tokenizer, up to {last},"
                f" got {rows} rows: one without codes of pictures?"
            )
        return self

    def codes(self, picture: Image.Image, resampling: str = "bilinear") -> tuple[int, ...]:
        """Return a picture's codes; it is encoded alone, whatever the batch."""
        return picture_codes(self.image_tokenizer, picture, resampling)

    def draw(self, codes: Sequence[int], seed: int, settings: Unclip) -> Drawn | None:
        """Return the picture of codes, or None where its pixels are not all numbers.

        Args:
            codes: Of one picture.
            seed: Of the noise that is added to its embedding.
            settings: How to draw.
        """
        decoder, tokenizer = self.decoder, self.image_tokenizer
        embedding = tokenizer.embed(torch.tensor([list(codes)], device=tokenizer.queries.device))
        with quiet():
            pixels = decoder(
                prompt="",
                image_embeds=embedding.to(decoder.device, decoder.dtype),
                num_inference_steps=settings.steps,
                guidance_scale=settings.guidance,
                noise_level=settings.noise_level,
                latents=self._latents(settings.latents_seed),
                generator=torch.Generator().manual_seed(seed),
                output_type="pt",
            ).images
        return finished(decoder, pixels)

    def _latents(self, seed: int) -> torch.Tensor:
        config = self.decoder.unet.config
        shape = (1, config.in_channels, config.sample_size, config.sample_size)
        drawn = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        return drawn.to(self.decoder.device, self.decoder.dtype)


def load_image_tokenizer(source: str, device: Any) -> ImageTokenizer:
    """Return an image tokenizer from where it lies.

    Args:
        source: A folder that `cobsat convert` made or its part, `seed_quantizer.pt`, a folder that
            holds it, or a name on the Hub.
        device: Where to.

    Raises:
        OSError: It is not there.
        ValueError: It is not SEED-2, or not the whole of it.
    """
    path = Path(source)
    if (path / IMAGE_TOKENIZER).is_dir():
        path = path / IMAGE_TOKENIZER
    if (path / CONFIG).is_file() and (path / WEIGHTS).is_file():
        sizes = TokenizerSizes.from_config(read_config(path / CONFIG))
        return image_tokenizer_from(sizes, read_state(path / WEIGHTS), device)
    if path.is_dir():
        path = path / QUANTIZER
    elif not path.is_file():
        path = Path(hf_hub_download(check_checkpoint(source), QUANTIZER))
    published, _ = dropped(read_state(path), UNUSED)
    return image_tokenizer_from(tokenizer_sizes(published), convert_state_dict(published), device)


def _decoder(source: str, dtype: str, device: torch.device, sizes: TokenizerSizes) -> Any:
    pipeline = load_decoder(diffusers.StableUnCLIPImg2ImgPipeline, source, dtype, device)
    taken = pipeline.image_normalizer.config.embedding_dim
    if taken != sizes.image_embedding_width:
        raise ValueError(
            f"decoder must take embeddings of width {sizes.image_embedding_width}, got {source!r} "
            f"of width {taken}: {DECODER}"
        )
    return pipeline
