"""What a TouchStone judge is asked, word for word. Pure functions.

Source of the dialogue's prompt: TouchStone, Sec. 3.2, in the wording of the authors' `eval.py`
(github.com/OFA-Sys/TouchStone). It is asked in two rounds: the reference answer is the first
assistant's, then the second's. The prompt for the degree of hallucination (Sec. 4.3) was not
published: that one is this project's own, in the same form, and its degrees are comparable among
models that were judged with it, not with the paper's Table 2.
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal, TypeAlias, TypedDict

from cobsat.touchstone.questions import Reference

__all__ = [
    "ROUNDS",
    "STOP",
    "Turn",
    "dialogue_chat",
    "dialogue_digest",
    "hallucination_chat",
    "hallucination_digest",
]


class Turn(TypedDict):
    """One turn of a chat."""

    role: Literal["system", "user"]
    content: str


Round: TypeAlias = Literal["reference_first", "answer_first"]
ROUNDS: Final[tuple[Round, ...]] = ("reference_first", "answer_first")
"""Whose answer is the first assistant's, round by round."""

STOP: Final = ("\n",)
"""Where the released script ends a reply: after the line of the marks."""

_SYSTEM: Final = "You are a helpful and precise assistant for checking the quality of the answer."
_DIALOGUE: Final = (
    "[Detailed Image Description]\n{annotation}\n\n"
    "[Question]\n{question}\n\n"
    "[The Start of Assistant 1's Answer]\n{first}\n\n[The End of Assistant 1's Answer]\n\n"
    "[The Start of Assistant 2's Answer]\n{second}\n\n[The End of Assistant 2's Answer]\n\n"
    "[System]\n{request}\n\n"
)
_DIALOGUE_REQUEST: Final = (
    "We would like to request your feedback on the performance of two AI assistants in response to "
    "the user question and image description displayed above. AI assistants are provided with "
    "detailed image description and questions.\n"
    "Please rate the helpfulness, relevance, accuracy, comprehensiveness of their responses. Each "
    "assistant receives an overall score on a scale of 1 to 10, where a higher score indicates "
    "better overall performance.\n"
    "Please first output a single line containing only two values indicating the scores for "
    "Assistant 1 and 2, respectively. The two scores are separated by a space. In the subsequent "
    "line, please provide a comprehensive explanation of your evaluation, avoiding any potential "
    "bias and ensuring that the order in which the responses were presented does not affect your "
    "judgment."
)
_HALLUCINATION: Final = (
    "[Detailed Image Description]\n{annotation}\n\n"
    "[The Start of the Assistant's Description]\n{description}\n\n"
    "[The End of the Assistant's Description]\n\n"
    "[System]\n{request}\n\n"
)
_HALLUCINATION_REQUEST: Final = (
    "A person who saw the image wrote the detailed image description above. An AI assistant was "
    "shown the same image and described it. Please rate how far the assistant's description "
    "hallucinates: how much of what it says of the image is not there, or contradicts the detailed "
    "image description. What it leaves out is no hallucination, nor is a plausible detail on which "
    "the detailed image description is silent and which nothing there contradicts.\n"
    "Give one degree on a scale of 1 to 10, where 1 means that nothing is hallucinated and 10 that "
    "most of the description is.\n"
    "Please first output a single line containing only that number. In the subsequent line, please "
    "name what is hallucinated."
)


def dialogue_chat(reference: Reference, answer: str, order: Round) -> list[Turn]:
    """Return the chat of one round about an answer.

    >>> reference: Reference = {"id": "a", "question": "What is it?", "annotation": "A red car.",
    ...     "reference_answer": "A car.", "categories": ["recognition"], "subtask": "attribute QA"}
    >>> chat = dialogue_chat(reference, "A hat.", "answer_first")
    >>> chat[1]["content"].splitlines()[6:8]
    ["[The Start of Assistant 1's Answer]", 'A hat.']
    """
    both = (reference["reference_answer"], answer)
    first, second = both if order == "reference_first" else both[::-1]
    return _chat(
        _DIALOGUE.format(
            annotation=reference["annotation"],
            question=reference["question"],
            first=first,
            second=second,
            request=_DIALOGUE_REQUEST,
        )
    )


def hallucination_chat(reference: Reference, description: str) -> list[Turn]:
    """Return the chat about a description's degree of hallucination."""
    return _chat(
        _HALLUCINATION.format(
            annotation=reference["annotation"],
            description=description,
            request=_HALLUCINATION_REQUEST,
        )
    )


def _chat(text: str) -> list[Turn]:
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _plain(text)}]


def _plain(text: str) -> str:
    """Return text that any server takes: half characters, which no encoding has, are replaced."""
    return text.encode("utf-8", "replace").decode()


def dialogue_digest() -> str:
    """Return a digest of the dialogue's prompt, for a judge's record."""
    return _digest(_DIALOGUE, _DIALOGUE_REQUEST)


def hallucination_digest() -> str:
    """Return a digest of the prompt about hallucination, for a judge's record."""
    return _digest(_HALLUCINATION, _HALLUCINATION_REQUEST)


def _digest(template: str, request: str) -> str:
    return hashlib.sha256("\n".join((_SYSTEM, template, request)).encode()).hexdigest()[:16]
