"""From a judge's two answers to a verdict, and from verdicts to accuracies (Sec. 4.2, Sec. 5.4).

All functions are pure. The `evaluate` modules and the judges of run folders share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cobsat.examples import Reference
from cobsat.run_folder import Verdict
from cobsat.spec import TASKS, Theme, choose

from .statistics import clustered_mean

__all__ = ["check_reference", "failed", "grade", "regrade", "summarize", "unscored"]


def check_reference(reference: Reference) -> Theme:
    """Return the theme of a reference.

    Raises:
        ValueError: Its task, object or attribute is not one of Table 1's.
    """
    theme = TASKS[choose("task of a reference", reference["task"], TASKS)].theme
    choose(f"object of a {reference['task']} reference", reference["object"], theme.objects)
    choose(f"attribute of a {reference['task']} reference", reference["attribute"],
           theme.attributes)  # fmt: skip
    return theme


def grade(
    reference: Reference,
    object_: str | None,
    attribute: str | None,
    *,
    reason: str | None = None,
    raw: dict[str, Any] | None = None,
) -> Verdict:
    """Compare a judge's answers with the reference; without both answers it is unscored.

    >>> reference: Reference = {"task": "color_i", "object": "car", "attribute": "red"}
    >>> grade(reference, "car", "blue").correct
    False
    >>> grade(reference, "car", None, reason="no attribute named").status
    'unscored'
    """
    complete = object_ is not None and attribute is not None
    return Verdict(
        id="",
        status="scored" if complete else "unscored",
        object=object_,
        attribute=attribute,
        object_correct=None if object_ is None else object_ == reference["object"],
        attribute_correct=None if attribute is None else attribute == reference["attribute"],
        reason=None if complete else reason,
        raw=raw,
    )


def unscored(reason: str) -> Verdict:
    """Return the verdict on an output that no answer was given about."""
    return Verdict(id="", status="unscored", reason=reason)


def failed(reason: str, raw: dict[str, Any] | None = None) -> Verdict:
    """Return the verdict on an output about which the judge's call failed."""
    return Verdict(id="", status="error", reason=reason, raw=raw)


def regrade(verdict: Verdict, example_id: str, reference: Reference) -> Verdict:
    """Return what the same answers are worth for another example of the same theme."""
    if verdict.status == "error":
        return replace(verdict, id=example_id)
    graded = grade(
        reference, verdict.object, verdict.attribute, reason=verdict.reason, raw=verdict.raw
    )
    return replace(graded, id=example_id)


def summarize(verdicts: Sequence[Verdict], references: Sequence[Reference]) -> dict[str, Any]:
    """Return accuracies over all verdicts, the unscored ones counted as wrong, and counts.

    The standard error is clustered by (task, object, attribute), which is the same as by query
    and latent variable: prompts that ask for one and the same thing are not independent.

    Raises:
        ValueError: There are no verdicts.
    """
    if not verdicts:
        raise ValueError("predictions must hold at least one output, got none")
    right = [v.correct for v in verdicts]
    objects = [v.object_correct is True for v in verdicts]
    attributes = [v.attribute_correct is True for v in verdicts]
    text_is_attribute = [TASKS[r["task"]].inference == "object" for r in references]
    textual = [
        a if t else o for o, a, t in zip(objects, attributes, text_is_attribute, strict=True)
    ]
    visual = [o if t else a for o, a, t in zip(objects, attributes, text_is_attribute, strict=True)]
    scored = [v.correct for v in verdicts if v.status == "scored"]
    clusters = [(r["task"], r["object"], r["attribute"]) for r in references]
    return {
        "accuracy": _mean(right),
        "accuracy_standard_error": clustered_mean(right, clusters).standard_error,
        "object_accuracy": _mean(objects),
        "attribute_accuracy": _mean(attributes),
        "textual_accuracy": _mean(textual),
        "visual_accuracy": _mean(visual),
        "accuracy_scored": _mean(scored) if scored else None,
        "scored": len(scored),
        "unscored": len(verdicts) - len(scored),
    }


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
