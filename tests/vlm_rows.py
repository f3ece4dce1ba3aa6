"""Tiny vision-language models under test, and prompts to put to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobsat import Example, Options, examples
from cobsat.models.transformers_vlm import TransformersVLM


def load(folder: Path, **options: Any) -> TransformersVLM:
    if folder.name == "instructblip":
        options.setdefault("many_images", "collage")
    return TransformersVLM(str(folder), **{"max_new_tokens": 5, **options})


def rows(pictures: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    given = Options(output="description", images=str(pictures), **options)
    return examples(config, "test", given)


def ragged(pictures: Path) -> list[Example]:
    two, four = rows(pictures), rows(pictures, "color_i-4shot")
    return [two[0], four[0], two[1], four[1]]


def replies(model: TransformersVLM, batch: list[Example]) -> list[str]:
    outputs = model.predict(batch)
    assert {output.status for output in outputs} == {"ok"}, [o.reason for o in outputs]
    return [output.text or "" for output in outputs]


def spy(model: TransformersVLM) -> list[dict[str, Any]]:
    """Return a list that fills with what the model's `generate` is given."""
    given: list[dict[str, Any]] = []
    own = model._model.generate

    def generate(**inputs: Any) -> Any:
        given.append(inputs)
        return own(**inputs)

    model._model.generate = generate
    return given
