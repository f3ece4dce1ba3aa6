"""What the builders of both question sources share: columns, configs, pictures in the cache.

`touchstone.py` and `touchstone_mini.py` are the builders; `questions.py` makes the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import datasets
from cobsat.spec import choose

from .questions import row
from .sources import QuestionSource
from .spec import CATEGORIES, CITATION

__all__ = ["FEATURES", "QuestionsBuilder", "QuestionsConfig", "configs"]

_TEXT: Final = datasets.Value("string")
_LIBRARYS: Final = ("custom_features", "config_id", "version")
"""Options that are `datasets`' own."""

_NO_FILES: Final[tuple[str, dict[str, Any]]] = ("data_files", {})
"""What `datasets` gives a builder of which no files were wanted."""

_TEXTS: Final = datasets.List(_TEXT)

FEATURES: Final = datasets.Features(
    {
        "id": _TEXT,
        "index": datasets.Value("int32"),
        "output": _TEXT,
        "images": datasets.List(datasets.Image()),
        "question": _TEXT,
        "annotation": _TEXT,
        "reference_answer": _TEXT,
        "categories": _TEXTS,
        "subtask": _TEXT,
        "messages": datasets.List(
            {
                "role": _TEXT,
                "content": datasets.List({"type": _TEXT, "text": _TEXT, "image": datasets.Image()}),
            }
        ),
        "followup": _TEXT,
        "reference": {
            "id": _TEXT,
            "question": _TEXT,
            "annotation": _TEXT,
            "reference_answer": _TEXT,
            "categories": _TEXTS,
            "subtask": _TEXT,
        },
        "source": {"name": _TEXT, "digest": _TEXT},
    }
)
"""Columns of `questions.Row`. Pictures are paths, never bytes."""

_DESCRIPTION: Final = """\
TouchStone asks vision-language models open questions about pictures, in five categories of
abilities and 27 subtasks. A language model judges an answer against a reference answer, with an
annotation of the picture that people wrote in the picture's place.
"""


@dataclass
class QuestionsConfig(datasets.BuilderConfig, ABC):  # type: ignore[misc]
    """A config: its name is a category or "all"."""

    @abstractmethod
    def source(self) -> QuestionSource:
        """Return the questions, read once."""

    def create_config_id(
        self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None
    ) -> str:
        """Name the cache after the questions and pictures, wherever the file is."""
        kwargs = {k: v for k, v in config_kwargs.items() if k not in ("data_files", "verify")}
        kwargs["questions"] = self.source().digest[:16]
        config_id: str = super().create_config_id(kwargs, custom_features=custom_features)
        return config_id


def configs(kind: type[QuestionsConfig]) -> list[QuestionsConfig]:
    """Return the configs of a builder: all questions, and those of each category."""
    titles = {"all": "all questions"} | {c.name: c.title for c in CATEGORIES.values()}
    version = datasets.Version("1.0.0")
    return [kind(name=name, version=version, description=about) for name, about in titles.items()]


class QuestionsBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """What the builders of both sources share; abstract: its configs are its subclasses'."""

    info: datasets.DatasetInfo
    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "all"
    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def _create_builder_config(
        self, config_name: str | None = None, *args: Any, **kwargs: Any
    ) -> tuple[datasets.BuilderConfig, str]:
        """Refuse what is unknown with the nearest name; with options too, `all` is the default."""
        name = choose("config", config_name or "all", ("all", *CATEGORIES))
        given = {k: v for k, v in kwargs.items() if k not in _LIBRARYS and (k, v) != _NO_FILES}
        for option in given:
            if not self.OPTIONS:
                raise ValueError(f"{self.dataset_name} must be given no options, got {option!r}")
            choose("option", option, self.OPTIONS)
        config, config_id = super()._create_builder_config(name, *args, **kwargs)
        return config, config_id

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description=_DESCRIPTION,
            features=FEATURES,
            homepage="https://github.com/OFA-Sys/TouchStone",
            citation=CITATION,
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        config: Any = self.config
        source = config.source()
        category = None if config.name == "all" else config.name
        numbers = [source.questions.index(q) for q in source.of_category(category)]
        if not numbers:
            raise ValueError(f"config must be one that {source.name} has, got {config.name!r}")
        arguments = {"numbers": numbers, "source": source}
        return [datasets.SplitGenerator(name=datasets.Split.TEST, gen_kwargs=arguments)]

    def _generate_examples(
        self, numbers: list[int], source: QuestionSource
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for number in numbers:
            question = source.with_pictures(source.questions[number], self._pictures)
            yield question.id, dict(row(question, source.origin))

    @property
    def _pictures(self) -> Path:
        """The cache: rows keep their pictures when the file that they came from is gone."""
        return Path(self._cache_dir_root).absolute()

    def _as_dataset(self, split: Any = "test", in_memory: bool = False) -> datasets.Dataset:
        """Put the pictures back that rows of an earlier preparation name, if they were removed."""
        config: Any = self.config
        source = config.source()
        if not source.home(self._pictures).is_dir():
            for question in source.questions:
                source.with_pictures(question, self._pictures)
        return super()._as_dataset(split, in_memory)
