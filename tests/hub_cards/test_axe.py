"""What axe finds in the pages, in a real Chromium, in light and dark: nothing."""

from __future__ import annotations

import pytest
from answer_runs import answer_run, question_file
from cobsat import Prediction, Verdict
from cobsat.hub_cards.leaderboard import write_leaderboard
from cobsat.hub_cards.report import write_report
from cobsat.samples import split_sample_id


def predict(folder, row, number):
    """Some outputs fail, one is empty, one is long."""
    status = ["ok", "ok", "error", "blocked"][number % 4]
    text = ["A red car.", "", "A car. " * 100][number % 3]
    return Prediction(row["id"], status, text=text, reason=None if status == "ok" else "no")


def judge(row, prediction, draw):
    """Right, wrong, unclear and failing by turns, each with a reply."""
    number, sample = int(split_sample_id(row["id"])[0][-4:]), split_sample_id(row["id"])[1]
    raw = {"object": {"reply": "3. car", "mass": 0.98}, "attribute": {"reply": "red"}}
    if number % 5 == 0:
        return Verdict(row["id"], "error", reason="timed out")
    if number % 5 == 1:
        return Verdict(row["id"], "unscored", "car", None, True, None, reason="unclear", raw=raw)
    right = draw.random() < 0.5 or sample > 1
    return Verdict(row["id"], "scored", "car", "red", right, True, raw=raw)


@pytest.fixture(scope="module")
def pages(run_maker, tmp_path_factory):
    """The report of a run, one of three, and a leaderboard."""
    folder = tmp_path_factory.mktemp("pages")
    one = run_maker(folder, "one", limit=5)
    texts = {"output": "description", "predict": predict, "judge": judge}
    several = [
        one,
        run_maker(folder, "texts", limit=5, judges=("clip", "mention"), **texts),
        run_maker(folder, "samples", limit=3, samples=3, prompt_type="misleading", **texts),
    ]
    questions = question_file(folder / "questions.tsv", 12)
    marks = {number: ((9, 8), (7 + number % 3, 8)) for number in range(1, 13)} | {7: "no marks"}
    failed = {9: Prediction("touchstone-9", "error", reason="out of memory")}
    answers = [
        answer_run(folder / "good", questions, marks),
        answer_run(folder / "poor", questions, marks, answers=failed),
    ]
    return {
        "one": write_report([one]),
        "several": write_report(several, folder / "several.html"),
        "board": write_leaderboard(answers, folder / "board")[1][0],
    }


@pytest.mark.parametrize(
    ("page", "fragment", "width", "dark"),
    [
        ("one", "", 1200, True),
        ("several", "", 1200, False),
        ("several", "#show=wrong", 390, True),
        ("one", "#example=color_i-2shot-test-0003", 390, False),
        ("several", "#example=color_ii-2shot-test-0002", 1200, True),
        ("board", "", 1200, False),
        ("board", "#show=win", 390, True),
    ],
)
def test_nothing_keeps_anybody_from_using_a_page(browser, pages, page, fragment, width, dark):
    browser.open(pages[page], fragment, width=width, dark=dark)
    browser.run("new Promise((done) => setTimeout(done, 100))")
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.violations() == ""
    assert browser.faults() == []


def test_nor_from_using_the_list_of_keys(browser, pages):
    browser.open(pages["one"])
    browser.press("?")
    assert browser.run("document.getElementById('keys').open") is True
    assert browser.violations() == ""
