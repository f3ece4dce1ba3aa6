"""Tiny pipelines under test, and prompts to put to them, with pictures that can be told apart."""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from cobsat import Example, Options, examples
from cobsat.models import Output
from cobsat.models.diffusers_pipeline import DiffusersPipeline
from PIL import Image

COLORS = ((250, 10, 10), (10, 250, 10), (10, 10, 250), (250, 250, 10))


def load(folder: Path, **options: Any) -> DiffusersPipeline:
    """Return an adapter that draws small pictures in two steps."""
    size = {} if folder.name == "pix2pix" else {"height": 32, "width": 32}
    return DiffusersPipeline(str(folder), **{"steps": 2, **size, **options})


def words(folder: Path, **options: Any) -> list[Example]:
    """Return prompts whose text says it all: "blue book: "."""
    return rows(folder, "color_i-0shot", prompt_type="exact", **options)


def rows(folder: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    """Return a few prompts whose pictures are of 64 pixels, in the order of `COLORS`."""
    given = copy.deepcopy(_first(config, Options(images=str(folder), **options)))
    for row in given:
        number = 0
        for part in row["messages"][-1]["content"]:
            if part["type"] == "image":
                part["image"] = Image.new("RGB", (64, 64), COLORS[number % len(COLORS)])
                number += 1
    return given


@lru_cache(maxsize=64)
def _first(config: str, options: Options) -> list[Example]:
    return examples(config, "test", options)[:5]


def say(row: Example, text: str) -> Example:
    """Return a prompt with another text."""
    part: Any = {"type": "text", "text": text, "image": None}
    return {**row, "messages": [{"role": "user", "content": [part]}]}


def pixels(output: Output) -> np.ndarray[Any, Any]:
    assert output.status == "ok", output.reason
    assert isinstance(output.image, Image.Image)
    return np.asarray(output.image).astype(int)


def drawn(outputs: list[Output]) -> list[bytes]:
    return [pixels(output).astype(np.uint8).tobytes() for output in outputs]


def spy(owner: Any, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a list that fills with what a method is given."""
    given: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    own = getattr(owner, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        given.append((args, kwargs))
        return own(*args, **kwargs)

    setattr(owner, name, method)
    return given
