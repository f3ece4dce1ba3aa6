"""Pipelines of `diffusers`, the real classes, tiny: random weights, tokenizers in memory.

    folder = save("stable_diffusion", tmp_path)

A token is a letter or a special token, so that every text can be read back from its ids. Pictures
are drawn at 32 pixels; weights are large enough that another prompt or seed is another picture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import diffusers as df
import tiny_vlms
import torch
import transformers as tf
from tokenizers import pre_tokenizers

WIDTH = 32
VAE = {
    "block_out_channels": (8, 8, 8, 8),
    "down_block_types": ("DownEncoderBlock2D",) * 4,
    "up_block_types": ("UpDecoderBlock2D",) * 4,
    "latent_channels": 4,
    "norm_num_groups": 2,
    "sample_size": 32,
}
CHATML = tiny_vlms.CHATML.replace("IMAGE", "")


def clip_tokenizer() -> tf.CLIPTokenizer:
    """Return CLIP's tokenizer, of single letters: it reads 77 tokens, as the real one."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{c}</w>" for c in letters)]
    vocabulary = {word: number for number, word in enumerate(words)}
    return tf.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=77)


def t5_tokenizer() -> tf.T5Tokenizer:
    """Return T5's tokenizer, of single letters."""
    letters = ["\u2581", *(chr(code) for code in range(33, 127))]
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((c, -2.0) for c in letters)]
    return tf.T5Tokenizer(vocab=pieces, extra_ids=0, model_max_length=512)


def clip_text(projection: bool = False) -> Any:
    kind = tf.CLIPTextModelWithProjection if projection else tf.CLIPTextModel
    return kind(
        tf.CLIPTextConfig(
            vocab_size=len(clip_tokenizer()),
            hidden_size=WIDTH,
            intermediate_size=WIDTH,
            num_hidden_layers=2,
            num_attention_heads=2,
            projection_dim=WIDTH,
            max_position_embeddings=77,
            bos_token_id=0,
            eos_token_id=1,
        )
    )


def t5_text() -> tf.T5EncoderModel:
    return tf.T5EncoderModel(
        tf.T5Config(
            vocab_size=len(t5_tokenizer()), d_model=WIDTH, d_ff=WIDTH, d_kv=8, num_layers=2,
            num_heads=2,
        )
    )  # fmt: skip


def unet(channels: int = 4) -> df.UNet2DConditionModel:
    return df.UNet2DConditionModel(
        sample_size=4, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=2,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=WIDTH, attention_head_dim=2, in_channels=channels,
    )  # fmt: skip


def stable_diffusion() -> Any:
    return df.StableDiffusionPipeline(
        vae=df.AutoencoderKL(**VAE),
        text_encoder=clip_text(),
        tokenizer=clip_tokenizer(),
        unet=unet(),
        scheduler=df.DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )


def stable_diffusion_checked() -> Any:
    """Stable Diffusion with its safety checker."""
    vision = {"image_size": 28, "patch_size": 14, "hidden_size": WIDTH, "intermediate_size": WIDTH,
              "num_hidden_layers": 1, "num_attention_heads": 2}  # fmt: skip
    config = tf.CLIPConfig(vision_config=vision, projection_dim=8)
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker

    parts = stable_diffusion().components
    parts["safety_checker"] = StableDiffusionSafetyChecker(config)
    parts["feature_extractor"] = tf.CLIPImageProcessor(
        size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}
    )
    return df.StableDiffusionPipeline(**parts)


def pix2pix() -> Any:
    parts = stable_diffusion().components
    parts["unet"] = unet(channels=8)
    return df.StableDiffusionInstructPix2PixPipeline(**parts, requires_safety_checker=False)


def stable_diffusion_3() -> Any:
    transformer = df.SD3Transformer2DModel(
        sample_size=4, patch_size=2, in_channels=4, out_channels=4, num_layers=1,
        attention_head_dim=8, num_attention_heads=4, joint_attention_dim=2 * WIDTH,
        caption_projection_dim=WIDTH, pooled_projection_dim=2 * WIDTH, pos_embed_max_size=96,
    )  # fmt: skip
    # CLIP's two embeddings lie side by side, T5's beside them is as wide.
    wide = tf.T5Config(
        vocab_size=len(t5_tokenizer()), d_model=2 * WIDTH, d_ff=WIDTH, d_kv=8, num_layers=2,
        num_heads=2,
    )  # fmt: skip
    return df.StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=df.FlowMatchEulerDiscreteScheduler(),
        vae=df.AutoencoderKL(**VAE, shift_factor=0.0),
        text_encoder=clip_text(True),
        tokenizer=clip_tokenizer(),
        text_encoder_2=clip_text(True),
        tokenizer_2=clip_tokenizer(),
        text_encoder_3=tf.T5EncoderModel(wide),
        tokenizer_3=t5_tokenizer(),
    )


def _flux(kind: Any) -> Any:
    transformer = df.FluxTransformer2DModel(
        in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=8,
        num_attention_heads=2, joint_attention_dim=WIDTH, pooled_projection_dim=WIDTH,
        guidance_embeds=True, axes_dims_rope=(2, 2, 4),
    )  # fmt: skip
    return kind(
        transformer=transformer,
        scheduler=df.FlowMatchEulerDiscreteScheduler(),
        vae=df.AutoencoderKL(**VAE, shift_factor=0.0),
        text_encoder=clip_text(),
        tokenizer=clip_tokenizer(),
        text_encoder_2=t5_text(),
        tokenizer_2=t5_tokenizer(),
    )


def flux() -> Any:
    return _flux(df.FluxPipeline)


def flux_kontext() -> Any:
    return _flux(df.FluxKontextPipeline)


