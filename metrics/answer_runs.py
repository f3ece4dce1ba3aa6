"""TouchStone runs that stand side by side: which may, and what of them is there to vote on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cobsat.benchmarks import require
from cobsat.run_folder import RunFolder, RunSettings
from cobsat.touchstone.questions import Question
from cobsat.touchstone.runs import run_questions, run_source
from cobsat.touchstone.sources import QuestionSource

from .outputs import fingerprint, to_look_at

__all__ = ["Answer", "answers_of", "check_together", "names_of", "questions_together"]


@dataclass(frozen=True)
class Answer:
    """A model's answer to one question.

    Attributes:
        id: The example's id.
        question: The question.
        text: The answer.
        digest: The answer's digest.
    """

    id: str
    question: Question
    text: str
    digest: str


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run: its folder's, or its path among the runs where names repeat.

    Raises:
        ValueError: No run is given, or one twice.
    """
    if not paths:
        raise ValueError("runs must be one or more run folders, got none")
    resolved = [path.resolve() for path in paths]
    twice = next((path for path in resolved if resolved.count(path) > 1), None)
    if twice is not None:
        raise ValueError(f"runs must be different folders, got {twice.name} twice")
    names = [path.name for path in resolved]
    common = os.path.commonpath([path.parent for path in resolved])
    return [
        name if names.count(name) == 1 else os.path.relpath(path, common)
        for name, path in zip(names, resolved, strict=True)
    ]


def check_together(paths: Sequence[Path], instead: str) -> list[RunSettings]:
    """Return the settings of TouchStone runs that were asked the same questions.

    Args:
        paths: The run folders.
        instead: What does it for a CoBSAT run, as `benchmarks.require` says it.

    Raises:
        FileNotFoundError: One is no run folder.
        ValueError: One is of another benchmark, or was asked other questions.
    """
    found = [RunFolder(path).settings() for path in paths]
    for path, settings in zip(paths, found, strict=True):
        require(settings, "touchstone", path, instead)
    for path, settings in zip(paths, found, strict=True):
        if _questions(settings) != _questions(found[0]):
            raise ValueError(
                f"runs must have been asked the same questions, got {_asked(found[0])} in "
                f"{paths[0]} and {_asked(settings)} in {path}: their scores do not belong in one "
                "table"
            )
    return found


def _questions(settings: RunSettings) -> tuple[object, ...]:
    """Return what tells a run's questions from others: a file by its digest, wherever it lies."""
    which = settings.image_digest or settings.images
    return sorted(settings.configs), settings.limit, which


def _asked(settings: RunSettings) -> str:
    first = f", the first {settings.limit} of each" if settings.limit else ""
    digest = f" (digest {settings.image_digest[:12]})" if settings.image_digest else ""
    return f"{', '.join(sorted(settings.configs))}{first} of {settings.images}{digest}"


def questions_together(settings: RunSettings) -> tuple[QuestionSource, list[Question]]:
    """Return the questions of a run and where they are from; no picture is read.

    Raises:
        FileNotFoundError: They cannot be had.
        ValueError: They are others than the run began with.
    """
    source = run_source(settings)
    return source, run_questions(settings, source)


def answers_of(folder: RunFolder, questions: Sequence[Question]) -> list[Answer]:
    """Return a run's answers that say something, the first to each question."""
    predictions, _ = folder.predictions()
    found = []
    for question in questions:
        prediction = predictions.get(question.id)
        text = None if prediction is None else to_look_at(prediction, "answer")
        if prediction is not None and text is not None:
            found.append(Answer(question.id, question, text, fingerprint(folder, prediction)))
    return found
