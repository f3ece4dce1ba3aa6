"""Pictures as CLIP's relatives take them: a square, normalized by CLIP's means; the ports share it.

Resized with Pillow, which rounds to 8 bits as the published code of their time does; resizing on
tensors is off by one level and more. Nothing is cut: what is not square is squeezed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from cobsat.spec import choose
from PIL import Image
from torch import Tensor
from transformers.utils.constants import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

__all__ = ["RESAMPLING", "picture_values"]

RESAMPLING: Final = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}

_MEAN: Final = torch.tensor(OPENAI_CLIP_MEAN)[:, None, None]
_STD: Final = torch.tensor(OPENAI_CLIP_STD)[:, None, None]


def picture_values(picture: Image.Image, side: int, resampling: str = "bicubic") -> Tensor:
    """Return a picture as values of shape (3, side, side), in float32.

    Raises:
        ValueError: There is no such resampling.
    """
    method = RESAMPLING[choose("resampling", resampling, RESAMPLING)]
    square = picture.convert("RGB").resize((side, side), method)
    levels = np.asarray(square, dtype=np.float32) / 255
    values = torch.from_numpy(levels).permute(2, 0, 1)
    return (values - _MEAN) / _STD
