"""Qwen-VL-Chat's parts against the original's own numbers, and at other sizes.

The fixture is the original module's weights, inputs and outputs at tiny random size (its
`config.json` says what is what).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat.models.conversion import read_state, under
from cobsat.models.picture_values import picture_values
from cobsat.models.qwen_vl_chat.convert import (
    convert_state_dict,
    language_model_from,
    text_config,
    vision_from,
    vision_sizes,
)
from cobsat.models.qwen_vl_chat.language_model import log_n, ntk_alpha
from cobsat.models.qwen_vl_chat.prompts import Prompt
from cobsat.models.qwen_vl_chat.system import QwenVLChat
from cobsat.models.qwen_vl_chat.vision import VisionSizes, stretched
from cobsat.models.qwen_vl_chat.words import Vocabulary
from PIL import Image
from qwen_vl_checkpoints import (
    PUBLISHED,
    SMALL,
    TextSizes,
    published_config,
    published_state,
)

pytestmark = pytest.mark.usefixtures("one_thread")

GOLDEN = Path(__file__).parent / "golden" / "qwen_vl"
FIXTURE = json.loads((GOLDEN / "config.json").read_text("utf-8"))
SIZES = FIXTURE["sizes"]
CONFIG = {
    "num_attention_heads": SIZES["heads"],
    "layer_norm_epsilon": SIZES["norm_eps"],
    "rotary_emb_base": SIZES["rope_theta"],
    "seq_length": SIZES["seq_length"],
    "max_position_embeddings": 512,
    "use_dynamic_ntk": True,
    "use_logn_attn": True,
    "visual": {"heads": SIZES["vision_heads"], "image_size": SIZES["image_size"]},
}


def arrays(name: str) -> dict[str, Any]:
    with np.load(GOLDEN / f"{name}.npz", allow_pickle=False) as file:
        return {key: torch.from_numpy(value) for key, value in file.items()}


INPUTS = arrays("inputs")


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    return read_state(GOLDEN / "upstream_state.safetensors")


@pytest.fixture(scope="module")
def system(state: dict[str, torch.Tensor]) -> QwenVLChat:
    ours = convert_state_dict(state, SIZES["vision_heads"])
    model = language_model_from(text_config(CONFIG, state), under(ours, "language_model."))
    vision = vision_from(vision_sizes(CONFIG, state), under(ours, "vision."))
    special = (SIZES[f"image_{name}_id"] for name in ("start", "end", "pad"))
    words = Vocabulary(0, 1, 2, *special, new_line=3, count=SIZES["queries"])
    return QwenVLChat(model, None, vision, words)


def logits(system: QwenVLChat, ids: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = system.language_model(ids).logits
    return result


def cached(system: QwenVLChat, prompt: torch.Tensor) -> torch.Tensor:
    """Return the logits of a prompt's last token, then of each token that follows it."""
    model = system.language_model
    output = model(prompt, use_cache=True)
    rows = [output.logits[:, -1:]]
    for token in INPUTS["continue_ids"].T[:, :, None]:
        output = model(token, cache=output.cache, use_cache=True)
        rows.append(output.logits)
    return torch.cat(rows, dim=1)


def with_pictures(system: QwenVLChat) -> torch.Tensor:
    ids = INPUTS["image_prompt_ids"][0].tolist()
    slots = [n + 1 for n, token in enumerate(ids) if token == SIZES["image_start_id"]]
    pictures = list(system.vision(INPUTS["pixel_values"]))
    embeddings = system.embedded(Prompt(tuple(ids), tuple(slots)), pictures)
    result: torch.Tensor = system.language_model(inputs_embeds=embeddings[None]).logits
    return result


def preprocessed(system: QwenVLChat) -> torch.Tensor:
    picture = Image.fromarray(INPUTS["raw_image"].numpy())
    return picture_values(picture, system.vision.sizes.image_size)


