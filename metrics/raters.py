"""What judges and people say of the outputs in run folders, side by side. Reading only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from cobsat.run_folder import RunFolder, RunSettings
from cobsat.spec import TASKS

from .agreement import majority
from .labels import labels_path, people, read_labels
from .outputs import about, fingerprint, run_rows, run_themes, to_look_at
from .scores import Row

__all__ = ["Answer", "Item", "Rater", "Study", "read_study"]

Key: TypeAlias = tuple[str, str]
"""A run's name and an example's id."""

Answer: TypeAlias = tuple[str | None, str | None]
"""Object and attribute; "" where the rater chose none, None where nothing is known."""


@dataclass(frozen=True)
class Item:
    """One output that raters may have looked at.

    Attributes:
        run: The run's name.
        row: The example.
        output: The output's digest.
    """

    run: str
    row: Row
    output: str

    @property
    def key(self) -> Key:
        """What raters' answers go by."""
        return self.run, self.row["id"]

    @property
    def theme(self) -> str:
        """The theme, whose options the answers are chosen from."""
        return TASKS[self.row["task"]].theme.name


@dataclass(frozen=True)
class Rater:
    """Who gave verdicts, and which.

    Attributes:
        answers: By item; an item without an answer was not rated.
        tied: How many items have no majority.
    """

    name: str
    kind: Literal["judge", "person", "majority"]
    answers: dict[Key, Answer] = field(default_factory=dict)
    tied: int = 0

    @property
    def shown(self) -> str:
        """The name as a table shows it."""
        return f"{self.name} (person)" if self.kind == "person" else self.name


@dataclass(frozen=True)
class Study:
    """Outputs and those who rated them: judges first, then people, then the people's majority."""

    items: list[Item]
    raters: list[Rater]
    problems: list[str]

    @property
    def people(self) -> list[Rater]:
        """The people among the raters."""
        return [rater for rater in self.raters if rater.kind == "person"]


def read_study(paths: Sequence[Path]) -> Study:
    """Read what judges and people say of the outputs in run folders.

    Raises:
        FileNotFoundError: A folder holds no run.
        ValueError: Runs do not go together, or a person's labels cannot be read.
    """
    names = _names(paths)
    folders = {name: RunFolder(path) for name, path in zip(names, paths, strict=True)}
    _check(folders)
    items: list[Item] = []
    judges: dict[str, Rater] = {}
    persons: dict[str, Rater] = {}
    records: dict[str, object] = {}
    problems: list[str] = []
    for name, folder in folders.items():
        here = _items(name, folder)
        items += here
        for judge in sorted(path.stem for path in (folder.path / "verdicts").glob("*.jsonl")):
            rater = judges.setdefault(judge, Rater(judge, "judge"))
            problems += _read_verdicts(rater, folder, here, several=len(paths) > 1)
            record = _record(folder, judge)
            if record != records.setdefault(judge, record):
                problems.append(f"{name}: {judge} is another version or setting than elsewhere")
        for person in people(folder):
            rater = persons.setdefault(person, Rater(person, "person"))
            problems += _read_person(rater, folder, here)
    raters = [*judges.values(), *persons.values()]
    if len(persons) > 1:
        raters.append(_majority(items, list(persons.values())))
    return Study(items, raters, problems)


def _names(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run: its folder's, or the path where names repeat."""
    names = [path.resolve().name for path in paths]
    given = [
        name if names.count(name) == 1 else str(path)
        for name, path in zip(names, paths, strict=True)
    ]
    if len(set(given)) < len(given):
        raise ValueError(f"run folders must differ, got {', '.join(given)}")
    return given


def _check(folders: Mapping[str, RunFolder]) -> None:
    """Refuse runs whose accuracies do not belong in one table."""
    first: tuple[str, RunSettings] | None = None
    for name, folder in folders.items():
        settings = folder.settings()
        first = first or (name, settings)
        for what in ("output", "image_digest"):
            there, here = getattr(first[1], what), getattr(settings, what)
            if here != there:
                raise ValueError(
                    f"runs must have the same {what} to stand in one table, got {here!r} in "
                    f"{name} and {there!r} in {first[0]}: ask about them one at a time"
                )


def _items(name: str, folder: RunFolder) -> list[Item]:
    """Return the examples whose output shows something; the others were never judged."""
    settings = folder.settings()
    predictions, _ = folder.predictions()
    return [
        Item(name, row, fingerprint(folder, predictions[row["id"]]))
        for row in run_rows(settings)
        if row["id"] in predictions
        and to_look_at(predictions[row["id"]], settings.output) is not None
    ]


def _read_verdicts(
    rater: Rater, folder: RunFolder, items: Sequence[Item], *, several: bool
) -> list[str]:
    """Add a judge's verdicts; of a call that failed nothing is known."""
    verdicts, problems = folder.verdicts(rater.name)
    stale = 0
    for item in items:
        verdict = verdicts.get(item.row["id"])
        if verdict is None or verdict.status == "error":
            continue
        if about(verdict) not in (None, item.output):
            stale += 1
            continue
        rater.answers[item.key] = (verdict.object or "", verdict.attribute or "")
    where = f"{folder.path.name}: " if several else ""
    if stale:
        problems = [*problems, f"{where}{rater.name}: {_stale(stale)}: judge anew"]
    return problems


def _read_person(rater: Rater, folder: RunFolder, items: Sequence[Item]) -> list[str]:
    themes = run_themes(folder.settings())
    labels, problems = read_labels(labels_path(folder, rater.name), themes)
    stale = 0
    for item in items:
        label = labels.get(item.row["id"])
        if label is None:
            continue
        if label.output not in (None, item.output):
            stale += 1
            continue
        rater.answers[item.key] = (label.object, label.attribute)
    if stale:
        problems = [*problems, f"{rater.name}: {_stale(stale)}: label anew"]
    return problems


def _stale(count: int) -> str:
    verdicts = "1 verdict is" if count == 1 else f"{count:,} verdicts are"
    return f"{verdicts} about another output than the one that is there now, and left out"


def _record(folder: RunFolder, judge: str) -> object:
    """Return what a judge says of itself in a run folder, without versions."""
    target = folder.verdicts_path(judge).with_suffix(".json")
    try:
        record = json.loads(target.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if isinstance(record, dict):
        record.pop("versions", None)
    return record


def _majority(items: Sequence[Item], persons: Sequence[Rater]) -> Rater:
    """Return what most people say of each output that two or more of them rated."""
    answers: dict[Key, Answer] = {}
    tied = 0
    for item in items:
        votes = [person.answers[item.key] for person in persons if item.key in person.answers]
        if len(votes) < 2:
            continue
        most = (majority([vote[0] for vote in votes]), majority([vote[1] for vote in votes]))
        tied += None in most
        answers[item.key] = most
    return Rater(f"majority of {len(persons)} people", "majority", answers, tied)
