"""What a drawn animal is: its layers, and the places on it where other things belong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .curves import Frame, Point


@dataclass(frozen=True)
class Anchors:
    """Places on a drawn animal, in the units of the surrounding picture.

    Attributes:
        mouth: The middle of its mouth.
        eyes: Its two eyes.
        eye_radius: An eye's radius.
        ears: The tips or outer ends of its ears (a bird: the sides of its head).
        hands: Its front paws, hooves or hands (a bird: its wing tips).
        feet: All feet.
        back: The middle of its back, where wings or a saddle go.
        neck: Where a collar or cape is tied.
        head: The middle of its head.
        head_radius: Half of the head's width.
        head_top: The top of its head.
        box: Left, top, right and bottom of all that was painted.
        scale: Picture units per unit of its own.
        note: Its coat in words, fit for a description ("grey"), or "".
    """

    mouth: Point
    eyes: tuple[Point, Point]
    eye_radius: float
    ears: tuple[Point, Point]
    hands: tuple[Point, Point]
    feet: tuple[Point, ...]
    back: Point
    neck: Point
    head: Point
    head_radius: float
    head_top: Point
    box: tuple[float, float, float, float]
    scale: float = 1.0
    note: str = ""

    def mapped(self, frame: Frame) -> Anchors:
        """Return the same places as the frame's surroundings see them."""
        m = frame.map
        x0, y0, x1, y1 = self.box
        corners = [m(p) for p in ((x0, y0), (x1, y0), (x0, y1), (x1, y1))]
        return Anchors(
            mouth=m(self.mouth),
            eyes=(m(self.eyes[0]), m(self.eyes[1])),
            eye_radius=self.eye_radius * frame.scale,
            ears=(m(self.ears[0]), m(self.ears[1])),
            hands=(m(self.hands[0]), m(self.hands[1])),
            feet=tuple(m(p) for p in self.feet),
            back=m(self.back),
            neck=m(self.neck),
            head=m(self.head),
            head_radius=self.head_radius * frame.scale,
            head_top=m(self.head_top),
            box=box_of(corners),
            scale=self.scale * frame.scale,
            note=self.note,
        )


@dataclass(frozen=True)
class Layers:
    """An animal in its own coordinates: feet at y = 0, middle at x = 0, facing +x.

    Attributes:
        back: What lies behind things that it holds.
        front: What lies before them (arms); may be empty.
        top: What lies before everything it holds (the hands of those arms); may be empty.
        anchors: Its places, in its own coordinates.
    """

    back: str
    front: str
    top: str
    anchors: Anchors


def box_of(points: Sequence[Point]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of the points."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)
