"""What the folders and cards of the models that ship have in common."""

from __future__ import annotations

import copy
import hashlib
import importlib.metadata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from cobsat.images import ImageSource, image_source
from cobsat.spec import THEMES
from PIL import Image

from .drawings import theme_labels

__all__ = [
    "SCORE_NAMES",
    "file_digest",
    "open_pictures",
    "save_half",
    "shipped_labels",
    "table",
    "versions",
]

SCORE_NAMES: Final = {
    "none": "as they are",
    "jpeg_40": "saved as JPEG of quality 40",
    "resize_128": "resized to 128 pixels",
    "flip": "flipped left to right",
    "turn_left_10": "turned by 10 degrees to the left",
    "turn_right_10": "turned by 10 degrees to the right",
    "noise_8": "with noise (standard deviation 8 of 255)",
    "descriptions": "their 500 descriptions",
}
"""What the disturbances and the descriptions are called on a card."""

_LIBRARIES: Final = ("torch", "transformers", "tokenizers", "resvg-py", "pillow")


def save_half(out: Path, model: Any, *others: Any) -> None:
    """Write a model in half precision, and what goes with it (tokenizer, processor)."""
    out.mkdir(parents=True, exist_ok=True)
    copy.deepcopy(model).half().save_pretrained(out)
    for other in others:
        other.save_pretrained(out)
    for file in out.iterdir():  # the library writes weights for their owner alone
        file.chmod(0o644)


def shipped_labels() -> list[tuple[str, str, str]]:
    """Return theme, attribute and object of the 500 shipped pictures, in Table 1's order."""
    return [(theme, a, o) for theme in THEMES for a, o in theme_labels(theme)]


def open_pictures() -> tuple[ImageSource, list[Image.Image]]:
    """Return the shipped source and its 500 pictures, in the order of `shipped_labels`."""
    source = image_source("rendered")
    return source, [Image.open(source.paths[label]).convert("RGB") for label in shipped_labels()]


def file_digest(path: Path) -> str:
    """Return a file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def versions() -> str:
    """Return the versions of the libraries that decide a training's result."""
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES)


def table(rows: Iterable[tuple[str, Any]]) -> str:
    """Return a Markdown table's rows of two cells."""
    return "\n".join(f"| {name} | {value} |" for name, value in rows)
