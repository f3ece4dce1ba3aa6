"""Export the benchmark as Parquet files with a dataset card: loads anywhere, without this package.

    cobsat export --out export/
    load_dataset("export", "color_i-2shot", split="test")      # plain `datasets`, any release

A file holds one task's rows, and each picture's bytes once: they are dictionary-encoded, in one
row group. To that end a row shows its prompt's pictures in one column only, `messages` in test
splits and `images` in train splits, and names its target by a key into the config `pictures`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq
import typer

from .config_patterns import matching_configs
from .examples import CONFIGS, Options, is_train, parse_config, splits, task_examples, task_splits
from .images import ImageSource, image_source
from .layout import LABELS, stem
from .progress import progress as progress_bar
from .spec import TASKS
from .training import train_example

PICTURES: Final = "pictures"
_IMAGE: Final = {"_type": "Image"}
_STRING: Final = {"dtype": "string", "_type": "Value"}
_INT: Final = {"dtype": "int32", "_type": "Value"}


def _strings(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, _STRING)


_IDENTITY: Final = {**_strings("id", "task", "theme"), "shots": _INT}
_ASKED: Final = _strings("output", "prompt_type")
_LABEL: Final = {
    **_strings("query", "latent_variable"),
    "demonstrations": [_strings("text_input", "description")],
    "reference": _strings("task", "object", "attribute"),
    **_strings("target", "target_description"),
    "image_source": _strings("name", "digest"),
}
_PART: Final = _strings("type", "text")


def _messages(part: dict[str, Any]) -> list[Any]:
    return [{"role": _STRING, "content": [part]}]


TEST_COLUMNS: Final[dict[str, Any]] = {
    **_IDENTITY,
    **_ASKED,
    "messages": _messages({**_PART, "image": _IMAGE}),
    "followup": _STRING,
    **_LABEL,
}
TRAIN_COLUMNS: Final[dict[str, Any]] = {
    **_IDENTITY,
    **_ASKED,
    "prompt": _messages(_PART),
    "completion": _messages(_PART),
    "images": [_IMAGE],
    **_LABEL,
}
PICTURE_COLUMNS: Final[dict[str, Any]] = {
    **_strings("target", "theme", "attribute", "object"),
    "image": _IMAGE,
    "description": _STRING,
}
"""Columns as `datasets` writes features in a file, in the form that its old releases read too."""


@dataclass(frozen=True)
class ExportedSplit:
    """One split of one config of the card, and the files that it joins."""

    config: str
    split: str
    files: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class _File:
    """One task's rows of a prompt list, in the columns of train or of test splits."""

    task: str
    shots: int
    prompts: str
    train: bool

    @property
    def path(self) -> str:
        layout = "train" if self.train else "test"
        return f"data/{self.task}-{self.shots}shot/{layout}_columns/{self.prompts}.parquet"


def export(
    out: Path,
    configs: Iterable[str] | None = None,
    options: Options | None = None,
    progress: bool = False,
) -> list[ExportedSplit]:
    """Write Parquet files and a dataset card into a new folder; what fails leaves nothing there.

    Args:
        out: The folder; it must not exist, or be empty.
        configs: Config names; by default all that the options allow.
        options: The builder's options.
        progress: Whether to show how far it is.

    Raises:
        FileExistsError: The folder is not empty.
        ValueError: A config is unknown, or does not go with the options.
    """
    options = (options or Options()).check()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        got = "one with files in it" if out.is_dir() else "a file"
        raise FileExistsError(f"{out} must be a new or empty folder, got {got}")
    names = list(dict.fromkeys(configs)) if configs is not None else _allowed(options)
    source = image_source(options.images)
    plan = [entry for name in names for entry in _planned(name, options)]
    files = list(dict.fromkeys(file for _, _, joined in plan for file in joined))
    counts: dict[_File, int] = {}
    try:
        with progress_bar("Writing Parquet", len(files)) if progress else nullcontext() as advance:
            for file in files:
                counts[file] = _write_rows(out, file, options, source)
                if advance:
                    advance(1)
        pictures = ExportedSplit(PICTURES, PICTURES, (f"data/{PICTURES}.parquet",), len(LABELS))
        _write(out / pictures.files[0], list(_pictures(source)), PICTURE_COLUMNS)
        written = [
            ExportedSplit(
                config, split, tuple(f.path for f in joined), sum(counts[f] for f in joined)
            )
            for config, split, joined in plan
        ]
        written.append(pictures)
        (out / "README.md").write_text(card(written, options, source), encoding="utf-8")
    except BaseException:
        shutil.rmtree(out / "data", ignore_errors=True)
        (out / "README.md").unlink(missing_ok=True)
        raise
    return written


def _allowed(options: Options) -> list[str]:
    exact = options.prompt_type == "exact"
    return [name for name in CONFIGS if exact or parse_config(name).shots > 0]


