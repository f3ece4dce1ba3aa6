"""Pictures as a model reads them, each encoded once: those of a theme come back in every prompt.

    seen = EncodedPictures(encode, keep_bytes=2_000_000_000)
    embeddings = seen.of("red_car.png")

A picture is encoded alone, so that what it becomes depends on nothing else in the batch, and is
known by the digest of its pixels. The longest unused go first where memory is short.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from cobsat import ImageCache
from PIL import Image
from torch import Tensor

__all__ = ["EncodedPictures", "check_reuse"]


class EncodedPictures:
    """Opens and encodes pictures.

    Args:
        encode: From a picture in RGB to what the model reads.
        keep_bytes: Memory for encoded pictures; with 0 none is kept.
    """

    def __init__(self, encode: Callable[[Image.Image], Tensor], keep_bytes: int) -> None:
        self._encode, self._keep_bytes = encode, keep_bytes
        self._opened = ImageCache()
        self._known: OrderedDict[str, Tensor] = OrderedDict()
        self._kept_bytes = 0

    def of(self, image: str | Image.Image) -> Tensor:
        """Return a picture encoded.

        Raises:
            OSError: It cannot be opened.
        """
        picture = self._opened.open(image).convert("RGB")
        digest = hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).hexdigest()
        known = self._known.pop(digest, None)
        if known is None:
            known = self._encode(picture)
            self._kept_bytes += _size(known)
        self._known[digest] = known
        while self._kept_bytes > self._keep_bytes:
            self._kept_bytes -= _size(self._known.popitem(last=False)[1])
        return known

    def forget(self) -> None:
        """Give the memory back."""
        self._known.clear()
        self._kept_bytes = 0


def check_reuse(gigabytes: Any) -> int:
    """Return an adapter's option `reuse_gb` as bytes.

    Raises:
        ValueError: It is no number of 0 or more.
    """
    if isinstance(gigabytes, bool) or not isinstance(gigabytes, int | float) or gigabytes < 0:
        raise ValueError(f"reuse_gb must be a number of 0 or more, got {gigabytes!r}")
    return int(gigabytes * 1e9)


def _size(encoded: Tensor) -> int:
    return encoded.numel() * encoded.element_size()
