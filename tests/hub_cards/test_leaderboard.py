"""`cobsat leaderboard`: numbers worked out by hand, what is refused, and its three forms."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from answer_runs import RECORD, Rounds, add_verdicts, answer_run, question_file
from cobsat import Prediction, RunFolder, RunSettings
from cobsat.cli import main
from cobsat.hub_cards import leaderboard_data
from cobsat.hub_cards.leaderboard import write_leaderboard
from cobsat.hub_cards.leaderboard_data import read_board
from cobsat.hub_cards.leaderboard_text import board_csv, board_markdown
from cobsat.hub_cards.report import write_report

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=hacked()>"


def same(answer: float, reference: float = 8) -> Rounds:
    return ((answer, reference), (answer, reference))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return question_file(tmp_path / "questions.tsv", 12)


@pytest.fixture
def runs(tmp_path: Path, questions: Path) -> list[Path]:
    """Three models: `best` and `near` differ on two questions only, `worst` is below on all."""
    best = {n: same(9) for n in range(1, 13)}
    near = best | {1: same(8), 2: same(8)}
    worst = dict.fromkeys(range(1, 13), ((3.0, 8.0), (5.0, 8.0)))
    return [
        answer_run(tmp_path / name, questions, marks, model=f"model-{name}")
        for name, marks in (("worst", worst), ("best", best), ("near", near))
    ]


def blocks(page: str) -> list[Any]:
    found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)
    return [json.loads(block) for block in found]


def test_models_by_rank_with_ties(runs: list[Path]) -> None:
    board = read_board(runs)
    assert [(place.name, str(place.rank)) for place in board.places] == [
        ("best", "1-2"), ("near", "1-2"), ("worst", "3"),
    ]  # fmt: skip
    best, near, worst = (place.run for place in board.places)
    assert best is not None
    assert near is not None
    assert worst is not None
    assert best.scores.overall.points.score == pytest.approx(900)
    assert near.scores.overall.points.score == pytest.approx((10 * 900 + 2 * 800) / 12)
    assert (near.scores.overall.win, near.scores.overall.tie, near.scores.overall.loss) == (
        10,
        2,
        0,
    )
    assert worst.scores.overall.points.score == pytest.approx(400)
    assert worst.scores.overall.bias.score == pytest.approx(200)  # 5 when first, 3 when second
    assert [(a, b, d.n) for a, b, d in board.pairs] == [
        ("worst", "best", 12), ("worst", "near", 12), ("best", "near", 12),
    ]  # fmt: skip
    assert board.pairs[2][2].value == pytest.approx(-2 / 12 * 100)


@pytest.mark.usefixtures("no_plots")
def test_what_has_no_mark_is_in_the_floor_and_counted(tmp_path: Path, questions: Path) -> None:
    failed = Prediction("touchstone-3", "error", reason="no")
    blocked = Prediction("touchstone-4", "blocked", reason="filtered")
    marks = {n: same(9) for n in range(1, 13)} | {5: "no marks", 6: "error: timed out"}
    run = answer_run(tmp_path / "run", questions, marks, answers={3: failed, 4: blocked})
    board = read_board([run])
    found = board.runs[0]
    assert found.scores.overall.points.score == pytest.approx(900)
    assert found.scores.overall.floor == pytest.approx((8 * 900 + 4 * 100) / 12)
    assert (found.scores.overall.n, found.scores.overall.of) == (8, 12)
    assert found.scores.counts == {
        "questions": 12, "scored": 8, "unscored": 1, "judge_failed": 1, "missing": 0,
        "prediction_error": 1, "prediction_blocked": 1,
    }  # fmt: skip
    page = write_report([run])
    assert page == run / "report.html"
    answers = [q["answers"][0]["outcome"] for q in blocks(page.read_text())[0]["questions"]]
    assert answers == ["win"] * 2 + ["failed"] * 2 + ["unscored", "judge-failed"] + ["win"] * 6


@pytest.mark.usefixtures("no_plots")
def test_samples_of_a_question_stand_together(tmp_path: Path, questions: Path) -> None:
    marks = {n: same(9 if n % 2 else 7) for n in range(1, 25)}
    run = answer_run(tmp_path / "run", questions, marks, samples=2)
    board = read_board([run])
    assert board.runs[0].marks == {f"touchstone-{n}": 8.0 for n in range(1, 13)}
    page = write_report([run]).read_text()
    first = blocks(page)[0]["questions"][0]["answers"]
    assert [(a["sample"], a["outcome"]) for a in first] == [(1, "win"), (2, "loss")]


def test_runs_that_do_not_belong_in_one_table_are_refused(
    runs: list[Path], tmp_path: Path, questions: Path
) -> None:
    other = answer_run(tmp_path / "other", question_file(tmp_path / "o.tsv", 5), {1: same(9)})
    with pytest.raises(ValueError, match="runs must have been asked the same questions, got "):
        read_board([runs[0], other])
    fewer = answer_run(tmp_path / "fewer", questions, {1: same(9)}, limit=3)
    with pytest.raises(ValueError, match=r"runs must have been asked .*, the first 3 of each"):
        read_board([runs[0], fewer])
    gpt5 = answer_run(tmp_path / "gpt5", questions, {1: same(9)}, judge="touchstone-gpt-5")
    with pytest.raises(
        ValueError, match=r"one judge of TouchStone, got touchstone-gpt-4 for worst"
    ):
        read_board([runs[0], gpt5])
    record = {**RECORD, "prompt_sha256": "d" * 64, "versions": {"cobsat": "9"}}
    asked = answer_run(tmp_path / "asked", questions, {1: same(9)}, record=record)
    with pytest.raises(
        ValueError, match=r"by the very same judge, got prompt_sha256: 'c.*' and 'd"
    ):
        read_board([runs[0], asked])
    unjudged = answer_run(tmp_path / "unjudged", questions)
    with pytest.raises(ValueError, match=r"got none for unjudged: `cobsat judge RUN --judge touch"):
        read_board([unjudged])
    cobsat = RunFolder(tmp_path / "cobsat")
    cobsat.start(RunSettings("copy", ("color_i-2shot",)))
    with pytest.raises(ValueError, match="must be a run of TouchStone, got one of CoBSAT"):
        read_board([runs[0], cobsat.path])
    with pytest.raises(ValueError, match="runs must be different folders, got worst twice"):
        read_board([runs[0], runs[0]])
    with pytest.raises(ValueError, match="runs must be one or more run folders"):
        read_board([])
    with pytest.raises(FileNotFoundError, match="must be a run folder, got no such folder"):
        read_board([tmp_path / "nowhere"])


def test_the_same_file_of_questions_may_lie_in_two_places(
    runs: list[Path], tmp_path: Path, questions: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "copy.tsv"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(questions.read_bytes())
    there = answer_run(tmp_path / "there", elsewhere, {1: same(9)})
    assert [run.label for run in read_board([runs[0], there]).runs] == ["worst", "there"]


def test_one_of_several_judges_is_gone_by_and_the_others_are_told(runs: list[Path]) -> None:
    for run in runs:
        add_verdicts(run, {n: same(2) for n in range(1, 13)}, judge="touchstone-a/b")
    board = read_board(runs)
    assert board.judge == "touchstone-a--b"
    assert board.notices == (
        "By the marks of touchstone-a--b; also judged by touchstone-gpt-4 (--judge).",
    )
    assert read_board(runs, "touchstone-gpt-4").places[0].points.score == pytest.approx(900)
    assert read_board(runs, "touchstone-a/b").judge == "touchstone-a--b"
    with pytest.raises(ValueError, match=r"judge must be one of .*; did you mean 'touchs"):
        read_board(runs, "touchstone-gpt4")


def test_a_run_that_the_judge_did_not_judge_is_named(runs: list[Path]) -> None:
    add_verdicts(runs[0], {n: same(2) for n in range(1, 13)}, judge="touchstone-a/b")
    with pytest.raises(ValueError, match="has no marks by touchstone-a--b") as caught:
        read_board(runs, "touchstone-a/b")
    assert str(caught.value).startswith(
        f"{runs[1]} has no marks by touchstone-a--b: `cobsat judge {runs[1]} --judge …`"
    )


def test_published_scores_stand_beside_all_official_questions_only(
    tmp_path: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    genuine = leaderboard_data.questions_together

    def official(settings: RunSettings) -> Any:
        source, asked = genuine(settings)
        return replace(source, name="official"), asked

    # Twelve marks of 7.0 or 7.4: standard deviation 0.2 * sqrt(12 / 11), t(11) = 2.200985, so
    # 720 ± 13.27: Qwen-VL's 711.6 is within, CogVLM's 742.0 above and Emu2's 703.8 below.
    marks = {n: same(7.0 if n % 2 else 7.4) for n in range(1, 13)}
    run = answer_run(tmp_path / "run", questions, marks)
    assert len(read_board([run]).places) == 1  # a file of another's
    monkeypatch.setattr(leaderboard_data, "questions_together", official)
    board = read_board([run])
    assert board.runs[0].scores.overall.points.score == pytest.approx(720)
    ranked = [(place.name, str(place.rank)) for place in board.places]
    assert ranked[:5] == [
        ("GPT-4V", "1"), ("CogVLM", "2"), ("run", "3-4"), ("Qwen-VL", "3-4"), ("Emu2", "5"),
    ]  # fmt: skip
    assert ranked[-1] == ("PandaGPT", "11")
    assert "PandaGPT" in board_markdown(board)
    rows = list(csv.DictReader(io.StringIO(board_csv(board))))
    published = [row for row in rows if row["origin"] == "published"]
    assert len(published) == 10
    assert {(row["low"], row["n"], row["judge"]) for row in published} == {("", "", "gpt-4")}
    part = answer_run(
        tmp_path / "part", questions, marks, configs=("touchstone-recognition",)
    )  # fmt: skip
    assert len(read_board([part]).places) == 1
    some = answer_run(tmp_path / "some", questions, marks, limit=12)
    assert len(read_board([some]).places) == 1


def test_three_forms_say_the_same(runs: list[Path], tmp_path: Path) -> None:
    board, written = write_leaderboard(runs, tmp_path / "board", plots=("svg",))
    assert [path.name for path in written] == [
        "leaderboard.html", "leaderboard.md", "leaderboard.csv",
    ]  # fmt: skip
    page, markdown, table = (path.read_text("utf-8") for path in written)
    rows = list(csv.DictReader(io.StringIO(table)))
    overall = [row for row in rows if row["group"] == "overall"]
    assert [(r["run"], r["rank"], float(r["score"])) for r in overall] == [
        ("best", "1-2", 900), ("near", "1-2", 883.333333), ("worst", "3", 400),
    ]  # fmt: skip
    lines = [line for line in markdown.splitlines() if line.startswith("| 1-2")]
    assert lines[0].startswith("| 1-2 | model-best | best | 900.0 |")
    assert "| Visual Recognition Ability | 900.0" in markdown
    assert "883.3" in page
    by_category = {
        (r["name"], r["run"]): float(r["score"]) for r in rows if r["group"] == "category"
    }
    # questions 1, 2, 5, 6, 7, 10, 11 and 12 are of recognition, two of them at 8
    assert by_category["recognition", "near"] == pytest.approx((6 * 900 + 2 * 800) / 8)
    assert by_category["comprehension", "near"] == 900
    plots = sorted(path.name for path in (tmp_path / "board" / "plots").glob("*.svg"))
    assert plots == [f"touchstone-gpt-4-{name}.svg" for name in ("categories", "radar", "subtasks")]
    assert board.source == "file:questions.tsv"


def test_the_same_runs_give_the_same_bytes(runs: list[Path], tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_leaderboard(runs, tmp_path / name)
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes()
         for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("one", "two")
    )  # fmt: skip
    assert one == two
    assert len(one) == 3 + 2 * 3 + 1  # the board, its plots, their captions
    assert not any(str(tmp_path).encode() in data for data in one.values())


def test_a_category_alone_has_no_radar(tmp_path: Path, questions: Path) -> None:
    run = answer_run(
        tmp_path / "run", questions, {n: same(9) for n in range(1, 9)},
        configs=("touchstone-comprehension",),
    )  # fmt: skip
    page = write_report([run], plots=("svg",)).read_text()
    assert "Abilities" not in page
    assert sorted(path.name for path in (run / "plots").glob("*.svg")) == [
        "touchstone-gpt-4-categories.svg", "touchstone-gpt-4-subtasks.svg",
    ]  # fmt: skip


@pytest.mark.usefixtures("no_plots")
def test_where_the_questions_are_gone_the_scores_are_still_shown(
    runs: list[Path], questions: Path
) -> None:
    questions.unlink()
    board = read_board(runs)
    assert [str(place.rank) for place in board.places] == ["1-2", "1-2", "3"]
    assert board.source == "file:questions.tsv"
    assert board.notices[0].startswith("The questions are not shown: images of TouchStone must be")
    page = write_report(runs, runs[0] / "report.html").read_text()
    assert blocks(page)[0]["questions"] == []


def test_verdicts_on_other_answers_are_in_no_comparison_and_told(runs: list[Path]) -> None:
    target = runs[1] / "predictions.jsonl"
    target.write_text(target.read_text().replace("Answer 3.", "Another."))
    board = read_board(runs)
    assert board.pairs[0][2].n == 11
    notices = board.runs[1].notices
    assert any(notice.startswith("1 verdict is about another answer") for notice in notices)
    assert any("over 12 marked answers, and there are 11 now" in notice for notice in notices)


def test_a_scores_file_that_is_none_is_named(runs: list[Path]) -> None:
    path = RunFolder(runs[0]).scores_path("touchstone-gpt-4")
    data = json.loads(path.read_text())
    data["overall"]["score"] = "nine"
    path.write_text(json.dumps(data))
    with pytest.raises(
        ValueError, match=r"must hold the scores that `cobsat judge` writes, got 'nine'"
    ):
        read_board(runs)


def test_hostile_words_are_text_in_every_form(tmp_path: Path) -> None:
    questions = question_file(tmp_path / "q.tsv", 5, word=f" {HOSTILE} | a | \x1b[31m \u202e")
    marks: dict[int, Any] = {n: same(9) for n in range(1, 5)} | {5: f"no marks {HOSTILE}"}
    run = answer_run(
        tmp_path / "=cmd|'<b>x", questions, marks, word=HOSTILE, model=f"=1+1|{HOSTILE}",
        model_options={"record": {"checkpoint": f"[a](javascript:x) `{HOSTILE}`"}},
        record={**RECORD, "note": HOSTILE},
    )  # fmt: skip
    _, written = write_leaderboard([run], tmp_path / "board", plots=("svg",))
    page, markdown, table = (path.read_text("utf-8") for path in written)
    assert "<script>window.hacked" not in page.replace("\\u003c", "")
    assert page.count("<script") == 2 + page.count('id="thumbnails-')
    assert html.escape(HOSTILE, quote=False) in page or "&lt;/script&gt;" in page
    assert "<script" not in markdown
    assert "<img" not in markdown
    assert "](javascript" not in markdown
    heads = [line for line in markdown.splitlines() if line.startswith("| 1 |")]
    assert len(re.findall(r"(?<!\\)\|", heads[0])) == 14  # 13 cells
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["run"][0] for row in rows} == {row["model"][0] for row in rows} == {"'"}
    for text in (page, markdown, table):
        assert "\x1b" not in text
        assert "\u202e" not in text
    svg = (tmp_path / "board" / "plots" / "touchstone-gpt-4-radar.svg").read_text()
    assert "<b>" not in svg


@pytest.mark.usefixtures("no_plots")
def test_an_interval_is_shown_by_both_its_ends(
    tmp_path: Path, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Eleven marks of 10 and one of 4: a sum of squares of 33, so 9.5 ± 2.200985 * sqrt(3 / 12),
    # which the highest mark cuts.
    marks = {n: same(4 if n == 1 else 10) for n in range(1, 13)}
    run = answer_run(tmp_path / "run", questions, marks)
    assert main(["leaderboard", str(run)]) == 0
    said = capsys.readouterr().out
    row = next(line.split() for line in said.splitlines() if line.startswith("1 "))
    assert row[:7] == ["1", "run", "950.0", "840.0", "to", "1000.0", "950.0"]
    text = (run / "leaderboard" / "leaderboard.md").read_text("utf-8")
    page = (run / "leaderboard" / "leaderboard.html").read_text("utf-8")
    assert "| 950.0 | 840.0 to 1000.0 |" in text
    assert "950.0<small>840.0 to 1000.0</small>" in page
    # Storytelling has two questions, each of 10: t(1) = 12.706205 stands in place of a spread
    # of nothing, and nothing is above: 10 - 9 * t^2 / (2 + t^2).
    assert "| Visual Storytelling Ability | 1000.0, 111.0 to 1000.0, n = 2 |" in text
    assert "1000.0<small>111.0 to 1000.0</small>" in page
    assert not any("±" in form for form in (said, text, page))


@pytest.mark.usefixtures("no_plots")
def test_the_command_prints_the_board(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["leaderboard", *map(str, runs), "--out", str(tmp_path / "board")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "touchstone-gpt-4 on file:questions.tsv"
    assert lines[2].split() == ["1-2", "best", "900.0", *lines[2].split()[3:]]
    assert max(map(len, lines[:5])) <= 80
    (tmp_path / "file").write_text("")
    assert main(["leaderboard", str(runs[0]), "--out", str(tmp_path / "file")]) == 2
    assert "out must be a folder, got the file" in capsys.readouterr().err


def test_report_and_leaderboard_name_one_another_s_benchmark(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    RunFolder(tmp_path / "cobsat").start(RunSettings("copy", ("color_i-2shot",)))
    assert main(["leaderboard", str(tmp_path / "cobsat")]) == 2
    assert "`cobsat report` are for CoBSAT's runs" in capsys.readouterr().err
    for both in ([runs[0], tmp_path / "cobsat"], [tmp_path / "cobsat", runs[0]]):
        assert main(["report", *map(str, both), "--out", str(tmp_path / "none.html")]) == 2
        said = capsys.readouterr().err
        assert f"must be of one benchmark, got {both[0]} of " in said
        assert said.endswith(": report them separately\n")
    two = ["--out", str(tmp_path / "two.html"), "--plots", "svg"]
    assert main(["report", str(runs[0]), str(runs[1]), *two]) == 0
    assert (tmp_path / "two-plots").is_dir()
    assert "2 models" in (tmp_path / "two.html").read_text()
