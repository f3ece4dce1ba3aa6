"""Paint several paths as one body: one outline around all, one shading, patterns clipped to it."""

from __future__ import annotations

from collections.abc import Sequence

from ..svg import Picture, element, group, path, shade


def tone(picture: Picture, color: str, top: float, bottom: float) -> str:
    """Define a soft vertical shading of one colour, from light at `top` to dark at `bottom`."""
    stops = "".join(
        element("stop", offset=offset, stop_color=shade(color, amount))
        for offset, amount in ((0, 0.14), (0.5, 0.0), (1, -0.16))
    )
    return picture.define(
        "linearGradient", stops, gradientUnits="userSpaceOnUse", x1=0, y1=top, x2=0, y2=bottom
    )


def solid(
    picture: Picture | None,
    paths: Sequence[str],
    fill: str,
    outline: str,
    width: float = 3.0,
    overlays: Sequence[str] = (),
) -> str:
    """Return the union of the paths, filled, outlined once, with overlays clipped to it.

    The picture keeps the clip path; without overlays there is none, and None will do.
    """
    outer = group(
        *(path(d) for d in paths),
        fill=outline,
        stroke=outline,
        stroke_width=2 * width,
        stroke_linejoin="round",
    )
    inner = group(*(path(d) for d in paths), fill=fill)
    if picture is None or not overlays:
        return outer + inner
    clip = picture.define("clipPath", "".join(path(d) for d in paths))
    return outer + inner + group(*overlays, clip_path=clip)


def stroke(d: str, color: str, width: float) -> str:
    """Return an open line with round ends."""
    return path(
        d,
        fill="none",
        stroke=color,
        stroke_width=width,
        stroke_linecap="round",
        stroke_linejoin="round",
    )
