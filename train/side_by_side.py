"""Train copies of a small model side by side: what the trainings of mini-clip and mini-llava share.

Every copy learns from a batch of its own, in a thread of its own, and the mean of their gradients
moves the one model that is trained: on small models that keeps as many cores busy, where threads
within each operation would mostly wait. What is kept is a moving average of the weights. A stopped
training goes on from its checkpoint, and ends with the same weights.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import torch
import typer
from cobsat.progress import progress

from .muon import Muon

__all__ = [
    "Plan",
    "checkpoint_path",
    "cycle_of",
    "echo_losses",
    "gather",
    "minutes_spent",
    "schedule",
    "train_copies",
]

CHECKPOINT_EVERY: Final = 100
_INNER: Final = (".layers.", "_projector.", ".blocks.")

M = TypeVar("M", bound=torch.nn.Module)


class Plan(Protocol):
    """What a training's settings say about its course."""

    @property
    def cycles(self) -> tuple[tuple[int, float], ...]:
        """Updates of each cycle, and the share of the highest learning rates that it reaches."""

    @property
    def copies(self) -> int:
        """So many copies of the model learn at once."""

    @property
    def learning_rate(self) -> float:
        """Of AdamW, its highest value."""

    @property
    def matrix_learning_rate(self) -> float:
        """Of Muon, its highest value."""

    @property
    def weight_decay(self) -> float:
        """Of the matrices."""

    @property
    def ema(self) -> float:
        """How slowly the kept average follows the weights."""


def checkpoint_path(scratch: Path, settings: Mapping[str, Any], *others: str) -> Path:
    """Return the checkpoint's file, named by what decides the result."""
    what = json.dumps([settings, *others, torch.get_num_threads()], sort_keys=True)
    return scratch / f"checkpoint-{hashlib.sha256(what.encode()).hexdigest()[:12]}.pt"


def train_copies(
    build: Callable[[], M],
    loss: Callable[[M, int, int], torch.Tensor],
    plan: Plan,
    checkpoint: Path,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> M:
    """Return the trained model: the moving average of the weights.

    Args:
        build: Makes the untrained model, every time the same. What needs no gradient stays.
        loss: Of a model, at a step, for a copy's number.
        plan: Steps and rates.
        checkpoint: The file where the state is kept, now and then and at the end.
        on_step: Is told the number of steps done and their loss.
    """
    model, average, *copies = (build() for _ in range(plan.copies + 2))
    parts: list[torch.nn.Module | torch.optim.Optimizer]
    optimizers = _optimizers(model, plan)
    parts = [model, average, *optimizers]
    start, before = _restore(checkpoint, parts)
    began = time.monotonic()
    total = sum(steps for steps, _ in plan.cycles)

    def learn(step: int, number: int) -> float:
        copies[number].load_state_dict(model.state_dict())
        copies[number].zero_grad(set_to_none=True)
        result = loss(copies[number], step, number)
        result.backward()  # type: ignore[no-untyped-call]
        return result.item()

    with (
        progress("training", total, start) as advance,
        ThreadPoolExecutor(plan.copies, initializer=lambda: torch.set_num_threads(1)) as pool,
    ):
        for step in range(start, total):
            for group in (group for o in optimizers for group in o.param_groups):
                group["lr"] = group["peak"] * schedule(step, plan)
            losses = list(pool.map(learn, [step] * len(copies), range(len(copies))))
            gather(model, copies)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for optimizer in optimizers:
                optimizer.step()
            _follow(average, model, min(plan.ema, (1 + step) / (10 + step)))
            advance(1)
            on_step(step + 1, sum(losses) / len(losses))
            if (step + 1) % CHECKPOINT_EVERY == 0 or step + 1 == total:
                state = [part.state_dict() for part in parts]
                seconds = before + time.monotonic() - began
                partial = checkpoint.with_suffix(".partial")
                torch.save({"step": step + 1, "seconds": seconds, "state": state}, partial)
                os.replace(partial, checkpoint)
    average.train(False)
    return average


def minutes_spent(checkpoint: Path) -> float:
    """Return how long a finished training took, without what was lost when it was stopped."""
    return float(torch.load(checkpoint, weights_only=True)["seconds"]) / 60


def echo_losses(every: int = 100) -> Callable[[int, float], None]:
    """Return an `on_step` that prints the mean loss now and then."""
    losses: list[float] = []

    def on_step(step: int, loss: float) -> None:
        losses.append(loss)
        if step % every == 0:
            typer.echo(f"step {step}: loss {sum(losses) / len(losses):.3f}")
            losses.clear()

    return on_step


def gather(model: torch.nn.Module, copies: Sequence[torch.nn.Module]) -> None:
    """Give the model the mean of its copies' gradients."""
    for parameter, *parts in zip(
        model.parameters(), *(copy.parameters() for copy in copies), strict=True
    ):
        gradients = [part.grad for part in parts if part.grad is not None]
        parameter.grad = torch.stack(gradients).mean(dim=0) if gradients else None


def _optimizers(model: torch.nn.Module, plan: Plan) -> tuple[torch.optim.Optimizer, ...]:
    """Return Muon for the inner matrices and AdamW for the rest.

    Each group keeps its highest learning rate under "peak".
    """
    named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    inner = [p for name, p in named.items() if p.ndim == 2 and any(x in name for x in _INNER)]
    known = {id(p) for p in inner}
    rest = [p for p in named.values() if id(p) not in known]
    groups = [
        {"params": [p for p in rest if p.ndim >= 2], "weight_decay": plan.weight_decay},
        {"params": [p for p in rest if p.ndim < 2], "weight_decay": 0.0},
    ]
    optimizers = (
        torch.optim.AdamW(groups, lr=plan.learning_rate, betas=(0.9, 0.98)),
        Muon(inner, plan.matrix_learning_rate, plan.weight_decay),
    )
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return optimizers


def schedule(step: int, plan: Plan) -> float:
    """Return the learning rate's share of its highest value: cycles of growth and a cosine."""
    number, done = cycle_of(step, plan)
    steps, rate = plan.cycles[number]
    progress, warm = done / steps, 0.1 if number else 0.05
    if progress < warm:
        return rate * (max(progress, 1e-3) / warm)
    return rate * (0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm))))


def cycle_of(step: int, plan: Plan) -> tuple[int, int]:
    """Return a step's cycle, from 0, and how many steps of the cycle were done before."""
    done = step
    for number, (steps, _) in enumerate(plan.cycles):
        if done < steps:
            return number, done
        done -= steps
    raise ValueError(f"step must be before the last cycle's end, got {step}")


def _follow(average: torch.nn.Module, model: torch.nn.Module, decay: float) -> None:
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
            slow.lerp_(fast, 1 - decay)


def _restore(
    path: Path, parts: Sequence[torch.nn.Module | torch.optim.Optimizer]
) -> tuple[int, float]:
    """Take up a checkpoint if there is one, and return the steps and the seconds behind it."""
    if not path.exists():
        return 0, 0.0
    saved = torch.load(path, weights_only=True)
    for part, state in zip(parts, saved["state"], strict=True):
        part.load_state_dict(state)
    return int(saved["step"]), float(saved["seconds"])
