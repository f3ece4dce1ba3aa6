"""What a leaderboard says of TouchStone's runs: scores and verdicts, read, checked and ranked.

It stands on the run folders alone. Scores are shown as `cobsat judge` wrote them; ranks come from
the verdicts, model against model on the same questions (`cobsat.metrics.touchstone_compare`).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import cobsat
from cobsat import Prediction, RunFolder, RunSettings
from cobsat.metrics.answer_runs import check_together, names_of, questions_together
from cobsat.metrics.outputs import fingerprint
from cobsat.metrics.touchstone_compare import (
    Difference,
    Entry,
    Rank,
    by_question,
    difference,
    ranks,
)
from cobsat.run_folder import safe_name
from cobsat.spec import choose
from cobsat.touchstone import CATEGORIES, SUBTASKS, DialogueVerdict, Question, QuestionSource
from cobsat.touchstone.sources import OFFICIAL

from .leaderboard_scores import Points, Scores, is_of_answers, read_scores


@dataclass(frozen=True)
class BoardRun:
    """One run on the board, as far as it has come.

    Attributes:
        label: What tells it from the other runs.
        verdicts: Those about the answers that are there now.
        marks: Its mean marks by question.
        notices: What a reader must know before trusting the numbers.
    """

    folder: RunFolder
    label: str
    settings: RunSettings
    scores: Scores
    predictions: Mapping[str, Prediction]
    verdicts: Mapping[str, DialogueVerdict]
    marks: Mapping[str, float]
    notices: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model's name, with the checkpoint where the name alone says little."""
        record = self.settings.model_options.get("record")
        options = {**self.settings.model_options, **(record if isinstance(record, Mapping) else {})}
        which = next((options[k] for k in ("checkpoint", "model") if options.get(k)), "")
        if not isinstance(which, str) or which == self.settings.model:
            which = ""
        return f"{self.settings.model} {which}".strip()


@dataclass(frozen=True)
class Place:
    """One line of the board: a run, or a score that was published.

    Attributes:
        name: The run's label, or the model's published name.
        points: Its score.
        rank: Its rank; None without a score.
        run: The run; None for a published score.
    """

    name: str
    points: Points
    rank: Rank | None
    run: BoardRun | None


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    Attributes:
        judge: By whose marks.
        source: Where the questions are from: "touchstone-mini", "official" or "file:NAME".
        runs: In the order in which they were given.
        places: By rank.
        pairs: How every two runs differ: both labels, and the second minus the first.
        questions: What was asked; empty where it cannot be had any more.
        material: Where the questions' pictures are; None likewise.
        notices: What is true of the whole board.
    """

    judge: str
    source: str
    runs: tuple[BoardRun, ...]
    places: tuple[Place, ...]
    pairs: tuple[tuple[str, str, Difference], ...]
    questions: tuple[Question, ...]
    material: QuestionSource | None
    notices: tuple[str, ...]


def read_board(paths: Sequence[Path], judge: str | None = None) -> Board:
    """Read run folders that one judge has judged, and rank them.

    Args:
        paths: The run folders.
        judge: The judge to go by; by default the first that judged them all.

    Raises:
        FileNotFoundError: A folder is no run's.
        ValueError: The runs do not belong in one table, or are not judged.
    """
    names = names_of(paths)
    settings = check_together(paths, "`cobsat compare` and `cobsat report` are for CoBSAT's runs")
    folders = [RunFolder(path) for path in paths]
    common = _common_judges(folders, judge)
    name = safe_name(judge) if judge else common[0]
    material, questions, trouble = _questions(settings[0])
    runs = tuple(
        _read_run(folder, label, name) for folder, label in zip(folders, names, strict=True)
    )
    _check_judges(runs)
    source = material.name if material is not None else _source_name(settings[0])
    complete = settings[0].limit is None and "touchstone" in settings[0].configs
    published = _published() if source == OFFICIAL and complete else ()
    notices = [trouble] if trouble else []
    if len(common) > 1:
        others = ", ".join(other for other in common if other != name)
        notices.append(f"By the marks of {name}; also judged by {others} (--judge).")
    if published:
        notices.append(
            "The published scores are of the authors' repository, from GPT-4 of 2023, and have no "
            "intervals; marks of another judge are not on their scale."
        )
    return Board(
        judge=name,
        source=source,
        runs=runs,
        places=_places(runs, published),
        pairs=tuple(
            (first.label, second.label, difference(first.marks, second.marks))
            for first, second in combinations(runs, 2)
        ),
        questions=tuple(questions),
        material=material,
        notices=tuple(notices),
    )


def dialogue_judges(folder: RunFolder) -> list[str]:
    """Return the judges of a run whose scores are of answers beside reference answers."""
    return [name for name in folder.judges() if is_of_answers(folder.scores_path(name))]


def _common_judges(folders: Sequence[RunFolder], judge: str | None) -> list[str]:
    """Return the judges that judged all runs; the one that is asked for must be among them."""
    found = [dialogue_judges(folder) for folder in folders]
    if judge is not None and any(found):
        choose("judge", safe_name(judge), dict.fromkeys(name for names in found for name in names))
        for folder, names in zip(folders, found, strict=True):
            if safe_name(judge) not in names:
                raise ValueError(
                    f"{folder.path} has no marks by {safe_name(judge)}: `cobsat judge "
                    f"{folder.path} --judge …` with the options of that judge makes them"
                )
    common = [name for name in found[0] if all(name in names for names in found)]
    if not common:
        got = "; ".join(
            f"{', '.join(names) or 'none'} for {folder.path.name}"
            for folder, names in zip(folders, found, strict=True)
        )
        raise ValueError(
            f"runs must have scores by one judge of TouchStone, got {got}: `cobsat judge RUN "
            "--judge touchstone --judge-option model=NAME` judges a run"
        )
    return common


def _check_judges(runs: Sequence[BoardRun]) -> None:
    """Refuse marks that two judges gave, or one that was asked in two ways."""
    for run in runs[1:]:
        here, there = run.scores.record, runs[0].scores.record
        keys = sorted({*here, *there} - {"versions"})
        differing = [key for key in keys if here.get(key) != there.get(key)]
        if differing:
            what = "; ".join(f"{k}: {there.get(k)!r} and {here.get(k)!r}" for k in differing)
            raise ValueError(
                f"marks of {runs[0].label} and {run.label} must be by the very same judge, got "
                f"{what}: judge both anew with one of them, or write a leaderboard for each"
            )


def _questions(
    settings: RunSettings,
) -> tuple[QuestionSource | None, list[Question], str]:
    """Return a run's questions, or none and the reason."""
    try:
        material, questions = questions_together(settings)
    except (OSError, ValueError) as error:
        return None, [], f"The questions are not shown: {error}."
    return material, questions, ""


