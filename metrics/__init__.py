"""How an output is judged: judges, `evaluate` modules, statistics and scores."""

from .judge import judge_run
from .protocol import Judge
from .registry import JUDGES, load_judge, metric_names, path
from .scores import scores
from .statistics import Rate, clustered_mean

__all__ = [
    "JUDGES",
    "Judge",
    "Rate",
    "clustered_mean",
    "judge_run",
    "load_judge",
    "metric_names",
    "path",
    "scores",
]
