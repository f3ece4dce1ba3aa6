"""LoRA weights side by side with those that they change, merged by hand and as PEFT merges them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from cobsat.models.lora import merged
from peft import LoraConfig, get_peft_model
from torch import nn


@pytest.mark.parametrize("adapter", [".default", ""])
def test_lora_weights_are_merged(adapter: str) -> None:
    base, name = torch.ones(2, 3), "layers.0.self_attn.q_proj"
    other = f"{name}.lora_B{adapter}.weight"
    state = {
        f"{name}.weight": base,
        f"{name}.lora_A{adapter}.weight": torch.tensor([[1.0, 2.0, 3.0]]),
        other: torch.tensor([[1.0], [-1.0]]),
        "norm.weight": torch.zeros(2),
    }
    got = merged(state, 2, "it")
    assert got.keys() == {f"{name}.weight", "norm.weight"}
    assert got[f"{name}.weight"].tolist() == [[3, 5, 7], [-1, -3, -5]]
    assert base.tolist() == [[1, 1, 1], [1, 1, 1]]
    half = merged({**state, f"{name}.weight": base.bfloat16()}, 2, "it")
    assert half[f"{name}.weight"].dtype == torch.bfloat16
    for lost in (f"{name}.weight", other):
        with pytest.raises(ValueError, match=r"it must have .*q_proj\.weight and .*got not both"):
            merged({key: value for key, value in state.items() if key != lost}, 2, "it")


def test_a_lora_weight_without_its_first_half_is_no_tensor_of_the_model() -> None:
    """It stays, for the strict table of names to find."""
    state = {"q_proj.weight": torch.ones(1, 1), "q_proj.lora_B.default.weight": torch.ones(1, 1)}
    assert merged(state, 2, "it").keys() == state.keys()


def test_it_is_what_peft_makes_of_them() -> None:
    torch.manual_seed(0)
    model: Any = get_peft_model(
        nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4)),  # type: ignore[arg-type]
        LoraConfig(r=3, lora_alpha=7, target_modules=["0", "2"], init_lora_weights=False),
    )
    names = (name.replace(".base_layer", "") for name in model.state_dict())
    got = merged(dict(zip(names, model.state_dict().values(), strict=True)), 7, "it")
    expected = model.merge_and_unload().state_dict()
    assert {f"base_model.model.{name}" for name in expected} == set(got)
    for name, tensor in expected.items():
        torch.testing.assert_close(got[f"base_model.model.{name}"], tensor)
