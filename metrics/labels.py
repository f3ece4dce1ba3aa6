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

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cobsat.run_folder import RunFolder, safe_name
from cobsat.spec import Theme, nearest

__all__ = ["UNCLEAR", "Label", "add_labels", "labels_path", "people", "read_labels"]

UNCLEAR: Final = "unclear"
NEEDED: Final = ("id", "object", "attribute")
COLUMNS: Final = (*NEEDED, "output")
_HEADER: Final = (",".join(COLUMNS) + "\n").encode()
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


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


def labels_path(folder: RunFolder, person: str) -> Path:
    """Return the path of a person's labels."""
    return folder.path / "labels" / f"{safe_name(person)}.csv"


def people(folder: RunFolder) -> list[str]:
    """Return the names of the people who have labels here, sorted."""
    return sorted(path.stem for path in (folder.path / "labels").glob("*.csv"))


def read_labels(path: Path, themes: Mapping[str, Theme]) -> tuple[dict[str, Label], list[str]]:
    """Return a person's labels by id, and what was wrong without being an error.

    Args:
        path: The table; byte order mark, semicolons or tabs, and any line ends are fine.
        themes: The themes of the run's examples, by id.

    Raises:
        ValueError: It is no such table, or a row's id or word is unknown; the message says in
            which line.
    """
    data = path.read_bytes() if path.exists() else b""
    labels: dict[str, Label] = {}
    problems: list[str] = []
    if _is_empty(data):
        return labels, problems
    table = _Table.of(data, path)
    if table.half_line:
        problems.append(f"{path.name}: its last line has no end, and is left out")
        data = data[: len(data) - table.half_line]
    reader = csv.reader(io.StringIO(_decode(data), newline=""), delimiter=table.delimiter)
    try:
        next(reader, None)
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            row = table.row(cells, where)
            if row is not None:
                labels[row["id"]] = _label(row, themes, where)
    except csv.Error as error:
        raise ValueError(f"{path} must be a CSV table, got {error}") from error
    return labels, problems


def add_labels(path: Path, labels: Iterable[Label]) -> None:
    """Append labels, all in one step; what this returned from is on disk.

    A table that a spreadsheet made is continued as it is: with its columns and separators. A
    half-written last line, which a killed process leaves, is dropped.

    Raises:
        ValueError: The file is no table of labels, or not in UTF-8.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        file.seek(0)
        data = file.read()
        table, start = _Table(",", COLUMNS, "\n"), b""
        if not _is_empty(data):
            table = _Table.of(data, path)
            if data[:2] in _UTF16:
                raise ValueError(f"{path} must be in UTF-8 to be continued, got UTF-16: save it so")
            if table.half_line:
                file.truncate(len(data) - table.half_line)
            elif not data.endswith((b"\n", b"\r")):
                start = table.line_end.encode()
        else:
            file.truncate(0)
            start = _HEADER
        file.write(start + "".join(map(table.line, labels)).encode())
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True)
class _Table:
    """How a table is written.

    Attributes:
        half_line: Bytes at its end that a killed process left of a line.
    """

    delimiter: str
    columns: tuple[str, ...]
    line_end: str
    half_line: int = 0

    @classmethod
    def of(cls, data: bytes, path: Path) -> _Table:
        """Look at a table's first line, and its last.

        Raises:
            ValueError: It has not the columns that are needed.
        """
        text = _decode(data)
        first = io.StringIO(text, newline=None).readline().rstrip("\n")
        for delimiter in ",;\t":
            columns = tuple(
                name.strip().lower() for name in first.replace('"', "").split(delimiter)
            )
            if set(NEEDED) <= set(columns):
                ending = "\r\n" if "\r\n" in text else "\n"
                ours = "output" in columns and data[:2] not in _UTF16  # we end every line
                half = 0 if data.endswith((b"\n", b"\r")) or not ours else _tail(data)
                return cls(delimiter, columns, ending, half)
        raise ValueError(
            f"{path}, line 1: the columns must be {', '.join(NEEDED)} (and any others), got "
            f"{first[:200]!r}"
        )

    def row(self, cells: Sequence[str], where: str) -> dict[str, str] | None:
        """Return a row by column, or None if it is empty or not filled in yet."""
        if not any(cell.strip() for cell in cells):
            return None
        if len(cells) < len(self.columns):
            last = max(self.columns.index(name) for name in NEEDED)
            if len(cells) <= last:
                raise ValueError(
                    f"{where}: a row must have the cells {', '.join(self.columns)}, got {cells!r}"
                )
        row = {name: cell.strip() for name, cell in zip(self.columns, cells, strict=False)}
        return row if row["object"] or row["attribute"] else None

    def line(self, label: Label) -> str:
        """Return a label as a line of this table."""
        cells = {
            "id": label.id,
            "object": label.object or UNCLEAR,
            "attribute": label.attribute or UNCLEAR,
            "output": label.output or "",
        }
        return self.delimiter.join(cells.get(name, "") for name in self.columns) + self.line_end


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


def _decode(data: bytes) -> str:
    """Return the text; what is not in UTF-8 can only be a comment, or is no word of Table 1."""
    if data[:2] in _UTF16:
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _is_empty(data: bytes) -> bool:
    """Whether there is nothing in a file, or a first line that was not written to its end."""
    return not data.strip() or _HEADER.startswith(data)


def _tail(data: bytes) -> int:
    """Return how many bytes follow the last line end."""
    return len(data) - max(data.rfind(b"\n"), data.rfind(b"\r")) - 1
