"""GILL put together: language model, image tower, the bridge between them, and what draws.

    system = Gill.from_pretrained("checkpoints/gill")   # `cobsat convert` made it
    system = Gill.tiny(seed=0)

Source: Koh et al. 2023. The language model is OPT-6.7B, the tower CLIP ViT-L/14, both frozen; the
decoder is Stable Diffusion 1.5, whose text embeddings the mapper gives.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
from cobsat.checkpoints import check_checkpoint
from PIL import Image
from torch import Tensor
from transformers import CLIPImageProcessorPil

from ..checkpoints import choose_device
from ..conversion import CONFIG, WEIGHTS, read_state
from ..spliced import spliced
from ..stable_diffusion import Diffusion, Drawn, draw_embeddings, load_decoder
from . import BRIDGE, LANGUAGE_MODEL, VISION, is_converted
from .bridge import Bridge, BridgeSizes
from .convert import (
    PUBLISHED,
    bridge_from,
    load_language_model,
    load_vision,
    load_words,
    published_bridge,
)
from .prompts import Prompt, Vocabulary, add_tokens

__all__ = ["CLIP", "DECODER", "OPT", "Gill", "picture_processor"]

OPT: Final = "facebook/opt-6.7b"
CLIP: Final = "openai/clip-vit-large-patch14"
DECODER: Final = "stable-diffusion-v1-5/stable-diffusion-v1-5"


@dataclass(frozen=True)
class Gill:
    """A GILL.

    Attributes:
        language_model: An `OPTForCausalLM` that has rows for the drawing tokens.
        words: Its tokenizer, with GILL's tokens.
        vision: A `CLIPVisionModel`, in float32.
        bridge: What GILL trained, in float32.
        decoder: A `StableDiffusionPipeline`; None for descriptions alone.
        vocabulary: The ids that prompts are made with.
    """

    language_model: Any
    words: Any
    vision: Any
    bridge: Bridge
    decoder: Any
    vocabulary: Vocabulary

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: str,
        *,
        language_model: str = OPT,
        vision: str = CLIP,
        decoder: str | None = DECODER,
        dtype: str = "auto",
        device: str = "auto",
        device_map: str | None = None,
    ) -> Gill:
        """Return a system from its checkpoints.

        Args:
            checkpoint: A folder that `cobsat convert` made; or `pretrained_ckpt.pth.tar`, or a
                folder that holds it.
            language_model: Where the folder holds none: OPT, a folder or a name on the Hub.
            vision: Where the folder holds none: CLIP, a folder or a name on the Hub.
            decoder: A pipeline of Stable Diffusion, a folder or a name on the Hub.
            dtype: Of language model and decoder, as torch names it; "auto" is the checkpoint's, and
                for the decoder float16 on a GPU. Image tower and bridge are in float32.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such checkpoint.
            ValueError: It is not GILL's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        folder = Path(checkpoint)
        bridge = load_bridge(folder)
        if (folder / LANGUAGE_MODEL).is_dir():
            language_model = str(folder / LANGUAGE_MODEL)
        if (folder / VISION).is_dir():
            vision = str(folder / VISION)
        check_checkpoint(language_model, option="language_model")
        check_checkpoint(vision, option="vision")
        if decoder is not None:  # before much is loaded in vain
            check_checkpoint(decoder, file="model_index.json", option="decoder")
        words = load_words(language_model)
        add_tokens(words, bridge.sizes.drawing_tokens)
        model = load_language_model(language_model, dtype, device_map)
        if device_map is None:
            model = model.to(choose_device(device))
        where = model.device
        return cls.of(
            model,
            words,
            load_vision(vision).to(where),
            bridge.to(where),
            None if decoder is None else _decoder(decoder, dtype, where, bridge.sizes),
        )

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu", decoder: bool = True) -> Gill:
        """Return the real classes at tiny size, with random weights."""
        from . import tiny

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            words = tiny.tiny_words()
            add_tokens(words, tiny.SIZES.drawing_tokens)
            model, vision = tiny.tiny_language_model(words), tiny.tiny_vision()
            bridge = tiny.tiny_bridge(model)
            drawing = tiny.tiny_decoder() if decoder else None
        where = choose_device(device)
        drawing = drawing if drawing is None else drawing.to(where)
        return cls.of(model.to(where), words, vision.to(where), bridge.to(where), drawing)

    @classmethod
    def of(cls, model: Any, words: Any, vision: Any, bridge: Bridge, decoder: Any) -> Gill:
        """Return a system of its parts; the language model gets the drawing tokens' rows.

        Raises:
            ValueError: Two parts do not fit.
        """
        sizes = bridge.sizes
        for what, width, taken in (
            ("language_model", model.config.word_embed_proj_dim, sizes.language_width),
            ("vision", vision.config.hidden_size, sizes.vision_width),
        ):
            if width != taken:
                raise ValueError(f"{what} must be of width {taken}, as the bridge, got {width}")
        vocabulary = Vocabulary.of(words, sizes.drawing_tokens, sizes.tokens_per_picture)
        give_rows(model, bridge, len(words))
        return cls(model, words, vision, bridge, decoder, vocabulary)

    @torch.inference_mode()
    def read(self, picture: Image.Image) -> Tensor:
        """Return a picture's embeddings, (tokens, language width); it is encoded alone."""
        prepare = picture_processor(self.vision.config.image_size)
        pixels = prepare(picture.convert("RGB"), return_tensors="pt")["pixel_values"]
        seen = self.vision(pixel_values=pixels.to(self.vision.device)).pooler_output
        return self.bridge.read(seen)[0]

    def embeddings(self, prompt: Prompt, pictures: Sequence[Tensor]) -> Tensor:
        """Return a prompt's embeddings with its pictures in place: (tokens, language width).

        Raises:
            ValueError: There is not a picture for each slot.
        """
        return spliced(self.language_model.get_input_embeddings(), prompt, pictures)

    @torch.inference_mode()
    def condition(self, prompt: Prompt, pictures: Sequence[Tensor], reply: Sequence[int]) -> Tensor:
        """Return what a picture is drawn from: (1, queries, decoder width).

        Args:
            prompt: The prompt.
            pictures: Its pictures' embeddings.
            reply: What the model said, up to and with the picture's drawing tokens.
        """
        whole = Prompt((*prompt.ids, *reply), prompt.slots)
        given = self.embeddings(whole, pictures)[None]
        hidden = self.language_model.model(inputs_embeds=given).last_hidden_state
        count = self.vocabulary.count
        return self.bridge.condition(hidden[:, -count:].to(self.bridge.rows))

    def draw(self, condition: Tensor, seed: int, settings: Diffusion) -> Drawn | None:
        """Return the picture of a condition, or None where its pixels are not all numbers."""
        return draw_embeddings(self.decoder, condition, seed, settings)


