"""`cobsat label` on TouchStone's runs: blind pairs over real HTTP, and by keys in Chromium."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answer_runs import answer_run, question_file
from cobsat import Prediction, RunFolder
from cobsat.cli import main
from cobsat.metrics.label_answers import Pair, disputed_ids, open_session
from cobsat.metrics.label_server import open_server, page_address
from cobsat.metrics.label_session import Session
from cobsat.metrics.label_table import labels_path
from cobsat.metrics.label_votes import VoteLabel, add_votes, read_votes
from cobsat.metrics.touchstone_agreement import Vote

HOSTILE = "</p><img src=x onerror='window.hacked = 1'><script>window.hacked = 2</script>"
EVEN = ((7.0, 7.0), (7.0, 7.0))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return question_file(tmp_path / "questions.tsv", word=HOSTILE)


@pytest.fixture
def runs(tmp_path: Path, questions: Path) -> list[Path]:
    """Two runs of ten answers; of the second one failed, and one is empty."""
    failed = Prediction("touchstone-9", "error", reason="no")
    return [
        answer_run(tmp_path / "first", questions, {1: EVEN}, model="secret-model", word=HOSTILE),
        answer_run(
            tmp_path / "second", questions, model="other-model", answers={5: " ", 9: failed},
            word=f" of the second{HOSTILE}",
        ),
    ]  # fmt: skip


class Page:
    """A running server, and a client."""

    def __init__(self, session: Session[Pair]) -> None:
        self.session = session
        self.server = open_server(session)
        self.port = self.server.server_address[1]
        self.address = page_address(self.server)
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self._thread.start()

    def ask(self, path: str, vote: Any = None) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            here = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
            body = None if vote is None else json.dumps(vote)
            method = "GET" if vote is None else "POST"
            connection.request(method, f"/{self.server.secret}/{path}", body, here)
            answer = connection.getresponse()
            return answer.status, str(answer.headers), answer.read()
        finally:
            connection.close()

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@pytest.fixture
def page(runs: list[Path]) -> Iterator[Page]:
    opened = Page(open_session(runs, "ada"))
    yield opened
    opened.close()


def votes_of(run: Path, person: str = "ada") -> dict[str, Vote]:
    folder = RunFolder(run)
    votes, problems = read_votes(labels_path(folder, person), folder.predictions()[0])
    assert problems == []
    return {name: label.vote for name, label in votes.items()}


def vote(run: Path, person: str, votes: dict[int, Vote]) -> None:
    path = labels_path(RunFolder(run), person)
    add_votes(path, [VoteLabel(f"touchstone-{n}", said) for n, said in votes.items()])


def test_all_runs_have_the_same_questions_mixed_and_what_says_nothing_is_left_out(
    runs: list[Path],
) -> None:
    session = open_session(runs, "ada", sample=6, seed=3)
    asked = [(pair.path.parent.parent.name, pair.answer.id) for pair in session.items]
    of_first = {name for run, name in asked if run == "first"}
    of_second = {name for run, name in asked if run == "second"}
    assert len(of_first) == 6
    assert of_second == of_first - {"touchstone-5", "touchstone-9"}
    assert [run for run, _ in asked] != sorted(run for run, _ in asked)
    # first categories: recognition 4, comprehension, description and storytelling 2 each of ten;
    # six of them: quotas 2.4 and three times 1.2, the largest remainder is recognition's
    first = Counter(
        p.answer.question.categories[0] for p in session.items if "first" in str(p.path)
    )
    assert first == {"recognition": 3, "comprehension": 1, "description": 1, "storytelling": 1}
    alone = open_session(runs[:1], "bob", sample=6, seed=3)
    assert {pair.answer.id for pair in alone.items} == of_first
    record = json.loads(labels_path(RunFolder(runs[1]), "ada").with_suffix(".json").read_text())
    assert record == {
        "person": "ada", "seed": 3, "sample": 6, "questions": 6, "disputed": False,
    }  # fmt: skip


def test_the_order_is_drawn_for_each_answer_and_person(tmp_path: Path) -> None:
    run = answer_run(tmp_path / "run", question_file(tmp_path / "many.tsv", 120))
    orders = {
        person: [pair.model_left for pair in open_session([run], person, seed=0).items]
        for person in ("ada", "bob")
    }
    assert orders["ada"] != orders["bob"]
    for order in orders.values():
        assert 35 <= sum(order) <= 85  # of 120 fair coins, surely
    again = open_session([run], "ada")
    assert [pair.model_left for pair in again.items] == orders["ada"]


def test_nothing_tells_which_answer_is_whose(page: Page, runs: list[Path]) -> None:
    sent = [page.ask("")[2].decode()]
    for number, pair in enumerate(page.session.items):
        _, headers, data = page.ask(f"item/{number}")
        item = json.loads(data)
        assert set(item) == {
            "number", "question", "left", "right", "pictures", "said", "done", "of", "next",
        }  # fmt: skip
        model, reference = pair.answer.text, pair.answer.question.reference_answer
        assert [item["left"], item["right"]] == (
            [model, reference] if pair.model_left else [reference, model]
        )
        assert item["pictures"] == 1
        status, picture_headers, picture = page.ask(f"picture/{number}/0")
        assert status == 200
        assert picture.startswith(b"\x89PNG")
        sent += [headers, picture_headers, str({**item, "left": "", "right": "", "question": ""})]
    everything = "\n".join(sent)
    for secret in ("secret-model", "other-model", "touchstone-", "gpt-4", str(runs[0].parent),
                   "Annotation", "model_left"):  # fmt: skip
        assert secret not in everything


def test_a_vote_is_the_model_s_whichever_side_it_stood_on(page: Page, runs: list[Path]) -> None:
    wanted: dict[tuple[str, str], Vote] = {}
    for number, pair in enumerate(page.session.items):
        side = ("left", "tie", "right")[number % 3]
        status, _, data = page.ask("answer", {"number": number, "vote": side})
        assert status == 200
        assert json.loads(data)["done"] == number + 1
        said: Vote = "tie" if side == "tie" else "loss"
        if side == ("left" if pair.model_left else "right"):
            said = "win"
        wanted[pair.path.parent.parent.name, pair.answer.id] = said
    found = {(run.name, name): said for run in runs for name, said in votes_of(run).items()}
    assert found == wanted
    assert len(found) == 18
    assert set(found.values()) == {"win", "tie", "loss"}
    again = open_session(runs, "ada")
    assert again.progress() == {"done": 18, "of": 18, "next": 18}
    sides = [again.item(number)["said"]["vote"] for number in range(18)]
    assert sides == [("left", "tie", "right")[number % 3] for number in range(18)]


def test_what_is_no_vote_is_refused(page: Page, runs: list[Path]) -> None:
    for said in ({"number": 0, "vote": "win"}, {"number": 0, "vote": ["left"]}, {"number": 0},
                 {"number": 99, "vote": "left"}, {"number": "0", "vote": "left"},
                 {"vote": "left"}, ["left"], "left"):  # fmt: skip
        assert page.ask("answer", said)[0] == 400
    for path in ("item/18", "picture/0", "picture/0/1", "picture/18/0", "picture/0/0/0",
                 "picture/0/-1", "item/" + "9" * 5000):  # fmt: skip
        assert page.ask(path)[0] == 404
    assert votes_of(runs[0]) == votes_of(runs[1]) == {}


def test_an_answer_that_changed_is_asked_about_again(runs: list[Path]) -> None:
    session = open_session(runs[:1], "ada")
    for number in range(10):
        session.answer(number, {"vote": "tie"})
    target = runs[0] / "predictions.jsonl"
    target.write_text(target.read_text().replace("Answer 4.", "Another answer."))
    again = open_session(runs[:1], "ada")
    assert again.progress()["done"] == 9
    assert again.items[again.progress()["next"]].answer.id == "touchstone-4"


def test_the_fourth_sees_what_three_have_no_majority_about(runs: list[Path]) -> None:
    with pytest.raises(ValueError, match=r"must have votes of three people .*, got 0"):
        open_session(runs, "dan", disputed=True)
    for person, said in (("ada", "win"), ("bob", "tie"), ("cyd", "loss")):
        votes: dict[int, Vote] = {1: "win", 2: said, 3: "tie" if said == "loss" else said}  # type: ignore[dict-item]
        for run in runs:
            vote(run, person, votes)
    add_votes(labels_path(RunFolder(runs[1]), "cyd"), [VoteLabel("touchstone-2", "tie")])
    assert disputed_ids(RunFolder(runs[0]), ["touchstone-1", "touchstone-2"]) == {"touchstone-2"}
    assert disputed_ids(RunFolder(runs[0]), ["touchstone-1"]) == set()
    session = open_session(runs, "dan", disputed=True)
    asked = [(pair.path.parent.parent.name, pair.answer.id) for pair in session.items]
    assert asked == [("first", "touchstone-2")]
    session.answer(0, {"vote": "left"})
    # the fourth's vote makes none of the first three's, and a second fourth sees the same
    assert len(open_session(runs, "eve", disputed=True).items) == 1
    with pytest.raises(ValueError, match=r"person must be one who has not voted on the disputed"):
        open_session(runs, "dan")
    with pytest.raises(ValueError, match=r"one who has not voted on all, without --disputed"):
        open_session(runs, "fay") and open_session(runs, "fay", disputed=True)


def test_mistakes_are_told(runs: list[Path], tmp_path: Path) -> None:
    open_session(runs[:1], "ada", seed=5)
    assert open_session(runs, "ada").progress()["of"] == 18  # the seed that one run has
    with pytest.raises(ValueError, match=r"seed must be that of the labels in .* \(5\), got 6"):
        open_session(runs, "ada", seed=6)
    other = answer_run(tmp_path / "third", question_file(tmp_path / "other.tsv", 4))
    with pytest.raises(ValueError, match="runs must have been asked the same questions"):
        open_session([runs[0], other], "bob")
    (runs[1] / "predictions.jsonl").write_text("")
    with pytest.raises(ValueError, match=r"must hold answers to vote on, got none"):
        open_session(runs[1:], "bob")


def test_cobsat_s_runs_are_labelled_one_at_a_time(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from cobsat import RunSettings

    for name in ("a", "b"):
        RunFolder(tmp_path / name).start(RunSettings("copy", ("color_i-2shot",)))
    both = [str(tmp_path / name) for name in ("a", "b")]
    assert main(["label", *both, "--no-browser"]) == 2
    assert "must be labelled by itself, as CoBSAT's runs are, got 2 runs" in capsys.readouterr().err
    assert main(["label", both[0], "--disputed", "--no-browser"]) == 2
    assert main(["label", str(runs[0]), both[0], "--no-browser"]) == 2
    assert "must be a run of TouchStone, got one of CoBSAT" in capsys.readouterr().err


# --- in a browser ----------------------------------------------------------------------------

COUNT = "document.getElementById('count').textContent"
READY = "!busy && progress.of > 0"
CHOSEN = "[...document.querySelectorAll('[aria-pressed=true]')].map((b) => b.dataset.vote)"


def wait(browser: Any, script: str, wanted: Any) -> None:
    end = time.monotonic() + 20
    while (got := browser.run(script)) != wanted:
        assert time.monotonic() < end, (script, got, wanted)
        time.sleep(0.02)


def press(browser: Any, *keys: str) -> None:
    for key in keys:
        wait(browser, READY, True)
        browser.press(key)
    wait(browser, READY, True)


def test_a_person_votes_with_the_keyboard(browser: Any, page: Page, runs: list[Path]) -> None:
    browser.open(page.address)
    wait(browser, COUNT, "0 of 18")
    wait(browser, READY, True)
    first = page.session.items[0].shown()
    for part in ("question", "left", "right"):
        assert browser.run(f"document.getElementById('{part}').textContent") == first[part]
        assert HOSTILE in first[part]
    assert browser.run("document.querySelector('#pictures img').naturalWidth") == 48
    press(browser, "4", "0", "u")  # no votes
    assert browser.run(COUNT) == "0 of 18"
    press(browser, "1", "2", "3")
    assert browser.run(COUNT) == "3 of 18"
    assert sum(len(votes_of(run)) for run in runs) == 3
    press(browser, "ArrowLeft")
    assert browser.run(CHOSEN) == ["right"]
    press(browser, "Backspace")
    assert browser.run(COUNT) == "3 of 18, looking at 2"
    press(browser, "1")  # another mind; on to the next
    assert browser.run(COUNT) == "3 of 18, looking at 3"
    assert page.session.item(1)["said"] == {"vote": "left"}
    press(browser, "ArrowRight", *["2"] * 15)
    wait(browser, COUNT, "18 of 18")
    assert browser.run("document.getElementById('finished').hidden") is False
    assert browser.faults() == []
    assert browser.run("typeof window.hacked") == "undefined"


def test_fits_a_phone_and_says_what_cannot_be_read(
    browser: Any, tmp_path: Path, questions: Path
) -> None:
    import base64

    from cobsat.touchstone.question_file import COLUMNS
    from cobsat.touchstone.tsv import read_table, write_table

    rows = [dict(row.cells) for row in read_table(questions, COLUMNS)]
    rows[0]["image"] = base64.b64encode(b"<svg onload='alert(1)'/>").decode()
    write_table(questions, COLUMNS, rows[:1])
    run = answer_run(tmp_path / "run", questions, word=" long" * 800)
    opened = Page(open_session([run], "ada"))
    try:
        browser.open(opened.address, width=390, height=844, dark=True)
        wait(browser, COUNT, "0 of 1")
        wait(browser, READY, True)
        assert browser.run("document.documentElement.scrollWidth") == 390
        assert browser.run("document.querySelectorAll('#pictures img').length") == 0
        said = browser.run("document.getElementById('pictures').textContent")
        assert said == "This picture cannot be read: its file is missing or broken."
        names = "[...document.querySelectorAll('button, img, progress')].every((e) => "
        assert browser.run(names + "(e.textContent || e.alt || e.ariaLabel || '').trim())") is True
        browser.run("document.querySelector('[data-vote=tie]').click()")
        wait(browser, COUNT, "1 of 1")
        assert votes_of(run) == {"touchstone-1": "tie"}
    finally:
        opened.close()
