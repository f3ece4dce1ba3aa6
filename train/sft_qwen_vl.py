r"""Fine-tune a vision-language model on CoBSAT's prompts, as the paper tunes Qwen-VL (Sec. 7.1).

    pip install 'cobsat[train]'
    cobsat train --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct --output_dir runs/tuned

    … --dataset_config all-4shot                          # four demonstrations in a prompt
    … --dataset_train_split leave_color_out_train         # color is left for the test
    … --load_in_4bit true                                 # QLoRA; needs bitsandbytes
    … --use_peft false --learning_rate 1e-6               # all weights
    … --chat_template_path llava_v1.jinja --instructions_for llava    # LLaVA-1.5
    accelerate launch --config_file ddp.yaml -m cobsat.train.sft_qwen_vl …   # several GPUs

The settings are the paper's (`configs/qwen_vl_lora.yaml`); `--config FILE` names others, and each
can be given on the command line (`--help`). `configs/accelerate/` has files for DDP, FSDP and
DeepSpeed. Rows go straight into `trl.SFTTrainer`: the loss is on the answer's tokens alone, and
LoRA reaches the language model only. A SEED-LLaMA that `cobsat convert` made is tuned to draw
(`sft_seed_llama.py`). The same command again goes on from the last checkpoint;
Ctrl-C saves one. Then ask base and tuned model about the unseen half:

    cobsat table4 runs/tuned
    cobsat run --model transformers --model-option checkpoint=Qwen/Qwen2.5-VL-7B-Instruct \
        --adapter runs/tuned --config all-2shot --split ft_test --output description

docs/fine-tuning.md has more: launchers, LLaVA, vLLM, and what comes out.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NoReturn

import cobsat
import torch
import yaml
from cobsat.checkpoints import check_checkpoint, no_progress_bar
from cobsat.models.seed_llama import is_converted
from cobsat.spec import choose, nearest
from datasets import Dataset, load_dataset
from transformers import AutoConfig, AutoProcessor
from trl import (
    ModelConfig,
    SFTConfig,
    SFTTrainer,
    TrlParser,
    get_peft_config,
    get_quantization_config,
)

from .sft_callbacks import Log, SaveWhenStopped, quiet
from .sft_card import write_card
from .sft_checks import (
    CONFIGS,
    check_lengths,
    check_order,
    check_trained,
    first_batch,
    language_model,
)
from .sft_resume import RESULTS, checkpoint_to_resume, claim_folder
from .sft_seed_llama import Prepared, prepare_seed_llama

__all__ = ["DataArguments", "main", "train"]

_TEMPLATES: Final = ("llava_v1.jinja", "mistral_instruct.jinja")
PROMPT_TYPES: Final = ("default", "instruct", "exact")


@dataclass
class DataArguments:
    """Which prompts the model is tuned on."""

    dataset_config: str = field(
        default="all-2shot", metadata={"help": "all-2shot, all-4shot, or one task: color_i-2shot."}
    )
    dataset_train_split: str = field(
        default="ft_train", metadata={"help": "ft_train, or leave_THEME_out_train."}
    )
    prompt_type: str = field(default="default", metadata={"help": f"{', '.join(PROMPT_TYPES)}."})
    instructions_for: str = field(
        default="qwen_vl",
        metadata={"help": "Whose wording of App. A.1; ask the tuned model in the same."},
    )
    images: str = field(
        default="rendered", metadata={"help": "rendered, official, or a folder of pictures."}
    )

    def __post_init__(self) -> None:
        if self.prompt_type == "instruct":  # its prompts have an instruction of their own
            self.instructions_for = "neutral"


class _Parser(TrlParser):  # type: ignore[misc]
    """TRL's parser, with this file's head as its help and errors of one line."""

    def __init__(self, kinds: Any, **options: Any) -> None:
        usage = "cobsat train [--config FILE] [--OPTION VALUE …]"
        super().__init__(kinds, description=__doc__, usage=usage, formatter_class=_Help, **options)

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the arguments.

        Raises:
            ValueError: Always.
        """
        raise ValueError(f"{message}: cobsat train --help lists the options")

    def parse_known_args(
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse arguments, all of which must be known.

        Raises:
            ValueError: One is not; the message names the options that it resembles.
        """
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            got = next((text for text in unknown if text.startswith("--")), unknown[0])
            got = got.partition("=")[0]
            hint = _hint(got, [a.option_strings[0] for a in self._actions])
            raise ValueError(
                f"options of cobsat train must be among those that cobsat train --help lists, "
                f"got {got}{hint}"
            )
        return parsed, []


def _hint(got: str, options: Sequence[str]) -> str:
    """Return a hint at the options that a misspelt one, or its start, resembles."""
    starts = {option[: len(got) + 1] for option in options}
    alike = difflib.get_close_matches(got, starts, n=1, cutoff=0.9)
    named = [option for option in options if alike and option.startswith(alike[0])]
    return f"; did you mean {' or '.join(named)}?" if named else nearest(got, options)


class _Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Shows this file's head as it is, and each option's default."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train by the command line's arguments, over those of the YAML file that --config names."""
    parser = _Parser((DataArguments, SFTConfig, ModelConfig), prog="cobsat train")
    gpu = torch.cuda.is_available()
    parser.set_defaults(use_cpu=not gpu, bf16=gpu, dtype="bfloat16" if gpu else "float32")
    given = _with_config(sys.argv[1:] if arguments is None else list(arguments))
    if {"--help", "-h"} & set(given):  # shows the defaults that the config gives
        name = given[given.index("--config") + 1]
        parser.set_defaults_with_config(**yaml.safe_load(Path(name).read_text("utf-8")))
    train(*parser.parse_args_and_config(given))


def train(data: DataArguments, training: SFTConfig, model: ModelConfig) -> Path:
    """Tune a model and return the folder that then holds it, or its adapter.

    Raises:
        ValueError: Arguments do not go together, a prompt is too long, or the folder is another
            training's.
        OSError: There is no such checkpoint, or none with safetensors.
    """
    _check_arguments(data, training, model)
    if draws := is_converted(model.model_name_or_path):
        data = replace(data, instructions_for="seed_llama")
        chosen = prepare_seed_llama(data, training, model)
    else:
        chosen = _prepare(data, training, model)
    record = claim_folder(data, training, model)
    if (Path(training.output_dir) / RESULTS).is_file():
        print(f"{training.output_dir}: trained already; another training needs another folder")
        return Path(training.output_dir)
    if training.chat_template_path is not None:
        training.chat_template_path = str(_shipped(training.chat_template_path))
    peft_config = get_peft_config(model)
    if peft_config is not None and model.lora_target_modules is None:
        peft_config.target_modules = chosen.lora_targets
    training.model_init_kwargs = {
        "revision": model.model_revision,
        "attn_implementation": model.attn_implementation,
        "dtype": model.dtype,
        "use_safetensors": True,
        **(training.model_init_kwargs or {}),
    }
    # transformers reads its own name of before the last release.
    warnings.filterwarnings("ignore", ".*gradient_checkpointing.*", FutureWarning)
    with no_progress_bar():
        trainer = _trainer(chosen, model, training, peft_config)
    quiet(trainer)
    trainer.accelerator.print(check_trained(trainer.model))
    trainer.accelerator.print(first_batch(trainer))
    trainer.train(resume_from_checkpoint=checkpoint_to_resume(training))
    if trainer.state.global_step < trainer.state.max_steps:
        raise KeyboardInterrupt  # stopped, and saved: the same command goes on
    trainer.save_model(training.output_dir)
    if trainer.is_world_process_zero():
        write_card(Path(training.output_dir), record, _results(trainer), draws)
    trainer.accelerator.print(f"{training.output_dir}: done")
    trainer.end()
    return Path(training.output_dir)


def _prepare(data: DataArguments, training: SFTConfig, model: ModelConfig) -> Prepared:
    """Return a vision-language checkpoint and its rows, looked at."""
    processor, config = _processor_and_config(model, training)
    check_order(processor, config)
    rows = training_rows(data)
    check_lengths(rows, processor, config, training.max_length)
    return Prepared(str(model.model_name_or_path), rows, processor, language_model(config))


def _trainer(
    chosen: Prepared, model: ModelConfig, training: SFTConfig, peft_config: Any
) -> SFTTrainer:
    return SFTTrainer(
        model=chosen.checkpoint,
        args=training,
        train_dataset=chosen.rows,
        processing_class=chosen.processing_class,
        quantization_config=get_quantization_config(model),
        peft_config=peft_config,
        callbacks=[Log(), SaveWhenStopped()],
    )


def training_rows(data: DataArguments) -> Dataset:
    """Return the train split, its pictures decoded once each."""
    rows = load_dataset(
        "cobsat",
        data.dataset_config,
        split=data.dataset_train_split,
        prompt_type=data.prompt_type,
        output="description",
        instructions_for=data.instructions_for,
        images=data.images,
    )
    return cobsat.decode_once(rows)


def _results(trainer: SFTTrainer) -> dict[str, Any]:
    """Return what a training ended with; the same for one that was stopped and went on."""
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    return {
        "examples": len(trainer.train_dataset),
        "steps": trainer.state.global_step,
        "epochs": round(trainer.state.epoch, 4),
        "first logged loss": round(losses[0], 4) if losses else None,
        "last logged loss": round(losses[-1], 4) if losses else None,
        "device": str(trainer.args.device.type),
    }


def _with_config(arguments: list[str]) -> list[str]:
    """Return arguments with a config: the paper's, where none is named."""
    if "--config" not in arguments:
        return ["--config", str(CONFIGS / "qwen_vl_lora.yaml"), *arguments]
    place = arguments.index("--config") + 1
    if place == len(arguments):
        raise ValueError("--config must be followed by a YAML file, got nothing")
    arguments[place] = str(_shipped(arguments[place]))
    return arguments


def _check_arguments(data: DataArguments, training: SFTConfig, model: ModelConfig) -> None:
    if not model.model_name_or_path:
        raise ValueError(
            "--model_name_or_path must be given, got none: Qwen/Qwen2.5-VL-7B-Instruct, or a folder"
        )
    if data.prompt_type == "caption":
        raise ValueError(
            "prompt_type must be default, instruct or exact (there are no pictures in caption's "
            "prompts to learn from), got 'caption'"
        )
    if data.prompt_type in ("misleading", "cot"):
        raise ValueError(
            f"prompt_type must be default, instruct or exact ({data.prompt_type} has no reference "
            f"to learn, or misleads on purpose), got {data.prompt_type!r}"
        )
    choose("prompt_type", data.prompt_type, PROMPT_TYPES)
    if not data.dataset_train_split.endswith("_train"):
        raise ValueError(
            "dataset_train_split must be ft_train or leave_THEME_out_train, got "
            f"{data.dataset_train_split!r}: the others are for testing"
        )
    template = training.chat_template_path
    if template is not None and not (_shipped(template).is_file() and template.endswith(".jinja")):
        raise ValueError(
            f"chat_template_path must be a file FILE.jinja, or {' or '.join(_TEMPLATES)}, which "
            f"ship, got {template!r}"
        )
    if (model.load_in_4bit or model.load_in_8bit) and not model.use_peft:
        raise ValueError("a quantized model must be tuned with --use_peft true, got false")
    check_checkpoint(model.model_name_or_path, model.model_revision, option="--model_name_or_path")


def _processor_and_config(model: ModelConfig, training: SFTConfig) -> tuple[Any, Any]:
    shared = {
        "revision": model.model_revision,
        "trust_remote_code": training.trust_remote_code,
    }
    config = AutoConfig.from_pretrained(model.model_name_or_path, **shared)
    processor = AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]
        model.model_name_or_path, **shared
    )
    if training.chat_template_path is not None:
        processor.chat_template = _shipped(training.chat_template_path).read_text("utf-8")
    return processor, config


def _shipped(name: str) -> Path:
    """Return the file of this name: the user's, or else the one that ships."""
    return CONFIGS / name if not Path(name).exists() and (CONFIGS / name).exists() else Path(name)


if __name__ == "__main__":
    main()
