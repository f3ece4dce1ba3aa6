"""Judge a run folder: one verdict an example, then the scores.

    cobsat judge runs/NAME --judge clip --judge mention

Verdicts are appended as they come, so a killed run goes on where it was, and ends with the same
files. An output that occurs many times is judged once a theme. Where the judge's call failed, the
verdict is an "error": it is in no score, and the same command judges it anew. When nothing but
failures come, judging stops with the reason.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, cast

import typer
from cobsat.images import source_name
from cobsat.progress import progress
from cobsat.run_folder import (
    Prediction,
    RunFolder,
    RunSettings,
    Verdict,
    safe_name,
    to_line,
    write_json,
)
from cobsat.spec import TASKS

from .cautions import cautions, unknown_pictures
from .grading import count_reasons, first_reason, regrade, unscored
from .judge_options import assign_options
from .outputs import about, fingerprint, run_rows
from .protocol import Judge, OutputKind
from .registry import JUDGES, load_judge
from .scores import Row, scores

__all__ = ["command", "default_judges", "judge_run", "load_judges"]

BATCH_SIZE: Final = 128
STOP_AFTER: Final = 20
"""Judging stops when so many outputs in a row, in whole batches, could not be judged."""

_LINES_AT_ONCE: Final = 1000
"""So many verdicts are written together at most, however few outputs had to be judged for them."""


def default_judges(output: str) -> tuple[str, ...]:
    """Return the judges of a kind of output when none is named."""
    return ("llava", "clip") if output == "image" else ("llava", "clip", "mention")


def judge_run(folder: RunFolder | str | os.PathLike[str], judge: Judge, *,
              batch_size: int | None = None) -> dict[str, Any]:  # fmt: skip
    """Judge what a run folder holds, write verdicts and scores, and return the scores.

    Args:
        folder: The run folder.
        judge: The judge.
        batch_size: Outputs judged at once; by default what the judge likes, or 128.

    Raises:
        FileNotFoundError: The folder holds no run.
        ValueError: The judge does not judge this kind of output, or another judge of that name
            has been at work here.
        RuntimeError: The judge fails at everything; what was judged stays.
    """
    folder = folder if isinstance(folder, RunFolder) else RunFolder(folder)
    settings = folder.settings()
    _check_output(judge, settings.output)
    if batch_size is None:
        batch_size = int(getattr(judge, "batch_size", BATCH_SIZE))
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    predictions, problems = folder.predictions()
    outputs = {i: fingerprint(folder, p) for i, p in predictions.items()}
    there, broken = folder.verdicts(judge.name)
    _claim(folder, judge, there)
    verdicts = {i: v for i, v in there.items() if i in predictions and _holds(v, outputs[i])}
    if broken or len(verdicts) < len(there):
        with folder.append_verdicts(judge.name):  # raises if another process is at it
            _rewrite(folder, judge.name, verdicts.values())
    rows = list(run_rows(settings))

    waiting = [row for row in rows if row["id"] in predictions and row["id"] not in verdicts]
    answers = _answers(rows, verdicts, outputs)
    before = any(predictions[i].status == "ok" for i in verdicts)
    failures = _Failures(judge.name, anything_judged=before)
    with (
        folder.append_verdicts(judge.name) as appender,
        progress(f"judging with {judge.name}", len(rows), len(rows) - len(waiting)) as advance,
    ):
        for batch in _batches(waiting, outputs, answers, batch_size):
            new = _judge_new(folder, judge, settings.output, batch, predictions, outputs, answers)
            lines = [_verdict(row, predictions[row["id"]], outputs, answers) for row in batch]
            appender.add(lines)
            verdicts.update((line.id, line) for line in lines)
            advance(len(lines))
            failures.take([answers[key] for key in new])
            for key in new:  # what failed is asked again where the same output comes next
                if answers[key].status == "error":
                    del answers[key]
        failures.close()
        verdicts = _in_order(folder, judge.name, rows, verdicts)

    record = judge.record()
    table = scores(rows, predictions, verdicts)
    judged = [outputs[i] for i, v in verdicts.items() if v.status == "scored"]
    unknown = unknown_pictures(record, judged) if settings.output == "image" else 0
    usage = _usage(answers.values())
    result = {
        "judge": {"name": judge.name, **record},
        "run": _run_record(settings),
        "problems": problems,
        "cautions": cautions(judge.name, record, table, unknown),
        **({"usage": usage} if usage else {}),
        **table,
    }
    write_json(folder.scores_path(judge.name), result)
    return result


class _Failures:
    """Stops judging when a judge does nothing but fail: after a row of it, or at the end."""

    def __init__(self, judge_name: str, *, anything_judged: bool) -> None:
        self._judge_name = judge_name
        self._anything_judged = anything_judged
        self._row: list[Verdict] = []

    def take(self, verdicts: Sequence[Verdict]) -> None:
        """Take a batch's new verdicts.

        Raises:
            RuntimeError: `STOP_AFTER` or more in a row were failures.
        """
        if any(verdict.status != "error" for verdict in verdicts):
            self._anything_judged, self._row = True, []
        else:
            self._row += verdicts
        if len(self._row) >= STOP_AFTER:
            self._stop()

    def close(self) -> None:
        """End.

        Raises:
            RuntimeError: There never was anything but failures.
        """
        if self._row and not self._anything_judged:
            self._stop()

    def _stop(self) -> None:
        reason = first_reason(count_reasons(self._row))
        raise RuntimeError(
            f"the judge {self._judge_name} must answer, got a failure for all of the last "
            f"{len(self._row)} outputs and stopped (most often: {reason}): when that is mended, "
            "give the same command again; what was judged is kept"
        )


def _check_output(judge: Judge, output: str) -> None:
    if output not in judge.outputs:
        raise ValueError(
            f"outputs that the judge {judge.name} is given must be of kind "
            f"{' or '.join(sorted(judge.outputs))}, got a run with output={output!r}"
        )


def _claim(folder: RunFolder, judge: Judge, verdicts: dict[str, Verdict]) -> None:
    """Leave the judge's record beside its verdicts, or check that it is the one that is there.

    Where nothing but failures are, another judge may begin: its options may have been the fault.
    """
    target = folder.verdicts_path(judge.name).with_suffix(".json")
    here = json.loads(json.dumps(judge.record()))
    if target.exists() and any(v.status != "error" for v in verdicts.values()):
        there = json.loads(target.read_text("utf-8"))
        keys = [k for k in {**there, **here} if k != "versions" and here.get(k) != there.get(k)]
        if keys:
            what = "; ".join(f"{k}: {there.get(k)!r} there, {here.get(k)!r} now" for k in keys)
            raise ValueError(
                f"verdicts in {target.with_suffix('.jsonl')} must be by this very judge, got "
                f"another's ({what}): move that file away to judge anew"
            )
        return
    write_json(target, here)


def _holds(verdict: Verdict, output: str) -> bool:
    """Return whether a verdict still holds: it is no failure, and about the output there is now."""
    return verdict.status != "error" and about(verdict) == output


def _in_order(
    folder: RunFolder, judge_name: str, rows: Iterable[Row], verdicts: dict[str, Verdict]
) -> dict[str, Verdict]:
    """Return verdicts in the order of the examples; what was judged anew is moved to its place."""
    ordered = {row["id"]: verdicts[row["id"]] for row in rows if row["id"] in verdicts}
    ordered |= verdicts
    if list(ordered) != list(verdicts):
        _rewrite(folder, judge_name, ordered.values())
    return ordered


def _rewrite(folder: RunFolder, judge_name: str, verdicts: Iterable[Verdict]) -> None:
    target = folder.verdicts_path(judge_name)
    partial = target.with_name(target.name + ".partial")
    partial.write_bytes(b"".join(map(to_line, verdicts)))
    os.replace(partial, target)


def _key(row: Row, outputs: dict[str, str]) -> tuple[str, str]:
    return outputs[row["id"]], TASKS[row["task"]].theme.name


def _answers(
    rows: Iterable[Row], verdicts: dict[str, Verdict], outputs: dict[str, str]
) -> dict[tuple[str, str], Verdict]:
    """Return the answers that earlier verdicts hold, by output and theme."""
    known: dict[tuple[str, str], Verdict] = {}
    for row in rows:
        if row["id"] in verdicts:
            known.setdefault(_key(row, outputs), verdicts[row["id"]])
    return known


def _batches(
    rows: Iterable[Row],
    outputs: dict[str, str],
    answers: dict[tuple[str, str], Verdict],
    batch_size: int,
) -> Iterator[list[Row]]:
    """Yield rows in order, each time as many as hold `batch_size` outputs without an answer."""
    batch: list[Row] = []
    new: set[tuple[str, str]] = set()
    for row in rows:
        key = _key(row, outputs)
        if key not in answers:
            new.add(key)
        batch.append(row)
        if len(new) == batch_size or len(batch) == _LINES_AT_ONCE:
            yield batch
            batch, new = [], set()
    if batch:
        yield batch


def _judge_new(
    folder: RunFolder,
    judge: Judge,
    output: str,
    batch: Iterable[Row],
    predictions: dict[str, Prediction],
    outputs: dict[str, str],
    answers: dict[tuple[str, str], Verdict],
) -> list[tuple[str, str]]:
    """Have the batch's outputs judged that have no answer yet, and return which they were."""
    new: dict[tuple[str, str], tuple[str, Row]] = {}
    for row in batch:
        key, prediction = _key(row, outputs), predictions[row["id"]]
        if key in answers or key in new:
            continue
        if prediction.status != "ok":
            answers[key] = unscored(f"prediction: {prediction.status}")
        elif output == "image" and prediction.image:
            new[key] = (str(folder.path / prediction.image), row)
        elif output == "description" and prediction.text is not None:
            new[key] = (prediction.text, row)
        else:
            answers[key] = unscored(f"prediction without {output}")
    if not new:
        return []
    given = [text for text, _ in new.values()]
    references = [row["reference"] for _, row in new.values()]
    replies = judge.judge(given, references, cast(OutputKind, output))
    if len(replies) != len(new):
        raise ValueError(
            f"verdicts of {judge.name} must be one an output ({len(new)}), got {len(replies)}"
        )
    answers.update(zip(new, replies, strict=True))
    return list(new)


