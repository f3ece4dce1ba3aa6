"""MiniGPT-4's published checkpoints: names and sizes, put together once, and what comes out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import minigpt4_checkpoints as made
import pytest
import torch
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, read_state, under
from cobsat.models.minigpt4.adapter import MiniGPT4Model
from cobsat.models.minigpt4.convert import convert_state_dict, system_config, system_from
from cobsat.models.minigpt4.prompts import Vocabulary
from cobsat.models.minigpt4.system import MiniGPT4
from cobsat.models.picture_values import picture_values
from cobsat.models.tiny_replies import tiny_llama_words
from PIL import Image
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import (
    Blip2ForConditionalGeneration,
    Blip2QFormerConfig,
    Blip2QFormerModel,
    Blip2VisionConfig,
    Blip2VisionModel,
)

pytestmark = pytest.mark.usefixtures("one_thread")


def states(sizes: made.Sizes, device: str = "cpu") -> list[dict[str, Tensor]]:
    makers = (made.projection_state, made.blip2_state, made.vicuna_state)
    return [make(sizes, device) for make in makers]


def config_of(sizes: made.Sizes) -> Any:
    vocabulary = Vocabulary(1, 2, 0, sizes.queries)
    return system_config(made.blip2_config(sizes), made.vicuna_config(sizes), vocabulary)


@pytest.mark.parametrize("sizes", [made.PUBLISHED, made.SMALL], ids=["published", "small"])
def test_names_and_sizes_are_those_of_the_whole(sizes: made.Sizes) -> None:
    ours = convert_state_dict(*states(sizes, "meta"))
    with torch.device("meta"):
        whole = Blip2ForConditionalGeneration(config_of(sizes))
    wanted = {name: tensor.shape for name, tensor in whole.state_dict().items()}
    assert {name: tensor.shape for name, tensor in ours.items()} == wanted


def test_each_tensor_goes_where_it_belongs() -> None:
    projection, blip2, vicuna = states(made.SMALL)
    model = system_from(config_of(made.SMALL), convert_state_dict(projection, blip2, vicuna))
    assert torch.equal(model.language_projection.weight, projection["llama_proj.weight"])
    ours = model.state_dict()
    for name, tensor in {**under(blip2, "vision_model."), **under(blip2, "qformer.")}.items():
        [held] = [ours[f"{part}.{name}"] for part in _EYES if f"{part}.{name}" in ours]
        assert torch.equal(held, tensor), name
    for name, tensor in vicuna.items():
        assert "rotary" in name or torch.equal(ours[f"language_model.{name}"], tensor), name


_EYES = ("vision_model", "qformer")


def test_names_that_do_not_fit_are_named() -> None:
    projection, blip2, vicuna = states(made.SMALL)
    for place, what in enumerate(("MiniGPT-4", "BLIP-2", "Vicuna")):
        given = [dict(each) for each in (projection, blip2, vicuna)]
        given[place]["more.weight"] = torch.ones(1)
        with pytest.raises(ValueError, match=rf"{what} must be known by name, got 1 .*: more\.we"):
            convert_state_dict(*given)
        assert convert_state_dict(*given, drop=["more.*"])
    del projection["llama_proj.bias"], blip2["query_tokens"]
    vicuna["model.layers.7.mlp.up_proj.weight"] = torch.ones(1)
    message = (
        r"MiniGPT-4 must have exactly its weights, got 2 missing: query_tokens, "
        r"language_projection\.bias; 1 unexpected: language_model\.model\.layers\.7\.mlp\.up_proj"
    )
    with pytest.raises(ValueError, match=message):
        system_from(config_of(made.SMALL), convert_state_dict(projection, blip2, vicuna))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return made.save_published(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def converted(published: tuple[Path, Path, Path]) -> Path:
    out = published[0].with_name("converted")
    assert main(["convert", "minigpt4", *map(str, published), "--out", str(out)]) == 0
    return out


def test_a_conversion_keeps_every_number(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    ours = load_file(converted / "model.safetensors")
    parts = [read_state(source) for source in published]
    expected = convert_state_dict(*parts)
    assert ours.keys() == expected.keys()
    for name, tensor in expected.items():
        assert ours[name].dtype == tensor.dtype, name
        assert torch.equal(ours[name], tensor), name
    record = json.loads((converted / "conversion.json").read_text("utf-8"))
    assert record["left_out"] == [
        "language_model.*", "language_projection.*",
        "model.layers.0.self_attn.rotary_emb.inv_freq",
        "model.layers.1.self_attn.rotary_emb.inv_freq",
    ]  # fmt: skip
    assert {"prerained_minigpt4_7b.pth", "blip2/config.json"} <= {
        each["name"] for each in record["sources"]
    }
    config = json.loads((converted / "config.json").read_text("utf-8"))
    text = config["text_config"]
    assert (text["bos_token_id"], text["eos_token_id"], text["pad_token_id"]) == (1, 2, None)
    assert config["vision_config"]["layer_norm_eps"] == 1e-6


def test_a_shard_that_holds_nothing_of_it_may_be_left_away(
    published: tuple[Path, Path, Path], converted: Path, tmp_path: Path
) -> None:
    file, blip2, vicuna = published
    part = tmp_path / "blip2"
    shutil.copytree(blip2, part)
    (part / "model-00002-of-00002.safetensors").unlink()
    given = [str(part), str(vicuna), str(file)]
    assert main(["convert", "minigpt4", *given, "--out", str(tmp_path / "out")]) == 0
    assert converted_digest(tmp_path / "out") == converted_digest(converted)


def test_a_picture_becomes_what_the_published_parts_make_of_it(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    """Tower, Q-Former and projection, each a module of the library with the published tensors."""
    file, blip2, _ = published
    state, sizes = read_state(blip2), made.SMALL
    tower: Any = Blip2VisionModel(
        Blip2VisionConfig(
            hidden_size=sizes.vision, intermediate_size=sizes.vision_mlp,
            num_hidden_layers=sizes.vision_layers, num_attention_heads=sizes.vision_heads,
            image_size=sizes.side, patch_size=sizes.patch, layer_norm_eps=1e-6,
        )
    ).eval()  # fmt: skip
    tower.load_state_dict(under(state, "vision_model."))
    qformer: Any = Blip2QFormerModel(
        Blip2QFormerConfig(
            hidden_size=sizes.qformer, intermediate_size=sizes.qformer_mlp,
            num_hidden_layers=sizes.qformer_layers, num_attention_heads=sizes.qformer_heads,
            encoder_hidden_size=sizes.vision, cross_attention_frequency=2,
        )
    ).eval()  # fmt: skip
    qformer.load_state_dict(under(state, "qformer."))
    projection = nn.Linear(sizes.qformer, sizes.language)
    projection.load_state_dict(under(read_state(file), "llama_proj."))
    picture = Image.effect_mandelbrot((40, 30), (-2.0, -1.5, 1.0, 1.5), 9)
    with torch.inference_mode():
        values = picture_values(picture, sizes.side)[None]
        blocks = tower.encoder(inputs_embeds=tower.embeddings(values)).last_hidden_state
        norm = tower.post_layernorm
        seen = nn.functional.layer_norm(blocks, (sizes.vision,), norm.weight, norm.bias, 1e-5)
        queries = state["query_tokens"]
        summary = qformer(query_embeds=queries, encoder_hidden_states=seen).last_hidden_state
        expected = projection(summary)[0]
    system = MiniGPT4.from_pretrained(str(converted), dtype="float32", device="cpu")
    assert system.model.vision_model.post_layernorm.eps == 1e-5
    assert system.model.vision_model.encoder.layers[0].layer_norm1.eps == 1e-6
    got = system.see(picture)
    assert got.shape == (sizes.queries, sizes.language)
    torch.testing.assert_close(got, expected, atol=2e-6, rtol=1e-5)
    other = system.see(Image.new("RGB", (9, 9)))
    assert (got - other).abs().max() > 0.1


def test_what_was_put_together_describes(converted: Path, picture_folder: Path) -> None:
    options = Options(output="description", images=str(picture_folder))
    batch = examples("color_i-2shot", "test", options)[:3]
    model = MiniGPT4Model(str(converted), device="cpu", max_new_tokens=6)
    whole = model._system.model
    # As published: the language model and the tower in 16 bits, the Q-Former in 32.
    parts = (whole.language_model, whole.vision_model, whole.language_projection, whole.qformer)
    dtypes = [{tensor.dtype for tensor in part.parameters()} for part in parts]
    assert dtypes == [{torch.float16}] * 3 + [{torch.float32}]
    outputs = model.predict(batch)
    assert all((output.usage or {})["output_tokens"] for output in outputs)
    assert model.predict(batch[1:]) == outputs[1:]
    record = model.record()
    assert (record["checkpoint"], record["context"]) == (str(converted), 1024)
    assert (record["dtype"], record["picture_size"]) == ("float16", 28)
    assert record["weights_sha256"] == converted_digest(converted)
    # The ids of the checkpoint's own config would end no reply, and pad with no token at all.
    settings = whole.language_model.generation_config
    assert (settings.eos_token_id, settings.pad_token_id) == ([2], 2)


def test_parts_that_do_not_fit_are_refused(converted: Path) -> None:
    with pytest.raises(FileNotFoundError, match="that cobsat convert minigpt4 made, got 'a/b': hf"):
        MiniGPT4.from_pretrained("a/b")
    with pytest.raises(ValueError, match="device must be auto with a device_map, got 'cpu'"):
        MiniGPT4.from_pretrained(str(converted), device="cpu", device_map="auto")
    model = MiniGPT4.tiny().model
    words = tiny_llama_words("###", "more")
    with pytest.raises(ValueError, match=r"a row for each of 356 tokens, got 355 rows"):
        MiniGPT4.of(model, words)


MUST: str = "must be MiniGPT-4's file, a folder with BLIP-2 and one with Vicuna, got "


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["file"], f"{MUST}none of BLIP-2 and Vicuna"),
        (["blip2", "vicuna"], f"{MUST}none of MiniGPT-4"),
        (["file", "blip2", "empty"], f"{MUST}empty\n"),
        (["file", "blip2", "vicuna", "vicuna"], f"{MUST}vicuna beside vicuna"),
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
    for place, name in enumerate(("file", "blip2", "vicuna")):
        (tmp_path / name).symlink_to(published[place])
    assert main(["convert", "minigpt4", *given, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
