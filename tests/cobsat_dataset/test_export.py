"""The Parquet export loads with plain `datasets`, and holds each picture once."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import cobsat
import pytest
import yaml
from cobsat.cli import main
from cobsat.export import export
from cobsat.export_files import ExportedSplit
from datasets import load_dataset
from huggingface_hub import DatasetCard
from PIL import Image


@pytest.fixture(scope="module")
def heavy_pictures(picture_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tiny pictures, those of the theme color 20 kB each: noise that nothing compresses."""
    import random
    import shutil

    folder = tmp_path_factory.mktemp("heavy") / "pictures"
    shutil.copytree(picture_folder, folder)
    for path in folder.glob("color_*/*.png"):
        noise = random.Random(path.name).randbytes(80 * 80 * 3)
        Image.frombytes("RGB", (80, 80), noise).save(path)
    return str(folder)


@pytest.fixture(scope="module")
def exported(
    heavy_pictures: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[ExportedSplit]]:
    out = tmp_path_factory.mktemp("export") / "dataset"
    options = cobsat.Options(images=heavy_pictures)
    return out, export(out, ["color_i-8shot", "color_i-2shot", "all-2shot"], options)


def test_each_picture_is_held_once(
    exported: tuple[Path, list[ExportedSplit]], heavy_pictures: str
) -> None:
    out, _ = exported
    pictures = sum(path.stat().st_size for path in Path(heavy_pictures).glob("color_*/*.png"))
    size = (out / "data/color_i-8shot/test_columns/test.parquet").stat().st_size
    assert size < 1.2 * pictures


def test_it_loads_with_plain_datasets(
    exported: tuple[Path, list[ExportedSplit]], heavy_pictures: str, tmp_path: Path
) -> None:
    out, _ = exported
    arguments = {"split": "test", "cache_dir": str(tmp_path)}
    loaded = load_dataset(str(out), "color_i-2shot", **arguments)
    wanted = load_dataset("cobsat", "color_i-2shot", images=heavy_pictures, **arguments)
    assert loaded["id"][:] == wanted["id"][:]
    for column in ("reference", "query", "target_description", "image_source", "followup"):
        assert loaded[7][column] == wanted[7][column]
    for part, other in zip(
        loaded[7]["messages"][0]["content"], wanted[7]["messages"][0]["content"], strict=True
    ):
        assert (part["type"], part["text"]) == (other["type"], other["text"])
        if other["image"]:
            assert part["image"].tobytes() == other["image"].tobytes()
    pictures = load_dataset(str(out), "pictures", split="pictures", cache_dir=str(tmp_path))
    by_key = {row["target"]: row["image"] for row in pictures}
    assert len(by_key) == 500
    assert by_key[loaded[7]["target"]].tobytes() == wanted[7]["target_image"].tobytes()


def test_train_splits_are_configs_of_their_own(exported: tuple[Path, list[ExportedSplit]]) -> None:
    out, _ = exported
    stream = load_dataset(
        str(out), "all-2shot-train", split="leave_color_out_train", streaming=True
    )
    row = next(iter(stream))
    assert row["id"] == "background_i-2shot-test-0000"
    assert len(row["images"]) == 2
    assert row["completion"][0]["content"][0]["text"] == row["target_description"]


def test_the_card_counts_what_is_there(exported: tuple[Path, list[ExportedSplit]]) -> None:
    out, written = exported
    card = DatasetCard.load(out / "README.md")
    configs = {entry["config_name"]: entry for entry in card.data.to_dict()["configs"]}
    assert set(configs) == {
        "color_i-8shot", "color_i-2shot", "color_i-2shot-train",
        "all-2shot", "all-2shot-train", "pictures",
    }  # fmt: skip
    for entry in configs.values():
        for split in entry["data_files"]:
            assert all((out / path).is_file() for path in split["path"])
    rows = {(entry.config, entry.split): entry.rows for entry in written}
    assert rows["all-2shot", "test"] == 10_000
    assert rows["all-2shot-train", "ft_train"] == 3_000
    assert rows["color_i-2shot", "ft_test"] == 250
    assert "| all-2shot | test | 10,000 |" in card.text


