"""GILL's modules against the original's own numbers, and at other sizes.

The fixture is the original module's weights, inputs and outputs at tiny random size (its
`config.json` says what is what).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from cobsat.models.conversion import load_strictly, read_state, under
from cobsat.models.gill.convert import bridge_from, bridge_sizes, convert_state_dict
from cobsat.models.gill.prompts import Prompt, Vocabulary
from cobsat.models.gill.replies import Asked, DrawingRule, Speaker
from cobsat.models.gill.system import Gill, picture_processor
from cobsat.models.vlm_generation import Decoding
from PIL import Image
from torch import Tensor

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden" / "gill"
CONFIG = json.loads((GOLDEN / "config.json").read_text("utf-8"))
SIZES = CONFIG["sizes"]


def arrays(name: str) -> dict[str, Any]:
    with np.load(GOLDEN / f"{name}.npz", allow_pickle=False) as file:
        return dict(file)


@pytest.fixture(scope="module")
def state() -> dict[str, Tensor]:
    return read_state(GOLDEN / "upstream_state.safetensors")


def parts(state: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return under(convert_state_dict(state), f"{name}.")


class Words:
    """As much of a tokenizer as asking needs: the fixture's prompts are ids."""

    pad_token_id = SIZES["pad_id"]
    eos_token_id = SIZES["bos_id"]


@pytest.fixture(scope="module")
def system(state: dict[str, Tensor]) -> Gill:
    """The original at the fixture's size, of parts that are loaded strictly."""
    opt: Any = transformers.OPTForCausalLM(
        transformers.OPTConfig(
            vocab_size=SIZES["vocabulary_with_added"], hidden_size=SIZES["lm_width"],
            ffn_dim=SIZES["lm_feed_forward"], num_hidden_layers=SIZES["lm_layers"],
            num_attention_heads=SIZES["lm_heads"], bos_token_id=SIZES["bos_id"],
            max_position_embeddings=SIZES["lm_max_positions"], pad_token_id=SIZES["pad_id"],
            eos_token_id=SIZES["bos_id"], activation_function=SIZES["lm_activation"],
        )
    ).eval()  # fmt: skip
    load_strictly(opt, parts(state, "language_model"), "OPT")
    opt.tie_weights()
    clip: Any = transformers.CLIPVisionModel(
        transformers.CLIPVisionConfig(
            hidden_size=SIZES["vision_width"], intermediate_size=SIZES["vision_feed_forward"],
            num_hidden_layers=SIZES["vision_layers"], num_attention_heads=SIZES["vision_heads"],
            image_size=SIZES["image_size"], patch_size=SIZES["patch_size"],
            hidden_act=SIZES["vision_activation"], layer_norm_eps=SIZES["vision_norm_eps"],
        )
    ).eval()  # fmt: skip
    load_strictly(clip, parts(state, "vision"), "CLIP")
    ours = parts(state, "bridge")
    bridge = bridge_from(bridge_sizes(ours, mapper_heads=SIZES["mapper_heads"]), ours)
    first, *rest = SIZES["img_token_ids"]
    vocabulary = Vocabulary(
        SIZES["bos_id"], SIZES["bos_id"], SIZES["image_token_id"], first, 1 + len(rest),
        SIZES["tokens_per_image"],
    )  # fmt: skip
    assert vocabulary.drawn == SIZES["img_token_ids"]
    return Gill(opt, Words(), clip, bridge, None, vocabulary)


INPUTS = {name: torch.from_numpy(array) for name, array in arrays("inputs").items()}
OUTPUTS = {name: torch.from_numpy(array) for name, array in arrays("outputs").items()}
TEXTS = [INPUTS[f"text_{number}"].tolist() for number in (1, 2, 3)]


def prompt(with_pictures: bool) -> Prompt:
    begin, slots = [SIZES["bos_id"]], [SIZES["image_token_id"]] * SIZES["tokens_per_image"]
    if not with_pictures:
        return Prompt((*begin, *TEXTS[0], *TEXTS[1], *TEXTS[2]), ())
    ids = [*begin, *TEXTS[0], *slots, *TEXTS[1], *slots, *TEXTS[2]]
    return Prompt(tuple(ids), (5, 12))


