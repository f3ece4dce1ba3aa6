"""Image sources: where the 500 pictures and their descriptions come from.

A source is a folder in the official layout (see `layout.py`). `rendered` ships with the package,
`official` is the Hub file of the paper's authors (see `official.py`), anything else is a folder.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageOps

from .layout import LABELS, SUFFIXES, TABLES, Label, stem
from .official import fill_once, official_folder
from .spec import nearest

_NAMED: Final = ("rendered", "official")


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
        ValueError: A file is no picture, or a table cannot be read.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise FileNotFoundError(
            f"images must be 'rendered', 'official' or a folder in the official layout, got "
            f"{os.fspath(folder)!r}, which is no folder{nearest(folder.name, _NAMED)}"
        )
    paths = _pictures(folder)
    captions = _captions(folder)
    missing = []
    for label in LABELS:
        missing += [] if label in paths else [f"{stem(label)}.jpg"]
        missing += [] if captions.get(label) else [f"description of {stem(label)}"]
    if missing:
        raise FileNotFoundError(
            f"{os.fspath(folder)} must hold 500 pictures and their descriptions in the official "
            f"layout; {len(missing)} are missing: {_first(missing)}"
        )
    broken = [stem(label) for label in LABELS if not _is_picture(paths[label])]
    if broken:
        raise ValueError(
            f"{os.fspath(folder)} must hold pictures that can be opened; {len(broken)} cannot: "
            f"{_first(broken)}"
        )
    ordered = {label: paths[label] for label in LABELS}
    return ImageSource(
        name, _digest(ordered), ordered, {label: captions[label] for label in LABELS}
    )


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _pictures(folder: Path) -> dict[Label, str]:
    """Return the picture of each label that has one; endings may be in capitals."""
    labels = {stem(label): label for label in LABELS}
    found: dict[Label, str] = {}
    for home in dict.fromkeys(name.partition("/")[0] for name in labels):
        files = (folder / home).iterdir() if (folder / home).is_dir() else iter(())
        pictures = [file for file in files if file.suffix.lower() in SUFFIXES and file.is_file()]
        for file in sorted(pictures, key=lambda file: SUFFIXES.index(file.suffix.lower())):
            label = labels.get(f"{home}/{file.stem}")
            if label is not None:
                found.setdefault(label, str(file))
    return found


def _captions(folder: Path) -> dict[Label, str]:
    labels = {Path(stem(label)).name: label for label in LABELS}
    captions: dict[Label, str] = {}
    for table in (folder / name for name in TABLES):
        if not table.is_file():
            continue
        try:
            with open(table, newline="", encoding="utf-8-sig") as file:
                rows = csv.DictReader(file)
                columns = rows.fieldnames or []
                if not {"image", "caption"} <= set(columns):
                    raise ValueError(f"the columns {', '.join(columns)}")
                for row in rows:
                    label = labels.get(Path((row["image"] or "").replace("\\", "/")).stem)
                    if label is not None:
                        captions[label] = (row["caption"] or "").strip()
        except (ValueError, csv.Error) as error:
            raise ValueError(
                f"{table} must be a CSV table in UTF-8 with the columns image and caption, got "
                f"{error}"
            ) from error
    return captions


def _is_picture(path: str) -> bool:
    """Return whether a file begins as a picture does (an error page or a pointer file does not)."""
    with open(path, "rb") as file:
        start = file.read(12)
    if start.startswith((b"\xff\xd8\xff", b"\x89PNG")) or start[8:] == b"WEBP":
        return True  # Pillow would take a hundred times longer to say so
    try:
        with Image.open(path):
            return True
    except (OSError, ValueError):
        return False


def _digest(paths: dict[Label, str]) -> str:
    whole = hashlib.sha256()
    for label in LABELS:
        with open(paths[label], "rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


def image_source(images: str = "rendered", home: Path | None = None) -> ImageSource:
    """Return an image source by name, or by the path of a folder.

    Args:
        images: "rendered", "official" or a folder.
        home: The folder beside which `rendered` lies, if not this file's.

    Raises:
        FileNotFoundError: The folder is incomplete, or the official file cannot be had.
        ValueError: A picture, a table or the official file cannot be read.
    """
    name = source_name(images)
    if name == "rendered":
        return _read_once((home or Path(__file__).parent) / "rendered", name)
    if name == "official":
        return _read_once(official_folder(), name)
    folder = Path(images).expanduser().resolve()
    return _read_once(folder, name, _state(folder))


@lru_cache(maxsize=8)
def _read_once(folder: Path, name: str, state: tuple[Any, ...] = ()) -> ImageSource:
    return read_source(folder, name)


def _state(folder: Path) -> tuple[Any, ...]:
    """Return what changes when a file of one's own folder does, as happens in a notebook."""
    files = sorted([*folder.glob("*.csv"), *folder.glob("*_*/*.*")])
    stats = [(file, file.stat()) for file in files]
    return tuple((str(file), stat.st_mtime_ns, stat.st_size) for file, stat in stats)


def source_name(images: str) -> str:
    """Return an image source's name: "rendered", "official" or "folder:NAME"."""
    if images in _NAMED:
        return images
    return f"folder:{Path(images).expanduser().resolve().name}"


def settle(source: ImageSource, cache: Path) -> ImageSource:
    """Copy a source's pictures to a place of their own in a cache, named by their digest.

    Rows of a prepared dataset hold these paths: they stay valid when the environment or the
    checkout that the pictures came from is gone.
    """
    home = cache / "cobsat_images" / source.digest[:16]
    fill_once(home, lambda partial: _copy(source, partial))
    return _settled(source, home)


@lru_cache(maxsize=8)
def _settled(source: ImageSource, home: Path) -> ImageSource:
    return replace(source, paths={label: str(home / _place(source, label)) for label in LABELS})


def _place(source: ImageSource, label: Label) -> str:
    return stem(label) + Path(source.paths[label]).suffix


def _copy(source: ImageSource, folder: Path) -> None:
    for label, path in source.paths.items():
        target = folder / _place(source, label)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


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
        try:
            with Image.open(file) as opened:
                decoded = _as_rgb(ImageOps.exif_transpose(opened))  # upright, as `datasets` does
        except FileNotFoundError:
            raise
        except (OSError, SyntaxError, ValueError) as error:  # Pillow raises all three
            raise OSError(f"{key} must be a whole picture, got {error}") from error
        self._images[key] = decoded
        if len(self._images) > self.size:
            self._images.popitem(last=False)
        return decoded


def _as_rgb(picture: Image.Image) -> Image.Image:
    """Return a picture in RGB.

    Raises:
        ValueError: Its numbers have no known range.
    """
    if picture.mode in ("I", "F"):
        raise ValueError(f"mode {picture.mode}, which has no range: save it with 8 bits a channel")
    return eight_bits(picture).convert("RGB")


def eight_bits(picture: Image.Image) -> Image.Image:
    """Return a picture of 16 bits in 8; Pillow's own conversion cuts what is brighter than 255."""
    if not picture.mode.startswith("I;16"):
        return picture
    return Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8))
