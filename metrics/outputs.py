"""What of a run folder there is to judge: its examples' references, and each output's digest.

Judges, people's labels and agreement stand on these: the same output is the same to all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from cobsat.images import ImageSource
from cobsat.layout import LABELS
from cobsat.run_examples import run_examples
from cobsat.run_folder import Prediction, RunFolder, RunSettings
from cobsat.spec import TASKS, Theme

from .procedure import AnyVerdict
from .scores import Row

__all__ = ["about", "fingerprint", "run_rows", "run_themes", "to_look_at"]


def run_rows(settings: RunSettings) -> Iterator[Row]:
    """Yield what scoring needs of a run's examples, each once.

    References follow from the prompt lists alone: the pictures need not be on this machine.
    """
    nothing = dict.fromkeys(LABELS, "")
    source = ImageSource(settings.images, settings.image_digest, nothing, nothing)
    for example in run_examples(settings, source):
        yield {
            "id": example["id"],
            "task": example["task"],
            "shots": example["shots"],
            "query": example["query"],
            "latent_variable": example["latent_variable"],
            "reference": example["reference"],
        }


def run_themes(settings: RunSettings) -> dict[str, Theme]:
    """Return the theme of each of a run's examples, by id."""
    return {row["id"]: TASKS[row["task"]].theme for row in run_rows(settings)}


def fingerprint(folder: RunFolder, prediction: Prediction) -> str:
    """Return a digest of what there is to judge; two outputs with one digest are the same."""
    if prediction.status != "ok":
        return prediction.status
    if prediction.image_sha256:
        # A file may hold no digest there, and halves of characters: no table could hold those.
        return prediction.image_sha256[:16].encode("utf-8", "backslashreplace").decode()
    if prediction.image:
        try:
            data = (folder.path / prediction.image).read_bytes()
        except OSError:  # the judge will say so
            data = prediction.image.encode("utf-8", "backslashreplace")
        return hashlib.sha256(data).hexdigest()[:16]
    text = prediction.text or ""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def about(verdict: AnyVerdict) -> str | None:
    """Return the fingerprint of the output that a verdict is about."""
    return None if verdict.raw is None else verdict.raw.get("output")


def to_look_at(prediction: Prediction, output: str) -> str | None:
    """Return the picture's path in the run folder, or the description; None if there is none."""
    if prediction.status != "ok":
        return None
    shown = prediction.image if output == "image" else prediction.text
    return shown if shown and shown.strip() else None
