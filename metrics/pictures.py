"""Opening pictures that a model made, whatever is wrong with them. The judges share it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final, TypeAlias

from PIL import Image

__all__ = ["UNREADABLE", "Output", "open_picture", "why_unreadable"]

Output: TypeAlias = str | bytes | Image.Image
"""A picture (its path, the bytes of its file, or itself) or, if descriptions are judged, a text."""

UNREADABLE: Final = (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError)
"""What Pillow raises for files that are missing, broken, no pictures, or far too large."""


def open_picture(picture: Output) -> Image.Image:
    """Return a picture in RGB, its file closed.

    Raises:
        OSError: Or another of `UNREADABLE`: it cannot be read.
    """
    if isinstance(picture, Image.Image):
        return picture.convert("RGB")
    with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as file:
        return file.convert("RGB")


def why_unreadable(picture: Output, error: BaseException) -> str:
    """Return the reason for a verdict; the file's name alone, for folders differ by machine."""
    name = Path(picture).name if isinstance(picture, str) else "picture"
    return f"image cannot be read: {name}: {type(error).__name__}"
