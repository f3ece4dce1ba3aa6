"""SEED-2 against the original's own numbers, and at other sizes.

The fixture is the original module's weights, inputs and outputs at tiny random size (its
`config.json` says what is what).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from cobsat.models.conversion import read_state
from cobsat.models.eva_tower import eva_config, eva_state, features
from cobsat.models.picture_values import picture_values
from cobsat.models.seed_llama import tiny
from cobsat.models.seed_llama.convert import (
    UNUSED,
    convert_state_dict,
    image_tokenizer_from,
    tokenizer_sizes,
)
from cobsat.models.seed_llama.image_tokenizer import (
    ImageTokenizer,
    TokenizerSizes,
)
from PIL import Image
from seed_checkpoints import GOLDEN, published_state

pytestmark = pytest.mark.usefixtures("one_thread")

CONFIG = json.loads((GOLDEN / "config.json").read_text("utf-8"))
SIZES = CONFIG["sizes"]
PUBLISHED = TokenizerSizes(
    image_size=224, patch_size=14, vision_width=1408, vision_layers=39, vision_mlp_width=6144,
    qformer_width=768, qformer_layers=12, qformer_mlp_width=3072, cross_attention_every=2,
    queries=32, codebook_size=8192, code_width=32, reverse_blocks=4, reverse_block_mlp_width=3072,
    down_widths=(256, 128, 32), image_embedding_width=1024,
)  # fmt: skip


def arrays(name: str) -> dict[str, Any]:
    with np.load(GOLDEN / f"{name}.npz", allow_pickle=False) as file:
        return dict(file)


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    return read_state(GOLDEN / "upstream_state.safetensors")


@pytest.fixture(scope="module")
def tokenizer(state: dict[str, torch.Tensor]) -> ImageTokenizer:
    sizes = tokenizer_sizes(state, vision_heads=SIZES["vision_heads"])
    return image_tokenizer_from(sizes, convert_state_dict(state))


Boundary = Callable[[ImageTokenizer, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

BOUNDARIES: dict[str, Boundary] = {
    "vit_out": lambda it, pixels, ids, given: features(it.tower, pixels),
    "vit_ln": lambda it, pixels, ids, given: it.look(pixels),
    "qformer_out": lambda it, pixels, ids, given: it.summarize(it.look(pixels)),
    "z": lambda it, pixels, ids, given: it.to_code(it.summarize(it.look(pixels))),
    "ids": lambda it, pixels, ids, given: it.encode(pixels),
    "code_up": lambda it, pixels, ids, given: it.from_code(it.codebook(ids)),
    "image_embed": lambda it, pixels, ids, given: it.embed(ids),
    "image_embed_given": lambda it, pixels, ids, given: it.embed(given),
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_gives_the_originals_numbers(
    boundary: str, tokenizer: ImageTokenizer
) -> None:
    inputs, expected = arrays("inputs"), arrays("outputs")
    pixels, given = (torch.from_numpy(inputs[n]) for n in ("pixel_values", "given_ids"))
    ids = torch.from_numpy(expected["ids"])
    with torch.inference_mode():
        got = BOUNDARIES[boundary](tokenizer, pixels, ids, given).numpy()
    tolerance = CONFIG["tolerance"][boundary]
    if tolerance == "exact":
        assert (got == expected[boundary]).all()
    else:
        np.testing.assert_allclose(got, expected[boundary], rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    ("resampling", "name"), [("bilinear", "preprocessed"), ("bicubic", "preprocessed_bicubic")]
)
def test_a_picture_is_prepared_as_the_original_does(resampling: str, name: str) -> None:
    picture = Image.fromarray(arrays("inputs")["raw_image"])
    got = picture_values(picture, SIZES["image_size"], resampling).numpy()
    np.testing.assert_allclose(got, arrays("outputs")[name], rtol=0, atol=1e-6)


def test_every_output_of_the_fixture_is_compared() -> None:
    assert {*BOUNDARIES, "preprocessed", "preprocessed_bicubic"} == set(CONFIG["outputs"])


def test_sizes_are_read_from_the_tensors(tokenizer: ImageTokenizer) -> None:
    sizes = tokenizer.sizes
    for name in set(SIZES) & set(sizes.config()) - {"down_widths"}:
        assert getattr(sizes, name) == SIZES[name], name
    assert list(sizes.down_widths) == SIZES["down_widths"]
    ratio = SIZES["reverse_block_mlp_ratio"]
    assert sizes.reverse_block_mlp_width == ratio * SIZES["qformer_width"]
    assert TokenizerSizes.from_config(json.loads(json.dumps(sizes.config()))) == sizes


def test_the_published_size_fits_name_by_name() -> None:
    state = published_state(PUBLISHED, "meta")
    assert tokenizer_sizes(state) == PUBLISHED
    ours = {name: tensor.shape for name, tensor in convert_state_dict(state).items()}
    with torch.device("meta"):
        wanted = {n: t.shape for n, t in ImageTokenizer(PUBLISHED).state_dict().items()}
    assert ours == wanted


@pytest.mark.parametrize(
    "sizes",
    [
        tiny.SIZES,
        replace(tiny.SIZES, queries=9, qformer_layers=2, down_widths=(12,), reverse_blocks=1),
        replace(tiny.SIZES, cross_attention_every=1, vision_layers=1, down_widths=(4, 6, 5, 2)),
        replace(tiny.SIZES, cross_attention_every=3, qformer_layers=5, patch_size=4),
    ],
)
def test_other_sizes_work(sizes: TokenizerSizes) -> None:
    torch.manual_seed(0)
    state = published_state(sizes)
    heads = {
        name: getattr(sizes, name)
        for name in ("vision_heads", "qformer_heads", "reverse_block_heads")
    }
    assert tokenizer_sizes(state, **heads) == sizes
    tokenizer = image_tokenizer_from(sizes, convert_state_dict(state))
    codes = tokenizer.encode(torch.randn(2, 3, sizes.image_size, sizes.image_size))
    assert codes.shape == (2, sizes.queries)
    assert 0 <= int(codes.min()) <= int(codes.max()) < sizes.codebook_size
    assert tokenizer.embed(codes).shape == (2, sizes.image_embedding_width)


def test_a_query_does_not_see_those_after_it(tokenizer: ImageTokenizer) -> None:
    seen = torch.randn(1, 17, SIZES["vision_width"], generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        before = tokenizer.summarize(seen)
        queries = tokenizer.queries.clone()
        try:
            tokenizer.queries[:, 20] = queries[:, 20].flip(-1)
            after = tokenizer.summarize(seen)
        finally:
            tokenizer.queries.copy_(queries)
    changed = (before - after).abs().amax(dim=(0, 2)) > 1e-6
    assert changed.tolist() == [place >= 20 for place in range(32)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("ln_vision.bias"), "1 missing: tower.post_layernorm.bias"),
        (lambda s: s.pop("blocks_image.1.norm2.weight"), "missing: reverse.layers.1.layer_norm2"),
        (
            lambda s: s.update({"visual_encoder.head.weight": torch.zeros(1)}),
            r"of an EVA tower must be known by name, got 1 that are not: head\.weight; --drop",
        ),
        (
            lambda s: s.update({"cls.predictions": torch.zeros(1), "rest": torch.zeros(1)}),
            r"image tokenizer must be known by name, got 2 that are not: cls\.predictions, rest;",
        ),
        (
            lambda s: s.update({"distill_image_proj.bias": torch.zeros(3)}),
            r"1 of another shape: to_embedding\.bias \(3,\) for \(64,\)",
        ),
        (
            lambda s: s.pop("visual_encoder.blocks.0.attn.v_bias"),
            r"must have blocks\.0\.attn\.v_bias beside blocks\.0\.attn\.q_bias",
        ),
    ],
)
def test_weights_that_do_not_fit_are_named(
    change: Callable[[dict[str, torch.Tensor]], Any],
    message: str,
    state: dict[str, torch.Tensor],
    tokenizer: ImageTokenizer,
) -> None:
    changed = dict(state)
    change(changed)
    with pytest.raises(ValueError, match=message):
        image_tokenizer_from(tokenizer.sizes, convert_state_dict(changed))


def test_what_takes_no_part_is_dropped_by_name(state: dict[str, torch.Tensor]) -> None:
    assert UNUSED == ("blocks.*", "pos_embed", "Qformer.bert.embeddings.position_ids")
    with pytest.raises(ValueError, match=r"got 26 that are not: .*position_ids"):
        convert_state_dict(state, drop=())


@pytest.mark.parametrize("missing", ["query_tokens", "quantize.embedding.weight"])
def test_a_state_that_is_none_of_seeds_is_refused(
    missing: str, state: dict[str, torch.Tensor]
) -> None:
    less = {name: tensor for name, tensor in state.items() if name != missing}
    with pytest.raises(ValueError, match=f"must have the tensor '{missing}', got none"):
        tokenizer_sizes(less, vision_heads=4)


def test_a_tower_that_is_none_is_refused(state: dict[str, torch.Tensor]) -> None:
    tower = {
        name.removeprefix("visual_encoder."): tensor
        for name, tensor in state.items()
        if name.startswith("visual_encoder.")
    }
    with pytest.raises(ValueError, match="heads must divide the tower's width 44, got 16"):
        eva_config(tower, 16, 1e-6)
    with pytest.raises(ValueError, match="a square of patches, got 16 places"):
        eva_config({**tower, "pos_embed": tower["pos_embed"][:, 1:]}, 4, 1e-6)
    with pytest.raises(ValueError, match=r"must have patch_embed\.proj\.weight and pos_embed"):
        eva_config({}, 4, 1e-6)
    biases = eva_state(tower, {})["encoder.layers.1.self_attn.qkv.bias"]
    assert biases[44:88].abs().max() == 0  # keys have none
    assert torch.equal(biases[:44], tower["blocks.1.attn.q_bias"])
    assert torch.equal(biases[88:], tower["blocks.1.attn.v_bias"])
