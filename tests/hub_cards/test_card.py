"""`cobsat card`: what the card says, its scores as the Hub's classes read them, hostile text."""

import doctest
import inspect
import json
import re
from dataclasses import replace

import pytest
import yaml
from answer_runs import answer_run, question_file
from cobsat import Prediction, RunFolder, Verdict
from cobsat.cli import main
from cobsat.hub_cards import card_commands
from cobsat.hub_cards.card import write_card
from cobsat.hub_cards.card_commands import run_arguments
from cobsat.hub_cards.card_data import read_card_runs
from cobsat.hub_cards.card_results import entries_yaml, model_index, results
from cobsat.metrics.registry import judge_class
from cobsat.run_folder import write_json
from huggingface_hub import ModelCard
from huggingface_hub._eval_results import parse_eval_result_entries

EVIL = (
    "|\n</td><script>alert(1)</script> [x](http://e.vil) <!-- cobsat:end --> "
    "\u202e\x1b[2J www.e.vil"
)


def test_doctests():
    result = doctest.testmod(card_commands)
    assert result.attempted > 0
    assert result.failed == 0


def four(folder, row, number):
    return Prediction(row["id"], "error" if number == 3 else "ok", text="a red car")


def judged(row, prediction, draw):
    """The first example is right, the second is not, the third has no answer."""
    number = int(row["id"][-4:])
    if prediction.status != "ok":
        return Verdict(row["id"], "unscored", reason="prediction: error")
    if number == 2:
        return Verdict(row["id"], "unscored", reason="no choice")
    right = number == 0
    return Verdict(row["id"], "scored", "car", "red", right, True)


@pytest.fixture
def small(make_run):
    return make_run(
        configs=["color_i-2shot"], limit=4, output="description", predict=four, judge=judged
    )


def test_scores_counts_and_metadata_are_the_runs(small, tmp_path):
    out = tmp_path / "model" / "README.md"
    written = write_card([small], out, model_id="org/tiny", datasets={"cobsat": "org/bench"})
    card = ModelCard.load(out)
    (row,) = [line for line in card.text.splitlines() if line.startswith("| color\\_i |")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:3] == ["2", "25.0"]  # one right of four
    assert cells[-3:] == ["4", "1", "1"]  # examples, unscored, failed
    low, high = map(float, cells[3].split(" to "))
    assert 0 <= low < 25 < high <= 100
    (result,) = card.data.eval_results
    assert card.data.model_name == "org/tiny"
    assert (result.dataset_type, result.dataset_config) == ("org/bench", "color_i-2shot")
    assert result.dataset_split == "test"
    assert (result.metric_type, result.metric_value) == ("accuracy", 0.25)
    assert result.metric_args["limit"] == 4
    (entries,) = [path for path in written if path.parent.name == ".eval_results"]
    (entry,) = parse_eval_result_entries(yaml.safe_load(entries.read_text("utf-8")))
    assert (entry.dataset_id, entry.task_id, entry.value) == ("org/bench", "color_i-2shot", 0.25)
    assert "not comparable" in card.text
    assert "1 failed" in card.text
    for address in re.findall(r"\]\(([^)]+)\)", card.text):
        assert address.startswith("https://arxiv.org/") or (out.parent / address).is_file()
    assert str(tmp_path) not in out.read_text("utf-8")


def test_the_same_runs_make_the_same_bytes_and_a_second_time_changes_nothing(small, tmp_path):
    first = {p: p.read_bytes() for p in write_card([small], tmp_path / "a" / "README.md")}
    again = {p: p.read_bytes() for p in write_card([small], tmp_path / "a" / "README.md")}
    assert first == again


def test_a_card_that_others_wrote_is_not_overwritten(small):
    (small / "README.md").write_text("# Mine\n")
    with pytest.raises(FileExistsError, match="--merge"):
        write_card([small])
    write_card([small], merge=small / "README.md")
    text = (small / "README.md").read_text("utf-8")
    assert "\n# Mine\n" in text
    assert len(ModelCard(text).data.eval_results) == 1


def test_runs_of_two_models_are_refused(small, make_run):
    other = make_run("other", limit=4, model="query", model_options={"record": {"name": "query"}})
    with pytest.raises(ValueError, match="of one model"):
        write_card([small, other])
    assert not (small / "README.md").exists()


