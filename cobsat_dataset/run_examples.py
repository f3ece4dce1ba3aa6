"""The examples of a run: what `run.json` says, made again.

Every room that reads a run folder stands on this: the runner, the judges and the report. In a run
of several samples an example comes once for each, with the ids of `samples.sample_id`.
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
from .samples import sample_id
from .spec import TASKS

__all__ = ["config_examples", "config_ids", "run_examples", "run_options"]


def run_options(settings: RunSettings) -> Options:
    """Return a run's options of the benchmark, checked."""
    return Options(
        prompt_type=settings.prompt_type,
        output=settings.asked_for or settings.output,
        instructions_for=settings.instructions_for,
        seed=settings.seed,
        images=settings.images,
    ).check()


def config_examples(config: str, settings: RunSettings, source: ImageSource) -> Iterator[Example]:
    """Yield a run's examples of one config, in order; none is made before it is asked for."""
    for example in islice(_examples(config, settings, source), settings.limit):
        for number in range(1, settings.samples + 1):
            name = sample_id(example["id"], number)
            yield {**example, "id": name, "output": settings.output}


def _examples(config: str, settings: RunSettings, source: ImageSource) -> Iterator[Example]:
    options = run_options(settings)
    shots = parse_config(config).shots
    for task, base in task_splits(config, settings.split, options):
        yield from task_examples(TASKS[task], shots, base, options, source)


def config_ids(config: str, settings: RunSettings) -> Iterator[str]:
    """Yield the ids of a run's examples of one config, in order, without making the examples."""
    shots = parse_config(config).shots
    ids = (
        example_id(task, shots, base, number)
        for task, base in task_splits(config, settings.split, run_options(settings))
        for number in range(len(prompt_list(base, shots, settings.seed)))
    )
    return (
        sample_id(name, number)
        for name in islice(ids, settings.limit)
        for number in range(1, settings.samples + 1)
    )


def run_examples(settings: RunSettings, source: ImageSource) -> Iterator[Example]:
    """Yield a run's examples, config by config, each once."""
    seen: set[str] = set()
    for config in settings.configs:
        for example in config_examples(config, settings, source):
            if example["id"] not in seen:
                seen.add(example["id"])
                yield example
