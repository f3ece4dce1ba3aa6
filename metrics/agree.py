"""How far the judges of a run agree with one another, and with people.

    cobsat agree runs/NAME
    cobsat agree runs/A runs/B --json agreement.json --disagreements

People's verdicts are those of `cobsat label`, or tables of your own in `labels/` (`labels.py`).
With two people or more their majority is a rater too, and people are held against one another: that
is what a judge's agreement is to be measured by. Sources: CoBSAT, App. C (Fig. 7: two judges'
accuracies, task by task); TouchStone, Sec. 4.1 (the ratio of consistent verdicts).

Standard errors are the larger of two: clustered by what was asked for (task, query and latent
variable), and by distinct output. TouchStone's runs, where people vote on pairs of answers, are
`agree_answers.py`'s.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer
from cobsat.run_folder import RunFolder, write_json
from rich.console import Console

from .agree_tables import tables, visible
from .agreement import Votes, agreement, alpha, leave_one_out, pairwise, pearson
from .raters import Answer, Item, Rater, Study, read_study
from .statistics import Rate

__all__ = ["agreement_of_runs", "command"]

QUESTIONS: Final = ("object", "attribute", "both", "right")
_Row: TypeAlias = dict[str, Any]


def agreement_of_runs(paths: Sequence[Path]) -> dict[str, Any]:
    """Return how far the raters of run folders agree, as JSON.

    Keys:
        items: How many outputs there are to look at.
        raters: Each with `n` (outputs rated), `no_answer` and `accuracy` among those.
        pairs: Every two raters: for each of `QUESTIONS` `ratio`, `kappa` and `alpha` over the
            outputs that both rated; `points`, one a run, task and shot count, with both accuracies
            (Fig. 7); their `correlation`; and the `disagreements`.
        people: What people say among themselves, if there are two or more.
        problems: What was left out.

    Raises:
        FileNotFoundError: A folder holds no run.
        ValueError: There are not two raters, runs do not go together, or labels cannot be read.
    """
    study = read_study(paths)
    rated = [rater for rater in study.raters if rater.answers]
    if len(rated) < 2:
        names = ", ".join(rater.shown for rater in rated) or "none"
        raise ValueError(
            f"{' and '.join(map(str, paths))} must hold verdicts of two judges or people, got "
            f"{names}: have another judge it (cobsat judge), or label it yourself (cobsat label)"
        )
    pairs = [
        _pair(study.items, first, second)
        for first, second in itertools.combinations(rated, 2)
        if (first.kind, second.kind) != ("person", "majority")
    ]
    return {
        "runs": list(map(str, paths)),
        "items": len(study.items),
        "raters": [_rater(study.items, rater) for rater in rated],
        "pairs": [pair for pair in pairs if pair["n"]],
        "people": _people(study),
        "problems": study.problems,
    }


def _vote(answer: Answer | None, question: str, item: Item) -> str | None:
    """Return an answer to one question as a vote; None where nothing is known."""
    if answer is None:
        return None
    object_, attribute = answer
    if question in ("object", "attribute"):
        return object_ if question == "object" else attribute
    if object_ is None or attribute is None:
        return None
    if question == "both":
        return f"{object_}\n{attribute}"
    reference = item.row["reference"]
    right = (object_, attribute) == (reference["object"], reference["attribute"])
    return "right" if right else "wrong"


def _votes(rater: Rater, question: str, items: Sequence[Item]) -> list[str | None]:
    return [_vote(rater.answers.get(item.key), question, item) for item in items]


def _rater(items: Sequence[Item], rater: Rater) -> _Row:
    rated = [item for item in items if item.key in rater.answers]
    known = [vote for vote in _votes(rater, "right", rated) if vote is not None]
    return {
        "name": rater.name,
        "kind": rater.kind,
        "n": len(rated),
        "no_answer": sum("" in rater.answers[item.key] for item in rated),
        "tied": rater.tied,
        "accuracy": known.count("right") / len(known) if known else None,
    }


def _pair(items: Sequence[Item], first: Rater, second: Rater) -> _Row:
    both = [item for item in items if item.key in first.answers and item.key in second.answers]
    points = [
        _point(run, task, shots, list(members), first, second)
        for (run, task, shots), members in itertools.groupby(both, key=_place)
    ]
    known = [point for point in points if point["first_accuracy"] is not None]
    return {
        "first": first.name,
        "second": second.name,
        "kinds": [first.kind, second.kind],
        "n": len(both),
        "distinct": _distinct(both),
        **{
            question: _agreement(
                _votes(first, question, both), _votes(second, question, both), both
            )
            for question in QUESTIONS
        },
        "points": points,
        "correlation": pearson(
            [point["first_accuracy"] for point in known],
            [point["second_accuracy"] for point in known],
        ),
        "disagreements": [
            {
                "run": item.run,
                "id": item.row["id"],
                "first": first.answers[item.key],
                "second": second.answers[item.key],
            }
            for item in both
            if first.answers[item.key] != second.answers[item.key]
        ],
    }


def _place(item: Item) -> tuple[str, str, int]:
    return item.run, item.row["task"], item.row["shots"]


def _point(
    run: str, task: str, shots: int, items: Sequence[Item], first: Rater, second: Rater
) -> _Row:
    """Return one point of Fig. 7: both accuracies over the outputs that both rated."""
    pairs = [
        (a, b)
        for a, b in zip(_votes(first, "right", items), _votes(second, "right", items), strict=True)
        if a is not None and b is not None
    ]
    n = len(pairs)
    return {
        "run": run,
        "task": task,
        "shots": shots,
        "n": n,
        "first_accuracy": sum(a == "right" for a, _ in pairs) / n if n else None,
        "second_accuracy": sum(b == "right" for _, b in pairs) / n if n else None,
        "both": _agreement(_votes(first, "both", items), _votes(second, "both", items), items),
        "right": _agreement(_votes(first, "right", items), _votes(second, "right", items), items),
    }


def _agreement(first: Votes, second: Votes, items: Sequence[Item]) -> _Row:
    strata = _strata(items)
    found = [agreement(first, second, clusters, strata) for clusters in _clusterings(items)]
    return {
        name: _larger([getattr(each, name) for each in found])
        for name in ("ratio", "kappa", "alpha")
    }


def _distinct(items: Sequence[Item]) -> int:
    return len({(item.theme, item.output) for item in items})


def _strata(items: Sequence[Item]) -> list[str]:
    return [item.theme for item in items]


def _clusterings(items: Sequence[Item]) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    asked = [(i.row["task"], i.row["query"], i.row["latent_variable"]) for i in items]
    return asked, [(item.theme, item.output) for item in items]


def _larger(rates: Sequence[Rate]) -> dict[str, float | int | None]:
    """Return a rate with the larger of its standard errors; unknown if one is."""
    errors = [rate.standard_error for rate in rates]
    error = None if None in errors else max(e for e in errors if e is not None)
    return {**asdict(rates[0]), "standard_error": error}


def _people(study: Study) -> _Row | None:
    """Return what people say among themselves: the measure of a judge."""
    persons = [person for person in study.people if person.answers]
    if len(persons) < 2:
        return None
    items = [i for i in study.items if sum(i.key in person.answers for person in persons) > 1]
    found: _Row = {"persons": len(persons), "n": len(items), "distinct": _distinct(items)}
    for question in QUESTIONS:
        votes = list(zip(*(_votes(person, question, items) for person in persons), strict=True))
        clusterings = _clusterings(items)
        found[question] = {
            "pairwise": _larger([pairwise(votes, c) for c in clusterings]),
            "leave_one_out": _larger([leave_one_out(votes, c) for c in clusterings]),
            "alpha": _larger([alpha(votes, c, _strata(items)) for c in clusterings]),
        }
    return found


def command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", metavar="RUN...")],
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all numbers there, as JSON.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Every pair by question and by task, if many too.")
    ] = False,
    disagreements: Annotated[
        bool, typer.Option("--disagreements", help="List the outputs on which two differ.")
    ] = False,
) -> None:
    """Measure how far judges and people agree on the outputs of runs."""
    if RunFolder(runs[0]).settings().benchmark == "touchstone":
        from . import agree_answers, agree_answers_tables

        result, show = agree_answers.agreement_of_answers(runs), agree_answers_tables.tables
    else:
        result, show = agreement_of_runs(runs), tables
    if json_file is not None:
        write_json(json_file, result)
    console = Console(highlight=False)
    for table in show(result, details=details, disagreements=disagreements):
        console.print(table)
    for problem in result["problems"]:
        typer.echo(f"note: {visible(problem, 500)}", err=True)
