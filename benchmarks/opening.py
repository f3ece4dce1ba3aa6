"""What it takes to open a finished run of 40,000 rows and find that nothing is left to do.

python benchmarks/opening.py

The baseline `random` answers all ten tasks at 2, 4, 6 and 8 shots. Then, in turns:
1. the barest reading of its predictions: one `json.loads` a line;
2. `predict` on the folder: what is there is read, and found to be all that there is to be;
3. the whole command `cobsat predict` in a fresh process, as a user gives it again;
4. a fresh process that imports the command and does nothing.

Seconds are the processor's, so that a busy machine disturbs them least; on an idle one the clock
shows the same, for all of this is done in one thread. The command must take less than 2 s in the
quickest of the rounds; more ends with exit code 1.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cobsat import Options, RunFolder
from cobsat.models.predict import predict
from cobsat.models.registry import load_model
from cobsat.models.settings import expand_configs, run_settings
from ratios import Seconds, in_turns, of_processor

BOUND = 2.0
ROUNDS = 5
CONFIGS = ("all-2shot", "all-4shot", "all-6shot", "all-8shot")
ROWS = 40_000


def measured(folder: Path) -> Seconds:
    """Return the seconds of the four, round by round, and the command's by the clock."""
    model = load_model("random")
    configs = expand_configs(CONFIGS, "test", Options())
    settings = run_settings("random", model, {}, configs, "test", Options())
    run = predict(model, settings, folder, batch_size=1000)
    size = run.predictions_path.stat().st_size
    command = [sys.executable, "-m", "cobsat.cli", "predict", "--model", "random"]
    for config in CONFIGS:
        command += ["--config", config]
    command += ["--out", str(folder)]
    clock: list[float] = []

    def opened() -> None:
        start = time.perf_counter()
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        if f"{ROWS:,} predictions ({ROWS:,} ok)" not in said:
            raise RuntimeError(f"the run must be whole, got: {said}")
        clock.append(time.perf_counter() - start)

    seconds = in_turns(
        [
            {
                "bare": lambda: bare(run),
                "predict": lambda: predict(model, settings, folder),
                "command": opened,
                "import": lambda: subprocess.run(
                    [sys.executable, "-c", "import cobsat.cli, cobsat.models.predict"], check=True
                ),
            }
        ]
        * ROUNDS,
        of_processor,
    )
    if run.predictions_path.stat().st_size != size:
        raise RuntimeError("there was nothing left to do, and something was written")
    return {**seconds, "clock": clock}


def bare(run: RunFolder) -> None:
    """Read the predictions and keep what is read."""
    with open(run.predictions_path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if len(lines) != ROWS:
        raise RuntimeError(f"the run must have {ROWS:,} predictions, got {len(lines):,}")


def times(seconds: Seconds, slow: str, fast: str) -> str:
    """Return how many times as long one takes as the other, in the median round."""
    ratios = [s / f for s, f in zip(seconds[slow], seconds[fast], strict=True)]
    return f"{statistics.median(ratios):.1f}"


def main() -> int:
    """Measure, print, and say whether the bound holds."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = measured(Path(folder) / "run")
    least = {name: min(rounds) for name, rounds in seconds.items()}
    within = least["command"] < BOUND
    print(
        f"opening a finished run of {ROWS:,} rows: {least['command']:.2f} s of processor time for "
        f"the whole command (rounds up to {max(seconds['command']):.2f}; by the clock from "
        f"{least['clock']:.2f}; less than {BOUND:g}): {'ok' if within else 'TOO SLOW'}"
    )
    print(
        f"  {times(seconds, 'command', 'bare')} times one json.loads a line "
        f"({least['bare']:.2f} s), {times(seconds, 'command', 'import')} times its imports alone "
        f"({least['import']:.2f} s)"
    )
    print(
        f"  within a process that has imported: {least['predict']:.2f} s, "
        f"{times(seconds, 'predict', 'bare')} times one json.loads a line"
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
