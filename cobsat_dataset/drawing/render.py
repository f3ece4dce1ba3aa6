"""Write drawings as a folder of pictures, in the layout of the official CoBSAT files.

    folder/
      color_car/red_car.webp      {attribute kind}_{object}/{attribute key}_{object}.webp
      color_object.csv            one a theme: columns image, caption
      manifest.json               seed, size, library versions, SHA-256 of every SVG and picture

Source: the layout of the Hub dataset `yzeng58/CoBSAT`. `python -m cobsat.drawing --help` is the
command over this.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from PIL import Image, features

from ..layout import LABELS, TABLES, Label, stem
from ..spec import THEMES
from . import draw, rasterize

QUALITY: Final = 82
"""WebP quality: the 500 pictures of 512 px stay below 9 MB together."""

MANIFEST: Final = "manifest.json"


@dataclass(frozen=True)
class Rendering:
    """One picture that was written: its label, its caption, and the digests of both its forms."""

    label: Label
    caption: str
    svg_sha256: str
    sha256: str
    size_bytes: int


def picture_path(label: Label) -> str:
    """Return a picture's path relative to its folder: `style_leaf/3d_leaf.webp`."""
    return f"{stem(label)}.webp"


def table_name(theme: str) -> str:
    """Return the name of a theme's table of captions: `color_object.csv`."""
    return TABLES[list(THEMES).index(theme)]


def encode(image: Image.Image) -> bytes:
    """Return the picture as lossy WebP."""
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY, method=6)
    return buffer.getvalue()


def versions() -> dict[str, str]:
    """Return the versions of the libraries that decide a picture's bytes."""
    return {
        "resvg-py": version("resvg-py"),
        "pillow": version("pillow"),
        "webp": str(features.version("webp")),
    }


def digest(files: Iterable[str]) -> str:
    """Return one digest over the SHA-256 of pictures (hexadecimal, in `LABELS`' order).

    Over all 500 this is the digest of the image source, by which runs and cards name it.
    """
    return _sha256(b"".join(bytes.fromhex(file) for file in files))


def render_folder(
    out: Path,
    *,
    seed: int = 0,
    size: int = 512,
    themes: Iterable[str] = THEMES,
    processes: int = 2,
    on_picture: Callable[[Rendering], None] = lambda _: None,
) -> dict[str, Any]:
    """Draw the themes' pictures into a folder and return its manifest.

    Every picture is drawn anew and replaces the one before it in one step; the manifest is
    written last, so a folder whose manifest agrees with its files is whole. A folder can be
    filled theme by theme: the manifest keeps the themes that another call wrote.

    Raises:
        ValueError: The folder holds pictures of another seed, size or library version.
    """
    themes = list(themes)
    head = {"seed": seed, "size": size, "quality": QUALITY, "versions": versions()}
    kept = _kept_entries(out, head, themes)
    jobs = [(str(out), label, seed, size) for label in LABELS if label[0] in themes]
    done: list[Rendering] = []
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            for rendering in pool.map(_render, jobs, chunksize=5):
                on_picture(rendering)
                done.append(rendering)
    else:
        for job in jobs:
            done.append(_render(job))
            on_picture(done[-1])

    for theme in themes:
        rows = [(picture_path(r.label), r.caption) for r in done if r.label[0] == theme]
        _write(out / table_name(theme), _csv(rows))
    entries = kept | {picture_path(r.label): {"svg": r.svg_sha256, "file": r.sha256} for r in done}
    entries = {path: entries[path] for path in map(picture_path, LABELS) if path in entries}
    manifest = head | {
        "digest": digest(entry["file"] for entry in entries.values()),
        "pictures": entries,
    }
    _write(out / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    return manifest


def _render(job: tuple[str, Label, int, int]) -> Rendering:
    out, label, seed, size = job
    drawing = draw(*label, seed)
    data = encode(rasterize(drawing.svg, size))
    _write(Path(out) / picture_path(label), data)
    return Rendering(
        label, drawing.description, _sha256(drawing.svg.encode()), _sha256(data), len(data)
    )


def _kept_entries(out: Path, head: dict[str, Any], themes: list[str]) -> dict[str, dict[str, str]]:
    """Return what the folder's manifest says of the themes that are not drawn now."""
    path = out / MANIFEST
    if not path.exists():
        return {}
    old = json.loads(path.read_text(encoding="utf-8"))
    redrawn = {picture_path(label) for label in LABELS if label[0] in themes}
    kept = {name: entry for name, entry in old["pictures"].items() if name not in redrawn}
    for key, value in head.items():
        if kept and old[key] != value:
            raise ValueError(
                f"the other themes' pictures in {out} must have {key} {value}, got {old[key]}; "
                "draw all themes again or choose another folder"
            )
    return kept


def _csv(rows: list[tuple[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("image", "caption"))
    writer.writerows(rows)
    return text.getvalue().encode()


def _write(path: Path, data: bytes) -> None:
    """Write a file in one step: a reader sees the old bytes or the new ones, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        scratch.write_bytes(data)
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
