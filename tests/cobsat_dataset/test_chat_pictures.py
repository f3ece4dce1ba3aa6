"""Pictures as they are sent: their bytes, their MIME type, and what is sent as PNG instead."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from cobsat.chat_pictures import chat_picture, data_url
from PIL import Image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format=kind, **options)
    return buffer.getvalue()


RED = Image.new("RGB", (4, 2), (250, 0, 0))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_file_that_servers_take_goes_as_it_is_whatever_its_name(
    kind: str, tmp_path: Path
) -> None:
    data = encoded(RED, kind)
    path = tmp_path / "picture.bmp"
    path.write_bytes(data)
    for given in (str(path), path, data):
        assert chat_picture(given) == (data, f"image/{kind.lower()}")
        assert data_url(given) == (
            f"data:image/{kind.lower()};base64,{base64.b64encode(data).decode()}"
        )


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(RED, "JPEG", exif=exif)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (encoded(RED, "BMP"), (4, 2)),
        (encoded(RED, "TIFF"), (4, 2)),
        (encoded(RED.convert("CMYK"), "JPEG"), (4, 2)),
        (encoded(Image.new("I;16", (4, 2), 900), "PNG"), (4, 2)),
        (encoded(RED, "GIF", save_all=True, append_images=[Image.new("RGB", (4, 2))]), (4, 2)),
        (encoded(RED, "WEBP", save_all=True, append_images=[Image.new("RGB", (4, 2))]), (4, 2)),
        (turned(), (2, 4)),
    ],
)
def test_what_servers_do_not_take_goes_as_png(data: bytes, size: tuple[int, int]) -> None:
    sent = chat_picture(data)
    assert sent.mime == "image/png"
    with Image.open(io.BytesIO(sent.data)) as opened:
        assert (opened.format, opened.size) == ("PNG", size)
        assert opened.mode in ("L", "RGB", "RGBA")


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "CMYK", "LA", "1", "I;16"])
def test_a_picture_in_memory_goes_as_png(mode: str) -> None:
    sent = chat_picture(Image.new(mode, (3, 3)))
    assert sent.mime == "image/png"
    assert data_url(Image.new(mode, (3, 3))).startswith("data:image/png;base64,")


def test_a_file_that_changes_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(RED, "PNG"))
    before = data_url(path)
    path.write_bytes(encoded(Image.new("RGB", (9, 9)), "PNG"))
    assert data_url(path) != before


def test_what_is_no_picture_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        data_url(tmp_path / "none.png")
    with pytest.raises(OSError, match="cannot identify image file"):
        chat_picture(b"hello")
