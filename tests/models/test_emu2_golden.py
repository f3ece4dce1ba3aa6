"""Emu2's modules against the original's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cobsat.models.conversion import dropped, under
from cobsat.models.emu.replies import Beams
from cobsat.models.emu2.convert import UNUSED, bridge_from, bridge_sizes, convert_state_dict
from cobsat.models.emu2.system import Emu2
from cobsat.models.eva_tower import features
from emu_golden import Original, Parts
from torch import Tensor

pytestmark = pytest.mark.usefixtures("one_thread")


def parts(state: dict[str, Tensor], sizes: dict[str, Any]) -> Parts:
    kept, _ = dropped(state, UNUSED)
    ours = convert_state_dict(kept, ())
    known = {"vision_heads": sizes["vision_heads"], "tokens": sizes["tokens_per_image"]}
    bridge = bridge_from(bridge_sizes(kept, **known), under(ours, "bridge."))
    return under(ours, "language_model."), bridge


@pytest.fixture(scope="module")
def original() -> Original:
    return Original("emu2", Emu2, parts, "projected")


BOUNDARIES: dict[str, Callable[[Original], Tensor]] = {
    "vision": lambda it: features(it.emu.bridge.tower, it.inputs["pixel_values"]),
    "pooled": lambda it: it.emu.bridge.see(it.inputs["pixel_values"]),
    "projected": lambda it: it.emu.bridge.enter(it.outputs["pooled"]),
    "prompt_hidden": Original.hidden,
    "prompt_logits": Original.logits,
    "regressed": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
    "regressed_cached": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
    "regressed_null": lambda it: it.emu.nothing(),
    "greedy_ids": lambda it: it.said(Beams(1), until=-1),
    "beam_ids": lambda it: it.said(Beams(5, length_penalty=-1), until=-1),
    "preprocessed": Original.preprocessed,
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_gives_the_originals_numbers(boundary: str, original: Original) -> None:
    original.assert_gives(boundary, BOUNDARIES[boundary])


def test_every_output_of_the_fixture_is_compared(original: Original) -> None:
    assert set(BOUNDARIES) == set(original.config["outputs"])
    assert original.prompt().slots  # else no picture would take part
    null = original.inputs["null_ids"][0].tolist()
    assert null == [original.words.begin, original.words.picture_begin]


def test_the_whole_way_from_pixels_gives_the_originals_picture(original: Original) -> None:
    pictures = list(original.emu.bridge.read(original.inputs["pixel_values"]))
    original.assert_gives("regressed", lambda it: it.emu.regressed(it.prompt(), pictures))


def test_where_the_norms_stand_shows(original: Original) -> None:
    """A tower with the norms before attention and MLP gives other numbers: the test can fail."""
    block = original.emu.bridge.tower.encoder.layers[0]
    usual = super(type(block), block).forward
    states = original.outputs["vision"]
    assert (block(states) - usual(states)).abs().max() > 0.1
