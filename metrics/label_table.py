"""Tables of people's verdicts, as spreadsheets and a killed process leave them; appended to safely.

`labels.py` (CoBSAT) and `label_votes.py` (TouchStone) say which columns a table needs and what its
cells mean. Other columns are left alone, in any order. The column `output` is ours: a table that
has it was written here, line by line.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cobsat.run_folder import RunFolder, safe_name, write_json

__all__ = [
    "add_rows",
    "begin_record",
    "labels_path",
    "people",
    "read_record",
    "read_rows",
    "write_record",
]

OUTPUT: Final = "output"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def labels_path(folder: RunFolder, person: str) -> Path:
    """Return the path of a person's labels."""
    return folder.path / "labels" / f"{safe_name(person)}.csv"


def people(folder: RunFolder) -> list[str]:
    """Return the names of the people who have labels here, sorted."""
    return sorted(path.stem for path in (folder.path / "labels").glob("*.csv"))


def read_record(path: Path) -> dict[str, Any]:
    """Return what is recorded beside a table (`PERSON.json`): what was drawn for whom.

    It is empty where nothing is, or what is no record.
    """
    try:
        record = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def begin_record(path: Path, seed: int | None) -> tuple[dict[str, Any], int]:
    """Return the record beside a table, and the seed: the recorded one, the given one, or 0.

    Raises:
        ValueError: Another seed is given than was used for the labels that are there.
    """
    before = read_record(path)
    used = before.get("seed", 0 if seed is None else seed)
    if seed is not None and seed != used:
        raise ValueError(
            f"seed must be that of the labels in {path} ({used}), got {seed}: leave --seed out, or "
            "move that file and its .json away to begin anew"
        )
    return before, int(used)


def write_record(path: Path, record: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Write the record beside a table, if it is another than before."""
    if record != before:
        write_json(path.with_suffix(".json"), record)


def read_rows(
    path: Path, needed: tuple[str, ...]
) -> tuple[list[tuple[dict[str, str], str]], list[str]]:
    """Return a table's rows, each with where it stands, and what was wrong without being an error.

    A row whose needed cells behind the first are all empty is not filled in yet, and left out.

    Args:
        path: The table; byte order mark, semicolons or tabs, and any line ends are fine.
        needed: The columns that it must have; `id` is the first.

    Raises:
        ValueError: It is no such table; the message says in which line.
    """
    data = path.read_bytes() if path.exists() else b""
    if _is_empty(data, needed):
        return [], []
    problems = []
    table = _Table.of(data, path, needed)
    if table.half_line:
        problems.append(f"{path.name}: its last line has no end, and is left out")
        data = data[: len(data) - table.half_line]
    try:
        return list(_rows(data, table, path)), problems
    except csv.Error as error:
        raise ValueError(f"{path} must be a CSV table, got {error}") from error


def _rows(data: bytes, table: _Table, path: Path) -> Iterator[tuple[dict[str, str], str]]:
    reader = csv.reader(io.StringIO(_decode(data), newline=""), delimiter=table.delimiter)
    next(reader, None)
    for cells in reader:
        where = f"{path}, line {reader.line_num}"
        row = table.row(cells, where)
        if row is not None:
            yield row, where


def add_rows(path: Path, needed: tuple[str, ...], rows: Iterable[Mapping[str, str]]) -> None:
    """Append rows, all in one step; what this returned from is on disk.

    A table that a spreadsheet made is continued as it is: with its columns and separators. A
    half-written last line, which a killed process leaves, is dropped.

    Raises:
        ValueError: The file is no such table, or not in UTF-8.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        file.seek(0)
        data = file.read()
        table, start = _Table(",", (*needed, OUTPUT), "\n", needed), b""
        if not _is_empty(data, needed):
            table = _Table.of(data, path, needed)
            if data[:2] in _UTF16:
                raise ValueError(f"{path} must be in UTF-8 to be continued, got UTF-16: save it so")
            if table.half_line:
                file.truncate(len(data) - table.half_line)
            elif not data.endswith((b"\n", b"\r")):
                start = table.line_end.encode()
        else:
            file.truncate(0)
            start = _header(needed)
        file.write(start + "".join(map(table.line, rows)).encode())
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
    needed: tuple[str, ...]
    half_line: int = 0

    @classmethod
    def of(cls, data: bytes, path: Path, needed: tuple[str, ...]) -> _Table:
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
            if set(needed) <= set(columns):
                ending = "\r\n" if "\r\n" in text else "\n"
                ours = OUTPUT in columns and data[:2] not in _UTF16  # we end every line
                half = 0 if data.endswith((b"\n", b"\r")) or not ours else _tail(data)
                return cls(delimiter, columns, ending, needed, half)
        raise ValueError(
            f"{path}, line 1: the columns must be {', '.join(needed)} (and any others), got "
            f"{first[:200]!r}"
        )

    def row(self, cells: Sequence[str], where: str) -> dict[str, str] | None:
        """Return a row by column, or None if it is empty or not filled in yet."""
        if not any(cell.strip() for cell in cells):
            return None
        if len(cells) < len(self.columns):
            last = max(self.columns.index(name) for name in self.needed)
            if len(cells) <= last:
                raise ValueError(
                    f"{where}: a row must have the cells {', '.join(self.columns)}, got {cells!r}"
                )
        row = {name: cell.strip() for name, cell in zip(self.columns, cells, strict=False)}
        return row if any(row[name] for name in self.needed[1:]) else None

    def line(self, row: Mapping[str, str]) -> str:
        """Return a row as a line of this table."""
        return self.delimiter.join(row.get(name, "") for name in self.columns) + self.line_end


def _decode(data: bytes) -> str:
    """Return the text; what is not in UTF-8 can only be a comment, or is no word that is known."""
    if data[:2] in _UTF16:
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def _header(needed: tuple[str, ...]) -> bytes:
    return (",".join((*needed, OUTPUT)) + "\n").encode()


def _is_empty(data: bytes, needed: tuple[str, ...]) -> bool:
    """Whether there is nothing in a file, or a first line that was not written to its end."""
    return not data.strip() or _header(needed).startswith(data)


def _tail(data: bytes) -> int:
    """Return how many bytes follow the last line end."""
    return len(data) - max(data.rfind(b"\n"), data.rfind(b"\r")) - 1
