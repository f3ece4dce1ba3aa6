"""The ten animals' colours and proportions, and what of them the seed varies."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final, Literal

from ..svg import vary


@dataclass(frozen=True)
class Coat:
    """An animal's colours.

    Attributes:
        base: Most of its body.
        light: Belly, muzzle and other pale places.
        mark: Stripes, patches, mane: whatever stands out.
        line: The outline.
        limb: Legs, where they differ from the body (else `base`).
        skin: Inner ear, udder, bare places.
        foot: Hooves or paws.
        note: The coat in words, fit for a description ("grey"), or "".
    """

    base: str
    light: str
    mark: str
    line: str
    limb: str
    skin: str
    foot: str
    note: str = ""


@dataclass(frozen=True)
class Build:
    """A four-legged animal's proportions, in units at scale 1.

    Attributes:
        height: Height of the spine's middle above the ground.
        half: Half of the spine's length.
        girth: Half of the body's depth at rump, loin, belly and chest.
        leg: Half of a leg's width at the hip and above the foot.
        neck: From the shoulder to the head's centre, and half of the neck's width.
        head: Scale of the head.
        foot: "hoof", "paw" or "hand".
    """

    height: float
    half: float
    girth: tuple[float, float, float, float]
    leg: tuple[float, float]
    neck: tuple[float, float, float]
    head: float
    foot: Literal["hoof", "paw", "hand"]


BUILDS: Final[dict[str, Build]] = {
    "zebra": Build(136, 66, (37, 39, 40, 40), (17, 9), (46, -76, 27), 0.98, "hoof"),
    "tiger": Build(112, 74, (37, 36, 38, 42), (20, 14), (46, -44, 36), 1.06, "paw"),
    "sheep": Build(106, 58, (46, 52, 52, 46), (10, 8), (54, -44, 30), 0.92, "hoof"),
    "pig": Build(94, 62, (46, 54, 55, 50), (17, 12), (60, -30, 42), 1.05, "hoof"),
    "monkey": Build(112, 54, (32, 33, 34, 36), (15, 11), (46, -60, 22), 1.06, "hand"),
    "lion": Build(116, 72, (35, 35, 38, 44), (20, 14), (50, -48, 38), 1.1, "paw"),
    "dog": Build(106, 64, (29, 29, 34, 38), (16, 11), (48, -62, 25), 1.0, "paw"),
    "cow": Build(124, 74, (46, 48, 48, 45), (17, 11), (54, -52, 32), 1.0, "hoof"),
    "cat": Build(92, 62, (28, 28, 30, 31), (13, 9), (46, -56, 21), 1.0, "paw"),
}

_COATS: Final[dict[str, tuple[Coat, ...]]] = {
    "zebra": (
        Coat("#fbfaf6", "#ffffff", "#26242a", "#26242a", "#fbfaf6", "#e9b9b4", "#2f2c33"),
    ),
    "tiger": (
        Coat("#f5892a", "#fff4e2", "#2a1c17", "#6b3210", "#f5892a", "#f3a9a0", "#fff0dc"),
    ),
    "sheep": (
        Coat("#fbf7ec", "#ffffff", "#3b3338", "#a89f8f", "#3b3338", "#d99a98", "#241f22"),
        Coat("#f3e9d4", "#fffaf0", "#453a3a", "#a4957c", "#453a3a", "#d99a98", "#2a2323"),
    ),
    "pig": (
        Coat("#f7a8b8", "#fbc8d2", "#e98299", "#b0566f", "#f7a8b8", "#ee8ba2", "#a4606f"),
        Coat("#f9b4b4", "#fdd3d0", "#ec8d92", "#b35f66", "#f9b4b4", "#f0989c", "#a4606f"),
    ),
    "monkey": (
        Coat("#8a5a35", "#f2cfa4", "#6d4426", "#4a2c17", "#8a5a35", "#eeb98c", "#f2cfa4"),
        Coat("#7a4a30", "#efc8a2", "#5f3722", "#412414", "#7a4a30", "#eab58d", "#efc8a2"),
    ),
    "lion": (
        Coat("#ebb45c", "#fae3b4", "#a5561d", "#7c4a16", "#ebb45c", "#e9a08a", "#f2c67a"),
        Coat("#e6a94e", "#f8dca6", "#8f4617", "#74430f", "#e6a94e", "#e9a08a", "#f0be6c"),
    ),
    "dog": (
        Coat("#fdf8ef", "#ffffff", "#9a5a2c", "#6b4a33", "#fdf8ef", "#f0b5ab", "#fffaf2",
             "brown-and-white"),
        Coat("#c98a4b", "#f9ead2", "#8a5226", "#69401f", "#c98a4b", "#eeb0a0", "#f6e2c4",
             "tan"),
        Coat("#fdf8ef", "#ffffff", "#5d3a26", "#55392a", "#fdf8ef", "#f0b5ab", "#fffaf2",
             "dark-eared"),
    ),
    "cow": (
        Coat("#fdfbf6", "#ffffff", "#2b282c", "#4b4549", "#fdfbf6", "#f5aeb0", "#3a3438",
             "black-and-white"),
        Coat("#fdf6ea", "#ffffff", "#8b4a26", "#6b412b", "#fdf6ea", "#f5aeb0", "#473229",
             "brown-and-white"),
    ),
    "cat": (
        Coat("#8d95a3", "#eef0f3", "#5d6473", "#434957", "#8d95a3", "#f0a9ad", "#eef0f3",
             "grey"),
        Coat("#3f3d49", "#f4f2ef", "#2b2933", "#1f1d26", "#3f3d49", "#e79aa4", "#f4f2ef",
             "black-and-white"),
        Coat("#b9b4ae", "#fbf8f2", "#837c76", "#5c554f", "#b9b4ae", "#f0a9ad", "#fbf8f2",
             "silver"),
    ),
    "bird": (
        Coat("#3f8fdc", "#ffb26b", "#2467ad", "#1c4a7e", "#f0992b", "#ffd08a", "#f0992b", "blue"),
        Coat("#35b5b8", "#fff0c4", "#1f7f8c", "#12565f", "#f0992b", "#ffe6b0", "#f0992b",
             "turquoise"),
        Coat("#f7c52f", "#fff0b0", "#dd9a17", "#94630c", "#ee7f2a", "#ffe9a8", "#ee7f2a",
             "yellow"),
        Coat("#3fb56a", "#fff0a8", "#23824a", "#175a33", "#f0992b", "#ffe28a", "#f0992b",
             "green"),
    ),
}  # fmt: skip


def coat_of(name: str, rng: random.Random) -> Coat:
    """Choose one of the animal's coats and move its colours a little."""
    coat = rng.choice(_COATS[name])
    base = vary(coat.base, rng, 0.01, 0.015)
    limb = base if coat.limb == coat.base else coat.limb
    return replace(coat, base=base, limb=limb, mark=vary(coat.mark, rng, 0.008, 0.015))


def build_of(name: str, rng: random.Random) -> Build:
    """Return the animal's proportions, moved a little."""
    build = BUILDS[name]
    fat, tall = rng.uniform(0.95, 1.06), rng.uniform(0.96, 1.05)
    a, b, c, d = build.girth
    return replace(
        build,
        height=build.height * tall,
        girth=(a * fat, b * fat, c * fat, d * fat),
        head=build.head * rng.uniform(0.96, 1.06),
    )
