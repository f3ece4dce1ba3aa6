"""The judge `clip`: App. C's two measures, with any CLIP checkpoint of `transformers`.

Accuracy picks, of the theme's ten objects and ten attributes, those whose texts lie closest to the
output; similarity is the cosine between the output and its true label. By default the checkpoint is
mini-clip, which ships with the package and needs no network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.checkpoints import check_checkpoint
from cobsat.examples import Reference
from cobsat.run_folder import Verdict, safe_name
from cobsat.spec import OUTPUTS, Theme, choose

from .clip_encoder import ClipEncoder
from .grading import check_reference, grade, unscored
from .pictures import Output
from .protocol import OutputKind

__all__ = ["MINI_CLIP", "ClipJudge", "Measured", "Output", "verdict"]

MINI_CLIP: Final = "mini-clip"
_MINI_CLIP_FOLDER: Final = Path(__file__).parent / "mini_clip"


@dataclass(frozen=True)
class Measured:
    """What CLIP says of one output: cosines, from -1 to 1, higher is closer.

    Attributes:
        objects: With each of the theme's objects, in Table 1's order.
        attributes: With each of the theme's attributes, in Table 1's order.
        label: With the reference's whole label ("red car").
        truncated: Whether a description was longer than the text tower reads.
    """

    objects: tuple[float, ...]
    attributes: tuple[float, ...]
    label: float
    truncated: bool = False


class ClipJudge:
    """Judges pictures and descriptions by their closeness to the options' texts."""

    outputs = frozenset(OUTPUTS)

    def __init__(
        self,
        checkpoint: str = MINI_CLIP,
        revision: str = "main",
        device: str | None = None,
        dtype: str = "float32",
        forward_batch_size: int = 16,
    ) -> None:
        """Load a checkpoint.

        Args:
            checkpoint: "mini-clip", a name on the Hub, or a folder; of the model type CLIP.
            revision: Of a name on the Hub.
            device: As torch names it; by default a GPU if there is one.
            dtype: "float32", or, to save time and memory on a GPU, "bfloat16" or "float16".
            forward_batch_size: Outputs in one forward pass, at most.

        Raises:
            OSError: There is no such checkpoint, or none with safetensors.
            ValueError: It is of another model type, or an option is out of its range.
        """
        mini = checkpoint == MINI_CLIP
        source = str(_MINI_CLIP_FOLDER) if mini else check_checkpoint(checkpoint, revision)
        self._shown = Path(source).name if Path(source).is_dir() and not mini else checkpoint
        self.name = "clip" if mini else f"clip-{safe_name(self._shown)}"
        self.encoder = ClipEncoder(source, revision, device, dtype, forward_batch_size)
        self._texts: dict[str, torch.Tensor] = {}

    def record(self) -> dict[str, Any]:
        """Return checkpoint, revision, digest of local weights, dtype, and versions."""
        return {"checkpoint": self._shown, **self.encoder.record()}

    def judge(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Verdict]:
        """Pick the closest object and attribute for each output.

        A picture that cannot be read and an empty description are unscored.
        """
        themes = _themes(predictions, references, output)
        # the verdict does not depend on the label, whose text need not be embedded then
        measured = self._measure(predictions, themes, [None] * len(themes), output)
        return [verdict(m, r) for m, r in zip(measured, references, strict=True)]

    def measure(
        self, predictions: Sequence[Output], references: Sequence[Reference], output: OutputKind
    ) -> list[Measured | str]:
        """Return each output's cosines with its theme's options, or why there are none.

        Raises:
            ValueError: A reference, or the kind of output, is not one of the benchmark's.
        """
        themes = _themes(predictions, references, output)
        labels = [_label(theme, r) for theme, r in zip(themes, references, strict=True)]
        return self._measure(predictions, themes, labels, output)

    def _measure(
        self,
        predictions: Sequence[Output],
        themes: Sequence[Theme],
        labels: Sequence[str | None],
        output: OutputKind,
    ) -> list[Measured | str]:
        options = {theme.name: _options(theme) for theme in themes}
        self._embed([text for texts in options.values() for text in texts])
        self._embed([label for label in labels if label is not None])
        near = {name: torch.stack([self._texts[t] for t in ts]) for name, ts in options.items()}
        if output == "image":
            embedded = self.encoder.pictures(predictions)
        else:
            embedded = self.encoder.texts(str(text or "") for text in predictions)
        results: list[Measured | str] = []
        for (vector, problem, truncated), theme, label in zip(
            embedded, themes, labels, strict=True
        ):
            if vector is None:
                results.append(problem)
                continue
            cosines = (near[theme.name] @ vector).tolist()
            with_label = math.nan if label is None else float(self._texts[label] @ vector)
            if not all(map(math.isfinite, cosines if label is None else [*cosines, with_label])):
                results.append("the checkpoint gives no number for this output")
                continue
            count = len(theme.objects)
            results.append(
                Measured(tuple(cosines[:count]), tuple(cosines[count:]), with_label, truncated)
            )
        return results

    def _embed(self, texts: Sequence[str]) -> None:
        """Embed the options and labels that were not met before."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        for text, (vector, *_) in zip(new, self.encoder.texts(new), strict=True):
            assert vector is not None
            self._texts[text] = vector


def verdict(measured: Measured | str, reference: Reference) -> Verdict:
    """Return the closest object and attribute as a verdict; of equals, the first."""
    if isinstance(measured, str):
        return unscored(measured)
    theme = check_reference(reference)
    raw: dict[str, Any] = {
        "objects": [round(cosine, 4) for cosine in measured.objects],
        "attributes": [round(cosine, 4) for cosine in measured.attributes],
    }
    if measured.truncated:
        raw["truncated"] = True
    return grade(
        reference,
        theme.objects[_closest(measured.objects)],
        theme.attributes[_closest(measured.attributes)],
        raw=raw,
    )


def _themes(
    predictions: Sequence[Output], references: Sequence[Reference], output: str
) -> list[Theme]:
    """Return the references' themes, once all that is given is what it must be."""
    choose("output", output, OUTPUTS)
    if len(predictions) != len(references):
        raise ValueError(
            f"references must be as many as predictions ({len(predictions)}), got {len(references)}"
        )
    return [check_reference(reference) for reference in references]


def _closest(cosines: Sequence[float]) -> int:
    return max(range(len(cosines)), key=cosines.__getitem__)


def _options(theme: Theme) -> list[str]:
    """Return the texts of a theme's objects and, after them, of its attributes."""
    return [theme.text(word) for word in (*theme.objects, *theme.attributes)]


def _label(theme: Theme, reference: Reference) -> str:
    return f"{theme.text(reference['attribute'])} {theme.text(reference['object'])}"
