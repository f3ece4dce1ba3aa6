"""`cobsat report`: the page as a whole, its files, and which runs it refuses."""

import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from cobsat import RunFolder
from cobsat.cli import main
from cobsat.hub_cards.report import write_report
from cobsat.run_folder import write_json
from PIL import Image
from report_pages import Page


@pytest.mark.usefixtures("no_plots")
def test_says_what_ran(make_run):
    run = make_run(seed=7, prompt_type="misleading")
    page = Page(write_report([run]))
    digest = RunFolder(run).settings().image_digest
    for words in (
        "copy",
        "misleading prompts",
        "test split",
        "pictures of the folder squares",
        "judged by clip",
        digest[:16],
    ):
        assert page.says(words), words
    for words in ("color_i-2shot, color_ii-2shot", "cobsat 0.1.0", "tiny", "torch 2.14"):
        assert page.says(words), words


@pytest.mark.usefixtures("no_plots")
def test_says_for_whom_the_instructions_are(make_run):
    run = make_run(limit=1, output="description", instructions_for="llava")
    assert Page(write_report([run])).says("instructions for llava")
    neutral = make_run("neutral", limit=1, output="description")
    assert not Page(write_report([neutral])).says("instructions for")
    both = Page(write_report([run, neutral]))
    assert both.says("instructions for llava and instructions for neutral")


def test_asks_no_network_and_lets_no_script_in(make_run):
    page = Page(write_report([make_run()]))
    assert "default-src 'none'" in page.policy
    assert "img-src data: 'self' file:;" in page.policy
    assert re.search(r"script-src 'sha256-[^']+'", page.policy)
    assert all(address.startswith("#") for address in page.addresses)
    assert not re.search(r"https?://(?!www\.w3\.org/)", page.source)


def test_writes_plots_as_svg_and_png(make_run):
    run = make_run()
    write_report([run])
    names = ("clip-accuracy", "clip-fig6-textual-visual", "clip-fig9-object-attribute")
    assert {path.name for path in (run / "plots").iterdir()} == {
        *(f"{name}.{form}" for name in names for form in ("svg", "png")), "clip-captions.txt",
    }  # fmt: skip
    for name in names:
        root = ElementTree.parse(run / "plots" / f"{name}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        with Image.open(run / "plots" / f"{name}.png") as picture:
            picture.verify()


def test_is_the_same_for_the_same_run(make_run):
    run = make_run()
    first = write_report([run]).read_bytes()
    assert write_report([run]).read_bytes() == first


def test_out_is_written_elsewhere_and_its_pictures_are_addressed_from_there(make_run, tmp_path):
    run = make_run(limit=1)
    out = write_report([run], tmp_path / "elsewhere" / "page.html", plots=("svg",))
    data = Page(out).blocks[0]
    address = data["strings"][data["outputs"][0][5]]
    assert address.startswith("./../run/images/")
    assert (out.parent / address).is_file()
    assert (out.parent / "page-plots" / "clip-accuracy.svg").is_file()
    assert not (run / "report.html").exists()


def test_plots_lie_in_the_run_or_are_named_after_their_report(make_run, tmp_path):
    """Reports side by side keep their own plots; `plots/` is a run's own."""
    one, two = make_run("one", limit=2), make_run("two", limit=2)
    for runs, out in (
        ([one], one / "report.html"),
        ([one, two], tmp_path / "one.html"),
        ([two], tmp_path / "report.html"),
        ([two], two / "again.html"),
    ):
        write_report(runs, out, plots=("svg",))
    found = {path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.svg")}
    assert found == {"one/plots", "one-plots", "report-plots", "two/again-plots"}
    bars = {
        name: (tmp_path / name / "clip-accuracy.svg").read_text("utf-8").count("two")
        for name in ("one-plots", "report-plots")
    }
    assert bars["one-plots"] > bars["report-plots"] == 0


@pytest.mark.usefixtures("no_plots")
def test_broken_lines_are_counted(make_run):
    run = make_run()
    path = run / "predictions.jsonl"
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], b"{broken", *lines[2:]]))
    page = Page(write_report([run]))
    assert page.says("1 broken line was left out (predictions.jsonl, line 2:")
    assert page.says("Partial: 1 of 80 examples have no prediction")


def test_refuses_runs_on_different_pictures(make_run, pictures, tmp_path):
    first = make_run("first")
    other = make_run("second")
    settings = RunFolder(other).settings()
    changed = replace(settings, images="official", image_digest="abc" * 20)
    write_json(other / "run.json", vars(changed))
    with pytest.raises(ValueError, match=r"same pictures, got .*first and official \(abcabcabcabc"):
        write_report([first, other])
    assert not (first / "report.html").exists()


def test_refuses_one_run_twice_and_none(make_run):
    run = make_run()
    with pytest.raises(ValueError, match="twice"):
        write_report([run, run.parent / "." / run.name])
    with pytest.raises(ValueError, match="got none"):
        write_report([])


def test_refuses_a_folder_in_place_of_a_file(make_run, tmp_path):
    with pytest.raises(ValueError, match="out must be a file"):
        write_report([make_run()], tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"groups": [{}], "means": []}',
        '{"groups": 3, "means": []}',
        '{"groups": [{"task": "color_i", "shots": 2, "object": {"value": "high"}}], "means": []}',
    ],
)
def test_scores_that_are_none_say_so(make_run, text):
    run = make_run()
    (run / "scores" / "clip.json").write_text(text)
    with pytest.raises(ValueError, match=r"clip\.json must hold the scores that `cobsat judge`"):
        write_report([run])


@pytest.mark.usefixtures("no_plots")
def test_the_command_gives_one_clear_line(make_run, tmp_path, capsys):
    run = make_run()
    assert main(["report", str(run)]) == 0
    assert capsys.readouterr().out.strip() == str(run / "report.html")
    shutil.rmtree(run / "scores")
    assert main(["report", str(run)]) == 2
    error = capsys.readouterr().err
    assert f"cobsat judge {run}" in error
    assert error.strip().count("\n") == 0
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert "must be a run folder" in capsys.readouterr().err
