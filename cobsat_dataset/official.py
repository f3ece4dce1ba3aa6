"""The official pictures: the Hub dataset `yzeng58/CoBSAT`, one file `datasets.zip`.

Source: https://huggingface.co/datasets/yzeng58/CoBSAT. The file is downloaded through the Hub, or
read from where the environment variable `COBSAT_OFFICIAL_ZIP` says, and only the 500 pictures and
the five tables of descriptions are unpacked.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

import datasets
from filelock import FileLock

from .layout import LABELS, SUFFIXES, TABLES, stem

REPO: Final = "yzeng58/CoBSAT"
FILENAME: Final = "datasets.zip"
VARIABLE: Final = "COBSAT_OFFICIAL_ZIP"
MAX_FILE_BYTES: Final = 64 * 2**20
"""No picture and no table is larger: a larger entry is not unpacked."""
MAX_BYTES: Final = 2 * 2**30
"""All that is wanted together is smaller: no more is unpacked."""

_BROKEN: Final = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError)
"""What `zipfile` raises on damage; RuntimeError on a password and an unknown compression."""


def official_folder() -> Path:
    """Return the folder of the official pictures, downloaded and unpacked if need be.

    Raises:
        FileNotFoundError: The file cannot be had; the message says how to get it.
        ValueError: The file is not the official one.
    """
    local = os.environ.get(VARIABLE)
    return unpack(Path(local).expanduser() if local else _downloaded())


@lru_cache(maxsize=1)
def _downloaded() -> Path:
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(REPO, FILENAME, repo_type="dataset"))
    except Exception as error:  # the Hub client raises many kinds; each means: not to be had
        reason = str(error).strip().split("\n")[0]
        raise FileNotFoundError(
            f"the official pictures must be downloadable from {REPO} on the Hub, or lie in a local "
            f"copy of its {FILENAME} named by {VARIABLE}; the download failed: {reason}"
        ) from error


def unpack(archive: Path, cache: Path | None = None) -> Path:
    """Unpack the wanted files of the official zip into the cache, and return their folder.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no zip file or a broken one, an entry would leave the folder, or what is
            wanted is far too large.
    """
    if not archive.is_file():
        raise FileNotFoundError(f"{VARIABLE} must name the official {FILENAME}, got {archive}")
    state = archive.stat()
    digest = _digest(archive.resolve(), state.st_mtime_ns, state.st_size)
    cache = cache or Path(datasets.config.HF_DATASETS_CACHE)
    home = cache / "cobsat_official" / digest[:16]
    try:
        fill_once(home, lambda partial: _unpack_wanted(archive, partial))
    except _BROKEN as error:
        raise ValueError(f"{archive} must be a zip file that can be read, got: {error}") from error
    return home


def fill_once(home: Path, fill: Callable[[Path], None]) -> None:
    """Make a folder whole or not at all, in one process at a time.

    Args:
        home: The folder; if it is there, it is left as it is.
        fill: Makes the folder that it is given; what a killed process left of it is dropped first.
    """
    if home.is_dir():
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{home}.lock"):
        if home.is_dir():
            return
        partial = home.with_name(f"{home.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        try:
            fill(partial)
            os.replace(partial, home)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


@lru_cache(maxsize=8)
def _digest(archive: Path, modified: int, size: int) -> str:
    with open(archive, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpack_wanted(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as entries:
        wanted = _wanted(entries)
        size = sum(entry.file_size for entry in wanted.values())
        if size > MAX_BYTES:
            raise ValueError(
                f"pictures and tables in {FILENAME} must be smaller than {MAX_BYTES // 2**20} MB "
                f"together, got {size // 2**20} MB"
            )
        folder.mkdir()
        for relative, entry in wanted.items():
            target = folder / relative
            target.parent.mkdir(exist_ok=True)
            with entries.open(entry) as source, open(target, "wb") as file:
                shutil.copyfileobj(source, file)  # stops at the size that the entry declares


def _wanted(entries: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the pictures and tables by their place in a source; the last of a name counts."""
    names = {stem(label) + suffix for label in LABELS for suffix in SUFFIXES} | set(TABLES)
    wanted = {}
    for entry in entries.infolist():
        parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
        if ".." in parts or (parts and (parts[0] == "/" or ":" in parts[0])):
            raise ValueError(
                f"{FILENAME} must hold only entries inside its folder, got {entry.filename!r}"
            )
        relative = "/".join(parts[1:] if parts[:1] == ("datasets",) else parts)
        name, dot, ending = relative.rpartition(".")
        relative = name + dot + ending.lower()
        if relative in names and not entry.is_dir():
            if entry.file_size > MAX_FILE_BYTES:
                raise ValueError(
                    f"{entry.filename!r} in {FILENAME} must be smaller than "
                    f"{MAX_FILE_BYTES // 2**20} MB, got {entry.file_size // 2**20} MB"
                )
            wanted[relative] = entry
    return wanted
