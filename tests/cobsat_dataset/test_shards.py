"""Shards of a file: read as part of it, merged in order, never lost and never there twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from cobsat import Prediction, RunFolder, Verdict
from cobsat.line_files import to_line
from cobsat.processes import Processes
from cobsat.shards import new_lines, remove_shards, shard_path, shard_paths

ORDER = "abcdef"


def line(name: str, text: str = "x") -> bytes:
    return to_line(Prediction(name, "ok", text=text))


def leave(folder: RunFolder, shards: dict[int, bytes]) -> None:
    for number, data in shards.items():
        path = shard_path(folder.predictions_path, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def go_on(folder: RunFolder, *names: str) -> bytes:
    """Go on with one process, and return what the file then holds."""
    with folder.append_predictions(order=lambda: ORDER) as appender:
        appender.add(Prediction(name, "ok", text="x") for name in names)
    assert not folder.predictions_path.with_suffix(".shards").exists()
    return folder.predictions_path.read_bytes()


def test_shards_are_read_as_part_of_the_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.predictions_path.write_bytes(line("c"))
    leave(folder, {0: line("a") + b"{\n", 10: line("b") + b'{"id": "d"', 2: line("e")})
    predictions, problems = folder.predictions()
    assert list(predictions) == ["c", "a", "e", "b"]
    (problem,) = problems
    assert problem.startswith("predictions.shards/0.jsonl, line 2: ")


def test_they_are_merged_in_the_order_of_the_examples(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.predictions_path.write_bytes(line("a"))
    leave(folder, {0: line("e") + line("b"), 3: line("d") + b'{"id": "f", "st'})
    assert go_on(folder, "c") == b"".join(map(line, "abcde"))


def test_a_job_killed_while_it_merged_is_merged_anew(tmp_path: Path) -> None:
    """At any byte: what was appended is there once, what was not is appended."""
    shards = {0: line("a") + line("c"), 1: line("b") + line("d")}
    merged = b"".join(map(line, "abcd"))
    for end in range(len(merged) + 1):
        folder = RunFolder(tmp_path / str(end))
        leave(folder, shards)
        folder.predictions_path.write_bytes(merged[:end])
        assert go_on(folder) == merged


def test_broken_lines_and_unknown_ids_are_kept_at_the_end(tmp_path: Path) -> None:
    odd = [b"[1]\n", b"\xff\n", b'"text"\n', line("z")]
    assert new_lines(b"", [b"".join([*odd, line("b")]), line("a")], ORDER) == [
        line("a"), line("b"), *odd,
    ]  # fmt: skip


def test_an_error_and_what_came_of_asking_again_are_both_kept(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    error = to_line(Prediction("a", "error", reason="no"))
    folder.predictions_path.write_bytes(error + line("b"))
    leave(folder, {1: line("a")})
    assert folder.predictions()[0]["a"].status == "ok"
    assert go_on(folder) == error + line("b") + line("a")
    assert folder.predictions()[0]["a"].status == "ok"


def test_other_files_beside_shards_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    leave(RunFolder(tmp_path), {0: b"", 1: b""})
    other = path.with_suffix(".shards") / "notes.jsonl"
    other.write_text("mine")
    assert [shard.name for shard in shard_paths(path)] == ["0.jsonl", "1.jsonl"]
    remove_shards(path)
    assert [left.name for left in path.with_suffix(".shards").iterdir()] == ["notes.jsonl"]


def test_judges_with_a_point_in_their_names_have_shards_of_their_own(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    paths = [
        shard_path(folder.verdicts_path(name), 0) for name in ("qwen2.5", "qwen2", "qwen2.5-0")
    ]
    assert len(set(paths)) == 3
    assert [path.parent.name for path in paths] == [
        "qwen2.5.shards", "qwen2.shards", "qwen2.5-0.shards",
    ]  # fmt: skip


def test_verdicts_replaced_are_replaced_with_their_shards(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    path = shard_path(folder.verdicts_path("judge"), 1)
    path.parent.mkdir(parents=True)
    path.write_bytes(to_line(Verdict("a", "unscored", reason="old")))
    assert folder.verdicts("judge")[0]["a"].reason == "old"
    folder.replace_verdicts("judge", [Verdict("a", "scored", "car", "red", True, True)])
    assert folder.verdicts("judge")[0]["a"].correct
    assert not path.exists()


@pytest.mark.parametrize(("size", "count"), [(1, 2), (3, 2), (4, 3), (16, 5), (100, 2)])
def test_every_item_is_dealt_once_in_the_batches_of_one_process(size: int, count: int) -> None:
    items = list(range(83))
    alone = [items[start : start + size] for start in range(0, len(items), size)]
    dealt = []
    for index in range(count):
        share = list(Processes(index, count).deal(items, size))
        dealt += [share[start : start + size] for start in range(0, len(share), size)]
    assert sorted(dealt) == alone
