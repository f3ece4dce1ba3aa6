"""The examples of a run: what `run.json` says, made again.

Every room that reads a run folder stands on this: the runner, the judges and the report. In a run
of several samples an example comes once for each, with the ids of `samples.sample_id`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from .benchmarks import Material, benchmark
from .examples import Example
from .run_folder import RunSettings

__all__ = ["config_examples", "config_ids", "run_examples", "run_size", "run_source"]


def run_source(settings: RunSettings) -> Any:
    """Return what a run's examples are made of: an `ImageSource`, or a `QuestionSource`."""
    return benchmark(settings.benchmark).run_source(settings)


def config_examples(config: str, settings: RunSettings, source: Material) -> Iterator[Example]:
    """Yield a run's examples of one config, in order; none is made before it is asked for.

    Of TouchStone they are `touchstone.Row`s, which have all that a model under test reads of an
    example: id, output, messages and followup.
    """
    rows = benchmark(settings.benchmark).config_examples(config, settings, source)
    return cast(Iterator[Example], rows)


def config_ids(config: str, settings: RunSettings) -> Iterator[str]:
    """Yield the ids of a run's examples of one config, in order, without making the examples."""
    return benchmark(settings.benchmark).config_ids(config, settings)


def run_size(settings: RunSettings) -> int:
    """Return how many outputs a run has: its examples, times the samples of each."""
    return benchmark(settings.benchmark).run_size(settings)


def run_examples(settings: RunSettings, source: Material) -> Iterator[Example]:
    """Yield a run's examples, config by config, each once."""
    seen: set[str] = set()
    for config in settings.configs:
        for example in config_examples(config, settings, source):
            if example["id"] not in seen:
                seen.add(example["id"])
                yield example
