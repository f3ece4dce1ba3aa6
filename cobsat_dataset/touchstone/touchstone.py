"""The official questions as a `datasets` builder: `all`, or a config per category.

    import cobsat
    from datasets import load_dataset

    load_dataset("touchstone", split="test")
    load_dataset("touchstone", "recognition", split="test", data_files="touchstone_20230831.tsv")

The file is `data_files`, else the one that COBSAT_TOUCHSTONE_TSV names, else it is downloaded. What
is not the official one is refused, unless `verify=False`. `import cobsat` registers this file as
one of `datasets`' packaged modules; `touchstone_mini.py` is the other, of the questions that ship.

Source: TouchStone, Sec. 3.1; `builder.py` has what both share.
"""

from __future__ import annotations

from dataclasses import dataclass

from .builder import QuestionsBuilder, QuestionsConfig, configs
from .official import official_tsv
from .sources import QuestionSource, question_source

__all__ = ["TouchStone", "TouchStoneConfig"]


@dataclass
class TouchStoneConfig(QuestionsConfig):
    """A config: its name is a category or "all".

    Attributes:
        verify: Whether the file must be the official one: 908 questions, with the paper's shares.
    """

    verify: bool = True

    def source(self) -> QuestionSource:
        """Return the questions, read once."""
        files = [str(file) for some in (self.data_files or {}).values() for file in some]
        if len(files) > 1:
            raise ValueError(f"data_files must be one TSV file, got {len(files)}")
        path = files[0] if files else str(official_tsv())
        return question_source(path, verify=self.verify)


class TouchStone(QuestionsBuilder):
    """Builds the official questions; see `TouchStoneConfig` for the options."""

    BUILDER_CONFIG_CLASS = TouchStoneConfig
    BUILDER_CONFIGS = configs(TouchStoneConfig)
    OPTIONS = ("data_files", "verify")