def test_touchstone(tmp_path):
    run = answer_run(
        tmp_path / "run",
        question_file(tmp_path / "q.tsv"),
        dict.fromkeys(range(1, 9), ((8, 6), (6, 8))) | {9: "no marks"},
    )
    out = tmp_path / "card" / "README.md"
    write_card([run], out)
    card = ModelCard.load(out)
    by_config = {r.dataset_config: r.metric_value for r in card.data.eval_results}
    marks = RunFolder(run).scores_path("touchstone-gpt-4")
    assert by_config["touchstone"] == json.loads(marks.read_text())["overall"]["score"]
    assert "Question 1" not in card.text  # others' questions are not ours to publish


def test_what_was_measured_is_what_the_card_says(small, tmp_path):
    write_card([small], tmp_path / "a" / "README.md")
    text = (tmp_path / "a" / "README.md").read_text("utf-8")
    assert "## In-context learning, measured" in text
    assert "TouchStone" not in text
    assert "mean \\_i" not in text  # all tasks infer objects: it would be the mean once more
    marks = dict.fromkeys(range(1, 5), ((9, 6), (9, 8))) | dict.fromkeys(
        range(5, 11), ((2, 6), (2, 8))
    )
    run = answer_run(tmp_path / "answers", question_file(tmp_path / "q.tsv"), marks)
    write_card([run], tmp_path / "b" / "README.md")
    text = (tmp_path / "b" / "README.md").read_text("utf-8")
    assert "## Visual dialogue, measured" in text
    assert "CoBSAT" not in text
    assert [line[:8] for line in text.splitlines() if line.startswith(("| best ", "| worst "))] == [
        *3 * ["| best |"], *3 * ["| worst "],
    ]  # fmt: skip
    shown, _, folded = text.partition("<details>")
    assert "| recognition |" in shown
    assert "| chart analysis |" not in shown
    assert "| chart analysis |" in folded.partition("</details>")[0]


def test_an_example_is_shown_in_the_order_in_which_it_was_asked(make_run, tmp_path):
    def right(row, prediction, draw):
        return Verdict(row["id"], "scored", "car", "red", True, True)

    run = make_run(configs=["color_i-2shot"], limit=1, judge=right)
    write_card([run], tmp_path / "README.md")
    (line,) = [x for x in (tmp_path / "README.md").read_text().splitlines() if "| right |" in x]
    assert line.split(" | ")[1] == r"blue\: \[A blue car.\] brown\: \[A brown car.\] orange\:"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "0.3"])
def test_no_value_but_a_finite_number_is_written(small, value):
    (run,) = read_card_runs([small])
    (found,) = results(run)
    with pytest.raises(ValueError, match="finite number"):
        model_index("m", [replace(found, metric_value=value)])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset_config": 2}, "dataset_config of a score must be a text"),
        ({"dataset_name": " "}, "dataset_name of a score must be a text"),
        ({"dataset_split": None}, "dataset_split of a score must be a text"),
    ],
)
def test_metadata_are_checked(small, changes, message):
    (run,) = read_card_runs([small])
    (found,) = results(run)
    with pytest.raises(ValueError, match=message):
        model_index("m", [replace(found, **changes)])
    with pytest.raises(ValueError, match="twice"):
        model_index("m", [found, found])
    with pytest.raises(ValueError, match="got an empty one"):
        model_index(" ", [found])
    with pytest.raises(ValueError, match="ORG/NAME"):
        entries_yaml(run, run.tables[0], "name")


