"""Whether a difference between two runs stands: compared prompt by prompt. Pure functions.

Both runs answered the same prompts, so what counts is the difference prompt by prompt: its mean,
with a standard error clustered like the accuracies' (Miller, "Adding Error Bars to Evals", 2024;
Liang and Zeger, 1986), Student's interval and test with one degree of freedom less than there are
clusters. Over tasks: the mean with the same weight for each task, as in the scores, with
Satterthwaite's degrees of freedom.

McNemar's exact test (1947) stands beside it. It looks at the discordant pairs alone, those that
only one run got right, and takes each for independent: prompts that ask for the same thing are not,
which makes it optimistic. With few discordant pairs it is the stricter one, and then it decides.

With several samples a prompt's value is the share of its outputs that are right (Miller, as above),
whatever their number in either run. McNemar's test is then the sign test on which run was right
more often. That needs as many samples in both: the mean of more lies at 0 or 1 less often, which
alone tells prompts apart. Otherwise it is not reported, and can only hold back what the clustered
test finds.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from .intervals import (
    LEVEL,
    Interval,
    mean_interval,
    pooled_degrees,
    share_interval,
    student_quantile,
    student_tail,
    zero_half_width,
)
from .statistics import clustered_mean

__all__ = [
    "FEW_DISCORDANT",
    "POWER",
    "Comparison",
    "Share",
    "compare_pairs",
    "holm",
    "mcnemar",
    "mean_of_comparisons",
]

POWER: Final = 0.8
FEW_DISCORDANT: Final = 25
"""With fewer discordant pairs than this, a normal or Student's test is not to be relied on."""


@dataclass(frozen=True)
class Share:
    """One run's accuracy over the pairs, with its 95% interval."""

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Comparison:
    """What two runs' answers to the same prompts say of their difference.

    All are shares from 0 to 1 and differences of shares, second run minus first.

    Attributes:
        n: Pairs.
        clusters: Groups of prompts that ask for the same thing.
        first: The first run's accuracy.
        second: The second run's accuracy.
        difference: Second minus first.
        standard_error: Of the difference, clustered; None with fewer than two clusters.
        degrees: Degrees of freedom of its test.
        interval: 95% interval of the difference.
        p_value: Two-sided, of the clustered test that there is no difference.
        only_first: Pairs that only the first run got right, or more often than the second.
        only_second: Pairs that only the second run got right, or more often.
        mcnemar_p: Two-sided, exact, every pair taken for independent; None where the runs' samples
            differ in number.
        detectable: The smallest true difference that such a comparison shows, at the two-sided 5%
            level, four times out of five; None where it cannot be told.
    """

    n: int
    clusters: int
    first: Share
    second: Share
    difference: float
    standard_error: float | None
    degrees: float | None
    interval: Interval | None
    p_value: float | None
    only_first: int
    only_second: int
    mcnemar_p: float | None
    detectable: float | None

    @property
    def discordant(self) -> int:
        """Pairs that only one of the runs got right, or one more often."""
        return self.only_first + self.only_second

    @property
    def deciding_p(self) -> float | None:
        """The p-value that decides: with few discordant pairs, the larger of the two tests'."""
        if self.p_value is None or self.discordant >= FEW_DISCORDANT:
            return self.p_value
        return max(self.p_value, mcnemar(self.only_first, self.only_second))


def compare_pairs(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable],
    samples: tuple[int, int] = (1, 1),
) -> Comparison:
    """Compare two runs on the prompts of one task.

    Args:
        first: Whether the first run was right, prompt by prompt; or what share of its outputs was.
        second: The same of the second run.
        clusters: What each prompt asks for.
        samples: Outputs for each prompt, of the first run and of the second.

    Raises:
        ValueError: There is no prompt, or not one of each for every prompt.

    >>> result = compare_pairs([True, False, False, True], [True, True, True, True], "abcd")
    >>> result.difference, round(result.standard_error, 4), result.only_second
    (0.5, 0.2887, 2)
    """
    if not len(first) == len(second) == len(clusters):
        raise ValueError(
            "first, second and clusters must be one for every prompt, got "
            f"{len(first)}, {len(second)} and {len(clusters)}"
        )
    if not first:
        raise ValueError("pairs must hold at least one prompt, got none")
    differences = [float(b) - float(a) for a, b in zip(first, second, strict=True)]
    rate = clustered_mean(differences, clusters)
    assert rate.value is not None
    count = len(set(clusters))
    only_first, only_second = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    return _comparison(
        n=len(differences),
        clusters=count,
        first=_share(first, clusters, samples[0]),
        second=_share(second, clusters, samples[1]),
        difference=rate.value,
        standard_error=_no_dust(rate.standard_error),
        degrees=float(count - 1) if count > 1 else None,
        only_first=only_first,
        only_second=only_second,
        same_samples=samples[0] == samples[1],
        interval_without_error=_around(rate.value, zero_half_width(count)) if count > 1 else None,
    )


