"""Killed at random moments, a run ends with the same scores as one that was left alone.

Real processes of the real command, SIGKILL, seeded moments: some by the clock, most when a file
has grown by a random number of bytes, so that they fall into the work on machines of any speed.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LEAST_KILLS = 12
SPEAKERS = '''
import random

from PIL import Image

from cobsat import THEMES
from cobsat.models import Capabilities, Output


class Talker:
    """Says something else for each example, right and wrong, and fails at some."""

    name = "talker"
    capabilities = Capabilities(frozenset({"description"}))

    def record(self):
        return {}

    def predict(self, examples):
        return [self.say(example) for example in examples]

    def say(self, example):
        draw = random.Random(example["id"])
        if draw.random() < 0.05:
            raise ValueError(f"nothing to say about {example['id']}")
        if draw.random() < 0.05:
            return Output("blocked", reason="filter")
        theme = THEMES[example["theme"]]
        words = draw.choice([example["query"], draw.choice(theme.attributes)])
        return Output(text=f"{words} {draw.choice(theme.objects)}, number {draw.random()}")


class Painter(Talker):
    name = "painter"
    capabilities = Capabilities(frozenset({"image"}))

    def say(self, example):
        draw = random.Random(example["id"])
        return Output(image=Image.frombytes("RGB", (16, 16), draw.randbytes(768)))
'''
CONFIGS = ("color_i-2shot", "background_ii-2shot", "action_i-4shot")
LIMIT = 50
EXAMPLES = LIMIT * len(CONFIGS)


def predict_command(model: str, output: str, pictures: Path, out: str) -> list[str]:
    command = ["predict", "--model", model, "--output", output, "--out", out]
    for config in CONFIGS:
        command += ["--config", config]
    return [*command, "--limit", str(LIMIT), "--batch-size", "3", "--images", str(pictures)]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a file; each must be good."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def kill_until_done(
    forks: Any,
    command: list[str],
    folder: Path,
    target: Path,
    total_bytes: int,
    check: Callable[[], None],
    seed: int,
) -> int:
    """Start a command again and again, killed each time, until it ends by itself."""
    draw = random.Random(seed)
    kills = 0
    for life in range(200):
        size = target.stat().st_size if target.exists() else 0
        if life % 4 == 0:
            code = forks(command, folder, kill_after=draw.uniform(0, 0.3))
        else:
            grown = size + draw.randrange(total_bytes // (LEAST_KILLS - 2))
            code = forks(command, folder, kill_when_larger=(str(target), grown))
        assert code in (-9, 0), forks.log
        check()
        if code == 0 and kills >= LEAST_KILLS:
            return kills
        kills += code == -9
        if code == 0:  # too fast: take the end off again, in the middle of a line
            target.write_bytes(target.read_bytes()[: -total_bytes // 3])
    raise AssertionError("the command never ended")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resume")
    (folder / "speakers.py").write_text(SPEAKERS)
    return folder


@pytest.mark.parametrize(
    ("model", "output"),
    [("speakers:Talker", "description"), ("speakers:Painter", "image"), ("random", "image")],
)
def test_killed_predictions_are_those_of_an_undisturbed_run(
    model: str, output: str, home: Path, picture_folder: Path, forks: Any
) -> None:
    name = model.replace(":", "-")
    whole, killed = home / f"{name}-whole", home / f"{name}-killed"
    assert forks(predict_command(model, output, picture_folder, whole.name), home) == 0, forks.log
    expected = read(whole / "predictions.jsonl")
    assert len(expected) == EXAMPLES
    command = predict_command(model, output, picture_folder, killed.name)
    target = killed / "predictions.jsonl"

    def check() -> None:
        lines = read(target)
        ids = [line["id"] for line in lines]
        assert len(ids) == len(set(ids))
        for line in lines:
            assert "image" not in line or (killed / line["image"]).is_file()

    total = (whole / "predictions.jsonl").stat().st_size
    kills = kill_until_done(forks, command, home, target, total, check, seed=len(name))
    assert kills >= 10
    without_time = [{k: v for k, v in line.items() if k != "seconds"} for line in expected]
    got = [{k: v for k, v in line.items() if k != "seconds"} for line in read(target)]
    assert got == without_time
    for line in got:
        if "image" in line:
            assert (killed / line["image"]).read_bytes() == (whole / line["image"]).read_bytes()
    if output == "description":
        for folder in (whole, killed):
            assert forks(["judge", folder.name, "--judge", "mention"], home) == 0, forks.log
        scores = [(folder / "scores" / "mention.json").read_bytes() for folder in (whole, killed)]
        assert scores[0] == scores[1]


def test_killed_judging_ends_with_the_scores_of_an_undisturbed_one(
    home: Path, picture_folder: Path, forks: Any
) -> None:
    command = predict_command("speakers:Talker", "description", picture_folder, "judged-whole")
    assert forks(command, home) == 0, forks.log
    whole, killed = home / "judged-whole", home / "judged-killed"
    shutil.copytree(whole, killed)
    judge = ["--judge", "mention", "--batch-size", "3"]
    assert forks(["judge", whole.name, *judge], home) == 0, forks.log
    verdicts, scores = Path("verdicts/mention.jsonl"), Path("scores/mention.json")
    assert len(read(whole / verdicts)) == EXAMPLES

    def check() -> None:
        ids = [line["id"] for line in read(killed / verdicts)]
        assert len(ids) == len(set(ids))

    total = (whole / verdicts).stat().st_size
    command = ["judge", killed.name, *judge]
    kills = kill_until_done(forks, command, home, killed / verdicts, total, check, seed=3)
    assert kills >= 10
    assert (killed / verdicts).read_bytes() == (whole / verdicts).read_bytes()
    assert (killed / scores).read_bytes() == (whole / scores).read_bytes()
    assert json.loads((whole / scores).read_text())["groups"][0]["failed"] > 0
