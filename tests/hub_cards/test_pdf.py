"""The report as a document: a PDF of text and vectors, the same bytes each time, offline."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typst
from answer_runs import answer_run, question_file
from cobsat import Verdict
from cobsat.cli import main
from cobsat.hub_cards import pdf
from cobsat.hub_cards.charts import Chart, Panel, Series
from cobsat.hub_cards.leaderboard import write_leaderboard
from cobsat.hub_cards.pdf import Code, Document, Facts, Figure, Items, Section, Table, Text
from cobsat.hub_cards.pdf_leaderboard import board_document
from cobsat.hub_cards.pdf_report import report_document
from cobsat.hub_cards.report import write_report
from cobsat.hub_cards.report_data import read_run
from cobsat.hub_cards.report_scores import Estimate

HOSTILE = '#panic("x") $x$ *b* _i_ @ref <a> `r` \\ [#sys.version] // \x00\u202e ' + "w" * 500
MakeRun = Callable[..., Path]


def chart(title: str = "Title", panels: int = 1) -> Chart:
    panel = Panel("P", ("color_i",), ((Estimate(0.5, 0.1, 9),),))
    return Chart("accuracy", title, "Note.", "rows", "Accuracy", (Series(title, 0),),
                 (panel,) * panels)  # fmt: skip


def everything(text: str) -> Document:
    """A document that has a text in every place."""
    blocks = (
        Text(text), Text(text, notice=True), Items((text, text)), Facts(((text, text),)),
        Table(text, (text, "n"), ((text, f"1\n{text}"),), 1, (0,)), Code(text.replace("`", "```")),
        Figure(chart(text)), Figure(chart(text)), Figure(chart(text, 2)),
    )  # fmt: skip
    return Document(text, text, (Section(text, blocks), Section("B", (Text("b"),), 2)))


def queried(document: Document, tmp_path: Path, selector: str) -> list[dict[str, Any]]:
    """What Typst made of a document."""
    (tmp_path / "report.typ").write_bytes(pdf._TEMPLATE.read_bytes())
    (tmp_path / "data.json").write_text(json.dumps(pdf._plain(document, tmp_path)))
    found = typst.query(str(tmp_path / "report.typ"), selector, root=str(tmp_path))
    return list(json.loads(found))


def test_a_run_has_a_document_beside_its_page(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run()
    assert main(["report", str(run), "--pdf", "--plots", "png"]) == 0
    assert capsys.readouterr().out.split() == [
        str(run / "report.html"), str(run / "report.pdf"),
    ]  # fmt: skip
    data = (run / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert b"/Subtype/Image" not in data.replace(b" ", b"")  # figures are vectors
    assert str(run.parent).encode() not in data
    assert {path.suffix for path in (run / "plots").iterdir()} == {".png", ".txt"}


def test_the_same_runs_give_the_same_bytes() -> None:
    assert pdf.typeset(everything("word")) == pdf.typeset(everything("word"))


def test_texts_of_others_are_never_markup(tmp_path: Path) -> None:
    assert pdf.typeset(everything(HOSTILE)).startswith(b"%PDF-")
    headings = queried(everything("#panic() $x$ *b*"), tmp_path, "heading")
    assert [heading["body"]["text"] for heading in headings] == ["#panic() $x$ *b*", "B"]
    assert not set(json.dumps(pdf._plain(everything(HOSTILE), tmp_path))) & set("\x00\u202e")


def test_figures_have_captions_and_words_in_their_place(tmp_path: Path) -> None:
    document = Document("t", "s", (Section("A", (Figure(chart()), Figure(chart("Other", 2)))),))
    images = queried(document, tmp_path, "image")
    said = "{0}: P. color_i, {0}: 50.0% (30.4 to 69.6)"
    other = said.format("Other")
    assert [image["alt"] for image in images] == [said.format("Title"), f"{other} {other}"]
    assert len(queried(document, tmp_path, "figure")) == 2


def test_says_scores_limits_and_how_to_reproduce(make_run: MakeRun) -> None:
    def judge(row: Any, prediction: Any, draw: Any) -> Verdict:
        right = int(row["id"][-1]) < 3
        return Verdict(row["id"], "scored", "car", "red", right, True)

    run = read_run(make_run(judge=judge))
    sections = {
        section.title: section.blocks for section in report_document([run], ["clip"]).sections
    }
    assert list(sections) == [
        "What was measured", "Scores by clip", "Figures by clip", "Limits", "Reproduce",
    ]  # fmt: skip
    means, tasks = (block for block in sections["Scores by clip"] if isinstance(block, Table))
    row = dict(zip(means.heads, means.rows[0], strict=True))
    assert row["Mean of"] == "all tasks"
    assert row["Accuracy"].split("\n")[0] == "30.0"  # 12 of 40 in either task
    assert row["Attribute"].split("\n")[0] == "100.0"
    assert tasks.heads == ("Run", "Shots", "color\n_i", "color\n_ii")
    assert [cell.split("\n")[0] for cell in tasks.rows[0]] == ["run", "2", "30.0", "30.0"]
    assert any(isinstance(b, Text) and "cannot be compared" in b.text
               for b in sections["Scores by clip"])  # fmt: skip
    names = [b.chart.name for b in sections["Figures by clip"] if isinstance(b, Figure)]
    assert names == ["accuracy", "fig6-textual-visual", "fig9-object-attribute"]
    said = sections["Figures by clip"][-1]
    assert isinstance(said, Text)
    assert all(words in said.text for words in ("Fig. 4", "Fig. 7", "Fig. 8"))
    (command,) = (block for block in sections["Reproduce"] if isinstance(block, Code))
    assert command.code.startswith("cobsat run --model copy --config color_i-2shot")
    (limits,) = (block for block in sections["Limits"] if isinstance(block, Items))
    assert any("the first 40 prompts" in limit for limit in limits.items)


def test_a_leaderboard_has_a_document_too(tmp_path: Path) -> None:
    questions = question_file(tmp_path / "questions.tsv", 6)
    run = answer_run(tmp_path / "tiny", questions, dict.fromkeys(range(1, 6), ((8, 9), (8, 9))))
    board, written = write_leaderboard([run], tmp_path / "board", plots=("svg",), pdf=True)
    assert written[-1] == tmp_path / "board" / "leaderboard.pdf"
    assert written[-1].read_bytes().startswith(b"%PDF-")
    sections = {part.title: part.blocks for part in board_document(board).sections}
    places = next(
        block for block in sections[f"Scores by {board.judge}"] if isinstance(block, Table)
    )
    row = dict(zip(places.heads, places.rows[0], strict=True))
    assert (row["Model"], row["Score"].split("\n")[0]) == ("tiny", "800.0")
    assert row["Scored"] == "5\nof 6"
    (limits,) = (block for block in sections["Limits"] if isinstance(block, Items))
    assert "tiny: 1 missing; such answers are in no score but the floor." in limits.items


def test_without_typst_the_way_to_install_it_is_named_at_once(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(limit=1)
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ImportError, match=r"pip install 'cobsat\[pdf\]'"):
        write_report([run], pdf=True)
    assert not (run / "report.html").exists()
