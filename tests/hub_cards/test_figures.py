"""Which charts a report shows: the paper's figures for the runs at hand, and what is missing."""

from __future__ import annotations

import pytest
from cobsat import RunSettings
from cobsat.hub_cards.charts import Chart, Panel
from cobsat.hub_cards.figures import charts
from cobsat.hub_cards.figures_paper import fig4, fig6, fig7, fig8, fig9, needed
from cobsat.hub_cards.figures_scores import (
    Judged,
    accuracy_chart,
    best_of_k_chart,
    samples_chart,
)
from cobsat.hub_cards.report_data import Run
from cobsat.hub_cards.report_scores import COUNTS, RATES, Estimate, Row, Scores


def row(task: str, shots: int, **values: float) -> Row:
    rates = {name: Estimate(values.get(name, 0.0), 0.0, 10) for name in RATES}
    mean = task in ("all", "object_inference", "attribute_inference")
    return Row(task, shots, rates, dict.fromkeys(COUNTS, 0), mean)


def judged(number: int, label: str, *rows: Row, model: str = "m", **settings: object) -> Judged:
    asked = RunSettings(model, ("all-2shot",), **settings)  # type: ignore[arg-type]
    tasks = tuple(r for r in rows if not r.is_mean)
    means = tuple(r for r in rows if r.is_mean)
    return Judged(number, label, asked, Scores("clip", {}, tasks, means, ()))


def values(panel: Panel) -> list[list[float | None]]:
    return [[value and value.value for value in group] for group in panel.values]


def titles(chart: Chart) -> list[str]:
    return [panel.title for panel in chart.panels]


def labels(chart: Chart) -> list[str]:
    return [series.label for series in chart.series]


def test_a_run_has_a_panel_for_each_inference_and_a_mark_for_each_shot_count() -> None:
    rows = (row("color_i", 2, accuracy=0.1), row("color_i", 4, accuracy=0.2),
            row("color_ii", 2, accuracy=0.3))  # fmt: skip
    drawn = accuracy_chart([judged(0, "run", *rows)])
    assert titles(drawn) == ["Object inference", "Attribute inference"]
    assert labels(drawn) == ["2 shots", "4 shots"]
    assert [values(panel) for panel in drawn.panels] == [[[0.1, 0.2]], [[0.3, None]]]


def test_several_runs_stand_side_by_side_at_each_shot_count() -> None:
    drawn = accuracy_chart(
        [
            judged(0, "a", row("style_i", 2, accuracy=0.1), row("color_i", 4, accuracy=0.4)),
            judged(1, "b", row("color_i", 2, accuracy=0.2)),
        ]
    )
    assert labels(drawn) == ["a", "b"]
    assert len({series.hue for series in drawn.series}) == 2
    assert titles(drawn) == ["Object inference, 2 shots", "Object inference, 4 shots"]
    assert drawn.panels[0].groups == ("color_i", "style_i")  # the benchmark's order
    assert values(drawn.panels[0]) == [[None, 0.2], [0.1, None]]


def test_fig4_has_a_line_a_run_and_a_panel_a_task_and_mean() -> None:
    rows = [row(task, shots, accuracy=shots / 10) for task in ("color_i", "style_i", "color_ii")
            for shots in (2, 4)]  # fmt: skip
    rows += [row("object_inference", 2, accuracy=0.9), row("object_inference", 4, accuracy=0.8)]
    other = judged(1, "b", row("color_i", 2, accuracy=0.7))
    described = judged(2, "c", row("color_i", 2), row("color_i", 4), output="description")
    misled = judged(3, "d", row("color_i", 2), row("color_i", 8), prompt_type="misleading")
    tuned = judged(4, "e", row("color_i", 2), row("color_i", 8), split="ft_test")
    drawn = fig4([judged(0, "a", *rows), other, described, misled, tuned])
    assert [chart.name for chart in drawn] == ["fig4-image", "fig4-description"]
    image = drawn[0]
    assert labels(image) == ["a", "b"]
    assert titles(image) == ["color_i", "style_i", "mean of _i", "color_ii"]
    assert image.columns == 3
    assert image.panels[0].groups == ("2", "4")
    assert values(image.panels[0]) == [[0.2, 0.7], [0.4, None]]
    assert values(image.panels[2]) == [[0.9, None], [0.8, None]]
    assert "Fig. 4 (a, b)" in image.note
    assert "Fig. 4 (c, d)" in drawn[1].note
    assert labels(drawn[1]) == ["c"]


