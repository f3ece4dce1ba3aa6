"""Tiny random checkpoints of the real classes, one a family, as folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from cobsat import THEMES
from cobsat.metrics.layouts import LAYOUTS
from cobsat.metrics.questions import questions
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    CLIPImageProcessorPil,
    LlamaTokenizer,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaNextConfig,
    LlavaNextForConditionalGeneration,
    LlavaNextImageProcessorPil,
    LlavaNextProcessor,
    LlavaProcessor,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2Tokenizer,
    Qwen2VLImageProcessorPil,
    Qwen2VLVideoProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

FAMILIES = ("llava", "llava_next", "qwen2_5_vl", "qwen3_vl")
CONTEXT = 1024

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAVA_HF = (  # as the published conversions have it: without the system text
    "{% for message in messages %}USER: {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>\n{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %} ASSISTANT:{% endfor %}"
)
LLAVA_V1 = LLAVA_HF.replace("USER: ", LAYOUTS["llava_v1"].before, 1)


def texts() -> list[str]:
    said = [LAYOUTS["llava_v1"].before, "Image caption: A red car stands there. "]
    for theme in THEMES.values():
        for question in questions(theme):
            said += [question.about_picture, question.about_description]
    return said


def llama_tokenizer(added: tuple[str, ...] = ("<image>",)) -> LlamaTokenizer:
    learnt = Tokenizer(models.BPE(unk_token="<unk>"))
    learnt.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    letters = [chr(c) for c in range(33, 127)]
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=["<unk>", "<s>", "</s>"], initial_alphabet=letters
    )
    learnt.train_from_iterator(texts(), trainer)
    state = json.loads(learnt.to_str())["model"]
    vocab = dict(state["vocab"])
    for byte in range(256):
        vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
    merges = [tuple(pair) for pair in state["merges"]]
    tokenizer = LlamaTokenizer(vocab=vocab, merges=merges, add_bos_token=True)
    tokenizer.add_special_tokens({"additional_special_tokens": list(added)})
    return tokenizer


def qwen_tokenizer() -> Qwen2Tokenizer:
    learnt = Tokenizer(models.BPE())
    digits = pre_tokenizers.Digits(individual_digits=True)
    learnt.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    learnt.train_from_iterator(texts(), trainer)
    state = json.loads(learnt.to_str())["model"]
    tokenizer = Qwen2Tokenizer(
        vocab=dict(state["vocab"]), merges=[tuple(m) for m in state["merges"]]
    )
    tokenizer.add_special_tokens(
        {
            "eos_token": "<|im_end|>",
            "additional_special_tokens": [
                "<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
                "<|video_pad|>",
            ],
        }
    )  # fmt: skip
    return tokenizer


def save(folder: Path, model: Any, processor: Any) -> Path:
    for name, parameter in model.named_parameters():  # a fresh model hardly looks at its input
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.8 * parameter[0].numel() ** -0.5)
        if "embed_tokens" in name:
            torch.nn.init.normal_(parameter, std=1.0)
        if "lm_head" in name:
            torch.nn.init.normal_(parameter, std=3.0 * parameter[0].numel() ** -0.5)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def llava(folder: Path, template: str = LLAVA_HF, **text: Any) -> Path:
    """LLaVA-1.5's classes: pictures of 32 pixels, 16 patches."""
    torch.manual_seed(0)
    tokenizer = llama_tokenizer()
    config = LlavaConfig(
        vision_config=vision(), text_config=language("llama", tokenizer, **text),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2, vision_feature_select_strategy="default",
    )  # fmt: skip
    processor = LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=tokenizer, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=template,
    )  # fmt: skip
    return save(folder, LlavaForConditionalGeneration(config), processor)


def llava_next(folder: Path, language_model: str = "mistral") -> Path:
    """LLaVA-NeXT's classes, with tiles of 32 pixels."""
    torch.manual_seed(1)
    tokenizer = llama_tokenizer()
    pinpoints = [[32, 64], [64, 32], [64, 64]]
    config = LlavaNextConfig(
        vision_config=vision(), text_config=language(language_model, tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2, vision_feature_select_strategy="default",
        image_grid_pinpoints=pinpoints,
    )  # fmt: skip
    processor = LlavaNextProcessor(
        image_processor=LlavaNextImageProcessorPil(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32},
            image_grid_pinpoints=pinpoints,
        ),
        tokenizer=tokenizer, patch_size=8, vision_feature_select_strategy="default",
        num_additional_image_tokens=1, chat_template=LLAVA_HF,
    )  # fmt: skip
    return save(folder, LlavaNextForConditionalGeneration(config), processor)


def qwen2_5_vl(folder: Path) -> Path:
    torch.manual_seed(2)
    tokenizer = qwen_tokenizer()
    config = Qwen2_5_VLConfig(
        vision_config={
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2,
            "out_hidden_size": 32, "patch_size": 4, "spatial_merge_size": 2, "window_size": 16,
            "fullatt_block_indexes": [1], "temporal_patch_size": 2,
        },
        text_config=language(
            None, tokenizer,
            rope_parameters={"rope_type": "default", "mrope_section": [1, 1, 2],
                             "rope_theta": 10_000.0},
        ),
        **qwen_ids(tokenizer),
    )  # fmt: skip
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessorPil(**qwen_pixels()), tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(), chat_template=CHATML,
    )  # fmt: skip
    return save(folder, Qwen2_5_VLForConditionalGeneration(config), processor)


def qwen3_vl(folder: Path) -> Path:
    torch.manual_seed(3)
    tokenizer = qwen_tokenizer()
    config = Qwen3VLConfig(
        vision_config={
            "depth": 3, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2,
            "out_hidden_size": 32, "patch_size": 4, "spatial_merge_size": 2,
            "temporal_patch_size": 2, "deepstack_visual_indexes": [0],
            "num_position_embeddings": 64,
        },
        text_config=language(
            None, tokenizer, head_dim=8,
            rope_parameters={"rope_type": "default", "mrope_section": [1, 1, 2],
                             "mrope_interleaved": True, "rope_theta": 10_000.0},
        ),
        **qwen_ids(tokenizer),
    )  # fmt: skip
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessorPil(**qwen_pixels()), tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(), chat_template=CHATML,
    )  # fmt: skip
    return save(folder, Qwen3VLForConditionalGeneration(config), processor)


def build(family: str, folder: Path) -> Path:
    makers = {
        "llava": llava, "llava_next": llava_next, "qwen2_5_vl": qwen2_5_vl, "qwen3_vl": qwen3_vl,
    }  # fmt: skip
    return makers[family](folder / f"tiny-{family}")


def vision() -> dict[str, Any]:
    return {
        "model_type": "clip_vision_model", "image_size": 32, "patch_size": 8, "hidden_size": 32,
        "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2,
        "projection_dim": 16,
    }  # fmt: skip


def language(model_type: str | None, tokenizer: Any, **more: Any) -> dict[str, Any]:
    sizes = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT, "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None,
    }  # fmt: skip
    return {**({"model_type": model_type} if model_type else {}), **sizes, **more}


def qwen_ids(tokenizer: Any) -> dict[str, int]:
    names = {
        "image_token_id": "<|image_pad|>", "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>", "vision_end_token_id": "<|vision_end|>",
    }  # fmt: skip
    return {name: tokenizer.convert_tokens_to_ids(token) for name, token in names.items()}


def qwen_pixels() -> dict[str, Any]:
    return {
        "patch_size": 4, "merge_size": 2, "temporal_patch_size": 2,
        "size": {"shortest_edge": 16 * 16, "longest_edge": 40 * 40},
    }  # fmt: skip
