"""Emu's modules against the originals' own numbers, the pretrained and the instructed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cobsat.models.conversion import dropped, under
from cobsat.models.emu.convert import UNUSED, bridge_from, bridge_sizes, convert_state_dict
from cobsat.models.emu.replies import Beams
from cobsat.models.emu.system import Emu
from cobsat.models.eva_tower import features
from emu_golden import Original, Parts
from torch import Tensor

pytestmark = pytest.mark.usefixtures("one_thread")


def parts(state: dict[str, Tensor], sizes: dict[str, Any]) -> Parts:
    kept, _ = dropped(state, UNUSED)
    ours = convert_state_dict(kept, (), lora_alpha=sizes.get("lora_alpha", 0))
    own = bridge_sizes(kept, vision_heads=sizes["vision_heads"])
    return under(ours, "language_model."), bridge_from(own, under(ours, "bridge."))


@pytest.fixture(scope="module")
def originals() -> dict[str, Original]:
    return {name: Original(name, Emu, parts, "causal") for name in ("emu1", "emu1_instruct")}


_SHARED: dict[str, Callable[[Original], Tensor]] = {
    "prompt_hidden": Original.hidden,
    "prompt_logits": Original.logits,
}
BOUNDARIES: dict[str, dict[str, Callable[[Original], Tensor]]] = {
    "emu1": {
        **_SHARED,
        "vision": lambda it: features(it.emu.bridge.tower, it.inputs["pixel_values"]),
        "vision_ln": lambda it: it.emu.bridge.see(it.inputs["pixel_values"]),
        "causal": lambda it: it.emu.bridge.condense(it.outputs["vision_ln"]),
        "regressed": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
        "regressed_cached": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
        "regressed_null": lambda it: it.emu.nothing(),
        "greedy_ids": lambda it: it.said(Beams(1), until=-1),
        "beam_ids": lambda it: it.said(Beams(5), until=-1),
        "preprocessed": Original.preprocessed,
    },
    "emu1_instruct": {
        **_SHARED,
        "causal": lambda it: it.emu.bridge.read(it.inputs["pixel_values"]),
        "greedy_ids": lambda it: it.said(Beams(1), until=None),
        "beam_ids": lambda it: it.said(Beams(5), until=None),
    },
}


@pytest.mark.parametrize(
    ("name", "boundary"), [(name, each) for name, own in BOUNDARIES.items() for each in own]
)
def test_each_boundary_gives_the_originals_numbers(
    name: str, boundary: str, originals: dict[str, Original]
) -> None:
    originals[name].assert_gives(boundary, BOUNDARIES[name][boundary])


@pytest.mark.parametrize("name", BOUNDARIES)
def test_every_output_of_a_fixture_is_compared(name: str, originals: dict[str, Original]) -> None:
    assert set(BOUNDARIES[name]) == set(originals[name].config["outputs"])
    assert originals[name].prompt().slots  # else no picture would take part


def test_the_whole_way_from_pixels_gives_the_originals_picture(
    originals: dict[str, Original],
) -> None:
    original = originals["emu1"]
    pictures = list(original.emu.bridge.read(original.inputs["pixel_values"]))
    original.assert_gives("regressed", lambda it: it.emu.regressed(it.prompt(), pictures))
