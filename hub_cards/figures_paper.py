"""The paper's figures with the data of the runs at hand: CoBSAT's Figs. 4, 6, 7, 8 and 9.

| figure | what | what it needs |
|---|---|---|
| 4 | accuracy by number of demonstrations, task by task | default prompts, several shot counts |
| 6 | agreement with what the text gave, and what the pictures gave | default prompts, 2 shots |
| 7 | one judge beside another | two judges |
| 8 | Fig. 4 with misleading words in the prompt | misleading prompts |
| 9 | the object right, and the attribute right | default prompts, 2 shots |

A figure whose data no run holds is not drawn, and `needed` says what would add it. Figs. 6 and 9
are drawn for other runs too, under a name that does not claim to be the paper's.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cobsat import RunSettings
from cobsat.spec import OUTPUTS

from .card_data import identity
from .charts import CHANCE, CHANCE_HALF, Chart, Panel, Series, series_of
from .figures_scores import INFERENCES, Judged, tasks_of
from .report_scores import Estimate, Row, Scores

__all__ = ["fig4", "fig6", "fig7", "fig8", "fig9", "needed"]

_SHOTS: Final = 2
"""The number of demonstrations of the paper's Figs. 6, 7 and 9."""
_FEWEST_MARKS: Final = 3
"""Two marks lie on a line, whatever the judges say."""
_OUTPUTS: Final = {"image": "pictures", "description": "descriptions"}
_MEAN: Final = "mean"


@dataclass(frozen=True)
class _Line:
    """One line of a chart by shots: a run, and how it is drawn."""

    judged: Judged
    series: Series


def fig4(judged: Sequence[Judged]) -> list[Chart]:
    """Return accuracy by number of demonstrations: a chart for each kind of output."""
    charts = []
    for output in OUTPUTS:
        found = [j for j in judged if is_usual(j.settings) and j.settings.output == output]
        if len({shots for one in found for shots in one.shots}) > 1:
            lines = [_Line(one, series_of(one.number, one.label)) for one in found]
            charts.append(
                _by_shots(
                    lines,
                    f"fig4-{output}",
                    f"Accuracy by number of demonstrations, {_OUTPUTS[output]}",
                    f"Object and attribute both right, over all outputs. As Fig. 4 "
                    f"({'a, b' if output == 'image' else 'c, d'}) of the paper.",
                )
            )
    return charts


def fig8(judged: Sequence[Judged]) -> list[Chart]:
    """Return the same of prompts with misleading words; dashed, those models on default prompts."""
    charts = []
    for output in OUTPUTS:
        found = [j for j in judged if _is_misleading(j.settings) and j.settings.output == output]
        lines = []
        for one in found:
            lines.append(_Line(one, series_of(one.number, one.label)))
            lines += [
                _Line(other, Series(other.label, lines[-1].series.hue, 1))
                for other in judged
                if is_usual(other.settings) and _same_model(one.settings, other.settings)
            ]
        if lines:
            beside = (
                " Dashed: the same model on default prompts." if len(lines) > len(found) else ""
            )
            charts.append(
                _by_shots(
                    lines,
                    f"fig8-{output}",
                    f"Accuracy with misleading words, {_OUTPUTS[output]}",
                    f"Each text names a wrong object or attribute too.{beside} As Fig. 8 "
                    f"({'a, b' if output == 'image' else 'c, d'}) of the paper.",
                )
            )
    return charts


def fig6(judged: Sequence[Judged]) -> Chart:
    """Return how often outputs agree with the text, and with the pictures."""
    return _halves(
        judged,
        6,
        "textual-visual",
        "Textual against visual information",
        (("textual", "given by the text"), ("visual", "given by the pictures")),
        "How often the output agrees with what the text gave, and with what only the "
        "demonstrations' pictures gave.",
    )


def fig9(judged: Sequence[Judged]) -> Chart:
    """Return how often outputs show the right object, and the right attribute."""
    return _halves(
        judged,
        9,
        "object-attribute",
        "Object against attribute",
        (("object", "object"), ("attribute", "attribute")),
        "How often the output shows the right object, and the right attribute.",
    )


def fig7(
    judge: str, judged: Sequence[Judged], others: Mapping[str, Sequence[Scores | None]]
) -> list[Chart]:
    """Return accuracies by this judge beside those by each of others: a mark a task and shots.

    Args:
        judge: The judge from left to right.
        judged: The runs by that judge.
        others: By another judge's name, its scores of the same runs, None where it has none.
    """
    panels = []
    for other, scores in others.items():
        panel = _beside(judged, scores, other)
        if panel is not None:
            panels.append(panel)
    if not panels:
        return []
    return [
        Chart(
            name="fig7-judges",
            title="One judge beside another",
            note=f"Each mark is a task at one shot count: its accuracy by {judge} and by the other "
            "judge. On the line both agree. r is Pearson's correlation. As Fig. 7 of the paper, "
            "which sets LLaVA beside CLIP.",
            kind="points",
            value_label="Accuracy by the other judge",
            series=tuple(series_of(one.number, one.label) for one in judged),
            panels=tuple(panels),
            group_label=f"Accuracy by {judge}",
        )
    ]


def needed(charts: Sequence[Chart]) -> list[str]:
    """Return, for each figure of the paper that is not among charts, what would add it."""
    ways = {
        "4": "default prompts at several shot counts (--config all-2shot --config all-4shot)",
        "6": "a run of default prompts at 2 shots (--config all-2shot)",
        "7": "a second judge of three tasks or more (cobsat judge RUN --judge NAME)",
        "8": "a run of misleading prompts (--prompt-type misleading)",
        "9": "a run of default prompts at 2 shots (--config all-2shot)",
    }
    drawn = {chart.name.partition("-")[0] for chart in charts}
    missing = {number: way for number, way in ways.items() if f"fig{number}" not in drawn}
    by_way: dict[str, list[str]] = {}
    for number, way in missing.items():
        by_way.setdefault(way, []).append(number)
    return [
        f"Fig{'s' if len(numbers) > 1 else ''}. {' and '.join(numbers)}: {way}"
        for way, numbers in by_way.items()
    ]


