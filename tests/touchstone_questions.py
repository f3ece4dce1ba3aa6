"""Small sources of TouchStone's questions: a folder like `mini/`, and files of the official form.

mini(folder) writes eight questions, two of them in two categories, two with several pictures, and
shipping(folder) has `touchstone-mini` be these; tsv() writes as many rows as are wanted, official()
the 908 with the paper's shares.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cobsat.touchstone import CATEGORIES, QuestionSource
from cobsat.touchstone import mini as shipped
from cobsat.touchstone.question_file import COLUMNS
from cobsat.touchstone.tsv import write_table
from PIL import Image

TITLES = {name: category.title for name, category in CATEGORIES.items()}

OFFICIAL_COUNTS = {
    "description": 139,
    "recognition": 400,
    "comprehension": 269,
    "storytelling": 67,
    "multi_image": 33,
}
"""The only whole numbers that add up to 908 and round to the paper's shares."""


def picture(number: int, kind: str = "PNG") -> bytes:
    """Return the file of a tiny picture, another one for each number."""
    buffer = io.BytesIO()
    color = (number % 256, number // 256, 99)
    Image.new("RGB", (12, 8), color).save(
        buffer, kind, **({"lossless": True} if kind == "WEBP" else {})
    )
    return buffer.getvalue()


MINI: dict[str, list[dict[str, Any]]] = {
    "description": [
        {"index": 1, "images": ["a.webp"], "question": "What is there?",
         "annotation": "A red square.", "reference_answer": "A square, red.",
         "categories": ["description"], "subtask": "simple description"},
        {"index": 2, "images": ["b.webp"], "question": "Say more.",
         "annotation": "A blue square.", "reference_answer": "None",
         "categories": ["description"], "subtask": "detailed description"},
    ],
    "recognition": [
        {"index": 101, "images": ["a.webp"], "question": "Which color?",
         "annotation": "A red square.", "reference_answer": "1e5",
         "categories": ["recognition"], "subtask": "attribute QA"},
        {"index": 102, "images": ["c.webp"], "question": "What does \"NA\" mean\there?",
         "annotation": "A sign:\n\"NA\"", "reference_answer": "NA",
         "categories": ["recognition", "comprehension"], "subtask": "text recognition"},
    ],
    "comprehension": [
        {"index": 301, "images": ["c.webp"], "question": "Why?",
         "annotation": "A sign: \"NA\"", "reference_answer": "Because.",
         "categories": ["comprehension"], "subtask": "reasoning QA"},
    ],
    "storytelling": [
        {"index": 501, "images": ["b.webp"], "question": "Write a poem: 詩",
         "annotation": "A blue square.", "reference_answer": "Blue,\nsquare,\nhere.",
         "categories": ["storytelling", "comprehension"], "subtask": "poetry"},
    ],
    "multi_image": [
        {"index": 601, "images": ["a.webp", "b.webp", "c.webp"], "question": "Compare them.",
         "annotation": "Three squares.", "reference_answer": "They differ in color.",
         "categories": ["multi_image"], "subtask": "comparing two/multiple images"},
        {"index": 602, "images": ["b.webp", "c.webp"], "question": "Sum up.",
         "annotation": "Two squares.", "reference_answer": "Squares.",
         "categories": ["multi_image"], "subtask": "summarizing multiple image information"},
    ],
}  # fmt: skip


def mini(folder: Path) -> Path:
    """Write a folder like `mini/` and return it."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(("a", "b", "c"), start=1):
        (folder / "pictures" / f"{name}.webp").write_bytes(picture(number, "WEBP"))
    for category, entries in MINI.items():
        (folder / f"{category}.json").write_text(json.dumps(entries, ensure_ascii=False), "utf-8")
    return folder


def cells(index: int, category: str = "recognition", /, **changes: str) -> dict[str, str]:
    """Return the cells of one row of the official form."""
    subtask = CATEGORIES[category.split(",")[0]].subtasks[0]
    return {
        "index": str(index),
        "image": base64.b64encode(picture(index % 7)).decode(),
        "question": f"What is question {index}?",
        "human_annotation": f"Annotation {index}.",
        "gpt4_ha_answer": f"Reference {index}.",
        "category": ", ".join(TITLES[name] for name in category.split(",")),
        "task_name": subtask,
        **changes,
    }


def tsv(path: Path, rows: Sequence[dict[str, str]]) -> Path:
    """Write a file of the official form, in the columns' official order."""
    write_table(path, COLUMNS, rows)
    return path


def official(path: Path) -> Path:
    """Write 908 rows with the paper's shares."""
    names = [name for name, count in OFFICIAL_COUNTS.items() for _ in range(count)]
    return tsv(path, [cells(index, name) for index, name in enumerate(names)])


@contextmanager
def shipping(folder: Path) -> Iterator[QuestionSource]:
    """Let `touchstone-mini` be the questions of a folder like `mini/`."""
    before = shipped.FOLDER
    shipped.FOLDER = mini(folder)  # type: ignore[misc]
    shipped.mini_source.cache_clear()
    try:
        yield shipped.mini_source()
    finally:
        shipped.FOLDER = before  # type: ignore[misc]
        shipped.mini_source.cache_clear()
