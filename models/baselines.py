"""The baselines: every report's floor and ceiling, for both output kinds.

    cobsat predict --model copy --config color_i-2shot

| baseline | gives | textual accuracy | visual accuracy |
|---|---|---|---|
| `copy` | the last demonstration's picture or description | 0: inputs are distinct | 1 |
| `query` | only what the text says; a picture's other half is drawn at random | 1 | chance |
| `random` | any of the theme's 100 pictures or descriptions | chance | chance |
| `oracle` | the target; for a question of TouchStone, the reference answer | 1 | 1 |

Draws depend on the seed and the example's id alone: neither order nor batches matter.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from cobsat import TASKS, THEMES, Example, ImageSource
from cobsat.layout import Label
from cobsat.touchstone import Row
from PIL import Image

from .protocol import Capabilities, Output

__all__ = ["Copy", "Oracle", "Query", "Random"]

_OUTPUTS: Final = frozenset({"image", "description"})
_SAME: Final = "it gives the same each time"


class Copy:
    """Gives the last demonstration's picture or description."""

    name = "copy"
    capabilities = Capabilities(
        _OUTPUTS, repeats=_SAME, no_answers="a question has no demonstration to copy"
    )

    def record(self) -> dict[str, Any]:
        """Return nothing: there is nothing to choose."""
        return {}

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Copy; a prompt without demonstrations is an error."""
        return [_copy(example) for example in examples]


class Oracle:
    """Gives the target; for a question, the reference answer."""

    name = "oracle"
    capabilities = Capabilities(_OUTPUTS, repeats=_SAME)

    def record(self) -> dict[str, Any]:
        """Return nothing: there is nothing to choose."""
        return {}

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Give each example's target."""
        return [_target(example) for example in examples]


class _Drawing(ABC):
    """What `query` and `random` share: a seed, and the pictures to draw from."""

    name: str
    capabilities = Capabilities(
        _OUTPUTS, no_answers="it draws from CoBSAT's pictures and descriptions"
    )

    def __init__(self, seed: int = 0) -> None:
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise ValueError(f"seed of a baseline must be an integer, got {seed!r}")
        self.seed = seed
        self._source: ImageSource | None = None

    def use_image_source(self, source: ImageSource) -> None:
        """Take the pictures to draw from."""
        self._source = source

    def record(self) -> dict[str, Any]:
        """Return the seed."""
        return {"seed": self.seed}

    def predict(self, examples: Sequence[Example]) -> list[Output]:
        """Draw a label for each example and give its picture or description."""
        if self._source is None:
            raise ValueError(f"{self.name} must be given an image source first: use_image_source()")
        return [self._give(example, self._source) for example in examples]

    def _give(self, example: Example, source: ImageSource) -> Output:
        label = self._label(example, generator(self.name, self.seed, example["id"]).randrange)
        return _output(example, source.paths[label], source.descriptions[label])

    @abstractmethod
    def _label(self, example: Example, below: Callable[[int], int]) -> Label:
        """Return the label to show; `below` draws a number below another."""


class Random(_Drawing):
    """Gives one of the theme's 100 pictures or descriptions: the attribute's, then the object's.

    The draw is `randrange(100)`: ten times the attribute's place in Table 1 and the object's.
    """

    name = "random"

    def _label(self, example: Example, below: Callable[[int], int]) -> Label:
        theme = THEMES[example["theme"]]
        attribute, object_ = divmod(below(100), 10)
        return theme.name, theme.attributes[attribute], theme.objects[object_]


class Query(_Drawing):
    """Gives only what the text says: the query's half of the label.

    A description names that half alone. A picture cannot: its other half is drawn from the ten
    words of Table 1, the right one among them (`randrange(10)`).
    """

    name = "query"

    def _give(self, example: Example, source: ImageSource) -> Output:
        if example["output"] == "description":
            words = THEMES[example["theme"]].text(example["query"])
            return Output(text=f"A picture of {words}.")
        return super()._give(example, source)

    def _label(self, example: Example, below: Callable[[int], int]) -> Label:
        task = TASKS[example["task"]]
        return task.theme.name, *task.label(example["query"], task.latents[below(10)])


def generator(name: str, seed: int, example_id: str) -> random.Random:
    """Return a baseline's random generator for one example."""
    return random.Random(f"{name}:{seed}:{example_id}")


def _copy(example: Example) -> Output:
    if not example["demonstrations"]:
        return Output(status="error", reason="no demonstration to copy")
    last = example["demonstrations"][-1]
    return _output(example, last["image"], last["description"])


def _target(example: Example) -> Output:
    if example["output"] == "answer":
        return Output(text=cast(Row, example)["reference_answer"])
    return _output(example, example["target_image"], example["target_description"])


def _output(example: Example, image: Image.Image | str, description: str) -> Output:
    if example["output"] == "image":
        return Output(image=image)
    return Output(text=description)
