"""Tiny checkpoints that draw under test, prompts to put to them, and what their models do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cobsat import Example, Options, examples
from cobsat.models import Output
from cobsat.models.any_to_any import AnyToAny
from torch import Tensor

EMU3_SIZE = {"image_area": 768, "ratio": "3:2", "picture_area": 256}
"""Pictures of 32 by 24 pixels from prompts with pictures of 16 by 16: 4 by 3 and 2 by 2 codes."""


_LOADED: dict[str, AnyToAny] = {}


def load(folder: Path, *, fresh: bool = False, **options: Any) -> AnyToAny:
    """Return an adapter, loaded once for all tests that leave it as it is but for a spy."""
    size = EMU3_SIZE if folder.name == "emu3" else {}
    key = f"{folder} {sorted(options.items())}"
    if fresh or key not in _LOADED:
        model = AnyToAny(str(folder), **{"max_new_tokens": 5, **size, **options})
        if fresh:
            return model
        _LOADED[key] = model
    vars(_LOADED[key]._family).pop("draw", None)
    return _LOADED[key]


def rows(pictures: Path, config: str = "color_i-2shot", **options: Any) -> list[Example]:
    return examples(config, "test", Options(images=str(pictures), **options))


def ragged(pictures: Path) -> list[Example]:
    two, four = rows(pictures), rows(pictures, "color_i-4shot")
    return [two[0], four[0], two[1], four[1]]


def said(text: str, *more: Any) -> Example:
    """Return a prompt of a text, then pictures and texts in turn."""
    content = [
        {"type": "text", "text": part, "image": None}
        if isinstance(part, str)
        else {"type": "image", "text": None, "image": part}
        for part in (text, *more)
    ]
    row: Any = {
        "id": "it",
        "messages": [{"role": "user", "content": content}],
        "followup": None,
        "output": "image",
    }
    return row


def pictures(outputs: list[Output]) -> list[bytes]:
    """Return the pixels that were drawn; there must be nothing but pictures."""
    assert {output.status for output in outputs} == {"ok"}, [o.reason for o in outputs]
    return [output.image.tobytes() for output in outputs]  # type: ignore[union-attr]


def spy(model: AnyToAny) -> tuple[list[dict[str, Any]], list[Tensor]]:
    """Return lists that fill with what a family is given to draw from, and the tokens it draws."""
    given: list[dict[str, Any]] = []
    drawn: list[Tensor] = []
    own = model._family.draw

    def draw(inputs: dict[str, Any], *rest: Any) -> Tensor:
        given.append(inputs)
        drawn.append(own(inputs, *rest))
        return drawn[-1]

    model._family.draw = draw  # type: ignore[method-assign]
    return given, drawn
