"""Bars, whiskers and words of the plots, against numbers worked out by hand."""

from xml.etree import ElementTree

import pytest
from cobsat.hub_cards.charts import (
    Chart,
    Panel,
    Series,
    accuracy_chart,
    best_of_k_chart,
    halves_chart,
    samples_chart,
)
from cobsat.hub_cards.plots import PLOT_HEIGHT, chart_svg, panel_svg, percent, whisker_svg
from cobsat.hub_cards.report_data import COUNTS, RATES, Estimate, Row, Scores

SVG = "{http://www.w3.org/2000/svg}"


def chart(*bars, groups=None, series=None, chance=0.1):
    groups = groups or tuple(f"task_{number}" for number in range(len(bars)))
    series = series or tuple(Series(f"s{number}", number) for number in range(len(bars[0])))
    return Chart("name", "Title", "Note.", "Accuracy", series, (Panel("P", groups, bars),), chance)


def row(task, shots, **values):
    rates = {name: Estimate(values.get(name, 0.0), 0.0, 10) for name in RATES}
    return Row(task, shots, rates, dict.fromkeys(COUNTS, 0), False)


def test_bars_whiskers_and_chance_are_to_scale():
    # The interval of 0.4 with a standard error of 0.05 is 0.302 to 0.498: the axis ends at 0.5.
    drawn = chart((Estimate(0.4, 0.05, 100),))
    assert drawn.top == 0.5
    root = ElementTree.fromstring(chart_svg(drawn))
    (bar,) = (r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None)
    assert float(bar.get("height")) == pytest.approx(0.8 * PLOT_HEIGHT, abs=0.01)
    floor = float(bar.get("y")) + float(bar.get("height"))
    path = next(p for p in root.iter(f"{SVG}path") if p.get("class") == "error").get("d")
    high, low = float(path.split("V")[0].split()[-1]), float(path.split("V")[1].split("M")[0])
    assert floor - high == pytest.approx(0.498 / 0.5 * PLOT_HEIGHT, abs=0.02)
    assert floor - low == pytest.approx(0.302 / 0.5 * PLOT_HEIGHT, abs=0.02)
    lines = [line for line in root.iter(f"{SVG}line") if line.get("class") == "chance"]
    assert floor - float(lines[-1].get("y1")) == pytest.approx(0.2 * PLOT_HEIGHT, abs=0.01)


