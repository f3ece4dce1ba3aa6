"""A judge's scores of a TouchStone run as a table for the terminal, 80 columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from ..card_parts import shorten, visible
from .spec import CATEGORIES

__all__ = ["score_table"]

_NOTHING: Final = "-"
_COUNTS: Final = {
    "unscored": "unscored",
    "judge_failed": "judge failed",
    "missing": "missing",
    "prediction_error": "failed",
    "prediction_blocked": "blocked",
}


def score_table(scores: Mapping[str, Any]) -> tuple[Table, str]:
    """Return what `scores/JUDGE.json` says overall and by category, and what is in no score.

    Args:
        scores: Of answers (marks), or of descriptions (degrees of hallucination).
    """
    is_degree = "degree" in scores["overall"]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("category")
    marks = ("score", "95%", "floor", "scored", "win", "tie", "loss", "bias")
    for name in ("degree", "95%", "words", "scored") if is_degree else marks:
        table.add_column(name, justify="right")
    rows = [("all", scores["overall"])]
    rows += [(_title(name), row) for name, row in scores["categories"].items()]
    for name, row in rows:
        table.add_row(name, *(_degree(row) if is_degree else _marks(row)))
    counts = scores["counts"]
    rest = [f"{counts[name]:,} {said}" for name, said in _COUNTS.items() if counts.get(name)]
    said = [f"in no score: {', '.join(rest)}"] if rest else []
    if in_none := scores.get("in_no_category"):
        said.append(f"in none of the categories: {in_none:,} questions")
    return table, "; ".join(said)


def _title(name: str) -> str:
    """Return a category's title; a name that a file made up comes as rich prints it unread."""
    if name in CATEGORIES:
        return CATEGORIES[name].title.removesuffix(" Ability")
    return escape(visible(shorten(name, 60)))


def _marks(row: Mapping[str, Any]) -> list[str]:
    return [
        _number(row["score"]),
        _interval(row["interval"]),
        _number(row["floor"]),
        f"{row['n']:,}",
        *(f"{row[name]:,}" for name in ("win", "tie", "loss")),
        _number(row["position"]["bias"]),
    ]


def _degree(row: Mapping[str, Any]) -> list[str]:
    words = row["words"]
    return [
        _number(row["degree"], decimals=2),
        _interval(row["interval"], decimals=2),
        _NOTHING if words is None else f"{words:.0f}",
        f"{row['n']:,}",
    ]


def _number(value: float | None, decimals: int = 1) -> str:
    return _NOTHING if value is None else f"{value:.{decimals}f}"


def _interval(interval: Sequence[float] | None, decimals: int = 1) -> str:
    if interval is None:
        return _NOTHING
    return " to ".join(f"{end:.{decimals}f}" for end in interval)
