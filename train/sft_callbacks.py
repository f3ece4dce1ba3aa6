"""What happens beside a training's steps: a log that a person can follow; saving when stopped."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType
from typing import Any

from transformers import (
    PrinterCallback,
    ProgressCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

__all__ = ["Log", "SaveWhenStopped", "quiet"]


class Log(TrainerCallback):
    """Prints one line at each logging step: where the training is, its loss, the time left."""

    def __init__(self) -> None:
        self._start = 0.0
        self._first = 0

    def on_train_begin(self, args: TrainingArguments, state: TrainerState,
                       control: TrainerControl, **kwargs: Any) -> None:  # fmt: skip
        """Start the clock; a resumed training counts from its checkpoint."""
        self._start, self._first = time.monotonic(), state.global_step
        if state.is_world_process_zero and state.global_step:
            print(f"going on from step {state.global_step:,}", file=sys.stderr)

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl,
               logs: dict[str, float] | None = None, **kwargs: Any) -> None:  # fmt: skip
        """Print a line."""
        if not state.is_world_process_zero or logs is None or "loss" not in logs:
            return
        done = state.global_step - self._first
        seconds = (time.monotonic() - self._start) / max(done, 1)
        left = seconds * (state.max_steps - state.global_step)
        print(
            f"epoch {state.epoch or 0:.2f}, step {state.global_step:,} of {state.max_steps:,}: "
            f"loss {logs['loss']:.4f}, learning rate {logs.get('learning_rate', 0):.1e}, "
            f"{seconds:.2f} s a step, {_duration(left)} left",
            file=sys.stderr,
        )


class SaveWhenStopped(TrainerCallback):
    """On Ctrl-C or SIGTERM, saves a checkpoint after the step and ends; the second ends at once."""

    def __init__(self) -> None:
        self.stopped = False
        self._before: dict[int, Any] = {}

    def on_train_begin(self, args: TrainingArguments, state: TrainerState,
                       control: TrainerControl, **kwargs: Any) -> None:  # fmt: skip
        """Take the signals."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        print("stopping after this step; once more: at once", file=sys.stderr)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl,
                    **kwargs: Any) -> None:  # fmt: skip
        """Ask the trainer to save and to end."""
        if self.stopped:
            control.should_save = control.should_training_stop = True

    def on_train_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl,
                     **kwargs: Any) -> None:  # fmt: skip
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


def quiet(trainer: Any) -> None:
    """Take the trainer's own progress output away."""
    for callback in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(callback)


def _duration(seconds: float) -> str:
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds % 60:02.0f} s"
