"""What Qwen-VL-Chat sees: an image tower, and a resampler that makes 256 embeddings of a picture.

Source: Bai et al., "Qwen-VL" (2023), Sec. 2.1. The tower is OpenCLIP's ViT-bigG without its class
token and its last norm. The resampler is one cross-attention: learned queries on a grid ask the
patches, and both know their places. Tables of places are of a size of their own, and stretched to
the number of patches.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import CLIPVisionConfig
from transformers.models.clip.modeling_clip import CLIPEncoder

__all__ = ["Vision", "VisionSizes", "stretched"]


@dataclass(frozen=True)
class VisionSizes:
    """The sizes of tower and resampler, as `config.json` of a converted folder holds them.

    Attributes:
        image_size: Pixels of a side.
        width: Of the tower.
        position_rows: Places that the tower's table has.
        queries: Embeddings of a picture.
        output_width: Of the embeddings, the language model's.
    """

    image_size: int
    patch_size: int
    width: int
    layers: int
    heads: int
    mlp_width: int
    position_rows: int
    queries: int
    output_width: int
    resampler_heads: int
    norm_eps: float = 1e-6

    def config(self) -> dict[str, Any]:
        """Return them as plain JSON."""
        return asdict(self)


class Vision(nn.Module):
    """Tower and resampler; without weights of their own until they are loaded.

    Attributes:
        sizes: Their sizes.
    """

    def __init__(self, sizes: VisionSizes) -> None:
        super().__init__()
        self.sizes = sizes
        width, out = sizes.width, sizes.output_width
        self.patches = nn.Conv2d(3, width, sizes.patch_size, sizes.patch_size, bias=False)
        self.places = nn.Parameter(torch.zeros(sizes.position_rows, width))
        self.norm_before = nn.LayerNorm(width, sizes.norm_eps)
        self.encoder = CLIPEncoder(_tower(sizes))  # type: ignore[arg-type]
        # Of one width already, patches go to the resampler as they are.
        self.widen = nn.Identity() if width == out else nn.Linear(width, out, bias=False)
        self.key_norm = nn.LayerNorm(out, sizes.norm_eps)
        self.queries = nn.Parameter(torch.zeros(sizes.queries, out))
        self.query_norm = nn.LayerNorm(out, sizes.norm_eps)
        self.query_places = nn.Parameter(torch.zeros(sizes.queries, out))
        self.attention = nn.MultiheadAttention(out, sizes.resampler_heads, batch_first=True)
        self.norm_after = nn.LayerNorm(out, sizes.norm_eps)
        self.projection = nn.Linear(out, out, bias=False)
        self.eval()

    def look(self, pixels: Tensor) -> Tensor:
        """Return what the tower sees, (batch, patches, width), of (batch, 3, side, side)."""
        patches = self.patches(pixels).flatten(2).transpose(1, 2)
        placed = patches + stretched(self.places, patches.shape[1])
        seen: Tensor = self.encoder(inputs_embeds=self.norm_before(placed)).last_hidden_state
        return seen

    def resample(self, seen: Tensor) -> Tensor:
        """Return what the queries take from it, (batch, queries, output width)."""
        values = self.key_norm(self.widen(seen))
        keys = values + stretched(self.query_places, seen.shape[1])
        asking = self.query_norm(self.queries) + self.query_places
        taken: Tensor = self.attention(
            asking.expand(len(seen), -1, -1), keys, values, need_weights=False
        )[0]
        return taken

    def forward(self, pixels: Tensor) -> Tensor:
        """Return embeddings for the language model, (batch, queries, output width)."""
        embeddings: Tensor = self.projection(self.norm_after(self.resample(self.look(pixels))))
        return embeddings


def stretched(table: Tensor, count: int) -> Tensor:
    """Return a square table of places (places, width), stretched to another number of them.

    Between rows bicubically, not antialiased, in float32.
    """
    if len(table) == count:
        return table
    side, wanted = math.isqrt(len(table)), math.isqrt(count)
    grid = table.float().reshape(1, side, side, -1).permute(0, 3, 1, 2)
    larger = nn.functional.interpolate(
        grid, size=(wanted, wanted), mode="bicubic", align_corners=False
    )
    return larger.flatten(2)[0].T.to(table.dtype)


def _tower(sizes: VisionSizes) -> CLIPVisionConfig:
    config = CLIPVisionConfig(
        hidden_size=sizes.width,
        intermediate_size=sizes.mlp_width,
        num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads,
        hidden_act="gelu",
        layer_norm_eps=sizes.norm_eps,
    )
    config._attn_implementation = "sdpa"  # a model would choose it; this is an encoder alone
    return config
