"""The shipped pictures with captions in the words that mini-vlm-base writes, to tune it on.

    python -m cobsat.train.mini_vlm_pictures --out runs/table4/pictures
    cobsat train --images runs/table4/pictures …

The shipped descriptions are long sentences whose words the base has hardly met; a model as small as
this spends its fine-tuning on learning to write them. Its own captions ("A pink car.") leave what
is to be learnt: which picture comes next. The folder has the official layout; the pictures are the
shipped ones, byte for byte, and so is their digest.
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Annotated

import typer
from cobsat.images import image_source
from cobsat.layout import TABLES, stem
from cobsat.spec import THEMES

from .mini_vlm_data import caption

__all__ = ["write_pictures"]


def write_pictures(out: Path) -> Path:
    """Write the 500 pictures and five tables of captions; what is there is written anew."""
    source = image_source("rendered")
    files = {}
    for label, path in source.paths.items():
        files[label] = f"{stem(label)}{Path(path).suffix}"
        target = out / files[label]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for theme, table in zip(THEMES, TABLES, strict=True):
        with open(out / table, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["image", "caption"])
            rows.writerows(
                [name, caption(*label)] for label, name in files.items() if label[0] == theme
            )
    return out


def main(
    out: Annotated[Path, typer.Option(help="The folder, made if need be.")],
) -> None:
    """Write the shipped pictures with captions in mini-vlm's words."""
    typer.echo(f"{write_pictures(out)}: 500 pictures with captions")


if __name__ == "__main__":
    typer.run(main)
