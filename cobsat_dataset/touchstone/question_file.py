"""The official file of questions, and files of its form: typed, checked, pictures left in place.

Source: TouchStone, Sec. 3.1; the released `touchstone_20230831.tsv`. Its spelling of categories and
tasks is mapped to the paper's by their telling words.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..card_parts import visible
from .questions import Question
from .sources import OFFICIAL, QuestionSource
from .spec import CATEGORIES, OFFICIAL_QUESTIONS, SUBTASKS
from .tsv import TableRow, read_row, read_table

__all__ = ["COLUMNS", "categories_of", "read_questions", "subtask_of", "unverified"]

COLUMNS: Final = (
    "index",
    "image",
    "question",
    "human_annotation",
    "gpt4_ha_answer",
    "category",
    "task_name",
)

_TELLING: Final = {
    "descri": "description",
    "recogni": "recognition",
    "comprehen": "comprehension",
    "story": "storytelling",
    "multi": "multi_image",
}
_SEPARATORS: Final = "[,;|/\n\uff0c\uff1b\u3001]"
_SHOWN: Final = 8
_ROUNDING: Final = 0.051
"""The paper's shares have one decimal."""

_UNTOLD: Final = frozenset({"and", "or", "the", "of", "s", "visual", "ability"})


@dataclass(frozen=True)
class _Cells:
    """Reads pictures from where the rows of a file are."""

    columns: tuple[str, ...]
    rows: Mapping[int, TableRow]

    def read(self, question: Question) -> tuple[bytes, ...]:
        """Return a question's picture; ValueError if the cell is none."""
        cell = self._row(question)["image"]
        try:
            return (_decoded(cell),)
        except (ValueError, binascii.Error) as error:
            where = self.rows[question.index].where("image")
            raise ValueError(f"{where} must be base64, got {error}") from error

    def texts(self, question: Question) -> dict[str, str]:
        """Return a question's cells as they are, without the picture."""
        row = self._row(question)
        return {column: row[column] for column in COLUMNS if column != "image"}

    def _row(self, question: Question) -> dict[str, str]:
        cells = read_row(self.rows[question.index], self.columns)
        return dict(zip(self.columns, cells, strict=True))


def read_questions(path: Path) -> QuestionSource:
    """Read a file of questions; its name is "official" if it is verified to be.

    A category or subtask that the paper does not name stays as it is, with a warning.

    Raises:
        ValueError: A row is broken, or its cell in a column; the message names both.
    """
    questions: list[Question] = []
    rows: dict[int, TableRow] = {}
    unknown: dict[str, dict[str, int]] = {"categories": {}, "subtasks": {}}
    columns: tuple[str, ...] = ()
    for row in read_table(path, COLUMNS):
        columns = tuple(row.cells)
        question = _question(row)
        if question.index in rows:
            raise ValueError(
                f"{row.where('index')} must be its own, got {question.index}, which row "
                f"{rows[question.index].number} has"
            )
        for name in question.categories:
            if name not in CATEGORIES:
                unknown["categories"].setdefault(name, row.number)
        if question.subtask not in SUBTASKS:
            unknown["subtasks"].setdefault(question.subtask, row.number)
        rows[question.index] = TableRow(path, row.number, {}, row.start, row.size)
        questions.append(question)
    if not questions:
        raise ValueError(f"{path} must hold questions, got none")
    for what, found in unknown.items():
        if found:
            warnings.warn(
                visible(f"{path}: {what} that the paper does not name: {_some(found)}"),
                stacklevel=2,
            )
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    problem = unverified(questions)
    cells = _Cells(columns, rows)
    return QuestionSource(
        name=f"file:{path.name}" if problem else OFFICIAL,
        digest=digest,
        questions=tuple(questions),
        read=cells.read,
        cells=cells.texts,
        unverified=problem,
    )


def _some(found: Mapping[str, int]) -> str:
    names = [f"{name[:60]!r} (row {number})" for name, number in found.items()]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _question(row: TableRow) -> Question:
    index = row.index()
    row.text("image")
    return Question(
        id=f"touchstone-{index}",
        index=index,
        images=(),
        question=row.text("question"),
        annotation=row.text("human_annotation"),
        reference_answer=row.text("gpt4_ha_answer"),
        categories=_categories(row),
        subtask=subtask_of(row.text("task_name")),
    )


def _categories(row: TableRow) -> tuple[str, ...]:
    try:
        return categories_of(row.text("category"))
    except ValueError as error:
        raise ValueError(f"{row.where('category')}: {error}") from error


def categories_of(cell: str) -> tuple[str, ...]:
    """Return the keys of the categories that a cell names, separated by commas or the like.

    What is none of them, or of which it cannot be told which one it is, stays as it is.

    Raises:
        ValueError: It names none.

    >>> categories_of("Visual Recognition Ability, multi-image analysis, Smell")
    ('recognition', 'multi_image', 'Smell')
    """
    found: dict[str, None] = {}
    for name in filter(None, (part.strip() for part in re.split(_SEPARATORS, cell))):
        keys = [key for word, key in _TELLING.items() if word in name.casefold()]
        found[keys[0] if len(keys) == 1 else name] = None
    if not found:
        raise ValueError(f"a category must be named, got {cell!r}")
    return tuple(found)


def subtask_of(cell: str) -> str:
    """Return the paper's name of the subtask that a cell names; without one, the cell itself.

    >>> subtask_of("Movie & TV Recognition"), subtask_of("Origami")
    ('movie/TV recognition', 'Origami')
    """
    words = _words(cell)
    return next((name for name in SUBTASKS if _words(name) == words), cell.strip())


def _words(name: str) -> frozenset[str]:
    found = re.findall(r"[^\W_]+", name.casefold())
    return frozenset(word.removesuffix("s") for word in found if word not in _UNTOLD)


def unverified(questions: Sequence[Question]) -> str:
    """Return in what questions are not the paper's; empty where they are.

    The paper does not say whether a question of two categories counts in both shares: either way
    of counting will do.
    """
    if len(questions) != OFFICIAL_QUESTIONS:
        return f"{len(questions):,} questions, not {OFFICIAL_QUESTIONS}"
    first = Counter(question.categories[0] for question in questions)
    each = Counter(name for question in questions for name in question.categories)
    if any(_has_the_papers_shares(counts) for counts in (first, each)):
        return ""
    got = ", ".join(f"{name} {100 * first[name] / first.total():.1f}%" for name in CATEGORIES)
    paper = ", ".join(f"{category.share}%" for category in CATEGORIES.values())
    return f"shares {got}, where the paper has {paper}"


def _has_the_papers_shares(counts: Counter[str]) -> bool:
    total = counts.total()
    return all(
        abs(100 * counts[name] / total - category.share) < _ROUNDING
        for name, category in CATEGORIES.items()
    )


def _decoded(cell: str) -> bytes:
    """Return the bytes of base64, which may be a data URL and may have line breaks."""
    text = re.sub(r"\s+", "", re.sub(r"^\s*data:[^,]*,", "", cell))
    return base64.b64decode(text, validate=True)
