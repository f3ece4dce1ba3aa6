"""What a judge is asked about a run: each output once a theme, however many examples hold it.

The answer is graded against each example's reference. Several processes deal out the outputs, not
the examples, so that none is judged twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from cobsat.run_folder import Prediction, RunFolder, Verdict
from cobsat.spec import TASKS

from .grading import regrade, unscored
from .protocol import Judge, OutputKind
from .scores import Row

__all__ = ["Answers", "Key", "Work", "batches", "judge_new", "known_answers", "shares", "verdict"]

_LINES_AT_ONCE: Final = 1000
"""So many verdicts are written together at most, however few outputs had to be judged for them."""

Key: TypeAlias = tuple[str, str]
"""An output's fingerprint, and the theme that it is judged in."""

Answers: TypeAlias = dict[Key, Verdict]


@dataclass(frozen=True)
class Work:
    """What is judged, and by whom.

    Attributes:
        folder: The run folder.
        judge: The judge.
        output: The kind of output.
        predictions: Predictions by id.
        outputs: Their outputs' fingerprints, by id.
    """

    folder: RunFolder
    judge: Judge
    output: str
    predictions: Mapping[str, Prediction]
    outputs: Mapping[str, str]

    def key(self, row: Row) -> Key:
        """Return what the judge is asked about an example."""
        return self.outputs[row["id"]], TASKS[row["task"]].theme.name


def known_answers(work: Work, rows: Iterable[Row], verdicts: Mapping[str, Verdict]) -> Answers:
    """Return the answers that earlier verdicts hold."""
    known: Answers = {}
    for row in rows:
        if row["id"] in verdicts:
            known.setdefault(work.key(row), verdicts[row["id"]])
    return known


def shares(
    work: Work, waiting: Iterable[Row], answers: Answers, batch_size: int, count: int
) -> list[set[str]]:
    """Return the ids of the examples that each of several processes judges.

    Outputs without an answer are dealt out in batches, in turns: those that one process would
    judge together. The first process has the examples whose answer is known.
    """
    owners: dict[Key, int] = {}
    ids: list[set[str]] = [set() for _ in range(count)]
    for row in waiting:
        key = work.key(row)
        known = key in answers
        owner = 0 if known else owners.setdefault(key, len(owners) // batch_size % count)
        ids[owner].add(row["id"])
    return ids


def batches(
    work: Work, rows: Iterable[Row], answers: Answers, batch_size: int
) -> Iterator[list[Row]]:
    """Yield rows in order, each time as many as hold `batch_size` outputs without an answer."""
    batch: list[Row] = []
    new: set[Key] = set()
    for row in rows:
        key = work.key(row)
        if key not in answers:
            new.add(key)
        batch.append(row)
        if len(new) == batch_size or len(batch) == _LINES_AT_ONCE:
            yield batch
            batch, new = [], set()
    if batch:
        yield batch


def judge_new(work: Work, batch: Iterable[Row], answers: Answers) -> list[Key]:
    """Have the batch's outputs judged that have no answer yet, and return which they were."""
    new: dict[Key, tuple[str, Row]] = {}
    for row in batch:
        key, prediction = work.key(row), work.predictions[row["id"]]
        if key in answers or key in new:
            continue
        if prediction.status != "ok":
            answers[key] = unscored(f"prediction: {prediction.status}")
        elif work.output == "image" and prediction.image:
            new[key] = (str(work.folder.path / prediction.image), row)
        elif work.output == "description" and prediction.text is not None:
            new[key] = (prediction.text, row)
        else:
            answers[key] = unscored(f"prediction without {work.output}")
    if not new:
        return []
    given = [text for text, _ in new.values()]
    references = [row["reference"] for _, row in new.values()]
    replies = work.judge.judge(given, references, cast(OutputKind, work.output))
    if len(replies) != len(new):
        raise ValueError(
            f"verdicts of {work.judge.name} must be one an output ({len(new)}), got {len(replies)}"
        )
    answers.update(zip(new, replies, strict=True))
    return list(new)


def verdict(work: Work, row: Row, answers: Answers) -> Verdict:
    """Return an example's verdict: the answer about its output, against its reference."""
    graded = regrade(answers[work.key(row)], row["id"], row["reference"])
    raw = {"output": work.outputs[row["id"]], **(graded.raw or {})}
    return Verdict(**{**vars(graded), "raw": raw})
