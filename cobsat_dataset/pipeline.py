"""`cobsat run`: predict, judge and report in a row, with the options of all three.

cobsat run --model copy --config all-2shot --config all-4shot
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from .benchmarks import benchmark_of
from .card_parts import visible
from .cli import load_command
from .processes import join
from .run_folder import RunFolder

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["command"]

_RATES: Final = ("accuracy", "object", "attribute", "textual", "visual")
_OF_SAMPLES: Final = ("accuracy", "majority", "best_of", "textual", "visual")
"""What is shown of several samples an example: 80 columns have no room for all."""
_SAMPLES: Final = (
    "{samples} outputs for each example. Single: how often one is right. Majority: how often the "
    "answer is right that most of an example's outputs show, the first of equals. Best of "
    "{samples}: how often any of them is. The counts are of outputs."
)
_ERRORS: Final = "± is one standard error; the report has 95% intervals."
_WHICH: Final = frozenset({"model", "checkpoint", "ask"})
"""Options that say which language model judges answers: there is no default."""
_COSTS: Final = frozenset({"max_cost", "price_in", "price_out"})
_MEANS: Final = {"object_inference": "mean _i", "attribute_inference": "mean _ii", "all": "mean"}


def _compose(
    predict: Callable[..., Path], judge: Callable[..., Any], report: Callable[..., Any]
) -> Callable[..., None]:
    """Return a command whose options are those of all three.

    The run folder, which judge and report take first, is what predict returns. An option that two
    of them have by the same name is the first one's, and the later one keeps its default; but what
    judging costs is limited by options of its own.
    """
    merged: dict[str, inspect.Parameter] = {}
    owned: list[dict[str, str]] = []
    for place, function in enumerate((predict, judge, report)):
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
        new = {
            p.name: _of_judge(p) if function is judge and p.name in _COSTS else p
            for p in parameters[min(place, 1) :]
        }
        new = {name: p for name, p in new.items() if p.name not in merged}
        merged.update((p.name, p) for p in new.values())
        owned.append({name: p.name for name, p in new.items()})

    def command(**given: Any) -> None:
        """Ask a model, judge what it gave, and write the report.

        The same command again goes on where a stopped run was.
        """
        own = [{name: given[option] for name, option in names.items()} for names in owned]
        here = join(given["processes"])
        with here.first_alone():
            output = given["output"] or benchmark_of(given["config"]).OUTPUTS[0]
            _check_judges(given["judge"] or (), given["judge_option"] or (), output)
        folder = predict(**own[0])
        judge(folder, **own[1])
        if not here.first:
            return
        _print_scores(RunFolder(folder))
        if _has_page(RunFolder(folder)):
            report([folder], **own[2])

    keyword = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in merged.values()
    ]
    command.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword}
    return command


def _of_judge(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return an option of the judge under a name that says so."""
    kind, option = get_args(parameter.annotation)
    told = copy(option)
    told.help = f"Of the judge: {option.help[0].lower()}{option.help[1:]}"
    return parameter.replace(name=f"judge_{parameter.name}", annotation=Annotated[kind, told])


def _check_judges(names: Sequence[str], options: Sequence[str], output: str) -> None:
    """Refuse judges and options that are none before a model is asked, without loading a judge."""
    registry = importlib.import_module("cobsat.metrics.registry")
    judging = importlib.import_module("cobsat.metrics.judge")
    judge_options = importlib.import_module("cobsat.metrics.judge_options")
    assigned = judge_options.assign_options(names or judging.default_judges(output), options)
    for name in names:
        outputs = getattr(registry.judge_class(name), "outputs", None)
        if isinstance(outputs, frozenset) and output not in outputs:
            judged = importlib.import_module("cobsat.metrics.judging").judges_of(output)
            raise ValueError(
                f"output that the judge {name} is given must be {' or '.join(sorted(outputs))}, "
                f"got {output!r}, for which there {judged}"
            )
    for name, given in assigned.items() if output == "answer" else ():
        which = _WHICH & registry.judge_parameters(name)
        if which and not which & given.keys():
            raise ValueError(
                f"judge {name} must be told who judges, got {', '.join(given) or 'no option'}: "
                f"--judge {name} --judge-option model=gpt-4 (a server's; OPENAI_BASE_URL says "
                "which) or --judge-option checkpoint=NAME (of transformers)"
            )


def _has_page(folder: RunFolder) -> bool:
    """Return whether a run has scores that there is a page of: degrees alone have none."""
    if folder.settings().benchmark == "cobsat":
        return True
    scores = (json.loads(folder.scores_path(j).read_text("utf-8")) for j in folder.judges())
    return any("win" in of_judge["overall"] for of_judge in scores)


def _print_scores(folder: RunFolder) -> None:
    """Print each judge's scores, 80 columns wide."""
    from rich.console import Console

    console = Console()
    show = _PRINTERS[folder.settings().benchmark]
    for judge in folder.judges():
        show(console, judge, json.loads(folder.scores_path(judge).read_text("utf-8")))


def _print_touchstone(console: Console, judge: str, scores: dict[str, Any]) -> None:
    from .touchstone.score_table import score_table

    table, rest = score_table(scores)
    console.print(f"\n[bold]judge: {_plain(judge)}[/bold]", highlight=False)
    console.print(table, *([rest] if rest else []), "", sep="\n", highlight=False)


def _print_cobsat(console: Console, judge: str, scores: dict[str, Any]) -> None:
    from rich.table import Table

    samples = scores.get("samples", 1)
    rates = _RATES if samples == 1 else _OF_SAMPLES
    sizes = {row["examples"] for row in scores["groups"]}
    each = f", {sizes.pop():,} examples each" if len(sizes) == 1 else ""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("task")
    judge_failed = any(row.get("judge_failed") for row in scores["groups"])
    counts = ["failed", "unscored", *(["judge failed"] if judge_failed else [])]
    shown = {"accuracy": "single", "best_of": f"best\nof {samples}"} if samples > 1 else {}
    headings = [shown.get(rate, rate) for rate in rates]
    for name in ("shots", *([] if each else ["examples"]), *headings, *counts):
        table.add_column(name, justify="right")
    for row in [*scores["groups"], None, *scores["means"]]:
        if row is None:
            table.add_row()
            continue
        cells = [_MEANS.get(row["task"]) or _plain(row["task"]), str(row["shots"])]
        cells += [] if each else [f"{row['examples']:,}"]
        cells += [_rate(row["accuracy"], error=True), *(_rate(row[r]) for r in rates[1:])]
        cells += [str(row["failed"] + row["blocked"]), str(row["unscored"])]
        cells += [str(row["judge_failed"])] if judge_failed else []
        table.add_row(*cells)
    console.print(f"\n[bold]judge: {_plain(judge)}[/bold]{each}", highlight=False)
    if samples > 1:
        console.print(_SAMPLES.format(samples=samples), width=80, highlight=False)
    console.print(table, _ERRORS, "", highlight=False)


_PRINTERS: Final = {"cobsat": _print_cobsat, "touchstone": _print_touchstone}


def _plain(text: str) -> str:
    """Return what a file holds as rich prints it as it is."""
    from rich.markup import escape

    return escape(visible(text))


def _rate(rate: dict[str, Any], *, error: bool = False) -> str:
    if rate["value"] is None:
        return "-"
    shown = f"{rate['value']:.3f}"
    if error and rate["standard_error"] is not None:
        shown += f" ±{rate['standard_error']:.3f}"
    return shown


command = _compose(load_command("predict"), load_command("judge"), load_command("report"))
