"""The report in a real Chromium: filters, tables, keys, tabs."""

import json

import pytest
from cobsat import THEMES, RunFolder, Verdict
from cobsat.hub_cards.report import write_report
from report_pages import without_plots

pytestmark = pytest.mark.usefixtures("no_plots")


@pytest.fixture(scope="module")
def report(run_maker, tmp_path_factory):
    """Forty prompts of each of two tasks, and two judges that do not agree."""
    run = run_maker(tmp_path_factory.mktemp("run"), judges=("clip", "mention"))
    with without_plots():
        return write_report([run])


def shown(browser):
    return browser.run("[...document.querySelectorAll('.card .id')].map((a) => a.textContent)")


def found(browser):
    return browser.run("document.getElementById('found').textContent")


def outcomes(browser):
    return dict(
        browser.run(
            "[...document.querySelectorAll('.chip')].map((chip) => "
            "[chip.classList[1], Number(chip.querySelector('small').textContent)])"
        )
    )


def scores_of(report, judge="clip"):
    data = json.loads((report.parent / "scores" / f"{judge}.json").read_text())
    return data["groups"]


def test_opens_from_disk_without_a_complaint(browser, report):
    browser.open(report)
    assert browser.faults() == []
    assert browser.run("document.querySelector('h1').textContent") == "copy"
    assert len(shown(browser)) == 24
    assert browser.run("[...document.images].every((image) => image.complete)")
    assert browser.run("[...document.images].filter((image) => !image.naturalWidth).length") == 0


def test_outcomes_agree_with_the_scores(browser, report):
    browser.open(report)
    counted, groups = outcomes(browser), scores_of(report)
    right = round(sum(g["accuracy"]["value"] * g["accuracy"]["n"] for g in groups))
    unscored = sum(g["unscored"] for g in groups)
    assert counted == {
        "all": 80, "right": right, "wrong": 80 - right - unscored, "unscored": unscored,
        "failed": 0,
    }  # fmt: skip
    browser.run("document.querySelector('.chip.unscored').click()")
    assert len(shown(browser)) == unscored
    assert browser.run("location.hash") == "#show=unscored"


def test_where_the_judge_failed_there_is_a_chip(browser, make_run):
    def judge(row, prediction, draw):
        if int(row["id"][-1]) % 5 == 0:
            return Verdict(row["id"], "error", reason="timed out")
        return Verdict(row["id"], "scored", "car", "red", True, True)

    browser.open(write_report([make_run(judge=judge)]))
    assert outcomes(browser) == {
        "all": 80, "right": 64, "wrong": 0, "unscored": 0, "failed": 0, "judge-failed": 16,
    }  # fmt: skip
    browser.run("document.querySelector('.chip.judge-failed').click()")
    assert len(shown(browser)) == 16
    said = browser.run("document.querySelector('.card').innerText")
    assert "the judge failed" in said
    assert "timed out" in said
    assert browser.faults() == []


def test_filters_come_from_the_address_and_go_into_it(browser, report):
    browser.open(report, "#task=color_ii&show=right&page=1")
    assert shown(browser)
    assert all(name.startswith("color_ii-") for name in shown(browser))
    assert browser.run("document.querySelectorAll('.card:not(.right)').length") == 0
    browser.run(
        "const task = document.querySelector('[name=task]'); task.value = 'color_i';"
        "task.dispatchEvent(new Event('change'))"
    )
    assert all(name.startswith("color_i-") for name in shown(browser))
    assert browser.run("location.hash") == "#task=color_i&show=right"
    browser.run("document.querySelector('tbody a[href*=color_ii]').click()")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert found(browser) == "1 to 24 of 40"


def choices(browser, name):
    """Return what can be chosen; nothing where the choice is not shown."""
    return browser.run(
        f"(() => {{ const field = document.querySelector('[name={name}]');"
        "return field.checkVisibility() ? [...field.options].map((one) => one.text) : []; })()"
    )


def choose(browser, name, value):
    browser.run(
        f"(() => {{ const field = document.querySelector('[name={name}]'); field.value = '{value}';"
        "field.dispatchEvent(new Event('change')); })()"
    )


