"""Image sources: where the 500 pictures and their descriptions come from.

A source is a folder in the official layout (see `layout.py`). `rendered` ships with the package,
`official` is the Hub file of the paper's authors (see `official.py`), anything else is a folder.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from .layout import LABELS, SUFFIXES, TABLES, Label, stem
from .official import official_folder


@dataclass(frozen=True, eq=False)
class ImageSource:
    """500 pictures with descriptions.

    Attributes:
        name: "rendered", "official" or "folder:NAME".
        digest: SHA-256 over the SHA-256 of the 500 pictures, in `LABELS`' order.
        paths: The picture of each label.
        descriptions: The description of each label.
    """

    name: str
    digest: str
    paths: dict[Label, Any]
    descriptions: dict[Label, str]


def read_source(folder: Path, name: str) -> ImageSource:
    """Read a folder in the official layout.

    Raises:
        FileNotFoundError: The folder, a picture or a description is missing; the message counts
            them and names the first.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise FileNotFoundError(
            f"images must be 'rendered', 'official' or a folder in the official layout, got "
            f"{os.fspath(folder)!r}, which is no folder"
        )
    captions = _captions(folder)
    paths: dict[Label, str] = {}
    descriptions: dict[Label, str] = {}
    missing: list[str] = []
    for label in LABELS:
        relative = stem(label)
        found = next(
            (p for s in SUFFIXES if (p := folder / (relative + s)).is_file()),
            None,
        )
        caption = captions.get(Path(relative).name, "").strip()
        if found is None:
            missing.append(relative + SUFFIXES[1])
        else:
            paths[label] = str(found)
        if not caption:
            missing.append(f"description of {relative}")
        descriptions[label] = caption
    if missing:
        shown = ", ".join(missing[:5]) + (", …" if len(missing) > 5 else "")
        raise FileNotFoundError(
            f"{os.fspath(folder)} must hold 500 pictures and their descriptions in the official "
            f"layout; {len(missing)} are missing: {shown}"
        )
    return ImageSource(name, _digest(paths), paths, descriptions)


def _captions(folder: Path) -> dict[str, str]:
    captions: dict[str, str] = {}
    for table in (folder / name for name in TABLES):
        if table.is_file():
            with open(table, newline="", encoding="utf-8-sig") as file:
                for row in csv.DictReader(file):
                    name = (row.get("image") or "").replace("\\", "/")
                    captions[Path(name).stem] = row.get("caption") or ""
    return captions


def _digest(paths: dict[Label, str]) -> str:
    whole = hashlib.sha256()
    for label in LABELS:
        with open(paths[label], "rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


@lru_cache(maxsize=8)
def image_source(images: str = "rendered", home: Path | None = None) -> ImageSource:
    """Return an image source by name, or by the path of a folder.

    Args:
        images: "rendered", "official" or a folder.
        home: The folder beside which `rendered` lies, if not this file's.

    Raises:
        FileNotFoundError: The folder is incomplete, or the official file cannot be had.
    """
    if images == "rendered":
        return read_source((home or Path(__file__).parent) / "rendered", "rendered")
    if images == "official":
        return read_source(official_folder(), "official")
    folder = Path(images).expanduser()
    return read_source(folder, f"folder:{folder.resolve().name}")


@lru_cache(maxsize=8)
def settle(source: ImageSource, cache: Path) -> ImageSource:
    """Copy a source's pictures to a place of their own in a cache, named by their digest.

    Rows of a prepared dataset hold these paths: they stay valid when the environment or the
    checkout that the pictures came from is gone.
    """
    home = cache / "cobsat_images" / source.digest[:16]
    if not home.is_dir():
        partial = home.with_name(f"{home.name}.{uuid.uuid4().hex[:8]}.partial")
        for label, path in source.paths.items():
            target = partial / (stem(label) + Path(path).suffix)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        try:
            os.replace(partial, home)
        except OSError:  # another process was faster
            shutil.rmtree(partial, ignore_errors=True)
    paths = {
        label: str(home / (stem(label) + Path(path).suffix)) for label, path in source.paths.items()
    }
    return ImageSource(source.name, source.digest, paths, source.descriptions)


class ImageCache:
    """Decoded pictures by path, the most recently used `size` of them.

    A theme has 100 pictures and every prompt repeats some: with room for them, each is decoded
    once. 100 pictures of 512 by 512 take about 80 MB.
    """

    def __init__(self, size: int = 128) -> None:
        self.size = size
        self._images: OrderedDict[str, Image.Image] = OrderedDict()

    def open(self, image: str | Image.Image) -> Image.Image:
        """Return a picture as RGB; callers share it and must not draw on it.

        Raises:
            OSError: The file is missing or is no picture.
        """
        if isinstance(image, Image.Image):
            return image
        return self._decoded(image, image)

    def open_stored(self, stored: dict[str, Any]) -> Image.Image:
        """Return the picture of an undecoded `datasets.Image` value, its bytes or its path."""
        data = stored["bytes"]
        if data is None:
            return self.open(stored["path"])
        return self._decoded(hashlib.sha256(data).hexdigest(), BytesIO(data))

    def _decoded(self, key: str, file: str | BytesIO) -> Image.Image:
        known = self._images.get(key)
        if known is not None:
            self._images.move_to_end(key)
            return known
        with Image.open(file) as opened:
            decoded = opened.convert("RGB")
        self._images[key] = decoded
        if len(self._images) > self.size:
            self._images.popitem(last=False)
        return decoded
