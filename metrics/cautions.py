"""What a reader must know before trusting a judge's scores, in plain words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from cobsat.images import image_source

from .grading import first_reason
from .scores import Scores

__all__ = ["cautions", "unknown_pictures"]

MINI: Final = {"mini-clip": "clip", "mini-llava": "llava"}
"""The shipped checkpoints and their judges: trained on renderings, they know no other pictures."""


def cautions(
    judge_name: str, record: Mapping[str, Any], table: Scores, unknown: int = 0
) -> list[str]:
    """Return what limits a table of scores.

    Args:
        judge_name: The judge's name in the run folder.
        record: Its record.
        table: The scores.
        unknown: How many pictures were judged that are none of the rendered ones.
    """
    counts = {
        name: sum(group[name] for group in table["groups"])
        for name in ("scored", "unscored", "judge_failed")
    }
    outputs = sum(group.get("outputs", group["examples"]) for group in table["groups"])
    said = []
    if counts["judge_failed"]:
        said.append(
            f"{counts['judge_failed']:,} of {outputs:,} outputs are in no score: the "
            f"calls of {judge_name} failed (most often: {first_reason(table['judge_failures'])}). "
            "Give the same command again to judge them."
        )
    if counts["unscored"] and not counts["scored"]:
        said.append(
            f"No output was scored: {judge_name} gave no clear answer for any (most often: "
            f"{first_reason(table['reasons'])})."
        )
    if unknown:
        said.append(
            f"{record['checkpoint']} was trained on this project's renderings alone, and "
            f"{unknown:,} outputs are other pictures: what it says of them means little. Judge "
            f"with a checkpoint of full size (--judge {MINI[record['checkpoint']]} --judge-option "
            "checkpoint=NAME)."
        )
    return said


def unknown_pictures(record: Mapping[str, Any], digests: Iterable[str]) -> int:
    """Return how many pictures a shipped judge was given that it cannot know.

    Args:
        record: The judge's record.
        digests: The first 16 digits of each judged picture's SHA-256.
    """
    if record.get("checkpoint") not in MINI:
        return 0
    return len(set(digests) - _rendered())


@lru_cache(maxsize=1)
def _rendered() -> frozenset[str]:
    digests = set()
    for path in image_source("rendered").paths.values():
        with open(path, "rb") as file:
            digests.add(hashlib.file_digest(file, "sha256").hexdigest()[:16])
    return frozenset(digests)
