"""What a reader must know before trusting a judge's scores, in plain words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from cobsat.images import image_source

from .grading import first_reason
from .scores import Scores

__all__ = [
    "cautions",
    "failed_caution",
    "random_weights_caution",
    "several_servers_caution",
    "some_unscored_caution",
    "unknown_pictures",
    "unscored_caution",
]

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
            failed_caution(judge_name, counts["judge_failed"], outputs, table["judge_failures"])
        )
    if counts["unscored"] and not counts["scored"]:
        said.append(unscored_caution(judge_name, table["reasons"]))
    if unknown:
        said.append(
            f"{record['checkpoint']} was trained on this project's renderings alone, and "
            f"{unknown:,} outputs are other pictures: what it says of them means little. Judge "
            f"with a checkpoint of full size (--judge {MINI[record['checkpoint']]} --judge-option "
            "checkpoint=NAME)."
        )
    return said


def random_weights_caution(model_options: Mapping[str, Any]) -> list[str]:
    """Return what to know where the model under test is a tiny one with random weights.

    Args:
        model_options: What the run's record has of the model.
    """
    record = model_options.get("record")
    if not isinstance(record, Mapping) or record.get("tiny") is not True:
        return []
    return ["The model is tiny and its weights are random (--tiny): its scores mean nothing."]


def failed_caution(judge_name: str, failed: int, outputs: int, failures: Mapping[str, int]) -> str:
    """Return what to know where a judge's calls failed."""
    return (
        f"{failed:,} of {outputs:,} outputs are in no score: the calls of {judge_name} failed "
        f"(most often: {first_reason(failures)}). Give the same command again to judge them."
    )


def unscored_caution(judge_name: str, reasons: Mapping[str, int]) -> str:
    """Return what to know where a judge gave no clear answer at all."""
    return (
        f"No output was scored: {judge_name} gave no clear answer for any (most often: "
        f"{first_reason(reasons)})."
    )


def some_unscored_caution(unscored: int, judged: int, reasons: Mapping[str, int]) -> str:
    """Return what to know where a judge gave no clear answer for a part of what it judged."""
    most = [f"{first_reason({why: n})} ({n:,})" for why, n in islice(reasons.items(), 3)]
    return (
        f"{unscored:,} of {judged:,} judged outputs are unscored, and in no mean; most often: "
        f"{'; '.join(most)}."
    )


def several_servers_caution(servers: Sequence[str]) -> str:
    """Return what to know where servers at several addresses were asked under one model's name."""
    return (
        f"Verdicts are of servers at {len(servers)} addresses ({', '.join(servers)}): that the "
        "same model answers at each is for you to know."
    )


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
