"""Thumbnails: each picture once, any shape, nothing that stops a report."""

import base64
import io

import pytest
from cobsat.hub_cards.thumbnails import OF_PROMPTS, Pictures, thumbnail
from PIL import Image


def decoded(data):
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_the_same_bytes_are_one_picture(tmp_path):
    Image.new("RGB", (20, 20), "red").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    Image.new("RGB", (20, 20), "blue").save(tmp_path / "c.png")
    pictures = Pictures()
    names = ("a.png", "b.png", "c.png", "a.png", "none.png")
    assert [pictures.number(tmp_path / name) for name in names] == [0, 0, 1, 0, None]
    assert pictures.number("") is None
    done = []
    assert len(pictures.thumbnails(done.append)) == 2
    assert done == [1, 1]


@pytest.mark.parametrize("name", ["x.png", "x.jpg", "x.webp", "x.gif", "x.bmp"])
def test_keeps_the_shape_of_a_picture(tmp_path, name):
    Image.new("RGB", (600, 300), "red").save(tmp_path / name)
    small = decoded(thumbnail(tmp_path / name, 128, 70))
    assert (small.format, small.size) == ("WEBP", (128, 64))
    red, green, blue = small.convert("RGB").getpixel((60, 30))
    assert red > 240
    assert max(green, blue) < 20


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "1", "I;16", "CMYK"])
def test_takes_any_kind_of_picture_and_lays_the_transparent_on_white(tmp_path, mode):
    path = tmp_path / ("x.jpg" if mode == "CMYK" else "x.png")
    picture = Image.new(mode, (40, 40))
    options = {"transparency": 0} if mode == "P" else {}
    picture.save(path, **options)
    small = decoded(thumbnail(path, 128, 70))
    assert small.mode == "RGB"
    if mode in ("RGBA", "LA", "P"):
        assert min(small.getpixel((20, 20))) > 250


def test_what_is_no_picture_gives_nothing(tmp_path, monkeypatch):
    (tmp_path / "text.png").write_text("no picture")
    Image.new("RGB", (300, 300), "red").save(tmp_path / "cut.png")
    cut = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(cut[: len(cut) // 2])
    (tmp_path / "folder.png").mkdir()
    Image.new("L", (400, 400)).save(tmp_path / "bomb.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    for name in ("text.png", "cut.png", "folder.png", "bomb.png", "none.png"):
        assert thumbnail(tmp_path / name, 128, 70) == "", name


def test_the_more_pictures_the_smaller_but_those_of_prompts_stay_large(tmp_path):
    pictures = Pictures()
    for number in range(3):
        Image.new("RGB", (300, 300), (number, 0, 0)).save(tmp_path / f"{number}.png")
        pictures.number(tmp_path / f"{number}.png")
    pictures.number(tmp_path / "2.png", of_prompt=True)  # an output's picture, and a prompt's
    for sizes, side in ((((2, 100, 50), (9, 80, 50)), 100), (((1, 100, 50), (9, 80, 50)), 80)):
        made = [decoded(data).size for data in pictures.thumbnails(sizes=sizes)]
        assert made == [(side, side), (side, side), (OF_PROMPTS[0], OF_PROMPTS[0])]
    assert decoded(pictures.thumbnails(sizes=())[0]).size == (72, 72)
