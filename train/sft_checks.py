"""What is looked at before a fine-tuning starts, so that it does not train on something else.

Pictures in their places, no picture's tokens cut, LoRA in the language model only, and the first
batch as the model will see it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import torch
from cobsat.models.vlm_layouts import choose_layout, picture_mark
from datasets import Dataset
from torch import nn
from transformers import AutoModelForImageTextToText

__all__ = [
    "CONFIGS",
    "check_lengths",
    "check_order",
    "check_trained",
    "first_batch",
    "language_model",
]

CONFIGS: Final = Path(__file__).parent / "configs"
"""Settings, and chat templates that keep pictures in their places."""


def check_order(processor: Any, config: Any) -> None:
    """Check that a chat template leaves pictures in their places.

    Raises:
        ValueError: It moves them, as those of LLaVA's conversions do.
    """
    layout = choose_layout(processor, config)
    if layout.name != "template":
        shipped = f"{layout.name}.jinja"
        there = (CONFIGS / shipped).is_file()
        fix = f"{shipped}, which ships, does" if there else "FILE.jinja: one that does"
        raise ValueError(
            f"the checkpoint's chat template must keep text and pictures in reading order, got one "
            f"that does not ({layout.why}): --chat_template_path {fix}"
        )


def check_lengths(rows: Dataset, processor: Any, config: Any, max_length: int | None) -> int:
    """Return the tokens of the longest row, prompt and answer together.

    Each distinct picture is laid out once; its tokens do not depend on the text.

    Raises:
        ValueError: Rows are longer than `max_length` or the model's context.
    """
    context = getattr(config.get_text_config(), "max_position_embeddings", None)
    limits = [n for n in (max_length, context) if n is not None]
    mark = picture_mark(processor)
    sizes: dict[int, int] = {}
    lengths: list[int] = []
    for row in rows.select_columns(["prompt", "completion", "images"]):
        text = processor.apply_chat_template(row["prompt"] + row["completion"], tokenize=False)
        length = len(processor.tokenizer(text, add_special_tokens=False)["input_ids"])
        for picture in row["images"]:
            if id(picture) not in sizes:
                sizes[id(picture)] = _picture_tokens(processor, mark, picture)
            length += sizes[id(picture)] - 1
        lengths.append(length)
    longest = max(lengths, default=0)
    if limits and longest > min(limits):
        over = sum(length > min(limits) for length in lengths)
        what = "max_length" if min(limits) == max_length else "the model's context"
        raise ValueError(
            f"prompts must have at most {min(limits):,} tokens with their pictures ({what}), got "
            f"{over:,} of {len(lengths):,} rows that are longer, up to {longest:,}: raise "
            "max_length (null: no limit), take fewer shots, or make pictures smaller (max_pixels "
            "in the checkpoint's preprocessor_config.json); pictures are never cut"
        )
    return longest


def _picture_tokens(processor: Any, mark: str, picture: Any) -> int:
    ids = processor(images=[picture], text=[mark], add_special_tokens=False)["input_ids"][0]
    return len(ids)


def language_model(config: Any) -> str:
    """Return a pattern of the linear layers that LoRA is to reach: the language model's own.

    Neither the vision tower nor what joins the two is among them.
    """
    with torch.device("meta"):
        model: nn.Module = AutoModelForImageTextToText.from_config(  # type: ignore[no-untyped-call]
            config
        )
    prefix = _decoder_name(model)
    names = {
        name.rsplit(".", 1)[-1]
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and re.match(rf"{re.escape(prefix)}\.layers\.\d+\.", name)
    }
    return rf"{re.escape(prefix)}\.layers\.\d+\..*\b({'|'.join(sorted(names))})"


def _decoder_name(model: nn.Module) -> str:
    """Return the name of the module that holds the language model's layers."""
    decoder: Any = model.get_decoder()  # type: ignore[operator]
    while not hasattr(decoder, "layers"):
        decoder = decoder.model
    names: list[str] = [name for name, module in model.named_modules() if module is decoder]
    return names[0]


def check_trained(model: Any) -> str:
    """Return, in words, how much is trained.

    Raises:
        ValueError: Adapters are outside the language model.
    """
    counts = [(name, p.numel(), p.requires_grad) for name, p in model.named_parameters()]
    trained = sum(count for _, count, on in counts if on)
    total = sum(count for _, count, _ in counts)
    where = ""
    if hasattr(model, "peft_config"):
        inside = _decoder_name(model.get_base_model())
        outside = [name for name, _, on in counts if on and f"{inside}." not in name]
        if outside:
            raise ValueError(
                f"what is trained must lie in the language model ({inside}), got {len(outside)} "
                f"weights elsewhere, {outside[0]} for one: leave --lora_target_modules out, or "
                "name others"
            )
        where = f", all in the language model ({inside})"
    return f"trained: {trained:,} of {total:,} weights{where}"


def first_batch(trainer: Any) -> str:
    """Return, in words, what the first batch holds: nobody should have to guess.

    Raises:
        ValueError: No token of it is trained on.
    """
    batch = next(iter(trainer.get_train_dataloader()))
    labels, ids = batch["labels"][0], batch["input_ids"][0]
    tokenizer = getattr(trainer.processing_class, "tokenizer", trainer.processing_class)
    answer = labels[labels != -100]
    if not len(answer):
        raise ValueError("each prompt must have an answer to train on, got a batch without labels")
    pictures = [
        f"{key} {tuple(v.shape)}" for key, v in batch.items() if "pixel" in key or "grid" in key
    ]
    shown = ", ".join(pictures) or "none beside the tokens"
    return (
        f"first prompt: {int(batch['attention_mask'][0].sum()):,} tokens, of which the loss is on "
        f"{len(answer)}: {tokenizer.decode(answer)!r}; pictures: {shown}; "
        f"keys: {', '.join(sorted(batch))}; ids {len(ids):,}"
    )
