"""Several processes judge a run: verdicts and scores are those of one process, byte for byte."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from cobsat import Prediction, RunFolder
from shared_runs import asked, predict_command, shares, write_model

JUDGES = '''
import os
import signal

from cobsat.metrics.grading import failed, grade, unscored


class Counting:
    """Judges by a text's first and last words, and notes each output that it is asked about."""

    name = "counting"
    outputs = frozenset({"description"})
    asked = 0

    def record(self):
        return {}

    def judge(self, predictions, references, output):
        verdicts = []
        for text, reference in zip(predictions, references):
            with open(f"asked.{os.environ.get('RANK')}.log", "a") as log:
                log.write(f"{reference['task']}: {text}\\n")
            self.asked += 1
            if os.path.exists("kill"):
                with open("kill") as kill:
                    if kill.read() == f"{os.environ.get('RANK')}:{self.asked}":
                        os.kill(os.getpid(), signal.SIGKILL)
            verdicts.append(self.say(text, reference))
        return verdicts

    def say(self, text, reference):
        usage = {"usage": {"tokens": len(text)}}
        words = text.partition(",")[0].split()
        if text.endswith("7"):
            return unscored("no answer")
        return grade(reference, words[-1], words[0], raw={"object": usage, "attribute": usage})


class Flaky(Counting):
    """Fails at some, as long as it is not mended."""

    def say(self, text, reference):
        if text.endswith(("1", "2")) and not os.path.exists("mended"):
            return failed("timed out", {"object": {"usage": {"tokens": 99}}})
        return super().say(text, reference)


class Halting(Counting):
    """Fails at all but the first four of the texts."""

    def say(self, text, reference):
        return super().say(text, reference) if text < "red car, 4" else failed("timed out")


class Down(Counting):
    """Cannot be reached."""

    def say(self, text, reference):
        return failed("no server")