def is_usual(settings: RunSettings) -> bool:
    """Return whether a run asked what the paper's main figures ask."""
    return settings.prompt_type == "default" and settings.split == "test"


def _is_misleading(settings: RunSettings) -> bool:
    return settings.prompt_type == "misleading" and settings.split == "test"


def _same_model(one: RunSettings, other: RunSettings) -> bool:
    return one.output == other.output and identity(one) == identity(other)


def _by_shots(lines: Sequence[_Line], name: str, title: str, note: str) -> Chart:
    """Return a panel for each task and for the mean of each kind of inference."""
    lines = list({line.series: line for line in lines}.values())
    judged = [line.judged for line in lines]
    shots = sorted({count for one in judged for count in one.shots})
    panels: list[Panel] = []
    columns = 1
    for suffix, _, mean in INFERENCES:
        tasks = tasks_of(judged, suffix)
        of_tasks = [
            _line_panel(task, shots, [{r.shots: r for r in one.scores.rows if r.task == task}
                                      for one in judged])
            for task in tasks
        ]  # fmt: skip
        if len(tasks) > 1:
            means = [{r.shots: r for r in one.scores.means if r.task == mean} for one in judged]
            of_tasks.append(_line_panel(f"mean of {suffix}", shots, means))
        panels += of_tasks
        columns = max(columns, len(of_tasks))
    return Chart(
        name=name,
        title=title,
        note=note,
        kind="lines",
        value_label="Accuracy",
        series=tuple(line.series for line in lines),
        panels=tuple(panels),
        chance=CHANCE,
        group_label="Demonstrations",
        columns=columns,
    )


def _line_panel(title: str, shots: Sequence[int], found: Sequence[Mapping[int, Row]]) -> Panel:
    values = tuple(
        tuple(rows[count].rates["accuracy"] if count in rows else None for rows in found)
        for count in shots
    )
    return Panel(title, tuple(map(str, shots)), values)


def _halves(
    judged: Sequence[Judged],
    figure: int,
    name: str,
    title: str,
    halves: Sequence[tuple[str, str]],
    note: str,
) -> Chart:
    """Return two rates side by side, task by task, with a panel for each run."""
    usual = [one for one in judged if is_usual(one.settings) and _SHOTS in one.shots]
    shown = usual or list(judged)
    panels = []
    outputs = {one.settings.output for one in shown}
    for one in shown:
        shots = _SHOTS if _SHOTS in one.shots else one.shots[0]
        rows = list(one.at(shots).values())
        rows += [r for r in one.scores.overall() if r.shots == shots and len(rows) > 1]
        parts = [one.label] if len(shown) > 1 else []
        parts += [f"{shots} shots"] if not usual or len(shown) == 1 else []
        parts += [_OUTPUTS[one.settings.output]] if len(outputs) > 1 else []
        panels.append(
            Panel(
                ", ".join(parts),
                tuple(_MEAN if row.is_mean else row.task for row in rows),
                tuple(tuple(row.rates[half] for half, _ in halves) for row in rows),
            )
        )
    where = f" As Fig. {figure} of the paper, at 2 shots." if usual else ""
    return Chart(
        name=f"fig{figure}-{name}" if usual else name,
        title=title,
        note=f"{note}{where}",
        kind="rows",
        value_label="Share of outputs",
        series=tuple(Series(label, hue) for hue, (_, label) in enumerate(halves)),
        panels=tuple(panels),
        chance=CHANCE_HALF,
    )


def _beside(judged: Sequence[Judged], scores: Sequence[Scores | None], other: str) -> Panel | None:
    """Return a panel of two judges; None where they have too few tasks in common."""
    pairs = list(_pairs(judged, scores))
    if len(pairs) < _FEWEST_MARKS:
        return None
    groups = tuple(dict.fromkeys(group for group, *_ in pairs))
    across: dict[tuple[str, int], Estimate] = {}
    upwards: dict[tuple[str, int], Estimate] = {}
    for group, series, here, there in pairs:
        across[group, series], upwards[group, series] = here, there
    numbers = range(len(judged))
    return Panel(
        f"{other}{_correlation(pairs)}",
        groups,
        tuple(tuple(upwards.get((group, number)) for number in numbers) for group in groups),
        tuple(tuple(across.get((group, number)) for number in numbers) for group in groups),
    )


def _pairs(
    judged: Sequence[Judged], scores: Sequence[Scores | None]
) -> Iterator[tuple[str, int, Estimate, Estimate]]:
    for number, (one, other) in enumerate(zip(judged, scores, strict=True)):
        there = {(r.task, r.shots): r.rates["accuracy"] for r in other.rows} if other else {}
        for row in one.scores.rows:
            estimate = there.get((row.task, row.shots))
            here = row.rates["accuracy"]
            if estimate is not None and None not in (estimate.value, here.value):
                yield f"{row.task}, {row.shots} shots", number, here, estimate


def _correlation(pairs: Sequence[tuple[str, int, Estimate, Estimate]]) -> str:
    here = [e.value for _, _, e, _ in pairs if e.value is not None]
    there = [e.value for _, _, _, e in pairs if e.value is not None]
    if len(set(here)) < 2 or len(set(there)) < 2:  # r divides by how far they spread
        return f" (n = {len(pairs)})"
    r = statistics.correlation(here, there)
    return f" (r = {r:.2f}, n = {len(pairs)})"
