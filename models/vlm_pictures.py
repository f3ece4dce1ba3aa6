"""Pictures on their way into a vision-language model: opened once, and one where only one goes.

`many_images` says what becomes of a prompt with several pictures:

| policy | |
|---|---|
| `error` | all of them are given; a model that takes one picture is not run on such prompts |
| `collage` | they are joined into one, row by row in reading order (as in TouchStone) |
| `last` | only the last is given |

The one picture stands where the last one stood.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from cobsat import Example, ImageCache
from cobsat.examples import Message, Part
from PIL import Image

__all__ = ["MANY_IMAGES", "collage", "one_picture", "open_pictures", "with_one_picture"]

MANY_IMAGES: Final = ("error", "collage", "last")

_WHITE: Final = (255, 255, 255)


def open_pictures(messages: Sequence[Message], cache: ImageCache) -> list[Message]:
    """Return a chat whose pictures are PIL images, each file decoded once.

    Raises:
        OSError: A file is missing or is no picture.
    """
    return [
        {
            "role": message["role"],
            "content": [
                {**part, "image": cache.open(part["image"])} if part["image"] is not None else part
                for part in message["content"]
            ],
        }
        for message in messages
    ]


def one_picture(messages: Sequence[Message], policy: str) -> list[Message]:
    """Return a chat of opened pictures with at most one of them, by a policy of `MANY_IMAGES`."""
    pictures = [
        part["image"]
        for message in messages
        for part in message["content"]
        if isinstance(part["image"], Image.Image)
    ]
    if policy == "error" or len(pictures) < 2:
        return list(messages)
    single = collage(pictures) if policy == "collage" else pictures[-1]
    left = len(pictures)
    reduced: list[Message] = []
    for message in messages:
        content: list[Part] = []
        for part in message["content"]:
            if part["image"] is None:
                content.append(part)
                continue
            left -= 1
            if left == 0:
                content.append({**part, "image": single})
        reduced.append({"role": message["role"], "content": content})
    return reduced


def with_one_picture(example: Example, policy: str, cache: ImageCache) -> Example:
    """Return an example whose prompt has at most one picture, by a policy of `MANY_IMAGES`.

    One with a picture that cannot be opened comes back as it is.
    """
    if policy == "error":
        return example
    try:
        opened = open_pictures(example["messages"], cache)
    except OSError:
        return example
    return {**example, "messages": one_picture(opened, policy)}


def collage(pictures: Sequence[Image.Image]) -> Image.Image:
    """Join pictures into a grid as near to a square as can be, each centred in a cell."""
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    joined = Image.new("RGB", (columns * width, rows * height), _WHITE)
    for place, picture in enumerate(pictures):
        row, column = divmod(place, columns)
        left = column * width + (width - picture.width) // 2
        top = row * height + (height - picture.height) // 2
        joined.paste(picture.convert("RGB"), (left, top))
    return joined
