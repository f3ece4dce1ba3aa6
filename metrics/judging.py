"""Judges a run folder: verdicts as they come, then the scores.

    from cobsat.metrics import judge_run, load_judge
    judge_run("runs/NAME", load_judge("mention"))

What was judged before is kept where it still holds; what failed is asked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from cobsat.images import source_name
from cobsat.line_files import Appender
from cobsat.processes import ONE, Processes
from cobsat.progress import progress
from cobsat.run_folder import RunFolder, RunSettings, Verdict, write_json

from .asking import Answers, Work, batches, judge_new, known_answers, shares, verdict
from .cautions import cautions, unknown_pictures
from .grading import count_reasons, first_reason
from .outputs import about, fingerprint, run_rows
from .protocol import Judge
from .scores import Row, scores

__all__ = ["STOP_AFTER", "check_output", "judge_run"]

BATCH_SIZE: Final = 128
STOP_AFTER: Final = 20
"""Judging stops when so many outputs in a row, in whole batches, could not be judged."""


def judge_run(
    folder: RunFolder | str | os.PathLike[str],
    judge: Judge,
    *,
    batch_size: int | None = None,
    processes: Processes = ONE,
) -> dict[str, Any]:
    """Judge what a run folder holds, write verdicts and scores, and return the scores.

    Args:
        folder: The run folder.
        judge: The judge.
        batch_size: Outputs judged at once; by default what the judge likes, or 128.
        processes: Those that share the work, all of which make this very call.

    Raises:
        FileNotFoundError: The folder holds no run.
        ValueError: The judge does not judge this kind of output, or another judge of that name
            has been at work here.
        RuntimeError: The judge fails at everything; what was judged stays.
    """
    folder = folder if isinstance(folder, RunFolder) else RunFolder(folder)
    settings = folder.settings()
    check_output(judge, settings.output)
    if batch_size is None:
        batch_size = int(getattr(judge, "batch_size", BATCH_SIZE))
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    predictions, problems = folder.predictions()
    outputs = {i: fingerprint(folder, p) for i, p in predictions.items()}
    work = Work(folder, judge, settings.output, predictions, outputs)
    rows = list(run_rows(settings))
    verdicts = _verdicts_there(work) if processes.first else {}

    def order() -> Iterator[str]:
        return (row["id"] for row in rows)

    with folder.append_verdicts(judge.name, processes, order) as appender:
        _judge_rest(work, rows, verdicts, batch_size, processes, appender)
    result: dict[str, Any] = {}
    if processes.first:
        if processes.count > 1:
            verdicts, _ = folder.verdicts(judge.name)
        result = _result(work, settings, rows, _in_order(work, rows, verdicts), problems)
        write_json(folder.scores_path(judge.name), result)
    return processes.share(result)


def check_output(judge: Judge, output: str) -> None:
    """Check that a judge judges a kind of output.

    Raises:
        ValueError: It does not.
    """
    if output not in judge.outputs:
        raise ValueError(
            f"outputs that the judge {judge.name} is given must be of kind "
            f"{' or '.join(sorted(judge.outputs))}, got a run with output={output!r}"
        )


def _verdicts_there(work: Work) -> dict[str, Verdict]:
    """Return the verdicts that hold; others, and broken lines, are taken out of the file."""
    there, broken = work.folder.verdicts(work.judge.name)
    _claim(work.folder, work.judge, there)
    holding = {i: v for i, v in there.items() if _holds(v, work.outputs.get(i))}
    if broken or len(holding) < len(there):
        work.folder.replace_verdicts(work.judge.name, holding.values())
    return holding


def _holds(verdict: Verdict, output: str | None) -> bool:
    """Return whether a verdict still holds: it is no failure, and about the output there is now."""
    return verdict.status != "error" and output is not None and about(verdict) == output


def _claim(folder: RunFolder, judge: Judge, verdicts: Mapping[str, Verdict]) -> None:
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


def _judge_rest(
    work: Work,
    rows: Sequence[Row],
    verdicts: dict[str, Verdict],
    batch_size: int,
    processes: Processes,
    appender: Appender,
) -> None:
    """Judge this process's share of what has no verdict, and add the verdicts.

    Of several processes only the first knows the verdicts that are there: it deals out the rest.
    """
    missing = [r for r in rows if r["id"] in work.predictions and r["id"] not in verdicts]
    answers = known_answers(work, rows, verdicts)
    mine = processes.share(shares(work, missing, answers, batch_size, processes.count))
    waiting = [row for row in missing if row["id"] in mine[processes.index]]
    before = any(work.predictions[i].status == "ok" for i in verdicts)
    failures = _Failures(work.judge.name, anything_judged=before)
    title, total, done = f"judging with {work.judge.name}", len(rows), len(rows) - len(missing)
    if processes.count > 1:
        title += f" (the share of the first of {processes.count} processes)"
        total, done = len(waiting), 0
    with progress(title, total, done, shown=processes.first) as advance:
        for batch in batches(work, waiting, answers, batch_size):
            new = judge_new(work, batch, answers)
            lines = [verdict(work, row, answers) for row in batch]
            appender.add(lines)
            verdicts.update((line.id, line) for line in lines)
            advance(len(lines))
            failures.take([answers[key] for key in new])
            for key in new:  # what failed is asked again where the same output comes next
                if answers[key].status == "error":
                    del answers[key]
    failures.close(any(processes.gather(failures.anything_judged)))


class _Failures:
    """Stops judging when a judge does nothing but fail: after a row of it, or at the end."""

    def __init__(self, judge_name: str, *, anything_judged: bool) -> None:
        self._judge_name = judge_name
        self.anything_judged = anything_judged
        self._row: list[Verdict] = []

    def take(self, verdicts: Sequence[Verdict]) -> None:
        """Take a batch's new verdicts.

        Raises:
            RuntimeError: `STOP_AFTER` or more in a row were failures.
        """
        if any(verdict.status != "error" for verdict in verdicts):
            self.anything_judged, self._row = True, []
        else:
            self._row += verdicts
        if len(self._row) >= STOP_AFTER:
            self._stop()

    def close(self, anything_elsewhere: bool) -> None:
        """End; another process's judge may have done better.

        Raises:
            RuntimeError: There never was anything but failures.
        """
        if self._row and not self.anything_judged and not anything_elsewhere:
            self._stop()

    def _stop(self) -> None:
        reason = first_reason(count_reasons(self._row))
        raise RuntimeError(
            f"the judge {self._judge_name} must answer, got a failure for all of the last "
            f"{len(self._row)} outputs and stopped (most often: {reason}): when that is mended, "
            "give the same command again; what was judged is kept"
        )


def _in_order(work: Work, rows: Iterable[Row], verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    """Return verdicts in the order of the examples; what was judged anew is moved to its place."""
    ordered = {row["id"]: verdicts[row["id"]] for row in rows if row["id"] in verdicts}
    ordered |= verdicts
    if list(ordered) != list(verdicts):
        work.folder.replace_verdicts(work.judge.name, ordered.values())
    return ordered


def _result(
    work: Work,
    settings: RunSettings,
    rows: Sequence[Row],
    verdicts: dict[str, Verdict],
    problems: list[str],
) -> dict[str, Any]:
    """Return what `scores/JUDGE.json` says."""
    record = work.judge.record()
    table = scores(rows, work.predictions, verdicts)
    judged = [work.outputs[i] for i, v in verdicts.items() if v.status == "scored"]
    unknown = unknown_pictures(record, judged) if settings.output == "image" else 0
    answered = {i: v for i, v in verdicts.items() if v.status != "error"}
    usage = _usage(known_answers(work, rows, answered))
    return {
        "judge": {"name": work.judge.name, **record},
        "run": _run_record(settings),
        "problems": problems,
        "cautions": cautions(work.judge.name, record, table, unknown),
        **({"usage": usage} if usage else {}),
        **table,
    }


def _usage(answers: Answers) -> dict[str, float]:
    """Return the tokens that a judge says it took, summed over all distinct outputs."""
    total: dict[str, float] = {}
    for answer in answers.values():
        for said in (answer.raw or {}).values():
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
