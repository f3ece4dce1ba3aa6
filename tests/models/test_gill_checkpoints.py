"""GILL's published checkpoints: sizes and names, loaded strictly, converted once, loaded again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, file_digest, read_state, under
from cobsat.models.gill import system, tiny
from cobsat.models.gill.adapter import GILL
from cobsat.models.gill.bridge import Bridge, BridgeSizes
from cobsat.models.gill.convert import (
    PUBLISHED,
    bridge_from,
    bridge_sizes,
    convert_state_dict,
    published_bridge,
)
from cobsat.models.gill.system import Gill
from gill_checkpoints import plain_clip, plain_opt, published_state, save_published
from safetensors.torch import load_file

pytestmark = pytest.mark.usefixtures("one_thread")

REAL = BridgeSizes(
    vision_width=1024, language_width=4096, tokens_per_picture=4, drawing_tokens=8,
    mapper_width=512, mapper_mlp_width=2048, mapper_encoder_layers=4, mapper_decoder_layers=4,
    mapper_queries=77, decoder_width=768,
)  # fmt: skip
OTHER = BridgeSizes(
    vision_width=20, language_width=12, tokens_per_picture=3, drawing_tokens=5, mapper_width=6,
    mapper_mlp_width=10, mapper_encoder_layers=1, mapper_decoder_layers=3, mapper_queries=7,
    decoder_width=11, mapper_heads=2,
)  # fmt: skip


def ours(state: dict[str, torch.Tensor], **options: Any) -> dict[str, torch.Tensor]:
    converted = convert_state_dict(state, **options)
    assert all(name.startswith("bridge.") for name in converted)
    return under(converted, "bridge.")


@pytest.mark.parametrize("sizes", [REAL, OTHER], ids=["published", "other"])
def test_sizes_and_names_are_those_of_the_tensors(sizes: BridgeSizes) -> None:
    state = ours(published_state(sizes, "meta", rows=sizes.drawing_tokens))
    assert bridge_sizes(state, mapper_heads=sizes.mapper_heads) == sizes
    with torch.device("meta"):
        wanted = {name: tensor.shape for name, tensor in Bridge(sizes).state_dict().items()}
    assert {name: tensor.shape for name, tensor in state.items()} == wanted
    assert BridgeSizes.from_config(json.loads(json.dumps(sizes.config()))) == sizes


def test_another_size_works() -> None:
    state = ours(published_state(OTHER, rows=OTHER.drawing_tokens))
    bridge = bridge_from(bridge_sizes(state, mapper_heads=2), state)
    assert bridge.read(torch.ones(2, 20)).shape == (2, 3, 12)
    assert bridge.condition(torch.ones(2, 5, 12)).shape == (2, 7, 11)


def test_a_whole_table_gives_its_last_rows_and_parallel_training_a_prefix() -> None:
    state = published_state(tiny.SIZES, rows=30)
    table = state["model.input_embeddings.weight"]
    assert torch.equal(ours(state)["rows"], table[22:])
    assert torch.equal(ours(state, drawing_tokens=3)["rows"], table[27:])
    prefixed = {f"module.{name}": tensor for name, tensor in state.items()}
    assert ours(prefixed).keys() == ours(state).keys()


def test_what_was_frozen_is_left_out_by_name(tmp_path: Path) -> None:
    state = published_state(tiny.SIZES)
    frozen = {
        "model.lm.lm_head.weight": torch.ones(1),
        "model.visual_model.vision_model.pre_layrnorm.bias": torch.ones(1),
    }
    torch.save({"state_dict": {**state, **frozen}}, tmp_path / PUBLISHED)
    bridge, left_out = published_bridge(tmp_path / PUBLISHED)
    assert bridge.sizes == tiny.SIZES
    assert left_out == {
        *frozen,
        "model.ret_text_hidden_fcs.0.model.weight", "model.ret_text_hidden_fcs.0.model.bias",
        "model.visual_fc.weight", "model.visual_fc.bias", "model.logit_scale",
    }  # fmt: skip


def test_names_that_do_not_fit_are_named() -> None:
    state = published_state(tiny.SIZES)
    with pytest.raises(ValueError, match=r"GILL must be known by name, got 1 .*: model\.more"):
        convert_state_dict({**state, "model.more": torch.ones(1)})
    converted = ours(state)
    del converted["mapper.transformer.decoder.norm.bias"]
    converted["mapper.more"] = torch.ones(1)
    message = (
        r"GILL's bridge must have exactly its weights, got 1 missing: "
        r"mapper\.transformer\.decoder\.norm\.bias; 1 unexpected: mapper\.more"
    )
    with pytest.raises(ValueError, match=message):
        bridge_from(bridge_sizes(converted), converted)
    del converted["to_tokens.weight"]
    with pytest.raises(ValueError, match=r"GILL must have the tensor 'to_tokens\.weight'"):
        bridge_sizes(converted)
    with pytest.raises(ValueError, match=r"must hold .*, got odd \['mapper_heads'\]"):
        BridgeSizes.from_config({k: v for k, v in REAL.config().items() if k != "mapper_heads"})


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path, Path]:
    return save_published(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def converted(published: tuple[Path, Path, Path, Path]) -> Path:
    gill, opt, clip, _ = published
    out = gill.parent / "converted"
    assert main(["convert", "gill", str(gill), str(opt), str(clip), "--out", str(out)]) == 0
    return out


def test_a_conversion_keeps_every_number(
    published: tuple[Path, Path, Path, Path], converted: Path
) -> None:
    trained = torch.load(published[0] / PUBLISHED, weights_only=True)["state_dict"]
    bridge = load_file(converted / "bridge" / "model.safetensors")
    assert torch.equal(bridge["rows"], trained["model.input_embeddings.weight"])
    assert torch.equal(bridge["to_tokens.bias"], trained["model.visual_embeddings.bias"])
    opt = torch.load(published[1] / "pytorch_model.bin", weights_only=True)
    saved = load_file(converted / "language_model" / "model.safetensors")
    assert {name.removeprefix("model.") for name in saved} == opt.keys()
    assert all(torch.equal(saved[f"model.{name}"], opt[name]) for name in opt)
    clip = read_state(published[2])
    tower = load_file(converted / "vision" / "model.safetensors")
    assert {f"vision_model.{name.removeprefix('vision_model.')}" for name in tower} == {
        name for name in clip if name.startswith("vision_model.")
    }
    record = json.loads((converted / "conversion.json").read_text("utf-8"))
    assert len(record["left_out"]) == 5
    assert "gill_opt/pretrained_ckpt.pth.tar" in {each["name"] for each in record["sources"]}
    assert (converted / "language_model" / "tokenizer.json").is_file()


def test_a_system_is_the_same_from_either(
    published: tuple[Path, Path, Path, Path], converted: Path, picture_folder: Path
) -> None:
    gill, opt, clip, decoder = map(str, published)
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:2]
    shared: dict[str, Any] = {"decoder": decoder, "device": "cpu", "steps": 1}
    apart: dict[str, Any] = {"language_model": opt, "vision": clip, **shared}
    models = [
        GILL(str(converted), **shared),
        GILL(gill, **apart),
        GILL(f"{gill}/{PUBLISHED}", **apart),
    ]
    pictures = []
    for model in models:
        outputs = model.predict(batch)
        assert [output.status for output in outputs] == ["ok", "ok"], outputs
        pictures.append([output.image.tobytes() for output in outputs])  # type: ignore[union-attr]
    assert pictures[0] == pictures[1] == pictures[2]
    assert len(set(pictures[0])) == 2
    records = [model.record() for model in models]
    assert records[0]["weights_sha256"] == converted_digest(converted)
    assert records[0]["language_model"] is records[0]["vision"] is None  # the folder's own
    assert records[1]["weights_sha256"] == file_digest(published[0] / PUBLISHED)
    assert records[1]["vision"] == clip
    assert records[1]["vision_sha256"] == file_digest(published[2] / "model.safetensors")
    assert all(record["decoder_sha256"] for record in records)
    assert json.loads(json.dumps(records)) == records


def test_the_language_model_gets_the_drawing_tokens_rows(
    published: tuple[Path, Path, Path, Path], converted: Path
) -> None:
    whole = Gill.from_pretrained(str(converted), decoder=None, device="cpu")
    model, words = whole.language_model, len(whole.words)
    table = model.get_input_embeddings().weight
    assert model.get_output_embeddings().weight is table
    assert table.shape == (words, tiny.SIZES.language_width)
    assert words == len(tiny.tiny_words()) + 9
    trained = torch.load(published[0] / PUBLISHED, weights_only=True)["state_dict"]
    assert torch.equal(table[-8:], trained["model.input_embeddings.weight"])
    opt = torch.load(published[1] / "pytorch_model.bin", weights_only=True)
    own = opt["decoder.embed_tokens.weight"]
    assert torch.equal(table[: len(tiny.tiny_words())], own[: len(tiny.tiny_words())])


def test_half_precision_leaves_tower_and_bridge_whole(
    published: tuple[Path, Path, Path, Path], converted: Path, picture_folder: Path
) -> None:
    model = GILL(str(converted), decoder=str(published[3]), dtype="bfloat16", device="cpu", steps=1)
    whole = model._system
    assert whole.language_model.dtype == whole.decoder.dtype == torch.bfloat16
    for part in (whole.bridge, whole.vision):
        assert {tensor.dtype for tensor in part.parameters()} == {torch.float32}
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    assert model.predict(batch)[0].status == "ok"
    assert model.record()["dtype"] == "bfloat16"


def test_parts_that_do_not_fit_are_refused(
    published: tuple[Path, Path, Path, Path], converted: Path, tmp_path: Path
) -> None:
    whole = Gill.from_pretrained(str(converted), decoder=None, device="cpu")
    given = (whole.language_model, whole.words, whole.vision)
    wide = Bridge(replace(tiny.SIZES, language_width=40))
    with pytest.raises(ValueError, match="language_model must be of width 40, as the bridge, got"):
        Gill.of(*given, wide, None)
    with pytest.raises(ValueError, match="vision must be of width 20, as the bridge, got 32"):
        Gill.of(*given, Bridge(replace(tiny.SIZES, vision_width=20)), None)
    tiny.tiny_stable_diffusion(24, 16).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"decoder must take embeddings of width 16, got .* 24"):
        Gill.from_pretrained(str(converted), decoder=str(tmp_path), device="cpu")


def test_a_folder_without_gill_is_named(published: tuple[Path, Path, Path, Path]) -> None:
    message = r"that cobsat convert gill made, or pretrained_ckpt\.pth\.tar, got .*opt'"
    with pytest.raises(FileNotFoundError, match=message):
        Gill.from_pretrained(str(published[1]))


@pytest.mark.parametrize("option", ["language_model", "vision", "decoder"])
def test_a_part_that_is_nowhere_is_named_before_anything_is_loaded(
    option: str, published: tuple[Path, Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gill, opt, clip, decoder = map(str, published)
    parts = {"language_model": opt, "vision": clip, "decoder": decoder, option: "./nowhere"}
    monkeypatch.setattr(system, "load_language_model", None)
    with pytest.raises(FileNotFoundError, match=f"^{option} must be a folder or a name on the Hub"):
        Gill.from_pretrained(gill, **parts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["opt"], "checkpoints must hold pretrained_ckpt.pth.tar, got none"),
        (["llama"], "or a folder with it, with an OPT or with a CLIP, got llama of type 'llama'"),
        (["empty"], "with an OPT or with a CLIP, got empty\n"),
    ],
)
def test_what_cannot_be_converted_is_named(
    given: list[str],
    message: str,
    published: tuple[Path, Path, Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "llama").mkdir()
    (tmp_path / "llama" / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "opt").symlink_to(published[1])
    assert main(["convert", "gill", *given, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_opt_or_clip_that_lacks_a_weight_is_refused(
    published: tuple[Path, Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, model, lost in (
        ("opt", plain_opt(260), "model.decoder.final_layer_norm.weight"),
        ("clip", plain_clip(), "vision_model.post_layernorm.weight"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        model.config.save_pretrained(folder)
        state = model.state_dict()
        del state[lost]
        torch.save(state, folder / "pytorch_model.bin")
        given = ["convert", "gill", str(published[0]), str(folder), "--out", str(tmp_path / "out")]
        assert main(given) == 2
        error = capsys.readouterr().err
        assert f"must have exactly a{'n OPT' if name == 'opt' else ' CLIP'}'s weights" in error
        assert lost.rpartition(".")[0].split(".")[-1] in error


def test_a_tower_alone_will_do(
    published: tuple[Path, Path, Path, Path], tmp_path: Path, converted: Path
) -> None:
    vision: Any = transformers.CLIPVisionModel.from_pretrained(converted / "vision")
    vision.save_pretrained(tmp_path / "tower")
    given = [str(published[0]), str(tmp_path / "tower"), "--out", str(tmp_path / "out")]
    assert main(["convert", "gill", *given]) == 0
    same = "vision/model.safetensors"
    assert (tmp_path / "out" / same).read_bytes() == (converted / same).read_bytes()
