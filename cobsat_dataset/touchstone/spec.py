"""What TouchStone is: five categories of abilities and 27 subtasks.

Source: TouchStone, Sec. 3.1 (names, shares) and Fig. 1 (subtasks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "CATEGORIES",
    "CITATION",
    "HIGHEST",
    "LOWEST",
    "OFFICIAL_QUESTIONS",
    "SUBTASKS",
    "Category",
]

CITATION: Final = """\
@article{bai2023touchstone,
  title={{TouchStone}: Evaluating Vision-Language Models by Language Models},
  author={Bai, Shuai and Yang, Shusheng and Bai, Jinze and Wang, Peng and Zhang, Xingxuan and
          Lin, Junyang and Wang, Xinggang and Zhou, Chang and Zhou, Jingren},
  journal={arXiv preprint arXiv:2308.16890},
  year={2023}
}
"""
"""The paper, as BibTeX."""

OFFICIAL_QUESTIONS: Final = 908

LOWEST: Final = 1.0
HIGHEST: Final = 10.0
"""The judge's scale (Sec. 3.2); a model's score is its mean times 100."""


@dataclass(frozen=True)
class Category:
    """One category of abilities.

    Attributes:
        name: Its key here: "recognition".
        title: Its name in the paper.
        share: The share of the official questions that it has, in percent, as the paper rounds it.
        subtasks: Its subtasks, in the paper's order.
    """

    name: str
    title: str
    share: float
    subtasks: tuple[str, ...]


CATEGORIES: Final[dict[str, Category]] = {
    category.name: category
    for category in (
        Category(
            "description",
            "Basic Descriptive Ability",
            15.3,
            ("simple description", "detailed description"),
        ),
        Category(
            "recognition",
            "Visual Recognition Ability",
            44.1,
            (
                "attribute QA",
                "movie/TV recognition",
                "art recognition",
                "landmark recognition",
                "celebrity recognition",
                "emotion recognition",
                "text recognition",
                "object recognition",
                "structure content recognition",
            ),
        ),
        Category(
            "comprehension",
            "Visual Comprehension Ability",
            29.6,
            (
                "style appreciation",
                "abstract image understanding",
                "meme understanding",
                "image analysis",
                "chart analysis",
                "general problem-solving",
                "reasoning QA",
            ),
        ),
        Category(
            "storytelling",
            "Visual Storytelling Ability",
            7.4,
            (
                "writing emails",
                "poetry",
                "stories",
                "ads/commodity recommendations",
                "brainstorming",
            ),
        ),
        Category(
            "multi_image",
            "Multi-Image Analysis Ability",
            3.6,
            (
                "comparing two/multiple images",
                "summarizing multiple image information",
                "comparing commodities",
                "step-by-step analysis of images",
            ),
        ),
    )
}

SUBTASKS: Final[dict[str, str]] = {
    subtask: category.name for category in CATEGORIES.values() for subtask in category.subtasks
}
"""Subtask → its category."""
