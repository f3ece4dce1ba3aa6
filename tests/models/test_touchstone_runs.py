"""`cobsat predict` over TouchStone's questions: what is asked, kept, refused, and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import touchstone_questions as made
from cobsat import CONFIGS as COBSAT_CONFIGS
from cobsat import RunFolder, RunSettings
from cobsat.benchmarks import BENCHMARKS, Choices, benchmark, benchmark_of, require
from cobsat.cli import main
from cobsat.models import Capabilities, Output
from cobsat.models.predict import predict
from cobsat.models.settings import check_capabilities, default_folder, run_size, with_model
from cobsat.run_examples import config_examples, config_ids, run_examples
from cobsat.touchstone import QuestionSource
from cobsat.touchstone.runs import CONFIGS, config_category, run_questions, run_references
from shared_runs import read
from vlm_rows import load

TEXTS = Capabilities(frozenset({"description"}))
ALL = [f"touchstone-mini-{number}" for number in (1, 2, 101, 102, 301, 501, 601, 602)]


class Echo:
    """Says back what it was shown."""

    name = "echo"
    capabilities = TEXTS

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def record(self) -> dict[str, Any]:
        return {}

    def predict(self, examples: Sequence[Any]) -> list[Output]:
        self.asked += examples
        return [Output(text=self.say(example)) for example in examples]

    def say(self, example: Any) -> str:
        [message] = example["messages"]
        shown = [part["text"] or Path(part["image"]).stem for part in message["content"]]
        return f"{message['role']}: {' | '.join(shown)}"


@pytest.fixture(autouse=True)
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionSource]:
    with made.shipping(tmp_path_factory.mktemp("mini")) as shipped:
        yield shipped


def plan(*configs: str, **choices: Any) -> RunSettings:
    return benchmark_of(configs).plan(Choices(configs, **choices))


def settings_for(*configs: str, images: str | None = None, **changes: Any) -> RunSettings:
    return with_model("echo", Echo(), {}, plan(*configs, images=images), **changes)


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def test_a_model_is_asked_with_the_pictures_then_the_question_and_no_more(tmp_path: Path) -> None:
    model = Echo()
    predict(model, settings_for("touchstone-mini"), tmp_path)
    got = lines(tmp_path)
    assert [line["id"] for line in got] == ALL
    assert got[0]["text"] == "user: a | What is there?"
    assert got[6]["text"] == "user: a | b | c | Compare them."
    assert {example["output"] for example in model.asked} == {"answer"}
    assert {example["followup"] for example in model.asked} == {None}


def test_run_json_says_what_ran(source: QuestionSource, tmp_path: Path) -> None:
    assert main(["predict", "--model", "oracle", "--config", "touchstone-mini-multi_image",
                 "--limit", "1", "--out", str(tmp_path)]) == 0  # fmt: skip
    settings = RunFolder(tmp_path).settings()
    assert (settings.benchmark, settings.output, settings.split) == ("touchstone", "answer", "test")
    assert settings.configs == ("touchstone-mini-multi_image",)
    assert (settings.images, settings.image_digest) == ("touchstone-mini", source.digest)
    assert (settings.limit, settings.samples, settings.asked_for) == (1, 1, "")
    assert [line["text"] for line in lines(tmp_path)] == ["They differ in color."]


def test_the_oracle_gives_the_reference_answers(source: QuestionSource, tmp_path: Path) -> None:
    assert main(["predict", "--model", "oracle", "--config", "touchstone-mini",
                 "--out", str(tmp_path)]) == 0  # fmt: skip
    assert [line["text"] for line in lines(tmp_path)] == [
        question.reference_answer for question in source.questions
    ]


@pytest.mark.parametrize(
    ("configs", "limit", "samples", "expected"),
    [
        (["touchstone-mini"], None, 1, ALL),
        (["touchstone-mini-comprehension"], None, 1, [ALL[3], ALL[4], ALL[5]]),
        (["touchstone-mini-recognition", "touchstone-mini-comprehension"], None, 1, ALL[2:6]),
        (["touchstone-mini-recognition", "touchstone-mini-comprehension"], 1, 1, [ALL[2], ALL[3]]),
        (["touchstone-mini-*"], 1, 1, [ALL[0], ALL[2], ALL[3], ALL[5], ALL[6]]),
        (["touchstone-mini-multi_image"], None, 2,
         [ALL[6], f"{ALL[6]}-sample2", ALL[7], f"{ALL[7]}-sample2"]),
        (["touchstone-mini"], 1, 3, [ALL[0], f"{ALL[0]}-sample2", f"{ALL[0]}-sample3"]),
    ],
)  # fmt: skip
def test_configs_limits_and_samples_choose_the_questions(
    configs: list[str], limit: int | None, samples: int, expected: list[str], tmp_path: Path
) -> None:
    settings = settings_for(*configs, limit=limit, samples=samples)
    predict(Echo(), settings, tmp_path)
    assert [line["id"] for line in lines(tmp_path)] == expected
    assert run_size(settings) == len(expected)
    source = benchmark("touchstone").run_source(settings)
    assert [row["id"] for row in run_examples(settings, source)] == expected
    for config in settings.configs:
        rows = config_examples(config, settings, source)
        assert [row["id"] for row in rows] == list(config_ids(config, settings))
    references = run_references(settings)
    assert list(references) == expected
    asked = [question.id for question in run_questions(settings)]
    assert [reference["id"] for reference in references.values()][::samples] == asked


def test_a_run_goes_on_with_more(tmp_path: Path) -> None:
    settings = settings_for("touchstone-mini", limit=3)
    predict(Echo(), settings, tmp_path)
    model = Echo()
    predict(model, replace(settings, limit=None, samples=2), tmp_path)
    assert len(model.asked) == 16 - 3
    predictions, _ = RunFolder(tmp_path).predictions()
    assert sorted(predictions) == sorted([*ALL, *(f"{name}-sample2" for name in ALL)])


def test_questions_that_changed_are_another_run(tmp_path: Path) -> None:
    path = made.tsv(tmp_path / "q.tsv", [made.cells(1), made.cells(2)])
    settings = settings_for("touchstone", images=str(path), limit=1)
    predict(Echo(), settings, tmp_path / "run")
    made.tsv(path, [made.cells(1, question="Another?"), made.cells(2)])
    with pytest.raises(ValueError, match="must be those that the run began with"):
        predict(Echo(), replace(settings, limit=2), tmp_path / "run")
    with pytest.raises(ValueError, match="must be a new folder or this run's own"):
        predict(Echo(), settings_for("touchstone", images=str(path)), tmp_path / "run")


def test_a_file_of_ones_own_is_asked_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made.tsv(tmp_path / "mine.tsv", [made.cells(1), made.cells(2, "description")])
    monkeypatch.chdir(tmp_path)
    command = ["predict", "--model", "oracle", "--config", "touchstone", "--images", "mine.tsv"]
    assert main(command) == 0
    said = capsys.readouterr()
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("oracle-answer-touchstone-mine.tsv-")
    assert "mine.tsv is not the official file (2 questions, not 908)" in said.err
    settings = RunFolder(folder).settings()
    assert settings.images == str((tmp_path / "mine.tsv").resolve())
    assert [line["text"] for line in lines(folder)] == ["Reference 1.", "Reference 2."]


def test_the_official_file_is_asked_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COBSAT_TOUCHSTONE_TSV", str(made.official(tmp_path / "q.tsv")))
    command = ["predict", "--model", "oracle", "--config", "touchstone-storytelling"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err == ""
    assert RunFolder(tmp_path / "run").settings().images == "official"
    assert len(lines(tmp_path / "run")) == 67


def test_a_broken_picture_costs_its_own_example(
    qwen: Any, one_thread: None, tmp_path: Path
) -> None:
    rows = [made.cells(1), made.cells(2, image="%%%"), made.cells(3)]
    path = made.tsv(tmp_path / "q.tsv", rows)
    model = qwen(max_new_tokens=3)
    settings = with_model("t", model, {}, plan("touchstone", images=str(path)))
    predict(model, settings, tmp_path / "run")
    first, second, third = lines(tmp_path / "run")
    assert (first["status"], second["status"], third["status"]) == ("ok", "error", "ok")
    assert second["reason"].startswith("picture: ")
    assert "touchstone-2-has-no-picture-that-can-be-decoded" in second["reason"]


def test_several_pictures_go_in_reading_order_or_as_a_collage(
    checkpoint: Any, qwen: Any, one_thread: None, tmp_path: Path
) -> None:
    model = qwen(max_new_tokens=3)
    predict(model, with_model("t", model, {}, plan("touchstone-mini")), tmp_path / "qwen")
    assert {line["status"] for line in lines(tmp_path / "qwen")} == {"ok"}
    settings = settings_for("touchstone-mini-multi_image")
    source = benchmark("touchstone").run_source(settings)
    rows = list(config_examples(settings.configs[0], settings, source))
    prompt = model.prompt(rows[0]["messages"])
    assert [picture.getpixel((0, 0))[0] for picture in prompt.pictures] == [1, 2, 3]
    assert prompt.text.index("<|image_pad|>") < prompt.text.index("Compare them.")
    assert prompt.text.count("Compare them.") == 1

    one = load(checkpoint("instructblip"), many_images="error")
    of_many = with_model("t", one, {}, plan("touchstone-mini-multi_image"))
    with pytest.raises(ValueError, match=r"must be at most 1, got 3 in touchstone-mini-multi_image"
                       ": --many-images collage"):  # fmt: skip
        check_capabilities("t", one.capabilities, of_many)
    of_one = with_model("t", one, {}, plan("touchstone-mini-description"))
    check_capabilities("t", one.capabilities, of_one)
    collage = load(checkpoint("instructblip"), many_images="collage")
    predict(collage, with_model("t", collage, {}, plan("touchstone-mini-multi_image")),
            tmp_path / "collage")  # fmt: skip
    assert [line["status"] for line in lines(tmp_path / "collage")] == ["ok", "ok"]


def test_answers_have_room_unless_the_user_says_otherwise(
    checkpoint: Any, one_thread: None, tmp_path: Path
) -> None:
    command = ["predict", "--model", "transformers", "--config", "touchstone-mini", "--limit", "1"]
    for option in (f"checkpoint={checkpoint('qwen2_5_vl')}", "context=60"):
        command += ["--model-option", option]
    assert main([*command, "--out", str(tmp_path / "a")]) == 0
    command += ["--model-option", "max_new_tokens=2"]
    assert main([*command, "--out", str(tmp_path / "b")]) == 0
    room = {}
    for name in ("a", "b"):
        options = RunFolder(tmp_path / name).settings().model_options
        room[name] = options["record"]["decoding"]["max_new_tokens"]
        assert options["options"].get("max_new_tokens", 1024) == room[name]
    assert room == {"a": 1024, "b": 2}
    [cut] = lines(tmp_path / "b")
    assert cut["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "copy"], "model copy must be one that answers questions, got one that does"),
        (["--model", "random"], "it draws from CoBSAT's pictures"),
        (["--model", "query"], "it draws from CoBSAT's pictures"),
        (["--output", "description"], "output of TouchStone must be one of answer, got 'descr"),
        (["--split", "ft_test"], "split of TouchStone must be one of test, got 'ft_test'"),
        (["--prompt-type", "cot"], "prompt_type must be left out with TouchStone, got 'cot'"),
        (["--prompt-type", "default"], "prompt_type must be left out with TouchStone"),
        (["--instructions-for", "llava"], "instructions_for must be left out with TouchStone"),
        (["--seed", "0"], "seed must be left out with TouchStone, got 0"),
        (["--images", "rendered"], "images of touchstone-mini must be left out, got 'rendered'"),
        (["--config", "touchstone"], "must be of one source of questions, got touchstone-mini, "),
        (["--config", "color_i-2shot"], "must be of one benchmark, got touchstone-mini, color_i-"),
        (["--config", "touchstone-mini-story"], "did you mean 'touchstone-mini-storytelling'"),
        (["--config", "touchstone-x*"], "or a pattern that matches one of touchstone-mini, "),
        (["--samples", "2"], "samples of model oracle must be 1, got 2"),
    ],
)
def test_what_does_not_go_with_touchstone_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "--model", "oracle", "--config", "touchstone-mini"]
    if arguments[0] == "--model":
        command = ["predict", "--config", "touchstone-mini"]
    assert main([*command, *arguments, "--out", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("images", ["touchstone-mini", "nothing.tsv"])
def test_the_official_questions_are_a_file(
    images: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", "--model", "oracle", "--config", "touchstone", "--images", images]
    assert main([*command, "--out", str(tmp_path / "run")]) == 2
    assert "a TSV file" in capsys.readouterr().err


def test_a_model_that_draws_only_is_told_what_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        ValueError, match=r"must be one of image, got 'answer': a model that writes"
    ):
        check_capabilities(
            "it", Capabilities(frozenset({"image"})), settings_for("touchstone-mini")
        )


def test_every_config_is_of_its_benchmark() -> None:
    names = {name: benchmark(name) for name in BENCHMARKS}
    for config in (*COBSAT_CONFIGS, "*", "color_*", "all-2shots", "*-2shot", "description"):
        assert benchmark_of([config]) is names["cobsat"], config
    for config in (*CONFIGS, "touchstone-*", "touchston-mini", "TouchStone"):
        assert benchmark_of([config]) is names["touchstone"], config
    assert len(CONFIGS) == 12
    assert [config_category(config) for config in CONFIGS[:3]] == [
        None,
        "description",
        "recognition",
    ]


def test_a_command_for_another_benchmark_says_which_is_meant() -> None:
    settings = settings_for("touchstone-mini")
    require(settings, "touchstone", "runs/a", "…")
    with pytest.raises(
        ValueError, match="runs/a must be a run of CoBSAT, got one of TouchStone: x"
    ):
        require(settings, "cobsat", "runs/a", "x")


def test_the_default_folder_says_which_questions() -> None:
    mini, recognition = (
        settings_for(c) for c in ("touchstone-mini", "touchstone-mini-recognition")
    )
    assert default_folder(mini, ["touchstone-mini"]) == Path("runs/echo-answer-touchstone-mini")
    other = default_folder(recognition, ["touchstone-mini-recognition"])
    assert other == Path("runs/echo-answer-touchstone-mini-recognition")


KILLED = """
import os, signal
from cobsat.models import Capabilities, Output

