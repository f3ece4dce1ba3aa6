"""The rows as Arrow tables: the features of test and train splits, and what the cache holds.

A prepared split is cached as row numbers (`NUMBERS`): the rows themselves follow from the config's
name and options, and are made again, in milliseconds, when a split is loaded. Their pictures are
paths, never bytes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

import datasets
import pyarrow as pa

from .examples import Options, is_train, task_examples
from .images import ImageSource
from .spec import TASKS
from .training import train_example


def _strings(*names: str) -> dict[str, Any]:
    return {name: datasets.Value("string") for name in names}


def _messages(part: dict[str, Any]) -> list[Any]:
    return [{"role": datasets.Value("string"), "content": [part]}]


_IDENTITY: Final = {
    **_strings("id", "task", "theme"),
    "shots": datasets.Value("int32"),
    **_strings("output", "prompt_type"),
}
_ANSWER: Final = {
    "reference": _strings("task", "object", "attribute"),
    "target_image": datasets.Image(),
    "target_description": datasets.Value("string"),
    "image_source": _strings("name", "digest"),
}

TEST_FEATURES: Final = datasets.Features(
    {
        **_IDENTITY,
        "messages": _messages({**_strings("type", "text"), "image": datasets.Image()}),
        "followup": datasets.Value("string"),
        **_strings("query", "latent_variable"),
        "demonstrations": [
            {
                "text_input": datasets.Value("string"),
                "image": datasets.Image(),
                "description": datasets.Value("string"),
            }
        ],
        **_ANSWER,
    }
)
"""Columns of `examples.Example`."""

TRAIN_FEATURES: Final = datasets.Features(
    {
        **_IDENTITY,
        "prompt": _messages(_strings("type", "text")),
        "completion": _messages(_strings("type", "text")),
        "images": [datasets.Image()],
        **_strings("query", "latent_variable"),
        "demonstrations": [_strings("text_input", "description")],
        **_ANSWER,
    }
)
"""Columns of `training.TrainExample`."""

NUMBERS: Final = datasets.Features(
    {**_strings("task", "prompts"), "number": datasets.Value("int32")}
)
"""What the cache holds of a row: its task, its prompt list, and its number there."""


def features_of(split: str) -> datasets.Features:
    """Return a split's features."""
    return TRAIN_FEATURES if is_train(split) else TEST_FEATURES


@lru_cache(maxsize=64)
def task_table(
    task: str, shots: int, prompts: str, train: bool, options: Options, source: ImageSource
) -> pa.Table:
    """Return one task's rows of a prompt list, in the columns of train or of test splits."""
    if train:
        options = replace(options, output="description")
    stored = replace(
        source, paths={label: {"bytes": None, "path": p} for label, p in source.paths.items()}
    )
    found: list[Any] = list(task_examples(TASKS[task], shots, prompts, options, stored))
    if train:
        found = [train_example(row) for row in found]
    features = TRAIN_FEATURES if train else TEST_FEATURES
    return pa.Table.from_pylist(found, schema=features.arrow_schema)


def numbered(task: str, prompts: str, count: int) -> pa.Table:
    """Return what the cache holds of a task's rows."""
    columns = {"task": [task] * count, "prompts": [prompts] * count, "number": range(count)}
    return pa.Table.from_pydict(columns, schema=NUMBERS.arrow_schema)


def expand(
    numbers: pa.Table, shots: int, train: bool, options: Options, source: ImageSource
) -> pa.Table:
    """Return the rows that the cache's numbers stand for."""
    features = TRAIN_FEATURES if train else TEST_FEATURES
    parts = [features.arrow_schema.empty_table()]
    columns = (numbers[name].to_pylist() for name in NUMBERS)
    for (task, prompts), run in groupby(zip(*columns, strict=True), key=lambda row: row[:2]):
        indices = [row[2] for row in run]
        table = task_table(task, shots, prompts, train, options, source)
        whole = indices == list(range(table.num_rows))
        parts.append(table if whole else table.take(pa.array(indices)))
    return pa.concat_tables(parts)