def picture_processor(side: int) -> Any:
    """Return CLIP's preparation of pictures, by Pillow as published.

    The shorter side is resized to `side`, the middle is cut out.
    """
    return CLIPImageProcessorPil(
        size={"shortest_edge": side}, crop_size={"height": side, "width": side}
    )


def load_bridge(path: Path) -> Bridge:
    """Return a bridge from where it lies.

    Args:
        path: A folder that `cobsat convert` made, `pretrained_ckpt.pth.tar`, or a folder with it.

    Raises:
        OSError: It is not there.
        ValueError: It is not GILL's, or not the whole of it.
    """
    if is_converted(str(path)):
        own = path / BRIDGE
        sizes = BridgeSizes.from_config(json.loads((own / CONFIG).read_text("utf-8")))
        return bridge_from(sizes, read_state(own / WEIGHTS))
    file = path / PUBLISHED if path.is_dir() else path
    if not file.is_file():
        raise FileNotFoundError(
            f"checkpoint must be a folder that cobsat convert gill made, or {PUBLISHED}, got "
            f"{str(path)!r}: GILL is in no repository of the Hub"
        )
    return published_bridge(file)[0]


def give_rows(model: Any, bridge: Bridge, rows: int) -> None:
    """Give a language model as many rows as its tokenizer has tokens; the last are the bridge's."""
    table = model.get_input_embeddings()
    if table.num_embeddings != rows:
        model.resize_token_embeddings(rows, mean_resizing=False)
        table = model.get_input_embeddings()
    with torch.no_grad():
        table.weight[-len(bridge.rows) :] = bridge.rows.to(table.weight)


def _decoder(source: str, dtype: str, device: torch.device, sizes: BridgeSizes) -> Any:
    pipeline = load_decoder(diffusers.StableDiffusionPipeline, source, dtype, device)
    taken = pipeline.unet.config.cross_attention_dim
    if taken != sizes.decoder_width:
        raise ValueError(
            f"decoder must take embeddings of width {sizes.decoder_width}, got {source!r} of width "
            f"{taken}: {DECODER}"
        )
    return pipeline
