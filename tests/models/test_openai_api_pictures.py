"""Models behind an OpenAI-compatible server: pictures, from a chat and from the Images API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chat_server import Call, Response, as_json, completion, error
from openai_runs import (
    NUMBERS,
    PNG_64,
    PNG_URL,
    rows,
    run,
)
from PIL import Image

pytestmark = pytest.mark.usefixtures("openai_environment")


CHAT_PICTURES: list[dict[str, Any]] = [
    {"images": [{"type": "image_url", "image_url": {"url": PNG_URL}}]},
    {"content": [{"type": "text", "text": "Here."},
                 {"type": "image_url", "image_url": {"url": PNG_URL}}]},
    {"content": [{"type": "image_url", "image_url": PNG_URL}]},
    {"content": [{"type": "output_image", "b64_json": PNG_64}]},
    {"content": f"Here. ![a car]({PNG_URL})"},
]  # fmt: skip


@pytest.mark.parametrize("message", CHAT_PICTURES)
def test_pictures_in_a_reply_are_kept(
    message: dict[str, Any], picture_folder: Path, tmp_path: Path
) -> None:
    [got], server = run(
        lambda _: completion("Here.", message=message), picture_folder, tmp_path, output="image",
        image_api="chat",
    )  # fmt: skip
    assert (got.status, got.image) == ("ok", f"images/{NUMBERS[0]}.png")
    with Image.open(tmp_path / str(got.image)) as opened:
        assert opened.size == (3, 2)
        assert opened.getpixel((0, 0)) == (9, 8, 7)
    assert (got.text or "Here.").strip() == "Here."
    assert server.calls[0].body["modalities"] == ["text", "image"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({}, "the model gave no picture"),
        ({"images": [{"image_url": {"url": "https://a/a.png"}}]}, "the model gave no picture"),
        ({"images": [{"image_url": {"url": "data:image/png;base64,aGVsbG8="}}]},
         "the picture cannot be read: cannot identify image file"),
    ],
)  # fmt: skip
def test_a_reply_without_a_picture_is_an_error(
    message: dict[str, Any], reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    [got], _ = run(
        lambda _: completion("No.", message=message), picture_folder, tmp_path, output="image",
        image_api="chat",
    )  # fmt: skip
    assert got.status == "error"
    assert str(got.reason).startswith(reason)


def images_reply(**parts: Any) -> Response:
    usage = {"input_tokens": 50, "output_tokens": 4000}
    return as_json({"created": 1, "data": [{"b64_json": PNG_64}], "usage": usage, **parts})


def test_the_images_api_is_given_the_prompts_pictures(picture_folder: Path, tmp_path: Path) -> None:
    [got], server = run(
        lambda _: images_reply(), picture_folder, tmp_path, output="image", image_api="images",
        image_size="64x64",
    )  # fmt: skip
    [call] = server.calls
    assert call.path == "/v1/images/edits"
    headers = {name.lower(): value for name, value in call.headers.items()}
    assert headers["content-type"].startswith("multipart/form-data; boundary=")
    [example] = rows(picture_folder, output="image")[:1]
    one, two = (Path(d["image"]).read_bytes() for d in example["demonstrations"])
    assert call.data.count(b'name="image[]"; filename="') == 2
    assert 0 < call.data.index(one) < call.data.index(two)
    words = [part["text"] for part in example["messages"][0]["content"] if part["text"]]
    prompt = f"{words[0]}[image 1] {words[1]}[image 2] {words[2]}"
    for name, value in (("prompt", prompt), ("model", "tiny"), ("size", "64x64"), ("n", "1")):
        assert f'name="{name}"\r\n\r\n{value}\r\n'.encode() in call.data
    assert (got.status, got.image) == ("ok", f"images/{NUMBERS[0]}.png")
    assert got.usage == {"input_tokens": 50, "output_tokens": 4000}


def test_a_prompt_without_pictures_is_generated_from_its_text(
    picture_folder: Path, tmp_path: Path
) -> None:
    def answer(call: Call) -> Response:
        if "response_format" in call.body:
            return error(400, "Unknown parameter: 'response_format'.")
        return images_reply()

    [got], server = run(
        answer, picture_folder, tmp_path, output="image", image_api="images", prompt_type="caption"
    )
    assert [call.path for call in server.calls] == ["/v1/images/generations"] * 2
    [example] = rows(picture_folder, output="image", prompt_type="caption")[:1]
    assert server.calls[1].body == {
        "model": "tiny", "prompt": example["messages"][0]["content"][0]["text"], "n": 1,
    }  # fmt: skip
    assert got.status == "ok"


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        (images_reply(data=[]), "error", "the server gave no picture"),
        (images_reply(data=[{"url": "https://elsewhere/a.png"}]), "error",
         "the server gave a picture's address, not the picture: ask it for b64_json"),
        (error(400, "rejected", "moderation_blocked"), "blocked", "content filter: rejected"),
    ],
)  # fmt: skip
def test_an_images_api_without_a_picture_is_no_answer(
    response: Response, status: str, reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    [got], _ = run(lambda _: response, picture_folder, tmp_path, output="image", image_api="images")
    assert (got.status, got.reason, got.image) == (status, reason, None)
