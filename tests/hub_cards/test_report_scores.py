"""What the report says of scores: tables, intervals, counts, samples, and judges that failed."""

import json
from itertools import takewhile

import pytest
from cobsat import TASKS, Prediction, Verdict
from cobsat.hub_cards.card_data import read_card_runs
from cobsat.hub_cards.report import write_report
from cobsat.hub_cards.report_data import read_run
from cobsat.run_folder import write_json
from cobsat.samples import split_sample_id
from report_pages import Page
from scipy import optimize, stats


def rate(value, error, n):
    return {"value": value, "standard_error": error, "n": n}


@pytest.mark.usefixtures("no_plots")
def test_shows_the_scores_with_their_intervals_and_counts(make_run):
    run = make_run(configs=["color_i-2shot"])
    group = {"task": "color_i", "shots": 2, "examples": 40, "scored": 35, "unscored": 2,
             "failed": 3, "blocked": 0, "missing": 0, "accuracy": rate(0.25, 0.05, 40),
             "object": rate(0.5, 0.01, 40), "attribute": rate(1.0, 0.0, 40),
             "textual": rate(0.0, None, 40), "visual": rate(None, None, 0),
             "accuracy_scored": rate(0.99, 0.02, 35)}  # fmt: skip
    mean = {**group, "task": "all", "tasks": ["color_i"]}
    write_json(run / "scores" / "clip.json", {"groups": [group], "means": [mean], "problems": []})
    page = Page(write_report([run]))
    heading, of_all, of_task = page.rows
    read = read_run(run)
    of = {row["id"]: (row["query"], row["latent_variable"]) for row in read.examples()}
    asked = set(of.values())
    answered = {of[name] for name, v in read.verdicts["clip"].items() if v.status == "scored"}
    t = stats.t.ppf(0.975, len(asked) - 1)
    quarter, half = wilson(0.25, 40, t), wilson(0.5, 40, t)  # the errors given are below binomial
    nearly = wilson(0.99, 0.99 * 0.01 / 0.02**2, stats.t.ppf(0.975, len(answered) - 1))
    all_right = wilson(1.0, len(asked), t)  # each thing asked for counts once
    numbers = [f"25.0{quarter}", f"50.0{half}", f"100.0{all_right}", "0.0", "\N{EN DASH}"]
    numbers.append(f"99.0{nearly}")
    assert heading == [
        "Task", "Shots", "0100", "Accuracy", "Object", "Attribute", "Textual", "Visual",
        "Of scored", "Examples", "Unscored", "Failed", "Blocked",
    ]  # fmt: skip
    assert of_all == ["all tasks", "2", "", *numbers, "40", "2", "3", "0"]
    assert of_task == ["color_i", "2", "", *numbers, "40", "2", "3", "0"]
    assert f"25.0% ({quarter}), n = 40" in page.source
    assert f"99.0% ({nearly}), n = 35" in page.source


@pytest.mark.usefixtures("no_plots")
def test_without_the_outputs_that_were_scored_intervals_are_normal(make_run):
    run = make_run(configs=["color_i-2shot"])
    group = {"task": "color_i", "shots": 2, "examples": 50, "accuracy": rate(0.25, 0.05, 50)}
    write_json(run / "scores" / "clip.json", {"groups": [group], "means": []})
    assert "25.0% (15.2 to 34.8), n = 50" in Page(write_report([run])).source


def test_a_card_has_the_intervals_of_the_page(make_run):
    run = make_run(configs=["color_i-2shot", "color_ii-2shot"], limit=20)
    scores = read_run(run).scores["clip"]
    (table,) = read_card_runs([run])[0].tables
    lines = {line.name: line.interval for line in table.lines}
    for row in (*scores.rows, *scores.means):
        name = {"all": "mean", "object_inference": "mean _i", "attribute_inference": "mean _ii"}
        shown = row.rates["accuracy"].bounds
        assert shown is not None
        assert lines[name.get(row.task, row.task)] == shown


def wilson(share, size, t):
    """Return where a share is no further than t errors of its own from the one that was seen."""

    def beyond(p):
        return (share - p) ** 2 - t * t * p * (1 - p) / size

    low = 0.0 if share == 0 else optimize.brentq(beyond, 0, share - 1e-12)
    high = 1.0 if share == 1 else optimize.brentq(beyond, share + 1e-12, 1)
    return f"{100 * low:.1f} to {100 * high:.1f}"


