"""PandaGPT's parts: against ImageBind's tower put together by hand, PEFT and torchvision.

No numbers of the original are at hand. So its tower is composed here a second time, as it is
described, of torch's own layers under the published names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from cobsat.models.conversion import dropped, under
from cobsat.models.pandagpt.convert import (
    UNUSED,
    convert_state_dict,
    vision_from,
    vision_sizes,
)
from cobsat.models.pandagpt.system import PandaGPT
from cobsat.models.pandagpt.vision import Vision, VisionSizes, middle_square
from cobsat.models.picture_values import picture_values
from pandagpt_checkpoints import (
    PUBLISHED,
    RANK,
    SIZES,
    delta_state,
    imagebind_state,
    llama_state,
    small_llama,
)
from peft import LoraConfig, get_peft_model, set_peft_model_state_dict
from PIL import Image
from torch import Tensor, nn
from torchvision import transforms

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def published() -> dict[str, Tensor]:
    """All three parts together, at tiny size."""
    torch.manual_seed(3)
    return {
        **imagebind_state(SIZES),
        **delta_state(SIZES, layers=2),
        **llama_state(SIZES.language_width, rows=40, layers=2, mlp_width=24),
    }


def vision_of(state: dict[str, Tensor], **known: Any) -> Vision:
    sizes = vision_sizes(dropped(state, UNUSED)[0], **known)
    return vision_from(sizes, under(convert_state_dict(state), "vision."))


def attention(state: dict[str, Tensor], heads: int) -> nn.MultiheadAttention:
    width = state["in_proj_weight"].shape[1]
    module = nn.MultiheadAttention(width, heads, batch_first=True)
    module.load_state_dict(state)
    return module


def by_hand(published: dict[str, Tensor], film: Tensor, heads: int) -> Tensor:
    """Return ImageBind's features of films (batch, 3, 2, side, side)."""
    before = under(published, "modality_preprocessors.vision.")
    trunk = under(published, "modality_trunks.vision.")
    head = under(published, "modality_heads.vision.")

    def normed(hidden: Tensor, state: dict[str, Tensor], name: str) -> Tensor:
        weight, bias = state[f"{name}.weight"], state[f"{name}.bias"]
        return nn.functional.layer_norm(hidden, weight.shape, weight, bias, 1e-6)

    kernel = before["rgbt_stem.proj.1.weight"]
    patches = nn.functional.conv3d(film, kernel, stride=kernel.shape[2:]).flatten(2).mT
    first = before["cls_token"].expand(len(film), -1, -1)
    hidden = torch.cat([first, patches], dim=1) + before["pos_embedding_helper.pos_embed"]
    hidden = normed(hidden, trunk, "pre_transformer_layer.0")
    for number in range(SIZES.layers):
        block = under(trunk, f"blocks.{number}.")
        asked = normed(hidden, block, "norm_1")
        hidden = hidden + attention(under(block, "attn."), heads)(asked, asked, asked)[0]
        inner = nn.functional.linear(
            normed(hidden, block, "norm_2"), block["mlp.fc1.weight"], block["mlp.fc1.bias"]
        )
        inner = nn.functional.gelu(inner)
        hidden = hidden + nn.functional.linear(
            inner, block["mlp.fc2.weight"], block["mlp.fc2.bias"]
        )
    features = normed(hidden, head, "0")[:, 0] @ head["2.weight"].T
    return features / features.norm(dim=-1, keepdim=True)


@torch.inference_mode()
@pytest.mark.parametrize("heads", [16, 4])
def test_a_picture_is_seen_as_imagebind_sees_a_film_of_it(
    published: dict[str, Tensor], heads: int
) -> None:
    vision = vision_of(published, heads=heads)
    pixels = torch.randn(3, 3, 32, 32)
    expected = by_hand(published, torch.stack([pixels, pixels], dim=2), heads)
    np.testing.assert_allclose(vision.features(pixels), expected, rtol=0, atol=2e-6)
    weight, bias = published["llama_proj.weight"], published["llama_proj.bias"]
    embeddings = vision(pixels)
    assert embeddings.shape == (3, 1, 128)
    np.testing.assert_allclose(embeddings[:, 0], expected @ weight.T + bias, rtol=0, atol=5e-6)


@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning")
@pytest.mark.parametrize("adapter", [".default", ""])
def test_lora_weights_do_what_they_do_in_peft(published: dict[str, Tensor], adapter: str) -> None:
    """Their names are those of PEFT then and now; 32 over their rank is their scale."""
    torch.manual_seed(4)
    delta = delta_state(SIZES, layers=2, adapter=adapter)
    state = {k: v for k, v in published.items() if ".lora_" not in k} | delta
    ours = small_llama()
    ours.load_state_dict(under(convert_state_dict(state), "language_model."))
    base = small_llama()
    base.load_state_dict(
        {name: state[name] for name in base.state_dict()}  # as Vicuna is published
    )
    targets = [f"{each}_proj" for each in "qkvo"]
    config = LoraConfig(r=RANK, lora_alpha=32, lora_dropout=0.1, target_modules=targets)
    tuned: Any = get_peft_model(base, config).eval()
    loaded = set_peft_model_state_dict(
        tuned,
        {k.removeprefix("llama_model.").replace(".default", ""): v for k, v in delta.items()
         if "lora_" in k},
    )  # fmt: skip
    assert not loaded.unexpected_keys
    ids = torch.arange(40)[None]
    with torch.inference_mode():
        got, expected = ours(ids).logits, tuned(ids).logits
        with tuned.disable_adapter():
            untuned = tuned(ids).logits
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-5)
    assert (got - untuned).abs().max() > 0.1


