"""CoBSAT's CLIP similarity and CLIP accuracy as an `evaluate` module.

Source: "Can MLLMs Perform Text-to-Image In-Context Learning?" (CoBSAT), App. C.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import evaluate
from cobsat.examples import Reference
from cobsat.metrics.clip_judge import MINI_CLIP, ClipJudge, Measured, verdict
from cobsat.metrics.grading import summarize
from cobsat.metrics.module_inputs import features, given, output_kind
from cobsat.spec import TASKS, Theme

_CITATION = """\
@article{zeng2024can,
  title={Can MLLMs Perform Text-to-Image In-Context Learning?},
  author={Zeng, Yuchen and Kang, Wonjun and Chen, Yicong and Koo, Hyung Il and Lee, Kangwook},
  journal={arXiv preprint arXiv:2402.01293},
  year={2024}
}
"""

_DESCRIPTION = """\
Whether an output shows the object and the attribute that it should, by closeness in CLIP: of the
theme's ten objects and ten attributes, the closest count as the answers. And how close the output
is to its true label.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: With the configuration "image" (the default), pictures: paths or PIL images. With
        "description", texts.
    references: The rows' `reference`: dicts of task ("color_i"), object and attribute, in the words
        of Table 1.
    checkpoint: "mini-clip" (ships with the package), or any checkpoint of the model type CLIP.
    revision: Of a checkpoint on the Hub.
    batch_size: Outputs in one forward pass, at most.
    device: As torch names it; by default a GPU if there is one.
    dtype: "float32"; on a GPU "bfloat16" or "float16" saves time and memory.

Returns:
    accuracy: Share of outputs whose object and attribute are both right, 0 to 1, higher is better.
        An output that cannot be read counts as wrong.
    accuracy_standard_error: Clustered by what was asked for.
    object_accuracy, attribute_accuracy: Of each half.
    textual_accuracy, visual_accuracy: Of the half that the prompt's text gave, and of the half that
        its pictures gave.
    accuracy_scored: Accuracy over the outputs that could be judged.
    similarity: Mean cosine with the whole label ("red car"), -1 to 1, over those outputs.
    object_similarity, attribute_similarity: Mean cosine with each half.
    clip_score: Mean of 100 times the cosine with the whole label, or 0 where that is below 0; 0 to
        100, higher is closer.
    scored, unscored, truncated: Counts: judged; not judged (a picture that cannot be read, an empty
        description); judged by their beginning.
    failed: Always 0: this judge makes no calls that could fail.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> clip = evaluate.load(cobsat.metrics.path("cobsat_clip"), "description")
    >>> reference = {"task": "color_i", "object": "car", "attribute": "red"}
    >>> predictions = ["A red car.", "A blue hat."]
    >>> results = clip.compute(predictions=predictions, references=[reference] * 2)
    >>> results["accuracy"], results["unscored"]
    (0.5, 0)
"""


@lru_cache(maxsize=2)
def _judge(
    checkpoint: str, revision: str, device: str | None, dtype: str, batch_size: int
) -> ClipJudge:
    return ClipJudge(checkpoint, revision, device, dtype, batch_size)


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CobsatClip(evaluate.Metric):  # type: ignore[misc]
    """A thin class over `cobsat.metrics.clip_judge`."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=features(output_kind(self.config_name)),
            reference_urls=["https://arxiv.org/abs/2402.01293"],
        )

    def _compute(
        self,
        predictions: Sequence[Any],
        references: Sequence[Reference],
        checkpoint: str = MINI_CLIP,
        revision: str = "main",
        batch_size: int = 16,
        device: str | None = None,
        dtype: str = "float32",
    ) -> dict[str, Any]:
        judge = _judge(checkpoint, revision, device, dtype, batch_size)
        outputs = [given(p) or "" for p in predictions]
        measured = judge.measure(outputs, references, output_kind(self.config_name))
        verdicts = [verdict(m, r) for m, r in zip(measured, references, strict=True)]
        pairs = [
            (m, r) for m, r in zip(measured, references, strict=True) if isinstance(m, Measured)
        ]
        return {
            **summarize(verdicts, references),
            "similarity": _mean([m.label for m, _ in pairs]),
            "object_similarity": _mean(
                [m.objects[_theme(r).objects.index(r["object"])] for m, r in pairs]
            ),
            "attribute_similarity": _mean(
                [m.attributes[_theme(r).attributes.index(r["attribute"])] for m, r in pairs]
            ),
            "clip_score": _mean([max(100 * m.label, 0.0) for m, _ in pairs]),
            "truncated": sum(m.truncated for m, _ in pairs),
        }


def _theme(reference: Reference) -> Theme:
    return TASKS[reference["task"]].theme


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
