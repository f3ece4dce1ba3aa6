"""The leaderboard as one HTML page: a board in, text out (`html_page.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cobsat.touchstone.sources import MINI, OFFICIAL

from .html_page import fill, own
from .leaderboard_charts import board_charts, hue
from .leaderboard_data import (
    Board,
    BoardRun,
    categories_of,
    subtasks_of,
    title_of,
)
from .leaderboard_scores import COUNTS, Score
from .leaderboard_text import EXPLAINED, bounds, number, share
from .page import facts, flat
from .plots_page import drawings
from .text import SHORT, shorten, visible
from .whisker import whisker_svg

COUNT_NAMES: Final = {
    "scored": "scored",
    "unscored": "unscored",
    "judge_failed": "judge failed",
    "missing": "missing",
    "prediction_error": "failed",
    "prediction_blocked": "blocked",
}


@dataclass(frozen=True)
class Group:
    """A table of scores: a row a category or subtask, a column a run."""

    title: str
    about: str
    rows: Sequence[tuple[str, str, Sequence[Score | None]]]


def board_page(
    board: Board, gallery: Sequence[Mapping[str, Any]], thumbnails: Sequence[str]
) -> str:
    """Return the page's text."""
    data = {
        "runs": [{"label": visible(run.label), "hue": hue(k)} for k, run in enumerate(board.runs)],
        "categories": {
            visible(shorten(name, SHORT)): visible(title_of(name)) for name in categories_of(board)
        },
        "questions": gallery,
    }
    return fill(
        "leaderboard.html.j2",
        ["report.css", "cards.css", "leaderboard.css", "media.css"],
        ["page.js", "leaderboard_state.js", "cards.js", "leaderboard.js"],
        data,
        thumbnails,
        {
            "number": number,
            "bounds": bounds,
            "share": share,
            "whisker": lambda points: own(whisker_svg(points)),
        },
        board=board,
        several=len(board.runs) > 1,
        title=board_title(board),
        subtitle=board_subtitle(board),
        notices=_notices(board),
        explained=EXPLAINED,
        hues={run.label: hue(k) for k, run in enumerate(board.runs)},
        counts=_counts(board),
        groups=_groups(board),
        drawings=drawings(board_charts(board)),
        judge=[(name.replace("_", " "), flat(value)) for name, value in _judge(board).items()],
        facts=[(run.label, board_facts(board, run)) for run in board.runs],
    )


def board_facts(board: Board, run: BoardRun) -> list[tuple[str, str]]:
    """Return what ran; the questions by their source, without a folder of this machine."""
    settings = replace(run.settings, images=board.source)
    return [
        ({"Pictures": "Questions"}.get(name, name), value)
        for name, value in facts(settings, run.label)
        if name not in ("Prompt type", "Instructions", "Seed")
    ]


def board_title(board: Board) -> str:
    """Return what a board is about, in a line."""
    if len(board.runs) > 1:
        return f"{len(board.runs)} models"
    return shorten(board.runs[0].model, 200)


def board_subtitle(board: Board) -> str:
    """Return what its runs were asked, in a line."""
    sources = {MINI: "touchstone-mini, questions of this project", OFFICIAL: "official questions"}
    settings = board.runs[0].settings
    asked = max(run.scores.counts["questions"] for run in board.runs)
    parts = [sources.get(board.source, board.source), f"{asked:,} questions"]
    if settings.image_digest:
        parts[0] += f" {settings.image_digest[:8]}"
    return " · ".join(parts)


def _notices(board: Board) -> list[tuple[str, str]]:
    of_runs = [(run.label, notice) for run in board.runs for notice in run.notices]
    return [*(("", notice) for notice in board.notices), *of_runs]


def _counts(board: Board) -> list[tuple[str, str]]:
    """Return the counts that the table shows: what is nought everywhere is left out."""
    return [
        (name, COUNT_NAMES[name])
        for name in COUNTS[1:]
        if name == "scored" or any(run.scores.counts[name] for run in board.runs)
    ]


def _groups(board: Board) -> list[Group]:
    def rows(names: Sequence[str], kind: str) -> list[tuple[str, str, list[Score | None]]]:
        found = [getattr(run.scores, kind) for run in board.runs]
        return [(name, title_of(name), [of.get(name) for of in found]) for name in names]

    return [
        Group("Categories", "category", rows(categories_of(board), "categories")),
        Group("Subtasks", "subtask", rows(subtasks_of(board), "subtasks")),
    ]


def _judge(board: Board) -> dict[str, Any]:
    record = dict(board.runs[0].scores.record)
    for run in board.runs:
        where = f" ({run.label})" if len(board.runs) > 1 else ""
        record |= {f"{name}{where}": f"{count:,}" for name, count in _usage(run).items()}
    return record


def _usage(run: BoardRun) -> dict[str, float]:
    return {n: c for n, c in run.scores.usage.items() if isinstance(c, int | float)}
