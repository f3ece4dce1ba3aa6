r"""Tables of tab-separated values, as pandas writes and reads them: every cell a text.

A cell that holds a tab, a newline or begins with a quote is quoted, quotes in it are doubled. A
file may be large: rows come one at a time, and each knows where its bytes lie, so that it can be
read again alone. What breaks a table (a cut file, a row with cells too many) names its row.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from cobsat.spec import nearest

__all__ = ["TableRow", "read_row", "read_table", "write_table"]

MAX_CELL: Final = 2**26
"""Characters that a cell may have: 48 MB of a picture in base64."""


@dataclass(frozen=True)
class TableRow:
    """One row of a table.

    Attributes:
        path: The table's file.
        number: Its number among the rows, from 1; the header is none.
        cells: Its cells by column.
        start: Where its bytes begin in the file.
        size: How many they are.
    """

    path: Path
    number: int
    cells: Mapping[str, str]
    start: int
    size: int

    def text(self, column: str) -> str:
        """Return a cell that must say something.

        Raises:
            ValueError: It is empty.
        """
        if not self.cells[column].strip():
            raise ValueError(f"{self.where(column)} must be a text, got an empty cell")
        return self.cells[column]

    def index(self) -> int:
        """Return the cell `index` as a number.

        Raises:
            ValueError: It is none.
        """
        cell = self.cells["index"].strip()
        if not (cell.isascii() and cell.isdigit()):
            raise ValueError(
                f"{self.where('index')} must be an integer, got {self.cells['index']!r}"
            )
        return int(cell)

    def where(self, column: str) -> str:
        """Return how an error names a cell."""
        return f"{column} in row {self.number} of {self.path}"


def read_table(path: Path, needed: Sequence[str]) -> Iterator[TableRow]:
    """Yield a table's rows; empty lines are none.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is no such table, or lacks a column; the message names column and row.
    """
    if path.is_dir():
        raise ValueError(
            f"{path} must be a file, a table of tab-separated values, got a folder{_tables(path)}"
        )
    with open(path, "rb") as file:
        records = _records(path, file)
        header = next(records, None)
        if header is None:
            raise ValueError(f"{path} must be a table of tab-separated values, got an empty file")
        columns = _columns(path, header[0], needed)
        for number, (cells, start, size) in enumerate(records, start=1):
            if len(cells) != len(columns):
                raise ValueError(
                    f"row {number} of {path} must have {len(columns)} cells, got {len(cells)}"
                    + (" (is the file cut?)" if len(cells) < len(columns) else "")
                )
            yield TableRow(path, number, dict(zip(columns, cells, strict=True)), start, size)


def _tables(folder: Path) -> str:
    names = sorted(file.name for file in folder.glob("*.tsv"))
    return f": name a file in it, such as {names[0]}" if names else ""


def read_row(row: TableRow, columns: Sequence[str]) -> list[str]:
    """Return a row's cells, read again from its file.

    Raises:
        ValueError: The file is another one by now.
    """
    with open(row.path, "rb") as file:
        file.seek(row.start)
        text = file.read(row.size).decode("utf-8", "replace")
    with _roomy_cells():
        cells = next(csv.reader([text], delimiter="\t"), [])
    if len(cells) != len(columns):
        raise ValueError(f"row {row.number} of {row.path} must be as it was, got another")
    return cells


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    """Write a table in one step, quoted as pandas quotes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    with open(partial, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        for cells in (columns, *([row[column] for column in columns] for row in rows)):
            file.write("\t".join(map(_quoted, cells)) + "\n")
    os.replace(partial, path)


def _quoted(cell: str) -> str:
    """Return a cell as it is written; csv's writer leaves a lone carriage return unquoted."""
    if any(sign in cell for sign in '\t\r\n"'):
        cell = cell.replace('"', '""').join('""')
    return cell


def _records(path: Path, file: IO[bytes]) -> Iterator[tuple[list[str], int, int]]:
    """Yield each row's cells, where it starts and its size in bytes."""
    lines = _Lines(path, file)
    reader = csv.reader(lines, delimiter="\t")
    start = 0
    while True:
        lines.taken.clear()
        try:
            with _roomy_cells():
                cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{path} must be a table of tab-separated values, got {_said(error)} in the row "
                f"that begins in line {lines.first}"
            ) from error
        if file.peek(1) == b"" and _is_open(lines.taken):  # type: ignore[attr-defined]
            raise ValueError(
                f"{path} must be a whole table, got one that ends within a quoted cell, in the row "
                f"that begins in line {lines.first}: it is cut"
            )
        if cells:
            yield cells, start, lines.offset - start
        start = lines.offset


def _said(error: csv.Error) -> str:
    """Return what csv's reader means, for who has the file."""
    if "field limit" in str(error):
        return f"a cell of more than {MAX_CELL:,} characters (a quote that is never closed?)"
    if "new-line character" in str(error):
        return "a carriage return outside of quotes"
    return str(error)


class _Lines:
    """A file's lines as text; `taken` are those since it was cleared, `offset` where they end."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self.taken: list[str] = []
        self.offset = 0
        self._number = 0

    @property
    def first(self) -> int:
        """Number of the first line taken, from 1."""
        return self._number - len(self.taken) + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        data = self._file.readline()
        if not data:
            raise StopIteration
        self._number += 1
        self.offset += len(data)
        try:
            line = data.decode("utf-8-sig" if self._number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self._path} must be text in UTF-8, got {error.reason} in line {self._number}"
            ) from error
        self.taken.append(line)
        return line


def _is_open(lines: Sequence[str]) -> bool:
    """Return whether lines end within a quoted cell; a reader that is not strict closes it."""
    try:
        with _roomy_cells():
            list(csv.reader(lines, delimiter="\t", strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def _columns(path: Path, header: Sequence[str], needed: Sequence[str]) -> list[str]:
    """Return the columns' names.

    Raises:
        ValueError: One that is needed is missing, or comes twice.
    """
    names = [name.strip() for name in header]
    for column in needed:
        if names.count(column) > 1:
            raise ValueError(f"column {column} of {path} must be there once, got it twice")
        if column not in names:
            some = ", ".join(name[:40] for name in names[:12])
            raise ValueError(
                f"columns of {path} must be {', '.join(needed)}, separated by tabs, got {some}: "
                f"there is no {column}{nearest(column, names)}"
            )
    return names


@contextmanager
def _roomy_cells() -> Iterator[None]:
    """Let cells be as large as pictures are; the limit is one of the whole process."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, MAX_CELL))
    try:
        yield
    finally:
        csv.field_size_limit(before)
