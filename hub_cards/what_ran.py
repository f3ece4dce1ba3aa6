"""What ran, in words: a run's settings and a judge's record for a reader."""

from __future__ import annotations

from collections.abc import Mapping

from cobsat import RunSettings

from .text import shorten

__all__ = ["facts", "flat", "value"]


def facts(settings: RunSettings, label: str) -> list[tuple[str, str]]:
    """Return what ran, as names and values for a reader."""
    pictures = settings.images
    if settings.image_digest:
        pictures = f"{pictures} (SHA-256 {settings.image_digest[:16]}…)"
    wanted = [
        ("Model", settings.model),
        ("Configs", ", ".join(settings.configs)),
        ("Split", settings.split),
        ("Output", settings.output),
        ("Prompt type", settings.prompt_type),
        ("Instructions", settings.instructions_for),
        ("Seed", settings.seed),
        ("Pictures", pictures),
        ("Limit", f"the first {settings.limit} examples of each config" if settings.limit else ""),
        ("Samples", f"{settings.samples} outputs for each" if settings.samples > 1 else ""),
        ("Model options", flat(settings.model_options)),
        ("Versions", flat(settings.versions)),
        ("Folder", label),
    ]
    return [(name, str(value)) for name, value in wanted if value != ""]


def flat(record: object) -> str:
    """Return a record in one line."""
    if not isinstance(record, Mapping):
        return value(record)
    said = {name: value(item) for name, item in record.items()}
    return ", ".join(f"{name} {text}" for name, text in said.items() if text)


def value(given: object) -> str:
    """Return a setting's value in one line."""
    if isinstance(given, dict):
        return flat(given)
    if isinstance(given, list | tuple):
        return ", ".join(value(item) for item in given)
    return shorten(str(given), 300)
