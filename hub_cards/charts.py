"""Which bars a report shows, as plain data: the paper's Figs. 4, 6 and 9 for the runs at hand.

Runs of several samples have two more charts: single, majority and best of K; and the best of k.

`plots.py` draws these charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from .report_data import Estimate, Row, Run, Scores

RUN_HUES: Final = (0, 2, 3, 4, 5, 1)
"""Colours that tell runs apart; a seventh run takes the first again."""
CHANCE: Final = 0.01
"""Accuracy of an answer drawn uniformly from the theme's ten objects and ten attributes."""
CHANCE_HALF: Final = 0.1
"""The same for one half of the answer."""
MOST_KS: Final = 8
"""With more samples than this, the best of k is shown for powers of two, and for all."""
_TOPS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


class Bar(Protocol):
    """What a bar shows: a share of the axis's full length, and its 95% interval."""

    @property
    def value(self) -> float | None: ...  # noqa: D102
    @property
    def interval(self) -> tuple[float, float] | None: ...  # noqa: D102


@dataclass(frozen=True)
class Unit:
    """How values are written: what 1 stands for, with so many decimals."""

    full: float = 100
    decimals: int = 1
    sign: str = "%"

    def write(self, value: float) -> str:
        """Return a value as a reader sees it, without the sign."""
        return f"{self.full * value:.{self.decimals}f}"


PERCENT: Final = Unit()


@dataclass(frozen=True)
class Series:
    """What one colour stands for: a hue (0 to 5), and how strongly it is laid on."""

    label: str
    hue: int
    strength: float = 1.0


@dataclass(frozen=True)
class Panel:
    """Groups of bars, one a task: `bars[group][series]`, None where there is no bar."""

    title: str
    groups: tuple[str, ...]
    bars: tuple[tuple[Bar | None, ...], ...]


@dataclass(frozen=True)
class Chart:
    """Panels that share axes, series and a chance level, if there is one."""

    name: str
    title: str
    note: str
    y_label: str
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    chance: float | None = None
    unit: Unit = PERCENT

    @property
    def top(self) -> float:
        """The upper end of the vertical axis, the same in all panels."""
        highest = self.chance or 0.0
        for panel in self.panels:
            for group in panel.bars:
                for bar in group:
                    if bar is not None and bar.value is not None:
                        highest = max(highest, (bar.interval or (0.0, bar.value))[1])
        return next((top for top in _TOPS if highest <= top), 1.0)


def charts(runs: Sequence[Run], judge: str) -> list[Chart]:
    """Return the charts of all runs that a judge has scored."""
    judged = [(run.label, run.scores[judge].rows) for run in runs if judge in run.scores]
    sampled = [
        (run.label, run.scores[judge])
        for run in runs
        if judge in run.scores and run.scores[judge].samples > 1
    ]
    return [
        accuracy_chart(judged),
        halves_chart(
            judged,
            name="textual-visual",
            title="Textual against visual information",
            halves=(("textual", "given by the text"), ("visual", "given by the pictures")),
            note="How often the output agrees with what the text gave, and with what only the "
            "demonstrations' pictures gave (as Fig. 6).",
        ),
        halves_chart(
            judged,
            name="object-attribute",
            title="Object against attribute",
            halves=(("object", "object"), ("attribute", "attribute")),
            note="How often the output shows the right object, and the right attribute "
            "(as Fig. 9).",
        ),
        *([samples_chart(sampled), best_of_k_chart(sampled)] if sampled else []),
    ]


