"""What a training step through `cobsat train` costs over the barest loop.

    python benchmarks/sft_step.py [--steps 8]

Seconds of processor time a step, with the same checkpoint, rows, batches, LoRA and optimizer:
`cobsat train` over a loop of processor, forward, backward and step written by hand. The loss before
the first step must be equal. At most 1.1 is claimed, as the median over the rounds. Beside it
stands how much of a step the pictures' processing takes: what it would save to keep each row's
processed pictures from one epoch to the next.

The checkpoint has five million random weights: what is not the model weighs more here than it
would beside a real one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from cobsat.train import sft_qwen_vl
from cobsat.train.sft_checks import language_model
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageTextToText, AutoProcessor, TrainerCallback, set_seed

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import tiny_vlms

ROUNDS = 3
CLAIMED = 1.1
BATCH = 4
RATE = 1e-3
WARM = 2
"""Steps at the beginning that are not counted."""


class Clock(TrainerCallback):  # type: ignore[misc]
    """Notes processor time and loss at each step; it stands in the place of the script's log."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.losses: list[float] = []

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Note the time."""
        self.times.append(time.process_time())

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Note the loss."""
        if "loss" in (logs or {}):
            self.losses.append(logs["loss"])

    def step(self) -> float:
        """Return the seconds of the median step."""
        pairs = zip(self.times[WARM:-1], self.times[WARM + 1 :], strict=True)
        return statistics.median(after - before for before, after in pairs)


def script(checkpoint: Path, steps: int) -> Clock:
    """Train by `cobsat train`."""
    clock, log = Clock(), sft_qwen_vl.Log
    options = {
        "model_name_or_path": checkpoint, "max_steps": steps, "logging_steps": 1,
        "save_strategy": "no", "dataset_config": "color_i-2shot", "learning_rate": RATE,
        "gradient_accumulation_steps": 1, "per_device_train_batch_size": BATCH,
        "lora_dropout": 0, "lr_scheduler_type": "constant", "warmup_steps": 0,
        "activation_checkpointing": "false", "train_sampling_strategy": "sequential",
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as home, contextlib.redirect_stdout(io.StringIO()):
        sft_qwen_vl.Log = lambda: clock  # type: ignore[assignment, misc]
        try:
            given = [word for key, value in options.items() for word in (f"--{key}", str(value))]
            sft_qwen_vl.main([*given, "--output_dir", f"{home}/out"])
        finally:
            sft_qwen_vl.Log = log  # type: ignore[misc]
    return clock


def bare(checkpoint: Path, steps: int) -> tuple[Clock, float]:
    """Train by a loop of the least that does it; return also the share of the pictures."""
    set_seed(0)
    processor = AutoProcessor.from_pretrained(checkpoint)
    model = AutoModelForImageTextToText.from_pretrained(checkpoint)
    lora = LoraConfig(r=64, lora_alpha=16, target_modules=language_model(model.config))
    model = get_peft_model(model, lora).train()
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, RATE, betas=(0.9, 0.95), weight_decay=0.1)
    rows = sft_qwen_vl.training_rows(sft_qwen_vl.DataArguments("color_i-2shot"))
    clock, pictures = Clock(), 0.0
    for number in range(steps):
        clock.times.append(time.process_time())
        some = [rows[i] for i in range(number * BATCH, number * BATCH + BATCH)]
        batch = collate(processor, some)
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        clock.losses.append(loss.item())
        start = time.process_time()
        processor.image_processor(images=[p for row in some for p in row["images"]])
        pictures += time.process_time() - start
        clock.times[-1] += time.process_time() - start  # not a part of the step
    clock.times.append(time.process_time())
    return clock, pictures / steps


def collate(processor: Any, rows: list[Any]) -> dict[str, torch.Tensor]:
    """Return a batch whose loss is on the answers alone."""
    texts = [
        processor.apply_chat_template(row["prompt"] + row["completion"], tokenize=False)
        for row in rows
    ]
    heads = [
        processor.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True)
        for row in rows
    ]
    batch = processor(
        images=[row["images"] for row in rows], text=texts, padding=True, padding_side="right",
        return_tensors="pt",
    )  # fmt: skip
    labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
    for place, (text, head) in enumerate(zip(texts, heads, strict=True)):
        answer = len(processor.tokenizer(text.removeprefix(head))["input_ids"])
        labels[place, : int(batch["attention_mask"][place].sum()) - answer] = -100
    return {**batch, "labels": labels}


def main() -> int:
    """Print the ratio, and return whether the claim holds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=8)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as home:
        checkpoint = Path(home)
        tiny_vlms.save_small_qwen(checkpoint, 112)
        ratios, shares = [], []
        for _ in range(ROUNDS):
            ours = script(checkpoint, steps)
            least, pictures = bare(checkpoint, steps)
            if abs(ours.losses[0] - least.losses[0]) > 1e-3:
                raise SystemExit(f"losses must agree, got {ours.losses[0]}, {least.losses[0]}")
            ratios.append(ours.step() / least.step())
            shares.append(pictures / least.step())
    ratio = statistics.median(ratios)
    print(
        f"a step of cobsat train over the barest loop: {ratio:.3f} (rounds {min(ratios):.3f} to "
        f"{max(ratios):.3f}; {ROUNDS} rounds of {steps} steps; claimed: at most {CLAIMED}); of "
        f"the barest step, {statistics.median(shares):.1%} is the processing of pictures"
    )
    return 0 if ratio <= CLAIMED else 1


if __name__ == "__main__":
    sys.exit(main())
