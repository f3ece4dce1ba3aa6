"""A SEED-LLaMA of the real classes at tiny size, random and made in memory: no file is read.

Source: sizes and weights are this package's own. The whole path from prompt to picture runs in
seconds on a CPU, and the pictures are noise. So that replies have the form of a trained model's
(a few letters, a picture, the end), the language model's tables of words give each kind of token
a direction of its own, and each kind the next; which letter and which code it is, the random
layers between decide, from the whole prompt.
"""

from __future__ import annotations

from typing import Any, Final

import diffusers as _diffusers
import transformers

from ..tiny_replies import LETTERS, letter_kind, speak_in_order, tiny_llama_words
from ..tiny_stable_diffusion import tiny_clip_words, tiny_text_encoder, tiny_unet, tiny_vae
from ..tiny_weights import scatter
from .image_tokenizer import ImageTokenizer, TokenizerSizes
from .prompts import Vocabulary

diffusers: Any = _diffusers  # its classes are untyped

__all__ = ["SIZES", "tiny_decoder", "tiny_image_tokenizer", "tiny_language_model", "tiny_words"]

SIZES: Final = TokenizerSizes(
    image_size=32, patch_size=8, vision_width=32, vision_layers=2, vision_mlp_width=48,
    qformer_width=24, qformer_layers=3, qformer_mlp_width=40, cross_attention_every=2, queries=32,
    codebook_size=256, code_width=8, reverse_blocks=2, reverse_block_mlp_width=48,
    down_widths=(16, 8), image_embedding_width=16, vision_heads=4, qformer_heads=4,
    reverse_block_heads=4,
)  # fmt: skip

_WIDTH: Final = 96


def tiny_words(codes: int) -> Any:
    """Return LLaMA's tokenizer, of single letters, with the tokens of pictures."""
    tokenizer = tiny_llama_words()
    tokenizer.add_tokens([f"<img_{code:05d}>" for code in range(codes)])
    tokenizer.add_tokens(["<img>", "</img>"])
    return tokenizer


def tiny_language_model(tokenizer: Any, vocabulary: Vocabulary) -> Any:
    """Return a LLaMA of two layers whose replies have the form of SEED-LLaMA's."""
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=_WIDTH, intermediate_size=128, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=4096,
        initializer_range=0.13, bos_token_id=vocabulary.begin, eos_token_id=vocabulary.end,
    )  # fmt: skip
    model: Any = transformers.LlamaForCausalLM(config)
    words = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    kinds = [_kind(number, word, vocabulary) for number, word in enumerate(words)]
    # What follows what: a text's letters, <img>, the codes of each place, </img>, the end.
    speak_in_order(model, kinds, LETTERS + vocabulary.count + 3)
    return model.eval()


def _kind(number: int, word: str, vocabulary: Vocabulary) -> int:
    """Return a token's place in a reply: 1 to 5 letters, then <img>, codes, </img>, the end."""
    begin = LETTERS + 1
    if number == vocabulary.picture_begin:
        return begin
    if number == vocabulary.picture_end:
        return begin + vocabulary.count + 1
    if number == vocabulary.end:
        return begin + vocabulary.count + 2
    code = number - vocabulary.first_code
    if 0 <= code < vocabulary.codes:
        return begin + 1 + code % vocabulary.count
    return letter_kind(word)


def tiny_image_tokenizer(sizes: TokenizerSizes = SIZES) -> ImageTokenizer:
    """Return an image tokenizer with weights large enough that pictures differ in their codes."""
    tokenizer = ImageTokenizer(sizes)
    seen = tokenizer.tower.embeddings
    places = (tokenizer.places, seen.position_embedding, seen.class_embedding)
    scatter(tokenizer, tokenizer.queries, *places)
    return tokenizer.requires_grad_(False)


def tiny_decoder(embedding_width: int) -> Any:
    """Return the decoder's real class with every part that it has, for 32 pixels."""
    vision = transformers.CLIPVisionConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        image_size=16, patch_size=8, projection_dim=embedding_width,
    )  # fmt: skip
    unet = tiny_unet(
        16,
        class_embed_type="projection",
        projection_class_embeddings_input_dim=2 * embedding_width,
    )
    vae = tiny_vae()
    normalizer = diffusers.pipelines.stable_diffusion.StableUnCLIPImageNormalizer
    pipeline = diffusers.StableUnCLIPImg2ImgPipeline(
        feature_extractor=transformers.CLIPImageProcessor(size={"shortest_edge": 16}),
        image_encoder=transformers.CLIPVisionModelWithProjection(vision),
        image_normalizer=normalizer(embedding_dim=embedding_width),
        image_noising_scheduler=diffusers.DDPMScheduler(beta_schedule="squaredcos_cap_v2"),
        tokenizer=tiny_clip_words(16),
        text_encoder=tiny_text_encoder(16, 16),
        unet=unet,
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        vae=vae,
    )
    pipeline.set_progress_bar_config(disable=True)
    return pipeline
