"""The questions that ship as a `datasets` builder: `all`, or a config per category.

    import cobsat
    from datasets import load_dataset

    load_dataset("touchstone-mini", "recognition", split="test")

Rows have the columns of the official ones (`touchstone.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from .builder import QuestionsBuilder, QuestionsConfig, configs
from .mini import mini_source
from .sources import QuestionSource

__all__ = ["TouchStoneMini"]


@dataclass
class MiniConfig(QuestionsConfig):
    """A config: its name is a category or "all". There are no options."""

    def source(self) -> QuestionSource:
        """Return the questions, read once."""
        return mini_source()


class TouchStoneMini(QuestionsBuilder):
    """Builds the questions that ship with the package."""

    BUILDER_CONFIG_CLASS = MiniConfig
    BUILDER_CONFIGS = configs(MiniConfig)
