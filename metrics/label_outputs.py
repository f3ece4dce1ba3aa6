"""A CoBSAT run's outputs as a person labels them, blind to reference and judges."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobsat.card_parts import visible
from cobsat.run_folder import RunFolder
from cobsat.spec import TASKS, THEMES, Theme

from .label_session import Said, Session
from .label_table import begin_record, write_record
from .labels import Label, add_labels, labels_path, read_labels
from .outputs import fingerprint, run_rows, run_themes, to_look_at

__all__ = ["Output", "open_session", "outputs_to_label"]


@dataclass(frozen=True)
class Output:
    """One thing to look at: a picture, or a description, however many examples share it.

    Attributes:
        ids: The examples whose output it is.
        theme: Their theme: what is asked about it.
        digest: The output's digest.
        picture: The picture's file, if it is one.
        description: The description, if it is one.
    """

    ids: tuple[str, ...]
    theme: Theme
    digest: str
    picture: Path | None = None
    description: str | None = None

    @property
    def pictures(self) -> Sequence[Path]:
        """The picture, or none."""
        return () if self.picture is None else (self.picture,)

    def shown(self) -> dict[str, Any]:
        """Return what the page may know: no id, and nothing that tells the answer."""
        return {
            "theme": self.theme.name,
            "objects": self.theme.objects,
            "attributes": self.theme.attributes,
            "description": None if self.description is None else visible(self.description),
        }

    def check(self, said: Mapping[str, Any]) -> Said:
        """Return object and attribute as a person says them, "" where it is unclear.

        Raises:
            KeyError: One of them is missing.
            TypeError: One is no text.
            ValueError: One is no word of the theme.
        """
        checked = {}
        for kind, options in (("object", self.theme.objects), ("attribute", self.theme.attributes)):
            word = said[kind]
            if not isinstance(word, str):
                raise TypeError(f"{kind} must be a text")
            if word not in ("", *options):
                raise ValueError(f"{kind} must be one of {', '.join(options)}, got {word!r}")
            checked[kind] = word
        return checked


def outputs_to_label(folder: RunFolder, seed: int = 0) -> list[Output]:
    """Return a run's distinct outputs, in an order that depends on the seed alone.

    Failed and empty outputs show nothing to judge, and are left out.

    Raises:
        FileNotFoundError: The folder holds no run.
    """
    settings = folder.settings()
    predictions, _ = folder.predictions()
    ids: dict[tuple[str, str], list[str]] = {}
    shown: dict[tuple[str, str], str] = {}
    for row in run_rows(settings):
        prediction = predictions.get(row["id"])
        what = to_look_at(prediction, settings.output) if prediction else None
        if prediction is None or what is None:
            continue
        key = (fingerprint(folder, prediction), TASKS[row["task"]].theme.name)
        ids.setdefault(key, []).append(row["id"])
        shown.setdefault(key, what)
    outputs = [
        Output(
            tuple(ids[key]),
            THEMES[key[1]],
            key[0],
            picture=folder.path / what if settings.output == "image" else None,
            description=what if settings.output != "image" else None,
        )
        for key, what in shown.items()
    ]
    random.Random(seed).shuffle(outputs)
    return outputs


def open_session(
    folder: RunFolder, person: str, sample: int | None = None, seed: int | None = None
) -> Session[Output]:
    """Return a person's session on a run, taken up where they stopped.

    Order and sample are the same for all people with one seed; the seed is written down beside the
    labels, and is theirs from then on.

    Args:
        folder: The run folder.
        person: Who gives the verdicts.
        sample: Only so many outputs, drawn at random; all by default.
        seed: Seed of order and sample; 0, or that of the labels that are there, by default.

    Raises:
        FileNotFoundError: The folder holds no run.
        ValueError: There is nothing to look at, the labels cannot be read, or another seed was
            used for them.
    """
    path = labels_path(folder, person)
    before, used = begin_record(path, seed)
    outputs = outputs_to_label(folder, used)
    if not outputs:
        raise ValueError(
            f"{folder.path} must hold pictures or descriptions to look at, got none: ask a model "
            "first (cobsat predict)"
        )

    def save(output: Output, said: Said) -> None:
        labels = [Label(i, said["object"], said["attribute"], output.digest) for i in output.ids]
        add_labels(path, labels)

    said = _said_before(outputs[:sample], read_labels(path, run_themes(folder.settings()))[0])
    session = Session(outputs[:sample], path, "label_output", save, said)
    record = {"person": person, "seed": used, "sample": sample, "outputs": len(outputs)}
    write_record(path, record, before)
    return session


def _said_before(outputs: Sequence[Output], labels: Mapping[str, Label]) -> dict[int, Said]:
    """Return the labels that are there already, as far as they are about these outputs."""
    said = {}
    for number, output in enumerate(outputs):
        for i in output.ids:
            label = labels.get(i)
            if label is not None and label.output in (None, output.digest):
                said[number] = {"object": label.object, "attribute": label.attribute}
    return said
