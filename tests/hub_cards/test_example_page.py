"""The page of one example in Chromium: what it shows, its address, its keys, its way back."""

import pytest
from cobsat import Prediction, Verdict
from cobsat.hub_cards.report import write_report
from report_pages import without_plots

TITLE = "document.getElementById('example-title').textContent"
PLACE = "document.getElementById('example-place').textContent"
BODY = "document.getElementById('example-body').innerText"
OVERVIEW_HIDDEN = "document.getElementById('overview').hidden"
FIRST = "color_i-2shot-test-0000"


def predict(folder, row, number):
    text = f"Seen in {row['id']}. " + "A long way down. " * 200
    return Prediction(row["id"], "ok", text=text, seconds=0.5)


def judge(row, prediction, draw):
    """Judges disagree now and then; every third is wrong for both."""
    number = int(row["id"][-4:])
    right = number % 3 != 0 and draw.random() < 0.6
    raw = {"object": {"reply": f"(reply {number}) <b>car</b>"}, "attribute": {"reply": "red"}}
    return Verdict(row["id"], "scored", "car", "red", right, True, raw=raw)


@pytest.fixture(scope="module")
def report(run_maker, tmp_path_factory):
    """Two runs of forty prompts of each of two tasks: pictures, and descriptions by two judges."""
    folder = tmp_path_factory.mktemp("example")
    images = run_maker(folder, "images")
    texts = run_maker(
        folder, "texts", output="description", predict=predict, judge=judge,
        judges=("clip", "mention"),
    )  # fmt: skip
    with without_plots():
        return write_report([images, texts], folder / "images" / "report.html")


def opened(browser, report, fragment=f"#example={FIRST}", **options):
    """Open an example by its address, and wait until all of it is there."""
    browser.open(report, fragment, **options)
    browser.until(TITLE, fragment.removeprefix("#example=").partition("&")[0])


def test_shows_the_prompt_all_outputs_and_all_replies(browser, report):
    opened(browser, report)
    assert browser.faults() == []
    assert browser.run(OVERVIEW_HIDDEN) is True
    said = browser.run(BODY)
    for words in (
        "Prompt of images", "Prompt of texts", "Based on the sequence, describe the next image.",
        "What is right", "2 outputs", f"Seen in {FIRST}.", "(reply 0) <b>car</b>", "clip",
        "mention", "seconds",
    ):  # fmt: skip
        assert words in said, words
    text = browser.run("document.querySelector('.whole .written.text').textContent")
    assert len(text) == len(predict(None, {"id": FIRST}, 0).text)  # whole, and not folded
    order = "[...document.querySelector('.parts').childNodes].map((node) => node.nodeName)"
    assert browser.run(order) == ["SPAN", "IMG", "SPAN", "IMG", "SPAN"]
    assert browser.run("document.title").startswith(f"{FIRST} \N{EN DASH} ")
    loaded = "[...document.images].filter((i) => i.checkVisibility() && !i.naturalWidth).length"
    assert browser.run(loaded) == 0


def test_the_run_s_own_picture_takes_its_thumbnail_s_place(browser, report):
    opened(browser, report)
    browser.until("document.querySelector('.whole .output img').src.startsWith('file:')")
    assert browser.run("document.querySelector('.whole .output img').naturalWidth") == 64
    assert browser.faults() == []


def test_a_page_alone_keeps_its_thumbnails(browser, report, tmp_path):
    alone = tmp_path / "sent.html"
    alone.write_bytes(report.read_bytes())
    opened(browser, alone)
    browser.run("new Promise((done) => setTimeout(done, 100))")
    source = "document.querySelector('.whole .output img').src"
    assert browser.run(source).startswith("data:image/webp")
    assert browser.run("document.querySelector('.whole .output img').naturalWidth") > 0


