"""People's verdicts in a run folder: `labels/PERSON.csv`, a table that any spreadsheet opens.

    id,object,attribute,output
    color_i-2shot-test-0007,car,red,3f2c9a51b0de4c77
    color_i-2shot-test-0012,car,unclear,90ab13c2d4e5f607

The columns id, object and attribute suffice, in any order; others are left alone. The words are
those of Table 1. `unclear` (or one cell left empty) says that it is none of the ten, or cannot be
told; a row with both cells empty is not filled in yet. The last row of an id counts, so that a
person may change their mind. `cobsat label` writes `output` too, the digest of what was looked at:
a label about another output than the one that is there now does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cobsat.spec import Theme, nearest

from .label_table import add_rows, labels_path, people, read_rows

__all__ = ["UNCLEAR", "Label", "add_labels", "labels_path", "people", "read_labels"]

UNCLEAR: Final = "unclear"
NEEDED: Final = ("id", "object", "attribute")


@dataclass(frozen=True)
class Label:
    """What a person says of one output.

    Attributes:
        id: The example's id.
        object: The object that the person saw, a word of Table 1; "" if it is unclear.
        attribute: The attribute, likewise.
        output: Digest of the output that the person looked at, where it was written down.
    """

    id: str
    object: str
    attribute: str
    output: str | None = None


def read_labels(path: Path, themes: Mapping[str, Theme]) -> tuple[dict[str, Label], list[str]]:
    """Return a person's labels by id, and what was wrong without being an error.

    Args:
        path: The table; byte order mark, semicolons or tabs, and any line ends are fine.
        themes: The themes of the run's examples, by id.

    Raises:
        ValueError: It is no such table, or a row's id or word is unknown; the message says in
            which line.
    """
    rows, problems = read_rows(path, NEEDED)
    return {row["id"]: _label(row, themes, where) for row, where in rows}, problems


def add_labels(path: Path, labels: Iterable[Label]) -> None:
    """Append labels, all in one step; what this returned from is on disk.

    Raises:
        ValueError: The file is no table of labels, or not in UTF-8.
    """
    rows = (
        {
            "id": label.id,
            "object": label.object or UNCLEAR,
            "attribute": label.attribute or UNCLEAR,
            "output": label.output or "",
        }
        for label in labels
    )
    add_rows(path, NEEDED, rows)


def _label(row: Mapping[str, str], themes: Mapping[str, Theme], where: str) -> Label:
    theme = themes.get(row["id"])
    if theme is None:
        raise ValueError(f"{where}: id must be an example's of this run, got {row['id'][:200]!r}")
    words = [
        _word(row[kind], options, theme, f"{where}: {kind}")
        for kind, options in (("object", theme.objects), ("attribute", theme.attributes))
    ]
    return Label(row["id"], words[0], words[1], row.get("output") or None)


def _word(cell: str, options: Sequence[str], theme: Theme, what: str) -> str:
    """Return a word of Table 1, or "" for what is unclear."""
    said = " ".join(cell.lower().split())
    if said in ("", UNCLEAR):
        return ""
    by_text = {theme.text(option): option for option in options}
    if said in options or said in by_text:
        return by_text.get(said, said)
    raise ValueError(
        f"{what} must be one of {', '.join(options)}, or {UNCLEAR}, got {cell[:200]!r}"
        f"{nearest(said[:200], options)}"
    )
