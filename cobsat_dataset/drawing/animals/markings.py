"""Stripes and patches, laid along the tubes of a body so that they follow every pose."""

from __future__ import annotations

import random

from ..svg import num, path, shade
from .coats import Coat
from .curves import Tube


def belly_marks(name: str, coat: Coat, body: Tube) -> list[str]:
    """Return the pale underside, to be painted before the near legs."""
    places = {
        "tiger": (0.5, -1.2, 0.52, 0.55),
        "lion": (0.5, -1.2, 0.52, 0.5),
        "monkey": (0.7, -1.1, 0.5, 0.65),
        "cat": (0.8, -1.1, 0.42, 0.65),
        "dog": (0.7, -1.2, 0.44, 0.55),
    }
    if name == "pig":
        return [path(body.blob(0.5, -1.3, 0.5, 0.5), fill=shade(coat.mark, 0.2))]
    if name not in places or (name == "dog" and coat.note != "tan"):
        return []
    return [path(body.blob(*places[name]), fill=coat.light)]


def body_marks(name: str, coat: Coat, body: Tube, neck: Tube, rng: random.Random) -> list[str]:
    """Return what is painted on an animal's body and neck, to be clipped to it."""
    k = coat.mark
    if name == "zebra":
        marks = [
            body.stripe(t, 0.07, 1.12, -0.72 if i % 2 else -0.5, bend)
            for i, (t, bend) in enumerate((t / 8 * 0.92 + 0.03, 0.05 - t * 0.014) for t in range(9))
        ]
        marks += [body.stripe(t / 7 * 0.9 + 0.08, 0.035, -1.1, -0.2, 0.0) for t in range(8)]
        marks += [neck.stripe(t, 0.13, 1.1, -0.95, 0.05) for t in (0.08, 0.32, 0.56, 0.8)]
        return [path("".join([*marks, *_rump(body, 0.95)]), fill=k)]
    if name == "tiger":
        marks = [
            body.stripe(t / 7 * 0.9 + 0.05, 0.065, 1.15, 0.05 if t % 2 else -0.3, 0.03)
            for t in range(8)
        ]
        marks += [body.stripe(t / 6 * 0.84 + 0.1, 0.045, -1.15, -0.3, -0.02) for t in range(7)]
        marks += [neck.stripe(t, 0.13, 1.1, 0.0, 0.1) for t in (0.15, 0.5)]
        return [path("".join([*marks, *_rump(body, 0.6)]), fill=k)]
    if name == "cow":
        spots = [
            body.blob(0.06 + rng.uniform(-0.03, 0.03), 0.45, 0.17, 0.66, 0.14),
            body.blob(0.5 + rng.uniform(-0.05, 0.05), 0.5, 0.16, 0.7, 0.14),
            body.blob(0.8, -0.35, 0.1, 0.36, 0.13),
            body.blob(0.3, -0.66, 0.08, 0.28, 0.13),
            neck.blob(0.3, 0.3, 0.42, 0.75, 0.12),
        ]
        return [path("".join(spots), fill=k)]
    if name == "dog" and coat.note != "tan":
        saddle = body.blob(0.4 + rng.uniform(-0.06, 0.06), 0.75, 0.3, 0.75, 0.08)
        return [path(saddle, fill=k), path(body.blob(-0.05, 0.2, 0.14, 0.6, 0.1), fill=k)]
    if name == "cat" and coat.note != "black-and-white":
        bands = [body.stripe(t / 6 * 0.8 + 0.08, 0.05, 1.15, 0.2, 0.03) for t in range(7)]
        return [path("".join(bands), fill=k)]
    return []


def _rump(body: Tube, reach: float) -> list[str]:
    """Return stripes that run forward from the rump's rear edge."""
    (x, y), w = body.at(0.0), body.widths[0]
    out = []
    for k, dy in enumerate((-0.42, 0.02, 0.46)):
        top, tip = y + dy * w, (x + w * (reach - 0.75), y + (dy + 0.3) * w)
        out.append(
            f"M{num(x - 1.2 * w)} {num(top - 5)}Q{num(x - 0.4 * w)} {num(top - 5)} "
            f"{num(tip[0] - 4 * k)} {num(tip[1])}Q{num(x - 0.4 * w)} {num(top + 8)} "
            f"{num(x - 1.2 * w)} {num(top + 6)}Z"
        )
    return out


def limb_marks(name: str, coat: Coat, limb: Tube) -> list[str]:
    """Return what is painted on a leg or arm, to be clipped to it."""
    if name == "zebra":
        rows = [0.36, 0.5, 0.64, 0.78, 0.9]
        stripes = [
            limb.stripe(t, 0.075, side * 1.2, -side * 0.6, 0.03)
            for i, t in enumerate(rows)
            for side in ((1,) if i % 2 else (-1,))
        ]
        return [path("".join(stripes), fill=coat.mark)]
    if name == "tiger":
        stripes = [
            limb.stripe(t, 0.09, side * 1.2, side * 0.05, 0.02)
            for t, side in ((0.34, -1), (0.44, 1), (0.56, -1), (0.68, 1), (0.8, -1))
        ]
        return [path("".join(stripes), fill=coat.mark)]
    if name == "cat" and coat.note != "black-and-white":
        bands = [limb.stripe(t, 0.07, 1.2, -0.1) for t in (0.48, 0.62)]
        return [path("".join(bands), fill=coat.mark)]
    return []
