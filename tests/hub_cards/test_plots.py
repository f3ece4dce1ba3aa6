"""Plots as files and on pages: marks to scale, words that nothing escapes from, the same bytes."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from cobsat.hub_cards import plots
from cobsat.hub_cards.charts import Chart, Kind, Panel, Series, Value, described, written
from cobsat.hub_cards.plots import chart_files, formats_of, key_svg, panel_svgs, write_plots
from cobsat.hub_cards.plots_draw import draw
from cobsat.hub_cards.plots_page import drawings
from cobsat.hub_cards.plots_style import HUE_COLORS, NAMES, wrapped
from cobsat.hub_cards.report_scores import Estimate
from cobsat.hub_cards.whisker import whisker_svg
from matplotlib.text import Text
from PIL import Image

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
KINDS: tuple[Kind, ...] = ("rows", "lines", "points", "radar")
HOSTILE = "$x^2$<script>x</script>&\x00\u202e日本 " + "w" * 10_000


def chart(
    *values: tuple[Value | None, ...],
    kind: Kind = "rows",
    groups: tuple[str, ...] | None = None,
    names: tuple[str, ...] | None = None,
    title: str = "P",
    chance: float | None = 0.1,
    panels: int = 1,
) -> Chart:
    """A chart of one row of values a group."""
    groups = groups or tuple(f"task_{number}" for number in range(len(values)))
    names = names or tuple(f"s{number}" for number in range(len(values[0])))
    panel = Panel(title, groups, values, values if kind == "points" else ())
    return Chart(
        name="accuracy", title="Title", note="Note.", kind=kind, value_label="Accuracy",
        series=tuple(Series(name, hue % 6) for hue, name in enumerate(names)),
        panels=(panel,) * panels, chance=chance, group_label="Shots",
    )  # fmt: skip


def estimate(value: float | None, error: float | None = 0.05) -> Estimate:
    return Estimate(value, error, 100)


def svg_of(drawn: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(chart_files(drawn)["svg"])


def words(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def place_of_tick(root: ElementTree.Element, word: str) -> float:
    """Where the number below a horizontal axis stands."""
    found = [text for text in root.iter(f"{SVG}text") if text.text == word]
    return min(float(t.get("x", "")) for t in found if "middle" in t.get("style", ""))


def marks(root: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """What marks say and where they stand."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        said = group.find(f"{SVG}title")
        if said is not None:
            (use,) = group.iter(f"{SVG}use")
            found[str(said.text)] = (float(use.get("x", "")), float(use.get("y", "")))
    return found


def ends(root: ElementTree.Element) -> list[tuple[float, ...]]:
    """The numbers of all strokes from one point to another."""
    paths = (path.get("d", "") for path in root.iter(f"{SVG}path"))
    numbers = (tuple(map(float, re.findall(r"-?[\d.]+", path))) for path in paths)
    return [found for found in numbers if len(found) == 4]


def test_marks_and_whiskers_are_to_scale() -> None:
    # The interval of 0.4 with a standard error of 0.05 is 0.302 to 0.498: the axis ends at 0.5.
    drawn = chart((estimate(0.4),))
    assert drawn.top == 0.5
    root = svg_of(drawn)
    nought, half = place_of_tick(root, "0"), place_of_tick(root, "50")
    (mark,) = marks(root).values()
    assert mark[0] == pytest.approx(place_of_tick(root, "40"), abs=0.01)

    def across(value: float) -> float:
        return nought + (half - nought) * value / 0.5

    strokes = [(x1, x2) for x1, y1, x2, y2 in ends(root) if y1 == y2 == pytest.approx(mark[1])]
    assert any(pair == pytest.approx((across(0.302), across(0.498)), abs=0.02) for pair in strokes)
    upright = [x1 for x1, _, x2, _ in ends(root) if x1 == x2]
    assert any(x == pytest.approx(across(0.1), abs=0.02) for x in upright)  # chance


def test_lines_rise_with_their_values() -> None:
    values = ((estimate(0.2),), (estimate(0.4),), (estimate(0.8),))
    root = svg_of(chart(*values, kind="lines", groups=("2", "4", "8")))
    heights = [y for _, y in marks(root).values()]
    assert heights == sorted(heights, reverse=True)  # upwards is less
    assert heights[0] - heights[1] == pytest.approx((heights[1] - heights[2]) / 2, abs=0.02)


