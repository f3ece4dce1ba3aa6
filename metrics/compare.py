"""Compare runs on the same prompts: tables, and in words whether a difference stands.

    cobsat compare runs/before runs/after
    cobsat compare runs/copy runs/query runs/oracle --judge clip --json differences.json

Each run is set against the first, on the prompts that both have. As in the scores, a failed,
blocked or unscored output is wrong; a prompt where the judge's own call failed, in either run, is
left out and counted. The statistics are `comparison.py`'s.

In a run of several samples a prompt counts as the share of its outputs that are right; so runs of
different numbers of samples can be compared, on all their outputs.
"""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from cobsat.benchmarks import require
from cobsat.command_line import say
from cobsat.images import source_name
from cobsat.run_folder import RunFolder, RunSettings, safe_name, write_json
from cobsat.samples import split_sample_id
from cobsat.spec import TASKS, choose
from rich.console import Console

from .comparison import Comparison, compare_pairs, mean_of_comparisons
from .outputs import about, fingerprint, run_rows
from .scores import Outcome, Row, outcome

__all__ = ["Group", "JudgedRun", "Pair", "command", "common_judge", "compare_runs", "read_run"]

NO_ANSWER: Final = ("missing", "judge_failed")
"""Outcomes of which nothing is known: the prompt is left out."""


@dataclass(frozen=True)
class JudgedRun:
    """What one judge made of one run.

    Attributes:
        label: Stands for the run in tables: "A", "B", …
        name: The folder's name.
        settings: What ran.
        record: The judge's record of itself.
        rows: The run's examples, by id.
        outcomes: What became of each one's outputs, in the order of samples.
        right: What share of each one's outputs is right.
        problems: Broken lines, which were left out.
    """

    label: str
    name: str
    settings: RunSettings
    record: Mapping[str, Any]
    rows: Mapping[str, Row]
    outcomes: Mapping[str, tuple[Outcome, ...]]
    right: Mapping[str, float]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """A comparison at one shot count: of a task, or over tasks.

    Attributes:
        task: The task, or "object_inference", "attribute_inference" or "all".
        shots: The shot count.
        tasks: The tasks in it.
        result: The comparison.
    """

    task: str
    shots: int
    tasks: tuple[str, ...]
    result: Comparison


@dataclass(frozen=True)
class Pair:
    """Two runs, compared.

    Attributes:
        first: The run that the other is set against.
        second: The other run.
        tasks: Task by task.
        means: Over the tasks, each with the same weight.
        left_out: How many prompts are in no comparison, and why.
        counts: What became of the outputs for those that are: of the first run, of the second.
    """

    first: JudgedRun
    second: JudgedRun
    tasks: tuple[Group, ...]
    means: tuple[Group, ...]
    left_out: Mapping[str, int]
    counts: tuple[Mapping[str, int], Mapping[str, int]]

    def overall(self) -> list[Group]:
        """Return the comparisons over all tasks, one a shot count."""
        return [group for group in self.means if group.task == "all"]


def compare_runs(runs: Sequence[JudgedRun]) -> list[Pair]:
    """Set each run against the first.

    Raises:
        ValueError: They cannot be compared: too few, other pictures, other kinds of output, other
            prompts, or another judge.
    """
    if len(runs) < 2:
        raise ValueError(f"runs must be two or more, got {len(runs)}")
    first = runs[0]
    for other in runs[1:]:
        _check_comparable(first, other)
    return [_compare(first, other) for other in runs[1:]]


