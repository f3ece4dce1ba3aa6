"""The runner: what it keeps of a model's outputs."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path

import pytest
from cobsat import Example, image_source
from cobsat.models import Capabilities, Output, load_model
from cobsat.models.pictures import write_picture
from cobsat.models.predict import predict
from PIL import Image
from scripted_model import BOTH, Scripted, describe, ids, lines, settings_for


def test_predictions_come_in_order_and_in_batches(picture_folder: Path, tmp_path: Path) -> None:
    model = Scripted(describe)
    folder = predict(model, settings_for(picture_folder), tmp_path / "run", batch_size=4)
    assert [len(batch) for batch in model.batches] == [4, 4, 2]
    assert list(folder.predictions()[0]) == ids(10)
    assert all(line["seconds"] >= 0 for line in lines(tmp_path / "run"))


def test_all_that_an_output_says_is_kept(picture_folder: Path, tmp_path: Path) -> None:
    given = Output(
        text="Ein roter Wagen \ud800.\n",
        finish_reason="length",
        usage={"output_tokens": 7},
        extra={"first_round": ["red", None]},
    )
    predict(Scripted(lambda _: given), settings_for(picture_folder, limit=1), tmp_path)
    [line] = lines(tmp_path)
    del line["seconds"]
    assert line == {
        "id": ids(1)[0],
        "status": "ok",
        "text": given.text,
        "finish_reason": "length",
        "usage": {"output_tokens": 7},
        "extra": {"first_round": ["red", None]},
    }


def test_an_existing_picture_is_stored_once_and_as_it_is(
    picture_folder: Path, tmp_path: Path
) -> None:
    original = Path(image_source(str(picture_folder)).paths["color", "red", "car"])
    model = Scripted(lambda _: Output(image=str(original)))
    predict(model, settings_for(picture_folder, "image"), tmp_path)
    digest = hashlib.sha256(original.read_bytes()).hexdigest()
    [stored] = (tmp_path / "images").iterdir()
    assert stored.read_bytes() == original.read_bytes()
    assert {(line["image"], line["image_sha256"]) for line in lines(tmp_path)} == {
        (f"images/{digest[:16]}.png", digest)
    }


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "CMYK", "1", "I;16"])
def test_a_generated_picture_is_stored_under_its_id(
    mode: str, picture_folder: Path, tmp_path: Path
) -> None:
    image = Image.new(mode, (5, 3))
    model = Scripted(lambda _: Output(image=image))
    predict(model, settings_for(picture_folder, "image", limit=2), tmp_path)
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == [
        f"{name}.png" for name in ids(2)
    ]
    for line in lines(tmp_path):
        data = (tmp_path / line["image"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == line["image_sha256"]
        with Image.open(tmp_path / line["image"]) as opened:
            assert opened.size == (5, 3)


def test_a_picture_in_another_format_keeps_it(picture_folder: Path, tmp_path: Path) -> None:
    odd = tmp_path / "out.dat"
    Image.new("RGB", (4, 4)).save(odd, format="WEBP")
    model = Scripted(lambda _: Output(image=str(odd)))
    predict(model, settings_for(picture_folder, "image", limit=1), tmp_path / "run")
    [line] = lines(tmp_path / "run")
    assert line["image"].endswith(".webp")


def test_a_file_that_a_model_writes_anew_each_time_is_read_each_time(
    picture_folder: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "out.bmp"

    def draw(example: Example) -> Output:
        Image.new("RGB", (4, 4), (int(example["id"][-4:]), 0, 0)).save(shared)
        return Output(image=str(shared))

    settings = settings_for(picture_folder, "image")
    predict(Scripted(draw), settings, tmp_path / "run", batch_size=1)
    assert len({line["image_sha256"] for line in lines(tmp_path / "run")}) == 10
    for number, line in enumerate(lines(tmp_path / "run")):
        with Image.open(tmp_path / "run" / line["image"]) as opened:
            assert opened.getpixel((0, 0)) == (number, 0, 0)


def test_a_picture_that_cannot_be_read_is_an_error(picture_folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    answers = iter([Output(image=str(broken)), Output(image=str(tmp_path / "missing.png"))])
    model = Scripted(lambda _: next(answers))
    predict(model, settings_for(picture_folder, "image", limit=2), tmp_path / "run")
    first, second = lines(tmp_path / "run")
    assert first["status"] == second["status"] == "error"
    assert first["reason"].startswith("the picture cannot be read: cannot identify image file")
    assert "No such file" in second["reason"]
    assert "image" not in first
    assert not (tmp_path / "run" / "images").exists()


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("description", Output(), "the model gave no description"),
        ("image", Output(text="I cannot draw."), "the model gave no picture"),
        ("image", Output("error"), "the model gave no reason"),
        ("description", Output("error", reason="a\n b" + "c" * 600), "a b" + "c" * 496 + "…"),
    ],
)
def test_what_is_not_there_is_an_error_and_no_answer(
    kind: str, given: Output, reason: str, picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(lambda _: given), settings_for(picture_folder, kind, limit=1), tmp_path)
    [line] = lines(tmp_path)
    assert (line["status"], line["reason"]) == ("error", reason)
    assert line.get("text") == given.text


def test_a_blocked_output_stays_blocked(picture_folder: Path, tmp_path: Path) -> None:
    model = Scripted(lambda _: Output("blocked", reason="content filter"))
    predict(model, settings_for(picture_folder, limit=1), tmp_path)
    [line] = lines(tmp_path)
    assert (line["status"], line["reason"]) == ("blocked", "content filter")


def test_a_picture_is_there_in_full_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "images" / "a.png"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_picture(target, b"data")
    assert not target.exists()
    monkeypatch.undo()
    write_picture(target, b"data")
    assert target.read_bytes() == b"data"
    write_picture(target, b"other")
    assert target.read_bytes() == b"other"
    assert [path.name for path in target.parent.iterdir()] == ["a.png"]


def test_baselines_need_no_pixels(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A baseline gives paths: no picture is decoded, whatever the number of prompts."""

    def decode(*_: object) -> None:
        raise AssertionError("a picture was decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    for name in ("copy", "query", "random", "oracle"):
        predict(load_model(name), settings_for(picture_folder, "image"), tmp_path / name)
        assert {line["status"] for line in lines(tmp_path / name)} == {"ok"}


def test_captions_in_place_of_pictures_need_no_pictures(
    picture_folder: Path, tmp_path: Path
) -> None:
    model = Scripted(describe, Capabilities(BOTH, max_images=0))
    predict(model, settings_for(picture_folder, prompt_type="caption"), tmp_path)
    assert len(lines(tmp_path)) == 10
