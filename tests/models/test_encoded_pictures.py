"""Pictures are encoded once, while there is memory for what they become."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from cobsat.models.encoded_pictures import EncodedPictures, check_reuse
from PIL import Image
from torch import Tensor

SIZE = 4 * 3
"""Bytes of three numbers in float32."""


class Encoder:
    """Makes of a picture its first pixel, and remembers which it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, picture: Image.Image) -> Tensor:
        pixel = picture.getpixel((0, 0))
        assert isinstance(pixel, tuple)
        self.asked.append(pixel)
        return torch.tensor(pixel, dtype=torch.float32)


def picture(red: int, mode: str = "RGB") -> Image.Image:
    return Image.new("RGB", (4, 2), (red, 0, 0)).convert(mode)


def test_equal_pixels_are_encoded_once(tmp_path: Path) -> None:
    encoder = Encoder()
    seen = EncodedPictures(encoder, 10 * SIZE)
    for name in ("a.png", "b.png"):
        picture(7).save(tmp_path / name)
    same = [str(tmp_path / "a.png"), str(tmp_path / "b.png"), picture(7), picture(7, "RGBA")]
    assert [seen.of(image).tolist() for image in same] == [[7, 0, 0]] * 4
    assert encoder.asked == [(7, 0, 0)]
    seen.of(picture(7).resize((2, 4)))
    assert len(encoder.asked) == 2
    seen.forget()
    seen.of(picture(7))
    assert len(encoder.asked) == 3


def test_the_longest_unused_goes_first() -> None:
    encoder = Encoder()
    seen = EncodedPictures(encoder, 2 * SIZE)
    for red in (1, 2, 1, 3, 1, 2):  # 3 takes the place of 2, and 2 that of 3
        assert seen.of(picture(red)).tolist() == [red, 0, 0]
    assert [red for red, *_ in encoder.asked] == [1, 2, 3, 2]


def test_without_memory_each_is_encoded_each_time() -> None:
    encoder = Encoder()
    seen = EncodedPictures(encoder, 0)
    assert [seen.of(picture(1)).tolist() for _ in range(2)] == [[1, 0, 0]] * 2
    assert len(encoder.asked) == 2


def test_a_picture_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none\.png"):
        EncodedPictures(Encoder(), SIZE).of(str(tmp_path / "none.png"))


def test_memory_is_given_in_gigabytes() -> None:
    assert check_reuse(0.5) == 500_000_000
    assert check_reuse(0) == 0
    for wrong in (-1, "2", True, None):
        with pytest.raises(ValueError, match="reuse_gb must be a number of 0 or more, got"):
            check_reuse(wrong)
