"""Write mini-clip's folder: half-precision weights, files of tokenizer and processor, and its card.

The scores on the card are measured on what was written, read anew.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cobsat.images import image_source
from cobsat.spec import THEMES
from PIL import Image
from transformers import CLIPImageProcessorPil, CLIPModel, CLIPTokenizer

from .augment import DISTURBANCES
from .drawings import theme_labels
from .mini_clip_model import build_processor, option_texts, text_embeddings

__all__ = ["measure", "progress", "save", "write_card"]


def save(out: Path, model: CLIPModel, tokenizer: CLIPTokenizer) -> None:
    """Write weights in half precision, configuration, tokenizer and image processor."""
    out.mkdir(parents=True, exist_ok=True)
    half = copy.deepcopy(model).half()  # type: ignore[no-untyped-call]
    half.save_pretrained(out)
    tokenizer.save_pretrained(out)
    build_processor().save_pretrained(out)


def measure(folder: Path) -> dict[str, float]:
    """Return how often object and attribute are both right on the 500 shipped pictures and words.

    The keys are those of `DISTURBANCES`, and "descriptions".
    """
    model = CLIPModel.from_pretrained(folder, dtype=torch.float32).train(False)
    tokenizer = CLIPTokenizer.from_pretrained(folder)
    processor = CLIPImageProcessorPil.from_pretrained(folder)
    source = image_source("rendered")
    labels = [(theme, a, o) for theme in THEMES for a, o in theme_labels(theme)]
    pictures = [Image.open(source.paths[label]).convert("RGB") for label in labels]
    scores: dict[str, float] = {}
    with torch.inference_mode():
        texts, *places = option_texts()
        options = text_embeddings(model, tokenizer, texts)
        for name, disturb in DISTURBANCES.items():
            embedded = []
            for start in range(0, len(pictures), 50):
                batch = [disturb(picture) for picture in pictures[start : start + 50]]
                pixels = processor(batch, return_tensors="pt")["pixel_values"]
                pooled = model.vision_model(pixels).pooler_output
                embedded.append(model.visual_projection(pooled))
            scores[name] = _accuracy(torch.cat(embedded), options, places)
        words = [source.descriptions[label] for label in labels]
        described = text_embeddings(model, tokenizer, words)
        scores["descriptions"] = _accuracy(described, options, places)
    return scores


def _accuracy(outputs: torch.Tensor, options: torch.Tensor, places: list[list[list[int]]]) -> float:
    """Return the share of outputs, in the order of the 500 labels, that are recognized."""
    right = np.ones(len(outputs), bool)
    numbers = np.arange(100)
    for indices, answers in zip(places, (numbers % 10, numbers // 10), strict=True):
        for theme, members in enumerate(indices):
            part = slice(theme * 100, theme * 100 + 100)
            found = (outputs[part] @ options[members].T).argmax(dim=1).numpy()
            right[part] &= found == answers
    return float(right.mean())


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None]]:
    """Show how far something is: a bar on a terminal, elsewhere a line now and then."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)

        def update(done: int, total: int, note: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {note}")
            if not console.is_terminal and done % max(1, total // 40) == 0:
                console.print(f"{what}: {done} of {total} {note}")

        yield update


def write_card(
    out: Path, settings: Any, digest: str, threads: int, minutes: float, measured: dict[str, float]
) -> None:
    """Write the model card."""