def test_fig4_needs_several_shot_counts() -> None:
    assert fig4([judged(0, "a", row("color_i", 2)), judged(1, "b", row("style_i", 2))]) == []


def test_figs_6_and_9_are_of_default_prompts_at_2_shots() -> None:
    rows = (row("color_i", 2, textual=0.1, visual=0.2, object=0.3, attribute=0.4),
            row("style_i", 2, textual=0.5, visual=0.6), row("color_i", 4, textual=0.9),
            row("all", 2, textual=0.3, visual=0.4))  # fmt: skip
    misled = judged(1, "b", *rows, prompt_type="misleading")
    drawn = fig6([judged(0, "a", *rows), misled])
    assert drawn.name == "fig6-textual-visual"
    assert "Fig. 6" in drawn.note
    assert titles(drawn) == ["2 shots"]
    assert drawn.panels[0].groups == ("color_i", "style_i", "mean")
    assert values(drawn.panels[0]) == [[0.1, 0.2], [0.5, 0.6], [0.3, 0.4]]
    assert drawn.chance == 0.1
    assert values(fig9([judged(0, "a", *rows)]).panels[0])[0] == [0.3, 0.4]


def test_other_runs_halves_do_not_claim_to_be_the_papers() -> None:
    four = judged(0, "a", row("color_i", 4, object=0.3, attribute=0.4))
    misled = judged(1, "b", row("color_i", 2, object=0.5), prompt_type="misleading")
    drawn = fig9([four, misled])
    assert drawn.name == "object-attribute"
    assert "Fig." not in drawn.note
    assert titles(drawn) == ["a, 4 shots", "b, 2 shots"]


def test_fig7_sets_judges_beside_each_other() -> None:
    rows = [row("color_i", 2, accuracy=0.1), row("style_i", 2, accuracy=0.2),
            row("action_i", 2, accuracy=0.3)]  # fmt: skip
    theirs = [row("color_i", 2, accuracy=0.2), row("style_i", 2, accuracy=0.4),
              row("action_i", 2, accuracy=0.6), row("color_ii", 2, accuracy=0.9)]  # fmt: skip
    scores = Scores("llava", {}, tuple(theirs), (), ())
    (drawn,) = fig7("clip", [judged(0, "a", *rows)], {"llava": [scores], "mention": [None]})
    assert drawn.kind == "points"
    assert titles(drawn) == ["llava (r = 1.00, n = 3)"]  # twice as much each time
    panel = drawn.panels[0]
    assert panel.groups == ("color_i, 2 shots", "style_i, 2 shots", "action_i, 2 shots")
    assert values(panel) == [[0.2], [0.4], [0.6]]
    assert [[v and v.value for v in group] for group in panel.across] == [[0.1], [0.2], [0.3]]
    assert fig7("clip", [judged(0, "a", *rows)], {}) == []


def test_judges_of_few_tasks_are_not_compared_and_those_alike_have_no_correlation() -> None:
    rows = [row(task, 2, accuracy=0.1) for task in ("color_i", "style_i", "action_i")]
    scores = Scores("llava", {}, tuple(rows), (), ())
    assert fig7("clip", [judged(0, "a", *rows[:2])], {"llava": [scores]}) == []
    (drawn,) = fig7("clip", [judged(0, "a", *rows)], {"llava": [scores]})
    assert titles(drawn) == ["llava (n = 3)"]


def test_fig8_has_misleading_runs_and_the_same_model_on_default_prompts() -> None:
    def run(number: int, label: str, model: str, value: float, **settings: object) -> Judged:
        return judged(number, label, row("color_i", 2, accuracy=value), model=model, **settings)

    runs = [
        run(0, "plain", "x", 0.8), run(1, "misled", "x", 0.3, prompt_type="misleading"),
        run(2, "other", "y", 0.7), run(3, "described", "x", 0.6, output="description"),
    ]  # fmt: skip
    (drawn,) = fig8(runs)
    assert drawn.name == "fig8-image"
    assert labels(drawn) == ["misled", "plain"]
    misled, plain = drawn.series
    assert misled.hue == plain.hue
    assert (misled.variant, plain.variant) == (0, 1)  # dashed
    assert values(drawn.panels[0]) == [[0.3, 0.8]]
    assert "Dashed" in drawn.note
    (alone,) = fig8(runs[1:2])
    assert "Dashed" not in alone.note
    assert fig8([runs[0]]) == []


