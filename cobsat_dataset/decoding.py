"""Decode each picture once: a transform over a loaded split.

    dataset = cobsat.decode_once(load_dataset("cobsat", "color_i-8shot", split="test"))

`datasets` decodes every picture of a row each time the row is read: 17 of them at eight shots, of
the 100 that a task has. Behind this transform, rows are the same and share decoded pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import datasets

from .images import ImageCache

_Convert = Callable[[Any], Any]


def decode_once(dataset: datasets.Dataset, size: int = 128) -> datasets.Dataset:
    """Return the dataset with pictures decoded through a bounded cache, as RGB.

    Args:
        dataset: A loaded split; its `Image` columns may be nested.
        size: How many decoded pictures to hold. A task has 100 (about 80 MB at 512 by 512), the
            ten together 500.

    Rows share their pictures: copy one before drawing on it.

    Raises:
        TypeError: It is no loaded split.
    """
    if not isinstance(dataset, datasets.Dataset):
        raise TypeError(
            f"dataset must be one loaded split, got {type(dataset).__name__}: load with split=…, "
            f"without streaming"
        )
    features = dataset.features
    raw = dataset.with_format(None)
    raw.info.features = datasets.Features(
        {name: _undecoded(feature) for name, feature in features.items()}
    )
    return raw.with_transform(_DecodeOnce(features, size))


class _DecodeOnce:
    """The transform; a copy in another process (a worker of a `DataLoader`) has its own cache."""

    def __init__(self, features: datasets.Features, size: int) -> None:
        self._arguments = features, size
        cache = ImageCache(size)
        self._converters = {
            name: convert
            for name, feature in features.items()
            if (convert := _converter(feature, cache)) is not None
        }

    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {
            name: list(map(self._converters[name], values)) if name in self._converters else values
            for name, values in batch.items()
        }

    def __reduce__(self) -> tuple[type[_DecodeOnce], tuple[datasets.Features, int]]:
        return _DecodeOnce, self._arguments


def _undecoded(feature: Any) -> Any:
    if isinstance(feature, datasets.Image):
        return datasets.Image(mode=feature.mode, decode=False)
    if isinstance(feature, dict):
        return {name: _undecoded(inner) for name, inner in feature.items()}
    if isinstance(feature, list):
        return [_undecoded(feature[0])]
    inner = getattr(feature, "feature", None)
    return feature if inner is None else type(feature)(_undecoded(inner))


def _converter(feature: Any, cache: ImageCache) -> _Convert | None:
    """Return what decodes the pictures in a value of this feature, or None without any."""
    if isinstance(feature, datasets.Image):
        return lambda value: value and cache.open_stored(value)
    if isinstance(feature, dict):
        inner = {
            name: convert
            for name, kind in feature.items()
            if (convert := _converter(kind, cache)) is not None
        }
        if not inner:
            return None
        return lambda value: value and {**value, **{k: inner[k](value[k]) for k in inner}}
    item = feature[0] if isinstance(feature, list) else getattr(feature, "feature", None)
    convert = None if item is None else _converter(item, cache)
    if convert is None:
        return None
    return lambda values: values and [convert(value) for value in values]
