"""Published checkpoints: renamed, loaded without a gap, converted once, and the card of it."""

from __future__ import annotations

import doctest
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models import conversion, llama_words
from cobsat.models.conversion import (
    converted_digest,
    dropped,
    load_strictly,
    renamed,
    under,
)
from cobsat.models.seed_llama import tiny
from cobsat.models.seed_llama.adapter import SeedLLaMA
from cobsat.models.seed_llama.system import SeedLlama
from safetensors import SafetensorError
from safetensors.torch import load_file
from seed_checkpoints import published_state, save_published
from torch import nn

pytestmark = pytest.mark.usefixtures("one_thread")

ONE, TWO = torch.arange(3.0), torch.ones(2, 2)
SIZES = replace(  # heads as published: 16 and 12
    tiny.SIZES, vision_heads=16, qformer_heads=12, reverse_block_heads=12, vision_layers=1
)


def test_names_become_others_by_rules() -> None:
    rules = ((r"h\.(\d+)\.w([12])", r"layer.\1.\2"), (r"head", "out"))
    assert renamed({"h.11.w2": ONE, "head": TWO}, rules, "it").keys() == {"layer.11.2", "out"}
    with pytest.raises(ValueError, match=r"it must be known .* 2 that are not: h\.x, header"):
        renamed({"h.x": ONE, "header": ONE, "head": ONE}, rules, "it")
    with pytest.raises(ValueError, match="one tensor for out, got tail as a second"):
        renamed({"head": ONE, "tail": ONE}, (*rules, ("tail", "out")), "it")
    assert under({"a.b": ONE, "b": TWO}, "a.").keys() == {"b"}
    kept, left_out = dropped({"a.b": ONE, "ab": TWO, "c": ONE}, ("a.*", "d"))
    assert (list(kept), left_out) == (["ab", "c"], {"a.b"})
    assert doctest.testmod(conversion).failed == 0


def test_a_module_takes_all_its_weights_and_no_others() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    state = {name: torch.full_like(t, 7.0) for name, t in module.state_dict().items()}
    load_strictly(module, state, "it")
    assert all(float(t.detach().min()) == 7.0 for t in module.parameters())
    with torch.device("meta"):
        empty = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    load_strictly(empty, state, "it")
    assert torch.equal(empty(torch.ones(1, 2)), module(torch.ones(1, 2)))
    wrong = {**state, "2.weight": ONE, "0.bias": TWO}
    del wrong["1.bias"]
    message = (
        r"^it must have exactly its weights, got 1 missing: 1\.bias; 1 unexpected: 2\.weight; "
        r"1 of another shape: 0\.bias \(2, 2\) for \(3,\)$"
    )
    with pytest.raises(ValueError, match=message):
        load_strictly(module, wrong, "it")


