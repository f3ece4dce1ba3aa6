"""What mini-vlm is made of: a tokenizer, a processor, a small `Qwen2_5_VLForConditionalGeneration`.

All are the library's own classes, with Qwen2.5-VL's layout (Bai et al., "Qwen2.5-VL Technical
Report", 2025): ChatML, a picture's places between `<|vision_start|>` and `<|vision_end|>`, a vision
tower with rotary positions and a merger of four patches into one token. The tower begins as
mini-clip's, rewritten for Qwen's blocks, and learns on from there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import torch
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from torch import nn
from torch.nn import functional
from transformers import (
    CLIPModel,
    GenerationConfig,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
    Qwen2Tokenizer,
    Qwen2VLImageProcessor,
    Qwen2VLVideoProcessor,
)
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import apply_rotary_pos_emb_vision

from .mini_clip_model import DEVIATION, IMAGE_SIZE, MEAN, PATCH_SIZE

__all__ = [
    "CHAT_TEMPLATE",
    "CONTEXT",
    "IMAGE_SIZE",
    "PICTURE_TOKENS",
    "build_tokenizer",
    "build_vlm",
    "build_vlm_processor",
    "picture_features",
]

MERGE: Final = 2
GRID: Final = IMAGE_SIZE // PATCH_SIZE
PICTURE_TOKENS: Final = (GRID // MERGE) ** 2
CONTEXT: Final = 1024
VOCABULARY: Final = 1280
_QUICK: Final = 1.702  # x * sigmoid(1.702 x) is GELU, almost
_SPREAD: Final = 2.2  # what mini-clip's first norm divides a drawing's patches by, as measured

_END, _TURN, _TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
_VISION: Final = {
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
}
CHAT_TEMPLATE: Final = """\
{%- for message in messages -%}
{{ '<|im_start|>' + message['role'] + '\\n' -}}
{%- if message['content'] is string -%}
{{ message['content'] -}}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}
{{ '<|vision_start|><|image_pad|><|vision_end|>' -}}
{%- elif part['type'] == 'video' -%}
{{ '<|vision_start|><|video_pad|><|vision_end|>' -}}
{%- else -%}
{{ part['text'] -}}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{ '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\\n' -}}
{%- endif -%}
"""
"""ChatML as Qwen2.5-VL's, but without a system turn of its own where the chat has none."""


def build_tokenizer(texts: Sequence[str]) -> Qwen2Tokenizer:
    """Learn Qwen's kind of byte-pair encoding from texts.

    Every byte is in the vocabulary, so that any text can be written.
    """
    blank: Any = Qwen2Tokenizer()
    learner = Tokenizer(BPE())
    learner.normalizer = blank.backend_tokenizer.normalizer
    learner.pre_tokenizer = blank.backend_tokenizer.pre_tokenizer
    special = [_END, _TURN, _TURN_END, *_VISION.values()]
    alphabet = sorted(ByteLevel.alphabet())
    trainer = BpeTrainer(
        vocab_size=VOCABULARY - len(special), initial_alphabet=alphabet, show_progress=False
    )
    learner.train_from_iterator(texts, trainer)
    model = json.loads(learner.to_str())["model"]
    merges = [tuple(m.split(" ") if isinstance(m, str) else m) for m in model["merges"]]
    pieces = {piece: number for number, piece in enumerate(alphabet)}
    kept = []
    for left, right in merges:
        if len(pieces) < VOCABULARY - len(special):
            kept.append((left, right))
            pieces.setdefault(left + right, len(pieces))
    pieces |= {token: len(pieces) + number for number, token in enumerate(special)}
    options: dict[str, Any] = {"vocab": pieces, "merges": kept, "unk_token": None}
    return Qwen2Tokenizer(
        **options,
        eos_token=_TURN_END,
        pad_token=_END,
        padding_side="left",
        model_max_length=CONTEXT,
        extra_special_tokens={"turn_token": _TURN, **_VISION},
    )