'''
FILES = ("verdicts/{}.jsonl", "verdicts/{}.json", "scores/{}.json")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, picture_folder: Path, forks: Any) -> Path:
    """A run of different descriptions, and one of pictures that repeat."""
    home = tmp_path_factory.mktemp("judged")
    write_model(home)
    for model, name in (("shared_model:Talker", "texts"), ("query", "words")):
        command = predict_command(model, picture_folder, name)
        assert forks(command, home) == 0, forks.log
    command = ["predict", "--model", "random", "--config", "all-2shot", "--limit", "8"]
    assert forks([*command, "--out", "pictures"], home) == 0, forks.log
    asked(home)
    return home


@pytest.fixture
def home(runs: Path, tmp_path: Path) -> Path:
    return copies(runs, tmp_path)


def copies(runs: Path, folder: Path) -> Path:
    """Write the judges into a folder, and each run twice."""
    (folder / "shared_judges.py").write_text(JUDGES)
    for name in ("texts", "words", "pictures"):
        for copy in ("one", "two"):
            shutil.copytree(runs / name, folder / f"{name}-{copy}")
    return folder


def files(run: Path, judge: str) -> list[bytes]:
    return [(run / name.format(judge)).read_bytes() for name in FILES]


@pytest.mark.parametrize(
    ("run", "judge", "count"),
    [
        ("texts", "mention", 2),
        ("words", "shared_judges:Counting", 3),
        ("texts", "shared_judges:Counting", 2),
        pytest.param("pictures", "clip", 2, marks=pytest.mark.slow),
    ],
)
def test_they_leave_what_one_process_leaves(
    run: str, judge: str, count: int, home: Path, ranks: Any, forks: Any
) -> None:
    command = ["judge", f"{run}-one", "--judge", judge, "--batch-size", "4"]
    assert forks(command, home) == 0, forks.log
    alone = asked(home)
    assert ranks(count, ["judge", f"{run}-two", *command[2:]], home) == [0] * count, ranks.logs
    name = "counting" if ":" in judge else judge
    assert files(home / f"{run}-two", name) == files(home / f"{run}-one", name)
    dealt = shares(home)
    assert sorted(chain(*dealt)) == sorted(alone)  # each output in one process only
    assert len(dealt) == (count if ":" in judge else 0)
    assert sorted(path.name for path in (home / f"{run}-two" / "verdicts").iterdir()) == [
        f"{name}.json", f"{name}.jsonl",
    ]  # fmt: skip
    assert f"in {run}-two/scores/{name}.json" in ranks.logs[0]
    assert ranks.logs[1:] == [""] * (count - 1)
    if name == "counting":
        assert json.loads(files(home / f"{run}-two", name)[2])["usage"]["tokens"] > 0


KILLED = ["--judge", "shared_judges:Counting", "--batch-size", "3"]


@pytest.fixture(scope="module")
def killed(
    runs: Path, tmp_path_factory: pytest.TempPathFactory, ranks: Any, forks: Any
) -> tuple[Path, list[str], list[str]]:
    """Return a folder with a whole run and one of two workers killed in turns, and their outputs.

    These are what the whole one's judge was asked about, and what that of the killed ones was.
    """
    home = copies(runs, tmp_path_factory.mktemp("killed"))
    assert forks(["judge", "texts-one", *KILLED], home) == 0, forks.log
    expected, run = asked(home), RunFolder(home / "texts-two")
    seen: list[str] = []
    for life, kill in enumerate(("1:8", "0:5")):
        (home / "kill").write_text(kill)
        before = set(run.verdicts("counting")[0])
        codes = ranks(2, ["judge", "texts-two", *KILLED], home)
        assert codes[1 - life] == -9, ranks.logs
        seen += asked(home)
        assert set(run.verdicts("counting")[0]) > before
        assert not run.scores_path("counting").exists()
    (home / "kill").unlink()
    return home, expected, seen


@pytest.mark.parametrize("last", [1, 2, 3])
def test_a_killed_worker_loses_nothing_that_it_judged(
    last: int, killed: tuple[Path, list[str], list[str]], tmp_path: Path, ranks: Any, forks: Any
) -> None:
    """Killed in turns; as many as one likes end the work."""
    before, expected, seen = killed
    home = Path(shutil.copytree(before, tmp_path / "home"))
    run = RunFolder(home / "texts-two")
    judged = Counter(v.status for v in run.verdicts("counting")[0].values())
    if last == 1:
        assert forks(["judge", "texts-two", *KILLED], home) == 0, forks.log
    else:
        assert ranks(last, ["judge", "texts-two", *KILLED], home) == [0] * last, ranks.logs
    rest = asked(home)
    assert files(run.path, "counting") == files(home / "texts-one", "counting")
    texts = sum(p.status == "ok" for p in run.predictions()[0].values())
    assert len(rest) <= texts - judged["scored"]
    assert not set(rest) - set(expected)
    assert set(seen) | set(rest) == set(expected)
    assert not (run.path / "verdicts" / "counting.shards").exists()


def test_failures_are_judged_again_and_the_files_end_as_if_nothing_had_been(
    home: Path, ranks: Any, forks: Any
) -> None:
    judge = ["--judge", "shared_judges:Flaky", "--batch-size", "4"]
    assert ranks(2, ["judge", "texts-two", *judge], home) == [0, 0], ranks.logs
    first = asked(home)
    lost = [text for text in first if text.endswith(("1", "2"))]
    assert len(lost) >= 3
    assert forks(["judge", "texts-one", *judge], home) == 0, forks.log
    assert files(home / "texts-two", "counting") == files(home / "texts-one", "counting")
    asked(home)
    (home / "mended").touch()
    for run in ("texts-one", "texts-two"):
        command = ["judge", run, *judge]
        done = [forks(command, home)] if run == "texts-one" else ranks(2, command, home)
        assert set(done) == {0}
        assert sorted(asked(home)) == sorted(lost)
    assert files(home / "texts-two", "counting") == files(home / "texts-one", "counting")


def test_a_share_that_fails_throughout_is_recorded_where_another_does_not(
    home: Path, ranks: Any, forks: Any
) -> None:
    for name in ("texts-one", "texts-two"):
        run = RunFolder(home / name)
        ids = list(run.predictions()[0])[:8]
        run.predictions_path.unlink()
        with run.append_predictions() as appender:
            appender.add(Prediction(i, "ok", text=f"red car, {n}") for n, i in enumerate(ids))
    judge = ["--judge", "shared_judges:Halting", "--batch-size", "4"]
    assert forks(["judge", "texts-one", *judge], home) == 0, forks.log
    assert ranks(2, ["judge", "texts-two", *judge], home) == [0, 0], ranks.logs
    assert files(home / "texts-two", "counting") == files(home / "texts-one", "counting")
    statuses = [v.status for v in RunFolder(home / "texts-two").verdicts("counting")[0].values()]
    assert statuses == ["scored"] * 4 + ["error"] * 4


def test_a_judge_that_is_down_stops_the_job(home: Path, ranks: Any) -> None:
    command = ["judge", "texts-two", "--judge", "shared_judges:Down", "--batch-size", "4"]
    codes = ranks(2, command, home)
    assert 2 in codes
    assert set(codes) <= {2, -15}
    failed = codes.index(2)
    assert f"cobsat judge, rank {failed}: the judge counting must answer" in ranks.logs[failed]
    assert not (home / "texts-two" / "scores").exists()


def test_a_second_job_and_a_run_that_is_none_are_told_once(home: Path, ranks: Any) -> None:
    import fcntl

    run = RunFolder(home / "texts-two")
    with run.append_verdicts("mention"):
        pass
    with open(run.verdicts_path("mention"), "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert ranks(2, ["judge", "texts-two", "--judge", "mention"], home)[0] == 2
    assert "cobsat judge, rank 0: texts-two/verdicts/mention.jsonl must be" in ranks.logs[0]
    assert ranks.logs[1] == ""
    assert ranks(2, ["judge", "nowhere"], home)[0] == 2
    assert "cobsat judge, rank 0: nowhere must be a run folder" in ranks.logs[0]
    assert ranks.logs[1] == ""


def test_predict_judge_and_report_in_a_row(
    home: Path, picture_folder: Path, ranks: Any, forks: Any
) -> None:
    write_model(home)

    def command(out: str) -> list[str]:
        predict = predict_command("shared_model:Talker", picture_folder, out)
        return ["run", *predict[1:], "--judge", "mention"]

    assert forks(command("run-one"), home) == 0, forks.log
    alone = forks.log
    assert ranks(2, command("run-two"), home) == [0, 0], ranks.logs
    assert files(home / "run-two", "mention") == files(home / "run-one", "mention")
    assert (home / "run-two" / "report.html").is_file()
    assert ranks.logs[1] == ""
    told = ranks.logs[0].replace("run-two", "run-one")
    assert sorted(told.splitlines()) == sorted(["2 processes share the work", *alone.splitlines()])
