"""Small pictures for a page: each distinct picture once, however many examples show it."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from PIL import Image

FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
SIZES: Final = ((1_000, 128, 72), (4_000, 112, 60), (12_000, 88, 45))
"""With at most so many pictures: their largest side, and the quality."""
_SMALLEST: Final = (72, 35)
OF_PROMPTS: Final = (192, 70)
"""The same of prompts' pictures: 500 of a source, however many examples show them."""
_MOST_OF_PROMPTS: Final = 1_000


class Pictures:
    """Numbers pictures by their content; the same bytes at two paths are one picture."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self._by_digest: dict[bytes, int] = {}
        self._by_path: dict[str, int | None] = {}
        self._of_prompts: set[int] = set()

    def number(self, path: str | os.PathLike[str], *, of_prompt: bool = False) -> int | None:
        """Return a picture's number, or None if there is no such file."""
        key = os.fspath(path)
        if key not in self._by_path:
            self._by_path[key] = self._new(Path(path)) if key else None
        number = self._by_path[key]
        if of_prompt and number is not None:
            self._of_prompts.add(number)
        return number

    def _new(self, path: Path) -> int | None:
        try:
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
        except OSError:
            return None
        if digest not in self._by_digest:
            self._by_digest[digest] = len(self.paths)
            self.paths.append(path)
        return self._by_digest[digest]

    def thumbnails(
        self,
        advance: Callable[[int], object] | None = None,
        sizes: Sequence[tuple[int, int, int]] = SIZES,
    ) -> list[str]:
        """Return every picture as base64 of a small WebP; "" for what cannot be read.

        The more pictures, the smaller each: ten thousand still make a page that opens at once.

        Args:
            advance: Called with 1 after each picture.
            sizes: As `SIZES`; for all pictures but those of prompts.
        """
        large = self._of_prompts if len(self._of_prompts) <= _MOST_OF_PROMPTS else set()
        others = len(self.paths) - len(large)
        usual = next(
            ((size, quality) for most, size, quality in sizes if others <= most), _SMALLEST
        )

        def small(number: int) -> str:
            size, quality = OF_PROMPTS if number in large else usual
            return thumbnail(self.paths[number], size, quality)

        made: list[str] = []
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for data in pool.map(small, range(len(self.paths))):
                made.append(data)
                if advance:
                    advance(1)
        return made


def thumbnail(path: Path, size: int, quality: int) -> str:
    """Return a picture as base64 of a WebP of at most `size` pixels a side, or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=FORMATS) as file:
                file.draft("RGB", (size, size))
                picture = file.convert("RGBA" if file.has_transparency_data else "RGB")
        picture.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=3.0)
        if picture.mode == "RGBA":
            white = Image.new("RGBA", picture.size, "white")
            picture = Image.alpha_composite(white, picture).convert("RGB")
        buffer = io.BytesIO()
        picture.save(buffer, "WEBP", quality=quality, method=4)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
        return ""
    return base64.b64encode(buffer.getvalue()).decode("ascii")