BOUNDARIES: dict[str, Callable[[QwenVLChat], torch.Tensor]] = {
    "preprocessed": preprocessed,
    "tower": lambda it: it.vision.look(INPUTS["pixel_values"]),
    "resampled": lambda it: it.vision.resample(it.vision.look(INPUTS["pixel_values"])),
    "visual": lambda it: it.vision(INPUTS["pixel_values"]),
    "logits_short": lambda it: logits(it, INPUTS["short_ids"]),
    "logits_long": lambda it: logits(it, INPUTS["long_ids"]),
    "logits_image_prompt": with_pictures,
    "logits_cached_long": lambda it: cached(it, INPUTS["long_ids"]),
    "logits_cached_crossing": lambda it: cached(
        it, INPUTS["long_ids"][:, : SIZES["seq_length"] - 2]
    ),
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_gives_the_originals_numbers(boundary: str, system: QwenVLChat) -> None:
    with torch.inference_mode():
        got = BOUNDARIES[boundary](system)
    tolerance = FIXTURE["tolerance"][boundary]
    np.testing.assert_allclose(got, arrays("outputs")[boundary], rtol=0, atol=tolerance)


def test_every_output_of_the_fixture_is_compared() -> None:
    assert set(BOUNDARIES) == set(FIXTURE["outputs"]) == set(FIXTURE["tolerance"])


def test_sizes_are_read_from_tensors_and_config(system: QwenVLChat) -> None:
    sizes = system.vision.sizes
    names = {
        "image_size": "image_size", "patch_size": "patch_size", "width": "vision_width",
        "layers": "vision_layers", "heads": "vision_heads", "mlp_width": "vision_mlp_width",
        "position_rows": "vision_position_rows", "queries": "queries",
        "output_width": "resampler_width", "resampler_heads": "resampler_heads",
        "norm_eps": "vision_norm_eps",
    }  # fmt: skip
    assert sizes.config() == {ours: SIZES[theirs] for ours, theirs in names.items()}
    config = system.language_model.config
    assert config.vocab_size == SIZES["vocabulary"]
    assert config.intermediate_size == SIZES["mlp_hidden"]
    assert config.num_hidden_layers == SIZES["layers"]
    assert VisionSizes(**json.loads(json.dumps(sizes.config()))) == sizes


def test_the_published_size_fits_name_by_name() -> None:
    state, config = published_state(*PUBLISHED, "meta"), published_config(*PUBLISHED)
    assert vision_sizes(config, state) == PUBLISHED[1]
    text = text_config(config, state)
    ours = convert_state_dict(state, 16)
    model = language_model_from(text, under(ours, "language_model."))
    vision_from(PUBLISHED[1], under(ours, "vision."))
    counted = sum(t.numel() for t in model.parameters()), sum(t.numel() for t in state.values())
    assert counted == (7_721_324_544, 9_656_935_168)  # the published 7.7 and 9.6 billion


@pytest.mark.parametrize(
    ("text", "vision"),
    [
        SMALL,
        (
            replace(SMALL[0], layers=1, width=256, heads=2),
            replace(SMALL[1], output_width=256, resampler_heads=2, queries=9, layers=1),
        ),
        # A tower as wide as the language model has nothing to widen.
        (SMALL[0], replace(SMALL[1], width=128, position_rows=49, image_size=14, patch_size=2)),
    ],
)
def test_other_sizes_work(text: TextSizes, vision: VisionSizes) -> None:
    torch.manual_seed(0)
    state, config = published_state(text, vision), published_config(text, vision)
    assert vision_sizes(config, state) == vision
    ours = convert_state_dict(state, vision.heads)
    model = language_model_from(text_config(config, state), under(ours, "language_model."))
    tower = vision_from(vision, under(ours, "vision."))
    with torch.inference_mode():
        seen = tower(torch.randn(2, 3, vision.image_size, vision.image_size))
        assert seen.shape == (2, vision.queries, text.width)
        assert model(inputs_embeds=seen).logits.shape == (2, vision.queries, text.rows)


def test_heads_are_taken_apart_one_by_one() -> None:
    """Two heads of width 1: their rows are q, k, v of the first, then of the second."""
    name = "transformer.visual.transformer.resblocks.0.attn.in_proj"
    state = {f"{name}.weight": torch.arange(12.0).reshape(6, 2), f"{name}.bias": torch.arange(6.0)}
    ours = under(convert_state_dict(state, 2), "vision.encoder.layers.0.self_attn.")
    biases = {letter: ours[f"{letter}_proj.bias"].tolist() for letter in "qkv"}
    assert biases == {"q": [0, 3], "k": [1, 4], "v": [2, 5]}
    assert ours["k_proj.weight"].tolist() == [[2, 3], [8, 9]]
    whole = {"transformer.h.3.attn.c_attn.bias": torch.arange(6.0)}
    ours = under(convert_state_dict(whole, 2), "language_model.model.layers.3.self_attn.")
    biases = {letter: ours[f"{letter}_proj.bias"].tolist() for letter in "qkv"}
    assert biases == {"q": [0, 1], "k": [2, 3], "v": [4, 5]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("transformer.ln_f.weight"), "language model .* 1 missing: model.norm.wei"),
        (lambda s: s.pop("lm_head.weight"), "1 missing: lm_head.weight"),
        (
            lambda s: s.pop("transformer.visual.attn_pool.kv_proj.weight"),
            "image tower .* 1 missing: widen.weight",
        ),
        (
            lambda s: s.update({"transformer.h.0.attn.scale": torch.zeros(1)}),
            r"Qwen-VL-Chat must be known by name, got 1 that are not: transformer\.h\.0\.attn\.sca",
        ),
        (
            lambda s: s.update({"transformer.visual.proj": torch.zeros(3, 128)}),
            r"1 of another shape: projection\.weight \(128, 3\) for \(128, 128\)",
        ),
    ],
)
def test_weights_that_do_not_fit_are_named(
    change: Callable[[dict[str, torch.Tensor]], Any],
    message: str,
    state: dict[str, torch.Tensor],
    system: QwenVLChat,
) -> None:
    changed = dict(state)
    change(changed)
    with pytest.raises(ValueError, match=message):  # noqa: PT012
        ours = convert_state_dict(changed, SIZES["vision_heads"])
        language_model_from(system.language_model.config, under(ours, "language_model."))
        vision_from(system.vision.sizes, under(ours, "vision."))


