"""What the commands print, when names, files, models and judges are hostile.

Every command runs in this process on a terminal that knows no escape sequences: a control character
that gets there came from the text of others. Every hostile text that rich would take for markup
holds a closing tag without an opening one, by which rich would fail.
"""

from __future__ import annotations

import io
import json
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from cobsat.cli import main
from cobsat.run_folder import RunFolder
from hostile_runs import cobsat_run, hostile_folder, questions, touchstone_run
from hostile_text import Hostile
from hub_server import HubServer

SEED = 11
BAD = "[/x][red]\x1b[2J\x1b]0;t\x07\x9b1m\u202e\x00\x08"
"""In one word what a terminal, or rich, must not obey."""
BAD_NAME = BAD.replace("\x00", "").replace("/", "")


NEVER = "".join(
    map(chr, [*range(9), *range(11, 32), *range(0x7F, 0xA0), *range(0x202A, 0x202F),
              *range(0x2066, 0x206A), 0x200E, 0x200F, 0x61C, 0xFEFF, *range(0xD800, 0xE000)])
)  # fmt: skip
"""What no terminal is sent: control characters, and marks that turn text round."""


class Screen(io.StringIO):
    """A terminal's end of a stream."""

    def isatty(self) -> bool:
        return True


class Terminal:
    """Runs commands and returns what they print."""

    def __call__(self, *arguments: object, code: int = 0) -> str:
        """Run a command, hold what it printed to the rules, and return it in one line."""
        out, err = Screen(), Screen()
        with redirect_stdout(out), redirect_stderr(err):
            got = main([str(argument) for argument in arguments])
        said = f"{out.getvalue()}\n{err.getvalue()}"
        assert got == code, said
        assert not set(said) & set(NEVER), repr(said)
        said.encode("utf-8")
        return said


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "500")
    return Terminal()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a hostile name, as all in it then has one."""
    folder = tmp_path_factory.mktemp("hostile") / f"base {BAD_NAME}"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def runs(place: Path, picture_folder: Path) -> list[Path]:
    """Three runs of one model on the same prompts."""
    images = hostile_folder(place / "images", Hostile(SEED), picture_folder)
    model = {"model": BAD, "model_options": {"record": {"name": BAD, "checkpoint": BAD}}}
    return [
        cobsat_run(place, images, SEED + n, model=model, name=f"run {n} {BAD_NAME}")
        for n in range(3)
    ]


@pytest.fixture(scope="module")
def boards(place: Path) -> list[Path]:
    file = questions(place / f"{BAD_NAME}.tsv", SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [touchstone_run(place, file, SEED + n, f"answers {n} {BAD_NAME}") for n in range(2)]


def test_run_predicts_judges_and_reports(
    terminal: Terminal, place: Path, picture_folder: Path
) -> None:
    images = hostile_folder(place / "images of run", Hostile(SEED + 9), picture_folder)
    arguments = ["run", "--model", "hostile_model:Talker", "--model-option", f"note={BAD}",
                 "--config", "color_i-2shot", "--output", "description", "--limit", 8,
                 "--images", images, "--judge", "mention", "--out", place / "of run"]  # fmt: skip
    said = terminal(*arguments)
    assert "errors, most often: " in said
    folder = RunFolder(place / "of run")
    with open(folder.predictions_path, "a") as file:  # broken lines are named, and asked again
        file.write(f'{{"id": "x", "status": {BAD!r}}}\n')
        file.write(json.dumps({"id": 7, "status": BAD}) + "\n")
    with open(folder.verdicts_path("mention"), "a") as file:
        file.write(f"{BAD}\n")
    assert "left out" in terminal(*arguments)


@pytest.mark.parametrize("count", [1, 3])
def test_report(terminal: Terminal, runs: list[Path], place: Path, count: int) -> None:
    out = place / f"{count} {BAD_NAME}.html"
    said = terminal("report", *runs[:count], "--out", out)
    assert "[red]" in said


def test_compare_and_agree(terminal: Terminal, runs: list[Path], place: Path) -> None:
    said = terminal("compare", *runs, "--json", place / "compared.json")
    assert "[red]" in said
    themes = "color_i-2shot-test-0000,car,red\ncolor_i-2shot-test-0001,hat,unclear\n"
    for run in runs:
        for person in (f"ada {BAD_NAME}", "bob"):
            (run / "labels").mkdir(exist_ok=True)
            (run / "labels" / f"{person}.csv").write_text(f"id,object,attribute\n{themes}")
    said = terminal("agree", *runs, "--disagreements", "--details")
    assert "[red]" in said


def test_judge_says_what_it_left_out(terminal: Terminal, runs: list[Path]) -> None:
    with open(runs[0] / "predictions.jsonl", "a") as file:
        file.write(json.dumps({"id": BAD, "status": BAD, BAD: BAD}) + "\n")
        file.write(f"{BAD}\n")
    assert "left out: " in terminal("judge", runs[0], "--judge", "mention")


def test_card(terminal: Terminal, runs: list[Path]) -> None:
    assert "[red]" in terminal("card", runs[1])
    (runs[2] / "README.md").write_text("theirs")
    terminal("card", runs[2], code=2)
    terminal("card", runs[2], "--merge", runs[2] / "README.md")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_touchstone(terminal: Terminal, boards: list[Path], place: Path) -> None:
    said = terminal("leaderboard", *boards, "--out", place / "board")
    assert "[red]" in said
    terminal("report", boards[0])
    terminal("card", boards[0])
    for command in (["compare", *boards], ["agree", *boards]):
        terminal(*command, code=2)  # TouchStone's have no such table, or no people
    file = place / f"{BAD_NAME}.tsv"
    out = place / f"submission {BAD_NAME}.tsv"
    terminal("export-answers", boards[0], "--out", out, "--partial")
    terminal("import-answers", out, "--name", BAD, "--data", file, "--partial",
             "--out", place / f"imported {BAD_NAME}")  # fmt: skip


def test_what_is_not_there(terminal: Terminal, place: Path) -> None:
    """The one line that a mistake is told in names it as it was given."""
    nowhere = place / f"nowhere {BAD_NAME}"
    for command in (
        ["report", nowhere], ["judge", nowhere], ["compare", nowhere, nowhere / "b"],
        ["agree", nowhere], ["card", nowhere], ["leaderboard", nowhere], ["models", BAD],
        ["judge", nowhere, "--judge", BAD], [BAD], ["report", f"--{BAD}"],
        ["run", "--model", BAD, "--config", BAD], ["export", BAD], ["label", nowhere],
        ["run", "--model", "copy", "--config", "color_i-2shot", "--images", nowhere],
        ["run", "--model", "copy", "--model-option", BAD, "--config", "color_i-2shot"],
        ["import-answers", nowhere, "--name", BAD, "--data", "touchstone-mini"],
        ["publish", "card", nowhere, "--to", "org/x", "--dry-run"],
        ["publish", "model", nowhere, "--to", BAD, "--dry-run"],
    ):  # fmt: skip
        said = terminal(*command, code=2)
        assert said.strip().count("\n") == 0, said


@pytest.fixture
def hub() -> Any:
    with HubServer() as server, server.for_this_process():
        yield server


def test_publish(terminal: Terminal, runs: list[Path], place: Path, hub: HubServer) -> None:
    terminal("publish", "card", runs[1], "--to", "org/model", "--dry-run")
    (place / "page").mkdir(exist_ok=True)
    terminal(
        "publish", "report", *runs[1:], "--to", "org/report", "--dry-run", "--i-have-the-right-to"
    )
    folder = place / f"model {BAD_NAME}"
    folder.mkdir()
    (folder / "README.md").write_text(f"---\nlicense: mit\n---\n{BAD}")
    (folder / f"{BAD_NAME}.safetensors").write_bytes(b"0")
    (folder / f"{BAD_NAME}.bin").write_bytes(b"0")
    terminal("publish", "model", folder, "--to", "org/model2", "--dry-run")


def test_models(terminal: Terminal) -> None:
    assert "module:Class" in terminal("models")
    assert "options" in terminal("models", "copy")
