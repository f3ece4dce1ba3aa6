"""Judges a run folder: verdicts as they come, then the scores.

    from cobsat.metrics import judge_run, load_judge
    judge_run("runs/NAME", load_judge("mention"))

What was judged before is kept where it still holds; what failed is asked again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from cobsat.chat_replies import add_usage
from cobsat.line_files import Appender
from cobsat.processes import ONE, Processes
from cobsat.progress import progress
from cobsat.run_folder import RunFolder, RunSettings, write_json
from cobsat.spending import Spending, Spent, tokens

from .asking import (
    Key,
    batches,
    given,
    judge_new,
    known_answers,
    settle,
    shares,
    verdict,
    verdict_usage,
)
from .cautions import random_weights_caution, several_servers_caution
from .cobsat_judging import COBSAT
from .grading import count_reasons, first_reason
from .outputs import about, fingerprint
from .procedure import AnyVerdict, Procedure, Row, Work
from .protocol import Judge
from .touchstone_judging import touchstone_procedure

__all__ = ["STOP_AFTER", "check_output", "judge_run", "procedure_of"]

BATCH_SIZE: Final = 128
STOP_AFTER: Final = 20
"""Judging stops when so many outputs in a row, in whole batches, could not be judged."""


def judge_run(
    folder: RunFolder | str | os.PathLike[str],
    judge: Judge,
    *,
    batch_size: int | None = None,
    processes: Processes = ONE,
    spending: Spending | None = None,
) -> dict[str, Any]:
    """Judge what a run folder holds, write verdicts and scores, and return the scores.

    Args:
        folder: The run folder.
        judge: The judge.
        batch_size: Outputs judged at once; by default what the judge likes, or 128.
        processes: Those that share the work, all of which make this very call.
        spending: Counts what the judge's answers cost, and ends judging early where a limit is
            reached; what is left is missing from the scores.

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
    procedure = procedure_of(settings, judge)
    work = Work(folder, judge, procedure, settings.output, predictions, outputs)
    rows = list(procedure.rows(settings))
    spending = spending or Spending()
    verdicts = _verdicts_there(work, rows, spending) if processes.first else {}

    def order() -> Iterator[str]:
        return (row["id"] for row in rows)

    with folder.append_verdicts(judge.name, processes, order) as appender:
        _judge_rest(work, rows, verdicts, batch_size, processes, appender, spending)
    result: dict[str, Any] = {}
    if processes.first:
        if processes.count > 1:
            verdicts, _ = folder.verdicts_of(judge.name, procedure.verdict)
        verdicts = _in_order(work, rows, verdicts)
        result = _result(work, settings, rows, verdicts, problems, spending)
        write_json(folder.scores_path(judge.name), result)
    return processes.share(result)


def procedure_of(settings: RunSettings, judge: Judge) -> Procedure:
    """Return how a judge judges a run: this is the place that knows the benchmarks apart."""
    return touchstone_procedure(judge) if settings.benchmark == "touchstone" else COBSAT


def check_output(judge: Judge, output: str) -> None:
    """Check that a judge judges a kind of output.

    Raises:
        ValueError: It does not.
    """
    check_kind(judge.name, judge.outputs, output)


def check_kind(name: str, judged: Collection[str], output: str) -> None:
    """Check that a kind of output is among those that a judge of that name judges.

    Raises:
        ValueError: It is not; the message names judges of that kind.
    """
    if output not in judged:
        raise ValueError(
            f"outputs that the judge {name} is given must be of kind "
            f"{' or '.join(sorted(judged))}, got a run with output={output!r}, for which there "
            f"{judges_of(output)}"
        )


def judges_of(output: str) -> str:
    """Return which judges take a kind of output, after "there"."""
    return _JUDGES_OF.get(output, "is none")


_JUDGES_OF: Final = {
    "answer": "are touchstone and touchstone_hallucination (--judge touchstone)",
    "description": "are llava, clip, mention and api",
    "image": "are llava, clip and api",
}


def _verdicts_there(work: Work, rows: Iterable[Row], spending: Spending) -> dict[str, AnyVerdict]:
    """Return the verdicts that hold; others, and broken lines, are taken out of the file."""
    there, broken = work.folder.verdicts_of(work.judge.name, work.procedure.verdict)
    holding = {i: v for i, v in there.items() if _holds(v, work.outputs.get(i))}
    gone = {i: v for i, v in there.items() if i not in holding and i in work.outputs}
    lost = [verdict_usage(answer) for answer in known_answers(work, rows, gone).values()]
    asks = any(row["id"] in work.predictions and row["id"] not in holding for row in rows)
    spending.start([Spent(_claim(work, there, tokens(add_usage(*lost)), asks))])
    if broken or len(holding) < len(there):
        work.folder.replace_verdicts(work.judge.name, holding.values())
    spending.start(map(_spent, known_answers(work, rows, holding).values()))
    return holding


def _spent(answer: AnyVerdict) -> Spent:
    return Spent(verdict_usage(answer), "ok" if answer.status == "scored" else "error")


def _holds(verdict: AnyVerdict, output: str | None) -> bool:
    """Return whether a verdict still holds: it is no failure, and about the output there is now."""
    return verdict.status != "error" and output is not None and about(verdict) == output


