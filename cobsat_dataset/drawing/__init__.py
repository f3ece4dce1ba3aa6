"""Draw the benchmark's pictures: one for every attribute and object of Table 1, from a seed.

    from cobsat.drawing import draw, rasterize
    drawing = draw("color", "red", "car", seed=0)
    rasterize(drawing.svg, size=512).save("red_car.png")
    print(drawing.description)

The pictures of seed 0 ship with the package as the `rendered` image source. Other seeds vary
pose, size, hue within the colour's name, background and line: other drawings of the same
things, on which a judge or a model can be trained without seeing the shipped ones.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..spec import THEMES, choose

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["Drawing", "draw", "rasterize"]

_COMPOSERS = {
    "color": "colors",
    "texture": "textures",
    "style": "styles",
    "background": "backgrounds",
    "action": "actions",
}
"""Theme → the module that draws it; another theme's has its name."""


@dataclass(frozen=True)
class Drawing:
    """One picture.

    Attributes:
        svg: The picture as an SVG document of 512 by 512 units.
        description: One or two sentences that name attribute, object and what else is seen.
    """

    svg: str
    description: str


def draw(theme: str, attribute: str, object_: str, seed: int = 0) -> Drawing:
    """Draw one picture; the same arguments give the same picture on every machine.

    Raises:
        ValueError: A name is not one of Table 1's.
    """
    spec = THEMES[choose("theme", theme, THEMES)]
    choose(f"{theme} attribute", attribute, spec.attributes)
    choose(spec.object_kind, object_, spec.objects)
    rng = random.Random(f"{theme}/{attribute}/{object_}/{seed}")
    composer = import_module(f".{_COMPOSERS.get(theme, theme)}", __name__)
    svg, description = composer.compose(attribute, object_, rng)
    return Drawing(svg, description)


def rasterize(svg: str, size: int | tuple[int, int] = 512) -> Image.Image:
    """Return the picture as RGB pixels, `size` by `size` or (width, height).

    Raises:
        ModuleNotFoundError: resvg is not installed; the message names the command.
    """
    from io import BytesIO

    from PIL import Image

    try:
        import resvg_py
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "drawing pictures needs resvg: pip install 'cobsat[draw]'"
        ) from error
    width, height = (size, size) if isinstance(size, int) else size
    data = resvg_py.svg_to_bytes(svg_string=svg, width=width, height=height, skip_system_fonts=True)
    return Image.open(BytesIO(bytes(data))).convert("RGB")