def test_hostile_text_stays_text(make_run, tmp_path):
    def predict(folder, row, number):
        return Prediction(row["id"], "ok", text=EVIL + "w" * 5000)

    def judge(row, prediction, draw):
        if int(row["id"][-4:]) == 1:
            return Verdict(row["id"], "unscored", reason=EVIL)
        return Verdict(row["id"], "scored", EVIL, EVIL, False, False)

    run = make_run(
        configs=["color_i-2shot"], limit=3, output="description", predict=predict, judge=judge,
        model_options={"record": {"name": EVIL}, "options": {"note": EVIL + "\n```\n# x"}},
        versions={EVIL: EVIL},
    )  # fmt: skip
    scores = RunFolder(run).scores_path("clip")
    data = json.loads(scores.read_text())
    write_json(scores, {**data, "judge": {"name": "clip", EVIL: EVIL}, "cautions": [EVIL]})
    out = tmp_path / "card" / "README.md"
    write_card([run], out)
    text = out.read_text("utf-8")
    card = ModelCard.load(out)
    fenced = re.sub(r"```bash\n.*?\n```", "", card.text, flags=re.DOTALL)
    for sign in ("<script", "](http://e", "\u202e", "\x1b", "www.e"):
        assert sign not in fenced
    assert not set(text) & set("\u202e\x1b")
    assert card.text.count("<!-- cobsat:end -->") == 1
    assert text.count("```") == 2
    assert max(map(len, fenced.split())) < 500
    rows = [line for line in card.text.splitlines() if line.startswith("| wrong |")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [6] * len(rows)
    assert rows
    write_card([run], out)
    assert out.read_text("utf-8") == text


def test_the_table_of_judges_options_is_the_judges_own():
    for name, options in card_commands._OPTIONS.items():
        parameters = inspect.signature(judge_class(name)).parameters
        assert {k: parameters[k].default for k in options} == options


@pytest.mark.slow
def test_the_command_makes_the_run_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ["run", "--model", "query", "--config", "color_*-2shot", "--limit", "6", "--output",
             "description", "--model-option", "seed=7", "--judge", "mention"]  # fmt: skip
    assert main([*given, "--out", "first"]) == 0
    folder = RunFolder("first")
    record = json.loads(folder.scores_path("mention").read_text())["judge"]
    arguments = run_arguments(folder.settings(), [record])
    assert main([*arguments[1:], "--out", "second"]) == 0
    for name in ("run.json", "scores/mention.json", "verdicts/mention.jsonl"):
        assert (folder.path / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def adapted(adapter):
    """The model options that `cobsat predict --adapter` writes, of a base that lies in a folder."""
    record = {"name": "transformers", "checkpoint": "org/base", "weights_sha256": "ab" * 32}
    if adapter is None:
        return {"options": {"checkpoint": "org/base"}, "record": record}
    record = {**record, "adapter": {"path": str(adapter), "weights_sha256": "cd" * 32}}
    return {"options": {"checkpoint": "org/base", "adapter": str(adapter)}, "record": record}


def test_a_tuned_model_tells_of_its_training_and_of_its_base(make_run, tmp_path):
    adapter = tmp_path / "secret" / "tuned"
    adapter.mkdir(parents=True)
    facts = {
        "data": {"dataset_config": "all-2shot", "dataset_train_split": "ft_train"},
        "model": {"model_name_or_path": str(tmp_path / "secret" / "base"), "lora_r": 32},
        "training": {"learning_rate": 0.002, "seed": 0},
    }
    write_json(adapter / "training.json", facts)
    write_json(adapter / "results.json", {"steps": 500, "scores": "| task | base |\n|---|---|\n"})

    def right_of(count):
        def judge(row, prediction, draw):
            right = int(row["id"][-4:]) < count
            return Verdict(row["id"], "scored", "car", "red", right, right)

        return judge

    options = {"configs": ["color_i-2shot"], "limit": 4, "output": "description"}
    options |= {"model": "transformers"}
    base, tuned = (
        make_run(**options, model_options=adapted(of), judge=right_of(count), name=name)
        for name, of, count in (("before", None, 1), ("after", adapter, 3))
    )
    out = tmp_path / "card" / "README.md"
    write_card([tuned], out, base=base)
    card = ModelCard.load(out)
    assert (card.data.base_model, card.data.library_name) == ("org/base", "peft")
    lines = card.text.splitlines()
    for said in ("| lora r | 32 |", "| learning rate | 0.002 |", "| steps | 500 |"):
        assert said in [line.replace("\\", "") for line in lines]
    (row,) = [line for line in lines if line.startswith("| color\\_i | 2 | 4 |")]
    assert "| 25.0 | 75.0 | +50.0 |" in row.replace(
        "\\", ""
    )  # one right of four before, three after
    assert "| base |" in card.text  # table4's own
    assert str(tmp_path) not in out.read_text("utf-8")
    assert "secret" not in out.read_text("utf-8")
    record = {"name": "transformers", "checkpoint": "org/other"}
    other = make_run(**options, model_options={"options": {}, "record": record}, name="other")
    with pytest.raises(ValueError, match="must be a run of the model that was tuned"):
        write_card([tuned], out, base=other)
