"""Checkpoints that draw, of the real classes, tiny: random weights, a tokenizer in memory.

    folder = save("emu3", tmp_path)

Emu3 draws and reads pictures of 24 x 16 pixels and more; Janus knows squares of 32. A token is a
byte, a special token or, for Emu3, one of 32 visual tokens. The chat templates are written in the
manner of each family's published one: Emu3's puts all pictures before all text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as tf
from tiny_vlms import IMAGES_FIRST, WIDTH, text_config, tokenizer

CODES = 32
SIDE = 32
SYSTEM = "You are a helpful language and vision assistant. "
"""How the system text begins that Janus' processor puts before a text to be answered in text."""

EMU3_NAMES = {
    "image_token": "<image>",
    "boi_token": "<|image start|>",
    "eoi_token": "<|image end|>",
    "image_wrapper_token": "<|image token|>",
    "eof_token": "<|extra_201|>",
}
JANUS_NAMES = {
    "image_token": "<image_placeholder>",
    "boi_token": "<begin_of_image>",
    "eoi_token": "<end_of_image>",
}
JANUS = (
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}<|User|>: {% elif message['role'] == 'assistant' %}"
    "<|Assistant|>: {% else %}{{ message['role'] | capitalize }}: {% endif %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}{% if not loop.first %}{{ '\n' }}{% endif %}"
    "<image_placeholder>{% if not loop.last %}{{ '\n' }}{% endif %}"
    "{% else %}{{ part['text'] | trim }}{% endif %}{% endfor %}{{ '\n\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|Assistant|>:{% endif %}"
)


def emu3() -> tuple[Any, Any]:
    visual = [f"<|visual token {code:06d}|>" for code in range(CODES)]
    words = tokenizer("<|extra_200|>", *EMU3_NAMES.values(), *visual, named=EMU3_NAMES)
    processor = tf.Emu3Processor(
        tf.Emu3ImageProcessor(
            min_pixels=16 * 16,
            max_pixels=32 * 32,
            image_mean=[0.5, 0.5, 0.5],
            image_std=[0.5, 0.5, 0.5],
        ),
        words,
        chat_template=IMAGES_FIRST,
    )
    config = tf.Emu3Config(
        vq_config={
            "codebook_size": CODES, "base_channels": 32, "channel_multiplier": [1, 1, 1, 1],
            "num_res_blocks": 1, "hidden_size": 32, "attn_resolutions": [],
            "temporal_downsample_factor": 1,
        },
        text_config=text_config(len(words)),
        vocabulary_map=words.get_vocab(),
    )  # fmt: skip
    return tf.Emu3ForConditionalGeneration(config), processor


def janus() -> tuple[Any, Any]:
    words = tokenizer(
        "<|User|>", "<|Assistant|>", *JANUS_NAMES.values(), named=JANUS_NAMES, bos=True
    )
    processor = tf.JanusProcessor(
        tf.JanusImageProcessor(
            size={"height": SIDE, "width": SIDE},
            image_mean=[0.5, 0.5, 0.5],
            image_std=[0.5, 0.5, 0.5],
        ),
        words,
        chat_template=JANUS,
        use_default_system_prompt=True,
        num_image_tokens=16,
    )
    config = tf.JanusConfig(
        text_config={"model_type": "llama", **text_config(len(words))},
        vision_config={
            "hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": SIDE, "patch_size": 8, "mlp_ratio": 2, "projection_dim": WIDTH,
            "num_image_tokens": 16,
        },
        vq_config={
            "embed_dim": 8, "num_embeddings": CODES, "latent_channels": 32, "base_channels": 32,
            "channel_multiplier": [1, 1, 1, 1], "num_res_blocks": 1, "projection_dim": WIDTH,
            "image_token_embed_dim": WIDTH,
        },
        image_token_id=words.image_token_id,
    )  # fmt: skip
    return tf.JanusForConditionalGeneration(config), processor


FAMILIES: dict[str, Callable[[], tuple[Any, Any]]] = {"emu3": emu3, "janus": janus}


def build(family: str) -> tuple[Any, Any]:
    """Return a family's model and processor; its weights tell pictures apart."""
    torch.manual_seed(0)
    model, processor = FAMILIES[family]()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 2:
                weight.normal_(0.0, 0.25, generator=generator)
    if family == "janus":
        model.generation_config.guidance_scale = 5.0
        model.generation_config.generation_kwargs = {
            "boi_token_id": processor.tokenizer.boi_token_id
        }
        model.generation_config.pad_token_id = 0
    return model.eval(), processor


def save(family: str, folder: Path) -> Path:
    """Save a family's tiny checkpoint, as it would lie on the Hub, and return its folder."""
    model, processor = build(family)
    home = folder / family
    model.save_pretrained(home)
    processor.save_pretrained(home)
    return home
