"""What of a run belongs beside its scores."""

from __future__ import annotations

from typing import Any

from cobsat.run_folder import RunSettings

__all__ = ["run_record"]


def run_record(settings: RunSettings, source: str) -> dict[str, Any]:
    """Return it; `source` is the image source's name."""
    return {
        "model": settings.model,
        "model_options": settings.model_options,
        "configs": list(settings.configs),
        "split": settings.split,
        "output": settings.output,
        "prompt_type": settings.prompt_type,
        "instructions_for": settings.instructions_for,
        "seed": settings.seed,
        "limit": settings.limit,
        "image_source": {"name": source, "digest": settings.image_digest},
    }
