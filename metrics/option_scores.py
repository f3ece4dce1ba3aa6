"""Scoring numbered options in one forward pass. Pure: token ids and tensors, no model.

An option is a token sequence with its end, so that "1" and "10" compete fairly though they share
their first token: P("1") = P(1) P(end | 1), P("10") = P(1) P(0 | 1) P(end | 10). An option may be
spelt in several ways ("3", " 3"); their probabilities are added.

Both questions about an output share their beginning, which holds the picture. So one sequence

    shared beginning | rest of question A | options of A | rest of question B | options of B

holds all that there is to read. The options are a tree of tokens. A mask lets each token see only
what comes before it in its own reading, and positions start again for B and for siblings, so that
every reading is what it would be alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch

__all__ = ["OptionTree", "Packed", "build_tree", "option_probabilities", "pack", "shared_length"]

ROOT: Final = -1


@dataclass(frozen=True)
class OptionTree:
    """The options' spellings as a tree of tokens.

    Attributes:
        tokens: The token of each node; parents stand before their children.
        parents: The node before it; `ROOT` for what follows the question.
        depths: How many nodes are before it.
        ends: For each option, the nodes at which a spelling of it ends.
    """

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    depths: tuple[int, ...]
    ends: tuple[tuple[int, ...], ...]

    @property
    def longest(self) -> int:
        """The number of tokens of the longest spelling."""
        return max(self.depths) + 1

    def path(self, node: int) -> list[int]:
        """Return the nodes from the question to a node, itself the last."""
        nodes = []
        while node != ROOT:
            nodes.append(node)
            node = self.parents[node]
        return nodes[::-1]


def build_tree(options: Sequence[Sequence[Sequence[int]]]) -> OptionTree:
    """Return the tree of all spellings (token sequences) of all options.

    Raises:
        ValueError: An option has no spelling, or two options have the same.

    >>> tree = build_tree([[[1]], [[2]], [[1, 0]]])
    >>> tree.tokens, tree.parents, tree.ends
    ((1, 2, 0), (-1, -1, 0), ((0,), (1,), (2,)))
    """
    nodes: dict[tuple[int, ...], int] = {}
    parents: list[int] = []
    ends: list[tuple[int, ...]] = []
    for number, spellings in enumerate(options, start=1):
        own = list(dict.fromkeys(tuple(spelling) for spelling in spellings if spelling))
        if not own:
            raise ValueError(f"option {number} must have a spelling, got none")
        for spelling in own:
            for length in range(1, len(spelling) + 1):
                if spelling[:length] not in nodes:
                    nodes[spelling[:length]] = len(nodes)
                    parents.append(nodes[spelling[: length - 1]] if length > 1 else ROOT)
        ends.append(tuple(nodes[spelling] for spelling in own))
    every = [node for of_option in ends for node in of_option]
    if len(every) != len(set(every)):
        raise ValueError("options must differ in their tokens, got two that are the same")
    depths = tuple(len(path) - 1 for path in nodes)
    return OptionTree(tuple(path[-1] for path in nodes), tuple(parents), depths, tuple(ends))


def option_probabilities(
    logits: torch.Tensor, tree: OptionTree, end_ids: Sequence[int]
) -> torch.Tensor:
    """Return each option's probability, end included, as float64 of shape (options,).

    Args:
        logits: (1 + nodes, vocabulary): after the question, then after each node of the tree.
        tree: The options.
        end_ids: The tokens that end an answer.
    """
    chances = torch.log_softmax(logits.double(), dim=-1)
    after: list[torch.Tensor] = []  # of each node: log of the probability to come to it
    for token, parent in zip(tree.tokens, tree.parents, strict=True):
        before = after[parent] if parent != ROOT else chances.new_zeros(())
        after.append(before + chances[1 + parent, token])
    ending = torch.logsumexp(chances[1:, list(end_ids)], dim=-1)
    return torch.stack(
        [
            torch.logsumexp(torch.stack([after[node] + ending[node] for node in nodes]), dim=0)
            for nodes in tree.ends
        ]
    ).exp()


@dataclass(frozen=True)
class Packed:
    """Both questions and their options as one sequence of n tokens.

    Attributes:
        ids: The n tokens.
        places: The place of each token in its own reading, from 0.
        sees: (n, n): whether the token of a row sees that of a column.
        reads: For each question, where to read logits: after the question, then after each node.
    """

    ids: list[int]
    places: list[int]
    sees: torch.Tensor
    reads: tuple[list[int], list[int]]


def shared_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two prompts share at their beginning, short of the whole of either.

    >>> shared_length([5, 6, 7, 8], [5, 6, 9])
    2
    >>> shared_length([5, 6], [5, 6])
    1
    """
    length = 0
    for a, b in zip(one[:-1], other[:-1], strict=False):
        if a != b:
            break
        length += 1
    return length


def pack(one: Sequence[int], other: Sequence[int], trees: tuple[OptionTree, OptionTree]) -> Packed:
    """Return two prompts and their options as one sequence."""
    shared = shared_length(one, other)
    ids, places = list(one[:shared]), list(range(shared))
    blocks: list[tuple[int, int, int, OptionTree]] = []
    reads = []
    for prompt, tree in zip((one, other), trees, strict=True):
        start = len(ids)
        ids += prompt[shared:]
        places += range(shared, len(prompt))
        first_node = len(ids)
        ids += tree.tokens
        places += [len(prompt) + depth for depth in tree.depths]
        blocks.append((start, first_node, len(ids), tree))
        reads.append([first_node - 1, *range(first_node, len(ids))])
    sees = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    sees[:, :shared] = True
    sees[:shared, :shared] = torch.ones(shared, shared).tril().bool()
    for start, first_node, end, tree in blocks:
        rest = first_node - start
        sees[start:first_node, start:first_node] = torch.ones(rest, rest).tril().bool()
        sees[first_node:end, start:first_node] = True
        for node in range(len(tree.tokens)):
            for ancestor in tree.path(node):
                sees[first_node + node, first_node + ancestor] = True
    return Packed(ids, places, sees, (reads[0], reads[1]))
