"""Emu's modules against the originals' own numbers, the pretrained and the instructed one.

The fixtures are the original modules' weights, inputs and outputs at tiny random size (their
`config.json` say what is what).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from cobsat.models.conversion import dropped, read_state, under
from cobsat.models.emu.convert import (
    UNUSED,
    bridge_from,
    bridge_sizes,
    convert_state_dict,
    language_model_from,
    llama_config,
)
from cobsat.models.emu.replies import Asked, Beams, Speaker
from cobsat.models.emu.system import Emu
from cobsat.models.emu.words import Vocabulary
from cobsat.models.eva_tower import features
from cobsat.models.picture_values import picture_values
from cobsat.models.spliced import Prompt
from cobsat.models.vlm_generation import Decoding
from PIL import Image
from torch import Tensor

pytestmark = pytest.mark.usefixtures("one_thread")

HOME = Path(__file__).parent / "golden"


class Fixture:
    """One original: its sizes, inputs, outputs, and ours with its weights, loaded strictly."""

    def __init__(self, name: str) -> None:
        self.config = json.loads((HOME / name / "config.json").read_text("utf-8"))
        self.sizes = sizes = self.config["sizes"]
        self.inputs, self.outputs = self.arrays(name, "inputs"), self.arrays(name, "outputs")
        kept, _ = dropped(read_state(HOME / name / "upstream_state.safetensors"), UNUSED)
        ours = convert_state_dict(kept, (), lora_alpha=sizes.get("lora_alpha", 0))
        language = under(ours, "language_model.")
        config = llama_config(
            language, num_attention_heads=sizes["lm_heads"], rms_norm_eps=sizes["lm_norm_eps"]
        )
        config.bos_token_id, config.eos_token_id = sizes["bos_id"], sizes["eos_id"]
        bridge = bridge_from(
            bridge_sizes(kept, vision_heads=sizes["vision_heads"]), under(ours, "bridge.")
        )
        self.words = Vocabulary(
            sizes["bos_id"], sizes["eos_id"], sizes["pad_id"], sizes["img_start_id"],
            sizes["img_end_id"], sizes["image_slot_id"], None, None, bridge.sizes.causal_tokens,
        )  # fmt: skip
        self.emu = Emu(language_model_from(config, language), Words, bridge, None, self.words)

    @staticmethod
    def arrays(name: str, which: str) -> dict[str, Tensor]:
        with np.load(HOME / name / f"{which}.npz", allow_pickle=False) as file:
            return {key: torch.from_numpy(array) for key, array in file.items()}

    def prompt(self, ids: str = "prompt_ids", until: int | None = None) -> Prompt:
        row = self.inputs[ids][0].tolist()[:until]
        begin = self.words.picture_begin
        last = len(row) - 1
        return Prompt(
            tuple(row), tuple(n + 1 for n, i in enumerate(row) if i == begin and n != last)
        )

    def pictures(self) -> list[Tensor]:
        """As the original made them, so that each boundary stands alone."""
        return list(self.outputs["causal"])

    def hidden(self) -> Tensor:
        given = self.emu.embeddings(self.prompt(), self.pictures())[None]
        hidden: Tensor = self.emu.language_model.model(inputs_embeds=given).last_hidden_state
        return hidden

    def logits(self) -> Tensor:
        given = self.emu.embeddings(self.prompt(), self.pictures())[None]
        scores: Tensor = self.emu.language_model(inputs_embeds=given).logits
        return scores

    def said(self, beams: int, until: int | None) -> Tensor:
        """A reply of at most eight tokens, its end put back."""
        speaker = Speaker(self.emu, Decoding(max_new_tokens=8), Beams(beams), 2048)
        (said,) = speaker.text([Asked(self.prompt(until=until), self.pictures(), 0)])
        ends = [self.words.end] if said.finish_reason == "stop" else []
        return torch.tensor([[*said.ids, *ends]])


class Words:
    """As much of a tokenizer as asking needs: the fixtures' prompts are ids."""

    pad_token_id = 60
    eos_token_id = 2


@pytest.fixture(scope="module")
def originals() -> dict[str, Fixture]:
    return {name: Fixture(name) for name in ("emu1", "emu1_instruct")}


_SHARED: dict[str, Callable[[Fixture], Tensor]] = {
    "prompt_hidden": Fixture.hidden,
    "prompt_logits": Fixture.logits,
}
BOUNDARIES: dict[str, dict[str, Callable[[Fixture], Tensor]]] = {
    "emu1": {
        **_SHARED,
        "vision": lambda it: features(it.emu.bridge.tower, it.inputs["pixel_values"]),
        "vision_ln": lambda it: it.emu.bridge.see(it.inputs["pixel_values"]),
        "causal": lambda it: it.emu.bridge.condense(it.outputs["vision_ln"]),
        "regressed": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
        "regressed_cached": lambda it: it.emu.regressed(it.prompt(), it.pictures()),
        "regressed_null": lambda it: it.emu.nothing(),
        "greedy_ids": lambda it: it.said(1, until=-1),
        "beam_ids": lambda it: it.said(5, until=-1),
        "preprocessed": lambda it: picture_values(
            Image.fromarray(it.inputs["raw_image"].numpy()), it.emu.bridge.sizes.image_size
        ),
    },
    "emu1_instruct": {
        **_SHARED,
        "causal": lambda it: it.emu.bridge.read(it.inputs["pixel_values"]),
        "greedy_ids": lambda it: it.said(1, until=None),
        "beam_ids": lambda it: it.said(5, until=None),
    },
}


@pytest.mark.parametrize(
    ("name", "boundary"), [(name, each) for name, own in BOUNDARIES.items() for each in own]
)
def test_each_boundary_gives_the_originals_numbers(
    name: str, boundary: str, originals: dict[str, Fixture]
) -> None:
    original = originals[name]
    with torch.inference_mode():
        got = BOUNDARIES[name][boundary](original)
    expected, tolerance = original.outputs[boundary], original.config["tolerance"][boundary]
    if tolerance == "exact":
        assert torch.equal(got, expected)
    else:
        torch.testing.assert_close(got, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", BOUNDARIES)
def test_every_output_of_a_fixture_is_compared(name: str, originals: dict[str, Fixture]) -> None:
    assert set(BOUNDARIES[name]) == set(originals[name].config["outputs"])
    assert originals[name].prompt().slots  # else no picture would take part


def test_the_whole_way_from_pixels_gives_the_originals_picture(
    originals: dict[str, Fixture],
) -> None:
    original = originals["emu1"]
    pictures = list(original.emu.bridge.read(original.inputs["pixel_values"]))
    got = original.emu.regressed(original.prompt(), pictures)
    tolerance = original.config["tolerance"]["regressed"]
    torch.testing.assert_close(got, original.outputs["regressed"], rtol=0, atol=tolerance)
