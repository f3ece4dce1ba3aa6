"""What a run's answers cost; `cobsat.spending`, which judges use too."""

from __future__ import annotations

from cobsat.spending import Spending, usage_line

__all__ = ["Spending", "usage_line"]
