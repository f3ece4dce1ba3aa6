"""CoBSAT's accuracy of descriptions by the words in them, as an `evaluate` module.

Source: the questions are those of "Can MLLMs Perform Text-to-Image In-Context Learning?" (CoBSAT),
Sec. 4.2; they are answered here by word forms, without a model.
"""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate
from cobsat.examples import Reference
from cobsat.metrics.grading import summarize
from cobsat.metrics.mention_judge import judge_description

_CITATION = """\
@article{zeng2024can,
  title={Can MLLMs Perform Text-to-Image In-Context Learning?},
  author={Zeng, Yuchen and Kang, Wonjun and Chen, Yicong and Koo, Hyung Il and Lee, Kangwook},
  journal={arXiv preprint arXiv:2402.01293},
  year={2024}
}
"""

_DESCRIPTION = """\
Whether a description names the object and the attribute that it should: one of the theme's ten
objects and one of its ten attributes, as whole words with their inflections. A description that
names none, or several, is unscored.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: Descriptions.
    references: The rows' `reference`: dicts of task ("color_i"), object and attribute, in the words
        of Table 1.

Returns:
    accuracy: Share of descriptions whose object and attribute are both right, 0 to 1, higher is
        better. An unscored one counts as wrong.
    accuracy_standard_error: Clustered by what was asked for.
    object_accuracy, attribute_accuracy: Of each half.
    textual_accuracy, visual_accuracy: Of the half that the prompt's text gave, and of the half that
        its pictures gave.
    accuracy_scored: Accuracy over the scored descriptions.
    scored, unscored: Counts.
    failed: Always 0: this judge makes no calls that could fail.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> mention = evaluate.load(cobsat.metrics.path("mention"))
    >>> reference = {"task": "action_i", "object": "cat", "attribute": "swim"}
    >>> predictions = ["A swimming cat.", "A dog swam by.", "A cat and a dog."]
    >>> results = mention.compute(predictions=predictions, references=[reference] * 3)
    >>> results["object_accuracy"], results["attribute_accuracy"], results["unscored"]
    (0.3333333333333333, 0.6666666666666666, 1)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Mention(evaluate.Metric):  # type: ignore[misc]
    """A thin class over `cobsat.metrics.mention_judge`."""

    def _info(self) -> evaluate.MetricInfo:
        reference = {key: datasets.Value("string") for key in ("task", "object", "attribute")}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": datasets.Value("string"), "references": reference}
            ),
            reference_urls=["https://arxiv.org/abs/2402.01293"],
        )

    def _compute(
        self, predictions: Sequence[str | None], references: Sequence[Reference]
    ) -> dict[str, Any]:
        verdicts = [
            judge_description(p or "", r) for p, r in zip(predictions, references, strict=True)
        ]
        return summarize(verdicts, references)
