"""The runner and its folder: what is refused, gone on with, and never lost."""

from __future__ import annotations

import errno
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cobsat import Example, Options, Prediction, RunFolder, examples
from cobsat.cli import main
from cobsat.line_files import Appender
from cobsat.models import Output
from cobsat.models.predict import predict
from scripted_model import CONFIG, Scripted, describe, ids, lines, settings_for


def test_the_folder_of_another_run_is_refused(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    with pytest.raises(ValueError, match=r"got another run's .*seed: 123 there, 1 now"):
        predict(Scripted(describe), settings_for(picture_folder, seed=1), tmp_path)
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


def test_configs_that_overlap_give_no_example_twice(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, configs=(CONFIG, "all-2shot", CONFIG))
    predict(Scripted(describe), settings, tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == ids(10)


@pytest.mark.parametrize(
    "changes",
    [{"configs": (CONFIG, "colour-2shot")}, {"split": "ft"}, {"prompt_type": "x"}, {"output": "x"}],
)
def test_settings_that_do_not_go_together_write_nothing(
    changes: dict[str, Any], picture_folder: Path, tmp_path: Path
) -> None:
    settings = replace(settings_for(picture_folder), **changes)
    with pytest.raises(ValueError, match="must be one of"):
        predict(Scripted(describe), settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_other_pictures_than_the_runs_are_refused(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder, image_digest="0" * 64)
    with pytest.raises(ValueError, match="must be those that the run began with"):
        predict(Scripted(describe), settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_two_processes_do_not_write_one_folder(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder)
    RunFolder(tmp_path).start(settings)
    model = Scripted(describe)
    with (
        RunFolder(tmp_path).append_predictions(),
        pytest.raises(ValueError, match="must be written by one process at a time"),
    ):
        predict(model, settings, tmp_path)
    assert model.batches == []
    predict(model, settings, tmp_path)
    assert len(lines(tmp_path)) == 10


def test_other_versions_do_not_make_another_run(picture_folder: Path, tmp_path: Path) -> None:
    settings = settings_for(picture_folder)
    predict(Scripted(describe), settings, tmp_path)
    predict(Scripted(describe), replace(settings, versions={"python": "4.0"}), tmp_path)
    assert RunFolder(tmp_path).settings() == settings


def test_a_done_run_asks_nothing(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    before = (tmp_path / "predictions.jsonl").read_bytes()
    again = Scripted(describe)
    predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == []
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


def test_a_done_run_is_read_once(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def loads(line: str) -> Any:
        parsed.append(line)
        return json.loads(line)

    command = ["predict", "--model", "random", "--config", CONFIG, "--limit", "9"]
    command += ["--images", str(picture_folder), "--out", str(tmp_path)]
    assert main(command) == 0
    monkeypatch.setattr("cobsat.run_folder.json", SimpleNamespace(**{**vars(json), "loads": loads}))
    assert main(command) == 0
    assert sum(line.startswith('{"id"') for line in parsed) == 9


@pytest.mark.parametrize("cut", [1, 30, 80])
def test_a_half_written_last_line_is_done_again(
    cut: int, picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    target = tmp_path / "predictions.jsonl"
    whole = target.read_bytes()
    target.write_bytes(whole[: -min(cut, len(whole.splitlines()[-1]))])
    again = Scripted(describe)
    folder = predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == [ids(10)[9:]]
    assert [line["id"] for line in lines(tmp_path)] == ids(10)
    assert folder.predictions()[1] == []


def test_broken_lines_are_named_and_done_again_and_the_rest_is_kept(
    picture_folder: Path, tmp_path: Path
) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    target = tmp_path / "predictions.jsonl"
    good = target.read_bytes().splitlines(keepends=True)
    bad = [b"\xff\xfe\n", b'{"status": "ok"}\n', b'["a", "list"]\n', good[3][:20] + b"\n"]
    target.write_bytes(b"".join([*good[:3], *bad, *good[5:]]))
    again = Scripted(describe)
    folder = predict(again, settings_for(picture_folder), tmp_path)
    assert again.batches == [[ids(10)[3], ids(10)[4]]]
    predictions, problems = folder.predictions()
    assert sorted(predictions) == ids(10)
    assert [problem.split(":")[0] for problem in problems] == [
        f"predictions.jsonl, line {number}" for number in (4, 5, 6, 7)
    ]


def test_a_full_disk_stops_the_run_and_loses_nothing(
    picture_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(picture_folder)
    add = Appender.add
    batches = iter(range(10))

    def full(self: Appender, given: Sequence[Prediction]) -> None:
        if next(batches) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        add(self, given)

    monkeypatch.setattr(Appender, "add", full)
    with pytest.raises(OSError, match="No space left on device"):
        predict(Scripted(describe), settings, tmp_path, batch_size=3)
    monkeypatch.undo()
    assert [line["id"] for line in lines(tmp_path)] == ids(6)
    predict(Scripted(describe), settings, tmp_path, batch_size=3)
    assert [line["id"] for line in lines(tmp_path)] == ids(10)


def test_a_full_disk_under_a_model_is_no_failure_of_the_model(
    picture_folder: Path, tmp_path: Path
) -> None:
    def answer(example: Example) -> Output:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/cache")

    with pytest.raises(OSError, match="No space left"):
        predict(Scripted(answer), settings_for(picture_folder), tmp_path, stop_after=0)
    assert lines(tmp_path) == []


def test_settings_make_the_same_examples_again(picture_folder: Path, tmp_path: Path) -> None:
    predict(Scripted(describe), settings_for(picture_folder), tmp_path)
    kept = RunFolder(tmp_path).settings()
    options = Options(output=kept.output, images=kept.images, seed=kept.seed)
    rows = examples(kept.configs[0], kept.split, options)[: kept.limit]
    assert [row["id"] for row in rows] == ids(10)
    assert kept.image_digest == rows[0]["image_source"]["digest"]
