"""The notebook runs from top to bottom, offline, and shows what it showed when it was committed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import docs_commands
import nbformat
import pytest
from docs_notebook import NOTEBOOK, run_notebook, texts
from docs_shell import Command

LARGEST = 300_000
"""Bytes."""


@pytest.fixture(scope="module")
def committed() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_it_is_small_and_whole(committed: Any) -> None:
    nbformat.validate(committed)
    assert NOTEBOOK.stat().st_size < LARGEST
    assert [cell.execution_count for cell in code(committed)] == list(
        range(1, len(code(committed)) + 1)
    )
    kinds = [output.output_type for cell in code(committed) for output in cell.outputs]
    assert "error" not in kinds
    pictures = [
        kind
        for cell in code(committed)
        for output in cell.outputs
        for kind in output.get("data", ())
        if kind.startswith("image/")
    ]
    assert pictures.count("image/jpeg") >= 3, "a prompt, what was wrong, and a plot are shown"


def test_it_names_no_machine(committed: Any) -> None:
    said = "\n".join([*texts(committed), *(cell.source for cell in committed.cells)])
    assert not re.search(r"(/home|/root|/tmp|/work|\.venv)\b", said)
    assert "Warning" not in said.replace("filterwarnings", "")


def test_its_commands_are_ones_that_there_are(committed: Any, tmp_path: Path) -> None:
    sources = (cell.source.replace("\\\n", " ") for cell in code(committed))
    lines = [line for source in sources for line in source.splitlines()]
    commands = [shlex.split(line[1:]) for line in lines if line.startswith("!")]
    assert {words[1] for words in commands} == {"run", "compare", "report", "card"}
    for words in commands:
        docs_commands.check(Command(words, tmp_path, {}))


def numbers(text: str) -> list[str]:
    """Return the numbers in an output, but for how fast it went and how many files it wrote."""
    lines = [line for line in text.splitlines() if "━" not in line and " files " not in line]
    return re.findall(r"\d[\d,.]*", "\n".join(lines))


@pytest.mark.slow
def test_it_shows_again_what_it_showed(committed: Any, tmp_path: Path) -> None:
    again = run_notebook(tmp_path)
    for cell, before, now in zip(code(again), texts(committed), texts(again), strict=True):
        assert numbers(now) == numbers(before), cell.source
    assert (tmp_path / "runs" / "report.html").is_file()
    assert (tmp_path / "runs" / "misled" / "README.md").is_file()
