"""The official pictures: the Hub dataset `yzeng58/CoBSAT`, one file `datasets.zip`.

Source: https://huggingface.co/datasets/yzeng58/CoBSAT. The file is downloaded through the Hub, or
read from where the environment variable `COBSAT_OFFICIAL_ZIP` says, and only the 500 pictures and
the five tables of descriptions are unpacked.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
import zipfile
from pathlib import Path, PurePosixPath
from typing import Final

import datasets

from .layout import LABELS, SUFFIXES, TABLES, stem

REPO: Final = "yzeng58/CoBSAT"
FILENAME: Final = "datasets.zip"
VARIABLE: Final = "COBSAT_OFFICIAL_ZIP"
MAX_FILE_BYTES: Final = 64 * 2**20
"""No picture and no table is larger: a larger entry is not unpacked."""


def official_folder() -> Path:
    """Return the folder of the official pictures, downloaded and unpacked if need be.

    Raises:
        FileNotFoundError: The file cannot be had; the message says how to get it.
        ValueError: The file is not the official one.
    """
    local = os.environ.get(VARIABLE)
    if local:
        return unpack(Path(local).expanduser())
    from huggingface_hub import hf_hub_download

    try:
        archive = hf_hub_download(REPO, FILENAME, repo_type="dataset")
    except Exception as error:  # the Hub client raises many kinds; each means: not to be had
        reason = str(error).strip().split("\n")[0]
        raise FileNotFoundError(
            f"the official pictures must be downloadable from {REPO} on the Hub, or lie in a local "
            f"copy of its {FILENAME} named by {VARIABLE}; the download failed: {reason}"
        ) from error
    return unpack(Path(archive))


def unpack(archive: Path, cache: Path | None = None) -> Path:
    """Unpack the wanted files of the official zip into the cache, and return their folder.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no zip file, an entry would leave the folder, or one is far too large.
    """
    if not archive.is_file():
        raise FileNotFoundError(f"{VARIABLE} must name the official {FILENAME}, got {archive}")
    with open(archive, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    cache = cache or Path(datasets.config.HF_DATASETS_CACHE)
    home = cache / "cobsat_official" / digest[:16]
    if home.is_dir():
        return home
    partial = home.with_name(f"{home.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        with zipfile.ZipFile(archive) as entries:
            _unpack_wanted(entries, partial)
        os.replace(partial, home)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{archive} must be a zip file, got {error}") from error
    except OSError:
        if not home.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return home


def _unpack_wanted(entries: zipfile.ZipFile, folder: Path) -> None:
    wanted = {stem(label) + suffix for label in LABELS for suffix in SUFFIXES}
    wanted.update(TABLES)
    folder.mkdir(parents=True)
    for entry in entries.infolist():
        parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
        if ".." in parts or (parts and (parts[0] == "/" or ":" in parts[0])):
            raise ValueError(
                f"{FILENAME} must hold only entries inside its folder, got {entry.filename!r}"
            )
        relative = "/".join(parts[1:] if parts[:1] == ("datasets",) else parts)
        if entry.is_dir() or relative not in wanted:
            continue
        if entry.file_size > MAX_FILE_BYTES:
            raise ValueError(
                f"{entry.filename!r} in {FILENAME} must be smaller than "
                f"{MAX_FILE_BYTES // 2**20} MB, got {entry.file_size // 2**20} MB"
            )
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        with entries.open(entry) as source, open(target, "wb") as file:
            shutil.copyfileobj(source, file)  # stops at the size that the entry declares
