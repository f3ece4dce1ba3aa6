"""How a model's pictures reach the run folder: whole or not at all, and equal ones once."""

from __future__ import annotations

import hashlib
import io
import os
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from cobsat.processes import rank
from PIL import Image

_MODES: Final = ("L", "RGB", "RGBA")
_SUFFIXES: Final = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp"}
_SETTLED: Final = 2.0
"""Seconds after which a file that is written anew has another time of change, on any file system;
a younger one is read each time."""


@dataclass(frozen=True)
class Picture:
    """A picture as it will lie in the run folder: its file's name, bytes and SHA-256."""

    name: str
    data: bytes
    sha256: str


def picture_file(image: Image.Image | str, example_id: str) -> Picture:
    """Return the file that a model's picture becomes in `images/`.

    A PIL image becomes `ID.png`. An existing file keeps its bytes and is named by their digest,
    so that the thousand uses of one shipped picture are stored once.

    Raises:
        OSError: The file is missing or is no picture.
        ValueError: The picture's data is broken.
    """
    if isinstance(image, str):
        there = os.stat(image)
        if time.time() - there.st_mtime < _SETTLED:
            return _read(image)
        return _known(image, there.st_mtime_ns, there.st_size)
    shown = image if image.mode in _MODES else image.convert("RGB")
    buffer = io.BytesIO()
    shown.save(buffer, format="PNG")
    data = buffer.getvalue()
    return Picture(f"{example_id}.png", data, hashlib.sha256(data).hexdigest())


@lru_cache(maxsize=128)  # a theme has 100 pictures, and every prompt repeats some
def _known(path: str, _mtime_ns: int, _size: int) -> Picture:
    return _read(path)


def _read(path: str) -> Picture:
    data = Path(path).read_bytes()
    with Image.open(io.BytesIO(data)) as opened:
        kind = opened.format or "PNG"
    digest = hashlib.sha256(data).hexdigest()
    return Picture(f"{digest[:16]}.{_SUFFIXES.get(kind, kind.lower())}", data, digest)


def write_picture(path: Path, data: bytes) -> None:
    """Write a file, unless it is there, so that a killed process leaves all of it or nothing."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Of several processes each writes a file of its own, where two give the same picture.
    partial = path.with_name(f"{path.name}.{rank() or 0}.partial")
    with open(partial, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
