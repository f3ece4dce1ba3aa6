"""Drawing tokens, seeds, texts that end a reply, and errors that mean there is no memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from cobsat.models.seeds import example_seed
from cobsat.models.vlm_generation import (
    Decoding,
    Sound,
    StopText,
    _Draw,
    each_whole,
    generate,
    is_out_of_memory,
    set_decoding,
)
from transformers import LlamaConfig, LlamaForCausalLM, LlamaTokenizer, TopPLogitsWarper


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


def test_a_row_whose_scores_are_no_numbers_ends_and_the_others_go_on() -> None:
    sound, draw = Sound(5, frozenset({2})), _Draw(range(5))
    scores = torch.tensor([[0.0, 1.0, -torch.inf]] * 5)
    assert torch.equal(sound(None, scores), scores)
    broken = scores.clone()
    broken[1, 0], broken[3, 0], broken[4] = torch.nan, torch.inf, -torch.inf
    ruled = sound(None, broken)
    assert torch.equal(ruled[::2][:2], scores[:2])
    assert draw(None, ruled).argmax(dim=-1)[[1, 3, 4]].tolist() == [2, 2, 2]
    assert sound(None, scores)[1].tolist() == [-torch.inf, -torch.inf, 0.0]  # it stays so
    assert sound.rows() == [True, False, True, False, False]


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


SPELLINGS = [
    "<unk>", "<s>", "</s>", "▁", *"abcdef#", "##", "###", "▁###", "b#", "##a", "é",
]  # fmt: skip
STOPS = {
    "one token": (["a", "###", "b"], ["a"]),
    "one token after a space": (["a", "▁###", "b"], ["a"]),
    "two": (["a", "##", "#", "b"], ["a"]),
    "single letters": (["a", "é", "#", "#", "#"], ["a", "é"]),
    "a token begins it": (["a", "b#", "##", "b"], ["a"]),
    "a token goes on after it": (["a", "#", "##a", "b"], ["a"]),
    "at once": (["###", "a"], []),
    "not the whole": (["a", "##", "b", "#"], None),
}


@pytest.fixture(scope="module")
def words() -> Any:
    return LlamaTokenizer(vocab={name: n for n, name in enumerate(SPELLINGS)}, merges=[])


@pytest.mark.parametrize("case", STOPS)
def test_a_text_ends_a_reply_in_whichever_tokens_it_comes(words: Any, case: str) -> None:
    said, kept = STOPS[case]
    stop = StopText(words, "###")
    ids = [SPELLINGS.index(name) for name in said]
    wanted = (ids, False) if kept is None else ([SPELLINGS.index(name) for name in kept], True)
    assert stop.cut(ids, False) == wanted
    rows = [bool(stop.criterion(torch.tensor([ids[:n]]), None)) for n in range(1, len(ids) + 1)]
    assert rows.count(True) == (kept is not None)


def test_each_row_ends_where_it_says_the_text(words: Any) -> None:
    model = _says_in_turn(["a", "##", "#", "b"])
    ends = set_decoding(model, words, decoding := Decoding(max_new_tokens=9))
    first, whole, one, last = (SPELLINGS.index(name) for name in ("a", "##", "#", "b"))
    prompts = torch.tensor([[first], [whole]])  # with "#", the second's prompt has the text
    inputs = {"input_ids": prompts, "attention_mask": torch.ones_like(prompts)}
    ask = (model, inputs, [1, 1], [0, 0], decoding, 64, ends)
    assert generate(*ask, stop=StopText(words, "###")) == [([], True), ([one, last, first], True)]
    turn = [first, whole, one, last] * 3
    assert generate(*ask) == [(turn[1:10], False), (turn[2:11], False)]


def _says_in_turn(names: list[str]) -> Any:
    """Return a LLaMA that says these tokens over and over."""
    config = LlamaConfig(
        vocab_size=len(SPELLINGS), hidden_size=16, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, num_key_value_heads=1, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    model: Any = LlamaForCausalLM(config)
    ids = [SPELLINGS.index(name) for name in names]
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        model.model.norm.weight.fill_(1)
        for token, following in zip(ids, ids[1:] + ids[:1], strict=True):
            model.model.embed_tokens.weight[token, token] = 1
            model.lm_head.weight[following, token] = 1
    return model.eval()


def test_a_row_that_breaks_beside_others_is_asked_again_alone() -> None:
    asked: list[list[str]] = []

    def ask(batch: Sequence[str]) -> list[str | None]:
        asked.append(list(batch))
        broken = {"never": True, "in a batch": len(batch) > 1}
        return [None if broken.get(item) else item.upper() for item in batch]

    batch = ["sound", "in a batch", "never"]
    assert each_whole(batch, ask) == ["SOUND", "IN A BATCH", None]
    assert asked == [batch, ["in a batch"], ["never"]]
    asked.clear()
    assert each_whole(["never"], ask) == [None]
    assert asked == [["never"]]
