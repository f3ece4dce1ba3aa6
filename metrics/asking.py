"""What a judge is asked about a run: each output once, however many examples hold it.

Of CoBSAT an output is judged once a theme, of TouchStone once a question. The answer is then graded
for each example. Several processes deal out the outputs, not the examples, so that none is judged
twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final, TypeAlias

from cobsat.chat_replies import add_usage
from cobsat.run_folder import Prediction

from .procedure import AnyVerdict, Row, Work

__all__ = [
    "Answers",
    "Key",
    "batches",
    "given",
    "judge_new",
    "known_answers",
    "settle",
    "shares",
    "verdict",
    "verdict_usage",
]

_LINES_AT_ONCE: Final = 1000
"""So many verdicts are written together at most, however few outputs had to be judged for them."""

Key: TypeAlias = tuple[str, str]
"""An output's fingerprint, and what it is judged in: a theme, or a question."""

Answers: TypeAlias = dict[Key, AnyVerdict]


def known_answers(work: Work, rows: Iterable[Row], verdicts: Mapping[str, AnyVerdict]) -> Answers:
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
    work: Work,
    rows: Iterable[Row],
    answers: Answers,
    batch_size: int,
    room: Callable[[], int] = lambda: sys.maxsize,
) -> Iterator[list[Row]]:
    """Yield rows in order, each time as many as hold `batch_size` outputs without an answer.

    `room` says how many more outputs may be judged at all. Half of them are taken at a time, so
    that the last, whose price is only guessed at, are judged one by one; and no more than were
    judged before, for the first may have been cheap ones.
    """
    batch: list[Row] = []
    new: set[Key] = set()
    asked = 0

    def size() -> int:
        left = room()
        return batch_size if left == sys.maxsize else min(batch_size, (left + 1) // 2, asked or 1)

    most = size()
    for row in rows:
        key = work.key(row)
        if key not in answers and key not in new:
            if not most:
                continue
            new.add(key)
        batch.append(row)
        if len(new) == most or len(batch) == _LINES_AT_ONCE:
            asked += len(new)
            yield batch
            batch, new = [], set()
            most = size()
    if batch:
        yield batch


def settle(work: Work, batch: Iterable[Row], answers: Answers) -> None:
    """Add the answers about outputs that nobody need be asked about: there are none."""
    for row in batch:
        key, prediction = work.key(row), work.predictions[row["id"]]
        if key in answers or given(work, prediction) is not None:
            continue
        reason = f"prediction without {work.output}"
        if prediction.status != "ok":
            reason = f"prediction: {prediction.status}"
        elif prediction.text is not None and work.procedure.empty:
            reason = work.procedure.empty
        answers[key] = work.procedure.unscored(reason)


def given(work: Work, prediction: Prediction) -> str | None:
    """Return what the judge is given: a picture's path, or a text; None if there is nothing."""
    if prediction.status != "ok":
        return None
    if work.output == "image":
        return str(work.folder.path / prediction.image) if prediction.image else None
    if work.procedure.empty and not (prediction.text or "").strip():
        return None
    return prediction.text


def judge_new(
    work: Work, batch: Iterable[Row], answers: Answers
) -> Generator[list[Key], None, None]:
    """Have the batch's outputs judged that have no answer yet, and yield which have one now."""
    new: dict[Key, tuple[str, Row]] = {}
    for row in batch:
        output = given(work, work.predictions[row["id"]])
        if output is not None and work.key(row) not in answers:
            new.setdefault(work.key(row), (output, row))
    if not new:
        return
    keys = list(new)
    with closing(_replies(work, list(new.values()))) as replies:
        for found in replies:
            answers.update((keys[place], reply) for place, reply in found)
            yield [keys[place] for place, _ in found]


def _replies(
    work: Work, outputs: Sequence[tuple[str, Row]]
) -> Generator[list[tuple[int, Any]], None, None]:
    """Yield a judge's verdicts with the places of their outputs, as soon as it says them."""
    judge: Any = work.judge
    texts, references = [text for text, _ in outputs], [row["reference"] for _, row in outputs]
    if not hasattr(judge, "judge_each"):
        replies = judge.judge(texts, references, work.output)
        _check_count(work, len(replies), len(outputs))
        yield list(enumerate(replies))
        return
    count = 0
    with closing(judge.judge_each(texts, references, work.output)) as each:
        for place, reply in each:
            count += 1
            yield [(place, reply)]
    _check_count(work, count, len(outputs))


def _check_count(work: Work, got: int, wanted: int) -> None:
    if got != wanted:
        raise ValueError(
            f"verdicts of {work.judge.name} must be one an output ({wanted}), got {got}"
        )


def verdict(work: Work, row: Row, answers: Answers) -> AnyVerdict:
    """Return an example's verdict: the answer about its output, graded for it."""
    graded = work.procedure.grade(answers[work.key(row)], row)
    return replace(graded, raw={"output": work.outputs[row["id"]], **(graded.raw or {})})


def verdict_usage(answer: AnyVerdict) -> dict[str, float] | None:
    """Return the tokens that an answer took, as the judge says; None where it says nothing."""
    said = (part.get("usage") for part in (answer.raw or {}).values() if isinstance(part, dict))
    return add_usage(*(_counts(usage) for usage in said))


def _counts(usage: Any) -> dict[str, float]:
    counts = usage.items() if isinstance(usage, dict) else ()
    return {name: count for name, count in counts if isinstance(count, int | float)}