def test_points_stand_where_both_judges_put_them() -> None:
    one = chart((estimate(0.2, None),), (estimate(0.6, None),), kind="points", chance=None)
    root = svg_of(one)
    places = list(marks(root).values())
    assert places[0][0] == pytest.approx(place_of_tick(root, "20"), abs=0.01)
    assert (places[1][0] - places[0][0]) == pytest.approx(places[0][1] - places[1][1], abs=0.01)


def test_a_radar_puts_the_first_axis_above_and_the_others_clockwise() -> None:
    values = tuple((estimate(share, None),) for share in (1.0, 0.5, 0.5, 0.5))
    root = svg_of(chart(*values, kind="radar", groups=("up", "right", "down", "left"), chance=None))
    up, right, down, left = marks(root).values()
    middle = ((left[0] + right[0]) / 2, (left[1] + right[1]) / 2)
    assert up[0] == pytest.approx(middle[0], abs=0.01)
    assert middle[1] - up[1] == pytest.approx(2 * (right[0] - middle[0]), abs=0.02)
    assert down[1] - middle[1] == pytest.approx(right[0] - middle[0], abs=0.02)


def test_nought_is_a_mark_and_nothing_is_none() -> None:
    root = svg_of(chart((estimate(0.0, 0.0), estimate(None, None), None)))
    assert list(marks(root)) == ["task_0, s0: 0.0% (0.0 to 0.0)"]


def test_says_what_it_shows() -> None:
    drawn = chart((estimate(0.9, None),))
    root = svg_of(drawn)
    for word in ("P", "Accuracy (%)", "s0", "task_0", "chance (10%)", "0", "100"):
        assert word in words(root), word
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert (title.tag, title.text) == (f"{SVG}title", "Title")
    assert description.tag == f"{SVG}desc"
    assert described(drawn, drawn.panels[0]) in str(description.text)
    assert described(drawn, drawn.panels[0]) == "Title: P. task_0, s0: 90.0%"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("panels", [1, 4])
def test_no_label_leaves_the_picture(kind: Kind, panels: int) -> None:
    """Neither of a file nor, of one panel, of a page."""
    long = "org--a-model-of-a-very-long-name/with_no_space_to_break_it_at-checkpoint-{}"
    drawn = chart(
        *[(estimate(0.99, 0.01),) * 5] * 5, kind=kind, panels=panels, title=long.format("panel"),
        groups=("short", "recognition", *(f"{number} {'wide words ' * 5}" for number in range(3))),
        names=tuple(long.format(number) for number in range(5)),
    )  # fmt: skip
    with plots._styled():
        figure = (
            draw(drawn, drawn.panels, plots.chart_inches(drawn), legend=True)
            if panels > 1
            else draw(drawn, drawn.panels, plots.PAGE_WIDTH, legend=False)
        ).figure
        figure.draw_without_rendering()
        page = figure.bbox
        texts = [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]
        assert len(texts) > 7 * panels
        for text in texts:
            box = text.get_window_extent()
            assert box.x0 >= page.x0 - 0.5, text.get_text()
            assert box.x1 <= page.x1 + 0.5, text.get_text()
            assert box.y0 >= page.y0 - 0.5, text.get_text()
            assert box.y1 <= page.y1 + 0.5, text.get_text()


def test_names_that_differ_at_their_end_are_told_apart() -> None:
    names = tuple(f"{'the-same-beginning-' * 4}{number}" for number in range(3))
    shown = [word for word in words(svg_of(chart((estimate(0.5),) * 3, names=names)))
             if word.startswith("the-same")]  # fmt: skip
    assert [word[-1] for word in shown] == ["0", "1", "2"]
    assert wrapped("short", 10) == "short"
    assert max(map(len, wrapped("w" * 99 + " end", 10).split("\n"))) <= 10


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_only_text(kind: Kind) -> None:
    drawn = chart(*[(estimate(0.5),)] * 3, kind=kind, groups=(HOSTILE, "b", "c"), names=(HOSTILE,),
                  title=HOSTILE)  # fmt: skip
    root = svg_of(drawn)
    assert not list(root.iter(f"{SVG}script"))
    assert not set("".join(root.itertext())) & set("\x00\u202e")
    assert any(word.startswith("$x^2$<") for word in words(root))  # no formula
    for svg in (*panel_svgs(drawn, "p"), key_svg(drawn, drawn.series[0], "k")):
        assert "<script" not in svg


def test_a_name_without_glyphs_is_drawn_as_boxes_without_a_warning() -> None:
    drawn = chart((estimate(0.5),), groups=(HOSTILE,), names=(HOSTILE,))
    assert all(chart_files(drawn, plots.FORMATS).values())


