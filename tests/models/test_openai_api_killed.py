"""A run against a server, killed again and again, ends with the scores of one that was left alone.

Real processes and a server that refuses, fails and delays at seeded moments; what was answered and
written is never asked again.
"""

from __future__ import annotations

import hashlib
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from chat_server import CUT, Call, ChatServer, Response, completion, error
from cobsat import THEMES, RunFolder

pytestmark = pytest.mark.slow  # each process imports the openai client

CONFIG = "color_i-2shot"
LIMIT = 120


class Moody:
    """Answers by the prompt alone, but now and then refuses, fails, cuts the line or is slow."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._lock = threading.Lock()
        self.answered: list[str] = []

    def __call__(self, call: Call) -> Response:
        prompt = hashlib.sha256(str(call.body["messages"]).encode()).hexdigest()
        with self._lock:
            mood = self._draw.random()
        if mood < 0.05:
            return error(429, "slow down", retry_after="0.1")
        if mood < 0.08:
            return error(500, "oops")
        if mood < 0.1:
            return CUT
        with self._lock:
            self.answered.append(prompt)
        theme, draw = THEMES["color"], random.Random(prompt)
        words = f"{draw.choice(theme.attributes)} {draw.choice(theme.objects)}"
        return completion(f"A {words}.").after(0.2 * mood)


def test_a_killed_run_against_a_moody_server_ends_as_an_undisturbed_one(
    picture_folder: Path, tmp_path: Path, forks: Any
) -> None:
    def command(server: ChatServer, out: str) -> list[str]:
        return [
            "predict", "--model", "openai", "--model-option", "model=m", "--model-option",
            f"base_url={server.url}", "--config", CONFIG, "--limit", str(LIMIT), "--output",
            "description", "--images", str(picture_folder), "--out", out, "--retry-errors",
        ]  # fmt: skip

    with ChatServer(Moody(1)) as server:
        assert forks(command(server, "whole"), tmp_path) == 0, forks.log
    moody = Moody(2)
    draw = random.Random(0)
    target = tmp_path / "killed" / "predictions.jsonl"
    size = (tmp_path / "whole" / "predictions.jsonl").stat().st_size
    kills = 0
    with ChatServer(moody) as server:
        for _ in range(20):
            there = target.stat().st_size if target.exists() else 0
            grown = there + draw.randrange(size // 4)
            code = forks(command(server, "killed"), tmp_path, kill_when_larger=(str(target), grown))
            if code == 0:
                break
            assert code == -9, forks.log
            kills += 1
        assert code == 0
    assert kills >= 3
    whole, killed = (RunFolder(tmp_path / name).predictions()[0] for name in ("whole", "killed"))
    assert len(whole) == LIMIT
    assert {i: p.text for i, p in whole.items()} == {i: p.text for i, p in killed.items()}
    again = len(moody.answered) - LIMIT
    assert again <= 33 * kills  # what was under way, and at most one answer more being written
    for name in ("whole", "killed"):
        assert forks(["judge", name, "--judge", "mention"], tmp_path) == 0, forks.log
    scores = [
        (tmp_path / name / "scores/mention.json").read_bytes() for name in ("whole", "killed")
    ]
    assert scores[0] == scores[1]
