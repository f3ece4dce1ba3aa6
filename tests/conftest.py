"""Fixtures that several rooms share."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from cobsat import THEMES
from cobsat.layout import LABELS, stem
from PIL import Image


@pytest.fixture(scope="session")
def picture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """500 tiny pictures, no two alike, with descriptions that name both halves of the label."""
    folder = tmp_path_factory.mktemp("pictures")
    for number, label in enumerate(LABELS):
        path = folder / f"{stem(label)}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), (number % 256, number // 256, 77)).save(path)
    for theme in THEMES.values():
        table = folder / f"{theme.name}_{theme.object_kind}.csv"
        with open(table, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["image", "caption"])
            for label in LABELS:
                if label[0] == theme.name:
                    caption = f"A {label[2]}, {theme.text(label[1])}."
                    writer.writerow([f"{stem(label)}.png", caption])
    return folder
