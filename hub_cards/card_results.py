"""Scores in the forms that the Hub reads: `model-index` in the card, and `.eval_results/*.yaml`.

The Hub's own classes write them (`EvalResult`, `EvalResultEntry`); what they let pass is checked
here before anything is written. Accuracies are shares from 0 to 1, TouchStone's scores up to 1,000.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import yaml
from cobsat import RunSettings
from cobsat.card_parts import shorten, visible
from cobsat.official import REPO
from huggingface_hub import (
    EvalResult,
    EvalResultEntry,
    ModelCard,
    eval_result_entries_to_yaml,
)
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results
from huggingface_hub.utils._validators import validate_repo_id

from .card_data import CardRun, Line, Table

__all__ = ["check_card", "entries_yaml", "model_index", "results"]

_TASKS: Final = {
    "image": ("text-to-image", "Text-to-image in-context learning"),
    "description": ("image-text-to-text", "Text-to-image in-context learning, described"),
    "answer": ("image-text-to-text", "Questions about pictures"),
}
"""Kind of output → the Hub's task, and what it is called."""


def results(run: CardRun, dataset: str | None = None) -> list[EvalResult]:
    """Return a run's scores as the Hub's evaluation results; what has no value is left out.

    Args:
        run: The run.
        dataset: The Hub dataset that it is of, where there is one.
    """
    return [
        _result(run, table, line, dataset)
        for table in run.tables
        for line in table.lines
        if line.config and line.value is not None
    ]


def model_index(name: str, found: Sequence[EvalResult]) -> list[dict[str, Any]]:
    """Return results as `model-index`, checked.

    Raises:
        ValueError: A name is empty, a config no text, a value no finite number, or two results are
            of the very same thing; or the Hub's classes read another thing than was written.
    """
    if not found:
        return []
    if not name.strip():
        raise ValueError("model_id must be a name such as ORG/NAME, got an empty one")
    for result in found:
        _check(result)
    keys = [_key(result) for result in found]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        raise ValueError(
            f"scores of one card must be of different things, got {twice[1:]} twice: give one of "
            "the runs that measure it"
        )
    index = eval_results_to_model_index(name, list(found))
    _, read = model_index_to_eval_results(yaml.safe_load(yaml.safe_dump(index)))
    if sorted(map(_written, read)) != sorted(map(_written, found)):
        raise ValueError(
            "scores of one card must be told apart by dataset, config and split, got some that "
            "the Hub takes for one: write a card for the runs of each image source"
        )
    return index


def check_card(text: str, found: Sequence[EvalResult]) -> None:
    """Check that a card is read back by the Hub's class with these results in it.

    Raises:
        ValueError: It is not.
    """
    read = getattr(ModelCard(text).data, "eval_results", None) or []
    there = {_written(result) for result in read}
    missing = [result for result in found if _written(result) not in there]
    if missing:
        raise ValueError(f"the card must hold its scores, got none of {missing[0].dataset_config}")


def entries_yaml(run: CardRun, table: Table, dataset: str) -> str:
    """Return one judge's scores of a run as the text of a file of `.eval_results/`, checked.

    A file holds one variant: how it was measured stands in the notes of each entry.

    Raises:
        ValueError: An id is none of the Hub's, or a value no finite number.
    """
    validate_repo_id(dataset)
    if "/" not in dataset:
        raise ValueError(f"dataset must be ORG/NAME on the Hub, got {dataset!r}")
    notes = _notes(run.settings, table)
    entries = [
        EvalResultEntry(
            dataset_id=dataset, task_id=line.config, value=_rounded(line.value), notes=notes
        )
        for line in table.lines
        if line.config and line.value is not None
    ]
    ids = [entry.task_id for entry in entries]
    if len(set(ids)) < len(ids):
        raise ValueError(f"task ids of {run.label} must be there once each, got {ids}")
    data = eval_result_entries_to_yaml(entries)
    return str(yaml.safe_dump(data, sort_keys=False, width=10**6, allow_unicode=True))


def _result(run: CardRun, table: Table, line: Line, dataset: str | None) -> EvalResult:
    settings = run.settings
    official = settings.benchmark == "cobsat" and run.source == "official"
    task, called = _TASKS[settings.output]
    title = {"cobsat": "CoBSAT", "touchstone": "TouchStone"}[settings.benchmark]
    arguments: dict[str, Any] = {
        "judge": _plain(table.judge),
        "output": settings.output,
        "n": line.n,
    }
    if line.interval is not None:
        arguments["interval_95"] = [_rounded(bound) for bound in line.interval]
    if settings.benchmark == "cobsat":
        arguments |= {
            "prompt_type": settings.prompt_type,
            "instructions_for": settings.instructions_for,
            "seed": settings.seed,
        }
    for name, usual in (("limit", None), ("samples", 1)):
        if getattr(settings, name) != usual:
            arguments[name] = getattr(settings, name)
    metric = "accuracy" if settings.benchmark == "cobsat" else "touchstone"
    return EvalResult(
        task_type=task,
        task_name=called,
        dataset_type=REPO if official else dataset or settings.benchmark,
        dataset_name=f"{title} {line.config} ({_plain(run.source)} pictures)",
        dataset_config=line.config,
        dataset_split=settings.split,
        dataset_args={"images": _plain(run.source), "images_sha256": settings.image_digest},
        metric_type=metric,
        metric_name=f"{'Accuracy' if metric == 'accuracy' else 'Score'}, by {_plain(table.judge)}",
        metric_value=_rounded(line.value),
        metric_args=arguments,
    )


def _notes(settings: RunSettings, table: Table) -> str:
    parts = [f"{settings.output} output", f"judged by {_plain(table.judge)}"]
    if settings.benchmark == "cobsat":
        parts += [f"{settings.prompt_type} prompts", f"{settings.split} split"]
    parts += [f"first {settings.limit} of each config"] if settings.limit else []
    return ", ".join(parts)


def _key(result: EvalResult) -> tuple[str, ...]:
    arguments: Mapping[str, Any] = result.metric_args or {}
    told = ("judge", "output", "prompt_type", "instructions_for", "seed", "limit", "samples")
    how = [str(arguments[name]) for name in told if name in arguments]
    parts = (result.metric_type, result.dataset_type, result.dataset_config, result.dataset_split)
    return (*(str(part) for part in parts), *how)


def _written(result: EvalResult) -> str:
    return json.dumps(asdict(result), sort_keys=True, default=str)


def _check(result: EvalResult) -> None:
    for name in ("task_type", "dataset_type", "dataset_name", "metric_type", "metric_name"):
        value = getattr(result, name)
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{name} of a score must be a text, got {value!r}")
    for name in ("dataset_config", "dataset_split"):
        value = getattr(result, name)
        if not isinstance(value, str) or not value:
            raise ValueError(f"{name} of a score must be a text, got {value!r}")
    value = result.metric_value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(
            f"the value of {result.dataset_config} must be a finite number, got {value!r}"
        )


def _rounded(value: float | None) -> float:
    if value is None or not math.isfinite(value):
        raise ValueError(f"a score must be a finite number, got {value!r}")
    return round(float(value), 4)


def _plain(text: object) -> str:
    """Return a text of others for a value of the metadata: one line, nothing hidden in it."""
    return " ".join(visible(shorten(str(text), 200)).split()) or "unnamed"
