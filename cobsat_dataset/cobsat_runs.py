"""CoBSAT's runs: what `benchmarks.Benchmark` asks of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from .benchmarks import Choices
from .config_patterns import matching_configs
from .examples import (
    Example,
    Options,
    example_id,
    parse_config,
    prompt_list,
    task_examples,
    task_splits,
)
from .images import ImageSource, image_source
from .instructions import FOR_MODELS
from .prompt_lists import FT_TEST_PROMPTS, TEST_PROMPTS, ft_train_prompts
from .run_folder import RunSettings
from .samples import sample_id
from .spec import DEFAULT_SEED, OUTPUTS, TASKS, choose

__all__ = [
    "OUTPUTS",
    "TITLE",
    "check",
    "config_examples",
    "config_ids",
    "expand_configs",
    "knows",
    "pictures_shown",
    "plan",
    "planned",
    "run_options",
    "run_size",
    "run_source",
    "usual_images",
    "with_fewer_pictures",
]

TITLE: Final = "CoBSAT"


def knows(config: str) -> bool:
    """Return whether a name or pattern of configs is CoBSAT's: any is that no other knows."""
    return True


def plan(choices: Choices) -> RunSettings:
    """Return a run's settings without its model."""
    wording = choices.instructions_for or "neutral"
    choose("instructions_for", wording, FOR_MODELS["description"])
    options = Options(
        prompt_type=choices.prompt_type or "default",
        output=choices.output or OUTPUTS[0],
        seed=DEFAULT_SEED if choices.seed is None else choices.seed,
        images=choices.images or usual_images(choices.configs),
    )
    split = choices.split or "test"
    configs = expand_configs(choices.configs, split, options)
    return planned(configs, split, options, wording)


def planned(
    configs: tuple[str, ...], split: str, options: Options, wording: str | None = None
) -> RunSettings:
    """Return the settings of a run without its model; a folder of images as an absolute path."""
    images = options.images
    if images not in ("rendered", "official"):
        images = str(Path(images).expanduser().resolve())
    return RunSettings(
        model="",
        configs=configs,
        split=split,
        output=options.output,
        prompt_type=options.prompt_type,
        instructions_for=options.instructions_for if wording is None else wording,
        seed=options.seed,
        images=images,
    )


def expand_configs(given: Sequence[str], split: str, options: Options) -> tuple[str, ...]:
    """Return the configs that names and patterns mean, each once, in order.

    `all-2shot` is its ten tasks, except for the splits that leave a theme out, which only the ten
    together have. A pattern stands for those of its configs that go with split and options; a
    name in full must go with them.

    Raises:
        ValueError: A name is unknown, a pattern matches nothing, or they do not go together.

    >>> expand_configs(["color_*-2shot"], "test", Options())
    ('color_i-2shot', 'color_ii-2shot')
    """
    options.check()
    if not given:
        raise ValueError("config must be given at least once, got none: --config color_i-2shot")
    names: dict[str, None] = {}
    for name in given:
        for config in matching_configs(name, split, options):
            names.update(dict.fromkeys(_tasks(config, split)))
    return tuple(names)


def _tasks(config: str, split: str) -> list[str]:
    if split.startswith("leave_"):
        return [config]
    parsed = parse_config(config)
    return [f"{task.name}-{parsed.shots}shot" for task in parsed.tasks]


def run_options(settings: RunSettings) -> Options:
    """Return a run's options of the benchmark, checked."""
    return Options(
        prompt_type=settings.prompt_type,
        output=settings.asked_for or settings.output,
        instructions_for=settings.instructions_for,
        seed=settings.seed,
        images=settings.images,
    ).check()


def check(settings: RunSettings) -> None:
    """Check that a run's settings go together."""
    run_size(settings)


def usual_images(configs: Sequence[str]) -> str:
    """Return the images of configs where none are chosen."""
    return "rendered"


def run_source(settings: RunSettings) -> ImageSource:
    """Return a run's pictures."""
    return image_source(settings.images)


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


def run_size(settings: RunSettings) -> int:
    """Return how many outputs a run has: its examples, times the samples of each."""
    total = 0
    for config in settings.configs:
        shots = parse_config(config).shots
        sizes = {"test": TEST_PROMPTS, "ft_test": FT_TEST_PROMPTS}
        if settings.split == "ft_train":
            sizes["ft_train"] = len(ft_train_prompts(shots))
        size = sum(
            sizes[base] for _, base in task_splits(config, settings.split, run_options(settings))
        )
        total += size if settings.limit is None else min(size, settings.limit)
    return total * settings.samples


def pictures_shown(config: str, settings: RunSettings) -> int:
    """Return how many pictures each prompt of a config holds."""
    return 0 if settings.prompt_type == "caption" else parse_config(config).shots


def with_fewer_pictures(config: str, most: int) -> list[str]:
    """Return options with which a model that takes so many at most can be asked."""
    if most:
        return ["choose fewer shots", "--prompt-type caption"]
    none = f"--config {config.rpartition('-')[0]}-0shot --prompt-type exact"
    return [
        none,
        "--prompt-type caption",
        "--model describe_then_draw with another model before it",
    ]
