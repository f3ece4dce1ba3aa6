"""How a model's pictures reach the run folder: whole or not at all, and equal ones once."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Final

from PIL import Image

_MODES: Final = ("L", "RGB", "RGBA")
_SUFFIXES: Final = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}


def picture_file(image: Image.Image | str, example_id: str) -> tuple[str, bytes]:
    """Return a picture's file name in `images/` and its bytes.

    A PIL image becomes `ID.png`. An existing file keeps its bytes and is named by their digest,
    so that the thousand uses of one shipped picture are stored once.

    Raises:
        OSError: The file is missing or is no picture.
        ValueError: The picture's data is broken.
    """
    if isinstance(image, Image.Image):
        shown = image if image.mode in _MODES else image.convert("RGB")
        buffer = io.BytesIO()
        shown.save(buffer, format="PNG")
        return f"{example_id}.png", buffer.getvalue()
    data = Path(image).read_bytes()
    with Image.open(io.BytesIO(data)) as opened:
        kind = opened.format or "PNG"
    suffix = _SUFFIXES.get(kind, kind.lower())
    return f"{hashlib.sha256(data).hexdigest()[:16]}.{suffix}", data


def write_picture(path: Path, data: bytes) -> None:
    """Write a file so that it is there in full or not there, also when the process is killed.

    A file named by its digest is written once: what stands under that name has that content.
    """
    if path.exists() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    with open(partial, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
