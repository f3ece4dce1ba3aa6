"""The examples of a run: what `run.json` says, made again.

Every room that reads a run folder stands on this: the runner, the judges and the report.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from .examples import (
    Example,
    Options,
    example_id,
    parse_config,
    prompt_list,
    task_examples,
    task_splits,
)
from .images import ImageSource
from .run_folder import RunSettings
from .spec import TASKS

__all__ = ["config_examples", "config_ids", "run_examples", "run_options"]


def run_options(settings: RunSettings) -> Options:
    """Return a run's options of the benchmark, checked."""
    return Options(
        prompt_type=settings.prompt_type,
        output=settings.output,
        instructions_for=settings.instructions_for,
        seed=settings.seed,
        images=settings.images,
    ).check()


def config_examples(config: str, settings: RunSettings, source: ImageSource) -> Iterator[Example]:
    """Yield a run's examples of one config, in order; none is made before it is asked for."""
    options = run_options(settings)
    shots = parse_config(config).shots
    rows = (
        example
        for task, base in task_splits(config, settings.split, options)
        for example in task_examples(TASKS[task], shots, base, options, source)
    )
    return islice(rows, settings.limit)


def config_ids(config: str, settings: RunSettings) -> Iterator[str]:
    """Yield the ids of a run's examples of one config, in order, without making the examples."""
    shots = parse_config(config).shots
    ids = (
        example_id(task, shots, base, number)
        for task, base in task_splits(config, settings.split, run_options(settings))
        for number in range(len(prompt_list(base, shots, settings.seed)))
    )
    return islice(ids, settings.limit)


def run_examples(settings: RunSettings, source: ImageSource) -> Iterator[Example]:
    """Yield a run's examples, config by config, each once."""
    seen: set[str] = set()
    for config in settings.configs:
        for example in config_examples(config, settings, source):
            if example["id"] not in seen:
                seen.add(example["id"])
                yield example
