"""The benchmarks by name: what of a run depends on which of them is run.

Each is a module with the functions of `Benchmark`, imported when it is asked for. Who runs, judges
or shows a run goes through `run_examples.py`, or asks here which benchmark it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from .run_folder import RunSettings
from .spec import choose

__all__ = ["BENCHMARKS", "Benchmark", "Choices", "Material", "benchmark", "benchmark_of", "require"]

BENCHMARKS: Final[dict[str, str]] = {
    "touchstone": "cobsat.touchstone.runs",
    "cobsat": "cobsat.cobsat_runs",
}
"""Benchmark → its module. The last takes the configs that none before it knows."""


class Material(Protocol):
    """What a run's examples are made of: pictures, and questions about them."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def digest(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Choices:
    """What a user chose of a benchmark; None where nothing was chosen.

    Attributes:
        configs: Names and patterns of configs.
        split, output, prompt_type, instructions_for, seed, images: As in `RunSettings`.
    """

    configs: tuple[str, ...]
    split: str | None = None
    output: str | None = None
    prompt_type: str | None = None
    instructions_for: str | None = None
    seed: int | None = None
    images: str | None = None


class Benchmark(Protocol):
    """What a run needs of a benchmark.

    Attributes:
        TITLE: Its name, for people.
        OUTPUTS: The kinds of output that it asks for, the default first.
    """

    @property
    def TITLE(self) -> str: ...  # noqa: D102, N802
    @property
    def OUTPUTS(self) -> tuple[str, ...]: ...  # noqa: D102, N802

    def knows(self, config: str) -> bool:
        """Return whether a name or pattern of configs is of this benchmark."""
        ...

    def plan(self, choices: Choices) -> RunSettings:
        """Return a run's settings without its model: configs in full, every choice checked.

        Raises:
            ValueError: A choice is unknown, or does not go with the others.
        """
        ...

    def check(self, settings: RunSettings) -> None:
        """Check that a run's settings go together.

        Raises:
            ValueError: They do not.
        """
        ...

    def usual_images(self, configs: Sequence[str]) -> str:
        """Return the images of configs where none are chosen."""
        ...

    def run_source(self, settings: RunSettings) -> Material:
        """Return what a run's examples are made of."""
        ...

    def config_examples(
        self, config: str, settings: RunSettings, source: Any
    ) -> Iterator[dict[str, Any]]:
        """Yield a run's examples of one config, in order, each as often as there are samples."""
        ...

    def config_ids(self, config: str, settings: RunSettings) -> Iterator[str]:
        """Yield their ids, without making the examples."""
        ...

    def run_size(self, settings: RunSettings) -> int:
        """Return how many outputs a run has."""
        ...

    def pictures_shown(self, config: str, settings: RunSettings) -> int:
        """Return the most pictures that a prompt of a config holds."""
        ...

    def with_fewer_pictures(self, config: str, most: int) -> list[str]:
        """Return options with which a model that takes so many at most can be asked."""
        ...


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by its name.

    Raises:
        ValueError: There is none of that name.
    """
    module = importlib.import_module(BENCHMARKS[choose("benchmark", name, BENCHMARKS)])
    return cast(Benchmark, module)


def benchmark_of(configs: Sequence[str]) -> Benchmark:
    """Return the benchmark that configs are of.

    Raises:
        ValueError: None is given, or they are of several.
    """
    if not configs:
        raise ValueError(
            "config must be given at least once, got none: --config color_i-2shot, or "
            "--config touchstone-mini"
        )
    found = [_benchmark_of(config) for config in configs]
    if any(one is not found[0] for one in found):
        raise ValueError(
            f"configs of a run must be of one benchmark, got {', '.join(configs)}: run each by "
            "itself"
        )
    return found[0]


def _benchmark_of(config: str) -> Benchmark:
    *others, last = map(benchmark, BENCHMARKS)
    return next((one for one in others if one.knows(config)), last)


def require(settings: RunSettings, name: str, where: object, instead: str) -> None:
    """Check that a run is of the benchmark that a command knows.

    Args:
        settings: The run's.
        name: The benchmark.
        where: The run folder, as the message names it.
        instead: What does it for the other: "`cobsat leaderboard` compares TouchStone runs".

    Raises:
        ValueError: It is of another.
    """
    if settings.benchmark != name:
        raise ValueError(
            f"{where} must be a run of {benchmark(name).TITLE}, got one of "
            f"{benchmark(settings.benchmark).TITLE}: {instead}"
        )
