"""The builder behind `load_dataset("cobsat", …)`, and what its cache holds."""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import cobsat
import cobsat.registration
import datasets
import pytest
from cobsat.examples import is_train
from datasets import load_dataset
from PIL import Image


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


def test_a_split_has_the_rows_of_the_pure_functions(pictures: str, cache: str) -> None:
    loaded = load_dataset(
        "cobsat", "color_ii-4shot", split="test", images=pictures, cache_dir=cache
    )
    rows = cobsat.examples("color_ii-4shot", "test", cobsat.Options(images=pictures))
    assert len(loaded) == len(rows) == 1000
    first, row = loaded[17], rows[17]
    for name in ("id", "query", "latent_variable", "reference", "target_description", "shots"):
        assert first[name] == row[name]  # type: ignore[literal-required]
    texts = [part["text"] for part in first["messages"][0]["content"]]
    assert texts == [part["text"] for part in row["messages"][0]["content"]]
    shown = [part["image"] for part in first["messages"][0]["content"] if part["image"]]
    assert len(shown) == 4
    for decoded, part in zip(shown, row["demonstrations"], strict=True):
        assert isinstance(decoded, Image.Image)
        with Image.open(str(part["image"])) as wanted:
            assert decoded.tobytes() == wanted.tobytes()


def test_all_splits_load_each_with_its_columns(pictures: str, cache: str) -> None:
    loaded = load_dataset("cobsat", "all-2shot", images=pictures, cache_dir=cache)
    assert {name: len(rows) for name, rows in loaded.items()} == {
        "test": 10_000,
        "ft_train": 3_000,
        "ft_test": 2_500,
        **{
            f"leave_{theme}_out_{kind}": count
            for theme in cobsat.THEMES
            for kind, count in (("train", 8_000), ("test", 500))
        },
    }
    for name, rows in loaded.items():
        assert ("messages" in rows.column_names) is not is_train(name)
        assert ("completion" in rows.column_names) is is_train(name)


def test_train_rows_are_as_trl_takes_them(pictures: str, cache: str) -> None:
    row = load_dataset(
        "cobsat", "color_i-4shot", split="ft_train", images=pictures, cache_dir=cache
    )[9]
    kinds = [part["type"] for part in row["prompt"][0]["content"]]
    assert kinds == ["text", "image"] * 4 + ["text"]
    assert len(row["images"]) == 4
    answer = row["completion"][0]
    assert answer["role"] == "assistant"
    assert answer["content"] == [{"type": "text", "text": row["target_description"]}]


@pytest.mark.parametrize(
    "split", ["test[:10]", "test[-3:]", "ft_test[10%:20%]", "test[5:7]+ft_test[1:2]"]
)
def test_slices_are_those_of_the_whole(split: str, pictures: str, cache: str) -> None:
    whole = load_dataset("cobsat", "style_i-2shot", images=pictures, cache_dir=cache)
    ids = {name: rows["id"][:] for name, rows in whole.items()}
    wanted = {
        "test[:10]": ids["test"][:10],
        "test[-3:]": ids["test"][-3:],
        "ft_test[10%:20%]": ids["ft_test"][25:50],
        "test[5:7]+ft_test[1:2]": ids["test"][5:7] + ids["ft_test"][1:2],
    }[split]
    loaded = load_dataset("cobsat", "style_i-2shot", split=split, images=pictures, cache_dir=cache)
    assert loaded["id"][:] == wanted
    if "ft_test[10" in split:
        sliced = load_dataset(
            "cobsat", "style_i-2shot", split="ft_train[:2]", images=pictures, cache_dir=cache
        )
        assert "completion" in sliced.column_names


def test_train_and_test_splits_do_not_join(pictures: str, cache: str) -> None:
    with pytest.raises(ValueError, match="which have other columns"):
        load_dataset(
            "cobsat", "style_i-2shot", split="test+ft_train", images=pictures, cache_dir=cache
        )


def test_streaming_gives_the_same_rows(pictures: str, cache: str) -> None:
    for split in ("test", "ft_train"):
        arguments = {"split": split, "images": pictures, "cache_dir": cache}
        stream = load_dataset("cobsat", "action_i-2shot", streaming=True, **arguments)
        loaded = load_dataset("cobsat", "action_i-2shot", **arguments)
        assert stream.features == loaded.features
        row = next(iter(stream))
        assert row["id"] == loaded[0]["id"]
        assert row.keys() == loaded[0].keys()


