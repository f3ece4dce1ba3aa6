"""Agreement of judges and people on TouchStone: votes and ratios worked out by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from answer_runs import Rounds, answer_run, question_file
from cobsat import RunFolder
from cobsat.cli import main
from cobsat.metrics.agree_answers import agreement_of_answers
from cobsat.metrics.label_table import labels_path
from cobsat.metrics.label_votes import VoteLabel, add_votes, read_votes
from cobsat.metrics.touchstone_agreement import (
    Ballot,
    Vote,
    among_people,
    judge_to_people,
    largest_remainder,
    sample_questions,
    vote_of_marks,
)
from cobsat.run_folder import write_json
from cobsat.touchstone import DialogueVerdict, Marks

ESCAPE = "\x1b"


def ballot(question: str, votes: str, judge: str | None = None, fourth: str = "") -> Ballot:
    """Make a ballot of letters: w, t, l."""
    words: dict[str, Vote] = {"w": "win", "t": "tie", "l": "loss"}
    return Ballot(
        "run",
        question,
        ("recognition",),
        tuple(words[letter] for letter in votes),
        tuple(words[letter] for letter in fourth),
        None if judge is None else words[judge],
    )


def test_a_judge_s_vote_is_the_sign_of_its_means() -> None:
    assert vote_of_marks(8.5, 8) == "win"
    assert vote_of_marks(8, 8) == "tie"
    assert vote_of_marks(1, 1.5) == "loss"


def test_means_that_are_equal_on_paper_tie() -> None:
    # 7.4 + 2.7 = 4.6 + 5.5, of which floats know nothing
    verdict = DialogueVerdict("a", "scored", Marks(7.4, 4.6), Marks(2.7, 5.5))
    assert (verdict.answer, verdict.reference) == (5.05, 5.05)
    assert vote_of_marks(verdict.answer, verdict.reference) == "tie"


def test_the_fourth_decides_where_three_are_of_three_minds_and_only_there() -> None:
    assert ballot("a", "wwl").truth == "win"
    assert ballot("a", "wtl").truth is None
    assert ballot("a", "wtl", fourth="t").truth == "tie"
    assert ballot("a", "wwl", fourth="l").truth == "win"  # was not needed
    assert ballot("a", "wl").truth is None
    assert ballot("a", "wl", fourth="l").truth == "loss"
    assert ballot("a", "").truth is None


def test_ratios_of_consistent_votes() -> None:
    ballots = [
        ballot("a", "www", "w"),  # the judge agrees with truth, and with 3 of 3
        ballot("b", "wwl", "l"),  # not with truth, with 1 of 3
        ballot("c", "wtl", "t", fourth="t"),  # with truth; with 1 of 3
        ballot("d", "ttl", None),
        ballot("e", "wtl", "w"),  # no truth; with 1 of 3
    ]
    judge = judge_to_people(ballots)
    assert (judge["truth"].value, judge["truth"].n) == (pytest.approx(2 / 3), 3)
    assert (judge["one"].value, judge["one"].n) == (pytest.approx(6 / 12), 12)
    people = among_people(ballots)
    # with truth: 3 + 2 + 1 + 2 of 12, e having none
    assert (people["truth"].value, people["truth"].n) == (pytest.approx(8 / 12), 12)
    # pairs: 3 + 1 + 0 + 1 + 0 of 15
    assert (people["one"].value, people["one"].n) == (pytest.approx(5 / 15), 15)
    # the majority of the other two: a 3 of 3; b: two w each see (w, l), no majority, l sees w w;
    # c and e: never one; d: as b
    assert (people["others"].value, people["others"].n) == (pytest.approx(3 / 5), 5)
    assert people["truth"].questions == 4


def test_intervals_know_which_answers_are_to_one_question() -> None:
    apart = [ballot(f"q{n}", "w", "w" if n % 2 else "l") for n in range(40)]
    together = [ballot(f"q{n // 4 * 4}", "w", "w" if n // 4 % 2 else "l") for n in range(40)]
    narrow, wide = (judge_to_people(each)["truth"] for each in (apart, together))
    assert narrow.value == wide.value == 0.5
    assert narrow.interval is not None
    assert wide.interval is not None
    assert wide.questions == 10
    # Wilson's interval with t: 40 independent, against 10 that count four times each.
    assert narrow.interval[1] - narrow.interval[0] == pytest.approx(0.308, abs=2e-3)
    assert wide.interval[1] - wide.interval[0] > 1.7 * (narrow.interval[1] - narrow.interval[0])


def test_one_person_agrees_with_nobody() -> None:
    found = among_people([ballot("a", "w", "w")])
    assert all(each.value is None and each.n == 0 for each in found.values())


def test_two_hundred_of_the_official_questions_by_their_shares() -> None:
    # The paper's shares of 908: 139, 400, 269, 67 and 33. Quotas of 200: 30.62, 88.11, 59.25,
    # 14.76 and 7.27: floors make 198, the two largest remainders are .76 and .62.
    sizes = {"description": 139, "recognition": 400, "comprehension": 269, "storytelling": 67,
             "multi_image": 33}  # fmt: skip
    wanted = {"description": 31, "recognition": 88, "comprehension": 59, "storytelling": 15,
              "multi_image": 7}  # fmt: skip
    assert largest_remainder(sizes, 200) == wanted
    names = [f"{name}-{k}" for name, size in sizes.items() for k in range(size)]
    categories = {name: name.rpartition("-")[0] for name in names}
    drawn = sample_questions(categories, 200, 7)
    assert Counter(categories[name] for name in drawn) == wanted
    assert len(set(drawn)) == 200
    assert drawn == sample_questions(categories, 200, 7)
    assert set(drawn) != set(sample_questions(categories, 200, 8))
    assert [categories[name] for name in drawn] != sorted(categories[name] for name in drawn)


def test_shares_of_few_and_of_none() -> None:
    assert largest_remainder({"a": 3, "b": 2}, 10) == {"a": 3, "b": 2}
    assert largest_remainder({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert largest_remainder({}, 5) == {}
    assert largest_remainder({"a": 0}, 5) == {"a": 0}


# --- cobsat agree on run folders -------------------------------------------------------------


def even(answer: float, reference: float) -> Rounds:
    return ((answer, reference), (answer, reference))


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs on ten questions: a judge prefers every answer of the first, none of the other."""
    questions = question_file(tmp_path / "questions.tsv")
    return [
        answer_run(tmp_path / "up", questions, {n: even(9, 5) for n in range(1, 11)}),
        answer_run(tmp_path / "down", questions, {n: even(5, 9) for n in range(1, 10)}),
    ]


