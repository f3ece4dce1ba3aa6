"""Judge a run folder: one verdict an example, then the scores.

    cobsat judge runs/NAME --judge clip --judge mention

Verdicts are appended as they come, so a killed run goes on where it was, and ends with the same
files. An output that occurs many times is judged once a theme. Where the judge's call failed, the
verdict is an "error": it is in no score, and the same command judges it anew. When nothing but
failures come, judging stops with the reason. Several processes share the work (docs/scaling.md):

    cobsat judge runs/NAME --processes 8
    torchrun --nproc-per-node 8 -m cobsat.metrics.judge runs/NAME
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from cobsat.command_line import say
from cobsat.processes import join
from cobsat.run_folder import RunFolder, safe_name
from cobsat.spending import Spending

from .judge_options import assign_options
from .judging import check_kind, check_output, judge_run, procedure_of
from .protocol import Judge
from .registry import JUDGES, judge_class, load_judge

__all__ = ["command", "default_judges", "load_judges"]


def default_judges(output: str) -> tuple[str, ...]:
    """Return the judges of a kind of output when none is named."""
    if output == "answer":
        return ("touchstone",)
    return ("llava", "clip") if output == "image" else ("llava", "clip", "mention")


def load_judges(names: Iterable[str], options: Iterable[str] = ()) -> list[Judge]:
    """Make judges by name, with the options that `judge_options.assign_options` gives each.

    Raises:
        ValueError: A judge is unknown, or an option is none of theirs.
    """
    return [load_judge(name, **given) for name, given in assign_options(names, options).items()]


def command(
    run: Annotated[Path, typer.Argument(help="The run folder.", metavar="RUN")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{', '.join(JUDGES)}, or module:Class of your own; may be repeated. Default: "
            "llava (the paper's) and clip, and for descriptions mention too; for TouchStone's "
            "answers touchstone, which needs --judge-option model=gpt-4 or checkpoint=NAME."
        ),
    ] = None,
    judge_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="An option of the judges, such as device=cuda, or of one of them, such as "
            "llava.checkpoint=llava-hf/llava-1.5-13b-hf; may be repeated.",
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(help="Outputs judged at once. Default: what suits the judge.", min=1),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            help="Stop before a judge has cost more, all sittings together; a higher limit goes "
            "on. Needs prices, and a judge that says how many tokens it used.",
            min=0,
        ),
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(help="Price of a million input tokens.", min=0)
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(help="Price of a million output tokens.", min=0)
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            help="So many processes share the work, each on a GPU of its own. Started on this "
            "machine, or, under torchrun, checked.",
            min=1,
        ),
    ] = None,
) -> None:
    """Judge the outputs of a run and write its scores.

    The same command again judges what was not judged, or where the judge failed.
    """
    here = join(processes)
    with here.first_alone():
        folder = RunFolder(run)
        settings = folder.settings()
        names = judge or default_judges(settings.output)
        for given in assign_options(names, judge_option or ()).values():
            here.check_devices(given)
        for name in names:  # before a checkpoint is loaded
            if isinstance(outputs := getattr(judge_class(name), "outputs", None), frozenset):
                check_kind(name, outputs, settings.output)
        Spending(max_cost, price_in, price_out)
        if max_cost is not None and here.count > 1:
            raise ValueError(
                f"max_cost must be left out with {here.count} processes, got {max_cost:g}: each "
                "would spend it; one process asks a server for many answers at once by itself"
            )
        judges = load_judges(names, judge_option or ())
        for each in judges:
            check_output(each, settings.output)
    for each in judges:
        spending = Spending(max_cost, price_in, price_out)
        result = judge_run(folder, each, batch_size=batch_size, processes=here, spending=spending)
        if here.first:
            _say(folder, each, result, spending)


def _say(folder: RunFolder, judge: Judge, result: dict[str, Any], spending: Spending) -> None:
    procedure = procedure_of(folder.settings(), judge)
    summary = procedure.summary(result)
    where = folder.scores_path(judge.name)
    judged = folder.verdicts_of(judge.name, procedure.verdict)[0]
    stopped = not spending.room() and bool(folder.predictions()[0].keys() - judged.keys())
    if stopped:
        say(
            f"judging stopped before it costs more than {spending.most:g}: to go on, give the same "
            "command with a higher --max-cost (of cobsat run: --judge-max-cost)",
            err=True,
        )
    so_far = " so far" if stopped else ""
    say(f"{safe_name(judge.name)}: {summary}{so_far}, in {where}")
    if "cost" in result:
        say(f"{safe_name(judge.name)}: cost {result['cost']['value']:,.4f}")
    for problem in result["problems"]:
        say(f"left out: {problem}", err=True)
    for caution in result["cautions"]:
        say(f"warning: {caution}", err=True)


if __name__ == "__main__":
    from cobsat.cli import main

    sys.exit(main(["judge", *sys.argv[1:]]))
