"""Files of an export: Parquet that any release of `datasets` reads, each picture's bytes once.

A file is dictionary-encoded and has one row group: a second one would hold its pictures again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = [
    "IMAGE",
    "INT",
    "STRING",
    "ExportedFile",
    "ExportedSplit",
    "chat",
    "new_folder",
    "stored",
    "strings",
    "write_rows",
]

IMAGE: Final = {"_type": "Image"}
STRING: Final = {"dtype": "string", "_type": "Value"}
INT: Final = {"dtype": "int32", "_type": "Value"}
"""Columns as `datasets` writes features in a file, in the form that its old releases read too."""


@dataclass(frozen=True)
class ExportedFile:
    """One Parquet file.

    Attributes:
        path: Its path in the export.
        rows: How many rows it has.
        size: Its bytes.
        loaded: The bytes of its rows in memory, each picture as often as it is shown.
    """

    path: str
    rows: int
    size: int
    loaded: int


@dataclass(frozen=True)
class ExportedSplit:
    """One split of one config of the card, the files that it joins, and its columns."""

    config: str
    split: str
    files: tuple[ExportedFile, ...]
    columns: dict[str, Any]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(file.rows for file in self.files)


def strings(*names: str) -> dict[str, Any]:
    """Return columns that are texts."""
    return dict.fromkeys(names, STRING)


def chat(part: dict[str, Any]) -> list[Any]:
    """Return a column of messages whose parts are of this form."""
    return [{"role": STRING, "content": [part]}]


@contextmanager
def new_folder(out: Path) -> Iterator[None]:
    """Have an export written into a new folder; what fails leaves nothing there.

    Raises:
        FileExistsError: The folder is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        got = "one with files in it" if out.is_dir() else "a file"
        raise FileExistsError(f"{out} must be a new or empty folder, got {got}")
    try:
        yield
    except BaseException:
        for path in out.iterdir() if out.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def stored(path: str | Path) -> dict[str, Any]:
    """Return a picture as a cell: its file's bytes and name."""
    return {"bytes": Path(path).read_bytes(), "path": Path(path).name}


def write_rows(
    out: Path, path: str, rows: Sequence[dict[str, Any]], columns: dict[str, Any]
) -> ExportedFile:
    """Write one file of an export."""
    metadata = {"huggingface": json.dumps({"info": {"features": columns}})}
    fields = [pa.field(name, _type(feature)) for name, feature in columns.items()]
    table = pa.Table.from_pylist(list(rows), schema=pa.schema(fields, metadata))
    target = out / path
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table,
        target,
        compression="zstd",
        use_dictionary=True,
        dictionary_pagesize_limit=2**30,  # all pictures stay in the dictionary
        row_group_size=len(rows),
        write_statistics=False,
    )
    return ExportedFile(path, len(rows), target.stat().st_size, table.nbytes)


def _type(feature: Any) -> pa.DataType:
    if feature is IMAGE:
        return pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    if isinstance(feature, list):
        return pa.list_(_type(feature[0]))
    if "_type" in feature:
        return pa.int32() if feature is INT else pa.string()
    return pa.struct([(name, _type(inner)) for name, inner in feature.items()])