def test_the_card_says_columns_and_sizes_as_the_hub_reads_them(
    exported: tuple[Path, list[ExportedSplit]], tmp_path: Path
) -> None:
    out, _ = exported
    infos = {i["config_name"]: i for i in DatasetCard.load(out / "README.md").data["dataset_info"]}
    info = infos["color_i-2shot"]
    [test] = [split for split in info["splits"] if split["name"] == "test"]
    loaded = load_dataset(str(out), "color_i-2shot", split="test", cache_dir=str(tmp_path))
    assert test["num_examples"] == 1000
    assert test["num_bytes"] == pytest.approx(loaded.info.splits["test"].num_bytes, rel=0.05)
    folder = out / "data/color_i-2shot/test_columns"
    assert info["download_size"] == sum(path.stat().st_size for path in folder.iterdir())
    columns = {feature["name"]: feature for feature in info["features"]}
    assert list(columns) == loaded.column_names
    [content] = [part for part in columns["messages"]["list"] if part["name"] == "content"]
    assert {"name": "image", "dtype": "image"} in content["list"]
    assert [i for i in infos["color_i-2shot-train"]["features"] if i["name"] == "images"] == [
        {"name": "images", "list": "image"}
    ]


def test_eval_yaml_names_the_tasks_that_models_results_are_of(
    exported: tuple[Path, list[ExportedSplit]],
) -> None:
    data = yaml.safe_load((exported[0] / "eval.yaml").read_text("utf-8"))
    assert data["tasks"] == [
        {"id": name, "config": name, "split": "test"}
        for name in ("color_i-8shot", "color_i-2shot", "all-2shot")
    ]
    assert data["name"] == "CoBSAT"
    assert "evaluation_framework" not in data  # the Hub's list has no framework that this is


def test_a_folder_with_files_is_left_alone(tmp_path: Path, heavy_pictures: str) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="must be a new or empty folder"):
        export(tmp_path, ["color_i-2shot"], cobsat.Options(images=heavy_pictures))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_config_that_is_named_twice_is_written_once(tmp_path: Path, pictures: str) -> None:
    written = export(
        tmp_path, ["color_i-6shot", "color_i-6shot"], cobsat.Options(images=pictures, seed=5)
    )
    assert [(entry.config, entry.split) for entry in written] == [
        ("color_i-6shot", "test"),
        ("pictures", "pictures"),
    ]
    card = (tmp_path / "README.md").read_text("utf-8")
    assert card.count("- config_name: color_i-6shot\n") == 2  # its files, and its columns
    assert "seed 5.\n" in card
    assert "released prompt lists" not in card
    data = DatasetCard(card).data.to_dict()
    assert (data["license"], data["size_categories"]) == ("other", ["1K<n<10K"])


def test_what_fails_leaves_nothing_and_can_be_done_again(
    tmp_path: Path, pictures: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(table: object, path: Path, **options: object) -> None:
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    options = cobsat.Options(images=pictures)
    with monkeypatch.context() as patched:
        patched.setattr("cobsat.export_files.pq.write_table", full)
        with pytest.raises(OSError, match="No space left"):
            export(tmp_path, ["color_i-6shot"], options)
    assert list(tmp_path.iterdir()) == []
    assert len(export(tmp_path, ["color_i-6shot"], options)) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--config", "colour_i-2shot"], "did you mean 'color_i'"),
        (["--config", "colour*"], r"a pattern that matches one, got 'colour\*'"),
        (["--config", "color_i-0shot"], "must be 'exact'"),
    ],
)
def test_the_command_says_which_configs_there_are_not(
    given: list[str],
    message: str,
    tmp_path: Path,
    pictures: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert main(["export", "--out", str(out), "--images", pictures, *given]) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not out.exists()


def test_a_pattern_stands_for_what_the_options_allow(
    tmp_path: Path, pictures: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    given = ["--images", pictures, "--config", "color_ii-[08]*"]
    assert main(["export", "--out", str(out), *given]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("2 configs, ")
    assert "publish them only with the right to" in shown.err  # a folder's pictures are not ours
    assert [path.name for path in (out / "data").glob("*shot")] == ["color_ii-8shot"]
