"""The gallery's data: every example of every run, as tables of small numbers.

Texts, verdicts and prompts repeat, so each stands in a table once and rows point into it by
index (-1: there is none). `templates/gallery.js` reads this form:

    strings   texts
    verdicts  [state, object, attribute, object right, attribute right, reason]
    prompts   [id, task, shots, [[picture, text], ...], query text, target picture,
               object, attribute, target description]
    outputs   [run, prompt, status, text, picture, picture's address, reason, [verdict a judge]]

All but pictures (indices of thumbnails), shots, flags and statuses are indices into `strings`. In a
run of several samples an example's outputs follow one another, and each has two columns more: its
number from 1, and for each judge a flag whether it shows what the example's majority does.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

from cobsat import TASKS, Example, Prediction, Verdict
from cobsat.metrics.scores import outcome
from cobsat.metrics.self_consistency import majority
from cobsat.samples import split_sample_id

from .example_details import Details
from .report_data import Run
from .text import LONGEST, SHORT, shorten, visible
from .thumbnails import Pictures

NONE: Final = -1
STATUSES: Final = ("ok", "error", "blocked", "missing")
STATES: Final = ("scored", "unscored", "error")

_Item = TypeVar("_Item", bound=Hashable)


class _Table(Generic[_Item]):
    """Numbers distinct items in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[_Item, int] = {}

    def number(self, item: _Item | None) -> int:
        if item is None:
            return NONE
        return self.numbers.setdefault(item, len(self.numbers))


class _Strings(_Table[str]):
    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[str, int], int] = {}

    def text(self, text: object, longest: int = LONGEST) -> int:
        """Return a text's number, cleaned and shortened as the reader will see it."""
        if text is None:
            return NONE
        key = (str(text), longest)
        if key not in self._seen:
            self._seen[key] = self.number(visible(shorten(*key)))
        return self._seen[key]


def gallery(
    runs: Sequence[Run], judges: Sequence[str], pictures: Pictures, home: Path, details: Details
) -> dict[str, Any]:
    """Return the gallery's tables, and number the pictures that it shows.

    Args:
        runs: The runs, in the report's order.
        judges: Names of all judges, in the report's order.
        pictures: Takes the pictures of prompts and outputs.
        home: The report's folder, which addresses of pictures are relative to.
        details: Takes what the pages of single examples show besides.
    """
    strings = _Strings()
    verdicts: _Table[tuple[int, ...]] = _Table()
    prompts: _Table[tuple[Any, ...]] = _Table()
    outputs: list[list[Any]] = []
    for number, run in enumerate(runs):
        addresses: dict[str, tuple[Path | None, str | None]] = {}
        for name, samples in groupby(run.examples(), lambda e: split_sample_id(e["id"])[0]):
            ids: list[str] = []
            for example in samples:
                prompt = prompts.number(_prompt(example, name, strings, pictures))
                prediction = run.predictions.get(example["id"])
                row = [
                    number,
                    prompt,
                    *_output(run, prediction, strings, pictures, addresses, home),
                ]
                found = (run.verdicts.get(judge, {}).get(example["id"]) for judge in judges)
                row.append([verdicts.number(_verdict(verdict, strings)) for verdict in found])
                outputs.append(row)
                ids.append(example["id"])
                details.add(number, name, example)
            if run.settings.samples > 1:
                flags = [_in_majority(run, judge, ids) for judge in judges]
                for place, (row, output) in enumerate(zip(outputs[-len(ids) :], ids, strict=True)):
                    row += [split_sample_id(output)[1], [of_judge[place] for of_judge in flags]]
    return {
        "strings": list(strings.numbers),
        "verdicts": list(verdicts.numbers),
        "prompts": list(prompts.numbers),
        "outputs": outputs,
    }


def _in_majority(run: Run, judge: str, ids: Iterable[str]) -> list[int]:
    """Return for each of an example's outputs whether it shows what most of them do.

    As in the scores: there is no majority where of one output nothing is known.
    """
    verdicts = run.verdicts.get(judge, {})
    outcomes = {i: outcome(run.predictions.get(i), verdicts.get(i)) for i in ids}
    votes = [verdicts[i] if what == "scored" else None for i, what in outcomes.items()]
    won = None if {"missing", "judge_failed"} & set(outcomes.values()) else majority(votes)
    answers = [vote and (vote.object, vote.attribute) for vote in (won, *votes)]
    return [int(answer is not None and answer == answers[0]) for answer in answers[1:]]


