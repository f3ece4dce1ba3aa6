"""Emu2's published checkpoints: sizes and names, loaded strictly, converted once, loaded again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, dropped, read_state, under
from cobsat.models.emu2.adapter import Emu2Model
from cobsat.models.emu2.bridge import Bridge, BridgeSizes
from cobsat.models.emu2.convert import (
    CHECKER,
    FEATURES,
    UNUSED,
    bridge_from,
    bridge_sizes,
    convert_state_dict,
)
from cobsat.models.emu2.system import Emu2
from cobsat.models.llama_weights import llama_config
from cobsat.models.tiny_replies import tiny_llama_words
from emu2_checkpoints import (
    SIZES,
    published_state,
    safety_check,
    save_chat,
    save_gen,
    save_own,
)
from safetensors.torch import load_file, save_file

pytestmark = pytest.mark.usefixtures("one_thread")

REAL = BridgeSizes(
    image_size=448, patch_size=14, vision_width=1792, vision_layers=64, vision_mlp_width=15360,
    language_width=6656,
)  # fmt: skip
TOLD: dict[str, Any] = {"vision_heads": 4, "tokens": 16}


@pytest.mark.parametrize("hub", [True, False])
@pytest.mark.parametrize(("sizes", "known"), [(REAL, {}), (SIZES, TOLD)], ids=["published", "tiny"])
def test_sizes_and_names_are_those_of_the_tensors(
    sizes: BridgeSizes, known: dict[str, Any], hub: bool
) -> None:
    published = published_state(sizes, rows=70, layers=3, mlp_width=50, device="meta", hub=hub)
    state = convert_state_dict(published)
    assert bridge_sizes(published, **known) == sizes
    bridge, language = under(state, "bridge."), under(state, "language_model.")
    assert len(bridge) + len(language) == len(state)
    with torch.device("meta"):
        wanted = {name: tensor.shape for name, tensor in Bridge(sizes).state_dict().items()}
    assert {name: tensor.shape for name, tensor in bridge.items()} == wanted
    config = llama_config(language, "Emu2's LLaMA")
    assert (config.vocab_size, config.num_hidden_layers) == (70, 3)
    assert (config.hidden_size, config.intermediate_size) == (sizes.language_width, 50)
    if sizes == REAL:
        assert (config.num_attention_heads, config.max_position_embeddings) == (52, 2048)
    assert BridgeSizes.from_config(json.loads(json.dumps(sizes.config()))) == sizes


def test_the_authors_earlier_names_are_known() -> None:
    state = published_state(SIZES, 70, hub=False)
    earlier = dict(state)
    for now, then in (
        ("decoder.lm.project_down", "decoder.lm.stu_regress_head"),
        ("decoder.lm.project_up", "vl_adapter.projection"),
    ):
        earlier[f"{then}.weight"] = earlier.pop(f"{now}.weight")
    ours, same = convert_state_dict(state), convert_state_dict(earlier)
    assert ours.keys() == same.keys()
    assert all(torch.equal(ours[name], same[name]) for name in ours)


def test_names_that_do_not_fit_are_named() -> None:
    state = published_state(SIZES, 70)
    with pytest.raises(ValueError, match=r"Emu2 must be known by name, got 1 .*: cformer\.more"):
        convert_state_dict({**state, "cformer.more": torch.ones(1)})
    ours = under(convert_state_dict(state), "bridge.")
    ours["project_more.weight"] = ours.pop("project_up.weight")
    message = (
        r"Emu2's bridge must have exactly its weights, got 1 missing: project_up\.weight; "
        r"1 unexpected: project_more\.weight"
    )
    with pytest.raises(ValueError, match=message):
        bridge_from(SIZES, ours)
    kept, left_out = dropped(state, UNUSED)
    assert left_out == {"model.decoder.lm.model.layers.0.self_attn.rotary_emb.inv_freq"}
    del kept["model.decoder.lm.model.embed_tokens.weight"]
    with pytest.raises(ValueError, match=r"must have the tensor 'decoder\.lm\.model\.embed"):
        bridge_sizes(kept, **TOLD)
    with pytest.raises(
        ValueError, match=r"must have an image tower \(visual.…\), got none among 0"
    ):
        bridge_sizes({}, **TOLD)


def converted_of(sources: list[Path], out: Path) -> Path:
    assert main(["convert", "emu2", *map(str, sources), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published")


@pytest.fixture(scope="module")
def published_gen(home: Path) -> Path:
    return save_gen(home)


@pytest.fixture(scope="module")
def gen(published_gen: Path, home: Path) -> Path:
    return converted_of([published_gen], home / "gen")


@pytest.fixture(scope="module")
def chat(home: Path) -> Path:
    return converted_of([save_chat(home)], home / "chat")


def test_a_conversion_keeps_every_number(published_gen: Path, gen: Path) -> None:
    was = read_state(published_gen / "multimodal_encoder")
    language = load_file(gen / "language_model" / "model.safetensors")
    assert all(torch.equal(language[name], was[f"model.decoder.lm.{name}"]) for name in language)
    bridge = load_file(gen / "bridge" / "model.safetensors")
    for name in ("project_up.weight", "project_down.weight"):
        assert torch.equal(bridge[name], was[name])
    told = json.loads((gen / "bridge" / "config.json").read_text("utf-8"))
    assert told == SIZES.config()
    for part in ("unet", "vae"):
        own = load_file(published_gen / part / "diffusion_pytorch_model.bf16.safetensors")
        kept = load_file(gen / "decoder" / part / "diffusion_pytorch_model.safetensors")
        assert all(torch.equal(kept[name], own[name]) for name in own)
    record = json.loads((gen / "conversion.json").read_text("utf-8"))
    assert record["left_out"] == ["model.decoder.lm.model.layers.0.self_attn.rotary_emb.inv_freq"]
    assert "Emu2-Gen/tokenizer/tokenizer.json" in {each["name"] for each in record["sources"]}


def test_gen_draws_and_chat_describes(gen: Path, chat: Path, picture_folder: Path) -> None:
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    options: dict[str, Any] = {"device": "cpu", "steps": 1, "max_new_tokens": 4}
    draws = Emu2Model(str(gen), **options)
    assert draws.capabilities.outputs == {"image", "description"}
    assert draws.record()["weights_sha256"] == converted_digest(gen)
    assert draws.record()["instructed"] is False
    (drawn,) = draws.predict(batch)
    assert (drawn.status, drawn.reason) == ("ok", None)
    assert (drawn.usage or {})["output_tokens"] == 16
    talks = Emu2Model(str(chat), **options)
    assert talks.capabilities.outputs == {"description"}
    assert talks.capabilities.hint == "checkpoint of Emu2-Gen"
    assert (talks.record()["instructed"], talks.record()["drawing"]) == (True, None)
    described: list[Any] = [{**batch[0], "output": "description"}]
    (said,) = talks.predict(described)
    assert (said.usage or {})["output_tokens"] <= 4
    # The one that is not instructed goes on from the prompt: no chat, no system's text.
    assert (draws.predict(described)[0].usage or {})["input_tokens"] < (said.usage or {})[
        "input_tokens"
    ]


def test_an_own_file_and_llamas_tokenizer(home: Path) -> None:
    file, llama = save_own(home)
    emu = Emu2.from_pretrained(str(converted_of([llama, file], home / "own")), device="cpu")
    assert emu.decoder is None
    assert emu.bridge.sizes.tokens == 64  # as published, where no config tells another number
    assert emu.words.convert_ids_to_tokens(len(emu.words) - 1) == "<patch_index_0256>"


@pytest.mark.parametrize("variant", [None, "bf16"])
def test_the_decoders_safety_checker_comes_along(
    variant: str | None, published_gen: Path, tmp_path: Path, picture_folder: Path
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    for part in published_gen.iterdir():
        (whole / part.name).symlink_to(part)
    check = safety_check(-2.0)
    checker = check.checker if variant is None else check.checker.bfloat16()
    checker.save_pretrained(whole / CHECKER, variant=variant)
    check.features.save_pretrained(whole / FEATURES)
    converted = converted_of([whole], tmp_path / "checked")
    model = Emu2Model(str(converted), device="cpu", steps=1)
    assert model.record()["drawing"]["safety_checker"] is True
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    assert model.predict(batch)[0].status == "blocked"


def test_half_precision(gen: Path, picture_folder: Path) -> None:
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:1]
    model = Emu2Model(str(gen), dtype="bfloat16", device="cpu", steps=1)
    parts = (model._system.language_model, model._system.bridge, model._system.decoder.unet)
    assert {tensor.dtype for part in parts for tensor in part.parameters()} == {torch.bfloat16}
    assert model._system.language_model.model.rotary_emb.inv_freq.dtype == torch.float32
    assert model.predict(batch)[0].status == "ok"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["llama"], "where that is not in it, got 0 with weights and 1 with a tokenizer"),
        (["chat", "chat"], "where that is not in it, got 2 with weights and 2 with a tokenizer"),
        (["weights"], "where that is not in it, got 1 with weights and 0 with a tokenizer"),
        (["empty"], "or a folder with LLaMA's tokenizer, got empty\n"),
        (["vicuna"], "Emu2 must have an image tower (visual.…), got none among 1 tensors: lm_h"),
    ],
)
def test_what_cannot_be_converted_is_named(
    given: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, files in (
        ("empty", ()), ("llama", ("tokenizer.model",)), ("weights", ("a.safetensors",)),
        ("chat", ("a.safetensors", "tokenizer.json")),
    ):  # fmt: skip
        Path(folder).mkdir()
        for file in files:
            (Path(folder) / file).touch()
    Path("vicuna").mkdir()
    save_file({"lm_head.weight": torch.ones(2, 2)}, "vicuna/model.safetensors")
    tiny_llama_words().save_pretrained("vicuna")
    assert main(["convert", "emu2", *given, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_folder_that_is_not_converted_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"convert emu2 made, got .*hf download BAAI/Emu2-"):
        Emu2.from_pretrained(str(tmp_path))
