"""Vision-language checkpoints of the real classes, tiny: random weights, a tokenizer in memory.

    model, processor = build("qwen2_5_vl")
    folder = save("qwen2_5_vl", tmp_path)

A token is a byte or a special token, so that every text can be read back from its ids. The chat
templates are written in the manner of each family's: those of `llava` and `llava_next` put all
pictures before all text, as the published ones do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as tf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WIDTH = 32
CONTEXT = 4096

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QWEN = CHATML.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>")
INTERNVL = CHATML.replace("IMAGE", "<IMG_CONTEXT>\n")
IMAGES_FIRST = (
    "{% for message in messages %}"
    "{% if message['role'] != 'system' %}{{ message['role'] | upper }}: {% endif %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'image') %}<image>\n"
    "{% endfor %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'text') %}"
    "{{ part['text'] }} {% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
INST_IMAGES_FIRST = (
    "{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ raise_exception('no system turn here') }}{% endif %}"
    "{% if message['role'] == 'user' %}[INST] {% endif %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'image') %}<image>\n"
    "{% endfor %}"
    "{% for part in message['content'] | selectattr('type', 'equalto', 'text') %}"
    "{{ part['text'] }}{% endfor %}"
    "{% if message['role'] == 'user' %} [/INST]{% endif %}{% endfor %}"
)
GEMMA = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'system' %}{{ raise_exception('no system turn here') }}{% endif %}"
    "<start_of_turn>{{ 'model' if message['role'] == 'assistant' else message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<start_of_image>"
    "{% else %}{{ part['text'] | trim }}{% endif %}{% endfor %}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
IDEFICS = (
    "{{ bos_token }}{% for message in messages %}{{ message['role'] | capitalize }}: "
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)


def tokenizer(
    *special: str, named: dict[str, str] | None = None, bos: bool = False
) -> tf.PreTrainedTokenizerFast:
    """Return a tokenizer of bytes and special tokens; `<pad>` is 0, `<s>` 1, `</s>` 2."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = ["<pad>", "<s>", "</s>", *special, *letters]
    core = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(["<pad>", "<s>", "</s>", *special])
    if bos:
        from tokenizers.processors import TemplateProcessing

        core.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tf.PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens=named or {},
        model_max_length=1_000_000,
    )


def text_config(vocabulary: int, **changes: Any) -> dict[str, Any]:
    """Return the sizes of a tiny language model."""
    return {
        "vocab_size": vocabulary,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        **changes,
    }


def vision_config(**changes: Any) -> dict[str, Any]:
    """Return the sizes of a tiny CLIP-like encoder: 28 pixels, patches of 14."""
    return {
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 28,
        "patch_size": 14,
        **changes,
    }


def llava() -> tuple[Any, Any]:
    words = tokenizer("<image>", named={"image_token": "<image>"}, bos=True)
    processor = tf.LlavaProcessor(
        tf.CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=IMAGES_FIRST,
    )
    config = tf.LlavaConfig(
        vision_config={"model_type": "clip_vision_model", **vision_config()},
        text_config={"model_type": "llama", **text_config(len(words))},
        image_token_index=words.image_token_id,
        image_seq_length=4,
    )
    return tf.LlavaForConditionalGeneration(config), processor


def llava_next() -> tuple[Any, Any]:
    words = tokenizer("<image>", named={"image_token": "<image>"}, bos=True)
    grid = [[28, 56], [56, 28], [56, 56]]
    processor = tf.LlavaNextProcessor(
        tf.LlavaNextImageProcessor(
            size={"shortest_edge": 28},
            crop_size={"height": 28, "width": 28},
            image_grid_pinpoints=grid,
        ),
        words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=INST_IMAGES_FIRST,
    )
    config = tf.LlavaNextConfig(
        vision_config={"model_type": "clip_vision_model", **vision_config()},
        text_config={"model_type": "mistral", **text_config(len(words))},
        image_token_index=words.image_token_id,
        image_grid_pinpoints=grid,
        image_seq_length=4,
    )
    return tf.LlavaNextForConditionalGeneration(config), processor


