"""The card of an exported dataset, and its `eval.yaml`: metadata as the Hub reads it, and text.

`eval.yaml` names the tasks that the entries of `.eval_results/` in models' repositories are of (see
`hub_cards/card.py`). It names no `evaluation_framework`: the Hub takes those of a list of its own,
which this package is not in, and a repository is shown as a benchmark once the Hub's people have
put it on another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jinja2
import yaml
from datasets import DatasetInfo, Features, SplitDict, SplitInfo
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCardData

from .card_parts import front_matter, markdown_cell, table
from .export_files import ExportedSplit

__all__ = ["OWNERS", "dataset_card", "eval_yaml"]

OWNERS: Final = (
    "the pictures are not this package's: their rights are with their owners, publish them only "
    "with the right to"
)

_SIZES: Final = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
"""The Hub's words for less than so many rows."""


def dataset_card(
    template: str,
    written: Sequence[ExportedSplit],
    *,
    title: str,
    tasks: Sequence[str],
    tags: Sequence[str],
    ours: bool,
    **values: Any,
) -> str:
    """Return a dataset's card: metadata and text.

    Args:
        template: The text's name in `templates/`.
        written: What was written; where there is one of the name "all", it is the default config.
        title: The dataset's name.
        tasks: The Hub's names of the tasks that it is for.
        tags: More words to find it by.
        ours: Whether its pictures and questions are this package's own.
        values: What the text needs besides.
    """
    data = DatasetCardData(
        pretty_name=title,
        language=["en"],
        license="apache-2.0" if ours else "other",
        license_name=None if ours else "rights-of-their-owners",
        task_categories=list(tasks),
        tags=[*tags, "benchmark", "cobsat"],
        size_categories=[_size(written)],
        configs=_configs(written),
    )
    DatasetInfosDict(_infos(written)).to_dataset_card_data(data)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 (Markdown: `cell` escapes what others wrote)
    )
    environment.filters["cell"] = markdown_cell
    rows = [
        [markdown_cell(each.config), markdown_cell(each.split), f"{each.rows:,}"]
        for each in written
    ]
    sizes = table(("config", "split", "rows"), rows, numbers=1)
    text = environment.get_template(template).render(
        title=title, ours=ours, sizes="\n".join(sizes), **values
    )
    return front_matter(data) + text


def _size(written: Iterable[ExportedSplit]) -> str:
    files = {file.path: file.rows for each in written for file in each.files}
    rows = sum(files.values())  # a file that several configs join counts once
    return next((word for limit, word in _SIZES.items() if rows < limit), "1M<n<10M")


def _by_config(written: Iterable[ExportedSplit]) -> dict[str, list[ExportedSplit]]:
    grouped: dict[str, list[ExportedSplit]] = {}
    for each in written:
        grouped.setdefault(each.config, []).append(each)
    return grouped


def _configs(written: Iterable[ExportedSplit]) -> list[dict[str, Any]]:
    return [
        {
            "config_name": config,
            "data_files": [
                {"split": each.split, "path": [file.path for file in each.files]} for each in splits
            ],
            **({"default": True} if config == "all" else {}),
        }
        for config, splits in _by_config(written).items()
    ]


def _infos(written: Iterable[ExportedSplit]) -> dict[str, DatasetInfo]:
    infos = {}
    for config, splits in _by_config(written).items():
        sizes = SplitDict()
        for each in splits:
            sizes.add(SplitInfo(each.split, sum(f.loaded for f in each.files), each.rows))
        infos[config] = DatasetInfo(
            config_name=config,
            features=Features.from_dict(splits[0].columns),
            splits=sizes,
            download_size=sum({f.path: f.size for s in splits for f in s.files}.values()),
            dataset_size=sum(size.num_bytes for size in sizes.values()),
        )
    return infos


def eval_yaml(title: str, about: str, tasks: Mapping[str, tuple[str, str]]) -> str:
    """Return the text of `eval.yaml`.

    Args:
        title: The benchmark's name.
        about: What it measures.
        tasks: By the id that a model's results name: config and split.
    """
    listed = [{"id": i, "config": config, "split": split} for i, (config, split) in tasks.items()]
    data = {"name": title, "description": about, "tasks": listed}
    return str(yaml.safe_dump(data, sort_keys=False, width=100, allow_unicode=True))
