"""A leaderboard of TouchStone's runs: models by rank, with intervals and ties, and their answers.

    cobsat leaderboard runs/A runs/B runs/C
    cobsat leaderboard runs/A runs/B --judge touchstone-gpt-4 --out boards/today

It writes `leaderboard.html`, one page that opens from disk, `leaderboard.md`, `leaderboard.csv` and
`plots/` into a folder. Runs on other questions, or judged by another judge, are never in one table;
only beside the official questions are the published scores.
Source: TouchStone, Sec. 4.2, Figs. 5 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from cobsat.command_line import say
from cobsat.run_folder import safe_name
from rich.console import Console
from rich.progress import Progress

from .files import write_bytes, write_text
from .leaderboard_charts import board_charts
from .leaderboard_data import Board, read_board
from .leaderboard_gallery import board_gallery
from .leaderboard_page import board_page
from .leaderboard_text import board_csv, board_markdown, print_board
from .pdf import need_typst, typeset
from .pdf_leaderboard import board_document
from .plots import DEFAULT_FORMATS, FORMATS, Format, Order, formats_of, write_plots
from .thumbnails import Pictures

__all__ = ["command", "write_board_page", "write_leaderboard"]

SIZES: Final = ((200, 640, 74), (1_500, 400, 66), (5_000, 256, 60))
"""Largest side of a thumbnail and its quality, by how many there are: they must be readable."""


def write_leaderboard(
    runs: Sequence[Path],
    out: Path | None = None,
    judge: str | None = None,
    console: Console | None = None,
    *,
    plots: Sequence[Format] = DEFAULT_FORMATS,
    pdf: bool = False,
) -> tuple[Board, list[Path]]:
    """Write the leaderboard of runs in all its forms, and return it with the files' paths.

    Args:
        runs: Run folders of TouchStone, judged already.
        out: The folder to write into; `leaderboard` in the first run's folder by default.
        judge: The judge to go by; by default the first that judged all runs.
        console: Where to show progress, if anywhere.
        plots: Formats of the plots' files.
        pdf: Whether to write `leaderboard.pdf`, a typeset document, too.

    Raises:
        FileNotFoundError: A folder is no run's.
        ImportError: A document is wanted, and what typesets it is not installed.
        ValueError: The runs do not belong in one table, or are not judged.
    """
    if pdf:
        need_typst()  # before the work, not after it
    board = read_board(runs, judge)
    folder = out or runs[0] / "leaderboard"
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"out must be a folder, got the file {folder}")
    page = folder / "leaderboard.html"
    document = page.with_suffix(".pdf") if pdf else None
    _write_page(board, Order(page, folder / "plots", plots, document), console)
    markdown, table = folder / "leaderboard.md", folder / "leaderboard.csv"
    write_text(markdown, board_markdown(board))
    write_text(table, board_csv(board))
    return board, [page, markdown, table, *([document] if document else [])]


def write_board_page(runs: Sequence[Path], order: Order, console: Console | None = None) -> None:
    """Write the leaderboard's page of one or several runs, and its plots.

    Raises:
        FileNotFoundError: A folder is no run's.
        ValueError: The runs do not belong in one table, or are not judged.
    """
    _write_page(read_board(runs), order, console)


def _write_page(board: Board, order: Order, console: Console | None) -> None:
    pictures = Pictures()
    gallery = board_gallery(board, pictures)
    quiet = console is None or not console.is_terminal
    with Progress(console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("thumbnails", total=len(pictures.paths))
        thumbnails = pictures.thumbnails(lambda done: progress.advance(task, done), SIZES)
    write_plots(order.plots, safe_name(board.judge), board_charts(board), order.formats)
    write_text(order.page, board_page(board, gallery, thumbnails))
    if order.document is not None:
        write_bytes(order.document, typeset(board_document(board)))


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders of TouchStone, judged already.", metavar="RUN..."),
    ],
    judge: Annotated[
        str | None, typer.Option(help="By whose marks. Default: the first that judged all.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write. Default: leaderboard in the first run's folder."),
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
        typer.Option("--pdf", help="Write a typeset document, too."),
    ] = False,
) -> None:
    """Rank models on TouchStone: a page, Markdown and CSV."""
    board, written = write_leaderboard(
        runs, out, judge, Console(stderr=True), plots=formats_of(plots or ()), pdf=pdf
    )
    print_board(board, Console())
    for path in written:
        say(path)
