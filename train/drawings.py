"""Drawings to train on: every picture of Table 1 with many seeds, small, kept on disk.

The benchmark's pictures are those of seed 0; these are drawn with seeds from 1 on, by the same
code (`cobsat.drawing`, which needs resvg). What was drawn is kept in a scratch folder, one file a
theme and seed, under a name that changes with the drawing code: a stopped run goes on where it was.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cobsat.drawing
import numpy as np
import numpy.typing as npt
from cobsat.progress import progress
from cobsat.spec import THEMES

__all__ = ["Drawings", "draw_all", "theme_labels"]

Pixels: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Drawings:
    """Pictures with their labels and descriptions, in the order of seeds and then of Table 1.

    Attributes:
        images: Pixels, (pictures, size, size, 3).
        themes: Index of the theme in `THEMES`, (pictures,).
        attributes: Index of the attribute in its theme, (pictures,).
        objects: Index of the object in its theme, (pictures,).
        descriptions: What each picture shows, in words.
        digest: Names the code that drew them.
    """

    images: Pixels
    themes: npt.NDArray[np.int64]
    attributes: npt.NDArray[np.int64]
    objects: npt.NDArray[np.int64]
    descriptions: list[str]
    digest: str


def theme_labels(theme: str) -> list[tuple[str, str]]:
    """Return a theme's 100 pairs of attribute and object, attribute by attribute."""
    spec = THEMES[theme]
    return [(attribute, object_) for attribute in spec.attributes for object_ in spec.objects]


def draw_all(
    seeds: Sequence[int],
    size: int,
    scratch: Path,
    *,
    processes: int = 1,
) -> Drawings:
    """Draw every picture of Table 1 with every seed, or read what was drawn before.

    Args:
        seeds: Seeds of the drawings.
        size: Edge of the pictures in pixels.
        scratch: The folder where drawings are kept.
        processes: How many draw at once.

    Raises:
        ModuleNotFoundError: resvg is not installed; the message names the command.
    """
    digest = _digest()
    folder = scratch / f"drawings-{digest}-{size}px"
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(folder, theme, seed, size) for seed in seeds for theme in THEMES]
    missing = [job for job in jobs if not _file(*job[:3]).exists()]
    with (
        progress("drawing (hundreds)", len(jobs), len(jobs) - len(missing)) as advance,
        ProcessPoolExecutor(max(1, processes)) as pool,
    ):
        for future in as_completed([pool.submit(_draw_file, *job) for job in missing]):
            future.result()
            advance(1)
    return _read(jobs, size, digest)


def _digest() -> str:
    """Return a digest over the drawing code and the rasterizer's version."""
    whole = hashlib.sha256(importlib.metadata.version("resvg-py").encode())
    root = Path(cobsat.drawing.__file__).parent
    for source in sorted(root.rglob("*.py")):
        whole.update(source.relative_to(root).as_posix().encode())
        whole.update(source.read_bytes())
    return whole.hexdigest()[:12]


def _file(folder: Path, theme: str, seed: int) -> Path:
    return folder / f"{theme}-{seed:04d}.npz"


def _draw_file(folder: Path, theme: str, seed: int, size: int) -> None:
    images = np.empty((len(theme_labels(theme)), size, size, 3), np.uint8)
    descriptions = []
    for number, (attribute, object_) in enumerate(theme_labels(theme)):
        drawing = cobsat.drawing.draw(theme, attribute, object_, seed)
        images[number] = np.asarray(cobsat.drawing.rasterize(drawing.svg, size))
        descriptions.append(drawing.description)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, images=images, descriptions=np.array(json.dumps(descriptions)))
    target = _file(folder, theme, seed)
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.write_bytes(buffer.getvalue())
    os.replace(partial, target)


def _read(jobs: Sequence[tuple[Path, str, int, int]], size: int, digest: str) -> Drawings:
    total = sum(len(theme_labels(theme)) for _, theme, _, _ in jobs)
    images = np.empty((total, size, size, 3), np.uint8)
    labels: list[tuple[int, int, int]] = []
    descriptions: list[str] = []
    names = list(THEMES)
    for folder, theme, seed, _ in jobs:
        with np.load(_file(folder, theme, seed)) as file:
            part = file["images"]
            descriptions += json.loads(str(file["descriptions"]))
        images[len(labels) : len(labels) + len(part)] = part
        labels += [
            (names.index(theme), attribute, object_)
            for attribute in range(len(THEMES[theme].attributes))
            for object_ in range(len(THEMES[theme].objects))
        ]
    table = np.array(labels, np.int64).reshape(-1, 3)
    return Drawings(images, table[:, 0], table[:, 1], table[:, 2], descriptions, digest)
