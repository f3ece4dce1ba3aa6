"""The card of a converted checkpoint: from which files it came, what it holds, how to ask it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cobsat.card_parts import fenced, front_matter, markdown_cell, table
from huggingface_hub import ModelCardData

__all__ = ["write_card"]

_PIPELINES: Final = {
    "seed_llama": "any-to-any", "gill": "any-to-any", "qwen_vl_chat": "image-text-to-text",
    "emu": "any-to-any", "emu2": "any-to-any", "minigpt4": "image-text-to-text",
    "pandagpt": "image-text-to-text", "llava": "image-text-to-text",
}  # fmt: skip
"""System → the Hub's name of what it does."""
_ORDINARY: Final = {"llava": "transformers"}
"""System → the model of `cobsat models` that reads it, where it is transformers' own layout."""
_SHOWN: Final = 8
"""Of the tensors that were left out."""


def write_card(folder: Path, name: str, record: Mapping[str, Any]) -> Path:
    """Write a converted folder's `README.md`.

    Args:
        folder: The folder.
        name: What it will be called.
        record: What `conversion.write_record` wrote.
    """
    system = str(record["system"])
    data = ModelCardData(
        library_name=_ORDINARY.get(system, "cobsat"),
        pipeline_tag=_PIPELINES.get(system),
        tags=["cobsat", system.replace("_", "-")],
    )
    left_out = [markdown_cell(tensor) for tensor in record["left_out"]]
    more = f" and {len(left_out) - _SHOWN:,} more" if len(left_out) > _SHOWN else ""
    path = shlex.quote(f"PATH/TO/{name}")
    model = _ORDINARY.get(system, system)
    lines = [
        f"# {markdown_cell(name)}", "",
        f"The published weights of {markdown_cell(system)} as safetensors, in the layout and under "
        f"the names that the package {_ORDINARY.get(system, 'cobsat')} reads; nothing was trained. "
        "`conversion.json` says all of this to programs.", "",
        "## Use", "",
        *fenced(
            f"cobsat run --model {model} --model-option checkpoint={path} \\\n"
            f"  --config all-2shot{_asked_for(data.pipeline_tag)}"
        ), "",
        "## What it was made of", "",
        *_files(record["sources"]), "",
        f"Left out, as it takes no part: {', '.join(left_out[:_SHOWN]) or 'nothing'}{more}.", "",
        "## What it holds", "",
        *_files(record["files"]), "",
        "Converted with " + ", ".join(
            f"{markdown_cell(package)} {markdown_cell(version)}"
            for package, version in record["versions"].items()
        ) + ".", "",
        "## Limits", "",
        "- The weights are their authors', and so is the licence: put it into the metadata above "
        "before you publish this folder, if it allows that at all.",
        *([] if system in _ORDINARY else ["- Other packages do not know this layout."]), "",
    ]  # fmt: skip
    target = folder / "README.md"
    target.write_text(front_matter(data) + "\n".join(lines), encoding="utf-8")
    return target


def _asked_for(pipeline: str | None) -> str:
    return " --output description" if pipeline == "image-text-to-text" else ""


def _files(entries: list[dict[str, Any]]) -> list[str]:
    rows = [
        [markdown_cell(each["name"], 200), f"`{each['sha256']}`", f"{each['bytes']:,}"]
        for each in entries
    ]
    return table(("file", "SHA-256", "bytes"), rows, numbers=1)
