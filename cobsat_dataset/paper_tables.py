"""The accuracies of the paper's Tables 2 to 6 and the authors' results, to set beside one's own.

They were measured on the official pictures: beside scores on others they mean nothing.

| table | what |
|---|---|
| `table2` | pictures, and captions in their place (Sec. 6.1) |
| `table3` | precise textual inputs (Sec. 6.2) |
| `table4` | fine-tuned Qwen-VL, on the split of Sec. 7.1 |
| `table5`, `table6` | chain of thought, articulated instructions (Sec. 7.2, 7.3) |
| `authors` | ten models' descriptions at 2 shots, the `_i` tasks, from the authors' repository |
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

__all__ = ["PaperScore", "paper_scores"]

_FILE: Final = Path(__file__).parent / "paper" / "tables.csv"


@dataclass(frozen=True)
class PaperScore:
    """One number of the paper.

    Attributes:
        table: Where it stands: "table4"; "authors" for their repository.
        model: As the paper names it.
        output: "image" or "description".
        shots: Demonstrations in a prompt.
        method: "default", "caption", "exact", "default+finetuned", "cot", "instruct", ….
        split: The split that it is measured on.
        task: The task.
        accuracy: From 0 to 1.
    """

    table: str
    model: str
    output: str
    shots: int
    method: str
    split: str
    task: str
    accuracy: float


@cache
def paper_scores(table: str) -> tuple[PaperScore, ...]:
    """Return the numbers of a table, in its order.

    >>> paper_scores("table4")[0].accuracy
    0.54
    """
    with open(_FILE, newline="", encoding="utf-8") as file:
        return tuple(_score(row) for row in csv.DictReader(file) if row["table"] == table)


def _score(row: dict[str, Any]) -> PaperScore:
    return PaperScore(
        **{**row, "shots": int(row["shots"]), "accuracy": float(row["accuracy"])},
    )
