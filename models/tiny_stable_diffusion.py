"""Stable Diffusion at tiny size, random and in memory: what `tiny` of the ports draws with.

Pictures have 32 pixels a side.
"""

from __future__ import annotations

from typing import Any

import diffusers as _diffusers
import transformers

diffusers: Any = _diffusers  # its classes are untyped

__all__ = [
    "tiny_clip_words",
    "tiny_sdxl",
    "tiny_stable_diffusion",
    "tiny_text_encoder",
    "tiny_unet",
    "tiny_vae",
]


def tiny_stable_diffusion(width: int, tokens: int | None) -> Any:
    """Return a `StableDiffusionPipeline`, without a safety checker.

    Args:
        width: Of the embeddings of a text.
        tokens: How many of them a text has; None for one that reads embeddings alone.
    """
    pipeline = diffusers.StableDiffusionPipeline(
        tokenizer=None if tokens is None else tiny_clip_words(tokens),
        text_encoder=None if tokens is None else tiny_text_encoder(width, tokens),
        unet=tiny_unet(width),
        scheduler=diffusers.PNDMScheduler(
            beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012,
            skip_prk_steps=True, steps_offset=1,
        ),
        vae=tiny_vae(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )  # fmt: skip
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def tiny_sdxl(width: int) -> Any:
    """Return a `StableDiffusionXLPipeline` that reads embeddings alone.

    Args:
        width: Of the embeddings of a text, and of the one that stands for the whole text.
    """
    pipeline = diffusers.StableDiffusionXLPipeline(
        unet=tiny_unet(
            width, addition_embed_type="text_time", addition_time_embed_dim=8,
            projection_class_embeddings_input_dim=6 * 8 + width,
        ),
        vae=tiny_vae(),
        scheduler=diffusers.EulerDiscreteScheduler(
            beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012, steps_offset=1,
            timestep_spacing="leading",
        ),
        text_encoder=None,
        text_encoder_2=None,
        tokenizer=None,
        tokenizer_2=None,
        add_watermarker=False,
    )  # fmt: skip
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def tiny_clip_words(tokens: int) -> Any:
    """Return CLIP's tokenizer, of single letters."""
    letters = [chr(code) for code in range(97, 123)]
    words = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{c}</w>" for c in letters)]
    vocabulary = {word: number for number, word in enumerate(words)}
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=tokens)


def tiny_text_encoder(width: int, tokens: int) -> Any:
    """Return CLIP's text encoder for these words."""
    config = transformers.CLIPTextConfig(
        vocab_size=2 + 2 * 26, hidden_size=width, intermediate_size=width, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=tokens, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return transformers.CLIPTextModel(config)


def tiny_unet(width: int, **more: Any) -> Any:
    """Return a UNet that reads embeddings of a width."""
    return diffusers.UNet2DConditionModel(
        sample_size=4, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=2,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=width,
        attention_head_dim=2, **more,
    )  # fmt: skip


def tiny_vae() -> Any:
    """Return an autoencoder from 4 latents a side to 32 pixels."""
    return diffusers.AutoencoderKL(
        block_out_channels=(8, 8, 8, 8), down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4, latent_channels=4, norm_num_groups=2,
        sample_size=32,
    )  # fmt: skip
