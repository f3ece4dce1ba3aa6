"""The judge `mention`: which options a description names, without a model.

It answers only where a description names exactly one of the ten objects, or exactly one of the ten
attributes; otherwise that question stays without an answer, and the verdict says why.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from cobsat.examples import Reference
from cobsat.run_folder import Verdict

from .grading import check_reference, grade, unscored
from .protocol import OutputKind
from .word_forms import FORMS, NOT_MEANT, find_mentions

__all__ = ["MentionJudge", "judge_description"]

DIGEST: Final = hashlib.sha256(json.dumps([FORMS, NOT_MEANT], sort_keys=True).encode()).hexdigest()[
    :16
]
"""Names this table of word forms in a run's record."""


def judge_description(description: str, reference: Reference) -> Verdict:
    """Judge one description.

    >>> reference: Reference = {"task": "texture_i", "object": "cup", "attribute": "wood"}
    >>> judge_description("A wooden cup.", reference).correct
    True
    >>> judge_description("A cup on a wooden table beside a leather bag.", reference).reason
    'names several objects: cup, bag; names several attributes: wood, leather'
    """
    theme = check_reference(reference)
    if not description.strip():
        return unscored("empty description")
    found = find_mentions(description, theme.name)
    object_, object_reason = _only(found.objects, "object")
    attribute, attribute_reason = _only(found.attributes, "attribute")
    return grade(
        reference,
        object_,
        attribute,
        reason="; ".join(filter(None, (object_reason, attribute_reason))) or None,
        raw={"objects": list(found.objects), "attributes": list(found.attributes)},
    )


def _only(named: Sequence[str], what: str) -> tuple[str | None, str | None]:
    """Return the one option that is named, or else why there is no answer."""
    if len(named) == 1:
        return named[0], None
    if not named:
        return None, f"names no {what}"
    return None, f"names several {what}s: {', '.join(named)}"


class MentionJudge:
    """Judges descriptions by the words in them."""

    name = "mention"
    outputs = frozenset({"description"})

    def record(self) -> dict[str, Any]:
        """Return the digest of the table of word forms."""
        return {"word_forms": DIGEST}

    def judge(
        self, predictions: Sequence[str], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Judge descriptions.

        Raises:
            ValueError: The outputs are pictures.
        """
        if output not in self.outputs:
            raise ValueError(f"output must be 'description' for the judge mention, got {output!r}")
        return [judge_description(p, r) for p, r in zip(predictions, references, strict=True)]
