"""The typeset report of CoBSAT's runs: what was measured, scores, figures, limits, commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cobsat import TASKS
from cobsat.images import source_name

from .card_commands import run_arguments, shell, without_home
from .figures import charts, needed
from .page import subtitle, title
from .paper_comparison import PaperTable, paper_tables, why_not
from .pdf import Block, Code, Document, Facts, Figure, Items, Section, Table, Text
from .report_data import Run
from .report_scores import Estimate, Scores
from .score_tabs import COUNT_NAMES, HEADINGS, TASK_NAMES
from .text import NOTHING
from .what_ran import facts, flat

__all__ = ["report_document"]

_RATES: Final = ("accuracy", "object", "attribute", "textual", "visual", "accuracy_scored")
_ALWAYS: Final = ("examples", "unscored", "failed")
_PERCENT: Final = (
    "In percent, with 95% intervals (modified Wilson, clustered by query and latent variable). "
    "Failed, blocked and unscored outputs count as wrong."
)
_MINI: Final = ("mini-clip", "mini-llava")


def report_document(runs: Sequence[Run], judges: Sequence[str]) -> Document:
    """Return the document of runs that judges have scored."""
    drawn = {judge: charts(runs, judge) for judge in judges}
    missing = needed([chart for of in drawn.values() for chart in of])
    ran = tuple(block for run in runs for block in _ran(run, several=len(runs) > 1))
    sections = [Section("What was measured", ran)]
    for judge in judges:
        sections.append(Section(f"Scores by {judge}", tuple(_scores(runs, judge))))
        sections.append(Section(f"Figures by {judge}", tuple(map(Figure, drawn[judge])), level=2))
    if missing:
        what = f"Figures of the paper that these runs hold no data for. {'. '.join(missing)}."
        sections[-1] = Section(
            sections[-1].title, (*sections[-1].blocks, Text(what)), sections[-1].level
        )
    sections.append(Section("Limits", (Items(tuple(_limits(runs, judges))),)))
    sections.append(Section("Reproduce", tuple(_commands(runs))))
    return Document(title(runs), subtitle(runs), tuple(sections))


def _ran(run: Run, *, several: bool) -> Iterator[Block]:
    found = facts(run.settings, run.label)
    if several:
        yield Text(run.label, notice=False)
    yield Facts(tuple((name, value) for name, value in found if not (several and name == "Folder")))
    for notice in run.notices:
        yield Text(notice, notice=True)


def _scores(runs: Sequence[Run], judge: str) -> Iterator[Block]:
    judged = [(run, run.scores[judge]) for run in runs if judge in run.scores]
    record = judged[0][1].record
    yield Facts((("The judge", _record(record)),))
    for run, scores in judged:
        for caution in scores.cautions:
            yield Text(f"{run.label}: {caution}" if len(runs) > 1 else caution, notice=True)
    yield _means(judged, several=len(runs) > 1)
    yield _by_task(judged)
    reason = why_not(runs)
    if reason:
        yield Text(reason)
    for table in paper_tables(runs, judge):
        yield _paper(table)


def _record(record: Mapping[str, Any]) -> str:
    """Return what a judge says of itself, what it leaves open left out."""
    told = {name: value for name, value in record.items() if value is not None}
    return flat(without_home(told))


def _means(judged: Sequence[tuple[Run, Scores]], *, several: bool) -> Table:
    lines = [(run, row) for run, scores in judged for row in scores.means]
    sampled = any(scores.samples > 1 for _, scores in judged)
    rates = [_RATES[0], *(("majority", "best_of") if sampled else ()), *_RATES[1:]]
    names = {**{r: h for r, (h, _) in HEADINGS.items()}, "majority": "Majority", "best_of": "Best"}
    counts = [
        name
        for name in COUNT_NAMES
        if name in _ALWAYS or any(row.counts.get(name) for _, row in lines)
    ]
    heads = [*(["Run"] if several else []), "Mean of", "Shots", *(names[r] for r in rates)]
    rows = tuple(
        (
            *([run.label] if several else []),
            TASK_NAMES.get(row.task, row.task),
            str(row.shots),
            *(_cell(row.rates[rate]) for rate in rates),
            *(f"{row.counts.get(name, 0):,}" for name in counts),
        )
        for run, row in lines
    )
    strong = tuple(number for number, (_, row) in enumerate(lines) if row.task == "all")
    heads += [COUNT_NAMES[name][0].capitalize() for name in counts]
    return Table(f"Means over tasks. {_PERCENT}", tuple(heads), rows, 2 if several else 1, strong)


def _by_task(judged: Sequence[tuple[Run, Scores]]) -> Table:
    tasks = [t for t in TASKS if any(row.task == t for _, s in judged for row in s.rows)]
    rows = []
    for run, scores in judged:
        for shots in sorted({row.shots for row in scores.rows}):
            found = {row.task: row.rates["accuracy"] for row in scores.rows if row.shots == shots}
            values = [_cell(found[task]) if task in found else NOTHING for task in tasks]
            rows.append((run.label, str(shots), *values))
    heads = ("Run", "Shots", *(task.replace("_", "\n_") for task in tasks))
    return Table(f"Accuracy by task. {_PERCENT}", heads, tuple(rows))


def _paper(table: PaperTable) -> Table:
    rows = []
    for line in table.lines:
        mean = line.mean()
        sign = "+" if line.kind == "difference" else ""
        rows.append(
            (
                line.name,
                line.source,
                *(NOTHING if e is None else _cell(e, sign) for e in line.values),
                NOTHING if mean is None else f"{100 * mean:{sign}.1f}",
            )
        )
    heads = ("Model", "From", *(task.replace("_", "\n_") for task in table.tasks), "mean")
    strong = tuple(number for number, line in enumerate(table.lines) if line.kind == "run")
    return Table(
        f"Beside the paper's numbers: {table.title}. Accuracy in percent. The paper's judge is "
        "LLaVA-1.5-13B. A family of models is no checkpoint.",
        heads,
        tuple(rows),
        2,
        strong,
    )


def _limits(runs: Sequence[Run], judges: Sequence[str]) -> Iterator[str]:
    """Yield what the numbers do not say."""
    source = source_name(runs[0].settings.images)
    if source != "official":
        yield f"The pictures are {source} ones: no score here is comparable with the paper's."
    small = {
        str(run.scores[judge].record.get("checkpoint"))
        for run in runs
        for judge in judges
        if judge in run.scores
    } & set(_MINI)
    if small:
        yield (
            f"{' and '.join(sorted(small))}: a small judge that knows the package's drawings only. "
            "Of pictures of another hand, or of free words, its verdicts mean little."
        )
    for run in runs:
        if run.settings.limit:
            yield f"{run.label} asked the first {run.settings.limit} prompts of each config only."
        yield from _without_answer(run)
    yield "A judge is a model too: its mistakes are in every number."


def _without_answer(run: Run) -> Iterator[str]:
    for judge, scores in run.scores.items():
        counted = {
            name: sum(row.counts.get(name, 0) for row in scores.rows)
            for name in ("unscored", "failed", "blocked", "judge_failed", "missing")
        }
        said = [f"{count:,} {COUNT_NAMES[name][0]}" for name, count in counted.items() if count]
        if said:
            yield f"{run.label}, judged by {judge}: {', '.join(said)}."


def _commands(runs: Sequence[Run]) -> Iterator[Block]:
    for run in runs:
        records = [scores.record for scores in run.scores.values()]
        yield Text(f"{run.label}:")
        yield Code(shell(run_arguments(run.settings, records)))


def _cell(estimate: Estimate, sign: str = "") -> str:
    if estimate.value is None:
        return NOTHING
    said = f"{100 * estimate.value:{sign}.1f}"
    if estimate.interval is None:
        return said
    return said + "\n{:.1f} to {:.1f}".format(*(100 * bound for bound in estimate.interval))
