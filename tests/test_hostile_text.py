"""Pages, cards, plots and documents of runs in which every word is hostile, held to plain ones.

Whatever a model, a judge or a file may fill is filled from a seed (`hostile_text.py`), field by
field as the data classes name them; the same runs with plain words say what a page may be made of.
"""

from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from card_makers import RECORD
from cobsat import Prediction, RunFolder, RunSettings, Verdict
from cobsat.hub_cards.card import write_card
from cobsat.hub_cards.leaderboard import write_leaderboard
from cobsat.hub_cards.publish_kinds import _report_card
from cobsat.hub_cards.report import write_report
from cobsat.metrics import label_answers, label_outputs
from cobsat.metrics.label_server import open_server, page_address
from cobsat.models.conversion_card import write_card as write_conversion_card
from cobsat.train.sft_card import write_card as write_training_card
from hostile_pages import Made, in_browser, in_drawing, read_card
from hostile_runs import cobsat_run, hostile_folder, questions, tamed, touchstone_run
from hostile_text import KINDS, Hostile, filled, on_one_line, poisoned, spelt, tame

SEEDS = (101, 202)
NEVER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
WIDTH = 1200


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, picture_folder: Path) -> list[Path]:
    """A run of descriptions and one of pictures."""
    base = tmp_path_factory.mktemp("hostile")
    images = hostile_folder(base / "images", Hostile(SEEDS[0]), picture_folder)
    outputs = ("description", "image")
    return [cobsat_run(base, images, s, output=o) for s, o in zip(SEEDS, outputs, strict=True)]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, runs: list[Path]) -> list[Path]:
    """The same runs in plain words."""
    base = tmp_path_factory.mktemp("plain")
    return [
        tamed(run, base, f"run {number} of a name as long as others have one")
        for number, run in enumerate(runs)
    ]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs on a file of questions."""
    base = tmp_path_factory.mktemp("answers")
    file = questions(base / f"{Hostile(1).name()}.tsv", SEEDS[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [touchstone_run(base, file, seed) for seed in SEEDS]


def shown(text: str, most: int = 300) -> str:
    """Return how a text, or its beginning, must read on a page."""
    return on_one_line(spelt(text[:most]))


@pytest.mark.parametrize("kind", [Prediction, Verdict, RunSettings])
def test_every_field_is_filled_with_every_kind_of_text(kind: type) -> None:
    source = Hostile(0)
    for _ in range(40):
        each = filled(kind, source)
        assert all(getattr(each, f.name) is not None for f in fields(kind))
    assert source.dealt == set(KINDS)


def settled(browser: Any, width: int) -> None:
    """Check what no page may do, whatever it holds."""
    assert browser.faults() == []
    assert browser.run("typeof window.hacked") == "undefined"
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert not NEVER.search(browser.run("document.body.innerText"))


def test_report_pages(browser: Any, runs: list[Path], plain: list[Path], tmp_path: Path) -> None:
    names = list(RunFolder(runs[0]).predictions()[0])
    made, page = {}, write_report(plain, plain[0].parent / "plain.html", plots=())
    for width in (WIDTH, 390):
        browser.open(page, width=width)
        made[width] = in_browser(browser)
        made[width] = made[width].and_of(_of_examples(browser, names[:8], width))
    overview = write_report(runs, runs[0].parent / "report.html", plots=())
    for width in (WIDTH, 390):
        browser.open(overview, width=width)
        settled(browser, width)
        assert in_browser(browser).foreign(made[width]) == set()
        if width == WIDTH:
            _gallery_says(browser, runs[0])
        seen = names[::3] if width == WIDTH else names[1::8]
        assert _of_examples(browser, seen, width, runs).foreign(made[width]) == set()


def _gallery_says(browser: Any, run: Path) -> None:
    """Check that every description of a run stands in the gallery, character by character."""
    said = browser.run("[...document.querySelectorAll('.card .written')].map((e) => e.textContent)")
    texts = [p.text or "" for p in RunFolder(run).predictions()[0].values() if p.status == "ok"]
    assert len(texts) == 12
    found = {on_one_line(text) for text in said}
    for text in texts:
        whole = spelt(text[:2000])
        whole += f"… [{len(text) - 2000:,} more characters]" if len(text) > 2000 else ""
        assert on_one_line(whole) in found, repr(text)


def _of_examples(
    browser: Any, names: list[str], width: int, runs: list[Path] | None = None
) -> Made:
    """Return what the pages of examples are made of; of hostile runs, check what they say."""
    made = Made()
    answers = [
        (folder.predictions()[0], folder.verdicts("clip")[0])
        for folder in map(RunFolder, runs or ())
    ]
    for name in names:
        browser.run(f"location.hash = 'example={name}'")
        browser.until("document.getElementById('example-title').textContent", name)
        made = made.and_of(in_browser(browser))
        if not answers:
            continue
        settled(browser, width)
        said = on_one_line(browser.run("document.getElementById('example-body').textContent"))
        for predictions, verdicts in answers:
            prediction, verdict = predictions[name], verdicts[name]
            for text in (prediction.text, prediction.reason, verdict.reason):
                assert (
                    shown(text or "") in said
                    or (text == prediction.reason and prediction.status == "ok")
                    or (text == verdict.reason and verdict.status == "scored")
                ), repr(text)
    return made


def test_leaderboard_page(browser: Any, boards: list[Path], tmp_path: Path) -> None:
    _, written = write_leaderboard(boards, tmp_path / "board", plots=())
    plain = _plain_boards(boards, tmp_path)
    made, pages = {}, write_leaderboard(plain, tmp_path / "plain", plots=())[1]
    for width in (WIDTH, 390):
        browser.open(pages[0], width=width)
        made[width] = in_browser(browser)
    for width in (WIDTH, 390):
        browser.open(written[0], width=width)
        settled(browser, width)
        assert in_browser(browser).foreign(made[width]) == set()
    said = on_one_line(browser.run("document.body.textContent"))
    for run in boards:
        for prediction in RunFolder(run).predictions()[0].values():
            assert prediction.status != "ok" or shown(prediction.text or "") in said
    for path in written:
        if path.suffix in (".md", ".csv"):
            text = path.read_text("utf-8")
            assert not NEVER.search(text)
            if path.suffix == ".md":
                ours = read_card(f"---\n{{}}\n---\n{text}")
                theirs = (tmp_path / "plain" / path.name).read_text("utf-8")
                assert ours.made.foreign(read_card(f"---\n{{}}\n---\n{theirs}").made) == set()


def _plain_boards(boards: list[Path], base: Path) -> list[Path]:
    return [tamed(run, base, f"board {n} of a name as long") for n, run in enumerate(boards)]


@contextmanager
def served(session: Any) -> Iterator[str]:
    """Serve a page to label on, and give its address."""
    server = open_server(session)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield page_address(server)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_label_pages(
    browser: Any, runs: list[Path], plain: list[Path], boards: list[Path], tmp_path: Path
) -> None:
    plain_boards = _plain_boards(boards, tmp_path)
    rater = "ada <b>\u202e"
    pages = [
        (label_outputs.open_session(RunFolder(plain[0]), rater),
         label_outputs.open_session(RunFolder(runs[0]), rater), 5),
        (label_answers.open_session(plain_boards, rater),
         label_answers.open_session(boards, rater), 6),
    ]  # fmt: skip
    for tame_session, hostile_session, count in pages:
        with served(tame_session) as address:
            browser.open(address, width=WIDTH)
            browser.do(lambda page: page.wait_for_load_state("networkidle"))
            made = in_browser(browser)
        with served(hostile_session) as address:
            browser.open(address, width=WIDTH)
            browser.do(lambda page: page.wait_for_load_state("networkidle"))
            for _ in range(count):
                settled(browser, WIDTH)
                assert in_browser(browser).foreign(made) == set()
                browser.press("1")
                browser.press("1")
                browser.do(lambda page: page.wait_for_load_state("networkidle"))


def held(path: Path, theirs: Path) -> None:
    """Check a card against the same one in plain words."""
    source = path.read_text("utf-8")
    assert not NEVER.search(source)
    ours, plain = read_card(source), read_card(theirs.read_text("utf-8"))
    assert ours.data.keys() == plain.data.keys()
    assert ours.made.foreign(plain.made) == set()
    assert ours.ragged == []


def test_model_cards(runs: list[Path], plain: list[Path], tmp_path: Path) -> None:
    for number, (run, other) in enumerate(zip(runs, plain, strict=True)):
        out = tmp_path / str(number) / "README.md"
        write_card([run], out)
        write_card([other], tmp_path / f"plain {number}" / "README.md")
        held(out, tmp_path / f"plain {number}" / "README.md")
        assert "evil" not in json.dumps(read_card(out.read_text("utf-8")).data["tags"])


def test_answers_card(boards: list[Path], tmp_path: Path) -> None:
    write_card([boards[0]], tmp_path / "README.md")
    write_card(_plain_boards(boards, tmp_path)[:1], tmp_path / "plain" / "README.md")
    held(tmp_path / "README.md", tmp_path / "plain" / "README.md")


def test_plots_and_documents(runs: list[Path], plain: list[Path], tmp_path: Path) -> None:
    write_report(runs, tmp_path / "ours.html", plots=("svg",), pdf=True)
    write_report(plain, tmp_path / "theirs.html", plots=("svg",))
    drawings = sorted((tmp_path / "ours-plots").glob("*.svg"))
    assert drawings
    for drawing in drawings:
        theirs = tmp_path / "theirs-plots" / drawing.name
        made = in_drawing(drawing.read_bytes())
        assert made.foreign(in_drawing(theirs.read_bytes())) == set()
        assert not NEVER.search(drawing.read_text("utf-8"))
    assert (tmp_path / "ours.pdf").read_bytes().startswith(b"%PDF-")


def test_cards_of_files(tmp_path: Path) -> None:
    """The cards of a training, a conversion and a report: records of files, and folders' names."""
    source = Hostile(SEEDS[1])
    kept = ("use_peft", "images", "dataset_train_split", "sha256", "bytes", "system")
    name = source.name()
    files = [{"name": name, "sha256": "a" * 64, "bytes": 3}]
    conversion = {
        "system": "gill", "sources": files, "files": files, "left_out": ["w", "v"],
        "versions": {"torch": "2"},
    }  # fmt: skip
    record = poisoned(RECORD, source, kept)
    record["model"]["model_name_or_path"] = name  # longer ones are no folder's and no model's
    conversion = poisoned(conversion, source, kept)
    for where, of, converted, title in (
        ("ours", record, conversion, name),
        ("plain", RECORD, tame(conversion), "plain"),
    ):
        folder = tmp_path / where
        for kind in ("tuned", "converted"):
            (folder / kind).mkdir(parents=True)
        results = {"steps": 5, title: title}
        write_training_card(folder / "tuned", of, results)
        write_conversion_card(folder / "converted", title, converted)
        (folder / "report").mkdir()
        card = _report_card("org/report", [tmp_path / title])
        (folder / "report" / "README.md").write_text(card, encoding="utf-8")
    for kind in ("tuned", "converted", "report"):
        held(tmp_path / "ours" / kind / "README.md", tmp_path / "plain" / kind / "README.md")
