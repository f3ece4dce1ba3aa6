"""The pictures with short captions, and the settings of `make table4`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import yaml
from cobsat.images import image_source
from cobsat.metrics.mention_judge import judge_description
from cobsat.models.mini_vlm_model import FOLDERS
from cobsat.train import sft_qwen_vl
from cobsat.train.mini_vlm_pictures import write_pictures
from safetensors.torch import load_file


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pictures(tmp_path_factory.mktemp("pictures"))


def test_the_pictures_are_the_shipped_ones_with_short_captions(pictures: Path) -> None:
    source = image_source(str(pictures))
    assert source.digest == image_source("rendered").digest
    told = source.descriptions
    assert told["color", "pink", "car"] == "A pink car."
    assert told["background", "park", "zebra"] == "An amusement park with a zebra."
    assert told["style", "icon", "apple"] == "An icon of an apple."
    assert told["action", "sing", "lion"] == "A lion sings."
    assert len(set(told.values())) == 500


def test_each_caption_names_its_label_and_no_other(pictures: Path) -> None:
    for (theme, attribute, object_), text in image_source(str(pictures)).descriptions.items():
        reference = {"task": f"{theme}_i", "object": object_, "attribute": attribute}
        assert judge_description(text, reference).correct, text  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning")
def test_the_base_is_tuned_on_them(
    pictures: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    settings = yaml.safe_load((sft_qwen_vl.CONFIGS / "mini_vlm_table4.yaml").read_text("utf-8"))
    assert settings["dataset_train_split"] == "ft_train"
    sft_qwen_vl.main(
        ["--config", "mini_vlm_table4.yaml", "--model_name_or_path", str(FOLDERS["base"]),
         "--dataset_config", "texture_ii-2shot", "--images", str(pictures), "--max_steps", "2",
         "--per_device_train_batch_size", "2", "--output_dir", str(tmp_path)]
    )  # fmt: skip
    assert "step 1 of 2: loss" in capsys.readouterr().err  # the first, though 25 are between two
    weights = load_file(tmp_path / "adapter_model.safetensors")
    assert len(weights) == 2 * 7 * 4  # A and B of seven matrices in each of four layers
    assert all(weight.shape[0] == 32 or weight.shape[1] == 32 for weight in weights.values())
    assert any(weight.abs().max() > 0 for name, weight in weights.items() if ".lora_B." in name)
