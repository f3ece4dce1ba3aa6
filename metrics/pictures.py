"""Opening pictures that a model made, whatever is wrong with them. The judges share it."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Final, TypeAlias

from cobsat.images import eight_bits
from PIL import ExifTags, Image, ImageOps

__all__ = ["UNREADABLE", "Output", "TooThin", "open_picture", "why_unreadable"]

Output: TypeAlias = str | bytes | Image.Image
"""A picture (its path, the bytes of its file, or itself) or, if descriptions are judged, a text."""

UNREADABLE: Final = (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError)
"""What Pillow raises for files that are missing, broken, no pictures, or far too large."""


_LONGEST: Final = 100
"""A picture's longer side is at most so many times the shorter one.

Processors that bring the shorter side to the model's size would make of a strip more pixels than
memory holds.
"""


class TooThin(ValueError):  # noqa: N818  (its name is shown as the reason of a verdict)
    """A strip of a picture, in which nothing can be seen."""


def open_picture(picture: Output) -> Image.Image:
    """Return a picture as it is seen, in RGB, its file closed.

    A photograph is turned upright, what is transparent is white, of moving pictures the first is
    taken, and 16 bits become 8.

    Raises:
        OSError: Or another of `UNREADABLE`: it cannot be read.
    """
    if isinstance(picture, Image.Image):
        return _as_seen(picture)
    with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as file:
        return _as_seen(file)


def _as_seen(picture: Image.Image) -> Image.Image:
    if max(picture.size) > _LONGEST * min(picture.size):
        raise TooThin(f"picture must be at most {_LONGEST} times as long as wide")
    upright = eight_bits(_upright(picture))
    if not upright.has_transparency_data:
        return upright.convert("RGB")
    seen = Image.new("RGBA", upright.size, "white")
    return Image.alpha_composite(seen, upright.convert("RGBA")).convert("RGB")


def _upright(picture: Image.Image) -> Image.Image:
    try:
        orientation = picture.getexif().get(ExifTags.Base.Orientation, 1)
    except (*UNREADABLE, KeyError, TypeError, struct.error):  # what it says of itself is broken
        return picture
    return picture if orientation == 1 else ImageOps.exif_transpose(picture)


def why_unreadable(picture: Output, error: BaseException) -> str:
    """Return the reason for a verdict; the file's name alone, for folders differ by machine."""
    name = Path(picture).name if isinstance(picture, str) else "picture"
    return f"image cannot be read: {name}: {type(error).__name__}"