def seen(system: Gill) -> list[Tensor]:
    """The prompt's pictures as the original made them, so that each boundary stands alone."""
    return list(OUTPUTS["visual_embeddings"])


def logits(system: Gill, with_pictures: bool) -> Tensor:
    given = system.embeddings(prompt(with_pictures), seen(system) if with_pictures else [])
    scores: Tensor = system.language_model(inputs_embeds=given[None]).logits
    return scores


def hidden(system: Gill) -> Tensor:
    """The hidden states that the mapper is given, as `Gill.condition` takes them."""
    kept: list[Tensor] = []
    handle = system.language_model.model.decoder.final_layer_norm.register_forward_hook(
        lambda module, given, got: kept.append(got)
    )
    system.condition(prompt(True), seen(system), system.vocabulary.drawn)
    handle.remove()
    return kept[0][:, -system.vocabulary.count :]


def first_step(system: Gill) -> Tensor:
    scores = logits(system, True)[:, -1]
    before = torch.tensor([prompt(True).ids])
    scaled = DrawingRule(system.vocabulary, scale=100.0)(before, scores)
    return scaled.masked_fill(scaled == -torch.inf, -1e30)


def spoken(system: Gill) -> Tensor:
    """Two steps of the original: each appends all eight tokens."""
    steps = len(system.vocabulary.drawn) * 2
    speaker = Speaker(system, Decoding(max_new_tokens=steps), SIZES["lm_max_positions"], 100.0)
    asked = Asked(prompt(True), list(OUTPUTS["visual_embeddings"]), 0)
    return torch.tensor([said.ids for said in speaker._replies([asked], 100.0, False)])


BOUNDARIES: dict[str, Callable[[Gill], Tensor]] = {
    "pooled": lambda it: it.vision(pixel_values=INPUTS["pixel_values"]).pooler_output,
    "visual_embeddings": lambda it: it.bridge.read(OUTPUTS["pooled"]),
    "logits_with_images": lambda it: logits(it, True),
    "logits_text_only": lambda it: logits(it, False),
    "img_hidden": hidden,
    "prompt_embeds": lambda it: it.condition(prompt(True), seen(it), it.vocabulary.drawn),
    "mapper_alone": lambda it: it.bridge.condition(
        INPUTS["mapper_hidden"], INPUTS["mapper_embeddings"]
    ),
    "first_step_logits_scaled": first_step,
    "generated_ids": spoken,
    "preprocessed": lambda it: picture_processor(SIZES["image_size"])(
        Image.fromarray(INPUTS["raw_image"].numpy()), return_tensors="pt"
    )["pixel_values"][0],
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_gives_the_originals_numbers(boundary: str, system: Gill) -> None:
    with torch.inference_mode():
        got = BOUNDARIES[boundary](system)
    expected, tolerance = OUTPUTS[boundary], CONFIG["tolerance"][boundary]
    assert got.shape == expected.shape
    if tolerance == "exact":
        assert torch.equal(got, expected)
        return
    if isinstance(tolerance, dict):
        real = expected > -1e30
        assert torch.equal(got > -1e30, real)
        got, expected = got[real], expected[real]
        tolerance = tolerance["relative_to_largest"] * float(expected.abs().max())
    torch.testing.assert_close(got, expected, rtol=0, atol=tolerance)


def test_every_output_of_the_fixture_is_compared() -> None:
    assert set(BOUNDARIES) == set(CONFIG["outputs"])


def test_the_whole_way_from_pixels_gives_the_originals_condition(system: Gill) -> None:
    with torch.inference_mode():
        pooled = system.vision(pixel_values=INPUTS["pixel_values"]).pooler_output
    pictures = list(system.bridge.read(pooled))
    (said,) = Speaker(system, Decoding(max_new_tokens=1), SIZES["lm_max_positions"], 100.0).drawing(
        [Asked(prompt(True), pictures, 0)]
    )
    assert said.ids == tuple(SIZES["img_token_ids"])
    assert said.condition is not None
    tolerance = CONFIG["tolerance"]["prompt_embeds"]
    torch.testing.assert_close(said.condition, OUTPUTS["prompt_embeds"], rtol=0, atol=tolerance)
