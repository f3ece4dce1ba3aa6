"""What each command in the documentation would do: whether it exists, and whether it takes that.

    check(Command(["cobsat", "run", "--model", "copy", "--config", "color_i-2shot"], folder, {}))

Every program is asked through its own parser; nothing is run.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.util
import io
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import typer
from cobsat.cli import COMMANDS, load_command
from cobsat.spec import choose
from docs_pages import ROOT
from docs_shell import Command

TRAINING = "cobsat.train.sft_qwen_vl"
MODULES = {
    "cobsat.cli": lambda words: _cobsat(words),
    "cobsat.models.predict": lambda words: _cobsat(["predict", *words]),
    "cobsat.metrics.judge": lambda words: _cobsat(["judge", *words]),
    TRAINING: lambda words: _cobsat(["train", *words]),
}
"""Modules that are run by `-m`, and how their arguments are read."""


def check(command: Command) -> None:
    """Check that a program exists and takes these arguments.

    Raises:
        Exception: It does not; the parser's own error says why.
    """
    program, *words = command.words
    choose("program in the documentation", program, PROGRAMS)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            PROGRAMS[program](words)
    except SystemExit as ended:  # argparse has said why
        raise ValueError(f"{command.line}: {complaint.getvalue()}") from ended


def options_of(words: Sequence[str]) -> set[str]:
    """Return the options that the program takes which a line begins with: `cobsat run …`."""
    match list(words):
        case ["cobsat", "train", *_]:
            return _options(_training_parser())
        case ["cobsat", name, *_] if not name.startswith("-"):
            return {"--debug", "--help"} | _click_options(_click_command(name))
        case ["cobsat", *_]:
            return {"--help", "--version", "--debug"}
        case ["torchrun", *_]:
            from torch.distributed.run import get_args_parser

            return _options(get_args_parser())
        case ["accelerate", *_]:
            from accelerate.commands.launch import launch_command_parser

            return _options(launch_command_parser())
        case ["python", "-m", "cobsat.drawing", *_]:
            from cobsat.drawing.__main__ import parser

            return _options(parser())
        case ["python", *_]:
            return set()
    raise ValueError(f"no program is known by {words[0]!r}: see PROGRAMS in {__name__}")


@functools.cache
def all_options() -> frozenset[str]:
    """Return the options of every command of `cobsat`, and of the programs that start it."""
    found = options_of(["torchrun"]) | options_of(["accelerate"])
    found |= options_of(["python", "-m", "cobsat.drawing"])
    for name in COMMANDS:
        found |= options_of(["cobsat", name])
    return frozenset(found)


def _cobsat(words: list[str]) -> None:
    name, *rest = [word for word in words if word != "--debug"]
    if name.startswith("--"):
        assert name in ("--help", "--version")
    elif name == "train":
        from cobsat.train import sft_qwen_vl

        if "--help" not in rest:
            with mock.patch.object(sft_qwen_vl, "train"):  # all but the training
                sft_qwen_vl.main(rest)
    else:
        _read(_click_command(name), f"cobsat {name}", rest)


def _read(command: Any, name: str, words: list[str]) -> None:
    """Let a command of click read its arguments, and its own command those that are left."""
    if "--help" in words:
        return
    context = command.make_context(name, list(words))
    if hasattr(command, "resolve_command"):
        named, found, rest = command.resolve_command(context, list(words))
        found.make_context(named, rest, parent=context)


def _click_command(name: str) -> Any:
    loaded = load_command(choose("command", name, COMMANDS))
    if name == "publish":
        from cobsat.hub_cards.publish import app as publish

        return typer.main.get_command(publish())
    app = typer.Typer(add_completion=False)
    app.command()(loaded)
    return typer.main.get_command(app)


def _click_options(command: Any) -> set[str]:
    found = {text for option in command.params for text in (*option.opts, *option.secondary_opts)}
    for own in getattr(command, "commands", {}).values():
        found |= _click_options(own)
    return found


def _training_parser() -> argparse.ArgumentParser:
    from cobsat.train import sft_qwen_vl as sft

    kinds = (sft.DataArguments, sft.SFTConfig, sft.ModelConfig)
    parser: argparse.ArgumentParser = sft._Parser(kinds)
    parser.add_argument("--config")
    return parser


def _options(parser: argparse.ArgumentParser) -> set[str]:
    return {text for action in parser._actions for text in action.option_strings}


def _python(words: list[str]) -> None:
    if words[0] == "-c":
        compile(words[1], "-c", "exec")
        return
    assert words[0] == "-m", words
    assert importlib.util.find_spec(words[1]), f"there is no module {words[1]}"
    if words[1] == "cobsat.drawing":
        from cobsat.drawing.__main__ import parser

        reading = parser()
        for action in reading._actions:
            action.choices = None if action.dest == "theme" else action.choices  # a page adds one
        reading.parse_args(words[2:])


def _launched(module: bool, name: str, arguments: list[str]) -> None:
    assert module, f"{name} is started as a module: -m"
    MODULES[choose("module to launch", name, MODULES)](arguments)


def _torchrun(words: list[str]) -> None:
    from torch.distributed.run import parse_args

    read = parse_args(words)
    _launched(read.module, read.training_script, read.training_script_args)


def _accelerate(words: list[str]) -> None:
    from accelerate.commands.launch import launch_command_parser

    assert words[0] == "launch", words
    read = launch_command_parser().parse_args(words[1:])
    if read.config_file:
        assert (ROOT / read.config_file).is_file(), f"{read.config_file} is not there"
    _launched(read.module, read.training_script, read.training_script_args)


def _hf(words: list[str]) -> None:
    from huggingface_hub.cli.hf import app

    _read(app, "hf", words)


def _pip(words: list[str]) -> None:
    assert words[0] == "install", words
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    for word in words[1:]:
        ours = re.fullmatch(r"(?:cobsat|\.)(?:\[(\w+)\])?", word)
        if ours and ours[1]:
            choose("extra of cobsat", ours[1], extras)
        assert ours or re.fullmatch(r"[a-z0-9-]+", word), f"pip install {word}"


def _make(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for word in words:
        assert re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE), f"make {word}"


def _vllm(words: list[str]) -> None:
    """Take any options: vLLM is not installed, for it wants a GPU."""
    assert words[0] == "serve", words
    assert all(re.fullmatch(r"--[a-z-]+", word) for word in words if word.startswith("-")), words


PROGRAMS: dict[str, Callable[[list[str]], None]] = {
    "accelerate": _accelerate,
    "cobsat": _cobsat,
    "hf": _hf,
    "make": _make,
    "pip": _pip,
    "python": _python,
    "torchrun": _torchrun,
    "vllm": _vllm,
}
"""Every program that the documentation may name, and what reads its arguments."""