def mean_of_comparisons(tasks: Sequence[Comparison]) -> Comparison:
    """Return the comparison over tasks, each with the same weight, whatever its number of prompts.

    Raises:
        ValueError: There is no task.
    """
    if not tasks:
        raise ValueError("tasks must hold at least one comparison, got none")
    if len(tasks) == 1:
        return tasks[0]
    count = len(tasks)
    errors = [task.standard_error for task in tasks if task.standard_error is not None]
    degrees = [task.degrees for task in tasks if task.degrees is not None]
    known = len(errors) == count
    return _comparison(
        n=sum(task.n for task in tasks),
        clusters=sum(task.clusters for task in tasks),
        first=_mean_share([task.first for task in tasks]),
        second=_mean_share([task.second for task in tasks]),
        difference=math.fsum(task.difference for task in tasks) / count,
        standard_error=math.hypot(*errors) / count if known else None,
        degrees=pooled_degrees(errors, degrees) if known else None,
        only_first=sum(task.only_first for task in tasks),
        only_second=sum(task.only_second for task in tasks),
        same_samples=all(task.mcnemar_p is not None for task in tasks),
        interval_without_error=mean_interval(
            [task.difference for task in tasks], [task.interval for task in tasks]
        ),
    )


def _comparison(
    *,
    n: int,
    clusters: int,
    first: Share,
    second: Share,
    difference: float,
    standard_error: float | None,
    degrees: float | None,
    only_first: int,
    only_second: int,
    same_samples: bool,
    interval_without_error: Interval | None,
) -> Comparison:
    interval: Interval | None
    if standard_error is None or degrees is None:
        interval = p_value = detectable = None
    elif standard_error == 0:
        # the same difference in all clusters: none, or one whose sign they share by a coin's chance
        interval, detectable = interval_without_error, None
        p_value = 1.0 if difference == 0 else 2.0 ** (1 - clusters)
    else:
        t = student_quantile((1 + LEVEL) / 2, degrees)
        interval = _around(difference, t * standard_error)
        p_value = student_tail(difference / standard_error, degrees)
        detectable = (t + student_quantile(POWER, degrees)) * standard_error
    return Comparison(
        n=n,
        clusters=clusters,
        first=first,
        second=second,
        difference=difference,
        standard_error=standard_error,
        degrees=degrees,
        interval=interval,
        p_value=p_value,
        only_first=only_first,
        only_second=only_second,
        mcnemar_p=mcnemar(only_first, only_second) if same_samples else None,
        detectable=detectable,
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of McNemar's exact test: are the discordant pairs a fair coin's?

    >>> mcnemar(1, 5)
    0.21875
    >>> mcnemar(0, 0)
    1.0
    """
    pairs, fewer = only_first + only_second, min(only_first, only_second)
    term, total = 1, 1
    for k in range(fewer):
        term = term * (pairs - k) // (k + 1)
        total += term
    return min(1.0, 2 * total / (1 << pairs))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for being several (Holm, 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    least = 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = least
    return corrected


def _share(values: Sequence[float], clusters: Sequence[Hashable], samples: int) -> Share:
    return Share(math.fsum(values) / len(values), share_interval(values, clusters, samples))


def _mean_share(shares: Sequence[Share]) -> Share:
    values = [share.value for share in shares]
    return Share(
        math.fsum(values) / len(values),
        mean_interval(values, [share.interval for share in shares]),
    )


def _no_dust(error: float | None) -> float | None:
    """Return 0 for what rounding leaves of a standard error of 0; others are above 1e-9."""
    return 0.0 if error is not None and error < 1e-12 else error


def _around(middle: float, half: float) -> Interval:
    return max(-1.0, middle - half), min(1.0, middle + half)
