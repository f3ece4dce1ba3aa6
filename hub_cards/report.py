"""One self-contained page about one or several runs: scores, plots, and a gallery of examples.

    cobsat report runs/NAME                    # writes runs/NAME/report.html and runs/NAME/plots/
    cobsat report runs/A runs/B --out cmp.html # several runs side by side; cmp-plots/ beside it
    cobsat report runs/NAME --pdf              # the same, typeset: runs/NAME/report.pdf, too

The page opens from disk, offline. Runs on different pictures are not put into one table. Of
TouchStone's runs the page is the leaderboard's (`leaderboard.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer
from cobsat.benchmarks import benchmark as get_benchmark
from cobsat.command_line import say
from cobsat.run_folder import RunFolder, safe_name
from rich.console import Console
from rich.progress import Progress

from .example_details import Details
from .figures import charts
from .files import write_bytes, write_text
from .gallery import gallery
from .leaderboard import write_board_page
from .page import page
from .pdf import need_typst, typeset
from .pdf_report import report_document
from .plots import DEFAULT_FORMATS, FORMATS, Format, Order, formats_of, write_plots
from .report_data import Run, check_comparable, read_run
from .thumbnails import Pictures


def write_report(
    runs: Sequence[Path],
    out: Path | None = None,
    console: Console | None = None,
    *,
    plots: Sequence[Format] = DEFAULT_FORMATS,
    pdf: bool = False,
) -> Path:
    """Write the report of runs, and its plots beside it, and return its path.

    Args:
        runs: Run folders that have scores.
        out: The file to write; `report.html` in the first run's folder by default.
        console: Where to show progress, if anywhere.
        plots: Formats of the plots' files.
        pdf: Whether to write the report as a document, too, under the same name with `.pdf`.

    Raises:
        FileNotFoundError: A folder is no run's, or was not judged yet.
        ImportError: A document is wanted, and what typesets it is not installed.
        ValueError: No run was given, one's files are not what `cobsat` writes, or the runs are on
            different pictures.
    """
    if not runs:
        raise ValueError("runs must be one or more run folders, got none")
    benchmark = _one_benchmark(runs)
    out = out or runs[0] / "report.html"
    if out.is_dir():
        raise ValueError(f"out must be a file, got the folder {out}: name {out / 'report.html'}")
    if pdf:
        need_typst()  # before the work, not after it
    order = Order(out, _plots_folder(out, runs), plots, out.with_suffix(".pdf") if pdf else None)
    _PAGES[benchmark](runs, order, console)
    return out


def _one_benchmark(runs: Sequence[Path]) -> str:
    """Return the benchmark that all runs are of; ValueError where they are of several."""
    first, *others = (RunFolder(run).settings().benchmark for run in runs)
    for run, other in zip(runs[1:], others, strict=True):
        if other != first:
            raise ValueError(
                f"runs of one report must be of one benchmark, got {runs[0]} of "
                f"{get_benchmark(first).TITLE} and {run} of {get_benchmark(other).TITLE}: report "
                "them separately"
            )
    return first


def _write_report(runs: Sequence[Path], order: Order, console: Console | None) -> None:
    """Write the report of CoBSAT's runs."""
    check_comparable(runs)
    read = _distinct([read_run(path) for path in runs])
    judges = list(dict.fromkeys(judge for run in read for judge in run.scores))
    pictures = Pictures()
    details = Details(read, judges, pictures)
    data = gallery(read, judges, pictures, order.page.parent, details)
    quiet = console is None or not console.is_terminal
    with Progress(console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("thumbnails", total=len(pictures.paths))
        thumbnails = pictures.thumbnails(lambda done: progress.advance(task, done))
    for judge in judges:
        write_plots(order.plots, safe_name(judge), charts(read, judge), order.formats)
    write_text(order.page, page(read, judges, data, thumbnails, tuple(details.blocks())))
    if order.document is not None:
        write_bytes(order.document, typeset(report_document(read, judges)))


def command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, judged already.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write. Default: report.html in the first run's folder."),
    ] = None,
    plots: Annotated[
        list[str] | None,
        typer.Option(
            metavar="|".join(FORMATS),
            help="A format of the plots' files; may be repeated. Default: svg and png.",
        ),
    ] = None,
    pdf: Annotated[
        bool,
        typer.Option("--pdf", help="Write the report as a typeset document, too."),
    ] = False,
) -> None:
    """Write one page about one or several runs: scores, plots and a gallery."""
    written = write_report(runs, out, Console(stderr=True), plots=formats_of(plots or ()), pdf=pdf)
    say(written)
    if pdf:
        say(written.with_suffix(".pdf"))


def _plots_folder(out: Path, runs: Sequence[Path]) -> Path:
    """Return `plots` in a run's own folder, as its layout says; elsewhere a name after the report.

    Many reports may lie side by side there, and none is to overwrite another's plots.
    """
    parent = out.parent.resolve()
    own = out.name == "report.html" and any(run.resolve() == parent for run in runs)
    return out.parent / ("plots" if own else f"{out.stem}-plots")


def _distinct(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with labels that differ: a folder's name, or its path where names repeat."""
    paths = [run.folder.path.resolve() for run in runs]
    names = [run.label for run in runs]
    common = os.path.commonpath([path.parent for path in paths])
    return [
        run if names.count(run.label) == 1 else replace(run, label=os.path.relpath(path, common))
        for run, path in zip(runs, paths, strict=True)
    ]


_PAGES: Final[dict[str, Callable[[Sequence[Path], Order, Console | None], None]]] = {
    "cobsat": _write_report,
    "touchstone": write_board_page,
}
"""Benchmark → what writes the report of its runs."""
