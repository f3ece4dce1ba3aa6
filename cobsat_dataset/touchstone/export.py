"""Export TouchStone's questions as Parquet files with a dataset card.

    cobsat export --benchmark touchstone-mini --out export/
    load_dataset("export", split="test")      # the rows of load_dataset("touchstone-mini")

Rows have all columns of the builder's, and a config is one file, as it is one data set there: a
question is in the files of its categories, and in that of all.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from cobsat.export_card import dataset_card, eval_yaml
from cobsat.export_files import (
    IMAGE,
    INT,
    STRING,
    ExportedSplit,
    chat,
    new_folder,
    stored,
    strings,
    write_rows,
)
from cobsat.spec import choose
from PIL import Image, UnidentifiedImageError

from .questions import Question, row
from .sources import MINI, OFFICIAL, QuestionSource, question_source
from .spec import CATEGORIES, CITATION

__all__ = ["COLUMNS", "export_touchstone"]

_ASKED: Final = {
    **strings("question", "annotation", "reference_answer"),
    "categories": [STRING],
    "subtask": STRING,
}
COLUMNS: Final[dict[str, Any]] = {
    "id": STRING,
    "index": INT,
    "output": STRING,
    "images": [IMAGE],
    **_ASKED,
    "messages": chat({**strings("type", "text"), "image": IMAGE}),
    "followup": STRING,
    "reference": {"id": STRING, **_ASKED},
    "source": strings("name", "digest"),
}


def export_touchstone(
    out: Path, benchmark: str, images: str | None = None, configs: Iterable[str] | None = None
) -> tuple[list[ExportedSplit], bool]:
    """Write a source's questions into a new folder, with a card; what fails leaves nothing there.

    Args:
        out: The folder; it must not exist, or be empty.
        benchmark: "touchstone-mini" or "touchstone".
        images: Of "touchstone": "official" or a TSV file.
        configs: "all", categories or patterns of them; by default all that have questions.

    Returns:
        What was written, and whether its questions and pictures are this package's own.

    Raises:
        FileExistsError: The folder is not empty.
        ValueError: A config is unknown or has no questions, or a picture cannot be decoded.
    """
    if benchmark == MINI and images not in (None, MINI):
        raise ValueError(
            f"images of {MINI} must be left out, got {images!r}: --benchmark touchstone takes a "
            "file of questions"
        )
    source = question_source(
        MINI if benchmark == MINI else images or OFFICIAL, instead="--images FILE"
    )
    there = [name for name in ("all", *CATEGORIES) if _questions(source, name)]
    names = there if not configs else _matching(configs, there)
    written: list[ExportedSplit] = []
    with new_folder(out):
        asked = {q.index: q for name in names for q in _questions(source, name)}
        rows = {index: _row(source, question) for index, question in asked.items()}
        for name in names:
            of_config = [rows[question.index] for question in _questions(source, name)]
            file = write_rows(out, f"data/{name}.parquet", of_config, COLUMNS)
            written.append(ExportedSplit(name, "test", (file,), COLUMNS))
        ours = source.name == MINI
        (out / "README.md").write_text(_card(written, source, ours), encoding="utf-8")
        tasks = {_task(benchmark, name): (name, "test") for name in names}
        (out / "eval.yaml").write_text(_eval_yaml(benchmark, tasks), encoding="utf-8")
    return written, ours


def _questions(source: QuestionSource, config: str) -> tuple[Question, ...]:
    return source.of_category(None if config == "all" else config)


def _task(benchmark: str, config: str) -> str:
    """Return what runs call a config, and so the results of models."""
    return benchmark if config == "all" else f"{benchmark}-{config}"


def _matching(patterns: Iterable[str], there: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = fnmatch.filter(there, pattern)
        found.update(dict.fromkeys(matching or [choose("config", pattern, there)]))
    return [name for name in there if name in found]


def _row(source: QuestionSource, question: Question) -> dict[str, Any]:
    with_pictures = source.with_pictures(question)
    made: dict[str, Any] = dict(row(with_pictures, source.origin))
    pictures = {path: _picture(str(path), question.id) for path in with_pictures.images}
    made["images"] = [pictures[path] for path in made["images"]]
    for message in made["messages"]:
        message["content"] = [
            {**part, "image": pictures[part["image"]] if part["image"] else None}
            for part in message["content"]
        ]
    return made


def _picture(path: str, name: str) -> dict[str, Any]:
    try:
        with Image.open(path):
            return stored(path)
    except (FileNotFoundError, UnidentifiedImageError) as error:
        raise ValueError(
            f"pictures of {name} must be ones that can be decoded, got {Path(path).name}"
        ) from error


def _card(written: Sequence[ExportedSplit], source: QuestionSource, ours: bool) -> str:
    counts = [
        (category.title, len(source.of_category(name))) for name, category in CATEGORIES.items()
    ]
    return dataset_card(
        "touchstone_card.md.j2",
        written,
        title="TouchStone-mini" if ours else "TouchStone",
        tasks=("visual-question-answering", "image-text-to-text"),
        tags=("visual-dialogue", "llm-as-a-judge", "multimodal"),
        ours=ours,
        source=source,
        questions=len(source.questions),
        pictures=sum(max(1, len(question.images)) for question in source.questions),
        subtasks=len({question.subtask for question in source.questions}),
        categories=counts,
        in_none=sum(
            not set(question.categories) & set(CATEGORIES) for question in source.questions
        ),
        citation=CITATION.strip(),
    )


def _eval_yaml(benchmark: str, tasks: dict[str, tuple[str, str]]) -> str:
    title = "TouchStone-mini" if benchmark == MINI else "TouchStone"
    return eval_yaml(
        title,
        "Open questions about pictures, in five categories of abilities. A language model marks an "
        "answer beside a reference answer, with an annotation in the picture's place; the score is "
        "the mean mark times 100.",
        tasks,
    )
