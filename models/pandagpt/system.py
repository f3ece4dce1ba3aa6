"""PandaGPT put together: image tower and linear layer, language model, tokenizer.

system = PandaGPT.from_pretrained("checkpoints/pandagpt-13b")   # `cobsat convert` made it
system = PandaGPT.tiny(seed=0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch import Tensor
from transformers import LlamaForCausalLM

from ..checkpoints import choose_device, load_exactly
from ..conversion import CONFIG, WEIGHTS, read_state
from ..llama_words import load_llama_words
from ..picture_values import picture_values
from ..port_options import unconverted
from ..published_state import read_config
from . import LANGUAGE_MODEL, VISION
from .convert import vision_from
from .prompts import Vocabulary
from .vision import Vision, VisionSizes, middle_square

__all__ = ["PandaGPT"]


@dataclass(frozen=True)
class PandaGPT:
    """A PandaGPT.

    Attributes:
        language_model: A `LlamaForCausalLM`.
        words: Its tokenizer.
        vision: Image tower and linear layer.
        vocabulary: The ids that prompts are made with.
    """

    language_model: Any
    words: Any
    vision: Vision
    vocabulary: Vocabulary

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: str,
        *,
        dtype: str = "auto",
        device: str = "auto",
        device_map: str | None = None,
    ) -> PandaGPT:
        """Return a system from a folder that `cobsat convert` made.

        Args:
            checkpoint: The folder.
            dtype: Of all parts, as torch names it; "auto" is Vicuna's.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such folder, or a file lacks.
            ValueError: It is not PandaGPT's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        folder = Path(checkpoint)
        if not all((folder / part).is_dir() for part in (LANGUAGE_MODEL, VISION)):
            raise unconverted("pandagpt", checkpoint)
        source = str(folder / LANGUAGE_MODEL)
        model = load_exactly(
            LlamaForCausalLM, source, "PandaGPT's LLaMA", dtype=dtype, device_map=device_map
        )
        if device_map is None:
            model = model.to(choose_device(device))
        sizes = VisionSizes.from_config(read_config(folder / VISION / CONFIG))
        state = read_state(folder / VISION / WEIGHTS)
        moved = {name: tensor.to(model.device, model.dtype) for name, tensor in state.items()}
        vision = vision_from(sizes, moved).to(model.device)
        return cls.of(model, load_llama_words(source), vision)

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu") -> PandaGPT:
        """Return the real classes at tiny size, with random weights."""
        from . import tiny

        words = tiny.tiny_words()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = tiny.tiny_language_model(words)
            vision = tiny.tiny_vision()
        where = choose_device(device)
        return cls.of(model.to(where), words, vision.to(where))

    @classmethod
    def of(cls, model: Any, words: Any, vision: Vision) -> PandaGPT:
        """Return a system of its parts.

        Raises:
            ValueError: Two parts do not fit.
        """
        if vision.sizes.language_width != model.config.hidden_size:
            raise ValueError(
                f"pictures must become embeddings of the language model's width "
                f"{model.config.hidden_size}, got {vision.sizes.language_width}"
            )
        if len(words) > model.config.vocab_size:
            raise ValueError(
                f"the language model must have a row for each of {len(words):,} tokens, got "
                f"{model.config.vocab_size:,} rows"
            )
        vocabulary = Vocabulary.of(words)
        model.generation_config.eos_token_id = vocabulary.end
        return cls(model, words, vision, vocabulary)

    @torch.inference_mode()
    def see(self, picture: Image.Image) -> Tensor:
        """Return a picture's embedding, (1, width); it is encoded alone."""
        side = self.vision.sizes.image_size
        values = picture_values(middle_square(picture, side), side)
        embeddings: Tensor = self.vision(values[None].to(self.vision.to_language.weight))[0]
        return embeddings

    @torch.inference_mode()
    def shown(self, pictures: Sequence[Tensor]) -> list[Tensor]:
        """Return what stands in a prompt's place: the sum of its pictures' embeddings, if any."""
        return [torch.stack(list(pictures)).sum(dim=0)] if pictures else []
