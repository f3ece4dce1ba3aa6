"""Write touchstone-mini's pictures as files, with a manifest of their digests.

    folder/
      pictures/night_village.webp    one a drawing, as many pixels as the drawing has units
      manifest.json                  quality, library versions, SHA-256 of every SVG and picture

`python -m cobsat.touchstone.drawing --help` is the command over this.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...drawing.render import MANIFEST, QUALITY, encode, versions
from . import PICTURES, raster

__all__ = ["FOLDER", "Rendering", "picture_path", "render_folder"]

FOLDER: Final = Path(__file__).parents[1] / "mini"
"""Where the pictures that ship are."""


@dataclass(frozen=True)
class Rendering:
    """One picture that was drawn: its name, its bytes, and the digests of both its forms."""

    name: str
    data: bytes
    svg_sha256: str
    sha256: str


def picture_path(name: str) -> str:
    """Return a picture's path in its folder: `pictures/night_village.webp`."""
    return f"pictures/{name}.webp"


def render(name: str) -> Rendering:
    """Draw one picture."""
    canvas = PICTURES[name]()
    data = encode(raster(canvas))
    return Rendering(name, data, _sha256(canvas.svg().encode()), _sha256(data))


def render_folder(
    out: Path,
    *,
    names: Iterable[str] = PICTURES,
    processes: int = 2,
    on_picture: Callable[[Rendering], None] = lambda _: None,
) -> dict[str, Any]:
    """Draw pictures into a folder and return its manifest.

    The manifest is written last. Entries of pictures that are not drawn now are kept, those of
    pictures that no longer exist are dropped, and with them their files.

    Raises:
        ValueError: The folder keeps pictures that other library versions drew.
    """
    names = list(names)
    head = {"quality": QUALITY, "versions": versions()}
    kept = _kept(out, head, names)
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    drawn: dict[str, dict[str, str]] = {}
    for rendering in _renderings(names, processes):
        (out / picture_path(rendering.name)).write_bytes(rendering.data)
        drawn[rendering.name] = {"svg": rendering.svg_sha256, "file": rendering.sha256}
        on_picture(rendering)
    for path in (out / "pictures").glob("*.webp"):
        if path.stem not in PICTURES:
            path.unlink()
    entries = kept | drawn
    pictures = {picture_path(n): entries[n] for n in sorted(PICTURES) if n in entries}
    manifest = head | {"pictures": pictures}
    (out / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def _renderings(names: list[str], processes: int) -> Iterator[Rendering]:
    if processes == 1:
        yield from map(render, names)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(render, names)


def _kept(out: Path, head: dict[str, Any], names: list[str]) -> dict[str, dict[str, str]]:
    path = out / MANIFEST
    if not path.exists():
        return {}
    old = json.loads(path.read_text(encoding="utf-8"))
    kept = {Path(file).stem: entry for file, entry in old["pictures"].items()}
    kept = {n: entry for n, entry in kept.items() if n in PICTURES and n not in names}
    for key, value in head.items():
        if kept and old[key] != value:
            raise ValueError(
                f"the other pictures in {out} must have {key} {value}, got {old[key]}; "
                "draw all of them again or choose another folder"
            )
    return kept


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
