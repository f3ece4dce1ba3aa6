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
import transformers
from cobsat import Options, examples
from cobsat.models.transformers_vlm import TransformersVLM

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import tiny_vlms

BATCH = 8
TOKENS = 16


def save(folder: Path, side: int) -> None:
    """Save the checkpoint; pictures are scaled to `side` pixels."""
    torch.manual_seed(0)
    _, processor = tiny_vlms.build("qwen2_5_vl")
    size = {"shortest_edge": 56 * 56, "longest_edge": side * side}
    processor.image_processor.size = size
    names = {f"{name}_id": token for name, token in tiny_vlms.QWEN_NAMES.items()}
    words = processor.tokenizer
    config = transformers.Qwen2_5_VLConfig(
        vision_config={
            "depth": 4, "hidden_size": 96, "out_hidden_size": 256, "num_heads": 4,
            "intermediate_size": 256, "window_size": 112, "fullatt_block_indexes": [1, 3],
        },
        text_config={
            **tiny_vlms.text_config(len(words)),
            "hidden_size": 256, "intermediate_size": 704, "num_hidden_layers": 6,
            "num_attention_heads": 4, "num_key_value_heads": 4,
            "rope_parameters": {
                "rope_type": "default", "mrope_section": [8, 12, 12], "rope_theta": 10000.0,
            },
        },
        **{name: words.convert_tokens_to_ids(token) for name, token in names.items()},
    )  # fmt: skip
    model = transformers.Qwen2_5_VLForConditionalGeneration(config)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


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
        save(Path(home), given.side)
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