def _verdict(
    row: Row,
    prediction: Prediction,
    outputs: dict[str, str],
    answers: dict[tuple[str, str], Verdict],
) -> Verdict:
    answer = answers[_key(row, outputs)]
    graded = regrade(answer, row["id"], row["reference"])
    raw = {"output": outputs[prediction.id], **(graded.raw or {})}
    return Verdict(**{**vars(graded), "raw": raw})


def _usage(answers: Iterable[Verdict]) -> dict[str, float]:
    """Return the tokens that a judge says it took, summed over all distinct outputs."""
    total: dict[str, float] = {}
    for verdict in answers:
        for said in (verdict.raw or {}).values():
            usage = said.get("usage") if isinstance(said, dict) else None
            for name, count in usage.items() if isinstance(usage, dict) else ():
                if isinstance(count, int | float):
                    total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))


def _run_record(settings: RunSettings) -> dict[str, Any]:
    """Return what of the run belongs beside its scores."""
    return {
        "model": settings.model,
        "model_options": settings.model_options,
        "configs": list(settings.configs),
        "split": settings.split,
        "output": settings.output,
        "prompt_type": settings.prompt_type,
        "instructions_for": settings.instructions_for,
        "seed": settings.seed,
        "limit": settings.limit,
        "image_source": {"name": source_name(settings.images), "digest": settings.image_digest},
    }