@pytest.mark.parametrize("sizes", [PUBLISHED, SIZES], ids=["published", "tiny"])
@pytest.mark.parametrize("before", ["", "visual_encoder."])
def test_sizes_and_names_are_those_of_the_tensors(sizes: VisionSizes, before: str) -> None:
    imagebind = imagebind_state(sizes, "meta")
    state = {f"{before}{name}": tensor for name, tensor in imagebind.items()} | delta_state(
        sizes, layers=2, device="meta"
    )
    llama = llama_state(sizes.language_width, rows=40, layers=2, mlp_width=24, device="meta")
    kept, left_out = dropped(state, UNUSED)
    assert vision_sizes(kept) == sizes
    assert len(left_out) == 5 * 4
    ours = convert_state_dict(state | llama)
    vision, language = under(ours, "vision."), under(ours, "language_model.")
    assert len(vision) + len(language) == len(ours)
    with torch.device("meta"):
        wanted = {name: tensor.shape for name, tensor in Vision(sizes).state_dict().items()}
    assert {name: tensor.shape for name, tensor in vision.items()} == wanted
    assert {name: tensor.shape for name, tensor in language.items()} == {
        name: tensor.shape for name, tensor in llama.items() if "rotary" not in name
    }
    assert VisionSizes.from_config(sizes.config()) == sizes


def test_names_that_do_not_fit_are_named(published: dict[str, Tensor]) -> None:
    more = {**published, "modality_trunks.vision.blocks.0.gamma": torch.ones(1)}
    with pytest.raises(ValueError, match=r"PandaGPT must be known by name, .*blocks\.0\.gamma"):
        convert_state_dict(more)
    name = "llama_model.base_model.model.model.layers.1.self_attn.v_proj.lora_B.default.weight"
    alone = {key: value for key, value in published.items() if key != name}
    with pytest.raises(ValueError, match=r"PandaGPT must have .*v_proj\.weight and .*not both"):
        convert_state_dict(alone)
    ours = under(convert_state_dict(published), "vision.")
    del ours["tower.vision_model.post_layernorm.bias"]
    ours["more"] = torch.ones(1)
    message = (
        r"PandaGPT's image tower must have exactly its weights, got 1 missing: tower\.vision_model"
        r"\.post_layernorm\.bias; 1 unexpected: more"
    )
    with pytest.raises(ValueError, match=message):
        vision_from(SIZES, ours)
    for lost in ("llama_proj.weight", "modality_heads.vision.2.weight"):
        with pytest.raises(ValueError, match=f"PandaGPT must have the tensor '{lost}', got none"):
            vision_sizes({key: value for key, value in published.items() if key != lost})
    with pytest.raises(ValueError, match=r"image tower must hold .*, got odd \['heads'\]"):
        VisionSizes.from_config({k: v for k, v in SIZES.config().items() if k != "heads"})


@pytest.mark.parametrize(
    "size", [(224, 224), (512, 512), (640, 427), (427, 640), (225, 231), (100, 60), (37, 700)]
)
def test_pictures_are_cut_as_torchvision_cuts_them(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(size))
    picture = Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))
    published = transforms.Compose(
        [
            transforms.Resize(224, interpolation=transforms.InterpolationMode.BICUBIC),
            transforms.CenterCrop(224),
            transforms.ToTensor(),
            transforms.Normalize(
                (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
            ),
        ]
    )
    got = picture_values(middle_square(picture, 224), 224)
    np.testing.assert_allclose(got, published(picture), rtol=0, atol=1e-6)


def test_what_is_shown_is_a_sum() -> None:
    system = PandaGPT.tiny()
    one, two = (system.see(Image.new("RGB", (9, 9), color)) for color in ("red", "blue"))
    assert one.shape == two.shape == (1, 128)
    assert not torch.equal(one, two)
    [both] = system.shown([one, two])
    assert torch.equal(both, one + two)
    assert [each.tolist() for each in system.shown([one])] == [one.tolist()]
    assert system.shown([]) == []


def test_parts_that_do_not_fit_are_refused() -> None:
    tiny = PandaGPT.tiny()
    narrow = Vision(replace(tiny.vision.sizes, language_width=7))
    with pytest.raises(ValueError, match="of the language model's width 128, got 7"):
        PandaGPT.of(tiny.language_model, tiny.words, narrow)
    with pytest.raises(ValueError, match=r"a row for each of 355 tokens, got 40 rows"):
        PandaGPT.of(small_llama(), tiny.words, tiny.vision)


def test_half_precision_stays_and_nothing_is_left_without_a_value(
    published: dict[str, Tensor],
) -> None:
    half = {name: tensor.bfloat16() for name, tensor in published.items()}
    vision = vision_of(half)
    assert {tensor.dtype for tensor in vision.parameters()} == {torch.bfloat16}
    assert not any(tensor.is_meta for tensor in (*vision.parameters(), *vision.buffers()))
    assert vision(torch.zeros(1, 3, 32, 32, dtype=torch.bfloat16)).isfinite().all()
