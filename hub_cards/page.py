"""The report as one HTML page: runs, charts and gallery data in, text out (`html_page.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .charts import CHANCE, HUES, written
from .example_details import EXAMPLES_A_BLOCK
from .figures import charts, needed
from .gallery import STATES, STATUSES
from .html_page import fill, own
from .paper_comparison import why_not
from .plots_page import drawings
from .report_data import Run
from .report_scores import Estimate
from .score_tabs import tab
from .text import shorten, visible
from .what_ran import facts, flat
from .whisker import whisker_svg

__all__ = ["facts", "flat", "page", "subtitle", "title"]


def page(
    runs: Sequence[Run],
    judges: Sequence[str],
    gallery: Mapping[str, Any],
    thumbnails: Sequence[str],
    details: Sequence[str],
) -> str:
    """Return the page's text."""
    several = len(runs) > 1
    drawn = {judge: charts(runs, judge) for judge in judges}
    data = {
        "judges": [visible(judge) for judge in judges],
        "runs": [
            {
                "label": visible(run.label),
                "hue": number % HUES,
                "output": visible(run.settings.output),
                "samples": run.settings.samples,
                "prompt_type": visible(run.settings.prompt_type),
            }
            for number, run in enumerate(runs)
        ],
        "statuses": STATUSES,
        "states": STATES,
        "block": EXAMPLES_A_BLOCK,
        **gallery,
    }
    return fill(
        "report.html.j2",
        ["report.css", "cards.css", "example.css", "media.css"],
        ["page.js", "report.js", "cards.js", "gallery.js", "answers.js", "example.js", "start.js"],
        data,
        thumbnails,
        {
            "percent": _percent,
            "bounds": _bounds,
            "interval": written,
            "whisker": lambda rate: own(whisker_svg(rate, CHANCE)),
        },
        packed=details,
        pictures="data: 'self' file:",
        title=title(runs),
        subtitle=subtitle(runs),
        several=several,
        runs=[(run.label, facts(run.settings, run.label)) for run in runs],
        notices=_notices(runs),
        tabs=[
            tab(runs, judge, drawings(drawn[judge], f"plot{number}"))
            for number, judge in enumerate(judges)
        ],
        why_not=why_not(runs),
        needed=needed([chart for of_judge in drawn.values() for chart in of_judge]),
    )


def _notices(runs: Sequence[Run]) -> dict[str, str]:
    """Return each notice once, with the labels of the runs that it is about."""
    labels: dict[str, list[str]] = {}
    for run in runs:
        for notice in run.notices:
            labels.setdefault(notice, []).append(run.label)
    return {notice: ", ".join(names) for notice, names in labels.items()}


def title(runs: Sequence[Run]) -> str:
    """Return the models of runs in a line."""
    return shorten(" · ".join(dict.fromkeys(str(run.settings.model) for run in runs)), 200)


def subtitle(runs: Sequence[Run]) -> str:
    """Return what runs were asked, in a line."""

    def distinct(*values: str) -> str:
        return " and ".join(dict.fromkeys(values))

    configs = [config for run in runs for config in run.settings.configs]
    shots = sorted({int(config.rpartition("-")[2].removesuffix("shot")) for config in configs})
    tasks = {config.rpartition("-")[0] for config in configs}
    samples = sorted({run.settings.samples for run in runs})
    first = runs[0].settings
    named = [run.settings.instructions_for for run in runs]
    wordings = [f"instructions for {name}" for name in named] if set(named) != {"neutral"} else []
    return " · ".join(
        (
            "ten tasks" if "all" in tasks else f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}",
            f"{' and '.join(map(str, shots)) if len(shots) < 3 else ', '.join(map(str, shots))}"
            " shots",
            distinct(*(f"{run.settings.output} output" for run in runs)),
            *([f"{' or '.join(map(str, samples))} for each example"] if samples != [1] else []),
            distinct(*(f"{run.settings.prompt_type} prompts" for run in runs)),
            *([distinct(*wordings)] if wordings else []),
            distinct(*(f"{run.settings.split} split" for run in runs)),
            f"{_pictures(first.images)} {first.image_digest[:8]}".strip(),
        )
    )


def _pictures(images: str) -> str:
    if images in ("rendered", "official"):
        return f"{images} pictures"
    return f"pictures of the folder {Path(images).name}"


def _percent(estimate: Estimate, signed: bool = False) -> str:
    if estimate.value is None:
        return "\N{EN DASH}"
    return f"{100 * estimate.value:{'+' if signed else ''}.1f}"


def _bounds(estimate: Estimate) -> str:
    if estimate.interval is None:
        return ""
    return "{:.1f} to {:.1f}".format(*(100 * bound for bound in estimate.interval))
