"""Drawing tokens, seeds, and errors that mean there is no memory."""

from __future__ import annotations

import torch
from cobsat.models.seeds import example_seed
from cobsat.models.vlm_generation import _Draw, is_out_of_memory
from transformers import TopPLogitsWarper


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    chances = torch.tensor([0.5, 0.0, 0.3, 0.2])
    scores = chances.log()[None].repeat(4000, 1)
    drawn = _Draw(range(4000))(torch.zeros(4000, 1, dtype=torch.long), scores).argmax(dim=-1)
    rates = torch.bincount(drawn, minlength=4) / 4000
    assert rates[1] == 0
    torch.testing.assert_close(rates, chances, atol=0.03, rtol=0)


def test_what_top_p_leaves_out_is_never_drawn() -> None:
    scores = torch.tensor([0.5, 0.26, 0.24]).log()[None].repeat(500, 1)
    kept = TopPLogitsWarper(0.7)(None, scores)
    drawn = _Draw(range(500))(None, kept).argmax(dim=-1)
    assert set(drawn.tolist()) == {0, 1}


def test_each_row_goes_on_with_numbers_of_its_own() -> None:
    scores = torch.zeros(2, 50)
    draw, alone = _Draw([7, 8]), _Draw([8])
    both = [draw(None, scores).argmax(dim=-1)[1].item() for _ in range(6)]
    assert both == [alone(None, scores[:1]).argmax(dim=-1).item() for _ in range(6)]
    assert len(set(both)) > 1


def test_seeds_differ_by_run_example_and_round() -> None:
    seeds = {example_seed(s, e, t) for s in (0, 1) for e in ("a", "b") for t in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_errors_that_mean_there_is_no_memory() -> None:
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory."))
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
    )
    assert is_out_of_memory(RuntimeError("MPS backend out of memory"))
    assert not is_out_of_memory(RuntimeError("shapes do not match"))
    assert not is_out_of_memory(ValueError("out of memory"))
