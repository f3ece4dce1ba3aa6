"""How long mini-vlm takes over a batch of prompts, and how much of it is the adapter's own work.

    python benchmarks/mini_vlm_batch.py [--rounds 7]

A batch of sixteen two-shot prompts through the adapter, as `cobsat predict` asks it (prompts laid
out and checked, pictures opened, answers decoded), over the bare model's `generate` on the same
prompts, processed beforehand; the answers must be equal. In the middle of a run the adapter has
seen the pictures before, of which there are 500 in all, and does not encode them again: at most
1.25 is claimed then. Of a run's first batch, whose pictures are new, the ratio is told as well.
Processor time on one thread, the median over the rounds. Under 3 seconds a batch is the aim; the
seconds stand beside the ratios.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import torch
from cobsat import Example, ImageCache, Options, examples
from cobsat.models.mini_vlm_model import MiniVLM
from cobsat.models.vlm_pictures import open_pictures
from ratios import at_least, in_turns

BATCH = 16
CLAIMED = 1.25
OPTIONS = Options(output="description", instructions_for="qwen_vl")


def prompts(batches: int) -> list[list[Example]]:
    """Return batches of two-shot prompts, each of the ten tasks in turn."""
    tasks = ("color_i", "background_ii", "style_i", "action_ii", "texture_i")
    rows = [examples(f"{task}-2shot", "test", OPTIONS) for task in tasks]
    return [
        rows[number % len(rows)][BATCH * number : BATCH * (number + 1)] for number in range(batches)
    ]


def bare(model: MiniVLM, rows: list[Example]) -> Callable[[], list[str]]:
    """Return the model's own generation, its inputs made already."""
    network, processor = model.parts
    cache = ImageCache()
    texts = [model._layout.text(row["messages"]) for row in rows]
    pictures = [
        [p["image"] for m in open_pictures(row["messages"], cache) for p in m["content"]]
        for row in rows
    ]
    inputs = processor(
        text=texts,
        images=[[picture for picture in few if picture is not None] for few in pictures],
        padding=True,
        padding_side="left",
        return_tensors="pt",
    )

    def generate() -> list[str]:
        with torch.inference_mode():
            output = network.generate(**inputs)
        new = output[:, inputs["input_ids"].shape[1] :]
        return [text.strip() for text in processor.batch_decode(new, skip_special_tokens=True)]

    return generate


def adapter(model: MiniVLM, rows: list[Example], *, new: bool) -> Callable[[], list[str]]:
    """Return the same through the adapter, for which the pictures are new, or known."""

    def ask() -> list[str]:
        if new:
            model.forget()
        return [output.text or "" for output in model.predict(rows)]

    return ask


def main() -> int:
    """Measure, print, and return whether the claim holds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    torch.set_num_threads(1)
    model = MiniVLM(device="cpu")
    knowing = MiniVLM(device="cpu")
    rounds = [
        {
            "bare": bare(model, rows),
            "known": adapter(knowing, rows, new=False),
            "new": adapter(model, rows, new=True),
        }
        for rows in prompts(given.rounds)
    ]
    for each in rounds:  # the pictures are known from here on
        if not each["bare"]() == each["known"]() == each["new"]():
            raise SystemExit("the adapter must give the bare model's answers, got others")
    seconds = in_turns(rounds, time.process_time)
    holds = at_least(
        round(1 / CLAIMED, 2),
        f"bare generate over the adapter, a batch of {BATCH} two-shot prompts, pictures known",
        seconds["bare"],
        seconds["known"],
    )
    first = statistics.median(
        new / least for new, least in zip(seconds["new"], seconds["bare"], strict=True)
    )
    told = ", ".join(f"{statistics.median(taken):.2f} s {name}" for name, taken in seconds.items())
    print(f"pictures new: {first:.2f} times the bare time; a batch takes {told} (processor time)")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
