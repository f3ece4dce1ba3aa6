"""A judge for tests: it says of each output what was asked for."""

from __future__ import annotations

from typing import Any

from cobsat import Verdict
from cobsat.metrics.grading import grade


class AlwaysRight:
    """Sees in each description what the reference names."""

    name = "always_right"
    outputs = frozenset({"description"})

    def record(self) -> dict[str, Any]:
        return {}

    def judge(self, outputs: Any, references: Any, kind: str) -> list[Verdict]:
        return [grade(r, r["object"], r["attribute"]) for r in references]
