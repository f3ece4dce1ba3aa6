"""The prompt lists: which demonstrations, query and latent variable each prompt has.

Source: the lists released with the CoBSAT paper, which this generator reproduces bit for bit
(Sec. 3, and Sec. 7.1 for the fine-tuning split). All functions are pure.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from .spec import DEFAULT_SEED

TEST_PROMPTS: Final = 1000
FT_TEST_PROMPTS: Final = 250
FT_SHOTS: Final = (2, 4)
_TRAIN: Final = range(5)
_TEST: Final = range(5, 10)


@dataclass(frozen=True)
class PromptIndices:
    """One prompt as indices into a task's lists of Table 1.

    Attributes:
        inputs: The demonstrations' inputs and, last, the query: `shots + 1` indices into the
            task's `inputs`.
        latent: Index of the latent variable in the task's `latents`.
        misleading: The misleading word of each position (App. D.1), as indices into `latents`;
            empty where the list names none.
    """

    inputs: tuple[int, ...]
    latent: int
    misleading: tuple[int, ...] = ()


def shuffled_lists(
    items: Sequence[int], count: int, seed: int = DEFAULT_SEED
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Draw `count` pairs (x, theta): two lists that are shuffled in place, one after the other.

    >>> shuffled_lists(range(10), 1)[0][0]
    (8, 7, 5, 9, 2, 3, 6, 1, 4, 0)
    """
    generator = random.Random(seed)
    x, theta = list(items), list(items)
    pairs = []
    for _ in range(count):
        generator.shuffle(x)
        generator.shuffle(theta)
        pairs.append((tuple(x), tuple(theta)))
    return pairs


def benchmark_prompts(shots: int, seed: int = DEFAULT_SEED) -> list[PromptIndices]:
    """Return the 1,000 prompts of a shot count, the same for every task (0 to 8 shots)."""
    return [
        PromptIndices(x[: shots + 1], theta[shots + 1], theta[: shots + 1])
        for x, theta in shuffled_lists(range(10), TEST_PROMPTS, seed)
    ]


def ft_test_prompts(shots: int, seed: int = DEFAULT_SEED) -> list[PromptIndices]:
    """Return the 250 prompts over the unseen half of both lists (Sec. 7.1; 2 and 4 shots).

    At 4 shots the five words wrap around, and the first misleading one would be the latent
    variable itself: there, no misleading words are given.
    """
    _check_ft_shots(shots)
    prompts = []
    for x, theta in shuffled_lists(_TEST, TEST_PROMPTS, seed)[:FT_TEST_PROMPTS]:
        misleading = tuple(theta[position % 5] for position in range(shots + 1))
        latent = theta[(shots + 1) % 5]
        prompts.append(
            PromptIndices(x[: shots + 1], latent, () if latent in misleading else misleading)
        )
    return prompts


def ft_train_prompts(shots: int) -> list[PromptIndices]:
    """Return every sequence of inputs with every latent variable of the seen half (Sec. 7.1).

    300 prompts at 2 shots, 600 at 4.
    """
    _check_ft_shots(shots)
    return [
        PromptIndices(inputs, latent)
        for inputs in permutations(_TRAIN, shots + 1)
        for latent in _TRAIN
    ]


def _check_ft_shots(shots: int) -> None:
    if shots not in FT_SHOTS:
        raise ValueError(
            f"shots of a fine-tuning split must be one of 2, 4 (each half of a list has five "
            f"words), got {shots}"
        )
