"""What answers cost, a model's or a judge's: tokens times prices, and whether more may be asked.

    cobsat predict --model openai … --max-cost 5 --price-in 0.15 --price-out 0.60
    cobsat judge RUN --judge touchstone … --max-cost 20 --price-in 30 --price-out 60

Costs are counted over all sittings of a run, from the usage that its files hold. Prices are
per million tokens, in whatever currency; what a server charges less for (cached tokens, say) counts
in full, so that the sum is no less than the bill.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from .card_parts import shorten

__all__ = ["Answered", "Spending", "Spent", "tokens", "usage_line"]

_MILLION: Final = 1_000_000
_NAMES: Final = ("input_tokens", "output_tokens")


class Answered(Protocol):
    """An answer, a prediction or a verdict's part: how it ended, and what it used."""

    @property
    def status(self) -> str: ...  # noqa: D102
    @property
    def usage(self) -> dict[str, float] | None: ...  # noqa: D102


@dataclass(frozen=True)
class Spent:
    """An answer of which nothing else is known than what it took."""

    usage: dict[str, float] | None
    status: str = "error"


class Spending:
    """Counts what answers cost, and says how many more may be asked for.

    What is under way is reckoned at the price of the dearest answer so far; before there is one,
    examples are asked for one at a time.

    Args:
        most: What a run may cost; None for no limit.
        price_in: Price of a million input tokens.
        price_out: Price of a million output tokens.

    Raises:
        ValueError: A limit without prices, or a price that is none.
    """

    def __init__(
        self,
        most: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
    ) -> None:
        for name, value in (("max_cost", most), ("price_in", price_in), ("price_out", price_out)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be 0 or more, got {value}")
        if most is not None and not (price_in or price_out):
            raise ValueError(
                "max_cost must come with prices per million tokens, got none: --price-in 0.15 "
                "--price-out 0.60"
            )
        self.most = most
        self.prices = dict(zip(_NAMES, (price_in or 0.0, price_out or 0.0), strict=True))
        self.spent = 0.0
        self._dearest: float | None = None

    def start(self, answers: Iterable[Answered]) -> None:
        """Count what earlier sittings cost."""
        for answer in answers:
            self._count(answer.usage)

    def add(self, answers: Iterable[Answered]) -> None:
        """Count answers.

        Raises:
            RuntimeError: There is a limit, and who answers does not say what was used.
        """
        for answer in answers:
            known = any(name in (answer.usage or {}) for name in _NAMES)
            if self.most is not None and answer.status == "ok" and not known:
                raise RuntimeError(
                    "with --max-cost a model must say how many tokens it used (usage), got an "
                    "answer without: leave --max-cost out"
                )
            self._count(answer.usage)

    def room(self, under_way: int = 0) -> int:
        """Return how many more examples may be asked for, with so many under way."""
        if self.most is None:
            return sys.maxsize
        if self._dearest is None:
            return int(under_way == 0 and self.most > 0)
        if self._dearest == 0:
            return sys.maxsize
        return max(0, int((self.most - self.spent) / self._dearest + 1e-9) - under_way)

    @property
    def priced(self) -> bool:
        """Whether there are prices."""
        return any(self.prices.values())

    def bill(self, usage: Mapping[str, float]) -> dict[str, Any]:
        """Return what usage costs, and at which prices per million tokens."""
        return {
            "value": self._cost(usage),
            "price_in": self.prices["input_tokens"],
            "price_out": self.prices["output_tokens"],
        }

    def _cost(self, usage: Mapping[str, float]) -> float:
        return sum(usage.get(name, 0) * price for name, price in self.prices.items()) / _MILLION

    def _count(self, usage: dict[str, float] | None) -> None:
        if not usage:
            return
        cost = self._cost(usage)
        self.spent += cost
        self._dearest = max(cost, self._dearest or 0.0)


def tokens(usage: Mapping[str, float] | None) -> dict[str, float] | None:
    """Return what of a usage has a price; None if nothing has.

    >>> tokens({"input_tokens": 3, "cached_tokens": 2})
    {'input_tokens': 3}
    """
    return {name: usage[name] for name in _NAMES if name in usage} if usage else None


def usage_line(answers: Iterable[Answered], spending: Spending) -> str:
    """Return what was used and what it cost, in words; empty where nobody said so.

    >>> from cobsat import Prediction
    >>> usage_line([Prediction("a", "ok", usage={"input_tokens": 1200})], Spending())
    'used: 1,200 input tokens'
    """
    total: Counter[str] = Counter()
    for answer in answers:
        if answer.usage:
            total.update(answer.usage)
    words = [f"{count:,.10g} {_in_words(name)}" for name, count in total.items()]
    if not words:
        return ""
    if spending.priced:
        words.append(f"cost {spending.spent:,.4f}")
    return f"used: {', '.join(words)}"


def _in_words(name: str) -> str:
    """Return a server's name of a count in words; a name that would be more is cut."""
    return shorten(" ".join(name.replace("_", " ").split()), 40)
