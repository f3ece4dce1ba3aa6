"""What PandaGPT sees: ImageBind's image tower, and the linear layer into the language model.

Source: Girdhar et al., "ImageBind" (2023), whose image tower is CLIP's ViT-H with an epsilon of its
own; Su et al. 2023, Sec. 2. ImageBind takes a picture for a film of two equal frames: over these
its patches' weights are summed, once, when a checkpoint is converted. Features are of length 1, as
ImageBind gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from PIL import Image
from torch import Tensor, nn
from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

from ..port_options import sizes_of

__all__ = ["Vision", "VisionSizes", "middle_square"]


@dataclass(frozen=True)
class VisionSizes:
    """The sizes of what PandaGPT sees with, as `config.json` of a converted folder holds them.

    Attributes:
        image_size: Pixels of a side.
        width: Of the tower.
        features: ImageBind's, of a picture.
        language_width: Of the embedding, the language model's.
        heads: Of the tower's attention; no tensor tells.
        norm_eps: Of its norms; no tensor tells.
    """

    image_size: int
    patch_size: int
    width: int
    layers: int
    mlp_width: int
    features: int
    language_width: int
    heads: int = 16
    norm_eps: float = 1e-6

    def config(self) -> dict[str, Any]:
        """Return them as plain JSON."""
        return asdict(self)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> VisionSizes:
        """Return the sizes that a config holds.

        Raises:
            ValueError: It does not hold exactly these.
        """
        return sizes_of(cls, config, "PandaGPT's image tower")


class Vision(nn.Module):
    """Tower and linear layer; without weights of their own until they are loaded.

    Attributes:
        sizes: Their sizes.
    """

    def __init__(self, sizes: VisionSizes) -> None:
        super().__init__()
        self.sizes = sizes
        config = CLIPVisionConfig(
            hidden_size=sizes.width,
            intermediate_size=sizes.mlp_width,
            projection_dim=sizes.features,
            num_hidden_layers=sizes.layers,
            num_attention_heads=sizes.heads,
            image_size=sizes.image_size,
            patch_size=sizes.patch_size,
            hidden_act="gelu",
            layer_norm_eps=sizes.norm_eps,
        )
        self.tower = CLIPVisionModelWithProjection(config)
        self.to_language = nn.Linear(sizes.features, sizes.language_width)
        self.eval()

    def features(self, pixels: Tensor) -> Tensor:
        """Return ImageBind's features, (batch, features), of pictures (batch, 3, side, side)."""
        seen: Tensor = self.tower(pixel_values=pixels).image_embeds
        return nn.functional.normalize(seen, dim=-1)

    def forward(self, pixels: Tensor) -> Tensor:
        """Return embeddings for the language model, (batch, 1, language width)."""
        embeddings: Tensor = self.to_language(self.features(pixels))
        return embeddings[:, None]


def middle_square(picture: Image.Image, side: int) -> Image.Image:
    """Return a picture's middle, its shorter side resized bicubically to `side` pixels.

    As torchvision resizes and crops, by Pillow: lengths are cut to whole pixels, margins rounded.
    """
    width, height = picture.size
    shorter = min(width, height)
    resized = picture.resize(
        (side * width // shorter, side * height // shorter), Image.Resampling.BICUBIC
    )
    left, top = (round((length - side) / 2) for length in resized.size)
    return resized.crop((left, top, left + side, top + side))