def test_the_same_chart_gives_the_same_bytes_whatever_the_settings() -> None:
    drawn = chart((estimate(0.4), estimate(0.6)))
    first = chart_files(drawn, plots.FORMATS)
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path"}):
        plots._chart_file.cache_clear()
        assert chart_files(drawn, plots.FORMATS) == first
    assert dict(matplotlib.rcParams) == before
    assert re.search(rb"20\d\d-\d\d-\d\d|CreationDate", first["svg"] + first["pdf"]) is None


def test_files_have_the_width_of_a_papers_column_or_of_two(tmp_path: Path) -> None:
    for panels, inches in ((1, 3.3), (2, 7.0)):
        data = chart_files(chart((estimate(0.4),), panels=panels), ("png", "svg"))
        (tmp_path / "plot.png").write_bytes(data["png"])
        with Image.open(tmp_path / "plot.png") as picture:
            assert picture.width == round(200 * inches)
        root = ElementTree.fromstring(data["svg"])
        assert float(root.get("viewBox", "").split()[2]) == pytest.approx(72 * inches)


def test_on_a_page_a_plot_takes_the_pages_colours_and_ids_of_its_own() -> None:
    charts = [chart((estimate(0.4), estimate(0.6)), kind=kind) for kind in KINDS[:3]]
    shown = drawings(charts, "a") + drawings(charts, "b")
    svgs = [str(svg) for one in shown for svg in (*one.panels, *(key for key, _ in one.keys))]
    ids = [name for svg in svgs for name in re.findall(r'\bid="([^"]+)"', svg)]
    assert ids
    assert len(ids) == len(set(ids))
    for svg in svgs:
        assert "style" not in svg  # the page's policy lets no such attribute in
        assert not re.findall(r"#[0-9a-f]{6}\b", svg)
        used = re.findall(r'(?:href="|url\()#([^")]+)', svg)
        assert set(used) == set(re.findall(r'\bid="([^"]+)"', svg))
        ElementTree.fromstring(svg)
    root = ElementTree.fromstring(svgs[0])
    assert root.get("role") == "img"
    assert root.get("aria-label") == described(charts[0], charts[0].panels[0])
    style = (Path(plots.__file__).parent / "templates" / "report.css").read_text("utf-8")
    for color in NAMES.values():
        assert f"{color.removeprefix('var(').removesuffix(')')}:" in style, color


def test_the_pages_light_colours_are_the_files() -> None:
    style = (Path(plots.__file__).parent / "templates" / "report.css").read_text("utf-8")
    light = re.findall(r"--h\d: light-dark\((#\w+),", style)
    assert tuple(light) == HUE_COLORS


def test_small_panels_stand_in_one_picture_a_row() -> None:
    many = chart((estimate(0.4),), kind="lines", panels=12)
    wide = Chart(**{**many.__dict__, "columns": 6})
    assert len(panel_svgs(wide, "p")) == 2
    assert len(panel_svgs(many, "p")) == 12


def test_plots_are_written_with_captions_and_old_ones_go(tmp_path: Path) -> None:
    for name in ("clip-fig6-textual-visual.svg", "clip-mine.svg", "llava-accuracy.svg"):
        (tmp_path / name).write_text("old")
    written = write_plots(tmp_path, "clip", [chart((estimate(0.4),))], ("svg", "pdf"))
    assert {path.name for path in written} == {
        "clip-accuracy.svg", "clip-accuracy.pdf", "clip-captions.txt",
    }  # fmt: skip
    assert {path.name for path in tmp_path.iterdir()} == {
        *(path.name for path in written), "clip-mine.svg", "llava-accuracy.svg",
    }  # fmt: skip
    said = (tmp_path / "clip-captions.txt").read_text("utf-8")
    assert said == ("clip-accuracy: Title. Note. Whiskers: 95% intervals. Dotted: chance, 10%.\n")


def test_formats_are_named() -> None:
    assert formats_of([]) == ("svg", "png")
    assert formats_of(["pdf", "svg", "pdf"]) == ("svg", "pdf")
    with pytest.raises(ValueError, match="plots must be one of svg, png, pdf, got 'jpg'"):
        formats_of(["jpg"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Estimate(0.25, 0.05, 40), "25.0% (15.2 to 34.8)"),
        (Estimate(0.99, 0.02, 40), "99.0% (95.1 to 100.0)"),
        (Estimate(0.5, None, 1), "50.0%"),
        (Estimate(None, None, 0), "nothing to measure"),
    ],
)
def test_says_a_rate_with_its_interval(value: Estimate, said: str) -> None:
    assert written(value) == said
    ElementTree.fromstring(whisker_svg(value, 0.01))
