"""The examples that a card shows: chosen by rule, with their pictures as small files beside it.

Pictures of a source that is not ours are not shown, for their rights are with their owners: neither
in prompts, nor as an output that is such a picture itself (the copy baseline gives them back).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from cobsat import Example
from cobsat.card_parts import shorten
from cobsat.metrics.answer_runs import questions_together
from cobsat.metrics.scores import outcome
from cobsat.samples import split_sample_id
from cobsat.touchstone import Question
from cobsat.touchstone.sources import MINI

from .card_data import CardRun
from .report_data import Run
from .thumbnails import thumbnail

__all__ = ["Files", "Shown", "shown_examples"]

MOST: Final = 3
"""So many right and so many wrong ones of a run."""
LONGEST: Final = 300
_SIZE, _QUALITY = 128, 80


@dataclass(frozen=True)
class Piece:
    """A picture (the path of its file beside the card), or what stands in its place; then text."""

    picture: str | None
    instead: str
    text: str


@dataclass(frozen=True)
class Shown:
    """One example on a card.

    Attributes:
        prompt: Pictures and texts in reading order.
        output: What the model gave.
        wanted: What it should have shown.
        said: What the judge says of it.
    """

    id: str
    right: bool
    prompt: tuple[Piece, ...]
    output: Piece
    wanted: str
    said: str


class Files:
    """Files that a card shows, by their path beside it; the same picture once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.pictures: dict[str, bytes] = {}

    def add(self, path: Path) -> str | None:
        """Return the path of a picture's thumbnail beside the card; None if it cannot be read."""
        data = base64.b64decode(thumbnail(path, _SIZE, _QUALITY))
        if not data:
            return None
        name = f"{self._folder}/examples/{hashlib.sha256(data).hexdigest()[:16]}.webp"
        self.pictures[name] = data
        return name


def shown_examples(run: CardRun, files: Files) -> list[Shown]:
    """Return the first right and the first wrong output of each task, up to three of each.

    Of a run of TouchStone: the three answers with the best marks, and the three with the worst.
    The first judge's verdicts decide.
    """
    if run.cobsat is not None:
        return _of_cobsat(run.cobsat, run.source, files)
    return _of_answers(run, files)


def _of_cobsat(run: Run, source: str, files: Files) -> list[Shown]:
    judge = next(iter(run.scores))
    verdicts = run.verdicts[judge]
    chosen: dict[bool, dict[str, Example]] = {True: {}, False: {}}
    for example in run.examples():
        verdict = verdicts.get(example["id"])
        if outcome(run.predictions.get(example["id"]), verdict) != "scored" or verdict is None:
            continue
        of_task = chosen[verdict.correct]
        if len(of_task) < MOST:
            of_task.setdefault(example["task"], example)
        if all(len(found) == MOST for found in chosen.values()):
            break
    theirs = _digests(run) if source != "rendered" else frozenset()
    show = partial(_cobsat, run, judge, files, source == "rendered", theirs)
    return [show(example) for found in chosen.values() for example in found.values()]


def _digests(run: Run) -> frozenset[str]:
    paths = [Path(path) for path in run.source.paths.values() if path]
    return frozenset(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)


def _cobsat(
    run: Run, judge: str, files: Files, ours: bool, theirs: frozenset[str], example: Example
) -> Shown:
    prediction, verdict = run.predictions[example["id"]], run.verdicts[judge][example["id"]]
    reference = example["reference"]
    return Shown(
        id=example["id"],
        right=verdict.correct,
        prompt=tuple(_pieces(example, files if ours else None)),
        output=_output(run, prediction.text, prediction.image, files, ours, theirs),
        wanted=f"{reference['attribute']}, {reference['object']}",
        said=f"{verdict.attribute or 'none'}, {verdict.object or 'none'}",
    )


def _pieces(example: Example, files: Files | None) -> Iterator[Piece]:
    """Yield a prompt in reading order, as it was asked; in place of others' pictures, words."""
    described = iter(example["demonstrations"])
    for message in example["messages"]:
        for part in message["content"]:
            if part["type"] == "text":
                yield Piece(None, "", shorten((part["text"] or "").strip(), LONGEST))
                continue
            picture = None
            if files is not None and part["image"]:
                picture = files.add(Path(str(part["image"])))
            shown = next(described, None)
            yield Piece(picture, (shown and shown["description"]) or "picture", "")


def _output(
    run: Run, text: str | None, image: str | None, files: Files, ours: bool, theirs: frozenset[str]
) -> Piece:
    said = shorten(text or "", LONGEST)
    home = run.folder.path.resolve()
    path = (home / (image or "")).resolve()
    if not image or not path.is_relative_to(home) or not path.is_file():
        return Piece(None, "picture that is not there" if image else "", said)
    if not ours and (not theirs or hashlib.sha256(path.read_bytes()).hexdigest() in theirs):
        return Piece(None, "a picture of the source, not shown", said)
    return Piece(files.add(path), "picture that cannot be read", said)


def _of_answers(run: CardRun, files: Files) -> list[Shown]:
    board = run.answers[0]
    marks = {i: v for i, v in board.verdicts.items() if v.answer is not None}
    order = {name: number for number, name in enumerate(board.predictions)}
    ranked = sorted(marks, key=lambda name: (-(marks[name].answer or 0.0), order.get(name, 0)))
    best, worst = ranked[:MOST], ranked[MOST:][::-1][:MOST]
    questions: dict[str, Question] = {}
    if run.source == MINI:  # others' questions and pictures are not ours to publish
        questions = {q.id: q for q in questions_together(run.settings)[1]}
    shown = []
    for name in (*best, *worst):
        question = questions.get(split_sample_id(name)[0])
        pieces: list[Piece] = [Piece(None, "question", name)]
        wanted = ""
        if question is not None:
            pictures = [Path(str(image)) for image in question.images]
            pieces = [Piece(files.add(path), "picture", "") for path in pictures]
            pieces.append(Piece(None, "", shorten(question.question, LONGEST)))
            wanted = shorten(question.reference_answer, LONGEST)
        text = shorten(board.predictions[name].text or "", LONGEST)
        said = f"{marks[name].answer:g} (reference {marks[name].reference:g})"
        shown.append(Shown(name, name in best, tuple(pieces), Piece(None, "", text), wanted, said))
    return shown