def accuracy_chart(judged: Sequence[tuple[str, Sequence[Row]]]) -> Chart:
    """Return accuracy per task and shot count; a panel for each kind of inference (Fig. 4)."""
    shots = sorted({row.shots for _, rows in judged for row in rows})
    series: list[Series] = []
    for number, (label, _) in enumerate(judged):
        for position, count in enumerate(shots):
            strength = 1.0 if len(shots) == 1 else 0.4 + 0.6 * position / (len(shots) - 1)
            name = f"{count} shots" if len(judged) == 1 else f"{label}, {count} shots"
            series.append(Series(name, RUN_HUES[number % len(RUN_HUES)], round(strength, 2)))
    panels = []
    for suffix, title in (("_i", "Object inference"), ("_ii", "Attribute inference")):
        tasks = _tasks(judged, suffix)
        if tasks:
            found = [{(r.task, r.shots): r.rates["accuracy"] for r in rows} for _, rows in judged]
            bars = tuple(
                tuple(by_key.get((task, count)) for by_key in found for count in shots)
                for task in tasks
            )
            panels.append(Panel(title, tasks, bars))
    return Chart(
        name="accuracy",
        title="Accuracy by task and number of demonstrations",
        note="Object and attribute both right, over all outputs (as Fig. 4).",
        y_label="Accuracy",
        series=tuple(series),
        panels=tuple(panels),
        chance=CHANCE,
    )


def halves_chart(
    judged: Sequence[tuple[str, Sequence[Row]]],
    *,
    name: str,
    title: str,
    halves: Sequence[tuple[str, str]],
    note: str,
    chance: float = CHANCE_HALF,
) -> Chart:
    """Return rates side by side, two halves say, with a panel for each run and shot count."""
    panels = []
    for label, rows in judged:
        for shots in sorted({row.shots for row in rows}):
            by_task = {row.task: row for row in rows if row.shots == shots}
            bars = tuple(tuple(row.rates[half] for half, _ in halves) for row in by_task.values())
            heading = f"{shots} shots" if len(judged) == 1 else f"{label}, {shots} shots"
            panels.append(Panel(heading, tuple(by_task), bars))
    series = tuple(Series(label, hue) for hue, (_, label) in enumerate(halves))
    return Chart(name, title, note, "Accuracy", series, tuple(panels), chance)


def samples_chart(sampled: Sequence[tuple[str, Scores]]) -> Chart:
    """Return how good a single output is, the majority, and the best of all, task by task."""
    numbers = sorted({scores.samples for _, scores in sampled})
    best = f"best of {numbers[0]}" if len(numbers) == 1 else "best of all"
    return halves_chart(
        [(label, scores.rows) for label, scores in sampled],
        name="samples",
        title="One output, the majority, the best",
        halves=(("accuracy", "single"), ("majority", "majority"), ("best_of", best)),
        note="How often a single output is right, how often the answer that most outputs of an "
        f"example show, and how often any of its outputs. Chance is that of one output; {best} has "
        f"{_chance_of(numbers)} by chance.",
        chance=CHANCE,
    )


def _chance_of(numbers: Sequence[int]) -> str:
    return " or ".join(f"{1 - (1 - CHANCE) ** number:.1%}" for number in numbers)


def best_of_k_chart(sampled: Sequence[tuple[str, Scores]]) -> Chart:
    """Return how likely one of k outputs is right, over all tasks; a bar for each run and shots."""
    most = max(scores.samples for _, scores in sampled)
    shown = [k for k in range(1, most + 1) if most <= MOST_KS or k == most or k & (k - 1) == 0]
    series: list[Series] = []
    found: list[tuple[Estimate, ...]] = []
    for number, (label, scores) in enumerate(sampled):
        rows = scores.overall()
        for position, row in enumerate(rows):
            strength = 1.0 if len(rows) == 1 else 0.4 + 0.6 * position / (len(rows) - 1)
            name = f"{row.shots} shots" if len(sampled) == 1 else f"{label}, {row.shots} shots"
            series.append(Series(name, RUN_HUES[number % len(RUN_HUES)], round(strength, 2)))
            found.append(row.best_of_k)
    bars = tuple(tuple(of[k - 1] if k <= len(of) else None for of in found) for k in shown)
    return Chart(
        name="best-of-k",
        title="The best of k outputs",
        note="How likely one of k outputs is right, drawn from an example's outputs, over all "
        "tasks. Chance is that of one output.",
        y_label="Accuracy",
        series=tuple(series),
        panels=(Panel("All tasks", tuple(f"k = {k}" for k in shown), bars),),
        chance=CHANCE,
    )


def _tasks(judged: Sequence[tuple[str, Sequence[Row]]], suffix: str) -> tuple[str, ...]:
    names = [row.task for _, rows in judged for row in rows if row.task.endswith(suffix)]
    return tuple(dict.fromkeys(names))
