"""Several outputs for one example: how each is named.

The first has its example's id; the others add their number. So a run of one output an example can
grow into one of five, and each output is judged, labelled and compared like any other.
"""

from __future__ import annotations

from typing import Final

__all__ = ["sample_id", "split_sample_id"]

_MARK: Final = "-sample"


def sample_id(example_id: str, number: int) -> str:
    """Return the id of an example's output of that number, from 1.

    >>> [sample_id("color_i-2shot-test-0007", number) for number in (1, 2)]
    ['color_i-2shot-test-0007', 'color_i-2shot-test-0007-sample2']
    """
    return example_id if number == 1 else f"{example_id}{_MARK}{number}"


def split_sample_id(name: str) -> tuple[str, int]:
    """Return an output's example, and its number.

    >>> split_sample_id("color_i-2shot-test-0007-sample2")
    ('color_i-2shot-test-0007', 2)
    >>> split_sample_id("color_i-2shot-test-0007")
    ('color_i-2shot-test-0007', 1)
    """
    example_id, mark, number = name.rpartition(_MARK)
    return (example_id, int(number)) if mark and number.isdecimal() else (name, 1)
