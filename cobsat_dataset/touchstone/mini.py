"""touchstone-mini: questions of our own on drawn pictures, which ship with the package.

`mini/CATEGORY.json` hold the questions in the paper's five categories and 27 subtasks, and
`mini/pictures/` what `cobsat.touchstone.drawing` drew. Scores on them say nothing of the official
questions, and no table has both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from .questions import Question
from .sources import MINI, QuestionSource
from .spec import CATEGORIES, SUBTASKS

__all__ = ["FOLDER", "mini_source", "read_mini"]

FOLDER: Final = Path(__file__).parent / "mini"

_TEXTS: Final = ("question", "annotation", "reference_answer", "subtask")
_LISTS: Final = ("images", "categories")


@lru_cache(maxsize=1)
def mini_source() -> QuestionSource:
    """Return the questions that ship, read once."""
    return read_mini(FOLDER)


def read_mini(folder: Path) -> QuestionSource:
    """Read questions and pictures of a folder of this form.

    Raises:
        FileNotFoundError: A file is missing.
        ValueError: An entry is not as it must be; the message names file and index.
    """
    questions: list[Question] = []
    whole = hashlib.sha256()
    for category in CATEGORIES:
        path = folder / f"{category}.json"
        try:
            data = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} must be JSON in UTF-8, got {error}") from error
        if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
            raise ValueError(f"{path} must be a list of questions, each an object")
        for entry in data:
            questions.append(_question(path, entry))
            whole.update(json.dumps(entry, sort_keys=True, ensure_ascii=False).encode())
            for picture in _files(questions[-1]):
                whole.update(hashlib.sha256(picture.read_bytes()).digest())
    indices = [question.index for question in questions]
    twice = sorted({index for index in indices if indices.count(index) > 1})
    if twice:
        raise ValueError(f"indices in {folder} must be each there once, got {twice[0]} twice")
    return QuestionSource(MINI, whole.hexdigest(), tuple(questions), _read, _cells)


def _question(path: Path, entry: Mapping[str, Any]) -> Question:
    where = f"question {entry.get('index')!r} in {path}"
    index = entry.get("index")
    if not isinstance(index, int) or isinstance(index, bool) or index < 1:
        raise ValueError(f"index of {where} must be an integer above 0")
    for key in _TEXTS:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise ValueError(f"{key} of {where} must be a text, got {entry.get(key)!r}")
    for key in _LISTS:
        given = entry.get(key)
        if not isinstance(given, list) or not given or not all(isinstance(v, str) for v in given):
            raise ValueError(f"{key} of {where} must be a list of names, got {given!r}")
    unknown = [name for name in entry["categories"] if name not in CATEGORIES]
    unknown += [name for name in [entry["subtask"]] if name not in SUBTASKS]
    if unknown:
        raise ValueError(
            f"categories and subtask of {where} must be the paper's, got {unknown[0]!r}"
        )
    if any(Path(name).name != name for name in entry["images"]):
        raise ValueError(f"images of {where} must be names of files, got {entry['images']!r}")
    pictures = path.parent / "pictures"
    return Question(
        id=f"{MINI}-{index}",
        index=index,
        images=tuple(str(pictures / name) for name in entry["images"]),
        question=entry["question"],
        annotation=entry["annotation"],
        reference_answer=entry["reference_answer"],
        categories=tuple(entry["categories"]),
        subtask=entry["subtask"],
    )


def _read(question: Question) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in _files(question))


def _cells(question: Question) -> dict[str, str]:
    return {
        "index": str(question.index),
        "question": question.question,
        "human_annotation": question.annotation,
        "gpt4_ha_answer": question.reference_answer,
        "category": ",".join(question.categories),
        "task_name": question.subtask,
    }


def _files(question: Question) -> Iterator[Path]:
    return (Path(str(image)) for image in question.images)
