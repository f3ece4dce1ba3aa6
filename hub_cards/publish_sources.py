"""Whose pictures a dataset, a run or a card holds, by the names of their sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from cobsat import RunFolder, image_source
from cobsat.images import source_name
from cobsat.touchstone.mini import FOLDER as MINI_FOLDER
from huggingface_hub import ModelCard

__all__ = ["card_sources", "run_source", "table_sources"]

_COLUMNS: Final = ("image_source", "source")
"""In which rows of an export name their source."""


def table_sources(path: Path) -> set[str]:
    """Return the sources of a Parquet file's pictures.

    Where its rows do not name them, each picture is looked up among those that ship.
    """
    schema = pq.read_schema(path)
    named = next((name for name in _COLUMNS if name in schema.names), None)
    if named is not None:
        rows = pq.read_table(path, columns=[named]).column(named)
        return {str(name) for name in pa.compute.struct_field(rows, "name").unique().to_pylist()}
    columns = [field.name for field in schema if any(_byte_columns(field.type))]
    table = pq.read_table(path, columns=columns)
    digests = {
        hashlib.sha256(data).digest()
        for name in columns
        for chunk in table.column(name).chunks
        for data in _pictures(chunk)
    }
    if not digests:
        return set()
    return {"rendered"} if digests <= _shipped() else {f"unknown ({path.name})"}


def run_source(folder: Path) -> str:
    """Return the source of a run's pictures."""
    settings = RunFolder(folder).settings()
    if settings.benchmark == "cobsat":
        return source_name(settings.images)
    return settings.images if settings.images == "touchstone-mini" else "others' questions"


def card_sources(card: str) -> set[str]:
    """Return the image sources that a model card's results are of."""
    results = getattr(ModelCard(card, ignore_metadata_errors=True).data, "eval_results", None)
    named = [(result.dataset_args or {}).get("images") for result in results or []]
    return {str(name) for name in named if name}


@lru_cache(maxsize=1)
def _shipped() -> frozenset[bytes]:
    rendered = (Path(str(path)) for path in image_source("rendered").paths.values())
    paths = [*rendered, *(MINI_FOLDER / "pictures").iterdir()]
    return frozenset(hashlib.sha256(path.read_bytes()).digest() for path in paths)


def _byte_columns(kind: pa.DataType) -> Iterator[bool]:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _byte_columns(kind.value_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _byte_columns(field.type)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        yield True


def _pictures(array: Any) -> Iterator[bytes]:
    """Yield the bytes in a column, however deep they lie."""
    kind = array.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _pictures(array.flatten())
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _pictures(child)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        yield from (value.as_py() for value in array if value.is_valid)
