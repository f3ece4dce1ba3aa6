"""MiniGPT-4 put together: BLIP-2's image tower and Q-Former, one linear layer, Vicuna.

system = MiniGPT4.from_pretrained("checkpoints/minigpt4-7b")   # `cobsat convert` made it
system = MiniGPT4.tiny(seed=0)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from PIL import Image
from torch import Tensor
from transformers import Blip2ForConditionalGeneration

from ..checkpoints import choose_device, load_exactly
from ..conversion import CONFIG
from ..llama_words import load_llama_words
from ..picture_values import picture_values
from ..port_options import unconverted
from .prompts import Vocabulary

__all__ = ["MiniGPT4"]

_FINAL_NORM_EPS: Final = 1e-5
"""Of the norm after the tower, as published; its blocks have the config's."""


@dataclass(frozen=True)
class MiniGPT4:
    """A MiniGPT-4.

    Attributes:
        model: A `Blip2ForConditionalGeneration` whose language model is a LLaMA.
        words: Its tokenizer.
        vocabulary: The ids that prompts are made with.
    """

    model: Any
    words: Any
    vocabulary: Vocabulary

    @classmethod
    def from_pretrained(
        cls,
        checkpoint: str,
        *,
        dtype: str = "auto",
        device: str = "auto",
        device_map: str | None = None,
    ) -> MiniGPT4:
        """Return a system from a folder that `cobsat convert` made.

        Args:
            checkpoint: The folder.
            dtype: As torch names it; "auto" is Vicuna's. In float16 the Q-Former stays in float32.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: As accelerate takes it.

        Raises:
            OSError: There is no such folder, or a file lacks.
            ValueError: It is not MiniGPT-4's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        if not (Path(checkpoint) / CONFIG).is_file():
            raise unconverted("minigpt4", checkpoint)
        model = load_exactly(
            Blip2ForConditionalGeneration, checkpoint, "MiniGPT-4", dtype=dtype,
            device_map=device_map,
        )  # fmt: skip
        if device_map is None:
            model = model.to(choose_device(device))
        return cls.of(model, load_llama_words(checkpoint))

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu") -> MiniGPT4:
        """Return the real classes at tiny size, with random weights."""
        from . import tiny

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            words = tiny.tiny_words()
            model = tiny.tiny_model(words)
        return cls.of(model.to(choose_device(device)), words)

    @classmethod
    def of(cls, model: Any, words: Any) -> MiniGPT4:
        """Return a system of its parts.

        Raises:
            ValueError: The tokenizer is none of LLaMA's, or has more tokens than there are rows.
        """
        vocabulary = Vocabulary.of(words, model.config.num_query_tokens)
        rows = model.config.text_config.vocab_size
        if len(words) > rows:
            raise ValueError(
                f"the language model must have a row for each of {len(words):,} tokens, got "
                f"{rows:,} rows"
            )
        model.vision_model.post_layernorm.eps = _FINAL_NORM_EPS
        return cls(model, words, vocabulary)

    @torch.inference_mode()
    def see(self, picture: Image.Image) -> Tensor:
        """Return a picture's embeddings (queries, width); it is encoded alone."""
        tower = self.model.vision_model
        values = picture_values(picture, tower.config.image_size)
        seen = self.model.get_image_features(values[None].to(tower.device, tower.dtype))
        embeddings: Tensor = seen.pooler_output[0]
        return embeddings