def test_a_buffer_without_a_value_is_named() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = nn.Buffer(torch.zeros(2), persistent=False)

    with torch.device("meta"):
        module = Counting()
    with pytest.raises(ValueError, match="a value for each buffer, got none for count"):
        load_strictly(module, {}, "it")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return save_published(SeedLlama.tiny(), SIZES, tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def converted(published: tuple[Path, Path, Path]) -> Path:
    tokenizer, language_model, _ = published
    out = tokenizer.parent / "converted"
    given = ["convert", "seed_llama", str(tokenizer), str(language_model), "--out", str(out)]
    assert main(given) == 0
    return out


def test_a_conversion_records_what_became_of_what(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    record = json.loads((converted / "conversion.json").read_text("utf-8"))
    sources = {entry["name"]: entry for entry in record["sources"]}
    files = {entry["name"]: entry for entry in record["files"]}
    assert set(files) == {
        path.relative_to(converted).as_posix()
        for path in converted.rglob("*")
        if path.is_file() and path.name not in ("conversion.json", "README.md")
    }
    assert {
        "image_tokenizer/model.safetensors", "image_tokenizer/config.json",
        "language_model/model.safetensors", "language_model/tokenizer.json",
    } <= set(files)  # fmt: skip
    for folder, entries in ((published[0].parent, sources), (converted, files)):
        for name, entry in entries.items():
            data = (folder / name).read_bytes()
            assert entry["sha256"] == hashlib.sha256(data).hexdigest()
            assert entry["bytes"] == len(data)
    assert "seed-tokenizer-2/seed_quantizer.pt" in sources
    assert len([name for name in record["left_out"] if name.startswith("blocks.0.")]) == 12
    assert set(record["left_out"]) >= {"pos_embed", "Qformer.bert.embeddings.position_ids"}
    assert str(converted.parent) not in json.dumps(record)
    lines = [f"{entry['sha256']}  {name}" for name, entry in sorted(files.items())]
    assert converted_digest(converted) == hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert converted_digest(published[0]) is None


def test_another_config_and_llamas_own_tokenizer_do_no_harm(
    published: tuple[Path, Path, Path], converted: Path, tmp_path: Path
) -> None:
    tokenizer, language_model = tmp_path / "seed-tokenizer-2", tmp_path / "llama"
    shutil.copytree(published[0], tokenizer)
    shutil.copytree(published[1], language_model)
    (tokenizer / "config.json").write_text('{"model_type": "seed"}')
    plain = transformers.LlamaTokenizer(vocab={"<unk>": 0, "<s>": 1, "</s>": 2}, merges=[])
    plain.save_pretrained(language_model)
    out = tmp_path / "out"
    given = ["convert", "seed_llama", str(tokenizer), str(language_model), "--out", str(out)]
    assert main(given) == 0
    for name in ("language_model/tokenizer.json", "image_tokenizer/model.safetensors"):
        assert (out / name).read_bytes() == (converted / name).read_bytes()


def test_converted_weights_are_the_published_ones(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    state = torch.load(published[0] / "seed_quantizer.pt", weights_only=True)
    ours = load_file(converted / "image_tokenizer" / "model.safetensors")
    assert torch.equal(ours["queries"], state["query_tokens"])
    assert torch.equal(ours["codebook.weight"], state["quantize.embedding.weight"])
    name = "visual_encoder.blocks.0.attn.qkv.weight"
    assert torch.equal(ours["tower.encoder.layers.0.self_attn.qkv.weight"], state[name])
    language_model = torch.load(published[1] / "pytorch_model.bin", weights_only=True)
    saved = load_file(converted / "language_model" / "model.safetensors")
    assert saved.keys() == language_model.keys()
    assert all(torch.equal(saved[name], tensor) for name, tensor in language_model.items())


def test_a_system_is_the_same_from_either(
    published: tuple[Path, Path, Path], converted: Path, picture_folder: Path
) -> None:
    tokenizer, language_model, decoder = map(str, published)
    batch = examples("color_i-2shot", "test", Options(images=str(picture_folder)))[:2]
    shared: dict[str, Any] = {"decoder": decoder, "device": "cpu", "steps": 2}
    models = [
        SeedLLaMA(str(converted), **shared),
        SeedLLaMA(language_model, image_tokenizer=tokenizer, **shared),
        SeedLLaMA(language_model, image_tokenizer=f"{tokenizer}/seed_quantizer.pt", **shared),
    ]
    pictures = []
    for model in models:
        outputs = model.predict(batch)
        assert [output.status for output in outputs] == ["ok", "ok"], outputs
        pictures.append([output.image.tobytes() for output in outputs])  # type: ignore[union-attr]
    assert pictures[0] == pictures[1] == pictures[2]
    record = models[0].record()
    assert record["weights_sha256"] == converted_digest(converted)
    assert record["decoder_sha256"]
    assert record["image_tokenizer"] is None  # the folder's own
    assert models[1].record()["image_tokenizer"] == tokenizer
    assert record["drawing"]["pipeline"] == "StableUnCLIPImg2ImgPipeline"
    assert models[0]._system.image_tokenizer.sizes == SIZES


def test_half_precision_leaves_the_image_tokenizer_whole(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    system = SeedLlama.from_pretrained(
        str(converted), decoder=str(published[2]), dtype="bfloat16", device="cpu"
    )
    assert {t.dtype for t in system.image_tokenizer.parameters()} == {torch.float32}
    assert system.language_model.dtype == system.decoder.dtype == torch.bfloat16
    assert system.language_model.model.rotary_emb.inv_freq.dtype == torch.float32


def fewer_rows(system: SeedLlama) -> None:
    system.language_model.resize_token_embeddings(400)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_language_model_without_codes_is_refused(
    published: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    system = SeedLlama.tiny()
    fewer_rows(system)
    system.language_model.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"a row for each token .* up to 611, got 400 rows"):
        SeedLlama.from_pretrained(
            str(tmp_path), image_tokenizer=str(published[0]), decoder=None, device="cpu"
        )


def test_a_decoder_of_another_width_is_refused(converted: Path, tmp_path: Path) -> None:
    tiny.tiny_decoder(24).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=r"decoder must take embeddings of width 16, got .* 24"):
        SeedLlama.from_pretrained(str(converted), decoder=str(tmp_path), device="cpu")


def damage(what: str) -> Callable[[dict[str, Any]], Any]:
    return {
        "missing": lambda state: state.pop("ln_vision.bias"),
        "unknown": lambda state: state.update(extra=ONE),
    }[what]


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("missing", "got 1 missing: tower.post_layernorm.bias"),
        ("unknown", "got 1 that are not: extra; --drop NAME leaves one out"),
    ],
)
def test_a_conversion_that_fails_leaves_nothing(
    what: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state: dict[str, Any] = published_state(SIZES)
    damage(what)(state)
    file, out = tmp_path / "seed_quantizer.pt", tmp_path / "out"
    torch.save(state, file)
    given = ["convert", "seed_llama", str(file), "--out", str(out)]
    assert main(given) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["seed_quantizer.pt"]
    if what == "unknown":
        assert main([*given, "--drop", "ext*"]) == 0
        assert "extra" in json.loads((out / "conversion.json").read_text("utf-8"))["left_out"]


def test_what_a_killed_conversion_left_is_cleared_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "seed_quantizer.pt", tmp_path / "new"
    torch.save(published_state(SIZES), file)
    given = ["convert", "seed_llama", str(file), "--out", str(out)]
    others = tmp_path / "new.partial"
    others.mkdir()
    (others / "mine.txt").write_text("keep")
    assert main(given) == 2
    assert "new.partial must not be there while" in capsys.readouterr().err
    assert (others / "mine.txt").read_text() == "keep"
    (others / ".cobsat-conversion").touch()  # as a conversion that was killed leaves it
    assert main(given) == 0
    assert not others.exists()
    assert not (out / "mine.txt").exists()
    assert not (out / ".cobsat-conversion").exists()
    rights = {path.stat().st_mode & 0o777 for path in out.rglob("*") if path.is_file()}
    (tmp_path / "any").touch()
    assert rights == {(tmp_path / "any").stat().st_mode & 0o777}


def test_a_folder_within_a_source_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save(published_state(SIZES), tmp_path / "seed_quantizer.pt")
    out = tmp_path / "a" / "b"
    assert main(["convert", "seed_llama", str(tmp_path), "--out", str(out)]) == 2
    assert "out must be a folder outside of what is converted" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["seed_quantizer.pt"]


def test_a_full_disk_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*given: Any) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left on device")

    monkeypatch.setattr("cobsat.models.conversion.save_file", full)
    torch.save(published_state(SIZES), tmp_path / "seed_quantizer.pt")
    given = ["convert", "seed_llama", str(tmp_path / "seed_quantizer.pt")]
    assert main([*given, "--out", str(tmp_path / "out")]) == 2
    assert "out must be written whole, got Error while serializing" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["seed_quantizer.pt"]


def test_a_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(FileNotFoundError, match=r"must hold a tokenizer, tokenizer\.json or token"):
        llama_words.load_llama_words(str(tmp_path))


def test_a_language_model_that_lacks_a_weight_is_refused(
    published: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "llama"
    source.mkdir()
    (source / "config.json").write_bytes((published[1] / "config.json").read_bytes())
    state = torch.load(published[1] / "pytorch_model.bin", weights_only=True)
    del state["model.norm.weight"]
    torch.save(state, source / "pytorch_model.bin")
    assert main(["convert", "seed_llama", str(source), "--out", str(tmp_path / "out")]) == 2
    assert "must have exactly a LLaMA's weights" in (err := capsys.readouterr().err)
    assert "model.norm.weight" in err
    with pytest.raises(ValueError, match=r"exactly a LLaMA's weights.*model\.norm\.weight"):
        SeedLlama.from_pretrained(str(source), decoder=None, device="cpu")


@pytest.mark.parametrize("there", ["", "sentencepiece", "protobuf"])
def test_a_tokenizer_that_needs_packages_names_them(
    there: str,
    published: tuple[Path, Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "words"
    source.mkdir()
    (source / "tokenizer.model").write_bytes(b"not read without the package")
    for name in ("sentencepiece", "tiktoken"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("sentencepiece", "protobuf"):
        monkeypatch.setattr(llama_words, f"is_{name}_available", lambda name=name: name == there)
    assert main(["convert", "seed_llama", str(source), "--out", str(tmp_path / "out")]) == 2
    assert "'protobuf': pip install 'cobsat[convert]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ["seed_lama", "a"],
            f"system must be one of {', '.join(conversion.CONVERTERS)}, got 'seed_lama'; did you",
        ),
        (
            ["seed_llama", "none.pt"],
            "checkpoint must be a file or a folder, got none.pt: not there",
        ),
        (["seed_llama", "empty"], "checkpoint must be seed_quantizer.pt, or a folder with it"),
        (["seed_llama", "opt"], "the language model must be of type 'llama', got 'opt' in opt"),
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
    (tmp_path / "empty").mkdir()
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt" / "config.json").write_text('{"model_type": "opt"}')
    assert main(["convert", *given, "--out", "out"]) == 2
    assert message in capsys.readouterr().err
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    assert main(["convert", *given, "--out", "out"]) == 2
    assert (tmp_path / "out" / "mine").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n", "seed_quantizer.pt must be a whole checkpoint, got a broken one"),
        (b"", "seed_quantizer.pt must be a whole checkpoint, got a broken one"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n",
            "seed_quantizer.pt must be a checkpoint, got Git LFS's pointer to one: git lfs pull",
        ),
    ],
)
def test_a_file_that_is_no_checkpoint_is_told_in_one_line(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "seed_quantizer.pt"
    file.write_bytes(content)
    assert main(["convert", "seed_llama", str(file), "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert len(told.strip().splitlines()) == 1