def _check_comparable(first: JudgedRun, other: JudgedRun) -> None:
    here, there = first.settings, other.settings
    both = f"{first.label} ({first.name}) and {other.label} ({other.name})"
    if here.output != there.output:
        raise ValueError(
            f"outputs of {both} must be of one kind, got {here.output} and {there.output}"
        )
    if here.image_digest != there.image_digest:
        raise ValueError(
            f"pictures of {both} must be the same, got {_source(here)} and {_source(there)}: "
            "scores on different pictures are not comparable"
        )
    if here.seed != there.seed:
        raise ValueError(
            f"prompts of {both} must be the same, got the lists of seed {here.seed} and of seed "
            f"{there.seed}"
        )
    keys = sorted({*first.record, *other.record} - {"versions"})
    differing = [k for k in keys if first.record.get(k) != other.record.get(k)]
    if differing:
        what = "; ".join(
            f"{k}: {first.record.get(k)!r} and {other.record.get(k)!r}" for k in differing
        )
        raise ValueError(
            f"verdicts on {both} must be by the very same judge, got {what}: judge both anew with "
            "one of them"
        )


def _source(settings: RunSettings) -> str:
    return f"{source_name(settings.images)} (digest {settings.image_digest[:8] or 'unknown'})"


def _compare(first: JudgedRun, second: JudgedRun) -> Pair:
    shared = [row for i, row in first.rows.items() if i in second.rows]
    if not shared:
        raise ValueError(
            f"{first.label} ({first.name}) and {second.label} ({second.name}) must have prompts in "
            f"common, got {_what(first.settings)} and {_what(second.settings)}"
        )
    left_out = {
        "only in the first run": len(first.rows) - len(shared),
        "only in the second run": len(second.rows) - len(shared),
        "missing": 0,
        "judge_failed": 0,
    }
    rows = []
    for row in shared:
        outcomes = (*first.outcomes[row["id"]], *second.outcomes[row["id"]])
        reason = next((o for o in reversed(NO_ANSWER) if o in outcomes), None)
        if reason:
            left_out[reason] += 1
        else:
            rows.append(row)
    if not rows:
        raise ValueError(
            f"{first.label} ({first.name}) and {second.label} ({second.name}) must have prompts "
            f"with a verdict in common, got none of {len(shared):,}: judge both runs first"
        )
    tasks = tuple(_groups(rows, first, second))
    ids = [row["id"] for row in rows]
    return Pair(
        first,
        second,
        tasks,
        tuple(_means(tasks)),
        left_out,
        (_counts(first, ids), _counts(second, ids)),
    )


def _counts(run: JudgedRun, ids: Sequence[str]) -> Counter[str]:
    return Counter(outcome for i in ids for outcome in run.outcomes[i])


def _what(settings: RunSettings) -> str:
    return f"{', '.join(settings.configs)} of split {settings.split}"


def _groups(rows: Sequence[Row], first: JudgedRun, second: JudgedRun) -> list[Group]:
    def key(row: Row) -> tuple[int, int]:
        return row["shots"], tuple(TASKS).index(row["task"])

    groups = []
    for _, members in groupby(sorted(rows, key=key), key):
        of_task = list(members)
        result = compare_pairs(
            [first.right[row["id"]] for row in of_task],
            [second.right[row["id"]] for row in of_task],
            [(row["query"], row["latent_variable"]) for row in of_task],
            (first.settings.samples, second.settings.samples),
        )
        task, shots = of_task[0]["task"], of_task[0]["shots"]
        groups.append(Group(task, shots, (task,), result))
    return groups


def _means(tasks: Sequence[Group]) -> list[Group]:
    means = []
    for shots, members in groupby(tasks, lambda group: group.shots):
        of_shots = list(members)
        for name in ("object_inference", "attribute_inference", "all"):
            inference = name.removesuffix("_inference")
            parts = [g for g in of_shots if inference in ("all", TASKS[g.task].inference)]
            if parts:
                result = mean_of_comparisons([part.result for part in parts])
                means.append(Group(name, shots, tuple(part.task for part in parts), result))
    return means


