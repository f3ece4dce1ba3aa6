"""The judge `touchstone`: a language model marks an answer beside the reference answer.

    export OPENAI_API_KEY=…
    cobsat judge runs/NAME --judge touchstone --judge-option model=gpt-4
    cobsat judge runs/NAME --judge touchstone --judge-option checkpoint=Qwen/Qwen3-32B

Source: TouchStone, Sec. 3.2. The judge sees no picture: people's annotation stands in its place.
It is asked in two rounds, the second with the answers in the other order; each gives both answers
a mark from 1 to 10. A question is scored when both rounds have marks: one alone would carry the
judge's liking for the first, or the second, answer into the score. A server needs `pip install
'cobsat[api]'`; how to ask is in `text_judge.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cobsat.touchstone.questions import Reference
from cobsat.touchstone.verdicts import DialogueVerdict, Marks

from .replies import Unclear
from .text_askers import Said
from .text_judge import TextJudge
from .touchstone_prompts import ROUNDS, Turn, dialogue_chat, dialogue_digest
from .touchstone_replies import Pair, read_marks

__all__ = ["TouchstoneJudge", "dialogue_verdict"]


class TouchstoneJudge(TextJudge):
    """Marks answers in both orders; its options are `TextJudge`'s."""

    title = "touchstone"
    nothing = "empty answer"
    verdict_kind = DialogueVerdict

    def prompt_digest(self) -> str:
        """Return a digest of the released prompt."""
        return dialogue_digest()

    def chats(self, reference: Reference, text: str) -> dict[str, list[Turn]]:
        """Return both rounds."""
        return {order: dialogue_chat(reference, text, order) for order in ROUNDS}

    def is_clear(self, said: Said) -> bool:
        """Return whether a reply has two marks."""
        return not isinstance(_marks(said), Unclear)

    def verdict(self, text: str, said: Mapping[str, Said]) -> DialogueVerdict:
        """Return the verdict of both rounds."""
        return dialogue_verdict(said)


def dialogue_verdict(said: Mapping[str, Said]) -> DialogueVerdict:
    """Return the verdict that the replies of both rounds come to, its id empty.

    >>> said = {"reference_first": Said("8 6"), "answer_first": Said("7 8")}
    >>> verdict = dialogue_verdict(said)
    >>> verdict.answer, verdict.reference
    (6.5, 8.0)
    >>> said["answer_first"] = Said("7")
    >>> dialogue_verdict(said).reason
    'answer_first: one mark alone: 7'
    """
    pairs = {order: _marks(said[order]) for order in ROUNDS}
    reasons = [f"{o}: {p.reason}" for o, p in pairs.items() if isinstance(p, Unclear)]
    raw: dict[str, Any] = {order: said[order].raw for order in ROUNDS}
    if any(said[order].failed for order in ROUNDS):
        return DialogueVerdict("", "error", reason="; ".join(reasons), raw=raw)
    first, second = pairs["reference_first"], pairs["answer_first"]
    return DialogueVerdict(
        "",
        "unscored" if reasons else "scored",
        None if isinstance(first, Unclear) else Marks(answer=first[1], reference=first[0]),
        None if isinstance(second, Unclear) else Marks(answer=second[0], reference=second[1]),
        "; ".join(reasons) or None,
        raw,
    )


def _marks(said: Said) -> Pair | Unclear:
    if said.text is None:
        return Unclear(said.reason or "no reply")
    return read_marks(said.text, cut=said.cut)