def test_there_is_no_choice_where_all_is_alike(browser, make_run):
    run = make_run(configs=["color_i-2shot"], limit=3)
    browser.open(write_report([run]))
    names = ("run", "task", "shots", "type", "judges")
    assert [choices(browser, name) for name in names] == [[]] * 5
    other = make_run("other", configs=["color_ii-4shot"], limit=3, prompt_type="misleading")
    browser.open(write_report([run, other]))
    assert {name: choices(browser, name)[1:] for name in names} == {
        "run": ["run", "other"], "task": ["color_i", "color_ii"], "shots": ["2", "4"],
        "type": ["default", "misleading"], "judges": [],
    }  # fmt: skip
    choose(browser, "type", "misleading")
    assert browser.run("location.hash") == "#type=misleading"
    assert shown(browser) == [f"color_ii-4shot-test-{number:04d}" for number in range(3)]
    browser.run("document.getElementById('clear').click()")
    assert browser.run("location.hash") == ""
    assert found(browser) == "1 to 6 of 6"
    assert browser.run("document.getElementById('clear').hidden") is True


def test_finds_where_judges_disagree(browser, make_run):
    def judge(row, prediction, draw):
        if draw.random() < 0.3:
            return Verdict(row["id"], "unscored", reason="unclear")
        return Verdict(row["id"], "scored", "car", "red", draw.random() < 0.5, True)

    run = make_run(configs=["color_i-2shot"], limit=12, judges=("clip", "mention"), judge=judge)
    said = {
        name: {
            i: (verdict.status, verdict.object_correct)
            for i, verdict in RunFolder(run).verdicts(name)[0].items()
        }
        for name in ("clip", "mention")
    }
    both = [i for i in said["clip"] if said["clip"][i][0] == said["mention"][i][0] == "scored"]
    differ = [i for i in both if said["clip"][i] != said["mention"][i]]
    assert 0 < len(differ) < len(both) < 12
    browser.open(write_report([run]), "#judges=differ")
    assert shown(browser) == differ
    choose(browser, "judges", "agree")
    assert shown(browser) == [i for i in both if i not in differ]


def test_text_search_finds_prompts_and_answers(browser, report):
    browser.open(report, "#q=color_i-2shot-test-0007")
    assert shown(browser) == ["color_i-2shot-test-0007"]
    browser.run(
        "const box = document.querySelector('[name=q]'); box.value = 'no such thing';"
        "box.dispatchEvent(new Event('input'));"
        "new Promise((done) => setTimeout(done, 250))"
    )
    assert found(browser) == "No example matches."
    assert browser.run("document.querySelectorAll('.card').length") == 0


def test_pages_turn_by_key_and_by_button(browser, report):
    browser.open(report)
    first = shown(browser)
    browser.press("ArrowRight")
    assert found(browser) == "25 to 48 of 80"
    assert not set(first) & set(shown(browser))
    browser.run("document.getElementById('next').click()")
    browser.run("document.getElementById('next').click()")
    assert found(browser) == "73 to 80 of 80"
    browser.press("ArrowRight")
    assert found(browser) == "73 to 80 of 80"
    browser.press("ArrowLeft")
    assert browser.run("location.hash") == "#page=3"
    browser.press("/")
    assert browser.run("document.activeElement.name") == "q"
    browser.press("ArrowRight")  # belongs to the box now
    assert browser.run("location.hash") == "#page=3"


def test_each_judge_shows_its_scores_and_its_answers(browser, report):
    browser.open(report)
    before = outcomes(browser)
    browser.run("document.querySelector('[role=tab][data-judge=\"1\"]').click()")
    visible = "[...document.querySelectorAll('section.judge')].map((section) => !section.hidden)"
    assert browser.run(visible) == [False, True]
    assert outcomes(browser) != before
    assert browser.run("location.hash") == "#judge=mention"
    groups = scores_of(report, "mention")
    right = round(sum(g["accuracy"]["value"] * g["accuracy"]["n"] for g in groups))
    assert outcomes(browser)["right"] == right


def test_the_table_sorts_by_any_column(browser, report):
    browser.open(report)
    browser.run("window.table = document.querySelector('table')")
    column = "[...table.tBodies[1].rows].map((row) => row.cells[{}].dataset.value)"
    press = "table.tHead.rows[0].cells[{}].querySelector('button').click()"
    values = [float(value) for value in browser.run(column.format(3))]
    browser.run(press.format(3))
    assert [float(v) for v in browser.run(column.format(3))] == sorted(values, reverse=True)
    browser.run(press.format(3))
    assert [float(v) for v in browser.run(column.format(3))] == sorted(values)
    browser.run(press.format(0))
    assert browser.run(column.format(0)) == ["color_i", "color_ii"]


