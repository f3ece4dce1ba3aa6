"""Words that would like to be code, in every field and every view of the report, in Chromium."""

import json

import pytest
from cobsat import Prediction, Verdict
from cobsat.hub_cards.report import write_report
from cobsat.run_folder import write_json

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror=\"window.hacked = 2\"><svg onload='window.hacked = 3'>",
    "\"'><a href=javascript:window.hacked=4>x</a> {{ 7 * 7 }} {% raw %} ${window.hacked=5} <!--",
    "# heading\n| a | b |\n|---|---|\n[x](javascript:window.hacked=6) ![y](https://example.com/y)",
    "\x00\x07\x1b[31m\x7f\x9b \u202eesrever\u2066 \u2028 \ufeff \ud800 \udfff",
    "w" * 10_000,
    "Z" + "\u0301" * 300 + "ﷺ" * 200,
)

STRANGE = (
    'document.querySelectorAll(\'img:not([src^="data:image/webp;base64,"]), [onclick], '
    "[onerror], [onload], iframe, a[href^=javascript]').length"
)


@pytest.mark.slow  # tests/test_hostile_text.py has a page of each kind in every run
def test_hostile_text_is_only_text(browser, make_run):
    def predict(folder, row, number):
        text = HOSTILE[number % len(HOSTILE)].encode("utf-8", "replace").decode()
        status = ["ok", "error", "blocked"][number % 3]
        extra = {text: text, "deep": {text: {text: [text, {text: text}]}}}
        return Prediction(
            row["id"], status, text=text, reason=text, image=text[:100], finish_reason=text,
            usage={text: text}, extra=extra,
        )  # fmt: skip

    def judge(row, prediction, draw):
        text = prediction.text
        raw = {text: text, "object": {"reply": text}, "list": [text] * 3}
        return Verdict(row["id"], "unscored", text, text, False, None, reason=text, raw=raw)

    run = make_run(
        "run <b onclick=hacked()>", limit=21, output="description", predict=predict, judge=judge,
        model=HOSTILE[0] + HOSTILE[1], model_options={HOSTILE[1]: [HOSTILE[2], {"x": HOSTILE[3]}]},
        versions={HOSTILE[2]: HOSTILE[0]},
    )  # fmt: skip
    lines = (run / "predictions.jsonl").read_text().strip("\n").split("\n")
    lines = [json.loads(line) for line in lines]
    for number, line in enumerate(lines):  # as a file may have them, escapes of halves and all
        line["text"] = HOSTILE[number % len(HOSTILE)]
    (run / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores = json.loads((run / "scores" / "clip.json").read_text())
    for number, group in enumerate(scores["groups"]):
        group["task"] = f"{HOSTILE[number]}_i"
    scores["judge"] = {HOSTILE[0]: HOSTILE[1], "long": HOSTILE[5]}
    scores["problems"] = list(HOSTILE)
    write_json(run / "scores" / "clip.json", scores)
    write_json(run / "scores" / "<img src=x onerror=hacked()>.json", scores)  # no judge's name

    other = make_run("other", limit=3, output="description")
    page = write_report([run, other])
    for width, height in ((1280, 900), (390, 844)):
        browser.open(page, width=width, height=height)
        assert browser.faults() == []
        assert browser.run("typeof window.hacked") == "undefined"
        assert browser.run("document.documentElement.scrollWidth") == width
        assert browser.run("document.querySelectorAll('.card').length") == 24
    assert browser.run(STRANGE) == 0
    said = browser.run("document.querySelectorAll('.card .written')[0].textContent")
    assert said == HOSTILE[0]
    assert "hacked" in browser.run("document.querySelector('h1').textContent")
    text = browser.run("document.body.innerText")
    assert not set(text) & set("\x00\x07\x1b\x7f\x9b\u202e\u2066\ud800")
    assert r"\x1b[31m\x7f\x9b \u202eesrever" in text
    blocks = "document.querySelectorAll('script:not([type])').length"
    assert browser.run(blocks) == 1

    for number in range(len(HOSTILE)):
        name = f"color_i-2shot-test-{number:04d}"
        width = (1280, 390)[number % 2]
        browser.open(page, f"#example={name}&q=a", width=width)
        browser.until("document.getElementById('example-title').textContent", name)
        assert browser.faults() == []
        assert browser.run("typeof window.hacked") == "undefined"
        assert browser.run("document.documentElement.scrollWidth") == width
        assert browser.run(STRANGE) == 0
        said = browser.run("document.getElementById('example-body').innerText")
        assert not set(said) & set("\x00\x07\x1b\x7f\x9b\u202e\u2066\ud800")
        reply = browser.run("document.querySelector('.judged .raw dd').textContent")
        assert number > 3 or reply == HOSTILE[number]


@pytest.mark.usefixtures("no_plots")
def test_addresses_that_would_be_code_are_only_words(browser, make_run):
    browser.open(write_report([make_run(limit=2)]))
    names = ("example", "q", "task", "show", "judge", "page", "type", "judges", "run", "theme")
    for hostile in HOSTILE[:4]:
        for name in names:
            browser.run(f"location.hash = new URLSearchParams([[{name!r}, {json.dumps(hostile)}]])")
            assert browser.run(STRANGE) == 0, (name, hostile)
    assert browser.faults() == []
    assert browser.run("typeof window.hacked") == "undefined"
