"""What mini-llava is made of: a tokenizer, a processor, a small `LlavaForConditionalGeneration`.

All are the library's own classes with LLaVA-1.5's layout (Liu et al., "Improved Baselines with
Visual Instruction Tuning", 2023): a frozen CLIP tower (mini-clip's), a projector of two layers, a
LLaMA, and the prompt of LLaVA's `llava_v1`. The tower's last layer is read with its class token,
which is where mini-clip keeps what it knows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import torch
from cobsat.metrics.questions import WORDINGS, Question, questions
from cobsat.spec import THEMES
from tokenizers import Regex, Tokenizer, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import (
    CLIPModel,
    GenerationConfig,
    LlamaTokenizer,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
)

from .mini_clip_model import IMAGE_SIZE, PATCH_SIZE, build_processor

__all__ = [
    "CHAT_TEMPLATE",
    "CONTEXT",
    "IMAGE_TOKENS",
    "answer_text",
    "build_llama_tokenizer",
    "build_llava",
    "build_llava_processor",
    "prompt_text",
    "prompt_texts",
]

IMAGE_TOKENS: Final = (IMAGE_SIZE // PATCH_SIZE) ** 2 + 1  # the patches and the class token
CONTEXT: Final = 512
VOCABULARY: Final = 1536
PLACEHOLDER: Final = "<image>"
_UNKNOWN, _START, _END, _PADDING = "<unk>", "<s>", "</s>", "<pad>"

SYSTEM: Final = (
    "A chat between a curious human and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the human's questions."
)
CHAT_TEMPLATE: Final = (
    SYSTEM
    + """\
{%- for message in messages -%}
{{ ' ' + message['role'].upper() + ': ' -}}
{%- if message['content'] is string -%}
{{ message['content'] -}}
{%- else -%}
{%- for part in message['content'] if part['type'] == 'image' -%}
{{ '<image>\\n' -}}
{%- endfor -%}
{%- for part in message['content'] if part['type'] == 'text' -%}
{{ part['text'] -}}
{%- endfor -%}
{%- endif -%}
{%- if message['role'] == 'assistant' -%}
{{ eos_token -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ ' ASSISTANT:' -}}
{%- endif -%}
"""
)


def prompt_text(question: Question, description: str | None = None) -> str:
    """Return what the chat template makes of a question about a picture or about a description."""
    asked = f"{PLACEHOLDER}\n{question.about_picture}"
    if description is not None:
        asked = question.with_description(description)
    return f"{SYSTEM} USER: {asked} ASSISTANT:"


def answer_text(number: int) -> str:
    """Return the answer to learn: an option's number, from 1, and the end."""
    return f" {number}{_END}"


def prompt_texts() -> list[str]:
    """Return the prompts about pictures, in both wordings."""
    return [
        prompt_text(question)
        for wording in WORDINGS
        for theme in THEMES.values()
        for question in questions(theme, wording)
    ]


def build_llama_tokenizer(texts: Sequence[str]) -> LlamaTokenizer:
    """Learn LLaMA's kind of byte-pair encoding from texts.

    Word starts carry `▁`; digits and the marks at a word's end stand alone (so " 10" and " 1" both
    begin with `▁`, then "1"); every byte is in the vocabulary, so that any text can be written.
    """
    learner = Tokenizer(BPE())
    learner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(prepend_scheme="always", split=True),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Split(Regex(r"[\n.,:;!?]"), "isolated"),
        ]
    )
    letters = sorted({letter for text in texts for letter in text if letter.isascii()} - {" "})
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    fixed = [_UNKNOWN, _START, _END, *bytes_, "▁", *(x for x in letters if x != "\n")]
    trainer = BpeTrainer(
        vocab_size=VOCABULARY, initial_alphabet=["▁", *letters], show_progress=False
    )
    learner.train_from_iterator(texts, trainer)
    pieces = {piece: number for number, piece in enumerate(fixed)}
    merges = []
    for merge in json.loads(learner.to_str())["model"]["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        if left in pieces and right in pieces and len(pieces) < VOCABULARY - 2:
            merges.append((left, right))
            pieces.setdefault(left + right, len(pieces))
    return LlamaTokenizer(
        vocab=pieces,
        merges=merges,
        pad_token=_PADDING,
        add_bos_token=True,
        padding_side="left",
        model_max_length=CONTEXT,
        extra_special_tokens={"image_token": PLACEHOLDER},
    )


def build_llava_processor(tokenizer: LlamaTokenizer) -> LlavaProcessor:
    """Return the processor: mini-clip's for pictures, the tokenizer, and the chat template."""
    return LlavaProcessor(  # type: ignore[no-untyped-call]
        image_processor=build_processor(),
        tokenizer=tokenizer,
        patch_size=PATCH_SIZE,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=1,
        chat_template=CHAT_TEMPLATE,
    )


def build_llava(
    tokenizer: LlamaTokenizer, clip: CLIPModel, seed: int, width: int = 160, layers: int = 3
) -> LlavaForConditionalGeneration:
    """Return a model with mini-clip's image tower, frozen, and an untrained rest.

    Args:
        tokenizer: Names the special tokens.
        clip: The model whose image tower is taken.
        seed: Of the untrained weights.
        width: Of the language model.
        layers: Of the language model.
    """
    torch.manual_seed(seed)
    ends = {
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    config = LlavaConfig(
        vision_config={**clip.vision_model.config.to_dict(), "dtype": None},
        text_config={
            "model_type": "llama",
            "vocab_size": len(tokenizer),
            "hidden_size": width,
            "intermediate_size": 3 * width,
            "num_hidden_layers": layers,
            "num_attention_heads": width // 32,
            "num_key_value_heads": width // 32,
            "max_position_embeddings": CONTEXT,
            "tie_word_embeddings": True,
            **ends,
        },
        image_token_index=int(tokenizer.image_token_id),
        image_seq_length=IMAGE_TOKENS,
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        tie_word_embeddings=True,
    )
    model = LlavaForConditionalGeneration(config)
    model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False, max_new_tokens=8, **ends
    )
    tower = model.model.vision_tower
    tower.load_state_dict(clip.vision_model.state_dict())
    tower.requires_grad_(False)
    return model
