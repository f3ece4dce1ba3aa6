"""A leaderboard's questions, each with its pictures and what all models answered, as plain data.

`templates/leaderboard.js` reads this form:

    questions  [{id, question, annotation, reference, categories, subtask, pictures, answers}]
    answers    [{run, sample, status, text, reason, outcome, marks, why, replies}]

`pictures` are numbers of thumbnails, or -1 where there is none. `marks` are the answer's and the
reference's mark of both rounds, `replies` the judge's own words by round.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from cobsat import Prediction
from cobsat.samples import sample_id
from cobsat.touchstone import DialogueVerdict, Question

from .leaderboard_data import Board, BoardRun
from .text import SHORT, shorten, visible
from .thumbnails import Pictures

LONGEST: Final = 8000
"""Characters that the page keeps of an answer: what is judged should be read to its end."""

Outcome: TypeAlias = Literal["win", "tie", "loss", "unscored", "failed", "judge-failed", "open"]


def board_gallery(board: Board, pictures: Pictures) -> list[dict[str, Any]]:
    """Return a board's questions and answers, and number the pictures that it shows."""
    return [_question(board, question, pictures) for question in board.questions]


def outcome(prediction: Prediction | None, verdict: DialogueVerdict | None) -> Outcome:
    """Return what became of an answer."""
    if prediction is not None and prediction.status != "ok":
        return "failed"
    if prediction is None or verdict is None:
        return "open"
    if verdict.status == "error":
        return "judge-failed"
    answer, reference = verdict.answer, verdict.reference
    if answer is None or reference is None:
        return "unscored"
    if answer == reference:
        return "tie"
    return "win" if answer > reference else "loss"


def _question(board: Board, question: Question, pictures: Pictures) -> dict[str, Any]:
    assert board.material is not None
    images = board.material.with_pictures(question).images
    numbers = [pictures.number(os.fspath(str(image))) for image in images]
    return {
        "id": _text(question.id, SHORT),
        "question": _text(question.question),
        "annotation": _text(question.annotation),
        "reference": _text(question.reference_answer),
        "categories": [_text(name, SHORT) for name in question.categories],
        "subtask": _text(question.subtask, SHORT),
        "pictures": [-1 if number is None else number for number in numbers],
        "answers": [
            _answer(place, run, sample_id(question.id, sample), sample)
            for place, run in enumerate(board.runs)
            for sample in range(1, run.settings.samples + 1)
        ],
    }


def _answer(place: int, run: BoardRun, name: str, sample: int) -> dict[str, Any]:
    prediction, verdict = run.predictions.get(name), run.verdicts.get(name)
    found: dict[str, Any] = {"run": place, "outcome": outcome(prediction, verdict)}
    if run.settings.samples > 1:
        found["sample"] = sample
    if prediction is not None:
        cut = prediction.finish_reason not in (None, "stop")
        reason = prediction.reason or (f"ended by {prediction.finish_reason}" if cut else None)
        found |= {"text": _text(prediction.text), "reason": _text(reason)}
    if verdict is not None:
        rounds = {"reference_first": verdict.reference_first, "answer_first": verdict.answer_first}
        found["marks"] = {order: list(marks) for order, marks in rounds.items() if marks}
        found["why"] = _text(verdict.reason)
        found["replies"] = {order: _reply(verdict.raw, order) for order in rounds}
    return {key: value for key, value in found.items() if value not in (None, {})}


def _reply(raw: Mapping[str, Any] | None, order: str) -> list[str]:
    """Return what the judge said in one round, replies without marks before it first."""
    said = (raw or {}).get(order)
    if not isinstance(said, Mapping):
        return []
    earlier = said.get("earlier")
    all_of_them = [*(earlier if isinstance(earlier, list) else ()), said]
    replies = (each.get("reply") for each in all_of_them if isinstance(each, Mapping))
    return [_text(reply) or "" for reply in replies if reply is not None]


def _text(text: object, longest: int = LONGEST) -> str | None:
    return None if text is None else visible(shorten(str(text), longest))
