"""A model that answers by a function, and what the runner's tests share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cobsat import Example, Options, RunSettings
from cobsat.models import Capabilities, Output
from cobsat.models.settings import run_settings

CONFIG = "color_i-2shot"
BOTH = frozenset({"image", "description"})
ANYTHING = Capabilities(BOTH)


class Scripted:
    """A model that answers each example by a function."""

    name = "scripted"

    def __init__(
        self, answer: Callable[[Example], Output], capabilities: Capabilities = ANYTHING
    ) -> None:
        self.answer = answer
        self.capabilities = capabilities
        self.batches: list[list[str]] = []

    def record(self) -> dict[str, Any]:
        return {}

    def predict(self, batch: Sequence[Example]) -> list[Output]:
        self.batches.append([example["id"] for example in batch])
        return [self.answer(example) for example in batch]


def describe(example: Example) -> Output:
    return Output(text=f"A {example['query']} thing.")


def settings_for(
    pictures: Path, output: str = "description", limit: int | None = 10, **changes: Any
) -> RunSettings:
    options = Options(output=output, images=str(pictures))
    settings = run_settings("scripted", Scripted(describe), {}, (CONFIG,), "test", options, limit)
    return replace(settings, **changes)


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def ids(count: int) -> list[str]:
    return [f"{CONFIG}-test-{number:04d}" for number in range(count)]