def test_what_would_add_a_figure_is_said_once() -> None:
    def named(name: str) -> Chart:
        return Chart(name, "", "", "rows", "", (), ())

    assert [line.split(":")[0] for line in needed([named("accuracy"), named("fig4-image")])] == [
        "Figs. 6 and 9", "Fig. 7", "Fig. 8",
    ]  # fmt: skip
    drawn = [named(f"fig{number}-x") for number in (4, 6, 7, 8, 9)]
    assert needed(drawn) == []


def run_of(one: Judged, *judges: str) -> Run:
    scores = dict.fromkeys(judges, one.scores)
    return Run(None, one.label, one.settings, {}, scores, {}, None, ())  # type: ignore[arg-type]


def test_judges_are_compared_once() -> None:
    rows = [row(task, 2, accuracy=0.5) for task in ("color_i", "style_i", "color_ii")]
    run = run_of(judged(0, "a", *rows), "clip", "mention")
    names = {judge: [chart.name for chart in charts([run], judge)] for judge in run.scores}
    assert names["clip"] == [
        "accuracy", "fig6-textual-visual", "fig9-object-attribute", "fig7-judges",
    ]  # fmt: skip
    assert "fig7-judges" not in names["mention"]
    assert charts([run], "llava") == []


def test_a_chart_by_shots_of_all_runs_stands_for_the_one_by_task() -> None:
    rows = (row("color_i", 2), row("color_i", 4))
    runs = [run_of(judged(0, name, *rows), "clip") for name in ("a", "b")]
    assert "accuracy" not in [chart.name for chart in charts(runs, "clip")]
    assert "accuracy" in [chart.name for chart in charts(runs[:1], "clip")]
    misled = run_of(judged(0, "c", *rows, prompt_type="misleading"), "clip")
    assert "accuracy" in [chart.name for chart in charts([*runs, misled], "clip")]


def sampled(number: int, label: str, samples: int, *shots: int) -> Judged:
    """A run whose best of k is k hundredths at 2 shots, and of 4 shots twice that."""

    def of(task: str, count: int) -> Row:
        rates = {
            "accuracy": Estimate(0.1, None, 9), "majority": Estimate(0.2, None, 3),
            "best_of": Estimate(0.3, None, 3),
        }  # fmt: skip
        best = tuple(Estimate(k * count / 200, None, 3) for k in range(1, samples + 1))
        return Row(task, count, rates, {}, task == "all", best)

    rows, means = (tuple(of(task, count) for count in shots) for task in ("color_i", "all"))
    scores = Scores("clip", {}, rows, means, (), samples=samples)
    return Judged(number, label, RunSettings("m", ("color_i-2shot",)), scores)


def test_samples_stand_side_by_side() -> None:
    drawn = samples_chart([sampled(0, "run", 5, 2)])
    assert labels(drawn) == ["single", "majority", "best of 5"]
    (panel,) = drawn.panels
    assert values(panel) == [[0.1, 0.2, 0.3]]
    assert drawn.chance == 0.01
    assert "best of 5 has 4.9% by chance" in drawn.note  # 1 - 0.99^5 = 0.0490
    both = samples_chart([sampled(0, "a", 5, 2), sampled(1, "b", 2, 2)])
    assert labels(both)[2] == "best of all"
    assert "best of all has 2.0% or 4.9% by chance" in both.note


def test_best_of_k_has_a_line_for_each_run_and_shot_count() -> None:
    drawn = best_of_k_chart([sampled(0, "a", 3, 2, 4), sampled(1, "b", 2, 2)])
    assert labels(drawn) == ["a, 2 shots", "a, 4 shots", "b, 2 shots"]
    assert len({(series.hue, series.variant) for series in drawn.series}) == 3
    (panel,) = drawn.panels
    assert panel.groups == ("1", "2", "3")
    assert values(panel) == [[0.01, 0.02, 0.01], [0.02, 0.04, 0.02], [0.03, 0.06, None]]
    many = best_of_k_chart([sampled(0, "a", 20, 2)]).panels[0]
    assert many.groups == ("1", "2", "4", "8", "16", "20")
    assert [value for (value,) in values(many)] == pytest.approx(
        [0.01, 0.02, 0.04, 0.08, 0.16, 0.2]
    )
