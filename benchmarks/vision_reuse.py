"""What encoding each picture once saves: a small Qwen2.5-VL over a 4-shot config.

python benchmarks/vision_reuse.py [--prompts 48] [--side 224]

Processor time for the same prompts with every picture encoded anew, over that with encoded
pictures kept: once with none known yet, and once with all known, as nearly everywhere in a config
(4,000 uses of 100 pictures). The answers must be equal. The checkpoint has random weights, but the
parts' proportions of the 7B one: a vision tower with a twelfth of the language model's weights,
four patches a token.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import torch
from cobsat import Options, examples
from cobsat.models.transformers_vlm import TransformersVLM

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import tiny_vlms

BATCH = 8
TOKENS = 16


def describe(checkpoint: Path, count: int, reuse_gb: float) -> tuple[list[float], list[str]]:
    """Return the seconds of two passes over the same prompts, and the answers."""
    model = TransformersVLM(str(checkpoint), device="cpu", max_new_tokens=TOKENS, reuse_gb=reuse_gb)
    rows = examples("color_i-4shot", "test", Options(output="description"))[:count]
    model.predict(rows[:1])  # code is warm
    model._encoder.forget()
    seconds: list[float] = []
    answers: list[str] = []
    for _ in range(2):
        start = time.process_time()
        for first in range(0, count, BATCH):
            outputs = model.predict(rows[first : first + BATCH])
            answers += [output.text or output.reason or "" for output in outputs]
        seconds.append(time.process_time() - start)
    return seconds, answers


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--prompts", type=int, default=48)
    arguments.add_argument("--side", type=int, default=224)
    given = arguments.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as home:
        tiny_vlms.save_small_qwen(Path(home), given.side)
        anew, expected = describe(Path(home), given.prompts, 0)
        kept, answers = describe(Path(home), given.prompts, 2)
    if answers != expected:
        raise SystemExit("kept pictures must give the same answers, got others")
    first, known = anew[0] / kept[0], anew[1] / kept[1]
    print(
        f"vision reuse: {known:.2f} times as fast with the pictures known ({anew[1]:.1f} s over "
        f"{kept[1]:.1f} s), {first:.2f} times with none known at first; {given.prompts} prompts of "
        f"4 pictures at {given.side} pixels, equal answers"
    )


if __name__ == "__main__":
    main()
