"""Ratios of things measured in turns, with their bounds: what the files beside this one share.

A busy machine slows what runs in the same minute alike, so a ratio is taken within each round and
the median over the rounds is told; the seconds themselves would say more of the machine.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

Seconds = dict[str, list[float]]


def in_turns(
    rounds: Sequence[Mapping[str, Callable[[], object]]],
    clock: Callable[[], float] = time.perf_counter,
) -> Seconds:
    """Return the seconds that each variant takes in each round, the rounds one after another.

    Every other round goes backwards, so that no variant is always the first. `clock` tells the
    time: that of the day, or of the processor.
    """
    seconds: Seconds = {}
    for number, variants in enumerate(rounds):
        for name in list(variants)[:: -1 if number % 2 else 1]:
            start = clock()
            variants[name]()
            seconds.setdefault(name, []).append(clock() - start)
    return seconds


def of_processor() -> float:
    """Return the seconds of processor time that this process and its ended children have taken."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def at_least(bound: float, what: str, slow: Sequence[float], fast: Sequence[float]) -> bool:
    """Print how many times as fast the median round is, and return whether that is enough."""
    ratios = sorted(s / f for s, f in zip(slow, fast, strict=True))
    ratio = statistics.median(ratios)
    print(
        f"{what}: {ratio:.2f} (rounds {ratios[0]:.2f} to {ratios[-1]:.2f}; at least {bound}): "
        f"{'ok' if ratio >= bound else 'TOO SLOW'}"
    )
    return ratio >= bound
