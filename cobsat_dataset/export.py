"""Export a benchmark as Parquet files with a dataset card: loads anywhere, without this package.

    cobsat export --out export/
    cobsat export --benchmark touchstone-mini --out export/
    load_dataset("export", "color_i-2shot", split="test")      # plain `datasets`, any release

CoBSAT's is here: a file holds one task's rows, and each picture's bytes once. To that end a row
shows its prompt's pictures in one column only, `messages` in test splits and `images` in train
splits, and names its target by a key into the config `pictures`. TouchStone's is in
`touchstone/export.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from .command_line import say
from .config_patterns import matching_configs
from .examples import CONFIGS, Options, is_train, parse_config, splits, task_examples, task_splits
from .export_card import OWNERS, dataset_card, eval_yaml
from .export_files import (
    IMAGE,
    INT,
    STRING,
    ExportedFile,
    ExportedSplit,
    chat,
    new_folder,
    stored,
    strings,
    write_rows,
)
from .images import ImageSource, image_source
from .layout import LABELS, stem
from .progress import progress as progress_bar
from .spec import CITATION, TASKS, choose
from .training import train_example

__all__ = ["command", "export"]

PICTURES: Final = "pictures"

_IDENTITY: Final = {**strings("id", "task", "theme"), "shots": INT}
_ASKED: Final = strings("output", "prompt_type")
_LABEL: Final = {
    **strings("query", "latent_variable"),
    "demonstrations": [strings("text_input", "description")],
    "reference": strings("task", "object", "attribute"),
    **strings("target", "target_description"),
    "image_source": strings("name", "digest"),
}
_PART: Final = strings("type", "text")

TEST_COLUMNS: Final[dict[str, Any]] = {
    **_IDENTITY,
    **_ASKED,
    "messages": chat({**_PART, "image": IMAGE}),
    "followup": STRING,
    **_LABEL,
}
TRAIN_COLUMNS: Final[dict[str, Any]] = {
    **_IDENTITY,
    **_ASKED,
    "prompt": chat(_PART),
    "completion": chat(_PART),
    "images": [IMAGE],
    **_LABEL,
}
PICTURE_COLUMNS: Final[dict[str, Any]] = {
    **strings("target", "theme", "attribute", "object"),
    "image": IMAGE,
    "description": STRING,
}


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

    @property
    def columns(self) -> dict[str, Any]:
        return TRAIN_COLUMNS if self.train else TEST_COLUMNS


def export(
    out: Path,
    configs: Iterable[str] | None = None,
    options: Options | None = None,
    progress: bool = False,
) -> list[ExportedSplit]:
    """Write CoBSAT into a new folder, with its card; what fails leaves nothing there.

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
    with new_folder(out):
        names = list(dict.fromkeys(configs)) if configs is not None else _allowed(options)
        source = image_source(options.images)
        plan = [entry for name in names for entry in _planned(name, options)]
        files = list(dict.fromkeys(file for _, _, joined in plan for file in joined))
        done: dict[_File, ExportedFile] = {}
        with progress_bar("Writing Parquet", len(files)) if progress else nullcontext() as advance:
            for file in files:
                done[file] = _write_task(out, file, options, source)
                if advance:
                    advance(1)
        written = [
            ExportedSplit(config, split, tuple(done[f] for f in joined), joined[0].columns)
            for config, split, joined in plan
        ]
        pictures = write_rows(
            out, f"data/{PICTURES}.parquet", list(_pictures(source)), PICTURE_COLUMNS
        )
        written.append(ExportedSplit(PICTURES, PICTURES, (pictures,), PICTURE_COLUMNS))
        (out / "README.md").write_text(_card(written, options, source), encoding="utf-8")
        (out / "eval.yaml").write_text(_eval_yaml(written), encoding="utf-8")
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


