"""A picture of any size that remembers what was written on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...drawing.svg import Picture
from .lettering import lettering

__all__ = ["Canvas"]


@dataclass
class Canvas(Picture):
    """An SVG under construction, `width` by `height` units, which are the picture's pixels.

    Attributes:
        texts: All that `write` wrote, in order: the annotation must have it verbatim.
    """

    width: int = 640
    height: int = 512
    texts: list[str] = field(default_factory=list)

    def write(self, text: str, x: float, y: float, size: float = 20, **style: object) -> None:
        """Paint a line of text and remember it. `style` is that of `lettering`."""
        self.texts.append(text)
        self.add(lettering(text, x, y, size, **style))  # type: ignore[arg-type]

    def svg(self) -> str:
        """Return the whole document."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}">'
            f"<defs>{''.join(self.defs)}</defs>{''.join(self.body)}</svg>"
        )
