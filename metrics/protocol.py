"""What a judge is: the one Protocol that every judge of this room follows.

A judge of CoBSAT says, for each output of a model, which of the theme's ten objects and which of
its ten attributes it shows (Sec. 4.2); a judge of TouchStone marks a model's answer beside the
reference answer (Sec. 3.2). `registry.py` names the judges; `judge.py` runs one over a run folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from cobsat.examples import Reference

__all__ = ["Judge", "OutputKind", "Reference"]

OutputKind: TypeAlias = Literal["image", "description"]


class Judge(Protocol):
    """Judges outputs of a model.

    Attributes:
        name: Names the judge's files in a run folder: `clip`, `clip-openai--clip-vit-base-patch32`.
        outputs: The kinds of output that it judges: of CoBSAT "image" and "description", of
            TouchStone "answer".

    It may have more:
        batch_size: How many outputs a run folder gives it at once, and loses when it is killed.
        judge_each: A method that takes what `judge` takes, and yields each output's place and
            verdict as soon as it is known: a run folder then loses nothing.
        verdict_kind: Of TouchStone, what its verdicts are: `DialogueVerdict` (marks; the default),
            or `HallucinationVerdict` (a degree).
    """

    name: str
    outputs: frozenset[str]

    def record(self) -> dict[str, Any]:
        """Return what would have to be known to judge the same way again, as JSON.

        Versions of libraries go under the key "versions"; all else must be the same when judging
        is resumed.
        """

    def judge(
        self, predictions: Sequence[str], references: Sequence[Any], output: Any
    ) -> list[Any]:
        """Judge outputs: paths of pictures, or texts; one verdict each, its id empty.

        Of CoBSAT references are `examples.Reference`s, and verdicts `run_folder.Verdict`s; what is
        answered, and `raw`, must depend on the output and the reference's theme alone: an output
        that a run holds many times is judged once, and graded against each reference. Of
        TouchStone they are `touchstone.Reference`s, and verdicts of `verdict_kind`; the same answer
        to the same question is judged once. What a judge cannot say is unscored; where it could not
        be asked, the status is "error".
        """
