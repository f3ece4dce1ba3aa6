"""Drawings of one colour each, in place of the real ones, which take long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cobsat.drawing
import pytest
from cobsat.drawing import Drawing
from cobsat.train import drawings
from PIL import Image

SIZE = 32


@pytest.fixture
def plain_drawings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Drawings of one colour each; the calls are listed."""
    calls: list[Any] = []

    def draw(theme: str, attribute: str, object_: str, seed: int) -> Drawing:
        calls.append((theme, attribute, object_, seed))
        number = (sum(attribute.encode()) + sum(object_.encode()) * 7 + seed) % 256
        return Drawing(str(number), f"A {attribute} {object_}, number {seed}.")

    def rasterize(svg: str, size: int) -> Image.Image:
        return Image.new("RGB", (size, size), (int(svg), 0, 255 - int(svg)))

    monkeypatch.setattr(cobsat.drawing, "draw", draw)
    monkeypatch.setattr(cobsat.drawing, "rasterize", rasterize)
    return calls


@pytest.fixture
def data(plain_drawings: list[Any], tmp_path: Path) -> drawings.Drawings:
    return drawings.draw_all([1, 2], SIZE, tmp_path / "drawings")
