"""From examples, predictions and verdicts to the table of scores. Pure functions.

Accuracies are over all examples that have a prediction, as in the paper: a failed, blocked or
unscored one counts as wrong, and is counted beside the score. Where the judge's own call failed,
nothing is known of the output: it is counted, and in no accuracy. Source: CoBSAT, Sec. 4.2
(accuracy), Sec. 5.4 (textual and visual accuracy).

In a run of several samples an example has several rows, one an output (`cobsat.samples`).
Accuracies are then over all outputs, and `self_consistency.py` adds what the outputs of each
example say together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from cobsat.examples import Reference
from cobsat.run_folder import Prediction, Verdict
from cobsat.samples import split_sample_id
from cobsat.spec import TASKS

from .grading import count_reasons, parts
from .self_consistency import Ballot, Consistency, consistency, mean_of_consistencies
from .statistics import Rate, clustered_mean, mean_of_rates

__all__ = ["COUNTS", "RATES", "Outcome", "Row", "Scores", "most_frequent", "outcome", "scores"]

RATES: Final = ("accuracy", "object", "attribute", "textual", "visual", "accuracy_scored")
OUTCOMES: Final = ("scored", "unscored", "failed", "blocked", "missing", "judge_failed")
COUNTS: Final = ("examples", *OUTCOMES, "truncated")
"""Examples, what became of them, and how many descriptions were judged by their beginning."""

MOST_REASONS: Final = 20
"""So many reasons are listed; a reason may name what it found, and then hardly repeats."""

Outcome: TypeAlias = Literal["scored", "unscored", "failed", "blocked", "missing", "judge_failed"]


class Row(TypedDict):
    """What scoring needs of an example; every `cobsat.Example` is one."""

    id: str
    task: str
    shots: int
    query: str
    latent_variable: str
    reference: Reference


class Scores(TypedDict):
    """The table of scores.

    Keys:
        groups: One a task and shot count, in the order of the examples: `task`, `shots`, `COUNTS`,
            and for each of `RATES` a dict of `value`, `standard_error` and `n`.
        means: The same over tasks (`task` is "object_inference", "attribute_inference" or "all"),
            one of each a shot count; each task has the same weight, and `tasks` names them.
        reasons: Why outputs were unscored, and how often, the most frequent first.
        judge_failures: Why the judge's calls failed, in the same form.
        samples: Outputs for each example, if they are several. Then groups and means have, too:
            `outputs`, which all counts but `examples` and `no_majority` count; the rates of
            `CONSISTENCY_RATES` over the examples whose every output is known; `best_of_k`, one
            rate for each k; and `no_majority`, examples none of whose outputs has an answer.
    """

    groups: list[dict[str, Any]]
    means: list[dict[str, Any]]
    reasons: dict[str, int]
    judge_failures: dict[str, int]
    samples: NotRequired[int]


@dataclass
class _Prompt:
    """An example: what it asks for, and by sample number each output that something is known of."""

    cluster: tuple[str, str]
    votes: dict[int, Verdict | None] = field(default_factory=dict)


@dataclass
class _Group:
    task: str
    shots: int
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    values: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in RATES})
    clusters: list[tuple[str, str]] = field(default_factory=list)
    scored_clusters: list[tuple[str, str]] = field(default_factory=list)
    prompts: dict[str, _Prompt] = field(default_factory=dict)

    def rates(self) -> dict[str, Rate]:
        return {
            name: clustered_mean(
                values, self.scored_clusters if name == "accuracy_scored" else self.clusters
            )
            for name, values in self.values.items()
        }

    def consistency(self, samples: int) -> Consistency:
        known = [prompt for prompt in self.prompts.values() if len(prompt.votes) == samples]
        ballots = [
            Ballot(prompt.cluster, tuple(prompt.votes[number] for number in sorted(prompt.votes)))
            for prompt in known
        ]
        return consistency(self.task, ballots, samples)


def scores(
    examples: Iterable[Row],
    predictions: Mapping[str, Prediction],
    verdicts: Mapping[str, Verdict],
) -> Scores:
    """Return accuracies with clustered standard errors, and counts, per task and shot count.

    An example without a prediction, or whose prediction has no verdict yet, is "missing", one whose
    judge failed is "judge_failed": both are counted, and in no accuracy.
    """
    groups: dict[tuple[str, int], _Group] = {}
    without: dict[str, list[Verdict]] = {"unscored": [], "judge_failed": []}
    samples = 1
    for example in examples:
        key = (example["task"], example["shots"])
        group = groups.setdefault(key, _Group(*key))
        verdict = verdicts.get(example["id"])
        result = outcome(predictions.get(example["id"]), verdict)
        name, number = split_sample_id(example["id"])
        samples = max(samples, number)
        cluster = (example["query"], example["latent_variable"])
        prompt = group.prompts.setdefault(name, _Prompt(cluster))
        group.counts["examples"] += 1
        group.counts[result] += 1
        if verdict is not None and result in without:
            without[result].append(verdict)
        if result not in ("missing", "judge_failed"):
            _add(group, cluster, result, verdict)
            prompt.votes[number] = verdict if result == "scored" else None
    rates = {key: group.rates() for key, group in groups.items()}
    table: Scores = {
        "groups": [
            {"task": group.task, "shots": group.shots, **group.counts, **_plain(rates[key])}
            for key, group in groups.items()
        ],
        "means": _means(groups, rates),
        "reasons": most_frequent(count_reasons(without["unscored"])),
        "judge_failures": most_frequent(count_reasons(without["judge_failed"])),
    }
    return _with_samples(table, groups, samples) if samples > 1 else table


def _with_samples(table: Scores, groups: Mapping[tuple[str, int], _Group], samples: int) -> Scores:
    """Return the table with what each example's outputs say together beside what each says."""
    of_task = {key: group.consistency(samples) for key, group in groups.items()}

    def more(row: dict[str, Any], keys: Sequence[tuple[str, int]], found: Consistency) -> Any:
        return {
            **row,
            "examples": sum(len(groups[key].prompts) for key in keys),
            "outputs": row["examples"],
            "no_majority": found.no_majority,
            **_plain(found.rates),
            "best_of_k": [_plain_rate(rate) for rate in found.best_of_k],
        }

    means = []
    for row in table["means"]:
        keys = [(task, row["shots"]) for task in row["tasks"]]
        means.append(more(row, keys, mean_of_consistencies([of_task[key] for key in keys])))
    rows = [
        more(row, [key], of_task[key]) for key, row in zip(groups, table["groups"], strict=True)
    ]
    return {
        "samples": samples,
        "groups": rows,
        "means": means,
        "reasons": table["reasons"],
        "judge_failures": table["judge_failures"],
    }


