"""The command `cobsat`: what it prints, and one clear line for every mistake."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cobsat import RunFolder, cli
from cobsat.cli import COMMANDS, load_command, main

PREDICT = ["predict", "--model", "copy", "--config", "color_i-2shot", "--limit", "3"]
USER_MODULE = """
from cobsat.models import Capabilities, Output

class Narrow:
    name = "narrow"
    capabilities = Capabilities(frozenset({"description"}), max_images=2)
    def record(self):
        return {}
    def predict(self, examples):
        return [Output(text="a red car") for _ in examples]

class Down(Narrow):
    def predict(self, examples):
        raise ConnectionError("no server at port 1")

class Full(Narrow):
    def predict(self, examples):
        raise OSError(28, "No space left on device")

class Stopped(Narrow):
    def predict(self, examples):
        raise KeyboardInterrupt

class Buggy(Narrow):
    def __init__(self):
        raise LookupError("a bug")
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test starts in an empty folder, and its adapters are gone afterwards."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "user_module", raising=False)
    monkeypatch.delenv("COBSAT_DEBUG", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "user_module.py").write_text(USER_MODULE)
    return folder


def one_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail: exit code 2, one line, no output."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"cobsat {arguments[0]}: ")
    return err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        assert all(f"  {name} " in out for name in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"cobsat {importlib.metadata.version('cobsat')}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_loads_and_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(load_command(name))
    assert main([name, "--help"]) == 0
    assert f"usage: cobsat {name}" in capsys.readouterr().out.replace("Usage", "usage")


def test_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name} " in out for name in ("copy", "query", "random", "oracle", "module:Class"))


def test_predict_names_its_own_folder_and_resumes(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*PREDICT, "--config", "style_*-2shot", "--images", str(picture_folder)]
    for _ in range(2):
        assert main(command) == 0
        assert "9 predictions (9 ok)" in capsys.readouterr().out
    [run] = (elsewhere / "runs").iterdir()
    assert RunFolder(run).settings().configs == (
        "color_i-2shot",
        "style_i-2shot",
        "style_ii-2shot",
    )
    assert len((run / "predictions.jsonl").read_text().splitlines()) == 9


def test_broken_lines_are_said(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*PREDICT, "--images", str(picture_folder), "--out", "run"]
    assert main(command) == 0
    target = elsewhere / "run" / "predictions.jsonl"
    first, *rest = target.read_text().splitlines(keepends=True)
    target.write_text(first[:9] + "\n" + "".join(rest))
    capsys.readouterr()
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert out == "run: 3 predictions (3 ok)\n"
    assert "left out, and asked again: predictions.jsonl, line 1: " in err


