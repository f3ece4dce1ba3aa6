"""What the `evaluate` modules of TouchStone share: what they take, and how a judge is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import datasets
from cobsat.run_folder import Prediction
from cobsat.touchstone.questions import Reference

from .grading import count_reasons, first_reason
from .protocol import Judge
from .registry import load_judge
from .touchstone_scores import Row

__all__ = ["Judged", "choose_judge", "judged", "touchstone_features"]


@dataclass(frozen=True)
class Judged:
    """Answers and a judge's verdicts, as `touchstone_scores` takes them.

    Attributes:
        rows: One an answer, named by its place.
        predictions: The answers.
        verdicts: The verdicts.
        counts: `scored`, `unscored`, `failed`, and `reasons`.
    """

    rows: list[Row]
    predictions: dict[str, Prediction]
    verdicts: dict[str, Any]
    counts: dict[str, Any]


def touchstone_features() -> datasets.Features:
    """Return what predictions and references are made of: texts, and rows' `reference` structs."""
    text = datasets.Value("string")
    names = ("id", "question", "annotation", "reference_answer", "subtask")
    reference = {**dict.fromkeys(names, text), "categories": datasets.List(text)}
    return datasets.Features({"predictions": text, "references": reference})


def choose_judge(name: str, judge: Judge | None, options: Mapping[str, Any]) -> Judge:
    """Return the judge that was given, or the one of that name with options that are not None.

    Raises:
        ValueError: Both are given, or the options are none.
    """
    given = {key: value for key, value in options.items() if value is not None}
    if judge is not None:
        if given:
            raise ValueError(
                "a judge object must be made with its options, got it together with "
                f"{', '.join(given)}"
            )
        return judge
    if isinstance(given.get("checkpoint"), str) and all(map(_hashable, given.values())):
        return _in_memory(name, **given)
    return load_judge(name, **given)


@lru_cache(maxsize=1)
def _in_memory(name: str, **options: Any) -> Judge:
    """Keep the last checkpoint in memory: `compute` is called again and again."""
    return load_judge(name, **options)


def _hashable(value: object) -> bool:
    return type(value).__hash__ is not None


def judged(
    judge: Judge, predictions: Sequence[str | None], references: Sequence[Reference]
) -> Judged:
    """Have answers judged.

    Raises:
        ValueError: There are none.
        RuntimeError: The judge's call failed for every one.
    """
    if not predictions:
        raise ValueError("predictions must hold at least one answer, got none")
    texts = [text or "" for text in predictions]
    replies = judge.judge(texts, references, "answer")
    if len(replies) != len(texts):
        raise ValueError(
            f"verdicts of {judge.name} must be one an answer ({len(texts)}), got {len(replies)}"
        )
    names = [str(place) for place in range(len(texts))]
    without = count_reasons(reply for reply in replies if reply.status != "scored")
    statuses = [reply.status for reply in replies]
    if set(statuses) == {"error"}:
        raise RuntimeError(
            f"the judge must answer, got a failure for all {len(texts):,} answers (most often: "
            f"{first_reason(without)}): see that it can be reached, and compute again"
        )
    return Judged(
        [
            {"id": name, "reference": reference}
            for name, reference in zip(names, references, strict=True)
        ],
        {name: Prediction(name, "ok", text=text) for name, text in zip(names, texts, strict=True)},
        dict(zip(names, replies, strict=True)),
        {
            "scored": statuses.count("scored"),
            "unscored": statuses.count("unscored"),
            "failed": statuses.count("error"),
            "reasons": without,
        },
    )
