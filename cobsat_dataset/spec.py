"""What the CoBSAT benchmark is: five themes, ten tasks, and the words that name them.

Source: CoBSAT, Table 1 (the lists, in its order: the judges' option numbers follow it) and the
released files (the keys of the official images, and the wording of the released prompts).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Inference: TypeAlias = Literal["object", "attribute"]

CITATION: Final = """\
@article{zeng2024can,
  title={Can {MLLMs} Perform Text-to-Image In-Context Learning?},
  author={Zeng, Yuchen and Kang, Wonjun and Chen, Yicong and Koo, Hyung Il and Lee, Kangwook},
  journal={arXiv preprint arXiv:2402.01293},
  year={2024}
}
"""
"""The paper, as BibTeX."""

_OBJECTS: Final = (
    "leaf", "hat", "cup", "chair", "car", "box", "book", "ball", "bag", "apple",
)  # fmt: skip
_ANIMALS: Final = (
    "zebra", "tiger", "sheep", "pig", "monkey", "lion", "dog", "cow", "cat", "bird",
)  # fmt: skip


@dataclass(frozen=True)
class Theme:
    """One theme: ten attributes joined with ten objects (or animals).

    Attributes:
        name: The theme's name, which is also the kind of its attributes ("color").
        object_kind: "object" or "animal", as the official files call it.
        attributes: The ten attributes, in Table 1's order.
        objects: The ten objects, in Table 1's order.
        attribute_keys: Where the official files use another key than the name of Table 1.
        attribute_texts: Where the released prompts use another wording than Table 1.
    """

    name: str
    object_kind: Literal["object", "animal"]
    attributes: tuple[str, ...]
    objects: tuple[str, ...]
    attribute_keys: tuple[tuple[str, str], ...] = ()
    attribute_texts: tuple[tuple[str, str], ...] = ()

    def key(self, attribute: str) -> str:
        """Return the attribute's key in the official files (`wireframe` is `3d` there)."""
        return dict(self.attribute_keys).get(attribute, attribute)

    def text(self, word: str) -> str:
        """Return the wording of an attribute or object in a prompt (`park`: "amusement park")."""
        return dict(self.attribute_texts).get(word, word)


THEMES: Final[dict[str, Theme]] = {
    theme.name: theme
    for theme in (
        Theme(
            "color",
            "object",
            ("yellow", "white", "red", "purple", "pink", "orange", "green", "brown", "blue",
             "black"),
            _OBJECTS,
        ),
        Theme(
            "background",
            "animal",
            ("beach", "desert", "glacier", "volcano", "park", "gym", "waterfall", "space", "cave",
             "seafloor"),
            _ANIMALS,
            attribute_texts=(("park", "amusement park"),),
        ),
        Theme(
            "style",
            "object",
            ("watercolor", "sketch", "pixel", "origami", "lego", "icon", "graffiti", "futuristic",
             "wireframe", "old"),
            _OBJECTS,
            attribute_keys=(("wireframe", "3d"),),
        ),
        Theme(
            "action",
            "animal",
            ("swim", "sleep", "sing", "run", "read", "fly", "eat", "drink", "cry", "angry"),
            _ANIMALS,
        ),
        Theme(
            "texture",
            "object",
            ("wood", "wicker", "sequined", "plastic", "paper", "metal", "leather", "lace", "denim",
             "ceramic"),
            _OBJECTS,
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One task: a theme, and which half of the label is hidden (Table 1).

    Attributes:
        name: `color_i`, `color_ii`, …
        theme: The theme.
        inference: What has to be inferred from the images: "object" for `_i`, "attribute" for
            `_ii`. The other half is given as text.
    """

    name: str
    theme: Theme
    inference: Inference

    @property
    def inputs(self) -> tuple[str, ...]:
        """The list of text inputs (the paper's X), in Table 1's order."""
        return self.theme.attributes if self.inference == "object" else self.theme.objects

    @property
    def latents(self) -> tuple[str, ...]:
        """The list of latent variables (the paper's Θ), in Table 1's order."""
        return self.theme.objects if self.inference == "object" else self.theme.attributes

    def label(self, text_input: str, latent: str) -> tuple[str, str]:
        """Return (attribute, object) of the picture that an input and a latent variable name."""
        return (text_input, latent) if self.inference == "object" else (latent, text_input)


_INFERENCES: Final[tuple[tuple[str, Inference], ...]] = (("i", "object"), ("ii", "attribute"))

TASKS: Final[dict[str, Task]] = {
    f"{theme.name}_{suffix}": Task(f"{theme.name}_{suffix}", theme, inference)
    for suffix, inference in _INFERENCES
    for theme in THEMES.values()
}
"""The ten tasks in the order of the paper's tables: object inference first."""

SHOTS: Final = (2, 4, 6, 8)
PROMPT_TYPES: Final = ("default", "misleading", "exact", "caption", "instruct", "cot")
OUTPUTS: Final = ("image", "description")
DEFAULT_SEED: Final = 123


def choose(what: str, got: object, choices: Iterable[str]) -> str:
    """Return `got` if it is one of the choices.

    Raises:
        ValueError: It is not; the message names the choices and the nearest one.

    >>> choose("task", "color_i", TASKS)
    'color_i'
    >>> choose("output", "imag", OUTPUTS)
    Traceback (most recent call last):
    ...
    ValueError: output must be one of image, description, got 'imag'; did you mean 'image'?
    """
    names = list(choices)
    if isinstance(got, str) and got in names:
        return got
    raise ValueError(
        f"{what} must be one of {', '.join(names)}, got {got!r}{nearest(str(got), names)}"
    )


def nearest(got: str, choices: Iterable[str]) -> str:
    """Return a hint at the choice that a misspelt one resembles, to end a message with.

    >>> nearest("oficial", ["rendered", "official"])
    "; did you mean 'official'?"
    """
    matches = difflib.get_close_matches(got, list(choices), n=1)
    return f"; did you mean {matches[0]!r}?" if matches else ""
