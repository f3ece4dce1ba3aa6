"""`cobsat report`: what the page holds."""

from cobsat.hub_cards.report import write_report


def test_writes_one_page_and_its_plots(make_run):
    run = make_run()
    assert write_report([run]) == run / "report.html"
    assert {p.name for p in (run / "plots").iterdir()} == {
        "clip-accuracy.svg",
        "clip-textual-visual.svg",
        "clip-object-attribute.svg",
    }
