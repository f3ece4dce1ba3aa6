"""What GILL trained: a picture becomes tokens of a language model, and its tokens a picture's text.

Source: Koh et al. 2023, Sec. 3. Language model, image tower and decoder are frozen; between them
stand one linear layer, which makes four tokens of a picture; the embeddings of eight `[IMG]` tokens
that the language model says when it wants to draw; and the mapper, a small transformer that turns
their hidden states into what Stable Diffusion's text encoder would give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..port_options import sizes_of

__all__ = ["Bridge", "BridgeSizes"]


@dataclass(frozen=True)
class BridgeSizes:
    """Sizes of a bridge.

    Attributes:
        vision_width: Of what the image tower gives of a picture.
        language_width: Of the language model's embeddings.
        tokens_per_picture: Embeddings that a picture of a prompt becomes.
        drawing_tokens: `[IMG]` tokens, which a picture is drawn from.
        mapper_width: Of the mapper.
        mapper_mlp_width: Inside its feed-forward layers.
        mapper_encoder_layers: Over the drawing tokens.
        mapper_decoder_layers: Over the queries.
        mapper_queries: Embeddings that a picture is drawn from.
        decoder_width: Of each of these.
        mapper_heads: Of its attention; no tensor tells.
    """

    vision_width: int
    language_width: int
    tokens_per_picture: int
    drawing_tokens: int
    mapper_width: int
    mapper_mlp_width: int
    mapper_encoder_layers: int
    mapper_decoder_layers: int
    mapper_queries: int
    decoder_width: int
    mapper_heads: int = 4

    def config(self) -> dict[str, Any]:
        """Return the sizes as plain JSON."""
        return asdict(self)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> BridgeSizes:
        """Return the sizes that a config holds.

        Raises:
            ValueError: It does not hold exactly these.
        """
        return sizes_of(cls, config, "GILL's bridge")


class Bridge(nn.Module):
    """GILL's trained parts.

    Args:
        sizes: Their sizes.
    """

    def __init__(self, sizes: BridgeSizes) -> None:
        super().__init__()
        self.sizes = sizes
        tokens, width = sizes.tokens_per_picture, sizes.language_width
        self.to_tokens = nn.Linear(sizes.vision_width, tokens * width)
        self.rows = nn.Parameter(torch.randn(sizes.drawing_tokens, width))
        self.mapper = _Mapper(sizes)

    @torch.inference_mode()
    def read(self, seen: Tensor) -> Tensor:
        """Return pictures as embeddings: (pictures, tokens, language width).

        Args:
            seen: What the image tower gives of each, of shape (pictures, vision width).
        """
        tokens: Tensor = self.to_tokens(seen)
        return tokens.reshape(len(tokens), -1, self.sizes.language_width)

    @torch.inference_mode()
    def condition(self, hidden: Tensor, rows: Tensor | None = None) -> Tensor:
        """Return what a decoder draws from, of shape (pictures, queries, decoder width).

        Args:
            hidden: The language model's last hidden states at the drawing tokens, of shape
                (pictures, tokens, language width).
            rows: The embeddings of these tokens, if not its own.
        """
        condition: Tensor = self.mapper(hidden + (self.rows if rows is None else rows))
        return condition


class _Mapper(nn.Module):
    """From drawing tokens to embeddings of a text: no mask, no positions, queries as targets."""

    def __init__(self, sizes: BridgeSizes) -> None:
        super().__init__()
        width = sizes.mapper_width
        layer = {
            "d_model": width,
            "nhead": sizes.mapper_heads,
            "dim_feedforward": sizes.mapper_mlp_width,
            "dropout": 0.0,
            "norm_first": True,
            "batch_first": True,
        }
        self.into = nn.Linear(sizes.language_width, width)
        self.transformer = nn.Transformer(
            num_encoder_layers=0,
            num_decoder_layers=sizes.mapper_decoder_layers,
            custom_encoder=nn.TransformerEncoder(
                nn.TransformerEncoderLayer(**layer),  # type: ignore[arg-type]
                sizes.mapper_encoder_layers,
                nn.LayerNorm(width),
                enable_nested_tensor=False,  # it would warn that it is of no use here
            ),
            **layer,  # type: ignore[arg-type]
        )
        self.queries = nn.Parameter(torch.randn(1, sizes.mapper_queries, width))
        self.out = nn.Linear(width, sizes.decoder_width)

    def forward(self, tokens: Tensor) -> Tensor:
        queries = self.queries.expand(len(tokens), -1, -1)
        condition: Tensor = self.out(self.transformer(self.into(tokens), queries))
        return condition
