"""A CLIP checkpoint of `transformers`: from pictures and texts to unit vectors.

On a CPU each thread reads a batch and looks at it with one core, so that decoding one batch goes on
beside the forward pass of another; on a GPU the threads read ahead and take turns on the device.
"""

from __future__ import annotations

import importlib.metadata
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import torch
from cobsat.checkpoints import no_progress_bar, weights_digest
from cobsat.spec import choose
from PIL import Image
from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

from .pictures import UNREADABLE, Output, open_picture, why_unreadable

__all__ = ["DTYPES", "ClipEncoder", "Embedded"]

DTYPES: Final[dict[str, torch.dtype]] = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}
_READERS: Final = 8
"""Threads that read for one GPU, at most: more would wait for Python's lock."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Embedded(NamedTuple):
    """One output's vector, or why it has none."""

    vector: torch.Tensor | None
    problem: str = ""
    truncated: bool = False


class ClipEncoder:
    """Embeds pictures and texts with one checkpoint.

    Attributes:
        model: The checkpoint's model, in evaluation mode.
        tokenizer: Its tokenizer.
        processor: Its image processor, with PIL.
    """

    def __init__(
        self, source: str, revision: str, device: str | None, dtype: str, batch_size: int
    ) -> None:
        """Load a checkpoint from a folder or the Hub.

        Raises:
            OSError: There is no such checkpoint, or none with safetensors.
            ValueError: It is of another type than CLIP, or an option is out of its range.
        """
        choose("dtype", dtype, DTYPES)
        if batch_size < 1:
            raise ValueError(f"forward_batch_size must be at least 1, got {batch_size}")
        _check_type(source, revision)
        self.batch_size = batch_size
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        with no_progress_bar():
            model = CLIPModel.from_pretrained(
                source, revision=revision, dtype=DTYPES[dtype], use_safetensors=True
            )
        self.model = model.train(False).to(self._device)
        self.tokenizer = CLIPTokenizer.from_pretrained(source, revision=revision)
        # the PIL processor, whether or not torchvision is installed: their pixels differ
        self.processor = CLIPImageProcessorPil.from_pretrained(source, revision=revision)
        self._length = int(self.model.text_model.config.max_position_embeddings)
        self._levels = _levels(self.processor).to(self._device, DTYPES[dtype])
        on_cpu = self._device.type == "cpu"
        self._turn: AbstractContextManager[Any] = nullcontext() if on_cpu else threading.Lock()
        self._record = {
            "revision": getattr(self.model.config, "_commit_hash", None),
            "weights_sha256": weights_digest(Path(source)),
            "dtype": dtype,
            "image_processor": type(self.processor).__name__,
        }

    def record(self) -> dict[str, Any]:
        """Return revision, digest of local weights, dtype, and versions."""
        libraries = ("torch", "transformers", "pillow")
        versions = {name: importlib.metadata.version(name) for name in libraries}
        return {**self._record, "versions": versions}

    def texts(self, texts: Iterable[str]) -> list[Embedded]:
        """Embed texts; one that is too long is cut at its end, and keeps its end token."""
        texts = list(texts)
        told = [text for text in dict.fromkeys(texts) if text.strip()]
        # here and not in the threads: a fast tokenizer may be borrowed by one at a time;
        # special tokens in a model's text are text: an end token would end the reading
        read: list[list[int]] = (
            self.tokenizer(told, split_special_tokens=True, verbose=False)["input_ids"]
            if told
            else []
        )
        end = self.tokenizer.eos_token_id
        ids = [row if len(row) <= self._length else [*row[: self._length - 1], end] for row in read]
        cut = [len(row) > self._length for row in read]
        vectors = self._in_batches(self._read_texts, ids)
        found = {
            text: Embedded(vector, truncated=was_cut)
            for text, vector, was_cut in zip(told, vectors, cut, strict=True)
        }
        nothing = Embedded(None, "empty description")
        return [found.get(text, nothing) for text in texts]

    def pictures(self, pictures: Sequence[Output]) -> list[Embedded]:
        """Embed pictures, equal paths and bytes once; one that cannot be read has no vector.

        No more of them are in memory at a time than one batch for each thread.
        """
        keys: list[Hashable] = [p if isinstance(p, (str, bytes)) else id(p) for p in pictures]
        new = dict(zip(keys, pictures, strict=True))
        found = dict(zip(new, self._in_batches(self._look, list(new.values())), strict=True))
        return [found[key] for key in keys]

    def _in_batches(
        self, work: Callable[[Sequence[_Item]], Sequence[_Result]], items: Sequence[_Item]
    ) -> list[_Result]:
        """Return what `work` makes of each item, in order; threads work on a batch each."""
        cores = torch.get_num_threads()
        on_cpu = self._device.type == "cpu"
        workers = cores if on_cpu else min(_READERS, os.cpu_count() or 1)
        parts = _even_parts(items, workers, self.batch_size)
        if len(parts) < 2:
            return [result for part in parts for result in work(part)]
        one_core = (lambda: torch.set_num_threads(1)) if on_cpu else None
        try:
            with ThreadPoolExecutor(workers, "clip", initializer=one_core) as pool:
                return [result for results in pool.map(work, parts) for result in results]
        finally:
            torch.set_num_threads(cores)  # of this thread as before, and of threads to come

    def _read_texts(self, rows: Sequence[list[int]]) -> list[torch.Tensor]:
        """Return the vectors of texts that are token ids, with their end tokens."""
        width = max(len(row) for row in rows)
        pad = self.tokenizer.pad_token_id
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        with self._turn, torch.inference_mode():
            features = self.model.get_text_features(
                input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
            )
            return list(_unit(features))

    def _look(self, pictures: Sequence[Output]) -> list[Embedded]:
        """Read one batch of pictures and embed it."""
        pixels: list[np.ndarray[Any, Any]] = []
        problems: list[str] = []
        for picture in pictures:
            try:
                pixels.append(self._ready(open_picture(picture)))
                problems.append("")
            except UNREADABLE as error:
                problems.append(why_unreadable(picture, error))
        vectors = iter(self._forward(np.stack(pixels)) if pixels else ())
        return [Embedded(None, p) if p else Embedded(next(vectors)) for p in problems]

    def _ready(self, picture: Image.Image) -> np.ndarray[Any, Any]:
        """Return a picture (3, height, width) of the model's size, as bytes."""
        inputs = self.processor(picture, do_rescale=False, do_normalize=False, return_tensors="np")
        ready: np.ndarray[Any, Any] = inputs["pixel_values"][0]
        return ready

    def _forward(self, pixels: np.ndarray[Any, Any]) -> list[torch.Tensor]:
        """Return the vectors of pictures (batch, 3, height, width), as bytes."""
        with self._turn, torch.inference_mode():
            levels = torch.from_numpy(pixels).to(self._device).long()
            values = torch.stack(
                [self._levels[channel][levels[:, channel]] for channel in range(3)], dim=1
            )
            return list(_unit(self.model.get_image_features(pixel_values=values)))


