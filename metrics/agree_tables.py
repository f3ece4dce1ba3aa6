"""What `cobsat agree` prints, 80 columns wide; what files hold is only text in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from .raters import Answer

__all__ = ["tables", "visible"]

_TITLES: Final = {
    "object": "object",
    "attribute": "attribute",
    "both": "object and attribute",
    "right": "right or wrong",
}
_LEGEND: Final = (
    "consistent, kappa, alpha: of object and attribute together; right: of right or\n"
    "wrong; r: correlation of the accuracies, task by task"
)
_MANY: Final = 3
"""With more pairs than these, their details are printed only when asked for."""


def tables(
    result: Mapping[str, Any], *, details: bool, disagreements: bool
) -> Iterator[RenderableType]:
    """Yield what there is to print of `agreement_of_runs`.

    Args:
        result: The numbers.
        details: Print every pair question by question and task by task, however many there are.
        disagreements: List the outputs on which two raters differ.
    """
    several = len(result["runs"]) > 1
    yield _raters(result["raters"])
    yield ""
    yield _pairs(result["pairs"])
    yield _LEGEND
    if result["people"]:
        n, distinct = result["people"]["n"], result["people"]["distinct"]
        yield f"\n[bold]people among themselves[/bold]: {n:,} outputs ({distinct:,} distinct)"
        yield _people(result["people"])
    for pair in result["pairs"]:
        names = [_name(pair[side], kind) for side, kind in zip(_SIDES, pair["kinds"], strict=True)]
        title = f"\n[bold]{escape(' and '.join(names))}[/bold]: {pair['n']:,} outputs"
        title += f" ({pair['distinct']:,} distinct)"
        if details or len(result["pairs"]) <= _MANY:
            yield title
            yield _questions(pair)
            yield ""
            yield _points(pair, names, several)
            title = ""
        if disagreements and pair["disagreements"]:
            yield title
            yield _disagreements(pair, names, several)


def visible(text: str, longest: int = 40) -> str:
    r"""Return what a file holds, fit to be printed: nothing that a terminal would obey.

    >>> print(visible("red\x1b[2J car"))
    red\x1b[2J car
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


_SIDES: Final = ("first", "second")


def _table(*columns: str, text: int = 1) -> Table:
    """Return a table without lines; its first columns are text, the others numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        table.add_column(escape(name), justify="left" if number < text else "right")
    return table


def _raters(raters: Sequence[Mapping[str, Any]]) -> Table:
    table = _table("rater", "outputs", "no answer", "tied", "accuracy")
    for rater in raters:
        counts = [f"{rater[count]:,}" for count in ("n", "no_answer", "tied")]
        name = escape(_name(rater["name"], rater["kind"]))
        table.add_row(name, *counts, _number(rater["accuracy"]))
    return table


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> Table:
    """Return one line a pair; an output whose majority is tied is in no count here."""
    table = _table("pair", "outputs", "consistent", "kappa", "alpha", "right", "r")
    for pair in pairs:
        names = [_name(pair[side], kind) for side, kind in zip(_SIDES, pair["kinds"], strict=True)]
        cells = [_number(pair["both"][name]["value"]) for name in ("ratio", "kappa", "alpha")]
        table.add_row(
            escape(", ".join(names)),
            f"{pair['both']['ratio']['n']:,}",
            *cells,
            _number(pair["right"]["ratio"]["value"]),
            _number(pair["correlation"]),
        )
    return table


def _questions(pair: Mapping[str, Any]) -> Table:
    table = _table("question", "consistent", "kappa", "alpha")
    for question, title in _TITLES.items():
        cells = [_rate(pair[question][name]) for name in ("ratio", "kappa", "alpha")]
        table.add_row(title, *cells)
    return table


def _points(pair: Mapping[str, Any], names: Sequence[str], several: bool) -> Table:
    """Return one line a task: agreement on object and attribute, and Fig. 7's point."""
    table = _table(
        *(["run"] if several else []), "task", "shots", "outputs", "consistent", "kappa",
        *(f"acc. {name}" for name in names), text=1 + several,
    )  # fmt: skip
    for point in pair["points"]:
        table.add_row(
            *([escape(visible(point["run"]))] if several else []),
            point["task"],
            str(point["shots"]),
            f"{point['n']:,}",
            *(_number(point["both"][name]["value"]) for name in ("ratio", "kappa")),
            *(_number(point[f"{side}_accuracy"]) for side in _SIDES),
        )
    return table


def _disagreements(pair: Mapping[str, Any], names: Sequence[str], several: bool) -> Table:
    table = _table("output", *names, text=3)
    for each in pair["disagreements"]:
        where = f"{each['run']}/{each['id']}" if several else each["id"]
        table.add_row(escape(visible(where, 120)), *(_said(each[side]) for side in _SIDES))
    return table


def _people(found: Mapping[str, Any]) -> Table:
    table = _table("question", "two of them", "one and the others", "alpha")
    for question, title in _TITLES.items():
        cells = [_rate(found[question][k]) for k in ("pairwise", "leave_one_out", "alpha")]
        table.add_row(title, *cells)
    return table


def _name(name: str, kind: str) -> str:
    return f"{visible(name)} (person)" if kind == "person" else visible(name)


def _said(answer: Answer) -> str:
    """Return an answer as a person reads it: attribute, then object."""
    object_, attribute = ("tied" if word is None else word or "unclear" for word in answer)
    return escape(f"{visible(attribute)} {visible(object_)}")


def _rate(rate: Mapping[str, Any]) -> str:
    error = "" if rate["standard_error"] is None else f" ±{rate['standard_error']:.3f}"
    return _number(rate["value"]) + error


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
