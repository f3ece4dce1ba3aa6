"""Which bars a report shows, as plain data: the paper's Figs. 4, 6 and 9 for the runs at hand.

`plots.py` draws these charts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .report_data import Estimate, Row, Run

RUN_HUES: Final = (0, 2, 3, 4, 5, 1)
"""Colours that tell runs apart; a seventh run takes the first again."""
CHANCE: Final = 0.01
"""Accuracy of an answer drawn uniformly from the theme's ten objects and ten attributes."""
CHANCE_HALF: Final = 0.1
"""The same for one half of the answer."""
_TOPS: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


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
    bars: tuple[tuple[Estimate | None, ...], ...]


@dataclass(frozen=True)
class Chart:
    """Panels that share axes, series and a chance level."""

    name: str
    title: str
    note: str
    y_label: str
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    chance: float

    @property
    def top(self) -> float:
        """The upper end of the vertical axis, the same in all panels."""
        highest = self.chance
        for panel in self.panels:
            for group in panel.bars:
                for bar in group:
                    if bar is not None and bar.value is not None:
                        highest = max(highest, (bar.interval or (0.0, bar.value))[1])
        return next((top for top in _TOPS if highest <= top), 1.0)


def charts(runs: Sequence[Run], judge: str) -> list[Chart]:
    """Return the charts of all runs that a judge has scored."""
    judged = [(run.label, run.scores[judge].rows) for run in runs if judge in run.scores]
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
        note="Object and attribute both right, over all examples (as Fig. 4).",
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
) -> Chart:
    """Return two halves of the answer side by side, a panel for each run and shot count."""
    panels = []
    for label, rows in judged:
        for shots in sorted({row.shots for row in rows}):
            by_task = {row.task: row for row in rows if row.shots == shots}
            bars = tuple(tuple(row.rates[half] for half, _ in halves) for row in by_task.values())
            heading = f"{shots} shots" if len(judged) == 1 else f"{label}, {shots} shots"
            panels.append(Panel(heading, tuple(by_task), bars))
    series = tuple(Series(label, hue) for hue, (_, label) in enumerate(halves))
    return Chart(name, title, note, "Accuracy", series, tuple(panels), CHANCE_HALF)


def _tasks(judged: Sequence[tuple[str, Sequence[Row]]], suffix: str) -> tuple[str, ...]:
    names = [row.task for _, rows in judged for row in rows if row.task.endswith(suffix)]
    return tuple(dict.fromkeys(names))
