"""LLaVA-1.5's own checkpoints in transformers' class: the original's numbers, converted, loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.metrics import load_judge
from cobsat.models.conversion import read_state
from cobsat.models.llava_conversion import (
    convert_state_dict,
    llava_config,
    model_from,
    processor_of,
)
from cobsat.models.tiny_replies import tiny_llama_words
from cobsat.models.transformers_vlm import TransformersVLM
from llava_checkpoints import save_clip_pictures, save_published
from PIL import Image
from torch import Tensor
from transformers import AutoProcessor, LlavaForConditionalGeneration

pytestmark = pytest.mark.usefixtures("one_thread")

HOME = Path(__file__).parent / "golden" / "llava15"


class Original:
    """The original: its sizes, inputs, outputs, and ours with its weights, loaded strictly."""

    def __init__(self) -> None:
        self.config = json.loads((HOME / "config.json").read_text("utf-8"))
        sizes = self.config["sizes"]
        self.inputs, self.outputs = self.arrays("inputs"), self.arrays("outputs")
        ours = convert_state_dict(read_state(HOME / "upstream_state.safetensors"))
        language = {
            "num_attention_heads": sizes["lm_heads"], "rms_norm_eps": sizes["lm_norm_eps"],
        }  # fmt: skip
        vision = {
            "num_attention_heads": sizes["vision_heads"],
            "layer_norm_eps": sizes["vision_norm_eps"],
        }
        self.llava_config = llava_config(ours, language, vision, sizes["feature_layer"])
        self.model = model_from(self.llava_config, ours)

    @staticmethod
    def arrays(which: str) -> dict[str, Tensor]:
        with np.load(HOME / f"{which}.npz", allow_pickle=False) as file:
            return {key: torch.from_numpy(array) for key, array in file.items()}

    def given(self) -> dict[str, Tensor]:
        """The prompt with a place for each patch of its pictures."""
        place, count = self.llava_config.image_token_id, self.llava_config.image_seq_length
        ids = [
            each
            for token in self.inputs["prompt_ids"][0].tolist()
            for each in ([place] * count if token == -200 else [token])
        ]
        return {
            "input_ids": torch.tensor([ids]), "pixel_values": self.inputs["pixel_values"],
            "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
        }  # fmt: skip

    def tower(self) -> Tensor:
        seen = self.model.model.vision_tower(
            self.inputs["pixel_values"], output_hidden_states=True
        ).hidden_states
        picked: Tensor = seen[self.llava_config.vision_feature_layer][:, 1:]
        return picked

    def features(self) -> Tensor:
        return torch.stack(
            list(self.model.get_image_features(self.inputs["pixel_values"]).pooler_output)
        )

    def spliced(self) -> Tensor:
        """What the language model reads."""
        read: list[Tensor] = []
        layer = self.model.model.language_model.layers[0]
        hook = layer.register_forward_pre_hook(lambda module, args: read.append(args[0]))
        self.model(**self.given())
        hook.remove()
        return read[0]

    def logits(self, **given: Tensor) -> Tensor:
        """Without the row that the original does not have."""
        scores: Tensor = self.model(**given).logits
        return scores[..., :-1]

    def greedy(self) -> Tensor:
        given = self.given()
        said = self.model.generate(
            **given, do_sample=False, max_new_tokens=8, min_new_tokens=8, pad_token_id=0
        )
        new: Tensor = said[:, given["input_ids"].shape[1] :]
        return new

    def preprocessed(self, tmp_path: Path) -> Tensor:
        side = self.config["sizes"]["image_size"]
        save_clip_pictures(tmp_path, side)
        words = tiny_llama_words()
        self.llava_config.image_token_id = len(words)
        try:
            processor = processor_of(self.llava_config, words, tmp_path)
        finally:
            self.llava_config.image_token_id = self.config["sizes"]["vocabulary"]
        picture = Image.fromarray(self.inputs["raw_image"].numpy())
        pixels: Tensor = processor.image_processor(picture, return_tensors="pt").pixel_values
        return pixels[0]


@pytest.fixture(scope="module")
def original() -> Original:
    return Original()


BOUNDARIES: dict[str, Callable[[Original, Path], Tensor]] = {
    "tower": lambda it, _: it.tower(),
    "image_features": lambda it, _: it.features(),
    "spliced": lambda it, _: it.spliced(),
    "logits_two_images": lambda it, _: it.logits(**it.given()),
    "logits_text_only": lambda it, _: it.logits(input_ids=it.inputs["text_ids"]),
    "greedy_ids": lambda it, _: it.greedy(),
    "preprocessed": lambda it, folder: it.preprocessed(folder),
}


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_each_boundary_gives_the_originals_numbers(
    boundary: str, original: Original, tmp_path: Path
) -> None:
    with torch.inference_mode():
        got = BOUNDARIES[boundary](original, tmp_path)
    expected, tolerance = original.outputs[boundary], original.config["tolerance"][boundary]
    if tolerance == "exact":
        assert torch.equal(got.reshape(expected.shape), expected)
    else:
        torch.testing.assert_close(got.reshape(expected.shape), expected, rtol=0, atol=tolerance)


def test_every_output_of_the_fixture_is_compared(original: Original) -> None:
    assert set(BOUNDARIES) == set(original.config["outputs"])
    assert (original.inputs["prompt_ids"] == -200).sum() == 2


@pytest.fixture(scope="module", params=[True, False], ids=["tower apart", "tower within"])
def converted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("published")
    llava, clip = save_published(home, request.param)
    out = home / "llava-1.5"
    assert main(["convert", "llava", str(clip), str(llava), "--out", str(out)]) == 0
    return out


def test_a_conversion_is_an_ordinary_checkpoint(converted: Path) -> None:
    model = LlavaForConditionalGeneration.from_pretrained(converted)
    processor = AutoProcessor.from_pretrained(converted)
    config = model.config
    assert (model.dtype, config.image_token_id) == (torch.bfloat16, len(tiny_llama_words()))
    assert processor.tokenizer.convert_tokens_to_ids("<image>") == config.image_token_id
    text = config.text_config
    assert (text.rms_norm_eps, text.max_position_embeddings, text.num_attention_heads) == (
        1e-5, 1024, 4,
    )  # fmt: skip
    assert (config.vision_config.num_attention_heads, config.vision_feature_layer) == (2, -2)
    state = read_state(converted.parent / "llava-v1.5-13b")
    rows = model.lm_head.weight
    assert torch.equal(rows[:-1], state["lm_head.weight"])
    torch.testing.assert_close(rows[-1].float(), rows[:-1].float().mean(0), rtol=1e-2, atol=1e-3)
    card = (converted / "README.md").read_text("utf-8")
    assert "cobsat run --model transformers --model-option checkpoint=PATH/TO/llava-1.5" in card
    assert "library_name: transformers" in card
    assert "Other packages" not in card


def test_it_is_asked_and_judges(converted: Path, picture_folder: Path) -> None:
    given = Options(output="description", images=str(picture_folder))
    batch = examples("color_i-2shot", "test", given)[:2]
    model = TransformersVLM(str(converted), device="cpu", max_new_tokens=3)
    assert [output.finish_reason for output in model.predict(batch)] == ["length"] * 2
    record = model.record()
    assert (record["layout"]["name"], record["padded_to_squares"]) == ("llava_v1", True)
    judge = load_judge("llava", checkpoint=str(converted), device="cpu")
    assert judge.record()["layout"] == "llava_v1"


def test_pictures_are_padded_by_its_own_processor_too(converted: Path) -> None:
    processor = AutoProcessor.from_pretrained(converted)
    wide = Image.new("RGB", (64, 16), "red")
    pixels = processor.image_processor(wide, return_tensors="pt").pixel_values[0]
    assert pixels.shape == (3, 32, 32)
    top, middle = pixels[0, 0], pixels[0, 16]
    assert top.abs().max() < 0.02  # the mean color is 0 after the mean is taken off
    assert middle.min() > 1.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["llava-v1.5-13b"],
            r"got none of the second: hf download openai/clip-vit-large-patch14-336",
        ),
        (["llava-v1.5-13b", "llava-1.5"], "openai/clip-vit-large-patch14-336"),
        (["llava-v1.5-13b", "nothing"], "each with config.json, got .*nothing"),
    ],
)
def test_what_cannot_be_converted_is_named(
    given: list[str],
    message: str,
    converted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "nothing").mkdir()
    homes = [converted.parent if (converted.parent / name).exists() else tmp_path for name in given]
    sources = [str(home / name) for home, name in zip(homes, given, strict=True)]
    assert main(["convert", "llava", *sources, "--out", str(tmp_path / "out")]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_names_that_do_not_fit_are_named() -> None:
    state = read_state(HOME / "upstream_state.safetensors")
    with pytest.raises(ValueError, match=r"LLaVA must be known by name, got 1 .*: model\.more"):
        convert_state_dict({**state, "model.more": torch.ones(1)})
    tower = "model.vision_tower.vision_tower."
    without = {name: tensor for name, tensor in state.items() if not name.startswith(tower)}
    with pytest.raises(ValueError, match=r"where the checkpoint keeps it apart, give the folder"):
        llava_config(convert_state_dict(without), {}, {})
    lacks = convert_state_dict({k: v for k, v in state.items() if k != "model.norm.weight"})
    config = llava_config(lacks, {"num_attention_heads": 4}, {"num_attention_heads": 4})
    with pytest.raises(ValueError, match=r"1 missing: model\.language_model\.norm\.weight"):
        model_from(config, lacks)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mm_projector_type", "linear"), ("mm_vision_select_feature", "cls_patch"),
        ("image_aspect_ratio", "anyres"), ("mm_use_im_start_end", True),
    ],
)  # fmt: skip
def test_a_relative_that_reckons_otherwise_is_refused(
    name: str,
    value: Any,
    converted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clip = converted.parent / "clip-vit-large-patch14-336"
    told = json.loads((converted.parent / "llava-v1.5-13b" / "config.json").read_text("utf-8"))
    relative = tmp_path / "relative"
    relative.mkdir()
    (relative / "config.json").write_text(json.dumps({**told, name: value}))
    given = ["convert", "llava", str(relative), str(clip), "--out", str(tmp_path / "out")]
    assert main(given) == 2
    assert f"{name} of LLaVA-1.5 must be " in capsys.readouterr().err


def test_what_a_config_says_of_the_language_model_is_kept() -> None:
    state = convert_state_dict(read_state(HOME / "upstream_state.safetensors"))
    language = {
        "num_attention_heads": 4, "rope_theta": 123.0, "hidden_act": "relu",
        "rope_scaling": {"rope_type": "linear", "factor": 4.0},
    }  # fmt: skip
    text = llava_config(state, language, {"num_attention_heads": 4}).text_config
    assert text.hidden_act == "relu"
    assert text.rope_parameters == {"rope_type": "linear", "factor": 4.0, "rope_theta": 123.0}
