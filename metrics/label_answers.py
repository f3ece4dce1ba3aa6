"""Pairs of answers as a person votes on them: a model's and the reference, blind.

200 questions are drawn by the categories' shares, the same of all runs and for all people with one
seed (`touchstone_agreement.sample_questions`). Which answer stands left is drawn anew for each
answer and person. A fourth person (`--disputed`) sees only what the first three are of three minds
about.
Source: TouchStone, Sec. 4.1.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from cobsat.card_parts import visible
from cobsat.run_folder import RunFolder
from cobsat.touchstone.sources import QuestionSource

from .agreement import majority
from .answer_runs import Answer, answers_of, check_together, names_of, questions_together
from .label_session import Said, Session
from .label_table import begin_record, labels_path, people, read_record, write_record
from .label_votes import VoteLabel, add_votes, read_votes
from .touchstone_agreement import QUESTIONS, Vote, sample_questions

__all__ = ["Pair", "disputed_ids", "open_session"]

CHOICES: Final = ("left", "tie", "right")
FIRST: Final = 3
"""People whose votes decide; a fourth is asked where they do not."""

_OF_CHOICE: Final[Mapping[bool, Mapping[str, Vote]]] = {
    True: {"left": "win", "tie": "tie", "right": "loss"},
    False: {"left": "loss", "tie": "tie", "right": "win"},
}
"""Whether the model's answer stands left → what is chosen → the vote."""


@dataclass(frozen=True)
class Pair:
    """A model's answer beside the reference answer.

    Attributes:
        path: Where the votes on it go.
        answer: The model's answer, with its question.
        model_left: Whether it stands left.
        source: Where the question's pictures are from.
    """

    path: Path
    answer: Answer
    model_left: bool
    source: QuestionSource

    @cached_property
    def pictures(self) -> Sequence[Path]:
        """The question's pictures."""
        question = self.source.with_pictures(self.answer.question)
        return tuple(Path(os.fspath(str(image))) for image in question.images)

    def shown(self) -> dict[str, Any]:
        """Return what the page may know: neither id, nor which answer is whose."""
        both = (self.answer.text, self.answer.question.reference_answer)
        left, right = both if self.model_left else reversed(both)
        shown = {"question": self.answer.question.question, "left": left, "right": right}
        return {name: visible(text) for name, text in shown.items()}

    def check(self, said: Mapping[str, Any]) -> Said:
        """Return which answer a person finds better: "left", "tie" or "right".

        Raises:
            KeyError: They do not say.
            ValueError: It is none of these.
        """
        vote = said["vote"]
        if vote not in CHOICES:
            raise ValueError(f"vote must be one of {', '.join(CHOICES)}, got {vote!r}")
        return {"vote": vote}

    def label(self, said: Said) -> VoteLabel:
        """Return what a person says as a line of their table."""
        vote = _OF_CHOICE[self.model_left][said["vote"]]
        return VoteLabel(self.answer.id, vote, self.answer.digest)

    def said(self, label: VoteLabel) -> Said:
        """Return a vote as the page has it: the other way round from `label`."""
        choices = _OF_CHOICE[self.model_left]
        return {"vote": next(choice for choice, vote in choices.items() if vote == label.vote)}


def open_session(
    paths: Sequence[Path],
    person: str,
    sample: int | None = None,
    seed: int | None = None,
    *,
    disputed: bool = False,
) -> Session[Pair]:
    """Return a person's session on the answers of one or several runs, taken up where they stopped.

    Args:
        paths: The run folders.
        person: Who votes.
        sample: How many questions are drawn; 200 by default.
        seed: Seed of the sample and its order; 0, or that of the votes that are there, by default.
        disputed: Only what three others have no majority about.

    Raises:
        FileNotFoundError: A folder holds no run, or the questions cannot be had.
        ValueError: The runs do not go together, there is nothing to vote on, or the person voted
            with another seed, or in the other way.
    """
    names_of(paths)
    settings = check_together(paths, "`cobsat label` takes the runs of one benchmark at a time")
    source, questions = questions_together(settings[0])
    folders = [RunFolder(path) for path in paths]
    tables = [labels_path(folder, person) for folder in folders]
    used = _seed(tables, seed)
    before = [begin_record(table, used)[0] for table in tables]
    for table, record in zip(tables, before, strict=True):
        _check_way(table, record, disputed)
    count = sample or QUESTIONS
    categories = {question.id: question.categories[0] for question in questions}
    drawn = sample_questions(categories, len(questions) if disputed else count, used)
    pairs: dict[tuple[int, str], Pair] = {}
    for number, (folder, table) in enumerate(zip(folders, tables, strict=True)):
        wanted = disputed_ids(folder, categories) if disputed else set(drawn)
        for answer in answers_of(folder, questions):
            if answer.id in wanted:
                left = _coin(f"{used} {person} {answer.id} {answer.digest}")
                pairs[number, answer.id] = Pair(table, answer, left, source)
    if not pairs:
        raise ValueError(_nothing(paths, disputed))
    items = [pairs[key] for key in _order(drawn, len(paths), used) if key in pairs]
    session = Session(items, _shown_path(tables), "label_answers", _save, _said_before(items))
    for table, old in zip(tables, before, strict=True):
        record = {"person": person, "seed": used, "questions": len(drawn), "disputed": disputed}
        record |= {"sample": None if disputed else count}
        write_record(table, record, old)
    return session


