"""What each kind of thing is on the Hub: its repository's files, and what else is ours there.

A dataset is what `cobsat export` wrote; a metric a Space with the module and its page; a report a
static Space; a card the README of a model, with what lies beside it; a model the folder that
`cobsat train` or `cobsat convert` made.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cobsat.card_parts import markdown_cell
from huggingface_hub import ModelCard, SpaceCardData

from .card_merge import BEGIN, END, has_part, merged, read_card
from .publish_files import Source, check_rights, folder_files, with_home
from .publish_hub import Hub, last_title, look, read
from .publish_plan import Publication, There
from .publish_sources import card_sources, run_source, table_sources

__all__ = ["card", "dataset", "metric", "model", "report"]

_DATASET: Final = ("README.md", "LICENSE*", "eval.yaml", "data/**/*.parquet")
_METRIC: Final = ("README.md", "app.py", "requirements.txt")
_MODEL: Final = (
    "*.md", "LICENSE*", "**/*.safetensors", "**/*.json", "**/*.jinja", "**/*.model", "**/*.txt",
    "**/*.tiktoken", ".eval_results/*.yaml", "cobsat/**",
)  # fmt: skip
_CARD_OWNED: Final = ("cobsat/plots/*", "cobsat/examples/*", ".eval_results/cobsat-*.yaml")
_EXAMPLES: Final = "cobsat/examples/"
_README: Final = "README.md"
_REPORT_TAG: Final = "cobsat-report"
_FRESH: Final = {_README, ".gitattributes"}
"""What a Space that the Hub has just made holds."""
_MODEL_TITLE: Final = "cobsat publish model"


def dataset(folder: Path, repo: str, may: bool) -> Publication:
    """Return the repository of a dataset that `cobsat export` wrote.

    Raises:
        FileNotFoundError: It is no such folder.
        PermissionError: Its pictures are others', and the user has not said that they may go.
    """
    files, left = folder_files(folder, _DATASET) if folder.is_dir() else ({}, [])
    tables = [folder / name for name in files if name.endswith(".parquet")]
    if _README not in files or not tables:
        raise FileNotFoundError(
            f"{folder} must be a folder that `cobsat export` wrote, got none with README.md and "
            "data/*.parquet"
        )
    sources = {source for table in tables for source in table_sources(table)}
    check_rights(sources, may, str(folder))
    title = "cobsat publish dataset"
    return Publication(repo, "dataset", title, files, owned=("data/**",), left_out=left)


def metric(name: str, repo: str, requirement: str | None = None) -> Publication:
    """Return the Space of an `evaluate` module.

    Args:
        name: The module's.
        repo: ORG/NAME, where NAME is the module's: `evaluate.load` looks for the file NAME.py.
        requirement: What `pip` installs there in place of "cobsat".
    """
    from cobsat.metrics.registry import path  # takes seconds to import

    files, _ = folder_files(Path(path(name)), (*_METRIC, f"{name}.py"))
    if requirement:
        needed = Path(path(name), "requirements.txt").read_text("utf-8").splitlines()
        lines = [requirement if line.strip() == "cobsat" else line for line in needed]
        files["requirements.txt"] = "".join(f"{line}\n" for line in lines).encode()
    return Publication(repo, "space", "cobsat publish metrics", files, sdk="gradio")


def report(hub: Hub, runs: Sequence[Path], repo: str, may: bool, scratch: Path) -> Publication:
    """Write the report of runs, and return the static Space that shows it.

    Args:
        hub: The Hub.
        runs: Run folders.
        repo: ORG/NAME.
        may: Whether the user has the right to publish others' pictures.
        scratch: An empty folder that the report is written into.

    Raises:
        PermissionError: Pictures are others', and the user has not said that they may go.
        ValueError: The Space is there, and holds something else.
    """
    from .report import write_report

    check_rights(map(run_source, runs), may, "the report")
    there = look(hub, repo, "space")
    _check_is_a_report(hub, repo, there)
    copies = _copied(runs, scratch / "runs")
    write_report(copies, scratch / "index.html")
    files, _ = folder_files(scratch, ("**",))  # without run folders
    for copy in copies:  # the page's addresses of full pictures lead here
        pictures, _ = (
            folder_files(copy / "images", ("**",)) if (copy / "images").is_dir() else ({}, [])
        )
        home = (copy / "images").relative_to(scratch).as_posix()
        files |= {f"{home}/{name}": source for name, source in pictures.items()}
    files[_README] = _report_card(repo, runs).encode()
    return Publication(repo, "space", "cobsat publish report", files, owned=("**",), sdk="static")


def card(
    hub: Hub,
    runs: Sequence[Path],
    repo: str,
    may: bool,
    scratch: Path,
    *,
    datasets: Mapping[str, str],
    base: Path | None,
) -> Publication:
    """Write a model's card from its runs into the one that is there, and return its repository.

    Args:
        hub: The Hub.
        runs: Run folders of one model.
        repo: ORG/NAME.
        may: Whether the user has the right to publish pictures that come of others'.
        scratch: An empty folder that the card is written into.
        datasets: By benchmark, the Hub dataset that scores are of.
        base: A run of the model that the runs' model was tuned from.

    Raises:
        PermissionError: Examples come of others' pictures, and the user has not said they may go.
        ValueError: The runs are not of one model, or the card there cannot be merged with.
    """
    from .card import write_card

    out = scratch / _README
    there = look(hub, repo, "model")
    theirs = read(hub, repo, "model", _README, there)
    if theirs is not None:
        out.write_bytes(theirs)
    merge = None if theirs is None else out
    written = write_card(runs, out, merge=merge, model_id=repo, datasets=datasets, base=base)
    files: dict[str, Source] = {p.relative_to(scratch).as_posix(): p for p in written}
    if any(path.startswith(_EXAMPLES) for path in files):
        check_rights(map(run_source, runs), may, "the examples on the card")
    title = "cobsat publish card"
    return Publication(repo, "model", title, files, owned=_CARD_OWNED, seen=there)


def model(hub: Hub, folder: Path, repo: str, may: bool) -> Publication:
    """Return the repository of a tuned model, an adapter, or a converted checkpoint.

    A README that people have changed on the Hub stays theirs; our part of it is put anew.

    Raises:
        FileNotFoundError: The folder holds no weights.
        ValueError: Its training has not ended.
    """
    files, left = folder_files(folder, _MODEL) if folder.is_dir() else ({}, [])
    if not any(name.endswith(".safetensors") for name in files):
        raise FileNotFoundError(
            f"{folder} must be a folder of weights, as `cobsat train` and `cobsat convert` make "
            "it, got one without a file .safetensors"
        )
    if "training.json" in files and "results.json" not in files:
        raise ValueError(
            f"{folder} must be a training that has ended, got one that has not: give `cobsat "
            "train` again, and it goes on"
        )
    notes, title = _base_notes(folder), _MODEL_TITLE
    if private := with_home(files):
        notes.append(f"folders of this machine are named in {', '.join(private)}")
    there = look(hub, repo, "model")
    if _README not in files:
        notes.append("without README.md: `cobsat publish card` writes one from runs")
    else:
        local = read_card((folder / _README).read_bytes(), folder / _README)
        if any(path.startswith(_EXAMPLES) for path in files):
            check_rights(card_sources(local), may, "the examples on the card")
        theirs = _changed_there(hub, repo, local, there)
        if theirs is not None:
            del files[_README]
            stays = "only our part of it is put anew" if has_part(local) else "it stays as it is"
            notes.append(f"README.md on the Hub was written by others: {stays}")
            if has_part(local):
                files[_README] = _with_part(theirs, local, f"README.md of {repo}").encode()
                title = f"{_MODEL_TITLE}: our part of its card"
    return Publication(repo, "model", title, files, left_out=left, notes=tuple(notes), seen=there)


def _changed_there(hub: Hub, repo: str, local: str, there: There) -> bytes | None:
    """Return the README on the Hub if another than us was the last to write it."""
    theirs = read(hub, repo, "model", _README, there)
    if theirs is None or theirs == local.encode():
        return None
    title = last_title(hub, repo, "model", _README, there)
    return None if title == _MODEL_TITLE else theirs


def _check_is_a_report(hub: Hub, repo: str, there: There) -> None:
    card = read(hub, repo, "space", _README, there) or b""
    if set(there.files) - _FRESH and f"- {_REPORT_TAG}".encode() not in card:
        raise ValueError(
            f"{repo} must be a new Space or one of a report, got one that holds something else: "
            "what a report does not need is deleted there, so name another"
        )


def _copied(runs: Sequence[Path], home: Path) -> list[Path]:
    """Return copies of run folders, so that the page's addresses of their pictures stay in one."""
    paths = [run.resolve() for run in runs]
    names = [path.name for path in paths]
    common = os.path.commonpath([path.parent for path in paths])
    copies = []
    for path in paths:
        name = path.name if names.count(path.name) == 1 else os.path.relpath(path, common)
        copies.append(home / name)
        ignore = shutil.ignore_patterns("report*", "plots", "leaderboard", "cobsat", "*.partial")
        shutil.copytree(path, copies[-1], copy_function=_link, ignore=ignore)
    return copies


