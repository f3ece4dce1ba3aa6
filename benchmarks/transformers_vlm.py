"""What the runner costs over a bare `generate` loop, and whether its memory grows.

python benchmarks/transformers_vlm.py [--prompts 32] [--rows 10000]

1. Seconds of processor time for the same prompts in the same batches: `predict` (prompts laid out
   and checked, answers written and synced, pictures encoded each time) over a loop of processor,
   `generate` and `decode`; the lowest of five rounds each, in turns. At most 1.05 is claimed. The
   loop's prompts are laid out beforehand, and the answers must be equal.
2. Megabytes that the process holds after half of the ten tasks' rows, and after all of them: what
   it keeps of pictures is bounded, and has reached its bound by then.

The checkpoints have random weights, five million for the first and fewer for the second: the
runner's own work weighs more, not less, than it would beside a real one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from cobsat import ImageCache, Options, examples
from cobsat.models.predict import predict
from cobsat.models.settings import expand_configs, run_settings
from cobsat.models.transformers_vlm import TransformersVLM
from cobsat.models.vlm_pictures import open_pictures

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import tiny_vlms

BATCH = 16
TOKENS = 16
ROUNDS = 5
CLAIMED = 1.05
OPTIONS = Options(output="description")


def bare_loop(model: TransformersVLM, count: int) -> Callable[[], list[str]]:
    """Return a loop over a 2-shot config's first prompts, laid out already."""
    cache = ImageCache()
    rows = examples("color_i-2shot", "test", OPTIONS)[:count]
    texts = [model._layout.text(row["messages"]) for row in rows]
    pictures = [
        [p["image"] for m in open_pictures(row["messages"], cache) for p in m["content"]]
        for row in rows
    ]
    shown = [[picture for picture in few if picture is not None] for few in pictures]
    processor, network = model._processor, model._model

    def loop() -> list[str]:
        answers: list[str] = []
        for start in range(0, count, BATCH):
            stop = start + BATCH
            inputs = processor(
                text=texts[start:stop], images=shown[start:stop], padding=True, return_tensors="pt"
            )
            with torch.inference_mode():
                output = network.generate(**inputs)
            new = output[:, inputs["input_ids"].shape[1] :]
            answers += processor.batch_decode(new, skip_special_tokens=True)
        return [answer.strip() for answer in answers]

    return loop


def runner(model: TransformersVLM, count: int) -> Callable[[], list[str]]:
    """Return a run of the same prompts, into a new folder each time."""
    settings = run_settings(
        "transformers", model, {}, ("color_i-2shot",), "test", OPTIONS, limit=count
    )

    def run() -> list[str]:
        with tempfile.TemporaryDirectory() as home:
            folder = predict(model, settings, Path(home) / "run", batch_size=BATCH)
            return [line.text or "" for line in folder.predictions()[0].values()]

    return run


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor time that some work takes, which other processes do not change."""
    start = time.process_time()
    work()
    return time.process_time() - start


def overhead(checkpoint: Path, count: int) -> bool:
    """Compare the runner with the loop; return whether the claim holds."""
    model = TransformersVLM(str(checkpoint), device="cpu", max_new_tokens=TOKENS, reuse_gb=0)
    loop, run = bare_loop(model, count), runner(model, count)
    if loop() != run():
        raise SystemExit("the runner must give the loop's answers, got others")
    rounds = [(seconds(loop), seconds(run)) for _ in range(ROUNDS)]
    bare, ours = (min(times) for times in zip(*rounds, strict=True))
    print(
        f"runner over the bare generate loop: {ours / bare:.3f} ({ours:.2f} s over {bare:.2f} s, "
        f"{count} prompts, batches of {BATCH}; {1000 * (ours - bare) / count:.1f} ms a prompt; "
        f"claimed: at most {CLAIMED})"
    )
    return ours / bare <= CLAIMED


def memory(checkpoint: Path, total: int) -> None:
    """Print the memory held after half of the rows and after all of them."""
    model = TransformersVLM(str(checkpoint), device="cpu", max_new_tokens=1)
    configs = expand_configs(["all-2shot"], "test", OPTIONS)
    limit = max(total // len(configs), 1)
    settings = run_settings("transformers", model, {}, configs, "test", OPTIONS, limit=limit)
    done, held = 0, []

    def watch(count: int) -> None:
        nonlocal done
        done += count
        if not held and done >= total / 2:
            held.append(megabytes())

    with tempfile.TemporaryDirectory() as home:
        predict(model, settings, Path(home) / "run", batch_size=64, watch=watch)
    print(
        f"memory: {held[0]:.0f} MB after {total // 2:,} rows, {megabytes():.0f} MB after {done:,}"
    )


def megabytes() -> float:
    """Return what the process holds in memory now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--prompts", type=int, default=32)
    arguments.add_argument("--rows", type=int, default=10_000)
    given = arguments.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as home:
        tiny_vlms.save_small_qwen(Path(home) / "small", 112)
        holds = overhead(Path(home) / "small", given.prompts)
        memory(tiny_vlms.save("qwen2_5_vl", Path(home)), given.rows)
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
