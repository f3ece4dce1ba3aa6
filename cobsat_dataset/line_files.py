"""Files of one JSON record a line, appended to by one process at a time, or by several in shards.

What was appended is on disk; a half-written last line, which a killed process leaves, is dropped
by whoever opens the file next. The lock is the process's own: a killed one keeps none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from .processes import Processes
from .shards import new_lines, remove_shards, shard_path, shard_paths

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["Appender", "Order", "replace_lines", "sharing", "to_line"]

Order: TypeAlias = Callable[[], Iterable[str]]
"""Gives ids in the order in which their lines are merged; only called where shards are."""


class Appender:
    """Appends lines to an open file; what `add` returned from is on disk."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, lines: Iterable[DataclassInstance]) -> None:
        """Append and flush to disk; fields that are None are left out."""
        self.write(b"".join(to_line(line) for line in lines))

    def write(self, data: bytes) -> None:
        """Append whole lines and flush them to disk."""
        if data:
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())


def to_line(record: DataclassInstance) -> bytes:
    """Return a record as one line of JSON."""
    data = {k: v for k, v in asdict(record).items() if v is not None}
    return (json.dumps(data, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


@contextmanager
def sharing(path: Path, processes: Processes, order: Order) -> Iterator[Appender]:
    """Open what this process writes of a file; when all have written, merge.

    The first process holds the file's lock all the while, so that a second job is refused. After
    an error nothing is merged: the shards stay for the next job.
    """
    with ExitStack() as held:
        whole = held.enter_context(_appending(path)) if processes.first else None
        if whole:
            with _locked_shards(path):
                pass  # raises where a process of an earlier job is still at it
        if whole and processes.count == 1 and not shard_paths(path):
            yield whole
            return
        processes.wait()
        with _appending(shard_path(path, processes.index)) as appender:
            yield appender
        processes.wait()
        if whole:
            with _locked_shards(path) as shards:
                lines = new_lines(path.read_bytes(), map(Path.read_bytes, shards), order())
                whole.write(b"".join(lines))
                remove_shards(path)
        processes.wait()


def replace_lines(path: Path, records: Iterable[DataclassInstance]) -> None:
    """Write a file and its shards anew, in one step."""
    with _appending(path), _locked_shards(path):
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(b"".join(map(to_line, records)))
        os.replace(partial, path)
        remove_shards(path)


@contextmanager
def _locked_shards(path: Path) -> Iterator[list[Path]]:
    with ExitStack() as held:
        shards = shard_paths(path)
        for shard in shards:
            held.enter_context(_appending(shard))
        yield shards


@contextmanager
def _appending(path: Path) -> Iterator[Appender]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        _lock(file, path)
        _drop_half_line(file)
        yield Appender(file)


def _lock(file: IO[bytes], path: Path) -> None:
    """Keep a second process out, which would do the same examples; a killed one keeps no lock."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ValueError(
            f"{path} must be written by one process at a time, got another that is at it"
        ) from None
    except OSError:  # a file system without locks
        return


def _drop_half_line(file: IO[bytes]) -> None:
    size = file.seek(0, os.SEEK_END)
    end = size
    while end > 0:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        file.truncate(end)
