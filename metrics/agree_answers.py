"""How far judges of TouchStone agree with people, and people with one another.

`cobsat agree` comes here with TouchStone's runs. Votes are those of `cobsat label`, or tables of
your own in `labels/` (`label_votes.py`); judges' are the signs of their marks. What is counted and
why says `touchstone_agreement.py`.
Source: TouchStone, Sec. 4.1 (72.2% and 78.4%) and Fig. 4 (by ability, and by model).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from cobsat.run_folder import RunFolder
from cobsat.touchstone.sources import OFFICIAL
from cobsat.touchstone.spec import CATEGORIES
from cobsat.touchstone.verdicts import DialogueVerdict

from .answer_runs import Answer, answers_of, check_together, names_of, questions_together
from .label_table import labels_path, people, read_record
from .label_votes import read_votes
from .touchstone_agreement import (
    PAPER,
    Ballot,
    Vote,
    among_people,
    judge_to_people,
    vote_of_marks,
)

__all__ = ["agreement_of_answers"]

Key: TypeAlias = tuple[str, str]
"""A run's name and an example's id."""

_Row: TypeAlias = dict[str, Any]


@dataclass
class _Study:
    """Who voted on what.

    Attributes:
        ballots: Without a judge's vote, by answer.
        people: How many votes each of the first people has.
        fourth: The same of those who see only what the others are of several minds about.
        judges: Each judge's votes by answer.
        problems: What was left out.
    """

    ballots: dict[Key, Ballot] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    fourth: dict[str, int] = field(default_factory=dict)
    judges: dict[str, dict[Key, Vote]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def agreement_of_answers(paths: Sequence[Path]) -> _Row:
    """Return how far judges and people agree on the answers in TouchStone's runs, as JSON.

    Keys:
        source: Where the questions are from.
        persons, fourth: How many votes each person has.
        answers, undecided: How many answers people voted on, and on how many without a majority.
        people: `among_people` of `all`, by `categories` and by `models`.
        judges: By name: `judge_to_people`, likewise, and the `disagreements`.
        paper: What the paper found, beside official questions; else None.
        problems: What was left out.

    Raises:
        FileNotFoundError: A folder holds no run, or the questions cannot be had.
        ValueError: Nobody voted, the runs do not go together, or votes cannot be read.
    """
    names = names_of(paths)
    settings = check_together(paths, "`cobsat agree` takes the runs of one benchmark at a time")
    source, questions = questions_together(settings[0])
    study = _Study()
    for name, path in zip(names, paths, strict=True):
        folder = RunFolder(path)
        answers = answers_of(folder, questions)
        _read_people(study, name, folder, answers)
        _read_judges(study, name, folder, answers)
    if not study.ballots:
        raise ValueError(
            f"{' and '.join(map(str, paths))} must hold people's votes, got none: give some "
            "(cobsat label)"
        )
    ballots = list(study.ballots.values())
    return {
        "benchmark": "touchstone",
        "runs": list(map(str, paths)),
        "source": source.name,
        "persons": study.people,
        "fourth": study.fourth,
        "answers": len(ballots),
        "undecided": sum(ballot.truth is None for ballot in ballots),
        "people": _grouped(ballots, among_people),
        "judges": {
            judge: _judge(study.ballots, votes)
            for judge, votes in study.judges.items()
            if votes.keys() & study.ballots.keys()
        },
        "paper": PAPER if source.name == OFFICIAL else None,
        "problems": study.problems,
    }


def _read_people(study: _Study, run: str, folder: RunFolder, answers: Sequence[Answer]) -> None:
    ids = folder.predictions()[0].keys()
    for person in people(folder):
        table = labels_path(folder, person)
        is_fourth = bool(read_record(table).get("disputed"))
        labels, problems = read_votes(table, ids)
        stale = 0
        for answer in answers:
            label = labels.get(answer.id)
            if label is None:
                continue
            if label.output not in (None, answer.digest):
                stale += 1
                continue
            key = (run, answer.id)
            ballot = study.ballots.get(key) or Ballot(
                run, answer.question.id, answer.question.categories, ()
            )
            if is_fourth:
                ballot = replace(ballot, fourth=(*ballot.fourth, label.vote))
            else:
                ballot = replace(ballot, votes=(*ballot.votes, label.vote))
            study.ballots[key] = ballot
            counts = study.fourth if is_fourth else study.people
            counts[person] = counts.get(person, 0) + 1
        study.problems += [f"{run}: {problem}" for problem in problems]
        if stale:
            study.problems.append(f"{run}: {person}: {_stale(stale)}: label anew")


def _read_judges(study: _Study, run: str, folder: RunFolder, answers: Sequence[Answer]) -> None:
    for judge in sorted(path.stem for path in (folder.path / "verdicts").glob("*.jsonl")):
        verdicts, problems = folder.verdicts_of(judge, DialogueVerdict)
        stale = 0
        for answer in answers:
            verdict = verdicts.get(answer.id)
            if verdict is None or verdict.answer is None or verdict.reference is None:
                continue
            if (verdict.raw or {}).get("output") not in (None, answer.digest):
                stale += 1
                continue
            votes = study.judges.setdefault(judge, {})
            votes[run, answer.id] = vote_of_marks(verdict.answer, verdict.reference)
        study.problems += [f"{run}: {problem}" for problem in problems]
        if stale:
            study.problems.append(f"{run}: {judge}: {_stale(stale)}: judge anew")


def _stale(count: int) -> str:
    votes = "1 vote is" if count == 1 else f"{count:,} votes are"
    return f"{votes} about another answer than the one that is there now, and left out"


def _judge(ballots: dict[Key, Ballot], votes: dict[Key, Vote]) -> _Row:
    judged = {key: replace(b, judge=votes.get(key)) for key, b in ballots.items()}
    return {
        **_grouped(list(judged.values()), judge_to_people),
        "disagreements": [
            {"run": run, "id": name, "judge": ballot.judge, "people": ballot.truth}
            for (run, name), ballot in judged.items()
            if ballot.judge is not None and ballot.truth not in (None, ballot.judge)
        ],
    }


def _grouped(ballots: Sequence[Ballot], count: Callable[[Sequence[Ballot]], Any]) -> _Row:
    """Return what `count` makes of all ballots, of each category's and of each model's."""
    categories = {
        name: [ballot for ballot in ballots if name in ballot.categories] for name in CATEGORIES
    }
    models: dict[str, list[Ballot]] = {}
    for ballot in ballots:
        models.setdefault(ballot.run, []).append(ballot)
    return {
        "all": _plain(count(ballots)),
        "categories": {name: _plain(count(of)) for name, of in categories.items() if of},
        "models": {name: _plain(count(of)) for name, of in models.items()},
    }


def _plain(found: dict[str, Any]) -> _Row:
    return {name: asdict(consistency) for name, consistency in found.items()}