def _write_task(out: Path, file: _File, options: Options, source: ImageSource) -> ExportedFile:
    task = TASKS[file.task]
    if file.train:
        options = replace(options, output="description")
    paths = dict(source.paths)
    paths.update({label: stored(paths[label]) for label in LABELS if label[0] == task.theme.name})
    with_bytes = replace(source, paths=paths)
    rows: list[dict[str, Any]] = []
    for example in task_examples(task, file.shots, file.prompts, options, with_bytes):
        row: dict[str, Any] = dict(train_example(example) if file.train else example)
        reference = example["reference"]
        row["target"] = stem((task.theme.name, reference["attribute"], reference["object"]))
        rows.append(row)
    return write_rows(out, file.path, rows, file.columns)


def _pictures(source: ImageSource) -> Iterator[dict[str, Any]]:
    for label in LABELS:
        theme, attribute, object_ = label
        yield {
            "target": stem(label),
            "theme": theme,
            "attribute": attribute,
            "object": object_,
            "image": stored(source.paths[label]),
            "description": source.descriptions[label],
        }


def _card(written: list[ExportedSplit], options: Options, source: ImageSource) -> str:
    return dataset_card(
        "cobsat_card.md.j2",
        written,
        title="CoBSAT",
        tasks=("text-to-image", "image-text-to-text"),
        tags=("in-context-learning", "text-to-image", "multimodal"),
        ours=source.name == "rendered",
        options=options,
        source=source,
        released=options.seed == Options().seed,
        configs=list(dict.fromkeys(each.config for each in written)),
        citation=CITATION.strip(),
    )


def _eval_yaml(written: list[ExportedSplit]) -> str:
    tested = {each.config: (each.config, "test") for each in written if each.split == "test"}
    return eval_yaml(
        "CoBSAT",
        "Text-to-image in-context learning: from demonstrations in its prompt, a multimodal model "
        "infers what the next picture shows. A task is a theme, the half to infer, and a number of "
        "demonstrations; the score is the share of outputs whose object and attribute are right.",
        tested,
    )


def command(
    out: Annotated[Path, typer.Option(help="A new folder for the export.")],
    benchmark: Annotated[
        str, typer.Option(help="cobsat, touchstone-mini, or touchstone (a file: --images).")
    ] = "cobsat",
    config: Annotated[
        list[str] | None,
        typer.Option(
            help="A config, or a pattern ('color_*-2shot'; of TouchStone 'recognition'); may be "
            "repeated. Default all"
        ),
    ] = None,
    prompt_type: Annotated[str, typer.Option(help="See `cobsat predict --help`.")] = "default",
    output: Annotated[str, typer.Option(help="image or description.")] = "image",
    instructions_for: Annotated[str, typer.Option(help="Whose wording (App. A.1).")] = "neutral",
    seed: Annotated[int, typer.Option(help="Seed of the prompt lists.")] = 123,
    images: Annotated[
        str | None,
        typer.Option(
            help="rendered (the default), official or a folder; of touchstone, official (the "
            "default) or a TSV file."
        ),
    ] = None,
) -> None:
    """Write a benchmark as Parquet files with a dataset card.

    The folder loads with plain `datasets`, without this package, and can be uploaded as it is:
    load_dataset("FOLDER", "color_i-2shot", split="test"). CoBSAT's train splits are in configs of
    their own ("all-2shot-train"), and the 500 pictures in the config "pictures".
    """
    choose("benchmark", benchmark, ("cobsat", "touchstone-mini", "touchstone"))
    options = Options(prompt_type, output, instructions_for, seed, images or "rendered")
    if benchmark == "cobsat":
        options.check()
        names = [n for p in config or () for n in matching_configs(p, "test", options)]
        written = export(out, names or None, options, progress=True)
        ours = options.images == "rendered"
    else:
        from .touchstone.export import export_touchstone

        if replace(options, images="rendered") != Options():
            raise ValueError(
                "prompt_type, output, instructions_for and seed must be left out with TouchStone: "
                "its questions are asked as they are"
            )
        written, ours = export_touchstone(out, benchmark, images, config)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    configs = len({entry.config for entry in written})
    say(f"{configs} configs, {size / 2**20:.0f} MB in {out}")
    if not ours:
        say(f"note: {OWNERS}", err=True)
