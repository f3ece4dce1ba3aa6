"""The fine-tuning script's shipped settings, and what it says of its options."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cobsat.train import sft_qwen_vl

pytestmark = [
    # TRL and transformers read each other's names of before the last release
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*:FutureWarning"),
]


def test_the_shipped_settings_are_the_papers() -> None:
    settings = yaml.safe_load((sft_qwen_vl.CONFIGS / "qwen_vl_lora.yaml").read_text())
    papers = {  # Sec. 7.1, and Qwen-VL's published fine-tuning for what it leaves out
        "lora_r": 64, "lora_alpha": 16, "lora_dropout": 0.05, "weight_decay": 0.1,
        "warmup_steps": 0.01, "num_train_epochs": 5, "learning_rate": 1e-5,
        "lr_scheduler_type": "cosine", "adam_beta2": 0.95, "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 8, "activation_checkpointing": True,
    }  # fmt: skip
    assert papers.items() <= settings.items()


@pytest.mark.parametrize("file", sorted((sft_qwen_vl.CONFIGS / "accelerate").glob("*.yaml")))
def test_accelerate_reads_its_configs(file: Path) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    config = load_config_from_file(str(file))
    kinds = {"ddp": "MULTI_GPU", "fsdp": "FSDP", "single_gpu": "NO", "zero2": "DEEPSPEED",
             "zero3": "DEEPSPEED"}  # fmt: skip
    assert config.distributed_type == kinds[file.stem]
    assert config.mixed_precision == "bf16"


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        sft_qwen_vl.main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "cobsat train --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct" in shown
    assert "(default: 1e-05)" in shown
