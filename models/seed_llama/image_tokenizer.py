"""SEED-2, the image tokenizer of SEED-LLaMA: a picture is 32 codes, and 32 codes an embedding.

Source: Ge et al., "Making LLaMA SEE and Draw with SEED Tokenizer" (2023). A picture's patches go
through an EVA tower; a Q-Former of 32 queries, each of which sees only those before it, makes a
causal sequence of them; the nearest rows of a codebook are the codes. Back, the rows of the codes
go through a few transformer blocks and one projection, which gives the embedding of the whole
picture that an unCLIP decoder draws from. Everything runs in float32: the nearest code is decided
by small differences.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from PIL import Image
from torch import Tensor, nn
from transformers import Blip2QFormerConfig, Blip2QFormerModel, Blip2VisionConfig
from transformers.models.blip_2.modeling_blip_2 import Blip2Encoder

from ..eva_tower import config_of, eva_tower, features
from ..picture_values import picture_values

__all__ = ["ImageTokenizer", "TokenizerSizes", "picture_codes"]


@dataclass(frozen=True)
class TokenizerSizes:
    """The sizes of an image tokenizer, as its `config.json` holds them.

    Attributes:
        image_size: Pixels of a side.
        down_widths: Widths of the projections before the embedding, in order.
        image_embedding_width: What the decoder takes.
    """

    image_size: int
    patch_size: int
    vision_width: int
    vision_layers: int
    vision_mlp_width: int
    qformer_width: int
    qformer_layers: int
    qformer_mlp_width: int
    cross_attention_every: int
    queries: int
    codebook_size: int
    code_width: int
    reverse_blocks: int
    reverse_block_mlp_width: int
    down_widths: tuple[int, ...]
    image_embedding_width: int
    vision_heads: int = 16
    qformer_heads: int = 12
    reverse_block_heads: int = 12
    vision_norm_eps: float = 1e-6
    vision_final_norm_eps: float = 1e-5
    qformer_norm_eps: float = 1e-12
    reverse_block_norm_eps: float = 1e-6

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TokenizerSizes:
        """Return sizes from what `config` gave."""
        return cls(**{**config, "down_widths": tuple(config["down_widths"])})

    def config(self) -> dict[str, Any]:
        """Return them as plain JSON."""
        return {**asdict(self), "down_widths": list(self.down_widths)}


class ImageTokenizer(nn.Module):
    """SEED-2; without weights of its own until they are loaded.

    Attributes:
        sizes: Its sizes.
    """

    def __init__(self, sizes: TokenizerSizes) -> None:
        super().__init__()
        self.sizes = sizes
        width = sizes.qformer_width
        self.tower = eva_tower(config_of(sizes), sizes.vision_final_norm_eps)
        self.queries = nn.Parameter(torch.zeros(1, sizes.queries, width))
        self.qformer = Blip2QFormerModel(_qformer(sizes))
        self.to_code = nn.Sequential(
            nn.Linear(width, width), nn.Tanh(), nn.Linear(width, sizes.code_width)
        )
        self.codebook = nn.Embedding(sizes.codebook_size, sizes.code_width)
        self.from_code = nn.Sequential(
            nn.Linear(sizes.code_width, sizes.code_width),
            nn.Tanh(),
            nn.Linear(sizes.code_width, width),
        )
        self.places = nn.Parameter(torch.zeros(1, sizes.queries, width))
        self.reverse = Blip2Encoder(_reverse(sizes))  # type: ignore[arg-type]
        self.down = _down(width, sizes.down_widths)
        self.to_embedding = nn.Linear(
            sizes.queries * (sizes.down_widths or (width,))[-1], sizes.image_embedding_width
        )
        self.eval()

    def look(self, pixels: Tensor) -> Tensor:
        """Return what the Q-Former sees, (batch, 1 + patches, width), of (batch, 3, side, side)."""
        seen: Tensor = self.tower.post_layernorm(features(self.tower, pixels))
        return seen

    def summarize(self, seen: Tensor) -> Tensor:
        """Return the causal sequence of a picture, (batch, queries, width)."""
        count = self.sizes.queries
        # Added to the scores: a query sees itself and those before it.
        later = torch.ones(count, count, device=seen.device, dtype=torch.bool).triu(1)
        mask = torch.zeros(count, count, device=seen.device, dtype=seen.dtype)
        mask = mask.masked_fill(later, torch.finfo(seen.dtype).min)
        summary: Tensor = self.qformer(
            query_embeds=self.queries.expand(len(seen), -1, -1),
            attention_mask=mask.expand(len(seen), 1, -1, -1),
            encoder_hidden_states=seen,
        ).last_hidden_state
        return summary

    def nearest(self, vectors: Tensor) -> Tensor:
        """Return the codes nearest to vectors (batch, queries, code width): (batch, queries)."""
        rows = self.codebook.weight
        flat = vectors.reshape(-1, vectors.shape[-1])
        # Squared distances, without the vectors' own squares, which are the same for each row.
        distances = rows.square().sum(dim=1) - 2 * flat @ rows.T
        return distances.argmin(dim=1).reshape(vectors.shape[:-1])

    @torch.inference_mode()
    def encode(self, pixels: Tensor) -> Tensor:
        """Return codes of shape (batch, queries), of pixels (batch, 3, side, side)."""
        return self.nearest(self.to_code(self.summarize(self.look(pixels))))

    @torch.inference_mode()
    def embed(self, codes: Tensor) -> Tensor:
        """Return pictures' embeddings (batch, image embedding width), of (batch, queries) codes."""
        raised = self.from_code(self.codebook(codes)) + self.places
        hidden = self.reverse(inputs_embeds=raised).last_hidden_state
        embedding: Tensor = self.to_embedding(self.down(hidden).flatten(1))
        return embedding


def picture_codes(
    tokenizer: ImageTokenizer, picture: Image.Image, resampling: str = "bilinear"
) -> tuple[int, ...]:
    """Return a picture's codes; it is encoded alone, whatever else there is.

    The published inference scripts resize bilinearly, and so did the paper's runs; the published
    tokenizer resizes bicubically where it is handed a picture itself.
    """
    values = picture_values(picture, tokenizer.sizes.image_size, resampling)
    return tuple(tokenizer.encode(values[None].to(tokenizer.queries.device))[0].tolist())


def _qformer(sizes: TokenizerSizes) -> Blip2QFormerConfig:
    return Blip2QFormerConfig(
        hidden_size=sizes.qformer_width,
        num_hidden_layers=sizes.qformer_layers,
        num_attention_heads=sizes.qformer_heads,
        intermediate_size=sizes.qformer_mlp_width,
        layer_norm_eps=sizes.qformer_norm_eps,
        cross_attention_frequency=sizes.cross_attention_every,
        encoder_hidden_size=sizes.vision_width,
    )


def _reverse(sizes: TokenizerSizes) -> Blip2VisionConfig:
    config = Blip2VisionConfig(
        hidden_size=sizes.qformer_width,
        intermediate_size=sizes.reverse_block_mlp_width,
        num_hidden_layers=sizes.reverse_blocks,
        num_attention_heads=sizes.reverse_block_heads,
        layer_norm_eps=sizes.reverse_block_norm_eps,
    )
    config._attn_implementation = "sdpa"  # a model would choose it; this is an encoder alone
    return config


def _down(width: int, widths: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in zip((width, *widths), widths, strict=False):
        layers += [nn.ReLU()] if layers else []
        layers.append(nn.Linear(before, after, bias=False))
    return nn.Sequential(*layers)