def _link(source: str, target: str) -> None:
    try:
        os.link(os.path.realpath(source), target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)


def _report_card(repo: str, runs: Sequence[Path]) -> str:
    name = repo.partition("/")[2]
    data = SpaceCardData(
        title=name, emoji="📊", colorFrom="blue", colorTo="green", sdk="static",
        app_file="index.html", pinned=False, tags=["cobsat", _REPORT_TAG],
    )  # fmt: skip
    shown = ", ".join(markdown_cell(run.resolve().name) for run in runs)
    about = (
        "A report of [CoBSAT](https://arxiv.org/abs/2402.01293) runs, written by `cobsat report`"
    )
    return f"---\n{data.to_yaml()}\n---\n\n# {name}\n\n{about}: {shown}.\n"


def _base_notes(folder: Path) -> list[str]:
    """Return what keeps others from using an adapter: a base that only this machine has."""
    config = folder / "adapter_config.json"
    if not config.is_file():
        return []
    data: Any = json.loads(config.read_text("utf-8"))
    base = str(data.get("base_model_name_or_path") if isinstance(data, dict) else "")
    if base.count("/") == 1 and not base.startswith((".", "/", "~")) and not Path(base).exists():
        return []
    name = Path(base).name or "none"
    return [
        f"the adapter's base is a folder here ({name}): others need it by a name on the Hub, in "
        "adapter_config.json"
    ]


def _with_part(theirs: bytes, local: str, where: str) -> str:
    part = local[local.index(BEGIN) + len(BEGIN) : local.index(END)].replace("\r\n", "\n")
    data: Any = ModelCard(local, ignore_metadata_errors=True).data
    index = data.to_dict().get("model-index") or []
    return merged(read_card(theirs, where), part, index, where)
