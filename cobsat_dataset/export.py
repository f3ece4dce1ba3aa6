"""Export the benchmark as Parquet files with a dataset card: loads anywhere, without this package.

    cobsat export --out export/
    load_dataset("export", "color_i-2shot", split="test")      # plain `datasets`, any release

A file holds one task's rows, and each picture's bytes once: they are dictionary-encoded, in one
row group. To that end a row shows its prompt's pictures in one column only, `messages` in test
splits and `images` in train splits, and names its target by a key into the config `pictures`.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import jinja2
import pyarrow as pa
import pyarrow.parquet as pq
import typer
from rich.progress import track

from .examples import CONFIGS, Options, is_train, parse_config, splits, task_examples, task_splits
from .images import ImageSource, image_source
from .layout import LABELS, stem
from .spec import TASKS, choose
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


def export(
    out: Path,
    configs: Iterable[str] | None = None,
    options: Options | None = None,
    progress: bool = False,
) -> list[ExportedSplit]:
    """Write Parquet files and a dataset card into a new folder.

    Args:
        out: The folder; it must not exist, or be empty.
        configs: Config names; by default all that the options allow.
        options: The builder's options.
        progress: Whether to show a progress bar.

    Raises:
        FileExistsError: The folder is not empty.
        ValueError: A config is unknown, or does not go with the options.
    """
    options = (options or Options()).check()
    if out.exists() and any(out.iterdir()):
        raise FileExistsError(f"{out} must be a new or empty folder, got one with files in it")
    names = list(configs) if configs is not None else _allowed(options)
    source = image_source(options.images)
    plan = [entry for name in names for entry in _planned(name, options)]
    counts = {}
    files = sorted({file for entry in plan for file in entry.files})
    for file in track(files, "Writing Parquet", disable=not progress):
        counts[file] = _write_rows(out / file, file, options, source)
    _write(out / f"data/{PICTURES}.parquet", list(_pictures(source)), PICTURE_COLUMNS)
    written = [
        ExportedSplit(e.config, e.split, e.files, sum(counts[f] for f in e.files)) for e in plan
    ]
    written.append(ExportedSplit(PICTURES, PICTURES, (f"data/{PICTURES}.parquet",), len(LABELS)))
    (out / "README.md").write_text(card(written, options, source), encoding="utf-8")
    return written


def _allowed(options: Options) -> list[str]:
    exact = options.prompt_type == "exact"
    return [name for name in CONFIGS if exact or parse_config(name).shots > 0]


def _planned(config: str, options: Options) -> Iterator[ExportedSplit]:
    """Yield a config's splits; train splits form a config of their own, having other columns."""
    shots = parse_config(config).shots
    for split in splits(config, options):
        layout = "train" if is_train(split) else "test"
        files = tuple(
            f"data/{task}-{shots}shot/{layout}_columns/{prompts}.parquet"
            for task, prompts in task_splits(config, split, options)
        )
        yield ExportedSplit(f"{config}-train" if is_train(split) else config, split, files, 0)


def _write_rows(path: Path, file: str, options: Options, source: ImageSource) -> int:
    _, config, layout, name = file.split("/")
    parsed = parse_config(config)
    task, prompts = parsed.tasks[0], name.removesuffix(".parquet")
    train = layout.startswith("train")
    if train:
        options = Options(**{**vars(options), "output": "description"})
    stored = ImageSource(
        source.name,
        source.digest,
        {label: _stored(source.paths[label]) for label in LABELS if label[0] == task.theme.name}
        | {label: None for label in LABELS if label[0] != task.theme.name},
        source.descriptions,
    )
    rows: list[dict[str, Any]] = []
    for example in task_examples(TASKS[task.name], parsed.shots, prompts, options, stored):
        row: dict[str, Any] = dict(train_example(example) if train else example)
        reference = example["reference"]
        row["target"] = stem((task.theme.name, reference["attribute"], reference["object"]))
        rows.append(row)
    return _write(path, rows, TRAIN_COLUMNS if train else TEST_COLUMNS)


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
    partial = path.with_suffix(".partial")
    pq.write_table(
        table,
        partial,
        compression="zstd",
        use_dictionary=True,
        dictionary_pagesize_limit=2**30,  # all pictures of a theme stay in the dictionary
        row_group_size=len(rows),  # a second row group would hold the pictures again
        write_statistics=False,
    )
    os.replace(partial, path)
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
    template = environment.get_template("dataset_card.md.j2")
    return template.render(configs=grouped, options=options, source=source)


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
        names = [name for pattern in config for name in _matching(pattern)]
    written = export(out, names, options, progress=True)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    typer.echo(
        f"{len({entry.config for entry in written})} configs, {size / 2**20:.0f} MB in {out}"
    )


def _matching(pattern: str) -> list[str]:
    found = fnmatch.filter(CONFIGS, pattern)
    return found or [choose("config", pattern, CONFIGS)]