def most_frequent(reasons: dict[str, int]) -> dict[str, int]:
    """Return the first reasons, and the rest as one."""
    if len(reasons) <= MOST_REASONS:
        return reasons
    items = list(reasons.items())
    rest = items[MOST_REASONS:]
    name = f"({len(rest):,} other reasons)"
    return {**dict(items[:MOST_REASONS]), name: sum(count for _, count in rest)}


def outcome(prediction: Prediction | None, verdict: Verdict | None) -> Outcome:
    """Return what became of an example."""
    if prediction is None:
        return "missing"
    if prediction.status == "error":
        return "failed"
    if prediction.status == "blocked":
        return "blocked"
    if verdict is None:
        return "missing"
    return "judge_failed" if verdict.status == "error" else verdict.status


def _add(group: _Group, cluster: tuple[str, str], result: Outcome, verdict: Verdict | None) -> None:
    judged = verdict if verdict is not None and result in ("scored", "unscored") else None
    group.counts["truncated"] += bool(judged and judged.raw and judged.raw.get("truncated"))
    object_ = judged is not None and judged.object_correct is True
    attribute = judged is not None and judged.attribute_correct is True
    for name, value in parts(group.task, object_, attribute).items():
        group.values[name].append(value)
    group.clusters.append(cluster)
    if result == "scored":
        group.values["accuracy_scored"].append(object_ and attribute)
        group.scored_clusters.append(cluster)


def _means(
    groups: Mapping[tuple[str, int], _Group], rates: Mapping[tuple[str, int], dict[str, Rate]]
) -> list[dict[str, Any]]:
    rows = []
    for shots in sorted({shots for _, shots in groups}):
        for name in ("object_inference", "attribute_inference", "all"):
            inference = name.removesuffix("_inference")
            members = [
                key
                for key in groups
                if key[1] == shots and inference in ("all", TASKS[key[0]].inference)
            ]
            if members:
                rows.append(_mean(name, shots, members, groups, rates))
    return rows


def _mean(
    name: str,
    shots: int,
    members: Sequence[tuple[str, int]],
    groups: Mapping[tuple[str, int], _Group],
    rates: Mapping[tuple[str, int], dict[str, Rate]],
) -> dict[str, Any]:
    counts = {c: sum(groups[key].counts[c] for key in members) for c in COUNTS}
    means = {rate: mean_of_rates([rates[key][rate] for key in members]) for rate in RATES}
    tasks = [task for task, _ in members]
    return {"task": name, "shots": shots, "tasks": tasks, **counts, **_plain(means)}


def _plain(rates: Mapping[str, Rate]) -> dict[str, dict[str, float | int | None]]:
    return {name: _plain_rate(rate) for name, rate in rates.items()}


def _plain_rate(rate: Rate) -> dict[str, float | int | None]:
    return {"value": rate.value, "standard_error": rate.standard_error, "n": rate.n}
