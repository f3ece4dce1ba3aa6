"""Charts of what runs score: accuracy by task, and what several samples say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cobsat import TASKS, RunSettings

from .charts import CHANCE, Chart, Panel, Series, series_of
from .report_scores import Estimate, Row, Scores

__all__ = [
    "INFERENCES",
    "Judged",
    "accuracy_chart",
    "best_of_k_chart",
    "samples_chart",
    "tasks_of",
]

INFERENCES: Final = (
    ("_i", "Object inference", "object_inference"),
    ("_ii", "Attribute inference", "attribute_inference"),
)
"""Each kind of inference: how its tasks end, its name, and its mean's."""
MOST_KS: Final = 8
"""With more samples than this, the best of k is shown for powers of two, and for all."""


@dataclass(frozen=True)
class Judged:
    """A run as one judge scored it; `number` is its place among the report's runs."""

    number: int
    label: str
    settings: RunSettings
    scores: Scores

    @property
    def shots(self) -> list[int]:
        """Its numbers of demonstrations, from few to many."""
        return sorted({row.shots for row in self.scores.rows})

    def at(self, shots: int) -> dict[str, Row]:
        """Return its rows at one shot count, by task."""
        return {row.task: row for row in self.scores.rows if row.shots == shots}


def tasks_of(judged: Sequence[Judged], suffix: str = "") -> tuple[str, ...]:
    """Return the tasks of runs that end so, in the benchmark's order, unknown ones after them."""
    names = dict.fromkeys(row.task for one in judged for row in one.scores.rows)
    ordered = [*(task for task in TASKS if task in names), *(t for t in names if t not in TASKS)]
    return tuple(task for task in ordered if task.endswith(suffix))


def accuracy_chart(judged: Sequence[Judged]) -> Chart:
    """Return accuracy by task: of one run a mark for each shot count, of several one for each run.

    Several runs have a panel for each kind of inference and shot count.
    """
    shots = sorted({count for one in judged for count in one.shots})
    panels = []
    for suffix, title, _ in INFERENCES:
        tasks = tasks_of(judged, suffix)
        if tasks and len(judged) == 1:
            panels.append(_panel(title, tasks, [judged[0].at(count) for count in shots]))
        elif tasks:
            for count in shots:
                found = [one.at(count) for one in judged]
                panels.append(_panel(f"{title}, {count} shots", tasks, found))
    series = (
        tuple(series_of(number, f"{count} shots") for number, count in enumerate(shots))
        if len(judged) == 1
        else tuple(series_of(one.number, one.label) for one in judged)
    )
    return Chart(
        name="accuracy",
        title="Accuracy by task",
        note="Object and attribute both right, over all outputs.",
        kind="rows",
        value_label="Accuracy",
        series=series,
        panels=tuple(panel for panel in panels if any(map(any, panel.values))),
        chance=CHANCE,
    )


def samples_chart(sampled: Sequence[Judged]) -> Chart:
    """Return how good a single output is, the majority, and the best of all, task by task."""
    numbers = sorted({one.scores.samples for one in sampled})
    best = f"best of {numbers[0]}" if len(numbers) == 1 else "best of all"
    names = (("accuracy", "single"), ("majority", "majority"), ("best_of", best))
    panels = []
    for one in sampled:
        for shots in one.shots:
            rows = one.at(shots)
            values = tuple(tuple(row.rates[name] for name, _ in names) for row in rows.values())
            title = f"{shots} shots" if len(sampled) == 1 else f"{one.label}, {shots} shots"
            panels.append(Panel(title, tuple(rows), values))
    return Chart(
        name="samples",
        title="One output, the majority, the best",
        note="How often a single output is right, how often the answer that most outputs of an "
        f"example show, and how often any of its outputs. Chance is that of one output; {best} has "
        f"{_chance_of(numbers)} by chance.",
        kind="rows",
        value_label="Accuracy",
        series=tuple(Series(label, hue) for hue, (_, label) in enumerate(names)),
        panels=tuple(panels),
        chance=CHANCE,
    )


def best_of_k_chart(sampled: Sequence[Judged]) -> Chart:
    """Return how likely one of k outputs is right, over all tasks; lines by run and shots."""
    most = max(one.scores.samples for one in sampled)
    shown = [k for k in range(1, most + 1) if most <= MOST_KS or k == most or k & (k - 1) == 0]
    series: list[Series] = []
    found: list[tuple[Estimate, ...]] = []
    for one in sampled:
        for variant, row in enumerate(one.scores.overall()):
            name = f"{row.shots} shots" if len(sampled) == 1 else f"{one.label}, {row.shots} shots"
            hue = variant if len(sampled) == 1 else one.number
            series.append(
                series_of(hue, name) if len(sampled) == 1 else Series(name, hue % 6, variant)
            )
            found.append(row.best_of_k)
    values = tuple(tuple(of[k - 1] if k <= len(of) else None for of in found) for k in shown)
    return Chart(
        name="best-of-k",
        title="The best of k outputs",
        note="How likely one of k outputs is right, drawn from an example's outputs, over all "
        "tasks. Chance is that of one output.",
        kind="lines",
        value_label="Accuracy",
        series=tuple(series),
        panels=(Panel("", tuple(map(str, shown)), values),),
        chance=CHANCE,
        group_label="k",
        columns=1,
    )


def _panel(title: str, tasks: Sequence[str], found: Sequence[dict[str, Row]]) -> Panel:
    values = tuple(
        tuple(rows[task].rates["accuracy"] if task in rows else None for rows in found)
        for task in tasks
    )
    return Panel(title, tuple(tasks), values)


def _chance_of(numbers: Sequence[int]) -> str:
    return " or ".join(f"{1 - (1 - CHANCE) ** number:.1%}" for number in numbers)
