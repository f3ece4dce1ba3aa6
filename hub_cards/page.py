"""The report as one HTML page: runs, charts and gallery data in, text out (`html_page.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cobsat import RunSettings
from cobsat.metrics.scores import RATES

from .charts import CHANCE, RUN_HUES, Chart, charts
from .gallery import STATES, STATUSES
from .html_page import fill, own
from .plots import panel_svg, percent, whisker_svg
from .report_data import NORMAL_95, Estimate, Row, Run, Scores
from .text import shorten, visible

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
class Tab:
    """All that the report shows of one judge.

    Attributes:
        samples: Outputs for each example, of the runs that have several.
    """

    judge: str
    facts: Sequence[tuple[str, str]]
    tiles: Sequence[Line]
    means: Sequence[Line]
    lines: Sequence[Line]
    charts: Sequence[Chart]
    notices: Sequence[str]
    reasons: Sequence[tuple[str, str, int]]
    samples: Sequence[int] = ()

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


def page(
    runs: Sequence[Run],
    judges: Sequence[str],
    gallery: Mapping[str, Any],
    thumbnails: Sequence[str],
) -> str:
    """Return the page's text."""
    several = len(runs) > 1
    data = {
        "judges": [visible(judge) for judge in judges],
        "runs": [
            {
                "label": visible(run.label),
                "output": visible(run.settings.output),
                "samples": run.settings.samples,
            }
            for run in runs
        ],
        "statuses": STATUSES,
        "states": STATES,
        **gallery,
    }
    return fill(
        "report.html.j2",
        ["report.css"],
        ["page.js", "report.js", "cards.js", "gallery.js"],
        data,
        thumbnails,
        {
            "percent": _percent,
            "plus_minus": _plus_minus,
            "interval": percent,
            "whisker": lambda rate: own(whisker_svg(rate, CHANCE)),
        },
        title=shorten(" · ".join(dict.fromkeys(str(run.settings.model) for run in runs)), 200),
        subtitle=_subtitle(runs),
        several=several,
        runs=[(run.label, facts(run.settings, run.label)) for run in runs],
        notices=_notices(runs),
        tabs=[_tab(runs, judge) for judge in judges],
        panels=lambda chart: [own(panel_svg(chart, panel)) for panel in chart.panels],
    )


def facts(settings: RunSettings, label: str) -> list[tuple[str, str]]:
    """Return what ran, as names and values for a reader."""
    pictures = settings.images
    if settings.image_digest:
        pictures = f"{pictures} (SHA-256 {settings.image_digest[:16]}…)"
    wanted = [
        ("Model", settings.model),
        ("Configs", ", ".join(settings.configs)),
        ("Split", settings.split),
        ("Output", settings.output),
        ("Prompt type", settings.prompt_type),
        ("Instructions", settings.instructions_for),
        ("Seed", settings.seed),
        ("Pictures", pictures),
        ("Limit", f"the first {settings.limit} examples of each config" if settings.limit else ""),
        ("Samples", f"{settings.samples} outputs for each" if settings.samples > 1 else ""),
        ("Model options", flat(settings.model_options)),
        ("Versions", flat(settings.versions)),
        ("Folder", label),
    ]
    return [(name, str(value)) for name, value in wanted if value != ""]


def _notices(runs: Sequence[Run]) -> dict[str, str]:
    """Return each notice once, with the labels of the runs that it is about."""
    labels: dict[str, list[str]] = {}
    for run in runs:
        for notice in run.notices:
            labels.setdefault(notice, []).append(run.label)
    return {notice: ", ".join(names) for notice, names in labels.items()}


def _tab(runs: Sequence[Run], judge: str) -> Tab:
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
        hue = RUN_HUES[number % len(RUN_HUES)]
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
    described = [(name.replace("_", " "), _value(value)) for name, value in record.items()]
    drawn = charts(runs, judge)
    samples = sorted({run.scores[judge].samples for run in runs if judge in run.scores} - {1})
    return Tab(
        judge=judge,
        facts=[*described, *taken],
        tiles=tiles,
        means=means,
        lines=lines,
        charts=drawn,
        notices=tuple(notices),
        reasons=reasons,
        samples=samples,
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


def _subtitle(runs: Sequence[Run]) -> str:
    def distinct(*values: str) -> str:
        return " and ".join(dict.fromkeys(values))

    configs = [config for run in runs for config in run.settings.configs]
    shots = sorted({int(config.rpartition("-")[2].removesuffix("shot")) for config in configs})
    tasks = {config.rpartition("-")[0] for config in configs}
    samples = sorted({run.settings.samples for run in runs})
    first = runs[0].settings
    return " · ".join(
        (
            "ten tasks" if "all" in tasks else f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}",
            f"{' and '.join(map(str, shots)) if len(shots) < 3 else ', '.join(map(str, shots))}"
            " shots",
            distinct(*(f"{run.settings.output} output" for run in runs)),
            *([f"{' or '.join(map(str, samples))} for each example"] if samples != [1] else []),
            distinct(*(f"{run.settings.prompt_type} prompts" for run in runs)),
            distinct(*(f"{run.settings.split} split" for run in runs)),
            f"{_pictures(first.images)} {first.image_digest[:8]}".strip(),
        )
    )


def _pictures(images: str) -> str:
    if images in ("rendered", "official"):
        return f"{images} pictures"
    return f"pictures of the folder {Path(images).name}"


def flat(record: object) -> str:
    """Return a record in one line."""
    if not isinstance(record, Mapping):
        return _value(record)
    return ", ".join(f"{name} {_value(value)}" for name, value in record.items())


def _some(items: Sequence[str], most: int = 3) -> str:
    more = f"; and {len(items) - most:,} more" if len(items) > most else ""
    return "; ".join(shorten(item, 200) for item in items[:most]) + more


def _value(value: object) -> str:
    if isinstance(value, dict):
        return flat(value)
    if isinstance(value, list | tuple):
        return ", ".join(_value(item) for item in value)
    return shorten(str(value), 300)


def _percent(estimate: Estimate) -> str:
    return "\N{EN DASH}" if estimate.value is None else f"{100 * estimate.value:.1f}"


def _plus_minus(estimate: Estimate) -> str:
    if estimate.value is None or estimate.standard_error is None:
        return ""
    return f"±{100 * NORMAL_95 * estimate.standard_error:.1f}"
