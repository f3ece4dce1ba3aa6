"""Muon: the direction is orthogonal, the size AdamW's, tall and wide matrices alike."""

from __future__ import annotations

import copy

import torch
from cobsat.train.muon import Muon, orthogonalize


def test_singular_values_come_near_one() -> None:
    generator = torch.Generator().manual_seed(0)
    matrices = torch.randn(3, 20, 50, generator=generator) * 7
    values = torch.linalg.svdvals(orthogonalize(matrices, 5))
    assert 0.6 < values.min().item() <= values.max().item() < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    nearest = left @ right  # the orthogonal matrix of the same directions
    found = orthogonalize(matrices, 5)
    agreement = torch.nn.functional.cosine_similarity(found.flatten(1), nearest.flatten(1))
    assert agreement.min().item() > 0.95


def test_a_step_is_of_adamw_s_size_and_shape_does_not_matter() -> None:
    generator = torch.Generator().manual_seed(0)
    gradient = torch.randn(30, 80, generator=generator)
    wide, tall = torch.zeros(30, 80, requires_grad=True), torch.zeros(80, 30, requires_grad=True)
    idle = torch.ones(5, 5, requires_grad=True)
    optimizer = Muon([wide, tall, idle], lr=0.01, weight_decay=0.1)
    wide.grad, tall.grad = gradient.clone(), gradient.T.clone()
    optimizer.step()
    assert torch.allclose(wide.detach(), tall.detach().T, atol=1e-6)
    assert 0.1 < wide.detach().square().mean().sqrt().item() / 0.01 < 0.3
    assert (wide.detach() * gradient).sum().item() < 0
    assert torch.equal(idle.detach(), torch.ones(5, 5))


def test_weights_decay_and_momentum_lasts() -> None:
    weight = torch.eye(4, requires_grad=True)
    optimizer = Muon([weight], lr=0.5, weight_decay=0.1)
    weight.grad = torch.zeros(4, 4)
    optimizer.step()
    assert torch.allclose(weight.detach(), torch.eye(4) * 0.95)
    weight.grad = torch.eye(4)
    optimizer.step()
    before = weight.detach().clone()
    weight.grad = torch.zeros(4, 4)
    optimizer.step()
    assert (weight.detach() - before * 0.95).diag().max().item() < 0


def test_state_is_kept() -> None:
    first, second = (torch.zeros(4, 6, requires_grad=True) for _ in range(2))
    one, other = (Muon([w], lr=0.1, weight_decay=0.0) for w in (first, second))
    gradients = torch.randn(3, 4, 6, generator=torch.Generator().manual_seed(1))
    for gradient in gradients[:2]:
        first.grad = gradient
        one.step()
    second.data.copy_(first.data)
    other.load_state_dict(copy.deepcopy(one.state_dict()))
    for weight, optimizer in ((first, one), (second, other)):
        weight.grad = gradients[2]
        optimizer.step()
    assert torch.equal(first, second)
