"""Judges for tests: one says of each output what was asked for, one never says anything."""

from __future__ import annotations

from typing import Any

from cobsat import Verdict
from cobsat.metrics.grading import grade, unscored


class AlwaysRight:
    """Sees in each output what the reference names."""

    name = "always_right"
    outputs = frozenset({"image", "description"})

    def record(self) -> dict[str, Any]:
        return {}

    def judge(self, outputs: Any, references: Any, kind: str) -> list[Verdict]:
        return [grade(r, r["object"], r["attribute"]) for r in references]


class NeverSure(AlwaysRight):
    """Cannot tell what an output shows."""

    name = "never_sure"

    def judge(self, outputs: Any, references: Any, kind: str) -> list[Verdict]:
        return [unscored("it may be anything") for _ in outputs]


class OfPictures(AlwaysRight):
    """Judges pictures alone."""

    name = "of_pictures"
    outputs = frozenset({"image"})
