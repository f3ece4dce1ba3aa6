"""The command that draws the pictures: `python -m cobsat.touchstone.drawing --out DIR`."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from . import PICTURES
from .render import Rendering, render_folder

_HELP: Final = """\
Draw the pictures of touchstone-mini into a folder, with manifest.json, which has the digests of
all of them. The same bytes on every machine with the library versions that the manifest names.
"""
_EXAMPLES: Final = """\
examples:
  python -m cobsat.touchstone.drawing --out scratch
  python -m cobsat.touchstone.drawing --out scratch --only cafe_board --contact-sheet sheet.png
"""
_CELL: Final = 240
_LABEL: Final = 18
_COLUMNS: Final = 5


def parser() -> argparse.ArgumentParser:
    """Return the command's argument parser."""
    result = argparse.ArgumentParser(
        prog="python -m cobsat.touchstone.drawing",
        description=_HELP,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder to write (made if missing)"
    )
    result.add_argument(
        "--only", nargs="+", choices=list(PICTURES), default=list(PICTURES), metavar="NAME",
        help="pictures to draw (default all)",
    )  # fmt: skip
    result.add_argument(
        "--contact-sheet", type=Path, metavar="FILE.png", help="also paint labelled thumbnails"
    )
    result.add_argument(
        "--processes", type=int, choices=(1, 2), default=2,
        help="processes that draw (default 2); the pictures do not depend on it",
    )  # fmt: skip
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = parser().parse_args(arguments)
    drawn: list[Rendering] = []
    try:
        render_folder(
            options.out, names=options.only, processes=options.processes, on_picture=drawn.append
        )
    except (ValueError, ModuleNotFoundError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    megabytes = sum(len(r.data) for r in drawn) / 1e6
    print(f"{len(drawn)} pictures, {megabytes:.2f} MB, in {options.out}")
    if options.contact_sheet:
        contact_sheet(drawn, options.contact_sheet)
        print(f"contact sheet in {options.contact_sheet}")
    return 0


def contact_sheet(drawn: Sequence[Rendering], file: Path) -> None:
    """Paint labelled thumbnails of the pictures, in their order."""
    rows = -(-len(drawn) // _COLUMNS)
    size = (_CELL * min(len(drawn), _COLUMNS), (_CELL + _LABEL) * rows)
    sheet = Image.new("RGB", size, "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for index, rendering in enumerate(drawn):
        x, y = index % _COLUMNS * _CELL, index // _COLUMNS * (_CELL + _LABEL)
        picture = Image.open(io.BytesIO(rendering.data))
        picture.thumbnail((_CELL - 4, _CELL - 4), Image.Resampling.LANCZOS)
        sheet.paste(picture, (x, y))
        pen.text((x + 3, y + _CELL - 1), rendering.name, fill="black", font=font)
    file.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(file)


if __name__ == "__main__":
    sys.exit(main())
