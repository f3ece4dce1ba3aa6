"""The leaderboard's page in a real Chromium: filters, keys, and words that would be code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from answer_runs import Rounds, answer_run, question_file
from cobsat import Prediction
from cobsat.hub_cards.leaderboard import write_leaderboard
from report_pages import without_plots

HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
    "\"'><a href=javascript:window.hacked=3>x</a> {{ 7 * 7 }} ${window.hacked=4} <!-- "
    "\x1b[31m \u202eesrever\u2066 \u2028 " + "w" * 3000
)


def same(answer: float, reference: float = 8) -> Rounds:
    return ((answer, reference), (answer - 1, reference))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on 20 questions; of the second, one answer failed and one has no marks."""
    folder = tmp_path_factory.mktemp("board")
    questions = question_file(folder / "questions.tsv", 20)
    good = {n: same(10 if n <= 12 else 6) for n in range(1, 21)}
    poor = {n: same(8.5 if n <= 4 else 3) for n in range(1, 21)} | {7: "no marks"}
    failed = Prediction("touchstone-9", "error", reason="out of memory")
    runs = [
        answer_run(folder / "good", questions, good),
        answer_run(folder / "poor", questions, poor, answers={9: failed}),
    ]
    with without_plots():
        return write_leaderboard(runs, folder / "board")[1][0]


def shown(browser: Any) -> list[str]:
    names: list[str] = browser.run(
        "[...document.querySelectorAll('.question .id')].map((a) => a.textContent)"
    )
    return names


def chips(browser: Any) -> dict[str, int]:
    return dict(
        browser.run(
            "[...document.querySelectorAll('.chip')].map((chip) => "
            "[chip.classList[1], Number(chip.querySelector('small').textContent)])"
        )
    )


def choose(browser: Any, name: str, value: str) -> None:
    browser.run(
        f"(() => {{ const box = document.querySelector('[name={name}]'); box.value = '{value}';"
        "box.dispatchEvent(new Event('change')); })()"
    )


def test_opens_from_disk_without_a_complaint(browser: Any, board: Path) -> None:
    browser.open(board)
    assert browser.faults() == []
    assert browser.run("document.querySelector('h1').textContent") == "2 models"
    assert shown(browser) == [f"touchstone-{n}" for n in range(1, 9)]
    assert browser.run("[...document.images].filter((i) => !i.naturalWidth).length") == 0
    assert browser.run("document.querySelectorAll('.question')[0].querySelectorAll('img').length")
    answers = browser.run("document.querySelectorAll('.question')[0].innerText")
    for words in ("Question 1?", "Reference 1.", "Answer 1.", "good", "poor", "win"):
        assert words in answers
    marks = "document.querySelectorAll('.question')[0].querySelector('table.marks').innerText"
    assert browser.run(marks).split() == [
        "answer", "reference", "reference", "first", "10", "8", "answer", "first", "9", "8",
    ]  # fmt: skip


def test_filters_by_outcome_model_category_and_subtask(browser: Any, board: Path) -> None:
    browser.open(board)
    # any model: a question is where one of them won; 9.5 beats 8 on 12, 8.0 ties on 4
    assert chips(browser) == {
        "all": 20, "win": 12, "tie": 4, "loss": 20 - 4 - 2, "unscored": 1, "failed": 1,
    }  # fmt: skip
    choose(browser, "model", "1")
    assert chips(browser) == {
        "all": 20, "win": 0, "tie": 4, "loss": 14, "unscored": 1, "failed": 1,
    }  # fmt: skip
    browser.run("document.querySelector('.chip.failed').click()")
    assert shown(browser) == ["touchstone-9"]
    assert "out of memory" in browser.run("document.querySelector('.answers').innerText")
    assert browser.run("document.querySelectorAll('.answered').length") == 1
    browser.run("document.querySelector('.chip.all').click()")
    choose(browser, "category", "storytelling")
    assert shown(browser) == ["touchstone-5", "touchstone-10", "touchstone-15", "touchstone-20"]
    choose(browser, "subtask", "chart analysis")
    assert shown(browser) == []
    assert browser.run("document.getElementById('found').textContent") == "No question matches."
    assert browser.run("location.hash") == "#model=1&category=storytelling&subtask=chart+analysis"
    browser.open(board, "#subtask=chart+analysis&show=win")
    assert shown(browser) == ["touchstone-3", "touchstone-8"]


