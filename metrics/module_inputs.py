"""What the `evaluate` modules that judge pictures and descriptions take, each in the same way."""

from __future__ import annotations

from typing import Any

import datasets

from .pictures import Output
from .protocol import OutputKind

__all__ = ["features", "given", "output_kind"]


def output_kind(configuration: str) -> OutputKind:
    """Return the kind of output that a module's configuration stands for.

    Raises:
        ValueError: There is no such configuration.
    """
    if configuration not in ("default", "image", "description"):
        raise ValueError(f"configuration must be 'image' or 'description', got {configuration!r}")
    return "description" if configuration == "description" else "image"


def features(output: OutputKind) -> datasets.Features:
    """Return what predictions and references are made of.

    Pictures stay undecoded: one that cannot be read is counted, where decoding would raise.
    """
    text = datasets.Value("string")
    prediction = text if output == "description" else datasets.Image(decode=False)
    reference = dict.fromkeys(("task", "object", "attribute"), text)
    return datasets.Features({"predictions": prediction, "references": reference})


def given(prediction: Any) -> Output | None:
    """Return a text, or a picture's bytes or path, from what `datasets` keeps; None if empty."""
    if isinstance(prediction, dict):
        prediction = prediction["path"] if prediction["bytes"] is None else prediction["bytes"]
    if prediction is None or not prediction.strip():
        return None
    found: Output = prediction
    return found
