"""How TouchStone's answers are judged and scored: what `judging.py` asks of a benchmark.

An answer is judged once a question, however many samples are the same. Which scores are made of
the verdicts goes by what a judge's verdicts are: marks, or degrees of hallucination.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from cobsat.run_folder import RunSettings
from cobsat.touchstone.runs import run_references
from cobsat.touchstone.sources import question_source
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict

from .cautions import failed_caution, some_unscored_caution, unscored_caution
from .procedure import Procedure, Work
from .protocol import Judge
from .run_record import run_record
from .touchstone_scores import Row, Table, dialogue_scores, hallucination_scores

__all__ = ["touchstone_procedure"]


def touchstone_procedure(judge: Judge) -> Procedure:
    """Return how a judge judges a run of TouchStone.

    Raises:
        ValueError: Its verdicts are of no kind that there are scores for.
    """
    kind = getattr(judge, "verdict_kind", DialogueVerdict)
    if kind not in _PROCEDURES:
        raise ValueError(
            f"verdict_kind of the judge {judge.name} must be DialogueVerdict or "
            f"HallucinationVerdict, got {kind!r}"
        )
    return _PROCEDURES[kind]


def _rows(settings: RunSettings) -> Iterator[Row]:
    for name, reference in run_references(settings).items():
        yield {"id": name, "reference": reference}


def _question(row: Row) -> str:
    return row["reference"]["id"]


def _grade(answer: Any, row: Row) -> Any:
    return replace(answer, id=row["id"])


def _head(settings: RunSettings) -> dict[str, Any]:
    run = run_record(settings, question_source(settings.images).name)
    return {
        "benchmark": "touchstone",
        "run": {"benchmark": "touchstone", "samples": settings.samples, **run},
    }


# --- what to know of the scores ------------------------------------------------------------------

_BY_STOP: Final = ("the reply is empty", "empty reply", "ends while thinking")
_BY_LENGTH: Final = "the reply was cut before it said anything"
_UNSCORED_TOLD: Final = 0.05
"""Above this share of what was judged, scores are of noticeably fewer answers than were given."""


def _cautions(
    work: Work, settings: RunSettings, table: Table, verdicts: Mapping[str, Any]
) -> list[str]:
    counts, name = table["counts"], work.judge.name
    said = []
    if counts["judge_failed"]:
        outputs = counts.get("answers", counts["questions"])
        said.append(failed_caution(name, counts["judge_failed"], outputs, table["judge_failures"]))
    if counts["unscored"] and not counts["scored"]:
        said.append(unscored_caution(name, table["reasons"]))
    elif counts["unscored"] > _UNSCORED_TOLD * (judged := counts["scored"] + counts["unscored"]):
        # a failed prediction has a reason too, and a count of its own
        reasons = {w: n for w, n in table["reasons"].items() if not w.startswith("prediction: ")}
        said.append(some_unscored_caution(counts["unscored"], judged, reasons))
    unread = [reason for reason in table["reasons"] if any(r in reason for r in _BY_STOP)]
    if unread and work.judge.record().get("stop"):
        said.append(
            f"{sum(table['reasons'][r] for r in unread):,} replies ended before their marks: a "
            "model that reasons, or begins with an empty line, is asked with --judge-option "
            f"stop=null, once verdicts/{name}.jsonl is moved away."
        )
    if any(_BY_LENGTH in reason for reason in table["reasons"]):
        said.append(
            "Replies were cut before they said anything: a model that reasons needs more tokens "
            "(--judge-option max_tokens=4096)."
        )
    models = _models(verdicts)
    if len(models) > 1:
        names = ", ".join(f"{model[:60]!r} {count:,}" for model, count in models.most_common(4))
        said.append(
            f"Replies are of several models, as the server names them ({names}): these scores are "
            "not one judge's."
        )
    waiting = sum(p.status == "ok" and i not in verdicts for i, p in work.predictions.items())
    if waiting:
        said.append(f"{waiting:,} outputs are not judged yet: they are missing from the scores.")
    return said


def _models(verdicts: Mapping[str, Any]) -> Counter[str]:
    """Return how many replies each model gave: behind one name a server may change it."""
    parts = (part for verdict in verdicts.values() for part in (verdict.raw or {}).values())
    names = (part.get("model") for part in parts if isinstance(part, dict))
    return Counter(name for name in names if isinstance(name, str))


def _dialogue_summary(result: Mapping[str, Any]) -> str:
    overall = result["overall"]
    if overall["score"] is None:
        return f"no score (0 of {overall['of']:,} scored)"
    sure = _sure(overall["interval"], 1)
    return f"{overall['score']:.1f}{sure}, {overall['n']:,} of {overall['of']:,} scored"


def _hallucination_summary(result: Mapping[str, Any]) -> str:
    overall = result["overall"]
    if overall["degree"] is None:
        return f"no degree (0 of {overall['of']:,} scored)"
    sure = _sure(overall["interval"], 2)
    return (
        f"degree {overall['degree']:.2f}{sure}, {overall['words']:.0f} words, {overall['n']:,} of "
        f"{overall['of']:,} scored"
    )


def _sure(interval: Sequence[float] | None, decimals: int) -> str:
    if interval is None:
        return ""
    return f" (95%: {interval[0]:.{decimals}f} to {interval[1]:.{decimals}f})"


_PROCEDURES: Final[dict[type[Any], Procedure]] = {
    DialogueVerdict: Procedure(
        DialogueVerdict, _rows, _question, _grade, dialogue_scores, _cautions, _head,
        _dialogue_summary, "empty answer",
    ),
    HallucinationVerdict: Procedure(
        HallucinationVerdict, _rows, _question, _grade, hallucination_scores, _cautions, _head,
        _hallucination_summary, "empty description",
    ),
}  # fmt: skip