def three_samples(row, prediction, draw):
    """A judge of three samples: first and last are right of odd examples, the second of even ones.

    Of example 0 the last is unscored, of example 1 the judge failed at the second.
    """
    name, sample = split_sample_id(row["id"])
    number, reference = int(name[-4:]), row["reference"]
    if (number, sample) == (0, 3):
        return Verdict(row["id"], "unscored", reason="unclear")
    if (number, sample) == (1, 2):
        return Verdict(row["id"], "error", reason="timed out")
    right = (number % 2 == 1) == (sample != 2)
    other = next(o for o in TASKS[row["task"]].theme.objects if o != reference["object"])
    shown = reference["object"] if right else other
    return Verdict(row["id"], "scored", shown, reference["attribute"], right, True)


def test_shows_single_majority_and_best_of_several_samples(make_run):
    run = make_run(configs=["color_i-2shot"], limit=8, samples=3, judge=three_samples)
    page = Page(write_report([run], plots=("svg",)))
    heading, *_, of_task = page.rows
    assert heading == [
        "Task", "Shots", "0100", "Accuracy", "Majority", "Best of 3", "Object", "Attribute",
        "Textual", "Visual", "Of scored", "Examples", "Outputs", "Unscored", "Failed", "Blocked",
        "Judge failed",
    ]  # fmt: skip
    # right are the second of 0, 2, 4, 6, the first and third of 1, 3, 5, 7: 12 of 23
    assert of_task[3].startswith("52.2")
    # seven have all three; 0 has a tie of two, which the first wins, wrong; 3, 5, 7 are right
    assert of_task[4].startswith("42.9")
    assert of_task[5].startswith("100.0")
    assert of_task[5].endswith(" to 100.0")
    assert of_task[-6:] == ["8", "24", "1", "0", "0", "1"]
    for words in (
        "8 examples 24 outputs",
        "image output · 3 for each example",
        "Samples3 outputs for each",
        "best of 3: whether any output is right",
        "Failed, blocked and unscored outputs count as wrong",
        "best of 3 has 3.0% by chance",
    ):
        assert page.says(words), words
    names = {path.name for path in (run / "plots").iterdir()}
    assert "clip-best-of-k.svg" in names
    assert "clip-samples.svg" in names

    data = page.blocks[0]
    assert [output[1] for output in data["outputs"]] == [n for n in range(8) for _ in range(3)]
    ids = [data["strings"][prompt[0]] for prompt in data["prompts"]]
    assert ids == [f"color_i-2shot-test-{number:04d}" for number in range(8)]
    assert [output[8] for output in data["outputs"]] == [1, 2, 3] * 8
    flags = [[output[9][0] for output in data["outputs"][3 * n : 3 * n + 3]] for n in range(8)]
    assert flags == [[1, 0, 0], [0, 0, 0], *[[1, 0, 1]] * 6]


def of_group(page, name):
    """Return the rows of several runs' table below a group's name."""
    start = page.rows.index([name]) + 1
    return list(takewhile(lambda row: len(row) > 1, page.rows[start:]))


@pytest.mark.usefixtures("no_plots")
def test_the_runs_of_a_task_stand_together(make_run):
    runs = [make_run("first", limit=3), make_run("second", configs=["color_ii-2shot"], limit=3)]
    page = Page(write_report(runs))
    assert page.rows[0][:3] == ["Run", "0100", "Accuracy"]
    assert [row[0] for row in page.rows if len(row) == 1] == [
        "all tasks, 2 shots mean of 2 tasks",
        "object inference, 2 shots mean of 1 task",
        "attribute inference, 2 shots mean of 1 task",
        "color_i, 2 shots",
        "color_ii, 2 shots",
    ]
    assert [row[0] for row in of_group(page, "color_i, 2 shots")] == ["first"]
    assert [row[0] for row in of_group(page, "color_ii, 2 shots")] == ["first", "second"]
    assert {len(row) for row in page.rows} == {1, 12}


@pytest.mark.usefixtures("no_plots")
def test_a_run_of_one_sample_beside_one_of_several_has_no_majority(make_run):
    one = make_run("one", limit=4)
    page = Page(write_report([make_run("three", limit=4, samples=3), one]))
    assert page.rows[0][3:5] == ["Majority", "Best of 3"]
    three, one_sample = of_group(page, "color_i, 2 shots")
    assert (three[0], one_sample[0]) == ("three", "one")
    assert one_sample[3:5] == ["\N{EN DASH}", "\N{EN DASH}"]
    assert three[3] != "\N{EN DASH}"
    assert page.says("1 or 3 for each example")
    data = page.blocks[0]
    assert len(data["prompts"]) == 8
    assert [len(output) for output in data["outputs"]] == [10] * 24 + [8] * 8
    alone = Page(write_report([one]))
    assert "Majority" not in alone.rows[0]
    assert "Outputs" not in alone.rows[0]


