"""The run folder's file format: half lines, broken lines, other runs, odd text."""

from __future__ import annotations

from pathlib import Path

import pytest
from cobsat import Prediction, RunFolder, RunSettings, Verdict
from cobsat.run_folder import safe_name

SETTINGS = RunSettings(model="copy", configs=("color_i-2shot",))


def predictions(*ids: str) -> list[Prediction]:
    return [Prediction(name, "ok", text=f"a {name}") for name in ids]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.start(SETTINGS)
    with folder.append_predictions() as file:
        file.add(predictions("a", "b"))
    with folder.append_verdicts("org/judge") as file:
        file.add([Verdict("a", "scored", "car", "red", True, False)])
    read, problems = RunFolder(tmp_path / "run").predictions()
    assert list(read.values()) == predictions("a", "b")
    assert problems == []
    verdicts, _ = folder.verdicts("org/judge")
    assert verdicts["a"].correct is False
    assert (tmp_path / "run/verdicts/org--judge.jsonl").is_file()
    assert folder.settings() == SETTINGS


def test_a_half_written_last_line_is_dropped_and_done_again(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with folder.append_predictions() as file:
        file.add(predictions("a", "b"))
    whole = folder.predictions_path.read_bytes()
    for cut in range(1, len(whole)):
        folder.predictions_path.write_bytes(whole[:cut])
        kept, problems = folder.predictions()
        assert problems == []
        assert list(kept) == (["a"] if cut > whole.index(b"\n") else [])
        with folder.append_predictions() as file:
            file.add(predictions(*({"a", "b"} - set(kept))))
        assert set(folder.predictions()[0]) == {"a", "b"}


def test_what_others_write_in_the_meantime_is_read(tmp_path: Path) -> None:
    folder, other = RunFolder(tmp_path), RunFolder(tmp_path)
    assert folder.predictions() == ({}, [])
    with other.append_predictions() as file:
        file.add(predictions("a"))
        assert list(folder.predictions()[0]) == ["a"]
        file.add(predictions("b"))
        assert list(folder.predictions()[0]) == ["a", "b"]
    shard = tmp_path / "predictions.shards/1.jsonl"
    shard.parent.mkdir()
    shard.write_text('{"id": "c", "status": "ok"}\n')
    assert list(folder.predictions()[0]) == ["a", "b", "c"]
    with other.append_predictions():
        pass
    assert not shard.exists()  # merged
    assert list(folder.predictions()[0]) == ["a", "b", "c"]
    folder.predictions_path.unlink()
    assert folder.predictions() == ({}, [])


def test_broken_lines_are_left_out_and_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with folder.append_predictions() as file:
        file.add(predictions("a", "b"))
    lines = folder.predictions_path.read_bytes().splitlines(keepends=True)
    odd = [b"{\n", b"[1]\n", b'{"status": "ok"}\n', b'{"id": 3, "status": "ok"}\n', b"\xff\xfe\n"]
    folder.predictions_path.write_bytes(b"".join([lines[0], *odd, lines[1]]))
    kept, problems = folder.predictions()
    assert list(kept) == ["a", "b"]
    assert [problem.split(":")[0] for problem in problems] == [
        f"predictions.jsonl, line {number}" for number in range(2, 7)
    ]


def test_the_first_line_of_an_id_counts(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with folder.append_predictions() as file:
        file.add([Prediction("a", "ok", text="first"), Prediction("a", "ok", text="second")])
    assert folder.predictions()[0]["a"].text == "first"


@pytest.mark.parametrize("text", ["\ud800 lone", "line\nbreak\u2028", "\x00", "‮rtl", "日本語"])
def test_odd_text_survives_on_one_line(text: str, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with folder.append_predictions() as file:
        file.add([Prediction("a", "ok", text=text), *predictions("b")])
    read, problems = folder.predictions()
    assert problems == []
    assert list(read) == ["a", "b"]
    assert len(folder.predictions_path.read_bytes().splitlines()) == 2
    if "\ud800" not in text:
        assert read["a"].text == text


def test_another_runs_folder_is_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.start(SETTINGS)
    folder.start(RunSettings(model="copy", configs=("color_i-2shot",), versions={"cobsat": "9"}))
    with pytest.raises(ValueError, match="seed: 123 there, 5 now"):
        folder.start(RunSettings(model="copy", configs=("color_i-2shot",), seed=5))


def test_a_folder_that_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"without run\.json"):
        RunFolder(tmp_path).settings()
    for text in ("{", "[]", '{"model": "copy"}', '{"model": "a", "configs": [], "colour": 1}'):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(ValueError, match="must be a run's settings"):
            RunFolder(tmp_path).settings()


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("org/model", "org--model"),
        ("../../etc", "--..--etc"),
        ("a b:c", "a--b--c"),
        ("..", "unnamed"),
    ],
)
def test_names_become_one_path_component(name: str, safe: str) -> None:
    assert safe_name(name) == safe
