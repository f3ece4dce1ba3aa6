"""TouchStone: visual dialogue scored by a language model; what the benchmark is."""

from .questions import Question, Reference, Row
from .sources import QuestionSource, question_source
from .spec import CATEGORIES, SUBTASKS, Category
from .verdicts import DialogueVerdict, HallucinationVerdict, Marks

__all__ = [
    "CATEGORIES",
    "SUBTASKS",
    "Category",
    "DialogueVerdict",
    "HallucinationVerdict",
    "Marks",
    "Question",
    "QuestionSource",
    "Reference",
    "Row",
    "question_source",
]
