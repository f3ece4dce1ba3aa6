"""How far two judges agree, or a judge and people, as an `evaluate` module.

Sources: "Can MLLMs Perform Text-to-Image In-Context Learning?" (CoBSAT), App. C: two judges'
accuracies, task by task; "TouchStone: Evaluating Vision-Language Models by Language Models",
Sec. 4.1: the ratio of consistent verdicts, and the majority of people's votes.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import datasets
import evaluate
from cobsat.metrics.agreement import (
    agreement,
    alpha,
    leave_one_out,
    majority,
    pairwise,
    pearson,
    task_points,
)

_CITATION = """\
@article{zeng2024can,
  title={Can MLLMs Perform Text-to-Image In-Context Learning?},
  author={Zeng, Yuchen and Kang, Wonjun and Chen, Yicong and Koo, Hyung Il and Lee, Kangwook},
  journal={arXiv preprint arXiv:2402.01293},
  year={2024}
}
@article{bai2023touchstone,
  title={TouchStone: Evaluating Vision-Language Models by Language Models},
  author={Bai, Shuai and Yang, Shusheng and Bai, Jinze and Wang, Peng and Zhang, Xingxuan and Lin,
    Junyang and Wang, Xinggang and Zhou, Chang and Zhou, Jingren},
  journal={arXiv preprint arXiv:2308.16890},
  year={2023}
}
"""

_DESCRIPTION = """\
How far two judges agree, or a judge and the majority of several people: the ratio of consistent
answers, Cohen's kappa, Krippendorff's alpha, and the correlation of accuracies task by task.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: One judge's answers, any texts ("car", "yes", "red car"): one an item. The empty
        text says that it chose none; None that it was not asked: the item is left out.
    references: The other judge's answers; in the configuration "votes" a list of people's votes an
        item, None where a person gave none.
    clusters: What items belong together (the prompt that they answer, say), one an item; standard
        errors take it into account. By default every item stands alone.
    strata: Which options an item's answers were chosen from (the theme, say), one an item: chance
        is reckoned within each. By default all items share theirs.
    tasks: Each item's task, for the correlation.
    targets: Each item's right answer, for the correlation.

Returns:
    agreement: The ratio of consistent answers, 0 to 1, higher is better. With several votes an
        item, with their majority.
    kappa: Cohen's kappa, -1 to 1: 1 is full agreement, 0 what chance gives; None where chance alone
        makes the two agree always.
    alpha: Krippendorff's alpha (nominal), on the same scale.
    agreement_standard_error, kappa_standard_error, alpha_standard_error: Clustered; None for fewer
        than two clusters.
    n: The number of items that both answered.
    tied: The number of items whose votes have no majority; they are left out.
    people_pairwise: Among the people: the share of pairs of votes on one item that are the same.
    people_leave_one_out: The share of votes that the majority of the others gives too: the measure
        of a judge.
    people_alpha: Krippendorff's alpha of the people. These three are None without several votes.
    correlation: Pearson's, of the two judges' accuracies over tasks, -1 to 1; None without tasks
        and targets, for fewer than two tasks, or where one judge's accuracies are all the same.
    points: What is correlated: task, n and both accuracies, one a task; None without tasks and
        targets.

Examples:
    >>> import cobsat.metrics, evaluate
    >>> metric = evaluate.load(cobsat.metrics.path("judge_agreement"))
    >>> results = metric.compute(
    ...     predictions=["car", "car", "hat", "hat"], references=["car", "hat", "hat", "hat"]
    ... )
    >>> results["agreement"], results["kappa"], results["n"]
    (0.75, 0.5, 4)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class JudgeAgreement(evaluate.Metric):  # type: ignore[misc]
    """A thin class over `cobsat.metrics.agreement`."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in ("default", "votes"):
            raise ValueError(
                "configuration of judge_agreement must be 'default' or 'votes', got "
                f"{self.config_name!r}"
            )
        answer = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": answer,
                    "references": [answer] if self.config_name == "votes" else answer,
                }
            ),
            reference_urls=[
                "https://arxiv.org/abs/2402.01293",
                "https://arxiv.org/abs/2308.16890",
            ],
        )

    def _compute(
        self,
        predictions: Sequence[str | None],
        references: Sequence[Any],
        clusters: Sequence[Hashable] | None = None,
        strata: Sequence[Hashable] | None = None,
        tasks: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        if not predictions:
            raise ValueError("predictions must hold at least one answer, got none")
        if (tasks is None) != (targets is None):
            raise ValueError("tasks and targets must be given both or neither, got one of them")
        votes = list(references) if self.config_name == "votes" else None
        other = references if votes is None else [majority(each or []) for each in votes]
        found = agreement(predictions, other, clusters, strata)
        points = None
        if tasks is not None and targets is not None:
            points = task_points(predictions, other, tasks, targets)
        return {
            "agreement": found.ratio.value,
            "agreement_standard_error": found.ratio.standard_error,
            "kappa": found.kappa.value,
            "kappa_standard_error": found.kappa.standard_error,
            "alpha": found.alpha.value,
            "alpha_standard_error": found.alpha.standard_error,
            "n": found.ratio.n,
            "tied": _tied(votes or [], other),
            **_people([each or [] for each in votes or []], strata),
            "correlation": None
            if points is None
            else pearson(
                [point["first_accuracy"] for point in points],
                [point["second_accuracy"] for point in points],
            ),
            "points": points,
        }


def _tied(votes: Sequence[Sequence[str | None]], most: Sequence[str | None]) -> int:
    return sum(
        one is None and any(vote is not None for vote in each)
        for each, one in zip(votes, most, strict=False)
    )


def _people(
    votes: Sequence[Sequence[str | None]], strata: Sequence[Hashable] | None
) -> dict[str, float | None]:
    """Return what people say among themselves; nothing is known of single votes."""
    return {
        "people_pairwise": pairwise(votes).value,
        "people_leave_one_out": leave_one_out(votes).value,
        "people_alpha": alpha(votes, strata=strata if votes else None).value,
    }