@pytest.mark.slow
def test_two_processes_prepare_the_same(pictures: str, tmp_path: Path) -> None:
    one = load_dataset(
        "cobsat", "all-2shot", split="test", images=pictures, cache_dir=str(tmp_path / "1")
    )
    two = load_dataset(
        "cobsat",
        "all-2shot",
        split="test",
        images=pictures,
        cache_dir=str(tmp_path / "2"),
        num_proc=2,
    )
    assert one["id"][:] == two["id"][:]


def test_saving_copying_and_mapping(pictures: str, cache: str, tmp_path: Path) -> None:
    loaded = load_dataset(
        "cobsat", "color_i-2shot", split="test[:4]", images=pictures, cache_dir=cache
    )
    assert pickle.loads(pickle.dumps(loaded))["id"][:] == loaded["id"][:]
    loaded.save_to_disk(str(tmp_path / "saved"))
    assert datasets.load_from_disk(str(tmp_path / "saved"))[1]["id"] == loaded[1]["id"]
    mapped = loaded.map(lambda row: {"upper": row["query"].upper()})
    assert mapped["upper"][0] == loaded[0]["query"].upper()


def test_a_row_holds_paths_that_stay_when_the_pictures_move(
    picture_folder: Path, tmp_path: Path
) -> None:
    home = tmp_path / "pictures"
    shutil.copytree(picture_folder, home)
    cache = str(tmp_path / "cache")
    loaded = load_dataset(
        "cobsat", "color_i-2shot", split="test", images=str(home), cache_dir=cache
    )
    shutil.rmtree(home)
    assert loaded[0]["target_image"].size == (8, 8)
    stored = loaded.data.column("target_image").to_pylist()
    assert all(picture["bytes"] is None for picture in stored)
    assert all(picture["path"].startswith(cache) for picture in stored)


