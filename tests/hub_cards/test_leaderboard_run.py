"""`cobsat run` on TouchStone: told early who judges, and at the end the leaderboard's page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answer_runs import answer_run, question_file
from chat_server import Call, ChatServer, Response, completion
from cobsat import RunFolder
from cobsat.cli import main
from cobsat.touchstone.spec import CATEGORIES

KEY = "sk-secret-0123456789abcdef"
RUN = ["run", "--model", "oracle", "--config", "touchstone-mini-*", "--limit", "2"]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COLUMNS", "80")


def prefers_the_first(call: Call) -> Response:
    return completion("9 5")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "judge touchstone must be told who judges, got no option"),
        (["--judge", "touchstone", "--judge-option", "stop=null"], "told who judges, got stop"),
        (["--judge", "touchstone_hallucination"], "touchstone_hallucination must be told who"),
    ],
)
def test_the_judge_is_named_before_the_model_is_asked(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RUN, "--out", str(tmp_path / "run"), *options]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_ends_with_the_board_s_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    command = [*RUN, "--out", str(run), "--judge", "touchstone", "--judge-option"]
    with ChatServer(prefers_the_first) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert main([*command, "model=org/gpt-4"]) == 0
        calls = len(server.calls)
        first = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        assert main([*command, "model=org/gpt-4"]) == 0
        assert len(server.calls) == calls  # nothing is asked again
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == first
    # Each answer has 9 when it comes first and 5 when second: 7, as the reference has.
    scores = json.loads(RunFolder(run).scores_path("touchstone-org--gpt-4").read_text())
    assert scores["overall"]["score"] == pytest.approx(700)
    assert scores["overall"]["position"]["bias"] == pytest.approx(400)
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert max(map(len, (line for line in lines if str(tmp_path) not in line))) <= 80
    row = next(line.split() for line in lines if line.startswith("all "))
    count = str(scores["counts"]["questions"])
    low, high = (f"{end:.1f}" for end in scores["overall"]["interval"])
    assert row == ["all", "700.0", low, "to", high, "700.0", count, "0", count, "0", "400.0"]
    assert 700 - float(low) > float(high) - 700  # 600 down to the lowest mark, 300 up
    assert any(line.startswith("Visual Recognition ") for line in lines)
    assert lines[-1] == str(run / "report.html")
    page = (run / "report.html").read_text("utf-8")
    assert "TouchStone leaderboard" in page
    assert page.count('"id":"touchstone-mini-') == int(count) >= 8
    assert sorted(path.name for path in (run / "plots").glob("*.svg")) == [
        f"touchstone-org--gpt-4-{name}.svg" for name in ("categories", "radar", "subtasks")
    ]
    for path, data in first.items():
        assert KEY.encode() not in data, path


@pytest.mark.usefixtures("no_plots")
def test_what_judging_may_cost_is_an_option_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    judge = ["--judge", "touchstone", "--judge-option", "model=m", "--judge-price-in", "100000"]
    with ChatServer(prefers_the_first) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        # A round takes 100 tokens, at a tenth each: a question costs 20, and a second is too dear.
        limit = ["--judge-max-cost", "30"]
        assert main([*RUN, "--out", str(run), *judge, *limit]) == 0
        assert len(server.calls) == 2  # both rounds of one question
    asked = len(RunFolder(run).predictions()[0])
    scores = json.loads(RunFolder(run).scores_path("touchstone-m").read_text())
    assert asked == scores["counts"]["questions"] >= 8
    assert scores["counts"]["scored"] == 1
    assert "--max-cost" in capsys.readouterr().err


def test_what_is_in_no_score_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cobsat.pipeline import _print_scores

    even = ((8.0, 8.0), (8.0, 8.0))
    questions = question_file(tmp_path / "q.tsv", 5)
    run = answer_run(
        tmp_path / "run", questions, {1: even, 2: even, 3: "no marks", 4: "error: gone"}
    )
    _print_scores(RunFolder(run))
    lines = capsys.readouterr().out.splitlines()
    assert "in no score: 1 unscored, 1 judge failed, 1 missing" in lines
    named = [line for line in lines if line.startswith(("all", "Visual", "Basic"))]
    assert [line.split("  ")[0] for line in named] == [
        "all", *(CATEGORIES[name].title.removesuffix(" Ability")
                 for name in ("description", "recognition", "comprehension", "storytelling")),
    ]  # fmt: skip
