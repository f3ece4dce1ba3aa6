"""Shards: what each of several processes writes of one file, until they are merged into it.

    predictions.jsonl             what was there, and what a finished job has merged
    predictions.shards/0.jsonl    what process 0 has written since
    predictions.shards/1.jsonl    what process 1 has written since

A job that was killed leaves its shards. They count as part of the file for whoever reads it, and
the next job, of however many processes, goes on from them and merges them at its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["new_lines", "remove_shards", "shard_path", "shard_paths"]


def shard_path(path: Path, index: int) -> Path:
    """Return the file that a process writes in place of another."""
    return path.with_suffix(".shards") / f"{index}.jsonl"


def shard_paths(path: Path) -> list[Path]:
    """Return a file's shards, in the order of their processes."""
    found = [p for p in path.with_suffix(".shards").glob("*.jsonl") if p.stem.isdecimal()]
    return sorted(found, key=lambda shard: int(shard.stem))


def new_lines(whole: bytes, shards: Iterable[bytes], order: Iterable[str]) -> list[bytes]:
    r"""Return the lines of shards that the whole file lacks, in the order of their ids.

    Half-written last lines are left out, and lines that cannot be read come last.

    >>> new_lines(b'{"id": "a"}\n', [b'{"id": "c"}\n{"id":', b'{"id": "b"}\n{"id": "a"}\n'], "abc")
    [b'{"id": "b"}\n', b'{"id": "c"}\n']
    """
    places = {name: place for place, name in enumerate(order)}
    known = set(whole.split(b"\n"))
    lines = [line for shard in shards for line in shard.split(b"\n")[:-1]]
    new = [line for line in dict.fromkeys(lines) if line not in known]
    new.sort(key=lambda line: places.get(_id(line), len(places)))
    return [line + b"\n" for line in new]


def remove_shards(path: Path) -> None:
    """Remove a file's shards."""
    for shard in shard_paths(path):
        shard.unlink()
    with suppress(OSError):  # not empty: what else is in there is none of ours
        path.with_suffix(".shards").rmdir()


def _id(line: bytes) -> str:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, TypeError, LookupError):
        return ""