def build_vlm_processor(tokenizer: Qwen2Tokenizer) -> Qwen2_5_VLProcessor:
    """Return the processor: pictures scaled to the tower's size, the tokenizer, the template."""
    size = {"shortest_edge": IMAGE_SIZE**2, "longest_edge": IMAGE_SIZE**2}
    shared: dict[str, Any] = {
        "size": size,
        "patch_size": PATCH_SIZE,
        "merge_size": MERGE,
        "image_mean": list(MEAN),
        "image_std": list(DEVIATION),
    }
    return Qwen2_5_VLProcessor(  # type: ignore[no-untyped-call]
        Qwen2VLImageProcessor(**shared),
        tokenizer,
        Qwen2VLVideoProcessor(**shared),
        chat_template=CHAT_TEMPLATE,
    )


def build_vlm(
    tokenizer: Qwen2Tokenizer,
    clip: CLIPModel,
    seed: int,
    width: int = 192,
    layers: int = 4,
) -> Qwen2_5_VLForConditionalGeneration:
    """Return a model whose vision tower begins as mini-clip's; the rest is untrained.

    Args:
        tokenizer: Names the special tokens.
        clip: The model whose image tower is taken.
        seed: Of the untrained weights.
        width: Of the language model, a multiple of 64.
        layers: Of the language model.
    """
    torch.manual_seed(seed)
    tower = clip.vision_model.config
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    names: dict[str, Any] = {
        f"{name}_id": tokenizer.convert_tokens_to_ids(token) for name, token in _VISION.items()
    }
    config = Qwen2_5_VLConfig(
        vision_config={
            "depth": tower.num_hidden_layers,
            "hidden_size": tower.hidden_size,
            "intermediate_size": tower.intermediate_size,
            "num_heads": tower.num_attention_heads,
            "patch_size": PATCH_SIZE,
            "spatial_merge_size": MERGE,
            "out_hidden_size": width,
            "window_size": IMAGE_SIZE,
            "fullatt_block_indexes": list(range(tower.num_hidden_layers)),
        },
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": width,
            "intermediate_size": 2 * width,
            "num_hidden_layers": layers,
            "num_attention_heads": width // 32,
            "num_key_value_heads": width // 96 or 1,
            "max_position_embeddings": CONTEXT,
            "rope_parameters": {
                "rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 6, 6],
            },
            "initializer_range": 0.05,
            "tie_word_embeddings": True,
            "bos_token_id": None,
            **ends,
        },
        tie_word_embeddings=True,
        **names,
    )  # fmt: skip
    model = Qwen2_5_VLForConditionalGeneration(config)
    model.generation_config = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False, max_new_tokens=48, **ends
    )
    _begin_as_clip(model.model.visual, clip)
    return model


@torch.no_grad()
def _begin_as_clip(visual: nn.Module, clip: CLIPModel) -> None:
    """Write a CLIP tower's weights into Qwen's blocks, as far as these can hold them.

    What writes to the residual stream is centred, so that a norm without a mean does what one with
    it did; its scale and shift go into the next matrix. A gate of GELU's slope times a constant is
    GELU. Lost are the class token and the learnt positions.
    """
    tower: Any = clip.vision_model
    blocks: Any = visual.blocks
    first = tower.embeddings.patch_embedding.weight
    width = first.shape[0]
    centre = torch.eye(width) - 1 / width
    patches = centre @ (tower.pre_layrnorm.weight[:, None] * (centre @ first.flatten(1)))
    patches = patches / _SPREAD
    embedding: Any = visual.patch_embed
    frames = embedding.proj.weight
    frames.copy_((patches.view_as(first) / frames.shape[2]).unsqueeze(2).expand_as(frames))
    for block, layer in zip(blocks, tower.encoder.layers, strict=True):
        block.norm1.weight.fill_(1)
        block.norm2.weight.fill_(1)
        attention = layer.self_attn
        parts = (attention.q_proj, attention.k_proj, attention.v_proj)
        _take(block.attn.qkv, [(p.weight, p.bias) for p in parts], layer.layer_norm1)
        _centred(block.attn.proj, attention.out_proj, centre)
        inner = layer.mlp.fc1
        _take(block.mlp.gate_proj, [(inner.weight, inner.bias)], layer.layer_norm2, _QUICK)
        block.mlp.up_proj.weight.zero_()
        block.mlp.up_proj.bias.fill_(1 / _QUICK)
        _centred(block.mlp.down_proj, layer.mlp.fc2, centre)


