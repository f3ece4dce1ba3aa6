"""Image sources: folders in the official layout, and the official zip."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cobsat import THEMES, image_source
from cobsat.images import read_source, settle
from cobsat.layout import LABELS, stem
from cobsat.official import official_folder, unpack


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
