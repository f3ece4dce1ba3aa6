"""PandaGPT's published parts, converted once, and the model that they make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from cobsat import Options, examples
from cobsat.cli import main
from cobsat.models.conversion import converted_digest, read_state
from cobsat.models.pandagpt.adapter import PandaGPTModel
from cobsat.models.pandagpt.system import PandaGPT
from pandagpt_checkpoints import SIZES, save_published
from PIL import Image

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return save_published(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def converted(published: tuple[Path, Path, Path]) -> Path:
    out = published[0].with_name("converted")
    assert main(["convert", "pandagpt", *map(str, published), "--out", str(out)]) == 0
    return out


def test_a_converted_checkpoint_is_the_published_one(
    published: tuple[Path, Path, Path], converted: Path
) -> None:
    imagebind, delta, vicuna = map(read_state, published)
    system = PandaGPT.from_pretrained(str(converted), device="cpu")
    model, vision = system.language_model, system.vision
    assert vision.sizes == SIZES
    assert not any(weight.requires_grad for weight in vision.parameters())
    assert torch.equal(vision.to_language.weight, delta["llama_proj.weight"])
    values = vision.tower.vision_model.encoder.layers[1].self_attn.v_proj.weight
    assert torch.equal(
        values, imagebind["modality_trunks.vision.blocks.1.attn.in_proj_weight"][64:]
    )
    name = "model.layers.0.self_attn.o_proj"
    before = f"llama_model.base_model.model.{name}"
    change = 32 / 2 * delta[f"{before}.lora_B.default.weight"] @ delta[
        f"{before}.lora_A.default.weight"
    ]  # fmt: skip
    expected = vicuna[f"{name}.weight"] + change
    torch.testing.assert_close(model.model.layers[0].self_attn.o_proj.weight, expected)
    plain = "model.layers.0.mlp.up_proj.weight"
    assert torch.equal(model.model.layers[0].mlp.up_proj.weight, vicuna[plain])
    assert system.words.get_vocab() == PandaGPT.tiny().words.get_vocab()
    record = json.loads((converted / "conversion.json").read_text("utf-8"))
    assert record["system"] == "pandagpt"
    assert "modality_heads.audio.0.weight" in record["left_out"]
    assert len(record["left_out"]) == 5 * 4
    assert {"imagebind_huge.pth", "pytorch_model.pt", "v0/pytorch_model.bin"} <= {
        entry["name"] for entry in record["sources"]
    }
    card = (converted / "README.md").read_text("utf-8")
    assert "pipeline_tag: image-text-to-text" in card


def test_a_converted_checkpoint_describes(converted: Path, picture_folder: Path) -> None:
    model = PandaGPTModel(str(converted), device="cpu", max_new_tokens=8)
    options = Options(output="description", images=str(picture_folder))
    rows = examples("color_i-2shot", "test", options)[:3]
    outputs = model.predict(rows)
    assert all((output.usage or {})["output_tokens"] for output in outputs)
    assert model.predict(rows[2:]) == outputs[2:]
    assert model.record()["weights_sha256"] == converted_digest(converted)
    assert model.name == model.record()["checkpoint"] == str(converted)
    half = PandaGPT.from_pretrained(str(converted), dtype="bfloat16", device="cpu")
    assert half.language_model.dtype == half.vision.to_language.weight.dtype == torch.bfloat16
    assert half.language_model.model.rotary_emb.inv_freq.dtype == torch.float32
    assert half.see(Image.new("RGB", (9, 9))).dtype == torch.bfloat16


def test_a_checkpoint_without_a_part_is_refused(converted: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"convert pandagpt imagebind_huge\.pth pandagpt_"):
        PandaGPT.from_pretrained(str(converted / "vision"))
    with pytest.raises(ValueError, match="device must be auto with a device_map, got 'cpu'"):
        PandaGPT.from_pretrained(str(converted), device="cpu", device_map="auto")


def convert(*given: Any) -> int:
    code: int = main(["convert", "pandagpt", *map(str, given)])
    return code


def test_files_may_lie_in_folders_and_in_any_order(
    published: tuple[Path, Path, Path], converted: Path, tmp_path: Path
) -> None:
    imagebind, delta, vicuna = published
    for name, file in (("imagebind", imagebind), ("pandagpt", delta)):
        (tmp_path / name).mkdir()
        (tmp_path / name / file.name).symlink_to(file)
    (tmp_path / "pandagpt" / "config.json").write_text('{"model_type": "llama"}')
    out = tmp_path / "out"
    assert convert(vicuna, tmp_path / "pandagpt", tmp_path / "imagebind", "--out", out) == 0
    for part in ("language_model", "vision"):
        file = f"{part}/model.safetensors"
        assert (out / file).read_bytes() == (converted / file).read_bytes()


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ((0, 1), "must be one of each, got 1 of ImageBind, 1 of PandaGPT, 0 of Vicuna"),
        ((0, 0, 1, 2), "must be one of each, got 2 of ImageBind, 1 of PandaGPT, 1 of Vicuna"),
        ((0, 1, 3), "imagebind_huge.pth, PandaGPT's pytorch_model.pt or a folder with Vicuna, got"),
        ((0, 4, 2), "must be of the width that PandaGPT was trained on, 64, got 128: 4,096 is a"),
    ],
)
def test_what_cannot_be_converted_is_named(
    which: tuple[int, ...],
    message: str,
    published: tuple[Path, Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other, narrow = tmp_path / "other.pt", tmp_path / "narrow.pt"
    torch.save({"weight": torch.ones(1)}, other)
    torch.save({"llama_proj.weight": torch.ones(64, 24)}, narrow)
    given = [(*published, other, narrow)[number] for number in which]
    assert convert(*given, "--out", tmp_path / "out") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
