"""The command that draws the pictures: `python -m cobsat.drawing --out DIR` (see --help)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..layout import LABELS
from ..spec import THEMES
from .render import Rendering, picture_path, render_folder, table_name

_HELP: Final = """\
Draw the benchmark's pictures into a folder in the layout of the official CoBSAT files: one
picture for every attribute and object of Table 1 (500 with all five themes), a CSV of captions
for each theme, and manifest.json with the digests of all of them.
"""
_EXAMPLES: Final = """\
examples:
  python -m cobsat.drawing --out pictures                        all 500 of seed 0, as shipped
  python -m cobsat.drawing --out more --seed 7                   other drawings of the same things
  python -m cobsat.drawing --out look --theme color style --contact-sheet look/sheet.png
                                                                 two themes, and a sheet of each

The same seed gives the same bytes on every machine with the library versions that the manifest
names. The folder can be used as an image source: load_dataset("cobsat", ..., images="pictures").
"""
_CELL: Final = 150
_LABEL: Final = 16


def parser() -> argparse.ArgumentParser:
    """Return the command's argument parser."""
    result = argparse.ArgumentParser(
        prog="python -m cobsat.drawing",
        description=_HELP,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder to write (made if missing)"
    )
    result.add_argument(
        "--seed", type=int, default=0,
        help="which drawings: pose, size, hue, background and line vary (default 0, the shipped)",
    )  # fmt: skip
    result.add_argument(
        "--size", type=int, default=512, help="side of a picture in pixels (default 512)"
    )
    result.add_argument(
        "--theme", nargs="+", choices=list(THEMES), default=list(THEMES), metavar="THEME",
        help=f"themes to draw (default all: {', '.join(THEMES)})",
    )  # fmt: skip
    result.add_argument(
        "--contact-sheet", type=Path, metavar="FILE.png",
        help="also paint ten by ten thumbnails with labels; one file a theme, FILE-THEME.png, "
        "when there are several",
    )  # fmt: skip
    result.add_argument(
        "--processes", type=int, choices=(1, 2), default=2,
        help="processes that draw (default 2); the pictures do not depend on it",
    )  # fmt: skip
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = parser().parse_args(arguments)
    console = Console(stderr=True)
    if options.size < 16:
        console.print(f"--size must be at least 16 pixels, got {options.size}", style="red")
        return 2
    themes = [name for name in THEMES if name in options.theme]
    total = sum(label[0] in themes for label in LABELS)
    written: list[Rendering] = []
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=console,
    ) as progress:  # fmt: skip
        bar = progress.add_task("drawing", total=total)

        def on_picture(rendering: Rendering) -> None:
            written.append(rendering)
            progress.update(bar, advance=1, description=f"drawing {rendering.label[0]}")

        try:
            manifest = render_folder(
                options.out, seed=options.seed, size=options.size, themes=themes,
                processes=options.processes, on_picture=on_picture,
            )  # fmt: skip
        except (ValueError, ModuleNotFoundError, OSError) as error:
            progress.stop()
            console.print(str(error), style="red", highlight=False)
            return 1

    megabytes = sum(r.size_bytes for r in written) / 1e6
    files = ", ".join(table_name(name) for name in themes)
    print(f"{len(written)} pictures of seed {options.seed}, {megabytes:.2f} MB, in {options.out}")
    print(f"captions in {files}; digests in manifest.json")
    print(f"digest {manifest['digest']}")
    if options.contact_sheet:
        for name in themes:
            file = options.contact_sheet
            if len(themes) > 1:
                file = file.with_name(f"{file.stem}-{name}{file.suffix}")
            contact_sheet(options.out, name, file)
            print(f"contact sheet in {file}")
    return 0


def contact_sheet(folder: Path, theme: str, file: Path) -> None:
    """Paint a theme's pictures in `folder` as labelled thumbnails: a row an attribute."""
    spec = THEMES[theme]
    font = ImageFont.load_default(12)
    width, height = _CELL * len(spec.objects), (_CELL + _LABEL) * len(spec.attributes)
    sheet = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(sheet)
    for row, attribute in enumerate(spec.attributes):
        for column, object_ in enumerate(spec.objects):
            corner = (column * _CELL, row * (_CELL + _LABEL))
            with Image.open(folder / picture_path((theme, attribute, object_))) as picture:
                thumbnail = picture.resize((_CELL - 2, _CELL - 2), Image.Resampling.LANCZOS)
            sheet.paste(thumbnail, corner)
            text = f"{attribute} {object_}"
            pen.text((corner[0] + 3, corner[1] + _CELL - 1), text, fill="black", font=font)
    file.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(file)


if __name__ == "__main__":
    sys.exit(main())
