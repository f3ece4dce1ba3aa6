"""`cobsat run`: predict, judge and report in a row, with the options of all three.

cobsat run --model copy --config all-2shot --config all-4shot
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .cli import load_command
from .run_folder import RunFolder

__all__ = ["command"]


def _compose(
    predict: Callable[..., Path], judge: Callable[..., Any], report: Callable[..., Any]
) -> Callable[..., None]:
    """Return a command whose options are those of all three.

    The run folder, which judge and report take first, is what predict returns. An option that two
    of them have by the same name is the first one's; the later one keeps its default.
    """
    stages = [_parameters(function) for function in (predict, judge, report)]
    for stage in stages[1:]:
        stage.pop(next(iter(stage)))
    merged = {**stages[2], **stages[1], **stages[0]}
    owned = [
        [name for name in stage if not any(name in earlier for earlier in stages[:place])]
        for place, stage in enumerate(stages)
    ]

    def command(**given: Any) -> None:
        """Ask a model, judge what it gave, and write the report.

        The same command again goes on where a stopped run was.
        """
        own = [{name: given[name] for name in names} for names in owned]
        folder = predict(**own[0])
        judge(folder, **own[1])
        _print_scores(RunFolder(folder))
        report([folder], **own[2])

    by_kind = sorted(merged.values(), key=lambda p: p.default is not p.empty)
    keyword = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in by_kind]
    command.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword}
    return command


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function, eval_str=True).parameters)


def _print_scores(folder: RunFolder) -> None:
    """Print each judge's accuracies."""
    from rich.console import Console
    from rich.table import Table

    rates = ("accuracy", "object", "attribute", "textual", "visual")
    console = Console()
    for judge in folder.judges():
        scores = json.loads(folder.scores_path(judge).read_text("utf-8"))
        table = Table(title=f"judge: {judge}", title_justify="left", title_style="bold")
        table.add_column("task")
        for name in ("shots", "examples", *rates, "failed", "unscored"):
            table.add_column(name, justify="right")
        for part in ("groups", "means"):
            for row in scores[part]:
                lost = [str(row["failed"] + row["blocked"]), str(row["unscored"])]
                counts = [str(row["shots"]), f"{row['examples']:,}"]
                style = "bold" if part == "means" else None
                table.add_row(
                    row["task"], *counts, *(_rate(row[r]) for r in rates), *lost, style=style
                )
            table.add_section()
        console.print(table)


def _rate(rate: dict[str, Any]) -> str:
    if rate["value"] is None:
        return "-"
    error = rate["standard_error"]
    return f"{rate['value']:.3f}" + ("" if error is None else f" ±{error:.3f}")


command = _compose(load_command("predict"), load_command("judge"), load_command("report"))
