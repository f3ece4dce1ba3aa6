"""One picture where only one goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cobsat import ImageCache, Options, examples
from cobsat.models.vlm_pictures import collage, one_picture, open_pictures
from PIL import Image


def opened(pictures: Path, config: str) -> list[Any]:
    options = Options(output="description", images=str(pictures))
    return open_pictures(examples(config, "test", options)[0]["messages"], ImageCache())


def shown(messages: list[Any]) -> list[Any]:
    return [part["text"] or part["image"].size for m in messages for part in m["content"]]


def test_all_pictures_stay_unless_one_is_asked_for(picture_folder: Path) -> None:
    messages = opened(picture_folder, "color_i-2shot")
    assert one_picture(messages, "error") == messages
    assert shown(messages)[:4] == ["blue: ", (8, 8), "brown: ", (8, 8)]


@pytest.mark.parametrize(("policy", "size"), [("collage", (16, 8)), ("last", (8, 8))])
def test_the_one_picture_stands_where_the_last_one_stood(
    policy: str, size: tuple[int, int], picture_folder: Path
) -> None:
    messages = opened(picture_folder, "color_i-2shot")
    reduced = one_picture(messages, policy)
    assert shown(reduced)[:3] == ["blue: ", "brown: ", size]
    first, last = messages[0]["content"][1]["image"], messages[0]["content"][3]["image"]
    single = reduced[0]["content"][2]["image"]
    seen = [single.getpixel((0, 0)), single.getpixel((size[0] - 1, 0))]
    expected = [first, last] if policy == "collage" else [last, last]
    assert seen == [picture.getpixel((0, 0)) for picture in expected]
    assert shown(messages)[1] == (8, 8)  # the example's own prompt is as it was


@pytest.mark.parametrize(
    ("count", "size"), [(1, (8, 8)), (2, (16, 8)), (4, (16, 16)), (6, (24, 16)), (8, (24, 24))]
)
def test_a_collage_is_read_row_by_row(count: int, size: tuple[int, int]) -> None:
    pictures = [Image.new("RGB", (8, 8), (place + 1, 0, 0)) for place in range(count)]
    joined = collage(pictures)
    assert joined.size == size
    cells = [
        joined.getpixel((x + 4, y + 4))[0]
        for y in range(0, size[1], 8)
        for x in range(0, size[0], 8)
    ]
    assert cells == [*range(1, count + 1), *[255] * (len(cells) - count)]


def test_pictures_of_other_sizes_are_centred() -> None:
    joined = collage([Image.new("RGB", (2, 4), "red"), Image.new("RGB", (4, 2), "blue")])
    assert joined.size == (8, 4)
    assert [joined.getpixel((x, 1)) for x in range(4)] == [
        (255, 255, 255), (255, 0, 0), (255, 0, 0), (255, 255, 255),
    ]  # fmt: skip
    assert joined.getpixel((5, 0)) == (255, 255, 255)
    assert joined.getpixel((5, 1)) == (0, 0, 255)
