"""The paper's numbers beside those of runs: only for runs on the official pictures.

A table holds what was asked alike: the same output, shots, split and prompts. Beside a run of a
family of models that the paper evaluates, the difference is given; a family is no checkpoint, and
the judge may be another than the paper's LLaVA. Source: CoBSAT, Tables 2 to 6, and what the authors
released (`cobsat.paper_tables`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cobsat import TASKS, RunSettings
from cobsat.images import source_name
from cobsat.paper_tables import PaperScore, paper_scores

from .card_data import identity
from .report_data import Run
from .report_scores import Estimate, Row

__all__ = ["PaperLine", "PaperTable", "family", "paper_tables", "why_not"]

_TABLES: Final = ("table2", "table3", "table4", "table5", "table6", "authors")
_TUNED: Final = "+finetuned"
_FAMILIES: Final = (
    ("SEED-LLaMA", r"seed[-_ ]?llama"),
    ("LLaVA-NeXT", r"llava-(v?1\.6|next)"),
    ("LLaVA-1.5", r"llava-(v?1\.5)"),
    ("Qwen-VL", r"qwen[\w.]*-vl"),
    ("Emu2", r"\bemu-?2"),
    ("Emu", r"\bemu\b(?!-?[23])"),
    ("GILL", r"\bgill\b"),
    ("GPT-4V", r"gpt-4(v|-vision|-turbo|-1106-vision)"),
    ("Gemini", r"\bgemini\b"),
    ("Claude", r"\bclaude\b"),
)
"""Families of the paper's models, and how their checkpoints are called."""


@dataclass(frozen=True)
class PaperLine:
    """One line of a table.

    Attributes:
        name: A run's label, or what the paper calls a model.
        source: "this run"; or where the paper has it: "Table 2", "authors" for their repository.
        values: By task; None where there is none.
        kind: Whose numbers they are; of a "difference", the run's minus the paper's.
    """

    name: str
    source: str
    values: tuple[Estimate | None, ...]
    kind: str

    def mean(self) -> float | None:
        """Return the mean over the tasks, where all have a value."""
        known = [e.value for e in self.values if e is not None and e.value is not None]
        return sum(known) / len(known) if known and len(known) == len(self.values) else None


@dataclass(frozen=True)
class PaperTable:
    """Runs and the paper's models that were asked alike."""

    title: str
    tasks: tuple[str, ...]
    lines: tuple[PaperLine, ...]


def why_not(runs: Sequence[Run]) -> str:
    """Return why the paper's numbers do not stand beside those of runs; empty where they may."""
    source = source_name(runs[0].settings.images)
    if source == "official":
        return ""
    return (
        f"The paper's numbers are not set beside these: they were measured on the official "
        f"pictures, these on {source} ones, and the two cannot be compared."
    )


def paper_tables(runs: Sequence[Run], judge: str) -> list[PaperTable]:
    """Return the tables of runs and of what the paper has beside them; none off its pictures."""
    if why_not(runs):
        return []
    judged = [run for run in runs if judge in run.scores]
    asked: dict[tuple[str, int, str, str], list[Run]] = {}
    for run in judged:
        settings = run.settings
        for shots in sorted({row.shots for row in run.scores[judge].rows}):
            key = (settings.output, shots, settings.split, settings.prompt_type)
            asked.setdefault(key, []).append(run)
    tables = [_table(*key, of, judge) for key, of in asked.items()]
    return [table for table in tables if table is not None]


def family(settings: RunSettings) -> str | None:
    """Return which of the paper's families a run's model is of, by its checkpoint's name.

    >>> family(RunSettings("openai", (), model_options={"record": {"model": "gpt-4-turbo"}}))
    'GPT-4V'
    >>> family(RunSettings("seed_llama", ()))
    'SEED-LLaMA'
    """
    named = identity(settings)
    names = [str(named[key]) for key in ("checkpoint", "model", "name") if key in named]
    text = " ".join([*names, settings.model]).lower()
    return next((name for name, pattern in _FAMILIES if re.search(pattern, text)), None)


def _table(
    output: str, shots: int, split: str, prompt_type: str, runs: Sequence[Run], judge: str
) -> PaperTable | None:
    published = _published(output, shots, split, prompt_type)
    rows = [{r.task: r for r in run.scores[judge].rows if r.shots == shots} for run in runs]
    tasks = tuple(t for t in TASKS if any(t in of_run for of_run in rows))
    known = {
        key: scores for key, scores in published.items() if any(task in scores for task in tasks)
    }
    if not known or not tasks:
        return None
    lines: list[PaperLine] = []
    for run, of_run in zip(runs, rows, strict=True):
        lines += _of_run(run, of_run, tasks, known)
    lines += [
        PaperLine(_named(*key), _source(scores), _paper_values(scores, tasks), "paper")
        for key, scores in known.items()
    ]
    what = {"image": "pictures", "description": "descriptions"}[output]
    where = "" if split == "test" else f", split {split}"
    return PaperTable(f"{what}, {shots} shots, {prompt_type} prompts{where}", tasks, tuple(lines))


def _published(
    output: str, shots: int, split: str, prompt_type: str
) -> dict[tuple[str, bool], dict[str, PaperScore]]:
    """Return what the paper has of a setting: by model, and whether it was tuned, by task."""
    found: dict[tuple[str, bool], dict[str, PaperScore]] = {}
    for score in (score for table in _TABLES for score in paper_scores(table)):
        prompts = score.method.removesuffix(_TUNED)
        if (score.output, score.shots, score.split, prompts) == (output, shots, split, prompt_type):
            key = (score.model, score.method.endswith(_TUNED))
            found.setdefault(key, {}).setdefault(score.task, score)
    return found


def _of_run(
    run: Run,
    rows: Mapping[str, Row],
    tasks: Sequence[str],
    published: Mapping[tuple[str, bool], Mapping[str, PaperScore]],
) -> Iterator[PaperLine]:
    """Yield a run's line and, where the paper has its family, how far it is from the paper's."""
    values = tuple(rows[task].rates["accuracy"] if task in rows else None for task in tasks)
    yield PaperLine(run.label, "this run", values, "run")
    key = (family(run.settings) or "", "adapter" in identity(run.settings))
    if key not in published:
        return
    paper = _paper_values(published[key], tasks)
    pairs = zip(values, paper, strict=True)
    yield PaperLine(
        f"minus the paper's {_named(*key)}", "difference",
        tuple(_difference(ours, theirs) for ours, theirs in pairs), "difference",
    )  # fmt: skip


def _difference(ours: Estimate | None, theirs: Estimate | None) -> Estimate | None:
    """Return the difference; its interval is the run's, for the paper gives none."""
    if ours is None or theirs is None or ours.value is None or theirs.value is None:
        return None
    bounds = ours.interval and (ours.interval[0] - theirs.value, ours.interval[1] - theirs.value)
    return Estimate(ours.value - theirs.value, ours.standard_error, ours.n, bounds)


def _paper_values(
    scores: Mapping[str, PaperScore], tasks: Sequence[str]
) -> tuple[Estimate | None, ...]:
    return tuple(
        Estimate(scores[task].accuracy, None, 0) if task in scores else None for task in tasks
    )


def _named(model: str, tuned: bool) -> str:
    return f"{model}, fine-tuned" if tuned else model


def _source(scores: Mapping[str, PaperScore]) -> str:
    names = dict.fromkeys(score.table for score in scores.values())
    return ", ".join(name.replace("table", "Table ") for name in names)
