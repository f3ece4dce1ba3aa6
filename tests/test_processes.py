"""Who shares the work: the launchers themselves, as many processes as asked for, and what is told.

What the processes then leave is looked at in `tests/models/test_sharded.py` and
`tests/metrics/test_judge_sharded.py`; here real launchers start them.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cobsat import RunFolder, processes
from cobsat.processes import ONE, Processes, join
from shared_runs import CONFIGS, EXAMPLES, asked, predict_command, read, shares, write_model

BIN = Path(sys.executable).parent
TORCHRUN = [str(BIN / "torchrun"), "--nproc-per-node", "2"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_model(tmp_path)
    return tmp_path


def launch(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def alone(home: Path, pictures: Path, forks: Any) -> list[dict[str, Any]]:
    command = predict_command("shared_model:Talker", pictures, "alone")
    assert forks(command, home) == 0, forks.log
    asked(home)
    return read(home / "alone")


def test_torchrun_goes_on_from_a_killed_job(
    home: Path, picture_folder: Path, forks: Any, ranks: Any
) -> None:
    expected = alone(home, picture_folder, forks)
    command = predict_command("shared_model:Talker", picture_folder, "run", processes=2)
    (home / "kill").write_text("1:8")
    assert ranks(2, command, home)[1] == -9, ranks.logs
    there = set(RunFolder(home / "run").predictions()[0])
    assert 0 < len(there) < EXAMPLES
    asked(home)
    (home / "kill").unlink()
    done = launch([*TORCHRUN, "-m", "cobsat.models.predict", *command[1:]], home)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("2 processes share the work\n")
    assert "found in sys.modules" not in done.stderr
    assert done.stdout.startswith("run: 60 predictions (")
    again = asked(home)
    assert len(again) == EXAMPLES - len(there)
    assert not there.intersection(again)
    assert read(home / "run") == expected


@pytest.mark.slow
def test_torchrun_ends_with_a_killed_worker_and_the_same_command_goes_on(
    home: Path, picture_folder: Path, forks: Any
) -> None:
    expected = alone(home, picture_folder, forks)
    command = predict_command("shared_model:Talker", picture_folder, "run")
    command = [*TORCHRUN, "-m", "cobsat.cli", *command]
    (home / "kill").write_text("0:5")
    done = launch(command, home)
    assert done.returncode == 1
    assert "SIGKILL" in done.stderr
    there = set(RunFolder(home / "run").predictions()[0])
    assert 0 < len(there) < EXAMPLES
    asked(home)
    (home / "kill").unlink()
    done = launch(command, home)
    assert done.returncode == 0, done.stderr
    assert not there.intersection(asked(home))
    assert read(home / "run") == expected


@pytest.mark.slow
def test_torchrun_restarts_the_workers_by_itself(
    home: Path, picture_folder: Path, forks: Any
) -> None:
    expected = alone(home, picture_folder, forks)
    command = predict_command("shared_model:Talker", picture_folder, "run")
    # Killed once: the second worker of that rank begins to count anew, and has less to do.
    (home / "kill").write_text("1:28")
    done = launch([*TORCHRUN, "--max-restarts", "2", "-m", "cobsat.cli", *command], home)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("2 processes share the work") == 2
    assert len(asked(home)) > EXAMPLES  # what the killed one was at is asked again
    assert read(home / "run") == expected


@pytest.mark.slow
def test_two_launchers_meet_as_two_machines_do(
    home: Path, picture_folder: Path, forks: Any
) -> None:
    expected = alone(home, picture_folder, forks)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    command = predict_command("shared_model:Talker", picture_folder, "run", processes=2)
    launcher = [str(BIN / "torchrun"), "--nnodes", "2", "--nproc-per-node", "1"]
    launcher += ["--rdzv-backend", "c10d", "--rdzv-endpoint", address, "--rdzv-id", "test"]
    with ThreadPoolExecutor(2) as machines:
        command = [*launcher, "-m", "cobsat.cli", *command]
        done = list(machines.map(lambda _: launch(command, home), range(2)))
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]
    told = "".join(each.stderr for each in done)
    assert told.count("2 processes on 2 machines share the work\n") == 1
    assert len(shares(home)) == 2
    assert read(home / "run") == expected


@pytest.mark.slow
def test_a_command_starts_its_own_processes_and_says_what_became_of_them(
    home: Path, picture_folder: Path, forks: Any
) -> None:
    expected = alone(home, picture_folder, forks)
    command = predict_command("shared_model:Talker", picture_folder, "run", processes=2)
    command = [str(BIN / "cobsat"), *command]
    (home / "kill").write_text("1:5")
    done = launch(command, home)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "cobsat predict: all 2 processes must come to the end of their work, got one that was "
        "killed (rank 1, SIGKILL): what they finished is kept, give the same command again"
    )
    assert "Traceback" not in done.stderr
    (home / "kill").unlink()
    done = launch(command, home)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "2 processes share the work",
        "ask again what failed: the same command with --retry-errors",
    ]
    assert read(home / "run") == expected
    done = launch([*command, "--seed", "9"], home)
    assert done.returncode == 2
    (_, error) = done.stderr.splitlines()
    assert error.startswith("cobsat predict, rank 0: run must be a new folder or this run's own")


@pytest.mark.slow
def test_ctrl_c_stops_all_and_the_same_command_goes_on(home: Path, picture_folder: Path) -> None:
    (home / "slow_model.py").write_text(
        "import time\n"
        "from shared_model import Talker\n"
        "class Slow(Talker):\n"
        "    def predict(self, examples):\n"
        "        time.sleep(0.5)\n"
        "        return super().predict(examples)\n"
    )
    command = predict_command("slow_model:Slow", picture_folder, "run", processes=2)
    running = subprocess.Popen(
        [str(BIN / "cobsat"), *command],
        cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 120
    while len(RunFolder(home / "run").predictions()[0]) < 6 and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert err.splitlines()[-1] == "stopped: the same command goes on from here"
    assert "Traceback" not in err
    assert 6 <= len(RunFolder(home / "run").predictions()[0]) < EXAMPLES


@pytest.mark.slow
def test_a_launcher_that_starts_one_process_is_found_out_or_helped(
    home: Path, picture_folder: Path
) -> None:
    """`accelerate launch --cpu --num_processes 2` starts one: two are then started from it."""
    command = predict_command("shared_model:Talker", picture_folder, "run", processes=2)
    launcher = [str(BIN / "accelerate"), "launch", "--cpu", "--num_processes", "2"]
    done = launch([*launcher, "-m", "cobsat.cli", *command], home)
    assert done.returncode == 0, done.stderr
    assert "2 processes share the work" in done.stderr
    assert len(asked(home)) == EXAMPLES


@pytest.mark.slow
def test_run_and_judge_by_their_launchers(home: Path) -> None:
    """The shipped judges on pictures: a whole run by two processes is that of one."""
    predict = ["--model", "random", "--limit", "12", "--batch-size", "4"]
    predict += [part for config in CONFIGS for part in ("--config", config)]
    command = [str(BIN / "cobsat"), "run", *predict, "--judge", "clip"]
    one = launch([*command, "--out", "one"], home)
    assert one.returncode == 0, one.stderr
    two = launch([*command, "--out", "two", "--processes", "2"], home)
    assert two.returncode == 0, two.stderr
    assert two.stderr == "2 processes share the work\n"
    assert re.sub("two", "one", two.stdout) == one.stdout
    judge = ["-m", "cobsat.metrics.judge", "two", "--judge", "llava", "--batch-size", "8"]
    done = launch([*TORCHRUN, *judge], home)
    assert done.returncode == 0, done.stderr
    assert "found in sys.modules" not in done.stderr
    done = launch([str(BIN / "cobsat"), "judge", "one", "--judge", "llava"], home)
    assert done.returncode == 0, done.stderr
    assert read(home / "one") == read(home / "two")
    for judge_name in ("clip", "llava"):
        for kind in ("scores/{}.json", "verdicts/{}.jsonl", "verdicts/{}.json"):
            name = kind.format(judge_name)
            assert (home / "one" / name).read_bytes() == (home / "two" / name).read_bytes()


def test_one_process_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOCAL_RANK", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert join() is join(1) is ONE
    assert processes.rank() is None
    assert ONE.first
    assert (ONE.share("a"), ONE.gather("a"), list(ONE.deal("abc", 2))) == ("a", ["a"], [*"abc"])
    assert [processes.must_start(asked) for asked in (None, 1, 2)] == [False, False, True]
    with pytest.raises(ValueError, match=r"as many as asked for \(4\), got 1: torchrun --nproc-p"):
        join(4)
    monkeypatch.setenv("WORLD_SIZE", "8")  # a cluster's, without a launcher's rank
    assert join() is ONE
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setenv("RANK", "7")
    assert processes.rank() == 7
    assert not processes.must_start(8)


def test_each_process_on_a_machine_keeps_to_its_own_gpu() -> None:
    eight = Processes(3, 16, 8)
    eight.check_devices({"device": "cuda", "device_map": None, "checkpoint": "org/name:1"})
    for name in ("device_map", "draw_device_map"):
        with pytest.raises(ValueError, match=f"{name} must be left out with 8 processes on a"):
            eight.check_devices({name: "auto"})
    with pytest.raises(ValueError, match="device must name no single GPU with 8 processes"):
        eight.check_devices({"device": "cuda:1"})
    Processes(1, 2, 1).check_devices({"device_map": "auto", "device": "cuda:1"})


@pytest.mark.slow
def test_gpus_are_taken_by_local_rank(home: Path) -> None:
    """Three processes on a machine that has two GPUs, as far as torch can tell."""
    script = (
        "import os, torch\n"
        "from cobsat.processes import join\n"
        "torch.cuda.is_available = lambda: True\n"
        "torch.cuda.device_count = lambda: 2\n"
        "taken = []\n"
        "torch.cuda.set_device = taken.append\n"
        "here = join()\n"
        "assert (here.index, here.count, here.on_machine) == (int(os.environ['RANK']), 3, 3)\n"
        "assert taken == [here.index % 2], taken\n"
    )
    (home / "gpus.py").write_text(script)
    done = launch([str(BIN / "torchrun"), "--nproc-per-node", "3", "gpus.py"], home)
    assert done.returncode == 0, done.stderr
    assert "3 processes share the work" in done.stderr
