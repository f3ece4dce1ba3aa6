"""Draw the pictures of touchstone-mini: scenes, portraits, signs, charts, all by our own code.

    from cobsat.touchstone.drawing import PICTURES, raster
    canvas = PICTURES["night_village"]()
    raster(canvas).save("night_village.png")
    print(canvas.texts)                      # all that is written in it

`python -m cobsat.touchstone.drawing --out DIR` draws all of them. No picture depends on chance
that is not seeded by its own code, nor on the system's fonts: the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ...drawing import rasterize
from . import gallery_a, gallery_b
from .canvas import Canvas

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["PICTURES", "Canvas", "raster"]

PICTURES: Final[dict[str, Callable[[], Canvas]]] = gallery_a.PICTURES | gallery_b.PICTURES
"""Name of a picture, without its ending → the function that draws it."""


def raster(canvas: Canvas) -> Image.Image:
    """Return a drawing as RGB pixels, one a unit.

    Raises:
        ModuleNotFoundError: resvg is not installed; the message names the command.
    """
    return rasterize(canvas.svg(), (canvas.width, canvas.height))
