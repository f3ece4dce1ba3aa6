"""What the dataset costs: decoding once, the export's size, all configs at once.

python benchmarks/dataset.py

Each speed is a ratio of two things measured in this run, on the shipped pictures:
1. rows of an 8-shot config per second behind `cobsat.decode_once`, over plain decoding;
2. bytes of an exported 8-shot file, over its 100 pictures, and the plain way over the same;
3. seconds and megabytes of cache for all 55 configs in an empty cache (no ratio: a bound).
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import cobsat
import datasets
import pyarrow.parquet as pq
from cobsat.export import export
from datasets import load_dataset

PLAIN_ROWS = 40
ONCE_ROWS = 1000


def decoding(cache: str) -> None:
    """Compare rows per second with and without the cache of decoded pictures."""
    rows = load_dataset("cobsat", "color_i-8shot", split="test", cache_dir=cache)
    once = cobsat.decode_once(rows)
    start = time.perf_counter()
    for index in range(PLAIN_ROWS):
        rows[index]
    plain = PLAIN_ROWS / (time.perf_counter() - start)
    start = time.perf_counter()
    for index in range(ONCE_ROWS):  # the first 100 pictures are decoded within this
        once[index]
    cached = ONCE_ROWS / (time.perf_counter() - start)
    print(
        f"decode_once: {cached / plain:.0f} times the rows per second of plain decoding (8 shots)"
    )


def export_size(folder: Path) -> None:
    """Compare an exported 8-shot file with its pictures, and with the plain way."""
    source = cobsat.image_source("rendered")
    pictures = sum(
        Path(path).stat().st_size for label, path in source.paths.items() if label[0] == "style"
    )
    export(folder / "ours", ["style_i-8shot"])
    ours = (folder / "ours/data/style_i-8shot/test_columns/test.parquet").stat().st_size
    table = pq.read_table(folder / "ours/data/style_i-8shot/test_columns/test.parquet")
    pq.write_table(table, folder / "plain.parquet")  # pyarrow's defaults: a dictionary of 1 MB
    plain = (folder / "plain.parquet").stat().st_size
    print(
        f"export: {ours / pictures:.2f} times its 100 pictures; plain: {plain / pictures:.1f} times"
    )


def all_configs(cache: Path) -> None:
    """Load every config, with all of its splits, into an empty cache."""
    start = time.perf_counter()
    count = 0
    for name in cobsat.CONFIGS:
        loaded = load_dataset("cobsat", name, cache_dir=str(cache))
        count += sum(len(rows) for rows in loaded.values())
    seconds = time.perf_counter() - start
    size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    print(
        f"all {len(cobsat.CONFIGS)} configs: {count:,} rows in {seconds:.1f} s, "
        f"{size / 1e6:.1f} MB of cache with the pictures"
    )


def main() -> None:
    """Measure and print."""
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        all_configs(Path(folder) / "all")
        decoding(folder)
        export_size(Path(folder))


if __name__ == "__main__":
    main()
