"""Runs of TouchStone that are judged: killed, failing, limited in cost, and refused."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_server import Call, ChatServer, Response, completion, error
from cobsat import Prediction, RunFolder, RunSettings
from cobsat.cli import main
from cobsat.metrics import judge_run
from cobsat.metrics.judge import default_judges
from cobsat.metrics.touchstone_judge import TouchstoneJudge
from cobsat.spending import Spending
from cobsat.touchstone.verdicts import DialogueVerdict, HallucinationVerdict
from touchstone_judged import NAMES, answer_comes_first, by_worth, start_run

KEY = "sk-secret-0123456789abcdef"
JUDGE = "touchstone-org--judge"


@pytest.fixture(autouse=True)
def _no_server_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


TEXTS: dict[int, Prediction | str] = {
    **{n: f"Answer {n}, worth {1 + n % 10}." for n in range(1, 10)},
    10: Prediction(NAMES.format(10), "error", reason="no"),
    11: Prediction(NAMES.format(11), "blocked", reason="filter"),
    12: "  ",
}


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Twelve questions: nine answers, an error, a refusal and an empty answer."""
    return start_run(tmp_path, TEXTS)


def judge_at(server: ChatServer, **options: Any) -> TouchstoneJudge:
    return TouchstoneJudge("org/judge", base_url=server.url, **options)


def command(run: RunFolder, server: ChatServer, *more: str) -> list[str]:
    options = ("--judge-option", "model=org/judge", "--judge-option", f"base_url={server.url}")
    return ["judge", str(run.path), "--judge", "touchstone", *options, *more]


def files(run: RunFolder) -> tuple[bytes, bytes]:
    return run.verdicts_path(JUDGE).read_bytes(), run.scores_path(JUDGE).read_bytes()


def scores(run: RunFolder) -> dict[str, Any]:
    return dict(json.loads(run.scores_path(JUDGE).read_text("utf-8")))


def verdicts(run: RunFolder) -> dict[str, DialogueVerdict]:
    return run.verdicts_of(JUDGE, DialogueVerdict)[0]


def copy(run: RunFolder, name: str) -> RunFolder:
    shutil.copytree(run.path, run.path.parent / name)
    return RunFolder(run.path.parent / name)


