"""Opening pictures as they are seen, whatever they are."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest
from cobsat.metrics.pictures import UNREADABLE, open_picture, why_unreadable
from PIL import Image

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def halves(left: Any, right: Any, mode: str = "RGB") -> Image.Image:
    picture = Image.new(mode, (8, 4), left)
    picture.paste(right, (4, 0, 8, 4))
    return picture


def corners(picture: Image.Image) -> list[tuple[int, ...]]:
    assert picture.mode == "RGB"
    right, bottom = picture.width - 1, picture.height - 1
    return [picture.getpixel(xy) for xy in ((0, 0), (right, 0), (0, bottom), (right, bottom))]  # type: ignore[misc]


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF", "TIFF"])
def test_transparent_is_white(kind: str) -> None:
    picture = halves((*BLUE, 255), (*RED, 0), "RGBA")
    for given in (picture, saved(picture, kind, **({"lossless": True} if kind == "WEBP" else {}))):
        assert corners(open_picture(given)) == [BLUE, WHITE] * 2


def test_half_transparent_is_half_white() -> None:
    assert corners(open_picture(Image.new("RGBA", (2, 2), (0, 0, 0, 128)))) == [(127,) * 3] * 4


def test_a_palette_with_a_transparent_color() -> None:
    palette = Image.new("P", (8, 4), 1)
    palette.putpalette([*RED, *BLUE])
    palette.paste(0, (4, 0, 8, 4))
    assert corners(open_picture(saved(palette, "PNG", transparency=0))) == [BLUE, WHITE] * 2
    assert corners(open_picture(saved(palette, "PNG"))) == [BLUE, RED] * 2


def test_grey_and_black_and_white() -> None:
    assert corners(open_picture(saved(halves(0, 200, "L"), "PNG"))) == [(0,) * 3, (200,) * 3] * 2
    assert corners(open_picture(saved(halves(0, 1, "1"), "PNG"))) == [(0,) * 3, WHITE] * 2
    grey = halves((90, 255), (0, 0), "LA")
    assert corners(open_picture(saved(grey, "PNG"))) == [(90,) * 3, WHITE] * 2


def test_sixteen_bits_become_eight() -> None:
    levels = np.array([[0, 0x8000, 0xFFFF], [255, 256, 0x7FFF]], dtype=np.uint16)
    seen = open_picture(saved(Image.fromarray(levels), "PNG"))
    assert np.asarray(seen)[..., 0].tolist() == [[0, 128, 255], [0, 1, 127]]
    assert seen.mode == "RGB"


def test_printers_colors() -> None:
    cyan, red = (255, 0, 0, 0), (0, 255, 255, 0)
    picture = Image.new("CMYK", (64, 32), cyan)
    picture.paste(red, (32, 0, 64, 32))
    found = corners(open_picture(saved(picture, "JPEG", quality=95)))
    assert np.asarray(found) == pytest.approx(np.asarray([(0, 255, 255), RED] * 2), abs=6)


def test_of_moving_pictures_the_first() -> None:
    frames = [Image.new("RGB", (8, 4), color) for color in (RED, BLUE, WHITE)]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=50)
    assert corners(open_picture(data)) == [RED] * 4


def test_a_photograph_is_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    turned = open_picture(saved(halves(RED, BLUE), "PNG", exif=exif))
    assert turned.size == (4, 8)
    assert corners(turned) == [RED, RED, BLUE, BLUE]


@pytest.mark.parametrize("exif", [b"Exif\0\0no such thing", b"Exif\0\0", b"x"])
def test_a_picture_whose_exif_is_broken_is_a_picture(exif: bytes) -> None:
    data = saved(Image.new("RGB", (16, 8), RED), "JPEG", exif=exif)
    assert open_picture(data).size == (16, 8)


def test_one_pixel_is_a_picture_and_a_strip_is_none() -> None:
    assert corners(open_picture(Image.new("RGB", (1, 1), RED))) == [RED] * 4
    assert open_picture(Image.new("RGB", (3, 300))).size == (3, 300)
    for size in ((1, 5000), (5000, 1), (3, 301)):
        data = saved(Image.new("RGB", size), "PNG")
        with pytest.raises(UNREADABLE, match="at most 100 times as long as wide") as error:
            open_picture(data)
        assert why_unreadable(data, error.value) == "image cannot be read: picture: TooThin"


@pytest.mark.filterwarnings("ignore:Truncated File Read:UserWarning")  # Pillow's, of TIFF
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_truncated_files_cannot_be_read(kind: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    data = saved(Image.fromarray(noise), kind)
    for share in (0.0, 0.01, 0.5, 0.9):
        with pytest.raises(UNREADABLE) as error:
            open_picture(data[: int(len(data) * share)])
        assert re.fullmatch(
            r"image cannot be read: picture: \w+", why_unreadable(data, error.value)
        )


def test_what_is_given_stays_as_it_was() -> None:
    picture = halves((*BLUE, 255), (*RED, 0), "RGBA")
    before = picture.tobytes()
    open_picture(picture).putpixel((0, 0), RED)
    assert picture.tobytes() == before
    plain = halves(RED, BLUE)
    open_picture(plain).putpixel((0, 0), BLUE)
    assert corners(plain) == [RED, BLUE] * 2
