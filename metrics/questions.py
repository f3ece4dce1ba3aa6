"""The judge's two multiple-choice questions about an output, word for word. Pure functions.

Source: CoBSAT, Sec. 4.2; the options and the kind of attribute are Table 1's, in its order. The
released code asks almost the same (`released`): two spaces before the first option, "amusement
park" for "park", and for descriptions a full stop after the caption and "based on the description".
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cobsat.spec import THEMES, Theme, choose

__all__ = ["WORDINGS", "Question", "Wording", "prompts_digest", "questions"]

Wording: TypeAlias = Literal["paper", "released"]
WORDINGS: Final[tuple[Wording, ...]] = ("paper", "released")

_END: Final = " Answer the number only and do not include any other texts (e.g., 1)."


@dataclass(frozen=True)
class Question:
    """One question, for pictures and for descriptions.

    Attributes:
        kind: What is asked for: "object" or "attribute".
        options: The words of Table 1 that the numbers 1 to 10 stand for.
        about_picture: The question that follows a picture.
        about_description: The question that follows a description.
        wording: Whose wording it is.
    """

    kind: Literal["object", "attribute"]
    options: tuple[str, ...]
    about_picture: str
    about_description: str
    wording: Wording = "paper"

    def with_description(self, description: str) -> str:
        """Return the whole prompt about a description.

        >>> question, _ = questions(THEMES["color"])
        >>> question.with_description("A red car.")[:53]
        'Image caption: A red car. What is the main object in '
        """
        stop = "." if self.wording == "released" else ""
        return f"Image caption: {description}{stop} {self.about_description}"


def questions(theme: Theme, wording: Wording = "paper") -> tuple[Question, Question]:
    """Return a theme's questions: for the object, then for the attribute.

    Raises:
        ValueError: There is no such wording.

    >>> for question in questions(THEMES["color"]):
    ...     print(question.about_picture[:67])
    What is the main object in this image? Answer from the following op
    What is the color (of the main object) in this image? Answer from t
    """
    choose("wording", wording, WORDINGS)
    this = {"object": "this image", "attribute": "this image"}
    described = dict(this)
    if wording == "released":
        described = {
            "object": "this image based on the description",
            "attribute": "the image based on the description",
        }
    asked = {"object": "main object", "attribute": f"{theme.name} (of the main object)"}
    options = {"object": theme.objects, "attribute": theme.attributes}

    def question(kind: Literal["object", "attribute"]) -> Question:
        offered = _offer(theme, options[kind], wording)
        about_picture, about_description = (
            f"What is the {asked[kind]} in {where[kind]}? {offered}{_END}"
            for where in (this, described)
        )
        return Question(kind, options[kind], about_picture, about_description, wording)

    return question("object"), question("attribute")


def _offer(theme: Theme, options: tuple[str, ...], wording: Wording) -> str:
    words = options if wording == "paper" else [theme.text(option) for option in options]
    listed = " ".join(f"({number}){word}" for number, word in enumerate(words, start=1))
    space = "  " if wording == "released" else " "
    return f"Answer from the following options:{space}{listed}."


def prompts_digest(wording: Wording) -> str:
    """Return a digest of all prompts in a wording, for a judge's record."""
    texts = [
        text
        for theme in THEMES.values()
        for question in questions(theme, wording)
        for text in (question.about_picture, question.with_description("{}"))
    ]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
