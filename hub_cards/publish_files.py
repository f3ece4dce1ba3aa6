"""What may be published: which files of a folder, with no keys in them, and whose pictures.

A folder's files are taken by a list of what belongs there, so that what nobody thought of stays at
home; what no repository is to hold (hidden files, caches, half-written files, keys by their names)
never goes, whatever the list says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, TypeAlias

from huggingface_hub import get_token

from .text import visible

__all__ = [
    "Source",
    "check_keys",
    "check_rights",
    "folder_files",
    "is_shipped",
    "matches",
    "with_home",
]

Source: TypeAlias = Path | bytes
"""A file on disk, or its content."""

OURS: Final = ("rendered", "touchstone-mini")
"""Sources whose pictures this package draws and ships."""

_NEVER: Final = (
    "__pycache__", "*.pyc", "*.partial", "*.tmp", "*.lock", "*.pem", "*.key", "id_rsa*",
    "id_ed25519*", "training_args.bin", "checkpoint-*", "wandb",
)  # fmt: skip
"""Names of files and folders; the trainer's arguments may hold a key, and are a pickle besides."""

_SHOWN_HIDDEN: Final = ".eval_results"
"""The one hidden name that the Hub reads."""

_SHAPES: Final = tuple(
    (what, begin, re.compile(shape))
    for what, begin, shape in (
        ("a token of the Hub", b"hf_", rb"hf_[A-Za-z0-9]{30}"),
        ("a key of an API", b"sk-", rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))sk-[\w-]*?[A-Za-z0-9]{16}"),
        ("a key of an API", b"gsk_", rb"gsk_[A-Za-z0-9]{30}"),
        ("a key of Google", b"AIza", rb"(?<![\w+/-])AIza[\w-]{35}"),
        ("a key of AWS", b"AKIA", rb"(?<![A-Za-z0-9+/])AKIA[0-9A-Z]{16}(?![A-Za-z0-9+/])"),
        *(("a token of GitHub", b, b + rb"[A-Za-z0-9]{36}") for b in (b"ghp_", b"gho_", b"ghs_")),
        ("a token of GitHub", b"github_pat_", rb"github_pat_\w{40}"),
        ("a private key", b"-----BEGIN ", rb"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"),
    )
)
"""What it is, how it begins, and its shape, which the base64 of a picture does not have."""

_EDGE: Final = 2**20
"""Bytes at both ends of a binary file, where what describes it stands as text."""
_SECRET_NAMES: Final = re.compile(r".*(KEY|TOKEN|SECRET|PASSWORD)", re.IGNORECASE)
_SHORTEST: Final = 12
"""Letters of a variable's value from which it is taken for a secret."""
_MOST: Final = 5


def folder_files(folder: Path, wanted: Sequence[str]) -> tuple[dict[str, Source], list[str]]:
    """Return a folder's files by their path in it, and the paths of those that stay at home.

    Args:
        folder: The folder.
        wanted: Patterns of what belongs into the repository, as `matches` takes them.
    """
    taken: dict[str, Source] = {}
    left: list[str] = []
    for path, is_folder in _walk(folder, folder):
        name = path.relative_to(folder).as_posix()
        if is_folder:
            left.append(f"{name}/")
        elif _is_never(path.name) or not matches(name, wanted):
            left.append(name)
        else:
            taken[name] = path
    return taken, left


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path matches a pattern; `*` is anything within a folder, `**/` any folders.

    >>> matches("data/a/b.parquet", ["data/**/*.parquet"]), matches("a/b.json", ["*.json"])
    (True, False)
    """
    parts = path.split("/")
    return any(_matches(parts, pattern.split("/")) for pattern in patterns)


def check_keys(files: Mapping[str, Source]) -> None:
    """Check that no file holds what looks like a key, nor a key of this environment.

    Raises:
        ValueError: One does; the message names file, line and kind, and not the key.
    """
    named = {name: value for name, value in os.environ.items() if _SECRET_NAMES.fullmatch(name)}
    named["the token of `hf auth login`"] = get_token() or ""
    known = {name: value.encode() for name, value in named.items() if len(value) >= _SHORTEST}
    found: list[str] = []
    for name, source in files.items():
        found += [f"{visible(name)}, line {line}: {what}" for line, what in _keys(source, known)]
    if found:
        more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
        raise ValueError(
            f"what is published must hold no keys, got {'; '.join(found[:_MOST])}{more}: remove "
            "it, and have the key replaced if others have seen it"
        )


def with_home(files: Mapping[str, Source]) -> list[str]:
    """Return the files that name the user's home or the current folder: not secret, but private."""
    homes = [f"{folder}{os.sep}".encode() for folder in (Path.home(), Path.cwd())]
    homes = [home for home in homes if len(home) > 1]  # not the root of all files
    found = []
    for name, source in files.items():
        data = source if isinstance(source, bytes) else _text(source)
        found += [name] if any(home in data for home in homes) else []
    return found


def is_shipped(source: str) -> bool:
    """Return whether an image source is this package's own."""
    return source in OURS


def check_rights(sources: Iterable[str], may: bool, what: str) -> None:
    """Check that pictures are this package's own, or that the user says that they may go.

    Args:
        sources: Names of image sources: "rendered", "official", "folder:NAME".
        may: Whether the user has the right to publish others' pictures.
        what: What holds them.

    Raises:
        PermissionError: They are others', and the user has not said so.
    """
    others = sorted({source for source in sources if not is_shipped(source)})
    if others and not may:
        raise PermissionError(
            f"{what} must hold pictures that you may publish, got those of "
            f"{', '.join(map(visible, others))}: their rights are with their owners; if you have "
            "the right to publish them, say so with --i-have-the-right-to"
        )


def _walk(folder: Path, root: Path) -> Iterator[tuple[Path, bool]]:
    """Yield files in order, and folders that are left out as a whole."""
    for path in sorted(folder.iterdir()):
        if not path.is_dir():
            yield path, False
        elif path.is_symlink() or _is_never(path.name) or (path / "run.json").is_file():
            yield path, True
        else:
            yield from _walk(path, root)


def _is_never(name: str) -> bool:
    if name.startswith("."):
        return name != _SHOWN_HIDDEN
    return any(fnmatchcase(name.lower(), pattern) for pattern in _NEVER)


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[n:], pattern[1:]) for n in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _keys(source: Source, known: Mapping[str, bytes]) -> Iterator[tuple[int, str]]:
    """Yield line and kind of what looks like a key, in the order of kinds."""
    data = source if isinstance(source, bytes) else _text(source)
    for name, value in known.items():
        if (place := data.find(value)) >= 0:
            yield _line(data, place), f"the value of {name}" if name.isidentifier() else name
    for what, begin, shape in _SHAPES:
        place = data.find(begin)
        while place >= 0:
            if shape.match(data, place):
                yield _line(data, place), what
                break
            place = data.find(begin, place + 1)


def _text(path: Path) -> bytes:
    """Return a file of text, and of another what may be text in it: its two ends."""
    with open(path, "rb") as file:
        head = file.read(_EDGE)
        if b"\0" not in head:
            return head + file.read()
        file.seek(max(len(head), path.stat().st_size - _EDGE))
        return head + b"\n" + file.read()


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1
