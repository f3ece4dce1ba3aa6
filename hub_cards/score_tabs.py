"""What the report shows of each judge: its tiles, its score table, and what one must know of it.

Of several runs the table is grouped: the runs of a task stand together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cobsat.metrics.scores import RATES

from .charts import HUES
from .paper_comparison import PaperTable, paper_tables
from .plots_page import Drawing
from .report_data import Run
from .report_scores import Row, Scores
from .text import shorten
from .what_ran import flat, value

HEADINGS: Final = {
    "accuracy": ("Accuracy", "object and attribute both right, over all outputs"),
    "object": ("Object", "the right object, over all outputs"),
    "attribute": ("Attribute", "the right attribute, over all outputs"),
    "textual": ("Textual", "the half that the text gave, over all outputs"),
    "visual": ("Visual", "the half that the pictures gave, over all outputs"),
    "accuracy_scored": ("Of scored", "accuracy over the scored outputs only"),
}
HINT_OF_SAMPLES: Final = "over the examples whose every output is known"
TASK_NAMES: Final = {
    "all": "all tasks",
    "object_inference": "object inference",
    "attribute_inference": "attribute inference",
}
COUNT_NAMES: Final = {
    "examples": ("examples", ""),
    "outputs": ("outputs", "several for each example; the counts that follow are of outputs"),
    "unscored": ("unscored", "the judge gave no clear answer: counted as wrong"),
    "failed": ("failed", "the model gave nothing usable: counted as wrong"),
    "blocked": ("blocked", "a filter kept the output back: counted as wrong"),
    "missing": ("missing", "not predicted or not judged yet: in no accuracy"),
    "judge_failed": ("judge failed", "the judge could not be asked: in no accuracy"),
    "truncated": ("cut", "the judge read the description's beginning only"),
    "no_majority": (
        "no majority",
        "examples none of whose outputs has an answer: counted as wrong",
    ),
}
"""Counts that are shown: their names and what they mean."""


@dataclass(frozen=True)
class Line:
    """One line of the score table."""

    run: str
    hue: int
    name: str
    note: str
    row: Row


@dataclass(frozen=True)
class Group:
    """Lines of the score table that stand together.

    Attributes:
        name: The task, or the mean, that all of them are of; "" where each is of its own.
        note: What a mean is over.
    """

    lines: Sequence[Line]
    name: str = ""
    note: str = ""

    @property
    def shots(self) -> int:
        """The shots that all lines are of."""
        return self.lines[0].row.shots

    @property
    def is_mean(self) -> bool:
        """Whether the lines are means over tasks."""
        return self.lines[0].row.is_mean


@dataclass(frozen=True)
class Tab:
    """All that the report shows of one judge.

    Attributes:
        several: Whether there are several runs.
        samples: Outputs for each example, of the runs that have several.
    """

    judge: str
    several: bool
    facts: Sequence[tuple[str, str]]
    tiles: Sequence[Line]
    means: Sequence[Line]
    lines: Sequence[Line]
    drawings: Sequence[Drawing]
    notices: Sequence[str]
    reasons: Sequence[tuple[str, str, int]]
    samples: Sequence[int] = ()
    paper: Sequence[PaperTable] = ()

    @property
    def best(self) -> str:
        """What the best of an example's outputs is called."""
        return f"Best of {self.samples[0]}" if len(self.samples) == 1 else "Best of all"

    @property
    def rates(self) -> list[tuple[str, str, str]]:
        """The rates that the table shows: each one's name, heading, and what it means."""
        of_all = [(name, *HEADINGS[name]) for name in RATES]
        if not self.samples:
            return of_all
        most = ("majority", "Majority", f"the answer that most outputs show, {HINT_OF_SAMPLES}")
        best = ("best_of", self.best, f"any output right, {HINT_OF_SAMPLES}")
        return [of_all[0], most, best, *of_all[1:]]

    @property
    def counts(self) -> list[tuple[str, str, str]]:
        """The counts that the table shows: what is nought everywhere is left out, but not these."""
        always = ("examples", "unscored", "failed", "blocked")
        return [
            (name, *shown)
            for name, shown in COUNT_NAMES.items()
            if name in always or any(line.row.counts[name] for line in self.lines)
        ]

    @property
    def groups(self) -> list[Group]:
        """The table's lines: means, then tasks; of several runs, each task's lines together."""
        parts = [self.means, self.lines]
        if not self.several:
            return [Group(lines) for lines in parts if lines]
        return [group for lines in parts for group in _by_task(lines)]