def common_judge(folders: Sequence[RunFolder], judge: str | None = None) -> str:
    """Return the name of the judge to go by: the one that is asked for, or the runs' first.

    Raises:
        ValueError: It has not judged every run, or none has.
    """
    by_run = [folder.judges() for folder in folders]
    shared = [name for name in by_run[0] if all(name in judges for judges in by_run[1:])]
    if not shared:
        found = "; ".join(
            f"{folder.path.name}: {', '.join(judges) or 'none'}"
            for folder, judges in zip(folders, by_run, strict=True)
        )
        raise ValueError(
            f"runs must have a judge in common, got {found}: `cobsat judge RUN --judge NAME` "
            "judges a run"
        )
    if judge is not None:
        return choose("a judge of every run", safe_name(judge), shared)
    return shared[0]


def read_run(folder: RunFolder, judge: str, label: str) -> JudgedRun:
    """Read what a judge made of a run.

    A verdict on another output than the one that is there now counts as missing.

    Raises:
        FileNotFoundError: The folder holds no run.
        ValueError: It is a run of another benchmark.
    """
    settings = _settings(folder)
    predictions, broken = folder.predictions()
    verdicts, broken_verdicts = folder.verdicts(judge)
    rows: dict[str, Row] = {}
    outcomes: dict[str, list[Outcome]] = {}
    right: Counter[str] = Counter()
    for row in run_rows(settings):
        example, _ = split_sample_id(row["id"])
        prediction, verdict = predictions.get(row["id"]), verdicts.get(row["id"])
        if prediction is not None and verdict is not None:
            known = about(verdict)
            verdict = verdict if known in (None, fingerprint(folder, prediction)) else None
        what = outcome(prediction, verdict)
        rows.setdefault(example, row)
        outcomes.setdefault(example, []).append(what)
        right[example] += what == "scored" and verdict is not None and verdict.correct
    target = folder.verdicts_path(judge).with_suffix(".json")
    record = json.loads(target.read_text("utf-8")) if target.exists() else {}
    name = folder.path.resolve().name
    problems = tuple(f"{name}: {problem}" for problem in [*broken, *broken_verdicts])
    return JudgedRun(
        label=label,
        name=name,
        settings=settings,
        record=record,
        rows=rows,
        outcomes={i: tuple(whats) for i, whats in outcomes.items()},
        right={i: right[i] / len(whats) for i, whats in outcomes.items()},
        problems=problems,
    )


def _settings(folder: RunFolder) -> RunSettings:
    settings = folder.settings()
    require(settings, "cobsat", folder.path, "`cobsat leaderboard` compares TouchStone runs")
    return settings


def labels(count: int) -> list[str]:
    """Return labels for so many runs: A to Z, then AA, AB and so on.

    >>> labels(28)[-3:]
    ['Z', 'AA', 'AB']
    """
    letters = string.ascii_uppercase
    double = [a + b for a in letters for b in letters]
    return [*letters, *double][:count]


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, two or more; each is set against the first.", metavar="RUN RUN..."
        ),
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            help="By whose verdicts. Default: the first that judged all; LLaVA before CLIP."
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers to a file.")
    ] = None,
) -> None:
    """Compare runs on the same prompts, and say whether a difference stands."""
    from .comparison_words import plain, print_comparison

    if len(runs) < 2:
        raise ValueError(f"runs must be two or more, got {len(runs)}: cobsat compare RUN RUN")
    twice = [path for path, count in Counter(path.resolve() for path in runs).items() if count > 1]
    if twice:
        raise ValueError(f"runs must be different folders, got {twice[0].name} twice")
    folders = [RunFolder(path) for path in runs]
    for folder in folders:
        _settings(folder)
    name = common_judge(folders, judge)
    read = [
        read_run(folder, name, label)
        for folder, label in zip(folders, labels(len(folders)), strict=True)
    ]
    pairs = compare_runs(read)
    print_comparison(pairs, name, Console())
    for run in read:
        for problem in run.problems:
            say(f"left out: {problem}", err=True)
    if json_file:
        write_json(json_file, plain(pairs, name))
