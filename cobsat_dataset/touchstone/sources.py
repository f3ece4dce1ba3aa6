"""Question sources: where the questions and pictures of TouchStone come from.

    from cobsat.touchstone import question_source
    source = question_source("touchstone-mini")

A source is `touchstone-mini`, which ships with the package (`mini.py`), `official`, the authors'
file, or another file of its form (`question_file.py`). Its questions are read at once; a picture
only when it is asked for, and then it lies as a file in the cache of `datasets`, named by its
content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import datasets
from cobsat.examples import Source

from .questions import Question

__all__ = ["MINI", "OFFICIAL", "QuestionSource", "question_source"]

MINI: Final = "touchstone-mini"
OFFICIAL: Final = "official"

_SUFFIXES: Final = {
    b"\xff\xd8\xff": ".jpg",
    b"\x89PNG": ".png",
    b"GIF8": ".gif",
    b"RIFF": ".webp",
    b"BM": ".bmp",
}
"""How files of pictures begin, and how their names end."""


@dataclass(frozen=True, eq=False)
class QuestionSource:
    """Questions, and how their pictures are read.

    Attributes:
        name: "touchstone-mini"; "official" for a file that was verified; else "file:NAME".
        digest: SHA-256 of all questions and pictures.
        questions: In the file's order. Without `images` where these are cells of a file.
        read: Returns the bytes of a question's pictures; raises ValueError where there are none.
        cells: Returns a question's texts as the official file has them, by its columns.
        unverified: Why a file is not the official one; empty where it is.
    """

    name: str
    digest: str
    questions: tuple[Question, ...]
    read: Callable[[Question], tuple[bytes, ...]]
    cells: Callable[[Question], dict[str, str]]
    unverified: str = ""

    @property
    def origin(self) -> Source:
        """What a row says of its source."""
        return {"name": self.name, "digest": self.digest}

    def of_category(self, category: str | None) -> tuple[Question, ...]:
        """Return the questions of one category, in order; of all without one."""
        if category is None:
            return self.questions
        return tuple(q for q in self.questions if category in q.categories)

    def with_pictures(self, question: Question, cache: Path | None = None) -> Question:
        """Return a question whose pictures are paths of files.

        What cannot be read is the path of a file that there is not, named after the question:
        whoever opens it fails, at this one question.

        Args:
            question: A question of this source.
            cache: Where files of one's own are wanted; by default pictures that are files stay
                where they are, and others go to the cache of `datasets`.
        """
        if question.images and cache is None:
            return question
        home = self.home((cache or Path(datasets.config.HF_DATASETS_CACHE)).absolute())
        try:
            images = tuple(_stored(data, question, home) for data in self.read(question))
        except ValueError:
            images = (str(home / f"{question.id}-has-no-picture-that-can-be-decoded"),)
        return replace(question, images=images)

    def home(self, cache: Path) -> Path:
        """Return the folder of a cache that holds this source's pictures."""
        return cache / "touchstone_pictures" / self.digest[:16]


def _stored(data: bytes, question: Question, home: Path) -> str:
    """Return the path of a picture's file, written whole if it is not there."""
    suffix = next((end for start, end in _SUFFIXES.items() if data.startswith(start)), "")
    name = hashlib.sha256(data).hexdigest()[:24] + suffix
    path = home / (name if suffix else f"{question.id}-is-no-picture-{name}")
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        partial.write_bytes(data)
        os.replace(partial, path)
    return str(path)


def question_source(
    images: str = MINI,
    *,
    verify: bool = False,
    named: str = "images of TouchStone",
    instead: str = "data_files=…, --images …",
) -> QuestionSource:
    """Return a question source by its name, or by the path of a file of the official form.

    Args:
        images: "touchstone-mini", "official" or a path.
        verify: Whether a file must be the official one; else its name and `unverified` say so.
        named: What a message calls `images`.
        instead: How a message says that a local copy of the official file is given.

    Raises:
        FileNotFoundError: The file is missing or cannot be had.
        ValueError: It cannot be read, or is not the official one and had to be.
    """
    from .mini import mini_source
    from .official import official_tsv

    if images == MINI:
        return mini_source()
    path = (official_tsv(instead) if images == OFFICIAL else Path(images)).expanduser().resolve()
    if not path.is_file():
        got = "a folder" if path.is_dir() else "no such file"
        raise FileNotFoundError(
            f"{named} must be {MINI}, {OFFICIAL} or a TSV file of the official form, "
            f"got {os.fspath(path)!r}, {got}"
        )
    state = path.stat()
    source = _read_once(path, state.st_mtime_ns, state.st_size)
    if source.unverified and (verify or images == OFFICIAL):
        raise ValueError(
            f"{path} must be the official questions, got {source.unverified}: another file of this "
            "form is named by its path (in load_dataset also with verify=False)"
        )
    return source


@lru_cache(maxsize=4)
def _read_once(path: Path, modified: int, size: int) -> QuestionSource:
    from .question_file import read_questions

    return read_questions(path)
