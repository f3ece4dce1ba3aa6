"""Qwen-VL-Chat put together: image tower and resampler, language model, tokenizer.

system = QwenVLChat.from_pretrained("checkpoints/qwen-vl-chat")   # `cobsat convert` made it
system = QwenVLChat.tiny(seed=0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from cobsat.checkpoints import no_progress_bar
from PIL import Image
from torch import Tensor
from transformers import Qwen2Tokenizer

from ..checkpoints import choose_device, load_exactly
from ..conversion import CONFIG, WEIGHTS, read_state
from ..picture_values import picture_values
from ..port_options import unconverted
from ..published_state import read_config
from ..spliced import spliced
from . import LANGUAGE_MODEL, VISION
from .convert import vision_from
from .language_model import QwenVLLanguageModel
from .prompts import Prompt
from .vision import Vision, VisionSizes
from .words import Vocabulary

__all__ = ["QwenVLChat"]


@dataclass(frozen=True)
class QwenVLChat:
    """A Qwen-VL-Chat.

    Attributes:
        language_model: Its language model.
        words: Its tokenizer.
        vision: Image tower and resampler.
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
    ) -> QwenVLChat:
        """Return a system from a folder that `cobsat convert` made.

        Args:
            checkpoint: The folder.
            dtype: Of all parts, as torch names it; "auto" is the checkpoint's.
            device: As torch names it, or "auto": a GPU if there is one.
            device_map: Of the language model, as accelerate takes it.

        Raises:
            OSError: There is no such folder, or a file lacks.
            ValueError: It is not Qwen-VL-Chat's, or not the whole of it.
        """
        if device_map is not None and device != "auto":
            raise ValueError(f"device must be auto with a device_map, got {device!r}")
        folder = Path(checkpoint)
        if not all((folder / part).is_dir() for part in (LANGUAGE_MODEL, VISION)):
            raise unconverted("qwen_vl_chat", checkpoint)
        source = str(folder / LANGUAGE_MODEL)
        model = load_exactly(
            QwenVLLanguageModel, source, "Qwen-VL-Chat", dtype=dtype, device_map=device_map
        )
        if device_map is None:
            model = model.to(choose_device(device))
        with no_progress_bar():
            words = Qwen2Tokenizer.from_pretrained(source)
        sizes = VisionSizes(**read_config(folder / VISION / CONFIG))
        state = read_state(folder / VISION / WEIGHTS)
        moved = {name: tensor.to(model.device, model.dtype) for name, tensor in state.items()}
        vision = vision_from(sizes, moved)
        return cls(model, words, vision, Vocabulary.of(words, sizes.queries))._checked()

    @classmethod
    def tiny(cls, seed: int = 0, device: str = "cpu") -> QwenVLChat:
        """Return the real classes at tiny size, with random weights."""
        from . import tiny

        words = tiny.tiny_words()
        vocabulary = Vocabulary.of(words, tiny.SIZES.queries)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = tiny.tiny_language_model(words, vocabulary)
            vision = tiny.tiny_vision()
        where = choose_device(device)
        return cls(model.to(where), words, vision.to(where), vocabulary)._checked()

    def _checked(self) -> QwenVLChat:
        config = self.language_model.config
        last = max((*self.vocabulary.ends, self.vocabulary.picture, self.vocabulary.picture_end))
        if last >= config.vocab_size:
            raise ValueError(
                f"the language model must have a row for each token of its tokenizer, up to "
                f"{last:,}, got {config.vocab_size:,} rows"
            )
        if self.vision.sizes.output_width != config.hidden_size:
            raise ValueError(
                f"pictures must become embeddings of the language model's width "
                f"{config.hidden_size}, got {self.vision.sizes.output_width}"
            )
        self.language_model.generation_config.eos_token_id = list(self.vocabulary.ends)
        return self

    @torch.inference_mode()
    def see(self, picture: Image.Image) -> Tensor:
        """Return a picture's embeddings (queries, width); it is encoded alone."""
        values = picture_values(picture, self.vision.sizes.image_size)
        places = self.vision.places
        embeddings: Tensor = self.vision(values[None].to(places.device, places.dtype))[0]
        return embeddings

    def embedded(self, prompt: Prompt, pictures: Sequence[Tensor]) -> Tensor:
        """Return a prompt's embeddings (tokens, width), those of its pictures in their places."""
        return spliced(self.language_model.get_input_embeddings(), prompt, pictures)
