"""The paper's Table 4: a model before and after fine-tuning, on prompts of the unseen half.

    cobsat table4 runs/tuned-2shot runs/tuned-4shot

Each folder is one that `cobsat train` made: an adapter, or a whole model. What it was trained on is
asked in the same words, on the test that goes with it (`ft_test`, 250 prompts a task; or the theme
that was left out), of the base model and of the tuned one: for descriptions, or for pictures where
it was tuned to draw (SEED-LLaMA). Both are judged, and compared prompt by prompt as by
`cobsat compare`. The runs lie in `--out`, with `table4.md` and `table4.json`; the same command
again goes on where it was.

Source: CoBSAT, Sec. 7.1. The paper tunes Qwen-VL only, for descriptions: its numbers stand beside
answers to the very same prompts on the official pictures, and beside no others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from cobsat.command_line import parse_options, say
from cobsat.images import source_name
from cobsat.metrics.agree_tables import visible
from cobsat.metrics.compare import Group, Pair, compare_runs, read_run
from cobsat.metrics.judge import load_judges
from cobsat.metrics.judging import check_output, judge_run
from cobsat.metrics.protocol import Judge
from cobsat.models.predict import command as predict_run
from cobsat.paper_tables import paper_scores
from cobsat.run_folder import RunFolder, RunSettings, safe_name, write_json

from .sft_card import write_card
from .sft_resume import RESULTS
from .tuned import Tuned, read_tuned

__all__ = ["command", "rows", "to_markdown"]

_METHODS: Final = {"base": "", "tuned": "+finetuned"}
"""Column → what the paper's table adds to the type of the prompts."""

_OUTPUTS: Final = {"image": "pictures", "description": "descriptions"}
_NO_ANSWER: Final = {
    "image": "Outputs without a picture, or with one of which the judge gave no clear answer,",
    "description": "Outputs without an answer that can be read,",
}
_NO_NUMBERS: Final = (
    "The paper has no numbers to set beside these: its Table 4 is of Qwen-VL's descriptions, asked "
    "for by default prompts on `ft_test`."
)


def rows(pair: Pair) -> list[dict[str, Any]]:
    """Return the table of one comparison, as plain data: a row a task, and the means.

    Args:
        pair: Base and tuned model, compared. Where the paper asked for the same, on the same
            pictures, its numbers stand beside them.
    """
    groups = (*pair.tasks, *pair.means)
    papers = {name: _papers(pair.first.settings, more) for name, more in _METHODS.items()}
    return [_row(group, papers) for group in groups]


def _row(group: Group, papers: Mapping[str, Mapping[tuple[int, str], float]]) -> dict[str, Any]:
    result = group.result
    interval = result.interval
    row: dict[str, Any] = {
        "task": group.task,
        "shots": group.shots,
        "prompts": result.n,
        "base": result.first.value,
        "tuned": result.second.value,
        "difference": result.difference,
        "interval": None if interval is None else list(interval),
        "p": result.deciding_p,
    }
    for name, scores in papers.items():
        if scores:
            row[f"paper_{name}"] = _mean([scores.get((group.shots, t)) for t in group.tasks])
    return row


def _papers(settings: RunSettings, more: str) -> dict[tuple[int, str], float]:
    """Return the paper's accuracies of what a run asked, by shots and task; none off its pictures.

    Args:
        settings: The run.
        more: What the paper's table adds to the type of the prompts.
    """
    asked = (settings.output, settings.split, f"{settings.prompt_type}{more}")
    return {
        (score.shots, score.task): score.accuracy
        for score in paper_scores("table4")
        if settings.images == "official" and (score.output, score.split, score.method) == asked
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def to_markdown(table: Sequence[dict[str, Any]]) -> str:
    """Return a table as Markdown; n is how many prompts a row is about."""
    papers = "paper_base" in table[0]
    heads = ["task", "shots", "n", "base", "tuned", "difference", "95% interval", "p"]
    heads += ["paper's Qwen-VL: base", "paper's Qwen-VL: tuned"] if papers else []
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    lines += [f"| {' | '.join(_cells(row))} |" for row in table]
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> list[str]:
    low_high = "-" if row["interval"] is None else "{:+.3f} to {:+.3f}".format(*row["interval"])
    cells = [
        {"all": "mean", "object_inference": "mean _i", "attribute_inference": "mean _ii"}.get(
            row["task"], row["task"]
        ),
        str(row["shots"]),
        f"{row['prompts']:,}",
        _number(row["base"]),
        _number(row["tuned"]),
        f"{row['difference']:+.3f}",
        low_high,
        "-" if row["p"] is None else "<0.001" if row["p"] < 0.001 else f"{row['p']:.3f}",
    ]
    cells += [_number(row[key]) for key in ("paper_base", "paper_tuned") if key in row]
    return cells


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def command(
    tuned: Annotated[
        list[Path],
        typer.Argument(help="Folders that `cobsat train` made.", metavar="TUNED..."),
    ],
    out: Annotated[Path, typer.Option(help="Where runs and table go.")] = Path("runs/table4"),
    judge: Annotated[
        str, typer.Option(help="Who judges: llava (the paper's), clip, mention, api.")
    ] = "llava",
    judge_option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="As of `cobsat judge`.")
    ] = None,
    model_option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Of both models: device, max_new_tokens, …."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Only the first so many prompts of each task.", min=1)
    ] = None,
    batch_size: Annotated[int, typer.Option(help="Prompts asked at once.", min=1)] = 16,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what is recorded as an error.")
    ] = False,
) -> None:
    """Ask base and tuned models about the unseen half, and print the paper's Table 4."""
    read = [read_tuned(folder) for folder in tuned]
    parse_options(model_option or ())
    (by,) = load_judges([judge], judge_option or ())
    for each in read:  # before anything is asked
        check_output(by, each.output)
    tables = []
    for each in read:
        asking = _Asking(model_option or [], limit, batch_size, retry_errors)
        pair = _compare(each, out, by, asking)
        asked = pair.first.settings
        table = {
            "tuned": each.folder.name,
            "judge": by.name,
            "judge_record": dict(pair.first.record),  # its weights, questions or word forms
            "config": each.config,
            "split": each.split,
            "output": each.output,
            "images": source_name(asked.images),
            "prompt_type": asked.prompt_type,
            "instructions_for": asked.instructions_for,
            "image_digest": asked.image_digest,
            "limit": limit,
            "outputs": {
                kind: dict(counts) for kind, counts in zip(_METHODS, pair.counts, strict=True)
            },
            "left_out": dict(pair.left_out),
            "rows": rows(pair),
        }
        tables.append(table)
        _keep_with_model(each, tables[-1], pair)
    text = "\n\n".join(_section(table) for table in tables) + "\n"
    write_json(out / "table4.json", tables)
    (out / "table4.md").write_text(text, encoding="utf-8")
    say(text)