def _planned(config: str, options: Options) -> Iterator[tuple[str, str, list[_File]]]:
    """Yield (config, split, files); train splits form a config of their own: other columns."""
    shots = parse_config(config).shots
    for split in splits(config, options):
        train = is_train(split)
        joined = [
            _File(task, shots, prompts, train)
            for task, prompts in task_splits(config, split, options)
        ]
        yield f"{config}-train" if train else config, split, joined


def _write_rows(out: Path, file: _File, options: Options, source: ImageSource) -> int:
    task = TASKS[file.task]
    if file.train:
        options = replace(options, output="description")
    paths = dict(source.paths)
    paths.update({label: _stored(paths[label]) for label in LABELS if label[0] == task.theme.name})
    stored = replace(source, paths=paths)
    rows: list[dict[str, Any]] = []
    for example in task_examples(task, file.shots, file.prompts, options, stored):
        row: dict[str, Any] = dict(train_example(example) if file.train else example)
        reference = example["reference"]
        row["target"] = stem((task.theme.name, reference["attribute"], reference["object"]))
        rows.append(row)
    return _write(out / file.path, rows, TRAIN_COLUMNS if file.train else TEST_COLUMNS)


def _pictures(source: ImageSource) -> Iterator[dict[str, Any]]:
    for label in LABELS:
        theme, attribute, object_ = label
        yield {
            "target": stem(label),
            "theme": theme,
            "attribute": attribute,
            "object": object_,
            "image": _stored(source.paths[label]),
            "description": source.descriptions[label],
        }


def _stored(path: str) -> dict[str, Any]:
    return {"bytes": Path(path).read_bytes(), "path": Path(path).name}


def _write(path: Path, rows: Sequence[dict[str, Any]], columns: dict[str, Any]) -> int:
    metadata = {"huggingface": json.dumps({"info": {"features": columns}})}
    fields = [pa.field(name, _type(feature)) for name, feature in columns.items()]
    table = pa.Table.from_pylist(list(rows), schema=pa.schema(fields, metadata))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table,
        path,
        compression="zstd",
        use_dictionary=True,
        dictionary_pagesize_limit=2**30,  # all pictures of a theme stay in the dictionary
        row_group_size=len(rows),  # a second row group would hold the pictures again
        write_statistics=False,
    )
    return len(rows)


def _type(feature: Any) -> pa.DataType:
    if feature is _IMAGE:
        return pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    if isinstance(feature, list):
        return pa.list_(_type(feature[0]))
    if "_type" in feature:
        return pa.int32() if feature is _INT else pa.string()
    return pa.struct([(name, _type(inner)) for name, inner in feature.items()])


def card(written: Sequence[ExportedSplit], options: Options, source: ImageSource) -> str:
    """Return the dataset card: YAML `configs` for the Hub, and what the data is for people."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 (the card is Markdown, and all of its values are ours)
    )
    grouped: dict[str, list[ExportedSplit]] = {}
    for entry in written:
        grouped.setdefault(entry.config, []).append(entry)
    rows = sum(entry.rows for entry in written)
    template = environment.get_template("dataset_card.md.j2")
    return template.render(
        configs=grouped, options=options, source=source, size=_size_category(rows)
    )


def _size_category(rows: int) -> str:
    """Return the Hub's word for so many rows."""
    limits = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K"}
    return next((word for limit, word in limits.items() if rows < limit), "100K<n<1M")


def command(
    out: Annotated[Path, typer.Option(help="A new folder for the export.")],
    config: Annotated[
        list[str] | None,
        typer.Option(help="A config, or a pattern ('color_*-2shot'); may be repeated. Default all"),
    ] = None,
    prompt_type: Annotated[str, typer.Option(help="See `cobsat predict --help`.")] = "default",
    output: Annotated[str, typer.Option(help="image or description.")] = "image",
    instructions_for: Annotated[str, typer.Option(help="Whose wording (App. A.1).")] = "neutral",
    seed: Annotated[int, typer.Option(help="Seed of the prompt lists.")] = 123,
    images: Annotated[str, typer.Option(help="rendered, official or a folder.")] = "rendered",
) -> None:
    """Write the benchmark as Parquet files with a dataset card.

    The folder loads with plain `datasets`, without this package, and can be uploaded as it is:
    load_dataset("FOLDER", "color_i-2shot", split="test"). Train splits are in configs of their own
    ("all-2shot-train"), and the 500 pictures in the config "pictures".
    """
    options = Options(prompt_type, output, instructions_for, seed, images).check()
    names = None
    if config:
        names = [name for pattern in config for name in matching_configs(pattern, "test", options)]
    written = export(out, names, options, progress=True)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    typer.echo(
        f"{len({entry.config for entry in written})} configs, {size / 2**20:.0f} MB in {out}"
    )
