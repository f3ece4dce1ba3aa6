"""A leaderboard as Markdown, as CSV, and on the terminal: the numbers of the page, in text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table

from .leaderboard_data import (
    Board,
    BoardRun,
    Place,
    categories_of,
    subtasks_of,
    title_of,
)
from .leaderboard_scores import Points, Score
from .text import NOTHING, markdown_cell, shorten, table_cell, visible

EXPLAINED: Final = (
    "Score: the mean mark, from 1 to 10, times 100, over the scored answers, of two rounds with "
    "the answers in either order; with its 95% interval, clustered by question. Rank: a span where "
    "the paired difference to another model does not stand at 95%; each pair is tested on its own. "
    "Floor: the score if every answer without a mark had the lowest. Win, tie, loss: answers "
    "above, at and below the reference answer's mark. Position bias: an answer's score when it "
    "comes first, minus that when it comes second; flips: how often the order decides which of "
    "the two is preferred."
)
_COLUMNS: Final = (
    "group", "name", "rank", "model", "run", "origin", "n", "score", "low", "high", "floor",
    "reference", "win", "tie", "loss", "bias", "bias_low", "bias_high", "answer_first",
    "answer_second", "flips", "questions", "scored", "unscored", "judge_failed", "missing",
    "prediction_error", "prediction_blocked", "judge", "source",
)  # fmt: skip


def number(value: float | None, decimals: int = 1) -> str:
    """Return a number as tables show it."""
    return NOTHING if value is None else f"{value:.{decimals}f}"


def bounds(points: Points, nothing: str = NOTHING) -> str:
    """Return a 95% interval as tables show it: both ends, for the scale may cut it."""
    if points.bounds is None:
        return nothing
    return f"{points.bounds[0]:.1f} to {points.bounds[1]:.1f}"


def share(value: float | None) -> str:
    """Return a share in percent."""
    return NOTHING if value is None else f"{100 * value:.0f}%"


def coverage(run: BoardRun) -> str:
    """Return how many answers are scored, of all that were asked for."""
    return f"{run.scores.overall.n:,} of {run.scores.overall.of:,}"


def board_markdown(board: Board) -> str:
    """Return the board as a Markdown file."""
    lines = [
        f"# TouchStone leaderboard: {markdown_cell(board.source)}",
        "",
        f"Marks by {markdown_cell(board.judge)}. {EXPLAINED}",
        "",
    ]
    lines += [f"> {markdown_cell(notice, 1000)}\n" for notice in _notices(board)]
    headings = (
        "rank", "model", "run", "score", "95% interval", "floor", "scored", "win", "tie", "loss",
        "reference", "position bias", "flips",
    )  # fmt: skip
    lines += _markdown(headings, (_cells(place) for place in board.places), text=(1, 2))
    for heading, names, scores in _groups(board):
        lines += ["", f"## {heading}", ""]
        runs = [place.run for place in board.places if place.run is not None]
        rows = (
            [title_of(name), *(_with_interval(scores(run).get(name)) for run in runs)]
            for name in names
        )
        lines += _markdown(("", *(run.label for run in runs)), rows, text=(0,))
    if board.pairs:
        lines += ["", "## Differences", ""]
        differences = (
            [first, second, f"{d.n:,}", number(d.value), _interval(d.interval), _p(d.p_value)]
            for first, second, d in board.pairs
        )
        columns = ("first", "second", "questions", "second minus first", "95% interval", "p")
        lines += _markdown(columns, differences, text=(0, 1))
    return "\n".join(lines) + "\n"


def board_csv(board: Board) -> str:
    """Return all numbers of the board as one table: a line a model, and one a group and model."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for place in board.places:
        writer.writerow(_line(board, "overall", "", place))
    for heading, names, scores in _groups(board):
        group = {"Categories": "category", "Subtasks": "subtask"}[heading]
        for name in names:
            for place in board.places:
                if place.run is not None and name in scores(place.run):
                    writer.writerow(_line(board, group, name, place, scores(place.run)[name]))
    return buffer.getvalue()