def test_an_address_keeps_filters_and_keys_stay_within_them(browser, report):
    opened(browser, report, f"#example={FIRST}&task=color_i&show=wrong&run=1")
    wrong = 40 - browser.run("chosen().byOutcome.get('right').length")
    assert browser.run(PLACE) == f"1 of {wrong} found"
    assert browser.run("document.getElementById('example-previous').disabled") is True
    second = browser.run("sequence()[1]")
    browser.press("ArrowRight")
    browser.until(TITLE, second)
    assert browser.run("location.hash") == f"#example={second}&run=1&task=color_i&show=wrong"
    assert browser.run(PLACE) == f"2 of {wrong} found"
    browser.press("k")
    browser.until(TITLE, FIRST)
    browser.press("ArrowLeft")
    assert browser.run("state.example") == FIRST
    browser.run("document.getElementById('example-next').click()")
    browser.until(TITLE, second)


def test_back_leads_to_the_place_one_came_from(browser, report):
    browser.open(report, "#page=2")
    browser.run("window.scrollTo(0, document.querySelectorAll('.card .id')[9].offsetTop + 700)")
    before = browser.run("scrollY")
    assert before > 500
    name = browser.run("document.querySelectorAll('.card .id')[9].textContent")
    browser.run("document.querySelectorAll('.card .id')[9].click()")
    browser.until(TITLE, name)
    assert browser.run("scrollY") == 0
    browser.press("ArrowRight")
    browser.press("Escape")
    browser.until(OVERVIEW_HIDDEN, False)
    assert browser.run("location.hash") == "#page=2"
    assert browser.run("scrollY") == before
    assert browser.run("document.getElementById('found').textContent") == "25 to 48 of 160"


def test_who_comes_by_an_address_goes_back_to_the_gallery(browser, report):
    opened(browser, report, f"#example={FIRST}&task=color_i")
    browser.press("Escape")
    browser.until(OVERVIEW_HIDDEN, False)
    assert browser.run("location.hash") == "#task=color_i"
    assert browser.run("document.querySelectorAll('.card').length") == 24


def test_enter_on_a_card_opens_it(browser, report):
    browser.open(report)
    for _ in range(3):
        browser.press("j")
    browser.press("k")
    browser.press("Enter")
    browser.until(TITLE, "color_i-2shot-test-0001")
    browser.run("history.back()")
    browser.until(OVERVIEW_HIDDEN, False)
    assert browser.run("document.activeElement.textContent") == "color_i-2shot-test-0001"


def test_sections_lead_out_of_an_example(browser, report):
    opened(browser, report)
    browser.run("document.querySelector('nav a').click()")
    browser.until(OVERVIEW_HIDDEN, False)
    assert browser.run("location.hash") == ""
    assert browser.run("document.title").startswith("copy")


def test_copies_its_id(browser, report):
    opened(browser, report, permissions=["clipboard-read", "clipboard-write"])
    browser.press("c")
    browser.until("document.getElementById('example-copy').textContent", "Copied")
    assert browser.run("navigator.clipboard.readText()") == FIRST


@pytest.mark.parametrize("name", ["nothing", "<img src=x onerror=hacked()>", "%00", "__proto__"])
def test_an_unknown_example_is_said_to_be_none(browser, report, name):
    browser.open(report, f"#example={name}")
    assert browser.run(TITLE) == "No such example"
    assert "has no example" in browser.run(BODY)
    assert browser.run("document.querySelectorAll('#example img').length") == 0
    assert browser.faults() == []


def test_fits_a_phone(browser, report):
    opened(browser, report, width=390, height=844, dark=True)
    assert browser.run("document.documentElement.scrollWidth") == 390


def test_an_older_browser_is_told_what_is_missing(browser, report):
    browser.open(report)
    browser.run("window.DecompressionStream = undefined")
    browser.run(f"show({{ example: '{FIRST}' }})")
    browser.until(TITLE, FIRST)
    said = browser.run(BODY)
    assert "could not be unpacked" in said
    assert "What is right" in said
    assert "2 outputs" in said


def test_prints_the_example(browser, report):
    opened(browser, report)
    browser.do(lambda page: page.emulate_media(media="print", color_scheme="dark"))
    shown = "getComputedStyle(document.querySelector('#example .pager')).display"
    assert browser.run(shown) == "none"
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