@pytest.mark.usefixtures("no_plots")
def test_a_partial_run_of_several_samples_counts_outputs(make_run):
    def predict(folder, row, number):
        return None if number == 5 else Prediction(row["id"], "error", reason="no")

    run = make_run(configs=["color_i-2shot"], limit=3, samples=3, predict=predict)
    page = Page(write_report([run]))
    assert page.says("Partial: 1 of 9 outputs have no prediction yet")
    assert page.rows[0][-2:] == ["Missing", "No majority"]
    # 0 and 2 have nothing but failures; of 1 an output is missing
    assert page.rows[-1][-2:] == ["1", "2"]


@pytest.mark.usefixtures("no_plots")
def test_each_judge_has_its_own_table(make_run):
    page = Page(write_report([make_run(judges=("clip", "mention"))]))
    assert page.source.count("<table class=") == 2
    assert page.blocks[0]["judges"] == ["clip", "mention"]


@pytest.mark.usefixtures("no_plots")
def test_counts_what_failed_was_blocked_or_is_missing(make_run):
    def predict(folder, row, number):
        if number == 0:
            return None
        status = ["ok", "error", "blocked"][number % 3]
        return Prediction(row["id"], status, text="A red car.", reason=None if number % 3 else "no")

    run = make_run(configs=["color_i-2shot"], limit=9, output="description", predict=predict)
    page = Page(write_report([run]))
    assert page.rows[0][-4:] == ["Unscored", "Failed", "Blocked", "Missing"]
    assert page.rows[-1][-5:] == ["9", page.rows[-1][-4], "3", "3", "1"]
    assert page.says("Partial: 1 of 9 examples have no prediction yet")
    assert [output[2] for output in page.blocks[0]["outputs"]] == [3, 1, 2, 0, 1, 2, 0, 1, 2]


def failing_judge(row, prediction, draw):
    """A judge that fails at every fifth output, and has no answer for, or cuts, some others."""
    number = int(row["id"][-1])
    if number % 5 == 0:
        return Verdict(row["id"], "error", reason="timed out <b>")
    if number == 3:
        return Verdict(row["id"], "unscored", reason="object: several numbers <i>")
    raw = {"truncated": True} if number == 4 else {}
    return Verdict(row["id"], "scored", "car", "red", True, True, raw=raw)


@pytest.mark.usefixtures("no_plots")
def test_says_where_the_judge_failed_and_why_outputs_have_no_answer(make_run):
    run = make_run(configs=["color_i-2shot"], limit=10, judge=failing_judge)
    path = run / "scores" / "clip.json"
    scores = json.loads(path.read_text())
    assert scores["cautions"] == []
    page = Page(write_report([run]))
    assert page.rows[0][-6:] == [
        "Examples", "Unscored", "Failed", "Blocked", "Judge failed", "Cut",
    ]  # fmt: skip
    assert page.rows[-1][-6:] == ["10", "1", "0", "0", "2", "1"]
    assert page.rows[-1][3].startswith("87.5")  # 7 of 8: two are in no accuracy
    assert page.says("1object: several numbers <i>")
    assert page.says("2judge failed: timed out <b>")
    data = page.blocks[0]
    states = [data["states"][data["verdicts"][output[7][0]][0]] for output in data["outputs"]]
    assert [states.count(state) for state in ("scored", "unscored", "error")] == [7, 1, 2]
    usage = {"input_tokens": 12345}
    write_json(path, {**scores, "cautions": ["Look <out>."], "usage": usage})
    page = Page(write_report([run]))
    assert page.says("Look <out>.")
    assert page.says("input tokens12,345")


@pytest.mark.usefixtures("no_plots")
def test_a_run_whose_judge_answered_all_names_no_reasons(make_run):
    def judge(row, prediction, draw):
        return Verdict(row["id"], "scored", "car", "red", True, True)

    page = Page(write_report([make_run(judge=judge)]))
    assert not page.says("Why outputs have no answer")
    assert "Judge failed" not in page.rows[0]


@pytest.mark.usefixtures("no_plots")
def test_partly_judged_runs_are_marked(make_run):
    run = make_run(judged=30)
    assert Page(write_report([run])).says("Partial: 50 predictions have no verdict by clip")


@pytest.mark.usefixtures("no_plots")
def test_a_judge_without_scores_is_named(make_run):
    run = make_run(judges=("clip", "mention"))
    (run / "scores" / "mention.json").unlink()
    page = Page(write_report([run]))
    assert page.says("mention has verdicts but no scores yet")
    assert page.blocks[0]["judges"] == ["clip"]
