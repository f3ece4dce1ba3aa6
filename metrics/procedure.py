"""What of judging a run depends on the benchmark, and on what kind of verdict a judge gives.

`judging.py` judges any run by a `Procedure`: CoBSAT's is in `cobsat_judging.py`, TouchStone's are
in `touchstone_judging.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cobsat.run_folder import Prediction, RunFolder, RunSettings, Verdict
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict

from .protocol import Judge

__all__ = ["AnyVerdict", "Procedure", "Row", "Work"]

AnyVerdict: TypeAlias = Verdict | DialogueVerdict | HallucinationVerdict

Row: TypeAlias = Mapping[str, Any]
"""What judging and scoring need of an example: its id, its reference, and more by benchmark."""


@dataclass(frozen=True)
class Procedure:
    """How a benchmark's outputs are judged and scored.

    Attributes:
        verdict: What a line of `verdicts/JUDGE.jsonl` is.
        rows: Yields a run's examples, each once, in order.
        about: What an output is judged in: the same output is judged once for each.
        grade: The verdict that an answer about an output is for an example.
        table: The scores of rows by predictions and verdicts.
        cautions: What limits a table of scores, in words.
        head: What `scores/JUDGE.json` begins with.
        summary: The scores in a few words: "612.5 (95%: 580.1 to 644.9), 54 of 56 scored".
        empty: Why a text without a word is unscored; where it is not set, the judge says it.
    """

    verdict: type[Any]
    rows: Callable[[RunSettings], Iterable[Any]]
    about: Callable[[Any], str]
    grade: Callable[[Any, Any], AnyVerdict]
    table: Callable[[Sequence[Any], Mapping[str, Prediction], Mapping[str, Any]], dict[str, Any]]
    cautions: Callable[[Work, RunSettings, dict[str, Any], Mapping[str, Any]], list[str]]
    head: Callable[[RunSettings], dict[str, Any]]
    summary: Callable[[Mapping[str, Any]], str]
    empty: str = ""

    def unscored(self, reason: str) -> AnyVerdict:
        """Return the verdict on an output that nobody was asked about."""
        nothing: AnyVerdict = self.verdict(id="", status="unscored", reason=reason)
        return nothing


@dataclass(frozen=True)
class Work:
    """What is judged, by whom, and how.

    Attributes:
        folder: The run folder.
        judge: The judge.
        procedure: The procedure.
        output: The kind of output.
        predictions: Predictions by id.
        outputs: Their outputs' fingerprints, by id.
    """

    folder: RunFolder
    judge: Judge
    procedure: Procedure
    output: str
    predictions: Mapping[str, Prediction]
    outputs: Mapping[str, str]

    def key(self, row: Row) -> tuple[str, str]:
        """Return what the judge is asked about an example: the output, and what it is judged in."""
        return self.outputs[row["id"]], self.procedure.about(row)
