"""95% intervals of a run's rates: its scores, and from its outputs how many clusters there are.

They are modified Wilson intervals (`cobsat.metrics.intervals`), which tell something at 0% and 100%
too: twenty right answers of twenty are not certainty. A page, a card and a plot show the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from cobsat import Example, Prediction, Verdict
from cobsat.metrics.intervals import Interval, mean_interval, rate_interval
from cobsat.metrics.scores import outcome
from cobsat.metrics.self_consistency import CONSISTENCY_RATES
from cobsat.metrics.statistics import Rate
from cobsat.samples import sample_id

from .report_scores import Estimate, Row, Scores

__all__ = ["with_intervals"]

_Key: TypeAlias = tuple[str, int]
_Cluster: TypeAlias = tuple[str, str]

_UNKNOWN: Final = ("missing", "judge_failed")
_ENDS: Final = {"object_inference": "_i", "attribute_inference": "_ii", "all": ""}


@dataclass
class _Known:
    """What outputs of a task ask for, of which something is known.

    Attributes:
        outputs: How many there are.
        any: What they ask for.
        scored: What the scored ones ask for.
        whole: What the prompts ask for whose every output is known.
    """

    outputs: int = 0
    any: set[_Cluster] = field(default_factory=set)
    scored: set[_Cluster] = field(default_factory=set)
    whole: set[_Cluster] = field(default_factory=set)


def with_intervals(
    scores: Scores,
    examples: Iterable[Example],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, Verdict],
) -> Scores:
    """Return scores whose rates have their intervals.

    A task whose outputs are not those that were scored (some were added since) keeps the normal
    approximation, which needs the scores alone.
    """
    known = _known(examples, predictions, verdicts, scores.samples)
    rows = tuple(_with(row, known.get((row.task, row.shots))) for row in scores.rows)
    return replace(scores, rows=rows, means=tuple(_mean(row, rows) for row in scores.means))


def _known(
    examples: Iterable[Example],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, Verdict],
    samples: int,
) -> dict[_Key, _Known]:
    known: dict[_Key, _Known] = {}
    for example in examples:
        group = known.setdefault((example["task"], example["shots"]), _Known())
        cluster = (example["query"], example["latent_variable"])
        names = [sample_id(example["id"], number) for number in range(1, samples + 1)]
        results = [outcome(predictions.get(name), verdicts.get(name)) for name in names]
        found = [result for result in results if result not in _UNKNOWN]
        group.outputs += len(found)
        if found:
            group.any.add(cluster)
        if len(found) == samples:
            group.whole.add(cluster)
        if "scored" in found:
            group.scored.add(cluster)
    return known


def _with(row: Row, known: _Known | None) -> Row:
    if known is None or known.outputs != row.rates["accuracy"].n:
        return row

    def clusters(name: str) -> int:
        if name in CONSISTENCY_RATES:
            return len(known.whole)
        return len(known.scored if name == "accuracy_scored" else known.any)

    rates = {name: _bounded(rate, clusters(name)) for name, rate in row.rates.items()}
    best = tuple(_bounded(rate, len(known.whole)) for rate in row.best_of_k)
    return replace(row, rates=rates, best_of_k=best)


def _bounded(rate: Estimate, clusters: int) -> Estimate:
    found = rate_interval(Rate(rate.value, rate.standard_error, rate.n), clusters)
    return replace(rate, bounds=found)


def _mean(row: Row, rows: Sequence[Row]) -> Row:
    """Return a mean over tasks with the intervals that those of its tasks make together."""
    end = _ENDS.get(row.task, "")
    tasks = [other for other in rows if other.shots == row.shots and other.task.endswith(end)]

    def bounds(parts: Iterator[Estimate]) -> Interval | None:
        rates = [rate for rate in parts if rate.bounds is not None and rate.value is not None]
        if len(rates) < len(tasks):
            return None
        return mean_interval([r.value for r in rates if r.value is not None],
                             [r.bounds for r in rates])  # fmt: skip

    rates = {
        name: replace(rate, bounds=bounds(task.rates[name] for task in tasks))
        for name, rate in row.rates.items()
    }
    best = tuple(
        replace(rate, bounds=bounds(t.best_of_k[k] for t in tasks if k < len(t.best_of_k)))
        for k, rate in enumerate(row.best_of_k)
    )
    return replace(row, rates=rates, best_of_k=best)