def test_nought_is_a_bar_and_nothing_is_none():
    drawn = chart((Estimate(0.0, 0.0, 10), Estimate(None, None, 0), None))
    root = ElementTree.fromstring(chart_svg(drawn))
    bars = [r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    assert [bar.get("height") for bar in bars] == ["1"]
    assert bars[0].find(f"{SVG}title").text == "task_0, s0: 0.0% (0.0 to 0.0)"


def test_has_title_axes_legend_and_chance_level():
    root = ElementTree.fromstring(chart_svg(chart((Estimate(0.9, 0.1, 9),))))
    words = [text.text for text in root.iter(f"{SVG}text")]
    for word in ("Title", "P", "Accuracy", "s0", "task_0", "chance (10%)", "0", "100%"):
        assert word in words, word


def test_accuracy_has_a_panel_for_each_inference_and_a_bar_for_each_shot_count():
    rows = [row("color_i", 2, accuracy=0.1), row("color_i", 4, accuracy=0.2),
            row("color_ii", 2, accuracy=0.3)]  # fmt: skip
    drawn = accuracy_chart([("run", rows)])
    assert [panel.title for panel in drawn.panels] == ["Object inference", "Attribute inference"]
    assert [series.label for series in drawn.series] == ["2 shots", "4 shots"]
    values = [[[bar and bar.value for bar in g] for g in panel.bars] for panel in drawn.panels]
    assert values == [[[0.1, 0.2]], [[0.3, None]]]


def test_several_runs_stand_side_by_side():
    judged = [("a", [row("color_i", 2, accuracy=0.1)]), ("b", [row("style_i", 2, accuracy=0.2)])]
    drawn = accuracy_chart(judged)
    assert [series.label for series in drawn.series] == ["a, 2 shots", "b, 2 shots"]
    assert len({series.hue for series in drawn.series}) == 2
    (panel,) = drawn.panels
    assert panel.groups == ("color_i", "style_i")
    assert [[bar and bar.value for bar in g] for g in panel.bars] == [[0.1, None], [None, 0.2]]


def test_halves_have_a_panel_for_each_shot_count():
    rows = [row("color_i", 2, textual=0.1, visual=0.2), row("color_i", 4, textual=0.3, visual=0.4)]
    halves = (("textual", "text"), ("visual", "pictures"))
    drawn = halves_chart([("run", rows)], name="n", title="t", halves=halves, note="")
    assert [panel.title for panel in drawn.panels] == ["2 shots", "4 shots"]
    values = [[bar.value for group in panel.bars for bar in group] for panel in drawn.panels]
    assert values == [[0.1, 0.2], [0.3, 0.4]]


def sampled(samples, *shots):
    """Scores whose best of k is k hundredths, and of 4 shots twice that."""

    def of(task, count):
        rates = {
            "accuracy": Estimate(0.1, None, 9), "majority": Estimate(0.2, None, 3),
            "best_of": Estimate(0.3, None, 3),
        }  # fmt: skip
        best = tuple(Estimate(k * count / 200, None, 3) for k in range(1, samples + 1))
        return Row(task, count, rates, {}, task == "all", best)

    rows, means = (tuple(of(task, count) for count in shots) for task in ("color_i", "all"))
    return Scores("clip", {}, rows, means, (), samples=samples)


def test_samples_stand_side_by_side():
    drawn = samples_chart([("run", sampled(5, 2))])
    assert [series.label for series in drawn.series] == ["single", "majority", "best of 5"]
    (panel,) = drawn.panels
    assert [[bar.value for bar in group] for group in panel.bars] == [[0.1, 0.2, 0.3]]
    assert drawn.chance == 0.01
    assert "best of 5 has 4.9% by chance" in drawn.note  # 1 - 0.99^5 = 0.0490
    both = samples_chart([("a", sampled(5, 2)), ("b", sampled(2, 2))])
    assert both.series[2].label == "best of all"
    assert "best of all has 2.0% or 4.9% by chance" in both.note


def test_best_of_k_has_a_bar_for_each_run_and_shot_count():
    drawn = best_of_k_chart([("a", sampled(3, 2, 4)), ("b", sampled(2, 2))])
    assert [series.label for series in drawn.series] == ["a, 2 shots", "a, 4 shots", "b, 2 shots"]
    (panel,) = drawn.panels
    assert panel.groups == ("k = 1", "k = 2", "k = 3")
    values = [[bar and bar.value for bar in group] for group in panel.bars]
    assert values == [[0.01, 0.02, 0.01], [0.02, 0.04, 0.02], [0.03, 0.06, None]]
    many = best_of_k_chart([("a", sampled(20, 2))]).panels[0]
    assert many.groups == ("k = 1", "k = 2", "k = 4", "k = 8", "k = 16", "k = 20")
    assert [bar.value for (bar,) in many.bars] == [0.01, 0.02, 0.04, 0.08, 0.16, 0.2]


def test_labels_are_only_text():
    hostile = "</text><script>x</script>&\x00\u202e" + "w" * 10_000
    series = (Series(hostile, 0),)
    drawn = chart((Estimate(0.5, 0.1, 9),), groups=(hostile,), series=series)
    root = ElementTree.fromstring(chart_svg(drawn))
    assert not list(root.iter(f"{SVG}script"))
    assert max(len(text.text) for text in root.iter(f"{SVG}text")) < 100
    assert "<script" not in panel_svg(drawn, drawn.panels[0])


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        (Estimate(0.25, 0.05, 40), "25.0% (15.2 to 34.8)"),
        (Estimate(0.99, 0.02, 40), "99.0% (95.1 to 100.0)"),
        (Estimate(0.5, None, 1), "50.0%"),
        (Estimate(None, None, 0), "nothing to measure"),
    ],
)
def test_says_a_rate_with_its_interval(estimate, said):
    assert percent(estimate) == said
    ElementTree.fromstring(whisker_svg(estimate, 0.01))


@pytest.mark.parametrize(("letters", "turned"), [(12, False), (20, True)])
def test_names_without_room_are_turned(letters, turned):
    # Four groups have 102 pixels each; 12 letters take some 80 of them, and 16, the most, 109.
    names = tuple(f"{number}".ljust(letters, "m") for number in range(4))
    svg = chart_svg(chart(*[(Estimate(0.4, 0.05, 100),)] * 4, groups=names))
    root = ElementTree.fromstring(svg)
    shown = [text for text in root.iter(f"{SVG}text") if (text.text or "")[1:2] == "m"]
    assert len(shown) == 4
    assert all(("rotate" in text.get("transform", "")) == turned for text in shown)