@dataclass(frozen=True)
class _Asking:
    """How both models are asked."""

    model_option: list[str]
    limit: int | None
    batch_size: int
    retry_errors: bool


def _compare(tuned: Tuned, out: Path, judge: Judge, asking: _Asking) -> Pair:
    """Ask, judge and compare."""
    data = tuned.record["data"]
    label = f"{data['dataset_config']}-{tuned.split}"
    folders = []
    for kind in ("base", "tuned"):
        model = Path(tuned.base if kind == "base" else tuned.folder).name
        name = f"{label}-{safe_name(model)}"
        say(f"asking the {kind} model: {visible(model, 200)}", err=True)
        folders.append(
            predict_run(
                model=tuned.model,
                config=[tuned.config],
                out=out / f"{kind}-{name}",
                split=tuned.split,
                output=tuned.output,
                prompt_type=data["prompt_type"],
                instructions_for=data["instructions_for"],
                images=data["images"],
                limit=asking.limit,
                batch_size=asking.batch_size,
                retry_errors=asking.retry_errors,
                model_option=[*tuned.options(tuned=kind == "tuned"), *asking.model_option],
            )
        )
        judge_run(folders[-1], judge)
    first, second = (
        read_run(RunFolder(folder), judge.name, label)
        for folder, label in zip(folders, "AB", strict=True)
    )
    (pair,) = compare_runs([first, second])
    return pair


def _section(table: dict[str, Any]) -> str:
    return (
        f"**{table['tuned']}**, {_OUTPUTS[table['output']]}, {_which_prompts(table)}, judged by "
        f"{table['judge']}:\n\n{_table_and_notes(table)}"
    )


def _table_and_notes(table: dict[str, Any]) -> str:
    notes = [_counted(table)]
    if table["images"] == "official" and "paper_base" not in table["rows"][0]:
        notes.append(_NO_NUMBERS)
    return "\n\n".join([to_markdown(table["rows"]), *notes])


def _which_prompts(table: dict[str, Any]) -> str:
    limit = table["limit"]
    if limit is None:
        return "all prompts of each task"
    return (
        f"the first {limit:,} prompts of each task"
        if limit > 1
        else ("the first prompt of each task")
    )


def _counted(table: dict[str, Any]) -> str:
    """Say how many outputs had no answer, which is wrong, and what was left out."""
    said = []
    for kind, counts in table["outputs"].items():
        wrong = [f"{counts.get(key, 0):,} {key}" for key in ("failed", "unscored")]
        wrong += [f"{counts['blocked']:,} blocked"] if counts.get("blocked") else []
        said.append(f"{kind}: {', '.join(wrong)} of {sum(counts.values()):,}")
    left_out = sum(table["left_out"].values())
    return f"{_NO_ANSWER[table['output']]} counted as wrong: {'; '.join(said)}." + (
        f" Prompts left out of the comparison: {left_out:,}." if left_out else ""
    )


def _keep_with_model(tuned: Tuned, table: dict[str, Any], pair: Pair) -> None:
    """Write the scores into the tuned model's card."""
    results = json.loads((tuned.folder / RESULTS).read_text("utf-8"))
    source = pair.first.settings
    results["scores"] = (
        f"{_OUTPUTS[tuned.output].capitalize()} on `{tuned.split}` of `{tuned.config}`, "
        f"{_which_prompts(table)}, judged by {table['judge']}, prompts' pictures "
        f"`{Path(source.images).name}` (digest {source.image_digest[:12]}):\n\n"
        f"{_table_and_notes(table)}"
    )
    write_card(tuned.folder, tuned.record, results, tuned.draws)
