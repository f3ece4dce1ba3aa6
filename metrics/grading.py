"""From a judge's two answers to a verdict, and from verdicts to accuracies (Sec. 4.2, Sec. 5.4).

All functions are pure. The `evaluate` modules and the judges of run folders share them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from cobsat.examples import Reference
from cobsat.run_folder import Verdict
from cobsat.spec import TASKS, Theme, choose

from .statistics import clustered_mean

__all__ = [
    "check_reference",
    "count_reasons",
    "failed",
    "first_reason",
    "grade",
    "parts",
    "regrade",
    "summarize",
    "unscored",
]

_LONGEST_REASON: Final = 240


class _Reasoned(Protocol):
    @property
    def reason(self) -> str | None: ...


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


def parts(task: str, object_right: bool, attribute_right: bool) -> dict[str, bool]:
    """Return what of an output is right: the whole, and its halves both ways of naming them.

    >>> parts("color_i", object_right=True, attribute_right=False)["visual"]
    True
    """
    hides_object = TASKS[task].inference == "object"
    return {
        "accuracy": object_right and attribute_right,
        "object": object_right,
        "attribute": attribute_right,
        "textual": attribute_right if hides_object else object_right,
        "visual": object_right if hides_object else attribute_right,
    }


def count_reasons(verdicts: Iterable[_Reasoned]) -> dict[str, int]:
    """Return how often each reason was given, the most frequent first.

    >>> count_reasons([unscored("empty description"), unscored("b"), unscored("b")])
    {'b': 2, 'empty description': 1}
    """
    counted = Counter(verdict.reason or "no reason given" for verdict in verdicts)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def first_reason(reasons: Mapping[str, int]) -> str:
    r"""Return the first of counted reasons, fit for a line of a message.

    >>> first_reason({"500: \x1b[31m" + "x" * 300: 2, "b": 1})[:20]
    '500: ?[31mxxxxxxxxxx'
    """
    text = "".join(c if c.isprintable() else "?" for c in next(iter(reasons), "no reason given"))
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…"


def summarize(verdicts: Sequence[Verdict], references: Sequence[Reference]) -> dict[str, Any]:
    """Return accuracies over the verdicts, the unscored ones counted as wrong, and counts.

    Where the judge's call failed, nothing is known: such an output is counted as `failed`, and is
    in no accuracy. The standard error is clustered by (task, object, attribute), which is the same
    as by query and latent variable: prompts that ask for one and the same thing are not
    independent.

    Raises:
        ValueError: There are no verdicts.
        RuntimeError: The judge's call failed for every output.
    """
    if not verdicts:
        raise ValueError("predictions must hold at least one output, got none")
    known = [(v, r) for v, r in zip(verdicts, references, strict=True) if v.status != "error"]
    if not known:
        reason = first_reason(count_reasons(verdicts))
        raise RuntimeError(
            f"the judge must answer, got a failure for all {len(verdicts):,} outputs (most often: "
            f"{reason}): see that it can be reached, and compute again"
        )
    right = [v.correct for v, _ in known]
    objects = [v.object_correct is True for v, _ in known]
    attributes = [v.attribute_correct is True for v, _ in known]
    text_is_attribute = [TASKS[r["task"]].inference == "object" for _, r in known]
    textual = [
        a if t else o for o, a, t in zip(objects, attributes, text_is_attribute, strict=True)
    ]
    visual = [o if t else a for o, a, t in zip(objects, attributes, text_is_attribute, strict=True)]
    scored = [v.correct for v, _ in known if v.status == "scored"]
    clusters = [(r["task"], r["object"], r["attribute"]) for _, r in known]
    return {
        "accuracy": _mean(right),
        "accuracy_standard_error": clustered_mean(right, clusters).standard_error,
        "object_accuracy": _mean(objects),
        "attribute_accuracy": _mean(attributes),
        "textual_accuracy": _mean(textual),
        "visual_accuracy": _mean(visual),
        "accuracy_scored": _mean(scored) if scored else None,
        "scored": len(scored),
        "unscored": len(known) - len(scored),
        "failed": len(verdicts) - len(known),
    }


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
