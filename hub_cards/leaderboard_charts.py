"""Which charts a leaderboard shows: the paper's Figs. 5 and 6 for its runs, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cobsat.touchstone import SUBTASKS

from .charts import HUES, Chart, Kind, Panel, Unit, series_of
from .leaderboard_data import Board, BoardRun, categories_of, subtasks_of, title_of
from .leaderboard_scores import Points, Score

POINTS: Final = Unit(full=1000, decimals=1, sign="")
FEWEST_AXES: Final = 3
"""With fewer categories than this there is no radar."""


def board_charts(board: Board) -> list[Chart]:
    """Return a board's charts: a radar, where there are axes enough, categories and subtasks."""
    categories = categories_of(board)
    axes = tuple(category.replace("_", " ") for category in categories)
    abilities = Panel("", axes, _values(board, categories, lambda run: run.scores.categories))
    panels = []
    for category in [*categories, None]:
        names = [name for name in subtasks_of(board) if SUBTASKS.get(name) == category]
        if names:
            title = "Other subtasks" if category is None else title_of(category)
            values = _values(board, names, lambda run: run.scores.subtasks)
            panels.append(Panel(title, tuple(name.replace("_", " ") for name in names), values))
    radar = _chart(
        board,
        "radar",
        "Abilities",
        "Mean mark times 100 in each category, from 0 in the middle to 1,000. As Fig. 5 of the "
        "paper.",
        "radar",
        [abilities],
    )
    by_category = _chart(
        board,
        "categories",
        "Score by category",
        "Mean mark times 100, by the paper's five abilities. As Fig. 6 of the paper.",
        "rows",
        [abilities],
    )
    by_subtask = _chart(
        board,
        "subtasks",
        "Score by subtask",
        "Mean mark times 100, by subtask; few questions make wide intervals.",
        "rows",
        panels,
    )
    return [*([radar] if len(categories) >= FEWEST_AXES else []), by_category, by_subtask]


def hue(number: int) -> int:
    """Return the colour of a run, by its place among the runs."""
    return number % HUES


def _chart(
    board: Board, name: str, title: str, note: str, kind: Kind, panels: Sequence[Panel]
) -> Chart:
    return Chart(
        name=name,
        title=title,
        note=note,
        kind=kind,
        value_label="Score",
        series=tuple(series_of(number, run.label) for number, run in enumerate(board.runs)),
        panels=tuple(panels),
        unit=POINTS,
    )


def _values(
    board: Board, names: Sequence[str], scores: Callable[[BoardRun], Mapping[str, Score]]
) -> tuple[tuple[Points | None, ...], ...]:
    found = [scores(run) for run in board.runs]
    return tuple(tuple(of[name].points if name in of else None for of in found) for name in names)