def vote(run: Path, person: str, votes: dict[int, Vote], **record: Any) -> None:
    path = labels_path(RunFolder(run), person)
    add_votes(path, [VoteLabel(f"touchstone-{n}", said) for n, said in votes.items()])
    if record:
        write_json(path.with_suffix(".json"), record)


def test_judges_and_people_of_two_runs(runs: list[Path]) -> None:
    for person in ("ada", "bob", "cyd"):
        vote(runs[0], person, dict.fromkeys(range(1, 5), "win"))
        vote(runs[1], person, {1: "loss", 2: "loss", 3: "win"})
    vote(runs[1], "ada", {4: "win"})
    vote(runs[1], "bob", {4: "tie"})
    vote(runs[1], "cyd", {4: "loss"})
    vote(runs[1], "dan", {4: "loss"}, disputed=True, seed=0)
    result = agreement_of_answers(runs)
    assert result["source"] == "file:questions.tsv"
    assert result["paper"] is None
    assert result["persons"] == {"ada": 8, "bob": 8, "cyd": 8}
    assert result["fourth"] == {"dan": 1}
    assert (result["answers"], result["undecided"]) == (8, 0)
    judge = result["judges"]["touchstone-gpt-4"]
    assert judge["all"]["truth"]["value"] == pytest.approx(7 / 8)
    assert judge["models"]["up"]["truth"]["value"] == 1
    assert judge["models"]["down"]["truth"]["value"] == pytest.approx(3 / 4)
    assert judge["disagreements"] == [
        {"run": "down", "id": "touchstone-3", "judge": "loss", "people": "win"}
    ]
    # questions 1 and 2 are of recognition, 3 of comprehension, 4 of description
    assert judge["categories"]["recognition"]["truth"]["n"] == 4
    assert judge["categories"]["comprehension"]["truth"]["value"] == 0.5
    people = result["people"]["all"]
    assert people["truth"]["value"] == pytest.approx(22 / 24)
    assert people["one"]["value"] == pytest.approx(21 / 24)
    assert result["problems"] == []


