"""Emu put together: language model, the bridge to pictures and back, and what draws.

    system = Emu.from_pretrained("checkpoints/emu")   # `cobsat convert` made it
    system = Emu.tiny(seed=0)

Source: Sun et al. 2023. The language model is LLaMA-13B, the decoder a Stable Diffusion 1.5 that
was tuned to draw from 32 embeddings of the language model's width in place of a text's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import diffusers
import torch
from cobsat.checkpoints import check_checkpoint
from PIL import Image
from torch import Tensor
from transformers import DynamicCache, LlamaForCausalLM

from ..checkpoints import choose_device, load_exactly
from ..conversion import CONFIG, WEIGHTS, read_state
from ..llama_words import load_llama_words
from ..picture_values import picture_values
from ..port_options import unconverted
from ..published_state import read_config
from ..spliced import Prompt, spliced
from ..stable_diffusion import Diffusion, Drawn, draw_embeddings, load_decoder
from . import BRIDGE, DECODER, LANGUAGE_MODEL
from .bridge import BridgeSizes
from .convert import bridge_from
from .words import CONTROL, Vocabulary

__all__ = ["Emu", "decoder_source"]


@dataclass(frozen=True)
class Emu:
    """An Emu.

    Attributes:
        language_model: A `LlamaForCausalLM` that has rows for Emu's tokens.
        words: Its tokenizer, with these tokens.
        bridge: What makes embeddings of pictures, and the next embedding of a state.
        decoder: A pipeline of diffusers without a text encoder; None for descriptions alone.
        vocabulary: The ids that prompts are made with.
    """

    NAME: ClassVar[str] = "emu"
    TITLE: ClassVar[str] = "Emu"
    WITH_DECODER: ClassVar[str] = "checkpoint of the pretrained Emu"
    """Which one draws."""
    CONTROL: ClassVar[re.Pattern[str]] = CONTROL
    """What the tokenizer would take for more than text."""

    language_model: Any
    words: Any
    bridge: Any
    decoder: Any
    vocabulary: Vocabulary

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
            decoder: "decoder" for the folder's own, which the instructed Emu does not have; else a
                folder or a name on the Hub. None for descriptions alone.
            dtype: As torch names it; "auto" is the checkpoint's, and for the decoder float16 on a
                GPU.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such folder, or a file lacks.
            ValueError: It is not Emu's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        folder = Path(checkpoint)
        if not all((folder / part).is_dir() for part in (LANGUAGE_MODEL, BRIDGE)):
            raise unconverted(cls.NAME, checkpoint)
        source = decoder_source(folder, decoder)
        if source is not None:  # before much is loaded in vain
            check_checkpoint(source, file="model_index.json", option="decoder")
        language = str(folder / LANGUAGE_MODEL)
        model = load_exactly(
            LlamaForCausalLM, language, f"{cls.TITLE}'s LLaMA", dtype=dtype, device_map=device_map
        )
        if device_map is None:
            model = model.to(choose_device(device))
        config = read_config(folder / BRIDGE / CONFIG)
        state = read_state(folder / BRIDGE / WEIGHTS)
        state = {name: tensor.to(model.device, model.dtype) for name, tensor in state.items()}
        drawing = None if source is None else cls._load_decoder(source, dtype, model.device)
        return cls.of(model, load_llama_words(language), cls._bridge(config, state), drawing)

    @classmethod
    def _bridge(cls, config: Mapping[str, Any], state: Mapping[str, Tensor]) -> Any:
        return bridge_from(BridgeSizes.from_config(config), state)

    @classmethod
    def _load_decoder(cls, source: str, dtype: str, device: torch.device) -> Any:
        pipeline: Any = diffusers.StableDiffusionPipeline
        return load_decoder(pipeline, source, dtype, device, text_encoder=None, tokenizer=None)

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu", decoder: bool = True) -> Self:
        """Return the real classes at tiny size, with random weights; it draws and talks."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model, words, bridge, drawing = cls._tiny_parts(decoder)
        where = choose_device(device)
        drawing = drawing if drawing is None else drawing.to(where)
        return cls.of(model.to(where), words, bridge.to(where), drawing)

    @classmethod
    def _tiny_parts(cls, decoder: bool) -> tuple[Any, Any, Any, Any]:
        from . import tiny

        words = tiny.tiny_words()
        vocabulary = Vocabulary.of(words, tiny.SIZES.tokens)
        model = tiny.tiny_language_model(words, vocabulary)
        return model, words, tiny.tiny_bridge(), tiny.tiny_decoder() if decoder else None

    @classmethod
    def of(cls, model: Any, words: Any, bridge: Any, decoder: Any) -> Self:
        """Return a system of its parts.

        Raises:
            ValueError: Two parts do not fit.
        """
        sizes = bridge.sizes
        for what, width, has in (
            ("the language model", sizes.language_width, model.config.hidden_size),
            (
                "what the decoder takes",
                sizes.drawn_width,
                decoder and decoder.unet.config.cross_attention_dim,
            ),
        ):
            if has not in (width, None):
                raise ValueError(f"{what} must be of width {width}, as the bridge, got {has}")
        vocabulary = Vocabulary.of(words, sizes.tokens)
        if len(words) > model.config.vocab_size:
            raise ValueError(
                f"the language model must have a row for each of {len(words):,} tokens, got "
                f"{model.config.vocab_size:,} rows"
            )
        return cls(model, words, bridge, decoder, vocabulary)

    @torch.inference_mode()
    def read(self, picture: Image.Image) -> Tensor:
        """Return a picture's embeddings, (tokens, width); it is encoded alone."""
        values = picture_values(picture, self.bridge.sizes.image_size)
        embeddings: Tensor = self.bridge.read(values[None])[0]
        return embeddings

    def embeddings(self, prompt: Prompt, pictures: Sequence[Tensor]) -> Tensor:
        """Return a prompt's embeddings with its pictures in place: (tokens, width)."""
        return spliced(self.language_model.get_input_embeddings(), prompt, pictures)

    @torch.inference_mode()
    def regressed(self, prompt: Prompt, pictures: Sequence[Tensor]) -> Tensor:
        """Return what the picture that comes next is drawn from: (1, tokens, width).

        Args:
            prompt: A prompt that ends in `[IMG]`.
            pictures: Its pictures' embeddings.
        """
        model = self.language_model.model
        cache = DynamicCache(config=model.config)
        given = self.embeddings(prompt, pictures)[None]
        drawn: list[Tensor] = []
        for _ in range(self.vocabulary.count):
            hidden = model(inputs_embeds=given, cache=cache, use_cache=True).last_hidden_state
            drawn.append(self.bridge.regress(hidden[:, -1:]))
            given = self.bridge.enter(drawn[-1]).to(given)
        return torch.cat(drawn, dim=1)

    def nothing(self) -> Tensor:
        """Return what the picture that follows no prompt is drawn from: guidance leads from it."""
        words = self.vocabulary
        return self.regressed(Prompt((words.begin, words.picture_begin), ()), [])

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
        led_from = nothing.to(decoder.device, decoder.dtype)
        return draw_embeddings(decoder, condition, seed, settings, negative_prompt_embeds=led_from)

    @property
    def checks_safety(self) -> bool:
        """Whether a safety checker may withhold a picture."""
        return self.decoder is not None and self.decoder.safety_checker is not None


def decoder_source(folder: Path, decoder: str | None) -> str | None:
    """Return where a decoder lies: in a converted folder, if its own is asked for.

    None where none is asked for, or the folder has none.
    """
    if decoder != DECODER:
        return decoder
    return str(folder / DECODER) if (folder / DECODER).is_dir() else None