def test_groups_sort_with_the_lines_in_them(browser, make_run):
    runs = [make_run("a"), make_run("b", judge=lambda row, *_: Verdict(
        row["id"], "scored", "car", "red", row["task"] == "color_ii", True))]  # fmt: skip
    browser.open(write_report(runs))
    browser.run("window.table = document.querySelector('table')")
    press = "table.tHead.rows[0].cells[{}].querySelector('button').click()"
    rows = (
        "[...table.tBodies].filter((body) => !body.classList.contains('means')).map((body) => "
        "[...body.rows].map((row) => row.cells[0].innerText.split(',')[0].trim()))"
    )
    assert browser.run(rows) == [["color_i", "a", "b"], ["color_ii", "a", "b"]]
    browser.run(press.format(2))  # b has 0 and 100%
    assert browser.run(rows) == [["color_ii", "b", "a"], ["color_i", "a", "b"]]
    assert browser.run("table.tHead.rows[0].cells[2].ariaSort") == "descending"
    browser.run(press.format(2))
    assert browser.run(rows) == [["color_i", "b", "a"], ["color_ii", "a", "b"]]
    browser.run(press.format(0))
    assert browser.run(rows) == [["color_i", "a", "b"], ["color_ii", "a", "b"]]
    means = "[...table.tBodies].map((body) => body.classList.contains('means'))"
    assert browser.run(means) == [True] * 3 + [False] * 2


def test_tables_scroll_in_their_own_box_with_the_names_in_sight(browser, make_run):
    runs = [make_run("first", limit=3, samples=2), make_run("second", limit=3)]
    report = write_report(runs)
    browser.open(report, width=1200)
    box = "document.querySelector('.scroll')"
    assert browser.run(f"{box}.scrollWidth - {box}.clientWidth") == 0  # no column is cut
    browser.open(report, width=390, height=844)
    assert browser.run(f"{box}.scrollWidth - {box}.clientWidth") > 100
    browser.run(f"{box}.scrollLeft = 300")
    left = f"{box}.querySelector('tbody th[scope=row]').getBoundingClientRect().left"
    assert browser.run(f"{left} - {box}.getBoundingClientRect().left") <= 1
    assert browser.run("document.documentElement.scrollWidth") == 390


def test_a_question_mark_lists_the_keys(browser, report):
    browser.open(report)
    browser.press("?")
    assert browser.run("document.getElementById('keys').open") is True
    assert "copy its id" in browser.run("document.getElementById('keys').innerText")
    browser.press("ArrowRight")  # nothing is turned beneath
    browser.press("Escape")
    assert browser.run("document.getElementById('keys').open") is False
    assert browser.run("location.hash") == ""
    color = "getComputedStyle(document.body).backgroundColor"
    before = browser.run(color)
    browser.press("t")
    browser.press("t")
    assert browser.run(color) != before
    browser.run("document.getElementById('help').click()")
    assert browser.run("document.getElementById('keys').open") is True


def test_fits_a_phone_and_has_a_dark_side(browser, report):
    browser.open(report, width=390, height=844, dark=True)
    assert browser.run("document.documentElement.scrollWidth") == 390
    color = "getComputedStyle(document.body).backgroundColor"
    dark = browser.run(color)
    browser.run("document.getElementById('theme').click()")
    assert browser.run(color) == "rgb(255, 255, 255)" != dark


def test_samples_of_a_prompt_are_seen_together(browser, make_run):
    browser.open(write_report([make_run(limit=20, samples=3)]))
    assert found(browser) == "1 to 24 of 120 outputs"
    names = shown(browser)
    assert names == [f"color_i-2shot-test-{number:04d}" for number in range(8) for _ in range(3)]
    said = browser.run(
        "[...document.querySelectorAll('.card .of')].map((span) => span.firstChild.textContent)"
    )
    assert said == [f"sample {number} of 3" for number in (1, 2, 3)] * 8
    # the copies of a picture are all alike, and so is what the judge's majority says of them, or no
    votes = "[...document.querySelectorAll('.card')].map((c) => c.querySelectorAll('.vote').length)"
    assert set(browser.run(votes)) == {0, 1}
    assert browser.faults() == []


def test_pictures_of_later_blocks_are_filled_in(browser, make_run):
    """The script runs before the pictures' blocks are there: what it shows is filled in."""
    tasks = [f"{theme}_{kind}" for kind in ("i", "ii") for theme in THEMES]
    report = write_report([make_run(configs=[f"{task}-8shot" for task in tasks], limit=12)])
    assert report.read_text().count('id="thumbnails-') == 2
    browser.open(report, "#page=5")
    assert found(browser) == "97 to 120 of 120"
    browser.run("Promise.all([...document.images].map((image) => image.decode()))")
    assert browser.run("[...document.images].filter((i) => !i.naturalWidth).length") == 0
    assert browser.run("document.images.length") >= 24 * 10
