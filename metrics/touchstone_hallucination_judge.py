"""The judge `touchstone_hallucination`: how much of a description is not in the picture.

    cobsat judge runs/NAME --judge touchstone_hallucination --judge-option model=gpt-4

Source: TouchStone, Sec. 4.3: a language model is given people's annotation and a model's
description, and gives a degree of hallucination, higher is worse. The paper's prompt was not
published (`touchstone_prompts.py` has this project's). The description's length is kept beside
the degree: the paper found that models hallucinate less where they say less.
"""

from __future__ import annotations

from collections.abc import Mapping

from cobsat.touchstone.questions import Reference
from cobsat.touchstone.verdicts import HallucinationVerdict

from .replies import Unclear
from .text_askers import Said
from .text_judge import TextJudge
from .touchstone_prompts import Turn, hallucination_chat, hallucination_digest
from .touchstone_replies import read_degree

__all__ = ["HallucinationJudge", "hallucination_verdict"]

_KIND = "degree"


class HallucinationJudge(TextJudge):
    """Gives descriptions a degree of hallucination; its options are `TextJudge`'s."""

    title = "touchstone_hallucination"
    nothing = "empty description"
    verdict_kind = HallucinationVerdict

    def prompt_digest(self) -> str:
        """Return a digest of this project's prompt."""
        return hallucination_digest()

    def chats(self, reference: Reference, text: str) -> dict[str, list[Turn]]:
        """Return the one chat."""
        return {_KIND: hallucination_chat(reference, text)}

    def is_clear(self, said: Said) -> bool:
        """Return whether a reply has one degree."""
        return not isinstance(_degree(said), Unclear)

    def verdict(self, text: str, said: Mapping[str, Said]) -> HallucinationVerdict:
        """Return the verdict of the one chat."""
        return hallucination_verdict(text, said[_KIND])


def hallucination_verdict(description: str, said: Said) -> HallucinationVerdict:
    """Return the verdict that a reply about a description comes to, its id empty.

    >>> verdict = hallucination_verdict("A red car.", Said("2"))
    >>> verdict.degree, verdict.words
    (2.0, 3)
    """
    words, raw = len(description.split()), {_KIND: said.raw}
    degree = _degree(said)
    if isinstance(degree, Unclear):
        return HallucinationVerdict(
            "", "error" if said.failed else "unscored", words=words, reason=degree.reason, raw=raw
        )
    return HallucinationVerdict("", "scored", degree, words, raw=raw)


def _degree(said: Said) -> float | Unclear:
    if said.text is None:
        return Unclear(said.reason or "no reply")
    return read_degree(said.text, cut=said.cut)