def test_what_is_computed_is_dropped_by_name(state: dict[str, torch.Tensor]) -> None:
    more = {**state, "transformer.rotary_emb.inv_freq": torch.zeros(16)}
    assert convert_state_dict(more, 4).keys() == convert_state_dict(state, 4).keys()
    with pytest.raises(ValueError, match=r"got 1 that are not: transformer\.rotary_emb\.inv_freq"):
        convert_state_dict(more, 4, drop=())


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"use_logn_attn": False}, "use_logn_attn of the config must be true"),
        ({"use_dynamic_ntk": None}, "use_dynamic_ntk of the config must be true"),
        ({"seq_length": ...}, "Qwen-VL-Chat must have 'seq_length' in its tensors or its config"),
    ],
)
def test_a_config_of_another_model_is_refused(
    config: dict[str, Any], message: str, state: dict[str, torch.Tensor]
) -> None:
    changed = {name: value for name, value in (CONFIG | config).items() if value is not ...}
    with pytest.raises(ValueError, match=message):
        text_config(changed, state)
    with pytest.raises(ValueError, match=r"must have 'transformer\.visual\.conv1\.weight' in"):
        vision_sizes(CONFIG, {})


def test_how_far_long_prompts_stretch() -> None:
    """The published rule, worked out: 2 to the power of ceil(log2(n / 2048) + 1), less 1."""
    lengths = {1: 1, 2048: 1, 2049: 3, 4096: 3, 4097: 7, 8192: 7, 8193: 15}
    assert {tokens: ntk_alpha(tokens, 2048) for tokens in lengths} == lengths
    raised = log_n(torch.tensor([0, 1, 2047, 2048, 4194303]), 2048)
    assert raised[:3].tolist() == [1, 1, 1]
    assert raised[3].item() == pytest.approx(math.log(2049) / math.log(2048))
    assert raised[4].item() == pytest.approx(2)  # 2048 squared


def test_rows_of_a_batch_go_by_their_own_lengths(system: QwenVLChat) -> None:
    """A short prompt beside a long one, padded on the left, is what it is alone."""
    long, short = INPUTS["long_ids"], INPUTS["short_ids"][:1]
    missing = long.shape[1] - short.shape[1]
    mask = torch.ones(2, long.shape[1], dtype=torch.long)
    mask[1, :missing] = 0
    ids = torch.cat([long, torch.nn.functional.pad(short, (missing, 0))])
    model = system.language_model
    with torch.inference_mode():
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        got = model(ids, attention_mask=mask, position_ids=places).logits
    expected = arrays("outputs")
    np.testing.assert_allclose(got[:1], expected["logits_long"], rtol=0, atol=5e-5)
    np.testing.assert_allclose(got[1:, missing:], expected["logits_short"][:1], rtol=0, atol=5e-5)


def test_tables_of_places_are_stretched_between_their_rows() -> None:
    """By the cubic kernel of a = -0.75, worked out: a quarter between k and k + 1 is 0.296875."""
    side = torch.arange(8.0)
    plane = torch.stack([side[:, None].expand(8, 8), side.expand(8, 8)], dim=-1)
    table = plane.reshape(64, 2)
    assert stretched(table, 64) is table
    larger = stretched(table, 256).reshape(16, 16, 2)
    inner = torch.stack([side - 1 + 0.703125, side + 0.296875], dim=-1).flatten()
    np.testing.assert_allclose(larger[4:-4, 8, 0], inner[4:-4], atol=1e-5)
    np.testing.assert_allclose(larger[8, 4:-4, 1], inner[4:-4], atol=1e-5)
    assert stretched(table.bfloat16(), 256).dtype == torch.bfloat16
