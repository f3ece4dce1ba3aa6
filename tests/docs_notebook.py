"""Runs `docs/cobsat.ipynb` from top to bottom and keeps what it shows.

    python tests/docs_notebook.py      # after a change to its cells

Its cells are the source; what stands below them is made here, in an empty folder, offline, with
the `cobsat` and the kernel of this environment.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from docs_pages import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs" / "cobsat.ipynb"
SECONDS = 600
"""How long a cell may take on a busy machine."""


def run_notebook(folder: Path) -> Any:
    """Return the notebook as it is after a run in a folder.

    Raises:
        CellExecutionError: A cell raised.
    """
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1", "COLUMNS": "80"}
    plain = {"TERM": "dumb", "NO_COLOR": "1"}  # no bars that move, no codes of a terminal
    client.execute(env={**os.environ, **own, **plain, "OMP_NUM_THREADS": "1"})
    notebook.metadata.language_info = {"name": "python"}  # not which Python it was
    return notebook


def texts(notebook: Any) -> list[str]:
    """Return what each cell of code printed or returned, as text."""
    return [
        "".join(
            output.text if output.output_type == "stream" else output.data.get("text/plain", "")
            for output in cell.outputs
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(run_notebook(Path(folder)), NOTEBOOK)
    print(f"{NOTEBOOK}: {NOTEBOOK.stat().st_size / 1000:.0f} kB")
