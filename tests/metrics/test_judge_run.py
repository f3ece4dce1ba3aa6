"""Judging a run folder: what is judged, what is left, and that it goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from cobsat import Prediction, RunFolder, RunSettings, Verdict, examples
from cobsat.metrics import judge_run, load_judge
from cobsat.metrics.grading import grade, unscored
from cobsat.metrics.judge import command, default_judges, load_judges
from cobsat.metrics.judge_options import assign_options
from cobsat.metrics.scores import scores
from huggingface_hub import constants
from typer.testing import CliRunner


class Exact:
    """Answers what a text says ("red car"), counts what it is asked, and can be made to fail."""

    name = "exact"
    outputs = frozenset({"description", "image"})

    def __init__(self, fail_after: int | None = None, version: str = "1") -> None:
        self.asked: list[str] = []
        self.calls: list[int] = []
        self._fail_after = fail_after
        self._version = version

    def record(self) -> dict[str, Any]:
        return {"version": self._version, "versions": {"calls": str(len(self.calls))}}

    def judge(self, predictions: Sequence[str], references: Any, output: str) -> list[Verdict]:
        if self._fail_after is not None and len(self.asked) >= self._fail_after:
            raise KeyboardInterrupt
        self.asked += predictions
        self.calls.append(len(predictions))
        verdicts = []
        for text, reference in zip(predictions, references, strict=True):
            text = Path(text).stem.replace("_", " ") if output == "image" else text
            attribute, _, object_ = text.partition(" ")
            known = bool(object_)
            verdicts.append(
                grade(reference, object_, attribute, raw={"text": text})
                if known
                else unscored("no answer")
            )
        return verdicts


SETTINGS = RunSettings(
    "test", ("color_i-2shot", "color_ii-2shot"), output="description", limit=40, images="nowhere",
    image_digest="d" * 64,
)  # fmt: skip


def rows(picture_folder: Path) -> list[Any]:
    from cobsat import Options

    options = Options(output="description", images=str(picture_folder))
    return [row for config in SETTINGS.configs for row in examples(config, options=options)[:40]]


@pytest.fixture
def run(tmp_path: Path, picture_folder: Path) -> RunFolder:
    """A run whose outputs are now and then wrong, unclear, failed, blocked or missing."""
    folder = RunFolder(tmp_path / "run")
    folder.start(SETTINGS)
    lines = []
    for number, row in enumerate(rows(picture_folder)):
        reference = row["reference"]
        text = f"{reference['attribute']} {reference['object']}"
        if number % 7 == 1:
            text = f"{reference['attribute']} zebra"
        if number % 11 == 2:
            text = "unclear"
        if number % 13 == 3:
            lines.append(Prediction(row["id"], "error", reason="no"))
        elif number % 17 == 4:
            lines.append(Prediction(row["id"], "blocked", reason="filter"))
        elif number % 19 != 5:
            lines.append(Prediction(row["id"], "ok", text=text))
    with folder.append_predictions() as appender:
        appender.add(lines)
    return folder


def test_one_verdict_a_prediction(run: RunFolder, picture_folder: Path) -> None:
    judge = Exact()
    result = judge_run(run, judge, batch_size=8)
    predictions, _ = run.predictions()
    verdicts, problems = run.verdicts("exact")
    assert list(verdicts) == list(predictions)
    assert problems == []
    for i, prediction in predictions.items():
        if prediction.status != "ok":
            assert verdicts[i].status == "unscored"
            assert verdicts[i].reason == f"prediction: {prediction.status}"
    assert result["groups"] == scores(rows(picture_folder), predictions, verdicts)["groups"]
    assert sum(g["missing"] for g in result["groups"]) == 80 - len(predictions)
    assert json.loads(run.scores_path("exact").read_text()) == result
    assert result["judge"] == {"name": "exact", **judge.record()}
    assert result["run"]["image_source"] == {"name": "folder:nowhere", "digest": "d" * 64}
    assert max(judge.calls) <= 8


def test_the_same_output_is_judged_once_and_graded_each_time(run: RunFolder) -> None:
    judge = Exact()
    judge_run(run, judge)
    texts = {p.text for p in run.predictions()[0].values() if p.status == "ok"}
    assert sorted(judge.asked) == sorted(t for t in texts if t)
    verdicts, _ = run.verdicts("exact")
    by_answer: dict[Any, set[bool | None]] = {}
    for verdict in verdicts.values():
        by_answer.setdefault((verdict.object, verdict.attribute), set()).add(verdict.correct)
    assert all(len(correct) == 1 for answer, correct in by_answer.items() if answer[0] == "zebra")


def test_a_copy_is_graded_against_its_own_reference(tmp_path: Path, picture_folder: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.start(SETTINGS)
    with folder.append_predictions() as appender:
        appender.add(Prediction(r["id"], "ok", text="red car") for r in rows(picture_folder))
    judge = Exact()
    judge_run(folder, judge)
    assert judge.asked == ["red car"]
    verdicts, _ = folder.verdicts("exact")
    for row in rows(picture_folder):
        verdict = verdicts[row["id"]]
        assert verdict.object_correct == (row["reference"]["object"] == "car")
        assert verdict.attribute_correct == (row["reference"]["attribute"] == "red")
        assert verdict.raw is not None
        assert verdict.raw["output"] == hashlib.sha256(b"red car").hexdigest()[:16]


def test_stopped_and_taken_up_again(run: RunFolder, tmp_path: Path) -> None:
    other = RunFolder(tmp_path / "other")
    other.start(SETTINGS)
    other.predictions_path.write_bytes(run.predictions_path.read_bytes())
    judge_run(other, Exact(), batch_size=4)
    with pytest.raises(KeyboardInterrupt):
        judge_run(run, Exact(fail_after=12), batch_size=4)
    with open(run.verdicts_path("exact"), "ab") as file:
        file.write(b'{"id": "color_i-2shot-test-00')
    assert not run.scores_path("exact").exists()
    second = Exact()
    judge_run(run, second, batch_size=4)
    assert run.verdicts_path("exact").read_bytes() == other.verdicts_path("exact").read_bytes()
    here, there = (json.loads(r.scores_path("exact").read_text()) for r in (run, other))
    here["judge"].pop("versions"), there["judge"].pop("versions")
    assert here == there
    third = Exact()
    judge_run(run, third)
    assert third.asked == []


def test_verdicts_on_other_outputs_and_broken_lines_are_redone(run: RunFolder) -> None:
    judge_run(run, Exact())
    before = run.scores_path("exact").read_bytes()
    verdict_lines = run.verdicts_path("exact").read_bytes().splitlines(keepends=True)
    broken = b"{not json}\n"
    run.verdicts_path("exact").write_bytes(b"".join([broken, *verdict_lines[1:]]))
    lines = run.predictions_path.read_bytes().splitlines(keepends=True)
    changed = json.loads(lines[1])
    changed["text"] = "red car"
    lines[1] = json.dumps(changed).encode() + b"\n"
    run.predictions_path.write_bytes(b"".join(lines))
    judge = Exact()
    judge_run(run, judge)
    verdicts, problems = run.verdicts("exact")
    assert problems == []
    assert (verdicts[changed["id"]].object, verdicts[changed["id"]].attribute) == ("car", "red")
    assert len(verdicts) == len(verdict_lines)
    assert run.scores_path("exact").read_bytes() != before


def test_broken_predictions_are_named_in_the_scores(run: RunFolder) -> None:
    with open(run.predictions_path, "ab") as file:
        file.write(b"oops\n")
    result = judge_run(run, Exact())
    (problem,) = result["problems"]
    assert problem.startswith("predictions.jsonl, line ")


def test_another_judge_of_the_same_name_is_refused(run: RunFolder) -> None:
    judge_run(run, Exact())
    with pytest.raises(ValueError, match=r"version: '1' there, '2' now\): move that file away"):
        judge_run(run, Exact(version="2"))


def test_pictures_are_given_by_path(tmp_path: Path, picture_folder: Path) -> None:
    from dataclasses import replace

    folder = RunFolder(tmp_path / "run")
    folder.start(replace(SETTINGS, output="image"))
    first, second, third = rows(picture_folder)[:3]
    (folder.path / "images").mkdir()
    (folder.path / "images" / "red_car.png").write_bytes(b"picture")
    with folder.append_predictions() as appender:
        appender.add([
            Prediction(first["id"], "ok", image="images/red_car.png"),
            Prediction(second["id"], "ok", image="images/red_car.png", image_sha256="f" * 64),
            Prediction(third["id"], "ok", text="a text where a picture should be"),
        ])  # fmt: skip
    judge = Exact()
    judge_run(folder, judge)
    assert judge.asked == [str(folder.path / "images" / "red_car.png")] * 2
    verdicts, _ = folder.verdicts("exact")
    assert verdicts[third["id"]].reason == "prediction without image"
    assert verdicts[second["id"]].raw == {"output": "f" * 16, "text": "red car"}


def test_bad_input(run: RunFolder, tmp_path: Path) -> None:
    class Pictures(Exact):
        outputs = frozenset({"image"})

    class Short(Exact):
        def judge(self, *args: Any) -> list[Verdict]:
            return super().judge(*args)[1:]

    with pytest.raises(ValueError, match="must be of kind image, got a run with output='descr"):
        judge_run(run, Pictures())
    assert not (run.path / "verdicts").exists()
    with pytest.raises(ValueError, match="one an output"):
        judge_run(run, Short())
    with pytest.raises(ValueError, match="batch_size must be at least 1, got 0"):
        judge_run(run, Exact(), batch_size=0)
    with pytest.raises(FileNotFoundError, match="must be a run folder"):
        judge_run(tmp_path / "nothing", Exact())


def test_options() -> None:
    with pytest.raises(ValueError, match="did you mean 'mention'"):
        load_judge("mentoin")
    with pytest.raises(ValueError, match=r"or module:Class, got 'nowhere:Judge'"):
        load_judge("nowhere:Judge")
    with pytest.raises(ValueError, match="judge mention takes no option, got 'checkpoint'"):
        load_judges(["mention"], ["checkpoint=x"])
    assert [judge.name for judge in load_judges(["mention", "mention"])] == ["mention"]
    assert load_judge("cobsat.metrics.mention_judge:MentionJudge").name == "mention"
    assert default_judges("image") == ("llava", "clip")
    assert default_judges("description") == ("llava", "clip", "mention")


def test_an_option_goes_to_those_that_take_it_or_to_the_one_that_is_named() -> None:
    three = ["llava", "clip", "mention"]
    assert assign_options(three, ["device=cpu", "clip.checkpoint=x", "llava.method=options"]) == {
        "llava": {"device": "cpu", "method": "options"},
        "clip": {"device": "cpu", "checkpoint": "x"},
        "mention": {},
    }
    assert assign_options(["clip"], ["checkpoint=x"]) == {"clip": {"checkpoint": "x"}}
    assert assign_options(["clip", "mention"], ["checkpoint=x"])["clip"] == {"checkpoint": "x"}
    with pytest.raises(ValueError, match="one judge's, got it for llava and clip: name the judge"):
        assign_options(three, ["checkpoint=x"])
    with pytest.raises(ValueError, match="did you mean 'checkpoint'"):
        assign_options(three, ["clip.chekpoint=x"])
    with pytest.raises(ValueError, match="did you mean 'method'"):
        assign_options(three, ["methot=options"])
    with pytest.raises(ValueError, match=r"option must be one of .*, got 'api\.model'"):
        assign_options(three, ["api.model=x"])


@pytest.mark.parametrize("judge", ["llava", "clip"])
@pytest.mark.parametrize("folder", ["/nowhere", "./nowhere", "a/folder/deep"])
def test_a_checkpoint_s_folder_that_is_not_there_is_told_as_such(judge: str, folder: str) -> None:
    with pytest.raises(FileNotFoundError, match=f"got '{folder}', where there is no folder"):
        load_judge(judge, checkpoint=folder)


@pytest.mark.parametrize("judge", ["llava", "clip"])
def test_offline_a_checkpoint_of_the_hub_is_told_at_once(
    judge: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(FileNotFoundError, match="be here when HF_HUB_OFFLINE=1, got 'acme/none'"):
        load_judge(judge, checkpoint="acme/none")


def test_command(run: RunFolder) -> None:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, [str(run.path), "--judge", "mention"])
    assert result.exit_code == 0, result.output
    assert "mention: " in result.output
    assert json.loads(run.scores_path("mention").read_text())["judge"]["name"] == "mention"