def _prompt(example: Example, name: str, strings: _Strings, pictures: Pictures) -> tuple[Any, ...]:
    pieces = text_pieces(example)
    demonstrations = tuple(
        (_number(pictures, demonstration["image"], of_prompt=True), strings.text(piece))
        for demonstration, piece in zip(example["demonstrations"], pieces, strict=False)
    )
    reference = example["reference"]
    return (
        strings.text(name),
        strings.text(example["task"]),
        example["shots"],
        demonstrations,
        strings.text(pieces[-1]),
        _number(pictures, example["target_image"], of_prompt=True),
        strings.text(reference["object"]),
        strings.text(reference["attribute"]),
        strings.text(example["target_description"] or None),
    )


def text_pieces(example: Example) -> list[str]:
    """Return what a prompt says beside each demonstration's picture, and last, its query.

    Misleading words (App. D.1) stand in the messages only and are found there.
    """
    task = TASKS[example["task"]]
    latent = example["latent_variable"]
    said = "".join(
        part["text"] or "" for message in example["messages"] for part in message["content"]
    )
    words = [demonstration["text_input"] for demonstration in example["demonstrations"]]
    pieces: list[str] = []
    for word in (*words, example["query"]):
        piece = task.theme.text(word)
        if example["prompt_type"] == "exact":
            piece = " ".join(task.theme.text(half) for half in task.label(word, latent))
        elif example["prompt_type"] == "misleading":
            others = (f"{piece} {task.theme.text(other)}" for other in task.latents)
            piece = next((other for other in others if f"{other}: " in said), piece)
        pieces.append(f"{piece}:")
    return pieces


def _number(pictures: Pictures, image: object, *, of_prompt: bool = False) -> int:
    number = pictures.number(image, of_prompt=of_prompt) if isinstance(image, str) else None
    return NONE if number is None else number


def _output(
    run: Run,
    prediction: Prediction | None,
    strings: _Strings,
    pictures: Pictures,
    addresses: dict[str, tuple[Path | None, str | None]],
    home: Path,
) -> list[Any]:
    if prediction is None:
        return [STATUSES.index("missing"), NONE, NONE, NONE, NONE]
    number, address, reason = NONE, None, prediction.reason
    if prediction.finish_reason not in (None, "stop") and not reason:
        reason = f"ended by {prediction.finish_reason}"
    if isinstance(prediction.image, str):
        if prediction.image not in addresses:
            addresses[prediction.image] = inside(run.folder.path, prediction.image, home)
        path, address = addresses[prediction.image]
        if path is not None:
            number = _number(pictures, str(path))
        if number == NONE:
            address = None
            reason = reason or f"no picture {prediction.image!r} in the run folder"
    status = prediction.status if prediction.status in STATUSES else "error"
    return [
        STATUSES.index(status),
        strings.text(prediction.text),
        number,
        strings.number(address),
        strings.text(reason),
    ]


def inside(folder: Path, name: str, home: Path) -> tuple[Path | None, str | None]:
    """Return a file of a run folder and its address from `home`, or None for a file elsewhere.

    A line of `predictions.jsonl` names any path it likes: one that leaves the folder is not read.
    """
    try:
        root, path = folder.resolve(), (folder / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return None, None
        address = os.path.relpath(path, home.resolve())
        return path, "./" + quote(Path(address).as_posix())
    except (OSError, ValueError):  # a name too long or with a null byte, or on another drive
        return None, None


def _verdict(verdict: Verdict | None, strings: _Strings) -> tuple[int, ...] | None:
    if verdict is None:
        return None
    return (
        STATES.index(verdict.status if verdict.status in STATES else "unscored"),
        strings.text(verdict.object, SHORT),
        strings.text(verdict.attribute, SHORT),
        _flag(verdict.object_correct),
        _flag(verdict.attribute_correct),
        strings.text(verdict.reason),
    )


def _flag(value: object) -> int:
    return int(value) if isinstance(value, bool) else NONE