def _by_task(lines: Sequence[Line]) -> list[Group]:
    """Return lines by task and shots, in the order in which these first come."""
    found: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        found.setdefault((line.name, line.row.shots), []).append(line)
    return [Group(of_task, of_task[0].name, of_task[0].note) for of_task in found.values()]


def tab(runs: Sequence[Run], judge: str, drawn: Sequence[Drawing] = ()) -> Tab:
    """Return what one judge made of the runs."""
    tiles: list[Line] = []
    means: list[Line] = []
    lines: list[Line] = []
    notices: list[str] = []
    reasons: list[tuple[str, str, int]] = []
    taken: list[tuple[str, str]] = []
    record: dict[str, Any] = {}
    for number, run in enumerate(runs):
        scores = run.scores.get(judge)
        label = run.label if len(runs) > 1 else ""
        if scores is None:
            notices.append(f"{run.label} has no scores by {judge}.")
            continue
        if record and record != dict(scores.record):
            notices.append(
                f"{run.label} was judged by another version or setting of {judge}: "
                f"{flat(scores.record)}."
            )
        record = record or dict(scores.record)
        if scores.problems:
            notices.append(
                f"{label}{': ' if label else ''}when {judge} judged, lines were left out as "
                f"broken: {_some(scores.problems)}."
            )
        notices += [f"{label}{': ' if label else ''}{caution}" for caution in scores.cautions]
        reasons += _reasons(label, scores)
        taken += [(f"{name} {label}".replace("_", " ").strip(), f"{count:,}")
                  for name, count in scores.usage.items()]  # fmt: skip
        hue = number % HUES
        for row in scores.means:
            count = sum(
                1 for r in scores.rows if r.shots == row.shots and _belongs(r.task, row.task)
            )
            note = f"mean of {count} task{'' if count == 1 else 's'}"
            line = Line(label, hue, TASK_NAMES.get(row.task, row.task), note, row)
            means.append(line)
            if row.task == "all":
                tiles.append(line)
        lines += [Line(label, hue, row.task, "", row) for row in scores.rows]
    described = [(name.replace("_", " "), value(item)) for name, item in record.items()]
    samples = sorted({run.scores[judge].samples for run in runs if judge in run.scores} - {1})
    return Tab(
        judge=judge,
        several=len(runs) > 1,
        facts=[*described, *taken],
        tiles=tiles,
        means=means,
        lines=lines,
        drawings=drawn,
        notices=tuple(notices),
        reasons=reasons,
        samples=samples,
        paper=paper_tables(runs, judge),
    )


def _reasons(label: str, scores: Scores) -> list[tuple[str, str, int]]:
    """Return why outputs have no answer: the run, the reason in words, and how often."""
    return [
        *((label, reason, count) for reason, count in scores.reasons.items()),
        *((label, f"judge failed: {r}", count) for r, count in scores.judge_failures.items()),
    ]


def _belongs(task: str, mean: str) -> bool:
    ends = {"object_inference": "_i", "attribute_inference": "_ii"}
    return task.endswith(ends.get(mean, ""))


def _some(items: Sequence[str], most: int = 3) -> str:
    more = f"; and {len(items) - most:,} more" if len(items) > most else ""
    return "; ".join(shorten(item, 200) for item in items[:most]) + more
