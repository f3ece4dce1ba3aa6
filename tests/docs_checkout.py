"""A copy of the checkout that a page may change, and commands that run in it.

    checkout = Checkout(folder)
    checkout.extend("cobsat_dataset/spec.py", "THEMES", 'Theme("count", …),')
    checkout.run(["python", "-m", "cobsat.drawing", "--help"])

Its files are links to this checkout's, so the copy is made in a moment; what is written takes a
link's place. Commands run as processes of their own, on the copy.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from docs_pages import ROOT

ROOMS = ("cobsat_dataset", "models", "metrics", "train", "hub_cards")


class Checkout:
    """A copy in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = folder / ".package" / "cobsat"  # as an editable install's link tree
        package.mkdir(parents=True)
        for room in ROOMS:
            skip = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / room, folder / room, ignore=skip, copy_function=os.symlink)
            inside = (folder / room).iterdir() if room == "cobsat_dataset" else [folder / room]
            for path in inside:
                (package / path.name).symlink_to(path)

    def write(self, file: str, text: str) -> None:
        """Write a file, in place of the link to this checkout's."""
        path = self.folder / file
        path.unlink(missing_ok=True)
        path.write_text(text, "utf-8")

    def extend(self, file: str, name: str, entries: str) -> None:
        """Write entries at the end of a literal table that a module assigns to a name."""
        text = (self.folder / file).read_text("utf-8")
        table = _table(ast.parse(text), name)
        assert table.end_lineno is not None
        assert table.end_col_offset is not None
        lines = text.splitlines(keepends=True)
        last = lines[table.end_lineno - 1]
        place = table.end_col_offset - 1
        lines[table.end_lineno - 1] = f"{last[:place]}\n{entries}{last[place:]}"
        self.write(file, "".join(lines))

    def run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run `cobsat …` or `python …` on the copy."""
        program = [sys.executable, *([] if words[0] == "python" else ["-m", "cobsat.cli"])]
        environment = {
            **os.environ, "PYTHONPATH": str(self.folder / ".package"), "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1", "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        return subprocess.run(
            [*program, *words[1:]], cwd=self.folder, env=environment, capture_output=True, text=True
        )


def _table(module: ast.Module, name: str) -> ast.expr:
    """Return the display that a module's table is written as: a dict, or what one is made of."""
    for statement in module.body:
        if isinstance(statement, ast.AnnAssign) and statement.value:
            target, value = statement.target, statement.value
            if isinstance(target, ast.Name) and target.id == name:
                return value.generators[0].iter if isinstance(value, ast.DictComp) else value
    raise AssertionError(f"there is no table {name}")