def instructblip() -> tuple[Any, Any]:
    words, other = tokenizer("<image>", bos=True), tokenizer()
    processor = tf.InstructBlipProcessor(
        tf.BlipImageProcessor(size={"height": 28, "width": 28}), words, other, num_query_tokens=4
    )
    config = tf.InstructBlipConfig(
        vision_config=vision_config(initializer_range=0.02),
        qformer_config={
            "vocab_size": len(other),
            "hidden_size": WIDTH,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": WIDTH,
            "encoder_hidden_size": WIDTH,
            "max_position_embeddings": CONTEXT,
        },
        text_config={"model_type": "llama", **text_config(len(words))},
        num_query_tokens=4,
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )
    return tf.InstructBlipForConditionalGeneration(config), processor


QWEN_NAMES = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
}


def _qwen(processor_class: Any, video_class: Any, patch: int) -> tuple[Any, dict[str, Any]]:
    words = tokenizer("<|im_start|>", "<|im_end|>", *QWEN_NAMES.values(), named=QWEN_NAMES)
    side = 2 * patch
    size = {"shortest_edge": side * side, "longest_edge": 4 * side * side}
    processor = processor_class(
        tf.Qwen2VLImageProcessor(size=size, patch_size=patch),
        words,
        video_class(size=size, patch_size=patch),
        chat_template=QWEN,
    )
    ids = {f"{name}_id": words.convert_tokens_to_ids(token) for name, token in QWEN_NAMES.items()}
    return processor, ids


def qwen2_vl() -> tuple[Any, Any]:
    processor, ids = _qwen(tf.Qwen2VLProcessor, tf.Qwen2VLVideoProcessor, 14)
    rope = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0}
    config = tf.Qwen2VLConfig(
        vision_config={
            "depth": 2, "embed_dim": WIDTH, "hidden_size": WIDTH, "num_heads": 2, "mlp_ratio": 2,
        },
        text_config=text_config(len(processor.tokenizer), rope_parameters=rope),
        **ids,
    )  # fmt: skip
    return tf.Qwen2VLForConditionalGeneration(config), processor


def qwen2_5_vl() -> tuple[Any, Any]:
    processor, ids = _qwen(tf.Qwen2_5_VLProcessor, tf.Qwen2VLVideoProcessor, 14)
    rope = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0}
    config = tf.Qwen2_5_VLConfig(
        vision_config={
            "depth": 2, "hidden_size": WIDTH, "out_hidden_size": WIDTH, "num_heads": 2,
            "intermediate_size": 2 * WIDTH, "window_size": 56, "fullatt_block_indexes": [1],
        },
        text_config=text_config(len(processor.tokenizer), rope_parameters=rope),
        **ids,
    )  # fmt: skip
    return tf.Qwen2_5_VLForConditionalGeneration(config), processor


def qwen3_vl() -> tuple[Any, Any]:
    processor, ids = _qwen(tf.Qwen3VLProcessor, tf.Qwen3VLVideoProcessor, 16)
    rope = {
        "rope_type": "default",
        "mrope_section": [4, 2, 2],
        "mrope_interleaved": True,
        "rope_theta": 10000.0,
    }
    config = tf.Qwen3VLConfig(
        vision_config={
            "depth": 2, "hidden_size": WIDTH, "out_hidden_size": WIDTH, "num_heads": 2,
            "intermediate_size": 2 * WIDTH, "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0, 1],
        },
        text_config=text_config(
            len(processor.tokenizer), head_dim=WIDTH // 2, rope_parameters=rope
        ),
        **ids,
    )  # fmt: skip
    return tf.Qwen3VLForConditionalGeneration(config), processor


def internvl() -> tuple[Any, Any]:
    names = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    words = tokenizer("<|im_start|>", "<|im_end|>", *names.values(), named=names)
    processor = tf.InternVLProcessor(
        tf.GotOcr2ImageProcessor(size={"height": 28, "width": 28}, max_patches=4),
        words,
        tf.InternVLVideoProcessor(size={"height": 28, "width": 28}),
        image_seq_length=1,
        chat_template=INTERNVL,
    )
    config = tf.InternVLConfig(
        vision_config={
            **vision_config(),
            "model_type": "internvl_vision",
            "image_size": [28, 28],
            "patch_size": [14, 14],
        },
        text_config={"model_type": "qwen2", **text_config(len(words))},
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=1,
    )
    return tf.InternVLForConditionalGeneration(config), processor