def test_a_relative_cache_holds_when_the_working_directory_changes(
    pictures: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    loaded = load_dataset(
        "cobsat", "color_i-2shot", split="test", images=pictures, cache_dir="cache"
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert loaded[0]["target_image"].size == (8, 8)


def test_other_datasets_load_as_before(tmp_path: Path, cache: str) -> None:
    importlib.reload(cobsat.registration)
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    rows = load_dataset(
        "csv", data_files=str(tmp_path / "data.csv"), split="train", cache_dir=cache
    )
    assert rows[0] == {"a": 1, "b": 2}
    builder = datasets.load_dataset_builder("cobsat", "color_i-2shot", cache_dir=cache)
    assert builder.config.name == "color_i-2shot"


def test_other_pictures_in_the_same_folder_are_another_dataset(
    picture_folder: Path, tmp_path: Path
) -> None:
    home, cache = tmp_path / "pictures", str(tmp_path / "cache")
    shutil.copytree(picture_folder, home)
    script = (
        "import sys, cobsat; from datasets import load_dataset\n"
        "rows = load_dataset('cobsat', 'color_i-2shot', split='test', images=sys.argv[1],"
        " cache_dir=sys.argv[2])\n"
        "print(rows[0]['image_source']['digest'], rows[0]['target_image'].getpixel((0, 0)))"
    )
    command = [sys.executable, "-c", script, str(home), cache]
    first = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for path in home.glob("color_*/*.png"):
        Image.new("RGB", (8, 8), (9, 9, 9)).save(path)
    second = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "(9, 9, 9)" in second
    assert first.split()[0] != second.split()[0]


def test_the_working_directory_does_not_matter(
    pictures: str, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path, tmp_path / "empty"):
        monkeypatch.chdir(folder)
        builder = datasets.load_dataset_builder(
            "cobsat", "color_i-2shot", images=pictures, cache_dir=cache
        )
        assert builder.config.data_files == {}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("colour_i-2shot", {}, "did you mean 'color_i'"),
        ("color_i-5shot", {}, "shots in a config's name must be one of"),
        (None, {}, "a config must be named"),
        ("color_i-2shot", {"promt_type": "exact"}, "did you mean 'prompt_type'"),
        ("color_i-2shot", {"prompt_type": "exct"}, "did you mean 'exact'"),
        ("color_i-0shot", {"prompt_type": "cot"}, "must be 'exact'"),
        ("color_i-2shot", {"data_dir": "."}, "images='FOLDER'"),
        ("color_i-2shot", {"images": "nowhere"}, "which is no folder"),
    ],
)
def test_bad_input_is_told_what_to_do(
    name: str | None, options: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        load_dataset("cobsat", name, cache_dir=str(tmp_path), **options)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("name", "split", "message"),
    [
        ("color_i-2shot", "ft_tset", "did you mean 'ft_test'"),
        ("color_i-6shot", "ft_test", "exists for 2 and 4 shots"),
        ("color_i-2shot", "leave_color_out_test", "use all-2shot or all-4shot"),
        ("color_i-2shot", "test+trian", "got '(test.)?trian'"),
    ],
)
def test_a_split_that_there_is_not_is_told_why(
    name: str, split: str, message: str, streaming: bool, pictures: str, cache: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load_dataset(
            "cobsat", name, split=split, images=pictures, cache_dir=cache, streaming=streaming
        )


def test_other_descriptions_are_another_dataset(picture_folder: Path, tmp_path: Path) -> None:
    home, cache = tmp_path / "pictures", str(tmp_path / "cache")
    shutil.copytree(picture_folder, home)

    def upper() -> list[str]:
        rows = load_dataset(
            "cobsat", "color_i-2shot", split="test[:50]", images=str(home), cache_dir=cache
        )
        mapped = rows.map(lambda text: {"up": text.upper()}, input_columns="target_description")
        return list(mapped["up"])

    before = upper()
    table = home / "color_object.csv"
    table.write_text(table.read_text().replace("A car", "A fine car"))
    after = upper()
    assert after == [text.replace("A CAR", "A FINE CAR") for text in before]
    assert after != before


def test_zero_shots_are_exact_by_themselves(pictures: str, cache: str) -> None:
    row = load_dataset("cobsat", "color_i-0shot", split="test", images=pictures, cache_dir=cache)[0]
    assert row["prompt_type"] == "exact"
    assert [part["type"] for part in row["messages"][0]["content"]] == ["text"]
    assert row["demonstrations"] == []


def test_pictures_are_decoded_once(
    pictures: str, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load_dataset("cobsat", "color_i-8shot", split="test", images=pictures, cache_dir=cache)
    once = cobsat.decode_once(loaded)
    plain, quick = loaded[3], once[3]
    assert plain.keys() == quick.keys()
    for before, after in zip(
        plain["messages"][0]["content"], quick["messages"][0]["content"], strict=True
    ):
        assert before["text"] == after["text"]
        if before["image"]:
            assert before["image"].tobytes() == after["image"].tobytes()
    opened: list[object] = []
    real = Image.open
    monkeypatch.setattr(Image, "open", lambda file: opened.append(file) or real(file))
    fresh = cobsat.decode_once(loaded)
    for row in fresh:
        assert len([p for p in row["messages"][0]["content"] if p["image"]]) == 8
    assert len(opened) == len(set(map(str, opened))) == 100


def test_decoding_once_takes_a_loaded_split(pictures: str, cache: str) -> None:
    loaded = load_dataset("cobsat", "color_i-2shot", images=pictures, cache_dir=cache)
    with pytest.raises(TypeError, match="must be one loaded split, got DatasetDict"):
        cobsat.decode_once(loaded)


def test_a_turned_photo_is_decoded_upright(tmp_path: Path) -> None:
    turned = Image.new("RGB", (6, 4))
    turned.getexif()[274] = 6  # a camera held on its side
    turned.save(tmp_path / "turned.jpg", exif=turned.getexif())
    rows = datasets.Dataset.from_dict({"image": [str(tmp_path / "turned.jpg")]})
    rows = rows.cast_column("image", datasets.Image())
    assert rows[0]["image"].size == (4, 6)
    assert cobsat.decode_once(rows)[0]["image"].tobytes() == rows[0]["image"].tobytes()


def test_decoding_once_works_in_other_processes(pictures: str, cache: str) -> None:
    loaded = load_dataset("cobsat", "color_i-2shot", split="test", images=pictures, cache_dir=cache)
    once = cobsat.decode_once(loaded)
    once[0]
    copy = pickle.loads(pickle.dumps(once))  # what a DataLoader's worker gets
    assert copy[7]["target_image"].tobytes() == once[7]["target_image"].tobytes()
    assert len(pickle.dumps(once)) < 1.1 * len(pickle.dumps(loaded))  # no pictures go along
    assert cobsat.decode_once(loaded)._fingerprint == once._fingerprint


def test_the_decoding_cache_is_bounded(picture_folder: Path) -> None:
    cache = cobsat.ImageCache(size=3)
    paths = sorted(map(str, picture_folder.glob("color_car/*.png")))
    first = cache.open(paths[0])
    assert cache.open(paths[0]) is first
    for path in paths[1:4]:
        cache.open(path)
    assert cache.open(paths[0]) is not first
    with pytest.raises(OSError, match="nothing"):
        cache.open(os.fspath(picture_folder / "nothing.png"))
