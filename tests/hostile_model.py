"""A model whose every word is hostile: `--model hostile_model:Talker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cobsat import Example
from cobsat.models import Capabilities, Output
from hostile_text import Hostile, filled


class Talker:
    """Answers from a seed; its name and its record are hostile, too."""

    capabilities = Capabilities(frozenset({"description"}))

    def __init__(self, seed: int = 0, note: str = "") -> None:
        self._source = Hostile(seed)
        self.name = self._source.text()
        self.hint = note

    def record(self) -> dict[str, Any]:
        return {self._source.text(): self._source.text(), "versions": {self._source.text(): "1"}}

    def predict(self, batch: Sequence[Example]) -> list[Output]:
        statuses = ("ok", "error", "error", "blocked")
        return [
            filled(Output, self._source, status=statuses[n % 4], image=None, raised=False)
            for n, _ in enumerate(batch)
        ]
