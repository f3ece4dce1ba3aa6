"""What `cobsat compare` says: sentences, tables, and all numbers as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from cobsat.images import source_name
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .compare import Group, JudgedRun, Pair
from .comparison import FEW_DISCORDANT, POWER, Comparison, holm
from .intervals import LEVEL, Interval

__all__ = ["difference_in_words", "plain", "print_comparison"]

SIGNIFICANT: Final = 0.05
WIDTH: Final = 80

NOTE: Final = (
    "Points are hundredths of accuracy; intervals are 95%. Errors are clustered by what a prompt "
    "asks for. p is the clustered test's, or with fewer than "
    f"{FEW_DISCORDANT} prompts that only one run got right, the larger of it and McNemar's exact "
    "test's. A star: the task's difference stands, corrected for the tasks of the table (Holm)."
)


def print_comparison(pairs: Sequence[Pair], judge: str, console: Console) -> None:
    """Print tables and sentences, at most 80 columns wide."""
    width = min(WIDTH, console.width)

    def say(text: str) -> None:
        # as Text: what stands in a run's name is no markup
        console.print(Text(_clean(text)), width=width, highlight=False)

    runs = [pairs[0].first, *(pair.second for pair in pairs)]
    say(f"Judged by {judge}; pictures: {source_name(runs[0].settings.images)}.")
    for run in runs:
        say(f"  {run.label}  {run.name} (model {run.settings.model})")
    for line in (*_other_differences(runs), *_samples(runs)):
        say(line)
    sentences = _sentences(pairs)
    for pair in pairs:
        for overall in pair.overall():
            console.print()
            console.print(_table(pair, overall.shots), width=width)
            say(_accuracies(pair, overall))
            say(sentences[pair.second.label, overall.shots])
        for line in _counted(pair):
            say(line)
    console.print()
    say(NOTE)


def difference_in_words(
    result: Comparison, first: str, second: str, p: float | None, comparisons: int = 1
) -> str:
    """Say whether a difference stands.

    Args:
        result: The comparison.
        first: What the first run is called.
        second: What the second is called.
        p: The p-value that decides, corrected if several comparisons are made.
        comparisons: For how many it was corrected.
    """
    if p is None or result.interval is None:
        return (
            f"{_difference(result.difference, first, second)}. Whether that stands cannot be told: "
            "in some task all prompts ask for the same thing."
        )
    numbers = [_interval(result.interval, result.difference), _p(p)]
    if comparisons > 1:
        numbers[-1] += f", corrected for {comparisons} comparisons (Holm)"
    if result.discordant == 0:
        alike = "are right on the very same prompts" if result.first else "are right on no prompt"
        return (
            f"No difference was seen between {first} and {second} ({'; '.join(numbers)}): they "
            f"{alike}."
        )
    said = f"{_difference(result.difference, first, second)} ({'; '.join(numbers)})"
    if p < SIGNIFICANT:
        return f"{said}: the difference stands."
    said += ": this could be chance."
    if result.discordant < FEW_DISCORDANT:
        said += f" Only {_count(result.discordant, 'prompt')} told the runs apart."
    if result.detectable is not None:
        said += (
            f" With these prompts a difference under {_points(result.detectable)} points would "
            f"often not have shown ({POWER:.0%} power)."
        )
    return said


def plain(pairs: Sequence[Pair], judge: str) -> dict[str, Any]:
    """Return all numbers as JSON has them; no path of this machine is among them."""
    runs = [pairs[0].first, *(pair.second for pair in pairs)]
    sentences = _sentences(pairs)
    corrected = _corrected(pairs)
    return {
        "judge": {"name": judge, **runs[0].record},
        "level": LEVEL,
        "power": POWER,
        "correction": f"Holm, over {len(corrected)} comparisons over all tasks",
        "image_source": {
            "name": source_name(runs[0].settings.images),
            "digest": runs[0].settings.image_digest,
        },
        "runs": [
            {"label": run.label, "name": run.name, "model": run.settings.model,
             **{key: getattr(run.settings, key) for key in
                ("output", "split", "prompt_type", "instructions_for", "seed")},
             **({"samples": run.settings.samples} if run.settings.samples > 1 else {})}
            for run in runs
        ],
        "pairs": [
            {
                "first": pair.first.label,
                "second": pair.second.label,
                "left_out": dict(pair.left_out),
                "counts": {
                    run.label: dict(counts)
                    for run, counts in zip((pair.first, pair.second), pair.counts, strict=True)
                },
                "tasks": [_plain_group(group) for group in pair.tasks],
                "means": [
                    {
                        **_plain_group(group),
                        **(
                            {
                                "corrected_p": corrected[pair.second.label, group.shots],
                                "in_words": sentences[pair.second.label, group.shots],
                            }
                            if group.task == "all"
                            else {}
                        ),
                    }
                    for group in pair.means
                ],
            }
            for pair in pairs
        ],
    }  # fmt: skip


def _plain_group(group: Group) -> dict[str, Any]:
    return {
        "task": group.task,
        "shots": group.shots,
        "tasks": list(group.tasks),
        **asdict(group.result),
        "deciding_p": group.result.deciding_p,
    }


def _corrected(pairs: Sequence[Pair]) -> dict[tuple[str, int], float | None]:
    """Return the deciding p-values over all tasks, corrected, by second run and shot count."""
    found = {
        (pair.second.label, group.shots): group.result.deciding_p
        for pair in pairs
        for group in pair.overall()
    }
    known = {key: p for key, p in found.items() if p is not None}
    corrected = dict(zip(known, holm(list(known.values())), strict=True))
    return {key: corrected.get(key) for key in found}


def _sentences(pairs: Sequence[Pair]) -> dict[tuple[str, int], str]:
    corrected = _corrected(pairs)
    known = sum(p is not None for p in corrected.values())
    return {
        (pair.second.label, group.shots): difference_in_words(
            group.result,
            _called(pair.first),
            _called(pair.second),
            corrected[pair.second.label, group.shots],
            known,
        )
        for pair in pairs
        for group in pair.overall()
    }


def _table(pair: Pair, shots: int) -> Table:
    a, b = pair.first.label, pair.second.label
    table = Table(
        title=f"{b} against {a}, {_count(shots, 'shot')}",
        title_justify="left",
        box=box.SIMPLE,
        show_edge=False,
        padding=(0, 0, 0, 1),
        pad_edge=False,
    )
    table.add_column("task", no_wrap=True)
    for heading in (
        f"{a} %",
        f"{b} %",
        f"{b} - {a}",
        "95% interval",
        "p",
        f"only {a}",
        f"only {b}",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    tasks = [group for group in pair.tasks if group.shots == shots]
    means = [group for group in pair.means if group.shots == shots]
    known = [p for group in tasks if (p := group.result.deciding_p) is not None]
    corrected = iter(holm(known))
    for group in tasks:
        p = group.result.deciding_p
        stands = p is not None and next(corrected) < SIGNIFICANT
        _add_row(table, group.task, group.result, "*" if stands else " ")
    if len(tasks) > 1:
        table.add_section()
        for group in means:
            if group.task == "all" or group.tasks != means[-1].tasks:
                shown = group.task.removesuffix("_inference") + " tasks"
                _add_row(table, shown, group.result, " ")
    return table


def _add_row(table: Table, task: str, result: Comparison, star: str) -> None:
    low_high = "-"
    if result.interval is not None:
        low_high = " to ".join(f"{_nonnegative_zero(end * 100):+.1f}" for end in result.interval)
    p = result.deciding_p
    table.add_row(
        task,
        f"{result.first.value * 100:.1f}",
        f"{result.second.value * 100:.1f}",
        f"{_nonnegative_zero(result.difference * 100):+.1f}",
        low_high,
        ("-" if p is None else _p(p).removeprefix("p ").removeprefix("= ")) + star,
        f"{result.only_first:,}",
        f"{result.only_second:,}",
    )


def _accuracies(pair: Pair, group: Group) -> str:
    result = group.result
    return "Accuracy: " + ", ".join(
        f"{run.label} {share.value:.1%}"
        + ("" if share.interval is None else f" ({_points(share.interval[0])} to "
           f"{_points(share.interval[1])})")
        for run, share in ((pair.first, result.first), (pair.second, result.second))
    ) + f"; {_count(result.n, 'prompt')}."  # fmt: skip


def _counted(pair: Pair) -> list[str]:
    """Say what was left out, and what counts as wrong without an answer."""
    a, b = pair.first.label, pair.second.label
    reasons = {
        "only in the first run": f"only in {a}",
        "only in the second run": f"only in {b}",
        "missing": "without a prediction or a verdict",
        "judge_failed": "where the judge's call failed",
    }
    left_out = [f"{n:,} {reasons[key]}" for key, n in pair.left_out.items() if n]
    said = [f"Prompts left out: {', '.join(left_out)}."] if left_out else []
    for run, counts in zip((pair.first, pair.second), pair.counts, strict=True):
        wrong = [f"{counts[key]:,} {key}" for key in ("unscored", "failed", "blocked")
                 if counts.get(key)]  # fmt: skip
        if wrong:
            counted = "Outputs counted" if run.settings.samples > 1 else "Counted"
            said.append(f"{counted} as wrong in {run.label}: {', '.join(wrong)}.")
    return said


def _other_differences(runs: Sequence[JudgedRun]) -> list[str]:
    said = []
    for key in ("prompt_type", "instructions_for"):
        values: Mapping[str, str] = {run.label: getattr(run.settings, key) for run in runs}
        if len(set(values.values())) > 1:
            each = ", ".join(f"{value} ({label})" for label, value in values.items())
            said.append(f"The prompts differ in {key}: {each}.")
    return said


def _samples(runs: Sequence[JudgedRun]) -> list[str]:
    """Say what is compared where a prompt has several outputs."""
    numbers = {run.label: run.settings.samples for run in runs}
    if set(numbers.values()) == {1}:
        return []
    each = ", ".join(f"{number} ({label})" for label, number in numbers.items())
    counted = "a prompt is counted as only one run's where that run was right more often."
    said = (
        f"Outputs for each prompt: {each}. What is compared is the share of a prompt's outputs "
        f"that are right; {counted}"
    )
    if len(set(numbers.values())) > 1:
        said += (
            " McNemar's test needs as many outputs in both runs; where they differ it can only "
            "hold a difference back."
        )
    return [said]


def _called(run: JudgedRun) -> str:
    name = run.name if len(run.name) <= 30 else f"{run.name[:29]}…"
    return f"{run.label} ({name})"


def _difference(difference: float, first: str, second: str) -> str:
    points = _points(abs(difference))
    if points == "0.0":
        return f"{second} is as good as {first}, to a tenth of a point"
    better, worse = (second, first) if difference > 0 else (first, second)
    return f"{better} is {points} {'point' if points == '1.0' else 'points'} better than {worse}"


def _interval(interval: Interval, difference: float) -> str:
    low, high = interval if difference >= 0 else (-interval[1], -interval[0])
    return f"95% interval {_points(low)} to {_points(high)}"


def _points(share: float) -> str:
    return f"{_nonnegative_zero(share * 100):.1f}"


def _nonnegative_zero(points: float) -> float:
    """Return what prints as 0.0 and never as -0.0."""
    return 0.0 if abs(points) < 0.05 else points


def _p(p: float) -> str:
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _clean(text: str) -> str:
    """Return a text without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
