"""Image sources: folders in the official layout, and the official zip."""

from __future__ import annotations

import csv
import errno
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cobsat import THEMES, ImageCache, image_source
from cobsat.images import read_source, settle
from cobsat.layout import LABELS, stem
from cobsat.official import official_folder, unpack
from PIL import Image


@pytest.fixture
def folder(picture_folder: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "pictures"
    shutil.copytree(picture_folder, copy)
    return copy


@pytest.fixture
def make_zip(picture_folder: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that zips the tiny pictures as the official file holds them."""

    def make(leave_out: str = "", extra: dict[str, bytes] | None = None) -> Path:
        target = tmp_path / "datasets.zip"
        with zipfile.ZipFile(target, "w") as archive:
            archive.mkdir("datasets")
            for path in sorted(picture_folder.rglob("*.*")):
                name = path.relative_to(picture_folder).as_posix()
                if name != leave_out:
                    archive.write(path, f"datasets/{name}")
            for name, data in (extra or {}).items():
                archive.writestr(name, data)
        return target

    return make


def test_the_layout_is_the_official_one() -> None:
    assert len(LABELS) == len(set(LABELS)) == 500
    assert stem(("color", "red", "car")) == "color_car/red_car"
    assert stem(("style", "wireframe", "leaf")) == "style_leaf/3d_leaf"
    assert stem(("background", "park", "zebra")) == "background_zebra/park_zebra"


def test_a_folder_is_read(picture_folder: Path) -> None:
    source = image_source(str(picture_folder))
    assert source.name == f"folder:{picture_folder.name}"
    assert source.paths["texture", "lace", "hat"].endswith("texture_hat/lace_hat.png")
    assert source.descriptions["background", "park", "cow"] == "A cow, amusement park."


def test_the_digest_is_of_the_pictures_not_of_where_they_are(
    folder: Path, picture_folder: Path
) -> None:
    before = read_source(folder, "a")
    assert before.digest == read_source(picture_folder, "b").digest
    shutil.copyfile(before.paths["color", "red", "car"], before.paths["color", "red", "cup"])
    assert read_source(folder, "a").digest != before.digest


def test_what_is_missing_is_counted_and_named(folder: Path) -> None:
    (folder / "color_car/red_car.png").unlink()
    shutil.rmtree(folder / "action_cat")
    (folder / "style_object.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"111 are missing: .*color_car/red_car\.jpg"):
        read_source(folder, "a")


def test_a_caption_that_is_empty_is_missing(folder: Path) -> None:
    table = folder / "color_object.csv"
    table.write_text(table.read_text().replace('"A leaf, yellow."', ""))
    with pytest.raises(FileNotFoundError, match="1 are missing: description of color_leaf/yellow"):
        read_source(folder, "a")


@pytest.mark.parametrize(
    "content", [b"", b"<html>429</html>", b"version https://git-lfs.github.com/spec/v1\n"]
)
def test_what_is_no_picture_is_named(content: bytes, folder: Path) -> None:
    (folder / "color_car/red_car.png").write_bytes(content)
    with pytest.raises(ValueError, match="1 cannot: color_car/red_car"):
        read_source(folder, "a")


def test_other_kinds_of_picture_are_read_too(folder: Path) -> None:
    with Image.open(folder / "color_car/red_car.png") as picture:
        picture.save(folder / "color_car/red_car.png", format="BMP")
    assert len(read_source(folder, "a").paths) == 500


def test_endings_may_be_in_capitals(folder: Path, make_zip: Callable[..., Path]) -> None:
    for path in folder.glob("color_*/*.png"):
        path.rename(path.with_suffix(".PNG"))
    assert read_source(folder, "a").paths["color", "red", "car"].endswith("red_car.PNG")
    content = (folder / "color_cup/blue_cup.PNG").read_bytes()
    archive = make_zip("color_cup/blue_cup.png", {"datasets/color_cup/blue_cup.JPG": content})
    home = unpack(archive, folder.parent / "cache")
    assert read_source(home, "a").paths["color", "blue", "cup"].endswith("blue_cup.jpg")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image,caption\nred_car.png,caf\xe9\n".encode("latin-1"), "UTF-8"),
        (b"image;caption\nred_car.png;A car.\n", "got the columns image;caption"),
        (b"", "the columns image and caption"),
        (b'image,caption\n"' + b"a" * 200_000 + b'",b\n', "field larger"),
    ],
)
def test_a_table_that_cannot_be_read_is_named(text: bytes, message: str, folder: Path) -> None:
    (folder / "color_object.csv").write_bytes(text)
    with pytest.raises(ValueError, match=rf"color_object\.csv must be .*{message}"):
        read_source(folder, "a")


def test_tables_of_other_systems_are_read(folder: Path) -> None:
    table = folder / "color_object.csv"
    with open(table, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(table, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["n", "image", "caption"])
        for row in rows:
            path = "D:\\data\\" + row["image"].replace("/", "\\")
            writer.writerow([1, path, f'A "new"\n{row["caption"]} '])
    described = read_source(folder, "a").descriptions["color", "red", "car"]
    assert described == 'A "new"\nA car, red.'


def test_a_changed_folder_is_read_anew(folder: Path) -> None:
    before = image_source(str(folder))
    assert image_source(str(folder)) is before
    Image.new("RGB", (9, 9)).save(folder / "color_car/red_car.png")
    after = image_source(str(folder))
    assert after.digest != before.digest
    table = folder / "color_object.csv"
    table.write_text(table.read_text().replace("A car, red.", "A fine red car."))
    assert image_source(str(folder)).descriptions["color", "red", "car"] == "A fine red car."


def test_a_relative_folder_is_of_its_working_directory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert image_source(folder.name).name == f"folder:{folder.name}"
    monkeypatch.chdir(folder)
    with pytest.raises(FileNotFoundError, match="which is no folder"):
        image_source(folder.name)


def test_a_misspelt_source_gets_the_nearest_name() -> None:
    with pytest.raises(FileNotFoundError, match="did you mean 'official'"):
        image_source("oficial")


def test_settled_pictures_come_back_when_the_cache_was_emptied(
    picture_folder: Path, tmp_path: Path
) -> None:
    source = image_source(str(picture_folder))
    settle(source, tmp_path)
    shutil.rmtree(tmp_path / "cobsat_images")
    assert all(Path(path).is_file() for path in settle(source, tmp_path).paths.values())


def test_a_full_disk_leaves_nothing_half_settled(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [3]

    def copy(source: str, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        target.write_bytes(b"")

    monkeypatch.setattr("cobsat.images.shutil.copyfile", copy)
    with pytest.raises(OSError, match="No space left"):
        settle(image_source(str(picture_folder)), tmp_path)
    assert [path for path in (tmp_path / "cobsat_images").iterdir() if path.is_dir()] == []


def test_what_a_killed_process_left_is_dropped(picture_folder: Path, tmp_path: Path) -> None:
    source = image_source(str(picture_folder))
    left = tmp_path / "cobsat_images" / f"{source.digest[:16]}.partial"
    (left / "color_car").mkdir(parents=True)
    (left / "color_car/red_car.png").write_bytes(b"half")
    there = settle(source, tmp_path)
    assert read_source_of_settled(tmp_path) == {Path(path).name for path in source.paths.values()}
    assert Path(there.paths["color", "red", "car"]).stat().st_size > 4
    assert not left.exists()


def test_a_cut_picture_is_named_when_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "cut.png"
    Image.effect_noise((64, 64), 50).save(path)
    path.write_bytes(path.read_bytes()[:1500])
    with pytest.raises(OSError, match=r"cut\.png must be a whole picture"):
        ImageCache().open(str(path))


def test_settled_pictures_are_copies(picture_folder: Path, tmp_path: Path) -> None:
    source = image_source(str(picture_folder))
    there = settle(source, tmp_path)
    assert there.digest == source.digest
    again = read_source_of_settled(tmp_path)
    assert again == {Path(path).name for path in source.paths.values()}
    assert all(path.startswith(str(tmp_path)) for path in there.paths.values())


def read_source_of_settled(cache: Path) -> set[str]:
    return {path.name for path in cache.rglob("*.png")}


def test_the_official_zip_is_read(
    make_zip: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = {"datasets/weather_cat/rainy_cat.jpg": b"x", "__MACOSX/datasets/._a": b"x"}
    home = unpack(make_zip(extra=noise), tmp_path / "cache")
    assert len(read_source(home, "official").paths) == 500
    assert not list(home.rglob("rainy_cat.jpg"))
    assert len(list(home.rglob("*.*"))) == 505
    monkeypatch.setenv("COBSAT_OFFICIAL_ZIP", str(tmp_path / "datasets.zip"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "other")
    assert official_folder().parent == tmp_path / "other" / "cobsat_official"


def test_an_incomplete_zip_says_which_pictures_are_missing(
    make_zip: Callable[..., Path], tmp_path: Path
) -> None:
    home = unpack(make_zip(leave_out="color_cup/blue_cup.png"), tmp_path / "cache")
    with pytest.raises(FileNotFoundError, match="1 are missing: color_cup/blue_cup"):
        read_source(home, "official")


@pytest.mark.parametrize(
    "name",
    ["../evil.jpg", "datasets/../../evil.jpg", "/etc/evil.jpg", "..\\evil.jpg", "C:\\evil.jpg"],
)
def test_entries_that_leave_the_folder_are_refused(
    name: str, make_zip: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="only entries inside its folder"):
        unpack(make_zip(extra={name: b"x"}), tmp_path / "deep" / "cache")
    assert not list(tmp_path.rglob("evil.jpg"))
    assert not list((tmp_path / "deep").rglob("*.png"))


def test_far_too_large_entries_are_refused(
    make_zip: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cobsat.official.MAX_FILE_BYTES", 1000)
    archive = make_zip(
        leave_out="color_cup/blue_cup.png", extra={"datasets/color_cup/blue_cup.jpg": b"0" * 1001}
    )
    with pytest.raises(ValueError, match="must be smaller than"):
        unpack(archive, tmp_path / "cache")


def test_a_bomb_is_not_unpacked(
    make_zip: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cobsat.official.MAX_BYTES", 50_000)
    with pytest.raises(ValueError, match="together, got"):
        unpack(make_zip(), tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("*.png"))


def _flag(data: bytes, local: int, central: int, value: int) -> bytes:
    """Set a byte in every header of a zip file, at its place in the local and central ones."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        place = changed.find(signature)
        while place >= 0:
            changed[place + offset] = value
            place = changed.find(signature, place + 4)
    return bytes(changed)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: _flag(data, 6, 8, 1),  # a password
        lambda data: _flag(data, 8, 10, 9),  # an unknown compression
        lambda data: data.replace(b"A car, red.", b"A car, RED."),  # a wrong checksum
        lambda data: _flag(data, 8, 10, 8),  # not deflated, as is said
    ],
)
def test_a_broken_zip_is_told_in_one_line(
    damage: Callable[[bytes], bytes], make_zip: Callable[..., Path], tmp_path: Path
) -> None:
    archive = make_zip()
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(ValueError, match="must be a zip file that can be read") as caught:
        unpack(archive, tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.png"))


def test_a_link_in_the_zip_is_not_followed(
    make_zip: Callable[..., Path], picture_folder: Path, tmp_path: Path
) -> None:
    archive = make_zip(leave_out="color_cup/blue_cup.png")
    with zipfile.ZipFile(archive, "a") as entries:
        link = zipfile.ZipInfo("datasets/color_cup/blue_cup.png")
        link.external_attr = 0o120777 << 16
        entries.writestr(link, str(picture_folder / "color_cup/red_cup.png"))
    with pytest.raises(ValueError, match="1 cannot: color_cup/blue_cup"):
        read_source(unpack(archive, tmp_path / "cache"), "official")


def test_what_is_no_zip_is_told(tmp_path: Path) -> None:
    (tmp_path / "datasets.zip").write_text("no zip")
    with pytest.raises(ValueError, match="must be a zip file"):
        unpack(tmp_path / "datasets.zip", tmp_path / "cache")
    with pytest.raises(FileNotFoundError, match="COBSAT_OFFICIAL_ZIP must name"):
        unpack(tmp_path / "nothing.zip", tmp_path / "cache")


def test_without_the_hub_it_says_how_to_get_the_official_pictures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object, **kwargs: object) -> str:
        raise ConnectionError("no route to host")

    monkeypatch.delenv("COBSAT_OFFICIAL_ZIP", raising=False)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", refuse)
    with pytest.raises(
        FileNotFoundError, match="COBSAT_OFFICIAL_ZIP; the download failed: no route"
    ):
        official_folder()


def test_every_theme_has_a_table(picture_folder: Path) -> None:
    names = {f"{theme.name}_{theme.object_kind}.csv" for theme in THEMES.values()}
    assert names == {path.name for path in picture_folder.glob("*.csv")}


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    values = np.array([[0, 255, 256, 65535]], np.uint16)
    Image.fromarray(values).save(tmp_path / "deep.png")
    opened = ImageCache().open(str(tmp_path / "deep.png"))
    assert [opened.getpixel((x, 0))[0] for x in range(4)] == [0, 0, 1, 255]
    Image.fromarray(np.array([[0.5]], np.float32)).save(tmp_path / "float.tiff")
    with pytest.raises(OSError, match="whole picture, got mode F, which has no range"):
        ImageCache().open(str(tmp_path / "float.tiff"))
