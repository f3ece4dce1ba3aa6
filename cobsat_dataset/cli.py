"""The command `cobsat`: one table of commands, each imported only when it is called.

    cobsat --help
    cobsat run --model copy --config all-2shot

What a user can mend is one line on standard error and exit code 2; `--debug` (or COBSAT_DEBUG=1)
shows the traceback instead. Ctrl-C ends with exit code 130; the same command goes on from there.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Final

from . import processes
from .card_parts import visible
from .run_folder import is_disk_full
from .spec import choose

__all__ = ["COMMANDS", "load_command", "main"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": ("cobsat.pipeline:command", "predict, judge and report in a row"),
    "predict": (
        "cobsat.models.predict:command",
        "ask a model for pictures, descriptions or answers",
    ),
    "judge": ("cobsat.metrics.judge:command", "judge the outputs of a run and score it"),
    "label": ("cobsat.metrics.label:command", "give verdicts yourself, on a local page"),
    "compare": ("cobsat.metrics.compare:command", "say whether runs differ by more than chance"),
    "agree": ("cobsat.metrics.agree:command", "measure how far judges and people agree"),
    "report": ("cobsat.hub_cards.report:command", "write report.html"),
    "leaderboard": ("cobsat.hub_cards.leaderboard:command", "rank models on TouchStone"),
    "card": ("cobsat.hub_cards.card:command", "write a model card from its runs"),
    "publish": ("cobsat.hub_cards.publish:main", "publish data, metrics, cards, reports, models"),
    "models": ("cobsat.models.registry:command", "list the models"),
    "convert": ("cobsat.models.conversion:command", "convert a paper's checkpoint to safetensors"),
    "table4": ("cobsat.train.table4:command", "compare base and tuned model on the unseen half"),
    "train": ("cobsat.train.command:main", "fine-tune a vision-language model (TRL, PEFT)"),
    "import-answers": (
        "cobsat.touchstone.answers:import_command",
        "make a run folder of a file of answers to TouchStone",
    ),
    "export-answers": (
        "cobsat.touchstone.answers:export_command",
        "write a run's answers in TouchStone's submission format",
    ),
    "export": ("cobsat.export:command", "write the dataset as Parquet with its card"),
}
"""Command → "module:function" and what it does. A room owns its command and its options."""

OWN_ARGUMENTS: Final = ("train", "publish")
"""Commands that read their arguments themselves."""

USER_ERRORS: Final = (ValueError, OSError, ImportError, RuntimeError)
DEBUG_VARIABLE: Final = "COBSAT_DEBUG"


def load_command(name: str) -> Callable[..., Any]:
    """Import a command's function."""
    module, _, function = COMMANDS[choose("command", name, COMMANDS)][0].partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loaded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given or os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")
    given = [argument for argument in given if argument != "--debug"]
    rank = processes.rank()
    if not given or given[0] in ("--help", "-h", "help"):
        print(_help())
        return 0
    if given[0] == "--version":
        print(f"cobsat {version('cobsat')}")
        return 0
    name, *rest = given
    try:
        if name in OWN_ARGUMENTS:
            load_command(name)(rest)
            return 0
        return _call(name, load_command(name), rest)
    except KeyboardInterrupt:
        if not rank:
            print("stopped: the same command goes on from here", file=sys.stderr)
        return 130
    except Exception as error:
        if debug or not (isinstance(error, USER_ERRORS) or _is_usage_error(error)):
            raise
        who = f"cobsat {name}" + ("" if rank is None else f", rank {rank}")
        print(visible(f"{who}: {_one_line(error)}"), file=sys.stderr)
        return 2


def _help() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = [f"  {name:<{width}}{about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join(
        [
            "CoBSAT: text-to-image in-context learning, measured.",
            "",
            "usage: cobsat COMMAND [OPTIONS]      (cobsat COMMAND --help says which)",
            "       cobsat --version",
            "",
            *lines,
            "",
            f"  --debug, or {DEBUG_VARIABLE}=1: show the traceback of an error",
        ]
    )


def _call(name: str, function: Callable[..., Any], arguments: Sequence[str]) -> int:
    """Let typer read the arguments by the function's annotations, and call it."""
    import typer

    interrupted = False
    code = 0

    @functools.wraps(function)
    def guarded(*args: Any, **options: Any) -> None:
        nonlocal interrupted, code
        try:
            if processes.must_start(options.get("processes")):
                code = processes.start(options["processes"], [name, *arguments])
            else:
                function(*args, **options)
        except KeyboardInterrupt:  # typer would make an exit code of it
            interrupted = True

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(guarded)
    returned = app(list(arguments), prog_name=f"cobsat {name}", standalone_mode=False)
    if interrupted:
        raise KeyboardInterrupt
    return returned if isinstance(returned, int) else code


def _is_usage_error(error: Exception) -> bool:
    """Whether typer (or click, on which older ones stand) says that an argument is wrong."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def _one_line(error: Exception) -> str:
    if _is_usage_error(error):
        text = error.format_message()  # type: ignore[attr-defined]
    elif is_disk_full(error):
        text = (
            f"the disk must have room to write, got {error}: free some and give the same command "
            "again; a run goes on from where it was"
        )
    elif isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif type(error) is RuntimeError or not isinstance(error, RuntimeError):
        text = str(error) or type(error).__name__
    else:
        text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
