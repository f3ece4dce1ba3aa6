"""TouchStone's Parquet export: the builder's very rows, with a card, from plain `datasets`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import touchstone_questions as made
import yaml
from cobsat.cli import main
from cobsat.touchstone import CATEGORIES, QuestionSource
from cobsat.touchstone.builder import FEATURES
from cobsat.touchstone.export import export_touchstone
from datasets import Dataset, load_dataset
from huggingface_hub import DatasetCard


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSource]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


@pytest.fixture(scope="module")
def exported(source: QuestionSource, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "mini"
    assert main(["export", "--benchmark", "touchstone-mini", "--out", str(out)]) == 0
    return out


def plain(rows: Dataset) -> list[Any]:
    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: of(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [of(inner) for inner in value]
        return (value.size, value.tobytes()) if hasattr(value, "tobytes") else value

    return [of(row) for row in rows]


@pytest.mark.parametrize("name", [None, "all", *CATEGORIES])
def test_rows_are_the_builders(name: str | None, exported: Path, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"split": "test", "cache_dir": str(tmp_path)}
    loaded = load_dataset(str(exported), name, **arguments)
    wanted = load_dataset("touchstone-mini", name, **arguments)
    assert loaded.features == wanted.features == FEATURES
    assert plain(loaded) == plain(wanted)
    assert len(wanted) > 0


def test_a_config_is_a_file_that_holds_each_picture_once_a_column(exported: Path) -> None:
    files = {file.stem: pq.read_metadata(file) for file in (exported / "data").iterdir()}
    assert {name: data.num_rows for name, data in files.items()} == {
        "all": 8, "description": 2, "recognition": 2, "comprehension": 3, "storytelling": 1,
        "multi_image": 2,
    }  # fmt: skip
    assert {data.num_row_groups for data in files.values()} == {1}  # another has its own dictionary


def test_card_and_eval_yaml_say_what_is_there(exported: Path, source: QuestionSource) -> None:
    card = DatasetCard.load(exported / "README.md")
    data = card.data.to_dict()
    assert data["license"] == "apache-2.0"
    assert data["size_categories"] == ["n<1K"]
    names = ["all", *CATEGORIES]
    assert [config["config_name"] for config in data["configs"]] == names
    assert [config.get("default", False) for config in data["configs"]] == [True] + 5 * [False]
    counts = {i["config_name"]: i["splits"][0]["num_examples"] for i in data["dataset_info"]}
    assert counts == {
        "all": 8, "description": 2, "recognition": 2, "comprehension": 3, "storytelling": 1,
        "multi_image": 2,
    }  # fmt: skip
    assert source.digest in card.text
    assert "| comprehension | test | 3 |" in card.text
    tasks = yaml.safe_load((exported / "eval.yaml").read_text("utf-8"))["tasks"]
    assert tasks[0] == {"id": "touchstone-mini", "config": "all", "split": "test"}
    assert tasks[2]["id"] == "touchstone-mini-recognition"


def test_a_file_of_ones_own_is_exported_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [made.cells(4), made.cells(5, "recognition,description")]
    rows.append(made.cells(6, category="Visual <Smelling> Ability"))
    path = made.tsv(tmp_path / "m|ne.tsv", rows)
    out = tmp_path / "out"
    given = ["export", "--benchmark", "touchstone", "--images", str(path), "--out", str(out)]
    with pytest.warns(UserWarning, match="categories that the paper does not name"):
        assert main(given) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("3 configs, ")
    assert "rights are with their owners" in shown.err
    loaded = load_dataset(str(out), split="test", cache_dir=str(tmp_path / "cache"))
    wanted = load_dataset(
        "touchstone", split="test", data_files=str(path), verify=False,
        cache_dir=str(tmp_path / "cache"),
    )  # fmt: skip
    assert plain(loaded) == plain(wanted)
    card = DatasetCard.load(out / "README.md")
    assert (card.data.license, card.data.to_dict()["license_name"]) == (
        "other",
        "rights-of-their-owners",
    )
    assert "not known to be the official" in card.text
    assert "In none of them: 1." in card.text
    assert r"m\|ne" in card.text


def test_a_category_alone(exported: Path, source: QuestionSource, tmp_path: Path) -> None:
    written, ours = export_touchstone(
        tmp_path / "a", "touchstone-mini", configs=["comp*", "multi_image"]
    )
    assert ours
    assert [(each.config, each.rows) for each in written] == [
        ("comprehension", 3),
        ("multi_image", 2),
    ]
    rows = load_dataset(str(tmp_path / "a"), "comprehension", split="test", cache_dir=str(tmp_path))
    assert rows["index"][:] == [102, 301, 501]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--config", "recogntion"], "did you mean 'recognition'"),
        (["--images", "official"], "images of touchstone-mini must be left out, got 'official'"),
        (["--seed", "7"], "seed must be left out with TouchStone"),
        (["--output", "description"], "must be left out with TouchStone"),
        (["--benchmark", "touchston"], "did you mean 'touchstone'"),
        (["--benchmark", "touchstone", "--images", "none.tsv"], "none.tsv"),
    ],
)
def test_bad_input_is_told_and_leaves_nothing(
    given: list[str], message: str, source: QuestionSource, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    given = ["export", "--benchmark", "touchstone-mini", "--out", "out", *given]
    assert main(given) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("cell", ["%%%", "PGh0bWw+bm8gcGljdHVyZTwvaHRtbD4="])
def test_a_picture_that_cannot_be_decoded_is_no_export(cell: str, tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "q.tsv", [made.cells(3), made.cells(4, "description", image=cell)])
    with pytest.raises(
        ValueError, match="pictures of touchstone-4 must be ones that can be decoded"
    ):
        export_touchstone(tmp_path / "out", "touchstone", str(path))
    assert list((tmp_path / "out").rglob("*")) == []  # the file before it is gone again