def _claim(
    work: Work, verdicts: Mapping[str, AnyVerdict], lost: dict[str, float] | None, asks: bool
) -> dict[str, float] | None:
    """Leave the judge's record beside its verdicts, or check that it is the one that is there.

    Where nothing but failures are, another judge may begin: its options may have been the fault.
    What verdicts took that are thrown away is noted there too, and the sum of it returned. A
    server's address is no part of who the judge is, for the same one may listen elsewhere by now;
    where several were asked, all are noted among the versions.
    """
    target = _record_path(work)
    here = json.loads(json.dumps(work.judge.record()))
    there = json.loads(target.read_text("utf-8")) if target.exists() else {}
    total = add_usage(there.pop(_LOST, None), lost)
    if there and any(v.status != "error" for v in verdicts.values()):
        keys = [k for k in {**there, **here} if k != "versions" and here.get(k) != there.get(k)]
        if keys:
            what = "; ".join(f"{k}: {there.get(k)!r} there, {here.get(k)!r} now" for k in keys)
            raise ValueError(
                f"verdicts in {target.with_suffix('.jsonl')} must be by this very judge, got "
                f"another's ({what}): move that file away to judge anew"
            )
        servers = list(dict.fromkeys(_servers(there) + _servers(here)))
        if asks and servers != _servers(there):
            there["versions"]["server"] = servers
        elif not lost:
            return total
        here = there
    write_json(target, {**here, **({_LOST: total} if total else {})})
    return total


_LOST: Final = "lost_usage"


def _record_path(work: Work) -> Path:
    return work.folder.verdicts_path(work.judge.name).with_suffix(".json")


def _servers(record: Mapping[str, Any]) -> list[str]:
    """Return the addresses of the servers that a judge's record names, if it asks any."""
    named = (record.get("versions") or {}).get("server") or []
    return [named] if isinstance(named, str) else list(named)


def _judge_rest(
    work: Work,
    rows: Sequence[Row],
    verdicts: dict[str, AnyVerdict],
    batch_size: int,
    processes: Processes,
    appender: Appender,
    spending: Spending,
) -> None:
    """Judge this process's share of what has no verdict, and add the verdicts.

    Of several processes only the first knows the verdicts that are there: it deals out the rest.
    """
    missing = [r for r in rows if r["id"] in work.predictions and r["id"] not in verdicts]
    answers = known_answers(work, rows, verdicts)
    mine = processes.share(shares(work, missing, answers, batch_size, processes.count))
    waiting = [row for row in missing if row["id"] in mine[processes.index]]
    before = any(given(work, work.predictions[i]) is not None for i in verdicts)
    failures = _Failures(work.judge.name, anything_judged=before)
    # what takes time is an output, however many examples hold it
    new_outputs = _to_judge(work, waiting) - answers.keys()
    title, total = f"judging with {work.judge.name}: distinct outputs", len(new_outputs)
    if processes.count > 1:
        title += f" (the share of the first of {processes.count} processes)"
    else:
        total = len(_to_judge(work, (r for r in rows if r["id"] in work.predictions)))
    done = total - len(new_outputs)
    with progress(title, total, done, shown=processes.first) as advance:
        for batch in batches(work, waiting, answers, batch_size, spending.room):
            settle(work, batch, answers)
            left: dict[Key, list[Row]] = {}
            for row in batch:
                left.setdefault(work.key(row), []).append(row)

            def write(keys: Iterable[Key], left: dict[Key, list[Row]] = left) -> None:
                lines = [verdict(work, row, answers) for key in keys for row in left[key]]
                appender.add(lines)
                verdicts.update((line.id, line) for line in lines)

            write([key for key in left if key in answers])
            failed: list[Key] = []
            with closing(judge_new(work, batch, answers)) as judged:
                for new in judged:
                    write(new)
                    advance(len(new_outputs.intersection(new)))
                    new_outputs.difference_update(new)  # one that failed may come again
                    spending.add(_spent(answers[key]) for key in new)
                    failures.take([answers[key] for key in new])
                    failed += [key for key in new if answers[key].status == "error"]
            for key in failed:  # asked again where the same output comes next
                del answers[key]
    failures.close(any(processes.gather(failures.anything_judged)))


def _to_judge(work: Work, rows: Iterable[Row]) -> set[Key]:
    """Return what a judge is asked about examples at all: of an empty output, nothing."""
    return {work.key(r) for r in rows if given(work, work.predictions[r["id"]]) is not None}


class _Failures:
    """Stops judging when a judge does nothing but fail: after a row of it, or at the end."""

    def __init__(self, judge_name: str, *, anything_judged: bool) -> None:
        self._judge_name = judge_name
        self.anything_judged = anything_judged
        self._row: list[AnyVerdict] = []

    def take(self, verdicts: Sequence[AnyVerdict]) -> None:
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


def _in_order(
    work: Work, rows: Iterable[Row], verdicts: dict[str, AnyVerdict]
) -> dict[str, AnyVerdict]:
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
    verdicts: dict[str, AnyVerdict],
    problems: list[str],
    spending: Spending,
) -> dict[str, Any]:
    """Return what `scores/JUDGE.json` says."""
    table = work.procedure.table(rows, work.predictions, verdicts)
    answered = {i: v for i, v in verdicts.items() if v.status != "error"}
    answers = known_answers(work, rows, answered).values()
    usage = add_usage(*map(verdict_usage, answers))
    record = work.judge.record()
    servers = _servers(json.loads(_record_path(work).read_text("utf-8")))
    several = [several_servers_caution(servers)] if len(servers) > 1 else []
    if servers:  # those that were asked, not the one that would be
        named = servers if several else servers[0]
        record = {**record, "versions": {**record["versions"], "server": named}}
    return {
        "judge": {"name": work.judge.name, **record},
        **work.procedure.head(settings),
        "problems": problems,
        "cautions": [
            *random_weights_caution(settings.model_options),
            *work.procedure.cautions(work, settings, table, verdicts),
            *several,
        ],
        **({"usage": dict(sorted(usage.items()))} if usage else {}),
        **({"cost": spending.bill(usage)} if usage and spending.priced else {}),
        **table,
    }
