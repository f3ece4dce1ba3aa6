"""The model card: the README of a model's repository, from its runs.

    cobsat card runs/NAME                                  # writes runs/NAME/README.md
    cobsat card runs/A runs/B --model-id org/model --out model/README.md
    cobsat card runs/A --merge model/README.md             # a card that people wrote: our part only

Beside the card lie `cobsat/` (plots, pictures of examples) and `.eval_results/` (scores as the Hub
reads them for a benchmark's dataset: with `--dataset`, and always for the official CoBSAT). The
scores are in the card's `model-index`, too. All is checked before anything is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from cobsat.card_parts import front_matter, markdown_cell, visible
from cobsat.command_line import say
from cobsat.official import REPO
from cobsat.run_folder import safe_name
from cobsat.spec import choose
from huggingface_hub import ModelCardData
from huggingface_hub.utils._validators import validate_repo_id

from .card_data import CardRun, check_one_model, read_card_runs
from .card_merge import has_part, merged, read_card
from .card_page import card_part
from .card_results import check_card, entries_yaml, model_index, results
from .card_training import base_model, training_lines

__all__ = ["command", "dataset_names", "write_card"]

_PIPELINES: Final = {
    "image": "text-to-image", "description": "image-text-to-text", "answer": "image-text-to-text",
}  # fmt: skip
_BENCHMARKS: Final = ("cobsat", "touchstone")


def write_card(
    runs: Sequence[Path],
    out: Path | None = None,
    *,
    merge: Path | None = None,
    model_id: str | None = None,
    datasets: Mapping[str, str] | None = None,
    base: Path | None = None,
) -> list[Path]:
    """Write a model's card from its runs, and return the paths of all files written, it first.

    Args:
        runs: Run folders of one model that have scores.
        out: The card; by default the merged one, or `README.md` in the first run's folder.
        merge: A card that exists: our part of it is put in or put anew, all else is kept.
        model_id: The model's name on the Hub; by default what the runs call it.
        datasets: By benchmark, the Hub dataset that a run's scores are of.
        base: A run of the model that the runs' model was tuned from, to stand beside them.

    Raises:
        FileNotFoundError: A folder is no run's, or has no scores; or there is no card to merge.
        FileExistsError: At `out` there is a card without a part of ours.
        ValueError: The runs are not of one model, or what would be written is not valid.
    """
    if model_id is not None:
        validate_repo_id(model_id)
    read = read_card_runs(runs)
    check_one_model(read)
    out = out or merge or runs[0] / "README.md"
    folder = "cobsat" if out.name == "README.md" else f"{_plain(out.stem)}-cobsat"
    name = model_id or _model_name(read[0])
    named = {**(datasets or {})}
    found = [r for run in read for r in results(run, named.get(run.settings.benchmark))]
    index = model_index(name, found)
    part, beside = card_part(read, folder, training_lines(read, base))
    there = _there(out, merge)
    card = merged(_new(read, name) if there is None else there, part, index, merge or out)
    check_card(card.removeprefix("\ufeff"), found)
    files = {out.parent / path: data for path, data in beside.items()}
    for path, text in _entries(read, named).items():
        files[out.parent / ".eval_results" / path] = text.encode()
    for file, data in files.items():
        _write(file, data)
    for stale in (
        p for kind in ("plots", "examples") for p in (out.parent / folder / kind).glob("*")
    ):
        if stale not in files and stale.suffix in (".svg", ".webp"):
            stale.unlink()
    _write(out, card.encode())
    return [out, *files]


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders of one model, judged already.", metavar="RUN..."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The card [default: README.md in the first run's folder]."),
    ] = None,
    merge: Annotated[
        Path | None,
        typer.Option(
            help="A card that exists: our part of it is written, the words of others stay. Written "
            "in place, or to --out."
        ),
    ] = None,
    model_id: Annotated[
        str | None, typer.Option(help="The model's name on the Hub: ORG/NAME.")
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BENCHMARK=ORG/NAME",
            help="The Hub dataset that scores are of, cobsat=… or touchstone=…; may be repeated.",
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(help="Of a tuned model: a run of its base, on the same prompts."),
    ] = None,
) -> None:
    """Write a model's card from its runs: scores, plots, examples and how to reproduce them."""
    written = write_card(
        runs, out, merge=merge, model_id=model_id, datasets=dataset_names(dataset or ()), base=base
    )
    say(written[0])
    say(f"and {len(written) - 1} files beside it", err=True)


def dataset_names(given: Sequence[str]) -> dict[str, str]:
    """Return by benchmark the Hub datasets that options BENCHMARK=ORG/NAME give.

    Raises:
        ValueError: One is no such option.
    """
    found: dict[str, str] = {}
    for text in given:
        benchmark, equals, name = text.partition("=")
        if not equals or not name:
            raise ValueError(f"dataset must be BENCHMARK=ORG/NAME, got {text!r}")
        choose("benchmark of a dataset", benchmark, _BENCHMARKS)
        validate_repo_id(name)
        found[benchmark] = name
    return found


def _there(out: Path, merge: Path | None) -> str | None:
    """Return the card to put our part into; None where there is none."""
    if out.is_dir():
        raise ValueError(f"out must be a file, got the folder {out}: name {out / 'README.md'}")
    if merge is not None:
        if not merge.is_file():
            raise FileNotFoundError(f"{merge} must be a card that exists, got no such file")
        return read_card(merge.read_bytes(), merge)
    if not out.exists():
        return None
    text = read_card(out.read_bytes(), out)
    if not has_part(text):
        raise FileExistsError(
            f"{out} must be a new file or a card with our part, got one that others wrote: "
            f"--merge {out} puts our part in and keeps the rest"
        )
    return text


def _new(runs: Sequence[CardRun], name: str) -> str:
    """Return a new card without our part: metadata and a title."""
    tags = ["cobsat", *(["touchstone"] if any(run.answers for run in runs) else [])]
    base, lora = base_model(runs[0])
    data = ModelCardData(
        base_model=base,
        library_name="peft" if lora else None,
        pipeline_tag=_PIPELINES[runs[0].settings.output],
        tags=[*tags, "in-context-learning"],
    )
    return f"{front_matter(data)}# {markdown_cell(name)}\n"


def _model_name(run: CardRun) -> str:
    """Return what a run calls its model: its checkpoint, where the adapter's name says little."""
    record: Any = run.settings.model_options.get("record")
    record = record if isinstance(record, Mapping) else {}
    adapter = record.get("adapter")
    given = [adapter.get("name") if isinstance(adapter, Mapping) else None]
    given += [record.get("checkpoint"), record.get("model"), record.get("name")]
    name = next((str(n) for n in given if n), run.settings.model)
    name = Path(name).name if Path(name).is_absolute() else name
    return " ".join(visible(name).split())[:96] or "model"


def _entries(runs: Sequence[CardRun], datasets: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for run in runs:
        official = run.settings.benchmark == "cobsat" and run.source == "official"
        dataset = REPO if official else datasets.get(run.settings.benchmark)
        for table in run.tables if dataset else ():
            path = f"cobsat-{_plain(run.label)}-{_plain(table.judge)}.yaml"
            found[path] = entries_yaml(run, table, dataset or "")
    return found


def _plain(name: str) -> str:
    return "".join(c if c.isascii() else "-" for c in safe_name(name))[:80]


def _write(path: Path, data: bytes) -> None:
    """Write a file in one step, so that a killed process leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(data)
    os.replace(partial, path)
