"""Writes predictions to the run folder: pictures before the lines that name them."""

from __future__ import annotations

import re
from pathlib import Path

from cobsat import Prediction
from cobsat.line_files import Appender

from .asking import Answer, shorten
from .pictures import picture_file, write_picture

__all__ = ["Ledger"]


class Ledger:
    """Writes predictions in order, but holds back examples in a row that raised one same error.

    Such a row is written once something else follows it. When it grows to `stop_after`, or is all
    there ever was, the run stops without it: a resumed run then asks again.

    Attributes:
        anything_there: Whether the run holds anything else than such a row.
    """

    def __init__(
        self, folder: Path, appender: Appender, stop_after: int, anything_there: bool
    ) -> None:
        self._folder = folder
        self._appender = appender
        self._stop_after = stop_after
        self.anything_there = anything_there
        self._ready: list[Prediction] = []
        self._row: list[Prediction] = []
        self._error = ""
        self._stored: set[str] = set()

    def hold(self, answer: Answer) -> None:
        """Take the next answer; its picture is stored at once.

        Raises:
            RuntimeError: `stop_after` answers in a row raised one same error.
        """
        prediction = _record(answer, self._folder, self._stored)
        # An id or a time in a message makes no other error of it.
        kind = re.sub(r"\d+", "0", answer.error or "")
        if kind != self._error:
            self._ready += self._row
            self._row, self._error = [], kind
        if kind and self._stop_after:
            self._row.append(prediction)
        else:
            self._ready.append(prediction)
        if self._stop_after and len(self._row) >= self._stop_after:
            self.write()
            self._stop()

    def write(self) -> None:
        """Write what need not be held back."""
        self._appender.add(self._ready)
        self.anything_there = self.anything_there or bool(self._ready)
        self._ready = []

    def close(self, anything_elsewhere: bool = False) -> None:
        """Write the rest.

        Args:
            anything_elsewhere: Another process's model did something else.

        Raises:
            RuntimeError: The model never did anything but raise one same error.
        """
        if self._row and not self.anything_there and not anything_elsewhere:
            self._stop()
        self._ready += self._row
        self.write()

    def _stop(self) -> None:
        count = len(self._row)
        raise RuntimeError(
            f"the model must answer, got the same error for {count} examples in a row and stopped "
            f"(they are not recorded): {self._row[-1].reason}"
        )


def _record(answer: Answer, folder: Path, stored: set[str]) -> Prediction:
    """Return a prediction, its picture already on disk: no line names a picture that is not.

    `stored` names the pictures that this sitting knows to be there.
    """
    output, status, reason = answer.output, answer.output.status, answer.output.reason
    image = digest = None
    if output.image is not None and status == "ok":
        try:
            picture = picture_file(output.image, answer.id)
        except Exception as error:  # PIL raises many kinds for a broken picture
            status, reason = "error", shorten(f"the picture cannot be read: {error}")
        else:
            image, digest = f"images/{picture.name}", picture.sha256
            if image not in stored:
                write_picture(folder / image, picture.data)
                stored.add(image)
    return Prediction(
        id=answer.id,
        status=status,
        text=output.text,
        image=image,
        image_sha256=digest,
        reason=reason,
        finish_reason=output.finish_reason,
        seconds=round(answer.seconds, 6),
        usage=output.usage,
        extra=output.extra,
    )