def gemma3() -> tuple[Any, Any]:
    names = {
        "image_token": "<image_soft_token>",
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
    }
    words = tokenizer("<start_of_turn>", "<end_of_turn>", *names.values(), named=names, bos=True)
    processor = tf.Gemma3Processor(
        tf.Gemma3ImageProcessor(size={"height": 28, "width": 28}),
        words,
        image_seq_length=4,
        chat_template=GEMMA,
    )
    config = tf.Gemma3Config(
        vision_config={"model_type": "siglip_vision_model", **vision_config(image_size=28)},
        text_config=text_config(
            len(words), head_dim=WIDTH // 2, sliding_window=64, num_hidden_layers=2,
            layer_types=["sliding_attention", "full_attention"], query_pre_attn_scalar=16,
        ),
        mm_tokens_per_image=4,
        tie_word_embeddings=False,
        boi_token_index=words.boi_token_id,
        eoi_token_index=words.eoi_token_id,
        image_token_index=words.image_token_id,
        eos_token_id=[2, words.convert_tokens_to_ids("<end_of_turn>")],
    )  # fmt: skip
    return tf.Gemma3ForConditionalGeneration(config), processor


def idefics3() -> tuple[Any, Any]:
    special = ["<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>"]
    special += [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    words = tokenizer(*special, bos=True)
    processor = tf.Idefics3Processor(
        tf.Idefics3ImageProcessor(size={"longest_edge": 56}, max_image_size={"longest_edge": 28}),
        words,
        image_seq_len=1,
        chat_template=IDEFICS,
    )
    config = tf.Idefics3Config(
        vision_config=vision_config(),
        text_config={"model_type": "llama", **text_config(len(words))},
        image_token_id=words.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    return tf.Idefics3ForConditionalGeneration(config), processor


FAMILIES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "llava": llava,
    "llava_next": llava_next,
    "instructblip": instructblip,
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "internvl": internvl,
    "gemma3": gemma3,
    "idefics3": idefics3,
}


def build(family: str) -> tuple[Any, Any]:
    """Return a family's model and processor.

    The weights are large enough to tell pictures apart, and answers are hardly ever special tokens.
    """
    torch.manual_seed(0)
    model, processor = FAMILIES[family]()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0.0, 0.25, generator=generator)
        head = model.get_output_embeddings()
        if head is not None and head.weight is not model.get_input_embeddings().weight:
            head.weight[list(processor.tokenizer.added_tokens_decoder)] = 0.0
    return model.eval(), processor


def save(family: str, folder: Path) -> Path:
    """Save a family's tiny checkpoint, as it would lie on the Hub, and return its folder."""
    model, processor = build(family)
    home = folder / family
    model.save_pretrained(home)
    processor.save_pretrained(home)
    return home


def save_small_qwen(folder: Path, side: int) -> None:
    """Save a Qwen2.5-VL of five million weights, in the proportions of the 7B one, for benchmarks.

    Its vision tower has a twelfth of the language model's weights. Pictures are scaled to `side`
    pixels.
    """
    _, processor = build("qwen2_5_vl")
    size = {"shortest_edge": 56 * 56, "longest_edge": side * side}
    processor.image_processor.size = size
    names = {f"{name}_id": token for name, token in QWEN_NAMES.items()}
    words = processor.tokenizer
    torch.manual_seed(0)
    config = tf.Qwen2_5_VLConfig(
        vision_config={
            "depth": 4, "hidden_size": 96, "out_hidden_size": 256, "num_heads": 4,
            "intermediate_size": 256, "window_size": 112, "fullatt_block_indexes": [1, 3],
        },
        text_config={
            **text_config(len(words)),
            "hidden_size": 256, "intermediate_size": 704, "num_hidden_layers": 6,
            "num_attention_heads": 4, "num_key_value_heads": 4,
            "rope_parameters": {
                "rope_type": "default", "mrope_section": [8, 12, 12], "rope_theta": 10000.0,
            },
        },
        **{name: words.convert_tokens_to_ids(token) for name, token in names.items()},
    )  # fmt: skip
    model = tf.Qwen2_5_VLForConditionalGeneration(config)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
