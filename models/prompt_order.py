"""The order in which prompts reach a server: those that begin alike, one after the other.

A server that keeps what it computed of a prompt's beginning (vLLM's and SGLang's prefix caches, the
cached input of public APIs) computes it once for all prompts that share it, if they come before it
is pushed out. A prompt's beginning is its first texts and pictures.
"""

from __future__ import annotations

from collections.abc import Iterable

from cobsat import Example

__all__ = ["by_prefix", "shared_parts"]


def by_prefix(rows: Iterable[Example]) -> list[Example]:
    """Return rows so that each shares as many first parts as it can with the one before it."""
    return sorted(rows, key=_parts)


def shared_parts(first: Example, second: Example) -> int:
    """Return how many parts two prompts have in common from their beginning on."""
    count = 0
    for mine, other in zip(_parts(first), _parts(second), strict=False):
        if mine != other:
            break
        count += 1
    return count


def _parts(row: Example) -> list[str]:
    """Return a prompt's texts and pictures in reading order, a picture by its file's path."""
    return [
        str(part["text"] if part["image"] is None else part["image"])
        for message in row["messages"]
        for part in message["content"]
    ]
