"""Pictures as servers take them: a file's bytes and MIME type, or a data URL.

A PNG, JPEG, WebP or GIF file goes as it is. What servers do not take, or take otherwise than it is
shown (another format, a moving picture, a turned photo, CMYK or 16 bits), goes as PNG.
"""

from __future__ import annotations

import base64
import io
import os
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from PIL import Image, ImageOps

__all__ = ["ChatPicture", "chat_picture", "data_url"]

_MODES: Final = {
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA"),
    "JPEG": ("L", "RGB"),
    "WEBP": ("RGB", "RGBA"),
    "GIF": ("L", "P", "RGB", "RGBA"),
}
"""Formats that servers take, and the modes in which they take them as they are."""

_ORIENTATION: Final = 0x0112


class ChatPicture(NamedTuple):
    """A picture's file as it is sent."""

    data: bytes
    mime: str


def chat_picture(picture: str | os.PathLike[str] | bytes | Image.Image) -> ChatPicture:
    """Return what is sent of a picture: of its path, its file's bytes, or itself.

    Raises:
        OSError: The file is missing or is no picture.
        ValueError: The picture's data is broken.
    """
    if isinstance(picture, Image.Image):
        return _png(picture)
    if isinstance(picture, bytes):
        return _from_bytes(picture)
    there = os.stat(picture)
    return _known(os.fspath(picture), there.st_mtime_ns, there.st_size)[0]


def data_url(picture: str | os.PathLike[str] | bytes | Image.Image) -> str:
    """Return a picture as the URL that a chat's image part takes.

    >>> data_url(Image.new("RGB", (1, 1)))[:30]
    'data:image/png;base64,iVBORw0K'
    """
    if isinstance(picture, Image.Image | bytes):
        return _url(chat_picture(picture))
    there = os.stat(picture)
    return _known(os.fspath(picture), there.st_mtime_ns, there.st_size)[1]


@lru_cache(maxsize=128)  # a theme has 100 pictures, and every prompt repeats some
def _known(path: str, _mtime_ns: int, _size: int) -> tuple[ChatPicture, str]:
    sent = _from_bytes(Path(path).read_bytes())
    return sent, _url(sent)


def _url(picture: ChatPicture) -> str:
    return f"data:{picture.mime};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _from_bytes(data: bytes) -> ChatPicture:
    with Image.open(io.BytesIO(data)) as opened:
        kind = opened.format or ""
        as_it_is = (
            opened.mode in _MODES.get(kind, ())
            and not getattr(opened, "is_animated", False)
            and opened.getexif().get(_ORIENTATION, 1) == 1
        )
        return ChatPicture(data, f"image/{kind.lower()}") if as_it_is else _png(opened)


def _png(picture: Image.Image) -> ChatPicture:
    upright = ImageOps.exif_transpose(picture)
    if upright.mode not in ("L", "RGB", "RGBA"):
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    buffer = io.BytesIO()
    upright.save(buffer, format="PNG")
    return ChatPicture(buffer.getvalue(), "image/png")
