"""A person gives verdicts on a run's outputs, on a small local page.

    cobsat label runs/NAME
    cobsat label runs/NAME --person ada --sample 200 --seed 1
    cobsat label runs/A runs/B runs/C --person dan --disputed   # TouchStone: the fourth person

Of CoBSAT the page shows one output after the other, tasks mixed, and asks the judges' two
questions; of TouchStone a model's answer and the reference answer, and asks which is better. It is
blind: neither the reference nor a judge's verdict nor the model's name ever leaves the process, and
of two answers it is not told which is whose.
Every verdict is on disk before the next one is shown, and the same command goes on from there.
Source: the labels are what TouchStone, Sec. 4.1, compares its judge with.
"""

from __future__ import annotations

import getpass
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from cobsat.command_line import say
from cobsat.run_folder import RunFolder

from .label_server import open_server, page_address
from .label_session import Session

__all__ = ["command"]


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="The run folder; several of TouchStone.", metavar="RUN..."),
    ],
    person: Annotated[
        str | None, typer.Option(help="Whose verdicts these are. Default: the name of the user.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Only so many, drawn at random. Default: all outputs of CoBSAT, 200 questions of "
            "TouchStone by the categories' shares.",
            min=1,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of the order and the sample; the same for all people. Default: 0."),
    ] = None,
    disputed: Annotated[
        bool,
        typer.Option(
            "--disputed", help="TouchStone: only what three others have no majority about."
        ),
    ] = False,
    port: Annotated[
        int, typer.Option(help="Port on 127.0.0.1; 0 is any that is free.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Give verdicts yourself, on a local page, blind to the judge's."""
    session = _session(runs, person or _user(), sample, seed, disputed)
    server = open_server(session, port)
    address = page_address(server)
    say(f"{address}\nEvery answer is saved at once, in {session.path}. Ctrl-C ends.")
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    progress = session.progress()
    say(f"{progress['done']} of {progress['of']} outputs labelled, in {session.path}")


def _session(
    runs: Sequence[Path], person: str, sample: int | None, seed: int | None, disputed: bool
) -> Session[Any]:
    from . import label_answers, label_outputs

    if RunFolder(runs[0]).settings().benchmark == "touchstone":
        return label_answers.open_session(runs, person, sample, seed, disputed=disputed)
    if len(runs) > 1 or disputed:
        what = "--disputed" if disputed else f"{len(runs)} runs"
        raise ValueError(f"{runs[0]} must be labelled by itself, as CoBSAT's runs are, got {what}")
    return label_outputs.open_session(RunFolder(runs[0]), person, sample, seed)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name in the environment, nor an account
        return "person"
