"""The typeset leaderboard of TouchStone's runs: places, scores by group, figures, commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cobsat.touchstone.sources import OFFICIAL

from .card_commands import run_arguments, shell, without_home
from .leaderboard_charts import board_charts
from .leaderboard_data import Board, Place, categories_of, subtasks_of, title_of
from .leaderboard_page import board_facts, board_subtitle, board_title
from .leaderboard_scores import Score
from .leaderboard_text import EXPLAINED, bounds, number, share
from .pdf import Block, Code, Document, Facts, Figure, Items, Section, Table, Text
from .text import NOTHING
from .what_ran import flat

__all__ = ["board_document"]

_COUNTS: Final = ("unscored", "judge_failed", "missing", "prediction_error", "prediction_blocked")


def board_document(board: Board) -> Document:
    """Return the document of a leaderboard."""
    return Document(
        board_title(board),
        board_subtitle(board),
        (
            Section("What was measured", tuple(_ran(board))),
            Section(f"Scores by {board.judge}", (_places(board), Text(EXPLAINED))),
            Section("Scores by group", tuple(_groups(board)), level=2),
            Section("Figures", tuple(map(Figure, board_charts(board))), level=2),
            Section("Limits", (Items(tuple(_limits(board))),)),
            Section("Reproduce", tuple(_commands(board))),
        ),
    )


def _ran(board: Board) -> Iterator[Block]:
    for notice in board.notices:
        yield Text(notice, notice=True)
    for run in board.runs:
        yield Text(run.label)
        yield Facts(tuple(fact for fact in board_facts(board, run) if fact[0] != "Folder"))
        for notice in run.notices:
            yield Text(notice, notice=True)
    yield Facts((("The judge", flat(without_home(board.runs[0].scores.record))),))


def _places(board: Board) -> Table:
    heads = (
        "Model", "Rank", "Score", "Floor", "Scored", "Win", "Tie", "Loss", "Reference", "Bias",
        "Flips",
    )  # fmt: skip
    rows = tuple(_place(place) for place in board.places)
    strong = tuple(k for k, place in enumerate(board.places) if place.run is not None)
    published = any(place.run is None for place in board.places)
    note = " Without a run: as published." if published else ""
    return Table(f"Models by rank, with 95% intervals.{note}", heads, rows, 1, strong)


def _place(place: Place) -> tuple[str, ...]:
    rank = str(place.rank) if place.rank else NOTHING
    score = f"{number(place.points.score)}\n{bounds(place.points, '')}".strip()
    if place.run is None:
        return (place.name, rank, score, *[""] * 8)
    overall = place.run.scores.overall
    return (
        place.name, rank, score, number(overall.floor), f"{overall.n:,}\nof {overall.of:,}",
        f"{overall.win:,}", f"{overall.tie:,}", f"{overall.loss:,}", number(overall.reference),
        number(overall.bias.score), share(overall.flips),
    )  # fmt: skip


def _groups(board: Board) -> Iterator[Block]:
    for title, kind, names in (
        ("Categories", "categories", categories_of(board)),
        ("Subtasks", "subtasks", subtasks_of(board)),
    ):
        rows = tuple(
            (title_of(name).replace("_", " "), *_scores(board, kind, name)) for name in names
        )
        heads = (title, *(run.label for run in board.runs))
        yield Table(f"{title}: mean mark times 100, with 95% intervals.", heads, rows)


def _scores(board: Board, kind: str, name: str) -> Sequence[str]:
    found: list[Score | None] = [getattr(run.scores, kind).get(name) for run in board.runs]
    return [
        NOTHING if score is None
        else f"{number(score.points.score)}\n{bounds(score.points, '')}".strip()
        for score in found
    ]  # fmt: skip


def _limits(board: Board) -> Iterator[str]:
    if board.source != OFFICIAL:
        yield (
            f"The questions are those of {board.source}: no score here is comparable with the "
            "paper's."
        )
    for run in board.runs:
        said = [
            f"{run.scores.counts[name]:,} {name.replace('prediction_', '').replace('_', ' ')}"
            for name in _COUNTS
            if run.scores.counts[name]
        ]
        if said:
            yield f"{run.label}: {', '.join(said)}; such answers are in no score but the floor."
    yield "A judge is a model too: its mistakes are in every number."


def _commands(board: Board) -> Iterator[Block]:
    for run in board.runs:
        yield Text(f"{run.label}:")
        yield Code(shell(run_arguments(run.settings, [run.scores.record])))
