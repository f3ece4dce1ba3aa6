"""Pictures disturbed: what a judge must stand, at random for training and fixed for measuring.

Colours are labels here, so nothing changes a hue; a flip changes no label.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch.nn import functional

__all__ = ["DISTURBANCES", "augment"]

MAX_TURN: Final = 15.0
MAX_NOISE: Final = 12.0


def augment(
    images: npt.NDArray[np.uint8], size: int, generator: np.random.Generator
) -> torch.Tensor:
    """Return pictures as training sees them: (batch, 3, size, size), values from 0 to 1.

    Each is flipped, turned by up to 15 degrees, zoomed, moved, blurred, made lighter or darker a
    little, given noise, and saved as JPEG, or not, at random.

    Args:
        images: Pixels, (batch, height, width, 3).
        size: Edge of the result.
        generator: The only source of randomness.
    """
    count = len(images)
    saved = generator.random(count) < 0.3
    if saved.any():
        images = images.copy()
        for index in np.flatnonzero(saved):
            images[index] = _jpeg(images[index], int(generator.integers(20, 90)))
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2).float().div_(255)

    # half of the pictures lose their sharpness, as a good resize takes it away
    soft = torch.from_numpy(generator.random(count) < 0.5)
    padded = functional.pad(pixels[soft], (0, 1, 0, 1), mode="replicate")
    pixels[soft] = functional.avg_pool2d(padded, 2, stride=1)

    # what a turn brings into view is black, grey, white, or the edge's own colour
    matrices = torch.from_numpy(_affine(generator, count)).float()
    background = torch.from_numpy(generator.choice([0.0, 0.5, 1.0], size=count)).float()
    background = background.view(-1, 1, 1, 1)
    framed = torch.from_numpy(generator.random(count) < 0.6)
    result = torch.empty(count, 3, size, size)
    result[framed] = background[framed] + _warp(
        pixels[framed] - background[framed], matrices[framed], size, "zeros"
    )
    result[~framed] = _warp(pixels[~framed], matrices[~framed], size, "border")

    gain = torch.from_numpy(generator.uniform(0.92, 1.08, (count, 1, 1, 1))).float()
    shift = torch.from_numpy(generator.uniform(-0.03, 0.03, (count, 1, 1, 1))).float()
    result.mul_(gain).add_(shift)
    for index in np.flatnonzero(generator.random(count) < 0.4):
        sigma = generator.uniform(0, MAX_NOISE / 255)
        noise = generator.standard_normal((3, size, size), dtype=np.float32)
        result[index] += torch.from_numpy(noise) * sigma
    return result.clamp_(0, 1)


def _warp(pixels: torch.Tensor, matrices: torch.Tensor, size: int, padding: str) -> torch.Tensor:
    if not len(pixels):  # grid_sample takes no empty batch
        return torch.empty(0, 3, size, size)
    shape = [len(pixels), 3, size, size]
    grid = functional.affine_grid(matrices, shape, align_corners=False)
    return functional.grid_sample(
        pixels, grid, mode="bilinear", padding_mode=padding, align_corners=False
    )


def _affine(generator: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    """Return matrices (count, 2, 3) that turn, zoom, move and flip."""
    angle = np.radians(generator.uniform(-MAX_TURN, MAX_TURN, count))
    angle *= generator.random(count) < 0.7
    zoom = generator.uniform(0.85, 1.1, count)
    flip = np.where(generator.random(count) < 0.5, -1.0, 1.0)
    move = generator.uniform(-0.06, 0.06, (count, 2))
    matrix = np.empty((count, 2, 3))
    matrix[:, 0, 0], matrix[:, 0, 1] = flip * zoom * np.cos(angle), -zoom * np.sin(angle)
    matrix[:, 1, 0], matrix[:, 1, 1] = flip * zoom * np.sin(angle), zoom * np.cos(angle)
    matrix[:, :, 2] = move
    return matrix


def _jpeg(pixels: npt.NDArray[np.uint8], quality: int) -> npt.NDArray[np.uint8]:
    return np.asarray(_saved(Image.fromarray(pixels), quality))


def _saved(image: Image.Image, quality: int) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


def _noisy(image: Image.Image) -> Image.Image:
    noise = np.random.default_rng(0).normal(0, 8, (image.height, image.width, 3))
    pixels = np.asarray(image, np.float64) + noise
    return Image.fromarray(pixels.clip(0, 255).round().astype(np.uint8))


DISTURBANCES: Final[dict[str, Callable[[Image.Image], Image.Image]]] = {
    "none": lambda image: image,
    "jpeg_40": lambda image: _saved(image, 40),
    "resize_128": lambda image: image.resize((128, 128), Image.Resampling.BICUBIC),
    "flip": lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    "turn_left_10": lambda image: image.rotate(10, Image.Resampling.BICUBIC),
    "turn_right_10": lambda image: image.rotate(-10, Image.Resampling.BICUBIC),
    "noise_8": _noisy,
}
"""The disturbances that the judge is measured under, on pictures of full size."""
