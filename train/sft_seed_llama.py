r"""Fine-tune SEED-LLaMA to draw: the answer to a prompt is a picture, as its 32 codes.

    cobsat convert seed_llama seed-tokenizer-2/ seed-llama-14b-sft/ --out checkpoints/seed-llama-14b
    cobsat train --model_name_or_path checkpoints/seed-llama-14b --output_dir runs/tuned
    cobsat table4 runs/tuned              # base and tuned model draw for the unseen half

Source: CoBSAT, Sec. 7.1, whose split and settings these are; the paper tunes Qwen-VL only. Prompts
are the ids that the model is asked with (`cobsat.models.seed_llama.prompts`), the answer is
`<img>`, the codes of the right picture, `</img>`, `</s>`, and the loss is on the answer alone. To
the trainer they are ids like any other, so the language model is tuned as a `LlamaForCausalLM`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cobsat import Example, ImageCache, Options, examples
from cobsat.models.checkpoints import choose_device
from cobsat.models.seed_llama import LANGUAGE_MODEL
from cobsat.models.seed_llama.convert import load_words
from cobsat.models.seed_llama.image_tokenizer import ImageTokenizer, picture_codes
from cobsat.models.seed_llama.prompts import Vocabulary, format_prompt, user_turns
from cobsat.models.seed_llama.system import load_image_tokenizer
from datasets import Dataset

__all__ = ["Prepared", "picture_rows", "prepare_seed_llama"]

_IGNORED: Final = -100
"""The label of a token that no loss is on."""


@dataclass(frozen=True)
class Prepared:
    """What a trainer is given.

    Attributes:
        checkpoint: The model that is tuned.
        rows: Its train split.
        processing_class: Its processor or tokenizer.
        lora_targets: The layers that LoRA reaches, where the user names none.
    """

    checkpoint: str
    rows: Dataset
    processing_class: Any
    lora_targets: str


def prepare_seed_llama(data: Any, training: Any, model: Any) -> Prepared:
    """Return a converted SEED-LLaMA and its rows, looked at.

    Raises:
        ValueError: Prompts are longer than `max_length` or the model's context.
    """
    source = str(model.model_name_or_path)
    language_model = str(Path(source) / LANGUAGE_MODEL)
    words = load_words(source)
    device = "cpu" if training.use_cpu else choose_device("auto")
    tokenizer = load_image_tokenizer(source, device)
    options = Options(data.prompt_type, "image", data.instructions_for, images=data.images)
    split = examples(data.dataset_config, data.dataset_train_split, options)
    rows = picture_rows(split, words, tokenizer)
    _check_lengths(rows, Path(language_model), training.max_length)
    return Prepared(language_model, rows, words, "all-linear")


def picture_rows(split: list[Example], words: Any, tokenizer: ImageTokenizer) -> Dataset:
    """Return prompts and answers as ids, with labels; each distinct picture is encoded once."""
    vocabulary = Vocabulary.of(words, tokenizer.sizes.codebook_size, tokenizer.sizes.queries)
    opened = ImageCache()
    known: dict[str, tuple[int, ...]] = {}

    def codes(path: str) -> tuple[int, ...]:
        if path not in known:
            known[path] = picture_codes(tokenizer, opened.open(path))
        return known[path]

    def encode(text: str) -> list[int]:
        ids: list[int] = words.encode(text, add_special_tokens=False)
        return ids

    rows = []
    for example in split:
        (turn,) = user_turns(example["messages"], example["followup"])
        pictures = [codes(str(part["image"])) for part in turn if part["type"] == "image"]
        prompt = format_prompt([turn], [], vocabulary, encode).filled(pictures, vocabulary)
        answer = [
            vocabulary.picture_begin,
            *(vocabulary.first_code + code for code in codes(str(example["target_image"]))),
            vocabulary.picture_end,
            vocabulary.end,
        ]
        rows.append({
            "input_ids": prompt + answer, "labels": [_IGNORED] * len(prompt) + answer
        })  # fmt: skip
    return Dataset.from_list(rows)


def _check_lengths(rows: Dataset, language_model: Path, max_length: int | None) -> None:
    config = json.loads((language_model / "config.json").read_text("utf-8"))
    limits = [n for n in (max_length, config.get("max_position_embeddings")) if n is not None]
    lengths = [len(ids) for ids in rows["input_ids"]]
    if limits and max(lengths) > min(limits):
        over = sum(length > min(limits) for length in lengths)
        raise ValueError(
            f"prompts must have at most {min(limits):,} tokens with their pictures, got {over:,} "
            f"of {len(lengths):,} rows that are longer, up to {max(lengths):,}: raise max_length "
            "(null: no limit), or take fewer shots"
        )
