"""Which charts a report shows of CoBSAT's runs, by one judge."""

from __future__ import annotations

from collections.abc import Sequence

from .charts import Chart
from .figures_paper import fig4, fig6, fig7, fig8, fig9, needed
from .figures_scores import Judged, accuracy_chart, best_of_k_chart, samples_chart
from .report_data import Run

__all__ = ["charts", "needed"]


def charts(runs: Sequence[Run], judge: str) -> list[Chart]:
    """Return the charts of all runs that a judge has scored.

    Two judges stand beside each other once, in the charts of the one that comes first.
    """
    judged = [
        Judged(number, run.label, run.settings, run.scores[judge])
        for number, run in enumerate(runs)
        if judge in run.scores
    ]
    if not any(one.scores.rows for one in judged):
        return []
    by_shots = fig4(judged)
    # of several runs, a chart by shots that shows them all has every number already
    there = {series.label for chart in by_shots for series in chart.series}
    covered = len(judged) > 1 and all(one.label in there for one in judged)
    sampled = [one for one in judged if one.scores.samples > 1]
    judges = list(dict.fromkeys(name for run in runs for name in run.scores))
    shown = [runs[one.number] for one in judged]
    later = judges[judges.index(judge) + 1 :]
    return [
        *([] if covered else [accuracy_chart(judged)]),
        *by_shots,
        fig6(judged),
        fig9(judged),
        *fig7(judge, judged, {name: [run.scores.get(name) for run in shown] for name in later}),
        *fig8(judged),
        *([samples_chart(sampled), best_of_k_chart(sampled)] if sampled else []),
    ]
