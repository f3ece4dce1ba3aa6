"""How an output is judged: judges, `evaluate` modules, statistics and scores."""

from .comparison import Comparison, compare_pairs, mean_of_comparisons
from .intervals import share_interval
from .judging import judge_run
from .protocol import Judge
from .registry import JUDGES, load_judge, metric_names, path
from .scores import scores
from .statistics import Rate, clustered_mean

__all__ = [
    "JUDGES",
    "Comparison",
    "Judge",
    "Rate",
    "clustered_mean",
    "compare_pairs",
    "judge_run",
    "load_judge",
    "mean_of_comparisons",
    "metric_names",
    "path",
    "scores",
    "share_interval",
]
