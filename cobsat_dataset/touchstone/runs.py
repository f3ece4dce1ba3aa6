"""TouchStone's runs: what `benchmarks.Benchmark` asks of a benchmark.

Configs are `touchstone-mini` (the questions that ship) and `touchstone` (the official ones, or
those of another file of their form), and each with a category: `touchstone-mini-recognition`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from cobsat.benchmarks import Choices
from cobsat.run_folder import RunSettings
from cobsat.samples import sample_id
from cobsat.spec import choose, nearest

from .questions import Question, Reference, Row, reference, row
from .sources import MINI, OFFICIAL, QuestionSource, question_source
from .spec import CATEGORIES

__all__ = [
    "CONFIGS",
    "OUTPUTS",
    "TITLE",
    "check",
    "config_category",
    "config_examples",
    "config_ids",
    "knows",
    "pictures_shown",
    "plan",
    "run_questions",
    "run_references",
    "run_size",
    "run_source",
    "usual_images",
    "with_fewer_pictures",
]

TITLE: Final = "TouchStone"
OUTPUTS: Final = ("answer",)

_NAMES: Final = (MINI, "touchstone")

CONFIGS: Final = tuple(
    f"{name}-{category}" if category else name for name in _NAMES for category in ("", *CATEGORIES)
)
"""Every config's name."""


def knows(config: str) -> bool:
    """Return whether a name or pattern of configs is TouchStone's, misspelt or not."""
    return config.lower().startswith("touch") or bool(nearest(config, _NAMES))


def plan(choices: Choices) -> RunSettings:
    """Return a run's settings without its model."""
    for name in ("prompt_type", "instructions_for", "seed"):
        given = getattr(choices, name)
        if given is not None:
            raise ValueError(
                f"{name} must be left out with TouchStone, got {given!r}: its questions are asked "
                "as they are"
            )
    configs = _expanded(choices.configs)
    settings = RunSettings(
        model="",
        configs=configs,
        split=choose("split of TouchStone", choices.split or "test", ("test",)),
        output=choose("output of TouchStone", choices.output or OUTPUTS[0], OUTPUTS),
        images=_images(choices.images, configs),
        benchmark="touchstone",
    )
    check(settings)
    return settings


def _expanded(given: Sequence[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for name in given:
        if any(sign in name for sign in "*?["):
            matching = fnmatch.filter(CONFIGS, name)
            if not matching:
                raise ValueError(
                    f"config must be a name or a pattern that matches one of {', '.join(CONFIGS)}, "
                    f"got {name!r}"
                )
            names.update(dict.fromkeys(matching))
        else:
            names[choose("config of TouchStone", name, CONFIGS)] = None
    if len({_is_mini(name) for name in names}) > 1:
        raise ValueError(
            f"configs of a run must be of one source of questions, got {', '.join(names)}: run "
            "touchstone and touchstone-mini each by itself"
        )
    return tuple(names)


def _is_mini(config: str) -> bool:
    return config == MINI or config.startswith(f"{MINI}-")


def _images(given: str | None, configs: Sequence[str]) -> str:
    usual = usual_images(configs)
    if given is None or given == usual:
        return usual
    if usual == MINI:
        raise ValueError(
            f"images of {configs[0]} must be left out, got {given!r}: --config touchstone takes a "
            "file of questions"
        )
    if given == MINI:
        raise ValueError(f"images of {configs[0]} must be {OFFICIAL} or a TSV file, got {given!r}")
    return str(Path(given).expanduser().resolve())


def config_category(config: str) -> str | None:
    """Return the category that a config is of; None for all.

    >>> config_category("touchstone-mini-multi_image")
    'multi_image'
    """
    choose("config of TouchStone", config, CONFIGS)
    category = config.rpartition("-")[2]
    return category if category in CATEGORIES else None


def check(settings: RunSettings) -> None:
    """Check that a run's settings go together."""
    for config in settings.configs:
        config_category(config)
    choose("output of TouchStone", settings.output, OUTPUTS)


def usual_images(configs: Sequence[str]) -> str:
    """Return the source of configs where none is chosen."""
    return MINI if configs and _is_mini(configs[0]) else OFFICIAL


def run_source(settings: RunSettings) -> QuestionSource:
    """Return a run's questions.

    Raises:
        FileNotFoundError: The file of questions is not there.
        ValueError: It is another than the run began with.
    """
    source = question_source(settings.images)
    if settings.image_digest not in ("", source.digest):
        raise ValueError(
            f"questions {settings.images} must be those that the run began with (digest "
            f"{settings.image_digest[:16]}…), got others (digest {source.digest[:16]}…)"
        )
    return source


def config_examples(config: str, settings: RunSettings, source: QuestionSource) -> Iterator[Row]:
    """Yield a run's questions of one config as rows; pictures are read as rows are asked for."""
    for question in _questions(config, settings, source):
        example = row(source.with_pictures(question), source.origin)
        for number in range(1, settings.samples + 1):
            yield {**example, "id": sample_id(question.id, number)}


def _questions(config: str, settings: RunSettings, source: QuestionSource) -> Iterator[Question]:
    return islice(source.of_category(config_category(config)), settings.limit)


def config_ids(config: str, settings: RunSettings) -> Iterator[str]:
    """Yield the ids of a run's examples of one config, in order."""
    for question in _questions(config, settings, run_source(settings)):
        for number in range(1, settings.samples + 1):
            yield sample_id(question.id, number)


def run_size(settings: RunSettings) -> int:
    """Return how many outputs a run has; a question of two categories is asked once."""
    return len({name for config in settings.configs for name in config_ids(config, settings)})


def pictures_shown(config: str, settings: RunSettings) -> int:
    """Return the most pictures that a question of a config has."""
    questions = _questions(config, settings, run_source(settings))
    return max((max(1, len(question.images)) for question in questions), default=0)


def with_fewer_pictures(config: str, most: int) -> list[str]:
    """Return options with which a model that takes so many at most can be asked."""
    return ["--many-images collage, as in the paper", "--config with the other categories"]


def run_questions(settings: RunSettings, source: QuestionSource | None = None) -> list[Question]:
    """Return a run's questions, each once, in order; no picture of a file is read.

    Args:
        settings: The run's.
        source: Its questions, if they are at hand.
    """
    source = source or run_source(settings)
    found: dict[int, Question] = {}
    for config in settings.configs:
        found.update((q.index, q) for q in _questions(config, settings, source))
    return list(found.values())


def run_references(settings: RunSettings) -> dict[str, Reference]:
    """Return what a run's answers are judged with, by the ids of its predictions, in order.

    In a run of several samples, a question comes with each of its ids; the reference's own `id`
    is the question's.
    """
    return {
        sample_id(question.id, number): reference(question)
        for question in run_questions(settings)
        for number in range(1, settings.samples + 1)
    }
