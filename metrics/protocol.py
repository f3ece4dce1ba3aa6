"""What a judge is: the one Protocol that every judge of this room follows.

A judge says, for each output of a model, which of the theme's ten objects and which of its ten
attributes it shows (Sec. 4.2). `registry.py` names the judges; `judge.py` runs one over a run
folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from cobsat.examples import Reference
from cobsat.run_folder import Verdict

__all__ = ["Judge", "OutputKind", "Reference"]

OutputKind: TypeAlias = Literal["image", "description"]


class Judge(Protocol):
    """Judges outputs of a model.

    Attributes:
        name: Names the judge's files in a run folder: `clip`, `clip-openai--clip-vit-base-patch32`.
        outputs: The kinds of output that it judges.

    It may have a third, `batch_size`: how many outputs a run folder gives it at once, and loses
    when it is killed.
    """

    name: str
    outputs: frozenset[str]

    def record(self) -> dict[str, Any]:
        """Return what would have to be known to judge the same way again, as JSON.

        Versions of libraries go under the key "versions"; all else must be the same when judging
        is resumed.
        """

    def judge(
        self, predictions: Sequence[str], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Judge outputs: paths of pictures, or descriptions; one verdict each, its id empty.

        What is answered, and `raw`, must depend on the output and the reference's theme alone: an
        output that a run holds many times is judged once, and graded against each reference. What
        it cannot say is unscored; where it could not be asked, the status is "error".
        """
