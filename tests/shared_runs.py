"""What the tests of runs that several processes share have in common: a model, and how to compare.

The model answers by the example's id alone, right and wrong, fails at some, and notes in
`asked.RANK.log` each example that it is asked for. A file `kill` says at which of its examples
which process is to be killed: it does so itself, so that no clock plays a part.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MODEL = '''
import os
import random
import signal

from cobsat import THEMES
from cobsat.models import Capabilities, Output
from PIL import Image


class Talker:
    """Says something else for each example, right and wrong, and fails at some."""

    name = "talker"
    capabilities = Capabilities(frozenset({"description"}))
    asked = 0

    def record(self):
        return {}

    def predict(self, examples):
        outputs = []
        for example in examples:
            with open(f"asked.{os.environ.get('RANK')}.log", "a") as log:
                log.write(example["id"] + "\\n")
            outputs.append(self.say(example))
            self.asked += 1
            if os.path.exists("kill"):
                with open("kill") as kill:
                    if kill.read() == f"{os.environ.get('RANK')}:{self.asked}":
                        os.kill(os.getpid(), signal.SIGKILL)
        return outputs

    def say(self, example):
        draw = random.Random(example["id"])
        fate = draw.random()
        if fate < 0.1 and not os.path.exists("mended"):
            return Output("error", reason="an empty reply", usage={"input_tokens": 7})
        if fate < 0.15:
            return Output("blocked", reason="filter")
        theme = THEMES[example["theme"]]
        words = draw.choice([example["query"], draw.choice(theme.attributes)])
        text = f"{words} {draw.choice(theme.objects)}, number {draw.random()}"
        return Output(text=text, usage={"input_tokens": draw.randrange(100)})


class Painter(Talker):
    """Paints; many of its pictures are the same."""

    name = "painter"
    capabilities = Capabilities(frozenset({"image"}))

    def say(self, example):
        draw = random.Random(example["id"])
        return Output(image=Image.new("RGB", (16, 16), (draw.randrange(9) * 20, 0, 0)))


class Sorted(Talker):
    """Is asked for prompts that begin alike one after the other."""

    by_prefix = True


class Streamer(Talker):
    """Answers in an order of its own."""

    def stream(self, examples):
        for example in reversed(list(examples)):
            yield [(example["id"], self.predict([example])[0], 0.1)]


class Down(Talker):
    """Cannot be reached."""

    def predict(self, examples):
        raise ConnectionError("no server at port 1")


class Halting(Talker):
    """Raises one same error for the examples from the fourth on."""

    def predict(self, examples):
        if any(int(example["id"][-4:]) >= 3 for example in examples):
            raise ValueError("too far")
        return super().predict(examples)
'''

CONFIGS = ("color_i-2shot", "background_ii-2shot", "action_i-4shot")
LIMIT = 20
EXAMPLES = LIMIT * len(CONFIGS)


def write_model(folder: Path) -> None:
    (folder / "shared_model.py").write_text(MODEL)


def predict_command(model: str, pictures: Path, out: str, **options: object) -> list[str]:
    """Return a command whose options may be changed, or left out where they are None."""
    chosen = {"output": "description", "limit": LIMIT, "batch-size": 3, **options}
    command = ["predict", "--model", model, "--images", str(pictures), "--out", out]
    for config in CONFIGS:
        command += ["--config", config]
    for name, value in chosen.items():
        if value is not None:
            command += [f"--{name}", *([] if value is True else [str(value)])]
    return command


def read(folder: Path) -> list[dict[str, Any]]:
    """Return a run's predictions in the order of its file, without the seconds."""
    data = (folder / "predictions.jsonl").read_bytes()
    assert not data or data.endswith(b"\n")
    lines = [json.loads(line) for line in data.splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def asked(folder: Path) -> list[str]:
    """Return what was asked in a folder since the last call."""
    return [one for share in shares(folder) for one in share]


def shares(folder: Path) -> list[list[str]]:
    """Return what each process was asked, as far as any was, since the last call."""
    found = []
    for log in sorted(folder.glob("asked.*.log")):
        found.append(log.read_text().splitlines())
        log.unlink()
    return found