def omnigen() -> Any:
    words = tiny_vlms.tokenizer("<|user|>", "<|assistant|>", "<|end|>", "<|diffusion|>", bos=True)
    transformer = df.OmniGenTransformer2DModel(
        in_channels=4, hidden_size=WIDTH, num_attention_heads=4, num_key_value_heads=4,
        intermediate_size=WIDTH, num_layers=2, pad_token_id=0, vocab_size=len(words),
        rope_scaling={"short_factor": [1.0] * 4, "long_factor": [1.0] * 4, "type": "su"},
        pos_embed_max_size=64,
    )  # fmt: skip
    return df.OmniGenPipeline(
        transformer=transformer,
        scheduler=df.FlowMatchEulerDiscreteScheduler(),
        vae=df.AutoencoderKL(**VAE),
        tokenizer=words,
    )


def _flux2_parts(joint: int, guided: bool) -> dict[str, Any]:
    transformer = df.Flux2Transformer2DModel(
        in_channels=16, num_layers=1, num_single_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=joint, timestep_guidance_channels=32,
        axes_dims_rope=(4, 4, 4, 4), guidance_embeds=guided,
    )  # fmt: skip
    vae = df.AutoencoderKLFlux2(**VAE)
    return {
        "transformer": transformer,
        "scheduler": df.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
        "vae": vae,
    }


def flux2_klein() -> Any:
    words = tiny_vlms.tokenizer("<|im_start|>", "<|im_end|>")
    words.chat_template = CHATML
    encoder = tf.Qwen3ForCausalLM(
        tf.Qwen3Config(
            **tiny_vlms.text_config(len(words), num_hidden_layers=28, head_dim=8),
        )
    )
    return df.Flux2KleinPipeline(
        **_flux2_parts(3 * WIDTH, False), text_encoder=encoder, tokenizer=words
    )


def flux2_klein_kv() -> Any:
    return df.Flux2KleinKVPipeline(**flux2_klein().components)


def flux2() -> Any:
    names = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]",
             "image_end_token": "[IMG_END]"}  # fmt: skip
    words = tiny_vlms.tokenizer("[INST]", "[/INST]", *names.values(), named=names)
    processor = tf.PixtralProcessor(
        tf.PixtralImageProcessor(size={"longest_edge": 28}, patch_size={"height": 14, "width": 14}),
        words,
        patch_size=14,
        chat_template=(
            "{% for message in messages %}[INST]{% for part in message['content'] %}"
            "{{ part['text'] }}{% endfor %}[/INST]{% endfor %}"
        ),
    )
    config = tf.Mistral3Config(
        vision_config={"model_type": "pixtral", **tiny_vlms.vision_config()},
        text_config={
            "model_type": "mistral",
            **tiny_vlms.text_config(len(words), num_hidden_layers=31, head_dim=16),
        },
        image_token_index=words.convert_tokens_to_ids("[IMG]"),
    )
    return df.Flux2Pipeline(
        **_flux2_parts(3 * WIDTH, True),
        text_encoder=tf.Mistral3ForConditionalGeneration(config),
        tokenizer=processor,
    )


def _qwen_parts() -> dict[str, Any]:
    model, processor = tiny_vlms.build("qwen2_5_vl")
    transformer = df.QwenImageTransformer2DModel(
        in_channels=16, out_channels=4, num_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=model.config.get_text_config().hidden_size,
        axes_dims_rope=(4, 6, 6),
    )  # fmt: skip
    vae = df.AutoencoderKLQwenImage(
        base_dim=8, z_dim=4, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
        latents_mean=[0.0] * 4, latents_std=[1.0] * 4,
    )  # fmt: skip
    return {
        "transformer": transformer,
        "vae": vae,
        "scheduler": df.FlowMatchEulerDiscreteScheduler(),
        "text_encoder": model,
        "tokenizer": processor.tokenizer,
        "processor": tf.Qwen2VLProcessor(
            processor.image_processor,
            processor.tokenizer,
            processor.video_processor,
            chat_template=processor.chat_template,
        ),
    }


def qwen_image() -> Any:
    parts = _qwen_parts()
    del parts["processor"]
    return df.QwenImagePipeline(**parts)


def qwen_edit() -> Any:
    return df.QwenImageEditPipeline(**_qwen_parts())


def qwen_edit_plus() -> Any:
    return df.QwenImageEditPlusPipeline(**_qwen_parts())


FAMILIES: dict[str, Callable[[], Any]] = {
    "stable_diffusion": stable_diffusion,
    "stable_diffusion_checked": stable_diffusion_checked,
    "pix2pix": pix2pix,
    "stable_diffusion_3": stable_diffusion_3,
    "flux": flux,
    "flux_kontext": flux_kontext,
    "omnigen": omnigen,
    "flux2": flux2,
    "flux2_klein": flux2_klein,
    "flux2_klein_kv": flux2_klein_kv,
    "qwen_image": qwen_image,
    "qwen_edit": qwen_edit,
    "qwen_edit_plus": qwen_edit_plus,
}


def build(family: str) -> Any:
    """Return a family's pipeline, its weights large enough to tell prompts and pictures apart."""
    torch.manual_seed(0)
    pipeline = FAMILIES[family]()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for part in pipeline.components.values():
            for weight in part.parameters() if isinstance(part, torch.nn.Module) else ():
                if weight.ndim > 1:
                    weight.normal_(0.0, weight[0].numel() ** -0.5, generator=generator)
    return pipeline


def save(family: str, folder: Path) -> Path:
    """Save a family's tiny checkpoint, as it would lie on the Hub, and return its folder."""
    home = folder / family
    build(family).save_pretrained(home)
    return home
