"""What a training picks from the drawings: pictures by theme, and words about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from cobsat.spec import THEMES

from .drawings import Drawings, theme_labels
from .mini_clip_model import label_text

__all__ = ["SENTENCES", "another", "chances", "label_numbers", "label_texts", "words"]

SENTENCES: Final = (
    "{}", "a {}", "A {}.", "A picture of a {}.", "The image shows a {}.", "a drawing of a {}",
)  # fmt: skip


def label_texts() -> list[str]:
    """Return the texts of the 500 whole labels, in Table 1's order."""
    return [label_text(theme, a, o) for theme in THEMES for a, o in theme_labels(theme)]


def label_numbers(data: Drawings, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the numbers of the rows' labels among the 500."""
    return data.themes[rows] * 100 + data.attributes[rows] * 10 + data.objects[rows]


def chances(data: Drawings, theme_weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
    """Return each picture's chance to be shown: harder themes more often."""
    weights = np.array([theme_weights[theme] for theme in THEMES])[data.themes]
    return np.asarray(weights / weights.sum())


def words(data: Drawings, labels: list[str], row: int, generator: np.random.Generator) -> str:
    """Return a picture's description, a longer one made of two, or only its label in a sentence.

    Args:
        data: The drawings.
        labels: What `label_texts` returns.
        row: The picture's number.
        generator: The only source of randomness.
    """
    kind = generator.random()
    if kind < 0.7:
        return data.descriptions[row]
    if kind < 0.85:
        return f"{data.descriptions[row]} {another(data, row, generator)}"
    label = labels[int(label_numbers(data, np.array([row]))[0])]
    return str(generator.choice(SENTENCES)).format(label)


def another(data: Drawings, row: int, generator: np.random.Generator) -> str:
    """Return the description of a picture with the same label."""
    label = label_numbers(data, np.array([row]))[0]
    others = np.flatnonzero(label_numbers(data, np.arange(len(data.images))) == label)
    return data.descriptions[int(generator.choice(others))]