class Talker:
    name = "talker"
    capabilities = Capabilities(frozenset({"description"}))
    asked = 0

    def record(self):
        return {}

    def predict(self, examples):
        outputs = []
        for example in examples:
            self.asked += 1
            if self.asked == 30 and os.path.exists("kill"):
                os.remove("kill")
                os.kill(os.getpid(), signal.SIGKILL)
            text = example["messages"][0]["content"][-1]["text"]
            outputs.append(Output(text=example["id"] + text))
        return outputs
"""


def test_a_killed_run_goes_on_and_processes_share_one(
    forks: Any, ranks: Any, tmp_path: Path
) -> None:
    (tmp_path / "killed_model.py").write_text(KILLED)
    command = ["predict", "--model", "killed_model:Talker", "--config", "touchstone-mini",
               "--batch-size", "4"]  # fmt: skip
    assert forks([*command, "--out", "whole"], tmp_path) == 0, forks.log
    whole = read(tmp_path / "whole")
    assert len(whole) >= 54
    (tmp_path / "kill").touch()
    assert forks([*command, "--out", "killed"], tmp_path) == -9
    assert 0 < len(read(tmp_path / "killed")) < 30
    assert forks([*command, "--out", "killed"], tmp_path) == 0, forks.log
    assert read(tmp_path / "killed") == whole
    assert ranks(2, [*command, "--out", "shared"], tmp_path) == [0, 0], ranks.logs
    assert read(tmp_path / "shared") == whole
