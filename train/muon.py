"""Muon, the optimizer of mini-clip's inner matrices: momentum, made orthogonal.

Source: Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024), with the
step's size matched to AdamW's (Liu et al., "Muon is Scalable for LLM Training", 2025). On these
small towers an update teaches about twice as much as one of AdamW. `torch.optim.Muon` works in
bfloat16, which is slow on most CPUs; this one stays in single precision and treats all matrices of
one shape together.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

__all__ = ["Muon"]

_COEFFICIENTS = (3.4445, -4.775, 2.0315)


class Muon(torch.optim.Optimizer):
    """Updates matrices by their orthogonalized momentum."""

    def __init__(
        self,
        parameters: Iterable[torch.Tensor],
        lr: float,
        weight_decay: float,
        momentum: float = 0.95,
        iterations: int = 4,
    ) -> None:
        """Take matrices.

        Args:
            parameters: Matrices only.
            lr: Learning rate, of the size that AdamW would have.
            weight_decay: Decoupled, as AdamW's.
            momentum: How slowly the direction follows the gradient.
            iterations: Newton-Schulz steps towards an orthogonal matrix.
        """
        options = {"weight_decay": weight_decay, "momentum": momentum, "iterations": iterations}
        super().__init__(parameters, {"lr": lr, **options})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update the matrices that have a gradient."""
        for group in self.param_groups:
            shapes: dict[tuple[int, ...], list[torch.Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    shapes.setdefault(tuple(sorted(parameter.shape)), []).append(parameter)
            for members in shapes.values():
                self._update(members, group)

    def _update(self, members: list[torch.Tensor], group: dict[str, Any]) -> None:
        directions = []
        for parameter in members:
            gradient, state = parameter.grad, self.state[parameter]
            assert gradient is not None
            if "momentum" not in state:
                state["momentum"] = torch.zeros_like(gradient)
            state["momentum"].lerp_(gradient, 1 - group["momentum"])
            direction = gradient.lerp(state["momentum"], group["momentum"])
            directions.append(_wide(direction))
        orthogonal = orthogonalize(torch.stack(directions), group["iterations"])
        size = 0.2 * max(members[0].shape) ** 0.5 * group["lr"]
        for parameter, direction in zip(members, orthogonal, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            wide = _wide(parameter)
            wide.add_(direction, alpha=-size)


def orthogonalize(matrices: torch.Tensor, iterations: int) -> torch.Tensor:
    """Return matrices (batch, rows, columns), rows ≤ columns, with all singular values near 1."""
    a, b, c = _COEFFICIENTS
    norms = matrices.flatten(1).norm(dim=1).clamp(min=1e-12)
    result: torch.Tensor = matrices / norms.view(-1, 1, 1)
    for _ in range(iterations):
        square = result @ result.mT
        result = a * result + (b * square + c * (square @ square)) @ result
    return result


def _wide(matrix: torch.Tensor) -> torch.Tensor:
    """Return a view of a matrix that has no more rows than columns."""
    return matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
