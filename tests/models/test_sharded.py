"""Several processes share a run: what they leave is what one process would have left.

Real processes that meet as under torchrun; `tests/test_processes.py` has torchrun itself.
"""

from __future__ import annotations

import json
import random
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from cobsat import RunFolder
from shared_runs import EXAMPLES, asked, predict_command, read, shares, write_model


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_model(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, picture_folder: Path, forks: Any) -> Path:
    """A folder with a run of one process, for each model."""
    folder = tmp_path_factory.mktemp("whole")
    write_model(folder)
    for model, output in (("Talker", "description"), ("Painter", "image")):
        command = predict_command(f"shared_model:{model}", picture_folder, model, output=output)
        assert forks(command, folder) == 0, forks.log
        assert len(read(folder / model)) == EXAMPLES
    return folder


def pictures(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "images").glob("*")}


@pytest.mark.parametrize(
    ("model", "output", "count"),
    [("Talker", "description", 2), ("Talker", "description", 3), ("Painter", "image", 2)],
)
def test_they_leave_what_one_process_leaves(
    model: str, output: str, count: int, whole: Path, home: Path, picture_folder: Path, ranks: Any
) -> None:
    command = predict_command(f"shared_model:{model}", picture_folder, "run", output=output)
    assert ranks(count, command, home) == [0] * count, ranks.logs
    run = home / "run"
    assert read(run) == read(whole / model)
    assert (run / "run.json").read_bytes() == (whole / model / "run.json").read_bytes()
    assert pictures(run) == pictures(whole / model)
    assert sorted(path.name for path in run.iterdir()) == sorted(
        path.name for path in (whole / model).iterdir()
    )
    dealt = shares(home)
    assert len(dealt) == count
    assert sorted(chain(*dealt)) == sorted(line["id"] for line in read(run))  # each once
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 3
    assert f"{count} processes share the work\n" in ranks.logs[0]
    assert f"{EXAMPLES} predictions" in ranks.logs[0]
    assert ranks.logs[1:] == [""] * (count - 1)


def test_a_killed_worker_loses_nothing_that_it_finished(
    whole: Path, home: Path, picture_folder: Path, ranks: Any
) -> None:
    """One of two is killed at seeded moments, in turns, and leaves half a line."""
    command = predict_command("shared_model:Talker", picture_folder, "run")
    draw, run = random.Random(7), RunFolder(home / "run")
    for life in range(4):
        there = set(run.predictions()[0])
        victim = life % 2
        (home / "kill").write_text(f"{victim}:{draw.randint(1, 7)}" if life < 3 else "")
        codes = ranks(2, command, home)
        again = asked(home)
        assert not there.intersection(again)
        assert len(again) == len(set(again))
        assert codes == [0, 0] if life == 3 else codes[victim] == -9, ranks.logs
        assert there <= set(run.predictions()[0])
        if life < 3:
            with open(home / "run" / "predictions.shards" / f"{victim}.jsonl", "ab") as shard:
                shard.write(b'{"id": "color_i-2shot-test-00')
    assert read(run.path) == read(whole / "Talker")
    assert not (home / "run" / "predictions.shards").exists()


def halfway(ranks: Any, command: list[str], home: Path) -> set[str]:
    """Kill a job of three in its work, and return what it finished."""
    (home / "kill").write_text("1:8")
    codes = ranks(3, command, home)
    assert codes[1] == -9, ranks.logs
    (home / "kill").unlink()
    assert (home / "run" / "predictions.shards" / "1.jsonl").stat().st_size
    assert not (home / "run" / "predictions.jsonl").stat().st_size
    done = set(RunFolder(home / "run").predictions()[0])
    assert 6 <= len(done) < EXAMPLES
    asked(home)
    return done


