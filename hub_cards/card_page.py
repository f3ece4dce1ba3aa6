"""Our part of a model card as Markdown, from runs; every text of others goes through `cell`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jinja2
from cobsat import RunFolder
from cobsat.card_parts import NOTHING, fenced, markdown_cell, table
from cobsat.run_folder import safe_name
from cobsat.touchstone import CATEGORIES

from .card_commands import judge_of, run_arguments, shell, without_home
from .card_data import CardRun, Line, Table
from .card_examples import Files, Piece, shown_examples
from .charts import caption
from .figures import charts
from .leaderboard_charts import board_charts
from .leaderboard_data import read_board
from .page import flat
from .plots import chart_files

__all__ = ["card_part"]

_RATES: Final = (
    "object", "attribute", "textual", "visual", "accuracy_scored", "majority", "best_of",
)  # fmt: skip
_ANSWER_RATES: Final = ("reference", "floor", "win", "tie", "loss", "bias")
_ALWAYS: Final = ("examples", "unscored", "failed")
_NOTES: Final = {
    "cobsat": "Accuracy in percent: object and attribute both right, over all outputs; an output "
    "that failed, was blocked or is unscored counts as wrong. Intervals are clustered by query and "
    "latent variable. Missing, and judge failed: in no accuracy.",
    "touchstone": "Score: the mean mark of both rounds, times 100, of 1,000, over the scored "
    "answers. Floor: the score if every answer without a mark had the lowest. Win, tie, loss: "
    "above, at and below the reference answer. Bias: the score in first place minus that in "
    "second.",
}
_LABELS: Final = {"cobsat": ("right", "wrong"), "touchstone": ("best", "worst")}
_RULES: Final = {
    "cobsat": "The first right and the first wrong output of each task, up to three of each, by "
    "the first judge above.",
    "touchstone": "The three answers with the best marks and the three with the worst, by the "
    "first judge above.",
}


def card_part(
    runs: Sequence[CardRun], folder: str, training: Sequence[str] = ()
) -> tuple[str, dict[str, bytes]]:
    """Return our part of a card, and the files that it shows by their path beside it.

    Args:
        runs: The runs.
        folder: Name of the folder beside the card that holds the files.
        training: What the part on training says, as lines of Markdown.
    """
    files = Files(folder)
    plots: dict[str, bytes] = {}
    shown = [_run(run, files, plots, folder) for run in runs]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 (Markdown: `cell` escapes what others wrote)
    )
    environment.filters["cell"] = markdown_cell
    environment.filters["piece"] = _piece
    text = environment.get_template("card.md.j2").render(
        runs=shown,
        heading=_heading(runs),
        training=list(training),
        limits=_limits(runs),
    )
    return text, {**plots, **files.pictures}


def _heading(runs: Sequence[CardRun]) -> str:
    """Return the heading and the first sentence."""
    papers = []
    if any(run.cobsat is not None for run in runs):
        papers.append(("In-context learning", "[CoBSAT](https://arxiv.org/abs/2402.01293)"))
    if any(run.answers for run in runs):
        papers.append(("Visual dialogue", "[TouchStone](https://arxiv.org/abs/2308.16890)"))
    what = " and ".join(title for title, _ in papers).capitalize()
    named = " and ".join(link for _, link in papers)
    return (
        f"## {what}, measured\n\nMeasured with the package cobsat, on {named}; every number is "
        "from the runs below, and all intervals are at 95%."
    )


def _run(run: CardRun, files: Files, plots: dict[str, bytes], folder: str) -> dict[str, Any]:
    settings = run.settings
    examples = shown_examples(run, files)
    records = [table.record for table in run.tables]
    own = [table.judge for table in run.tables if judge_of(table.record) is None]
    title = "CoBSAT" if run.cobsat is not None else "TouchStone"
    return {
        "title": f"{title}: {run.label}",
        "facts": _facts(run),
        "notices": run.notices,
        "tables": [_table(run, table, plots, folder) for table in run.tables],
        "examples": examples,
        "labels": _LABELS[settings.benchmark],
        "rule": _RULES[settings.benchmark],
        "command": fenced(shell(run_arguments(settings, records))),
        "own_judges": ", ".join(own),
    }


def _facts(run: CardRun) -> list[tuple[str, str]]:
    settings = run.settings
    pictures = f"{run.source}, SHA-256 {settings.image_digest or 'unknown'}"
    record = settings.model_options.get("record")
    model = f"{settings.model} ({flat(without_home(record))})" if record else settings.model
    wanted: list[tuple[str, object]] = [
        ("Model", model),
        ("Pictures", pictures),
        ("Configs", ", ".join(settings.configs)),
        ("Output", settings.output),
    ]
    if settings.benchmark == "cobsat":
        wanted += [
            ("Split", settings.split),
            ("Prompts", f"{settings.prompt_type}, in the words of {settings.instructions_for}"),
            ("Seed of the prompt lists", settings.seed),
        ]
    if settings.limit:
        wanted.append(("Limit", f"the first {settings.limit} of each config only"))
    if settings.samples > 1:
        wanted.append(("Samples", f"{settings.samples} outputs for each example"))
    if settings.versions:
        wanted.append(("Versions", flat(settings.versions)))
    return [(name, str(value)) for name, value in wanted]


def _shown(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, without_home(value)) for name, value in record.items())


def _table(run: CardRun, scored: Table, plots: dict[str, bytes], folder: str) -> dict[str, Any]:
    names = _RATES if run.cobsat is not None else _ANSWER_RATES
    rates = [r for r in names if any(line.rates.get(r) is not None for line in scored.lines)]
    counts = [
        name
        for name in dict.fromkeys(name for line in scored.lines for name in line.counts)
        if name in _ALWAYS or any(line.counts.get(name) for line in scored.lines)
    ]
    shots = run.cobsat is not None
    value = "accuracy" if shots else "score"
    heads = ["task" if shots else "group", *(["shots"] if shots else []), value, "95% interval"]
    heads += [rate.replace("accuracy_scored", "of scored").replace("_", " ") for rate in rates]
    heads += [name.replace("_", " ") for name in counts]
    full = 100.0 if shots else 1.0

    def lines_of(lines: Sequence[Line]) -> list[str]:
        rows = [map(markdown_cell, _cells(line, rates, counts, full, shots)) for line in lines]
        return table(heads, [list(row) for row in rows], numbers=len(heads) - 1)

    main, more = _parted(scored.lines, shots)
    return {
        "judge": scored.judge,
        "markdown": lines_of(main),
        "more": lines_of(more) if more else [],
        "note": _NOTES[run.settings.benchmark],
        "notices": scored.notices,
        "reasons": scored.reasons,
        "record": [
            (name.replace("_", " "), flat(value) if isinstance(value, Mapping) else value)
            for name, value in _shown(scored.record)
            if value is not None and name != "name"
        ],
        "plots": _plots(run, scored, plots, folder),
    }


def _parted(lines: Sequence[Line], of_tasks: bool) -> tuple[list[Line], list[Line]]:
    """Return the lines that are shown, and those that are shown to who asks: subtasks.

    Where all tasks infer the same half, the mean over these tasks is the mean over all.
    """
    if not of_tasks:
        whole = {"all questions", *CATEGORIES}
        return (
            [line for line in lines if line.name in whole],
            [line for line in lines if line.name not in whole],
        )
    halves = {"mean _i", "mean _ii"}
    keep = halves <= {line.name for line in lines}
    return [line for line in lines if keep or line.name not in halves], []


def _cells(
    line: Line, rates: Sequence[str], counts: Sequence[str], full: float, shots: bool
) -> list[str]:
    interval = NOTHING
    if line.interval is not None:
        interval = "{:.1f} to {:.1f}".format(*(full * bound for bound in line.interval))
    found = [line.rates.get(rate) for rate in rates]
    cells = [line.name, *([str(line.shots)] if shots else []), _number(line.value, full), interval]
    whole = ("win", "tie", "loss")
    cells += [
        f"{value:.0f}" if rate in whole and value is not None else _number(value, full)
        for rate, value in zip(rates, found, strict=True)
    ]
    return [*cells, *(f"{line.counts[c]:,}" if c in line.counts else NOTHING for c in counts)]


def _number(value: float | None, full: float) -> str:
    return NOTHING if value is None else f"{full * value:.1f}"


def _plots(
    run: CardRun, table: Table, plots: dict[str, bytes], folder: str
) -> list[tuple[str, str, str]]:
    """Draw a table's charts; return their titles, captions, and files' paths beside the card."""
    if run.cobsat is not None:
        drawn = charts([run.cobsat], table.judge)
    else:
        drawn = board_charts(read_board([RunFolder(run.path).path], table.judge))
    found = []
    for chart in drawn:
        file = f"{folder}/plots/{_plain(run.label)}-{_plain(table.judge)}-{chart.name}.svg"
        plots[file] = chart_files(chart)["svg"]
        found.append((chart.title, caption(chart), file))
    return found


def _plain(name: str) -> str:
    """Return a name as part of an address: letters, digits and a few signs of ASCII."""
    return "".join(c if c.isascii() else "-" for c in safe_name(name))[:80]


def _piece(piece: Piece) -> str:
    text = markdown_cell(piece.text, 400) if piece.text else ""
    if piece.picture is not None:
        return f"![{markdown_cell(piece.instead)}]({piece.picture}) {text}".strip()
    instead = f"\\[{markdown_cell(piece.instead, 200)}\\]" if piece.instead else ""
    return f"{instead} {text}".strip() or NOTHING


def _limits(runs: Sequence[CardRun]) -> list[str]:
    """Return what the numbers do not say, as Markdown; all names in it are escaped."""
    limits = []
    sources = dict.fromkeys(run.source for run in runs)
    for source in sources:
        if source != "official":
            limits.append(
                f"Pictures or questions of {markdown_cell(source)} are not the papers': scores on "
                "them are not comparable with the papers' tables."
            )
    if len(sources) > 1:
        limits.append("Runs on different pictures are in tables of their own: do not compare them.")
    minis = {
        str(table.record.get("checkpoint")) for run in runs for table in run.tables
    } & {"mini-clip", "mini-llava"}  # fmt: skip
    if minis:
        limits.append(
            f"{' and '.join(sorted(minis))} are small judges that know the package's drawings "
            "only: of pictures of another hand, or of free words, their verdicts mean little."
        )
    for run in runs:
        limits += _failures(run)
    limits.append(
        "A judge is a model too: its mistakes are in every number. The tables of several judges "
        "show how far they agree."
    )
    return limits


def _failures(run: CardRun) -> list[str]:
    if not run.tables:
        return []
    lines = [line for line in run.tables[0].lines if line.counts]
    of_all = [line for line in lines if not line.name.startswith("mean")]
    of_all = of_all if run.cobsat is not None else lines[:1]
    what = []
    for name in ("failed", "blocked", "unscored", "judge_failed", "missing"):
        count = sum(line.counts.get(name, 0) for line in of_all)
        what += [f"{count:,} {name.replace('_', ' ')}"] if count else []
    total = sum(line.counts["examples"] for line in of_all)
    label = markdown_cell(run.label)
    if not what:
        return [f"{label}: of {total:,} outputs none failed, and none is unscored."]
    return [f"{label}: of {total:,} outputs {', '.join(what)}."]
