"""What one person looks at and says of a run's outputs, blind to reference and judges.

`label.py` is the command, `label_server.py` the page's server; here is what they may know.
"""

from __future__ import annotations

import json
import random
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cobsat.run_folder import RunFolder, write_json
from cobsat.spec import TASKS, THEMES, Theme

from .labels import Label, add_labels, labels_path, read_labels
from .outputs import fingerprint, run_rows, run_themes, to_look_at

__all__ = ["Output", "Session", "open_session", "outputs_to_label"]


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


class Session:
    """What one person has looked at and said; several threads may ask at once."""

    def __init__(self, outputs: list[Output], path: Path) -> None:
        """Take up where the person stopped.

        Raises:
            ValueError: The labels in `path` cannot be read.
        """
        self.outputs = outputs
        self.path = path
        self._lock = threading.Lock()
        self._answers: dict[int, tuple[str, str]] = {}

    def resume(self, labels: dict[str, Label]) -> None:
        """Take the labels that are there already, as far as they are about these outputs."""
        for number, output in enumerate(self.outputs):
            for i in output.ids:
                label = labels.get(i)
                if label is not None and label.output in (None, output.digest):
                    self._answers[number] = (label.object, label.attribute)

    def progress(self) -> dict[str, int]:
        """Return how many outputs are labelled, of how many, and the first that is not."""
        with self._lock:
            return self._progress()

    def _progress(self) -> dict[str, int]:
        count = len(self.outputs)
        left = (number for number in range(count) if number not in self._answers)
        return {"done": len(self._answers), "of": count, "next": next(left, count)}

    def item(self, number: int) -> dict[str, Any]:
        """Return what the page may know of one output: no id, and nothing that tells the answer.

        Raises:
            IndexError: There is no such output.
        """
        output = self._output(number)
        with self._lock:
            said = self._answers.get(number)
            return {
                "number": number,
                "theme": output.theme.name,
                "objects": output.theme.objects,
                "attributes": output.theme.attributes,
                "description": output.description,
                "said": None if said is None else {"object": said[0], "attribute": said[1]},
                **self._progress(),
            }

    def picture(self, number: int) -> Path | None:
        """Return the file of an output that is a picture.

        Raises:
            IndexError: There is no such output.
        """
        return self._output(number).picture

    def answer(self, number: int, object_: str, attribute: str) -> dict[str, int]:
        """Save what the person says of an output ("" where it is unclear), and return the progress.

        Raises:
            IndexError: There is no such output.
            ValueError: It is no word of its theme.
            OSError: It could not be saved.
        """
        output = self._output(number)
        for kind, word, options in (
            ("object", object_, output.theme.objects),
            ("attribute", attribute, output.theme.attributes),
        ):
            if word not in ("", *options):
                raise ValueError(f"{kind} must be one of {', '.join(options)}, got {word!r}")
        with self._lock:
            add_labels(self.path, [Label(i, object_, attribute, output.digest) for i in output.ids])
            self._answers[number] = (object_, attribute)
            return self._progress()

    def _output(self, number: int) -> Output:
        if not 0 <= number < len(self.outputs):
            raise IndexError(f"number must be from 0 to {len(self.outputs) - 1}, got {number}")
        return self.outputs[number]


def open_session(
    folder: RunFolder, person: str, sample: int | None = None, seed: int | None = None
) -> Session:
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
    target = path.with_suffix(".json")
    before: dict[str, Any] = json.loads(target.read_text("utf-8")) if target.exists() else {}
    used = before.get("seed", 0 if seed is None else seed)
    if seed is not None and seed != used:
        raise ValueError(
            f"seed must be that of the labels in {path} ({used}), got {seed}: leave --seed out, or "
            "move that file and its .json away to begin anew"
        )
    outputs = outputs_to_label(folder, used)
    if not outputs:
        raise ValueError(
            f"{folder.path} must hold pictures or descriptions to look at, got none: ask a model "
            "first (cobsat predict)"
        )
    session = Session(outputs[:sample], path)
    session.resume(read_labels(path, run_themes(folder.settings()))[0])
    record = {"person": person, "seed": used, "sample": sample, "outputs": len(outputs)}
    if record != before:
        write_json(target, record)
    return session