def test_what_is_about_another_answer_is_left_out_and_said(runs: list[Path]) -> None:
    path = labels_path(RunFolder(runs[0]), "ada")
    add_votes(path, [VoteLabel("touchstone-1", "win", "0" * 16), VoteLabel("touchstone-2", "tie")])
    lines = (runs[0] / "predictions.jsonl").read_text().splitlines()
    changed = lines[1].replace("Answer 2.", "Another.")
    (runs[0] / "predictions.jsonl").write_text("\n".join([lines[0], changed, *lines[2:]]) + "\n")
    result = agreement_of_answers(runs[:1])
    assert result["answers"] == 1
    assert result["judges"] == {}  # its only verdict on what was voted on is about the old answer
    assert result["problems"] == [
        "up: ada: 1 vote is about another answer than the one that is there now, and left out: "
        "label anew",
        "up: touchstone-gpt-4: 1 vote is about another answer than the one that is there now, and "
        "left out: judge anew",
    ]


def test_the_command_prints_ratios_and_writes_json(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", "80")
    hostile = f"[red]{ESCAPE}]0;x"
    for person in ("ada", hostile):
        vote(runs[0], person, dict.fromkeys(range(1, 5), "win"))
    target = tmp_path / "agreement.json"
    code = main(["agree", *map(str, runs), "--json", str(target), "--disagreements"])
    assert code == 0
    out = capsys.readouterr().out
    assert ESCAPE not in out
    assert max(map(len, out.splitlines())) <= 80
    assert "4 answers, 0 without a majority" in out
    assert "100.0%" in out
    assert "The paper" not in out  # other questions
    assert json.loads(target.read_text())["judges"]["touchstone-gpt-4"]["all"]["truth"]["n"] == 4


def test_the_paper_s_ratios_stand_beside_official_questions_only(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cobsat.metrics import agree_answers

    vote(runs[0], "ada", {1: "win"})
    genuine = agree_answers.questions_together

    def official(settings: Any) -> Any:
        from dataclasses import replace

        source, questions = genuine(settings)
        return replace(source, name="official"), questions

    monkeypatch.setattr(agree_answers, "questions_together", official)
    assert main(["agree", str(runs[0])]) == 0
    assert "GPT-4 and people 72.2%, people and people 78.4%" in capsys.readouterr().out


def test_runs_that_do_not_go_together_are_refused(runs: list[Path], tmp_path: Path) -> None:
    other = answer_run(tmp_path / "other", question_file(tmp_path / "other.tsv", 3))
    with pytest.raises(ValueError, match="runs must have been asked the same questions"):
        agreement_of_answers([runs[0], other])
    with pytest.raises(ValueError, match="must hold people's votes, got none"):
        agreement_of_answers(runs)
    with pytest.raises(ValueError, match="runs must be different folders, got up twice"):
        agreement_of_answers([runs[0], runs[0]])


def test_votes_as_spreadsheets_save_them(tmp_path: Path) -> None:
    path = tmp_path / "ada.csv"
    path.write_bytes(
        "\ufeffVote;ID;note\r\n Win ;a;x\r\nTIE;b;\r\n;c;later\r\nloss;a;\r\n".encode()
    )
    votes, problems = read_votes(path, {"a", "b", "c"})
    assert problems == []
    assert votes == {"a": VoteLabel("a", "loss"), "b": VoteLabel("b", "tie")}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("id,vote\na,won\n", r"line 2: vote must be one of win, tie, loss, got 'won'; did you"),
        ("id,vote\nz,win\n", r"line 2: id must be an example's of this run, got 'z'"),
        ("id,object\na,car\n", r"line 1: the columns must be id, vote \(and any others\)"),
    ],
)
def test_a_vote_that_is_none_is_named(tmp_path: Path, table: str, message: str) -> None:
    path = tmp_path / "ada.csv"
    path.write_text(table)
    with pytest.raises(ValueError, match=message):
        read_votes(path, {"a"})
