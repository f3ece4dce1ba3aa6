"""Seeds of what is drawn at random: each example's own, whatever order and batches it comes in."""

from __future__ import annotations

import hashlib

__all__ = ["example_seed"]


def example_seed(seed: int, example_id: str, turn: int = 0) -> int:
    """Return the seed of one example's draws in one round, from the run's seed and its id.

    It is below 2 to the 63rd; several samples of an example have ids of their own, and so seeds.

    >>> example_seed(0, "color_i-2shot-test-0000")
    4904348504037553239
    """
    digest = hashlib.sha256(f"{seed}:{example_id}:{turn}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