def _source_name(settings: RunSettings) -> str:
    return settings.images if settings.images == OFFICIAL else f"file:{Path(settings.images).name}"


def _read_run(folder: RunFolder, label: str, judge: str) -> BoardRun:
    settings = folder.settings()
    predictions, problems = folder.predictions()
    there, broken = folder.verdicts_of(judge, DialogueVerdict)
    verdicts = {i: v for i, v in there.items() if _is_about(v, folder, predictions.get(i))}
    marks = {i: v.answer for i, v in verdicts.items() if v.answer is not None}
    scores = read_scores(folder.scores_path(judge))
    notices = [*scores.notices, *_broken([*problems, *broken])]
    stale = len(there) - len(verdicts)
    if stale:
        what = "1 verdict is" if stale == 1 else f"{stale:,} verdicts are"
        notices.append(
            f"{what} about another answer than the one that is there now, and left out of the "
            "comparison (cobsat judge judges anew)."
        )
    if len(marks) != scores.overall.n:
        notices.append(
            f"The scores are over {scores.overall.n:,} marked answers, and there are "
            f"{len(marks):,} now (cobsat judge writes the scores anew)."
        )
    return BoardRun(
        folder=folder,
        label=label,
        settings=settings,
        scores=scores,
        predictions=predictions,
        verdicts=verdicts,
        marks=by_question(marks),
        notices=tuple(dict.fromkeys(notices)),
    )


def _is_about(verdict: DialogueVerdict, folder: RunFolder, prediction: Prediction | None) -> bool:
    if prediction is None:
        return False
    return (verdict.raw or {}).get("output") in (None, fingerprint(folder, prediction))


def _broken(problems: Sequence[str]) -> list[str]:
    if not problems:
        return []
    lines = "1 broken line was" if len(problems) == 1 else f"{len(problems):,} broken lines were"
    return [f"{lines} left out ({problems[0]}{', …' if len(problems) > 1 else ''})."]


def _places(runs: Sequence[BoardRun], published: Sequence[tuple[str, float]]) -> tuple[Place, ...]:
    entries = [
        Entry(r.scores.overall.points.score, r.scores.overall.points.bounds, r.marks) for r in runs
    ]
    entries += [Entry(score) for _, score in published]
    found = ranks(entries)
    places = [
        Place(run.label, run.scores.overall.points, rank, run)
        for run, rank in zip(runs, found, strict=False)
    ]
    places += [
        Place(model, Points(score), rank, None)
        for (model, score), rank in zip(published, found[len(runs) :], strict=True)
    ]
    return tuple(sorted(places, key=lambda place: (-(place.points.score or 0.0), place.name)))


@cache
def _published() -> tuple[tuple[str, float], ...]:
    path = Path(cobsat.__file__).parent / "paper" / "touchstone_leaderboard.csv"
    with open(path, newline="", encoding="utf-8") as file:
        return tuple((row["model"], float(row["score"])) for row in csv.DictReader(file))


def ordered(names: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Return names in the paper's order, and those that it does not know after them."""
    return [*(n for n in known if n in names), *(n for n in names if n not in known)]


def categories_of(board: Board) -> list[str]:
    """Return the categories that a run of the board has scores of, in the paper's order."""
    found = {name: None for run in board.runs for name in run.scores.categories}
    return ordered(found, tuple(CATEGORIES))


def subtasks_of(board: Board) -> list[str]:
    """Return the subtasks, likewise."""
    found = {name: None for run in board.runs for name in run.scores.subtasks}
    return ordered(found, tuple(SUBTASKS))


def title_of(category: str) -> str:
    """Return a category's name in the paper, or its key where that has none."""
    return CATEGORIES[category].title if category in CATEGORIES else category
