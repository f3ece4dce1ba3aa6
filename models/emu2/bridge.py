"""What Emu2 has beside a language model: a picture becomes embeddings, a state the next of them.

Source: Sun et al. 2023, Sec. 2.1. The patches of an EVA tower, averaged in squares, are what stands
for a picture. One linear layer makes embeddings of the language model of them; another makes, of a
state of the language model, the next of them where a picture is being drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..eva_tower import config_of, eva_tower, features
from ..port_options import sizes_of

__all__ = ["Bridge", "BridgeSizes"]


@dataclass(frozen=True)
class BridgeSizes:
    """Sizes of a bridge; those with a default are told by no tensor.

    Attributes:
        image_size: Pixels of a side.
        tokens: Embeddings that a picture has, a square number.
        language_width: Of each of them, as the language model reads it.

    Raises:
        ValueError: The patches cannot be averaged into so many.
    """

    image_size: int
    patch_size: int
    vision_width: int
    vision_layers: int
    vision_mlp_width: int
    language_width: int
    tokens: int = 64
    vision_heads: int = 16
    vision_norm_eps: float = 1e-6

    def __post_init__(self) -> None:
        side = self.image_size // self.patch_size
        if self.tokens < 1 or math.isqrt(self.tokens) ** 2 != self.tokens or side % self.side:
            raise ValueError(
                f"tokens of a picture must be a square number whose root divides {side}, the "
                f"patches of a side, got {self.tokens}"
            )

    @property
    def side(self) -> int:
        """Embeddings of a side."""
        return math.isqrt(self.tokens)

    @property
    def drawn_width(self) -> int:
        """Width of what a picture is drawn from."""
        return self.vision_width

    def config(self) -> dict[str, Any]:
        """Return the sizes as plain JSON."""
        return asdict(self)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> BridgeSizes:
        """Return the sizes that a config holds.

        Raises:
            ValueError: It does not hold exactly these.
        """
        return sizes_of(cls, config, "Emu2's bridge")


class Bridge(nn.Module):
    """Emu2's tower and the two layers beside it; no weights of its own until loaded.

    Args:
        sizes: Their sizes.
    """

    def __init__(self, sizes: BridgeSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.tower = eva_tower(config_of(sizes), None, post_norm=True)
        self.project_up = nn.Linear(sizes.vision_width, sizes.language_width, bias=False)
        self.project_down = nn.Linear(sizes.language_width, sizes.vision_width, bias=False)

    @torch.inference_mode()
    def read(self, pixels: Tensor) -> Tensor:
        """Return pictures as embeddings: (pictures, tokens, language width).

        Args:
            pixels: As `picture_values` gives them, of shape (pictures, 3, side, side).
        """
        return self.enter(self.see(pixels))

    @torch.inference_mode()
    def see(self, pixels: Tensor) -> Tensor:
        """Return what stands for pictures: (pictures, tokens, vision width), row by row."""
        patches = features(self.tower, pixels.to(self.project_up.weight))[:, 1:]
        rows = self.sizes.image_size // self.sizes.patch_size
        grid = patches.transpose(1, 2).reshape(len(patches), -1, rows, rows)
        averaged = nn.functional.adaptive_avg_pool2d(grid, self.sizes.side)
        return averaged.flatten(2).transpose(1, 2)

    @torch.inference_mode()
    def enter(self, drawn: Tensor) -> Tensor:
        """Return embeddings of the language model, from what stands for pictures."""
        embeddings: Tensor = self.project_up(drawn)
        return embeddings

    @torch.inference_mode()
    def regress(self, states: Tensor) -> Tensor:
        """Return what stands for the picture that follows states of the language model."""
        following: Tensor = self.project_down(states.to(self.project_down.weight))
        return following