def _check_type(source: str, revision: str) -> None:
    """Refuse other types: their weights would be left out, and random ones would judge."""
    config, _ = CLIPConfig.get_config_dict(source, revision=revision)
    kind = config.get("model_type")
    if kind != "clip":
        raise ValueError(
            f"checkpoint must be of the model type 'clip', as OpenAI's, LAION's and MetaCLIP's "
            f"are, got {kind!r} in {source}"
        )


def _levels(processor: CLIPImageProcessorPil) -> torch.Tensor:
    """Return what the processor makes of each byte, (3, 256): its own arithmetic, done once."""
    ramp = Image.frombytes("RGB", (256, 1), bytes(level for level in range(256) for _ in "rgb"))
    made = processor(ramp, do_resize=False, do_center_crop=False, return_tensors="pt")
    levels: torch.Tensor = made["pixel_values"][0, :, 0]
    return levels


def _even_parts(items: Sequence[_Item], workers: int, size: int) -> list[Sequence[_Item]]:
    """Split items into parts of `size` at most, alike in size, the same number for each worker."""
    rounds = -(-len(items) // (workers * size))
    count = min(len(items), rounds * workers)
    bounds = [len(items) * number // count for number in range(count + 1)] if count else []
    return [items[start:stop] for start, stop in pairwise(bounds)]


def _unit(features: Any) -> torch.Tensor:
    """Return unit vectors, from whatever the installed release gives: a tensor or an object."""
    vectors = features if isinstance(features, torch.Tensor) else features.pooler_output
    return torch.nn.functional.normalize(vectors.float(), dim=-1).cpu()