def test_the_command_judges_a_run(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(by_worth) as server:
        assert main(command(run, server)) == 0
        assert len(server.calls) == 18
    said = capsys.readouterr()
    # worth 2 to 10: a mean of 6; the reference answers are worth 8: 10 and 9 win, 8 ties
    # its sample variance is 7.5, and t(8) = 2.306004: 6 ± 2.306004 * sqrt(7.5 / 9)
    assert said.out.startswith(f"{JUDGE}: 600.0 (95%: 389.5 to 810.5), 9 of 12 scored, in ")
    assert said.err == (
        "warning: 1 of 10 judged outputs are unscored, and in no mean; most often: empty answer "
        "(1).\n"
    )
    table = scores(run)
    assert list(verdicts(run)) == [NAMES.format(n) for n in range(1, 13)]
    assert table["benchmark"] == "touchstone"
    assert table["counts"] == {
        "questions": 12, "scored": 9, "unscored": 1, "judge_failed": 0, "missing": 0,
        "prediction_error": 1, "prediction_blocked": 1,
    }  # fmt: skip
    overall = table["overall"]
    assert (overall["score"], overall["reference"]) == (600, 800)
    assert (overall["win"], overall["tie"], overall["loss"]) == (2, 1, 6)
    assert overall["floor"] == pytest.approx(100 * (54 + 3) / 12)
    assert overall["position"]["bias"] == 0
    # 3, 7 and 11 tell stories, and 11 was blocked; 1, 5, 9 are of two categories
    assert table["categories"]["storytelling"]["n"] == 2
    assert table["categories"]["comprehension"]["score"] == pytest.approx(100 * (2 + 6 + 10) / 3)
    assert table["categories"]["recognition"]["n"] == 5
    assert table["usage"] == {"input_tokens": 1800, "output_tokens": 36}
    assert "cost" not in table
    assert table["run"]["benchmark"] == "touchstone"
    assert table["run"]["image_source"]["name"] == "file:questions.tsv"
    assert table["judge"]["name"] == JUDGE
    assert table["judge"]["model"] == "org/judge"
    assert table["judge"]["stop"] == ["\n"]
    assert table["reasons"] == {
        "empty answer": 1, "prediction: blocked": 1, "prediction: error": 1,
    }  # fmt: skip


def test_a_judge_that_always_prefers_the_first_is_cancelled(run: RunFolder) -> None:
    with ChatServer(lambda call: completion("9 6")) as server:
        overall = judge_run(run, judge_at(server))["overall"]
    assert (overall["win"], overall["tie"], overall["loss"]) == (0, 9, 0)
    assert overall["score"] == overall["reference"] == 750
    position = overall["position"]
    assert (position["answer_first"], position["answer_second"]) == (900, 600)
    assert (position["bias"], position["flips"]) == (300, 1)


def test_what_is_judged_is_judged_no_more(run: RunFolder) -> None:
    with ChatServer(by_worth) as server:
        judge_run(run, judge_at(server))
        before = files(run)
        asked = len(server.calls)
        judge_run(run, judge_at(server))
        assert len(server.calls) == asked
        assert files(run) == before
        with pytest.raises(ValueError, match=r"must be by this very judge, got another's \(stop"):
            judge_run(run, judge_at(server, stop=None))


def test_where_one_round_failed_both_are_asked_again(run: RunFolder) -> None:
    other = copy(run, "other")
    down = {"now": True}

    def moody(call: Call) -> Response:
        if down["now"] and "Answer 3," in call.text and answer_comes_first(call):
            return error(400, "Not today.")
        return by_worth(call)

    with ChatServer(moody) as server:
        first = judge_run(run, judge_at(server))
        assert first["counts"]["judge_failed"] == 1
        assert first["overall"]["n"] == 8
        assert first["overall"]["score"] == pytest.approx(100 * (54 - 4) / 8)
        assert first["overall"]["floor"] == pytest.approx(100 * (50 + 4) / 12)
        assert "Not today." in first["cautions"][0]
        down["now"] = False
        asked = len(server.calls)
        judge_run(run, judge_at(server))
        assert [("Answer 3," in call.text) for call in server.calls[asked:]] == [True, True]
        judge_run(other, judge_at(server))
    assert files(run) == files(other)
    record = json.loads(run.verdicts_path(JUDGE).with_suffix(".json").read_text("utf-8"))
    assert record["lost_usage"] == {"input_tokens": 100, "output_tokens": 2}


def test_servers_at_two_addresses_are_one_judge_and_both_are_named(run: RunFolder) -> None:
    def half(call: Call) -> Response:
        return by_worth(call) if "Answer 3," not in call.text else error(500)

    with ChatServer(half) as first, ChatServer(by_worth) as second:
        table = judge_run(run, judge_at(first, retries=0))
        assert table["judge"]["versions"]["server"] == first.url
        assert table["counts"]["judge_failed"] == 1
        assert not [said for said in table["cautions"] if "addresses" in said]
        table = judge_run(run, judge_at(second))  # goes on: it is the same judge
        both = [first.url, second.url]
        assert len(second.calls) == 2
        assert table["judge"]["versions"]["server"] == both
        (caution,) = [said for said in table["cautions"] if "addresses" in said]
        assert f"2 addresses ({first.url}, {second.url})" in caution
        before = files(run)
        again = judge_run(run, judge_at(second))
        assert again["judge"]["versions"]["server"] == both
        assert files(run) == before
        third = ChatServer(by_worth)
        with third:  # nothing is left to ask it, so it is not named
            assert judge_run(run, judge_at(third))["judge"]["versions"]["server"] == both
    record = json.loads(run.verdicts_path(JUDGE).with_suffix(".json").read_text("utf-8"))
    assert record["versions"]["server"] == both


def test_a_question_without_two_marks_stays_unscored(run: RunFolder) -> None:
    def shy(call: Call) -> Response:
        one_mark = "Answer 3," in call.text and answer_comes_first(call)
        return completion("8") if one_mark else by_worth(call)

    with ChatServer(shy) as server:
        for _ in range(2):
            table = judge_run(run, judge_at(server))
            assert (table["overall"]["n"], table["counts"]["unscored"]) == (8, 2)
            assert len(server.calls) == 19  # asked again once, and never after
    assert table["reasons"]["answer_first: one mark alone: 8"] == 1


def test_the_same_answer_to_a_question_is_judged_once(tmp_path: Path) -> None:
    names = [NAMES.format(1), f"{NAMES.format(1)}-sample2", NAMES.format(2)]
    texts = dict(zip(names, ("worth 6", "worth 6", "worth 6"), strict=True))
    run = start_run(
        tmp_path, {n: Prediction(name, "ok", text=texts[name]) for n, name in enumerate(names)},
        count=2, samples=2,
    )  # fmt: skip
    with ChatServer(by_worth) as server:
        table = judge_run(run, judge_at(server))
        assert len(server.calls) == 4  # two questions, two rounds
    assert (table["counts"]["questions"], table["counts"]["answers"]) == (2, 4)
    assert (table["counts"]["scored"], table["counts"]["missing"]) == (3, 1)
    assert table["usage"] == {"input_tokens": 400, "output_tokens": 8}
    assert table["run"]["samples"] == 2


def test_killed_again_and_again_it_ends_as_one_that_never_was(tmp_path: Path, forks: Any) -> None:
    texts: dict[int, Prediction | str] = {n: f"Answer {n}, worth 5." for n in range(1, 25)}
    run = start_run(tmp_path, texts, count=24)
    other = copy(run, "other")

    def slow(call: Call) -> Response:
        return by_worth(call, first=1).after(random.Random(call.text).uniform(0, 0.03))

    with ChatServer(slow) as server:
        assert forks(command(other, server), tmp_path) == 0, forks.log
        undisturbed = len(server.calls)
        draw, kills, target = random.Random(3), 0, run.verdicts_path(JUDGE)
        for life in range(40):
            size = target.stat().st_size if target.exists() else 0
            grown = (str(target), size + draw.randrange(2500))
            code = forks(
                command(run, server), tmp_path, kill_when_larger=grown if life < 3 else None
            )
            assert code in (-9, 0), forks.log
            kills += code == -9
            ids = [json.loads(line)["id"] for line in target.read_bytes().split(b"\n")[:-1]]
            assert len(ids) == len(set(ids))
            if code == 0:
                break
        # a verdict is saved at once: a killed run loses what was under way, and no more
        assert len(server.calls) - undisturbed <= undisturbed + kills * 2 * 8
    assert kills >= 2
    assert files(run) == files(other)


# --- cost ----------------------------------------------------------------------------------------

PRICES = ("--price-in", "10", "--price-out", "500")
"""A call of 100 tokens in and 2 out costs 0.002; a question 0.004."""


def test_a_limit_on_the_cost_stops_before_it_and_a_higher_one_goes_on(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy(run, "other")
    with ChatServer(by_worth) as server:
        assert main(command(run, server, "--max-cost", "0.0121", *PRICES)) == 0
        assert len(server.calls) == 6
        said = capsys.readouterr()
        assert "7 outputs are not judged yet" in said.err
        assert said.err.startswith("judging stopped before it costs more than 0.0121: to go on, ")
        # worth 2 to 4
        assert said.out.startswith(f"{JUDGE}: 300.0 (95%: 100.0 to 548.4), 3 of 12 scored so far, ")
        assert scores(run)["counts"]["missing"] == 7  # one of them is empty
        assert main(command(run, server, "--max-cost", "0.0121", *PRICES)) == 0
        assert len(server.calls) == 6
        assert main(command(run, server, "--max-cost", "0.03", *PRICES)) == 0
        assert len(server.calls) == 14
        assert main(command(run, server, *PRICES)) == 0
        assert len(server.calls) == 18
        assert "judging stopped" not in capsys.readouterr().err.rpartition("0.03")[2]
        assert main(command(other, server, *PRICES)) == 0
    assert files(run) == files(other)
    assert scores(run)["cost"] == {
        "value": pytest.approx(0.036), "price_in": 10, "price_out": 500,
    }  # fmt: skip
    assert f"{JUDGE}: cost 0.0360" in capsys.readouterr().out


def test_a_cheap_first_question_lets_no_whole_batch_through(run: RunFolder) -> None:
    # the first question costs 2 x (0.001 + 0.001), each of the other eight 2 x (0.1 + 0.001)
    def dearer(call: Call) -> Response:
        return completion("8 9", tokens=(100 if call.number < 2 else 10_000, 2))

    with ChatServer(dearer) as server:
        assert main(command(run, server, "--max-cost", "0.25", *PRICES)) == 0
        assert len(server.calls) == 4
        assert scores(run)["cost"]["value"] == pytest.approx(0.206)
        assert main(command(run, server, "--max-cost", "0.9", *PRICES)) == 0
        assert scores(run)["cost"]["value"] == pytest.approx(0.206 + 3 * 0.202)


def test_what_was_thrown_away_was_paid_for_too(run: RunFolder) -> None:
    def failing(call: Call) -> Response:
        return error(400, "No.") if "Answer 1," in call.text and answer_comes_first(call) else (
            by_worth(call))  # fmt: skip

    with ChatServer(failing) as server:
        spending = Spending(0.0101, 10, 500)
        judge_run(run, judge_at(server, concurrency=1), spending=spending)
        calls = len(server.calls)
        assert spending.spent == pytest.approx(0.002 * (calls - 1))
        assert spending.spent <= 0.0101
        again = Spending(0.0101, 10, 500)
        judge_run(run, judge_at(server, concurrency=1), spending=again)
        assert again.spent == pytest.approx(0.002 * (len(server.calls) - len(
            [c for c in server.calls if "Answer 1," in c.text and answer_comes_first(c)]
        )))  # fmt: skip
        assert again.spent <= 0.0101


def test_a_limit_needs_prices_and_a_judge_that_counts(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(by_worth) as server:
        assert main(command(run, server, "--max-cost", "1")) == 2
        assert "max_cost must come with prices" in capsys.readouterr().err
        assert server.calls == []
    silent = TouchstoneJudge(ask=lambda chats: ["8 9"] * len(chats))
    with pytest.raises(RuntimeError, match="must say how many tokens it used"):
        judge_run(run, silent, spending=Spending(1, 10, 10))


# --- who judges what -----------------------------------------------------------------------------


@pytest.mark.parametrize("judge", ["llava", "clip", "mention", "api"])
def test_cobsat_s_judges_refuse_a_run_of_touchstone(
    judge: str, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(run.path), "--judge", judge]) == 2
    said = capsys.readouterr().err
    assert f"the judge {judge} " in said
    assert "got a run with output='answer'" in said
    assert "touchstone and touchstone_hallucination (--judge touchstone)" in said
    assert said.count("\n") == 1
    assert not (run.path / "verdicts").exists()


def test_touchstone_s_judges_refuse_a_run_of_cobsat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunFolder(tmp_path / "run")
    run.start(RunSettings("test", ("color_i-2shot",), output="description"))
    for judge in ("touchstone", "touchstone_hallucination"):
        assert main(["judge", str(run.path), "--judge", judge]) == 2
        said = capsys.readouterr().err
        assert "must be of kind answer, got a run with output='description'" in said
        assert "llava, clip, mention and api" in said


def test_the_default_judge_asks_for_a_model(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert default_judges("answer") == ("touchstone",)
    assert main(["judge", str(run.path)]) == 2
    said = capsys.readouterr().err
    assert "model=gpt-4 (a server" in said
    assert "checkpoint=Qwen" in said
    assert "ask" not in said


def test_the_key_is_in_no_file_and_no_output(
    run: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def echo(call: Call) -> Response:
        assert call.headers["authorization"] == f"Bearer {KEY}"
        return error(400, f"Bad key {KEY}.") if "Answer 2," in call.text else by_worth(call)

    with ChatServer(echo) as server:
        assert main(command(run, server)) == 0
        assert main(command(run, server)) == 0
    said = capsys.readouterr()
    assert "calls of touchstone-org--judge failed" in said.err
    shown = said.out + said.err
    shown += "".join(p.read_text("utf-8") for p in run.path.rglob("*") if p.is_file())
    assert "Bad key" in shown
    assert KEY not in shown


def test_a_server_that_is_not_there_stops_in_one_line(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    with ChatServer(by_worth) as server:
        gone = command(run, server, "--judge-option", "retries=0")
    assert main(gone) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "must answer, got a failure" in said
    assert not run.scores_path(JUDGE).exists()


def test_replies_that_end_before_their_marks_are_told_of(run: RunFolder) -> None:
    def begins_with_a_line(call: Call) -> Response:
        return completion("" if "stop" in call.body else "\n8 9")

    with ChatServer(begins_with_a_line) as server:
        cautions = " ".join(judge_run(run, judge_at(server))["cautions"])
        assert "No output was scored" in cautions
        assert "--judge-option stop=null" in cautions
        run.verdicts_path(JUDGE).unlink()
        assert judge_run(run, judge_at(server, stop=None))["overall"]["n"] == 9


def test_a_model_that_changed_behind_its_name_is_told_of(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    def changing(call: Call) -> Response:
        return completion("8 9", model="gpt-4-0314" if call.number < 2 else "gpt-4-0613")

    with ChatServer(changing) as server:
        assert main([*command(run, server), "--batch-size", "1"]) == 0
    *_, caution = scores(run)["cautions"]
    assert "several models, as the server names them ('gpt-4-0613' 16, 'gpt-4-0314' 2)" in caution
    assert "not one judge's" in capsys.readouterr().err


def test_hallucination_of_a_run(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    def degree(call: Call) -> Response:
        return completion(str(1 + int(call.text.partition("Answer ")[2][0]) % 4))

    with ChatServer(degree) as server:
        options = ["--judge-option", "model=m", "--judge-option", f"base_url={server.url}"]
        judge = ["--judge", "touchstone_hallucination", *options]
        assert main(["judge", str(run.path), *judge]) == 0
        assert len(server.calls) == 9
    name = "touchstone_hallucination-m"
    found = run.verdicts_of(name, HallucinationVerdict)[0]
    assert [found[NAMES.format(n)].degree for n in range(1, 10)] == [2, 3, 4, 1, 2, 3, 4, 1, 2]
    table = json.loads(run.scores_path(name).read_text("utf-8"))
    assert table["overall"]["degree"] == pytest.approx(22 / 9)
    assert table["overall"]["words"] == 4
    assert table["overall"]["correlation"] is None
    # 64 - 22 * 22 / 9 = 92 / 9 is the sum of squares: 22 / 9 ± 2.306004 * sqrt(92 / 9 / 8 / 9)
    assert capsys.readouterr().out.startswith(
        f"{name}: degree 2.44 (95%: 1.58 to 3.31), 4 words, 9 of 12 scored, in "
    )


def test_several_processes_leave_what_one_leaves(run: RunFolder, ranks: Any, forks: Any) -> None:
    home = run.path.parent
    (home / "my_judge.py").write_text(
        "import os\n"
        "def marks(chats):\n"
        "    with open(f'asked.{os.environ.get(\"RANK\")}.log', 'a') as log:\n"
        "        log.write('x' * len(chats))\n"
        "    return [f'{1 + len(chat[-1][\"content\"]) % 10} 5' for chat in chats]\n"
    )
    copy(run, "other")
    judge = ["--judge", "touchstone", "--judge-option", "ask=my_judge:marks", "--batch-size", "2"]
    assert forks(["judge", "other", *judge], home) == 0, forks.log
    assert ranks(2, ["judge", "run", *judge], home) == [0, 0], ranks.logs
    for name in ("verdicts/touchstone-marks.jsonl", "scores/touchstone-marks.json"):
        assert (home / "run" / name).read_bytes() == (home / "other" / name).read_bytes()
    asked = [len((home / f"asked.{rank}.log").read_text()) for rank in (0, 1)]
    assert sum(asked) == 18
    assert min(asked) > 0
    assert ranks(2, ["judge", "run", *judge, "--max-cost", "1", *PRICES], home)[0] == 2
    assert "max_cost must be left out with 2 processes" in ranks.logs[0]