@pytest.mark.parametrize("count", [1, 2, 4])
def test_as_many_processes_as_one_likes_go_on_from_a_killed_job(
    count: int, whole: Path, home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    command = predict_command("shared_model:Talker", picture_folder, "run")
    done = halfway(ranks, command, home)
    if count == 1:
        assert forks(command, home) == 0, forks.log
        assert f"{EXAMPLES} predictions" in forks.log
    else:
        assert ranks(count, command, home) == [0] * count, ranks.logs
    again = asked(home)
    assert len(again) == EXAMPLES - len(done)
    assert not done.intersection(again)
    assert read(home / "run") == read(whole / "Talker")
    assert not (home / "run" / "predictions.shards").exists()


def test_what_a_killed_job_left_can_be_judged(
    home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    done = halfway(ranks, predict_command("shared_model:Talker", picture_folder, "run"), home)
    assert forks(["judge", "run", "--judge", "mention"], home) == 0, forks.log
    assert set(RunFolder(home / "run").verdicts("mention")[0]) == done
    groups = json.loads((home / "run/scores/mention.json").read_text())["groups"]
    assert sum(group["missing"] for group in groups) == EXAMPLES - len(done)


@pytest.mark.parametrize("model", ["Sorted", "Streamer"])
def test_models_that_choose_their_order(
    model: str, home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    """Prompts sorted by their beginning stay so; a stream's answers are put in order."""
    command = predict_command(f"shared_model:{model}", picture_folder, "one")
    assert forks(command, home) == 0, forks.log
    command = predict_command(f"shared_model:{model}", picture_folder, "two")
    assert ranks(2, command, home) == [0, 0], ranks.logs
    one, two = read(home / "one"), read(home / "two")
    if model == "Sorted":
        assert [line["id"] for line in one] != sorted(line["id"] for line in one)
        assert two == one
    else:
        assert two == list(reversed(one))


def test_failures_are_asked_again_as_by_one_process(
    home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    for out, run in (("one", lambda c: [forks(c, home)]), ("two", lambda c: ranks(2, c, home))):
        (home / "mended").unlink(missing_ok=True)
        command = predict_command("shared_model:Talker", picture_folder, out)
        assert set(run(command)) == {0}
        failed = [line["id"] for line in read(home / out) if line["status"] == "error"]
        assert len(failed) >= 2
        (home / "mended").touch()
        asked(home)
        assert set(run([*command, "--retry-errors"])) == {0}
        assert sorted(asked(home)) == sorted(failed)
    assert len(read(home / "one")) == EXAMPLES + len(failed)
    assert read(home / "two") == read(home / "one")


def test_a_larger_limit_goes_on(
    whole: Path, home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    smaller = predict_command("shared_model:Talker", picture_folder, "run", limit=7)
    assert ranks(2, smaller, home) == [0, 0], ranks.logs
    command = predict_command("shared_model:Talker", picture_folder, "run")
    assert ranks(2, command, home) == [0, 0], ranks.logs
    assert len(asked(home)) == EXAMPLES
    by_id = {line["id"]: line for line in read(home / "run")}
    assert by_id == {line["id"]: line for line in read(whole / "Talker")}


def test_more_processes_than_batches(
    home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    command = predict_command("shared_model:Talker", picture_folder, "run", limit=1)
    assert ranks(3, [*command[:-1], "16"], home) == [0, 0, 0], ranks.logs
    assert len(read(home / "run")) == 3


def test_a_share_that_fails_throughout_is_recorded_where_another_does_not(
    home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    """As by one process: the first three examples are answered, and only in the first share."""
    options = {"limit": 6}
    one = predict_command("shared_model:Halting", picture_folder, "one", **options)
    two = predict_command("shared_model:Halting", picture_folder, "two", **options)
    assert forks(one, home) == 0, forks.log
    assert ranks(2, two, home) == [0, 0], ranks.logs
    assert read(home / "two") == read(home / "one")
    assert [line["status"] for line in read(home / "two")[:6]] == ["ok"] * 3 + ["error"] * 3


def test_a_model_that_is_down_stops_the_job_and_says_whose(
    home: Path, picture_folder: Path, ranks: Any
) -> None:
    command = predict_command("shared_model:Down", picture_folder, "run")
    codes = ranks(2, [*command, "--stop-after", "5"], home)
    assert 2 in codes
    assert set(codes) <= {2, -15}
    said = [
        f"cobsat predict, rank {rank}: the model must answer" in log
        for rank, log in enumerate(ranks.logs)
    ]
    assert said[codes.index(2)]
    assert RunFolder(home / "run").predictions() == ({}, [])


@pytest.mark.parametrize("held", ["predictions.jsonl", "predictions.shards/1.jsonl"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_second_job_is_refused(
    held: str, count: int, home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    """Also while a process of an earlier job, whose first is gone, is still at its shard."""
    import fcntl

    command = predict_command("shared_model:Talker", picture_folder, "run")
    halfway(ranks, command, home)
    before = sorted(RunFolder(home / "run").predictions()[0])
    with open(home / "run" / held, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if count == 1:
            assert forks(command, home) == 2
            log = forks.log
        else:
            assert ranks(2, command, home)[0] == 2
            log = ranks.logs[0]
            assert ranks.logs[1] == ""
    assert f"{held} must be written by one process at a time" in log
    assert asked(home) == []
    assert sorted(RunFolder(home / "run").predictions()[0]) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processes": 3}, "processes must be as many as asked for (3), got 2"),
        ({"max-cost": 5, "price-in": 1}, "max_cost must be left out with 2 processes, got 5"),
        ({"model-option": "device_map=auto"}, "device_map must be left out with 2 processes"),
        ({"model-option": "device=cuda:0"}, "device must name no single GPU with 2 processes"),
        ({"model": "shared_model:Nobody"}, "class in shared_model must be one of"),
    ],
)
def test_mistakes_are_told_once_and_nothing_is_written(
    options: dict[str, Any], message: str, home: Path, picture_folder: Path, ranks: Any
) -> None:
    options = {"model": "shared_model:Talker", **options}
    command = predict_command(pictures=picture_folder, out="run", **options)
    assert ranks(2, command, home)[0] == 2
    assert f"cobsat predict, rank 0: {message}" in ranks.logs[0]
    assert ranks.logs[1] == ""
    assert not (home / "run").exists()