def _take(
    target: nn.Linear,
    parts: Sequence[tuple[torch.Tensor, torch.Tensor]],
    norm: nn.LayerNorm,
    scale: float = 1.0,
) -> None:
    """Write what follows a norm with scale and shift, so that it can follow one without."""
    weight = torch.cat([weight for weight, _ in parts])
    bias = torch.cat([bias for _, bias in parts])
    target.weight.copy_(scale * weight * norm.weight)
    target.bias.copy_(scale * (bias + weight @ norm.bias))


def _centred(target: nn.Linear, source: nn.Linear, centre: torch.Tensor) -> None:
    target.weight.copy_(centre @ source.weight)
    target.bias.copy_(centre @ source.bias)


def picture_features(
    model: Qwen2_5_VLForConditionalGeneration, pixels: torch.Tensor
) -> torch.Tensor:
    """Return what the language model sees of pictures: (batch, `PICTURE_TOKENS`, width).

    The same as the tower's own forward pass, which takes pictures one after the other; here all
    have one size, so that they go through it side by side.

    Args:
        model: The model.
        pixels: Pictures (batch, 3, size, size), values from 0 to 1.
    """
    visual: Any = model.model.visual
    weight = visual.patch_embed.proj.weight.sum(dim=2).flatten(1)  # both frames are one picture
    mean, deviation = (torch.tensor(x).view(1, 3, 1, 1) for x in (MEAN, DEVIATION))
    hidden = functional.linear(_patches((pixels - mean) / deviation), weight)
    count, places, width = hidden.shape
    cosine, sine = visual.rotary_pos_emb(hidden, _positions())
    for block in visual.blocks:
        attention = block.attn
        parts = attention.qkv(block.norm1(hidden))
        query, key, value = parts.view(count, places, 3, attention.num_heads, -1).unbind(2)
        query, key = apply_rotary_pos_emb_vision(query, key, cosine, sine)
        # written out: the fused kernel's backward pass is slow for few places
        scores = attention.scaling * query.transpose(1, 2) @ key.permute(0, 2, 3, 1)
        mixed = scores.softmax(dim=-1).to(value.dtype) @ value.transpose(1, 2)
        hidden = hidden + attention.proj(mixed.transpose(1, 2).reshape(count, places, width))
        hidden = hidden + block.mlp(block.norm2(hidden))
    merged = visual.merger.ln_q(hidden).reshape(count, PICTURE_TOKENS, -1)
    features: torch.Tensor = visual.merger.mlp(merged)
    return features


def _patches(pixels: torch.Tensor) -> torch.Tensor:
    """Return patches (batch, places, 3 * patch * patch), those that are merged side by side."""
    half = GRID // MERGE
    shape = (len(pixels), 3, half, MERGE, PATCH_SIZE, half, MERGE, PATCH_SIZE)
    return pixels.reshape(shape).permute(0, 2, 5, 3, 6, 1, 4, 7).reshape(len(pixels), GRID**2, -1)


def _positions() -> torch.Tensor:
    """Return the patches' rows and columns, (places, 2), in the order of `_patches`."""
    axes = torch.meshgrid(*[torch.arange(n) for n in (GRID // MERGE, GRID // MERGE, MERGE, MERGE)],
                          indexing="ij")  # fmt: skip
    row, column, down, right = (axis.flatten() for axis in axes)
    return torch.stack([MERGE * row + down, MERGE * column + right], dim=1)
