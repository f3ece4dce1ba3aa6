"""The theme style: the ten objects in ten manners, one module for each manner.

Source: CoBSAT, Table 1 (style). Each module has one `compose(object_, rng)`, which returns the
picture's SVG and its description. Watercolor, sketch, pixel, lego, graffiti, futuristic and old
redraw the shapes of `drawing.objects`; origami and icon have forms of their own for every
object, and wireframe projects meshes of three dimensions.
"""

from __future__ import annotations

import random
from importlib import import_module

from ...spec import THEMES, choose
from ._scene import without_layers

__all__ = ["compose"]


def compose(attribute: str, object_: str, rng: random.Random) -> tuple[str, str]:
    """Draw an object in a style; return SVG and description.

    Raises:
        ValueError: A name is not one of Table 1's.
    """
    style = choose("style attribute", attribute, THEMES["style"].attributes)
    choose("object", object_, THEMES["style"].objects)
    svg, description = import_module(f".{style}", __name__).compose(object_, rng)
    return without_layers(svg), description