def load_judges(names: Iterable[str], options: Iterable[str] = ()) -> list[Judge]:
    """Make judges by name, with the options that `judge_options.assign_options` gives each.

    Raises:
        ValueError: A judge is unknown, or an option is none of theirs.
    """
    return [load_judge(name, **given) for name, given in assign_options(names, options).items()]


def command(
    run: Annotated[Path, typer.Argument(help="The run folder.", metavar="RUN")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{', '.join(JUDGES)}, or module:Class of your own; may be repeated. Default: "
            "llava (the paper's) and clip, and for descriptions mention too."
        ),
    ] = None,
    judge_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="An option of the judges, such as device=cuda, or of one of them, such as "
            "llava.checkpoint=llava-hf/llava-1.5-13b-hf; may be repeated.",
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(help="Outputs judged at once. Default: what suits the judge.", min=1),
    ] = None,
) -> None:
    """Judge the outputs of a run and write its scores.

    The same command again judges what was not judged, or where the judge failed.
    """
    folder = RunFolder(run)
    settings = folder.settings()
    judges = load_judges(judge or default_judges(settings.output), judge_option or ())
    for each in judges:
        _check_output(each, settings.output)
    for each in judges:
        result = judge_run(folder, each, batch_size=batch_size)
        scored = sum(group["scored"] for group in result["groups"])
        outputs = sum(group.get("outputs", group["examples"]) for group in result["groups"])
        where = folder.scores_path(each.name)
        typer.echo(f"{safe_name(each.name)}: {scored} of {outputs} scored, in {where}")
        for problem in result["problems"]:
            typer.echo(f"left out: {problem}", err=True)
        for caution in result["cautions"]:
            typer.echo(f"warning: {caution}", err=True)
