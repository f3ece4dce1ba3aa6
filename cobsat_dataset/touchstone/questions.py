"""What a question of TouchStone is, and the row that a dataset makes of it. Plain data.

Source: TouchStone, Sec. 3; columns of the released file in brackets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from cobsat.examples import Message, Part, Source
from PIL import Image

__all__ = ["Question", "Reference", "Row", "messages", "reference", "row"]


@dataclass(frozen=True)
class Question:
    """One question about one or several pictures.

    Attributes:
        id: `touchstone-INDEX` or `touchstone-mini-INDEX`, the same on every machine.
        index: Its number in the file [index].
        images: Its pictures in order: paths, or pictures [image, one].
        question: What is asked [question].
        annotation: What people wrote down of the pictures: the judge sees it in their place
            [human_annotation].
        reference_answer: What the model's answer is set against [gpt4_ha_answer].
        categories: Keys of `CATEGORIES`, more than one where the question needs several; of a file
            also what it calls others [category].
        subtask: The subtask [task_name].
    """

    id: str
    index: int
    images: tuple[str | Image.Image, ...]
    question: str
    annotation: str
    reference_answer: str
    categories: tuple[str, ...]
    subtask: str


class Reference(TypedDict):
    """What an answer is judged with: all of a question but its pictures. Every metric takes it."""

    id: str
    question: str
    annotation: str
    reference_answer: str
    categories: list[str]
    subtask: str


class Row(TypedDict):
    """A row of the dataset, and what an adapter is asked.

    Keys:
        output: "answer": a text is asked for.
        messages: The question as a chat: the pictures, then the text.
        followup: None: there is one round.
    """

    id: str
    index: int
    output: str
    images: list[Any]
    question: str
    annotation: str
    reference_answer: str
    categories: list[str]
    subtask: str
    messages: list[Message]
    followup: str | None
    reference: Reference
    source: Source


def messages(question: Question) -> list[Message]:
    """Return a question as a chat of one turn: its pictures, then its text."""
    parts: list[Part] = [{"type": "image", "text": None, "image": i} for i in question.images]
    parts.append({"type": "text", "text": question.question, "image": None})
    return [{"role": "user", "content": parts}]


def reference(question: Question) -> Reference:
    """Return what an answer to a question is judged with."""
    return {
        "id": question.id,
        "question": question.question,
        "annotation": question.annotation,
        "reference_answer": question.reference_answer,
        "categories": list(question.categories),
        "subtask": question.subtask,
    }


def row(question: Question, source: Source) -> Row:
    """Return a question as a row."""
    return {
        "id": question.id,
        "index": question.index,
        "output": "answer",
        "images": list(question.images),
        "question": question.question,
        "annotation": question.annotation,
        "reference_answer": question.reference_answer,
        "categories": list(question.categories),
        "subtask": question.subtask,
        "messages": messages(question),
        "followup": None,
        "reference": reference(question),
        "source": source,
    }
