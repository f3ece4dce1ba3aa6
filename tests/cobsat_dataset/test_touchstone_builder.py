"""`load_dataset("touchstone")` and `load_dataset("touchstone-mini")`, and what caches hold."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import datasets
import pytest
import touchstone_questions as made
from cobsat import decode_once
from cobsat.touchstone import CATEGORIES, QuestionSource, question_source
from cobsat.touchstone.questions import row as row_of
from cobsat.touchstone.touchstone import TouchStone
from cobsat.touchstone.touchstone_mini import TouchStoneMini
from datasets import load_dataset


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSource]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made.official(tmp_path_factory.mktemp("official") / "touchstone_20230831.tsv")


def plain(value: object) -> object:
    """Return a row's value with the color of its first pixel in the place of each picture."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.getpixel((0, 0)) if hasattr(value, "getpixel") else value


def test_rows_are_those_of_the_pure_functions(source: QuestionSource, cache: str) -> None:
    loaded = load_dataset("touchstone-mini", split="test", cache_dir=cache)
    colors = {name: (number, 0, 99) for number, name in enumerate(("a", "b", "c"), start=1)}
    assert len(loaded) == 8
    for got, question in zip(loaded, source.questions, strict=True):
        expected = row_of(question, source.origin)
        shown = [colors[Path(str(image)).stem] for image in question.images]
        expected["images"] = shown
        for part, color in zip(expected["messages"][0]["content"], shown, strict=False):
            part["image"] = color  # type: ignore[typeddict-item]
        assert plain(got) == expected
    reference = {"name": "touchstone-mini", "digest": source.digest}
    assert loaded[0]["source"] == reference


def test_every_category_is_a_config_and_all_the_default(source: QuestionSource, cache: str) -> None:
    ids = {
        name: load_dataset("touchstone-mini", name, split="test", cache_dir=cache)["id"][:]
        for name in (None, "all", *CATEGORIES)
    }
    assert ids[None] == ids["all"] == [f"touchstone-mini-{q.index}" for q in source.questions]
    assert ids["comprehension"] == [f"touchstone-mini-{n}" for n in (102, 301, 501)]
    assert ids["multi_image"] == ["touchstone-mini-601", "touchstone-mini-602"]


def test_features_are_typed(source: QuestionSource, cache: str) -> None:
    builder = datasets.load_dataset_builder("touchstone-mini", cache_dir=cache)
    features = builder.info.features
    assert features["images"] == datasets.List(datasets.Image())
    assert features["messages"].feature["content"].feature["image"] == datasets.Image()
    assert list(features["reference"]) == [
        "id", "question", "annotation", "reference_answer", "categories", "subtask",
    ]  # fmt: skip


def test_streaming_saving_and_decoding_once_give_the_same(
    source: QuestionSource, cache: str, tmp_path: Path
) -> None:
    arguments = {"split": "test", "cache_dir": cache}
    loaded = load_dataset("touchstone-mini", "multi_image", **arguments)
    stream = load_dataset("touchstone-mini", "multi_image", streaming=True, **arguments)
    assert stream.features == loaded.features
    wanted = [plain(row) for row in loaded]
    assert [plain(row) for row in stream] == wanted
    assert [plain(row) for row in decode_once(loaded)] == wanted
    assert [plain(row) for row in pickle.loads(pickle.dumps(loaded))] == wanted
    loaded.save_to_disk(str(tmp_path / "saved"))
    assert [plain(row) for row in datasets.load_from_disk(str(tmp_path / "saved"))] == wanted


def test_two_processes_prepare_the_same(official: Path, tmp_path: Path) -> None:
    one, two = (
        load_dataset(
            "touchstone", "multi_image", split="test", data_files=str(official),
            cache_dir=str(tmp_path / str(count)), num_proc=count,
        )
        for count in (1, 2)
    )  # fmt: skip
    assert len(one) == 33
    assert [plain(row) for row in one] == [plain(row) for row in two]


def test_the_official_file_is_named_given_or_in_the_environment(
    official: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"split": "test", "cache_dir": cache}
    given = load_dataset("touchstone", data_files=str(official), **arguments)
    assert len(given) == 908
    assert given[900]["source"] == {
        "name": "official",
        "digest": question_source(str(official)).digest,
    }
    assert given[1]["images"][0].getpixel((0, 0)) == (1, 0, 99)
    monkeypatch.setenv("COBSAT_TOUCHSTONE_TSV", str(official))
    named = load_dataset("touchstone", **arguments)
    assert named.cache_files == given.cache_files  # wherever it lies, it is one data set
    direct = TouchStone(config_name="storytelling", cache_dir=cache)
    direct.download_and_prepare()
    assert len(direct.as_dataset(split="test")) == 67


def test_another_file_is_its_own(cache: str, tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "mine.tsv", [made.cells(7, gpt4_ha_answer="None"), made.cells(9)])
    arguments = {"split": "test", "cache_dir": cache, "data_files": str(path)}
    with pytest.raises(
        ValueError, match="must be the official questions, got 2 questions, not 908"
    ):
        load_dataset("touchstone", **arguments)
    rows = load_dataset("touchstone", verify=False, **arguments)
    assert rows[0]["source"]["name"] == "file:mine.tsv"
    assert rows[0]["reference_answer"] == "None"
    made.tsv(path, [made.cells(7, gpt4_ha_answer="Something"), made.cells(9)])
    rows = load_dataset("touchstone", verify=False, **arguments)  # the same path, other questions
    assert rows[0]["reference_answer"] == "Something"