def test_run_predicts_judges_prints_the_scores_and_reports(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", "--model", "oracle", "--config", "color_*-2shot", "--limit", "5"]
    command += ["--output", "description", "--images", str(picture_folder), "--out", "run"]
    assert main([*command, "--judge", "mention"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "run: 10 predictions (10 ok)"
    assert lines[-1] == "run/report.html"
    assert "judge: mention, 5 examples each" in lines
    rows = [" ".join(line.split()) for line in lines]
    assert "color_ii 2 1.000 ±0.000 1.000 1.000 1.000 1.000 0 0" in rows
    assert "mean _i 2 1.000 ±0.000 1.000 1.000 1.000 1.000 0 0" in rows
    assert max(map(len, lines)) <= 80
    assert "<html" in (elsewhere / "run" / "report.html").read_text("utf-8")


def test_run_prints_single_majority_and_best_of_several_samples(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", "--model", "random", "--config", "color_*-2shot", "--limit", "5"]
    command += ["--output", "description", "--images", str(picture_folder), "--out", "run"]
    assert main([*command, "--samples", "3", "--judge", "mention"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "mention: 30 of 30 scored, in run/scores/mention.json" in lines
    assert "judge: mention, 5 examples each" in lines
    rows = [" ".join(line.split()) for line in lines]
    assert "task shots single majority of 3 textual visual failed unscored" in rows
    (group, _) = json.loads((elsewhere / "run/scores/mention.json").read_text())["groups"]
    shown = [f"{group[name]['value']:.3f}" for name in ("majority", "best_of", "textual", "visual")]
    single = f"{group['accuracy']['value']:.3f} ±{group['accuracy']['standard_error']:.3f}"
    assert " ".join(["color_i 2", single, *shown, "0 0"]) in rows
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "mentoin"], "judge must be one of .*did you mean 'mention'"),
        (["--judge", "mention"], "output that the judge mention is given must be description"),
        (
            ["--output", "description", "--judge", "mention", "--judge-option", "checkpoint=x"],
            "judge mention takes no option, got 'checkpoint'",
        ),
    ],
)
def test_a_judge_that_does_not_go_is_refused_before_a_model_is_asked(
    options: list[str],
    message: str,
    picture_folder: Path,
    elsewhere: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["run", *PREDICT[1:], "--images", str(picture_folder), *options]
    line = one_line(capsys, *command)
    assert re.search(message, line), line
    assert list(elsewhere.iterdir()) == []


BAD: list[tuple[list[str], str]] = [
    (["--model", "copi"], "model must be one of copy, .*did you mean 'copy'"),
    (["--model", "no_such:Model"], r"\(no such module\): install it"),
    (["--model", "user_module:Narow"], "did you mean 'Narrow'"),
    (["--config", "colour_i-2shot"], "did you mean 'color_i'"),
    (["--config", "color_i-3shot"], "shots in a config's name must be one of 2shot"),
    (["--config", "colour_*"], "a pattern that matches one, got 'colour_"),
    (["--config", "color_i-0shot"], "must be 'exact'"),
    (["--prompt-type", "mislead"], "did you mean 'misleading'"),
    (["--output", "text"], "output must be one of image, description, got 'text'"),
    (["--instructions-for", "gtp4v"], "instructions_for must be one of .*did you mean 'gpt4v'"),
    (["--instructions-for", "gpt4v"], "instructions_for with output='image' must be one of"),
    (["--samples", "2"], r"samples of model copy must be 1, got 2: it gives the same each time"),
    (["--many-images", "last"], "model copy must be given no options, got 'many_images'"),
    (["--split", "train"], "split of color_i-2shot must be one of test"),
    (["--split", "ft_test", "--config", "color_i-8shot"], "exists for 2 and 4 shots"),
    (["--split", "leave_color_out_test"], "use all-2shot or all-4shot"),
    (["--images", "no/such/folder"], "got '.*no/such/folder', which is no folder"),
    (["--images", "."], "must hold 500 pictures"),
    (["--model-option", "seed=1"], "model copy must be given no options, got 'seed'"),
    (["--model", "random", "--model-option", "sed=1"], "did you mean 'seed'"),
    (["--model", "random", "--model-option", "seed"], "must be key=value, got 'seed'"),
    (["--model", "random", "--model-option", "seed=x"], "seed of a baseline must be an integer"),
    (["--model", "user_module:Narrow"], "output of model user_module:Narrow must be one of desc"),
    (
        ["--model", "user_module:Narrow", "--output", "description", "--config", "color_i-4shot"],
        "pictures in a prompt of model user_module:Narrow must be at most 2, got 4",
    ),
    (["--seed", "many"], "(?i)invalid value .*--seed"),
    (["--limit", "0"], "(?i)invalid value .*--limit"),
    (["--batch-size", "0"], "(?i)invalid value .*--batch-size"),
    (["--prompt-tpye", "cot"], "(?i)no such option.*--prompt-tpye"),
    (["stray"], "(?i)unexpected extra argument"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[" ".join(change) for change, _ in BAD])
def test_bad_input_is_one_line_and_nothing_is_written(
    change: list[str],
    message: str,
    picture_folder: Path,
    elsewhere: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    images = [] if "--images" in change else ["--images", str(picture_folder)]
    line = one_line(capsys, *PREDICT, *images, *change)
    assert re.search(message, line), line
    assert list(elsewhere.iterdir()) == []


def test_what_is_missing_or_unknown_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'predict'" in one_line(capsys, "predictt")
    assert "--model" in one_line(capsys, "predict", "--config", "color_i-2shot")
    assert "--config" in one_line(capsys, "predict", "--model", "copy")


def test_a_picture_that_is_missing_is_named(
    picture_folder: Path, elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(picture_folder, copied)
    (copied / "color_car" / "red_car.png").unlink()
    line = one_line(capsys, *PREDICT, "--images", str(copied))
    assert "1 are missing: color_car/red_car" in line
    assert list(elsewhere.iterdir()) == []


def test_the_folder_of_another_run_is_refused(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = [*PREDICT, "--images", str(picture_folder), "--out", "run"]
    assert main(base) == 0
    before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
    capsys.readouterr()
    line = one_line(capsys, *base, "--seed", "124")
    assert "got another run's (seed: 123 there, 124 now): name another folder with --out" in line
    (elsewhere / "run" / "run.json").write_text("{}")
    assert "must be a run's settings" in one_line(capsys, *base)
    (elsewhere / "run" / "run.json").write_bytes(before[elsewhere / "run" / "run.json"])
    assert {p: p.read_bytes() for p in elsewhere.rglob("*") if p.is_file()} == before


def test_an_out_that_is_a_file_is_one_line(
    picture_folder: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "run").write_text("a file")
    line = one_line(capsys, *PREDICT, "--images", str(picture_folder), "--out", "run")
    assert "run" in line
    assert (elsewhere / "run").read_text() == "a file"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("Down", "got the same error for 3 examples in a row .*ConnectionError: no server at port"),
        ("Full", "the disk must have room to write, .*a run goes on from where it was"),
    ],
)
def test_a_run_that_cannot_go_on_is_one_line(
    model: str, message: str, picture_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*PREDICT, "--images", str(picture_folder), "--output", "description"]
    line = one_line(capsys, *command, "--model", f"user_module:{model}")
    assert re.search(message, line), line


def test_ctrl_c_says_how_to_go_on(picture_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*PREDICT, "--images", str(picture_folder), "--output", "description"]
    assert main([*command, "--model", "user_module:Stopped"]) == 130
    assert capsys.readouterr().err == "stopped: the same command goes on from here\n"


def test_debug_shows_the_traceback_and_a_bug_always_does(
    picture_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*PREDICT, "--images", str(picture_folder), "--output", "description"]
    with pytest.raises(ValueError, match="model must be one of"):
        main(["--debug", *command, "--model", "copi"])
    with pytest.raises(LookupError, match="a bug"):
        main([*command, "--model", "user_module:Buggy"])
    monkeypatch.setenv("COBSAT_DEBUG", "1")
    with pytest.raises(ValueError, match="model must be one of"):
        main([*command, "--model", "copi"])


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            OSError(28, "No space left on device"),
            "the disk must have room to write",
        ),
        (FileNotFoundError(2, "No such file or directory", "a/b"), "a/b: No such file or dir"),
        (PermissionError(13, "Permission denied", "a/b"), "a/b: Permission denied"),
        (ValueError("two\n lines"), "two lines"),
        (ValueError(), "ValueError"),
        (RecursionError("too deep"), "RecursionError: too deep"),
    ],
)
def test_errors_are_one_line(error: Exception, line: str) -> None:
    assert cli._one_line(error).startswith(line)


def test_a_disk_that_fills_up_stops_the_command_and_loses_nothing(
    picture_folder: Path, elsewhere: Path, forks: Any
) -> None:
    """A limit on file size makes the kernel refuse a write in the middle of a line."""
    command = [*PREDICT[:-1], "200", "--images", str(picture_folder)]
    command += ["--output", "description", "--out", "run"]
    assert forks(command, elsewhere, file_size=9_999) == 2
    assert forks.log.count("\n") == 1
    assert "the disk must have room to write" in forks.log
    kept = (elsewhere / "run" / "predictions.jsonl").read_bytes()
    assert len(kept) == 9_999
    assert not kept.endswith(b"\n")
    assert forks(command, elsewhere) == 0
    whole = (elsewhere / "run" / "predictions.jsonl").read_bytes()
    assert whole.startswith(kept[: kept.rindex(b"\n") + 1])
    ids = [json.loads(line)["id"] for line in whole.splitlines()]
    assert ids == [f"color_i-2shot-test-{number:04d}" for number in range(200)]


@pytest.mark.skipif(os.name == "nt", reason="the installed script has another name there")
def test_the_installed_command_exits_with_the_code() -> None:
    script = Path(sys.executable).with_name("cobsat")
    done = subprocess.run([script, "predictt"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