def disputed_ids(folder: RunFolder, ids: Iterable[str]) -> set[str]:
    """Return the answers of a run on which three people or more have no majority.

    Raises:
        ValueError: Three people have not voted yet.
    """
    known = set(ids)
    tables = [labels_path(folder, name) for name in people(folder)]
    first = [table for table in tables if not read_record(table).get("disputed")]
    if len(first) < FIRST:
        raise ValueError(
            f"{folder.path} must have votes of three people before the disputed ones are known, "
            f"got {len(first)}: cobsat label without --disputed"
        )
    answers = _digests(folder)
    votes: dict[str, list[Vote]] = {}
    for table in first:
        for name, label in read_votes(table, answers)[0].items():
            if name in known and label.output in (None, answers[name]):
                votes.setdefault(name, []).append(label.vote)
    return {name for name, of in votes.items() if len(of) >= FIRST and majority(of) is None}


def _digests(folder: RunFolder) -> dict[str, str]:
    from .outputs import fingerprint

    predictions, _ = folder.predictions()
    return {name: fingerprint(folder, prediction) for name, prediction in predictions.items()}


def _seed(tables: Sequence[Path], seed: int | None) -> int:
    recorded = (read_record(table).get("seed") for table in tables)
    usual = next((int(there) for there in recorded if there is not None), 0)
    return usual if seed is None else seed


def _check_way(table: Path, record: Mapping[str, Any], disputed: bool) -> None:
    """Refuse that one person is among the first three, and the fourth."""
    if record and bool(record.get("disputed")) != disputed:
        way = "on all, without --disputed" if disputed else "on the disputed alone, with --disputed"
        raise ValueError(
            f"person must be one who has not voted {way}, got the one of {table}: name another "
            "with --person"
        )


def _order(drawn: Sequence[str], runs: int, seed: int) -> list[tuple[int, str]]:
    """Return runs and questions mixed, so that no model stands out by its place."""
    order = [(run, question) for question in drawn for run in range(runs)]
    if runs > 1:
        random.Random(f"{seed} order").shuffle(order)
    return order


def _coin(text: str) -> bool:
    return random.Random(text).random() < 0.5


def _save(pair: Pair, said: Said) -> None:
    add_votes(pair.path, [pair.label(said)])


def _said_before(items: Sequence[Pair]) -> dict[int, Said]:
    """Return the votes that are there already, as far as they are about these answers."""
    votes: dict[Path, dict[str, VoteLabel]] = {}
    said = {}
    for number, pair in enumerate(items):
        if pair.path not in votes:
            folder = RunFolder(pair.path.parent.parent)
            votes[pair.path] = read_votes(pair.path, _digests(folder))[0]
        label = votes[pair.path].get(pair.answer.id)
        if label is not None and label.output in (None, pair.answer.digest):
            said[number] = pair.said(label)
    return said


def _shown_path(tables: Sequence[Path]) -> Path:
    """Return where the votes go, as a person is told: `runs/*/labels/ada.csv` for several."""
    if len(tables) == 1:
        return tables[0]
    home = os.path.commonpath([table.parent.parent.parent for table in tables])
    return Path(home) / "*" / "labels" / tables[0].name


def _nothing(paths: Sequence[Path], disputed: bool) -> str:
    where = " and ".join(map(str, paths))
    if disputed:
        return f"{where} must hold answers without a majority of three votes, got none"
    return f"{where} must hold answers to vote on, got none: ask a model first (cobsat predict)"