def test_a_broken_picture_fails_in_its_own_row(cache: str, tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "mine.tsv", [made.cells(7, image="%%%"), made.cells(9)])
    rows = load_dataset(
        "touchstone", split="test", cache_dir=cache, data_files=str(path), verify=False
    )
    assert rows[1]["images"][0].size == (12, 8)
    with pytest.raises(OSError) as caught:  # noqa: PT011 (the message of an OSError is its file)
        rows[0]["images"]
    assert "touchstone-7-has-no-picture-that-can-be-decoded" in str(caught.value.filename)


def test_rows_keep_their_pictures(tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "mine.tsv", [made.cells(5)])
    arguments = {"split": "test", "data_files": str(path), "verify": False}
    cache = tmp_path / "cache"
    rows = load_dataset("touchstone", cache_dir=str(cache), **arguments)
    stored = rows.data.column("images").to_pylist()[0][0]
    assert stored["bytes"] is None
    assert stored["path"].startswith(str(cache))
    shutil.rmtree(cache / "touchstone_pictures")
    again = load_dataset("touchstone", cache_dir=str(cache), **arguments)
    assert again[0]["images"][0].getpixel((0, 0)) == (5, 0, 99)


def test_pictures_that_ship_are_copied_into_the_cache(
    source: QuestionSource, tmp_path: Path
) -> None:
    builder = TouchStoneMini(config_name="description", cache_dir=str(tmp_path))
    builder.download_and_prepare()
    stored = builder.as_dataset(split="test").data.column("images").to_pylist()
    assert all(images[0]["path"].startswith(str(tmp_path)) for images in stored)
    assert all(images[0]["path"].endswith(".webp") for images in stored)


def test_a_category_that_a_file_lacks_is_said(cache: str, tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "mine.tsv", [made.cells(5)])
    with pytest.raises(ValueError, match=r"one that file:mine\.tsv has, got 'storytelling'"):
        load_dataset(
            "touchstone", "storytelling", cache_dir=cache, data_files=str(path), verify=False
        )


@pytest.mark.parametrize(
    ("path", "name", "options", "message"),
    [
        ("touchstone-mini", "recogntion", {}, "did you mean 'recognition'"),
        ("touchstone-mini", None, {"verify": False}, "touchstone-mini must be given no options"),
        ("touchstone-mini", None, {"data_files": "a.tsv"}, "must be loaded as it ships"),
        ("touchstone-mini", None, {"data_dir": "."}, "must be loaded as it ships"),
        (
            "touchstone",
            None,
            {"data_dir": "."},
            "must be given as data_files='FILE.tsv', got data_",
        ),
        ("touchstone", None, {"verfy": False}, "did you mean 'verify'"),
        ("touchstone", None, {"data_files": "none.tsv"}, "none.tsv"),
        ("touchstone", None, {"data_files": ["a.tsv", "b.tsv"]}, "must be one TSV file, got 2"),
        ("touchstone", None, {}, "COBSAT_TOUCHSTONE_TSV must name the official TSV file, got no"),
    ],
)
def test_bad_input_is_told_what_to_do(
    path: str, name: str | None, options: dict[str, object], message: str,
    source: QuestionSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COBSAT_TOUCHSTONE_TSV", "nowhere.tsv")
    for file in ("a.tsv", "b.tsv"):
        made.tsv(tmp_path / file, [made.cells(1)])
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        load_dataset(path, name, cache_dir=str(tmp_path), **options)


def test_a_download_that_fails_says_what_else_there_is(
    cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cobsat.touchstone import official as fetching

    def fail(manager: object, url: str) -> str:
        raise ConnectionError(f"Couldn't reach {url}\nand more")

    monkeypatch.delenv("COBSAT_TOUCHSTONE_TSV", raising=False)
    monkeypatch.setattr(datasets.DownloadManager, "download", fail)
    fetching._downloaded.cache_clear()
    with pytest.raises(FileNotFoundError, match="named by COBSAT_TOUCHSTONE_TSV") as caught:
        load_dataset("touchstone", cache_dir=cache)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["touchstone_mini", "touchstonemini"])
def test_a_name_that_is_nearly_ours_is_told_unless_it_is_a_folder(
    name: str, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"got '{name}'; did you mean 'touchstone-mini'"):
        load_dataset(name, cache_dir=cache)
    (tmp_path / name).mkdir()
    (tmp_path / name / "mine.csv").write_text("a,b\n1,2\n")
    assert load_dataset(name, split="train", cache_dir=cache)[0] == {"a": 1, "b": 2}


def test_the_working_directory_does_not_matter(
    source: QuestionSource, cache: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.csv").write_text("a,b\n1,2\n")
    monkeypatch.chdir(tmp_path)
    assert datasets.load_dataset_builder("touchstone-mini", cache_dir=cache).config.data_files == {}
