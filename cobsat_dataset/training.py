"""The rows of train splits, in the columns that `trl.SFTTrainer` takes as they are.

Source: CoBSAT, Sec. 7.1: the model is tuned to answer a prompt with the description of the next
image. `prompt` and `completion` are chats with structured parts, and `images` holds the prompt's
pictures in reading order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypedDict

from .examples import Example, Options, Row, examples
from .images import ImageSource


class TextPart(TypedDict):
    """One part of a message whose pictures are held elsewhere: a text, or a picture's place."""

    type: str
    text: str | None


class TrainMessage(TypedDict):
    """One turn of a chat whose pictures are held elsewhere."""

    role: str
    content: list[TextPart]


class TrainExample(Row):
    """One row of a train split."""

    prompt: list[TrainMessage]
    completion: list[TrainMessage]
    images: list[Any]
    demonstrations: list[dict[str, str]]


def train_examples(
    config: str,
    split: str = "ft_train",
    options: Options | None = None,
    source: ImageSource | None = None,
) -> list[TrainExample]:
    """Return a train split's rows. They always ask for a description, which is the completion.

    Raises:
        ValueError: Config, split or an option is unknown, or they do not go together.
        FileNotFoundError: The image source is incomplete.
    """
    options = replace(options or Options(), output="description")
    return [train_example(row) for row in examples(config, split, options, source)]


def train_example(row: Example) -> TrainExample:
    """Return a row that asks for a description in the columns of a train split."""
    prompt: list[TrainMessage] = []
    images = []
    for message in row["messages"]:
        content: list[TextPart] = []
        for part in message["content"]:
            content.append({"type": part["type"], "text": part["text"]})
            if part["type"] == "image":
                images.append(part["image"])
        prompt.append({"role": message["role"], "content": content})
    answer: TextPart = {"type": "text", "text": row["target_description"]}
    return {
        "id": row["id"],
        "task": row["task"],
        "theme": row["theme"],
        "shots": row["shots"],
        "output": row["output"],
        "prompt_type": row["prompt_type"],
        "prompt": prompt,
        "completion": [{"role": "assistant", "content": [answer]}],
        "images": images,
        "query": row["query"],
        "latent_variable": row["latent_variable"],
        "demonstrations": [
            {"text_input": pair["text_input"], "description": pair["description"]}
            for pair in row["demonstrations"]
        ],
        "reference": row["reference"],
        "target_image": row["target_image"],
        "target_description": row["target_description"],
        "image_source": row["image_source"],
    }
