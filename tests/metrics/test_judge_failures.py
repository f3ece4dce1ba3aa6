"""Judging when the judge fails: what is counted, what is asked again, when it stops."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cobsat
import pytest
from cobsat import Prediction, RunFolder, RunSettings, Verdict, examples
from cobsat.cli import main
from cobsat.metrics import judge_run
from cobsat.metrics.grading import failed, grade, unscored
from cobsat.metrics.judging import STOP_AFTER
from report_pages import without_plots

SETTINGS = RunSettings(
    "test", ("color_i-2shot", "color_ii-2shot"), output="description", limit=60, images="nowhere",
    image_digest="d" * 64,
)  # fmt: skip


class Flaky:
    """Says what a text says ("red car 12"), and fails where it is told to."""

    name = "flaky"
    outputs = frozenset({"description", "image"})

    def __init__(self, fails: Any = lambda text: False, version: str = "1") -> None:
        self.asked: list[str] = []
        self.fails = fails
        self._record = {"version": version}

    def record(self) -> dict[str, Any]:
        return self._record

    def judge(self, predictions: Sequence[str], references: Any, output: str) -> list[Verdict]:
        self.asked += predictions
        return [self._say(t, r) for t, r in zip(predictions, references, strict=True)]

    def _say(self, text: str, reference: Any) -> Verdict:
        if self.fails(text):
            return failed("timed out", {"object": {"usage": {"tokens": 99}}})
        attribute, object_, *_ = text.split()
        usage = {"usage": {"tokens": 2}}
        return grade(reference, object_, attribute, raw={"object": usage, "attribute": usage})


def texts(folder: RunFolder) -> list[str]:
    return [p.text for p in folder.predictions()[0].values() if p.text]


@pytest.fixture
def run(tmp_path: Path, picture_folder: Path) -> RunFolder:
    """A run of 120 outputs, 90 of them different."""
    folder = RunFolder(tmp_path / "run")
    folder.start(SETTINGS)
    options = cobsat.Options(output="description", images=str(picture_folder))
    rows = [row for config in SETTINGS.configs for row in examples(config, options=options)[:60]]
    with folder.append_predictions() as appender:
        appender.add(
            Prediction(row["id"], "ok", text=f"red car {number % 90}")
            if number != 70
            else Prediction(row["id"], "blocked", reason="filter")
            for number, row in enumerate(rows)
        )
    return folder


def copy(run: RunFolder, name: str) -> RunFolder:
    shutil.copytree(run.path, run.path.parent / name)
    return RunFolder(run.path.parent / name)


def files(run: RunFolder) -> tuple[bytes, bytes]:
    return run.verdicts_path("flaky").read_bytes(), run.scores_path("flaky").read_bytes()


def test_failures_are_counted_and_asked_again_and_nothing_else_is(run: RunFolder) -> None:
    other = copy(run, "other")
    judge_run(other, Flaky(), batch_size=8)
    unlucky = {text for text in texts(run) if hash_of(text) % 5 == 0}
    assert len(unlucky) >= 5
    first = judge_run(run, Flaky(unlucky.__contains__), batch_size=8)
    verdicts, _ = run.verdicts("flaky")
    lost = [i for i, v in verdicts.items() if v.status == "error"]
    assert {run.predictions()[0][i].text for i in lost} == unlucky
    assert sum(group["judge_failed"] for group in first["groups"]) == len(lost)
    assert first["judge_failures"] == {"timed out": len(lost)}
    assert all(g["accuracy"]["n"] == 60 - g["judge_failed"] for g in first["groups"])
    assert "give the same command again" in first["cautions"][0].lower()
    again = Flaky()
    judge_run(run, again, batch_size=8)
    assert sorted(again.asked) == sorted(unlucky)
    assert files(run) == files(other)
    third = Flaky()
    judge_run(run, third)
    assert third.asked == []
    assert files(run) == files(other)


def hash_of(text: str) -> int:
    return sum(text.encode())


def test_an_output_that_failed_is_asked_again_where_it_comes_next(run: RunFolder) -> None:
    seen: list[str] = []

    def fails(text: str) -> bool:
        seen.append(text)
        return seen.count(text) == 1 and text.endswith(" 3")

    judge_run(run, Flaky(fails), batch_size=8)
    twice = [i for i, p in run.predictions()[0].items() if p.text and p.text.endswith(" 3")]
    verdicts, _ = run.verdicts("flaky")
    assert [verdicts[i].status for i in twice] == ["error", "scored"]


def test_tokens_are_summed_over_the_outputs_that_were_judged(run: RunFolder) -> None:
    count = len(set(texts(run)))
    assert judge_run(run, Flaky())["usage"] == {"tokens": 4 * count}
    gone = judge_run(copy(run, "other"), Flaky(lambda text: text.endswith(" 1")))
    assert gone["usage"] == {"tokens": 4 * count}  # judged before, and kept


def test_stops_when_nothing_but_failures_come(run: RunFolder) -> None:
    judge = Flaky(lambda text: True)
    with pytest.raises(RuntimeError, match=r"last 20 outputs and stopped \(most often: timed out"):
        judge_run(run, judge, batch_size=10)
    assert len(judge.asked) == STOP_AFTER
    assert not run.scores_path("flaky").exists()
    judge_run(run, Flaky(version="2"))  # nothing was judged: the options may change
    assert {v.status for v in run.verdicts("flaky")[0].values()} == {"scored", "unscored"}


def test_stops_when_it_begins_to_fail_and_keeps_what_there_is(run: RunFolder) -> None:
    judge = Flaky()
    judge.fails = lambda text: len(judge.asked) > 40
    with pytest.raises(RuntimeError, match="last 24 outputs"):
        judge_run(run, judge, batch_size=8)
    kept = [v for v in run.verdicts("flaky")[0].values() if v.status == "scored"]
    assert len(kept) == 40
    with pytest.raises(ValueError, match="must be by this very judge"):
        judge_run(run, Flaky(version="2"))
    again = Flaky()
    judge_run(run, again, batch_size=8)
    assert len(again.asked) == len(set(texts(run))) - 40
    other = copy(run, "other")
    other.verdicts_path("flaky").unlink()
    judge_run(other, Flaky())
    assert files(run) == files(other)


def test_a_few_that_always_fail_do_not_stop_a_run_that_is_else_judged(run: RunFolder) -> None:
    always = Flaky(lambda text: text.endswith((" 11", " 12")))
    for _ in range(2):
        result = judge_run(run, always, batch_size=8)
        assert sum(group["judge_failed"] for group in result["groups"]) == 4
    verdicts = [v.status for v in run.verdicts("flaky")[0].values()]
    assert verdicts.count("error") == 4


def test_a_small_run_whose_every_call_fails_is_no_score(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "small")
    folder.start(replace(SETTINGS, limit=2, configs=("color_i-2shot",)))
    with folder.append_predictions() as appender:
        appender.add([
            Prediction("color_i-2shot-test-0000", "blocked", reason="filter"),
            Prediction("color_i-2shot-test-0001", "ok", text="red car"),
        ])  # fmt: skip
    for _ in range(2):  # the blocked one has its verdict, and says nothing of the judge
        with pytest.raises(RuntimeError, match="last 1 outputs"):
            judge_run(folder, Flaky(lambda text: True))
    assert not folder.scores_path("flaky").exists()


def test_all_unscored_is_said(run: RunFolder) -> None:
    class Silent(Flaky):
        def _say(self, text: str, reference: Any) -> Verdict:
            return unscored("empty reply" if text.endswith("1") else "refused")

    result = judge_run(run, Silent())
    assert result["cautions"] == [
        "No output was scored: flaky gave no clear answer for any (most often: refused)."
    ]
    assert list(result["reasons"].items()) == [("refused", 107), ("empty reply", 12)]


def test_a_shipped_judge_is_warned_of_where_it_knows_no_picture(tmp_path: Path) -> None:
    from cobsat.images import image_source

    folder = RunFolder(tmp_path / "pictures")
    folder.start(replace(SETTINGS, output="image", limit=3, configs=("color_i-2shot",)))
    rendered = Path(image_source("rendered").paths["color", "red", "car"]).read_bytes()
    (folder.path / "images").mkdir()
    for name, data in (("known", rendered), ("new", b"new"), ("newer", b"newer")):
        (folder.path / "images" / f"{name}.png").write_bytes(data)
    with folder.append_predictions() as appender:
        appender.add(
            Prediction(f"color_i-2shot-test-{n:04d}", "ok", image=f"images/{name}.png")
            for n, name in enumerate(["known", "new", "known"])
        )

    class Mini(Flaky):
        name = "mini"
        checkpoint = "mini-clip"

        def record(self) -> dict[str, Any]:
            return {"checkpoint": self.checkpoint}

        def _say(self, text: str, reference: Any) -> Verdict:
            return grade(reference, "car", "red")

    (caution,) = judge_run(folder, Mini())["cautions"]
    assert caution.startswith("mini-clip was trained on this project's renderings alone, and 1 out")
    big = Mini()
    big.name, big.checkpoint = "big", "openai/clip"
    assert judge_run(folder, big)["cautions"] == []


def test_two_at_once_do_not_lose_each_others_verdicts(run: RunFolder) -> None:
    judge_run(run, Flaky(lambda text: text.endswith(" 5")))
    before = run.verdicts_path("flaky").read_bytes()
    with (
        run.append_verdicts("flaky"),
        pytest.raises(ValueError, match="one process at a time"),
    ):
        judge_run(run, Flaky())
    assert run.verdicts_path("flaky").read_bytes() == before


def test_a_servers_words_do_no_harm_on_a_terminal(run: RunFolder) -> None:
    class Rude(Flaky):
        def _say(self, text: str, reference: Any) -> Verdict:
            return failed("\x1b[2J\x07 500\n" + "x" * 1000)

    with pytest.raises(RuntimeError) as raised:
        judge_run(run, Rude())
    said = str(raised.value)
    assert said.isprintable()
    assert len(said) < 600


JUDGES = '''
import pathlib, random

from cobsat.metrics.grading import failed, grade

class Sure:
    """Answers each output in its own way."""
    name = "flaky"
    outputs = frozenset({"description"})
    batch_size = 4
    def record(self):
        return {}
    def judge(self, predictions, references, output):
        return [self.say(p, r) for p, r in zip(predictions, references)]
    def say(self, text, reference):
        attribute, object_, *_ = text.split()
        return grade(reference, object_, attribute, raw={"said": text})

class Unsure(Sure):
    """Fails at a fourth of all calls, and at other ones each time it is asked."""
    def say(self, text, reference):
        lives = pathlib.Path("lives")
        lives.write_text(lives.read_text() + "x" if lives.exists() else "x")
        if random.Random(lives.read_text() + text).random() < 1 / 4:
            return failed("timed out")
        return super().say(text, reference)
'''


def test_killed_and_failing_it_ends_as_if_nothing_had_been(
    run: RunFolder, tmp_path: Path, forks: Any
) -> None:
    (tmp_path / "flaky_judges.py").write_text(JUDGES)
    other = copy(run, "other")
    assert forks(["judge", "other", "--judge", "flaky_judges:Sure"], tmp_path) == 0, forks.log
    command = ["judge", "run", "--judge", "flaky_judges:Unsure"]
    draw, kills, target = random.Random(4), 0, run.verdicts_path("flaky")
    for life in range(60):
        size = target.stat().st_size if target.exists() else 0
        grown = (str(target), size + draw.randrange(3000))
        code = forks(command, tmp_path, kill_when_larger=grown if life < 5 else None)
        assert code in (-9, 0), forks.log
        kills += code == -9
        ids = [json.loads(line)["id"] for line in target.read_bytes().split(b"\n")[:-1]]
        assert len(ids) == len(set(ids))
        if code == 0 and b'"status": "error"' not in target.read_bytes():
            break
    assert kills >= 3
    assert files(run) == files(other)


def test_the_command_says_what_failed(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "flaky_judges.py").write_text(JUDGES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["judge", "run", "--judge", "flaky_judges:Unsure"]) == 0
    said = capsys.readouterr()
    assert "failed (most often: timed out). Give the same command again" in said.err
    assert said.err.count("\n") == 1


def test_the_printed_table_has_a_column_where_the_judge_failed(
    tmp_path: Path, picture_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "flaky_judges.py").write_text(JUDGES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    command = ["run", "--model", "oracle", "--config", "color_i-2shot", "--output", "description"]
    command += ["--limit", "40", "--images", str(picture_folder), "--out", "r"]
    with without_plots():
        assert main([*command, "--judge", "flaky_judges:Unsure"]) == 0
    said = capsys.readouterr()
    scores = json.loads((tmp_path / "r/scores/flaky.json").read_text())
    failures = scores["groups"][0]["judge_failed"]
    (row,) = [line for line in said.out.splitlines() if line.startswith("color_i ")]
    assert 0 < failures < 40
    assert row.split()[-3:] == ["0", "0", str(failures)]
    assert all(len(line) <= 80 for line in said.out.splitlines())
    assert "Judge failed" in (tmp_path / "r/report.html").read_text("utf-8")
    assert main([*command, "--judge", "mention"]) == 0
    shown = capsys.readouterr().out.partition("judge: mention")[2]
    assert "judge failed" not in " ".join(shown.split())
