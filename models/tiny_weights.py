"""Random weights large enough that what goes in shows in what comes out: `tiny` of every port."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["scatter"]


@torch.no_grad()
def scatter(module: nn.Module, *others: Tensor) -> None:
    """Draw the weights of a module's layers anew, and other tensors, each row of norm about 1.

    As they are made, they are so small that all pictures become about the same.
    """
    layers = (each for each in module.modules() if isinstance(each, _LAYERS))
    for weight in (*(layer.weight for layer in layers), *others):
        weight.normal_(std=max(1, weight[0].numel()) ** -0.5)


_LAYERS = nn.Linear | nn.Conv2d | nn.Embedding