def print_board(board: Board, console: Console) -> None:
    """Print the board, 80 columns wide."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("rank")
    table.add_column("model", overflow="fold")
    for name in ("score", "95%", "floor", "scored", "win", "tie", "loss", "bias"):
        table.add_column(name, justify="right")
    for place in board.places:
        cells = [str(place.rank or NOTHING), escape(visible(shorten(place.name, 40)))]
        cells += [number(place.points.score), bounds(place.points, "")]
        run = place.run
        if run is None:
            table.add_row(*cells, "", "published")
            continue
        cells += [
            number(run.scores.overall.floor),
            f"{run.scores.overall.n}/{run.scores.overall.of}",
        ]
        cells += [
            str(n)
            for n in (run.scores.overall.win, run.scores.overall.tie, run.scores.overall.loss)
        ]
        table.add_row(*cells, number(run.scores.overall.bias.score))
    shown: list[RenderableType] = [f"[bold]{escape(visible(board.judge))}[/bold] on "
                                   f"{escape(visible(board.source))}", table]  # fmt: skip
    for each in shown:
        console.print(each, highlight=False)


def _groups(
    board: Board,
) -> Iterator[tuple[str, list[str], Callable[[BoardRun], Mapping[str, Score]]]]:
    yield "Categories", categories_of(board), lambda run: run.scores.categories
    yield "Subtasks", subtasks_of(board), lambda run: run.scores.subtasks


def _notices(board: Board) -> list[str]:
    of_runs = [f"{run.label}: {notice}" for run in board.runs for notice in run.notices]
    return [*board.notices, *of_runs]


def _cells(place: Place) -> list[str]:
    cells = [str(place.rank or NOTHING)]
    if place.run is None:
        cells += [place.name, "published", number(place.points.score)]
        return [*cells, *[NOTHING] * 9]
    run, score = place.run, place.run.scores.overall
    return [
        *cells, run.model, run.label, number(score.points.score), bounds(score.points),
        number(score.floor), coverage(run), f"{score.win:,}", f"{score.tie:,}", f"{score.loss:,}",
        number(score.reference), _with_bounds(score.bias), share(score.flips),
    ]  # fmt: skip


def _line(
    board: Board, group: str, name: str, place: Place, score: Score | None = None
) -> dict[str, object]:
    line: dict[str, object] = {"group": group, "name": table_cell(name)}
    line |= {"judge": table_cell(board.judge), "source": table_cell(board.source)}
    if group == "overall":
        line["rank"] = table_cell(place.rank or "")
    run = place.run
    if run is None:
        return line | {"model": table_cell(place.name), "origin": "published",
                       "score": place.points.score, "judge": "gpt-4"}  # fmt: skip
    score = score or run.scores.overall
    line |= {"model": table_cell(run.model), "run": table_cell(run.label), "origin": "run"}
    if group == "overall":
        line |= run.scores.counts
    low, high = score.points.bounds or ("", "")
    bias_low, bias_high = score.bias.bounds or ("", "")
    numbers = {
        "n": score.n, "score": score.points.score, "low": low, "high": high, "floor": score.floor,
        "reference": score.reference, "win": score.win, "tie": score.tie, "loss": score.loss,
        "bias": score.bias.score, "bias_low": bias_low, "bias_high": bias_high,
        "answer_first": score.answer_first, "answer_second": score.answer_second,
        "flips": score.flips,
    }  # fmt: skip
    return line | {k: round(v, 6) if isinstance(v, float) else v for k, v in numbers.items()}


def _markdown(
    headings: Sequence[str], rows: Iterator[Sequence[str]], text: Sequence[int]
) -> list[str]:
    rule = "|".join("---" if k in text else "---:" for k in range(len(headings)))
    lines = [f"| {' | '.join(markdown_cell(h) if h else ' ' for h in headings)} |", f"|{rule}|"]
    return [*lines, *(f"| {' | '.join(map(markdown_cell, row))} |" for row in rows)]


def _with_interval(score: Score | None) -> str:
    if score is None:
        return NOTHING
    return f"{_with_bounds(score.points)}, n = {score.n:,}"


def _with_bounds(points: Points) -> str:
    around = f", {bounds(points)}" if points.bounds else ""
    return f"{number(points.score)}{around}"


def _interval(interval: tuple[float, float] | None) -> str:
    return NOTHING if interval is None else f"{interval[0]:.1f} to {interval[1]:.1f}"


def _p(value: float | None) -> str:
    if value is None:
        return NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"
