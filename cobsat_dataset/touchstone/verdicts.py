"""What a judge says of a dialogue: the lines of `verdicts/JUDGE.jsonl` of a TouchStone run.

Source: TouchStone, Sec. 3.2 (two scores a round, two rounds) and Sec. 4.3 (hallucination).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = ["DialogueVerdict", "HallucinationVerdict", "Marks"]


class Marks(NamedTuple):
    """The two marks of one round, from 1 to 10, higher is better; JSON has them as a list.

    Attributes:
        answer: The mark of the model's answer.
        reference: The mark of the reference answer.
    """

    answer: float
    reference: float


@dataclass(frozen=True)
class DialogueVerdict:
    """A judge's marks for one answer, in both orders.

    Attributes:
        id: The example's id.
        status: "scored" when both rounds have two marks; "unscored" when there was nothing to
            judge, or the judge's replies have no marks; "error" when a call failed: then nothing is
            known, and both rounds are asked again.
        reference_first: The marks of the round where the reference answer comes first.
        answer_first: The marks of the round where the model's answer comes first.
        reason: Why the status is not "scored".
        raw: The judge's raw replies by round, with what the server says of them, and under "output"
            the digest of the answer that was judged.
    """

    id: str
    status: Literal["scored", "unscored", "error"]
    reference_first: Marks | None = None
    answer_first: Marks | None = None
    reason: str | None = None
    raw: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Make marks of the lists that JSON has."""
        for name in ("reference_first", "answer_first"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Marks):
                object.__setattr__(self, name, Marks(*map(float, value)))

    @property
    def answer(self) -> float | None:
        """The answer's mean mark over both rounds; None unless scored."""
        return self._mean("answer")

    @property
    def reference(self) -> float | None:
        """The reference answer's mean mark over both rounds; None unless scored."""
        return self._mean("reference")

    def _mean(self, whose: str) -> float | None:
        if self.status != "scored" or self.reference_first is None or self.answer_first is None:
            return None
        both = float(getattr(self.reference_first, whose) + getattr(self.answer_first, whose))
        return round(both / 2, 9)  # 7.4 and 2.7 are as much as 4.6 and 5.5, but not as floats


@dataclass(frozen=True)
class HallucinationVerdict:
    """A judge's degree of hallucination of one description.

    Attributes:
        id: The example's id.
        status: As in `DialogueVerdict`.
        degree: From 1 to 10, higher is worse; None unless scored.
        words: The description's length in words.
        reason: Why the status is not "scored".
        raw: The judge's raw reply, and under "output" the digest of the description.
    """

    id: str
    status: Literal["scored", "unscored", "error"]
    degree: float | None = None
    words: int | None = None
    reason: str | None = None
    raw: dict[str, Any] | None = None
