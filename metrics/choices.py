"""What came back for one multiple-choice question, and the verdict that two of them make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cobsat.examples import Reference
from cobsat.run_folder import Verdict

from .grading import check_reference, failed, grade

__all__ = ["Answer", "choice_verdict"]


@dataclass(frozen=True)
class Answer:
    """What a judge made of one question.

    Attributes:
        choice: The number that was chosen, from 1; None without an unambiguous choice.
        reason: Why there is none.
        failed: Whether the judge's call failed, so that it may be asked again.
        raw: What it said ("reply"), or how likely each option is ("probabilities").
    """

    choice: int | None
    reason: str | None = None
    failed: bool = False
    raw: dict[str, Any] = field(default_factory=dict)


def choice_verdict(
    reference: Reference, object_: Answer, attribute: Answer, *, truncated: bool = False
) -> Verdict:
    """Return the verdict on an output from the answers to its two questions.

    A call that failed makes the verdict an "error": it is counted, scored as nothing, and judged
    again when judging is resumed.

    >>> reference: Reference = {"task": "color_i", "object": "car", "attribute": "red"}
    >>> choice_verdict(reference, Answer(5), Answer(3)).correct
    True
    >>> choice_verdict(reference, Answer(5), Answer(None, "several numbers")).reason
    'attribute: several numbers'
    >>> choice_verdict(reference, Answer(None, "timed out", failed=True), Answer(3)).status
    'error'
    """
    theme = check_reference(reference)
    answers = {"object": object_, "attribute": attribute}
    reason = "; ".join(
        f"{kind}: {answer.reason or 'no answer'}"
        for kind, answer in answers.items()
        if answer.choice is None
    )
    raw: dict[str, Any] = {kind: answer.raw for kind, answer in answers.items()}
    if truncated:
        raw["truncated"] = True
    if object_.failed or attribute.failed:
        return failed(reason, raw)
    options = {"object": theme.objects, "attribute": theme.attributes}
    words = {
        kind: None if answer.choice is None else options[kind][answer.choice - 1]
        for kind, answer in answers.items()
    }
    return grade(reference, words["object"], words["attribute"], reason=reason or None, raw=raw)
