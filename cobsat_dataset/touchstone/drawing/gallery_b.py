"""The pictures of the questions on comprehension, storytelling and several pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .canvas import Canvas

PICTURES: Final[dict[str, Callable[[], Canvas]]] = {}
