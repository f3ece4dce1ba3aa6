"""The official layout of the 500 pictures: which file holds which label.

Source: the Hub dataset `yzeng58/CoBSAT`. `{attribute_kind}_{object}/{key}_{object}.{ending}`
(`color_car/red_car.jpg`, `style_leaf/3d_leaf.jpg`), and one CSV a theme (`color_object.csv`) with
the columns `image` and `caption`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from .spec import THEMES

Label: TypeAlias = tuple[str, str, str]
"""(theme, attribute, object), in the words of Table 1."""

SUFFIXES: Final = (".webp", ".jpg", ".jpeg", ".png")
LABELS: Final[tuple[Label, ...]] = tuple(
    (theme.name, attribute, object_)
    for theme in THEMES.values()
    for attribute in theme.attributes
    for object_ in theme.objects
)
"""The 500 labels, in Table 1's order."""

TABLES: Final[tuple[str, ...]] = tuple(
    f"{theme.name}_{theme.object_kind}.csv" for theme in THEMES.values()
)
"""The tables of descriptions, one a theme."""


def stem(label: Label) -> str:
    """Return a label's path in a source, without the ending.

    >>> stem(("style", "wireframe", "leaf"))
    'style_leaf/3d_leaf'
    """
    theme, attribute, object_ = label
    return f"{theme}_{object_}/{THEMES[theme].key(attribute)}_{object_}"