def test_links_of_the_tables_show_their_questions(browser: Any, board: Path) -> None:
    browser.open(board)
    browser.run("document.querySelector('a[href=\"#category=comprehension\"]').click()")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert len(shown(browser)) == 4
    browser.run("document.querySelectorAll('.question .id')[1].click()")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert shown(browser) == ["touchstone-8"]


def test_search_and_pages(browser: Any, board: Path) -> None:
    browser.open(board, "#q=annotation+1")
    assert len(shown(browser)) == 8
    assert browser.run("document.getElementById('found').textContent") == "1 to 8 of 11 questions"
    browser.press("ArrowRight")
    assert len(shown(browser)) == 3
    browser.press("/")
    assert browser.run("document.activeElement.name") == "q"


def test_the_table_sorts_by_any_column(browser: Any, board: Path) -> None:
    browser.open(board)
    browser.run("window.table = document.querySelector('table.board')")
    names = "[...table.tBodies[0].rows].map((row) => row.cells[1].dataset.value)"
    press = "table.tHead.rows[0].cells[2].querySelector('button').click()"
    assert browser.run(names) == ["good", "poor"]
    browser.run(press)
    assert browser.run(names) == ["good", "poor"]
    browser.run(press)
    assert browser.run(names) == ["poor", "good"]


def test_fits_a_phone_and_has_a_dark_side(browser: Any, board: Path) -> None:
    browser.open(board, width=390, height=844, dark=True)
    assert browser.run("document.documentElement.scrollWidth") == 390
    color = "getComputedStyle(document.body).backgroundColor"
    dark = browser.run(color)
    browser.run("document.getElementById('theme').click()")
    assert browser.run(color) == "rgb(255, 255, 255)" != dark


@pytest.mark.slow  # tests/test_hostile_text.py has a page of each kind in every run
def test_hostile_words_are_only_words(browser: Any, tmp_path: Path) -> None:
    questions = question_file(tmp_path / "q.tsv", 5, word=HOSTILE)
    marks: dict[int, Any] = {n: same(9) for n in range(1, 5)} | {5: HOSTILE}
    options = {"model": HOSTILE, "model_options": {"checkpoint": HOSTILE, HOSTILE: HOSTILE}}
    record = {"model": HOSTILE, HOSTILE: HOSTILE}
    runs = [
        answer_run(
            tmp_path / name, questions, marks, word=HOSTILE, record=record,
            answers={2: Prediction("touchstone-2", "error", reason=HOSTILE)}, **options,
        )
        for name in ("<b onclick=hacked()>", "${7*7} {{ 7*7 }}")
    ]  # fmt: skip
    page = write_leaderboard(runs, tmp_path / "board")[1][0]
    for width in (1280, 390):
        browser.open(page, width=width, height=900)
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert browser.faults() == []
        assert browser.run("typeof window.hacked") == "undefined"
        assert browser.run("document.documentElement.scrollWidth") == width
        assert len(shown(browser)) == 5
    strange = (
        'document.querySelectorAll(\'img:not([src^="data:image/webp;base64,"]), [onclick], '
        "[onerror], [onload], iframe, a[href^=javascript]').length"
    )
    assert browser.run(strange) == 0
    text = browser.run("document.body.innerText")
    assert not set(text) & set("\x1b\u202e\u2066\u2028")
    assert r"\x1b[31m \u202eesrever" in text
    assert browser.run("document.querySelectorAll('script').length") == 3
