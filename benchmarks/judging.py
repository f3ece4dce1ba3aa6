"""What judging a run folder costs beside the judge's own time.

python benchmarks/judging.py

The baseline `copy` answers all ten tasks at 2 shots, 10,000 rows, once with pictures and once with
descriptions. `cobsat judge` then reads them, has each distinct output judged once a theme, writes a
verdict a row and the scores. Its time less the time spent inside the judge, over the rows, must be
under 2 ms; more ends with exit code 1.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cobsat import Options
from cobsat.metrics import judge_run, load_judge
from cobsat.metrics.protocol import Judge, OutputKind, Reference
from cobsat.models.predict import predict
from cobsat.models.registry import load_model
from cobsat.models.settings import run_settings
from cobsat.run_folder import Verdict

BOUND = 2.0
"""Milliseconds a row."""


class Timed:
    """A judge that notes how long it judged, and how many outputs."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.name, self.outputs = judge.name, judge.outputs
        self.seconds, self.judged = 0.0, 0

    def record(self) -> dict[str, Any]:
        """Return the judge's record."""
        return self._judge.record()

    def judge(
        self, predictions: Sequence[str], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Judge, and look at the clock."""
        start = time.perf_counter()
        verdicts = self._judge.judge(predictions, references, output)
        self.seconds += time.perf_counter() - start
        self.judged += len(predictions)
        return verdicts


def added(output: OutputKind, judge_name: str, folder: Path) -> float:
    """Return the milliseconds a row that judging adds, and print them."""
    options = Options(output=output)
    model = load_model("copy")
    settings = run_settings("copy", model, {}, ("all-2shot",), "test", options, None)
    run = predict(model, settings, folder, batch_size=256)
    judge = Timed(load_judge(judge_name))
    start = time.perf_counter()
    result = judge_run(run, judge)
    whole = time.perf_counter() - start
    rows = sum(group["examples"] for group in result["groups"])
    own = 1000 * judge.seconds / rows
    more = 1000 * (whole - judge.seconds) / rows
    print(
        f"judging {rows:,} rows of {output}s with {judge_name}: {more:.2f} ms a row beside the "
        f"judge's own {own:.2f} ms ({judge.judged:,} outputs judged); {more / BOUND:.2f} of the "
        f"bound of {BOUND:g} ms"
    )
    return more


def main() -> int:
    """Measure, print, and say whether all is within the bound."""
    with tempfile.TemporaryDirectory() as folder:
        measured = [
            added("image", "clip", Path(folder) / "pictures"),
            added("description", "mention", Path(folder) / "texts"),
        ]
    return int(max(measured) >= BOUND)


if __name__ == "__main__":
    sys.exit(main())
