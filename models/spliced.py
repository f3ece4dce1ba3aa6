"""Prompts whose pictures stand as embeddings among the words': spliced in, and batches padded.

embeddings = spliced(model.get_input_embeddings(), prompt, pictures)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

__all__ = ["Prompt", "padded", "spliced"]


@dataclass(frozen=True)
class Prompt:
    """A prompt's token ids, with places for its pictures.

    Attributes:
        ids: Token ids; each place of a picture's embedding holds a token that means nothing.
        slots: Where the places of each picture begin, in order.
    """

    ids: tuple[int, ...]
    slots: tuple[int, ...]


@torch.inference_mode()
def spliced(table: Any, prompt: Prompt, pictures: Sequence[Tensor]) -> Tensor:
    """Return a prompt's embeddings with its pictures' in place: (tokens, width).

    Args:
        table: The embeddings of words.
        prompt: The prompt.
        pictures: The embeddings of its pictures in order, each of shape (tokens, width).

    Raises:
        ValueError: There is not a picture for each slot.
    """
    embeddings: Tensor = table(torch.tensor(prompt.ids, device=table.weight.device)).clone()
    for slot, picture in zip(prompt.slots, pictures, strict=True):
        embeddings[slot : slot + len(picture)] = picture.to(embeddings)
    return embeddings


def padded(prompts: Sequence[Prompt], embeddings: Sequence[Tensor], pad: int) -> dict[str, Tensor]:
    """Return a batch as ids, mask and embeddings, padded on the left.

    Args:
        prompts: The prompts.
        embeddings: As `spliced` gives them.
        pad: The id that stands before a shorter prompt.
    """
    longest = max(map(len, embeddings))
    before = [longest - len(row) for row in embeddings]
    device = embeddings[0].device
    ids = [[pad] * n + list(one.ids) for n, one in zip(before, prompts, strict=True)]
    mask = [[0] * n + [1] * (longest - n) for n in before]
    rows = [
        torch.nn.functional.pad(row, (0, 0, n, 0))
        for n, row in zip(before, embeddings, strict=True)
    ]
    return {
        "input_ids": torch.tensor(ids, device=device),
        "attention_mask": torch.tensor(mask, device=device),
        "inputs_embeds": torch.stack(rows),
    }
