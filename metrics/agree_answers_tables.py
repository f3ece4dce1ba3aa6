"""What `cobsat agree` prints of TouchStone's runs, 80 columns wide; files hold text, no markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from cobsat.touchstone.spec import CATEGORIES
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from .agree_tables import visible

__all__ = ["tables"]

_LEGEND: Final = (
    "Ratios of consistent votes with 95% intervals, clustered by question. truth: what most\n"
    "people say, the fourth asked where three are of three minds (a person's own vote is in\n"
    "it); others: what most of the others say; one: what one other person says."
)
_HEADINGS: Final = {"truth": "with truth", "others": "with others", "one": "with one"}


def tables(
    result: Mapping[str, Any], *, details: bool, disagreements: bool
) -> Iterator[RenderableType]:
    """Yield what there is to print of `agreement_of_answers`.

    Args:
        result: The numbers.
        details: Print categories and models too.
        disagreements: List the answers on which a judge and most people differ.
    """
    persons = ", ".join(f"{visible(name)} {n:,}" for name, n in result["persons"].items())
    fourth = ", ".join(f"{visible(name)} {n:,}" for name, n in result["fourth"].items())
    said = f"{result['answers']:,} answers, {result['undecided']:,} without a majority; votes: "
    yield escape(said + persons + (f"; where they are of three minds: {fourth}" if fourth else ""))
    yield ""
    for judge, found in result["judges"].items():
        yield f"[bold]{escape(visible(judge))} and people[/bold]"
        yield _table(found, ("truth", "one"), details=details)
        yield ""
    if not result["judges"]:
        yield "No judge has verdicts on these answers: cobsat judge"
    if len(result["persons"]) > 1:
        yield "[bold]people and people[/bold]"
        yield _table(result["people"], ("truth", "others", "one"), details=details)
        yield ""
    yield _LEGEND
    if result["paper"]:
        model, human = (100 * result["paper"][k] for k in ("model_to_human", "human_to_human"))
        yield f"The paper (Sec. 4.1): GPT-4 and people {model:.1f}%, people and people {human:.1f}%"
    if disagreements:
        for judge, found in result["judges"].items():
            yield _disagreements(judge, found["disagreements"])


def _table(found: Mapping[str, Any], columns: tuple[str, ...], *, details: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    for name in columns:
        table.add_column(_HEADINGS[name], justify="right")
        table.add_column("votes", justify="right")
    rows = [("all", found["all"])]
    if details or len(found["models"]) > 1:
        rows += [(visible(name), row) for name, row in found["models"].items()]
    rows += [
        (CATEGORIES[name].title.removesuffix(" Ability"), row)
        for name, row in found["categories"].items()
    ]
    for name, row in rows:
        cells = [cell for column in columns for cell in _cells(row[column])]
        table.add_row(escape(name), *cells)
    return table


def _cells(consistency: Mapping[str, Any]) -> tuple[str, str]:
    if consistency["value"] is None:
        return "-", "0"
    said = f"{100 * consistency['value']:.1f}%"
    if consistency["interval"] is not None:
        low, high = consistency["interval"]
        said += f" ({100 * low:.0f} to {100 * high:.0f})"
    return said, f"{consistency['n']:,}"


def _disagreements(judge: str, found: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("answer", visible(judge), "people"):
        table.add_column(escape(heading))
    for each in found:
        where = visible(f"{each['run']}/{each['id']}", 120)
        table.add_row(escape(where), each["judge"], each["people"])
    return table
