"""Emu's published checkpoints: sizes and names, loaded strictly, converted once, loaded again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, dropped, under
from cobsat.models.emu import tiny
from cobsat.models.emu.adapter import EmuModel
from cobsat.models.emu.bridge import Bridge, BridgeSizes
from cobsat.models.emu.convert import (
    PRETRAINED,
    UNUSED,
    bridge_from,
    bridge_sizes,
    convert_state_dict,
)
from cobsat.models.emu.system import Emu
from cobsat.models.emu.words import add_tokens
from cobsat.models.llama_weights import language_model_from, llama_config
from cobsat.models.tiny_replies import tiny_llama_words
from emu_checkpoints import SIZES, published_state, save_published
from safetensors.torch import load_file

pytestmark = pytest.mark.usefixtures("one_thread")

REAL = BridgeSizes(
    image_size=224, patch_size=14, vision_width=1408, vision_layers=40, vision_mlp_width=6144,
    causal_tokens=32, former_width=768, former_layers=12, former_heads=12, former_head_width=64,
    former_mlp_width=3072, former_buckets=32, language_width=5120,
)  # fmt: skip
ROWS = len(tiny_llama_words()) + 4


def kept(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return dropped(state, UNUSED)[0]


@pytest.mark.parametrize("sizes", [REAL, SIZES], ids=["published", "tiny"])
def test_sizes_and_names_are_those_of_the_tensors(sizes: BridgeSizes) -> None:
    published = published_state(sizes, rows=70, layers=3, mlp_width=50, device="meta")
    state = convert_state_dict(published)
    assert bridge_sizes(kept(published)) == sizes
    bridge, language = under(state, "bridge."), under(state, "language_model.")
    assert len(bridge) + len(language) == len(state)
    with torch.device("meta"):
        wanted = {name: tensor.shape for name, tensor in Bridge(sizes).state_dict().items()}
    assert {name: tensor.shape for name, tensor in bridge.items()} == wanted
    config = llama_config(language, "Emu's LLaMA")
    assert (config.vocab_size, config.num_hidden_layers) == (70, 3)
    assert (config.hidden_size, config.intermediate_size) == (sizes.language_width, 50)
    assert config.num_attention_heads == sizes.language_width // 128
    assert BridgeSizes.from_config(json.loads(json.dumps(sizes.config()))) == sizes


def test_names_that_do_not_fit_are_named() -> None:
    state = published_state(SIZES, ROWS)
    with pytest.raises(ValueError, match=r"Emu must be known by name, got 1 .*: cformer\.more"):
        convert_state_dict({**state, "cformer.more": torch.ones(1)})
    ours = under(convert_state_dict(state), "bridge.")
    del ours["former.final_layer_norm.weight"]
    ours["former.more"] = torch.ones(1)
    message = (
        r"Emu's bridge must have exactly its weights, got 1 missing: "
        r"former\.final_layer_norm\.weight; 1 unexpected: former\.more"
    )
    with pytest.raises(ValueError, match=message):
        bridge_from(SIZES, ours)
    language = under(convert_state_dict(state), "language_model.")
    config = llama_config(language, "Emu's LLaMA")
    del language["model.norm.weight"]
    with pytest.raises(ValueError, match=r"LLaMA must have .* 1 missing: model\.norm\.weight"):
        language_model_from(config, language, "Emu's LLaMA")
    del language["model.embed_tokens.weight"]
    with pytest.raises(ValueError, match=r"the tensor 'model\.embed_tokens\.weight', got none"):
        llama_config(language, "Emu's LLaMA")
    del state["cformer.projection.weight"]
    with pytest.raises(ValueError, match=r"Emu must have the tensor 'cformer\.projection\.weight'"):
        bridge_sizes(state)
    with pytest.raises(ValueError, match=r"must hold .*, got odd \['causal_tokens'\]"):
        BridgeSizes.from_config({k: v for k, v in REAL.config().items() if k != "causal_tokens"})


def test_emus_tokens_follow_llamas_words() -> None:
    for count, chat in ((4, [None, None]), (6, [ROWS, ROWS + 1])):
        words = tiny_llama_words()
        add_tokens(words, ROWS - 4 + count)
        known = words.get_vocab()
        assert [known[name] for name in ("[PAD]", "[IMG]", "[/IMG]", "<image>")] == [
            *range(ROWS - 4, ROWS)
        ]
        assert [known.get(name) for name in ("[USER]", "[ASSISTANT]")] == chat
        assert words.pad_token_id == ROWS - 4
    with pytest.raises(ValueError, match="with 4 words fewer than the language model's 9 rows"):
        add_tokens(tiny_llama_words(), 9)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return save_published(tmp_path_factory.mktemp("published"))


def converted_of(published: tuple[Path, Path, Path], which: int, out: Path) -> Path:
    given = [str(published[which]), str(published[2]), "--out", str(out)]
    assert main(["convert", "emu", *given]) == 0
    return out


@pytest.fixture(scope="module")
def pretrained(published: tuple[Path, Path, Path]) -> Path:
    return converted_of(published, 0, published[0].parent / "converted")


@pytest.fixture(scope="module")
def instructed(published: tuple[Path, Path, Path]) -> Path:
    return converted_of(published, 1, published[0].parent / "converted-instruct")


def test_a_conversion_keeps_every_number(
    published: tuple[Path, Path, Path], pretrained: Path, instructed: Path
) -> None:
    was = torch.load(published[0] / PRETRAINED, weights_only=True)
    language = load_file(pretrained / "language_model" / "model.safetensors")
    assert all(torch.equal(language[name], was[f"decoder.lm.{name}"]) for name in language)
    bridge = load_file(pretrained / "bridge" / "model.safetensors")
    assert torch.equal(bridge["regression.weight"], was["decoder.lm.stu_regress_head.weight"])
    assert torch.equal(bridge["tokens"], was["cformer.causal_tokens"])
    assert (pretrained / "decoder" / "unet" / "diffusion_pytorch_model.safetensors").is_file()
    assert not (instructed / "decoder").exists()
    record = json.loads((pretrained / "conversion.json").read_text("utf-8"))
    assert set(record["left_out"]) == {
        "visual.head.weight", "visual.head.bias", "visual.norm.weight", "visual.norm.bias",
        "cformer.cformer.embed_tokens.weight",
        "decoder.lm.model.layers.0.self_attn.rotary_emb.inv_freq",
    }  # fmt: skip
    assert "pretrain/multimodal_encoder/pytorch_model.bin" in {
        each["name"] for each in record["sources"]
    }


def test_the_pretrained_draws_and_the_instructed_describes(
    pretrained: Path, instructed: Path, picture_folder: Path
) -> None:
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    options: dict[str, Any] = {"device": "cpu", "steps": 1, "max_new_tokens": 4}
    model = EmuModel(str(pretrained), **options)
    assert model.capabilities.outputs == {"image", "description"}
    (drawn,) = model.predict(batch)
    assert (drawn.status, drawn.reason) == ("ok", None)
    record = model.record()
    assert record["weights_sha256"] == converted_digest(pretrained)
    assert (record["instructed"], record["decoder"]) == (False, None)
    talks = EmuModel(str(instructed), **options)
    assert talks.capabilities.outputs == {"description"}
    assert talks.capabilities.hint == "checkpoint of the pretrained Emu"
    assert (talks.record()["instructed"], talks.record()["drawing"]) == (True, None)
    (said,) = talks.predict([{**batch[0], "output": "description"}])
    assert (said.usage or {})["output_tokens"] <= 4
    words = talks._system.words
    assert words.convert_ids_to_tokens([ROWS - 4, ROWS + 1]) == ["[PAD]", "[ASSISTANT]"]
    both = EmuModel(str(instructed), decoder=str(pretrained / "decoder"), **options)
    assert both.capabilities.outputs == {"image", "description"}
    assert both.record()["decoder_sha256"]
    assert EmuModel(str(pretrained), decoder=None, **options).capabilities.hint == (
        "leave out decoder=null"
    )


def test_half_precision(pretrained: Path, picture_folder: Path) -> None:
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    model = EmuModel(str(pretrained), dtype="bfloat16", device="cpu", steps=1)
    parts = (model._system.language_model, model._system.bridge, model._system.decoder.unet)
    assert {tensor.dtype for part in parts for tensor in part.parameters()} == {torch.bfloat16}
    table = model._system.language_model.model.rotary_emb.inv_freq
    assert table.dtype == torch.float32  # rounded, places far apart would be told apart wrongly
    assert model.predict(batch)[0].status == "ok"


def test_parts_that_do_not_fit_are_refused(pretrained: Path, tmp_path: Path) -> None:
    emu = Emu.from_pretrained(str(pretrained), device="cpu")
    narrow = Bridge(replace(tiny.SIZES, language_width=64))
    with pytest.raises(ValueError, match="language model must be of width 64, as the bridge, got"):
        Emu.of(emu.language_model, emu.words, narrow, None)
    other = tiny.tiny_stable_diffusion(24, None)
    with pytest.raises(ValueError, match=r"the decoder takes must be of width 128, .* got 24"):
        Emu.of(emu.language_model, emu.words, emu.bridge, other)
    more = tiny_llama_words()
    add_tokens(more, ROWS + 2)
    with pytest.raises(ValueError, match=f"a row for each of {ROWS + 2} tokens, got {ROWS} rows"):
        Emu.of(emu.language_model, more, emu.bridge, None)
    lacks = tmp_path / "lacks"
    shutil.copytree(pretrained, lacks)
    shutil.rmtree(lacks / "bridge")
    with pytest.raises(FileNotFoundError, match=r"that cobsat convert emu made, got .*lacks'"):
        Emu.from_pretrained(str(lacks))
    with pytest.raises(FileNotFoundError, match=r"^decoder must be a folder or a name on the Hub"):
        Emu.from_pretrained(str(pretrained), decoder="./nowhere")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["llama"], "must be an Emu and a folder with LLaMA's tokenizer, got 0 with weights"),
        (["pretrain"], "must be an Emu and a folder with LLaMA's tokenizer, got 1 with weights"),
        (["empty"], "or a folder with LLaMA's tokenizer, got empty\n"),
    ],
)
def test_what_cannot_be_converted_is_named(
    given: list[str],
    message: str,
    published: tuple[Path, Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for place, name in ((0, "pretrain"), (2, "llama")):
        (tmp_path / name).symlink_to(published[place])
    assert main(["convert", "emu", *given, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
